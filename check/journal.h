/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.h - what device memory held before a launch, for a second run of it.
 *
 * An observer that keeps each page of global memory as it was before the launch first
 * wrote it. It is made for one launch and outlives it. */
#ifndef SIMTLAB_CHECK_JOURNAL_H
#define SIMTLAB_CHECK_JOURNAL_H

#include <stdbool.h>

#include "emu/engine.h"

struct observer *journal_new(void);
void journal_free(struct observer *observer);

/* Is all that the launch has changed in memory on record? Not so when it has freed memory
 * of an earlier one. */
bool journal_complete(const struct observer *observer);
/* The pages that were written change places with what they held: once for a second run of
 * the launch, and again after it for what the first one left. */
void journal_swap(struct observer *observer);
/* Frees what a run since has taken from the device's heap. */
void journal_drop_new(struct observer *observer);

#endif
