/* SPDX-License-Identifier: Apache-2.0
 *
 * race_rowwise.c - accesses that lie in whole rows, or in some words of them: row by row. */
#include "check/race_access.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The words of some lanes, each of which has words of its own. */
#ifdef __SSE2__
static inline __m128i without(const uint32_t *lanes, __m128i wanted)
{
    return _mm_cmpeq_epi32(_mm_and_si128(_mm_loadu_si128((const void *)lanes), wanted),
                           _mm_setzero_si128());
}

static inline uint32_t words_of(const struct pattern *pattern, uint32_t lanes)
{
    const __m128i wanted = _mm_set1_epi32((int)lanes);
    uint32_t others = 0;

    for (unsigned word = 0; word < ROW_WORDS; word += 16) {
        const uint32_t *at = &pattern->lanes[word];
        const __m128i low = _mm_packs_epi32(without(at, wanted), without(at + 4, wanted));
        const __m128i high = _mm_packs_epi32(without(at + 8, wanted), without(at + 12, wanted));
        others |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << word;
    }
    return ~others;
}
#else
static uint32_t words_of(const struct pattern *pattern, uint32_t lanes)
{
    uint32_t words = 0;

    for (unsigned word = 0; word < ROW_WORDS; word++)
        words |= (uint32_t)((pattern->lanes[word] & lanes) != 0) << word;
    return words;
}
#endif

/* Weak accesses of a row that has cells. False: some of them need more than this. */
static bool touch_cells(struct touch *touch, struct row *row, uint32_t words, uint32_t pattern)
{
    const uint32_t *lanes = touch->checker->pool.patterns[pattern].lanes;
    const unsigned size = touch->site->size;
    bool done = !touch->checker->proxies;

    FOR_LANES (word, done ? words : 0) {
        struct cell *cell = &row->as.cells[word];
        unsigned back = word * CELL_BYTES & (size - 1);
        touch->lanes = lanes[word];
        done = done && !cell->extra &&
               (touch->site->writes ? write_quickly(touch, cell, back)
                                    : read_quickly(touch, cell, back));
    }
    return done;
}

/* The words of some lanes of the shape; most masks come again. */
static inline uint32_t some_words(struct race_checker *checker, struct row_touch *part,
                                  uint32_t mask)
{
    if (part->some.mask != mask) {
        part->some.mask = mask;
        part->some.words = words_of(&checker->pool.patterns[part->pattern], mask);
        part->some.pattern = 0;
    }
    return part->some.words;
}

/* Row by row. False when some lanes have to be looked at by themselves. *cells: some row
 * has them. */
static inline bool touch_groups(struct touch *touch, uint32_t mask, struct shadow *shadow,
                                uint64_t first, struct shape *shape, bool *cells)
{
    struct race_checker *checker = touch->checker;
    const bool all = shape->mask == mask, log = race_may_log(touch, shadow);
    bool done = true;

    for (uint32_t i = 0; i < shape->count; i++) {
        struct row_touch *part = &shape->rows[i];
        const uint32_t words = all ? part->words : some_words(checker, part, mask);
        if (!words)
            continue;
        const uint64_t number = first + (uint64_t)(int64_t)part->row;
        if (log && race_log_row(touch, shadow, number, part, all))
            continue;
        struct row *row = shadow_row(&checker->pool, shadow, number);
        if (!row_cells(row) && race_row_touch(touch, row, words, part->pattern))
            continue;
        if (!row_cells(row))
            race_row_expand(checker, row);
        *cells = true;
        done = touch_cells(touch, row, words, part->pattern) && done;
    }
    return done;
}

/* What a write of whole rows leaves may be groups again. */
static void collapse_rows(struct touch *touch, uint32_t mask, struct shadow *shadow,
                          uint64_t first, const struct shape *shape)
{
    struct race_checker *checker = touch->checker;

    for (uint32_t i = 0; touch->site->writes && i < shape->count; i++) {
        const struct row_touch *part = &shape->rows[i];
        if (shape->mask != mask || part->words != UINT32_MAX)
            continue;
        struct row *row = shadow_row(&checker->pool, shadow, first + (uint64_t)(int64_t)part->row);
        if (row_cells(row))
            race_row_collapse(touch, row, part->pattern);
    }
}

void race_touch_rows(struct touch *touch, struct shadow *shadow, uint64_t first,
                       struct shape *shape)
{
    const uint32_t mask = touch->event->mask;
    bool cells = false;

    if (!touch_groups(touch, mask, shadow, first, shape, &cells))
        race_touch_lanes(touch, true);
    if (cells)
        collapse_rows(touch, mask, shadow, first, shape);
}

bool race_row(struct observer *self, const struct access_row *access)
{
    struct race_checker *checker = (struct race_checker *)self;
    const struct access_shape *lie = access->shape;
    const struct code *code = access->code;
    const bool shared = access->space == IR_SPACE_SHARED;
    struct warp_shadow *warp = race_warp(checker, access->warp);
    struct shadow *shadow = &warp->block->shared;

    checker->raced.count = 0;
    if (checker->remembers || checker->forces_fences || !warp->uniform ||
        (shared && checker->clusters))
        return false;
    if (!shared) {
        if (access->allocation->kind == ALLOCATION_CONST)
            return true;
        shadow = allocation_shadow(checker, access->allocation);
    }
    uint32_t size = code->vector == 1 ? lie->size : lie->size / code->vector;
    struct touch touch = {.checker = checker, .warp = warp, .shared = shared,
                          .number = warp->number, .epoch = warp->clock};
    touch.site_index =
        race_site_of(checker, code, access->writes ? ACCESS_WRITE : ACCESS_READ, size);
    touch.site = &checker->sites.items[touch.site_index];
    struct site *site = &checker->sites.items[touch.site_index];
    if (site->strong || site->irregular ||
        (!shared && lie->size == CELL_BYTES &&
         out_of_step(site, shadow, access->offset, access->mask)))
        return false;
    const uint32_t begin = access->offset % ROW_BYTES;
    struct shape *shape =
        lie->number < checker->row_shapes.count && checker->row_shapes.items[lie->number]
            ? checker->row_shapes.items[lie->number]->at[begin / CELL_BYTES] : NULL;
    if (shape)
        site->met += many_lanes(access->mask);
    else
        shape = race_shape_of_row(checker, site, lie, begin);
    if (!shape->count || (access->writes && !shape->writable))
        return false;
    const uint64_t first = access->offset / ROW_BYTES;
    bool cells = false;
    if (!touch_groups(&touch, access->mask, shadow, first, shape, &cells))
        return false;
    if (cells)
        collapse_rows(&touch, access->mask, shadow, first, shape);
    return true;
}
