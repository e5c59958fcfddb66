/* SPDX-License-Identifier: Apache-2.0
 *
 * control.c - see control.h. */
#include "emu/control.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void *checked_alloc(size_t size)
{
    void *block = calloc(1, size);

    if (!block)
        out_of_memory(0);
    return block;
}

/* --- fragments ------------------------------------------------------------------- */

struct fragment *fragment_new(struct warp *warp)
{
    /* Each fragment holds a lane: one of the 32 is free. */
    unsigned i = lane_first(~warp->used);

    warp->used |= UINT32_C(1) << i;
    warp->fragments[i] = (struct fragment){0};
    return &warp->fragments[i];
}

static void fragment_free(struct warp *warp, struct fragment *fragment)
{
    fragment->mask = 0;
    warp->used &= ~(UINT32_C(1) << (fragment - warp->fragments));
}

struct fragment *fragment_split(struct warp *warp, struct fragment *fragment,
                                uint32_t lanes)
{
    struct fragment *part = fragment_new(warp);

    *part = *fragment;
    part->mask = lanes;
    part->state = FRAGMENT_READY;
    fragment->mask &= ~lanes;
    return part;
}

void fragments_merge(struct warp *warp)
{
    if (!(warp->used & (warp->used - 1)))
        return;
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *a = &warp->fragments[i];
        if (!a->mask || a->state != FRAGMENT_READY)
            continue;
        FOR_LANES(k, warp->used & ~((UINT32_C(2) << i) - 1))
        {
            struct fragment *b = &warp->fragments[k];
            if (b->state == FRAGMENT_READY && b->pc == a->pc &&
                b->frame == a->frame && b->join == a->join) {
                a->mask |= b->mask;
                if (b->polls < a->polls)
                    a->polls = b->polls;
                fragment_free(warp, b);
            }
        }
    }
}

bool fragments_behind(struct warp *warp, struct fragment *fragment)
{
    bool behind = false;

    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *other = &warp->fragments[i];
        if (other == fragment || other->state != FRAGMENT_READY ||
            other->frame != fragment->frame || other->join != fragment->join)
            continue;
        if (other->pc == fragment->pc) {
            fragment->mask |= other->mask;
            fragment_free(warp, other);
        } else if (other->pc < fragment->pc && !(other->mask & warp->enough)) {
            behind = true;
        }
    }
    return behind;
}

/* --- joins ------------------------------------------------------------------------- */

void join_begin(struct warp *warp, struct fragment *fragment, int32_t pc)
{
    struct join *join = fragment->join;

    /* Lanes of a kernel that only meet at its end need not meet. */
    if (pc == PC_EXIT && !fragment->frame->caller)
        return;
    if (join && join->pc == pc && join->frame == fragment->frame)
        return;
    join = warp->pool->joins;
    if (join)
        warp->pool->joins = join->next_free;
    else
        join = checked_alloc(sizeof *join);
    *join = (struct join){.parent = fragment->join, .frame = fragment->frame, .pc = pc,
                          .expected = fragment->mask};
    fragment->join = join;
}

static void join_drop(struct warp *warp, struct join *join)
{
    join->next_free = warp->pool->joins;
    warp->pool->joins = join;
}

/* Everybody still expected has come: the parked fragment goes on. */
static struct fragment *join_resolve(struct warp *warp, struct join *join)
{
    struct fragment *fragment = join->parked;

    fragment->state = FRAGMENT_READY;
    fragment->join = join->parent;
    join_drop(warp, join);
    return fragment;
}

bool join_arrive(struct warp *warp, struct fragment *fragment)
{
    struct join *join = fragment->join;

    if (fragment->mask == join->expected) { /* the last, or the only one */
        fragment->join = join->parent;
        join_drop(warp, join);
        return true;
    }
    if (!join->parked) {
        join->parked = fragment;
        fragment->state = FRAGMENT_PARKED;
        return false;
    }
    struct fragment *parked = join->parked;
    parked->mask |= fragment->mask;
    fragment_free(warp, fragment);
    if (parked->mask == join->expected)
        join_resolve(warp, join);
    return false;
}

bool join_release(struct warp *warp)
{
    struct fragment *chosen = NULL;

    /* The innermost one: its join is nobody's parent among the parked. */
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (fragment->state != FRAGMENT_PARKED)
            continue;
        if (!chosen || fragment->frame->depth > chosen->frame->depth)
            chosen = fragment;
        else
            for (struct join *join = fragment->join->parent; join; join = join->parent)
                if (join == chosen->join)
                    chosen = fragment;
    }
    if (!chosen)
        return false;
    struct join *join = chosen->join;
    join->parked = NULL;
    join->expected &= ~chosen->mask;
    chosen->state = FRAGMENT_READY;
    chosen->join = join->parent;
    return true;
}

/* --- frames ------------------------------------------------------------------------- */

static struct frame *frame_new(struct warp *warp, struct program *program)
{
    struct frame **link = &warp->pool->frames, *frame;

    while (*link && (*link)->program != program)
        link = &(*link)->next_free;
    if ((frame = *link)) {
        unsigned char *registers = frame->registers;
        *link = frame->next_free;
        *frame = (struct frame){.registers = registers};
    } else {
        frame = checked_alloc(sizeof *frame);
        frame->registers = aligned_alloc(64, program->register_bytes + 64);
        if (!frame->registers)
            out_of_memory(0);
        /* Lanes that a partial warp lacks are computed along with the others and
         * dropped: they must be bits that have been set, for valgrind's sake. */
        memset(frame->registers, 0, program->register_bytes + 64);
    }
    frame->program = program;
    for (uint32_t i = 0; i < program->zero_count; i++)
        memset(frame->registers + program->zero_offset[i], 0, program->zero_bytes[i]);
    return frame;
}

static void frame_leave(struct warp *warp, struct frame *frame, uint32_t lanes)
{
    frame->live &= ~lanes;
    if (!frame->live) {
        frame->next_free = warp->pool->frames;
        warp->pool->frames = frame;
    }
}

static void notify_enter(struct warp *warp, struct frame *frame)
{
    const struct launch_state *state = warp->block->state;

    for (uint32_t i = 0; state->observed && i < state->launch->observer_count; i++)
        if (state->launch->observers[i]->frame_enter)
            state->launch->observers[i]->frame_enter(state->launch->observers[i], warp, frame,
                                                     frame->live);
}

void warp_enter_kernel(struct warp *warp, struct program *kernel)
{
    struct frame *frame = frame_new(warp, kernel);
    struct fragment *fragment = fragment_new(warp);

    frame->live = warp->live;
    frame->local_top = kernel->local_bytes;
    frame->stack_charge = stack_charge(kernel->function);
    fragment->mask = warp->live;
    fragment->frame = frame;
    notify_enter(warp, frame);
}

void frame_pool_free(struct pool *pool)
{
    for (struct frame *frame = pool->frames, *next; frame; frame = next) {
        next = frame->next_free;
        free(frame->registers);
        free(frame);
    }
    for (struct join *join = pool->joins, *next; join; join = next) {
        next = join->next_free;
        free(join);
    }
    *pool = (struct pool){0};
}

void lanes_exit(struct warp *warp, struct fragment *fragment, uint32_t lanes)
{
    struct join *join = fragment->join, *parent;
    struct frame *caller;

    fragment->mask &= ~lanes;
    if (!fragment->mask)
        fragment_free(warp, fragment);
    warp->live &= ~lanes;
    if (!warp->live)
        warp->block->live_warps &= ~(UINT64_C(1) << warp->index);
    warp->block->state->changes++;
    if (fragment->state == FRAGMENT_PARKED && !fragment->mask)
        join->parked = NULL;
    for (; join; join = parent) {
        parent = join->parent;
        join->expected &= ~lanes;
        if (!join->expected)
            join_drop(warp, join);
        else if (join->parked && join->parked->mask == join->expected)
            join_resolve(warp, join);
    }
    for (struct frame *frame = fragment->frame; frame; frame = caller) {
        caller = frame->caller;
        frame_leave(warp, frame, lanes);
    }
}

/* --- calls ---------------------------------------------------------------------------- */

static void notify_copy(struct warp *warp, uint32_t lanes, uint64_t to, uint64_t from,
                        uint64_t size)
{
    const struct launch_state *state = warp->block->state;

    for (uint32_t i = 0; state->observed && i < state->launch->observer_count; i++)
        if (state->launch->observers[i]->local_copy)
            state->launch->observers[i]->local_copy(state->launch->observers[i], warp, lanes,
                                                    to, from, size);
}

/* Argument and result variables of caller and callee, one after the other. Each
 * list holds indices or VARIABLE operands: a bare index is its own index part. */
static void copy_variables(struct warp *warp, uint32_t lanes,
                           const struct frame *from, const uint32_t *from_index,
                           const struct frame *to, const uint32_t *to_index,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_variable *source =
            &from->program->function->variables[ir_operand_index(from_index[i])];
        const struct ir_variable *target =
            &to->program->function->variables[ir_operand_index(to_index[i])];
        uint64_t size = source->size < target->size ? source->size : target->size;
        notify_copy(warp, lanes, to->local_base + target->offset,
                    from->local_base + source->offset, size);
        FOR_LANES(lane, lanes)
        {
            unsigned char *s = local_bytes(warp, lane, from->local_base + source->offset, size);
            unsigned char *t = local_bytes(warp, lane, to->local_base + target->offset, size);
            /* Fetching the second may have moved the first. */
            s = local_bytes(warp, lane, from->local_base + source->offset, size);
            if (s && t)
                memcpy(t, s, size);
        }
    }
}

bool call_enter(struct warp *warp, struct fragment *fragment, const struct code *code,
                struct program *callee)
{
    struct launch_state *state = warp->block->state;
    struct frame *caller = fragment->frame;
    uint64_t charge = caller->stack_charge + stack_charge(callee->function);
    uint64_t limit = state->stack_limit > state->executable->stack_need
                         ? state->stack_limit
                         : state->executable->stack_need;

    if (charge > limit) {
        FOR_LANES(lane, fragment->mask)
        report_at(warp, code, fragment, lane,
                  (struct finding){.category = FINDING_MEMORY, .kind = "stack-overflow",
                                   .severity = FINDING_ERROR, .space = IR_SPACE_LOCAL},
                  "call of %s needs %llu bytes of stack, %llu are available "
                  "(--stack-size sets the limit)",
                  callee->function->name, (unsigned long long)charge,
                  (unsigned long long)limit);
        lanes_exit(warp, fragment, fragment->mask);
        return false;
    }
    struct frame *frame = frame_new(warp, callee);
    frame->caller = caller;
    frame->call = code;
    frame->return_pc = fragment->pc + 1;
    frame->live = fragment->mask;
    frame->local_base = (caller->local_top + 15) & ~UINT64_C(15);
    frame->local_top = frame->local_base + callee->local_bytes;
    frame->stack_charge = charge;
    frame->depth = caller->depth + 1;
    notify_enter(warp, frame);
    const ir_operand *arguments = ir_sources(caller->program->function, code->ir) + 1;
    uint32_t count = code->sources - 1u;
    if (count > callee->function->parameter_count)
        count = callee->function->parameter_count;
    copy_variables(warp, fragment->mask, caller, arguments, frame, callee->function->parameters,
                   count);
    fragment->frame = frame;
    fragment->pc = 0;
    return true;
}

bool call_return(struct warp *warp, struct fragment *fragment)
{
    struct frame *frame = fragment->frame, *caller = frame->caller;

    if (!caller) {
        lanes_exit(warp, fragment, fragment->mask);
        return false;
    }
    fragment->pc = PC_EXIT;
    if (join_here(fragment) && !join_arrive(warp, fragment))
        return false;
    /* Nested joins at the exit cannot be: they would be the same one. */
    uint32_t count = frame->call->destinations;
    if (count > frame->program->function->result_count)
        count = frame->program->function->result_count;
    copy_variables(warp, fragment->mask, frame, frame->program->function->results, caller,
                   ir_destinations(caller->program->function, frame->call->ir), count);
    fragment->pc = frame->return_pc;
    fragment->frame = caller;
    frame_leave(warp, frame, fragment->mask);
    return true;
}
