/* SPDX-License-Identifier: Apache-2.0
 *
 * race_shadow.c - see race_shadow.h. */
#include "config.h"

#include "check/race_shadow.h"

#include "base/arena.h"
#include "check/race_history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void shadow_pool_start(struct shadow_pool *pool, struct arena *arena)
{
    *pool = (struct shadow_pool){.arena = arena};
    pool->extra_capacity = 64;
    pool->extras = ARENA_NEW_ARRAY(arena, pool->extra_capacity, struct extra *);
    pool->extra_count = 1;
    pool->thin_count = 1;
    pool->thin_capacity = 64;
    pool->thin_stamps = ARENA_NEW_ARRAY(arena, pool->thin_capacity, struct stamp);
    pool->pattern_capacity = 16;
    pool->patterns = ARENA_NEW_ARRAY(arena, pool->pattern_capacity, struct pattern);
    pool->pattern_count = 1;
}

void shadow_pool_end(struct shadow_pool *pool)
{
    for (uint32_t i = 0; i < pool->slabs.count; i++)
        free(pool->slabs.items[i]);
    pool->slabs.count = 0;
}

/* Once there is much of it, it comes in pages that the host finds quickly. */
void *lines_new(struct shadow_pool *pool, size_t size)
{
    enum { LINE = 64, SLAB = 1 << 16, SMALL_SLABS = 16, LARGE_SLAB = 1 << 21 };

    if (pool->slab_left < size && pool->small_slabs < SMALL_SLABS) {
        unsigned char *slab = arena_alloc(pool->arena, SLAB + LINE);
        pool->slab = slab + (LINE - (uintptr_t)slab % LINE) % LINE;
        pool->slab_left = SLAB;
        pool->small_slabs++;
    } else if (pool->slab_left < size) {
        unsigned char *slab = aligned_alloc(LARGE_SLAB, LARGE_SLAB);
        if (!slab)
            out_of_memory(0);
#ifdef MADV_HUGEPAGE
        madvise(slab, LARGE_SLAB, MADV_HUGEPAGE);
#endif
        memset(slab, 0, LARGE_SLAB);
        *ARENA_PUSH(pool->arena, &pool->slabs) = slab;
        pool->slab = slab;
        pool->slab_left = LARGE_SLAB;
    }
    unsigned char *block = pool->slab;
    pool->slab += size;
    pool->slab_left -= size;
    return block;
}

void shadow_start(struct shadow_pool *pool, struct shadow *shadow, uint64_t size)
{
    shadow->count = (uint32_t)((size + PAGE_BYTES - 1) / PAGE_BYTES);
    shadow->pages = ARENA_NEW_ARRAY(pool->arena, shadow->count, union page *);
}

union page *shadow_page_new(struct shadow_pool *pool, struct shadow *shadow, uint32_t n)
{
    union page *page = shadow->aged ? shadow->aged[n] : NULL;

    if (page) {
        shadow->aged[n] = NULL;
        return shadow->pages[n] = page;
    }
    page = pool->free_pages;
    if (page) {
        pool->free_pages = page->next_free;
        memset(page, 0, sizeof *page);
    } else {
        page = lines_new(pool, sizeof *page);
    }
    return shadow->pages[n] = page;
}

void extra_free(struct shadow_pool *pool, struct cell *cell)
{
    struct extra *extra = pool->extras[cell->extra];

    if (extra->split) {
        for (unsigned i = 0; i < CELL_BYTES; i++)
            if (extra->split->bytes[i].extra)
                extra_free(pool, &extra->split->bytes[i]);
        extra->split->next_free = pool->free_splits;
        pool->free_splits = extra->split;
    }
    if (extra->history) {
        extra->history->count = 0;
        extra->history->base = 0;
    }
    /* The arrays stay with it. */
    *extra = (struct extra){.index = extra->index, .entries = extra->entries,
                            .capacity = extra->capacity,
                            .message.groups = extra->message.groups,
                            .message.group_capacity = extra->message.group_capacity,
                            .history = extra->history,
                            .next_free = pool->free_extras};
    pool->free_extras = extra;
    cell->extra = 0;
}

static void row_end(struct shadow_pool *pool, struct row *row)
{
    switch ((enum row_form)row->first.form) {
    case ROW_CELLS:
        for (unsigned i = 0; i < ROW_WORDS; i++)
            if (row->as.cells[i].extra)
                extra_free(pool, &row->as.cells[i]);
        cells_free(pool, row->as.cells);
        break;
    case ROW_THIN:
        thin_free(pool, row->as.thin);
        break;
    case ROW_MANY:
        many_free(pool, row->as.many);
        break;
    case ROW_GROUPS_ONLY:
        break;
    }
    past_list_free(pool, row->first.older);
    for (struct group *group = row->first.next, *next; group; group = next) {
        next = group->next;
        group_free(pool, group);
    }
}

void shadow_row_renew(struct shadow_pool *pool, const struct shadow *shadow, struct row *row)
{
    row_end(pool, row);
    *row = (struct row){.first.age = shadow->age};
}

static void page_end(struct shadow_pool *pool, union page **page)
{
    if (!*page)
        return;
    for (unsigned i = 0; i < PAGE_ROWS; i++)
        row_end(pool, &(*page)->rows[i]);
    (*page)->next_free = pool->free_pages;
    pool->free_pages = *page;
    *page = NULL;
}

static void drop_logs(struct shadow_pool *pool, struct shadow *shadow)
{
    for (uint32_t n = 0; shadow->logs && n < shadow->count; n++)
        if (shadow->logs[n])
            race_log_drop(pool, shadow, n);
}

void shadow_renew(struct shadow_pool *pool, struct shadow *shadow)
{
    shadow->age++;
    drop_logs(pool, shadow);
    if (!shadow->aged)
        shadow->aged = ARENA_NEW_ARRAY(pool->arena, shadow->count, union page *);
    for (uint32_t n = 0; n < shadow->count; n++)
        if (shadow->pages[n]) {
            shadow->aged[n] = shadow->pages[n];
            shadow->pages[n] = NULL;
        }
}

void shadow_end(struct shadow_pool *pool, struct shadow *shadow)
{
    drop_logs(pool, shadow);
    for (uint32_t n = 0; n < shadow->count; n++) {
        page_end(pool, &shadow->pages[n]);
        if (shadow->aged)
            page_end(pool, &shadow->aged[n]);
    }
    shadow->age = 0;
}

struct extra *cell_extra(struct shadow_pool *pool, struct cell *cell)
{
    if (cell->extra)
        return pool->extras[cell->extra];
    struct extra *extra = pool->free_extras;
    if (extra) {
        pool->free_extras = extra->next_free;
        extra->next_free = NULL;
    } else {
        struct {
            struct extra **items;
            uint32_t count, capacity;
        } list = {pool->extras, pool->extra_count, pool->extra_capacity};
        extra = ARENA_NEW(pool->arena, struct extra);
        extra->index = list.count;
        *ARENA_PUSH(pool->arena, &list) = extra;
        pool->extras = list.items;
        pool->extra_count = list.count;
        pool->extra_capacity = list.capacity;
    }
    cell->extra = extra->index;
    return extra;
}

/* Room in lists: few have more than four items. */
static const uint32_t list_sizes[LIST_SIZES] = {4, 12, 40};

static unsigned size_class(uint32_t count)
{
    unsigned class = 0;

    while (class < LIST_SIZES - 1 && list_sizes[class] < count)
        class++;
    return class;
}

struct entry *entry_grow(struct shadow_pool *pool, struct extra *extra)
{
    unsigned class = size_class(extra->count + 1);
    struct entry **free_list = &pool->free_entries[class], *bigger = *free_list;

    if (bigger)
        memcpy(free_list, bigger, sizeof *free_list);
    else
        bigger = arena_alloc(pool->arena, list_sizes[class] * sizeof *bigger);
    if (extra->capacity) {
        memcpy(bigger, extra->entries, extra->count * sizeof *bigger);
        free_list = &pool->free_entries[size_class(extra->capacity)];
        memcpy(extra->entries, free_list, sizeof *free_list);
        *free_list = extra->entries;
    }
    extra->entries = bigger;
    extra->capacity = list_sizes[class];
    return &extra->entries[extra->count++];
}

void cell_split(struct shadow_pool *pool, struct cell *cell)
{
    struct cell whole = *cell;
    struct extra *old = cell->extra ? pool->extras[cell->extra] : NULL;
    struct split *split = pool->free_splits;

    if (split)
        pool->free_splits = split->next_free;
    else
        split = ARENA_NEW(pool->arena, struct split);
    *cell = (struct cell){0};
    struct extra *container = cell_extra(pool, cell);
    container->split = split;
    if (old) {
        container->sc_readers = old->sc_readers;
        old->sc_readers = NULL;
    }
    struct cell *bytes = split->bytes;
    for (unsigned i = 0; i < CELL_BYTES; i++) {
        bytes[i] = whole;
        bytes[i].extra = 0;
        bytes[i].write.what += whole.write.what ? i << 5 : 0;
        bytes[i].read.what += whole.read.what ? i << 5 : 0;
        if (!old)
            continue;
        /* What belongs to the place as a whole stays with its first byte. */
        struct extra *extra = i == 0 ? old : cell_extra(pool, &bytes[i]);
        if (i == 0) {
            bytes[i].extra = old->index;
            old->history = NULL; /* of the whole cell, which is no more */
        }
        for (uint32_t k = 0; i > 0 && k < old->count; k++) {
            struct entry *entry = entry_add(pool, extra);
            *entry = old->entries[k];
            entry->stamp.what += i << 5;
        }
        extra->lost_observer = old->lost_observer;
        extra->older_writes = old->older_writes;
    }
}

/* --- rows ------------------------------------------------------------------------------ */

/* Blank: one that was given back, or a new one. */
static void *block_new(struct shadow_pool *pool, void **given_back, size_t size)
{
    void *block = *given_back;

    if (!block)
        return lines_new(pool, size);
    memcpy(given_back, block, sizeof *given_back);
    memset(block, 0, size);
    return block;
}

static void block_free(void **given_back, void *block)
{
    memcpy(block, given_back, sizeof *given_back);
    *given_back = block;
}

struct cell *cells_new(struct shadow_pool *pool)
{
    return block_new(pool, &pool->free_cells, ROW_WORDS * sizeof(struct cell));
}

void cells_free(struct shadow_pool *pool, struct cell *cells)
{
    block_free(&pool->free_cells, cells);
}

uint32_t *thin_new(struct shadow_pool *pool)
{
    return block_new(pool, &pool->free_thin, ROW_WORDS * sizeof(uint32_t));
}

void thin_free(struct shadow_pool *pool, uint32_t *thin)
{
    block_free(&pool->free_thin, thin);
}

struct thin_reads *many_new(struct shadow_pool *pool)
{
    return block_new(pool, &pool->free_many, ROW_WORDS * sizeof(struct thin_reads));
}

void many_free(struct shadow_pool *pool, struct thin_reads *many)
{
    block_free(&pool->free_many, many);
}

uint32_t thin_stamp_new(struct shadow_pool *pool, struct stamp stamp)
{
    struct {
        struct stamp *items;
        uint32_t count, capacity;
    } list = {pool->thin_stamps, pool->thin_count, pool->thin_capacity};

    if (list.count >= THIN_LIMIT)
        return 0;
    *ARENA_PUSH(pool->arena, &list) = stamp;
    pool->thin_stamps = list.items;
    pool->thin_count = list.count;
    pool->thin_capacity = list.capacity;
    return list.count - 1;
}

struct group *group_new(struct shadow_pool *pool)
{
    struct group *group = pool->free_groups;

    if (!group)
        return ARENA_NEW(pool->arena, struct group);
    pool->free_groups = group->next;
    *group = (struct group){0};
    return group;
}

void group_free(struct shadow_pool *pool, struct group *group)
{
    past_list_free(pool, group->older);
    group->next = pool->free_groups;
    pool->free_groups = group;
}

struct past_list *past_list_copy(struct shadow_pool *pool, const struct past_list *list)
{
    unsigned class = size_class(list ? list->count + 1 : 1);
    struct past_list **free_list = &pool->free_lists[class], *new = *free_list;

    if (new)
        memcpy(free_list, new->items, sizeof *free_list);
    else
        new = arena_alloc(pool->arena,
                          sizeof *new + list_sizes[class] * sizeof(struct past));
    *new = (struct past_list){.capacity = list_sizes[class]};
    if (list) {
        new->count = list->count;
        new->crowded = list->crowded;
        memcpy(new->items, list->items, list->count * sizeof *list->items);
    }
    return new;
}

void past_list_free(struct shadow_pool *pool, struct past_list *list)
{
    if (!list)
        return;
    struct past_list **free_list = &pool->free_lists[size_class(list->capacity)];
    memcpy(list->items, free_list, sizeof *free_list);
    *free_list = list;
}

uint32_t pattern_of(struct shadow_pool *pool, const uint32_t lanes[ROW_WORDS])
{
    uint64_t hash = 0;
    struct pattern new = {0};

    for (unsigned i = 0; i < ROW_WORDS; i++)
        hash = (hash ^ lanes[i]) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *head = &pool->pattern_hash[hash >> 32 & (PATTERN_HASH - 1)];
    for (uint32_t i = *head; i; i = pool->patterns[i].next)
        if (!memcmp(pool->patterns[i].lanes, lanes, sizeof new.lanes))
            return i;
    if (pool->pattern_count >= PATTERN_LIMIT)
        return 0;
    memcpy(new.lanes, lanes, sizeof new.lanes);
    new.single = true;
    for (unsigned i = 0; i < ROW_WORDS; i++) {
        new.words |= (uint32_t)(lanes[i] != 0) << i;
        new.single = new.single && !(lanes[i] & (lanes[i] - 1));
    }
    new.next = *head;
    struct {
        struct pattern *items;
        uint32_t count, capacity;
    } list = {pool->patterns, pool->pattern_count, pool->pattern_capacity};
    *ARENA_PUSH(pool->arena, &list) = new;
    pool->patterns = list.items;
    pool->pattern_count = list.count;
    pool->pattern_capacity = list.capacity;
    return *head = list.count - 1;
}

/* --- messages ------------------------------------------------------------------------- */

void message_clear(struct message *message)
{
    message->wide = message->told = NULL;
    message->group_count = 0;
    message->collapsed = message->any = false;
}

struct message_group *message_group(struct shadow_pool *pool, struct message *message,
                                    bool cluster, uint32_t id)
{
    for (uint32_t i = message->group_count; i-- > 0;)
        if (message->groups[i].id == id && message->groups[i].cluster == cluster)
            return &message->groups[i];
    struct {
        struct message_group *items;
        uint32_t count, capacity;
    } list = {message->groups, message->group_count, message->group_capacity};
    struct message_group *group = ARENA_PUSH(pool->arena, &list);
    *group = (struct message_group){.cluster = cluster, .id = id};
    message->groups = list.items;
    message->group_count = list.count;
    message->group_capacity = list.capacity;
    return group;
}

void message_mark(const struct message *message, const struct views *views)
{
    if (!message)
        return;
    view_mark(views, message->wide);
    view_mark(views, message->told);
    for (uint32_t i = 0; i < message->group_count; i++)
        view_mark(views, message->groups[i].view);
}

void shadow_mark(const struct shadow_pool *pool, const struct views *views)
{
    for (uint32_t i = 1; i < pool->extra_count; i++) {
        const struct extra *extra = pool->extras[i];
        message_mark(&extra->message, views);
        message_mark(extra->arrived, views);
        message_mark(extra->passed, views);
        message_mark(extra->sc_readers, views);
        race_mark_history(extra->history, views);
    }
}
