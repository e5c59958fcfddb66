/* SPDX-License-Identifier: Apache-2.0
 *
 * race_thin.c - words that nobody has written, read out of step.
 *
 * Where lanes gather from all over, the words of a row have nothing in common but that
 * they were only read. Such a read is kept in 32 bits: the index of a stamp and the lane,
 * or that of a set of lanes. First there is room for one read of each word; then for as
 * many as a cell of global memory keeps (GLOBAL_ENTRIES), with the same rules as in
 * race_read_cell for a cell without a write. */
#include "check/race.h"

/* A set, not a stamp and a lane. */
#define IS_SET (UINT32_C(1) << 31)

/* --- 32 bits for a read ------------------------------------------------------------------ */

uint32_t race_thin_stamp(const struct touch *touch)
{
    struct race_checker *checker = touch->checker;
    struct site *site = &checker->sites.items[touch->site_index];
    struct shadow_pool *pool = &checker->pool;

    if (site->thin && site->thin_warp == touch->number && site->thin_epoch == touch->epoch)
        return site->thin;
    site->thin_warp = touch->number;
    site->thin_epoch = touch->epoch;
    return site->thin = thin_stamp_new(pool, (struct stamp){touch->number, touch->epoch,
                                                            touch->site_index << 10});
}

static inline uint32_t stamp_of(const struct shadow_pool *pool, uint32_t read)
{
    return read & IS_SET ? pool->sets.items[read & ~IS_SET].stamp : read >> 5;
}

static inline uint32_t lanes_of(const struct shadow_pool *pool, uint32_t read)
{
    return read & IS_SET ? pool->sets.items[read & ~IS_SET].lanes : UINT32_C(1) << (read & 31);
}

static void set_free(struct shadow_pool *pool, uint32_t read)
{
    if (!(read & IS_SET))
        return;
    struct thin_set *sets = pool->sets.items;
    sets[read & ~IS_SET].stamp = sets[0].stamp;
    sets[0].stamp = read & ~IS_SET;
}

static uint32_t read_new(struct shadow_pool *pool, uint32_t stamp, uint32_t lanes)
{
    if (!(lanes & (lanes - 1)))
        return stamp << 5 | lane_first(lanes);
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
    return IS_SET | index;
}

/* The same read by other lanes. */
static void change_lanes(struct shadow_pool *pool, uint32_t *read, uint32_t lanes)
{
    if (lanes == lanes_of(pool, *read))
        return;
    uint32_t stamp = stamp_of(pool, *read);
    set_free(pool, *read);
    *read = read_new(pool, stamp, lanes);
}

/* --- what a read stands for ------------------------------------------------------------------ */

/* *left: lanes of an older read that the touch, by a weak read, does not stand for. False
 * when that is not clear. */
static bool still_needed(const struct touch *touch, uint32_t read, uint32_t *left)
{
    const struct shadow_pool *pool = &touch->checker->pool;
    const struct stamp stamp = pool->thin_stamps[stamp_of(pool, read)];

    *left = lanes_of(pool, read);
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
            set_free(pool, read);
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
        set_free(&touch->checker->pool, reads->older[reads->count - 1]);
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

    if (old && stamp_of(pool, old) == stamp) {
        change_lanes(pool, &reads->read, lanes_of(pool, old) | touch->lanes);
        return true;
    }
    if (old && !still_needed(touch, old, &left))
        return false;
    if (!left) {
        if (old)
            set_free(pool, old);
        reads->read = read_new(pool, stamp, touch->lanes);
        return true;
    }
    change_lanes(pool, &reads->read, left);
    /* The same read may be among the others already: then they change places. */
    for (uint32_t i = 0; i < reads->count; i++)
        if (stamp_of(pool, reads->older[i]) == stamp) {
            uint32_t same = reads->older[i];
            change_lanes(pool, &same, lanes_of(pool, same) | touch->lanes);
            reads->older[i] = reads->read;
            reads->read = same;
            return true;
        }
    if (!keep_read(touch, reads))
        return false;
    reads->read = read_new(pool, stamp, touch->lanes);
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

static bool read_word(const struct touch *touch, struct row *row, unsigned word, uint32_t stamp)
{
    struct shadow_pool *pool = &touch->checker->pool;

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

bool race_read_thinly(const struct touch *touch, struct row *row, unsigned word,
                      uint32_t stamp)
{
    return stamp && touch->checker->pool.sets.count < SET_LIMIT &&
           read_word(touch, row, word, stamp);
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
        cells[word].read = pool->thin_stamps[stamp_of(pool, read)];
        cells[word].lanes = lanes_of(pool, read);
        set_free(pool, read);
        if (!many || (!many->count && !many->crowded))
            continue;
        struct extra *extra = cell_extra(pool, &cells[word]);
        extra->crowded = many->crowded;
        for (uint32_t i = 0; i < many->count; i++) {
            *entry_add(pool, extra) =
                (struct entry){.stamp = pool->thin_stamps[stamp_of(pool, many->older[i])],
                               .lanes = lanes_of(pool, many->older[i])};
            set_free(pool, many->older[i]);
        }
    }
}

/* --- logs -------------------------------------------------------------------------------------- */

/* What a page of global memory is read for, here and there, is written down first, as long
 * as there is nothing to ask: nobody has written there, and the warp has not seen what any
 * other has done. When something else happens to the page, or there are too many reads, they
 * are noted in the rows in the order in which they came. */

static bool log_read(struct shadow_pool *pool, struct shadow *shadow, uint32_t n, uint32_t word,
                     uint32_t stamp, uint32_t lanes)
{
    struct read_log *log = shadow->logs[n];

    if (!log || log->count == LOG_READS) {
        uint32_t parts = log ? log->parts + 1 : 1;
        if (parts > LOG_PARTS)
            return false;
        struct read_log *new = pool->free_logs;
        if (new)
            pool->free_logs = new->older;
        else
            new = lines_new(pool, sizeof *new);
        new->older = log;
        new->count = 0;
        new->parts = parts;
        log = shadow->logs[n] = new;
    }
    log->reads[log->count].word = word;
    log->reads[log->count++].read = read_new(pool, stamp, lanes);
    return true;
}

void race_log_reads(const struct touch *touch, uint32_t with[LANES], uint32_t stamp,
                    struct shadow *shadow, uint64_t start)
{
    const struct access_event *event = touch->event;
    struct shadow_pool *pool = &touch->checker->pool;

    if (!stamp || touch->shared || touch->warp->view[0] || pool->sets.count >= SET_LIMIT)
        return;
    if (!shadow->logs)
        shadow->logs = ARENA_NEW_ARRAY(pool->arena, shadow->count, struct read_log *);
    FOR_LANES (lane, event->mask) {
        uint64_t offset = event->address[lane] - start;
        uint32_t n = (uint32_t)(offset / PAGE_BYTES);
        if (with[lane] && !shadow->pages[n] &&
            log_read(pool, shadow, n, offset % PAGE_BYTES / CELL_BYTES, stamp, with[lane]))
            with[lane] = 0;
    }
}

void race_log_replay(struct shadow_pool *pool, struct shadow *shadow, uint32_t n)
{
    struct race_checker *checker = pool->checker;
    struct warp_shadow seen_nothing = {.uniform = true};
    struct touch touch = {.checker = checker, .warp = &seen_nothing};
    union page *page = shadow->pages[n];
    struct read_log *first = NULL, *log = shadow->logs[n];

    shadow->logs[n] = NULL;
    while (log) { /* the oldest one first */
        struct read_log *older = log->older;
        log->older = first;
        first = log;
        log = older;
    }
    for (log = first; log; log = first) {
        for (uint32_t i = 0; i < log->count; i++) {
            uint32_t word = log->reads[i].word, read = log->reads[i].read;
            uint32_t stamp = stamp_of(pool, read);
            struct row *row = &page->rows[word / ROW_WORDS];
            touch.number = pool->thin_stamps[stamp].warp;
            touch.lanes = lanes_of(pool, read);
            set_free(pool, read);
            if (row->first.form == ROW_GROUPS_ONLY) {
                row->as.thin = thin_new(pool);
                row->first.form = ROW_THIN;
            }
            read_word(&touch, row, word % ROW_WORDS, stamp);
        }
        first = log->older;
        log->older = pool->free_logs;
        pool->free_logs = log;
    }
}
