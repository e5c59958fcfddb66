/* SPDX-License-Identifier: Apache-2.0
 *
 * align.h - which instruction of one module stands for which of another.
 *
 * Two versions of a kernel are mostly alike. Instructions of the functions that have
 * the same name are matched by their text as a text comparison matches lines; where
 * both have as many between two matches, those are taken to be altered ones and paired
 * in order. */
#ifndef SIMTLAB_CONFORMANCE_ALIGN_H
#define SIMTLAB_CONFORMANCE_ALIGN_H

#include "ir/ir.h"

/* A number for each instruction of a module: paired ones have the same. */
struct numbering {
    const struct ir_module *module;
    uint32_t **number; /* by function, by instruction; UNPAIRED: it has no partner */
};

#define UNPAIRED UINT32_MAX

struct alignment {
    struct numbering side[2];
    uint32_t paired, altered;    /* instructions; altered ones are among the paired */
    uint32_t unpaired[2];
};

/* Matches the functions that left and right have in common, in the arena. */
void modules_align(struct arena *arena, const struct ir_module *left,
                   const struct ir_module *right, struct alignment *alignment);

/* The statement at that place of the kernel text with its guard, to its semicolon, white
 * space and comments as one blank; "" when there is no text. In the arena. */
const char *statement_text(struct arena *arena, const struct ir_module *module, struct loc at);

#endif
