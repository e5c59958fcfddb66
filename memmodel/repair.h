/* SPDX-License-Identifier: Apache-2.0
 *
 * repair.h - what would forbid an outcome, and what is stronger than needed. */
#ifndef SIMTLAB_MEMMODEL_REPAIR_H
#define SIMTLAB_MEMMODEL_REPAIR_H

#include "memmodel/analysis.h"

/* When the asked outcome is allowed: the weakest single change (or, when none
 * is enough, the weakest pair of changes) that forbids it. When it is
 * forbidden: every fence, order and scope that can be weakened alone without
 * allowing it. */
void report_repairs(struct text *out, struct arena *arena, const struct analysis *a,
                    const struct search_options *options);

#endif
