/* SPDX-License-Identifier: Apache-2.0
 *
 * axioms.c - what an execution must obey, one function for each axiom.
 *
 * PTX ISA, "Axioms". Every axiom can be asked of an execution in the making:
 * its relations only grow, so a violation stays one. */
#include "memmodel/cycle.h"

static bool is_ptx(const struct candidate *c)
{
    return c->model->family <= FAMILY_PTX_60;
}

/* Coherence: overlapping writes in causality order are in coherence order,
 * which has no cycles. An order that was not demanded from causality (see
 * derive_coherence) is caught when it says the opposite. */
static bool coherence(const struct candidate *c, const struct execution *x,
                      struct cycle *cycle)
{
    event_set writes = c->writes & ~c->initial;

    for (FOR_EACH(a, writes)) {
        event_set wrong = x->cause.row[a] & c->loc.row[a] & writes;
        for (FOR_EACH(b, wrong)) {
            if (!relates(&x->co, b, a))
                continue;
            if (cycle) {
                cycle_cause(cycle, c, x, (uint32_t)a, (uint32_t)b);
                if (relates(&x->cause, b, a) && !relates(&x->co_choice, b, a))
                    cycle_cause(cycle, c, x, (uint32_t)b, (uint32_t)a);
                else
                    cycle_step(cycle, (uint32_t)b, (uint32_t)a, EDGE_CO);
            }
            return false;
        }
    }
    if (relation_irreflexive(&x->co, c->count))
        return true;
    if (cycle) {
        const struct labelled edges[] = {{&x->co, EDGE_CO}};
        cycle_find(cycle, edges, 1, c->count);
    }
    return false;
}

/* Fence-SC: causality between morally strong SC fences is in Fence-SC order.
 * Stated over base causality: causality itself relates accesses only. */
static bool fence_sc(const struct candidate *c, const struct execution *x,
                     struct cycle *cycle)
{
    for (FOR_EACH(a, c->sc_fences)) {
        event_set later = x->cb.row[a] & c->ms.row[a] & c->sc_fences;
        for (FOR_EACH(b, later)) {
            if (!relates(&x->sc, b, a))
                continue;
            if (cycle) {
                cycle_base_causality(cycle, c, x, (uint32_t)a, (uint32_t)b);
                cycle_step(cycle, (uint32_t)b, (uint32_t)a, EDGE_SC);
            }
            return false;
        }
    }
    return true;
}

/* Atomicity of read-modify-writes: no morally strong write in between. */
static bool atomicity(const struct candidate *c, const struct execution *x,
                      struct cycle *cycle)
{
    for (FOR_EACH(r, c->reads)) {
        uint32_t w = c->events[r].partner;
        if (w == NO_EVENT)
            continue;
        event_set between = x->fr.row[r] & ~set_of(w);
        if (is_ptx(c))
            between &= c->ms.row[r] & c->ms.row[w];
        for (FOR_EACH(other, between)) {
            if (!relates(&x->co, other, w))
                continue;
            if (cycle) {
                cycle_step(cycle, (uint32_t)r, (uint32_t)other, EDGE_FR);
                cycle_step(cycle, (uint32_t)other, w, EDGE_CO);
                cycle_step(cycle, (uint32_t)r, w, EDGE_RMW);
            }
            return false;
        }
    }
    return true;
}

/* Single-copy atomicity: a read takes all of a morally strong write, or
 * something newer in every byte. */
static bool single_copy(const struct candidate *c, const struct execution *x,
                        struct cycle *cycle)
{
    for (uint32_t s = 0; s < c->slot_count; s++) {
        uint32_t read = c->slots[s].read, whole = x->source[s];
        if (whole == NO_SOURCE || !relates(&c->ms, read, whole))
            continue;
        for (uint32_t t = 0; t < c->slot_count; t++) {
            if (c->slots[t].read != read || x->source[t] == NO_SOURCE ||
                !relates(&x->co, x->source[t], whole))
                continue;
            if (cycle) {
                cycle_step(cycle, whole, read, EDGE_RF);
                cycle_step(cycle, read, whole, EDGE_FR);
            }
            return false;
        }
    }
    return true;
}

static bool no_thin_air(const struct candidate *c, const struct execution *x,
                        struct cycle *cycle)
{
    if (relation_irreflexive(&x->rf_dep, c->count))
        return true;
    if (cycle) {
        const struct labelled edges[] = {{&x->rf, EDGE_RF}, {&c->dep, EDGE_DEP}};
        cycle_find(cycle, edges, 2, c->count);
    }
    return false;
}

/* SC per location: morally strong communication agrees with program order at
 * each location. The contrast models demand it of all communication. */
static bool sc_per_location(const struct candidate *c, const struct execution *x,
                            struct cycle *cycle)
{
    struct relation all = {{0}};

    for (FOR_EACH(a, c->memory)) {
        event_set strong = is_ptx(c) ? c->ms.row[a] : ~(event_set)0;
        all.row[a] = (c->po.row[a] & c->loc.row[a]) |
                     (strong & (x->rf.row[a] | x->co.row[a] | x->fr.row[a]));
    }
    if (relation_acyclic(&all, c->count))
        return true;
    if (cycle) {
        struct relation po = relation_and(&c->po, &c->loc), rf = x->rf, co = x->co,
                        fr = x->fr;
        if (is_ptx(c)) {
            rf = relation_and(&rf, &c->ms);
            co = relation_and(&co, &c->ms);
            fr = relation_and(&fr, &c->ms);
        }
        const struct labelled edges[] = {
            {&po, EDGE_PO}, {&rf, EDGE_RF}, {&co, EDGE_CO}, {&fr, EDGE_FR}};
        cycle_find(cycle, edges, 4, c->count);
    }
    return false;
}

/* Causality: no read or overwritten read is at odds with causality. */
static bool causality(const struct candidate *c, const struct execution *x,
                      struct cycle *cycle)
{
    bool found = false;
    struct cycle best = {0};

    for (FOR_EACH(b, c->memory)) {
        event_set back = x->rf.row[b] | x->fr.row[b];
        for (FOR_EACH(a, back)) {
            if (!relates(&x->cause, a, b))
                continue;
            if (!cycle)
                return false;
            struct cycle one = {0};
            cycle_step(&one, (uint32_t)b, (uint32_t)a,
                       relates(&x->rf, b, a) ? EDGE_RF : EDGE_FR);
            cycle_cause(&one, c, x, (uint32_t)a, (uint32_t)b);
            if (!found || one.count < best.count)
                best = one;
            found = true;
        }
    }
    for (uint32_t i = 0; found && i < best.count; i++)
        cycle_step(cycle, best.steps[i].from, best.steps[i].to, best.steps[i].edge);
    return !found;
}

/* Threads that meet at a barrier do so at one moment, so the barrier events
 * themselves are in no order: what is before one comes before what is after
 * the other. */
static struct relation across_barriers(const struct candidate *c,
                                       const struct execution *x)
{
    struct relation before = c->po;

    for (uint32_t i = 0; i < c->count; i++)
        relate(&before, i, i);
    struct relation across = relation_compose(&before, &x->barrier);
    return relation_compose(&across, &c->po);
}

/* Sequential consistency: one interleaving explains everything. */
static bool sequential(const struct candidate *c, const struct execution *x,
                       struct cycle *cycle)
{
    struct relation barrier = across_barriers(c, x);
    const struct labelled edges[] = {
        {&c->po, EDGE_PO}, {&x->rf, EDGE_RF}, {&x->co, EDGE_CO}, {&x->fr, EDGE_FR},
        {&barrier, EDGE_BARRIER}, {&c->completion, EDGE_COMPLETION},
        {&c->issue, EDGE_ISSUE}};
    enum { COUNT = sizeof edges / sizeof *edges };
    struct relation all = {{0}};

    for (uint32_t i = 0; i < COUNT; i++)
        relation_add(&all, edges[i].relation);
    if (relation_acyclic(&all, c->count))
        return true;
    if (cycle)
        cycle_find(cycle, edges, COUNT, c->count);
    return false;
}

/* Program order as a store buffer keeps it: a plain store and a later plain
 * load may swap, unless an SC fence, an atomic or a barrier is between. */
static struct relation buffered_order(const struct candidate *c)
{
    struct relation order = {{0}};
    event_set kept = c->memory | c->sc_fences | c->barriers;

    for (FOR_EACH(a, kept)) {
        order.row[a] = c->po.row[a] & kept;
        bool plain_store = set_has(c->writes, (uint32_t)a) &&
                           c->events[a].partner == NO_EVENT;
        if (!plain_store)
            continue;
        for (FOR_EACH(b, order.row[a] & c->reads))
            if (c->events[b].partner == NO_EVENT)
                order.row[a] &= ~set_of((uint32_t)b);
    }
    return order;
}

static bool total_store_order(const struct candidate *c,
                              const struct execution *x, struct cycle *cycle)
{
    struct relation order = buffered_order(c), external = x->rf, all;
    struct relation barrier = across_barriers(c, x);

    for (FOR_EACH(w, c->writes & ~c->initial))
        for (FOR_EACH(r, x->rf.row[w]))
            if (c->events[w].thread == c->events[r].thread)
                external.row[w] &= ~set_of((uint32_t)r);
    const struct labelled edges[] = {
        {&order, EDGE_PO}, {&external, EDGE_RF}, {&x->co, EDGE_CO},
        {&x->fr, EDGE_FR}, {&barrier, EDGE_BARRIER},
        {&c->completion, EDGE_COMPLETION}, {&c->issue, EDGE_ISSUE}};
    enum { COUNT = sizeof edges / sizeof *edges };
    all = order;
    for (uint32_t i = 1; i < COUNT; i++)
        relation_add(&all, edges[i].relation);
    if (relation_acyclic(&all, c->count))
        return true;
    if (cycle)
        cycle_find(cycle, edges, COUNT, c->count);
    return false;
}

const struct axiom axiom_coherence = {
    "coherence", "writes ordered by causality are in coherence order", coherence};
const struct axiom axiom_fence_sc = {
    "fence-sc", "SC fences ordered by causality are in Fence-SC order", fence_sc};
const struct axiom axiom_atomicity = {
    "atomicity", "no strong write comes between the halves of an atomic", atomicity};
const struct axiom axiom_single_copy = {
    "single-copy", "a strong read sees all of a strong write or none", single_copy};
const struct axiom axiom_no_thin_air = {
    "no-thin-air", "no value justifies itself through dependencies", no_thin_air};
const struct axiom axiom_sc_per_location = {
    "sc-per-location", "strong communication at one location agrees with program order",
    sc_per_location};
const struct axiom axiom_causality = {
    "causality", "no read disagrees with causality order", causality};
const struct axiom axiom_sequential = {
    "sequential", "one interleaving of all threads explains every value", sequential};
const struct axiom axiom_total_store_order = {
    "store-order", "all threads see stores in one order, own stores early",
    total_store_order};
