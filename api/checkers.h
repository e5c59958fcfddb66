/* SPDX-License-Identifier: Apache-2.0
 *
 * checkers.h - which checks this build has. Memory faults are the engine's own
 * and always on; the others are observers, made for each launch. */
#ifndef SIMTLAB_API_CHECKERS_H
#define SIMTLAB_API_CHECKERS_H

#include <simtlab/simtlab.h>

#include "emu/engine.h"

struct checker {
    const char *name; /* as in --only and in a report's category */
    sl_check bit;
    int available;
};

enum { CHECKER_COUNT = 4 };
extern const struct checker checkers[CHECKER_COUNT];

/* The observers of one launch. */
struct check_set {
    struct observer *observers[CHECKER_COUNT];
    void (*release[CHECKER_COUNT])(struct observer *observer);
    uint32_t count;
};

/* checks: sl_check bits. */
void check_set_make(struct check_set *set, unsigned checks);
void check_set_free(struct check_set *set);
/* Call after a launch: memory that it may have written without the init check is
 * no longer known to be undefined. */
void check_set_after(unsigned checks, struct memory *memory);

#endif
