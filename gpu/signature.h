/* SPDX-License-Identifier: Apache-2.0
 *
 * signature.h - the parameters of a kernel, read off its PTX text.
 *
 * The driver takes parameters untyped; to turn argument text into bytes the
 * recorder needs to know which are floating point and how wide they are. This
 * reads only the `.entry` headers and leaves all else to the real compiler. */
#ifndef SIMTLAB_GPU_SIGNATURE_H
#define SIMTLAB_GPU_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/element.h"

struct parameter {
    enum element element; /* of a scalar; an untyped .bN reads as unsigned */
    bool is_bytes;        /* a by-value struct or array: size bytes */
    uint32_t size, alignment;
};

struct signature {
    const char *kernel;
    struct parameter *items;
    uint32_t count, capacity;
};

/* Finds the kernel by its name as in the text, or by the base name of a C++ kernel when
 * one only has it; with name NULL the only one. Everything kept is in the
 * arena. Returns NULL, or one sentence that says what is wrong. */
const char *signature_read(struct arena *arena, const char *ptx, size_t size,
                           const char *name, struct signature *signature);

#endif
