/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus_emu.h - running litmus tests on the emulator. */
#ifndef SIMTLAB_CLI_LITMUS_EMU_H
#define SIMTLAB_CLI_LITMUS_EMU_H

#include "memmodel/memmodel.h"

/* As litmus_executor.run: one run on a fresh emulated GPU, with the number of
 * the run as its seed. self points at a bool: whether the race checker is to
 * look on. */
void litmus_run_emulated(void *self, const struct litmus_launch *launch, uint64_t run,
                         struct litmus_run *ran, struct text *err);

#endif
