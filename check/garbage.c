/* SPDX-License-Identifier: Apache-2.0
 *
 * garbage.c - see garbage.h. The engine clears all these before it tells of the event. */
#include "check/garbage.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/random.h"
#include "emu/state.h"

struct garbage {
    struct observer observer;
    uint64_t seed, count;
};

static void fill(struct garbage *garbage, unsigned char *bytes, uint64_t size)
{
    uint64_t word = 0;

    for (uint64_t i = 0; i < size; i++, word >>= 8) {
        if (i % 8 == 0)
            word = random_at(garbage->seed, garbage->count++);
        bytes[i] = (unsigned char)word;
    }
}

static void frame_enter(struct observer *self, struct warp *warp, struct frame *frame,
                        uint32_t mask)
{
    struct garbage *garbage = (struct garbage *)self;
    const struct program *program = frame->program;

    for (uint32_t i = 0; i < program->zero_count; i++)
        fill(garbage, frame->registers + program->zero_offset[i], program->zero_bytes[i]);
    uint64_t size = frame->local_top - frame->local_base;
    FOR_LANES (lane, size ? mask : 0) {
        unsigned char *local = local_bytes(warp, lane, frame->local_base, size);
        if (local)
            fill(garbage, local, size);
    }
}

static void block_begin(struct observer *self, struct block *block)
{
    uint32_t system = block->state->executable->shared_system;

    fill((struct garbage *)self, block->shared + system, block->shared_bytes - system);
}

struct observer *garbage_new(uint64_t seed)
{
    struct garbage *garbage = calloc(1, sizeof *garbage);

    if (!garbage)
        out_of_memory(0);
    garbage->observer =
        (struct observer){.frame_enter = frame_enter, .block_begin = block_begin};
    garbage->seed = seed;
    return &garbage->observer;
}

void garbage_free(struct observer *observer)
{
    free(observer);
}
