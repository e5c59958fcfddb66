/* SPDX-License-Identifier: Apache-2.0
 *
 * outcomes.h - the final states that a model forbids, and what forbids them. */
#ifndef SIMTLAB_MEMMODEL_OUTCOMES_H
#define SIMTLAB_MEMMODEL_OUTCOMES_H

#include "memmodel/analysis.h"

/* A state that some execution would reach if axioms were broken. */
struct forbidden {
    int64_t values[MAX_VARIABLES];
    uint32_t broken;    /* axioms, by number: the fewest that any execution breaks */
    uint32_t steps;     /* of their cycles */
    bool asked;         /* what the condition is about */
    const struct example *example;
};

struct outcomes {
    struct forbidden *items; /* ascending by values */
    uint32_t count, capacity;
    bool complete; /* false: the search was too large to see all */
};

/* Looks for forbidden states until the asked outcome, if it is forbidden at
 * all, has a reason. analysis must be that of the same model. */
void find_forbidden(struct arena *arena, const struct analysis *analysis,
                    const struct search_options *options, struct outcomes *outcomes);
/* NULL when no choice of sources gives the asked outcome. */
const struct forbidden *asked_outcome(const struct outcomes *outcomes);

#endif
