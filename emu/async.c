/* SPDX-License-Identifier: Apache-2.0
 *
 * async.c - cp.async and its groups.
 *
 * A copy may happen at any time between its issue and the wait for it. It is
 * done as late as the rules allow, at the wait, so that a kernel which forgets
 * to wait sees old data on every run.
 *
 * Every thread has its own sequence of groups. One record holds what one
 * instruction copies for all its lanes; lanes leave it as their copies happen.
 * PTX ISA, "cp.async", "cp.async.commit_group", "cp.async.wait_group". */
#include "emu/memory_ops.h"

#include <stdlib.h>

#include "base/arena.h"

enum { COPY_MAX = 16 };

struct copy {
    struct copy *next;
    const struct code *code;
    uint32_t mask;                   /* lanes whose copy has not happened */
    uint64_t number;                 /* counted for each warp */
    uint32_t size;                   /* bytes written by each lane */
    uint32_t group[LANES];
    uint32_t bytes[LANES];           /* bytes read; the rest is zero */
    const struct allocation *source[LANES];
    uint64_t source_offset[LANES];
    struct access target;
};

struct async_state {
    struct copy *first, **end;       /* in order of issue */
    uint32_t open[LANES];            /* number of the group that is being filled */
    uint64_t issued;                 /* instructions */
    /* wgmma: issued and not waited for, in order */
    struct group_entry { uint64_t number; uint32_t group; } *entries;
    uint32_t entry_count, entry_capacity, group_open;
    /* bulk copies that end in a group, not waited for, in order */
    struct bulk_entry { uint64_t number; uint32_t group; uint8_t lane; bool reads; } *bulk;
    uint32_t bulk_count, bulk_capacity, bulk_open[LANES];
};

static struct async_state *state_of(struct warp *warp)
{
    if (!warp->async) {
        warp->async = calloc(1, sizeof *warp->async);
        if (!warp->async)
            out_of_memory(0);
        warp->async->end = &warp->async->first;
    }
    return warp->async;
}

static void tell(struct warp *warp, const struct copy *copy, uint32_t lanes, bool done)
{
    OBSERVE(warp->block->state, copy,
            &(struct copy_event){.warp = warp, .code = copy->code, .mask = lanes,
                                 .number = copy->number, .done = done});
}

/* --- when copies happen ------------------------------------------------------------- */

static bool copy_lanes(struct warp *warp, struct copy *copy, uint32_t lanes)
{
    bool changed = false;

    tell(warp, copy, lanes, true);
    copy->target.frame = NULL; /* it may have ended */
    access_report(&copy->target, warp, copy->code, ACCESS_WRITE, lanes);
    FOR_LANES (lane, lanes) {
        unsigned char bytes[COPY_MAX] = {0};
        const struct allocation *source = copy->source[lane];
        if (source && source->host)
            memcpy(bytes, source->host + copy->source_offset[lane], copy->bytes[lane]);
        changed |= memcmp(copy->target.host[lane], bytes, copy->size) != 0;
        memcpy(copy->target.host[lane], bytes, copy->size);
    }
    copy->mask &= ~lanes;
    return changed;
}

/* Makes the copies of the lanes happen whose group is below limit[lane]. */
static bool complete(struct warp *warp, uint32_t lanes, const uint32_t limit[LANES])
{
    struct async_state *async = warp->async;
    bool changed = false;

    if (!async)
        return false;
    for (struct copy **at = &async->first; *at;) {
        struct copy *copy = *at;
        uint32_t now = 0;
        FOR_LANES (lane, copy->mask & lanes)
            if (copy->group[lane] < limit[lane])
                now |= UINT32_C(1) << lane;
        if (now)
            changed |= copy_lanes(warp, copy, now);
        if (copy->mask) {
            at = &copy->next;
            continue;
        }
        *at = copy->next;
        free(copy);
    }
    async->end = &async->first;
    while (*async->end)
        async->end = &(*async->end)->next;
    return changed;
}

static const uint32_t *no_limit(uint32_t limit[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++)
        limit[lane] = UINT32_MAX;
    return limit;
}

void async_block_end(struct block *block)
{
    uint32_t limit[LANES];

    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        if (!warp->async)
            continue;
        complete(warp, LANES_ALL, no_limit(limit));
        free(warp->async->entries);
        free(warp->async->bulk);
        free(warp->async);
        warp->async = NULL;
    }
}

/* --- wgmma ------------------------------------------------------------------------------ */

uint64_t async_group_issue(struct warp *warp)
{
    struct async_state *async = state_of(warp);

    if (async->entry_count == async->entry_capacity) {
        async->entry_capacity = async->entry_capacity ? 2 * async->entry_capacity : 16;
        async->entries = realloc(async->entries, async->entry_capacity * sizeof *async->entries);
        if (!async->entries)
            out_of_memory(0);
    }
    async->entries[async->entry_count++] = (struct group_entry){async->issued, async->group_open};
    return async->issued++;
}

void async_group_commit(struct warp *warp)
{
    state_of(warp)->group_open++;
}

uint32_t async_groups(struct warp *warp)
{
    return state_of(warp)->group_open;
}

bool async_group_done(struct warp *warp, uint32_t pending, uint64_t *number)
{
    struct async_state *async = state_of(warp);

    if (!async->entry_count ||
        (uint64_t)async->entries[0].group + pending >= async->group_open)
        return false;
    *number = async->entries[0].number;
    async->entry_count--;
    memmove(async->entries, async->entries + 1, async->entry_count * sizeof *async->entries);
    return true;
}

/* --- bulk copies -------------------------------------------------------------------------- */

uint64_t async_next(struct warp *warp)
{
    return state_of(warp)->issued++;
}

uint64_t async_bulk_issue(struct warp *warp, unsigned lane, bool reads)
{
    struct async_state *async = state_of(warp);

    if (async->bulk_count == async->bulk_capacity) {
        async->bulk_capacity = async->bulk_capacity ? 2 * async->bulk_capacity : 16;
        async->bulk = realloc(async->bulk, async->bulk_capacity * sizeof *async->bulk);
        if (!async->bulk)
            out_of_memory(0);
    }
    async->bulk[async->bulk_count++] = (struct bulk_entry){
        async->issued, async->bulk_open[lane], (uint8_t)lane, reads};
    return async->issued++;
}

void async_bulk_commit(struct warp *warp, uint32_t lanes)
{
    struct async_state *async = state_of(warp);

    FOR_LANES (lane, lanes)
        async->bulk_open[lane]++;
}

bool async_bulk_done(struct warp *warp, unsigned lane, uint32_t pending, bool reads_only,
                     uint64_t *number)
{
    struct async_state *async = state_of(warp);

    for (uint32_t i = 0; i < async->bulk_count; i++) {
        const struct bulk_entry *entry = &async->bulk[i];
        if (entry->lane != lane || (reads_only && !entry->reads) ||
            (uint64_t)entry->group + pending >= async->bulk_open[lane])
            continue;
        *number = entry->number;
        async->bulk_count--;
        memmove(async->bulk + i, async->bulk + i + 1,
                (async->bulk_count - i) * sizeof *async->bulk);
        return true;
    }
    return false;
}

/* --- instructions --------------------------------------------------------------------- */

/* Raw source addresses: operands 2 and 3 are a base and an offset. */
static void source_addresses(const struct step *step, uint64_t address[LANES])
{
    const struct code *code = step->code;
    const struct ir_function *function = step->fragment->frame->program->function;
    ir_operand base = ir_sources(function, code->ir)[2];
    unsigned bytes = 8;

    if (ir_operand_kind(base) == IR_OPERAND_REGISTER)
        bytes = ir_types[function->registers[ir_operand_index(base)].width].lane;
    FOR_LANES (lane, step->mask) {
        uint64_t sum = lane_read(step, source_operand(code, 2), bytes, lane) +
                       lane_read(step, source_operand(code, 3), 8, lane);
        address[lane] = bytes == 8 ? sum : (uint32_t)sum;
    }
}

/* Finds the source bytes of the lanes that copy as many bytes as `bytes`. */
static uint32_t resolve_source(const struct step *step, struct copy *copy,
                               const uint64_t address[LANES], uint32_t bytes,
                               uint32_t lanes)
{
    struct access source = {.kind = FINDING_READ, .size = bytes, .align = copy->size};

    memcpy(source.address, address, sizeof source.address);
    access_resolve(&source, step->warp, step->fragment, step->code, IR_SPACE_GLOBAL, lanes);
    FOR_LANES (lane, source.mask) {
        copy->source[lane] = source.allocation[lane];
        copy->source_offset[lane] = source.address[lane] - source.allocation[lane]->address;
    }
    access_report(&source, step->warp, step->code, ACCESS_READ, source.mask);
    return source.mask;
}

static void issue(const struct step *step)
{
    const struct code *code = step->code;
    struct async_state *async = state_of(step->warp);
    uint32_t size = (uint32_t)lane_read(step, source_operand(code, 4), 4,
                                        lane_first(step->mask));
    struct copy *copy = calloc(1, sizeof *copy);
    uint64_t address[LANES];
    uint32_t left = step->mask;

    if (!copy)
        out_of_memory(0);
    copy->code = code;
    copy->size = size;
    copy->target = (struct access){.kind = FINDING_WRITE, .size = size};
    access_addresses(step->warp, step->fragment, code, step->base, step->mask,
                     copy->target.address);
    access_resolve(&copy->target, step->warp, step->fragment, code, IR_SPACE_SHARED,
                   step->mask);
    source_addresses(step, address);
    FOR_LANES (lane, step->mask) {
        uint32_t bytes = (uint32_t)lane_read(step, source_operand(code, 5), 4, lane);
        copy->bytes[lane] = bytes < size ? bytes : size;
        copy->group[lane] = async->open[lane];
    }
    copy->number = async->issued++;
    tell(step->warp, copy, step->mask, false);
    while (left) {
        uint32_t bytes = copy->bytes[lane_first(left)], same = 0;
        FOR_LANES (lane, left)
            if (copy->bytes[lane] == bytes)
                same |= UINT32_C(1) << lane;
        left &= ~same;
        /* Nothing is read where nothing is copied. */
        copy->mask |= bytes ? resolve_source(step, copy, address, bytes, same) : same;
    }
    copy->mask &= copy->target.mask;
    if (!copy->mask) {
        free(copy);
        return;
    }
    *async->end = copy;
    async->end = &copy->next;
}

/* n: how many of the newest committed groups may stay pending; UINT32_MAX: wait
 * for all copies, committed or not. */
static void wait(const struct step *step)
{
    struct async_state *async = state_of(step->warp);
    uint32_t limit[LANES] = {0};

    FOR_LANES (lane, step->mask) {
        uint32_t n = (uint32_t)lane_read(step, source_operand(step->code, 0), 4, lane);
        uint32_t open = async->open[lane];
        if (n == UINT32_MAX)
            limit[lane] = UINT32_MAX;
        else
            limit[lane] = open > n ? open - n : 0;
    }
    if (complete(step->warp, step->mask, limit))
        step_changed(step);
    OBSERVE(step->warp->block->state, copies_waited, step->warp, step->mask);
}

/* PTX ISA, "cp.async.mbarrier.arrive": triggered when the thread's copies are
 * done. Nobody has to wait for them otherwise, so they happen now. Without
 * .noinc the pending count goes up first and the arrival takes it back. */
static void arrive(const struct step *step)
{
    uint32_t limit[LANES];

    if (complete(step->warp, step->mask, no_limit(limit)))
        step_changed(step);
    mbarrier_arrive_for_copies(step, step->code->sub == 1);
}

void async_execute(const struct step *step)
{
    switch (step->code->op) {
    case IR_OP_cp_async:
        issue(step);
        break;
    case IR_OP_cp_async_commit: {
        struct async_state *async = state_of(step->warp);
        FOR_LANES (lane, step->mask)
            async->open[lane]++;
        break;
    }
    case IR_OP_cp_async_wait:
        wait(step);
        break;
    default:
        arrive(step);
        break;
    }
}
