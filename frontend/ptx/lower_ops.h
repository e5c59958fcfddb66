/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_ops.h - the functions that write the IR of matched instructions; one
 * for each handler named in insn.def. */
#ifndef SIMTLAB_FRONTEND_PTX_LOWER_OPS_H
#define SIMTLAB_FRONTEND_PTX_LOWER_OPS_H

#include "frontend/ptx/lower.h"

#define INSN(opcode, types, modifiers, operands, handler, operation)         \
    lower_function lower_##handler;
#include "frontend/ptx/insn.def"
#undef INSN

/* --- lower_memory.c --- */
/* enum ir_hint of the modifiers. */
uint16_t eviction_hints(const struct instruction *i);
/* With .L2::cache_hint, the policy that operand number index is. False after an error. */
bool policy_operand(struct lower *l, struct instruction *i, uint32_t index, ir_operand *policy);

#endif
