/* SPDX-License-Identifier: Apache-2.0
 *
 * local.c - the local memory of a warp's threads.
 *
 * Most threads use little or none of what the chip allows them, so it grows on
 * demand, for all lanes together. Growing moves it. */
#include "emu/state.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 256 };

unsigned char *local_bytes(struct warp *warp, unsigned lane, uint64_t offset, uint64_t size)
{
    uint64_t limit = warp->block->state->launch->profile->local_limit;

    if (offset > limit || size > limit - offset)
        return NULL;
    if (offset + size > warp->local_capacity) {
        uint64_t capacity = warp->local_capacity * 2;
        if (capacity < offset + size)
            capacity = offset + size;
        capacity = (capacity + UNIT - 1) & ~(uint64_t)(UNIT - 1);
        unsigned char *moved = aligned_alloc(UNIT, capacity * LANES);
        if (!moved)
            return NULL;
        for (unsigned i = 0; i < LANES; i++) {
            unsigned char *to = moved + i * capacity;
            if (warp->local_capacity)
                memcpy(to, warp->local + i * warp->local_capacity, warp->local_capacity);
            memset(to + warp->local_capacity, 0, capacity - warp->local_capacity);
        }
        free(warp->local);
        warp->local = moved;
        warp->local_capacity = capacity;
    }
    return warp->local + lane * warp->local_capacity + offset;
}
