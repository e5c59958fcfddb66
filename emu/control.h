/* SPDX-License-Identifier: Apache-2.0
 *
 * control.h - how lanes of a warp part, meet, call, return and end.
 *
 * Lanes that execute together form a fragment. At a branch on which they do not
 * agree, a fragment splits and both parts remember a join at the immediate
 * post-dominator. A part that gets there parks until the others have come or
 * ended. A join is no barrier: when nothing else of the warp can run, or others
 * only poll memory, the parked lanes go on alone, so every lane makes progress
 * (independent thread scheduling). */
#ifndef SIMTLAB_EMU_CONTROL_H
#define SIMTLAB_EMU_CONTROL_H

#include "emu/state.h"

/* A free fragment slot: there is always one, each holds a lane. */
struct fragment *fragment_new(struct warp *warp);

/* Splits the lanes off into a new READY fragment at the same place, under the
 * same join. The rest must not be empty. */
struct fragment *fragment_split(struct warp *warp, struct fragment *fragment,
                                uint32_t lanes);

/* Makes a join at pc for the lanes of the fragment, unless the present one is
 * the same or none is needed. Call before splitting at a branch. */
void join_begin(struct warp *warp, struct fragment *fragment, int32_t pc);

/* The fragment has come to the place of its join: parks it, or lets everybody
 * go on when it was the last. Returns true when this fragment goes on. */
bool join_arrive(struct warp *warp, struct fragment *fragment);
static inline bool join_here(const struct fragment *fragment)
{
    return fragment->join && fragment->join->pc == fragment->pc &&
           fragment->join->frame == fragment->frame;
}

/* Lanes under the same join may come to a place from several sides before their
 * join; they go on together there (as measured on H200), so whoever comes first
 * lets those behind it run. Takes in fragments that are at the same place; true
 * when others of the same frame and join are READY further up. */
bool fragments_behind(struct warp *warp, struct fragment *fragment);

/* Lets parked lanes go on without the others. False when none is parked. */
bool join_release(struct warp *warp);

/* READY fragments at one place under one join become one again. */
void fragments_merge(struct warp *warp);

/* Ends the lanes; the fragment is free when none is left. */
void lanes_exit(struct warp *warp, struct fragment *fragment, uint32_t lanes);

/* Calls: the fragment continues in a new frame; false (and a finding, the lanes
 * ended) when the stack is exhausted. */
bool call_enter(struct warp *warp, struct fragment *fragment, const struct code *code,
                struct program *callee);
/* Returns from the frame, or ends the lanes of a kernel. Returns true when the
 * fragment goes on at the caller's next instruction. */
bool call_return(struct warp *warp, struct fragment *fragment);

/* The first frame of a warp: the kernel's. */
void warp_enter_kernel(struct warp *warp, struct program *kernel);
void frame_pool_free(struct pool *pool);

#endif
