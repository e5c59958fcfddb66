/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.c - the table of chips, and how many blocks one of them holds. */
#include "emu/profile.h"

#include <stdlib.h>
#include <string.h>

enum { KIB = 1024 };

/* What all of them share. */
#define COMMON                                                               \
    .warp_size = 32, .threads_per_block = 1024, .block_limit = {1024, 1024, 64}, \
    .grid_limit = {0x7fffffff, 65535, 65535}, .registers_per_multiprocessor = 65536, \
    .registers_per_block = 65536, .shared_static_limit = 48 * KIB,           \
    .const_bytes = 64 * KIB, .local_limit = 512 * KIB, .registers_per_thread = 255,   \
    .register_unit = 256, .partitions = 4, .resident_grids = 128

#define CHIP(sm, product_name, sms, threads, blocks, shared_sm, shared_block, \
             reserved, base, unit, cluster, khz, gib, l1, l2, carve)                              \
    {COMMON, .name = "sm_" #sm, .product = product_name, .number = sm,       \
     .multiprocessors = sms, .threads_per_multiprocessor = threads,          \
     .blocks_per_multiprocessor = blocks,                                    \
     .shared_per_multiprocessor = (shared_sm) * KIB,                         \
     .shared_per_block = (shared_block) * KIB, .shared_reserved = reserved,  \
     .shared_base = base, .shared_unit = unit, .max_cluster = cluster, .clock_khz = khz,          \
     .global_bytes = (uint64_t)(gib) << 30, .l1_bytes = (l1) * KIB,          \
     .l2_bytes = (l2) * KIB, .carve_outs = carve}

/* On sm_90 the system's 1 KiB lies below the kernel's variables (measured). */
const struct profile profiles[] = {
    CHIP(70, "V100", 80, 2048, 32, 96, 96, 0, 0, 256, 0, 1530000, 32, 128, 6144,
         "0 8 16 32 64 96"),
    CHIP(75, "T4", 40, 1024, 16, 64, 64, 0, 0, 256, 0, 1590000, 16, 96, 4096, "32 64"),
    CHIP(80, "A100", 108, 2048, 32, 164, 163, KIB, 0, 128, 0, 1410000, 80, 192, 40960,
         "0 8 16 32 64 100 132 164"),
    CHIP(86, "RTX 3090", 82, 1536, 16, 100, 99, KIB, 0, 128, 0, 1695000, 24, 128, 6144,
         "0 8 16 32 64 100"),
    CHIP(89, "RTX 4090", 128, 1536, 24, 100, 99, KIB, 0, 128, 0, 2520000, 24, 128, 73728,
         "0 8 16 32 64 100"),
    CHIP(90, "H200", 132, 2048, 32, 228, 227, KIB, KIB, 128, 8, 1980000, 141, 256, 61440,
         "0 8 16 32 64 100 132 164 196 228"),
};
const size_t profile_count = sizeof profiles / sizeof *profiles;

const struct profile *profile_find(const char *name)
{
    size_t length;

    if (strncmp(name, "sm_", 3) == 0)
        name += 3;
    length = strspn(name, "0123456789");
    if (!length || length > 4 || (name[length] && strcmp(name + length, "a") != 0))
        return NULL;
    uint32_t number = (uint32_t)strtoul(name, NULL, 10);
    for (size_t i = 0; i < profile_count; i++)
        if (profiles[i].number == number)
            return &profiles[i];
    return NULL;
}

const struct profile *profile_default(void)
{
    return profile_find("sm_90");
}

uint32_t profile_resident_blocks(const struct profile *profile, uint32_t threads,
                                 uint32_t shared_bytes)
{
    uint32_t warps = (threads + profile->warp_size - 1) / profile->warp_size;
    uint32_t need = shared_bytes + profile->shared_reserved;
    uint32_t by_warps, by_shared;

    if (!warps || threads > profile->threads_per_block ||
        shared_bytes > profile->shared_per_block)
        return 0;
    by_warps = profile->threads_per_multiprocessor / profile->warp_size / warps;
    need = (need + profile->shared_unit - 1) / profile->shared_unit * profile->shared_unit;
    by_shared = need ? profile->shared_per_multiprocessor / need : UINT32_MAX;
    uint32_t blocks = profile->blocks_per_multiprocessor;
    if (by_warps < blocks)
        blocks = by_warps;
    return by_shared < blocks ? by_shared : blocks;
}
