/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.h - what device memory held before a launch, for other runs of it.
 *
 * An observer that keeps each page of global memory as it was before the launch first
 * wrote it, and which of its bits nobody had set. It is made for one launch and outlives
 * it; the other runs are to have it among their observers, too, before all others. */
#ifndef SIMTLAB_CHECK_JOURNAL_H
#define SIMTLAB_CHECK_JOURNAL_H

#include <stdbool.h>

#include "emu/engine.h"

struct observer *journal_new(void);
void journal_free(struct observer *observer);

/* Is all that the launch has changed in memory on record? Not so when it has freed memory
 * of an earlier one. */
bool journal_complete(const struct observer *observer);
/* Between two of these memory is as it was before the launch. garbage: bits that nobody
 * had set are random, by this seed; 0: as they were. */
void journal_rewind(struct observer *observer, uint64_t garbage);
/* As the launch has left it. What other runs took from the device's heap is freed. */
void journal_forward(struct observer *observer);

#endif
