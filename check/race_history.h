/* SPDX-License-Identifier: Apache-2.0
 *
 * race_history.h - what a cell held before, for loads that return older values.
 *
 * In a launch with a weak memory every write of a whole cell leaves a record. Moments
 * count the write events of the launch; what a read of moment m sees is the
 * value before the first write after m. */
#ifndef SIMTLAB_CHECK_RACE_HISTORY_H
#define SIMTLAB_CHECK_RACE_HISTORY_H

#include "check/race_shadow.h"

enum { FORMERS = 8, OBSERVERS = 4 };

/* A write, and what was there before it. */
struct former {
    uint64_t moment;             /* of the write, from 1 */
    struct stamp write;
    struct stamp observer[OBSERVERS]; /* morally strong reads that took its value */
    uint32_t observers;
    uint32_t missed;             /* reads that were given something older */
    bool known;                  /* every thread has seen it, for all that is known */
    unsigned char before[CELL_BYTES];
    struct stamp before_write;   /* who wrote that; what 0: nobody */
    struct message before_message;
};

struct history {
    uint64_t base;               /* moment of the last write that is forgotten */
    uint32_t count, capacity;    /* at most FORMERS */
    struct former *formers;      /* ascending moments */
};

/* The first write after the moment; NULL when there is none. */
static inline struct former *history_after(struct history *history, uint64_t moment)
{
    for (uint32_t i = 0; history && i < history->count; i++)
        if (history->formers[i].moment > moment)
            return &history->formers[i];
    return NULL;
}

/* Keeps the views in use. */
void race_mark_history(const struct history *h, const struct views *views);

#endif
