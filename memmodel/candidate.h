/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate.h - one choice of paths, and the executions built on it.
 *
 * A candidate fixes the events of all threads and every relation that does not
 * depend on who reads from whom. An execution adds reads-from, the order of
 * SC fences, barrier phases and coherence, and what is derived from them. The
 * names are those of the PTX ISA, chapter "Memory Consistency Model". */
#ifndef SIMTLAB_MEMMODEL_CANDIDATE_H
#define SIMTLAB_MEMMODEL_CANDIDATE_H

#include "memmodel/path.h"

enum { MAX_SLOTS = 96, NO_SOURCE = UINT32_MAX };

/* The bytes of an object that every access covers together or not at all. */
struct granule {
    uint32_t object, offset, size;
};

/* One granule of one read, which takes its value from one write. */
struct slot {
    uint32_t read, granule;
};

struct candidate {
    const struct test *test;
    const struct model *model;
    const struct path *path[MAX_THREADS];
    const struct expression_pool *pool[MAX_THREADS];
    uint32_t base[MAX_THREADS]; /* first event of each thread */

    struct event events[MAX_EVENTS]; /* numbered through; initial writes first */
    uint32_t count;
    struct granule granules[64];
    uint32_t granule_count;
    uint64_t covers[MAX_EVENTS]; /* granules of each access */
    struct slot slots[MAX_SLOTS];
    uint32_t slot_count;

    event_set initial, reads, writes, memory, strong, fences, sc_fences, barriers;
    event_set generic;            /* accesses by the generic proxy */
    event_set acquires, releases; /* accesses with that order */
    event_set acquire_fences, release_fences;
    struct relation po;    /* program order and the steps of copies */
    struct relation issue; /* from instructions to steps of copies issued later */
    struct relation completion; /* from steps of copies to what awaits them */
    struct relation loc;   /* overlapping accesses */
    struct relation range; /* loc, through the same virtual addresses */
    struct relation same;  /* exactly the same virtual bytes */
    struct relation same_block, same_proxy_block;
    struct relation scoped; /* each scope includes the other's thread */
    struct relation ms;     /* morally strong */
    struct relation rmw, dep;
    /* PTX ISA, "Release and Acquire Patterns": from the first operation to the
     * write that others observe; from the read that observes to the last one. */
    struct relation release_patterns, acquire_patterns;
    bool has_patterns, has_rmw; /* neither kind of pattern is empty; any atomic */
};

struct execution {
    uint32_t source[MAX_SLOTS]; /* write event or NO_SOURCE */
    int64_t value[MAX_EVENTS];
    event_set known;
    struct relation rf_dep; /* closure of rf and dep */
    struct relation rf, sc, barrier;
    struct relation co_choice; /* orientation chosen for pairs of writes */
    /* Derived: */
    struct relation obs, sync, cb, ppcb, cause, co, fr;
};

/* NULL, or what is too large. Paths must be set. */
const char *candidate_build(struct candidate *candidate);

/* True when the threads that execute both events are covered. */
bool scope_includes(const struct test *test, enum scope scope, uint32_t owner,
                    uint32_t other);

/* The relations that rf, barrier and sc determine, up to cause. */
void derive_causality(const struct candidate *c, struct execution *x);
/* co and fr, from co_choice and, where from_cause, the Coherence axiom. */
void derive_coherence(const struct candidate *c, struct execution *x,
                      bool from_cause);
/* fr alone, once co is there. */
void derive_from_reads(const struct candidate *c, struct execution *x);

#endif
