/* SPDX-License-Identifier: Apache-2.0
 *
 * histogram.h - histograms of real GPUs in files.
 *
 *     simtlab litmus histograms 1
 *     chip NVIDIA H200
 *     driver 580.95.05
 *     test MP+weak 8f0c... place warp ptx 1d2e... instances 1048576 unfinished 0
 *         1048000 P1:%r0=0; P1:%r1=0;
 *         ...
 *
 * The numbers after a test's name and after ptx are hashes: of what the test says
 * (not of its comments), and of the program that ran. */
#ifndef SIMTLAB_MEMMODEL_HISTOGRAM_H
#define SIMTLAB_MEMMODEL_HISTOGRAM_H

#include "memmodel/many_run.h"

void histogram_head(struct text *out, const char *chip, const char *driver);
void histogram_write(struct text *out, struct arena *arena, const struct analysis *a,
                     enum many_place place, uint64_t program, const struct histogram *h);

struct recorded_histogram {
    struct histogram histogram;
    const char *chip, *driver; /* in the arena */
};

/* The first of the test (of its analysis as placed) in the text of a file. NULL, or
 * why there is none. */
const char *histogram_find(struct arena *arena, const char *file, const struct analysis *a,
                           enum many_place place, struct recorded_histogram *found);

#endif
