/* SPDX-License-Identifier: Apache-2.0
 *
 * liveness.h - executions in which some thread never ends. */
#ifndef SIMTLAB_MEMMODEL_LIVENESS_H
#define SIMTLAB_MEMMODEL_LIVENESS_H

#include "memmodel/candidate.h"

/* At least one thread is stuck, and no thread of the execution can go on: each
 * one has ended, waits at a barrier in vain, or repeats an iteration that only
 * reads, from writes that nothing overwrites. */
bool never_ends(const struct candidate *c, const struct execution *x);

#endif
