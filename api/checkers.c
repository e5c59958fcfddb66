/* SPDX-License-Identifier: Apache-2.0
 *
 * checkers.c - the table of checks. */
#include "api/checkers.h"

#include "check/checker.h"

const struct checker checkers[CHECKER_COUNT] = {
    {"memory", SL_CHECK_MEMORY, 1},
    {"init", SL_CHECK_INIT, 1},
    {"race", SL_CHECK_RACE, 1},
    {"sync", SL_CHECK_SYNC, 1},
};

unsigned sl_available_checks(void)
{
    unsigned all = 0;

    for (int i = 0; i < CHECKER_COUNT; i++)
        if (checkers[i].available)
            all |= checkers[i].bit;
    return all;
}

static void add(struct check_set *set, struct observer *observer,
                void (*release)(struct observer *observer))
{
    set->observers[set->count] = observer;
    set->release[set->count++] = release;
}

/* What a shuffle takes from a lane that is not there is a matter of the sync
 * check, but it takes the init checker to see whether anything depends on it. */
static bool follows_bits(unsigned checks)
{
    return checks & (SL_CHECK_INIT | SL_CHECK_SYNC);
}

void check_set_make(struct check_set *set, unsigned checks)
{
    *set = (struct check_set){0};
    if (checks & SL_CHECK_SYNC)
        add(set, sync_checker_new(), sync_checker_free);
    if (checks & SL_CHECK_RACE)
        add(set, race_checker_new(), race_checker_free);
    if (follows_bits(checks))
        add(set, init_checker_new(checks & SL_CHECK_INIT, checks & SL_CHECK_SYNC),
            init_checker_free);
}

void check_set_free(struct check_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        set->release[i](set->observers[i]);
    set->count = 0;
}

void check_set_after(unsigned checks, struct memory *memory)
{
    for (size_t i = 0; !follows_bits(checks) && i < memory_count(memory); i++)
        allocation_defined(memory_at(memory, i));
}
