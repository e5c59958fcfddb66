/* SPDX-License-Identifier: Apache-2.0
 *
 * golden.h - golden kernels: PTX files that carry their launch and expectation.
 *
 * tests/golden/README.md explains the lines. A file is read once; each of its
 * launches is then run on its own, in a fresh context. */
#ifndef SIMTLAB_TESTS_GOLDEN_H
#define SIMTLAB_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/element.h"
#include "base/text.h"

/* One `expect` line: the elements of an argument from `first` on. */
struct golden_expect {
    uint32_t line, argument;
    enum element element;
    uint64_t first;
    bool to_end;      /* iota, all:V: as many as the argument has */
    bool iota;
    uint64_t *items;  /* the values; one if to_end and not iota */
    uint32_t count, capacity;
};

/* One `expect-finding` line. "*" stands for any category or kind. */
struct golden_finding {
    uint32_t line;
    const char *category, *kind;
    uint32_t ptx_line; /* 0: any */
};

struct golden_launch {
    uint32_t line;
    bool check;         /* all checkers, not only what is always on */
    const char *kernel, *target;
    uint32_t grid[3], block[3], shared;
    uint64_t seed, max_steps;
    struct { const char **items; uint32_t count, capacity; } arguments;
    struct { struct golden_expect *items; uint32_t count, capacity; } expects;
    struct { struct golden_finding *items; uint32_t count, capacity; } findings;
    const char *printed; /* what the kernel must print, NULL: not looked at */
    int status;           /* 0, 1 or 2; -1: not said */
};

struct golden_file {
    const char *name;
    const char *text;
    size_t size;
    struct { struct golden_launch *items; uint32_t count, capacity; } launches;
};

enum { GOLDEN_FILES_MAX = 1000 };

/* The files below tests/golden as area/name.ptx, by name; with SIMTLAB_GOLDEN in the
 * environment those that have it in their name. Returns how many. */
int golden_files(char *files[GOLDEN_FILES_MAX]);

/* Reads the lines of a file. All of it lives in the arena. False, and what is
 * wrong added to `why`, for a line that cannot be understood. */
bool golden_read(struct arena *arena, const char *name, const char *text, size_t size,
                 struct golden_file *file, struct text *why);

/* Runs one launch with the given seed; false, and how it differs, if it does. */
bool golden_run(const struct golden_file *file, const struct golden_launch *launch,
                uint64_t seed, struct text *why);

#endif
