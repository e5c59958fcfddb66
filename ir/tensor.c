/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c - what the fields of a tensor copy mean. */
#include "ir/tensor.h"

enum ir_op ir_tensor_reduction(unsigned sub)
{
    switch (sub & IR_TENSOR_REDUCTIONS) {
    case IR_TENSOR_ADD: return IR_OP_add;
    case IR_TENSOR_MIN: return IR_OP_min;
    case IR_TENSOR_MAX: return IR_OP_max;
    case IR_TENSOR_INC: return IR_OP_inc;
    case IR_TENSOR_DEC: return IR_OP_dec;
    case IR_TENSOR_AND: return IR_OP_and;
    case IR_TENSOR_OR: return IR_OP_or;
    case IR_TENSOR_XOR: return IR_OP_xor;
    default: return IR_OP_COUNT;
    }
}

static bool has_offsets(const struct ir_inst *inst)
{
    return inst->sub & IR_TENSOR_IM2COL && !(inst->sub & IR_TENSOR_STORE);
}

unsigned ir_tensor_rank(const struct ir_inst *inst)
{
    unsigned numbers = inst->sources - IR_TENSOR_COORDINATES;

    return has_offsets(inst) ? (numbers + 2) / 2 : numbers;
}

unsigned ir_tensor_offsets(const struct ir_inst *inst)
{
    return has_offsets(inst) ? ir_tensor_rank(inst) - 2 : 0;
}
