/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c - best fit in segments, with merging of neighbours.
 *
 * Every byte of a segment belongs to exactly one block; the blocks of a
 * segment form a list in address order, free ones are also in the bin of their
 * size (powers of two). A request takes the smallest free block that fits, the
 * oldest of equals; a freed block joins free neighbours tied to the same
 * queue. A table finds the block of an address. */
#include "gpu/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { BIN_COUNT = 64, FIRST_BUCKETS = 256 };

enum block_state { BLOCK_LIVE, BLOCK_FREE };

struct block {
    uint64_t address, size; /* size is a multiple of the alignment */
    uint64_t asked;         /* LIVE: bytes requested */
    uint64_t number;        /* LIVE: which allocation, from 1; FREE: age */
    enum block_state state;
    bool settled;           /* FREE: any queue may have it */
    const void *queue;      /* FREE and not settled: the only one that may */
    char *label;
    struct segment *segment;
    struct block *before, *after;          /* neighbours in the segment */
    struct block *bin_before, *bin_after;  /* FREE: in its bin */
    struct block *chain;                   /* in its bucket of the table */
};

struct segment {
    uint64_t address, size;
    struct block *first;
    struct segment *next; /* in order of age */
};

struct pool {
    struct pool_backing backing;
    uint64_t segment_size, alignment;
    struct segment *segments;
    struct block *bins[BIN_COUNT];
    struct block **buckets;
    size_t bucket_count, block_count;
    uint64_t age;
    struct pool_stats stats; /* the counters kept as they change */
};

static void *host_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory) {
        fprintf(stderr, "simtlab: out of host memory (%zu bytes asked)\n", count * size);
        out_of_memory(0);
    }
    return memory;
}

/* --- the table of blocks by address ---------------------------------------- */

static size_t bucket_of(const struct pool *pool, uint64_t address)
{
    return (size_t)((address / pool->alignment * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
           (pool->bucket_count - 1);
}

static struct block *find_block(const struct pool *pool, uint64_t address)
{
    struct block *block = pool->buckets[bucket_of(pool, address)];

    while (block && block->address != address)
        block = block->chain;
    return block;
}

static void table_add(struct pool *pool, struct block *block)
{
    struct block **bucket = &pool->buckets[bucket_of(pool, block->address)];

    block->chain = *bucket;
    *bucket = block;
}

static void table_grow(struct pool *pool)
{
    struct block **old = pool->buckets;
    size_t old_count = pool->bucket_count;

    pool->bucket_count *= 2;
    pool->buckets = host_memory(pool->bucket_count, sizeof *pool->buckets);
    for (size_t i = 0; i < old_count; i++) {
        for (struct block *block = old[i], *next; block; block = next) {
            next = block->chain;
            table_add(pool, block);
        }
    }
    free(old);
}

static struct block *block_new(struct pool *pool, struct segment *segment,
                               uint64_t address, uint64_t size)
{
    struct block *block = host_memory(1, sizeof *block);

    block->address = address;
    block->size = size;
    block->segment = segment;
    if (++pool->block_count > pool->bucket_count)
        table_grow(pool);
    table_add(pool, block);
    return block;
}

static void block_delete(struct pool *pool, struct block *block)
{
    struct block **link = &pool->buckets[bucket_of(pool, block->address)];

    while (*link != block)
        link = &(*link)->chain;
    *link = block->chain;
    pool->block_count--;
    free(block->label);
    free(block);
}

/* --- free blocks ------------------------------------------------------------ */

static unsigned bin_of(uint64_t size)
{
    return 63u - (unsigned)__builtin_clzll(size);
}

static void bin_remove(struct pool *pool, struct block *block)
{
    if (block->bin_before)
        block->bin_before->bin_after = block->bin_after;
    else
        pool->bins[bin_of(block->size)] = block->bin_after;
    if (block->bin_after)
        block->bin_after->bin_before = block->bin_before;
    block->bin_before = block->bin_after = NULL;
}

static bool may_join(const struct block *a, const struct block *b)
{
    return a && b && a->state == BLOCK_FREE && b->state == BLOCK_FREE &&
           a->settled == b->settled && (a->settled || a->queue == b->queue);
}

/* Appends the block behind it to the block; neither is in a bin. */
static void join_after(struct pool *pool, struct block *block)
{
    struct block *behind = block->after;

    block->size += behind->size;
    block->after = behind->after;
    if (block->after)
        block->after->before = block;
    block_delete(pool, behind);
}

/* Puts a free block that is in no bin into one, joined with its neighbours. */
static struct block *bin_add(struct pool *pool, struct block *block)
{
    if (may_join(block, block->after)) {
        bin_remove(pool, block->after);
        join_after(pool, block);
    }
    if (may_join(block->before, block)) {
        block = block->before;
        bin_remove(pool, block);
        join_after(pool, block);
    }
    struct block **bin = &pool->bins[bin_of(block->size)];
    block->number = ++pool->age;
    block->bin_before = NULL;
    block->bin_after = *bin;
    if (*bin)
        (*bin)->bin_before = block;
    *bin = block;
    return block;
}

static struct block *find_fit(const struct pool *pool, uint64_t size, const void *queue)
{
    for (unsigned bin = bin_of(size); bin < BIN_COUNT; bin++) {
        struct block *best = NULL;
        for (struct block *block = pool->bins[bin]; block; block = block->bin_after) {
            if (block->size < size || (!block->settled && block->queue != queue))
                continue;
            if (!best || block->size < best->size ||
                (block->size == best->size && block->number < best->number))
                best = block;
        }
        if (best)
            return best;
    }
    return NULL;
}

/* --- segments ----------------------------------------------------------------- */

static struct block *segment_obtain(struct pool *pool, uint64_t least)
{
    uint64_t size = least > pool->segment_size ? least : pool->segment_size;
    uint64_t address;

    if (!pool->backing.obtain(pool->backing.self, size, &address)) {
        if (size == least ||
            !pool->backing.obtain(pool->backing.self, least, &address))
            return NULL;
        size = least;
    }
    struct segment *segment = host_memory(1, sizeof *segment);
    struct segment **last = &pool->segments;
    while (*last)
        last = &(*last)->next;
    *last = segment;
    segment->address = address;
    segment->size = size;
    segment->first = block_new(pool, segment, address, size);
    segment->first->state = BLOCK_FREE;
    segment->first->settled = true;
    pool->stats.backing_requests++;
    pool->stats.segments++;
    pool->stats.reserved += size;
    if (pool->stats.reserved > pool->stats.peak_reserved)
        pool->stats.peak_reserved = pool->stats.reserved;
    return bin_add(pool, segment->first);
}

static void segment_delete(struct pool *pool, struct segment *segment)
{
    for (struct block *block = segment->first, *next; block; block = next) {
        next = block->after;
        if (block->state == BLOCK_FREE)
            bin_remove(pool, block);
        block_delete(pool, block);
    }
    pool->stats.segments--;
    pool->stats.reserved -= segment->size;
    pool->backing.give_back(pool->backing.self, segment->address);
    free(segment);
}

void pool_trim(struct pool *pool)
{
    for (struct segment **link = &pool->segments; *link;) {
        struct segment *segment = *link;
        struct block *only = segment->first;

        if (only->after || only->state != BLOCK_FREE || !only->settled) {
            link = &segment->next;
            continue;
        }
        *link = segment->next;
        segment_delete(pool, segment);
    }
}

/* --- the public face ----------------------------------------------------------- */

struct pool *pool_open(struct pool_backing backing, struct pool_options options)
{
    struct pool *pool = host_memory(1, sizeof *pool);

    pool->backing = backing;
    pool->alignment = options.alignment ? options.alignment : 256;
    pool->segment_size = options.segment_size ? options.segment_size : UINT64_C(32) << 20;
    pool->segment_size = (pool->segment_size + pool->alignment - 1) & ~(pool->alignment - 1);
    pool->bucket_count = FIRST_BUCKETS;
    pool->buckets = host_memory(FIRST_BUCKETS, sizeof *pool->buckets);
    return pool;
}

size_t pool_close(struct pool *pool, struct text *leaks)
{
    if (!pool)
        return 0;
    size_t live = pool_leaks(pool, leaks);
    while (pool->segments) {
        struct segment *segment = pool->segments;
        pool->segments = segment->next;
        segment_delete(pool, segment);
    }
    free(pool->buckets);
    free(pool);
    return live;
}

/* Cuts the block down to size; what is left stays free for the same queue. */
static void split(struct pool *pool, struct block *block, uint64_t size)
{
    if (block->size == size)
        return;
    struct block *rest = block_new(pool, block->segment, block->address + size,
                                   block->size - size);
    rest->state = BLOCK_FREE;
    rest->settled = block->settled;
    rest->queue = block->queue;
    rest->before = block;
    rest->after = block->after;
    if (rest->after)
        rest->after->before = rest;
    block->after = rest;
    block->size = size;
    block->state = BLOCK_LIVE; /* so that the rest does not join it again */
    bin_add(pool, rest);
}

enum pool_status pool_alloc(struct pool *pool, uint64_t size, const void *queue,
                            const char *label, uint64_t *address)
{
    struct pool_stats *stats = &pool->stats;

    if (size == 0 || size > UINT64_MAX / 4)
        return POOL_TOO_LARGE;
    uint64_t rounded = (size + pool->alignment - 1) & ~(pool->alignment - 1);
    struct block *block = find_fit(pool, rounded, queue);
    if (!block)
        block = segment_obtain(pool, rounded);
    if (!block) {
        pool_trim(pool);
        block = segment_obtain(pool, rounded);
    }
    if (!block)
        return POOL_EXHAUSTED;
    bin_remove(pool, block);
    split(pool, block, rounded);
    block->state = BLOCK_LIVE;
    block->asked = size;
    block->number = ++stats->allocations;
    if (label) {
        block->label = host_memory(strlen(label) + 1, 1);
        strcpy(block->label, label);
    }
    stats->in_use += size;
    stats->rounding += rounded - size;
    if (stats->in_use > stats->peak_in_use)
        stats->peak_in_use = stats->in_use;
    if (++stats->live > stats->peak_live)
        stats->peak_live = stats->live;
    *address = block->address;
    return POOL_OK;
}

enum pool_status pool_free(struct pool *pool, uint64_t address, const void *queue)
{
    struct block *block = find_block(pool, address);

    if (!block)
        return POOL_NOT_OURS;
    if (block->state == BLOCK_FREE)
        return POOL_ALREADY_FREE;
    pool->stats.frees++;
    pool->stats.live--;
    pool->stats.in_use -= block->asked;
    pool->stats.rounding -= block->size - block->asked;
    free(block->label);
    block->label = NULL;
    block->state = BLOCK_FREE;
    block->settled = false;
    block->queue = queue;
    bin_add(pool, block);
    return POOL_OK;
}

void pool_settle(struct pool *pool, const void *queue, bool all)
{
    for (struct segment *segment = pool->segments; segment; segment = segment->next) {
        for (struct block *block = segment->first; block; block = block->after) {
            if (block->state != BLOCK_FREE || block->settled ||
                (!all && block->queue != queue))
                continue;
            bin_remove(pool, block);
            block->settled = true;
            block = bin_add(pool, block); /* may be the one before it, now larger */
        }
    }
}

uint64_t pool_size_at(const struct pool *pool, uint64_t address)
{
    const struct block *block = find_block(pool, address);

    return block && block->state == BLOCK_LIVE ? block->asked : 0;
}

void pool_read_stats(const struct pool *pool, struct pool_stats *stats)
{
    *stats = pool->stats;
    for (const struct segment *s = pool->segments; s; s = s->next) {
        for (const struct block *block = s->first; block; block = block->after) {
            if (block->state != BLOCK_FREE)
                continue;
            stats->free_blocks++;
            stats->free_bytes += block->size;
            if (!block->settled)
                stats->unsettled += block->size;
            if (block->size > stats->largest_free)
                stats->largest_free = block->size;
        }
    }
    if (stats->free_bytes) {
        uint64_t outside = stats->free_bytes - stats->largest_free;
        /* Device memory is far below 2^54 bytes: no overflow. */
        stats->fragmentation = (uint32_t)(outside * 1000 / stats->free_bytes);
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t left = (*(struct block *const *)a)->number;
    uint64_t right = (*(struct block *const *)b)->number;

    return left < right ? -1 : left > right;
}

size_t pool_leaks(const struct pool *pool, struct text *out)
{
    size_t count = 0;

    if (!pool->stats.live || !out)
        return (size_t)pool->stats.live;
    struct block **live = host_memory((size_t)pool->stats.live, sizeof *live);
    for (const struct segment *s = pool->segments; s; s = s->next)
        for (struct block *block = s->first; block; block = block->after)
            if (block->state == BLOCK_LIVE)
                live[count++] = block;
    qsort(live, count, sizeof *live, by_number);
    for (size_t i = 0; i < count; i++)
        text_printf(out, "leak: allocation %llu, %llu bytes%s%s\n",
                    (unsigned long long)live[i]->number,
                    (unsigned long long)live[i]->asked, live[i]->label ? ", " : "",
                    live[i]->label ? live[i]->label : "");
    free(live);
    return count;
}

void pool_print_stats(struct text *out, const struct pool_stats *s)
{
    text_printf(out,
                "device memory: %llu allocations, %llu freed, %llu live (at most %llu)\n"
                "  in use     %llu bytes (at most %llu), %llu lost to alignment\n"
                "  reserved   %llu bytes in %llu segments (at most %llu bytes), %llu obtained\n"
                "  free       %llu bytes in %llu blocks, largest %llu, fragmentation %u.%u%%\n",
                (unsigned long long)s->allocations, (unsigned long long)s->frees,
                (unsigned long long)s->live, (unsigned long long)s->peak_live,
                (unsigned long long)s->in_use, (unsigned long long)s->peak_in_use,
                (unsigned long long)s->rounding, (unsigned long long)s->reserved,
                (unsigned long long)s->segments, (unsigned long long)s->peak_reserved,
                (unsigned long long)s->backing_requests, (unsigned long long)s->free_bytes,
                (unsigned long long)s->free_blocks, (unsigned long long)s->largest_free,
                s->fragmentation / 10, s->fragmentation % 10);
}
