/* SPDX-License-Identifier: Apache-2.0
 *
 * race_shape.c - which words of which rows the lanes of an access touch.
 *
 * An instruction that is executed again mostly accesses memory in the same way,
 * only elsewhere. How its lanes lie is worked out once, and kept at its site. */
#include <string.h>

#include "check/race.h"

/* Shapes kept for a site, and how many are made before it is asked whether that is
 * worth while: whether so many accesses for each of them have met one. */
enum { SHAPES = 16, TRIALS = 32, WORTH = 4 };

/* origin: the address of the shape's row 0. */
static bool lies_alike(const struct shape *shape, const uint64_t address[LANES], uint32_t mask,
                       uint64_t origin)
{
    uint64_t apart = 0;

    if (mask == UINT32_MAX) {
        for (unsigned lane = 0; lane < LANES; lane++)
            apart |= (address[lane] - origin) ^ shape->place[lane];
        return !apart;
    }
    FOR_LANES (lane, mask)
        apart |= (address[lane] - origin) ^ shape->place[lane];
    return !apart;
}

/* The rows that are touched, in the order in which lanes come to them. */
struct rows {
    uint32_t count, words;
    int64_t row[LANES];
    uint32_t lanes[LANES][ROW_WORDS];
};

static uint32_t *lanes_of_row(struct rows *rows, int64_t row)
{
    for (uint32_t i = rows->count; i-- > 0;)
        if (rows->row[i] == row)
            return rows->lanes[i];
    memset(rows->lanes[rows->count], 0, sizeof rows->lanes[0]);
    rows->row[rows->count] = row;
    return rows->lanes[rows->count++];
}

/* An access is aligned to its size: each lane's lies in one row. */
static void find_rows(struct rows *rows, const struct access_event *event, uint32_t mask,
                      uint64_t start)
{
    uint64_t first = (event->address[lane_first(mask)] - start) / ROW_BYTES;

    rows->count = rows->words = 0;
    FOR_LANES (lane, mask) {
        uint64_t offset = event->address[lane] - start;
        uint32_t *lanes = lanes_of_row(rows, (int64_t)(offset / ROW_BYTES - first));
        for (uint32_t byte = 0; byte < event->size; byte += CELL_BYTES) {
            uint32_t *of_word = &lanes[(offset + byte) % ROW_BYTES / CELL_BYTES];
            rows->words += *of_word == 0;
            *of_word |= UINT32_C(1) << lane;
        }
    }
}

/* Many words of each of few rows: for others cells do as well. */
static bool is_dense(const struct rows *rows)
{
    return rows->count <= 2 || rows->words >= 3 * rows->count;
}

/* Lanes that do not take part this time mostly have addresses like the others. */
static bool all_have_addresses(const struct access_event *event, uint64_t start)
{
    uint64_t top = event->window->size - event->size, wrong = 0;

    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t offset = event->address[lane] - start;
        wrong |= (uint64_t)(offset > top) | (offset & (event->size - 1));
    }
    return !wrong;
}

static struct shape *shape_new(const struct touch *touch, const struct rows *rows,
                               uint32_t mask, uint64_t start)
{
    struct race_checker *checker = touch->checker;
    const struct access_event *event = touch->event;
    uint64_t first = event->address[lane_first(mask)] - start;
    struct shape *shape =
        arena_alloc(&checker->arena, sizeof *shape + rows->count * sizeof *shape->rows);

    shape->mask = mask;
    shape->lie = event->lie;
    shape->writable = true;
    shape->count = rows->count;
    for (unsigned lane = 0; lane < LANES; lane++)
        shape->place[lane] = event->address[lane] - start - first / ROW_BYTES * ROW_BYTES;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t pattern = pattern_of(&checker->pool, rows->lanes[i]);
        if (!pattern || rows->row[i] != (int32_t)rows->row[i])
            return NULL;
        shape->rows[i] = (struct row_touch){.row = (int32_t)rows->row[i],
                                            .words = checker->pool.patterns[pattern].words,
                                            .pattern = pattern};
        shape->writable = shape->writable && checker->pool.patterns[pattern].single;
    }
    return shape;
}

static void count_made(struct site *site)
{
    if (++site->made >= TRIALS && site->met < WORTH * site->made)
        site->irregular = true;
}

static struct shape *make(const struct touch *touch, struct site *site, uint64_t start)
{
    const struct access_event *event = touch->event;
    struct shape *shape = NULL;
    uint32_t kept = 0;
    struct rows rows;

    if (event->mask != UINT32_MAX && all_have_addresses(event, start)) {
        find_rows(&rows, event, UINT32_MAX, start);
        if (is_dense(&rows))
            shape = shape_new(touch, &rows, UINT32_MAX, start);
    }
    if (!shape || !shape->writable) {
        find_rows(&rows, event, event->mask, start);
        shape = is_dense(&rows) ? shape_new(touch, &rows, event->mask, start) : NULL;
    }
    count_made(site);
    if (!shape)
        return NULL;
    shape->next = site->shapes;
    site->shapes = shape;
    for (struct shape *each = shape; each; each = each->next)
        if (++kept == SHAPES)
            each->next = NULL;
    return shape;
}

struct shape *race_shape(const struct touch *touch, struct site *site, uint64_t start,
                         uint64_t *row)
{
    const struct access_event *event = touch->event;
    const uint32_t mask = event->mask;
    const unsigned lane = lane_first(mask);
    const uint64_t first = event->address[lane];
    struct shape *shape, **link = &site->shapes;

    for (; (shape = *link); link = &shape->next) {
        uint64_t origin = first - shape->place[lane];
        if ((origin - start) % ROW_BYTES != 0)
            continue;
        if (shape->mask == mask && shape->lie == event->lie && event->lie != LIE_APART)
            break;
        if ((shape->mask == mask || (shape->writable && !(mask & ~shape->mask))) &&
            lies_alike(shape, event->address, mask, origin))
            break;
    }
    if (shape) {
        site->met += many_lanes(mask);
        *link = shape->next;
        shape->next = site->shapes;
        site->shapes = shape;
    } else {
        shape = make(touch, site, start);
    }
    if (!shape || (site->writes && !shape->writable))
        return NULL;
    *row = (first - shape->place[lane] - start) / ROW_BYTES;
    return shape;
}

/* --- shapes of the engine ------------------------------------------------------------ */

static struct shape *shape_from(struct race_checker *checker, const struct access_shape *lie,
                                uint32_t begin)
{
    struct rows rows;
    uint32_t lanes[LANES];

    rows.count = rows.words = 0;
    FOR_LANES (lane, lie->mask) {
        uint32_t offset = begin + lie->place[lane];
        uint32_t *of_row = lanes_of_row(&rows, offset / ROW_BYTES);
        for (uint32_t byte = 0; byte < lie->size; byte += CELL_BYTES) {
            uint32_t *of_word = &of_row[(offset + byte) % ROW_BYTES / CELL_BYTES];
            rows.words += *of_word == 0;
            *of_word |= UINT32_C(1) << lane;
        }
    }
    if (!is_dense(&rows))
        return NULL;
    for (uint32_t i = 0; i < rows.count; i++)
        if (!(lanes[i] = pattern_of(&checker->pool, rows.lanes[i])))
            return NULL;
    struct shape *shape =
        arena_alloc(&checker->arena, sizeof *shape + rows.count * sizeof *shape->rows);
    shape->mask = lie->mask;
    shape->lie = lie->lie;
    shape->writable = true;
    shape->count = rows.count;
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct pattern *pattern = &checker->pool.patterns[lanes[i]];
        shape->rows[i] = (struct row_touch){
            .row = (int32_t)rows.row[i], .words = pattern->words, .pattern = lanes[i]};
        shape->writable = shape->writable && pattern->single;
    }
    return shape;
}

struct shape *race_shape_of_row(struct race_checker *checker, struct site *site,
                                const struct access_shape *lie, uint32_t begin)
{
    struct row_shapes **shapes;

    while (lie->number >= checker->row_shapes.count)
        *ARENA_PUSH(&checker->arena, &checker->row_shapes) = NULL;
    shapes = &checker->row_shapes.items[lie->number];
    if (!*shapes)
        *shapes = ARENA_NEW(&checker->arena, struct row_shapes);
    struct shape **at = &(*shapes)->at[begin / CELL_BYTES];
    count_made(site);
    if (!*at)
        *at = shape_from(checker, lie, begin);
    if (!*at)
        *at = ARENA_NEW(&checker->arena, struct shape); /* one without rows */
    return *at;
}
