/* SPDX-License-Identifier: Apache-2.0
 *
 * checker.h - the checkers: observers of one launch that report into its
 * findings. Each is made for one launch and freed after it. */
#ifndef SIMTLAB_CHECK_CHECKER_H
#define SIMTLAB_CHECK_CHECKER_H

#include "emu/engine.h"

/* Data races: conflicting accesses that the PTX memory model does not order in the
 * execution that was seen: check/race.c. */
struct observer *race_checker_new(void);
void race_checker_free(struct observer *observer);
/* For another run of a launch that raced, with the same schedule: two checkers, in the
 * order in which they must be told. They report its races once more, and those that
 * only exchanges within a warp order as such: check/race_exchange.c. Each is to be
 * freed by race_checker_free. */
void race_second_look_new(struct observer *observers[2]);
/* Is it an exchange of values between the lanes of a member mask? */
bool race_is_exchange(enum ir_op op);
/* Is it a fence.sc? A second look knows what values force upon the order of such:
 * check/race_fence.c. */
bool race_is_sc_fence(const struct ir_inst *inst);

/* A weak memory for one launch (emu/weak.h), which is lent *observer with it:
 * check/race_weak.c. */
struct weak_memory *weak_memory_new(uint64_t seed, struct observer **observer);
void weak_memory_free(struct weak_memory *memory);

/* Barriers, member masks and warps that are not whole: check/sync.c. */
struct observer *sync_checker_new(void);
void sync_checker_free(struct observer *observer);

/* Undefined bits and what depends on them: check/init.c. report_sync: results of
 * shuffles from lanes that are not there, which belong to the sync checks. It keeps
 * the undefined_bits of allocations for the launches that follow. */
struct observer *init_checker_new(bool report_init, bool report_sync);
void init_checker_free(struct observer *observer);

#endif
