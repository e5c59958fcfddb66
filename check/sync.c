/* SPDX-License-Identifier: Apache-2.0
 *
 * sync.c - the sync checker: who meets whom at barriers and in warp operations.
 *
 * The engine itself reports deadlocks, thread counts that cannot be and counts
 * that differ while threads arrive. Here is looked at every meeting that did
 * take place: whether PTX allows these lanes to meet in this way. All verdicts
 * are formed when a barrier completes or lanes have met, so that they do not
 * depend on who came first. */
#include "check/checker.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/place.h"

/* A warp's barrier.arrive whose barrier has not completed yet. */
struct arrival {
    const struct block *block;
    uint32_t id;
    struct finding_place place;
};

/* Does an instruction's member mask come from activemask? */
struct mask_source {
    const struct code *code;
    bool derived;
};

struct sync {
    struct observer observer; /* first: it is what the engine sees */
    struct mask_source *masks;
    uint32_t mask_count, mask_capacity;
    struct arrival *arrivals;
    uint32_t count, capacity;
};

static struct sync *self_of(struct observer *observer)
{
    return (struct sync *)observer;
}

static struct finding finding_of(const char *kind, enum finding_severity severity)
{
    return (struct finding){.category = FINDING_SYNC, .kind = kind, .severity = severity};
}

/* --- barriers ---------------------------------------------------------------------- */

/* What waits at a barrier when it completes. */
struct meeting {
    struct meeting_place {
        const struct warp *warp;
        const struct ir_function *function;
        const struct code *code;
        unsigned lane;
    } place[2]; /* of the first two different instructions */
    unsigned places;
    bool aligned;                  /* some instruction is .aligned */
    bool counted, uncounted;       /* with and without a thread count */
    bool reduces, plain;           /* barrier.red, barrier.sync */
};

static void meeting_add(struct meeting *meeting, const struct warp *warp,
                        const struct fragment *fragment)
{
    const struct program *program = fragment->frame->program;
    const struct code *code = &program->code[fragment->pc];

    meeting->aligned |= code->op == IR_OP_barrier_sync && (code->sub & IR_BARRIER_ALIGNED);
    meeting->counted |= fragment->barrier_count != 0;
    meeting->uncounted |= fragment->barrier_count == 0;
    meeting->reduces |= code->op == IR_OP_barrier_red;
    meeting->plain |= code->op != IR_OP_barrier_red;
    for (unsigned i = 0; i < meeting->places; i++)
        if (meeting->place[i].code == code)
            return;
    if (meeting->places < 2)
        meeting->place[meeting->places++] = (struct meeting_place){
            warp, program->function, code, lane_first(fragment->mask)};
}

static void meeting_of_warp(struct meeting *meeting, const struct warp *warp, uint32_t id)
{
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (fragment->state == FRAGMENT_BARRIER && fragment->barrier == id)
            meeting_add(meeting, warp, fragment);
    }
}

static struct finding meeting_finding(const struct meeting *meeting, const char *kind,
                                      enum finding_severity severity)
{
    struct finding finding = finding_of(kind, severity);

    for (unsigned i = 0; i < meeting->places; i++)
        finding.where[finding.where_count++] =
            place_of(meeting->place[i].warp, meeting->place[i].function,
                     meeting->place[i].code, meeting->place[i].lane);
    return finding;
}

/* PTX ISA, "barrier": with .aligned all threads of a warp must execute the same
 * barrier instruction. */
static void check_aligned(struct warp *warp, uint32_t id)
{
    struct meeting meeting = {0};

    if (!(warp->used & (warp->used - 1))) /* all are at one place */
        return;
    meeting_of_warp(&meeting, warp, id);
    if (!meeting.aligned || meeting.places < 2)
        return;
    struct finding finding = meeting_finding(&meeting, "aligned-divergence", FINDING_ERROR);
    findings_add(warp->block->state->findings, &finding,
                 "lanes of one warp wait for barrier %u at different instructions, but .aligned "
                 "(bar.sync, __syncthreads) asks all of them to execute the same one", id);
}

/* The function that holds an instruction which some fragment executes. */
static const struct ir_function *function_of(const struct warp *warp, const struct code *code)
{
    FOR_FRAGMENTS(i, warp)
    {
        const struct program *program = warp->fragments[i].frame->program;
        if (code >= program->code && code < program->code + program->count)
            return program->function;
    }
    return NULL;
}

/* Lanes are about to arrive, some of them perhaps a second time in this phase. */
static void instruction(struct observer *observer, struct warp *warp, const struct code *code,
                        unsigned char *const base[2], uint32_t mask)
{
    uint32_t id;

    (void)observer;
    if (code->op != IR_OP_barrier_arrive)
        return;
    memcpy(&id, (unsigned char *)operand_at(base, code->operands[0]) + 4 * lane_first(mask), 4);
    if (id >= BLOCK_BARRIERS)
        return;
    if (warp->block->barriers[id].warps >> warp->index & 1 || warp->barrier_lanes[id] & mask) {
        struct finding finding = finding_of("barrier-double-arrival", FINDING_ERROR);
        finding.where[finding.where_count++] =
            place_of(warp, function_of(warp, code), code, lane_first(mask));
        findings_add(warp->block->state->findings, &finding,
                     "threads arrive at barrier %u again before it has completed", id);
    }
}

static void note_arrival(struct sync *sync, struct warp *warp, const struct code *code,
                         uint32_t id, uint32_t mask)
{
    struct finding_place place =
        place_of(warp, function_of(warp, code), code, lane_first(mask));

    if (sync->count == sync->capacity) {
        sync->capacity = sync->capacity ? 2 * sync->capacity : 16;
        sync->arrivals = realloc(sync->arrivals, sync->capacity * sizeof *sync->arrivals);
        if (!sync->arrivals)
            out_of_memory(0);
    }
    sync->arrivals[sync->count++] = (struct arrival){warp->block, id, place};
}

static void barrier_arrive(struct observer *observer, struct warp *warp,
                           const struct code *code, uint32_t id, uint32_t mask, bool waits)
{
    if (waits)
        check_aligned(warp, id);
    else
        note_arrival(self_of(observer), warp, code, id, mask);
}

static void forget_arrivals(struct sync *sync, const struct block *block, uint32_t ids)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < sync->count; i++)
        if (sync->arrivals[i].block != block || !(ids >> sync->arrivals[i].id & 1))
            sync->arrivals[kept++] = sync->arrivals[i];
    sync->count = kept;
}

static void check_mixture(const struct block *block, const struct meeting *meeting, uint32_t id)
{
    struct findings *findings = block->state->findings;

    if (meeting->counted && meeting->uncounted) {
        struct finding finding =
            meeting_finding(meeting, "barrier-count-mismatch", FINDING_ERROR);
        findings_add(findings, &finding,
                     "barrier %u: some threads wait for a given number of threads, others for "
                     "the whole block", id);
    }
    if (meeting->reduces && meeting->plain) {
        struct finding finding =
            meeting_finding(meeting, "barrier-mixed-reduction", FINDING_ERROR);
        findings_add(findings, &finding,
                     "barrier %u: barrier.red and barrier.sync meet at the same barrier", id);
    }
}

/* A barrier of the whole block with .aligned is for all of its threads, at one
 * place. Hardware since sm_70 takes any instruction that names the barrier, hence a
 * warning. Threads that have ended hold nobody up (PTX ISA, "exit"): a note. */
static void check_whole_block(const struct block *block, const struct meeting *meeting,
                              uint32_t id)
{
    struct findings *findings = block->state->findings;
    uint32_t ended = 0;

    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        ended |= warp->exists & ~warp->live;
    }
    struct finding finding = meeting_finding(meeting, "barrier-divergence", FINDING_WARNING);
    if (meeting->places > 1)
        findings_add(findings, &finding,
                     "threads of one block meet at barrier %u from different places: some have "
                     "left out a barrier that others waited for, or it stands in a branch that "
                     "the block does not take as a whole", id);
    if (ended) {
        finding.kind = "exited-thread";
        finding.severity = FINDING_INFO;
        finding.where_count = 1;
        findings_add(findings, &finding,
                     "threads of the block ended without coming to barrier %u, which is meant for "
                     "all of them; it does not wait for those that have ended", id);
    }
}

static void barrier_complete(struct observer *observer, struct block *block, uint32_t id)
{
    struct meeting meeting = {0};

    for (uint32_t w = 0; w < block->warp_count; w++)
        meeting_of_warp(&meeting, &block->warps[w], id);
    check_mixture(block, &meeting, id);
    if (meeting.aligned && !meeting.counted)
        check_whole_block(block, &meeting, id);
    forget_arrivals(self_of(observer), block, UINT32_C(1) << id);
}

/* Arrivals that nobody waited for any more. */
static void block_end(struct observer *observer, struct block *block)
{
    struct sync *sync = self_of(observer);
    bool ended = true;

    for (uint32_t w = 0; w < block->warp_count; w++)
        ended &= !block->warps[w].live;
    for (uint32_t i = 0; ended && i < sync->count; i++) {
        const struct arrival *arrival = &sync->arrivals[i];
        if (arrival->block != block)
            continue;
        struct finding finding = finding_of("barrier-not-completed", FINDING_WARNING);
        finding.where[finding.where_count++] = arrival->place;
        findings_add(block->state->findings, &finding,
                     "the block ended with arrivals at barrier %u that nobody has waited for",
                     arrival->id);
    }
    forget_arrivals(sync, block, UINT32_MAX);
}

/* --- warp operations ----------------------------------------------------------------- */

static void check_members(struct warp *warp, const struct fragment *fragment)
{
    const struct program *program = fragment->frame->program;
    const struct code *code = &program->code[fragment->pc];
    struct findings *findings = warp->block->state->findings;
    uint32_t members = fragment->member_mask;
    uint32_t outside = fragment->mask & ~members, absent = members & ~warp->exists;
    uint32_t ended = members & warp->exists & ~warp->live;
    char lanes[LANES_TEXT];

    if (outside) {
        struct finding finding = finding_of("not-in-mask", FINDING_ERROR);
        finding.where[finding.where_count++] =
            place_of(warp, program->function, code, lane_first(outside));
        lanes_text(lanes, outside);
        findings_add(findings, &finding,
                     "%s executed this with a member mask of 0x%08x, which does not name %s",
                     lanes, members, outside & (outside - 1) ? "them" : "it");
    }
    if (absent) {
        struct finding finding = finding_of("partial-warp", FINDING_INFO);
        finding.where[finding.where_count++] =
            place_of(warp, program->function, code, lane_first(fragment->mask));
        lanes_text(lanes, absent);
        findings_add(findings, &finding,
                     "the member mask 0x%08x names %s, which this last warp of the block does "
                     "not have", members, lanes);
    }
    if (ended) {
        struct finding finding = finding_of("exited-member", FINDING_INFO);
        finding.where[finding.where_count++] =
            place_of(warp, program->function, code, lane_first(fragment->mask));
        lanes_text(lanes, ended);
        findings_add(findings, &finding,
                     "the member mask 0x%08x names %s, which ended before", members, lanes);
    }
}

/* --- masks from activemask --------------------------------------------------------------- */

static bool passes_masks(unsigned op)
{
    return op == IR_OP_mov || op == IR_OP_and || op == IR_OP_or || op == IR_OP_xor ||
           op == IR_OP_selp;
}

/* May the register hold what activemask gave, as it is or combined with others? */
static bool from_activemask(const struct ir_function *function, ir_operand reg, unsigned depth)
{
    if (ir_operand_kind(reg) != IR_OPERAND_REGISTER || depth == 0)
        return false;
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ir_inst *inst = &function->insts[i];
        if (inst->destinations != 1 || ir_destinations(function, inst)[0] != reg)
            continue;
        if (inst->op == IR_OP_activemask)
            return true;
        for (unsigned s = 0; passes_masks(inst->op) && s < inst->sources; s++)
            if (ir_sources(function, inst)[s] != reg &&
                from_activemask(function, ir_sources(function, inst)[s], depth - 1))
                return true;
    }
    return false;
}

enum { MASK_STEPS = 4 }; /* instructions between activemask and its use */

static bool mask_from_activemask(struct sync *sync, const struct program *program,
                                 const struct code *code)
{
    for (uint32_t i = 0; i < sync->mask_count; i++)
        if (sync->masks[i].code == code)
            return sync->masks[i].derived;
    if (sync->mask_count == sync->mask_capacity) {
        sync->mask_capacity = sync->mask_capacity ? 2 * sync->mask_capacity : 16;
        sync->masks = realloc(sync->masks, sync->mask_capacity * sizeof *sync->masks);
        if (!sync->masks)
            out_of_memory(0);
    }
    ir_operand mask = ir_sources(program->function, code->ir)[code->sources - 1];
    bool derived = from_activemask(program->function, mask, MASK_STEPS);
    sync->masks[sync->mask_count++] = (struct mask_source){code, derived};
    return derived;
}

static void check_activemask(struct sync *sync, struct warp *warp,
                             const struct fragment *fragment)
{
    const struct program *program = fragment->frame->program;
    const struct code *code = &program->code[fragment->pc];

    if (!mask_from_activemask(sync, program, code))
        return;
    struct finding finding = finding_of("activemask-member", FINDING_INFO);
    finding.where[finding.where_count++] =
        place_of(warp, program->function, code, lane_first(fragment->mask));
    findings_add(warp->block->state->findings, &finding,
                 "the member mask 0x%08x comes from activemask where the lanes of the warp have "
                 "parted: which lanes are together there is not promised",
                 fragment->member_mask);
}

static void warp_sync(struct observer *observer, struct warp *warp, const struct code *code,
                      uint32_t mask)
{
    (void)code;
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (fragment->state != FRAGMENT_SYNC || !(fragment->mask & mask))
            continue;
        if ((fragment->mask & ~fragment->member_mask) ||
            (fragment->member_mask & ~warp->live))
            check_members(warp, fragment);
        if (mask != warp->exists) /* whether the others have ended is the schedule's choice */
            check_activemask(self_of(observer), warp, fragment);
    }
}

/* --- making ----------------------------------------------------------------------------- */

struct observer *sync_checker_new(void)
{
    struct sync *sync = calloc(1, sizeof *sync);

    if (!sync)
        out_of_memory(0);
    sync->observer = (struct observer){
        .knows_constants = true,
        .block_end = block_end,
        .instruction = instruction,
        .warp_sync = warp_sync,
        .barrier_arrive = barrier_arrive,
        .barrier_complete = barrier_complete,
    };
    return &sync->observer;
}

void sync_checker_free(struct observer *observer)
{
    free(self_of(observer)->arrivals);
    free(self_of(observer)->masks);
    free(observer);
}
