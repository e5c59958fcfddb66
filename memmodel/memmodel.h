/* SPDX-License-Identifier: Apache-2.0
 *
 * memmodel.h - the memory-model lab, as the command line calls it. */
#ifndef SIMTLAB_MEMMODEL_MEMMODEL_H
#define SIMTLAB_MEMMODEL_MEMMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum litmus_show {
    LITMUS_SHOW_NOTHING, LITMUS_SHOW_DOT, LITMUS_SHOW_SVG, LITMUS_SHOW_HTML,
    LITMUS_SHOW_PTX,    /* the kernel that runs the test */
    LITMUS_SHOW_PROGRAM /* the one that runs many instances of it; see place */
};

enum { LITMUS_MAX_REMOVED = 8 };

/* A test as a kernel: entry "litmus" on grid blocks of block threads, then entry
 * "litmus_final" on one thread. Both take a pointer to result_count 64-bit words,
 * zero before the first. */
struct litmus_launch {
    const char *ptx;
    size_t ptx_size;
    uint32_t grid, block, result_count;
};

/* What one run gave. */
struct litmus_run {
    uint64_t *results; /* result_count words to fill */
    bool unsupported;  /* the executor cannot run such a test: why is in err */
    bool failed;       /* it could not be run for another reason, in err as well */
    bool finished;     /* every thread ended */
    bool knows_races, raced; /* was anyone looking for races; was there one */
};

struct many_device;

/* Something that runs kernels: the emulator, a GPU. */
struct litmus_executor {
    const char *name;
    uint64_t runs; /* number of runs, or of instances at least; run counts from 0 */
    void (*run)(void *self, const struct litmus_launch *launch, uint64_t run,
                struct litmus_run *ran, struct text *err);
    void *self;
    /* In the place of run: very many instances at once (many_run.h), with the
     * threads as the test has them and moved. */
    const struct many_device *device;
    const char *chip, *driver; /* of the device */
    /* When there is neither: why not. A recording takes its place. */
    const char *absent;
};

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
    const char *place; /* of the threads in LITMUS_SHOW_PROGRAM; NULL: own */
    uint32_t bound;  /* loop repetitions followed; 0: 2 */
    uint64_t limit;  /* search steps; 0: 2 million */
    /* Run each test on these as well and compare. */
    const struct litmus_executor *executors;
    size_t executor_count;
    /* Histograms for executors that are absent; NULL: of the nearest file
     * histograms.txt in the folder of a test or in one around it. */
    const char *recording;
    bool liveness;   /* does every execution end? instead of the condition */
    bool repair;     /* suggest repairs */
    bool explain_all;
    bool brief;      /* one line for each test */
    /* States show every register and all global memory, so that one state is as good
     * as one execution: for comparing the races of single runs. */
    bool whole_states;
    bool lenient_proxies; /* a proxy fence may be in another block */
    bool false_dependencies_dropped; /* xor r,r depends on nothing */
};

/* What the command has to print. The caller frees all five. */
struct litmus_output {
    struct text out;  /* the report */
    struct text err;  /* diagnostics */
    struct text json; /* the machine-readable report */
    struct text picture; /* what options->show asked for */
    struct text histograms; /* of devices: the contents of a recording */
};

/* 0: a verdict was reached for every test, and no expectation was missed.
 * 1: a test did not give what was expected, or an executor showed what the model
 *    forbids.
 * 2: no verdict: malformed or unreadable input, unknown model, test too large. */
int litmus_command(const struct litmus_options *options, struct litmus_output *output);

/* One test made from a cycle of edges such as "PodWW Rfe PodRR Fre", see
 * docs/memory-model.md. 0, or 2 with the reason in err. */
int litmus_generate(const char *cycle, const char *name, struct text *out,
                    struct text *err);

/* The models and their axioms and rules, for --list. */
void litmus_list(struct text *out);

#endif
