/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate.c - events of a choice of paths and their static relations. */
#include "memmodel/candidate.h"

#include <string.h>

bool scope_includes(const struct test *test, enum scope scope, uint32_t owner,
                    uint32_t other)
{
    const struct test_thread *a = &test->threads[owner];
    const struct test_thread *b = &test->threads[other];

    switch (scope) {
    case SCOPE_CTA:
        return a->gpu == b->gpu && a->cluster == b->cluster && a->cta == b->cta;
    case SCOPE_CLUSTER:
        return a->gpu == b->gpu && a->cluster == b->cluster;
    case SCOPE_GPU:
        return a->gpu == b->gpu;
    case SCOPE_SYS:
        return true;
    }
    return false;
}

static const char *add_events(struct candidate *c)
{
    const struct test *test = c->test;
    uint32_t n = 0;

    for (uint32_t o = 0; o < test->object_count; o++)
        c->events[n++] = (struct event){
            .kind = EVENT_INITIAL, .thread = NO_THREAD, .location = o,
            .size = test->objects[o].size, .partner = NO_EVENT,
            .value = NO_EXPRESSION};
    for (uint32_t t = 0; t < test->thread_count; t++) {
        const struct path *path = c->path[t];
        c->base[t] = n;
        if (n + path->event_count > MAX_EVENTS)
            return "the test has executions of more than 64 events";
        for (uint32_t i = 0; i < path->event_count; i++) {
            struct event *e = &c->events[n + i];
            *e = path->events[i];
            e->depends <<= n;
            e->completes <<= n;
            if (e->partner != NO_EVENT)
                e->partner += n;
            if (!model_has(c->model, INGREDIENT(PROXIES)))
                if (e->kind == EVENT_READ || e->kind == EVENT_WRITE)
                    e->proxy = PROXY_GENERIC;
            if (!model_has(c->model, INGREDIENT(SCOPES)))
                e->scope = SCOPE_SYS;
        }
        n += path->event_count;
    }
    c->count = n;
    return NULL;
}

static void sort_events(struct candidate *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct event *e = &c->events[i];
        event_set bit = set_of(i);
        switch (e->kind) {
        case EVENT_INITIAL:
            c->initial |= bit;
            c->writes |= bit;
            break;
        case EVENT_READ:
            c->reads |= bit;
            if (e->order & ORDER_ACQUIRE)
                c->acquires |= bit;
            break;
        case EVENT_WRITE:
            c->writes |= bit;
            if (e->order & ORDER_RELEASE)
                c->releases |= bit;
            break;
        case EVENT_FENCE: {
            /* PTX ISA, "membar/fence": fence.sc is a slower fence.acq_rel
             * that also restores sequential consistency. */
            bool both = (e->order & ORDER_SC) &&
                        model_has(c->model, INGREDIENT(SC_ACQ_REL));
            c->fences |= bit;
            if (e->order & ORDER_SC)
                c->sc_fences |= bit;
            if (both || (!(e->order & ORDER_SC) && (e->order & ORDER_ACQUIRE)))
                c->acquire_fences |= bit;
            if (both || (!(e->order & ORDER_SC) && (e->order & ORDER_RELEASE)))
                c->release_fences |= bit;
            break;
        }
        case EVENT_BARRIER:
            c->barriers |= bit;
            break;
        case EVENT_PROXY_FENCE:
            break;
        }
        if (e->kind == EVENT_READ || e->kind == EVENT_WRITE ||
            e->kind == EVENT_FENCE)
            if (e->order & ORDER_STRONG)
                c->strong |= bit;
        if ((e->kind == EVENT_READ || e->kind == EVENT_WRITE) &&
            e->proxy == PROXY_GENERIC)
            c->generic |= bit;
    }
    c->memory = c->reads | c->writes;
}

/* --- bytes ----------------------------------------------------------------------- */

static uint32_t object_of(const struct candidate *c, uint32_t event)
{
    const struct event *e = &c->events[event];

    return e->kind == EVENT_INITIAL ? e->location
                                    : c->test->locations[e->location].object;
}

/* Cuts every object at the edges of the accesses to it. */
static const char *add_granules(struct candidate *c)
{
    for (uint32_t o = 0; o < c->test->object_count; o++) {
        uint64_t edges[MAX_OBJECT_BYTES / 64 + 1] = {0};
        uint32_t size = c->test->objects[o].size;
        for (FOR_EACH(i, c->memory)) {
            const struct event *e = &c->events[i];
            if (object_of(c, (uint32_t)i) != o)
                continue;
            uint32_t end = e->offset + e->size;
            edges[e->offset / 64] |= (uint64_t)1 << e->offset % 64;
            edges[end / 64] |= (uint64_t)1 << end % 64;
        }
        for (uint32_t from = 0; from < size;) {
            uint32_t to = from + 1;
            while (to < size && !(edges[to / 64] >> to % 64 & 1))
                to++;
            if (c->granule_count == 64)
                return "accesses of too many different sizes";
            c->granules[c->granule_count++] = (struct granule){o, from, to - from};
            from = to;
        }
    }
    for (FOR_EACH(i, c->memory)) {
        const struct event *e = &c->events[i];
        for (uint32_t g = 0; g < c->granule_count; g++) {
            const struct granule *granule = &c->granules[g];
            if (granule->object == object_of(c, (uint32_t)i) &&
                granule->offset >= e->offset &&
                granule->offset + granule->size <= e->offset + e->size)
                c->covers[i] |= (uint64_t)1 << g;
        }
    }
    for (FOR_EACH(i, c->reads))
        for (FOR_EACH(g, c->covers[i])) {
            if (c->slot_count == MAX_SLOTS)
                return "reads of too many pieces";
            c->slots[c->slot_count++] = (struct slot){(uint32_t)i, (uint32_t)g};
        }
    return NULL;
}

static void relate_bytes(struct candidate *c)
{
    bool aliases = model_has(c->model, INGREDIENT(ALIASES)) &&
                   model_has(c->model, INGREDIENT(PROXIES));

    for (FOR_EACH(a, c->memory))
        for (FOR_EACH(b, c->memory)) {
            const struct event *x = &c->events[a], *y = &c->events[b];
            if (a == b || !(c->covers[a] & c->covers[b]))
                continue;
            relate(&c->loc, a, b);
            if (x->kind == EVENT_INITIAL || y->kind == EVENT_INITIAL)
                continue;
            if (aliases && c->test->locations[x->location].range !=
                               c->test->locations[y->location].range)
                continue;
            relate(&c->range, a, b);
            if (c->covers[a] == c->covers[b] ||
                !model_has(c->model, INGREDIENT(SIZES)))
                relate(&c->same, a, b);
        }
}

/* --- order inside a thread ----------------------------------------------------------- */

static bool in_program_order(const struct candidate *c, uint32_t a, uint32_t b)
{
    const struct event *x = &c->events[a], *y = &c->events[b];

    if (x->chain || y->chain)
        return x->chain == y->chain && x->stage < y->stage;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence;
    /* PTX ISA, "Vector Data-types": elements are in no order; the read half of
     * an atomic is before its write half. */
    if (x->element != y->element)
        return !model_has(c->model, INGREDIENT(VECTORS)) && a < b;
    return a < b;
}

static void relate_threads(struct candidate *c)
{
    bool asynchronous = model_has(c->model, INGREDIENT(COPY_ISSUE));

    for (uint32_t a = 0; a < c->count; a++)
        for (uint32_t b = 0; b < c->count; b++) {
            const struct event *x = &c->events[a], *y = &c->events[b];
            if (a == b || x->thread == NO_THREAD || y->thread == NO_THREAD)
                continue;
            if (scope_includes(c->test, SCOPE_CTA, x->thread, y->thread))
                relate(&c->same_block, a, b);
            if (x->thread != y->thread)
                continue;
            if (!asynchronous && (x->chain || y->chain) && x->chain != y->chain) {
                if (x->sequence < y->sequence)
                    relate(&c->po, a, b);
                continue;
            }
            if (in_program_order(c, a, b))
                relate(&c->po, a, b);
            /* PTX ISA, "Asynchronous operations": after the instructions that
             * precede their issue. */
            if (!x->chain && y->chain && x->sequence < y->sequence)
                relate(&c->issue, a, b);
        }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct event *e = &c->events[i];
        if (e->kind == EVENT_READ && e->partner != NO_EVENT)
            relate(&c->rmw, i, e->partner);
        if (model_has(c->model, INGREDIENT(COPY_COMPLETION)))
            for (FOR_EACH(from, e->completes))
                relate(&c->completion, from, i);
        if (model_has(c->model, INGREDIENT(DEPENDENCIES)) &&
            (e->kind == EVENT_READ || e->kind == EVENT_WRITE))
            for (FOR_EACH(from, e->depends))
                relate(&c->dep, from, i);
    }
}

/* PTX ISA, "Morally strong operations". */
static void relate_moral_strength(struct candidate *c)
{
    event_set candidates = (c->memory & ~c->initial) | c->fences;

    for (FOR_EACH(a, candidates))
        for (FOR_EACH(b, candidates)) {
            const struct event *x = &c->events[a], *y = &c->events[b];
            if (a == b)
                continue;
            bool scoped =
                set_has(c->strong, (uint32_t)a) && set_has(c->strong, (uint32_t)b) &&
                scope_includes(c->test, x->scope, x->thread, y->thread) &&
                scope_includes(c->test, y->scope, y->thread, x->thread);
            if (scoped)
                relate(&c->scoped, a, b);
            bool ordered = relates(&c->po, a, b) || relates(&c->po, b, a) ||
                           relates(&c->issue, a, b) || relates(&c->issue, b, a);
            bool both_access = set_has(c->memory, (uint32_t)a) &&
                               set_has(c->memory, (uint32_t)b);
            bool same_proxy = x->proxy == y->proxy;
            if (same_proxy && relates(&c->same_block, a, b) && both_access)
                relate(&c->same_proxy_block, a, b);
            if (!model_has(c->model, INGREDIENT(MORAL_STRENGTH)))
                ordered = same_proxy = true;
            if ((ordered || scoped) && (same_proxy || !both_access) &&
                (!both_access || relates(&c->same, a, b)))
                relate(&c->ms, a, b);
        }
}

/* PTX ISA, "Release and Acquire Patterns", as pairs of the first operation
 * and the write that others observe. */
static struct relation find_releases(const struct candidate *c)
{
    struct relation patterns = {{0}};
    event_set strong_writes = c->writes & c->strong;

    for (FOR_EACH(w, c->releases)) {
        relate(&patterns, w, w);
        if (model_has(c->model, INGREDIENT(LATER_WRITE)))
            patterns.row[w] |= c->po.row[w] & c->range.row[w] & strong_writes;
    }
    if (model_has(c->model, INGREDIENT(FENCE_PATTERN)))
        for (FOR_EACH(f, c->release_fences))
            patterns.row[f] |= c->po.row[f] & strong_writes;
    return patterns;
}

/* As pairs of the read that observes and the last operation. */
static struct relation find_acquires(const struct candidate *c)
{
    struct relation patterns = {{0}};
    event_set acquires = c->acquires;

    for (FOR_EACH(r, c->reads & c->strong)) {
        const struct event *e = &c->events[r];
        /* PTX ISA, "Acquire pattern": the read of a red does not count. */
        if (e->is_reduction && model_has(c->model, INGREDIENT(RED_NO_ACQUIRE)))
            continue;
        if (set_has(acquires, (uint32_t)r))
            relate(&patterns, r, r);
        if (model_has(c->model, INGREDIENT(EARLIER_READ)))
            for (FOR_EACH(later, c->po.row[r] & c->range.row[r] & acquires & c->reads))
                if (!c->events[later].is_reduction ||
                    !model_has(c->model, INGREDIENT(RED_NO_ACQUIRE)))
                    relate(&patterns, r, later);
        if (model_has(c->model, INGREDIENT(FENCE_PATTERN)))
            patterns.row[r] |= c->po.row[r] & c->acquire_fences;
    }
    return patterns;
}

const char *candidate_build(struct candidate *c)
{
    const char *problem = add_events(c);

    if (problem)
        return problem;
    sort_events(c);
    problem = add_granules(c);
    if (problem)
        return problem;
    relate_bytes(c);
    relate_threads(c);
    relate_moral_strength(c);
    c->release_patterns = find_releases(c);
    c->acquire_patterns = find_acquires(c);
    c->has_patterns = relation_count(&c->release_patterns, c->count) &&
                      relation_count(&c->acquire_patterns, c->count);
    c->has_rmw = relation_count(&c->rmw, c->count) != 0;
    return NULL;
}
