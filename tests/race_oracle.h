/* SPDX-License-Identifier: Apache-2.0
 *
 * race_oracle.h - the races of one executed launch, by the letter of the memory model.
 *
 * An observer writes down everything that the launch does to memory, then the relations of
 * the PTX ISA, "Memory Consistency Model", are computed over all of it: observation order,
 * release and acquire patterns, synchronisation, causality. There are no clocks and nothing
 * is forgotten; it takes memory and time that grow with the square of the trace. It shares
 * no code with check/.
 *
 * What it does not know: proxies, mbarriers, cluster barriers, copies. */
#ifndef SIMTLAB_TESTS_RACE_ORACLE_H
#define SIMTLAB_TESTS_RACE_ORACLE_H

#include "base/arena.h"
#include "emu/access.h"
#include "emu/engine.h"

enum { NO_ACTION = UINT32_MAX };

/* Something that a thread did. Actions stand in the order of execution. */
struct action {
    enum action_kind { ACTION_ACCESS, ACTION_FENCE, ACTION_MEETING } kind;
    uint32_t thread;       /* in the grid: (block * warps + warp) * 32 + lane */
    uint32_t block;
    const struct ir_inst *inst;
    bool reads, writes, strong, acquires, releases;
    bool mute;             /* red: no part of an acquire pattern */
    bool sc;               /* fence.sc */
    enum ir_scope scope;
    uint64_t place;        /* address of the allocation, or whose shared memory it is */
    uint64_t offset;
    uint32_t size;
    uint32_t source;       /* the write whose value was read, if one wrote just these bytes */
};

struct edge {
    uint32_t from, to;
};

struct oracle {
    struct observer observer;
    struct arena arena;
    uint32_t warps;        /* of a block */
    uint32_t cluster;      /* blocks of one; 1: none */
    struct { struct action *items; uint32_t count, capacity; } actions;
    struct { struct edge *items; uint32_t count, capacity; } edges;
    uint32_t *last;        /* action of each thread */
    uint32_t thread_count;
    uint32_t fences;       /* fence.sc so far */
    struct { struct arrival *items; uint32_t count, capacity; } arrivals;
    uint64_t *after;       /* by action: a set of those that it precedes in base causality */
    uint32_t words;        /* of one set */
};

void oracle_start(struct oracle *oracle, uint32_t blocks, uint32_t threads, uint32_t cluster);
/* After the launch. */
void oracle_solve(struct oracle *oracle);
/* Also takes for an order what the values force upon SC fences. */
void oracle_force_fences(struct oracle *oracle);
/* Is it a race? Actions by their numbers, in any order. */
bool oracle_race(const struct oracle *oracle, uint32_t a, uint32_t b);
/* Two that race: does a write of the same bytes come after the one and before the other? Then
 * the other sees nothing of the one (axioms Coherence and Causality). */
bool oracle_covered(const struct oracle *oracle, uint32_t a, uint32_t b);
void oracle_end(struct oracle *oracle);

#endif
