/* SPDX-License-Identifier: Apache-2.0
 *
 * against.h - outcomes of real runs beside those that the model allows. */
#ifndef SIMTLAB_MEMMODEL_AGAINST_H
#define SIMTLAB_MEMMODEL_AGAINST_H

#include <jansson.h>

#include "memmodel/analysis.h"
#include "memmodel/many.h"
#include "memmodel/memmodel.h"

/* The kinds of histograms: what no interleaving gives is weak; an outcome is
 * sequential when whole threads one after another give it. */
enum outcome_order { ORDER_UNKNOWN, ORDER_SEQUENTIAL, ORDER_INTERLEAVED, ORDER_WEAK_ONLY };

/* One final state and how often one executor saw it. */
struct seen {
    int64_t values[MAX_VARIABLES];
    const struct state *allowed; /* NULL: forbidden */
    enum outcome_order order;
    uint64_t runs, racy, quiet;  /* of the runs, with a race reported, without */
};

/* What one executor showed, with the threads of the test in one place. */
struct column {
    const char *name;      /* emu, cuda:0 */
    enum many_place place; /* PLACE_OWN for single runs */
    bool has_place;
    const char *recorded;  /* what a recording is of; NULL: it ran here */
    const char *not_run;   /* why; NULL: it ran */
    uint64_t runs, unfinished;
    bool failed;           /* it was to run, and could not */
    bool outside, loop_cut; /* of the analysis, see analysis.h */
    struct seen *items;    /* ascending by values */
    uint32_t count, capacity;
};

struct comparison {
    struct column *items;
    uint32_t count, capacity;
    bool agrees;  /* no executor saw what the model forbids, or was wrong about races */
    /* Runs in which an executor looked for races; of them, those with a state whose
     * executions all race, or none. */
    uint64_t races_looked_for, races_decided;
    bool not_run; /* some executor could not run it, which is no disagreement */
};

/* Runs the test on each executor. a is the analysis of the test under
 * search; histograms of devices are added to *histograms. */
void run_against(struct arena *arena, const struct analysis *a,
                 const struct search_options *search, const struct litmus_options *options,
                 struct text *histograms, struct comparison *comparison);

/* A list for each executor, then, if there are several, one table. */
void report_against(struct text *out, struct arena *arena, const struct analysis *a,
                    const struct comparison *comparison);
json_t *against_json(struct arena *arena, const struct analysis *a,
                     const struct comparison *comparison);
/* The table as HTML. */
void against_html(struct text *out, struct arena *arena, const struct analysis *a,
                  const struct comparison *comparison);

#endif
