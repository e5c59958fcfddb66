/* SPDX-License-Identifier: Apache-2.0
 *
 * check_race.c - the views of the race checker against plain arrays of epochs.
 *
 * What the checker says about kernels is in tests/golden/race and, against the
 * axioms of the memory model, in the litmus tests. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check/view.h"
#include "tests/suite.h"

enum { BLOCKS = 40, SLOTS = 3, LANES = 32, THREADS = BLOCKS * SLOTS * LANES, VIEWS = 24 };

struct random {
    uint64_t seed, index;
};

static uint32_t random_next(struct random *random)
{
    return (uint32_t)(random_at(random->seed, random->index++) >> 32);
}

/* The same view twice. */
struct twin {
    struct view *view;
    uint32_t epoch[THREADS];
};

static uint32_t *epoch_of(struct twin *twin, uint32_t block, uint32_t slot, uint32_t lane)
{
    return &twin->epoch[(block * SLOTS + slot) * LANES + lane];
}

static void compare(const struct views *views, struct twin *twin, struct random *random)
{
    for (uint32_t block = 0; block < BLOCKS; block++)
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            uint32_t lanes = random_next(random), least = UINT32_MAX;
            for (uint32_t lane = 0; lane < LANES; lane++) {
                uint32_t epoch = *epoch_of(twin, block, slot, lane);
                if (epoch)
                    ck_assert(view_saw(views, twin->view, block, slot, UINT32_C(1) << lane, epoch));
                ck_assert(!view_saw(views, twin->view, block, slot, UINT32_C(1) << lane, epoch + 1));
                if (lanes >> lane & 1 && epoch < least)
                    least = epoch;
            }
            if (!lanes)
                continue;
            if (least)
                ck_assert(view_saw(views, twin->view, block, slot, lanes, least));
            ck_assert(!view_saw(views, twin->view, block, slot, lanes, least + 1));
        }
}

static void rise(struct views *views, struct twin *twin, struct random *random)
{
    struct view_rise rises[4];
    uint32_t count = 1 + random_next(random) % 4, block = random_next(random) % BLOCKS;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t lanes = random_next(random);
        rises[i] = (struct view_rise){random_next(random) % SLOTS,
                                      random_next(random) % 3 ? lanes : UINT32_MAX,
                                      1 + random_next(random) % 6};
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t *epoch = epoch_of(twin, block, rises[i].slot, lane);
            if (rises[i].lanes >> lane & 1 && *epoch < rises[i].epoch)
                *epoch = rises[i].epoch;
        }
    }
    twin->view = view_raise(views, twin->view, block, rises, count);
}

START_TEST(views_agree)
{
    static struct twin twins[VIEWS];
    struct random random = {.seed = (uint64_t)_i + 1};
    struct views views;

    memset(twins, 0, sizeof twins);
    views_start(&views, BLOCKS, SLOTS);
    for (int step = 0; step < 2000; step++) {
        struct twin *a = &twins[random_next(&random) % VIEWS];
        struct twin *b = &twins[random_next(&random) % VIEWS];
        if (random_next(&random) % 3) {
            rise(&views, a, &random);
        } else {
            struct view *join = view_join(&views, a->view, b->view);
            bool covered = true;
            for (uint32_t i = 0; i < THREADS; i++) {
                covered = covered && a->epoch[i] >= b->epoch[i];
                a->epoch[i] = a->epoch[i] > b->epoch[i] ? a->epoch[i] : b->epoch[i];
            }
            /* A join that adds nothing is the same object. */
            ck_assert(!covered || join == a->view);
            a->view = join;
        }
        if (step % 50 == 0)
            compare(&views, a, &random);
        if (step % 300 == 0) {
            for (int i = 0; i < VIEWS; i++)
                view_mark(&views, twins[i].view);
            views_sweep(&views);
        }
    }
    for (int i = 0; i < VIEWS; i++)
        compare(&views, &twins[i], &random);
    for (int i = 0; i < VIEWS; i++)
        twins[i].view = NULL;
    views_sweep(&views);
    ck_assert_uint_eq(views.count, 0);
    views_end(&views);
}
END_TEST

SUITE("race", { LOOP_TEST(views_agree, 0, 8); })
