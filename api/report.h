/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - a run and its findings, apart from the engine.
 *
 * Built right after a launch, while modules and memory are there; everything it
 * says is then its own, so it can be printed in any form at any time. */
#ifndef SIMTLAB_API_REPORT_H
#define SIMTLAB_API_REPORT_H

#include "api/objects.h"

/* A line of source. */
struct source_place {
    const char *file; /* NULL: not known */
    uint32_t line, column;
    const char *function; /* that was inlined here, or NULL */
};

struct report_place {
    /* frames[0] is the place itself, the next one where that was inlined, ...;
     * main is the one to show first, see report.c. */
    const struct source_place *frames;
    uint32_t frame_count, main;
    const char *instruction; /* as written; NULL: no place in code */
    const char *function;    /* that holds the instruction */
    uint32_t text_line, text_column; /* in the kernel text */
    bool only_order; /* of a race: what comes between the two, and is not enough */
    bool has_thread;
    uint32_t block[3], thread[3];
    const char *access; /* "read", ... or "" */
};

struct report_finding {
    const char *category, *kind, *message;
    enum finding_severity severity; /* as the report has it: strict raises warnings */
    bool leans;             /* a warning, or was one */
    uint64_t count;
    const char *space;
    bool has_address;
    uint64_t address, size;
    const char *allocation; /* a phrase: the nearest one; or NULL */
    struct report_place *where;
    uint32_t where_count;
    const char *suppressed; /* why it does not count; or NULL */
    bool has_seed;          /* of several schedules, not the first one found it */
    uint64_t seed, choices; /* choices: so many of that seed's are enough; 0: not known */
};

struct sl_report {
    struct arena arena;
    const char *file, *kernel, *demangled, *target;
    const char *executor; /* NULL: not known */
    uint32_t grid[3], block[3];
    uint64_t seed;
    struct report_finding *findings;
    uint32_t finding_count;
    uint64_t dropped;
    bool strict;
    unsigned checks; /* sl_check bits that looked on */
    uint64_t print_limit; /* findings that the text shows; 0: all */
    char *outcomes;       /* member of the JSON report, from malloc; or NULL */
    bool completed;
    uint64_t warp_instructions, thread_instructions;
    uint64_t seed_choices; /* that the seed made */
    struct sl_report *appended; /* whose findings are here as well; owned */
    const char *error; /* why the run could not start: verdict "error"; or NULL */
    char *text, *json; /* made when first asked for */
};

/* An empty report that says why nothing ran. Any of the strings may be NULL. */
struct sl_report *report_error(const char *file, const char *kernel, const char *target,
                               const uint32_t grid[3], const uint32_t block[3], uint64_t seed,
                               const char *error);
/* What a launch found. */
struct sl_report *report_build(const struct sl_kernel *kernel, const struct launch *launch,
                               const struct findings *findings,
                               const struct launch_result *result);
/* "clean", "findings", "error" */
const char *report_verdict(const struct sl_report *report);

/* Adds what another schedule of the same launch has found and this one has not; the
 * other report must live as long. */
void report_unite(struct sl_report *into, const struct sl_report *other);
/* Adds another launch: the report becomes that of both, and owns the other one. */
void report_append(struct sl_report *into, struct sl_report *other);
/* Adds findings without places; it did not come to its end. */
void report_add(struct sl_report *report, const struct findings *findings);
/* Does it have this finding of another schedule? */
bool report_has(const struct sl_report *report, const struct report_finding *finding);

/* report_json.c, report_sarif.c, report_junit.c, report_text.c: from malloc */
char *report_to_sarif(const struct sl_report *report);
char *report_to_junit(const struct sl_report *report);
char *report_to_json(const struct sl_report *report);
void report_to_text(struct text *out, const struct sl_report *report);

#endif
