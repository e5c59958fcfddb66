/* SPDX-License-Identifier: Apache-2.0
 *
 * explore.h - what many schedules of one launch leave in its buffers. */
#ifndef SIMTLAB_CLI_EXPLORE_H
#define SIMTLAB_CLI_EXPLORE_H

#include "cli/cli.h"

/* One content of a buffer, and the schedules that led to it. */
struct outcome {
    unsigned char *bytes;
    uint64_t count, seed; /* how many; the first one */
};

struct outcome_set {
    size_t argument;
    const char *name; /* of the argument */
    bool variable;    /* or of a variable */
    uint64_t shown;   /* elements in the text */
    uint64_t size;
    enum element element;
    struct outcome *items;
    uint32_t count, capacity;
};

struct exploration {
    struct arena arena;
    struct outcome_set *sets; /* one for each chosen buffer */
    uint32_t count;
    uint64_t schedules;
};

/* Takes in the buffers that -p and -o name, or all when they name none. */
void exploration_add(struct exploration *exploration, const struct options *options,
                     const struct prepared_argument *arguments, size_t count, uint64_t seed);
void exploration_print(FILE *to, const struct exploration *exploration);
/* The member "outcomes" of the JSON report, from malloc. */
char *exploration_json(const struct exploration *exploration);
void exploration_free(struct exploration *exploration);

#endif
