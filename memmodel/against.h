/* SPDX-License-Identifier: Apache-2.0
 *
 * against.h - outcomes of real runs beside those that the model allows. */
#ifndef SIMTLAB_MEMMODEL_AGAINST_H
#define SIMTLAB_MEMMODEL_AGAINST_H

#include <jansson.h>

#include "memmodel/analysis.h"
#include "memmodel/memmodel.h"

/* Runs the test on each executor and writes the table; *json, if not NULL,
 * receives it as well. *not_run: some executor could not run it, which is no
 * disagreement. False when an executor saw what the model forbids, or
 * found a race where the model has none (or none where each execution has one). */
bool run_against(struct text *out, struct arena *arena, const struct analysis *a,
                 const struct litmus_executor *executors, size_t executor_count,
                 json_t **json, bool *not_run);

#endif
