/* SPDX-License-Identifier: Apache-2.0
 *
 * cycle.c - shortest paths and cycles through labelled relations. */
#include "memmodel/cycle.h"

#include <string.h>

static const struct {
    const char *name, *words;
} edge_table[EDGE_COUNT] = {
    [EDGE_PO] = {"po", "comes before, in program order,"},
    [EDGE_RF] = {"rf", "is read by"},
    [EDGE_CO] = {"co", "is overwritten by (coherence)"},
    [EDGE_FR] = {"fr", "read a value older than that of"},
    [EDGE_RMW] = {"rmw", "is one atomic with"},
    [EDGE_DEP] = {"dep", "is needed to produce"},
    [EDGE_SYNC] = {"sync", "synchronizes with"},
    [EDGE_BARRIER] = {"bar", "meets at the barrier"},
    [EDGE_SC] = {"sc", "is before, in Fence-SC order,"},
    [EDGE_COMPLETION] = {"done", "is complete at"},
    [EDGE_ISSUE] = {"issue", "comes before the issue of"},
    [EDGE_OBS] = {"obs", "is observed, through a chain of atomics, by"},
    [EDGE_CAUSE] = {"cause", "is before, in causality order,"},
};

const char *edge_name(enum edge edge)
{
    return edge_table[edge].name;
}

const char *edge_words(enum edge edge)
{
    return edge_table[edge].words;
}

void cycle_step(struct cycle *cycle, uint32_t from, uint32_t to, enum edge edge)
{
    if (cycle->count < sizeof cycle->steps / sizeof *cycle->steps)
        cycle->steps[cycle->count++] = (struct cycle_step){from, to, edge};
}

/* Breadth first. Among equally short ways the first listed edge kind and the
 * lowest event win, so the answer does not depend on anything else. */
bool cycle_path(struct cycle *cycle, const struct labelled *edges,
                uint32_t edge_count, uint32_t events, uint32_t from, uint32_t to)
{
    uint32_t before[MAX_EVENTS], queue[MAX_EVENTS], head = 0, tail = 0;
    enum edge label[MAX_EVENTS];
    event_set seen = 0;
    bool found = false;

    (void)events;
    queue[tail++] = from;
    while (head < tail && !found) {
        uint32_t at = queue[head++];
        for (uint32_t k = 0; k < edge_count && !found; k++)
            for (FOR_EACH(next, edges[k].relation->row[at] & ~seen)) {
                seen |= set_of((uint32_t)next);
                before[next] = at;
                label[next] = edges[k].edge;
                if (next == to) {
                    found = true;
                    break;
                }
                if (next != from)
                    queue[tail++] = (uint32_t)next;
            }
    }
    if (!found)
        return false;
    struct cycle_step reversed[MAX_EVENTS];
    uint32_t length = 0;
    for (uint32_t at = to;;) {
        reversed[length++] = (struct cycle_step){before[at], at, label[at]};
        at = before[at];
        if (at == from)
            break;
    }
    while (length--)
        cycle_step(cycle, reversed[length].from, reversed[length].to,
                   reversed[length].edge);
    return true;
}

bool cycle_find(struct cycle *cycle, const struct labelled *edges,
                uint32_t edge_count, uint32_t events)
{
    struct cycle best = {0};

    for (uint32_t start = 0; start < events; start++) {
        struct cycle one = {0};
        if (cycle_path(&one, edges, edge_count, events, start, start) &&
            (!best.count || one.count < best.count))
            best = one;
    }
    for (uint32_t i = 0; i < best.count; i++)
        cycle_step(cycle, best.steps[i].from, best.steps[i].to, best.steps[i].edge);
    return best.count != 0;
}

void cycle_base_causality(struct cycle *cycle, const struct candidate *c,
                          const struct execution *x, uint32_t from, uint32_t to)
{
    const struct labelled edges[] = {
        {&c->po, EDGE_PO}, {&x->sync, EDGE_SYNC}, {&x->barrier, EDGE_BARRIER},
        {&x->sc, EDGE_SC}, {&c->completion, EDGE_COMPLETION},
    };
    enum { COUNT = sizeof edges / sizeof *edges };

    if (cycle_path(cycle, edges, COUNT, c->count, from, to))
        return;
    /* The issue of an asynchronous copy can only be the last step. */
    if (relates(&c->issue, from, to)) {
        cycle_step(cycle, from, to, EDGE_ISSUE);
        return;
    }
    for (uint32_t last = 0; last < c->count; last++)
        if (relates(&c->issue, last, to) && relates(&x->cb, from, last) &&
            cycle_path(cycle, edges, COUNT, c->count, from, last)) {
            cycle_step(cycle, last, to, EDGE_ISSUE);
            return;
        }
    cycle_step(cycle, from, to, EDGE_CAUSE);
}

void cycle_cause(struct cycle *cycle, const struct candidate *c,
                 const struct execution *x, uint32_t from, uint32_t to)
{
    if (relates(&x->ppcb, from, to)) {
        cycle_base_causality(cycle, c, x, from, to);
        return;
    }
    for (FOR_EACH(middle, x->obs.row[from])) {
        bool direct = relates(&x->rf, from, middle);
        bool rest = relates(&x->ppcb, middle, to);
        bool same_place = c->model->family == FAMILY_PTX_60 &&
                          relates(&c->po, middle, to) &&
                          relates(&c->range, middle, to);
        if (!rest && !same_place)
            continue;
        cycle_step(cycle, from, (uint32_t)middle, direct ? EDGE_RF : EDGE_OBS);
        if (rest)
            cycle_base_causality(cycle, c, x, (uint32_t)middle, to);
        else
            cycle_step(cycle, (uint32_t)middle, to, EDGE_PO);
        return;
    }
    cycle_step(cycle, from, to, EDGE_CAUSE);
}
