/* SPDX-License-Identifier: Apache-2.0
 *
 * sched.h - which warp runs when.
 *
 * Blocks start in order, as many as the chip holds at once; a block runs until
 * it ends or can only wait, then the next one starts or takes its turn. All
 * resident blocks, all their warps and all their lanes make progress. A seed
 * gives another legal schedule, the same on every run. */
#ifndef SIMTLAB_EMU_SCHED_H
#define SIMTLAB_EMU_SCHED_H

#include "emu/state.h"

/* Runs all blocks of the launch to their end, to a deadlock or to the limit. */
void schedule(struct launch_state *state);

#endif
