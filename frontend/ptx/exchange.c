/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange.c - the operands of f64 operations in the order in which ptxas puts them.
 *
 * Of several NaNs that meet, an f64 operation of the machine hands on the one of a
 * certain operand (docs/hardware-notes.md), so the order of the two that PTX calls
 * exchangeable shows. Read in the machine code that ptxas 13.0 makes for sm_90, and
 * measured on H200 (conformance/libdevice): it orders operands by where their values
 * are made, through moves and signs:
 *   values that one instruction makes, in the order of the text;
 *   values that came together from several ways, the register that was written first
 *   last; before those, values that go into another merge of the same register;
 *   kernel parameters, then constants.
 * A difference whose operands change places becomes a sum with a negated operand; the
 * sign of a NaN is not changed by that, neither here nor there. One with a constant
 * becomes a sum with the negative constant; that does change the sign of a NaN. */
#include "frontend/ptx/lower.h"

#include <string.h>

#include "frontend/ptx/values.h"

enum { MADE, MERGED_INTO, MERGED, PARAMETER, CONSTANT };

struct exchange {
    struct ir_function *f;
    struct values *values;
    bool *goes_on; /* by number of a merge: it comes into another one of its register */
    uint32_t known; /* merges that goes_on knows */
    struct arena *arena;
    uint32_t differences; /* to become sums */
};

static bool exchangeable(const struct ir_inst *inst)
{
    return inst->type == IR_f64 && inst->type2 == IR_f64 &&
           (inst->op == IR_OP_add || inst->op == IR_OP_sub || inst->op == IR_OP_mul ||
            inst->op == IR_OP_fma || inst->op == IR_OP_min || inst->op == IR_OP_max);
}

/* Merges that come into others of their register. */
static bool goes_on(struct exchange *e, ir_value merged)
{
    if (e->known < value_merge_count(e->values)) {
        e->known = value_merge_count(e->values);
        e->goes_on = ARENA_NEW_ARRAY(e->arena, e->known, bool);
        for (uint32_t m = 0; m < e->known; m++) {
            ir_value input;
            for (uint32_t k = 0; value_input(e->values, VALUE_MERGED | m, k, &input); k++)
                if (value_is_merged(input) && input != (VALUE_MERGED | m))
                    e->goes_on[input & ~VALUE_MERGED] = true;
        }
    }
    return e->goes_on[merged & ~VALUE_MERGED];
}

/* Where an operand stands in the order; smaller ones come first. */
static uint64_t place(struct exchange *e, ir_operand source, uint32_t inst)
{
    if (ir_operand_kind(source) != IR_OPERAND_REGISTER)
        return (uint64_t)CONSTANT << 32;
    ir_value value = value_of_source(e->values, source, inst, THROUGH_SIGNS).value;
    if (value_is_merged(value)) {
        uint64_t group = goes_on(e, value) ? MERGED_INTO : MERGED;
        ir_value first = value_first_write(e->values, value_register(e->values, value));
        return group << 32 | (UINT32_MAX - first);
    }
    uint32_t maker = value_maker(e->values, value);
    if (maker == UINT32_MAX)
        return 0;
    const struct ir_inst *from = &e->f->insts[maker];
    if (from->guard) {
        uint32_t reg = ir_operand_index(ir_destinations(e->f, from)[0]);
        return (uint64_t)MERGED << 32 | (UINT32_MAX - value_first_write(e->values, reg));
    }
    if (from->op == IR_OP_ld && from->space == IR_SPACE_PARAM && e->f->is_kernel)
        return (uint64_t)PARAMETER << 32;
    if (from->op == IR_OP_mov) /* of no register: those were passed */
        return (uint64_t)CONSTANT << 32;
    return value;
}

/* Of a constant, as it stands or moved to a register. */
static bool constant_value(struct exchange *e, ir_operand source, uint32_t inst, uint64_t *value)
{
    if (ir_operand_kind(source) == IR_OPERAND_REGISTER) {
        ir_value found = value_of_source(e->values, source, inst, THROUGH_MOVES).value;
        uint32_t maker = value_maker(e->values, found);
        if (maker == UINT32_MAX || e->f->insts[maker].op != IR_OP_mov || e->f->insts[maker].guard)
            return false;
        source = ir_sources(e->f, &e->f->insts[maker])[0];
    }
    if (ir_operand_kind(source) != IR_OPERAND_CONSTANT)
        return false;
    *value = e->f->constants[ir_operand_index(source)].value;
    return true;
}

static bool to_exchange(struct exchange *e, uint32_t i)
{
    const struct ir_inst *inst = &e->f->insts[i];
    const ir_operand *sources = ir_sources(e->f, inst);

    return exchangeable(inst) && place(e, sources[1], i) < place(e, sources[0], i);
}

static void negate_constant(struct lower *l, struct ir_inst *inst, ir_operand *source,
                            uint64_t value)
{
    *source = constant(l, value ^ UINT64_C(1) << 63);
    inst->op = IR_OP_add;
}

/* Differences become sums of a negated second operand, which then stands first. */
static void rewrite(struct lower *l, struct exchange *e, const bool *chosen)
{
    struct ir_function *f = e->f;
    struct ir_inst *insts = ARENA_NEW_ARRAY(l->arena, f->inst_count + e->differences,
                                            struct ir_inst);
    uint32_t operand_count = f->operand_count, count = 0;
    ir_operand *operands = ARENA_NEW_ARRAY(l->arena, operand_count + 2 * e->differences,
                                           ir_operand);

    memcpy(operands, f->operands, operand_count * sizeof *operands);
    uint32_t *begin = ARENA_NEW_ARRAY(e->arena, f->block_count + 1, uint32_t);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const struct ir_block *block = &f->blocks[b];
        begin[b] = count;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            struct ir_inst inst = f->insts[i];
            ir_operand *sources = &operands[inst.first + inst.destinations];
            uint64_t value;
            if (inst.op == IR_OP_sub && exchangeable(&inst) &&
                constant_value(e, sources[1], i, &value)) {
                negate_constant(l, &inst, &sources[1], value);
            } else if (chosen[i]) {
                ir_operand second = sources[1];
                if (inst.op == IR_OP_sub) {
                    ir_operand negative = temporary(l, IR_b64);
                    insts[count++] = (struct ir_inst){
                        .op = IR_OP_neg, .type = IR_f64, .type2 = IR_f64, .destinations = 1,
                        .sources = 1, .first = operand_count, .loc = inst.loc};
                    operands[operand_count++] = negative;
                    operands[operand_count++] = second;
                    second = negative;
                    inst.op = IR_OP_add;
                }
                sources[1] = sources[0];
                sources[0] = second;
            }
            insts[count++] = inst;
        }
    }
    begin[f->block_count] = count;
    for (uint32_t b = 0; b < f->block_count; b++) { /* values know the old ones */
        f->blocks[b].first = begin[b];
        f->blocks[b].count = begin[b + 1] - begin[b];
    }
    f->insts = insts;
    f->inst_count = f->inst_capacity = count;
    f->operands = operands;
    f->operand_count = f->operand_capacity = operand_count;
}

void exchange(struct lower *l)
{
    struct ir_function *f = l->f;
    struct arena arena = {0};
    struct exchange e = {.f = f, .arena = &arena};
    uint32_t count = 0;

    for (uint32_t i = 0; i < f->inst_count; i++)
        count += exchangeable(&f->insts[i]);
    if (l->diags->errors || !count)
        return;
    bool *chosen = ARENA_NEW_ARRAY(&arena, f->inst_count, bool);
    e.values = values_build(&arena, f);
    count = 0;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        chosen[i] = to_exchange(&e, i);
        count += chosen[i] || f->insts[i].op == IR_OP_sub;
        e.differences += chosen[i] && f->insts[i].op == IR_OP_sub;
    }
    if (count)
        rewrite(l, &e, chosen);
    arena_free(&arena);
}
