/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier.h - block barriers and the cluster barrier.
 *
 * A barrier counts whole warps: a warp has arrived when all its live lanes have
 * (PTX ISA, "barrier": the count goes up by the warp size). Exited threads are
 * not waited for when the whole block is expected. */
#ifndef SIMTLAB_EMU_BARRIER_H
#define SIMTLAB_EMU_BARRIER_H

#include "emu/state.h"

/* The fragment has come to barrier_sync, _arrive or _red. True when it went on
 * to the next pc; else it waits. */
bool barrier_execute(struct warp *warp, struct fragment *fragment, const struct code *code,
                     uint32_t mask);
/* cluster_arrive and cluster_wait, likewise. */
bool cluster_execute(struct warp *warp, struct fragment *fragment, const struct code *code,
                     uint32_t mask);
/* Lanes of the warp have exited: barriers may be complete now. */
void barrier_recheck(struct warp *warp);

#endif
