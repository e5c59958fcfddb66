/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.h - a litmus test as a PTX kernel, to be run instead of enumerated. */
#ifndef SIMTLAB_MEMMODEL_KERNEL_H
#define SIMTLAB_MEMMODEL_KERNEL_H

#include "memmodel/analysis.h"

/* Entry "litmus" runs the threads of the test once and stores the registers of
 * the condition; entry "litmus_final", launched after it with one thread,
 * stores the variables. Both take one pointer to results: a 64-bit word for
 * each variable of the analysis, in its order, then the address of each
 * location in memory. */
struct litmus_kernel {
    struct text ptx;
    uint32_t grid, block; /* blocks, threads of a block */
    uint32_t cluster;     /* blocks of a cluster; 1: no clusters */
    uint32_t result_count;
};

/* NULL, or why the test cannot be run: it has no PTX bodies, or needs what one
 * launch does not have. The caller frees kernel->ptx either way. */
const char *litmus_kernel_write(struct arena *arena, const struct analysis *a,
                                struct litmus_kernel *kernel);
/* The state that results stand for. */
void litmus_kernel_state(const struct analysis *a, const uint64_t *results,
                         int64_t values[MAX_VARIABLES]);

#endif
