/* SPDX-License-Identifier: Apache-2.0
 *
 * race_lanes.c - an access taken apart lane by lane, and cell by cell. */
#include "check/race_access.h"
#include "check/race_counter.h"

/* The most frequent case by itself: a weak access of a whole cell that is not split. */
static inline bool touch_word(const struct touch *touch, struct cell *cell)
{
    if (!cell->extra) {
        touch_cell(touch, cell, 0);
        return true;
    }
    struct extra *extra = extra_of(&touch->checker->pool, cell);
    if (extra->split)
        return false;
    touch_cell(touch, cell, 0);
    if (touch->site->writes)
        message_clear(&extra->message);
    return true;
}

void race_gather(const struct access_event *event, uint32_t mask, uint32_t with[LANES])
{
    enum { SEATS = 64 };
    const unsigned shift = (unsigned)__builtin_ctz(event->size);
    uint8_t seat[SEATS]; /* a lane */
    uint64_t taken = 0, before = 0;
    bool rising = true;

    FOR_LANES (lane, mask) {
        with[lane] = UINT32_C(1) << lane;
        rising = rising && event->address[lane] > before;
        before = event->address[lane];
    }
    if (rising || event->kind != ACCESS_READ ||
        (event->space == IR_SPACE_SHARED && event->warp->block->cluster))
        return;
    FOR_LANES (lane, mask) {
        const uint64_t address = event->address[lane];
        unsigned at = (address >> shift ^ address >> 12) % SEATS;
        while (taken >> at & 1 && event->address[seat[at]] != address)
            at = (at + 1) % SEATS;
        if (taken >> at & 1) {
            with[seat[at]] |= with[lane];
            with[lane] = 0;
        } else {
            taken |= UINT64_C(1) << at;
            seat[at] = (uint8_t)lane;
        }
    }
}

/* The cells of the lanes' words, all in one window. They may be far apart: asked for
 * ahead, they come together. NULL for thin rows, when there is a stamp for those, and,
 * when the rest is grouped, for rows without cells: then there is no row, either. */
enum { LARGE_PAGES = 64 }; /* what is smaller is near anyway */
static void find_cells(const struct touch *touch, uint32_t mask, const uint32_t with[LANES],
                       bool grouped, uint32_t stamp, struct shadow *shadow, uint64_t start,
                       struct row *row[LANES], struct cell *cell[LANES])
{
    struct race_checker *checker = touch->checker;
    const struct access_event *event = touch->event;
    const bool large = shadow->count >= LARGE_PAGES;

    FOR_LANES (lane, large ? mask : 0)
        if (with[lane])
            shadow_row_prefetch(shadow, (event->address[lane] - start) / ROW_BYTES);
    FOR_LANES (lane, mask)
        row[lane] = with[lane] ? shadow_row(&checker->pool, shadow,
                                            (event->address[lane] - start) / ROW_BYTES)
                               : NULL;
    FOR_LANES (lane, mask) {
        unsigned word = (event->address[lane] - start) / CELL_BYTES % ROW_WORDS;
        cell[lane] = NULL;
        if (!row[lane])
            continue;
        if (grouped && !row_cells(row[lane])) {
            row[lane] = NULL;
            continue;
        }
        if (stamp)
            race_row_thin(&checker->pool, row[lane]);
        if (stamp && row[lane]->first.form >= ROW_THIN) {
            if (row[lane]->first.form == ROW_THIN)
                __builtin_prefetch(&row[lane]->as.thin[word], 1);
            else
                __builtin_prefetch(&row[lane]->as.many[word], 1);
            continue;
        }
        if (!row_cells(row[lane]))
            race_row_expand(checker, row[lane]);
        cell[lane] = &row[lane]->as.cells[word];
        __builtin_prefetch(cell[lane], 1);
    }
    FOR_LANES (lane, large ? mask : 0)
        if (row[lane] && row[lane]->first.form == ROW_MANY) {
            unsigned word = (event->address[lane] - start) / CELL_BYTES % ROW_WORDS;
            race_thin_prefetch(&checker->pool, &row[lane]->as.many[word]);
        }
    FOR_LANES (lane, large ? mask : 0)
        if (row[lane] && cell[lane] && cell[lane]->extra)
            __builtin_prefetch(checker->pool.extras[cell[lane]->extra], 1);
    FOR_LANES (lane, large ? mask : 0)
        if (row[lane] && cell[lane] && cell[lane]->extra)
            __builtin_prefetch(extra_of(&checker->pool, cell[lane])->entries, 1);
}

static void touch_elements(struct touch *touch, unsigned lane, struct shadow *shadow,
                           uint64_t offset)
{
    const uint32_t elements = touch->event->elements ? touch->event->elements : 1;
    const uint32_t size = touch->site->size;

    for (touch->element = 0; touch->element < elements; touch->element++) {
        touch->address = touch->event->address[lane] + touch->element * size;
        race_touch_element(touch, shadow, offset + touch->element * size);
    }
}

/* Each lane accesses one word, in one window. */
static void touch_words(struct touch *touch, bool grouped)
{
    uint32_t with[LANES];
    const struct access_event *event = touch->event;
    const struct site *site = touch->site;
    struct warp_shadow *warp = touch->warp;
    struct row *row[LANES];
    struct cell *cell[LANES];
    uint64_t start;
    struct shadow *shadow = race_place(touch, lane_first(event->mask), &start);
    const bool counter = race_counts(touch);

    if (!shadow)
        return;
    if (counter && shadow->count < LARGE_PAGES) {
        race_touch_counters(touch, shadow, start);
        return;
    }
    bool quick = !site->strong && !touch->copy && warp->uniform && !touch->checker->proxies;
    if (counter)
        race_lane_sync(touch->checker, warp);
    uint32_t stamp = quick && !grouped && !site->writes
                         ? race_thin_stamp(touch->checker, warp, touch->site_index) : 0;
    uint32_t mask = event->mask;
    race_gather(event, mask, with);
    if (stamp && race_may_log(touch, shadow) &&
        !(mask = race_log_words(touch->checker, event, with, stamp, shadow, start)))
        return;
    find_cells(touch, mask, with, grouped, stamp, shadow, start, row, cell);
    FOR_LANES (lane, mask) {
        if (!row[lane])
            continue;
        touch->lanes = with[lane];
        if (!cell[lane]) {
            unsigned word = (event->address[lane] - start) / CELL_BYTES % ROW_WORDS;
            if (!row_cells(row[lane]) && race_read_thinly(touch, row[lane], word, stamp))
                continue;
            if (!row_cells(row[lane]))
                race_row_expand(touch->checker, row[lane]);
            cell[lane] = &row[lane]->as.cells[word];
        }
        if (quick && !cell[lane]->extra &&
            (site->writes ? write_quickly(touch, cell[lane], 0)
                          : read_quickly(touch, cell[lane], 0)))
            continue;
        touch->element = 0;
        touch->address = event->address[lane];
        if (site->strong ? counter && touch_counter(touch, lane, cell[lane])
                         : touch_word(touch, cell[lane]))
            continue;
        race_touch_element(touch, shadow, event->address[lane] - start);
    }
}

void race_touch_lanes(struct touch *touch, bool grouped)
{
    const struct access_event *event = touch->event;
    uint32_t with[LANES];

    if (event->window && event->size == CELL_BYTES && touch->site->size == CELL_BYTES) {
        touch_words(touch, grouped);
        return;
    }
    race_gather(event, event->mask, with);
    FOR_LANES (lane, event->mask) {
        uint64_t start;
        if (!with[lane])
            continue;
        struct shadow *shadow = race_place(touch, lane, &start);
        if (!shadow)
            break;
        uint64_t offset = event->address[lane] - start;
        if (grouped &&
            !row_cells(shadow_row(&touch->checker->pool, shadow, offset / ROW_BYTES)))
            continue;
        touch->lanes = with[lane];
        touch_elements(touch, lane, shadow, offset);
    }
}
