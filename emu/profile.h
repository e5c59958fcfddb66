/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.h - chip profiles: what one GPU model is and can hold.
 *
 * Source: CUDA Programming Guide, compute-capability tables, checked against
 * the vendor's occupancy calculator; multiprocessor counts are those of the
 * named product. */
#ifndef SIMTLAB_EMU_PROFILE_H
#define SIMTLAB_EMU_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct profile {
    const char *name;    /* "sm_90" */
    const char *product; /* an example: "H200" */
    uint32_t number;     /* 90 */
    uint32_t warp_size;
    uint32_t multiprocessors;
    uint32_t threads_per_multiprocessor, blocks_per_multiprocessor;
    uint32_t threads_per_block;
    uint32_t block_limit[3], grid_limit[3];
    uint32_t registers_per_multiprocessor, registers_per_block;
    uint32_t shared_per_multiprocessor; /* bytes */
    uint32_t shared_per_block;          /* opt-in maximum, bytes */
    uint32_t shared_reserved;           /* per block, by the system, bytes */
    uint32_t shared_base;               /* address of a kernel's first variable */
    uint32_t shared_static_limit;       /* without opt-in: 48 KiB */
    uint32_t shared_unit;               /* allocation granularity, bytes */
    uint32_t const_bytes, local_limit;  /* 64 KiB; 512 KiB per thread */
    uint32_t max_cluster;               /* blocks, portable; 0: no clusters */
    uint32_t clock_khz;
    uint64_t global_bytes;
    uint32_t l2_bytes, l1_bytes;        /* the latter together with shared memory */
    uint32_t registers_per_thread, register_unit, partitions, resident_grids;
    const char *carve_outs;             /* sizes that shared memory may have, KiB */
};

/* How a figure is known: emu/profile_describe.c. */
enum profile_source { PROFILE_MEASURED, PROFILE_DOCUMENTED, PROFILE_EXTRAPOLATED };
const char *profile_source_name(enum profile_source source);
/* Figures that a driver tells, those of manuals alone, and how the chip behaves. */
enum profile_kind { PROFILE_FIGURE, PROFILE_MANUAL, PROFILE_BEHAVIOUR };
enum profile_source profile_source(const struct profile *profile, enum profile_kind kind);
/* All of them, a line each. */
void profile_describe(struct text *out, const struct profile *profile);

extern const struct profile profiles[];
extern const size_t profile_count;

/* "sm_90", "sm_90a", "90"; NULL when there is none of that name. */
const struct profile *profile_find(const char *name);
/* The profile used when none is asked for: sm_90. */
const struct profile *profile_default(void);
/* Blocks of that many threads and shared bytes (static + dynamic) that one
 * multiprocessor holds at once; 0 when not even one fits. Registers unknown. */
uint32_t profile_resident_blocks(const struct profile *profile, uint32_t threads,
                                 uint32_t shared_bytes);

#endif
