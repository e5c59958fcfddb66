/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.h - a pooling sub-allocator for device memory.
 *
 * Asking the driver for memory is slow and waits for the device; the pool asks
 * for large segments and cuts them. It never touches the memory itself, so it
 * works over any backing and is tested without a GPU.
 *
 * Work on a device is asynchronous: memory freed on a queue (a stream) may be
 * in use by work queued before. So it serves that same queue at once, whose
 * work comes in order, and other queues only after pool_settle said that the
 * queue's work is done. */
#ifndef SIMTLAB_GPU_POOL_H
#define SIMTLAB_GPU_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct pool;

struct pool_backing {
    void *self;
    /* True and *address set, or false when there is no more. */
    bool (*obtain)(void *self, uint64_t size, uint64_t *address);
    void (*give_back)(void *self, uint64_t address);
};

struct pool_options {
    uint64_t segment_size; /* bytes asked of the backing; 0: 32 MiB */
    uint64_t alignment;    /* of every address; a power of two; 0: 256 */
};

struct pool_stats {
    uint64_t allocations, frees; /* calls that succeeded */
    uint64_t backing_requests;   /* segments ever obtained */
    uint64_t live, peak_live;    /* allocations now, and at most */
    uint64_t in_use, peak_in_use;     /* bytes as asked for */
    uint64_t rounding;           /* bytes lost to alignment in live allocations */
    uint64_t segments, reserved, peak_reserved; /* held from the backing; bytes */
    uint64_t free_blocks, free_bytes, largest_free; /* inside the segments */
    uint64_t unsettled;          /* of free_bytes, those tied to a queue */
    uint32_t fragmentation;      /* thousandths of free_bytes outside the largest
                                    free block: 0 is one whole piece */
};

enum pool_status {
    POOL_OK,
    POOL_EXHAUSTED,   /* the backing has no more, even after trimming */
    POOL_TOO_LARGE,   /* the size is zero or overflows */
    POOL_NOT_OURS,    /* no allocation starts at this address */
    POOL_ALREADY_FREE /* one did, and was freed */
};

/* Never NULL. The backing must live as long as the pool. */
struct pool *pool_open(struct pool_backing backing, struct pool_options options);
/* Gives everything back, live or not, and returns the number of allocations
 * that were live; leaks, if not NULL, gets a line for each. */
size_t pool_close(struct pool *pool, struct text *leaks);

/* label says whose memory it is in a leak report; it is copied, NULL is fine. */
enum pool_status pool_alloc(struct pool *pool, uint64_t size, const void *queue,
                            const char *label, uint64_t *address);
/* queue is the last one whose work used the memory. */
enum pool_status pool_free(struct pool *pool, uint64_t address, const void *queue);
/* The work of the queue is done: what was freed on it serves everyone. With
 * all true the whole device is idle. */
void pool_settle(struct pool *pool, const void *queue, bool all);
/* Gives segments without live or unsettled blocks back to the backing. */
void pool_trim(struct pool *pool);

/* The size asked for of a live allocation; 0 when there is none. */
uint64_t pool_size_at(const struct pool *pool, uint64_t address);
void pool_read_stats(const struct pool *pool, struct pool_stats *stats);
/* One line for each live allocation in order of age; returns how many. */
size_t pool_leaks(const struct pool *pool, struct text *out);
void pool_print_stats(struct text *out, const struct pool_stats *stats);

#endif
