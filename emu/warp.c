/* SPDX-License-Identifier: Apache-2.0
 *
 * warp.c - lanes that meet: shuffles, votes, matches, reductions, election,
 * bar.warp.sync; and the meeting for what matrix.c executes.
 *
 * Each operation gathers its operands from the lanes that take part, which may
 * wait in several fragments at different places, computes all results, and only
 * then writes them: no lane sees a result as a source.
 *
 * What PTX leaves undefined behaves as measured on an H200: a shuffle from a
 * lane that is inactive, exited or absent gives 0 with a true predicate when the
 * lane number is in range; lanes that take part outside the mask get data. */
#include "emu/warp.h"

#include <string.h>

#include "emu/control.h"
#include "emu/matrix.h"

/* Operands and results of one operation, by lane. */
struct exchange {
    uint32_t lanes;             /* that take part */
    uint64_t a[LANES];
    uint32_t b[LANES], c[LANES];
    uint32_t members[LANES];
    uint64_t result[LANES];
    bool predicate[LANES];
};

static uint64_t read_lane(unsigned char *const base[2], uint32_t operand, unsigned bytes,
                          unsigned lane)
{
    const unsigned char *at = operand_at(base, operand);
    uint64_t value = 0;

    if (bytes == 0) {
        memcpy(&value, at, 8);
        return value >> lane & 1;
    }
    memcpy(&value, at + lane * bytes, bytes < 8 ? bytes : 8);
    return value;
}

static void write_lane(unsigned char *const base[2], uint32_t operand, unsigned bytes,
                       unsigned lane, uint64_t value)
{
    unsigned char *at = operand_at(base, operand);

    if (operand == OPERAND_ABSENT)
        return;
    if (bytes == 0) {
        uint64_t word;
        memcpy(&word, at, 8);
        word = (word & ~(UINT64_C(1) << lane)) | (value & 1) << lane;
        memcpy(at, &word, 8);
    } else {
        memcpy(at + lane * bytes, &value, bytes);
    }
}

/* The operand that holds the member mask; OPERAND_ABSENT for activemask. */
static uint32_t member_operand(const struct code *code)
{
    return code->sources ? code->operands[code->destinations + code->sources - 1]
                         : OPERAND_ABSENT;
}

static unsigned value_bytes(const struct code *code)
{
    switch (code->op) {
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_uni:
    case IR_OP_vote_ballot:
        return 0;
    default:
        return ir_types[ir_type_register(code->type)].lane;
    }
}

static void gather(struct exchange *x, const struct fragment *fragment,
                   const struct code *code, unsigned char *constants, uint32_t mask)
{
    unsigned char *const base[2] = {fragment->frame->registers, constants};
    uint32_t members = member_operand(code);

    x->lanes |= mask;
    FOR_LANES(lane, mask)
    {
        if (members != OPERAND_ABSENT)
            x->members[lane] = (uint32_t)read_lane(base, members, 4, lane);
        if (code->sources > 1)
            x->a[lane] = read_lane(base, code->o.a, value_bytes(code), lane);
        if (code->sources > 2)
            x->b[lane] = (uint32_t)read_lane(base, code->o.b, 4, lane);
        if (code->sources > 3)
            x->c[lane] = (uint32_t)read_lane(base, code->o.c, 4, lane);
    }
}

static void scatter(const struct exchange *x, struct fragment *fragment,
                    const struct code *code, unsigned char *constants, uint32_t mask)
{
    unsigned char *const base[2] = {fragment->frame->registers, constants};
    bool is_vote = code->op == IR_OP_vote_all || code->op == IR_OP_vote_any ||
                   code->op == IR_OP_vote_uni;
    unsigned bytes = is_vote ? 0
                     : code->op == IR_OP_match_any || code->op == IR_OP_match_all ||
                             code->op == IR_OP_vote_ballot || code->op == IR_OP_elect ||
                             code->op == IR_OP_activemask
                         ? 4
                         : value_bytes(code);

    FOR_LANES(lane, mask)
    {
        if (code->destinations > 0)
            write_lane(base, code->operands[0], bytes, lane,
                       is_vote ? x->predicate[lane] : x->result[lane]);
        if (code->destinations > 1)
            write_lane(base, code->operands[1], 0, lane, x->predicate[lane]);
    }
}

/* PTX ISA, "shfl.sync": c holds a clamp in bits 0-4 and a segment mask in bits
 * 8-12; b counts modulo 32. */
unsigned shuffle_source(unsigned op, unsigned lane, uint32_t b, uint32_t c, bool *in_range)
{
    uint32_t clamp = c & 31, segment = c >> 8 & 31;
    int32_t last = (int32_t)((lane & segment) | (clamp & ~segment)), source;

    b &= 31;
    switch (op) {
    case IR_OP_shfl_up:
        source = (int32_t)lane - (int32_t)b;
        *in_range = source >= last;
        break;
    case IR_OP_shfl_down:
        source = (int32_t)(lane + b);
        *in_range = source <= last;
        break;
    case IR_OP_shfl_bfly:
        source = (int32_t)(lane ^ b);
        *in_range = source <= last;
        break;
    default:
        source = (int32_t)((lane & segment) | (b & ~segment));
        *in_range = source <= last;
        break;
    }
    return *in_range ? (unsigned)source : lane;
}

static void shuffle(struct exchange *x, unsigned op)
{
    FOR_LANES(lane, x->lanes)
    {
        unsigned source =
            shuffle_source(op, lane, x->b[lane], x->c[lane], &x->predicate[lane]);
        x->result[lane] = x->lanes >> source & 1 ? x->a[source] : 0;
    }
}

static void vote(struct exchange *x, unsigned op)
{
    uint32_t ballot = 0;

    FOR_LANES(lane, x->lanes)
    ballot |= (uint32_t)(x->a[lane] & 1) << lane;
    FOR_LANES(lane, x->lanes)
    {
        uint32_t members = x->members[lane] & x->lanes, yes = ballot & members;
        x->result[lane] = yes;
        x->predicate[lane] = op == IR_OP_vote_all   ? yes == members
                             : op == IR_OP_vote_any ? yes != 0
                                                    : yes == members || yes == 0;
    }
}

static void match(struct exchange *x, unsigned op)
{
    FOR_LANES(lane, x->lanes)
    {
        uint32_t members = x->members[lane] & x->lanes, same = 0;
        FOR_LANES(other, members)
        same |= (uint32_t)(x->a[other] == x->a[lane]) << other;
        x->predicate[lane] = same == members;
        x->result[lane] = op == IR_OP_match_any || same == members ? same : 0;
    }
}

static void reduce(struct exchange *x, const struct code *code)
{
    enum ir_row row = ir_row_find(code->sub, code->type, code->type);

    FOR_LANES(lane, x->lanes)
    {
        uint32_t members = x->members[lane] & x->lanes;
        if (!members)
            members = 1u << lane;
        uint64_t sum = x->a[lane_first(members)];
        FOR_LANES(other, members & (members - 1))
        sum = ir_row_eval(row, (uint64_t[IR_ROW_SOURCES]){sum, x->a[other]}, code->ir->mode);
        x->result[lane] = sum;
    }
}

static void compute(struct exchange *x, const struct code *code)
{
    switch (code->op) {
    case IR_OP_shfl_up:
    case IR_OP_shfl_down:
    case IR_OP_shfl_bfly:
    case IR_OP_shfl_idx:
        shuffle(x, code->op);
        break;
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_uni:
    case IR_OP_vote_ballot:
        vote(x, code->op);
        break;
    case IR_OP_match_any:
    case IR_OP_match_all:
        match(x, code->op);
        break;
    case IR_OP_redux:
        reduce(x, code);
        break;
    case IR_OP_elect:
        FOR_LANES(lane, x->lanes)
        {
            uint32_t members = x->members[lane] & x->lanes;
            uint32_t leader = members ? lane_first(members) : lane;
            x->result[lane] = leader;
            x->predicate[lane] = leader == lane;
        }
        break;
    case IR_OP_activemask:
        FOR_LANES(lane, x->lanes)
        x->result[lane] = x->lanes;
        break;
    default: /* bar_warp: meeting is all */
        break;
    }
}

/* --- meeting -------------------------------------------------------------------------- */

static bool waits_alike(const struct fragment *waiting, const struct code *code,
                        uint32_t member_mask)
{
    if (!waiting->mask || waiting->state != FRAGMENT_SYNC ||
        waiting->member_mask != member_mask)
        return false;
    const struct code *other = &waiting->frame->program->code[waiting->pc];
    /* .aligned: all lanes execute the same instruction. */
    if (is_matrix(code))
        return other == code;
    return other->op == code->op && other->sub == code->sub && other->type == code->type;
}

static void tell_sync(struct warp *warp, const struct code *code, uint32_t lanes)
{
    if (!warp->block->state->observed)
        return;
    for (uint32_t i = 0; i < warp->block->state->launch->observer_count; i++) {
        struct observer *observer = warp->block->state->launch->observers[i];
        if (observer->warp_sync)
            observer->warp_sync(observer, warp, code, lanes);
    }
}

/* The same for matrix instructions. */
static void meet_matrix(struct warp *warp, const struct code *code, uint32_t member_mask)
{
    struct matrix_part parts[LANES] = {{0}};
    unsigned count = 0;
    uint32_t lanes = 0;

    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (!waits_alike(fragment, code, member_mask))
            continue;
        parts[count++] = (struct matrix_part){fragment, fragment->mask};
        lanes |= fragment->mask;
    }
    tell_sync(warp, code, lanes);
    matrix_execute(warp, code, parts, count);
    for (unsigned i = 0; i < count; i++) {
        parts[i].fragment->state = FRAGMENT_READY;
        parts[i].fragment->pc++;
    }
}

/* Executes for all fragments that wait alike, once every live member is there. */
static bool meet(struct warp *warp, const struct code *code, uint32_t member_mask)
{
    unsigned char *constants = warp->block->state->executable->constants;
    struct exchange x;
    uint32_t there = 0;

    FOR_FRAGMENTS(i, warp)
        if (waits_alike(&warp->fragments[i], code, member_mask))
            there |= warp->fragments[i].mask;
    if (member_mask & warp->live & ~there)
        return false;
    if (is_matrix(code)) {
        meet_matrix(warp, code, member_mask);
        return true;
    }
    memset(&x, 0, sizeof x);
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (waits_alike(fragment, code, member_mask))
            gather(&x, fragment, &fragment->frame->program->code[fragment->pc], constants,
                   fragment->mask);
    }
    compute(&x, code);
    tell_sync(warp, code, x.lanes);
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (!waits_alike(fragment, code, member_mask))
            continue;
        scatter(&x, fragment, &fragment->frame->program->code[fragment->pc], constants,
                fragment->mask);
        fragment->state = FRAGMENT_READY;
        fragment->pc++;
    }
    return true;
}

bool warp_execute(struct warp *warp, struct fragment *fragment, const struct code *code,
                  uint32_t mask)
{
    unsigned char *constants = warp->block->state->executable->constants;
    unsigned char *const base[2] = {fragment->frame->registers, constants};
    uint32_t operand = member_operand(code), member_mask = LANES_ALL, alike = mask;
    struct exchange x;

    if (operand != OPERAND_ABSENT) {
        member_mask = (uint32_t)read_lane(base, operand, 4, lane_first(mask));
        if (!(operand & OPERAND_CONSTANT)) {
            alike = 0;
            FOR_LANES(lane, mask)
            if ((uint32_t)read_lane(base, operand, 4, lane) == member_mask)
                alike |= 1u << lane;
        }
    }
    bool all_here = operand == OPERAND_ABSENT || !(member_mask & warp->live & ~alike);
    if (alike == mask && all_here && !warp->block->state->observed) {
        /* The common case: everybody is in this fragment. */
        if (is_matrix(code)) {
            matrix_execute(warp, code, &(struct matrix_part){fragment, mask}, 1);
            fragment->pc++;
            return true;
        }
        memset(&x.a, 0, sizeof x.a);
        x.lanes = 0;
        gather(&x, fragment, code, constants, mask);
        compute(&x, code);
        scatter(&x, fragment, code, constants, mask);
        fragment->pc++;
        return true;
    }
    /* Lanes with another mask, or whose guard is false, go their own way. */
    if (fragment->mask & ~mask) {
        struct fragment *rest = fragment_split(warp, fragment, fragment->mask & ~mask);
        rest->pc++;
    }
    if (mask & ~alike)
        fragment_split(warp, fragment, mask & ~alike);
    if (operand == OPERAND_ABSENT) {
        memset(&x, 0, sizeof x);
        gather(&x, fragment, code, constants, alike);
        compute(&x, code);
        scatter(&x, fragment, code, constants, alike);
        fragment->pc++;
        return true;
    }
    fragment->state = FRAGMENT_SYNC;
    fragment->member_mask = member_mask;
    return meet(warp, code, member_mask);
}

void warp_recheck(struct warp *warp)
{
    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (fragment->state == FRAGMENT_SYNC)
            meet(warp, &fragment->frame->program->code[fragment->pc],
                 fragment->member_mask);
    }
}
