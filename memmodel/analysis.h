/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis.h - what a model says about a test: states, races, verdict. */
#ifndef SIMTLAB_MEMMODEL_ANALYSIS_H
#define SIMTLAB_MEMMODEL_ANALYSIS_H

#include "memmodel/enumerate.h"

enum { MAX_VARIABLES = 32 };

/* One register or place in memory whose final value a state shows. */
struct variable {
    const struct term *term;
    const char *name; /* P0:r1, x, buffer[2] */
    uint32_t bits;
};

/* PTX ISA, "Conflict and Data-races". */
enum race_class { RACE_NONE, RACE_UNIFORM, RACE_MIXED };

/* Two accesses that race in some execution, by their instructions. */
struct race {
    enum race_class kind;
    const struct instruction *first, *second;
    uint32_t first_thread, second_thread;
    uint64_t executions;
    const struct example *example;
    uint32_t first_event, second_event; /* in the example */
};

/* An execution kept for showing. */
struct example {
    struct candidate c;
    struct execution x;
};

struct state {
    int64_t values[MAX_VARIABLES];
    uint64_t executions;
    uint64_t racy; /* of them with a data race */
    uint64_t serial; /* of them, under sc, those that run one whole thread after another */
    bool satisfies; /* the condition's formula */
    const struct example *example; /* NULL beyond the first few states */
};

struct analysis {
    struct arena *arena;
    const struct test *test;
    const struct model *model;
    struct variable variables[MAX_VARIABLES];
    uint32_t variable_count;
    struct state *items; /* ascending by values once finished */
    uint32_t count, capacity;
    struct {
        struct race *items;
        uint32_t count, capacity;
    } races;
    uint64_t positive, negative; /* witnesses */
    bool holds;    /* reachable, unreachable, true in all: by quantifier */
    bool outside;  /* a mixed-size race: the model says nothing */
    bool has_races; /* the model defines races at all */
    struct search_result search;
};

void analyse(struct arena *arena, const struct test *test,
             const struct model *model, const struct search_options *options,
             struct analysis *analysis);

/* Terminates under the bound: no execution in which a thread is stuck. */
bool analyse_liveness(struct arena *arena, const struct test *test,
                      const struct model *model,
                      const struct search_options *options,
                      struct search_result *result,
                      const struct example **example);

/* Every final state of one execution: several when writes race to be last.
 * Those that the test's filter leaves out are not visited. */
typedef void final_state(void *self, const int64_t *values);
void final_states(const struct analysis *analysis, const struct candidate *c,
                  const struct execution *x, final_state *found, void *self);
/* The formula of the condition; the test's filter. */
bool state_satisfies(const struct analysis *analysis, const int64_t *values);
bool state_passes_filter(const struct analysis *analysis, const int64_t *values);
/* The outcome that the condition is about: the formula, or for forall its
 * negation. */
bool state_is_asked(const struct analysis *analysis, const int64_t *values);
struct example *keep_example(struct arena *arena, const struct candidate *c,
                             const struct execution *x);
enum race_class race_between(const struct candidate *c, const struct execution *x,
                             uint32_t a, uint32_t b);
const char *variable_value(struct arena *arena, const struct analysis *analysis,
                           uint32_t variable, int64_t value);

#endif
