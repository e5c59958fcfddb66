/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_wmma.c - wmma.load, wmma.store, wmma.mma, in terms of mma.
 *
 * PTX leaves open which lane holds which element of a wmma fragment. Here a
 * fragment is one or two mma fragments, so wmma.mma becomes one or two mma, and
 * loads and stores ordinary accesses. m8n32k16 is computed as the transposed
 * product. Surplus registers (f16 has eight for A and for B) repeat the first
 * ones. */
#include "frontend/ptx/lower_matrix.h"

enum { MOST = 8 }; /* registers of a fragment */

/* One register: lane group g (lane / 4) and t (lane % 4) hold line outer + g,
 * elements inner + factor * t and on, along which `outer` stays the same. */
struct piece {
    unsigned outer, inner;
};

struct fragment_shape {
    unsigned bits, elements, factor;
    unsigned registers, distinct; /* of PTX; of those, not repeated */
    unsigned outer_size, inner_size;
    struct piece piece[MOST];
};

struct product_shape {
    unsigned m, n, k;
    bool transposed;       /* the side of 16 rows is B's columns */
    unsigned rows;         /* of one mma: 16 or 8 */
    unsigned tall, narrow; /* blocks of rows, blocks of 8 columns */
};

static struct product_shape product_of(uint32_t shape)
{
    struct product_shape p = {.m = shape >> 20 & 0x3ff, .n = shape >> 10 & 0x3ff,
                              .k = shape & 0x3ff};
    p.transposed = p.m < p.n;
    unsigned m = p.transposed ? p.n : p.m, n = p.transposed ? p.m : p.n;
    p.rows = m == 8 ? 8 : 16;
    p.tall = m / p.rows;
    p.narrow = n / 8;
    return p;
}

static bool input_fragment(const struct product_shape *p, bool is_a, enum tensor_type type,
                           struct fragment_shape *f)
{
    bool tall = is_a != p->transposed;
    unsigned bits = tensor_type_bits(type), width = bits == 64 ? 64 : 32;
    unsigned halves = tall ? p->rows / 8 : 1, blocks = tall ? p->tall : p->narrow;
    unsigned elements = width / bits, steps = p->k / (4 * elements);

    *f = (struct fragment_shape){.bits = bits, .elements = elements, .factor = elements,
                                 .outer_size = is_a ? p->m : p->n, .inner_size = p->k};
    if (blocks * halves * steps > MOST)
        return false;
    for (unsigned block = 0; block < blocks; block++)
        for (unsigned r = 0; r < halves * steps; r++)
            f->piece[f->distinct++] = (struct piece){
                8 * halves * block + 8 * (r % halves), 4 * elements * (r / halves)};
    f->registers = type == TENSOR_F16 ? MOST : f->distinct;
    return true;
}

/* C or D: outer is the row of the product that is computed. */
static void sum_fragment(const struct product_shape *p, uint32_t type,
                         struct fragment_shape *f)
{
    unsigned bits = word_bits(type), pair = bits == 16;
    unsigned registers = p->rows / (pair ? 8 : 4);

    *f = (struct fragment_shape){.bits = bits, .elements = pair ? 2 : 1, .factor = 2,
                                 .outer_size = p->transposed ? p->n : p->m,
                                 .inner_size = p->transposed ? p->m : p->n};
    for (unsigned block = 0; block < p->tall * p->narrow; block++)
        for (unsigned r = 0; r < registers; r++)
            f->piece[f->distinct++] = (struct piece){
                p->rows * (block / p->narrow) + 8 * (pair ? r : r >> 1),
                8 * (block % p->narrow) + (pair ? 0 : r & 1)};
    f->registers = f->distinct;
}

/* --- loads and stores ------------------------------------------------------- */

/* Addresses of a fragment. */
struct tile {
    enum ir_type word;         /* of an address: u64 or u32 */
    enum ir_space space;
    bool along;                /* elements of a line follow each other in memory */
    ir_operand base;           /* of the lane's first element */
    ir_operand stride;         /* bytes from line to line */
    uint64_t offset;
};

static ir_operand sum(struct lower *l, enum ir_type word, ir_operand a, ir_operand b)
{
    return emit_value(l, IR_OP_add, word, word, 0, (ir_operand[2]){a, b}, 2);
}

static ir_operand times(struct lower *l, enum ir_type word, ir_operand a, ir_operand b)
{
    return emit_value(l, IR_OP_mul, word, word, 0, (ir_operand[2]){a, b}, 2);
}

static ir_operand widened(struct lower *l, enum ir_type word, ir_operand value)
{
    return word == IR_u64 ? emit_value(l, IR_OP_cvt, IR_u64, IR_u32, 0, &value, 1) : value;
}

static bool tile_of(struct lower *l, struct instruction *i, const struct ptx_operand *pointer,
                    const struct ptx_operand *stride, const struct fragment_shape *f,
                    bool along, struct tile *tile)
{
    enum ir_space space = has(i, W_global)                         ? IR_SPACE_GLOBAL
                          : has(i, W_shared) || has(i, W_shared_cta) ? IR_SPACE_SHARED
                                                                    : IR_SPACE_GENERIC;
    struct address at;
    ir_operand lines = constant(l, along ? f->inner_size : f->outer_size);

    if (!address(l, pointer, space, &at))
        return false;
    if (stride)
        lines = source(l, stride, W_u32, false);
    if (!lines)
        return false;
    bool in_register = ir_operand_kind(at.base) == IR_OPERAND_REGISTER;
    bool narrow = in_register && l->f->registers[ir_operand_index(at.base)].width == IR_b32;
    tile->word = narrow ? IR_u32 : IR_u64;
    tile->space = at.space;
    tile->along = along;
    tile->offset = l->f->constants[ir_operand_index(at.offset)].value;
    ir_operand base = at.base;
    if (!in_register)
        base = emit_value(l, IR_OP_mov, IR_b64, IR_b64, 0, &base, 1);
    struct ir_inst read = {.op = IR_OP_sreg, .type = IR_b32, .type2 = IR_b32,
                           .destinations = 1, .sources = 1};
    ir_operand lane = temporary(l, IR_b32);
    ir_operand laneid = ir_operand_make(IR_OPERAND_SREG, IR_SREG_laneid);
    emit(l, &read, &lane, &laneid);
    ir_operand group = emit_value(l, IR_OP_shr, IR_u32, IR_u32, 0,
                                  (ir_operand[2]){lane, constant(l, 2)}, 2);
    ir_operand t = emit_value(l, IR_OP_and, IR_b32, IR_b32, 0,
                              (ir_operand[2]){lane, constant(l, 3)}, 2);
    ir_operand one = widened(l, tile->word, along ? group : t);
    ir_operand other = widened(l, tile->word, along ? t : group);
    lines = widened(l, tile->word, lines);
    tile->stride = f->bits >= 8
        ? times(l, tile->word, lines, constant(l, f->bits / 8))
        : emit_value(l, IR_OP_shr, tile->word, tile->word, 0,
                     (ir_operand[2]){lines, constant(l, f->bits == 4 ? 1 : 3)}, 2);
    /* along: g lines and factor * t elements; else factor * t lines, g elements. */
    unsigned scale = f->factor * f->bits / 8;
    if (!along)
        one = times(l, tile->word, one, constant(l, f->factor));
    base = sum(l, tile->word, base, times(l, tile->word, one, tile->stride));
    tile->base = sum(l, tile->word, base,
                     times(l, tile->word, other, constant(l, along ? scale : f->bits / 8)));
    return true;
}

static ir_operand line_at(struct lower *l, const struct tile *tile, unsigned line)
{
    return line ? sum(l, tile->word, tile->base,
                      times(l, tile->word, tile->stride, constant(l, line)))
                : tile->base;
}

static void access(struct lower *l, const struct tile *tile, bool load, unsigned bits,
                   ir_operand base, uint64_t offset, ir_operand value)
{
    enum ir_type type = bits == 8    ? IR_u8
                        : bits == 16 ? IR_u16
                        : bits == 32 ? IR_b32
                                     : IR_b64;
    struct ir_inst inst = {.op = load ? IR_OP_ld : IR_OP_st, .type = (uint8_t)type,
                           .type2 = (uint8_t)type, .space = (uint8_t)tile->space, .vector = 1,
                           .destinations = load, .sources = load ? 2 : 3};

    emit(l, &inst, &value,
         (ir_operand[3]){base, constant(l, tile->offset + offset), value});
}

/* One register of the fragment from or to memory. */
static void move_piece(struct lower *l, const struct tile *tile, bool load,
                       const struct fragment_shape *f, struct piece piece, ir_operand reg)
{
    unsigned whole = f->elements * f->bits;

    if (tile->along || f->elements == 1) {
        unsigned line = tile->along ? piece.outer : piece.inner;
        unsigned element = tile->along ? piece.inner : piece.outer;
        access(l, tile, load, whole, line_at(l, tile, line), element * f->bits / 8, reg);
        return;
    }
    ir_operand value = load ? constant(l, 0) : reg;
    for (unsigned e = 0; e < f->elements; e++) {
        ir_operand at = line_at(l, tile, piece.inner + e), shift = constant(l, e * f->bits);
        ir_operand part = load ? temporary(l, IR_b32)
                               : emit_value(l, IR_OP_shr, IR_u32, IR_u32, 0,
                                            (ir_operand[2]){reg, shift}, 2);
        access(l, tile, load, f->bits, at, piece.outer * f->bits / 8, part);
        if (!load)
            continue;
        part = emit_value(l, IR_OP_shl, IR_b32, IR_b32, 0, (ir_operand[2]){part, shift}, 2);
        value = emit_value(l, IR_OP_or, IR_b32, IR_b32, 0, (ir_operand[2]){value, part}, 2);
    }
    if (load)
        emit_move(l, reg, value);
}

/* wmma.load.{a,b,c} r, [p]{, stride} and wmma.store.d [p], r{, stride} */
void lower_wmma_move(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct product_shape p = product_of(i->shape);
    bool load = has(i, W_load), is_a = has(i, W_a), input = is_a || has(i, W_b);
    bool row = has(i, W_row), along;
    uint32_t type = i->types[0], width = word_bits(type) == 64 ? W_b64 : W_b32;
    struct fragment_shape f;
    struct tile tile;
    ir_operand registers[MOST];

    if (!operand_count(l, i, 2, 3))
        return;
    if (!input) {
        sum_fragment(&p, type, &f);
        along = row != p.transposed;
    } else if (input_fragment(&p, is_a, tensor_type_of(type), &f)) {
        along = row == is_a;
    } else {
        unsupported(l, i->at, "'%s'", instruction_name(i));
        return;
    }
    if (!(load ? matrix_destinations : matrix_sources)(l, &operands[load ? 0 : 1], width,
                                                       f.registers, registers))
        return;
    if (!tile_of(l, i, &operands[load ? 1 : 0],
                 i->syntax->operand_count == 3 ? &operands[2] : NULL, &f, along, &tile))
        return;
    if (f.bits < 8 && !along) {
        diag_error(l->diags, i->at, "'%s' has elements narrower than a byte, which must "
                   "follow each other along k", instruction_name(i));
        return;
    }
    for (unsigned r = 0; r < f.distinct; r++)
        move_piece(l, &tile, load, &f, f.piece[r], registers[r]);
    for (unsigned r = f.distinct; load && r < f.registers; r++)
        emit_move(l, registers[r], registers[r % f.distinct]);
}

/* --- the product -------------------------------------------------------------- */

static enum ir_mma_shape mma_shape(const struct product_shape *p)
{
#define X(m_, n_, k_)                                                        \
    if (p->rows == m_ && p->k == k_)                                         \
        return IR_MMA_M##m_##N##n_##K##k_;
    IR_MMA_SHAPES(X)
#undef X
    return IR_MMA_NO_SHAPE;
}

/* wmma.mma d, a, b, c; types d, c for f16, else d, a, b, c */
/* wmma of tf32 is two products of four each, where mma.m16n8k8 is one of eight: measured
 * on H200, whose tensor cores round once for each. */
static void emit_halves(struct lower *l, const struct instruction *i, ir_operand *to,
                        const ir_operand *left, const ir_operand *right, const ir_operand *c)
{
    uint16_t sub = ir_mma_sub(IR_MMA_M16N8K4, TENSOR_TF32, TENSOR_TF32);
    ir_operand between[4];

    for (unsigned r = 0; r < 4; r++)
        between[r] = temporary(l, IR_b32);
    emit_mma(l, sub, accumulator_type(W_f32), accumulator_type(W_f32), mode_of(i), between, left,
             right, c, NULL);
    emit_mma(l, sub, accumulator_type(W_f32), accumulator_type(W_f32), mode_of(i), to, left + 2,
             right + 1, between, NULL);
}

/* .satfinite of f16 products, which PTX 6.5 took away: the machine code that ptxas 13.0 makes
 * rounds an f32 sum toward zero to an f16 result, and is otherwise the same as without. */
static unsigned mode_of_product(const struct instruction *i, bool half, uint32_t d, uint32_t c)
{
    unsigned mode = mode_of(i);

    return half && !(d == W_f16 && c == W_f32) ? mode & ~(unsigned)MODE_SATFINITE : mode;
}

void lower_wmma_mma(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct product_shape p = product_of(i->shape);
    bool half = i->type_count == 2;
    uint32_t d_type = i->types[0], c_type = i->types[half ? 1 : 3];
    enum tensor_type type_a = half ? TENSOR_F16 : tensor_type_of(i->types[1]);
    enum tensor_type type_b = half ? TENSOR_F16 : tensor_type_of(i->types[2]);
    struct fragment_shape fa, fb, fc, fd;
    ir_operand a[MOST], b[MOST], c[MOST], d[MOST], result[MOST];
    uint32_t width = d_type == W_f64 ? W_b64 : W_b32;
    unsigned mode = mode_of_product(i, half, d_type, c_type);
    bool a_column = false, b_row = false;

    if (!operand_count(l, i, 4, 4))
        return;
    matrix_layouts(i, &a_column, &b_row);
    if (tensor_type_bits(type_a) < 8 && (a_column || b_row)) {
        diag_error(l->diags, i->at, "'%s' has elements narrower than a byte: A is .row, B .col",
                   instruction_name(i));
        return;
    }
    sum_fragment(&p, d_type, &fd);
    sum_fragment(&p, c_type, &fc);
    if (!input_fragment(&p, true, type_a, &fa) || !input_fragment(&p, false, type_b, &fb)) {
        unsupported(l, i->at, "'%s'", instruction_name(i));
        return;
    }
    if (!matrix_destinations(l, &operands[0], width, fd.registers, d) ||
        !matrix_sources(l, &operands[1], width, fa.registers, a) ||
        !matrix_sources(l, &operands[2], width, fb.registers, b) ||
        !matrix_sources(l, &operands[3], width, fc.registers, c))
        return;
    uint16_t sub = ir_mma_sub(mma_shape(&p), p.transposed ? type_b : type_a,
                              p.transposed ? type_a : type_b);
    sub = (uint16_t)(sub | (has(i, W_xor) ? IR_MMA_XOR : 0));
    const ir_operand *tall = p.transposed ? b : a, *narrow = p.transposed ? a : b;
    unsigned tall_step = (p.transposed ? fb : fa).distinct / p.tall;
    unsigned narrow_step = (p.transposed ? fa : fb).distinct / p.narrow;
    unsigned blocks = p.tall * p.narrow, c_step = fc.distinct / blocks;
    unsigned d_step = fd.distinct / blocks;
    for (unsigned r = 0; r < fd.registers; r++)
        result[r] = temporary(l, width == W_b64 ? IR_b64 : IR_b32);
    for (unsigned block = 0; block < blocks; block++) {
        ir_operand *to = result + block * d_step;
        const ir_operand *left = tall + block / p.narrow * tall_step;
        const ir_operand *right = narrow + block % p.narrow * narrow_step;
        if (type_a == TENSOR_TF32)
            emit_halves(l, i, to, left, right, c + block * c_step);
        else
            emit_mma(l, sub, accumulator_type(d_type), accumulator_type(c_type), mode, to,
                     left, right, c + block * c_step, NULL);
    }
    for (unsigned r = 0; r < fd.registers; r++)
        emit_move(l, d[r], result[r]);
}
