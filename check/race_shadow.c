/* SPDX-License-Identifier: Apache-2.0
 *
 * race_shadow.c - see race_shadow.h. */
#include "check/race_shadow.h"

#include <string.h>

void shadow_pool_start(struct shadow_pool *pool, struct arena *arena)
{
    *pool = (struct shadow_pool){.arena = arena};
    pool->extra_capacity = 64;
    pool->extras = ARENA_NEW_ARRAY(arena, pool->extra_capacity, struct extra *);
    pool->extra_count = 1;
}

void shadow_start(struct shadow_pool *pool, struct shadow *shadow, uint64_t size)
{
    shadow->count = (uint32_t)((size + PAGE_BYTES - 1) / PAGE_BYTES);
    shadow->pages = ARENA_NEW_ARRAY(pool->arena, shadow->count, struct page *);
}

struct page *shadow_page_new(struct shadow_pool *pool, struct shadow *shadow, uint32_t n)
{
    struct page *page = pool->free_pages;

    if (page) {
        pool->free_pages = page->next_free;
        memset(page, 0, sizeof *page);
    } else {
        page = ARENA_NEW(pool->arena, struct page);
    }
    return shadow->pages[n] = page;
}

static void extra_free(struct shadow_pool *pool, struct cell *cell)
{
    struct extra *extra = pool->extras[cell->extra];

    if (extra->split) {
        for (unsigned i = 0; i < CELL_BYTES; i++)
            if (extra->split->bytes[i].extra)
                extra_free(pool, &extra->split->bytes[i]);
        extra->split->next_free = pool->free_splits;
        pool->free_splits = extra->split;
    }
    /* The arrays stay with it. */
    *extra = (struct extra){.index = extra->index, .entries = extra->entries,
                            .capacity = extra->capacity,
                            .message.groups = extra->message.groups,
                            .message.group_capacity = extra->message.group_capacity,
                            .next_free = pool->free_extras};
    pool->free_extras = extra;
    cell->extra = 0;
}

void shadow_end(struct shadow_pool *pool, struct shadow *shadow)
{
    for (uint32_t n = 0; n < shadow->count; n++) {
        struct page *page = shadow->pages[n];
        if (!page)
            continue;
        for (unsigned i = 0; i < PAGE_CELLS; i++)
            if (page->cells[i].extra)
                extra_free(pool, &page->cells[i]);
        page->next_free = pool->free_pages;
        pool->free_pages = page;
        shadow->pages[n] = NULL;
    }
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

struct entry *entry_grow(struct shadow_pool *pool, struct extra *extra)
{
    struct {
        struct entry *items;
        uint32_t count, capacity;
    } list = {extra->entries, extra->count, extra->capacity};
    struct entry *entry = ARENA_PUSH(pool->arena, &list);

    extra->entries = list.items;
    extra->count = list.count;
    extra->capacity = list.capacity;
    return entry;
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
    cell_extra(pool, cell)->split = split;
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
        if (i == 0)
            bytes[i].extra = old->index;
        for (uint32_t k = 0; i > 0 && k < old->count; k++) {
            struct entry *entry = entry_add(pool, extra);
            *entry = old->entries[k];
            entry->stamp.what += i << 5;
        }
        extra->lost_observer = old->lost_observer;
        extra->older_writes = old->older_writes;
    }
}

/* --- messages ------------------------------------------------------------------------- */

void message_clear(struct message *message)
{
    message->wide = NULL;
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

static void mark_message(const struct message *message, const struct views *views)
{
    if (!message)
        return;
    view_mark(views, message->wide);
    for (uint32_t i = 0; i < message->group_count; i++)
        view_mark(views, message->groups[i].view);
}

void shadow_mark(const struct shadow_pool *pool, const struct views *views)
{
    for (uint32_t i = 1; i < pool->extra_count; i++) {
        const struct extra *extra = pool->extras[i];
        mark_message(&extra->message, views);
        mark_message(extra->arrived, views);
        mark_message(extra->passed, views);
        view_mark(views, extra->released);
    }
}
