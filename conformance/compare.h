/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.h - what one side made of a case against what another did: a recording, the
 * emulator, a GPU. */
#ifndef SIMTLAB_CONFORMANCE_COMPARE_H
#define SIMTLAB_CONFORMANCE_COMPARE_H

#include "conformance/emulate.h"
#include "conformance/known.h"

/* Distances of floating-point results that differ: 1, 2, 3-4, 5-8, ... and more
 * than 2^14 units in the last place; then other signs, and NaN against number. */
enum { ULP_CLASSES = 16 };
/* Parts of an output for which differing elements are counted; of fewer elements, each
 * is a part. */
enum { STRIP_CELLS = 64 };

/* Who stored it. */
struct writer_place {
    bool found;
    uint32_t block[3], thread[3], text_line, line;
    const char *file;
};

struct mismatch {
    const struct recording_output *output; /* NULL: they ended differently, or text */
    uint32_t item;                  /* of the recording's outputs */
    uint64_t element;               /* the first that differs */
    uint64_t expected, actual;      /* its bits: left and right, recorded and computed */
    uint64_t differing, count;      /* elements of this output: that differ, and all */
    bool is_float;
    uint64_t ulps[ULP_CLASSES], other_sign, nan;
    uint64_t strip[STRIP_CELLS];
    struct writer_place writer;     /* of the value computed by the emulator */
};

struct comparison {
    bool same;
    const char *message; /* one line when not the same */
    struct mismatch first;
    uint32_t outputs_differing;
    struct mismatch *items; /* of all outputs, those that do not differ included */
    uint32_t count, capacity;
};

/* One that ran. */
struct side {
    const char *name;               /* "emulator", "cuda:0", "new.ptx" */
    const struct conform_case *c;
    const struct emulate_options *options;
    const struct emulation *run;
};

/* Compares two that ran: all outputs of the left one's job. */
struct comparison sides_compare(struct arena *arena, const struct side *left,
                                const struct side *right);
/* Compares what two recordings of one job say, apart from what entry (or NULL) leaves
 * out. names: of left and right, NULL: these words. */
struct comparison recordings_compare(struct arena *arena, const struct recording_job *left,
                                     const struct recording_job *right,
                                     const struct known_entry *entry,
                                     const char *const names[2]);
/* Who wrote the element that differs, by running the side once more; on a GPU nobody
 * can say. */
struct writer_place side_writer(struct arena *arena, const struct side *side,
                                const struct mismatch *mismatch);

/* Runs and compares bit for bit, apart from what entry (or NULL) leaves out. A
 * recorded fault must be found in its category, a launch that was refused must be
 * refused, one that hung must hang. left: where c's outputs are from, NULL: recorded. All
 * of it is in the arena. */
struct comparison case_compare(struct arena *arena, const struct conform_case *c,
                               const struct known_entry *entry,
                               const struct emulate_options *options, const char *left);

#endif
