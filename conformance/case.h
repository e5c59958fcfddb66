/* SPDX-License-Identifier: Apache-2.0
 *
 * case.h - conformance cases: recorded launches and the files they need. */
#ifndef SIMTLAB_CONFORMANCE_CASE_H
#define SIMTLAB_CONFORMANCE_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/recording.h"

struct conform_case {
    const char *recording; /* the file it was read from */
    const char *sources;   /* file or folder beside which the PTX lies */
    const char *target, *device; /* chip of the recording: "sm_90", "NVIDIA H200" */
    const struct recording_job *recorded;
    /* Once opened: */
    const char *ptx;
    size_t ptx_size;
    const char *ptx_name; /* in messages; NULL: what the recording calls it */
};

/* A case of one's own, not recorded: what launch says, with its outputs. */
struct conform_case case_of_launch(const struct recording_job *launch, const char *sources,
                                   const char *target, const char *ptx, size_t ptx_size);

/* Of the launches of a case the one after which outputs are compared. */
const struct recording_launch *case_last_launch(const struct conform_case *c);

struct case_list {
    struct conform_case *items;
    uint32_t count, capacity;
    bool unrecorded; /* job files stand for themselves: a GPU is to answer now */
};

/* Adds the cases of a recording, of a job file (its recording lies beside it
 * and ends in .rec), or of all of these in a folder and the folders in it. sources: the folder that
 * file names of recordings are relative to; NULL: beside the file. Jobs that
 * the recording has not, or has with another launch, are errors. False with
 * lines in error. All of it is in the arena. */
bool cases_add(struct arena *arena, const char *path, const char *sources,
               struct case_list *list, struct text *error);

/* Reads the PTX. NULL, or why it cannot be compared: unreadable, or (with c->ptx set)
 * not the text that was recorded. */
const char *case_open(struct arena *arena, struct conform_case *c);

#endif
