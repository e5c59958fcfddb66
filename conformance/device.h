/* SPDX-License-Identifier: Apache-2.0
 *
 * device.h - cases on a GPU of this machine, each safe from the others: a case that faults
 * or never ends costs itself only (gpu/worker.h). */
#ifndef SIMTLAB_CONFORMANCE_DEVICE_H
#define SIMTLAB_CONFORMANCE_DEVICE_H

#include "base/text.h"
#include "conformance/case.h"

/* Of `executor`, "cuda:0", which is no list. */
bool device_named(const char *executor);

/* Runs the cases, all of them opened, and gives what the GPU answered in answers[i], with
 * its chip. seconds: for each, 0: 20. False with a line in error when the GPU cannot be used. All of it is in the
 * arena. */
bool device_run(struct arena *arena, struct conform_case *const *cases, uint32_t count,
                const char *executor, uint64_t seconds, const struct recording_job **answers,
                struct recording_chip *chip, struct text *error);

#endif
