/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.h - what the fields of a tensor copy mean. */
#ifndef SIMTLAB_IR_TENSOR_H
#define SIMTLAB_IR_TENSOR_H

#include "ir/ir.h"

/* sub of tensor. Without store and prefetch it is a load; at most one operation, with
 * store: a reduction. */
enum {
    IR_TENSOR_IM2COL = 1 << 0,
    IR_TENSOR_MULTICAST = 1 << 1, /* of a load */
    IR_TENSOR_STORE = 1 << 2,
    IR_TENSOR_PREFETCH = 1 << 3,
    IR_TENSOR_ADD = 1 << 4,
    IR_TENSOR_MIN = 1 << 5,
    IR_TENSOR_MAX = 1 << 6,
    IR_TENSOR_INC = 1 << 7,
    IR_TENSOR_DEC = 1 << 8,
    IR_TENSOR_AND = 1 << 9,
    IR_TENSOR_OR = 1 << 10,
    IR_TENSOR_XOR = 1 << 11,
    IR_TENSOR_REDUCTIONS = 0xff << 4,
};

/* Sources of tensor: the map's generic address; where in shared memory; the mbarrier and
 * the blocks of a multicast, or 0; coordinates, innermost first; offsets of im2col but for
 * stores. */
enum {
    IR_TENSOR_MAP, IR_TENSOR_SHARED, IR_TENSOR_BARRIER, IR_TENSOR_BLOCKS, IR_TENSOR_COORDINATES
};

/* The operation of a reduction, IR_OP_COUNT for a plain copy. */
enum ir_op ir_tensor_reduction(unsigned sub);
/* How many coordinates there are, and how many offsets behind them. */
unsigned ir_tensor_rank(const struct ir_inst *inst);
unsigned ir_tensor_offsets(const struct ir_inst *inst);

#endif
