/* SPDX-License-Identifier: Apache-2.0
 *
 * race_random.h - random kernels with few places that many threads access. */
#ifndef SIMTLAB_TESTS_RACE_RANDOM_H
#define SIMTLAB_TESTS_RACE_RANDOM_H

#include <stdint.h>

#include "base/text.h"

/* Entry `k` takes the address of 1024 zeroed bytes. */
struct random_kernel {
    struct text ptx;
    uint32_t blocks, threads; /* of a block */
    uint32_t cluster;         /* blocks of one; 1: none */
};

/* A few threads anywhere, each with code of its own: accesses of all strengths, sizes and
 * scopes, fences, barriers. The caller frees kernel->ptx. */
void random_litmus(struct random_kernel *kernel, uint64_t seed);
/* Whole warps that execute the same code, mostly on plain words. */
void random_warps(struct random_kernel *kernel, uint64_t seed);

#endif
