/* SPDX-License-Identifier: Apache-2.0
 *
 * race_thin.c - words that nobody has written, read out of step.
 *
 * Where lanes gather from all over, the words of a row have nothing in common but that
 * they were only read. Such a read is kept in 32 bits: the index of a stamp and the lane,
 * or that of a set of lanes. First there is room for one read of each word; then for as
 * many as a cell of global memory keeps (GLOBAL_ENTRIES), with the same rules as in
 * race_read_cell for a cell without a write. */
#include "check/race_thin.h"

/* --- 32 bits for a read ------------------------------------------------------------------ */

uint32_t race_new_stamp(struct race_checker *checker, const struct warp_shadow *warp,
                        uint32_t site_index)
{
    struct site *site = &checker->sites.items[site_index];

    site->thin_warp = warp->number;
    site->thin_epoch = warp->clock;
    return site->thin = thin_stamp_new(
               &checker->pool, (struct stamp){warp->number, warp->clock, site_index << 10});
}

uint32_t thin_set_new(struct shadow_pool *pool, uint32_t stamp, uint32_t lanes)
{
    if (!pool->sets.count)
        *ARENA_PUSH(pool->arena, &pool->sets) = (struct thin_set){0};
    uint32_t index = pool->sets.items[0].stamp;
    if (index) {
        pool->sets.items[0].stamp = pool->sets.items[index].stamp;
    } else {
        index = pool->sets.count;
        (void)ARENA_PUSH(pool->arena, &pool->sets);
    }
    pool->sets.items[index] = (struct thin_set){stamp, lanes};
    return THIN_SET | index;
}

/* The same read by other lanes. */
static void change_lanes(struct shadow_pool *pool, uint32_t *read, uint32_t lanes)
{
    if (lanes == thin_lanes(pool, *read))
        return;
    uint32_t stamp = thin_stamp(pool, *read);
    thin_set_free(pool, *read);
    *read = thin_read(pool, stamp, lanes);
}

/* --- what a read stands for ------------------------------------------------------------------ */

/* *left: lanes of an older read that the touch, by a weak read, does not stand for. False
 * when that is not clear. */
static bool still_needed(const struct touch *touch, uint32_t read, uint32_t *left)
{
    const struct shadow_pool *pool = &touch->checker->pool;
    const struct stamp stamp = pool->thin_stamps[thin_stamp(pool, read)];

    *left = thin_lanes(pool, read);
    if (stamp.warp == touch->number)
        *left &= ~touch->lanes;
    if (!*left || !touch->warp->view[0]) /* which has seen nothing */
        return true;
    const struct seen *seen = race_seen(touch->checker, touch->warp, stamp.warp);
    if (stamp.epoch <= seen->base)
        *left = 0;
    return !*left || stamp.epoch > seen->top;
}

static bool forget_reads(const struct touch *touch, struct thin_reads *reads)
{
    struct shadow_pool *pool = &touch->checker->pool;
    uint32_t left[THIN_ENTRIES], kept = 0;

    for (uint32_t i = 0; i < reads->count; i++)
        if (!still_needed(touch, reads->older[i], &left[i]))
            return false;
    for (uint32_t i = 0; i < reads->count; i++) {
        uint32_t read = reads->older[i];
        if (left[i])
            change_lanes(pool, &read, left[i]);
        else
            thin_set_free(pool, read);
        if (left[i])
            reads->older[kept++] = read;
    }
    reads->count = (uint8_t)kept;
    return true;
}

/* The last read becomes one of the others. */
static bool keep_read(const struct touch *touch, struct thin_reads *reads)
{
    if (reads->count >= THIN_ENTRIES && reads->crowded) {
        reads->crowded--;
    } else if (reads->count >= THIN_ENTRIES) {
        if (!forget_reads(touch, reads))
            return false;
        reads->crowded = CROWDED;
    }
    if (reads->count < THIN_ENTRIES)
        reads->count++;
    else
        thin_set_free(&touch->checker->pool, reads->older[reads->count - 1]);
    reads->older[reads->count - 1] = reads->read;
    return true;
}

/* See race_read_cell. False when it is not clear what is before what: then nothing has
 * changed that a cell would not change likewise. */
static bool read_many(const struct touch *touch, struct thin_reads *reads, uint32_t stamp)
{
    struct shadow_pool *pool = &touch->checker->pool;
    const uint32_t old = reads->read;
    uint32_t left = 0;

    if (old && thin_stamp(pool, old) == stamp) {
        change_lanes(pool, &reads->read, thin_lanes(pool, old) | touch->lanes);
        return true;
    }
    if (old && !still_needed(touch, old, &left))
        return false;
    if (!left) {
        if (old)
            thin_set_free(pool, old);
        reads->read = thin_read(pool, stamp, touch->lanes);
        return true;
    }
    change_lanes(pool, &reads->read, left);
    /* The same read may be among the others already: then they change places. */
    for (uint32_t i = 0; i < reads->count; i++)
        if (thin_stamp(pool, reads->older[i]) == stamp) {
            uint32_t same = reads->older[i];
            change_lanes(pool, &same, thin_lanes(pool, same) | touch->lanes);
            reads->older[i] = reads->read;
            reads->read = same;
            return true;
        }
    if (!keep_read(touch, reads))
        return false;
    reads->read = thin_read(pool, stamp, touch->lanes);
    return true;
}

/* --- rows ---------------------------------------------------------------------------------------- */

static void widen(struct shadow_pool *pool, struct row *row)
{
    struct thin_reads *many = many_new(pool);

    for (unsigned word = 0; word < ROW_WORDS; word++)
        many[word].read = row->as.thin[word];
    thin_free(pool, row->as.thin);
    row->as.many = many;
    row->first.form = ROW_MANY;
}

bool race_read_thinly(const struct touch *touch, struct row *row, unsigned word,
                      uint32_t stamp)
{
    struct shadow_pool *pool = &touch->checker->pool;

    if (!stamp || pool->sets.count >= SET_LIMIT)
        return false;
    if (row->first.form == ROW_THIN) {
        uint32_t *read = &row->as.thin[word], left = 0;
        if (!(touch->lanes & (touch->lanes - 1))) {
            const uint32_t new = stamp << 5 | lane_first(touch->lanes);
            if (!*read || *read == new ||
                (*read >> 5 != stamp && still_needed(touch, *read, &left) && !left)) {
                *read = new;
                return true;
            }
        }
        if (touch->shared) /* where cells keep more reads */
            return false;
        widen(pool, row);
    }
    return row->first.form == ROW_MANY && read_many(touch, &row->as.many[word], stamp);
}

void race_thin_expand(struct race_checker *checker, const struct row *row,
                      struct cell cells[ROW_WORDS])
{
    struct shadow_pool *pool = &checker->pool;

    for (unsigned word = 0; word < ROW_WORDS; word++) {
        const struct thin_reads *many =
            row->first.form == ROW_MANY ? &row->as.many[word] : NULL;
        uint32_t read = many ? many->read : row->as.thin[word];
        if (!read)
            continue;
        cells[word].read = pool->thin_stamps[thin_stamp(pool, read)];
        cells[word].lanes = thin_lanes(pool, read);
        thin_set_free(pool, read);
        if (!many || (!many->count && !many->crowded))
            continue;
        struct extra *extra = cell_extra(pool, &cells[word]);
        extra->crowded = many->crowded;
        for (uint32_t i = 0; i < many->count; i++) {
            *entry_add(pool, extra) =
                (struct entry){.stamp = pool->thin_stamps[thin_stamp(pool, many->older[i])],
                               .lanes = thin_lanes(pool, many->older[i])};
            thin_set_free(pool, many->older[i]);
        }
    }
}
