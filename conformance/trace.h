/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.h - the results of every instruction of a run, warp by warp, and where two
 * runs part. */
#ifndef SIMTLAB_CONFORMANCE_TRACE_H
#define SIMTLAB_CONFORMANCE_TRACE_H

#include "conformance/align.h"
#include "emu/observe.h"
#include "emu/state.h"

/* One instruction of a warp: what it gave, as a hash over the lanes. Instructions
 * without results stand with what they took: stores, branches. Those that write memory
 * stand with both, and with where they write. */
struct trace_step {
    uint32_t number; /* of the alignment */
    uint32_t mask;
    uint64_t hash;
    uint64_t order;  /* among all steps of the run */
};

struct trace_warp {
    struct trace_step *items;
    uint64_t count, capacity;
};

/* What a register holds. */
struct trace_value {
    uint32_t width; /* bytes of one lane; 0: a predicate */
    uint64_t lane[LANES][2];
};

/* What a step took, and which instruction put that there last, by lane. */
enum { TRACE_SOURCES = 8 };
struct trace_source {
    struct trace_value value;
    uint32_t writer[LANES]; /* index in the function; NOBODY */
};

#define NOBODY UINT32_MAX

struct trace_taken {
    uint32_t count; /* registers; the guard comes last */
    bool has_address; /* of a store or an atomic */
    uint64_t address[LANES];
    struct trace_source source[TRACE_SOURCES];
};

/* One step in full. */
struct trace_detail {
    bool found;
    uint32_t function, inst;       /* indices in the module */
    uint32_t mask;
    bool has_result;
    uint32_t count;                /* the first results; without any what it took */
    struct trace_value value[TRACE_SOURCES];
    uint32_t block[3], tid[3][LANES];
    struct trace_taken taken;
};

/* The first step of an instruction that only this side has and whose deed others can see:
 * no result, or memory written. */
struct trace_alone {
    bool found;
    uint32_t function, inst;
    uint32_t block[3], tid[3]; /* of its first lane */
    uint64_t order;
};

/* An observer. Launches of a job follow each other in one trace. */
struct trace {
    struct observer observer;
    const struct numbering *numbering;
    const struct ir_module *module; /* that runs: the same text as the numbering's */
    struct trace_warp *warps;
    uint64_t warp_count, first_warp; /* of the launch that runs */
    uint64_t steps, limit;           /* no more than that many are kept */
    /* What to take in full: step `wanted_step` of warp `wanted_warp`; or UINT64_MAX. */
    uint64_t wanted_warp, wanted_step;
    struct trace_detail detail;
    uint32_t **writers; /* by function; of the wanted warp */
    struct trace_alone alone;
    struct trace_pending *pending;
    uint64_t pending_count, pending_capacity;
};

void trace_begin(struct trace *trace, const struct numbering *numbering);
void trace_free(struct trace *trace);

struct trace_parting {
    bool found;
    uint64_t warp, step[2]; /* in each trace's warp */
    uint64_t order[2];      /* of these among all steps; UINT64_MAX: ended */
    bool ended[2];          /* that side has no more steps */
};

/* The first step, in the order of the left run, at which a warp of the two differs. */
struct trace_parting traces_part(const struct trace *left, const struct trace *right);

#endif
