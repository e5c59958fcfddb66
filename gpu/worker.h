/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.h - runs the jobs of a file in processes of their own.
 *
 * A kernel that faults takes its context with it, one that never ends hangs
 * whoever waits. So the driver is only ever opened in a child process; after a
 * fault, a crash or a timeout the next child goes on with the next job. */
#ifndef SIMTLAB_GPU_WORKER_H
#define SIMTLAB_GPU_WORKER_H

#include "gpu/driver.h"
#include "gpu/job.h"

struct worker_options {
    const char *library; /* of the driver; NULL: the system's */
    const char *assembler; /* NULL: the driver compiles (struct gpu_jit) */
    int device;
    unsigned timeout;    /* seconds for one job */
    bool binary;         /* how outputs are written */
};

/* Takes the recording piece by piece, a whole job at a time, so that what was
 * recorded is safe whatever happens next. */
struct worker_sink {
    void (*take)(void *self, const char *bytes, size_t size);
    void *self;
    /* Or NULL: hears of jobs that gave nothing, with the words of their "end" line. */
    void (*missed)(void *self, const char *job, const char *words, size_t size);
};

struct worker_counts {
    uint32_t ended[5]; /* by enum recording_end */
};

/* Gives the recording of all jobs to the sink; with_chip: the chip first. False,
 * with the reason in *error, when the device cannot be opened at all. */
bool worker_run(const struct job_list *list, const struct worker_options *options,
                bool with_chip, const struct worker_sink *sink, struct worker_counts *counts,
                struct gpu_error *error);

#endif
