/* SPDX-License-Identifier: Apache-2.0
 *
 * checkers.h - which checks this build has. Memory faults are the engine's own
 * and always on; the others are observers, each one row here once it exists. */
#ifndef SIMTLAB_API_CHECKERS_H
#define SIMTLAB_API_CHECKERS_H

#include <simtlab/simtlab.h>

#include "emu/engine.h"

struct checker {
    const char *name; /* as in --only and in a report's category */
    sl_check bit;
    int available;
    struct observer *(*make)(void); /* NULL: the engine does it */
    void (*free)(struct observer *observer);
};

enum { CHECKER_COUNT = 4 };
extern const struct checker checkers[CHECKER_COUNT];

#endif
