/* SPDX-License-Identifier: Apache-2.0
 *
 * cycle.h - why an axiom does not hold: a shortest cycle of labelled steps. */
#ifndef SIMTLAB_MEMMODEL_CYCLE_H
#define SIMTLAB_MEMMODEL_CYCLE_H

#include "memmodel/candidate.h"

enum edge {
    EDGE_PO, EDGE_RF, EDGE_CO, EDGE_FR, EDGE_RMW, EDGE_DEP,
    EDGE_SYNC, EDGE_BARRIER, EDGE_SC, EDGE_COMPLETION, EDGE_ISSUE,
    EDGE_OBS, EDGE_CAUSE, EDGE_COUNT
};

struct cycle_step {
    uint32_t from, to;
    enum edge edge;
};

struct cycle {
    uint32_t count;
    struct cycle_step steps[2 * MAX_EVENTS];
};

struct labelled {
    const struct relation *relation;
    enum edge edge;
};

const char *edge_name(enum edge edge);
/* "reads from", "is coherence-before" and so on, as a verb. */
const char *edge_words(enum edge edge);

void cycle_step(struct cycle *cycle, uint32_t from, uint32_t to, enum edge edge);
/* Appends the shortest path. False when there is none. */
bool cycle_path(struct cycle *cycle, const struct labelled *edges,
                uint32_t edge_count, uint32_t events, uint32_t from, uint32_t to);
/* A shortest cycle through any event. False when the union is acyclic. */
bool cycle_find(struct cycle *cycle, const struct labelled *edges,
                uint32_t edge_count, uint32_t events);
/* Appends the steps behind a pair of base causality or causality. */
void cycle_base_causality(struct cycle *cycle, const struct candidate *c,
                          const struct execution *x, uint32_t from, uint32_t to);
void cycle_cause(struct cycle *cycle, const struct candidate *c,
                 const struct execution *x, uint32_t from, uint32_t to);

#endif
