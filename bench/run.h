/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - one benchmark problem, run once or more in a process of its own, so that
 * its peak memory is its own, too. */
#ifndef SIMTLAB_BENCH_RUN_H
#define SIMTLAB_BENCH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/work.h"

struct settings {
    bool large;
    const char *kernel;      /* NULL: all */
    int repeats;
    unsigned threads, checks; /* checks: of the checked runs; 0: none are made */
    bool processor_time;     /* instead of the clock's */
    bool oclgrind;
    const char *ptx, *opencl; /* files of kernels */
};

enum { MAX_REPEATS = 99 };

struct result {
    bool fine;               /* it ran, and its results are right */
    double seconds;          /* of a launch: the median */
    uint64_t instructions;   /* warp instructions; 0: not known */
    long compared;           /* outputs that were compared; -1: one is wrong */
    bool findings;
    double peak_mib;         /* the most memory that the process had */
    char problem[160];
};

double now(const struct settings *settings);
double median(double seconds[], int count);
/* The whole file; NULL when it cannot be read. */
char *read_file(const char *name, size_t *size);

/* Runs `body` in a child process, which fills *result. */
void run_apart(void (*body)(const struct settings *, enum work_kind, unsigned checks,
                            struct result *),
               const struct settings *settings, enum work_kind kind, unsigned checks,
               struct result *result);

/* With simtlab, under these checks; 0: a plain run. */
void run_simtlab(const struct settings *settings, enum work_kind kind, unsigned checks,
                 struct result *result);

/* --- bench/oclgrind.c --------------------------------------------------------------- */

/* Its version in `text`; false when it cannot be started. */
bool oclgrind_version(char *text, size_t size);
/* The same problem, small, with Oclgrind: this program runs itself under it. */
void run_oclgrind(const struct settings *settings, enum work_kind kind, unsigned races,
                  struct result *result);
/* What that other one does: prints seconds and how many outputs are right. */
int opencl_main(const struct settings *settings);

#endif
