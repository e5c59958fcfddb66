/* SPDX-License-Identifier: Apache-2.0
 *
 * job.h - what the recorder is to run, as text.
 *
 *     # comment
 *     job NAME             begins a job; its lines reach to the next one
 *     ptx FILE             and the other lines of gpu/launch_lines.h
 *     ...
 *     output N [N...]      record these arguments (0-based)
 *     global NAME [TYPE]   record a module variable; TYPE: how to show it, u8
 *
 * File names are relative to the job file. grid and block default to 1. */
#ifndef SIMTLAB_GPU_JOB_H
#define SIMTLAB_GPU_JOB_H

#include "gpu/recording.h"

struct job_global {
    const char *name;
    enum element element;
};

struct job {
    struct recording_launch launch;
    struct loc at;
    uint32_t *outputs;
    uint32_t output_count;
    struct job_global *globals;
    uint32_t global_count;
    /* Not said by a job file: */
    const char *beside; /* file whose folder its files lie in; NULL: the job file */
    const char *text;   /* its PTX, when that is not what the file holds; or NULL */
    size_t text_size;
    unsigned timeout;   /* seconds; 0: as for all */
};

struct job_list {
    const char *path; /* of the job file */
    struct job *items;
    uint32_t count, capacity;
};

/* Reads the text in diags; diags->name is the path of the job file. All of it
 * is in the arena of diags. False when diags has errors. */
bool job_list_read(struct diags *diags, struct job_list *list);

#endif
