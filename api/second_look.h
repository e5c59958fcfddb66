/* SPDX-License-Identifier: Apache-2.0
 *
 * second_look.h - a launch that raced is run once more, to tell races that nothing orders
 * from those that exchanges of values within a warp order: check/race_exchange.c. */
#ifndef SIMTLAB_API_SECOND_LOOK_H
#define SIMTLAB_API_SECOND_LOOK_H

#include "emu/engine.h"

/* An observer for the first run, which keeps what memory held before; NULL when there will
 * be no second one: no kernel of the module exchanges anything, or races are not looked
 * for. checks: sl_check bits. */
struct observer *second_look_journal(const struct launch *launch, unsigned checks);
/* After the run: looks again if there were races, and puts what it sees in their place.
 * Memory is as the first run has left it. The launch's observers are its own to set. */
void second_look(struct launch *launch, struct observer *journal, struct findings *findings);

#endif
