/* SPDX-License-Identifier: Apache-2.0
 *
 * race_fence.c - the order of SC fences, as far as values force it.
 *
 * Which of two fence.sc is first is mostly the choice of the schedule, and no order to rely
 * on. But where a read after fence F took a value from before a write that is before fence G,
 * F is first (PTX ISA, "Fence-SC"): else the write would be before the read in causality
 * order, and the read could not have missed it. What was before F is then before what comes
 * after G.
 *
 * Readers leave at the cell what was before their fences, writers take it along to their next
 * one: as with messages, by scope. Both are looked for in the fences' own threads only. This
 * is done in a second run of a launch that raced. */
#include "check/race.h"

static void leave_or_take(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                          const struct site *site, struct cell *cell)
{
    struct lane_sync *sync = warp->sync;
    struct extra *extra = extra_of(&checker->pool, cell);

    if (site->writes && extra && extra->sc_readers) {
        sync = race_lane_sync(checker, warp);
        for (enum reach reach = REACH_BLOCK; reach < REACHES; reach++)
            sync->sc_before[reach][lane] = view_join(
                &checker->views, sync->sc_before[reach][lane],
                race_heads_for(checker, extra->sc_readers, warp->block, reach));
    }
    if (!site->reads || !sync || !sync->any_sc)
        return;
    for (enum reach reach = REACH_BLOCK; reach < REACHES; reach++) {
        struct view *view = sync->sc_fenced[reach][lane];
        if (!view)
            continue;
        extra = cell_extra(&checker->pool, cell);
        if (!extra->sc_readers)
            extra->sc_readers = ARENA_NEW(&checker->arena, struct message);
        race_add_head(checker, extra->sc_readers, warp->block, race_scope_of(reach), view);
        checker->any_sc_reader = true;
    }
}

void race_follow_fences(struct race_checker *checker, const struct access_event *event)
{
    struct touch touch;

    race_touch_start(&touch, checker, event);
    const struct site *site = touch.site;
    bool leaves = site->reads && touch.warp->sync && touch.warp->sync->any_sc;
    if (site->copy || !(leaves || (site->writes && checker->any_sc_reader)))
        return;
    FOR_LANES (lane, event->mask) {
        uint64_t start;
        struct shadow *shadow = race_place(&touch, lane, &start);
        if (!shadow)
            break;
        uint64_t first = event->address[lane] - start;
        for (uint64_t word = first / CELL_BYTES; word * CELL_BYTES < first + event->size; word++)
            leave_or_take(checker, touch.warp, lane, site,
                          race_word(checker, shadow, word * CELL_BYTES));
    }
}

void race_force_fence(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                      enum ir_scope scope)
{
    for (enum reach reach = REACH_BLOCK; reach <= race_reach(scope); reach++)
        if (warp->sync->sc_before[reach][lane])
            race_see_more(checker, warp, lane, warp->sync->sc_before[reach][lane]);
}

void race_forced_fence(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                       enum ir_scope scope)
{
    warp->sync->sc_fenced[race_reach(scope)][lane] = race_published(checker, warp, lane);
    warp->sync->any_sc = true;
}
