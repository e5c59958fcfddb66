/* SPDX-License-Identifier: Apache-2.0
 *
 * race_oracle.c - see race_oracle.h. */
#include "tests/race_oracle.h"

#include <stdlib.h>
#include <string.h>

/* Somebody who came to a barrier that is not complete. */
struct arrival {
    const struct block *block;
    const struct warp *warp;
    uint32_t id, mask;
    uint32_t actions[LANES]; /* by lane */
    bool waits;
};

/* --- writing down ------------------------------------------------------------------------ */

static struct oracle *oracle_of(struct observer *observer)
{
    return (struct oracle *)observer;
}

static void add_edge(struct oracle *o, uint32_t from, uint32_t to)
{
    *ARENA_PUSH(&o->arena, &o->edges) = (struct edge){from, to};
}

/* thread NO_ACTION: nobody's. */
static struct action *add_action(struct oracle *o, enum action_kind kind, uint32_t thread)
{
    uint32_t index = o->actions.count;
    struct action *action = ARENA_PUSH(&o->arena, &o->actions);

    *action = (struct action){.kind = kind, .thread = thread, .source = NO_ACTION};
    if (thread == NO_ACTION)
        return action;
    action->block = thread / LANES / o->warps;
    if (o->last[thread] != NO_ACTION)
        add_edge(o, o->last[thread], index);
    o->last[thread] = index;
    return action;
}

static uint32_t thread_of(const struct oracle *o, const struct warp *warp, unsigned lane)
{
    return ((uint32_t)warp->block->linear * o->warps + warp->index) * LANES + lane;
}

static bool overlap(const struct action *a, const struct action *b)
{
    return a->place == b->place && a->offset < b->offset + b->size &&
           b->offset < a->offset + a->size;
}

static bool same_bytes(const struct action *a, const struct action *b)
{
    return a->place == b->place && a->offset == b->offset && a->size == b->size;
}

/* The last write of these bytes, if it is one of just these. */
static uint32_t source_of(const struct oracle *o, const struct action *read)
{
    for (uint32_t i = (uint32_t)(read - o->actions.items); i-- > 0;) {
        const struct action *write = &o->actions.items[i];
        if (write->kind == ACTION_ACCESS && write->writes && overlap(write, read))
            return same_bytes(write, read) ? i : NO_ACTION;
    }
    return NO_ACTION;
}

static void on_access(struct observer *self, const struct access_event *event)
{
    struct oracle *o = oracle_of(self);
    const struct code *code = event->code;
    uint32_t elements = event->elements ? event->elements : 1;
    bool shared = event->space == IR_SPACE_SHARED;
    bool atomic = code->op == IR_OP_atom;

    if (!shared && event->space != IR_SPACE_GLOBAL)
        return;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (uint32_t e = 0; event->mask >> lane & 1 && e < elements; e++) {
            struct action *a = add_action(o, ACTION_ACCESS, thread_of(o, event->warp, lane));
            a->inst = code->ir;
            a->reads = event->kind != ACCESS_WRITE;
            a->writes = event->kind == ACCESS_WRITE || event->kind == ACCESS_ATOMIC;
            a->strong = atomic || code->order != IR_ORDER_WEAK;
            a->scope = code->scope ? (enum ir_scope)code->scope : IR_SCOPE_GPU;
            a->mute = atomic && !code->destinations;
            a->acquires = a->reads && !a->mute &&
                          (code->order == IR_ORDER_ACQUIRE || code->order == IR_ORDER_ACQ_REL);
            a->releases = a->writes &&
                          (code->order == IR_ORDER_RELEASE || code->order == IR_ORDER_ACQ_REL);
            a->size = event->size / elements;
            a->offset = event->address[lane] + (uint64_t)e * a->size;
            a->place = shared ? access_block(event, lane)->linear
                              : access_allocation(event, lane)->address;
            if (a->reads)
                a->source = source_of(o, a);
        }
}

static void on_fence(struct observer *self, struct warp *warp, const struct code *code,
                     uint32_t mask)
{
    struct oracle *o = oracle_of(self);

    for (unsigned lane = 0; code->op == IR_OP_fence && lane < LANES; lane++)
        if (mask >> lane & 1) {
            struct action *a = add_action(o, ACTION_FENCE, thread_of(o, warp, lane));
            a->strong = true;
            a->scope = (enum ir_scope)code->scope;
            a->sc = code->order == IR_ORDER_SC;
            o->fences += a->sc;
            a->acquires = code->order != IR_ORDER_RELEASE;
            a->releases = code->order != IR_ORDER_ACQUIRE;
        }
}

/* All that came before what comes after, for the lanes that wait. */
static uint32_t meet(struct oracle *o)
{
    add_action(o, ACTION_MEETING, NO_ACTION);
    return o->actions.count - 1;
}

static void leave(struct oracle *o, uint32_t meeting, const struct warp *warp, uint32_t mask)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        if (mask >> lane & 1) {
            add_action(o, ACTION_MEETING, thread_of(o, warp, lane));
            add_edge(o, meeting, o->actions.count - 1);
        }
}

static void on_warp_sync(struct observer *self, struct warp *warp, const struct code *code,
                         uint32_t mask)
{
    struct oracle *o = oracle_of(self);

    if (code->op != IR_OP_bar_warp)
        return;
    uint32_t meeting = meet(o);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t last = o->last[thread_of(o, warp, lane)];
        if (mask >> lane & 1 && last != NO_ACTION)
            add_edge(o, last, meeting);
    }
    leave(o, meeting, warp, mask);
}

static void on_barrier_arrive(struct observer *self, struct warp *warp, const struct code *code,
                              uint32_t id, uint32_t mask, bool waits)
{
    struct oracle *o = oracle_of(self);
    struct arrival *arrival = ARENA_PUSH(&o->arena, &o->arrivals);

    (void)code;
    *arrival = (struct arrival){warp->block, warp, id, mask, {0}, waits};
    for (unsigned lane = 0; lane < LANES; lane++)
        if (mask >> lane & 1) {
            add_action(o, ACTION_MEETING, thread_of(o, warp, lane));
            arrival->actions[lane] = o->actions.count - 1;
        }
}

static void on_barrier_complete(struct observer *self, struct block *block, uint32_t id)
{
    struct oracle *o = oracle_of(self);
    uint32_t meeting = meet(o), kept = 0;

    for (uint32_t i = 0; i < o->arrivals.count; i++) {
        const struct arrival *a = &o->arrivals.items[i];
        for (unsigned lane = 0; a->block == block && a->id == id && lane < LANES; lane++)
            if (a->mask >> lane & 1)
                add_edge(o, a->actions[lane], meeting);
    }
    for (uint32_t i = 0; i < o->arrivals.count; i++) {
        struct arrival a = o->arrivals.items[i];
        if (a.block != block || a.id != id)
            o->arrivals.items[kept++] = a;
        else if (a.waits)
            leave(o, meeting, a.warp, a.mask);
    }
    o->arrivals.count = kept;
}

void oracle_start(struct oracle *o, uint32_t blocks, uint32_t threads, uint32_t cluster)
{
    *o = (struct oracle){.observer = {.access = on_access,
                                      .fence = on_fence,
                                      .warp_sync = on_warp_sync,
                                      .barrier_arrive = on_barrier_arrive,
                                      .barrier_complete = on_barrier_complete}};
    o->warps = (threads + LANES - 1) / LANES;
    o->cluster = cluster;
    o->thread_count = blocks * o->warps * LANES;
    o->last = ARENA_NEW_ARRAY(&o->arena, o->thread_count, uint32_t);
    memset(o->last, 0xff, o->thread_count * sizeof *o->last);
}

void oracle_end(struct oracle *o)
{
    arena_free(&o->arena);
}

/* --- the relations -------------------------------------------------------------------------- */

static bool holds(const struct oracle *o, const struct action *a, const struct action *b)
{
    return a->block == b->block || a->scope >= IR_SCOPE_GPU ||
           (a->scope == IR_SCOPE_CLUSTER && a->block / o->cluster == b->block / o->cluster);
}

/* "Morally strong operations". */
static bool morally_strong(const struct oracle *o, const struct action *a,
                           const struct action *b)
{
    if (a->kind == ACTION_ACCESS && b->kind == ACTION_ACCESS && !same_bytes(a, b))
        return false;
    return a->thread == b->thread ||
           (a->strong && b->strong && holds(o, a, b) && holds(o, b, a));
}

/* "Observation order", the step before: the write that an access takes its value from. */
static uint32_t observed(const struct oracle *o, uint32_t read)
{
    const struct action *actions = o->actions.items;
    uint32_t source = actions[read].source;

    return source != NO_ACTION && morally_strong(o, &actions[source], &actions[read])
               ? source : NO_ACTION;
}

/* Does a release pattern on the write's location begin there? The write is the last of it. */
static bool begins_pattern(const struct action *first, const struct action *write)
{
    return first->thread == write->thread && first->releases &&
           (first->kind == ACTION_FENCE || same_bytes(first, write));
}

static bool ends_pattern(const struct action *read, const struct action *last)
{
    return read->thread == last->thread && last->acquires &&
           (last->kind == ACTION_FENCE || same_bytes(read, last));
}

/* "Release and Acquire Patterns", "Memory synchronization": the patterns of a write that is
 * before a read in observation order. */
static void synchronize(struct oracle *o, uint32_t write, uint32_t read)
{
    const struct action *actions = o->actions.items;

    if (!actions[write].strong || !actions[read].strong || actions[read].mute)
        return;
    for (uint32_t first = 0; first <= write; first++) {
        if (!begins_pattern(&actions[first], &actions[write]))
            continue;
        for (uint32_t last = read; last < o->actions.count; last++)
            if (ends_pattern(&actions[read], &actions[last]) &&
                morally_strong(o, &actions[first], &actions[last]))
                add_edge(o, first, last);
    }
}

static int by_source(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

static bool precedes(const struct oracle *o, uint32_t a, uint32_t b)
{
    return o->after[(size_t)a * o->words + b / 64] >> b % 64 & 1;
}

/* "Causality order", base causality: all edges go forward in the order of execution. */
static void close_edges(struct oracle *o)
{
    uint32_t n = o->actions.count, e = o->edges.count;

    if (e)
        qsort(o->edges.items, e, sizeof *o->edges.items, by_source);
    o->words = (n + 63) / 64;
    o->after = ARENA_NEW_ARRAY(&o->arena, (size_t)n * o->words + 1, uint64_t);
    while (e-- > 0) {
        struct edge edge = o->edges.items[e];
        uint64_t *from = o->after + (size_t)edge.from * o->words;
        const uint64_t *to = o->after + (size_t)edge.to * o->words;
        if (precedes(o, edge.from, edge.to))
            continue;
        for (uint32_t w = edge.to / 64; w < o->words; w++)
            from[w] |= to[w];
        from[edge.to / 64] |= UINT64_C(1) << edge.to % 64;
    }
}

void oracle_solve(struct oracle *o)
{
    for (uint32_t read = 0; read < o->actions.count; read++) {
        const struct action *a = &o->actions.items[read];
        uint32_t write = a->kind == ACTION_ACCESS && a->reads ? observed(o, read) : NO_ACTION;
        while (write != NO_ACTION) {
            synchronize(o, write, read);
            write = o->actions.items[write].reads ? observed(o, write) : NO_ACTION;
        }
    }
    close_edges(o);
}

/* Did the read take a value that is before the write in any coherence order? */
static bool reads_before(const struct oracle *o, uint32_t read, uint32_t write)
{
    const struct action *actions = o->actions.items;
    uint32_t source = NO_ACTION;

    for (uint32_t i = 0; i < read; i++)
        if (actions[i].kind == ACTION_ACCESS && actions[i].writes &&
            overlap(&actions[i], &actions[read]))
            source = i;
    return source == NO_ACTION || precedes(o, source, write);
}

/* "Fence-SC": F is before G when a read after the one took a value older than that of a write
 * before the other: else Causality would be broken. */
static bool forced(const struct oracle *o, uint32_t f, uint32_t g)
{
    const struct action *actions = o->actions.items;

    for (uint32_t r = f + 1; r < o->actions.count; r++)
        for (uint32_t w = r + 1; actions[r].kind == ACTION_ACCESS && actions[r].reads &&
                                 precedes(o, f, r) && w < g; w++)
            if (actions[w].kind == ACTION_ACCESS && actions[w].writes &&
                overlap(&actions[r], &actions[w]) && precedes(o, w, g) &&
                reads_before(o, r, w))
                return true;
    return false;
}

void oracle_force_fences(struct oracle *o)
{
    const struct action *actions = o->actions.items;

    for (uint32_t edges = 0; edges != o->edges.count;) {
        edges = o->edges.count;
        for (uint32_t g = 0; g < o->actions.count; g++)
            for (uint32_t f = 0; actions[g].sc && f < g; f++)
                if (actions[f].sc && morally_strong(o, &actions[f], &actions[g]) &&
                    !precedes(o, f, g) && forced(o, f, g))
                    add_edge(o, f, g);
        close_edges(o);
    }
}

/* Is the write in observation order before the access? */
static bool observes(const struct oracle *o, uint32_t read, uint32_t write)
{
    while (read != NO_ACTION && o->actions.items[read].reads) {
        read = observed(o, read);
        if (read == write)
            return true;
    }
    return false;
}

/* "Causality order". */
static bool causes(const struct oracle *o, uint32_t a, uint32_t b)
{
    const struct action *actions = o->actions.items;

    if (precedes(o, a, b))
        return true;
    for (uint32_t read = a + 1; actions[a].writes && read < b; read++)
        if (actions[read].kind == ACTION_ACCESS && actions[read].reads &&
            overlap(&actions[read], &actions[b]) && precedes(o, read, b) &&
            observes(o, read, a))
            return true;
    return false;
}

/* Does a write cover what two accesses have in common? */
static bool covers(const struct action *write, const struct action *a, const struct action *b)
{
    uint64_t from = a->offset > b->offset ? a->offset : b->offset;
    uint64_t a_end = a->offset + a->size, b_end = b->offset + b->size;

    return write->kind == ACTION_ACCESS && write->writes && write->place == a->place &&
           write->offset <= from &&
           write->offset + write->size >= (a_end < b_end ? a_end : b_end);
}

bool oracle_covered(const struct oracle *o, uint32_t a, uint32_t b)
{
    const struct action *actions = o->actions.items;

    if (a > b)
        return oracle_covered(o, b, a);
    for (uint32_t n = a + 1; n < b; n++)
        if (covers(&actions[n], &actions[a], &actions[b]) && causes(o, a, n) && causes(o, n, b))
            return true;
    return false;
}

bool oracle_race(const struct oracle *o, uint32_t a, uint32_t b)
{
    const struct action *x = &o->actions.items[a], *y = &o->actions.items[b];

    if (a > b)
        return oracle_race(o, b, a);
    return x->kind == ACTION_ACCESS && y->kind == ACTION_ACCESS && x->thread != y->thread &&
           (x->writes || y->writes) && overlap(x, y) && !morally_strong(o, x, y) &&
           !causes(o, a, b);
}
