/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier.h - which barrier events meet in the same phase.
 *
 * Threads that arrive at a barrier synchronize with those that wait there in
 * the same phase. Phases follow from the program when all threads take part
 * in all of them; with counted barriers several groupings can be possible. */
#ifndef SIMTLAB_MEMMODEL_BARRIER_H
#define SIMTLAB_MEMMODEL_BARRIER_H

#include "memmodel/candidate.h"

enum { MAX_GROUPINGS = 64 };

struct groupings {
    struct relation items[MAX_GROUPINGS]; /* who synchronizes with whom */
    uint32_t count;
    bool too_many;
    bool hangs; /* some thread waits for good in some order of arrival */
};

/* Values must be known. No grouping at all: no order of arrival lets every
 * thread pass. */
void barrier_groupings(const struct candidate *c, const struct execution *x,
                       struct groupings *groupings);

/* For the liveness check: event is the last of a thread that never passes it.
 * True when nothing that the other threads still do could release it. */
bool barrier_blocks(const struct candidate *c, const struct execution *x,
                    uint32_t event);
/* True when a thread that went on past the event could do so. */
bool barrier_passes(const struct candidate *c, const struct execution *x,
                    uint32_t event);

#endif
