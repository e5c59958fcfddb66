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
 * without results stand with what they took: stores, branches. */
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

/* One step in full. */
struct trace_detail {
    bool found;
    uint32_t function, inst;       /* indices in the module */
    uint32_t mask, width;          /* width: bytes of one lane's result; 0: a predicate */
    bool has_result;
    uint64_t value[LANES][2];
    uint32_t block[3], tid[3][LANES];
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
    struct trace_pending *pending;
    uint64_t pending_count, pending_capacity;
};

void trace_begin(struct trace *trace, const struct numbering *numbering);
void trace_free(struct trace *trace);

struct trace_parting {
    bool found;
    uint64_t warp, step[2]; /* in each trace's warp */
    bool ended[2];          /* that side has no more steps */
};

/* The first step, in the order of the left run, at which a warp of the two differs. */
struct trace_parting traces_part(const struct trace *left, const struct trace *right);

#endif
