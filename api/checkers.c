/* SPDX-License-Identifier: Apache-2.0
 *
 * checkers.c - the table of checks. */
#include "api/checkers.h"

const struct checker checkers[CHECKER_COUNT] = {
    {"memory", SL_CHECK_MEMORY, 1},
    {"init", SL_CHECK_INIT, 0},
    {"race", SL_CHECK_RACE, 0},
    {"sync", SL_CHECK_SYNC, 0},
};

unsigned sl_available_checks(void)
{
    unsigned all = 0;

    for (int i = 0; i < CHECKER_COUNT; i++)
        if (checkers[i].available)
            all |= checkers[i].bit;
    return all;
}
