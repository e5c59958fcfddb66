/* SPDX-License-Identifier: Apache-2.0
 *
 * outcomes.c - searching again with axioms that may be broken.
 *
 * The search keeps, for each state that no execution of the model reaches, the
 * candidate that breaks fewest axioms, with the shortest cycles. */
#include "memmodel/outcomes.h"

#include <stdlib.h>
#include <string.h>

#include "memmodel/words.h"

enum { MAX_BROKEN = 3, MAX_FORBIDDEN = 512, SEARCH_STEPS = 100000 };

struct gathering {
    struct arena *arena;
    const struct analysis *analysis;
    struct outcomes *outcomes;
    const struct candidate *c;
    const struct execution *x;
    uint32_t broken, steps;
};

static bool is_allowed(const struct analysis *a, const int64_t *values)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (!memcmp(a->items[i].values, values, sizeof a->items[i].values))
            return true;
    return false;
}

static void consider(void *self, const int64_t *values)
{
    struct gathering *g = self;
    struct forbidden *f = NULL;

    if (is_allowed(g->analysis, values))
        return;
    for (uint32_t i = 0; i < g->outcomes->count && !f; i++)
        if (!memcmp(g->outcomes->items[i].values, values, sizeof f->values))
            f = &g->outcomes->items[i];
    if (!f) {
        if (g->outcomes->count == MAX_FORBIDDEN) {
            g->outcomes->complete = false;
            return;
        }
        f = ARENA_PUSH(g->arena, g->outcomes);
        memcpy(f->values, values, sizeof f->values);
        f->asked = state_is_asked(g->analysis, values);
    } else if (set_count(f->broken) < set_count(g->broken) ||
               (set_count(f->broken) == set_count(g->broken) && f->steps <= g->steps)) {
        return;
    }
    f->broken = g->broken;
    f->steps = g->steps;
    f->example = keep_example(g->arena, g->c, g->x);
}

static bool gather(void *self, const struct candidate *c, const struct execution *x)
{
    struct gathering *g = self;

    g->c = c;
    g->x = x;
    g->broken = broken_axioms(c, x, MAX_AXIOMS);
    g->steps = 0;
    for (uint32_t i = 0; i < c->model->axiom_count; i++)
        if (g->broken >> i & 1) {
            struct cycle cycle;
            axiom_cycle(c, x, i, &cycle);
            g->steps += cycle.count;
        }
    if (g->broken)
        final_states(g->analysis, c, x, consider, g);
    return true;
}

static int by_values(const void *a, const void *b)
{
    const struct forbidden *x = a, *y = b;

    for (uint32_t i = 0; i < MAX_VARIABLES; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

const struct forbidden *asked_outcome(const struct outcomes *outcomes)
{
    const struct forbidden *best = NULL;

    for (uint32_t i = 0; i < outcomes->count; i++) {
        const struct forbidden *f = &outcomes->items[i];
        if (!f->asked)
            continue;
        if (!best || set_count(f->broken) < set_count(best->broken) ||
            (set_count(f->broken) == set_count(best->broken) && f->steps < best->steps))
            best = f;
    }
    return best;
}

void find_forbidden(struct arena *arena, const struct analysis *analysis,
                    const struct search_options *options, struct outcomes *outcomes)
{
    struct gathering g = {.arena = arena, .analysis = analysis, .outcomes = outcomes};
    bool asked_is_allowed = false;

    memset(outcomes, 0, sizeof *outcomes);
    outcomes->complete = true;
    for (uint32_t i = 0; i < analysis->count; i++)
        asked_is_allowed |= state_is_asked(analysis, analysis->items[i].values);
    for (uint32_t broken = 1; broken <= MAX_BROKEN; broken++) {
        struct search_options relaxed = *options;
        struct search_result result;
        relaxed.broken_axioms = broken;
        if (relaxed.limit > SEARCH_STEPS)
            relaxed.limit = SEARCH_STEPS;
        search_executions(arena, analysis->test, analysis->model, &relaxed, gather, &g,
                          &result);
        if (result.gave_up)
            outcomes->complete = false;
        if (asked_is_allowed || asked_outcome(outcomes))
            break;
    }
    if (outcomes->count)
        qsort(outcomes->items, outcomes->count, sizeof *outcomes->items, by_values);
}
