/* SPDX-License-Identifier: Apache-2.0
 *
 * warp.h - operations in which lanes of a warp take part together. */
#ifndef SIMTLAB_EMU_WARP_H
#define SIMTLAB_EMU_WARP_H

#include "emu/state.h"

/* The fragment, whole, has come to a WARP-group instruction. Executes it if
 * every live lane of the member mask is there, here or waiting in another
 * fragment; else the fragment waits. Lanes that name different member masks are
 * split into groups first. True when this fragment went on to the next pc. */
bool warp_execute(struct warp *warp, struct fragment *fragment, const struct code *code,
                  uint32_t mask);
/* The lane that a shuffle reads in a lane with operands b and c; the lane itself
 * when that is out of range. */
unsigned shuffle_source(unsigned op, unsigned lane, uint32_t b, uint32_t c, bool *in_range);
/* Lanes have exited: waiting fragments may be complete now. */
void warp_recheck(struct warp *warp);

#endif
