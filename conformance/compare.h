/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.h - what the emulator made of a case against what was recorded. */
#ifndef SIMTLAB_CONFORMANCE_COMPARE_H
#define SIMTLAB_CONFORMANCE_COMPARE_H

#include "conformance/emulate.h"
#include "conformance/known.h"

/* Distances of floating-point results that differ: 1, 2, 3-4, 5-8, ... and more
 * than 2^14 units in the last place; then other signs, and NaN against number. */
enum { ULP_CLASSES = 16 };

struct mismatch {
    const struct recording_output *output; /* NULL: they ended differently, or text */
    uint32_t item;                  /* of the recording's outputs */
    uint64_t element;               /* the first that differs */
    uint64_t expected, actual;      /* its bits */
    uint64_t differing;             /* elements of this output */
    bool is_float;
    uint64_t ulps[ULP_CLASSES], other_sign, nan;
    bool has_writer;                /* of the emulator's value */
    uint32_t block[3], thread[3], text_line, line;
    const char *file;
};

struct comparison {
    bool same;
    const char *message; /* one line when not the same */
    struct mismatch first;
    uint32_t outputs_differing;
};

/* Runs and compares bit for bit, apart from what entry (or NULL) leaves out. A
 * recorded fault must be found in its category, a launch that was refused must be
 * refused, one that hung must hang. All of it is in the arena. */
struct comparison case_compare(struct arena *arena, const struct conform_case *c,
                               const struct known_entry *entry,
                               const struct emulate_options *options);

#endif
