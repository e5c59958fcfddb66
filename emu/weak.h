/* SPDX-License-Identifier: Apache-2.0
 *
 * weak.h - loads that return older values.
 *
 * The engine performs accesses one after the other on one memory, so that a load
 * finds the last value. A launch with a weak memory asks it at each load what the
 * load returns: the value of now, or one of an earlier moment. */
#ifndef SIMTLAB_EMU_WEAK_H
#define SIMTLAB_EMU_WEAK_H

#include "emu/observe.h"

/* Bytes and elements of one lane's load, at most. */
enum { WEAK_BYTES = 32, WEAK_ELEMENTS = 8 };

/* What the lanes of a load are given. */
struct weak_choice {
    /* By lane and element: 0, or 1 + the number of write events before the moment
     * whose value it is. */
    uint64_t moment[32][WEAK_ELEMENTS];
    unsigned char value[32][WEAK_BYTES]; /* of the present on entry */
    uint32_t lanes;                      /* that are given something older */
};

struct weak_memory {
    /* For a read of GLOBAL or SHARED memory that was found in order. */
    void (*choose)(struct weak_memory *self, const struct access_event *event,
                   struct weak_choice *choice);
};

#endif
