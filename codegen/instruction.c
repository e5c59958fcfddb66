/* SPDX-License-Identifier: Apache-2.0
 *
 * instruction.c - one instruction of the IR, by its group. */
#include "codegen/gen.h"

void gen_instruction(struct gen *g)
{
    switch (ir_ops[g->inst->op].group) {
    case IR_GROUP_LANE: gen_lane(g); return;
    case IR_GROUP_WARP: gen_warp(g); return;
    case IR_GROUP_MEMORY: gen_memory(g); return;
    default: gen_control(g); return;
    }
}
