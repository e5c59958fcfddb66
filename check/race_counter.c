/* SPDX-License-Identifier: Apache-2.0
 *
 * race_counter.c - atomics without order, one after another on the same word: counters and
 * sums. Most of them find but one of their own kind there. */
#include "check/race_access.h"
#include "check/race_counter.h"

/* Forgets the writes that are over. Is there nothing else? */
static bool drop_settled(const struct touch *touch, struct extra *extra)
{
    uint32_t kept = 0, writes = extra->older_writes;

    for (uint32_t i = 0; i < extra->count; i++) {
        const struct entry *entry = &extra->entries[i];
        if (entry->write && is_over(touch, entry->stamp))
            extra->older_writes--;
        else
            extra->entries[kept++] = *entry;
    }
    extra->count = kept;
    if (extra->older_writes != writes) {
        race_forget_knowers(extra);
        kept = extra->count;
    }
    return !kept && !extra->split && !extra->message.any && !extra->released &&
           !extra->arrived && !extra->passed && !extra->history && !extra->sc_readers;
}

bool race_settled(const struct touch *touch, struct cell *cell)
{
    struct shadow_pool *pool = &touch->checker->pool;
    struct extra *extra = extra_of(pool, cell);
    const struct site *sites = touch->checker->sites.items;

    if (extra->split || extra->message.any || extra->released || !touch->warp->uniform)
        return false;
    for (uint32_t i = 0; i < extra->count; i++) {
        struct entry *entry = &extra->entries[i];
        const struct site *site = &sites[stamp_site(entry->stamp)];
        if (!entry->write && !entry_is_read(entry))
            continue;
        if (site->strong || site->foreign || entry->maybe_known ||
            entry->stamp.epoch >
                race_seen(touch->checker, touch->warp, entry->stamp.warp)->base)
            return false;
    }
    for (uint32_t i = 0; i < extra->count; i++)
        extra->entries[i].stamp.what &= ~STAMP_KNOWS;
    extra->lost_observer = false;
    extra->crowded = 0;
    if (drop_settled(touch, extra))
        extra_free(pool, cell);
    return true;
}

bool race_counts(const struct touch *touch)
{
    const struct site *site = touch->site;

    return site->strong && site->reads && site->writes && !site->acquires && !site->releases &&
           !site->barrier && !(touch->warp->sync && touch->warp->sync->any_fence);
}

/* As touch_counter, where all are in scope: as long as there is nothing but atomics of the
 * site, and at most a plain write before. The lanes that are left, in their order. */
__attribute__((noinline))
static uint32_t count_quickly(const struct touch *touch, const struct shadow *shadow,
                              uint64_t start, uint32_t left)
{
    const uint64_t *address = touch->event->address;
    union page *const *pages = shadow->pages;
    struct hint *hints = touch->warp->sync->hint, unused;
    const uint32_t age = shadow->age, site = touch->site_index, number = touch->number;
    const uint32_t epoch = touch->epoch;

    for (; left; left &= left - 1) {
        const unsigned lane = lane_first(left);
        const uint32_t offset = (uint32_t)(address[lane] - start);
        const union page *page = pages[offset / PAGE_BYTES];
        if (!page)
            return left;
        const struct row *row = &page->rows[offset / ROW_BYTES % PAGE_ROWS];
        if (row->first.age != age || row->first.form != ROW_CELLS)
            return left;
        struct cell *cell = &row->as.cells[offset / CELL_BYTES % ROW_WORDS];
        const struct stamp before = cell->write;
        const bool again = stamp_site(before) == site;
        if (cell->lanes | cell->extra || (!again && before.what && !is_over(touch, before)))
            return left;
        const uint32_t what = stamp_what(site, 0, lane);
        /* A lane learns nothing from itself. */
        const uint32_t other = (before.warp ^ number) | ((before.what ^ what) & (LANES - 1));
        *(other && before.what ? &hints[lane] : &unused) =
            (struct hint){.write = before, .read_site = site, .strong = again};
        cell->write.warp = number;
        cell->write.epoch = epoch;
        cell->write.what = what;
    }
    return 0;
}

void race_touch_counters(struct touch *touch, struct shadow *shadow, uint64_t start)
{
    const struct access_event *event = touch->event;
    const bool in_scope = touch->site->scope >= IR_SCOPE_GPU ||
                          (touch->shared && !touch->checker->clusters);
    uint32_t left = event->mask;

    race_lane_sync(touch->checker, touch->warp);
    while (left && (!in_scope || (left = count_quickly(touch, shadow, start, left)))) {
        const unsigned lane = lane_first(left);
        const uint64_t offset = event->address[lane] - start;
        left &= left - 1;
        if (touch_counter(touch, lane, race_word(touch->checker, shadow, offset)))
            continue;
        touch->lanes = UINT32_C(1) << lane;
        touch->element = 0;
        touch->address = event->address[lane];
        race_touch_element(touch, shadow, offset);
    }
}
