/* SPDX-License-Identifier: Apache-2.0
 *
 * check_pool.c - the sub-allocator over a backing of plain numbers. */
#include "tests/suite.h"

#include <string.h>

#include "base/random.h"
#include "gpu/pool.h"

/* Addresses that belong to nobody: the pool may not touch them. */
struct backing {
    uint64_t next, left;
    unsigned obtained, returned;
};

static bool obtain(void *self, uint64_t size, uint64_t *address)
{
    struct backing *backing = self;

    if (size > backing->left)
        return false;
    backing->left -= size;
    *address = backing->next;
    backing->next += size + 4096;
    backing->obtained++;
    return true;
}

static void give_back(void *self, uint64_t address)
{
    struct backing *backing = self;

    (void)address;
    backing->returned++;
}

static struct pool *open_pool(struct backing *backing)
{
    *backing = (struct backing){.next = UINT64_C(0x7f0000000000), .left = UINT64_MAX / 2};
    return pool_open((struct pool_backing){backing, obtain, give_back},
                     (struct pool_options){.segment_size = 1 << 16});
}

static uint64_t take(struct pool *pool, uint64_t size, const void *queue)
{
    uint64_t address = 0;

    ck_assert_int_eq(pool_alloc(pool, size, queue, NULL, &address), POOL_OK);
    ck_assert_uint_eq(address % 256, 0);
    return address;
}

START_TEST(pool_serves_from_one_segment)
{
    struct backing backing;
    struct pool_stats stats;
    struct pool *pool = open_pool(&backing);
    uint64_t a = take(pool, 100, NULL), b = take(pool, 256, NULL), c = take(pool, 257, NULL);

    ck_assert_uint_eq(b, a + 256);
    ck_assert_uint_eq(c, b + 256);
    ck_assert_uint_eq(backing.obtained, 1);
    ck_assert_uint_eq(pool_size_at(pool, a), 100);
    ck_assert_uint_eq(pool_size_at(pool, a + 1), 0);
    pool_read_stats(pool, &stats);
    ck_assert_uint_eq(stats.live, 3);
    ck_assert_uint_eq(stats.in_use, 613);
    ck_assert_uint_eq(stats.rounding, 156 + 255);
    ck_assert_uint_eq(stats.reserved, 1 << 16);
    ck_assert_uint_eq(stats.free_bytes, (1 << 16) - 1024);
    ck_assert_uint_eq(stats.fragmentation, 0);
    ck_assert_uint_eq(pool_close(pool, NULL), 3);
    ck_assert_uint_eq(backing.returned, 1);
}
END_TEST

START_TEST(pool_merges_and_takes_the_best_fit)
{
    struct backing backing;
    struct pool_stats stats;
    struct pool *pool = open_pool(&backing);
    uint64_t a[6];

    for (int i = 0; i < 6; i++)
        a[i] = take(pool, 1024, NULL);
    pool_free(pool, a[1], NULL); /* a hole of 1024 */
    pool_free(pool, a[3], NULL);
    pool_free(pool, a[4], NULL); /* joins: a hole of 2048 */
    ck_assert_uint_eq(take(pool, 900, NULL), a[1]);
    pool_read_stats(pool, &stats);
    ck_assert_uint_eq(stats.free_blocks, 2);
    ck_assert_uint_eq(take(pool, 2048, NULL), a[3]);
    pool_free(pool, a[5], NULL);
    pool_free(pool, a[3], NULL);
    pool_settle(pool, NULL, false);
    /* The rest of the segment is one piece with both. */
    ck_assert_uint_eq(take(pool, (1 << 16) - 3 * 1024, NULL), a[3]);
    pool_close(pool, NULL);
}
END_TEST

START_TEST(pool_keeps_queues_apart)
{
    struct backing backing;
    struct pool *pool = open_pool(&backing);
    int one, two;
    uint64_t whole = take(pool, 1 << 16, &one);

    pool_free(pool, whole, &one);
    ck_assert_uint_eq(take(pool, 512, &one), whole);
    ck_assert_uint_ne(take(pool, 512, &two), whole + 512);
    ck_assert_uint_eq(backing.obtained, 2);
    pool_settle(pool, &one, false);
    ck_assert_uint_eq(take(pool, 32 << 10, &two), backing.next - (1 << 16) - 4096 + 512);
    ck_assert_uint_eq(take(pool, 60 << 10, &two), whole + 512);
    pool_close(pool, NULL);
}
END_TEST

START_TEST(pool_refuses_wrong_frees)
{
    struct backing backing;
    struct pool *pool = open_pool(&backing);
    uint64_t a = take(pool, 512, NULL), b = take(pool, 512, NULL), address;

    ck_assert_int_eq(pool_free(pool, a + 256, NULL), POOL_NOT_OURS);
    ck_assert_int_eq(pool_free(pool, 0, NULL), POOL_NOT_OURS);
    ck_assert_int_eq(pool_free(pool, a, NULL), POOL_OK);
    ck_assert_int_eq(pool_free(pool, a, NULL), POOL_ALREADY_FREE);
    ck_assert_int_eq(pool_free(pool, b, NULL), POOL_OK);
    ck_assert_int_eq(pool_alloc(pool, 0, NULL, NULL, &address), POOL_TOO_LARGE);
    ck_assert_int_eq(pool_alloc(pool, UINT64_MAX, NULL, NULL, &address), POOL_TOO_LARGE);
    ck_assert_uint_eq(pool_close(pool, NULL), 0);
}
END_TEST

START_TEST(pool_trims_before_it_gives_up)
{
    struct backing backing;
    struct pool_stats stats;
    struct pool *pool = open_pool(&backing);
    uint64_t address;

    backing.left = 3 << 16;
    uint64_t a = take(pool, 1 << 17, NULL), b = take(pool, 1 << 10, NULL);
    ck_assert_int_eq(pool_alloc(pool, 1 << 16, NULL, NULL, &address), POOL_EXHAUSTED);
    /* Smaller than a segment, but what is left suffices. */
    backing.left = 1 << 12;
    ck_assert_int_eq(pool_alloc(pool, (1 << 16) - 1024, NULL, NULL, &address), POOL_OK);
    ck_assert_int_eq(pool_alloc(pool, 1 << 12, NULL, NULL, &address), POOL_OK);
    pool_free(pool, a, NULL);
    pool_trim(pool);
    ck_assert_uint_eq(backing.returned, 0); /* not settled yet */
    pool_settle(pool, NULL, true);
    pool_trim(pool);
    ck_assert_uint_eq(backing.returned, 1);
    pool_free(pool, b, NULL);
    pool_read_stats(pool, &stats);
    ck_assert_uint_eq(stats.reserved, (1 << 16) + (1 << 12));
    ck_assert_uint_eq(stats.peak_reserved, (3 << 16) + (1 << 12));
    ck_assert_uint_eq(pool_close(pool, NULL), 2);
    ck_assert_uint_eq(backing.returned, 3);
}
END_TEST

START_TEST(pool_names_leaks_in_order_of_age)
{
    struct backing backing;
    struct pool *pool = open_pool(&backing);
    struct text leaks = {0};
    uint64_t a, b, c;

    pool_alloc(pool, 10, NULL, "weights", &a);
    pool_alloc(pool, 20, NULL, "gradients", &b);
    pool_alloc(pool, 30, NULL, NULL, &c);
    pool_free(pool, a, NULL);
    pool_alloc(pool, 40, NULL, "again", &a);
    ck_assert_uint_eq(pool_close(pool, &leaks), 3);
    ck_assert_str_eq(text_string(&leaks), "leak: allocation 2, 20 bytes, gradients\n"
                                          "leak: allocation 3, 30 bytes\n"
                                          "leak: allocation 4, 40 bytes, again\n");
    text_free(&leaks);
}
END_TEST

START_TEST(pool_fragmentation_in_thousandths)
{
    struct backing backing;
    struct pool_stats stats;
    struct pool *pool = open_pool(&backing);
    uint64_t a[64];

    for (int i = 0; i < 64; i++)
        a[i] = take(pool, 1024, NULL);
    for (int i = 0; i < 64; i += 2)
        pool_free(pool, a[i], NULL);
    pool_read_stats(pool, &stats);
    ck_assert_uint_eq(stats.free_blocks, 32);
    ck_assert_uint_eq(stats.largest_free, 1024);
    ck_assert_uint_eq(stats.fragmentation, 968); /* 31/32 */
    ck_assert_uint_eq(stats.unsettled, 32 * 1024);
    ck_assert_uint_eq(stats.peak_live, 64);
    for (int i = 1; i < 64; i += 2)
        pool_free(pool, a[i], NULL);
    pool_read_stats(pool, &stats);
    ck_assert_uint_eq(stats.free_blocks, 1);
    ck_assert_uint_eq(stats.fragmentation, 0);
    pool_close(pool, NULL);
}
END_TEST

/* Against a map of every 256 bytes: nothing overlaps, nothing is lost. */
START_TEST(pool_survives_a_storm)
{
    enum { SLOTS = 200, STEPS = 20000 };
    struct backing backing;
    struct pool_stats stats;
    struct pool *pool = open_pool(&backing);
    struct {
        uint64_t address, size;
    } live[SLOTS] = {{0, 0}};
    uint64_t bytes = 0, count = 0;
    int queues[3];

    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t r = random_at(11, step);
        unsigned slot = (unsigned)(r % SLOTS);
        const void *queue = &queues[r >> 8 & 1];
        if (live[slot].size) {
            ck_assert_int_eq(pool_free(pool, live[slot].address, queue), POOL_OK);
            bytes -= live[slot].size;
            count--;
            live[slot].size = 0;
        } else {
            uint64_t size = (r >> 16) % (r >> 60 ? 5000 : 150000) + 1;
            uint64_t address = take(pool, size, queue);
            for (unsigned i = 0; i < SLOTS; i++)
                ck_assert(!live[i].size || address + size <= live[i].address ||
                          live[i].address + live[i].size <= address);
            live[slot].address = address;
            live[slot].size = size;
            bytes += size;
            count++;
        }
        if (r >> 56 == 0)
            pool_settle(pool, queue, r >> 55 & 1);
        if (r >> 54 == 5)
            pool_trim(pool);
    }
    pool_read_stats(pool, &stats);
    ck_assert_uint_eq(stats.live, count);
    ck_assert_uint_eq(stats.in_use, bytes);
    ck_assert_uint_eq(stats.reserved, stats.in_use + stats.rounding + stats.free_bytes);
    for (unsigned i = 0; i < SLOTS; i++)
        if (live[i].size)
            ck_assert_int_eq(pool_free(pool, live[i].address, NULL), POOL_OK);
    pool_settle(pool, NULL, true);
    pool_trim(pool);
    pool_read_stats(pool, &stats);
    ck_assert_uint_eq(stats.segments, 0);
    ck_assert_uint_eq(backing.obtained, backing.returned);
    ck_assert_uint_eq(pool_close(pool, NULL), 0);
}
END_TEST

SUITE("pool", {
    TEST(pool_serves_from_one_segment);
    TEST(pool_merges_and_takes_the_best_fit);
    TEST(pool_keeps_queues_apart);
    TEST(pool_refuses_wrong_frees);
    TEST(pool_trims_before_it_gives_up);
    TEST(pool_names_leaks_in_order_of_age);
    TEST(pool_fragmentation_in_thousandths);
    TEST(pool_survives_a_storm);
})
