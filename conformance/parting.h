/* SPDX-License-Identifier: Apache-2.0
 *
 * parting.h - the first instruction at which two runs part. */
#ifndef SIMTLAB_CONFORMANCE_PARTING_H
#define SIMTLAB_CONFORMANCE_PARTING_H

#include "conformance/compare.h"

/* Runs both sides again, on the emulator, with every instruction watched, and writes
 * some lines: thread, lines and results of the first instruction that differs; or why
 * that cannot be told. */
void parting_find(struct arena *arena, const struct side *left, const struct side *right,
                  struct text *out);

#endif
