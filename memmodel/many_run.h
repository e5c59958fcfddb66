/* SPDX-License-Identifier: Apache-2.0
 *
 * many_run.h - running programs of many instances, and what they show. */
#ifndef SIMTLAB_MEMMODEL_MANY_RUN_H
#define SIMTLAB_MEMMODEL_MANY_RUN_H

#include "base/arena.h"
#include "base/text.h"
#include "memmodel/many.h"

/* How often each final state was seen. Values are as variables of the analysis
 * have them. */
struct histogram_item {
    uint64_t count;
    int64_t values[MAX_VARIABLES];
};

struct histogram {
    uint64_t instances, unfinished; /* run; of them, those that did not end */
    struct histogram_item *items;   /* ascending by values */
    uint32_t count, capacity;
};

/* Something that runs programs: a GPU, or the emulator. All functions return
 * false with the reason added to err. */
struct many_device {
    void *self;
    uint32_t instances; /* to run between two looks at their final states */
    bool (*load)(void *self, const char *ptx, size_t size, struct text *err);
    /* How many blocks of the entry can be at work at once. */
    bool (*resident)(void *self, const char *entry, uint32_t threads, uint32_t *blocks,
                     struct text *err);
    /* Zeroed memory, until unload. */
    bool (*allocate)(void *self, uint64_t size, uint64_t *address, struct text *err);
    bool (*launch)(void *self, const char *entry, uint32_t blocks, uint32_t threads,
                   void *parameters[MANY_PARAMETERS], struct text *err);
    /* After all launches. */
    bool (*read)(void *self, uint64_t from, void *to, size_t size, struct text *err);
    void (*unload)(void *self);
};

/* Runs at least so many instances, in passes that differ in the layout of memory,
 * in delays and in traffic; the same passes in the same order each time. */
bool many_run(const struct many_device *device, struct arena *arena, const struct analysis *a,
              const struct many_program *program, uint64_t instances,
              struct histogram *histogram, struct text *err);

#endif
