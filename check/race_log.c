/* SPDX-License-Identifier: Apache-2.0
 *
 * race_log.c - reads that are written down first.
 *
 * As long as a page of global memory is only read, and by warps that have not seen what
 * any other has done, there is nothing to ask: each read is noted in a log of the page, a
 * row of words or a word at a time. When something else happens to the page, or there are
 * too many, they are told to its rows in the order in which they came, and these are then
 * as if they had been all the time. What is read and never written, as most input is, so
 * costs hardly anything.
 *
 * So with shared memory between two barriers of the whole block, after the second of which
 * nothing can race with what was done there before: tiles that are filled, and then read,
 * cost what it takes to write the reads down. */
#include "check/race_thin.h"

/* An item is a word of the page and a read as in check/race_thin.h; or a row, a pattern and
 * a warp, with its epoch and the site in the item that follows. */
#define LOG_ROW (UINT32_C(1) << 31)
enum { LOG_PATTERN_BITS = 14 };
_Static_assert(PATTERN_LIMIT <= 1 << LOG_PATTERN_BITS, "patterns fit");

/* --- writing ------------------------------------------------------------------------------ */

/* The next part of the log; NULL when it has grown too long. */
static struct read_log *next_part(struct shadow_pool *pool, struct shadow *shadow, uint32_t n)
{
    struct read_log *full = shadow->logs[n], *log = pool->free_logs;
    const uint32_t parts = full ? full->parts + 1 : 1;

    if (parts > LOG_PARTS)
        return NULL;
    if (log)
        pool->free_logs = log->older;
    else
        log = lines_new(pool, sizeof *log);
    log->older = full;
    log->count = 0;
    log->parts = (uint16_t)parts;
    log->sets = false;
    return shadow->logs[n] = log;
}

/* Room for so many items, one after the other; NULL when there is none. */
static inline struct logged *room(struct shadow_pool *pool, struct shadow *shadow, uint32_t n,
                                  uint32_t count)
{
    struct read_log *log = shadow->logs[n];

    if (__builtin_expect(!log || log->count + count > LOG_ITEMS, 0) &&
        !(log = next_part(pool, shadow, n)))
        return NULL;
    log->count += count;
    return &log->items[log->count - count];
}

static inline bool log_word(struct shadow_pool *pool, struct shadow *shadow, uint32_t n,
                            uint32_t word, uint32_t read)
{
    struct logged *item = room(pool, shadow, n, 1);

    if (!item)
        return false;
    *item = (struct logged){word, read};
    shadow->logs[n]->sets |= (read & THIN_SET) != 0;
    return true;
}

static inline bool log_pattern(const struct touch *touch, struct shadow *shadow, uint32_t n,
                               uint32_t at, uint32_t pattern)
{
    struct logged *item =
        pattern ? room(&touch->checker->pool, shadow, n, 2) : NULL;

    if (!item)
        return false;
    item[0] = (struct logged){LOG_ROW | at << LOG_PATTERN_BITS | pattern, touch->number};
    item[1] = (struct logged){touch->epoch, touch->site_index};
    return true;
}

/* The logs of an allocation; false when none can be kept. */
static inline bool has_logs(struct shadow_pool *pool, struct shadow *shadow)
{
    if (!shadow->logs)
        shadow->logs = ARENA_NEW_ARRAY(pool->arena, shadow->count, struct read_log *);
    return pool->sets.count < SET_LIMIT;
}

uint32_t race_log_words(struct race_checker *checker, const struct access_event *event,
                        const uint32_t with[LANES], uint32_t stamp, struct shadow *shadow,
                        uint64_t start)
{
    struct shadow_pool *pool = &checker->pool;
    uint32_t others = 0;

    if (!has_logs(pool, shadow))
        return event->mask;
    FOR_LANES (lane, event->mask) {
        const uint64_t offset = event->address[lane] - start;
        const uint32_t n = (uint32_t)(offset / PAGE_BYTES), lanes = with[lane];
        if (!lanes)
            continue;
        if (shadow->pages[n]) {
            others |= lanes;
            continue;
        }
        const uint32_t read = thin_read(pool, stamp, lanes);
        if (!log_word(pool, shadow, n, offset % PAGE_BYTES / CELL_BYTES, read)) {
            thin_set_free(pool, read);
            others |= lanes;
        }
    }
    return others;
}

/* Some lanes of a row, of which each has words of its own. */
static bool log_some(const struct touch *touch, struct shadow *shadow, uint32_t n, uint32_t at,
                     struct row_touch *part)
{
    struct race_checker *checker = touch->checker;
    struct shadow_pool *pool = &checker->pool;
    uint32_t lanes[ROW_WORDS] = {0};
    const uint32_t stamp = touch->site->size == CELL_BYTES && !many_lanes(part->some.words)
                               ? race_thin_stamp(checker, touch->warp, touch->site_index) : 0;

    FOR_LANES (word, stamp ? part->some.words : 0)
        if (!log_word(pool, shadow, n, at * ROW_WORDS + word,
                      thin_read(pool, stamp, pool->patterns[part->pattern].lanes[word])))
            return false;
    if (stamp)
        return true;
    FOR_LANES (word, part->some.pattern ? 0 : part->some.words)
        lanes[word] = pool->patterns[part->pattern].lanes[word];
    if (!part->some.pattern)
        part->some.pattern = pattern_of(pool, lanes);
    return log_pattern(touch, shadow, n, at, part->some.pattern);
}

bool race_log_row(const struct touch *touch, struct shadow *shadow, uint64_t row,
                  struct row_touch *part, bool all)
{
    const uint32_t n = (uint32_t)(row / PAGE_ROWS), at = row % PAGE_ROWS;

    if (shadow->pages[n] || !has_logs(&touch->checker->pool, shadow))
        return false;
    return all ? log_pattern(touch, shadow, n, at, part->pattern)
               : log_some(touch, shadow, n, at, part);
}

/* --- reading ------------------------------------------------------------------------------ */

static void read_word(struct touch *touch, struct row *row, unsigned word, uint32_t stamp)
{
    race_row_thin(&touch->checker->pool, row);
    if (row->first.form >= ROW_THIN && race_read_thinly(touch, row, word, stamp))
        return;
    if (!row_cells(row))
        race_row_expand(touch->checker, row);
    race_read_cell(touch, &row->as.cells[word], 0);
}

static void read_row(struct touch *touch, struct row *row, uint32_t pattern)
{
    struct shadow_pool *pool = &touch->checker->pool;
    const uint32_t words = pool->patterns[pattern].words;

    if (!row_cells(row) && race_row_touch(touch, row, words, pattern))
        return;
    if (!row_cells(row))
        race_row_expand(touch->checker, row);
    FOR_LANES (word, words) {
        touch->lanes = pool->patterns[pattern].lanes[word];
        race_read_cell(touch, &row->as.cells[word],
                       word * CELL_BYTES & (touch->site->size - 1));
    }
}

static void set_stamp(struct touch *touch, struct stamp stamp)
{
    touch->number = stamp.warp;
    touch->epoch = stamp.epoch;
    touch->site_index = stamp_site(stamp);
    touch->site = &touch->checker->sites.items[touch->site_index];
}

/* The number of items that it was. */
static uint32_t read_item(struct touch *touch, struct shadow *shadow, uint32_t n,
                          const struct logged *item)
{
    struct shadow_pool *pool = &touch->checker->pool;
    const uint32_t what = item->what;
    const uint64_t first = (uint64_t)n * PAGE_ROWS;

    if (what & LOG_ROW) {
        set_stamp(touch, (struct stamp){item->read, item[1].what, item[1].read << 10});
        read_row(touch, shadow_row(pool, shadow, first + ((what & ~LOG_ROW) >> LOG_PATTERN_BITS)),
                 what & ((1 << LOG_PATTERN_BITS) - 1));
        return 2;
    }
    const uint32_t stamp = thin_stamp(pool, item->read);
    set_stamp(touch, pool->thin_stamps[stamp]);
    touch->lanes = thin_lanes(pool, item->read);
    thin_set_free(pool, item->read);
    read_word(touch, shadow_row(pool, shadow, first + what / ROW_WORDS), what % ROW_WORDS, stamp);
    return 1;
}

void race_log_replay(struct shadow_pool *pool, struct shadow *shadow, uint32_t n)
{
    struct race_checker *checker = pool->checker;
    struct block_shadow nowhere = {.number = 0};
    struct warp_shadow seen_nothing = {.block = &nowhere, .uniform = true};
    struct touch touch = {.checker = checker, .warp = &seen_nothing, .shared = shadow->shared};
    struct read_log *first = NULL, *log = shadow->logs[n];

    shadow->logs[n] = NULL;
    shadow->told++;
    while (log) { /* the oldest one first */
        struct read_log *older = log->older;
        log->older = first;
        first = log;
        log = older;
    }
    for (log = first; log; log = first) {
        for (uint32_t i = 0; i < log->count;)
            i += read_item(&touch, shadow, n, &log->items[i]);
        first = log->older;
        log->older = pool->free_logs;
        pool->free_logs = log;
    }
}

void race_log_drop(struct shadow_pool *pool, struct shadow *shadow, uint32_t n)
{
    shadow->dropped++;
    for (struct read_log *log = shadow->logs[n], *older; log; log = older) {
        for (uint32_t i = 0; log->sets && i < log->count; i++) {
            if (log->items[i].what & LOG_ROW)
                i++; /* two items */
            else
                thin_set_free(pool, log->items[i].read);
        }
        older = log->older;
        log->older = pool->free_logs;
        pool->free_logs = log;
    }
    shadow->logs[n] = NULL;
}
