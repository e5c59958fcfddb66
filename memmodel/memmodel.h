/* SPDX-License-Identifier: Apache-2.0
 *
 * memmodel.h - the memory-model lab, as the command line calls it. */
#ifndef SIMTLAB_MEMMODEL_MEMMODEL_H
#define SIMTLAB_MEMMODEL_MEMMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum litmus_show { LITMUS_SHOW_NOTHING, LITMUS_SHOW_DOT, LITMUS_SHOW_SVG, LITMUS_SHOW_HTML };

enum { LITMUS_MAX_REMOVED = 8 };

/* A zeroed structure asks for the defaults. Strings are lent. */
struct litmus_options {
    /* .litmus files, directories of them, or lists of expected results
     * (.csv: "path,1" where the condition holds, "path,0" where not). */
    const char *const *paths;
    size_t path_count;
    const char *root;  /* where the paths of a list start; NULL: the list's folder */
    const char *model; /* NULL: ptx-7.5 */
    const char *other_model; /* compare with it; NULL: no */
    const char *without[LITMUS_MAX_REMOVED]; /* axioms or rules to leave out */
    size_t without_count;
    const char *relation; /* print the pairs of this relation in the execution shown */
    enum litmus_show show;
    uint32_t bound;  /* loop repetitions followed; 0: 2 */
    uint64_t limit;  /* search steps; 0: 2 million */
    bool liveness;   /* does every execution end? instead of the condition */
    bool repair;     /* suggest repairs */
    bool explain_all;
    bool brief;      /* one line for each test */
    bool lenient_proxies; /* a proxy fence may be in another block */
    bool false_dependencies_dropped; /* xor r,r depends on nothing */
};

/* What the command has to print. The caller frees all four. */
struct litmus_output {
    struct text out;  /* the report */
    struct text err;  /* diagnostics */
    struct text json; /* the machine-readable report */
    struct text picture; /* what options->show asked for */
};

/* 0: a verdict was reached for every test, and no expectation was missed.
 * 1: a test of a suite did not give what was expected.
 * 2: no verdict: malformed or unreadable input, unknown model, test too large. */
int litmus_command(const struct litmus_options *options, struct litmus_output *output);

/* One test made from a cycle of edges such as "PodWW Rfe PodRR Fre", see
 * docs/memory-model.md. 0, or 2 with the reason in err. */
int litmus_generate(const char *cycle, const char *name, struct text *out,
                    struct text *err);

/* The models and their axioms and rules, for --list. */
void litmus_list(struct text *out);

#endif
