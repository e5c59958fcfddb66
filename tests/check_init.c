/* SPDX-License-Identifier: Apache-2.0
 *
 * check_init.c - the rules of the init checker against the meaning of the ops:
 * undefined bits are tried out, and what varies must be called undefined. The
 * kernels in tests/golden/init show the rest. */
#include "base/random.h"
#include "check/init.h"
#include "tests/suite.h"

enum { CASES = 150, TRIES = 12 };

struct draw {
    uint64_t seed, index;
};

static uint64_t next(struct draw *draw)
{
    return random_at(draw->seed, draw->index++);
}

static uint64_t width_mask(enum ir_type type)
{
    unsigned bits = type == IR_pred ? 1 : 8u * ir_types[type].lane;

    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Values of many sizes: shift amounts and field lengths are often small. */
static uint64_t some_value(struct draw *draw, enum ir_type type)
{
    uint64_t value = next(draw);
    unsigned shift = (unsigned)(next(draw) % 64);

    value = next(draw) % 3 ? value >> shift : ~(value >> shift);
    return value & width_mask(type);
}

static uint64_t some_bits(struct draw *draw, enum ir_type type)
{
    uint64_t bits = 0;

    for (unsigned i = (unsigned)(next(draw) % 4); i > 0; i--)
        bits |= UINT64_C(1) << next(draw) % 64;
    if (next(draw) % 8 == 0)
        bits = next(draw);
    return bits & width_mask(type);
}

/* Sources that say how an op works and are constants in every program. */
static bool must_be_constant(const struct ir_row_info *info, unsigned source)
{
    return (info->op >= IR_OP_vadd && info->op <= IR_OP_vset4) || info->op == IR_OP_cvt_pack ||
           (info->op == IR_OP_lop3 && source == 3);
}

START_TEST(what_varies_is_undefined)
{
    const struct ir_row_info *info = &ir_rows[_i];
    struct ir_inst inst = {.op = info->op, .type = info->type, .type2 = info->source[0]};
    struct code code = {.op = info->op, .type = info->type, .type2 = info->source[0],
                        .sources = info->sources, .ir = &inst};
    struct draw draw = {(uint64_t)_i + 1, 0};

    for (int n = 0; n < CASES; n++) {
        uint64_t value[IR_ROW_SOURCES] = {0}, undefined[IR_ROW_SOURCES] = {0};
        for (unsigned i = 0; i < info->sources; i++) {
            value[i] = some_value(&draw, info->source[i]);
            undefined[i] = some_bits(&draw, info->source[i]);
            if (must_be_constant(info, i)) {
                value[i] = i == 3 && info->op == IR_OP_lop3 ? value[i] & 255 : 0;
                undefined[i] = 0;
            }
        }
        uint64_t mask = undefined_result(&code, _i, value, undefined, 0);
        uint64_t first = ir_row_eval(_i, value, 0);
        for (int t = 0; t < TRIES; t++) {
            uint64_t other[IR_ROW_SOURCES] = {0};
            for (unsigned i = 0; i < info->sources; i++)
                other[i] = value[i] ^ (next(&draw) & undefined[i]);
            uint64_t varies = (ir_row_eval(_i, other, 0) ^ first) & ~mask;
            ck_assert_msg(!varies, "%s.%s case %d: bits 0x%llx vary but count as defined",
                          ir_ops[info->op].name, ir_types[info->type].name, n,
                          (unsigned long long)varies);
        }
    }
}
END_TEST

/* Ops whose rule is exact when what is moved is undefined, not how. */
static bool is_exact(unsigned op, unsigned source)
{
    switch (op) {
    case IR_OP_mov:
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor:
    case IR_OP_not:
    case IR_OP_pack:
    case IR_OP_low:
    case IR_OP_high:
    case IR_OP_brev:
        return true;
    case IR_OP_lop3:
        return source < 3;
    case IR_OP_shl:
    case IR_OP_shr:
    case IR_OP_bfe:
    case IR_OP_szext:
        return source < 1;
    case IR_OP_shf_l:
    case IR_OP_shf_r:
    case IR_OP_shf_l_wrap:
    case IR_OP_shf_r_wrap:
    case IR_OP_bfi:
    case IR_OP_prmt:
    case IR_OP_selp:
        return source < 2;
    default:
        return false;
    }
}

/* All assignments of at most four undefined bits. */
START_TEST(exact_rules_are_exact)
{
    const struct ir_row_info *info = &ir_rows[_i];
    struct ir_inst inst = {.op = info->op, .type = info->type, .type2 = info->source[0]};
    struct code code = {.op = info->op, .type = info->type, .type2 = info->source[0],
                        .sources = info->sources, .ir = &inst};
    struct draw draw = {(uint64_t)_i + 1000, 0};

    if (!is_exact(info->op, 0))
        return;
    for (int n = 0; n < CASES; n++) {
        uint64_t value[IR_ROW_SOURCES] = {0}, undefined[IR_ROW_SOURCES] = {0}, varies = 0;
        struct { unsigned source, bit; } free_bits[4];
        unsigned count = 0;
        for (unsigned i = 0; i < info->sources; i++)
            value[i] = must_be_constant(info, i) ? next(&draw) & 255
                                                 : some_value(&draw, info->source[i]);
        for (unsigned k = 0; k < 4; k++) {
            unsigned source = (unsigned)(next(&draw) % info->sources);
            unsigned bit = (unsigned)(next(&draw) % 64);
            uint64_t one = UINT64_C(1) << bit;
            if (!is_exact(info->op, source) || !(width_mask(info->source[source]) & one) ||
                undefined[source] & one)
                continue;
            undefined[source] |= one;
            free_bits[count].source = source;
            free_bits[count++].bit = bit;
        }
        uint64_t first = ir_row_eval(_i, value, 0);
        for (unsigned choice = 0; choice < 1u << count; choice++) {
            uint64_t other[IR_ROW_SOURCES] = {value[0], value[1], value[2], value[3]};
            for (unsigned k = 0; k < count; k++)
                if (choice >> k & 1)
                    other[free_bits[k].source] ^= UINT64_C(1) << free_bits[k].bit;
            varies |= ir_row_eval(_i, other, 0) ^ first;
        }
        ck_assert_msg(undefined_result(&code, _i, value, undefined, 0) == varies,
                      "%s.%s case %d: 0x%llx vary, 0x%llx count as undefined",
                      ir_ops[info->op].name, ir_types[info->type].name, n,
                      (unsigned long long)varies,
                      (unsigned long long)undefined_result(&code, _i, value, undefined, 0));
    }
}
END_TEST

SUITE("init", {
    LOOP_TEST(what_varies_is_undefined, 0, IR_ROW_COUNT);
    LOOP_TEST(exact_rules_are_exact, 0, IR_ROW_COUNT);
})
