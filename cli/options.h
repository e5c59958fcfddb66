/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h - the command line, taken apart.
 *
 * Options may stand before, between or after the other words; `--` ends them. */
#ifndef SIMTLAB_CLI_OPTIONS_H
#define SIMTLAB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

/* Exit statuses. */
enum { EXIT_CLEAN = 0, EXIT_FINDINGS = 1, EXIT_UNABLE = 2 };

struct output_option {
    const char *name; /* an argument's: its number, or of a member "0.1"; a variable's */
    uint64_t index;   /* of it, once there are arguments */
    const char *path;
};

struct print_option {
    const char *name; /* as above */
    uint64_t index;
    uint64_t count;
    bool has_count;
};

struct options {
    struct arena *arena;
    bool help;
    unsigned misplaced; /* commands that have the option which this one has not */
    const char **words; /* FILE, KERNEL, ARG... */
    size_t word_count;
    const char *piped;   /* the text of the file that can be read only once, when it was */
    size_t piped_size;

    uint32_t grid[3], block[3];
    bool has_block;
    uint64_t shared_bytes;
    uint32_t cluster[3]; /* 0: none */
    bool cooperative;
    const char *on;     /* executor; NULL: the emulator */
    const char *target; /* NULL: the default */
    uint64_t seed_choices; /* --replay SEED:CHOICES; 0: all */
    uint64_t seed, threads, max_steps, timeout, stack_size, heap_size, output_limit;
    uint64_t print_limit; /* findings in the text; 0: all */
    uint64_t explore;     /* schedules; 0: only the one of the seed */
    bool weak;            /* loads may return older values */
    uint64_t error_status;
    uint64_t launch_skip, launch_count; /* which launches are checked; count 0: all */
    const char *shadow, *shadow_threshold;
    const char *kernel_name, *suppressions, *sarif, *junit;
    struct output_option *outputs;
    size_t output_count;
    struct print_option *prints;
    size_t print_count;
    const char **libraries;
    size_t library_count;
    const char **textures; /* NAME=TEXTURE, for references */
    size_t texture_count;
    const char **variables; /* NAME=CONTENTS */
    size_t variable_count;
    const char *json; /* file, or "-" */
    const char *only;
    bool strict;
    bool ir, cfg, ptx, llvm; /* show */
    bool attributes;         /* devices */
    bool rebuild;            /* conform */
    bool probe;              /* diff */
    const char *probe_job;
    const char *known, *shard, *sources, *html, *with; /* conform, diff */
    const char *output, *ptx_version, *emit; /* build */
};

/* Which commands know an option. */
enum {
    FOR_LAUNCH = 1,
    FOR_CHECK = 2,
    FOR_SHOW = 4,
    FOR_DEVICES = 8,
    FOR_ALL = 16,
    FOR_RECORDING = 32,
    FOR_CONFORM = 64,
    FOR_BUILD = 128,
    FOR_SHAPE = 256, /* the launch without its reports */
    FOR_DIFF = 512,
    FOR_RUN = 1024
};

/* Reads argv[1..argc) after the command's name. False with a message in error. */
bool options_read(struct options *options, unsigned commands, int argc, char **argv,
                  struct text *error);

#endif
