/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_arith.c - per-lane arithmetic, logic and bits. */
#include "frontend/ptx/lower_ops.h"

#include <string.h>

/* The type word of an operand code such as "s0"; see insn.def. */
static uint32_t code_type(const struct instruction *i, char code)
{
    switch (code) {
    case 'w': return type_double_word(i->types[0]);
    case 'u': return W_u32;
    case 'b': return W_b32;
    case 's': return W_s32;
    case 'p': return W_pred;
    default: return i->types[code - '0'];
    }
}

static bool integer_or_bits(enum word_class class)
{
    return class == CLASS_UNSIGNED || class == CLASS_SIGNED || class == CLASS_BITS;
}

/* Whether the rounding of the result is left to whoever compiles it: contract.c. */
static bool may_contract(const struct instruction *i, enum ir_type type)
{
    return (type == IR_f32 || type == IR_f64 || type == IR_f16 || type == IR_bf16 ||
            type == IR_f16x2 || type == IR_bf16x2) &&
           (i->form->op == IR_OP_add || i->form->op == IR_OP_sub || i->form->op == IR_OP_mul) &&
           !has(i, W_rn) && !has(i, W_rz) && !has(i, W_rm) && !has(i, W_rp);
}

/* Reads the operands as the row says; map changes the IR types of the result
 * and first source (NULL: as they are). */
static void lane(struct lower *l, struct instruction *i,
                 uint32_t (*map)(uint32_t type))
{
    const struct ptx_operand *operands = i->syntax->operands;
    ir_operand to = 0, sources[6];
    enum ir_type type = IR_none, type2 = IR_none;
    uint32_t count = 0, total = (uint32_t)(strlen(i->form->operands) + 1) / 3;
    bool good = true;

    if (!operand_count(l, i, total, total))
        return;
    for (uint32_t k = 0; k < total; k++) {
        const char *code = i->form->operands + 3 * k;
        uint32_t word = code_type(i, code[1]);
        uint32_t mapped = map && (code[1] == '0') ? map(word) : word;
        uint64_t value;
        if (code[0] == 'd') {
            to = destination(l, &operands[k], word, false);
            type = type_of(mapped);
            good &= to != 0;
        } else if (code[0] == 'i') {
            bool constant_given = integer_constant(l, &operands[k], &value);
            sources[count++] = constant_given ? constant(l, value) : 0;
            good &= constant_given;
        } else {
            if (!count)
                type2 = type_of(mapped);
            sources[count] = source(l, &operands[k], word, false);
            good &= sources[count++] != 0;
        }
    }
    if (!good)
        return;
    uint32_t before = l->f->inst_count;
    emit_lane(l, (enum ir_op)i->form->op, type, type2, mode_of(i), to, sources, count);
    if (may_contract(i, type) && l->f->inst_count > before)
        *ARENA_PUSH(&l->scratch, &l->loose) = l->f->inst_count - 1;
}

void lower_lane(struct lower *l, struct instruction *i)
{
    lane(l, i, NULL);
}

/* For operations whose meaning does not look into the bits. */
void lower_bits(struct lower *l, struct instruction *i)
{
    lane(l, i, type_bits_word);
}

static uint32_t unsigned_word(uint32_t type)
{
    switch (type) {
    case W_b16: return W_u16;
    case W_b32: return W_u32;
    case W_b64: return W_u64;
    default: return type;
    }
}

/* shr.b32 shifts zeros in. */
void lower_unsigned_lane(struct lower *l, struct instruction *i)
{
    lane(l, i, unsigned_word);
}

/* PTX ISA, "Mixed Precision Floating-Point Instructions": the f16 or bf16
 * operands become f32, exactly, then the f32 operation follows. */
void lower_mixed(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    enum ir_type narrow = type_of(i->types[1]);
    ir_operand sources[3];
    uint32_t count = i->form->op == IR_OP_fma ? 3 : 2;

    if (!operand_count(l, i, count + 1, count + 1))
        return;
    ir_operand to = destination(l, &operands[0], W_f32, false);
    for (uint32_t k = 0; k < count; k++) {
        bool last = k == count - 1;
        sources[k] = source(l, &operands[k + 1], last ? W_f32 : i->types[1], false);
        if (!sources[k])
            return;
        if (!last)
            sources[k] = emit_value(l, IR_OP_cvt, IR_f32, narrow, 0, &sources[k], 1);
    }
    if (to)
        emit_lane(l, (enum ir_op)i->form->op, IR_f32, IR_f32, mode_of(i), to,
                  sources, count);
}

/* PTX ISA, "Extended-Precision Integer Arithmetic". The condition code
 * register is a predicate of the function. The product of mad comes first,
 * then the addition carries.
 *
 * The flag is that of an adder, a - b being a + ~b + 1: after a subtraction it
 * is set when there was no borrow, and subc takes it that way. The manual's
 * "borrow-out" shows no difference from sub.cc to subc, but from sub.cc to addc
 * it does; public tests run on real GPUs expect the adder's flag there. */
void lower_carry(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    bool is_mad = i->form->op == IR_OP_mad || i->form->op == IR_OP_mad_hi;
    bool carry_in = i->form->op == IR_OP_addc || i->form->op == IR_OP_subc ||
                    i->form->op == IR_OP_mad_hi;
    bool subtract = i->form->op == IR_OP_sub || i->form->op == IR_OP_subc;
    uint32_t type = i->types[0];
    enum ir_type exact = type_of(type);
    enum ir_type plain = word_bits(type) == 64 ? IR_u64 : IR_u32;
    ir_operand from[3], sources[3];
    uint32_t count = is_mad ? 3 : 2;

    if (!operand_count(l, i, count + 1, count + 1))
        return;
    ir_operand to = destination(l, &operands[0], type, false);
    for (uint32_t k = 0; k < count; k++) {
        from[k] = source(l, &operands[k + 1], type, false);
        if (!from[k])
            return;
    }
    if (!to)
        return;
    if (!l->carry)
        l->carry = register_new(l, W_pred, 1, (struct ptx_name){"cc", 2});
    if (is_mad) {
        sources[0] = emit_value(l, has(i, W_hi) ? IR_OP_mul_hi : IR_OP_mul, exact,
                                exact, 0, from, 2);
        sources[1] = from[2];
    } else {
        sources[0] = from[0];
        sources[1] = from[1];
    }
    sources[2] = constant(l, 0);
    if (carry_in)
        sources[2] = subtract ? emit_value(l, IR_OP_not, IR_pred, IR_pred, 0, &l->carry, 1)
                              : l->carry;
    ir_operand out = 0;
    if (has(i, W_cc))
        out = emit_value(l, subtract ? IR_OP_sub_borrow : IR_OP_add_carry, IR_pred,
                         plain, 0, sources, 3);
    if (out && subtract)
        out = emit_value(l, IR_OP_not, IR_pred, IR_pred, 0, &out, 1);
    if (carry_in)
        emit_lane(l, subtract ? IR_OP_subc : IR_OP_addc, plain, plain, 0, to,
                  sources, 3);
    else
        emit_lane(l, subtract ? IR_OP_sub : IR_OP_add, plain, plain, 0, to,
                  sources, 2);
    if (out)
        emit_move(l, l->carry, out);
}

/* min and max of f32 take two or three sources. */
void lower_min_max(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t count = i->syntax->operand_count - 1;
    bool is_min = i->form->op == IR_OP_min;
    ir_operand sources[3];

    if (!operand_count(l, i, 3, 4))
        return;
    ir_operand to = destination(l, &operands[0], W_f32, false);
    for (uint32_t k = 0; k < count; k++) {
        sources[k] = source(l, &operands[k + 1], W_f32, false);
        if (!sources[k])
            return;
    }
    enum ir_op op = count == 3 ? (is_min ? IR_OP_min3 : IR_OP_max3)
                               : (is_min ? IR_OP_min : IR_OP_max);
    if (has(i, W_abs) != has(i, W_xorsign)) {
        diag_error(l->diags, i->at, "'%s' needs .xorsign and .abs together",
                   instruction_name(i));
        return;
    }
    if (to)
        emit_lane(l, op, IR_f32, IR_f32, mode_of(i), to, sources, count);
}

/* dp4a.atype.btype, dp2a.mode.atype.btype: c and d are unsigned when both
 * are. */
void lower_dot_product(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;

    if (!operand_count(l, i, 4, 4))
        return;
    uint32_t result = i->types[0] == W_u32 && i->types[1] == W_u32 ? W_u32 : W_s32;
    ir_operand to = destination(l, &operands[0], result, false);
    ir_operand sources[3] = {
        source(l, &operands[1], W_b32, false),
        source(l, &operands[2], W_b32, false),
        source(l, &operands[3], result, false),
    };
    if (to && sources[0] && sources[1] && sources[2])
        emit_lane(l, (enum ir_op)i->form->op, type_of(i->types[1]),
                  type_of(i->types[0]), 0, to, sources, 3);
}

/* lop3.BoolOp.b32 d|p, a, b, c, lut, q: p is (d != 0) BoolOp q. */
void lower_lop3_predicate(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint64_t table;

    if (!operand_count(l, i, 6, 6))
        return;
    if (operands[0].kind != OPERAND_PAIR) {
        diag_error(l->diags, operands[0].at, "'%s' writes a pair d|p",
                   instruction_name(i));
        return;
    }
    ir_operand to = destination_or_sink(l, &operands[0].items[0], W_b32, false);
    ir_operand predicate = destination(l, &operands[0].items[1], W_pred, false);
    ir_operand sources[4] = {
        source(l, &operands[1], W_b32, false),
        source(l, &operands[2], W_b32, false),
        source(l, &operands[3], W_b32, false), 0};
    ir_operand q = source(l, &operands[5], W_pred, false);
    if (!integer_constant(l, &operands[4], &table) || !predicate || !q ||
        !sources[0] || !sources[1] || !sources[2])
        return;
    sources[3] = constant(l, table & 0xff);
    guard_keep(l, predicate);
    ir_operand result = emit_value(l, IR_OP_lop3, IR_b32, IR_b32, 0, sources, 4);
    ir_operand pair[2] = {result, constant(l, 0)};
    pair[0] = emit_value(l, IR_OP_ne, IR_pred, IR_b32, 0, pair, 2);
    pair[1] = q;
    emit_lane(l, has(i, W_and) ? IR_OP_and : IR_OP_or, IR_pred, IR_pred, 0,
              predicate, pair, 2);
    if (to)
        emit_move(l, to, result);
}

/* slct.dtype.ctype d, a, b, c. The IR has the selector first. */
void lower_slct(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;

    if (!operand_count(l, i, 4, 4))
        return;
    ir_operand to = destination(l, &operands[0], i->types[0], false);
    ir_operand sources[3] = {
        source(l, &operands[3], i->types[1], false),
        source(l, &operands[1], i->types[0], false),
        source(l, &operands[2], i->types[0], false),
    };
    if (to && sources[0] && sources[1] && sources[2])
        emit_lane(l, IR_OP_slct, type_of(type_bits_word(i->types[0])),
                  type_of(i->types[1]), mode_of(i), to, sources, 3);
}

/* --- comparison --- */

static enum ir_op comparison(const struct instruction *i)
{
    static const struct {
        uint16_t word, op;
    } words[] = {
        {W_eq, IR_OP_eq}, {W_ne, IR_OP_ne}, {W_lt, IR_OP_lt}, {W_le, IR_OP_le},
        {W_gt, IR_OP_gt}, {W_ge, IR_OP_ge}, {W_lo, IR_OP_lt}, {W_ls, IR_OP_le},
        {W_hi, IR_OP_gt}, {W_hs, IR_OP_ge}, {W_equ, IR_OP_equ},
        {W_neu, IR_OP_neu}, {W_ltu, IR_OP_ltu}, {W_leu, IR_OP_leu},
        {W_gtu, IR_OP_gtu}, {W_geu, IR_OP_geu}, {W_num, IR_OP_num},
        {W_nan, IR_OP_nan},
    };

    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
        if (has(i, words[w].word))
            return (enum ir_op)words[w].op;
    return IR_OP_eq;
}

/* a CmpOp b, as a new predicate. */
static ir_operand compare(struct lower *l, struct instruction *i, uint32_t type,
                          const ir_operand sources[2])
{
    enum ir_op op = comparison(i);
    /* Equality does not depend on the sign. */
    bool any_sign = (op == IR_OP_eq || op == IR_OP_ne) &&
                    integer_or_bits(word_class(type));
    uint32_t compared = any_sign ? type_bits_word(type) : type;

    return emit_value(l, op, IR_pred, type_of(compared), mode_of(i) & MODE_FTZ,
                      sources, 2);
}

static bool has_boolean(const struct instruction *i, enum ir_op *op)
{
    if (has(i, W_and))
        *op = IR_OP_and;
    else if (has(i, W_or))
        *op = IR_OP_or;
    else if (has(i, W_xor))
        *op = IR_OP_xor;
    else
        return false;
    return true;
}

/* Two halves of a packed register as new b16 values. */
static void halves(struct lower *l, ir_operand packed, ir_operand out[2])
{
    out[0] = emit_value(l, IR_OP_low, IR_b16, IR_b32, 0, &packed, 1);
    out[1] = emit_value(l, IR_OP_high, IR_b16, IR_b32, 0, &packed, 1);
}

static uint32_t half_word(uint32_t type)
{
    switch (type) {
    case W_f16x2: return W_f16;
    case W_bf16x2: return W_bf16;
    default: return W_u16; /* set.u32.f16x2 gives two times 16 bits */
    }
}

/* setp.CmpOp[.BoolOp].type p[|q], a, b[, c]: p is t BoolOp c, q is !t BoolOp
 * c; of packed types p is the low half's result, q the high half's. */
void lower_setp(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = i->types[0];
    bool packed = type == W_f16x2 || type == W_bf16x2;
    enum ir_op boolean = IR_OP_and;
    bool combine = has_boolean(i, &boolean);
    uint32_t total = combine ? 4 : 3;

    if (!operand_count(l, i, total, total))
        return;
    const struct ptx_operand *first = &operands[0], *second = NULL;
    if (first->kind == OPERAND_PAIR) {
        second = &operands[0].items[1];
        first = &operands[0].items[0];
        if (type == W_f16 || type == W_bf16) {
            diag_error(l->diags, second->at, "'%s' writes one predicate", instruction_name(i));
            return;
        }
    }
    ir_operand p = destination_or_sink(l, first, W_pred, false);
    ir_operand q = second ? destination_or_sink(l, second, W_pred, false) : 0;
    ir_operand sources[2] = {source(l, &operands[1], type, false),
                             source(l, &operands[2], type, false)};
    ir_operand c = combine ? source(l, &operands[3], W_pred, false) : 0;
    if (!sources[0] || !sources[1] || (combine && !c))
        return;
    if (first->kind == OPERAND_SINK && !second) {
        diag_error(l->diags, first->at, "the result of '%s' cannot be discarded",
                   instruction_name(i));
        return;
    }
    if (!p && !q)
        return;
    ir_operand result[2] = {0, 0};
    if (packed) {
        ir_operand a[2], b[2];
        halves(l, sources[0], a);
        halves(l, sources[1], b);
        for (int k = 0; k < 2; k++)
            result[k] = compare(l, i, half_word(type), (ir_operand[2]){a[k], b[k]});
    } else if (!combine && p && !q) {
        enum ir_op op = comparison(i);
        bool any_sign = (op == IR_OP_eq || op == IR_OP_ne) &&
                        integer_or_bits(word_class(type));
        emit_lane(l, op, IR_pred, type_of(any_sign ? type_bits_word(type) : type),
                  mode_of(i) & MODE_FTZ, p, sources, 2);
        return;
    } else {
        result[0] = compare(l, i, type, sources);
        result[1] = q ? emit_value(l, IR_OP_not, IR_pred, IR_pred, 0, result, 1) : 0;
    }
    ir_operand to[2] = {p, q};
    for (int k = 0; k < 2; k++)
        if (to[k] && combine)
            result[k] = emit_value(l, boolean, IR_pred, IR_pred, 0,
                                   (ir_operand[2]){result[k], c}, 2);
    guard_keep(l, p);
    guard_keep(l, q);
    for (int k = 0; k < 2; k++)
        if (to[k])
            emit_move(l, to[k], result[k]);
}

/* What set writes for true: all ones, or 1.0. */
static uint64_t true_value(uint32_t type)
{
    switch (type) {
    case W_f32: return 0x3f800000;
    case W_f16: return 0x3c00;
    case W_bf16: return 0x3f80;
    case W_u16: case W_s16: return 0xffff;
    default: return 0xffffffff;
    }
}

static ir_operand choose(struct lower *l, uint32_t type, ir_operand condition)
{
    enum ir_type bits = type_of(type_bits_word(type));
    ir_operand sources[3] = {constant(l, true_value(type)), constant(l, 0),
                             condition};

    return emit_value(l, IR_OP_selp, bits, bits, 0, sources, 3);
}

/* set.CmpOp[.BoolOp].dtype.stype d, a, b[, c] */
void lower_set(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = i->types[1];
    bool packed = type == W_f16x2 || type == W_bf16x2;
    enum ir_op boolean = IR_OP_and;
    bool combine = has_boolean(i, &boolean);
    uint32_t total = combine ? 4 : 3;

    if (!operand_count(l, i, total, total))
        return;
    ir_operand to = destination(l, &operands[0], i->types[0], false);
    ir_operand sources[2] = {source(l, &operands[1], type, false),
                             source(l, &operands[2], type, false)};
    ir_operand c = combine ? source(l, &operands[3], W_pred, false) : 0;
    if (!to || !sources[0] || !sources[1] || (combine && !c))
        return;
    ir_operand a[2] = {sources[0]}, b[2] = {sources[1]}, result[2];
    if (packed) {
        halves(l, sources[0], a);
        halves(l, sources[1], b);
    }
    for (int k = 0; k < 1 + packed; k++) {
        ir_operand t = compare(l, i, packed ? half_word(type) : type,
                               (ir_operand[2]){a[k], b[k]});
        if (combine)
            t = emit_value(l, boolean, IR_pred, IR_pred, 0, (ir_operand[2]){t, c}, 2);
        result[k] = choose(l, packed ? half_word(i->types[0]) : i->types[0], t);
    }
    if (packed)
        emit_lane(l, IR_OP_pack, IR_b32, IR_b16, 0, to, result, 2);
    else
        emit_move(l, to, result[0]);
}
