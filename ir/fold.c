/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.c - constant folding, block by block.
 *
 * requires: a verified function
 * fills:    nothing; changes operands and instructions in place, which stay
 *           verified. Blocks may become unreachable. */
#include "ir/fold.h"

struct folder {
    struct ir_module *module;
    struct ir_function *function;
    uint32_t *known_in;  /* per register: block number + 1 where value holds, or 0 */
    ir_operand *value;   /* per register: a constant operand */
    uint32_t block;      /* number + 1 of the block being folded */
};

static bool constant_of(const struct folder *folder, ir_operand operand, uint64_t *value)
{
    if (ir_operand_kind(operand) == IR_OPERAND_REGISTER &&
        folder->known_in[ir_operand_index(operand)] == folder->block)
        operand = folder->value[ir_operand_index(operand)];
    if (ir_operand_kind(operand) != IR_OPERAND_CONSTANT)
        return false;
    *value = folder->function->constants[ir_operand_index(operand)].value;
    return true;
}

/* Reads the constant in place of a register that holds one. */
static bool replace_sources(struct folder *folder, const struct ir_inst *inst)
{
    ir_operand *source = folder->function->operands + inst->first + inst->destinations;
    bool changed = false;

    for (unsigned i = 0; i < inst->sources; i++) {
        uint32_t r = ir_operand_index(source[i]);
        if (ir_operand_kind(source[i]) != IR_OPERAND_REGISTER ||
            folder->known_in[r] != folder->block)
            continue;
        source[i] = folder->value[r];
        changed = true;
    }
    return changed;
}

/* The result of an operation whose sources are all constant. */
static bool evaluate(const struct folder *folder, const struct ir_inst *inst,
                     uint64_t *result)
{
    enum ir_row row = ir_row_find(inst->op, inst->type, inst->type2);
    const ir_operand *operands = ir_sources(folder->function, inst);
    uint64_t source[IR_ROW_SOURCES] = {0};

    if (row == IR_ROW_COUNT)
        return false;
    for (unsigned i = 0; i < inst->sources; i++)
        if (!constant_of(folder, operands[i], &source[i]))
            return false;
    *result = ir_row_eval(row, source, inst->mode);
    return true;
}

static bool fold_lane(struct folder *folder, struct ir_inst *inst)
{
    ir_operand *operand = folder->function->operands + inst->first;
    enum ir_type width = ir_type_register(inst->type);
    uint64_t result;
    bool changed = replace_sources(folder, inst);

    if (!evaluate(folder, inst, &result))
        return changed;
    if (inst->op != IR_OP_mov) {
        operand[1] = ir_add_constant(folder->module, folder->function, result);
        inst->op = IR_OP_mov;
        inst->type = inst->type2 = (uint8_t)width;
        inst->mode = 0;
        inst->sources = 1;
        changed = true;
    }
    return changed;
}

static bool fold_branch(const struct folder *folder, struct ir_inst *inst)
{
    ir_operand *source = folder->function->operands + inst->first;
    uint64_t value;

    if (inst->op != IR_OP_br || !constant_of(folder, source[0], &value))
        return false;
    source[0] = source[value & 1 ? 1 : 2];
    inst->op = IR_OP_bra;
    inst->sources = 1;
    return true;
}

/* What the registers hold after the instruction. Where its guard fails they
 * keep what they had, which is then no longer known. */
static void note_results(struct folder *folder, const struct ir_inst *inst)
{
    const ir_operand *operand = folder->function->operands + inst->first;

    for (unsigned d = 0; d < inst->destinations; d++)
        if (ir_operand_kind(operand[d]) == IR_OPERAND_REGISTER)
            folder->known_in[ir_operand_index(operand[d])] = 0;
    if (inst->op == IR_OP_mov && !inst->guard &&
        ir_operand_kind(operand[1]) == IR_OPERAND_CONSTANT) {
        folder->known_in[ir_operand_index(operand[0])] = folder->block;
        folder->value[ir_operand_index(operand[0])] = operand[1];
    }
}

uint32_t ir_fold(struct ir_module *module, struct ir_function *function)
{
    struct arena scratch = {0};
    struct folder folder = {module, function, NULL, NULL, 0};
    uint32_t changed = 0;

    folder.known_in = ARENA_NEW_ARRAY(&scratch, function->register_count, uint32_t);
    folder.value = ARENA_NEW_ARRAY(&scratch, function->register_count, ir_operand);
    for (uint32_t b = 0; b < function->block_count; b++) {
        folder.block = b + 1;
        for (uint32_t i = 0; i < function->blocks[b].count; i++) {
            struct ir_inst *inst = &function->insts[function->blocks[b].first + i];
            if (ir_ops[inst->op].group == IR_GROUP_LANE)
                changed += fold_lane(&folder, inst);
            else
                changed += fold_branch(&folder, inst);
            note_results(&folder, inst);
        }
    }
    arena_free(&scratch);
    return changed;
}
