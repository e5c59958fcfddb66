/* SPDX-License-Identifier: Apache-2.0
 *
 * block.c - see block.h. */
#include "emu/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emu/control.h"
#include "emu/interp.h"

enum {
    /* Warp instructions of a fragment before another gets its turn. */
    QUANTUM = 1 << 14,
    /* Passes over the warps of a block before another block gets its turn, when
     * some warp only polls, and when they are merely long. */
    POLL_PASSES = 4,
    LONG_PASSES = 1 << 10,
};

static void *checked_alloc(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);

    if (!block)
        out_of_memory(0);
    return block;
}

bool schedule_is_free(const struct launch_state *state)
{
    const struct launch *launch = state->launch;

    return launch->seed && (!launch->seed_choices || state->choices < launch->seed_choices);
}

uint64_t schedule_random(struct launch_state *state)
{
    if (!schedule_is_free(state))
        return 0;
    /* splitmix64 */
    uint64_t z = state->random += UINT64_C(0x9e3779b97f4a7c15);
    state->choices++;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* --- starting and ending ------------------------------------------------------------ */

/* What does not change from block to block. Linear thread ids run x first, then y,
 * then z; a warp is 32 of them. PTX ISA, "Cooperative Thread Arrays". */
static void warp_place(struct warp *warp, struct block *block, uint32_t index)
{
    struct launch_state *state = block->state;
    const uint32_t *shape = state->launch->block;

    warp->block = block;
    warp->pool = &state->pool;
    warp->index = index;
    warp->first_thread = index * LANES;
    uint32_t left = state->block_threads - warp->first_thread;
    warp->exists = left >= LANES ? LANES_ALL : (UINT32_C(1) << left) - 1;
    uint32_t x = warp->first_thread % shape[0];
    uint32_t y = warp->first_thread / shape[0] % shape[1];
    uint32_t z = warp->first_thread / shape[0] / shape[1];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        warp->tid[0][lane] = x;
        warp->tid[1][lane] = y;
        warp->tid[2][lane] = z;
        if (++x == shape[0]) {
            x = 0;
            if (++y == shape[1]) {
                y = 0;
                z++;
            }
        }
    }
}

static struct unit *unit_new(struct launch_state *state)
{
    struct unit *unit = checked_alloc(1, sizeof *unit);
    uint32_t warps = (state->block_threads + LANES - 1) / LANES;

    unit->count = state->cluster_size;
    unit->blocks = checked_alloc(unit->count, sizeof *unit->blocks);
    if (unit->count > 1)
        unit->cluster = checked_alloc(1, sizeof *unit->cluster);
    for (uint32_t i = 0; i < unit->count; i++) {
        struct block *block = checked_alloc(1, sizeof *block);
        block->warps = checked_alloc(warps, sizeof *block->warps);
        block->warp_count = warps;
        block->shared = checked_alloc(state->shared_total, 1);
        block->state = state;
        for (uint32_t w = 0; w < warps; w++)
            warp_place(&block->warps[w], block, w);
        unit->blocks[i] = block;
    }
    return unit;
}

static void warp_start(struct warp *warp)
{
    size_t from = offsetof(struct warp, live);

    memset((unsigned char *)warp + from, 0, offsetof(struct warp, fragments) - from);
    if (warp->local)
        memset(warp->local, 0, warp->local_capacity * LANES);
    warp->live = warp->exists;
    warp_enter_kernel(warp, warp->block->state->kernel);
}

static void block_start(struct block *block, uint64_t linear)
{
    struct launch_state *state = block->state;
    const uint32_t *grid = state->launch->grid;

    block->linear = linear;
    block->index[0] = (uint32_t)(linear % grid[0]);
    block->index[1] = (uint32_t)(linear / grid[0] % grid[1]);
    block->index[2] = (uint32_t)(linear / grid[0] / grid[1]);
    block->shared_bytes = state->shared_total;
    block->shadow = NULL;
    block->alone.count = 0;
    memset(block->shared, 0, state->shared_total);
    if (block->barriers_used)
        memset(block->barriers, 0, sizeof block->barriers);
    block->barriers_used = 0;
    block->finished = false;
    block->live_warps = UINT64_MAX >> (64 - block->warp_count);
    for (uint32_t w = 0; w < block->warp_count; w++)
        warp_start(&block->warps[w]);
    for (uint32_t i = 0; state->observed && i < state->launch->observer_count; i++)
        if (state->launch->observers[i]->block_begin)
            state->launch->observers[i]->block_begin(state->launch->observers[i], block);
}

/* Number of the r-th block of cluster n. */
static uint64_t cluster_block(const struct launch_state *state, uint64_t n, uint32_t r,
                              uint32_t index[3])
{
    const uint32_t *grid = state->launch->grid, *shape = state->launch->cluster;
    uint64_t across = grid[0] / shape[0], down = grid[1] / shape[1];
    uint64_t x, y, z;

    index[0] = (uint32_t)(n % across);
    index[1] = (uint32_t)(n / across % down);
    index[2] = (uint32_t)(n / across / down);
    x = (uint64_t)index[0] * shape[0] + r % shape[0];
    y = (uint64_t)index[1] * shape[1] + r / shape[0] % shape[1];
    z = (uint64_t)index[2] * shape[2] + r / shape[0] / shape[1];
    return (z * grid[1] + y) * grid[0] + x;
}

struct unit *unit_start(struct launch_state *state, uint64_t n)
{
    struct unit *unit = state->free_units;

    if (unit)
        state->free_units = unit->next_free;
    else
        unit = unit_new(state);
    if (unit->count == 1) {
        block_start(unit->blocks[0], n);
        return unit;
    }
    *unit->cluster = (struct cluster){.blocks = unit->blocks, .count = unit->count};
    for (uint32_t r = 0; r < unit->count; r++) {
        struct block *block = unit->blocks[r];
        block->cluster = unit->cluster;
        block->cluster_rank = r;
        block_start(block, cluster_block(state, n, r, unit->cluster->index));
    }
    return unit;
}

void unit_end(struct launch_state *state, struct unit *unit)
{
    for (uint32_t i = 0; i < unit->count; i++) {
        struct block *block = unit->blocks[i];
        async_block_end(block);
        for (uint32_t k = 0; state->observed && k < state->launch->observer_count; k++)
            if (state->launch->observers[k]->block_end)
                state->launch->observers[k]->block_end(state->launch->observers[k], block);
        /* Lanes that never ended still hold their frames. */
        for (uint32_t w = 0; w < block->warp_count; w++)
            FOR_FRAGMENTS(f, &block->warps[w])
            {
                struct fragment *fragment = &block->warps[w].fragments[f];
                lanes_exit(&block->warps[w], fragment, fragment->mask);
            }
    }
    unit->next_free = state->free_units;
    state->free_units = unit;
}

void units_free(struct launch_state *state)
{
    for (struct unit *unit = state->free_units, *next; unit; unit = next) {
        next = unit->next_free;
        for (uint32_t i = 0; i < unit->count; i++) {
            for (uint32_t w = 0; w < unit->blocks[i]->warp_count; w++)
                free(unit->blocks[i]->warps[w].local);
            free(unit->blocks[i]->warps);
            free(unit->blocks[i]->shared);
            free(unit->blocks[i]);
        }
        free(unit->cluster);
        free(unit->blocks);
        free(unit);
    }
    state->free_units = NULL;
}

/* --- turns ----------------------------------------------------------------------------- */

static bool can_run(const struct warp *warp, const struct fragment *fragment)
{
    return fragment->state == FRAGMENT_READY && !(fragment->mask & warp->enough);
}

/* Nothing in PTX keeps lanes together where no instruction asks for it, but chips
 * do in straight code, and kernels that ask for their active mask see it. So only
 * every fourth seed lets lanes part anywhere. */
static bool parts_lanes(const struct launch_state *state)
{
    return state->launch->seed % 4 == 3;
}

/* With a seed: any of them. Lanes that part come together again where they would
 * have met anyway. */
static struct fragment *pick_any(struct launch_state *state, struct warp *warp)
{
    uint32_t count = 0;

    FOR_FRAGMENTS(i, warp)
        count += can_run(warp, &warp->fragments[i]);
    if (!count)
        return NULL;
    uint64_t random = schedule_random(state);
    uint32_t chosen = (uint32_t)(random >> 32) % count;
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (!can_run(warp, fragment) || chosen--)
            continue;
        /* The first lane is held back: what rests on its lead shows soon. */
        uint32_t apart = ((uint32_t)schedule_random(state) & fragment->mask) |
                         UINT32_C(1) << lane_first(fragment->mask);
        if (parts_lanes(state) && random % 2 == 0 && apart != fragment->mask)
            fragment_split(warp, fragment, apart);
        return fragment;
    }
    return NULL;
}

/* The READY fragment that ran longest ago, of those that have not had enough. */
static struct fragment *pick(struct warp *warp)
{
    struct fragment *oldest = NULL, *chosen;

    if (warp->used && !(warp->used & (warp->used - 1))) { /* all lanes together */
        struct fragment *only = &warp->fragments[lane_first(warp->used)];
        return can_run(warp, only) ? only : NULL;
    }
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (can_run(warp, fragment) && (!oldest || fragment->order < oldest->order))
            oldest = fragment;
    }
    chosen = oldest;
    /* Of those that will meet it, the one furthest up: it has the longest way. */
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (oldest && can_run(warp, fragment) && fragment->frame == oldest->frame &&
            fragment->join == oldest->join && fragment->pc < chosen->pc)
            chosen = fragment;
    }
    return chosen;
}

/* 1 to 64 instructions, short turns as often as long ones; up to 8 where lanes part, or
 * few would do so between two given instructions. */
static uint64_t random_budget(struct launch_state *state)
{
    uint64_t random = schedule_random(state), sizes = parts_lanes(state) ? 4 : 7;

    return 1 + (random >> 8) % (UINT64_C(1) << random % sizes);
}

static uint64_t hash_words(uint64_t hash, const unsigned char *bytes, uint64_t size)
{
    for (uint64_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* A fragment that has used up many quanta while no memory changed and that comes
 * back to a state of registers and local memory it was in before will never do
 * anything else. (A loop that reads a clock is no such loop: its state differs.)
 * The state is compared by hash with one taken earlier, anew after 1, 2, 4, ...
 * quanta, so that a period of any length is found. */
static bool goes_in_circles(struct warp *warp, const struct fragment *fragment)
{
    enum { PATIENCE = 32 }; /* quanta before anything is hashed */
    struct circle_watch *watch = &warp->watch;
    uint64_t changes = warp->block->state->changes, hash = 0;

    if (watch->mask != fragment->mask || watch->changes != changes) {
        *watch = (struct circle_watch){.mask = fragment->mask, .changes = changes,
                                       .next = PATIENCE};
        return false;
    }
    if (++watch->count < PATIENCE)
        return false;
    for (const struct frame *frame = fragment->frame; frame; frame = frame->caller)
        hash = hash_words(hash, frame->registers, frame->program->register_bytes);
    if (warp->local)
        hash = hash_words(hash, warp->local, warp->local_capacity * LANES);
    if (hash == watch->seen && watch->pc == fragment->pc)
        return true;
    if (watch->count >= watch->next) {
        watch->next *= 2;
        watch->seen = hash;
        watch->pc = fragment->pc;
    }
    return false;
}

static enum turn warp_turn(struct launch_state *state, struct warp *warp)
{
    bool polled = true;

    warp->enough = 0;
    while (warp->live && !state->stop) {
        fragments_merge(warp);
        struct fragment *fragment =
            schedule_is_free(state) ? pick_any(state, warp) : pick(warp);
        if (!fragment) {
            if (warp->enough)
                return polled ? TURN_POLLED : TURN_YIELDED;
            if (!join_release(warp))
                return TURN_BLOCKED;
            continue;
        }
        uint64_t budget = schedule_is_free(state) ? random_budget(state) : QUANTUM;
        uint64_t left = state->max_steps > state->steps ? state->max_steps - state->steps : 0;
        if (!left) {
            state->stop = true;
            return TURN_YIELDED;
        }
        fragment->order = ++warp->turns;
        enum run_stop stop = interp_run(warp, fragment, budget < left ? budget : left);
        if (stop != RUN_BUDGET && stop != RUN_YIELD)
            continue;
        warp->enough |= fragment->mask;
        if (stop == RUN_YIELD) {
            /* It waits for others: those parked at a join may be the ones. */
            fragment->polls = 0;
            join_release(warp);
        } else if (!goes_in_circles(warp, fragment)) {
            polled = false;
        }
    }
    return warp->live ? TURN_YIELDED : TURN_FINISHED;
}

enum turn unit_turn(struct launch_state *state, struct unit *unit)
{
    /* A seed lets blocks take turns early and at any time. */
    uint32_t most =
        schedule_is_free(state) ? (uint32_t)(schedule_random(state) % 16) : LONG_PASSES;

    for (uint32_t pass = 0; !state->stop; pass++) {
        bool yielded = false, polled = false, live = false, ran = false;
        uint32_t warps = unit->blocks[0]->warp_count * unit->count;
        uint64_t random = schedule_random(state);
        uint32_t first = random ? (uint32_t)(random % warps) : 0;
        for (uint32_t i = 0; i < warps; i++) {
            uint32_t k = first + i < warps ? first + i : first + i - warps;
            struct warp *warp = unit->count == 1
                                    ? &unit->blocks[0]->warps[k]
                                    : &unit->blocks[k % unit->count]->warps[k / unit->count];
            if (!warp->live)
                continue;
            uint64_t before = warp->steps;
            enum turn turn = warp_turn(state, warp);
            live |= turn != TURN_FINISHED;
            polled |= turn == TURN_POLLED;
            yielded |= turn == TURN_YIELDED;
            ran |= warp->steps != before;
        }
        if (!live)
            return TURN_FINISHED;
        if (!ran)
            return TURN_BLOCKED;
        if (polled && pass >= POLL_PASSES)
            return yielded ? TURN_YIELDED : TURN_POLLED;
        if (pass >= most)
            return TURN_YIELDED;
    }
    return TURN_YIELDED;
}
