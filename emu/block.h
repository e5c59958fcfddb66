/* SPDX-License-Identifier: Apache-2.0
 *
 * block.h - starting and ending blocks, and one block's turn to run. */
#ifndef SIMTLAB_EMU_BLOCK_H
#define SIMTLAB_EMU_BLOCK_H

#include "emu/state.h"

/* A block, or the blocks of a cluster: what starts together. */
struct unit {
    struct block **blocks;
    uint32_t count;
    struct cluster *cluster;
    struct unit *next_free;
};

enum turn {
    TURN_FINISHED, /* all threads have ended */
    TURN_YIELDED,  /* it can go on, but others should run first */
    TURN_POLLED,   /* likewise, and all it did was to look at memory */
    TURN_BLOCKED,  /* every thread waits for another */
};

/* Unit number n of the launch, ready to run. */
struct unit *unit_start(struct launch_state *state, uint64_t n);
void unit_end(struct launch_state *state, struct unit *unit);
enum turn unit_turn(struct launch_state *state, struct unit *unit);
/* Releases what ended units left for reuse. */
void units_free(struct launch_state *state);

/* Does a seed decide what comes next? */
bool schedule_is_free(const struct launch_state *state);
/* The next number of the schedule's generator; 0 when it does not. */
uint64_t schedule_random(struct launch_state *state);

#endif
