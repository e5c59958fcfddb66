/* SPDX-License-Identifier: Apache-2.0
 *
 * race_row.c - weak accesses of rows of words, while nothing is wrong with them.
 *
 * A group stands for the cells of its words, and an access of all of them does to it
 * what race_cell.c does to each cell, with patterns in the place of lanes. It never
 * guesses: as soon as an access would change cells of one group in different ways, or
 * is not surely before or after all lanes of another, the row goes over to cells. */
#include <string.h>

#include "check/race.h"

/* Groups in a row before cells are cheaper. */
enum { ROW_GROUPS = 16 };

/* --- patterns -------------------------------------------------------------------------- */

static const struct pattern *pattern_at(const struct touch *touch, uint32_t index)
{
    return &touch->checker->pool.patterns[index];
}

/* The same lanes at each of the words? */
static bool same_lanes(const struct touch *touch, uint32_t a, uint32_t b, uint32_t words)
{
    const uint32_t *one = pattern_at(touch, a)->lanes, *other = pattern_at(touch, b)->lanes;
    uint32_t apart = 0;

    if (a == b)
        return true;
    FOR_LANES (word, words)
        apart |= one[word] ^ other[word];
    return !apart;
}

/* Are the lanes of pattern a among those of b? */
static bool lanes_within(const struct touch *touch, uint32_t a, uint32_t b, uint32_t words)
{
    const uint32_t *one = pattern_at(touch, a)->lanes, *other = pattern_at(touch, b)->lanes;
    uint32_t more = 0;

    if (a == b)
        return true;
    FOR_LANES (word, words)
        more |= one[word] & ~other[word];
    return !more;
}

/* The lanes of both at the words; 0 when there are too many patterns. */
static uint32_t lanes_of_both(const struct touch *touch, uint32_t a, uint32_t b,
                              uint32_t words)
{
    const uint32_t *one = pattern_at(touch, a)->lanes, *other = pattern_at(touch, b)->lanes;
    uint32_t lanes[ROW_WORDS] = {0};

    if (a == b)
        return a;
    FOR_LANES (word, words)
        lanes[word] = one[word] | other[word];
    return pattern_of(&touch->checker->pool, lanes);
}

/* *rest: the lanes of a that are not in b, 0: none. False when some words have such
 * lanes and others do not. */
static bool lanes_left(const struct touch *touch, uint32_t a, uint32_t b, uint32_t words,
                       uint32_t *rest)
{
    const uint32_t *one = pattern_at(touch, a)->lanes, *other = pattern_at(touch, b)->lanes;
    uint32_t lanes[ROW_WORDS] = {0}, some = 0;

    *rest = 0;
    if (a == b)
        return true;
    FOR_LANES (word, words) {
        lanes[word] = one[word] & ~other[word];
        some |= (uint32_t)(lanes[word] != 0) << word;
    }
    if (!some)
        return true;
    *rest = some == words ? pattern_of(&touch->checker->pool, lanes) : 0;
    return *rest != 0;
}

/* --- order ------------------------------------------------------------------------------ */

enum order { BEFORE, APART, UNCLEAR };

/* Are the accesses of all lanes with this stamp before those of all lanes of the touch,
 * own ones left out; or of none before any? */
static enum order order_of(const struct touch *touch, struct stamp stamp)
{
    const struct race_checker *checker = touch->checker;

    if (touch->site->foreign != checker->sites.items[stamp_site(stamp)].foreign)
        return UNCLEAR;
    const struct seen *seen = race_seen(checker, touch->warp, stamp.warp);
    return stamp.epoch <= seen->base ? BEFORE : stamp.epoch > seen->top ? APART : UNCLEAR;
}

/* Is an access of the words before the same words' accesses by the touch? */
static bool is_before(const struct touch *touch, const struct past *past, uint32_t pattern,
                      uint32_t words)
{
    enum order order = order_of(touch, past->stamp);

    return order == BEFORE ||
           (order == APART && past->stamp.warp == touch->number &&
            pattern_at(touch, pattern)->single &&
            same_lanes(touch, past->pattern, pattern, words));
}

/* *rest: the lanes of an older read that a newer one does not stand for. False when the
 * words differ in that, or it is not clear. */
static bool still_needed(const struct touch *touch, const struct past *past, uint32_t pattern,
                         uint32_t words, uint32_t *rest)
{
    enum order order = order_of(touch, past->stamp);

    *rest = order == BEFORE ? 0 : past->pattern;
    if (*rest && past->stamp.warp == touch->number &&
        !lanes_left(touch, past->pattern, pattern, words, rest))
        return false;
    return !*rest || order != UNCLEAR;
}

/* --- writes ----------------------------------------------------------------------------- */

static bool may_write(const struct touch *touch, const struct group *group, uint32_t words,
                      uint32_t pattern)
{
    if (group->write.pattern && !is_before(touch, &group->write, pattern, words))
        return false;
    if (group->read.pattern && !is_before(touch, &group->read, pattern, words))
        return false;
    for (uint32_t i = 0; group->older && i < group->older->count; i++)
        if (!is_before(touch, &group->older->items[i], pattern, words))
            return false;
    return true;
}

/* Takes words out of all groups. Returns a group that has none left. */
static struct group *clear_words(struct shadow_pool *pool, struct row *row, uint32_t words)
{
    for (struct group **link = &row->first.next, *group; (group = *link);) {
        group->words &= ~words;
        if (group->words) {
            link = &group->next;
            continue;
        }
        *link = group->next;
        group_free(pool, group);
    }
    row->first.words &= ~words;
    if (!row->first.words) {
        past_list_free(pool, row->first.older);
        row->first.older = NULL;
        row->first.read.pattern = row->first.write.pattern = 0;
        return &row->first;
    }
    struct group *group = group_new(pool);
    group->next = row->first.next;
    return row->first.next = group;
}

static bool write_row(const struct touch *touch, struct row *row, uint32_t words,
                      uint32_t pattern)
{
    const struct stamp now = {touch->number, touch->epoch, touch->site_index << 10};

    for (const struct group *group = &row->first; group; group = group->next)
        if (group->words & words &&
            !may_write(touch, group, group->words & words, pattern))
            return false;
    struct group *group = clear_words(&touch->checker->pool, row, words);
    group->words = words;
    group->write = (struct past){now, pattern};
    return true;
}

/* --- reads ------------------------------------------------------------------------------- */

/* The group of these words alone, which are some of a group's. */
static struct group *part_of(struct shadow_pool *pool, struct group *group, uint32_t words)
{
    if (group->words == words)
        return group;
    struct group *part = group_new(pool);
    *part = *group;
    if (group->older)
        part->older = past_list_copy(pool, group->older);
    part->words = words;
    group->words &= ~words;
    group->next = part;
    return part;
}

/* Looks for older reads that need not be remembered. False when that is not clear. */
static bool forget_reads(const struct touch *touch, struct group *group, uint32_t pattern)
{
    struct past_list *list = group->older;
    uint32_t rest[SHARED_ENTRIES], kept = 0;

    for (uint32_t i = 0; i < list->count; i++)
        if (!still_needed(touch, &list->items[i], pattern, group->words, &rest[i]))
            return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (rest[i])
            list->items[kept++] = (struct past){list->items[i].stamp, rest[i]};
    list->count = kept;
    return true;
}

static bool keep_read(const struct touch *touch, struct group *group, struct past read,
                      uint32_t pattern)
{
    struct shadow_pool *pool = &touch->checker->pool;
    uint32_t limit = entry_limit(touch);
    struct past_list *list = group->older;

    if (!list || (list->count == list->capacity && list->count < limit)) {
        group->older = past_list_copy(pool, list);
        past_list_free(pool, list);
        list = group->older;
    }
    if (list->count >= limit && list->crowded) {
        list->crowded--;
    } else if (list->count >= limit) {
        if (!forget_reads(touch, group, pattern))
            return false;
        list->crowded = CROWDED;
    }
    if (list->count < limit)
        list->count++;
    list->items[list->count - 1] = read;
    return true;
}

static bool more_lanes(const struct touch *touch, struct group *group, uint32_t words,
                       uint32_t pattern)
{
    uint32_t both = lanes_of_both(touch, group->read.pattern, pattern, words);

    if (both)
        part_of(&touch->checker->pool, group, words)->read.pattern = both;
    return both != 0;
}

/* As race_read_cell. words: some of the group's. */
static bool read_group(const struct touch *touch, struct group *group, uint32_t words,
                       uint32_t pattern)
{
    struct stamp now = {touch->number, touch->epoch, touch->site_index << 10};
    struct past *read = &group->read;

    if (read->pattern && read->stamp.warp == now.warp && read->stamp.epoch == now.epoch &&
        (read->stamp.what & ~STAMP_KNOWS) == now.what) {
        if ((!group->write.pattern || read->stamp.what & STAMP_KNOWS) &&
            lanes_within(touch, pattern, read->pattern, words))
            return true;
        if (!group->write.pattern)
            return more_lanes(touch, group, words, pattern);
    }
    if (group->write.pattern) {
        if (!is_before(touch, &group->write, pattern, words))
            return false;
        now.what |= STAMP_KNOWS;
    }
    if (read->pattern && same_stamp(read->stamp, now))
        return more_lanes(touch, group, words, pattern);
    uint32_t rest = 0;
    if (read->pattern && !still_needed(touch, read, pattern, words, &rest))
        return false;
    group = part_of(&touch->checker->pool, group, words);
    read = &group->read;
    if (rest) {
        /* The same read may be among the others already: then they change places. */
        const struct past old = {read->stamp, rest};
        struct past *same = NULL;
        for (uint32_t i = 0; group->older && i < group->older->count && !same; i++)
            if (same_stamp(group->older->items[i].stamp, now))
                same = &group->older->items[i];
        if (same) {
            uint32_t both = lanes_of_both(touch, same->pattern, pattern, words);
            if (!both)
                return false;
            *same = old;
            *read = (struct past){now, both};
            return true;
        }
        if (!keep_read(touch, group, old, pattern))
            return false;
    }
    *read = (struct past){now, pattern};
    return true;
}

static bool read_row(const struct touch *touch, struct row *row, uint32_t words,
                     uint32_t pattern)
{
    struct shadow_pool *pool = &touch->checker->pool;
    const struct past now = {{touch->number, touch->epoch, touch->site_index << 10}, pattern};
    struct group *alike = NULL;
    uint32_t count = 0, left = words;

    for (struct group *group = &row->first, *next; group && left; group = next) {
        uint32_t here = group->words & left;
        next = group->next;
        count += group->words != 0;
        if (!here) {
            if (!group->write.pattern && !group->older && group->words &&
                group->read.pattern == pattern && same_stamp(group->read.stamp, now.stamp))
                alike = group;
            continue;
        }
        left &= ~here;
        if (!read_group(touch, group, here, pattern))
            return false;
    }
    if (!left)
        return count <= ROW_GROUPS;
    if (alike) {
        alike->words |= left;
    } else if (!row->first.words) {
        row->first.words = left;
        row->first.read = now;
    } else {
        struct group *group = group_new(pool);
        *group = (struct group){.next = row->first.next, .words = left, .read = now};
        row->first.next = group;
        return count < ROW_GROUPS;
    }
    return true;
}

/* --- between rows and cells ------------------------------------------------------------------ */

bool race_row_touch(const struct touch *touch, struct row *row, uint32_t words,
                    uint32_t pattern)
{
    const struct past now = {{touch->number, touch->epoch, touch->site_index << 10}, pattern};

    if (row->first.form != ROW_GROUPS_ONLY)
        return false;
    if (!row->first.words) { /* the first access */
        row->first.words = words;
        *(touch->site->writes ? &row->first.write : &row->first.read) = now;
        return true;
    }
    return touch->site->writes ? write_row(touch, row, words, pattern)
                               : read_row(touch, row, words, pattern);
}

/* The stamp as a cell of the word has it. */
static struct stamp stamp_in(const struct race_checker *checker, struct stamp stamp,
                             unsigned word, unsigned lane)
{
    unsigned back = word * CELL_BYTES % checker->sites.items[stamp_site(stamp)].size;

    stamp.what |= stamp_what(0, back, lane);
    return stamp;
}

static void expand_word(struct race_checker *checker, const struct group *group, unsigned word,
                        struct cell *cell)
{
    struct shadow_pool *pool = &checker->pool;
    const struct pattern *patterns = pool->patterns;
    const struct past_list *list = group->older;

    if (group->write.pattern)
        cell->write = stamp_in(checker, group->write.stamp, word,
                               lane_first(patterns[group->write.pattern].lanes[word]));
    if (group->read.pattern) {
        cell->read = stamp_in(checker, group->read.stamp, word, 0);
        cell->lanes = patterns[group->read.pattern].lanes[word];
    }
    if (!list)
        return;
    struct extra *extra = cell_extra(pool, cell);
    extra->crowded = list->crowded;
    for (uint32_t i = 0; i < list->count; i++)
        *entry_add(pool, extra) = (struct entry){
            .stamp = stamp_in(checker, list->items[i].stamp, word, 0),
            .lanes = patterns[list->items[i].pattern].lanes[word]};
}

void race_row_expand(struct race_checker *checker, struct row *row)
{
    struct shadow_pool *pool = &checker->pool;
    struct cell *cells = cells_new(pool);

    for (const struct group *group = &row->first; group; group = group->next)
        FOR_LANES (word, group->words)
            expand_word(checker, group, word, &cells[word]);
    if (row->first.form == ROW_THIN || row->first.form == ROW_MANY)
        race_thin_expand(checker, row, cells);
    if (row->first.form == ROW_THIN)
        thin_free(pool, row->as.thin);
    else if (row->first.form == ROW_MANY)
        many_free(pool, row->as.many);
    row->as.cells = cells;
    past_list_free(pool, row->first.older);
    for (struct group *group = row->first.next, *next; group; group = next) {
        next = group->next;
        group_free(pool, group);
    }
    row->first = (struct group){.age = row->first.age, .form = ROW_CELLS};
}

/* Nothing that is remembered beside the cell matters any more. */
static bool is_idle(const struct extra *extra)
{
    return !extra->split && !extra->count && !extra->lost_observer && !extra->message.any &&
           !extra->released && !extra->arrived && !extra->passed && !extra->sc_readers;
}

void race_row_collapse(const struct touch *touch, struct row *row, uint32_t pattern)
{
    struct shadow_pool *pool = &touch->checker->pool;
    const struct stamp now = {touch->number, touch->epoch, touch->site_index << 10};
    const uint32_t *lanes = pool->patterns[pattern].lanes;

    for (unsigned word = 0; word < ROW_WORDS; word++) {
        const struct cell *cell = &row->as.cells[word];
        struct stamp write =
            stamp_in(touch->checker, now, word, lane_first(lanes[word]));
        if (cell->lanes || !same_stamp(cell->write, write) ||
            (cell->extra && !is_idle(pool->extras[cell->extra])))
            return;
    }
    for (unsigned word = 0; word < ROW_WORDS; word++)
        if (row->as.cells[word].extra)
            extra_free(pool, &row->as.cells[word]);
    cells_free(pool, row->as.cells);
    row->first = (struct group){
        .words = UINT32_MAX, .age = row->first.age, .write = {now, pattern}};
}
