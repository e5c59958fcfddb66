/* SPDX-License-Identifier: Apache-2.0
 *
 * garbage.h - random contents for what nobody has set, in another run of a launch. */
#ifndef SIMTLAB_CHECK_GARBAGE_H
#define SIMTLAB_CHECK_GARBAGE_H

#include "emu/engine.h"

/* An observer that fills the registers that are read before they are written, and shared
 * and local memory. Not memory from the device's malloc; global memory is the journal's. */
struct observer *garbage_new(uint64_t seed);
void garbage_free(struct observer *observer);

#endif
