/* SPDX-License-Identifier: Apache-2.0
 *
 * assemble.h - PTX to machine code by a program, in place of the driver's compiler. */
#ifndef SIMTLAB_GPU_ASSEMBLE_H
#define SIMTLAB_GPU_ASSEMBLE_H

#include "base/arena.h"
#include "gpu/driver.h"

/* Runs `program -arch=sm_XY IN -o OUT`, as ptxas takes it, on temporary files and gives
 * what it wrote, in the arena; sm_XYa where the text's .target has that letter. log, if
 * not NULL, gets what the program said; the first line of it stands in the error when it
 * fails. name is what the error calls the text. */
const char *gpu_assemble(struct arena *arena, const char *program, int major, int minor,
                         const char *name, const char *ptx, size_t size, struct text *log,
                         size_t *code_size, struct gpu_error *error);

#endif
