/* SPDX-License-Identifier: Apache-2.0
 *
 * suite.h - many tests with expected verdicts. */
#ifndef SIMTLAB_MEMMODEL_SUITE_H
#define SIMTLAB_MEMMODEL_SUITE_H

#include <jansson.h>

#include "memmodel/analysis.h"

enum verdict { VERDICT_NONE, VERDICT_HOLDS, VERDICT_FAILS, VERDICT_OUTSIDE };

struct suite_entry {
    const char *path;  /* to open */
    const char *shown; /* as the list names it */
    enum verdict expected, verdict;
    bool has_expectation; /* in the file itself */
    bool skipped;         /* not a test for the model, and nobody expects it to be */
    bool not_run;         /* an executor cannot run it */
    uint64_t races_looked_for, races_decided; /* runs, see against.h */
    json_t *against;      /* what executors showed, or NULL; for the report to take */
    const char *note;     /* what the file expects otherwise */
};

struct suite {
    struct arena arena;
    const char *name;
    struct suite_entry *items;
    uint32_t count, capacity;
};

/* All .litmus files below a directory, by name. False: unreadable. */
bool suite_from_directory(struct suite *suite, const char *path, struct text *err);
/* Lines "path,1", "path,0" or "path,outside"; empty lines and lines that start
 * with # are skipped. False: unreadable or malformed. */
bool suite_from_list(struct suite *suite, const char *path, const char *root,
                     struct text *err);

const char *verdict_name(enum verdict verdict);

/* The expectation that the file states for a model, or NULL. */
const struct expectation *expectation_for(const struct test *test,
                                          const struct model *model);
/* What the file expects otherwise, in words; NULL when it is content. */
const char *expectation_missed(const struct test *test, const struct analysis *a);

char *read_whole_file(struct arena *arena, const char *path, size_t *size,
                      struct text *err);

#endif
