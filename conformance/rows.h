/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h - the results of a conformance run, as text, JSON and JUnit. */
#ifndef SIMTLAB_CONFORMANCE_ROWS_H
#define SIMTLAB_CONFORMANCE_ROWS_H

#include "conformance/compare.h"

enum row_result { ROW_PASSED, ROW_FAILED, ROW_KNOWN, ROW_SKIPPED, ROW_RESULTS };

struct row {
    const char *name, *file; /* of the case and of its recording */
    enum row_result result;
    const char *message;     /* why not passed; "" */
    const char *because;     /* of a known or skipped one, or NULL */
    struct mismatch mismatch; /* output NULL: none */
    const struct mismatch *outputs; /* all that were compared */
    uint32_t output_count;
};

struct rows {
    struct row *items;
    uint32_t count, capacity;
    uint32_t totals[ROW_RESULTS];
    const char *chips; /* that were recorded: "NVIDIA H200 (sm_90)", with commas */
};

struct rows_options {
    struct known_list *known; /* or NULL */
    uint64_t shard, shards;   /* every shards-th case, from shard on, counted from 0 */
    bool rebuild;             /* their PTX as the code generator writes it */
    const char *only;         /* cases whose name holds this; or NULL */
    struct emulate_options emulate;
    const char *device;      /* "cuda:0": the GPU runs them; NULL: the emulator */
    const char *device_name; /* the same without a library behind it */
    bool live;               /* the emulator against the GPU, not the recording */
};

/* Runs the cases; rows in their order. False with a line in error when the GPU cannot be
 * used. */
bool rows_run(struct arena *arena, struct case_list *cases, const struct rows_options *options,
              struct rows *rows, struct text *error);

/* Where a value came from: "written by block 0,0,0 thread 3,0,0, k.cu:7, PTX line 14";
 * nothing when that is not known. */
void writer_words(struct text *out, const struct writer_place *m);
/* The same in brackets, to stand behind a message. */
void mismatch_place(struct text *out, const struct mismatch *m);
/* Counts of distances and classes, a line each; nothing for integers. */
void mismatch_histogram(struct text *out, const struct mismatch *m);

void rows_text(struct text *out, const struct rows *rows);
void rows_json(struct text *out, const struct rows *rows, const struct rows_options *options);
void rows_junit(struct text *out, const struct rows *rows);

#endif
