/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.c - see journal.h. */
#include "check/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "emu/access.h"

enum { JOURNAL_PAGE = 4096 };

struct kept {
    unsigned char *undefined;  /* of the allocation after the launch, during another run */
    uint64_t pages;
    struct kept_page {
        unsigned char *before; /* NULL: not written */
        unsigned char *undefined; /* its undefined bits before; NULL: all or none */
        unsigned char *after;  /* the launch; NULL: as before */
    } page[];
};

struct journal {
    struct observer observer;
    struct arena arena;
    struct memory *memory;     /* NULL: the launch has not begun */
    bool ended;
    bool complete;
    size_t allocations;        /* when the launch began */
    size_t freed;              /* of those */
    size_t after;              /* allocations when it ended */
    struct kept **kept;        /* by number of the allocation */
    const unsigned char *last; /* the page written last, which is kept */
    bool garbage;
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

    if (journal->memory)
        return;
    journal->memory = state->memory;
    journal->allocations = memory_count(state->memory);
    journal->freed = count_freed(journal);
    journal->kept = ARENA_NEW_ARRAY(&journal->arena, journal->allocations, struct kept *);
}

static void launch_end(struct observer *self, struct launch_state *state)
{
    struct journal *journal = journal_of(self);

    if (journal->ended)
        return;
    journal->ended = true;
    journal->after = memory_count(state->memory);
    journal->complete = count_freed(journal) == journal->freed;
}

/* --- writes ------------------------------------------------------------------------------ */

static uint64_t page_size(const struct allocation *allocation, uint64_t page)
{
    uint64_t left = allocation->size - page * JOURNAL_PAGE;

    return left < JOURNAL_PAGE ? left : JOURNAL_PAGE;
}

static unsigned char *copy(struct journal *journal, const unsigned char *from, uint64_t size)
{
    return memcpy(arena_alloc(&journal->arena, size), from, size);
}

static struct kept *pages_of(struct journal *journal, const struct allocation *allocation)
{
    struct kept **kept = &journal->kept[allocation->number];

    if (!*kept) {
        uint64_t pages = (allocation->size + JOURNAL_PAGE - 1) / JOURNAL_PAGE;
        uint64_t size = sizeof **kept + pages * sizeof *(*kept)->page;
        *kept = memset(arena_alloc(&journal->arena, size), 0, size);
        (*kept)->pages = pages;
    }
    return *kept;
}

static void keep(struct journal *journal, const struct allocation *allocation, uint64_t page)
{
    struct kept_page *kept = &pages_of(journal, allocation)->page[page];
    uint64_t start = page * JOURNAL_PAGE, size = page_size(allocation, page);

    if (kept->before)
        return;
    kept->before = copy(journal, allocation->host + start, size);
    if (allocation->undefined_bits)
        kept->undefined = copy(journal, allocation->undefined_bits + start, size);
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

static bool access_row(struct observer *self, const struct access_row *row)
{
    struct journal *journal = journal_of(self);
    const struct allocation *allocation = row->allocation;
    const uint32_t size = row->shape->size;

    if (!row->writes || row->space != IR_SPACE_GLOBAL ||
        allocation->number >= journal->allocations)
        return true;
    const uint64_t end = row->offset + row->shape->span - 1;
    if (row->offset / JOURNAL_PAGE == end / JOURNAL_PAGE &&
        allocation->host + end / JOURNAL_PAGE * JOURNAL_PAGE == journal->last)
        return true;
    FOR_LANES (lane, row->mask) {
        uint64_t first = row->offset + row->shape->place[lane], page = first / JOURNAL_PAGE;
        const unsigned char *at = allocation->host + page * JOURNAL_PAGE;
        if (at == journal->last && page == (first + size - 1) / JOURNAL_PAGE)
            continue;
        for (; page <= (first + size - 1) / JOURNAL_PAGE; page++)
            keep(journal, allocation, page);
        journal->last = at;
    }
    return true;
}

/* --- back and forth ------------------------------------------------------------------------ */

/* The undefined bits before the launch, from malloc; NULL: all or none of them. */
static unsigned char *undefined_before(const struct allocation *allocation,
                                       const struct kept *kept)
{
    if (!allocation->undefined_bits)
        return NULL;
    unsigned char *bits = malloc(allocation->size);
    if (!bits)
        out_of_memory(0);
    memcpy(bits, allocation->undefined_bits, allocation->size);
    for (uint64_t page = 0; kept && page < kept->pages; page++) {
        unsigned char *at = bits + page * JOURNAL_PAGE;
        if (kept->page[page].undefined)
            memcpy(at, kept->page[page].undefined, page_size(allocation, page));
        else if (kept->page[page].before)
            memset(at, allocation->undefined ? 0xff : 0, page_size(allocation, page));
    }
    return bits;
}

static void fill(struct journal *journal, const struct allocation *allocation, uint64_t garbage)
{
    const unsigned char *undefined = allocation->undefined_bits;

    for (uint64_t i = 0; i < allocation->size; i++) {
        unsigned char bits = undefined ? undefined[i] : 0xff;
        if (!bits)
            continue;
        keep(journal, allocation, i / JOURNAL_PAGE);
        unsigned char new = (unsigned char)(random_at(garbage + allocation->number, i / 8) >>
                                            i % 8 * 8);
        allocation->host[i] = (unsigned char)((allocation->host[i] & ~bits) | (new & bits));
    }
}

void journal_rewind(struct observer *observer, uint64_t garbage)
{
    struct journal *journal = journal_of(observer);

    journal->garbage = garbage != 0;
    for (size_t i = 0; i < journal->allocations; i++) {
        struct allocation *allocation = memory_at(journal->memory, i);
        struct kept *kept = journal->kept[i];
        if (!allocation->host) /* what served the first run alone is gone by now */
            continue;
        for (uint64_t page = 0; kept && page < kept->pages; page++) {
            struct kept_page *p = &kept->page[page];
            unsigned char *at = allocation->host + page * JOURNAL_PAGE;
            if (!p->before)
                continue;
            if (!p->after)
                p->after = copy(journal, at, page_size(allocation, page));
            memcpy(at, p->before, page_size(allocation, page));
        }
        if (!garbage || (!allocation->undefined && !allocation->undefined_bits))
            continue;
        unsigned char *before = undefined_before(allocation, kept);
        kept = pages_of(journal, allocation);
        kept->undefined = allocation->undefined_bits;
        allocation->undefined_bits = before;
        if (allocation->kind != ALLOCATION_CONST)
            fill(journal, allocation, garbage);
    }
}

void journal_forward(struct observer *observer)
{
    struct journal *journal = journal_of(observer);

    for (size_t i = 0; i < journal->allocations; i++) {
        struct allocation *allocation = memory_at(journal->memory, i);
        struct kept *kept = journal->kept[i];
        if (!allocation->host || !kept)
            continue;
        for (uint64_t page = 0; page < kept->pages; page++) {
            const struct kept_page *p = &kept->page[page];
            if (p->before)
                memcpy(allocation->host + page * JOURNAL_PAGE, p->after ? p->after : p->before,
                       page_size(allocation, page));
        }
        if (journal->garbage && (kept->undefined || allocation->undefined_bits)) {
            free(allocation->undefined_bits);
            allocation->undefined_bits = kept->undefined;
            kept->undefined = NULL;
        }
    }
    journal->garbage = false;
    for (size_t i = journal->after; i < memory_count(journal->memory); i++)
        memory_release(journal->memory, memory_at(journal->memory, i)->address);
}

/* --- life ------------------------------------------------------------------------------------- */

struct observer *journal_new(void)
{
    struct journal *journal = calloc(1, sizeof *journal);

    if (!journal)
        out_of_memory(0);
    journal->observer = (struct observer){
        .knows_constants = true, .row = access_row,
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
