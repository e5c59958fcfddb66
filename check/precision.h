/* SPDX-License-Identifier: Apache-2.0
 *
 * precision.h - the same run in a wider format, beside the real one.
 *
 * An observer that keeps, for every floating-point value that the kernel computes, what
 * it would be had each operation been done in f32 or f64 since the launch began. The
 * kernel itself runs in true precision: it takes its own branches and addresses. A
 * value is known wide as long as it travels through arithmetic, moves, shuffles, memory
 * and atomic additions; whatever else touches its bits makes it exact again. */
#ifndef SIMTLAB_CHECK_PRECISION_H
#define SIMTLAB_CHECK_PRECISION_H

#include "base/element.h"
#include "emu/engine.h"

struct precision_options {
    bool f64;         /* the wider format; else f32 */
    double threshold; /* relative error that is worth naming */
};

struct observer *precision_new(const struct precision_options *options);
void precision_free(struct observer *observer);

/* The first result, in order of execution, that is off by more than the threshold. */
struct precision_first {
    bool found;
    struct finding_place place;
    double value, wide, error; /* relative */
};
const struct precision_first *precision_first(const struct observer *observer);

struct precision_counts {
    uint64_t operations; /* that round, counted by lane */
    uint64_t decisions;  /* comparisons that would have gone the other way */
};
struct precision_counts precision_counts(const struct observer *observer);

/* The elements of a buffer against what they would be. */
struct precision_error {
    uint64_t known;      /* elements that the kernel computed */
    double largest, mean, relative; /* absolute, absolute, largest relative error */
    uint64_t at;         /* the element with the largest error */
    double value, wide;  /* there */
};
struct precision_error precision_measure(const struct observer *observer, uint64_t address,
                                         const unsigned char *bytes, uint64_t count,
                                         enum element element);

#endif
