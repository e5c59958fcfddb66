/* SPDX-License-Identifier: Apache-2.0
 *
 * slots.c - registers that never live at the same time share a slot.
 *
 * requires: struct ir_cfg
 * fills:    struct ir_slots
 *
 * Linear scan. A life is one interval over the instructions in the order they
 * stand in, from the first to the last point where the register may be live;
 * since it covers every block into or out of which the register is live, it
 * holds for loops as well. Instruction i reads at point 2i and writes at point
 * 2i + 1; an op that is not LANE writes as early as it reads. */
#include "ir/liveness.h"

struct life {
    uint32_t from, to; /* both included; from > to: no instruction names it */
};

enum { NOBODY = UINT32_MAX };

static void cover(struct life *life, uint32_t point)
{
    if (point < life->from)
        life->from = point;
    if (point > life->to)
        life->to = point;
}

static void cover_operands(const struct ir_function *function,
                           const struct ir_inst *inst, uint32_t i, struct life *lives)
{
    const ir_operand *destinations = ir_destinations(function, inst);
    const ir_operand *sources = ir_sources(function, inst);
    bool early = ir_ops[inst->op].group != IR_GROUP_LANE;

    for (uint32_t s = 0; s <= inst->sources; s++) {
        ir_operand operand = s < inst->sources ? sources[s] : inst->guard;
        if (ir_operand_kind(operand) == IR_OPERAND_REGISTER)
            cover(&lives[ir_operand_index(operand)], 2 * i);
    }
    for (uint32_t d = 0; d < inst->destinations; d++) {
        struct life *life = &lives[ir_operand_index(destinations[d])];
        if (ir_operand_kind(destinations[d]) != IR_OPERAND_REGISTER)
            continue;
        cover(life, 2 * i + 1);
        if (early)
            cover(life, 2 * i);
    }
}

static void find_lives(const struct ir_function *function,
                       const struct ir_liveness *live, struct life *lives)
{
    for (uint32_t r = 0; r < function->register_count; r++)
        lives[r] = (struct life){UINT32_MAX, 0};
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        uint32_t end = block->first + block->count;
        for (uint32_t i = block->first; i < end; i++)
            cover_operands(function, &function->insts[i], i, lives);
        for (uint32_t w = 0; w < live->words; w++) {
            size_t at = (size_t)b * live->words + w;
            for (uint64_t in = live->in[at]; in; in &= in - 1)
                cover(&lives[live->crossing[w * 64 + (uint32_t)__builtin_ctzll(in)]],
                      2 * block->first);
            for (uint64_t out = live->out[at]; out && block->count; out &= out - 1)
                cover(&lives[live->crossing[w * 64 + (uint32_t)__builtin_ctzll(out)]],
                      2 * end - 1);
        }
    }
}

/* Registers in lists by a point: of the first one, and from each to the next. */
struct lists {
    uint32_t *head, *next;
};

static void put(struct lists *lists, uint32_t point, uint32_t reg)
{
    lists->next[reg] = lists->head[point];
    lists->head[point] = reg;
}

static struct lists empty_lists(struct arena *arena, uint32_t points, uint32_t registers)
{
    struct lists lists = {ARENA_NEW_ARRAY(arena, points, uint32_t),
                          ARENA_NEW_ARRAY(arena, registers, uint32_t)};

    for (uint32_t p = 0; p < points; p++)
        lists.head[p] = NOBODY;
    return lists;
}

struct free_slots {
    int32_t *items;
    uint32_t count, capacity;
};

/* At one point first all that begin take a slot, then all that end give theirs
 * back: intervals that touch do not share. The slot given back last is taken
 * first, which keeps the ones in use close together. */
static void scan(struct arena *scratch, const struct ir_function *function,
                 const struct life *lives, struct ir_slots *slots)
{
    uint32_t points = 2 * function->inst_count + 1;
    struct lists begin = empty_lists(scratch, points, function->register_count);
    struct lists end = empty_lists(scratch, points, function->register_count);
    struct free_slots free[IR_SLOT_CLASSES] = {0};

    for (uint32_t r = function->register_count; r-- > 0;)
        if (slots->slot[r] == IR_NO_SLOT && lives[r].from <= lives[r].to) {
            put(&begin, lives[r].from, r);
            put(&end, lives[r].to, r);
        }
    for (uint32_t point = 0; point < points; point++) {
        for (uint32_t r = begin.head[point]; r != NOBODY; r = begin.next[r]) {
            enum ir_slot_class class = ir_slot_class(function->registers[r].width);
            slots->slot[r] = free[class].count ? free[class].items[--free[class].count]
                                               : (int32_t)slots->count[class]++;
        }
        for (uint32_t r = end.head[point]; r != NOBODY; r = end.next[r]) {
            enum ir_slot_class class = ir_slot_class(function->registers[r].width);
            *ARENA_PUSH(scratch, &free[class]) = slots->slot[r];
        }
    }
}

enum ir_slot_class ir_slot_class(enum ir_type width)
{
    switch (width) {
    case IR_pred: return IR_SLOT_PRED;
    case IR_b16: return IR_SLOT_16;
    case IR_b32: return IR_SLOT_32;
    case IR_b64: return IR_SLOT_64;
    default: return IR_SLOT_128;
    }
}

struct ir_slots *ir_assign_slots(struct arena *arena,
                                 const struct ir_function *function,
                                 const struct ir_cfg *cfg)
{
    struct ir_slots *slots = ARENA_NEW(arena, struct ir_slots);
    struct arena scratch = {0};
    uint32_t registers = function->register_count;
    struct ir_liveness *live = ir_liveness_build(&scratch, function, cfg);
    struct life *lives = ARENA_NEW_ARRAY(&scratch, registers, struct life);

    find_lives(function, live, lives);
    slots->slot = ARENA_NEW_ARRAY(arena, registers, int32_t);
    for (uint32_t r = 0; r < registers; r++) {
        slots->slot[r] = IR_NO_SLOT;
        if (function->block_count && ir_live_in(live, 0, r))
            slots->slot[r] =
                (int32_t)slots->count[ir_slot_class(function->registers[r].width)]++;
    }
    scan(&scratch, function, lives, slots);
    arena_free(&scratch);
    return slots;
}
