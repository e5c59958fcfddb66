/* SPDX-License-Identifier: Apache-2.0
 *
 * race_counter.h - atomics without order, one after another on the same word. */
#ifndef SIMTLAB_CHECK_RACE_COUNTER_H
#define SIMTLAB_CHECK_RACE_COUNTER_H

#include "check/race.h"

/* Is the touch by such an atomic? */
bool race_counts(const struct touch *touch);
/* Those of one word for each lane, in memory that is near. */
void race_touch_counters(struct touch *touch, struct shadow *shadow, uint64_t start);
/* Are there but weak accesses, all of them before the touch? They are forgotten then. */
bool race_settled(const struct touch *touch, struct cell *cell);

/* Has a barrier of the whole block come after a plain access of its shared memory? Then
 * nothing can race with it any more. */
static inline bool is_over(const struct touch *touch, struct stamp stamp)
{
    const struct race_checker *checker = touch->checker;
    const struct warp_shadow *warp = touch->warp;
    const uint32_t slot = stamp.warp - (warp->number - warp->slot);

    return touch->shared && !checker->clusters && slot < checker->warps &&
           stamp.epoch <= warp->block->warps[slot].settled &&
           !checker->sites.items[stamp_site(stamp)].strong;
}

/* Another frequent one: an atomic without order, after one at the same site, with nothing
 * between them, or the first one. Whether they are ordered or morally strong, there is
 * nothing to report and nothing to pass on. */
static inline bool touch_counter(const struct touch *touch, unsigned lane, struct cell *cell)
{
    struct warp_shadow *warp = touch->warp;
    const struct site *site = touch->site;
    struct stamp before = cell->write;

    const bool again = stamp_site(before) == touch->site_index;

    if (cell->lanes ||
        (again ? site->scope < IR_SCOPE_GPU &&
                     before.warp - (warp->number - warp->slot) >= touch->checker->slots
               : cell->extra || (before.what && !is_over(touch, before))) ||
        (cell->extra && !race_settled(touch, cell)))
        return false;
    if (before.what && (before.warp != touch->number || stamp_lane(before) != lane))
        warp->sync->hint[lane] = (struct hint){
            .write = before, .read_site = touch->site_index, .strong = again};
    cell->write = (struct stamp){touch->number, touch->epoch,
                                 stamp_what(touch->site_index, 0, lane)};
    return true;
}

#endif
