/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_wgmma.c - wgmma. */
#include "frontend/ptx/lower_matrix.h"

/* D, A in registers, the descriptor of B, metadata and selector, scale-d, signs, the mask. */
enum { REGISTERS = 128, SOURCES = REGISTERS + 4 + 1 + 2 + 1 + 1 + 1 };

static ir_operand whole_warp(struct lower *l)
{
    return constant(l, UINT32_MAX);
}

/* imm-scale: 1 or -1; *negative is told. */
static bool scale(struct lower *l, struct instruction *i, const struct ptx_operand *operand,
                  bool *negative)
{
    uint64_t value;

    if (!integer_constant(l, operand, &value))
        return false;
    if (value != 1 && value != UINT64_MAX && value != UINT32_MAX) {
        diag_error(l->diags, operand->at, "'%s' is scaled by 1 or -1", instruction_name(i));
        return false;
    }
    *negative = value != 1;
    return true;
}

/* imm-trans: 0 or 1. */
static bool transposition(struct lower *l, struct instruction *i,
                          const struct ptx_operand *operand, unsigned bit, unsigned *sub)
{
    uint64_t value;

    if (!integer_constant(l, operand, &value))
        return false;
    if (value > 1) {
        diag_error(l->diags, operand->at, "'%s' is transposed by 0 or 1", instruction_name(i));
        return false;
    }
    *sub |= value ? bit : 0;
    return true;
}

/* sp-meta and sp-sel, which must be known now. */
static bool metadata(struct lower *l, struct instruction *i, const struct ptx_operand *operand,
                     unsigned selectors, ir_operand values[2])
{
    uint64_t value;

    values[0] = source(l, operand, W_b32, false);
    if (!values[0] || !integer_constant(l, operand + 1, &value))
        return false;
    if (value >= selectors) {
        diag_error(l->diags, operand[1].at, "the selector of '%s' is a constant below %u",
                   instruction_name(i), selectors);
        return false;
    }
    values[1] = constant(l, value);
    return true;
}

/* wgmma.mma_async d, a, b-desc, scale-d{, imm-scale-a, imm-scale-b{, imm-trans-a}, imm-trans-b}
 * wgmma.mma_async.sp d, a, b-desc, sp-meta, sp-sel, scale-d...
 * a: four registers, or a descriptor. Scales: of floats; transpositions: of 16 bits. */
void lower_wgmma(struct lower *l, struct instruction *i)
{
    bool sparse = i->form->op == IR_OP_wgmma_sp;
    const struct ptx_operand *operands = i->syntax->operands, *scale_d = operands + 3 + 2 * sparse;
    const struct ptx_operand *at = scale_d + 1;
    enum tensor_type type_a = tensor_type_of(i->types[1]);
    enum ir_type type = accumulator_type(i->types[0]);
    bool registers = operands[1].kind == OPERAND_VECTOR, floats, halves;
    unsigned sub, signs = 0, n = 0;
    ir_operand d[REGISTERS], sources[SOURCES];
    struct ir_wgmma wgmma;
    bool negative = false;

    halves = type_a == TENSOR_F16 || type_a == TENSOR_BF16;
    floats = type != IR_s32;
    unsigned count = 4u + (sparse ? 2 : 0) + (floats ? 2 : 0) + (halves ? registers ? 1 : 2 : 0);
    if (!operand_count(l, i, count, count))
        return;
    sub = ir_mma_sub((i->shape >> 10 & 0x3ff) / 8 - 1, type_a, tensor_type_of(i->types[2]));
    sub |= registers ? IR_WGMMA_A_REGISTERS : 0;
    if (floats) {
        if (!scale(l, i, at++, &negative))
            return;
        signs |= negative ? IR_WGMMA_NEGATE_A : 0;
        if (!scale(l, i, at++, &negative))
            return;
        signs |= negative ? IR_WGMMA_NEGATE_B : 0;
    }
    if (halves && ((!registers && !transposition(l, i, at++, IR_MMA_A_COLUMN, &sub)) ||
                   !transposition(l, i, at, IR_MMA_B_ROW, &sub)))
        return;
    if (!ir_wgmma_read(i->form->op, sub, type, &wgmma)) {
        unsupported(l, i->at, "'%s'", instruction_name(i));
        return;
    }
    if (!matrix_destinations(l, &operands[0], W_b32, wgmma.d_registers, d) ||
        !matrix_sources(l, &operands[0], W_b32, wgmma.d_registers, sources))
        return;
    n = wgmma.d_registers;
    if (registers) {
        if (!matrix_sources(l, &operands[1], W_b32, 4, sources + n))
            return;
        n += 4;
    } else if (!(sources[n++] = source(l, &operands[1], W_b64, false))) {
        return;
    }
    ir_operand descriptor = source(l, &operands[2], W_b64, false);
    ir_operand add = source(l, scale_d, W_pred, false);
    if (!descriptor || !add)
        return;
    ir_operand choice[3] = {constant(l, 1), constant(l, 0), add};
    sources[n++] = descriptor;
    if (sparse) {
        if (!metadata(l, i, &operands[3], wgmma.selectors, sources + n))
            return;
        n += 2;
    }
    sources[n++] = emit_value(l, IR_OP_selp, IR_b32, IR_b32, 0, choice, 3);
    sources[n++] = constant(l, signs);
    sources[n++] = whole_warp(l);
    struct ir_inst inst = {.op = i->form->op, .sub = (uint16_t)sub, .type = (uint8_t)type,
                           .type2 = (uint8_t)type, .mode = (uint16_t)mode_of(i),
                           .destinations = (uint16_t)wgmma.d_registers, .sources = (uint16_t)n};
    emit(l, &inst, d, sources);
}

/* wgmma.fence, wgmma.commit_group, wgmma.wait_group n */
void lower_wgmma_group(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = i->form->op};
    bool wait = inst.op == IR_OP_wgmma_wait;
    ir_operand sources[2];
    uint64_t pending;

    if (!operand_count(l, i, wait, wait))
        return;
    if (wait) {
        if (!integer_constant(l, &i->syntax->operands[0], &pending))
            return;
        sources[inst.sources++] = constant(l, pending);
    }
    sources[inst.sources++] = whole_warp(l);
    emit(l, &inst, NULL, sources);
}
