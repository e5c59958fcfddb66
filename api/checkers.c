/* SPDX-License-Identifier: Apache-2.0
 *
 * checkers.c - the table of checks. */
#include "api/checkers.h"

#include "check/checker.h"

const struct checker checkers[CHECKER_COUNT] = {
    {"memory", SL_CHECK_MEMORY, 1, NULL, NULL},
    {"init", SL_CHECK_INIT, 0, NULL, NULL},
    {"race", SL_CHECK_RACE, 0, NULL, NULL},
    {"sync", SL_CHECK_SYNC, 1, sync_checker_new, sync_checker_free},
};

unsigned sl_available_checks(void)
{
    unsigned all = 0;

    for (int i = 0; i < CHECKER_COUNT; i++)
        if (checkers[i].available)
            all |= checkers[i].bit;
    return all;
}
