/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_matrix.c - mma, ldmatrix, stmatrix, movmatrix.
 *
 * All are .sync.aligned: every lane of the warp takes part, so the member mask
 * of the IR is a constant of all ones. */
#include "frontend/ptx/lower_matrix.h"

enum { REGISTERS = 40 }; /* more than the largest mma has */

static ir_operand whole_warp(struct lower *l)
{
    return constant(l, UINT32_MAX);
}

static enum ir_mma_shape shape_of(uint32_t word)
{
#define X(m, n, k)                                                           \
    if (word == word_shape(m, n, k))                                         \
        return IR_MMA_M##m##N##n##K##k;
    IR_MMA_SHAPES(X)
#undef X
    return IR_MMA_NO_SHAPE;
}

enum tensor_type tensor_type_of(uint32_t word)
{
    switch (word) {
    case W_f16: return TENSOR_F16;
    case W_bf16: return TENSOR_BF16;
    case W_tf32: return TENSOR_TF32;
    case W_f64: return TENSOR_F64;
    case W_e4m3: return TENSOR_E4M3;
    case W_e5m2: return TENSOR_E5M2;
    case W_s8: return TENSOR_S8;
    case W_u8: return TENSOR_U8;
    case W_s4: return TENSOR_S4;
    case W_u4: return TENSOR_U4;
    case W_b1: return TENSOR_B1;
    default: return TENSOR_NONE;
    }
}

enum ir_type accumulator_type(uint32_t word)
{
    return word == W_f16 ? IR_f16x2 : type_of(word);
}

void emit_mma(struct lower *l, uint16_t sub, enum ir_type type, enum ir_type type2,
              unsigned mode, const ir_operand *destinations, const ir_operand *a,
              const ir_operand *b, const ir_operand *c, const ir_operand *metadata)
{
    ir_operand sources[REGISTERS];
    struct ir_mma mma;
    unsigned n = 0;
    bool sparse = metadata != NULL;

    if (!(sparse ? ir_mma_sp_read : ir_mma_read)(sub, type, type2, &mma)) {
        unsupported(l, l->i->at, "no meaning for '%s' yet", instruction_name(l->i));
        return;
    }
    for (unsigned i = 0; i < mma.a_registers; i++)
        sources[n++] = a[i];
    for (unsigned i = 0; i < mma.b_registers; i++)
        sources[n++] = b[i];
    for (unsigned i = 0; i < mma.c_registers; i++)
        sources[n++] = c[i];
    for (unsigned i = 0; i < 2 && sparse; i++)
        sources[n++] = metadata[i];
    sources[n++] = whole_warp(l);
    struct ir_inst inst = {.op = sparse ? IR_OP_mma_sp : IR_OP_mma, .sub = sub, .type = (uint8_t)type,
                           .type2 = (uint8_t)type2, .mode = (uint16_t)mode,
                           .destinations = (uint16_t)mma.d_registers,
                           .sources = (uint16_t)n};
    emit(l, &inst, destinations, sources);
}

typedef ir_operand operand_function(struct lower *l, const struct ptx_operand *operand,
                                    uint32_t type, bool wider);

static bool matrix_values(struct lower *l, const struct ptx_operand *operand, uint32_t type,
                          unsigned count, operand_function *lower, ir_operand *values)
{
    const struct ptx_operand *items;
    struct ptx_operand storage[8];

    if (!elements(l, operand, count, &items, storage))
        return false;
    for (unsigned i = 0; i < count; i++) {
        values[i] = lower(l, &items[i], type, false);
        if (!values[i])
            return false;
    }
    return true;
}

bool matrix_sources(struct lower *l, const struct ptx_operand *operand, uint32_t type,
                    unsigned count, ir_operand *values)
{
    return matrix_values(l, operand, type, count, source, values);
}

bool matrix_destinations(struct lower *l, const struct ptx_operand *operand, uint32_t type,
                         unsigned count, ir_operand *values)
{
    return matrix_values(l, operand, type, count, destination, values);
}

/* The first and second of .row and .col, as written. */
void matrix_layouts(const struct instruction *i, bool *a_column, bool *b_row)
{
    unsigned seen = 0;

    for (uint32_t m = 0; m < i->syntax->modifier_count; m++) {
        uint32_t word = i->syntax->modifiers[m].word;
        if (word != W_row && word != W_col)
            continue;
        if (seen++ == 0)
            *a_column = word == W_col;
        else
            *b_row = word == W_row;
    }
}

/* The selector of mma.sp: a number that is known now, below `count`. */
static bool sparse_selector(struct lower *l, struct instruction *i, unsigned count,
                            ir_operand *selector)
{
    const struct ptx_operand *operand = &i->syntax->operands[5];

    *selector = source(l, operand, W_u32, false);
    if (!*selector)
        return false;
    if (ir_operand_kind(*selector) == IR_OPERAND_CONSTANT &&
        l->f->constants[ir_operand_index(*selector)].value < count)
        return true;
    diag_error(l->diags, operand->at, "the selector of '%s' is a constant below %u",
               instruction_name(i), count);
    return false;
}

/* mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c
 * mma.sp...                                                      d, a, b, c, e, f */
void lower_mma(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    enum ir_type type = accumulator_type(i->types[0]), type2 = accumulator_type(i->types[3]);
    uint16_t sub = ir_mma_sub(shape_of(i->shape), tensor_type_of(i->types[1]),
                              tensor_type_of(i->types[2]));
    bool a_column = false, b_row = false, wide = i->types[0] == W_f64;
    ir_operand d[REGISTERS], a[REGISTERS], b[REGISTERS], c[REGISTERS], metadata[2];
    struct ir_mma mma;
    bool sparse = i->form->op == IR_OP_mma_sp;

    if (!operand_count(l, i, sparse ? 6 : 4, sparse ? 6 : 4))
        return;
    matrix_layouts(i, &a_column, &b_row);
    sub = (uint16_t)(sub | (has(i, W_xor) ? IR_MMA_XOR : 0) |
                     (a_column ? IR_MMA_A_COLUMN : 0) | (b_row ? IR_MMA_B_ROW : 0));
    if (!(sparse ? ir_mma_sp_read : ir_mma_read)(sub, type, type2, &mma)) {
        unsupported(l, i->at, "'%s'", instruction_name(i));
        return;
    }
    uint32_t input = wide ? W_f64 : W_b32;
    if (!matrix_destinations(l, &operands[0], wide ? W_f64 : W_b32, mma.d_registers, d) ||
        !matrix_sources(l, &operands[1], input, mma.a_registers, a) ||
        !matrix_sources(l, &operands[2], input, mma.b_registers, b) ||
        !matrix_sources(l, &operands[3], wide ? W_f64 : W_b32, mma.c_registers, c))
        return;
    if (sparse) {
        metadata[0] = source(l, &operands[4], W_b32, false);
        if (!metadata[0] || !sparse_selector(l, i, mma.selectors, &metadata[1]))
            return;
    }
    emit_mma(l, sub, type, type2, mode_of(i), d, a, b, c, sparse ? metadata : NULL);
}

/* ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p] and stmatrix [p], r */
void lower_ldmatrix(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    bool load = i->form->op == IR_OP_ldmatrix;
    unsigned count = has(i, W_x4) ? 4 : has(i, W_x2) ? 2 : 1;
    enum ir_space space = has(i, W_shared) || has(i, W_shared_cta) ? IR_SPACE_SHARED
                                                                   : IR_SPACE_GENERIC;
    struct address at;
    ir_operand registers[4], sources[8];

    if (!operand_count(l, i, 2, 2) || !address(l, &operands[load ? 1 : 0], space, &at))
        return;
    if (!(load ? matrix_destinations(l, &operands[0], W_b32, count, registers)
               : matrix_sources(l, &operands[1], W_b32, count, registers)))
        return;
    struct ir_inst inst = {.op = i->form->op, .type = IR_b32, .type2 = IR_b32,
                           .sub = has(i, W_trans) ? IR_MATRIX_TRANSPOSE : 0,
                           .space = (uint8_t)at.space,
                           .destinations = (uint16_t)(load ? count : 0)};
    unsigned n = 0;
    sources[n++] = at.base;
    sources[n++] = at.offset;
    for (unsigned k = 0; k < count && !load; k++)
        sources[n++] = registers[k];
    sources[n++] = whole_warp(l);
    inst.sources = (uint16_t)n;
    emit(l, &inst, registers, sources);
}

void lower_movmatrix(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct ir_inst inst = {.op = IR_OP_movmatrix, .type = IR_b32, .type2 = IR_b32,
                           .destinations = 1, .sources = 2};

    if (!operand_count(l, i, 2, 2))
        return;
    ir_operand to = destination(l, &operands[0], W_b32, false);
    ir_operand sources[2] = {source(l, &operands[1], W_b32, false), whole_warp(l)};
    if (to && sources[0])
        emit(l, &inst, &to, sources);
}
