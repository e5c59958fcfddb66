/* SPDX-License-Identifier: Apache-2.0
 *
 * enumerate.h - all executions of a litmus test that a model allows.
 *
 * Reads-from first: for every choice of paths, every read takes a write as its
 * source; values are computed, constraints and axioms cut the search as soon
 * as they fail. Then barrier phases, the order of SC fences and the order of
 * writes are chosen as far as the model leaves them open. Complete because
 * all relations only grow on the way and no axiom is ever mended by more. */
#ifndef SIMTLAB_MEMMODEL_ENUMERATE_H
#define SIMTLAB_MEMMODEL_ENUMERATE_H

#include "memmodel/candidate.h"

struct search_options {
    uint32_t bound;  /* times each backward branch may be taken */
    uint64_t limit;  /* steps after which the search gives up */
    bool liveness;   /* visit executions with threads that are stuck instead */
    bool drops_false_dependencies;
    /* Only the final values of these objects (one bit each) matter: of the
     * orders of writes to other objects one that fits is enough. */
    bool some_objects;
    uint32_t objects;
    /* Visit executions that break up to this many axioms (and, above 0, put
     * writes in any order, and let values justify themselves). */
    uint32_t broken_axioms;
};

struct search;

/* Called for each execution found; returns false to end the search. */
typedef bool search_visit(void *self, const struct candidate *c,
                          const struct execution *x);

struct search_result {
    uint64_t steps, executions;
    bool gave_up;    /* the limit was reached */
    bool loop_cut;   /* paths beyond the loop bound were left out */
    bool hangs;      /* a barrier can be waited for in vain */
    bool younger;    /* the test needs what came after the model; a problem too */
    const char *problem; /* too large or not supported; NULL: none */
    struct loc problem_at;
};

void search_executions(struct arena *arena, const struct test *test,
                       const struct model *model,
                       const struct search_options *options,
                       search_visit *visit, void *self,
                       struct search_result *result);

/* The axioms an execution breaks, one bit each in the model's order. */
uint32_t broken_axioms(const struct candidate *c, const struct execution *x,
                       uint32_t stop_after);

#endif
