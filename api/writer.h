/* SPDX-License-Identifier: Apache-2.0
 *
 * writer.h - which thread wrote a stretch of global memory last. */
#ifndef SIMTLAB_API_WRITER_H
#define SIMTLAB_API_WRITER_H

#include <stdbool.h>

#include "api/objects.h"
#include "emu/observe.h"

/* An observer; address and size say what to look at. */
struct writer {
    struct observer observer;
    uint64_t address, size;
    bool found; /* the rest is known */
    uint32_t block[3], thread[3];
    uint32_t text_line; /* in the kernel text; 0: not known */
    const char *file;   /* source file, or NULL; the module's */
    uint32_t line;
};

void writer_begin(struct writer *writer, uint64_t address, uint64_t size);

#endif
