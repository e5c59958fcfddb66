/* SPDX-License-Identifier: Apache-2.0
 *
 * race_thin.h - a read of a word in 32 bits: the index of a stamp and the lane, or that
 * of a set of lanes. */
#ifndef SIMTLAB_CHECK_RACE_THIN_H
#define SIMTLAB_CHECK_RACE_THIN_H

#include "check/race.h"

/* A set, not a stamp and a lane. */
#define THIN_SET (UINT32_C(1) << 31)

uint32_t thin_set_new(struct shadow_pool *pool, uint32_t stamp, uint32_t lanes);

static inline uint32_t thin_read(struct shadow_pool *pool, uint32_t stamp, uint32_t lanes)
{
    return lanes & (lanes - 1) ? thin_set_new(pool, stamp, lanes)
                               : stamp << 5 | lane_first(lanes);
}

static inline uint32_t thin_stamp(const struct shadow_pool *pool, uint32_t read)
{
    return read & THIN_SET ? pool->sets.items[read & ~THIN_SET].stamp : read >> 5;
}

static inline uint32_t thin_lanes(const struct shadow_pool *pool, uint32_t read)
{
    return read & THIN_SET ? pool->sets.items[read & ~THIN_SET].lanes
                           : UINT32_C(1) << (read & 31);
}

static inline void thin_set_free(struct shadow_pool *pool, uint32_t read)
{
    if (!(read & THIN_SET))
        return;
    struct thin_set *sets = pool->sets.items;
    sets[read & ~THIN_SET].stamp = sets[0].stamp;
    sets[0].stamp = read & ~THIN_SET;
}

#endif
