/* SPDX-License-Identifier: Apache-2.0
 *
 * path.h - what one thread may do, memory left open.
 *
 * A path is one run of a thread's program with every branch decided. Branches,
 * compare-and-swaps and addresses that depend on what a read returns fork the
 * path and leave a constraint that the values must meet later. So the events
 * of a path are fixed, and only their values are open. */
#ifndef SIMTLAB_MEMMODEL_PATH_H
#define SIMTLAB_MEMMODEL_PATH_H

#include "memmodel/expression.h"
#include "memmodel/model.h"
#include "memmodel/relation.h"
#include "memmodel/test.h"

enum event_kind {
    EVENT_INITIAL, EVENT_READ, EVENT_WRITE, EVENT_FENCE, EVENT_PROXY_FENCE,
    EVENT_BARRIER
};

enum barrier_kind {
    BARRIER_CTA, BARRIER_WARP, BARRIER_CLUSTER_ARRIVE, BARRIER_CLUSTER_WAIT,
    BARRIER_WAIT_COPIES
};

enum { NO_EVENT = UINT32_MAX, NO_THREAD = UINT32_MAX };

/* Event numbers in an event of a path count from the start of the path. */
struct event {
    enum event_kind kind;
    uint32_t thread; /* NO_THREAD for the initial writes */
    const struct instruction *instruction;
    uint32_t sequence; /* counts the instructions executed by the thread */
    uint32_t element;  /* of a vector access */

    uint32_t order;
    enum scope scope;
    enum proxy proxy; /* of an access; kind of a proxy fence */
    uint32_t location, offset, size; /* offset in bytes inside the object */
    uint32_t partner;                /* other half of a read-modify-write */
    bool is_reduction;
    uint32_t value; /* of a write: expression */
    event_set depends; /* reads that value, address or execution depend on */

    /* Steps of an asynchronous operation form a chain of their own: ordered
     * by stage, outside program order. 0: not part of one. */
    uint32_t chain, stage;

    enum barrier_kind barrier;
    uint32_t barrier_id, barrier_count; /* expressions or NO_EXPRESSION */
    event_set completes; /* WAIT_COPIES: last events of finished chains */
};

struct constraint {
    uint32_t expression;
    bool expected; /* value must be nonzero, or zero */
};

enum path_end {
    PATH_COMPLETE,
    PATH_CUT,    /* at the loop bound; says nothing about outcomes */
    PATH_BLOCKED, /* stops for good at its last event, a barrier */
    PATH_WILD     /* accesses an address outside of every location */
};

enum { MAX_CONSTRAINTS = 96, MAX_PATHS = 1024 };

struct path {
    enum path_end end;
    struct event events[MAX_EVENTS];
    uint32_t event_count;
    struct constraint constraints[MAX_CONSTRAINTS];
    uint32_t constraint_count;
    uint32_t registers[MAX_REGISTERS]; /* expressions */
    /* PATH_CUT: registers and events at the start of the last iteration. */
    uint32_t loop_registers[MAX_REGISTERS];
    uint32_t loop_first_event;
    const struct instruction *stopped_at;
};

struct thread_paths {
    struct expression_pool pool;
    struct path **items;
    uint32_t count, capacity;
    bool loop_cut; /* some path was cut, kept or not */
};

struct path_options {
    uint32_t bound;    /* times each backward branch may be taken */
    bool keep_stopped; /* keep PATH_CUT and PATH_BLOCKED paths */
    bool drops_false_dependencies;
};

/* NULL, or what is too large or not supported; *at is its place. */
const char *paths_enumerate(struct arena *arena, const struct test *test,
                            const struct model *model, uint32_t thread,
                            const struct path_options *options,
                            struct thread_paths *paths, struct loc *at);

#endif
