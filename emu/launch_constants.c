/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_constants.c - registers that hold one value in the whole launch.
 *
 * Kernels begin with loads of their parameters, block and grid sizes, and what is
 * computed from these. Code is decoded for one launch, so such a value can be known
 * then: a register that one instruction sets, on every way to its uses, from what
 * is known. Its readers get a constant row, and the instruction has nothing to do. */
#include "emu/launch_constants.h"

#include <string.h>

#include "emu/access.h"
#include "ir/liveness.h"

struct finder {
    const struct executable *executable;
    const struct ir_function *function;
    struct launch_constant *constants; /* by register */
};

static uint64_t cut(uint64_t value, unsigned bytes)
{
    return bytes == 0 ? value & 1 : bytes < 8 ? value & ((UINT64_C(1) << 8 * bytes) - 1) : value;
}

static unsigned lane_bytes(enum ir_type type)
{
    return type == IR_pred ? 0 : ir_types[type].lane;
}

static bool source_value(const struct finder *finder, ir_operand operand, unsigned bytes,
                         uint64_t *value)
{
    if (ir_operand_kind(operand) == IR_OPERAND_REGISTER) {
        const struct launch_constant *known = &finder->constants[ir_operand_index(operand)];
        *value = known->value;
        return known->known;
    }
    if (!executable_fixed_value(finder->executable, finder->function, operand, bytes,
                                value))
        return false;
    *value = cut(*value, bytes);
    return true;
}

static bool lane_value(const struct finder *finder, const struct ir_inst *inst, uint64_t *value)
{
    const ir_operand *sources = ir_sources(finder->function, inst);
    enum ir_row row = ir_row_find(inst->op, inst->type, inst->type2);
    uint64_t source[IR_ROW_SOURCES] = {0};

    if (row == IR_ROW_COUNT)
        return false;
    for (unsigned i = 0; i < ir_rows[row].sources && i < inst->sources; i++)
        if (!source_value(finder, sources[i], lane_bytes(ir_rows[row].source[i]), &source[i]))
            return false;
    *value = ir_row_eval(row, source, inst->mode);
    return true;
}

/* ld.param, in order and inside of the parameter block. */
static bool parameter_value(const struct finder *finder, const struct ir_inst *inst,
                            uint64_t *value)
{
    const struct launch *launch = finder->executable->launch;
    const ir_operand *sources = ir_sources(finder->function, inst);
    uint64_t bytes = ir_type_bytes(inst->type), at, offset = 0;
    unsigned unused = 64 - ir_types[inst->type].bits;

    if (inst->space != IR_SPACE_PARAM || inst->order != IR_ORDER_WEAK || inst->vector > 1 ||
        bytes > 8 || ir_operand_kind(sources[0]) == IR_OPERAND_REGISTER ||
        !source_value(finder, sources[0], 8, &at) ||
        (inst->sources > 1 && !source_value(finder, sources[1], 8, &offset)))
        return false;
    at += offset;
    if (bytes > launch->parameter_bytes || at > launch->parameter_bytes - bytes ||
        at & (bytes - 1))
        return false;
    *value = 0;
    memcpy(value, launch->parameters + at, bytes);
    if (ir_types[inst->type].kind == IR_KIND_S && unused < 64)
        *value = (uint64_t)((int64_t)(*value << unused) >> unused);
    return true;
}

static bool special_value(const struct finder *finder, const struct ir_inst *inst,
                          uint64_t *value)
{
    const struct launch *launch = finder->executable->launch;

    switch (ir_operand_index(ir_sources(finder->function, inst)[0])) {
    case IR_SREG_ntid_x: *value = launch->block[0]; return true;
    case IR_SREG_ntid_y: *value = launch->block[1]; return true;
    case IR_SREG_ntid_z: *value = launch->block[2]; return true;
    case IR_SREG_nctaid_x: *value = launch->grid[0]; return true;
    case IR_SREG_nctaid_y: *value = launch->grid[1]; return true;
    case IR_SREG_nctaid_z: *value = launch->grid[2]; return true;
    default: return false;
    }
}

static bool inst_value(const struct finder *finder, const struct ir_inst *inst, uint64_t *value)
{
    unsigned bits = finder->executable->image->module->address_bits;

    switch (inst->op) {
    case IR_OP_ld:
        return parameter_value(finder, inst, value);
    case IR_OP_sreg:
        return inst->type != IR_pred && special_value(finder, inst, value);
    case IR_OP_to_generic:
    case IR_OP_from_generic: /* global and constant addresses are generic ones */
        return bits == 64 && ir_types[inst->type].lane == 8 &&
               !generic_window(bits, inst->space) &&
               source_value(finder, ir_sources(finder->function, inst)[0], 8, value) &&
               (inst->space != IR_SPACE_CONST || inst->op == IR_OP_from_generic ||
                *value >= CONSTANT_BANK);
    default:
        return ir_ops[inst->op].group == IR_GROUP_LANE && lane_value(finder, inst, value);
    }
}

/* Registers with one setter that precedes every use. */
static uint32_t *find_setters(struct arena *scratch, const struct ir_function *function,
                              const struct ir_liveness *live)
{
    enum { NONE = 0 };
    uint32_t *setter = ARENA_NEW_ARRAY(scratch, function->register_count + 1, uint32_t);
    uint32_t *count = ARENA_NEW_ARRAY(scratch, function->register_count + 1, uint32_t);

    for (uint32_t i = 0; i < function->inst_count; i++) {
        const ir_operand *to = ir_destinations(function, &function->insts[i]);
        for (unsigned d = 0; d < function->insts[i].destinations; d++)
            if (ir_operand_kind(to[d]) == IR_OPERAND_REGISTER) {
                setter[ir_operand_index(to[d])] = i + 1;
                count[ir_operand_index(to[d])]++;
            }
    }
    for (uint32_t r = 0; r < function->register_count; r++)
        if (count[r] != 1 || ir_live_in(live, 0, r))
            setter[r] = NONE;
    return setter;
}

struct launch_constant *launch_constants(struct arena *scratch,
                                         const struct executable *executable,
                                         const struct ir_function *function,
                                         const struct ir_liveness *live)
{
    enum { PASSES = 4 }; /* setters mostly come in order */
    struct finder finder = {
        executable, function,
        ARENA_NEW_ARRAY(scratch, function->register_count + 1, struct launch_constant)};
    uint32_t *setter = find_setters(scratch, function, live);

    for (unsigned pass = 0; pass < PASSES; pass++) {
        bool found = false;
        for (uint32_t i = 0; i < function->inst_count; i++) {
            const struct ir_inst *inst = &function->insts[i];
            const ir_operand *to = ir_destinations(function, inst);
            if (inst->destinations != 1 || ir_operand_kind(to[0]) != IR_OPERAND_REGISTER ||
                ir_operand_kind(inst->guard) == IR_OPERAND_REGISTER)
                continue;
            uint32_t r = ir_operand_index(to[0]);
            struct launch_constant *constant = &finder.constants[r];
            unsigned bytes = lane_bytes(function->registers[r].width);
            if (setter[r] != i + 1 || constant->known || bytes > 8 ||
                !inst_value(&finder, inst, &constant->value))
                continue;
            constant->known = found = true;
            constant->value = cut(constant->value, bytes);
        }
        if (!found)
            break;
    }
    return finder.constants;
}
