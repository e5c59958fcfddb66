/* SPDX-License-Identifier: Apache-2.0
 *
 * second_look.h - what a launch has found is looked at again in other runs of it.
 *
 * A launch that raced is run once more, to tell races that nothing orders from those that
 * exchanges of values within a warp order, check/race_exchange.c, and from what is none because
 * the values that were read force an order of fence.sc, check/race_fence.c. One in which undefined
 * bits decide something is run with other bits in their place, to see whether they do. */
#ifndef SIMTLAB_API_SECOND_LOOK_H
#define SIMTLAB_API_SECOND_LOOK_H

#include "emu/engine.h"

/* An observer for the first run, before all others, which keeps what memory held before;
 * NULL when there will be no other run. checks: sl_check bits. */
struct observer *second_look_journal(const struct launch *launch, unsigned checks);
/* After the run: puts what it sees in the place of what was found. Memory is as the first
 * run has left it. */
void second_look(const struct launch *launch, struct observer *journal, unsigned checks,
                 struct findings *findings, const struct launch_result *result);

#endif
