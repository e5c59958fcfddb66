/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_code.h - private to the writers of litmus tests as PTX. */
#ifndef SIMTLAB_MEMMODEL_KERNEL_CODE_H
#define SIMTLAB_MEMMODEL_KERNEL_CODE_H

#include "memmodel/analysis.h"

struct kernel_writer {
    struct arena *arena;
    const struct analysis *a;
    const struct test *test;
    struct text *out;
    /* Many instances at once: global variables are reached through registers %at_x,
     * results lie in columns, loops end in the end, and a thread that is done says so. */
    bool many;
    /* Set by kernel_place: blocks and threads of a block for one instance, where
     * each thread is in them, and the blocks of a cluster. */
    uint32_t grid, block, cluster;
    uint32_t block_of[MAX_THREADS], lane_of[MAX_THREADS];
    uint32_t result_count;
};

/* Why no kernel can be made of the test, or NULL. */
const char *kernel_refused(const struct analysis *a);
/* Numbers clusters, blocks in them and warps in those by first appearance. */
void kernel_place(struct kernel_writer *w);
/* Declares the shared variables and has lane 0 of each block fill them. Needs
 * registers %here and %lane. */
void kernel_shared(struct kernel_writer *w);
/* Declares the registers of a thread. */
void kernel_registers(struct kernel_writer *w, uint32_t thread);
/* The same for a test in the Dat3M grammar, and one of its instructions that is no
 * branch (kernel_dat3m.c). */
const char *kernel_dat3m_refused(const struct test *test);
void kernel_dat3m_instruction(struct kernel_writer *w, uint32_t thread,
                              const struct instruction *i);
/* The code from label THREAD_n on. Needs %results and %value. */
void kernel_thread(struct kernel_writer *w, uint32_t thread);

#endif
