/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.c - see journal.h. */
#include "check/journal.h"

#include <stdlib.h>
#include <string.h>

#include "emu/access.h"

enum { JOURNAL_PAGE = 4096 };

struct kept {
    uint64_t pages;
    unsigned char *page[]; /* NULL: not written */
};

struct journal {
    struct observer observer;
    struct arena arena;
    struct memory *memory;
    size_t allocations;    /* when the launch began */
    size_t freed;          /* of those */
    size_t after;          /* allocations when it ended */
    bool complete;
    struct kept **kept;    /* by number of the allocation */
    const unsigned char *last; /* the page written last, which is kept */
};

static struct journal *journal_of(const struct observer *observer)
{
    return (struct journal *)observer;
}

static size_t count_freed(const struct journal *journal)
{
    size_t freed = 0;

    for (size_t i = 0; i < journal->allocations; i++)
        freed += memory_at(journal->memory, i)->freed;
    return freed;
}

static void launch_begin(struct observer *self, struct launch_state *state)
{
    struct journal *journal = journal_of(self);

    journal->memory = state->memory;
    journal->allocations = memory_count(state->memory);
    journal->freed = count_freed(journal);
    journal->kept = ARENA_NEW_ARRAY(&journal->arena, journal->allocations, struct kept *);
}

static void launch_end(struct observer *self, struct launch_state *state)
{
    struct journal *journal = journal_of(self);

    journal->after = memory_count(state->memory);
    journal->complete = count_freed(journal) == journal->freed;
}

static uint64_t page_size(const struct allocation *allocation, uint64_t page)
{
    uint64_t left = allocation->size - page * JOURNAL_PAGE;

    return left < JOURNAL_PAGE ? left : JOURNAL_PAGE;
}

static void keep(struct journal *journal, const struct allocation *allocation, uint64_t page)
{
    struct kept **kept = &journal->kept[allocation->number];

    if (!*kept) {
        uint64_t pages = (allocation->size + JOURNAL_PAGE - 1) / JOURNAL_PAGE;
        *kept = arena_alloc(&journal->arena, sizeof **kept + pages * sizeof *(*kept)->page);
        memset((*kept)->page, 0, pages * sizeof *(*kept)->page);
        (*kept)->pages = pages;
    }
    if ((*kept)->page[page])
        return;
    uint64_t size = page_size(allocation, page);
    (*kept)->page[page] = arena_alloc(&journal->arena, size);
    memcpy((*kept)->page[page], allocation->host + page * JOURNAL_PAGE, size);
}

static void access_memory(struct observer *self, const struct access_event *event)
{
    struct journal *journal = journal_of(self);

    if (event->space != IR_SPACE_GLOBAL ||
        (event->kind != ACCESS_WRITE && event->kind != ACCESS_ATOMIC))
        return;
    FOR_LANES (lane, event->mask) {
        const struct allocation *allocation = access_allocation(event, lane);
        if (allocation->number >= journal->allocations)
            continue; /* made by the launch itself */
        uint64_t first = event->address[lane] - allocation->address;
        uint64_t page = first / JOURNAL_PAGE, last = (first + event->size - 1) / JOURNAL_PAGE;
        const unsigned char *at = allocation->host + page * JOURNAL_PAGE;
        if (at == journal->last && page == last)
            continue;
        for (; page <= last; page++)
            keep(journal, allocation, page);
        journal->last = at;
    }
}

struct observer *journal_new(void)
{
    struct journal *journal = calloc(1, sizeof *journal);

    if (!journal)
        abort();
    journal->observer = (struct observer){
        .launch_begin = launch_begin, .launch_end = launch_end, .access = access_memory};
    return &journal->observer;
}

void journal_free(struct observer *observer)
{
    if (observer)
        arena_free(&journal_of(observer)->arena);
    free(observer);
}

bool journal_complete(const struct observer *observer)
{
    return journal_of(observer)->complete;
}

static void swap(unsigned char *a, unsigned char *b, uint64_t size)
{
    unsigned char held[JOURNAL_PAGE];

    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

void journal_swap(struct observer *observer)
{
    struct journal *journal = journal_of(observer);

    for (size_t i = 0; i < journal->allocations; i++) {
        const struct allocation *allocation = memory_at(journal->memory, i);
        struct kept *kept = journal->kept[i];
        /* What served the first run alone is gone by now. */
        for (uint64_t page = 0; kept && allocation->host && page < kept->pages; page++)
            if (kept->page[page])
                swap(allocation->host + page * JOURNAL_PAGE, kept->page[page],
                     page_size(allocation, page));
    }
}

void journal_drop_new(struct observer *observer)
{
    struct journal *journal = journal_of(observer);

    for (size_t i = journal->after; i < memory_count(journal->memory); i++)
        memory_release(journal->memory, memory_at(journal->memory, i)->address);
}
