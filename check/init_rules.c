/* SPDX-License-Identifier: Apache-2.0
 *
 * init_rules.c - which bits of a result depend on undefined bits.
 *
 * An op that moves bits moves the masks in the same way, so its own row of the
 * table says where undefined bits go. Bitwise logic is exact. A comparison is
 * defined when it comes out the same for the smallest and the largest value the
 * undefined bits allow. Carries run upwards only. All else is taken as a whole:
 * one undefined bit, and the result (or that element of a packed one) is. */
#include "check/init.h"

static uint64_t ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Bits of the result register. */
static uint64_t whole(enum ir_type type)
{
    return type == IR_pred ? 1 : ones(8u * ir_types[type].lane);
}

static bool is_integer(enum ir_type type)
{
    return ir_types[type].kind == IR_KIND_U || ir_types[type].kind == IR_KIND_S ||
           ir_types[type].kind == IR_KIND_B;
}

/* Bit i: source i is data that is moved; the other sources say how. 0: no mover. */
static unsigned moved_sources(unsigned op)
{
    switch (op) {
    case IR_OP_mov:
    case IR_OP_low:
    case IR_OP_high:
    case IR_OP_brev:
    case IR_OP_shl:
    case IR_OP_shr:
    case IR_OP_bfe:
    case IR_OP_szext:
    case IR_OP_szext_wrap:
        return 1;
    case IR_OP_pack:
    case IR_OP_shf_l:
    case IR_OP_shf_r:
    case IR_OP_shf_l_wrap:
    case IR_OP_shf_r_wrap:
    case IR_OP_bfi:
    case IR_OP_prmt:
    case IR_OP_prmt_f4e:
    case IR_OP_prmt_b4e:
    case IR_OP_prmt_rc8:
    case IR_OP_prmt_ecl:
    case IR_OP_prmt_ecr:
    case IR_OP_prmt_rc16:
    case IR_OP_selp:
        return 3;
    case IR_OP_slct:
        return 6;
    default:
        return 0;
    }
}

static bool is_plain_conversion(const struct code *code, enum ir_row row)
{
    return code->op == IR_OP_cvt && is_integer(ir_rows[row].type) &&
           is_integer(ir_rows[row].source[0]) && !(code->ir->mode & MODE_SAT);
}

bool op_moves_bits(const struct code *code, enum ir_row row)
{
    return moved_sources(code->op) || is_plain_conversion(code, row) ||
           code->op == IR_OP_and || code->op == IR_OP_or;
}

bool op_cuts_bytes(unsigned op, const uint64_t value[IR_ROW_SOURCES])
{
    switch (op) {
    case IR_OP_shl:
    case IR_OP_shr:
        return value[1] % 8;
    case IR_OP_shf_l:
    case IR_OP_shf_r:
    case IR_OP_shf_l_wrap:
    case IR_OP_shf_r_wrap:
        return value[2] % 8;
    default:
        return false;
    }
}

/* --- exact rules ------------------------------------------------------------------------ */

static uint64_t undefined_move(enum ir_row row, unsigned moved, uint64_t all,
                               const uint64_t value[IR_ROW_SOURCES],
                               const uint64_t undefined[IR_ROW_SOURCES], unsigned mode)
{
    uint64_t masks[IR_ROW_SOURCES];
    bool control = false;

    for (unsigned i = 0; i < IR_ROW_SOURCES; i++) {
        masks[i] = moved >> i & 1 ? undefined[i] : value[i];
        control |= !(moved >> i & 1) && undefined[i];
    }
    if (!control)
        return ir_row_eval(row, masks, mode);
    if (ir_rows[row].op != IR_OP_selp)
        return all;
    /* Either of two values: what both agree on is defined. */
    return (value[0] ^ value[1]) | undefined[0] | undefined[1];
}

/* Every result that the undefined bits allow, taken bit by bit. */
static uint64_t undefined_lop3(enum ir_row row, const uint64_t value[IR_ROW_SOURCES],
                               const uint64_t undefined[IR_ROW_SOURCES], unsigned mode)
{
    uint64_t some = 0, every = UINT64_MAX;

    for (unsigned choice = 0; choice < 8; choice++) {
        uint64_t source[IR_ROW_SOURCES] = {0, 0, 0, value[3]};
        for (unsigned i = 0; i < 3; i++)
            source[i] = choice >> i & 1 ? value[i] | undefined[i] : value[i] & ~undefined[i];
        uint64_t result = ir_row_eval(row, source, mode);
        some |= result;
        every &= result;
    }
    return some & ~every;
}

/* The least and the largest value of a source. */
static void extremes(enum ir_type type, uint64_t value, uint64_t undefined, uint64_t range[2])
{
    uint64_t sign = ir_types[type].kind == IR_KIND_S
                        ? undefined & UINT64_C(1) << (8u * ir_types[type].lane - 1) : 0;

    range[0] = (value & ~undefined) | sign;
    range[1] = (value | undefined) & ~sign;
}

static bool comparison_decided(enum ir_row row, const uint64_t value[IR_ROW_SOURCES],
                               const uint64_t undefined[IR_ROW_SOURCES], unsigned mode)
{
    const struct ir_row_info *info = &ir_rows[row];
    uint64_t a[2], b[2];

    if (!is_integer(info->source[0]))
        return false;
    extremes(info->source[0], value[0], undefined[0], a);
    extremes(info->source[1], value[1], undefined[1], b);
    if (info->op == IR_OP_eq || info->op == IR_OP_ne)
        return (value[0] ^ value[1]) & ~(undefined[0] | undefined[1]);
    return ir_row_eval(row, (uint64_t[IR_ROW_SOURCES]){a[0], b[1]}, mode) ==
           ir_row_eval(row, (uint64_t[IR_ROW_SOURCES]){a[1], b[0]}, mode);
}

static bool is_comparison(unsigned op)
{
    switch (op) {
    case IR_OP_eq:
    case IR_OP_ne:
    case IR_OP_lt:
    case IR_OP_le:
    case IR_OP_gt:
    case IR_OP_ge:
        return true;
    default:
        return false;
    }
}

/* --- the rest ------------------------------------------------------------------------------ */

/* Sums and low halves of products: a bit depends on itself and those below. */
static bool carries_up(unsigned op, enum ir_type type)
{
    switch (op) {
    case IR_OP_add:
    case IR_OP_sub:
    case IR_OP_addc:
    case IR_OP_subc:
    case IR_OP_mul:
    case IR_OP_mul_wide:
    case IR_OP_mad:
    case IR_OP_mad_wide:
    case IR_OP_neg:
        return is_integer(type);
    default:
        return false;
    }
}

static bool is_product(unsigned op)
{
    return op == IR_OP_mul || op == IR_OP_mul_wide || op == IR_OP_mad || op == IR_OP_mad_wide;
}

static uint64_t undefined_sum(const struct code *code, enum ir_row row, uint64_t all,
                              const uint64_t value[IR_ROW_SOURCES],
                              const uint64_t undefined[IR_ROW_SOURCES])
{
    uint64_t any = undefined[0] | undefined[1];

    /* A factor that is zero makes the product so. */
    if (is_product(code->op) && ((!value[0] && !undefined[0]) || (!value[1] && !undefined[1])))
        any = 0;
    if (ir_rows[row].sources > 2)
        any |= undefined[2];
    if (code->ir->mode & MODE_SAT)
        return any ? all : 0;
    return (any | (0 - any)) & all;
}

/* Ops on each element of packed values by itself. */
static unsigned element_bits(enum ir_row row)
{
    const struct ir_row_info *info = &ir_rows[row];

    if (ir_types[info->type].kind != IR_KIND_X)
        return 0;
    for (unsigned i = 0; i < info->sources; i++)
        if (info->source[i] != info->type)
            return 0;
    return ir_types[info->type].bits / 2u;
}

uint64_t undefined_result(const struct code *code, enum ir_row row,
                          const uint64_t value[IR_ROW_SOURCES],
                          const uint64_t undefined[IR_ROW_SOURCES], unsigned mode)
{
    const struct ir_row_info *info = &ir_rows[row];
    uint64_t all = whole(info->type);
    uint64_t either = undefined[0] | undefined[1];
    uint64_t any = either | undefined[2] | undefined[3];
    unsigned moved = is_plain_conversion(code, row) ? 1 : moved_sources(code->op);

    if (moved)
        return undefined_move(row, moved, all, value, undefined, mode) & all;
    if (is_comparison(code->op) && comparison_decided(row, value, undefined, mode))
        return 0;
    if (carries_up(code->op, info->type))
        return undefined_sum(code, row, all, value, undefined);
    switch (code->op) {
    case IR_OP_and:
        return either & (value[0] | undefined[0]) & (value[1] | undefined[1]) & all;
    case IR_OP_or:
        return either & (~value[0] | undefined[0]) & (~value[1] | undefined[1]) & all;
    case IR_OP_xor:
    case IR_OP_not:
        return any & all;
    case IR_OP_lop3:
        return undefined[3] ? all : undefined_lop3(row, value, undefined, mode) & all;
    case IR_OP_cvt_pair: {
        unsigned half = ir_types[info->type].bits / 2u;
        return (undefined[0] ? ones(half) << half : 0) | (undefined[1] ? ones(half) : 0);
    }
    default: {
        unsigned part = element_bits(row);
        if (!part)
            return any ? all : 0;
        return (any & ones(part) ? ones(part) : 0) |
               (any >> part & ones(part) ? ones(part) << part : 0);
    }
    }
}
