/* SPDX-License-Identifier: Apache-2.0
 *
 * execute.h - runs one job on a device and says what came out. */
#ifndef SIMTLAB_GPU_EXECUTE_H
#define SIMTLAB_GPU_EXECUTE_H

#include "gpu/device.h"
#include "gpu/job.h"

/* Fills *result, in the arena. Every outcome is a result: a job that cannot be
 * launched ends as refused with the reason as its text. Buffers without
 * contents are zeroed, so that what a kernel leaves alone is the same in every
 * recording. job_file is the path that file names are relative to; assembler NULL: the
 * driver compiles (struct gpu_jit). */
void job_execute(struct gpu_context *context, const char *job_file, const struct job *job,
                 const char *assembler, struct arena *arena, struct recording_job *result);

#endif
