/* SPDX-License-Identifier: Apache-2.0
 *
 * work.h - the benchmark's problems: inputs, launch shapes, reference results.
 *
 * A problem is one kernel of kernels.cu at one size, with the arguments of its
 * launch in order. work_check() recomputes the output in plain C, step by step in
 * the order the compiled kernel uses, so that results can be compared bit for
 * bit; only the kernel with the approximate reciprocal root has a tolerance.
 */
#ifndef SIMTLAB_BENCH_WORK_H
#define SIMTLAB_BENCH_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum work_kind {
    WORK_SAXPY, WORK_MATMUL, WORK_REDUCE, WORK_HISTOGRAM, WORK_NBODY,
    WORK_NBODY_EXACT, WORK_STENCIL, WORK_BITONIC, WORK_SPMV, WORK_F32OPS,
    WORK_COUNT
};

enum { WORK_MAX_ARGUMENTS = 6 };

/* A buffer when `bytes` is not zero, else the four bytes of a scalar. */
struct work_argument {
    void *data;
    size_t bytes;
    uint32_t scalar;
};

struct work {
    const char *name;           /* the kernel's name, too */
    uint32_t size;              /* items, matrix side, bodies, grid side, rows */
    double elements;            /* what throughput counts, see bench/README.md */
    uint32_t grid[3], block[3];
    struct work_argument argument[WORK_MAX_ARGUMENTS];
    int argument_count;         /* argument 0 is the output */
};

/* Makes the problem; false if memory ran out. work_free() frees the buffers. */
bool work_make(struct work *work, enum work_kind kind, bool large);
void work_free(struct work *work);

/* Puts an output that the kernel also reads back to its starting value. */
void work_reset(struct work *work);

/* How many outputs were compared, or -1 if one of them is wrong; the outputs of
 * the two cubic and quadratic kernels are sampled at the large size. */
long work_check(const struct work *work);

const char *work_name(enum work_kind kind);

#endif
