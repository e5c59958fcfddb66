/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier.c - phases of block, warp and cluster barriers. */
#include "memmodel/barrier.h"

#include <string.h>

static int64_t value_of(const struct candidate *c, const struct execution *x,
                        uint32_t event, uint32_t expression, int64_t otherwise)
{
    uint32_t thread = c->events[event].thread;
    int64_t value;

    if (expression == NO_EXPRESSION ||
        !expression_value(c->pool[thread], expression, c->base[thread], x->known,
                          x->value, &value))
        return otherwise;
    return value;
}

static int64_t id_of(const struct candidate *c, const struct execution *x,
                     uint32_t event)
{
    return value_of(c, x, event, c->events[event].barrier_id, -1);
}

static int64_t count_of(const struct candidate *c, const struct execution *x,
                        uint32_t event)
{
    return value_of(c, x, event, c->events[event].barrier_count, 0);
}

/* PTX ISA, "bar/barrier": arrive does not wait, so it is only a source. */
static bool only_arrives(const struct candidate *c, uint32_t event)
{
    return c->events[event].instruction->arrives_only &&
           model_has(c->model, INGREDIENT(ARRIVE));
}

static void meet(const struct candidate *c, struct relation *sync,
                 event_set sources, event_set members)
{
    if (!model_has(c->model, INGREDIENT(BARRIERS)))
        return;
    for (FOR_EACH(from, sources))
        for (FOR_EACH(to, members))
            if (from != to && !only_arrives(c, (uint32_t)to))
                relate(sync, from, to);
}

static event_set block_barriers(const struct candidate *c)
{
    event_set set = 0;

    for (FOR_EACH(b, c->barriers))
        if (c->events[b].barrier == BARRIER_CTA)
            set |= set_of((uint32_t)b);
    return set;
}

/* --- the Dat3M rule ----------------------------------------------------------------
 *
 * A barrier names its phase itself (the instance). With a count, any set of at
 * least so many arrivals may complete it: each member of that set synchronizes
 * with every thread that executes the barrier. The smallest sets order least,
 * so they alone decide what is possible. */

static event_set instance_members(const struct candidate *c,
                                  const struct execution *x, uint32_t event)
{
    const struct event *e = &c->events[event];
    event_set members = 0;

    for (FOR_EACH(b, block_barriers(c))) {
        const struct event *other = &c->events[b];
        if (other->instruction->instance == e->instruction->instance &&
            id_of(c, x, (uint32_t)b) == id_of(c, x, event) &&
            scope_includes(c->test, SCOPE_CTA, e->thread, other->thread))
            members |= set_of((uint32_t)b);
    }
    return members;
}

/* A thread arrives once it has passed its earlier barriers, so after all that
 * those wait for. In a cycle of such demands nobody ever arrives. */
static bool deadlocks(const struct candidate *c, const struct relation *sync)
{
    struct relation po = relation_between(&c->po, c->barriers, c->barriers);
    struct relation waits = relation_between(sync, c->barriers, c->barriers);

    waits = relation_compose(&waits, &po);
    relation_add(&waits, &po);
    return !relation_acyclic(&waits, c->count);
}

static void add_grouping(struct groupings *groupings, const struct relation *sync)
{
    for (uint32_t i = 0; i < groupings->count; i++)
        if (!memcmp(&groupings->items[i], sync, sizeof *sync))
            return;
    if (groupings->count == MAX_GROUPINGS)
        groupings->too_many = true;
    else
        groupings->items[groupings->count++] = *sync;
}

/* Chooses count members out of left and goes on with the barriers in rest. */
static void choose_members(const struct candidate *c, const struct execution *x,
                           event_set rest, event_set members, event_set left,
                           event_set chosen, int64_t count,
                           const struct relation *sync, struct groupings *out);

static void group_instances(const struct candidate *c, const struct execution *x,
                            event_set rest, const struct relation *sync,
                            struct groupings *out)
{
    if (!rest) {
        if (deadlocks(c, sync))
            out->hangs = true;
        else
            add_grouping(out, sync);
        return;
    }
    uint32_t first = set_first(rest);
    event_set members = instance_members(c, x, first);
    int64_t count = count_of(c, x, first);
    if (count <= 0)
        count = set_count(members);
    if (set_count(members) < count) {
        out->hangs = true;
        return;
    }
    choose_members(c, x, rest & ~members, members, members, 0, count, sync, out);
}

static void choose_members(const struct candidate *c, const struct execution *x,
                           event_set rest, event_set members, event_set left,
                           event_set chosen, int64_t count,
                           const struct relation *sync, struct groupings *out)
{
    if (count == 0) {
        struct relation more = *sync;
        meet(c, &more, chosen, members);
        group_instances(c, x, rest, &more, out);
        return;
    }
    if (set_count(left) < count || out->too_many)
        return;
    event_set bit = set_of(set_first(left));
    choose_members(c, x, rest, members, left & ~bit, chosen | bit, count - 1, sync, out);
    choose_members(c, x, rest, members, left & ~bit, chosen, count, sync, out);
}

/* --- PTX barriers --------------------------------------------------------------------
 *
 * Each block has numbered barriers. A phase ends when enough threads have
 * arrived: as many as the instruction says, or all that have not exited. The
 * threads of a test stand for whole warps, so a thread alone in its warp counts
 * 32 times. All orders of arrival are tried; states already seen are not. */

enum { MAX_STATES = 4096, WARP_SIZE = 32 };

struct arrivals {
    const struct candidate *c;
    const struct execution *x;
    struct groupings *out;
    struct {
        event_set performed, settled;
        struct relation sync;
    } seen[64]; /* the latest states, a small filter */
    uint32_t seen_count, states;
};

static uint32_t weight(const struct candidate *c, uint32_t thread)
{
    const struct test_thread *t = &c->test->threads[thread];
    uint32_t mates = 0;

    for (uint32_t o = 0; o < c->test->thread_count; o++)
        mates += c->test->threads[o].warp == t->warp &&
                 scope_includes(c->test, SCOPE_CTA, thread, o);
    return WARP_SIZE / mates ? WARP_SIZE / mates : 1;
}

static bool same_barrier(const struct arrivals *a, uint32_t e, uint32_t f)
{
    return scope_includes(a->c->test, SCOPE_CTA, a->c->events[e].thread,
                          a->c->events[f].thread) &&
           id_of(a->c, a->x, e) == id_of(a->c, a->x, f);
}

/* The next barrier event of a thread that still has one, else NO_EVENT. */
static uint32_t next_arrival(const struct arrivals *a, uint32_t thread,
                             event_set performed)
{
    for (FOR_EACH(b, block_barriers(a->c) & ~performed))
        if (a->c->events[b].thread == thread)
            return (uint32_t)b;
    return NO_EVENT;
}

/* All that could still arrive at the barrier of e: an uncounted phase ends
 * when every thread with arrivals left on it is there. */
static bool phase_is_full(const struct arrivals *a, uint32_t e, event_set members,
                          event_set performed, event_set settled)
{
    const struct candidate *c = a->c;
    int64_t count = count_of(c, a->x, e);

    if (count > 0) {
        int64_t arrived = 0;
        for (FOR_EACH(m, members))
            arrived += weight(c, c->events[m].thread);
        return arrived >= count;
    }
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        bool here = false;
        if (!scope_includes(c->test, SCOPE_CTA, c->events[e].thread, t))
            continue;
        for (FOR_EACH(m, members))
            here |= c->events[m].thread == t;
        if (here)
            continue;
        for (FOR_EACH(b, block_barriers(c) & ~performed & ~settled))
            if (c->events[b].thread == t)
                return false; /* it has not exited */
    }
    return true;
}

static bool seen_before(struct arrivals *a, event_set performed, event_set settled,
                        const struct relation *sync)
{
    uint32_t kept = a->seen_count < 64 ? a->seen_count : 64;

    for (uint32_t i = 0; i < kept; i++)
        if (a->seen[i].performed == performed && a->seen[i].settled == settled &&
            !memcmp(&a->seen[i].sync, sync, sizeof *sync))
            return true;
    uint32_t at = a->seen_count++ % 64;
    a->seen[at].performed = performed;
    a->seen[at].settled = settled;
    a->seen[at].sync = *sync;
    return false;
}

static void arrive(struct arrivals *a, event_set performed, event_set settled,
                   const struct relation *sync)
{
    const struct candidate *c = a->c;
    bool moved = false;

    if (seen_before(a, performed, settled, sync) || a->out->too_many)
        return;
    if (++a->states > MAX_STATES) {
        a->out->too_many = true;
        return;
    }
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        bool waits = false;
        for (FOR_EACH(b, performed & ~settled))
            waits |= c->events[b].thread == t &&
                     !c->events[b].instruction->arrives_only;
        uint32_t e = next_arrival(a, t, performed);
        if (waits || e == NO_EVENT)
            continue;
        moved = true;
        event_set now = performed | set_of(e), members = 0, done = settled;
        struct relation more = *sync;
        for (FOR_EACH(b, now & ~settled))
            if (same_barrier(a, (uint32_t)b, e))
                members |= set_of((uint32_t)b);
        if (phase_is_full(a, e, members, now, settled)) {
            done |= members;
            meet(c, &more, members, members);
        }
        arrive(a, now, done, &more);
    }
    if (moved)
        return;
    event_set waiting = performed & ~settled;
    for (FOR_EACH(b, waiting))
        if (!c->events[b].instruction->arrives_only) {
            a->out->hangs = true;
            return;
        }
    add_grouping(a->out, sync);
}

/* --- warps and clusters --------------------------------------------------------------- */

/* How many like events of its thread come before this one. */
static uint32_t turn_of(const struct candidate *c, uint32_t event)
{
    const struct event *e = &c->events[event];
    uint32_t turn = 0;

    for (FOR_EACH(b, c->barriers)) {
        const struct event *o = &c->events[b];
        turn += b < event && o->thread == e->thread && o->barrier == e->barrier &&
                o->instruction->mask == e->instruction->mask;
    }
    return turn;
}

/* PTX ISA, "bar.warp.sync": orders the participating threads' accesses. */
static void meet_warps(const struct candidate *c, struct relation *sync)
{
    for (FOR_EACH(a, c->barriers))
        for (FOR_EACH(b, c->barriers)) {
            const struct event *e = &c->events[a], *f = &c->events[b];
            if (a != b && e->barrier == BARRIER_WARP && f->barrier == BARRIER_WARP &&
                e->instruction->mask == f->instruction->mask &&
                scope_includes(c->test, SCOPE_CTA, e->thread, f->thread) &&
                c->test->threads[e->thread].warp == c->test->threads[f->thread].warp &&
                turn_of(c, (uint32_t)a) == turn_of(c, (uint32_t)b))
                relate(sync, a, b);
        }
}

/* PTX ISA, "barrier.cluster": arrive releases unless relaxed, wait acquires. A
 * relaxed arrive publishes what an earlier fence has released. */
static void meet_clusters(const struct candidate *c, struct relation *sync)
{
    for (FOR_EACH(a, c->barriers))
        for (FOR_EACH(b, c->barriers)) {
            const struct event *e = &c->events[a], *f = &c->events[b];
            if (e->barrier != BARRIER_CLUSTER_ARRIVE ||
                f->barrier != BARRIER_CLUSTER_WAIT ||
                !scope_includes(c->test, SCOPE_CLUSTER, e->thread, f->thread) ||
                turn_of(c, (uint32_t)a) != turn_of(c, (uint32_t)b))
                continue;
            if (e->instruction->order & ORDER_RELEASE)
                relate(sync, a, b);
            for (FOR_EACH(fence, c->release_fences))
                if (relates(&c->po, fence, a) &&
                    c->events[fence].scope >= SCOPE_CLUSTER)
                    relate(sync, fence, b);
        }
}

void barrier_groupings(const struct candidate *c, const struct execution *x,
                       struct groupings *groupings)
{
    struct relation sync = {{0}};

    groupings->count = 0;
    groupings->too_many = groupings->hangs = false;
    if (model_has(c->model, INGREDIENT(WARP_BARRIERS)))
        meet_warps(c, &sync);
    if (model_has(c->model, INGREDIENT(CLUSTER_BARRIERS)))
        meet_clusters(c, &sync);
    event_set barriers = block_barriers(c);
    if (!barriers) {
        add_grouping(groupings, &sync);
        return;
    }
    if (!c->test->is_native) {
        event_set passed = 0;
        for (FOR_EACH(b, barriers)) {
            uint32_t thread = c->events[b].thread;
            const struct path *path = c->path[thread];
            bool last = b + 1 == c->base[thread] + path->event_count;
            if (path->end != PATH_BLOCKED || !last)
                passed |= set_of((uint32_t)b);
        }
        group_instances(c, x, passed, &sync, groupings);
        return;
    }
    struct arrivals a = {.c = c, .x = x, .out = groupings};
    arrive(&a, 0, 0, &sync);
}

/* --- liveness ------------------------------------------------------------------------- */

/* A thread of the block that has this barrier in its program, has not executed
 * it and has not ended: the one that the others wait for. */
static bool someone_missing(const struct candidate *c, const struct execution *x,
                            uint32_t event)
{
    const struct event *e = &c->events[event];
    event_set members = instance_members(c, x, event);

    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        const struct test_thread *thread = &c->test->threads[t];
        bool executed = false, has_it = false;
        if (!scope_includes(c->test, SCOPE_CTA, e->thread, t) ||
            c->path[t]->end == PATH_COMPLETE)
            continue;
        for (FOR_EACH(m, members))
            executed |= c->events[m].thread == t;
        for (uint32_t i = 0; i < thread->code_count; i++) {
            const struct instruction *other = &thread->code[i];
            bool other_id = other->has_id && !other->id.is_register &&
                            other->id.value != id_of(c, x, event);
            has_it |= other->kind == INSTR_BARRIER && !other_id &&
                      other->instance == e->instruction->instance;
        }
        if (has_it && !executed)
            return true;
    }
    return false;
}

bool barrier_blocks(const struct candidate *c, const struct execution *x,
                    uint32_t event)
{
    const struct event *e = &c->events[event];

    if (c->test->is_native || e->barrier != BARRIER_CTA)
        return false;
    int64_t count = count_of(c, x, event);
    if (count > 0)
        return set_count(instance_members(c, x, event)) < count;
    return someone_missing(c, x, event);
}

bool barrier_passes(const struct candidate *c, const struct execution *x,
                    uint32_t event)
{
    return c->test->is_native || only_arrives(c, event) ||
           !barrier_blocks(c, x, event);
}
