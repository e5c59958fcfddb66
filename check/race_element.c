/* SPDX-License-Identifier: Apache-2.0
 *
 * race_element.c - an element that an access touches, whatever it is: its cells, split or
 * not, and the messages that strong accesses take and give. */
#include "check/race_access.h"

struct cell *race_cell(struct race_checker *checker, struct shadow *shadow, uint64_t offset)
{
    struct cell *cell = race_word(checker, shadow, offset);

    return cell_is_split(&checker->pool, cell)
               ? &extra_of(&checker->pool, cell)->split->bytes[offset % CELL_BYTES] : cell;
}

/* All bytes of the element, cell by cell. */
static void touch_bytes(const struct touch *touch, struct shadow *shadow, uint64_t offset)
{
    struct shadow_pool *pool = &touch->checker->pool;
    unsigned size = touch->site->size;

    for (unsigned back = 0; back < size;) {
        struct cell *cell = race_word(touch->checker, shadow, offset + back);
        unsigned first = (offset + back) % CELL_BYTES;
        unsigned count = CELL_BYTES - first < size - back ? CELL_BYTES - first : size - back;
        if (count < CELL_BYTES && !cell_is_split(pool, cell))
            cell_split(pool, cell);
        if (cell_is_split(pool, cell)) {
            struct cell *bytes = extra_of(pool, cell)->split->bytes;
            for (unsigned i = 0; i < count; i++)
                touch_cell(touch, &bytes[first + i], back + i);
        } else {
            if (touch->checker->remembers && touch->site->writes)
                race_remember(touch, cell, back);
            touch_cell(touch, cell, back);
        }
        back += count;
    }
}

/* A strong read of a value of now: who has seen the write. */
static void note_observer(const struct touch *touch, struct shadow *shadow, uint64_t offset,
                          unsigned lane)
{
    struct shadow_pool *pool = &touch->checker->pool;

    for (unsigned back = 0; back < touch->site->size; back += CELL_BYTES) {
        struct cell *cell = race_word(touch->checker, shadow, offset + back);
        struct extra *extra = cell_is_split(pool, cell) ? NULL : extra_of(pool, cell);
        if (extra && extra->history)
            race_note_observer(touch, lane, extra->history, cell->write);
    }
}

/* A strong read of an older value, by one lane: what it brings is what the value
 * carried then. */
static void observe_older(const struct touch *touch, struct shadow *shadow, uint64_t offset)
{
    struct shadow_pool *pool = &touch->checker->pool;
    unsigned lane = lane_first(touch->lanes);
    struct cell *cell = race_word(touch->checker, shadow, offset);
    struct extra *extra = extra_of(pool, cell);
    struct former *past = extra ? history_after(extra->history, touch->moment - 1) : NULL;
    struct stamp write = past ? past->before_write : cell->write;

    if (!write.what)
        return;
    bool strong = race_morally_strong(touch, write, 0);
    race_observe(touch, lane, write,
                 past ? &past->before_message : extra ? &extra->message : NULL, strong);
    if (!strong)
        return;
    /* Whether a later access is ordered after that write is not looked up. */
    for (uint32_t i = 0; extra && i < extra->count; i++) {
        struct stamp *other = &extra->entries[i].stamp;
        if (extra->entries[i].write && other->warp == write.warp &&
            other->epoch == write.epoch && other->what == write.what)
            extra->entries[i].maybe_known = true;
    }
    for (unsigned back = 0; back < touch->site->size; back += CELL_BYTES) {
        cell = race_word(touch->checker, shadow, offset + back);
        extra = cell_is_split(pool, cell) ? NULL : extra_of(pool, cell);
        if (!extra)
            continue;
        past = history_after(extra->history, touch->moment - 1);
        race_note_observer(touch, lane, extra->history,
                           past ? past->before_write : cell->write);
    }
}

/* Strong accesses take and give messages; weak writes put an end to them. */
void race_touch_element(struct touch *touch, struct shadow *shadow, uint64_t offset)
{
    struct race_checker *checker = touch->checker;
    const struct site *site = touch->site;
    unsigned lane = lane_first(touch->lanes);
    struct cell *cell;
    bool inherits = false;

    if (site->barrier || (!site->strong && !site->writes)) {
        touch_bytes(touch, shadow, offset);
        return;
    }
    if (!site->strong) {
        touch_bytes(touch, shadow, offset);
        cell = race_cell(checker, shadow, offset);
        if (cell->extra)
            message_clear(&extra_of(&checker->pool, cell)->message);
        return;
    }
    cell = race_word(checker, shadow, offset);
    if (site->size < CELL_BYTES && !cell_is_split(&checker->pool, cell))
        cell_split(&checker->pool, cell);
    cell = race_cell(checker, shadow, offset);
    touch->shadow = shadow;
    FOR_LANES (each, site->acquires ? touch->lanes : 0)
        race_acquire(touch, each);
    if (touch->moment) {
        observe_older(touch, shadow, offset);
        if (site->acquires)
            race_settle_views(touch->warp);
    } else if (site->reads && cell->write.what) {
        inherits = race_morally_strong(touch, cell->write, 0);
        FOR_LANES (each, touch->lanes) {
            const struct extra *extra = extra_of(&checker->pool, cell);
            if (cell->write.warp != touch->number || stamp_lane(cell->write) != each ||
                cell->extra)
                race_observe(touch, each, cell->write, extra ? &extra->message : NULL,
                             inherits);
            if (checker->remembers && inherits)
                note_observer(touch, shadow, offset, each);
        }
        if (site->acquires)
            race_settle_views(touch->warp);
    }
    touch_bytes(touch, shadow, offset);
    if (site->writes) {
        /* The bytes may have been split, and have other records now. */
        race_publish(touch, lane, race_cell(checker, shadow, offset), inherits);
        touch->advance |= site->releases;
    }
}
