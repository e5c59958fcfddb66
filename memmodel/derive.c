/* SPDX-License-Identifier: Apache-2.0
 *
 * derive.c - the derived relations of an execution, one function each.
 *
 * All of them grow with rf, barrier, sc and co_choice, so they may be computed
 * for a partial choice: what is there will stay. */
#include "memmodel/candidate.h"

/* PTX ISA, "Observation order": a write to a read through reads-from, and on
 * through read-modify-writes; every reads-from step is morally strong. */
static struct relation observation(const struct candidate *c,
                                   const struct execution *x)
{
    struct relation step = relation_and(&x->rf, &c->ms);
    struct relation obs = step;

    if (!c->has_rmw || !model_has(c->model, INGREDIENT(RMW_CHAIN)))
        return obs;
    struct relation update = relation_compose(&c->rmw, &step);
    for (bool grew = true; grew;) {
        struct relation more = relation_compose(&obs, &update);
        grew = false;
        for (uint32_t i = 0; i < c->count; i++) {
            grew |= (more.row[i] & ~obs.row[i]) != 0;
            obs.row[i] |= more.row[i];
        }
    }
    return obs;
}

/* PTX ISA, "Memory synchronization", patterns only. */
static struct relation pattern_synchronization(const struct candidate *c,
                                               const struct execution *x)
{
    struct relation sync = {{0}};

    if (!c->has_patterns || !model_has(c->model, INGREDIENT(PATTERN_SYNC)))
        return sync;
    struct relation seen = relation_compose(&c->release_patterns, &x->obs);
    seen = relation_compose(&seen, &c->acquire_patterns);
    return relation_and(&seen, &c->ms);
}

/* PTX ISA, "Causality order", base causality: program order and
 * synchronization, transitively. Instructions come before the asynchronous
 * copies that they precede, but completion of a copy publishes only the copy,
 * so those pairs do not compose with what follows the copy. */
static struct relation base_causality(const struct candidate *c,
                                      const struct execution *x)
{
    bool only_own = model_has(c->model, INGREDIENT(COPY_ONLY_OWN));
    struct relation cb = x->sync;

    relation_add(&cb, &x->barrier);
    relation_add(&cb, &c->completion);
    if (model_has(c->model, INGREDIENT(SC_SYNC)))
        relation_add(&cb, &x->sc);
    if (c->model->family == FAMILY_PTX_60 ||
        !model_has(c->model, INGREDIENT(PROGRAM_ORDER))) {
        /* Program order counts only before and after synchronization. */
        struct relation around = c->po;
        for (uint32_t i = 0; i < c->count; i++)
            relate(&around, i, i);
        struct relation step = relation_compose(&around, &cb);
        step = relation_compose(&step, &around);
        cb = step;
        relation_close(&cb, c->count);
        return cb;
    }
    bool bare = !relation_count(&cb, c->count);
    relation_add(&cb, &c->po);
    if (!only_own)
        relation_add(&cb, &c->issue);
    if (!bare || !only_own) /* program order by itself is transitive */
        relation_close(&cb, c->count);
    if (only_own) {
        struct relation issued = relation_compose(&cb, &c->issue);
        relation_add(&cb, &c->issue);
        relation_add(&cb, &issued);
    }
    return cb;
}

/* PTX ISA, "Proxy-preserved base causality order", with the rules for proxies
 * other than aliases after the mixed-proxy model (ISCA 2022): a non-generic
 * access needs a fence of its proxy, executed in its block, on the path. */
static bool crosses_proxies(const struct candidate *c, const struct relation *cb,
                            uint32_t a, uint32_t b)
{
    event_set starts = 0, ends = 0, reached = 0;
    bool fences = model_has(c->model, INGREDIENT(PROXY_FENCES));
    bool a_generic = set_has(c->generic, a), b_generic = set_has(c->generic, b);

    if (!fences)
        return false;
    for (uint32_t f = 0; f < c->count; f++) {
        if (c->events[f].kind != EVENT_PROXY_FENCE)
            continue;
        bool strict = c->model->strict_proxies;
        if (!a_generic && c->events[f].proxy == c->events[a].proxy &&
            relates(cb, a, f) && (!strict || relates(&c->same_block, a, f)))
            starts |= set_of(f);
        if (!b_generic && c->events[f].proxy == c->events[b].proxy &&
            relates(cb, f, b) && (!strict || relates(&c->same_block, f, b)))
            ends |= set_of(f);
    }
    if (a_generic)
        starts = set_of(a);
    if (b_generic)
        ends = set_of(b);
    for (FOR_EACH(s, starts))
        reached |= cb->row[s];
    if (relates(&c->range, a, b)) {
        /* One fence may serve both ends of the path. */
        return (reached & ends) || (!a_generic && !b_generic && (starts & ends));
    }
    for (FOR_EACH(f, reached))
        if (c->events[f].kind == EVENT_PROXY_FENCE &&
            c->events[f].proxy == PROXY_ALIAS && (cb->row[f] & ends))
            return true;
    return false;
}

static struct relation proxy_preserved(const struct candidate *c,
                                       const struct execution *x)
{
    event_set accesses = c->memory & ~c->initial;
    struct relation ppcb = {{0}};

    for (FOR_EACH(a, accesses)) {
        event_set later = x->cb.row[a] & c->loc.row[a] & accesses;
        event_set plain = c->range.row[a] &
                          (c->same_proxy_block.row[a] |
                           (set_has(c->generic, (uint32_t)a) ? c->generic : 0));
        ppcb.row[a] = later & plain;
        for (FOR_EACH(b, later & ~plain))
            if (crosses_proxies(c, &x->cb, (uint32_t)a, (uint32_t)b))
                relate(&ppcb, a, b);
    }
    return ppcb;
}

void derive_causality(const struct candidate *c, struct execution *x)
{
    x->obs = observation(c, x);
    x->sync = pattern_synchronization(c, x);
    x->cb = base_causality(c, x);
    if (c->model->family == FAMILY_PTX_60) {
        struct relation tail = relation_and(&c->po, &c->range);
        x->ppcb = x->cb;
        relation_add(&tail, &x->cb);
        x->cause = relation_compose(&x->obs, &tail);
        relation_add(&x->cause, &x->cb);
        return;
    }
    x->ppcb = proxy_preserved(c, x);
    x->cause = x->ppcb;
    if (model_has(c->model, INGREDIENT(OBSERVATION_PREFIX))) {
        struct relation prefixed = relation_compose(&x->obs, &x->ppcb);
        relation_add(&x->cause, &prefixed);
    }
}

/* The least coherence order that the choices allow: initial writes first,
 * causality between overlapping writes, the chosen orientations. */
void derive_coherence(const struct candidate *c, struct execution *x,
                      bool from_cause)
{
    x->co = x->co_choice;
    for (FOR_EACH(w, c->writes)) {
        event_set others = c->loc.row[w] & c->writes;
        if (set_has(c->initial, (uint32_t)w))
            x->co.row[w] |= others;
        else if (from_cause)
            x->co.row[w] |= x->cause.row[w] & others & ~c->initial;
    }
    relation_close(&x->co, c->count);
    derive_from_reads(c, x);
}

void derive_from_reads(const struct candidate *c, struct execution *x)
{
    x->fr = (struct relation){{0}};
    for (uint32_t s = 0; s < c->slot_count; s++) {
        uint32_t source = x->source[s], read = c->slots[s].read;
        if (source == NO_SOURCE)
            continue;
        for (FOR_EACH(w, x->co.row[source]))
            if (c->covers[w] >> c->slots[s].granule & 1)
                relate(&x->fr, read, w);
    }
}
