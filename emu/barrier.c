/* SPDX-License-Identifier: Apache-2.0
 *
 * barrier.c - see barrier.h. */
#include "emu/barrier.h"

#include <string.h>

#include "emu/control.h"

/* Value of a uniform operand in the first lane of the mask. */
static uint32_t uniform(const struct fragment *fragment, const struct warp *warp,
                        uint32_t operand, uint32_t mask)
{
    unsigned char *const base[2] = {fragment->frame->registers,
                                    warp->block->state->executable->constants};
    uint32_t value;

    memcpy(&value, (unsigned char *)operand_at(base, operand) + 4 * lane_first(mask), 4);
    return value;
}

static uint32_t predicate_mask(const struct fragment *fragment, const struct warp *warp,
                               uint32_t operand)
{
    unsigned char *const base[2] = {fragment->frame->registers,
                                    warp->block->state->executable->constants};
    uint64_t word;

    memcpy(&word, operand_at(base, operand), 8);
    return (uint32_t)word;
}

/* --- completion --------------------------------------------------------------------- */

/* The result of a reduction, into the destination of a waiting fragment. */
static void give_result(const struct barrier *barrier, const struct warp *warp,
                        struct fragment *fragment, const struct code *code)
{
    unsigned char *const base[2] = {fragment->frame->registers,
                                    warp->block->state->executable->constants};
    unsigned char *at = operand_at(base, code->o.d);
    uint32_t lanes = fragment->mask;

    if (code->sub == IR_RED_POPC) {
        FOR_LANES(lane, lanes)
        memcpy(at + 4 * lane, &barrier->count, 4);
    } else {
        bool value = code->sub == IR_RED_AND ? !barrier->none : barrier->any;
        uint64_t word;
        memcpy(&word, at, 8);
        word = (word & ~(uint64_t)lanes) | (value ? lanes : 0);
        memcpy(at, &word, 8);
    }
}

static void complete_if_all_came(struct block *block, uint32_t id)
{
    struct barrier *barrier = &block->barriers[id];
    struct launch_state *state = block->state;

    if (!barrier->warps)
        return;
    if (barrier->expected ? (uint32_t)__builtin_popcountll(barrier->warps) < barrier->expected
                          : (block->live_warps & ~barrier->warps) != 0)
        return;
    for (uint32_t i = 0; state->observed && i < state->launch->observer_count; i++)
        if (state->launch->observers[i]->barrier_complete)
            state->launch->observers[i]->barrier_complete(state->launch->observers[i], block, id);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp->barrier_lanes[id] = 0;
        if (!(barrier->waiting >> w & 1))
            continue;
        FOR_FRAGMENTS(i, warp)
        {
            struct fragment *fragment = &warp->fragments[i];
            if (fragment->state != FRAGMENT_BARRIER ||
                fragment->barrier != id)
                continue;
            const struct code *code = &fragment->frame->program->code[fragment->pc];
            if (code->op == IR_OP_barrier_red)
                give_result(barrier, warp, fragment, code);
            fragment->state = FRAGMENT_READY;
            fragment->pc++;
            fragment->polls = 0;
        }
    }
    *barrier = (struct barrier){.phase = barrier->phase + 1};
    state->changes++;
}

/* --- arrival -------------------------------------------------------------------------- */

static uint32_t lanes_waiting(const struct warp *warp, uint32_t id)
{
    uint32_t lanes = 0;

    FOR_FRAGMENTS(i, warp)
        if (warp->fragments[i].state == FRAGMENT_BARRIER &&
            warp->fragments[i].barrier == id)
            lanes |= warp->fragments[i].mask;
    return lanes;
}

/* All live lanes of the warp are at the barrier: it arrives as a whole. */
static void warp_arrives(struct warp *warp, uint32_t id)
{
    struct block *block = warp->block;
    struct barrier *barrier = &block->barriers[id];
    uint64_t bit = UINT64_C(1) << warp->index;
    struct launch_state *state = block->state;

    if (barrier->warps & bit)
        return;
    const struct code *at = NULL;
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (fragment->state != FRAGMENT_BARRIER || fragment->barrier != id)
            continue;
        const struct code *code = &fragment->frame->program->code[fragment->pc];
        at = code;
        barrier->waiting |= bit;
        if (fragment->barrier_count)
            barrier->expected = fragment->barrier_count / LANES;
        if (code->op == IR_OP_barrier_red) {
            uint32_t yes = predicate_mask(fragment, warp, code->o.a) & fragment->mask;
            barrier->any |= yes;
            barrier->none |= fragment->mask & ~yes;
            barrier->count += (uint32_t)__builtin_popcount(yes);
        }
    }
    barrier->warps |= bit;
    for (uint32_t i = 0; at && state->observed && i < state->launch->observer_count; i++)
        if (state->launch->observers[i]->barrier_arrive)
            state->launch->observers[i]->barrier_arrive(state->launch->observers[i], warp, at,
                                                        id, warp->live, true);
    complete_if_all_came(block, id);
}

static bool bad_barrier(struct warp *warp, struct fragment *fragment, const struct code *code,
                        const char *kind, const char *what, uint32_t value, uint32_t mask)
{
    report_at(warp, code, fragment, lane_first(mask),
              (struct finding){.category = FINDING_SYNC, .kind = kind,
                               .severity = FINDING_ERROR},
              what, value);
    lanes_exit(warp, fragment, mask);
    return false;
}

bool barrier_execute(struct warp *warp, struct fragment *fragment, const struct code *code,
                     uint32_t mask)
{
    unsigned first = code->op == IR_OP_barrier_red ? 1 : 0;
    const uint32_t *sources = code->operands + code->destinations;
    uint32_t id = uniform(fragment, warp, sources[first], mask);
    uint32_t count = code->sources > first + 1
                         ? uniform(fragment, warp, sources[first + 1], mask)
                         : 0;

    if (fragment->mask & ~mask)
        fragment_split(warp, fragment, fragment->mask & ~mask)->pc++;
    if (id >= BLOCK_BARRIERS)
        return bad_barrier(warp, fragment, code, "invalid-barrier",
                           "barrier %u does not exist: there are 16, 0 to 15", id, mask);
    if (count % LANES || count / LANES > 32)
        return bad_barrier(warp, fragment, code, "invalid-barrier-count",
                           "barrier thread count %u is not a multiple of the warp size up "
                           "to 1024", count, mask);
    struct barrier *barrier = &warp->block->barriers[id];
    warp->block->barriers_used |= UINT32_C(1) << id;
    if (count && barrier->warps && barrier->expected && barrier->expected != count / LANES)
        report_at(warp, code, fragment, lane_first(mask),
                  (struct finding){.category = FINDING_SYNC, .kind = "barrier-count-mismatch",
                                   .severity = FINDING_ERROR},
                  "barrier %u: this warp expects %u threads, others expect %u", id, count,
                  barrier->expected * LANES);
    if (code->op == IR_OP_barrier_arrive) {
        warp->barrier_lanes[id] |= mask;
        fragment->pc++;
        if (!(warp->live & ~warp->barrier_lanes[id])) {
            /* Lanes that ended after they arrived count, too. */
            uint32_t arrived = warp->barrier_lanes[id];
            warp->barrier_lanes[id] = 0;
            struct launch_state *state = warp->block->state;
            for (uint32_t i = 0; state->observed && i < state->launch->observer_count; i++)
                if (state->launch->observers[i]->barrier_arrive)
                    state->launch->observers[i]->barrier_arrive(
                        state->launch->observers[i], warp, code, id, arrived, false);
            if (count)
                barrier->expected = count / LANES;
            barrier->warps |= UINT64_C(1) << warp->index;
            complete_if_all_came(warp->block, id);
        }
        return true;
    }
    fragment->state = FRAGMENT_BARRIER;
    fragment->barrier = id;
    fragment->barrier_count = count;
    if (!(warp->live & ~(lanes_waiting(warp, id) | warp->barrier_lanes[id])))
        warp_arrives(warp, id);
    /* Released at once: on alone, or after the others of the warp have joined
     * (measured on H200: a warp is together behind a barrier). */
    return fragment->state == FRAGMENT_READY && !(warp->used & (warp->used - 1));
}

/* --- cluster ------------------------------------------------------------------------------ */

/* The phase is over when every live thread of the cluster has arrived. */
static void cluster_complete_if_all_came(struct cluster *cluster)
{
    for (uint32_t r = 0; r < cluster->count; r++)
        for (uint32_t w = 0; w < cluster->blocks[r]->warp_count; w++) {
            const struct warp *warp = &cluster->blocks[r]->warps[w];
            if (warp->live & ~warp->cluster_arrived)
                return;
        }
    cluster->phase++;
    OBSERVE(cluster->blocks[0]->state, cluster_complete, cluster);
    for (uint32_t r = 0; r < cluster->count; r++)
        for (uint32_t w = 0; w < cluster->blocks[r]->warp_count; w++) {
            struct warp *warp = &cluster->blocks[r]->warps[w];
            warp->cluster_arrived = 0;
            FOR_FRAGMENTS(i, warp)
                if (warp->fragments[i].state == FRAGMENT_CLUSTER) {
                    struct fragment *fragment = &warp->fragments[i];
                    OBSERVE(warp->block->state, cluster_pass, warp,
                            &fragment->frame->program->code[fragment->pc], fragment->mask);
                    fragment->state = FRAGMENT_READY;
                    fragment->pc++;
                }
        }
    cluster->blocks[0]->state->changes++;
}

/* A grid launched without clusters has one for each block (PTX ISA, "Cluster of
 * Cooperative Thread Arrays"). */
static struct cluster *cluster_of(struct block *block)
{
    if (block->cluster)
        return block->cluster;
    if (!block->alone.count) {
        block->itself = block;
        block->alone = (struct cluster){.blocks = &block->itself, .count = 1};
    }
    return &block->alone;
}

/* What a lane does out of turn is wrong whether or not the phase has ended since. */
static void misuse(struct warp *warp, struct fragment *fragment, const struct code *code,
                   uint32_t lanes, const char *message)
{
    report_at(warp, code, fragment, lane_first(lanes),
              (struct finding){.category = FINDING_SYNC,
                               .kind = "cluster-barrier-misuse",
                               .severity = FINDING_ERROR},
              "%s", message);
}

bool cluster_execute(struct warp *warp, struct fragment *fragment, const struct code *code,
                     uint32_t mask)
{
    struct cluster *cluster = cluster_of(warp->block);

    if (fragment->mask & ~mask)
        fragment_split(warp, fragment, fragment->mask & ~mask)->pc++;
    if (code->op == IR_OP_cluster_arrive) {
        if (warp->cluster_owes_wait & mask)
            misuse(warp, fragment, code, warp->cluster_owes_wait & mask,
                   "barrier.cluster.arrive again without a wait in between");
        warp->cluster_arrived |= mask;
        warp->cluster_owes_wait |= mask;
        OBSERVE(warp->block->state, cluster_arrive, warp, code, mask);
        fragment->pc++;
        cluster_complete_if_all_came(cluster);
        return true;
    }
    if (mask & ~warp->cluster_owes_wait)
        misuse(warp, fragment, code, mask & ~warp->cluster_owes_wait,
               "barrier.cluster.wait without an arrival before it");
    warp->cluster_owes_wait &= ~mask;
    if (warp->cluster_arrived & mask) {
        fragment->state = FRAGMENT_CLUSTER;
        return false;
    }
    OBSERVE(warp->block->state, cluster_pass, warp, code, mask);
    fragment->pc++;
    return true;
}

void barrier_recheck(struct warp *warp)
{
    struct block *block = warp->block;

    FOR_LANES(id, block->barriers_used)
    {
        uint32_t waiting = warp->live ? lanes_waiting(warp, id) : 0;
        if (waiting && !(warp->live & ~(waiting | warp->barrier_lanes[id])))
            warp_arrives(warp, id);
        else
            complete_if_all_came(block, id);
    }
    if (block->cluster || block->alone.count)
        cluster_complete_if_all_came(cluster_of(block));
}
