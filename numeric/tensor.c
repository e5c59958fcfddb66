/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c - see tensor.h.
 *
 * Rules of the floating-point sum, measured on H200 over some two million
 * outputs of each type: any NaN, infinity times zero, or infinities of both
 * signs give the canonical NaN; any other infinity comes back. A product has
 * the exact significand and the sum of the exponents, not normalised. The
 * largest exponent among terms that are not zero, c included, sets the scale;
 * but it counts for no less than seven below the smallest normal one of the
 * result. Each term is cut toward zero to `fraction` bits below it. The exact sum
 * of those is cut toward zero to f32, or rounded to nearest even to f16. A result
 * of zero is +0. Other chips: the same frame with other constants, as published
 * by MMA-Sim (arXiv 2511.10909). */
#include "numeric/tensor.h"

#include "numeric/convert.h"
#include "numeric/float.h"
#include "numeric/half.h"

enum { F16_NAN_BITS = 0x7fff, F16_INFINITY_BITS = 0x7c00 };

const struct tensor_chip tensor_volta = {"Volta", false, 23, 4, 4, 0, 0, false};
const struct tensor_chip tensor_turing = {"Turing", false, 24, 8, 4, 0, 0, false};
const struct tensor_chip tensor_ampere = {"Ampere", false, 24, 8, 4, 0, 0, true};
const struct tensor_chip tensor_ada = {"Ada", false, 24, 8, 4, 13, 16, true};
const struct tensor_chip tensor_hopper = {"Hopper", true, 25, 16, 8, 13, 0, true};

const struct tensor_chip *tensor_chip_of(unsigned sm)
{
    return sm >= 90   ? &tensor_hopper
           : sm >= 89 ? &tensor_ada
           : sm >= 80 ? &tensor_ampere
           : sm >= 75 ? &tensor_turing
                      : &tensor_volta;
}

/* --- elements ------------------------------------------------------------- */

static const struct {
    uint8_t bits;
    uint8_t exponent, fraction; /* field widths; 0 for integers */
    uint8_t drop;               /* low bits that the hardware ignores */
} formats[] = {
    [TENSOR_F16] = {16, 5, 10, 0}, [TENSOR_BF16] = {16, 8, 7, 0},
    [TENSOR_TF32] = {32, 8, 10, 13}, [TENSOR_E4M3] = {8, 4, 3, 0},
    [TENSOR_E5M2] = {8, 5, 2, 0}, [TENSOR_S8] = {8, 0, 0, 0},
    [TENSOR_U8] = {8, 0, 0, 0}, [TENSOR_S4] = {4, 0, 0, 0},
    [TENSOR_U4] = {4, 0, 0, 0}, [TENSOR_B1] = {1, 0, 0, 0},
    [TENSOR_F64] = {64, 11, 52, 0}, [TENSOR_F32] = {32, 8, 23, 0},
    [TENSOR_S32] = {32, 0, 0, 0},
};

unsigned tensor_type_bits(enum tensor_type type)
{
    return formats[type].bits;
}

static struct tensor_number unpack_integer(enum tensor_type type, uint32_t bits)
{
    switch (type) {
    case TENSOR_S8: return (struct tensor_number){.significand = (int8_t)bits};
    case TENSOR_U8: return (struct tensor_number){.significand = (uint8_t)bits};
    case TENSOR_S4:
        return (struct tensor_number){.significand = (int32_t)((bits & 15) ^ 8) - 8};
    case TENSOR_U4: return (struct tensor_number){.significand = (int32_t)(bits & 15)};
    default: return (struct tensor_number){.significand = (int32_t)bits};
    }
}

struct tensor_number tensor_unpack(enum tensor_type type, uint32_t bits)
{
    unsigned exponent_bits = formats[type].exponent, fraction_bits = formats[type].fraction;

    if (!exponent_bits)
        return unpack_integer(type, bits);
    bits >>= formats[type].drop;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    int exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
    int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    bool negative = bits >> (fraction_bits + exponent_bits) & 1;
    struct tensor_number number = {0, (int16_t)(exponent - bias), TENSOR_FINITE};

    if (type == TENSOR_E4M3) { /* no infinities, one NaN of each sign */
        if (exponent == top && fraction == 7)
            number.special = TENSOR_NAN;
    } else if (exponent == top) {
        number.special = fraction ? TENSOR_NAN : TENSOR_INFINITY;
    }
    if (exponent)
        fraction |= 1u << fraction_bits;
    else
        number.exponent++;
    number.significand = negative ? -(int32_t)fraction : (int32_t)fraction;
    return number;
}

/* --- rounding ------------------------------------------------------------- */

uint32_t tensor_round_f32(int64_t sum, int scale, unsigned fraction)
{
    uint64_t magnitude = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;

    if (!magnitude)
        return 0;
    int exponent = 63 - __builtin_clzll(magnitude) + scale;
    if (exponent > 127)
        return sum < 0 ? 0xff800000 : 0x7f800000;
    int last = (exponent < -126 ? -126 : exponent) - 23; /* of the last place */
    int shift = scale - last;
    magnitude = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
    magnitude &= ~((UINT64_C(1) << (23 - fraction)) - 1);
    if (!magnitude)
        return 0;
    uint32_t bits = (uint32_t)magnitude; /* the leading bit counts the exponent up */
    if (exponent >= -126)
        bits += (uint32_t)(exponent + 126) << 23;
    return bits | (sum < 0 ? UINT32_C(1) << 31 : 0);
}

uint32_t tensor_round_f16(int64_t sum, int scale)
{
    uint64_t magnitude = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
    uint32_t sign = sum < 0 ? 0x8000 : 0;

    if (!magnitude)
        return 0;
    int exponent = 63 - __builtin_clzll(magnitude) + scale;
    if (exponent > 15)
        return sign | F16_INFINITY_BITS;
    int shift = scale - ((exponent < -14 ? -14 : exponent) - 10);
    if (shift >= 0) {
        magnitude <<= shift;
    } else if (shift < -60) {
        magnitude = 0;
    } else {
        uint64_t rest = magnitude & ((UINT64_C(1) << -shift) - 1);
        uint64_t half = UINT64_C(1) << (-shift - 1);
        magnitude >>= -shift;
        magnitude += rest > half || (rest == half && (magnitude & 1));
    }
    if (!magnitude)
        return 0;
    /* A carry out of the fraction counts the exponent up, to infinity at last. */
    uint32_t bits = (uint32_t)magnitude;
    if (exponent >= -14)
        bits += (uint32_t)(exponent + 14) << 10;
    return sign | bits;
}

/* --- one sum -------------------------------------------------------------- */

/* A significand at a given scale: shifted left, or right with a cut toward zero.
 * Zeros have no part in the common exponent and may lie anywhere beside it. */
static inline int64_t placed(int32_t significand, int shift)
{
    if (!significand)
        return 0;
    if (shift >= 0)
        return (int64_t)significand * (INT64_C(1) << shift);
    if (shift < -31)
        return 0;
    return significand < 0 ? -(int64_t)(-(uint32_t)significand >> -shift)
                           : (int64_t)((uint32_t)significand >> -shift);
}

/* Products or c hold a NaN or an infinity; true and the result when that decides. */
static bool special_result(const struct tensor_number *a, const struct tensor_number *b,
                           unsigned count, struct tensor_number c, bool d_is_f16,
                           uint32_t *result)
{
    bool nan = c.special == TENSOR_NAN, plus = false, minus = false;

    if (c.special == TENSOR_INFINITY) {
        plus = c.significand > 0;
        minus = !plus;
    }
    for (unsigned i = 0; i < count; i++) {
        if (a[i].special == TENSOR_FINITE && b[i].special == TENSOR_FINITE)
            continue;
        if (a[i].special == TENSOR_NAN || b[i].special == TENSOR_NAN ||
            !a[i].significand || !b[i].significand)
            nan = true;
        else if ((a[i].significand < 0) != (b[i].significand < 0))
            minus = true;
        else
            plus = true;
    }
    if (nan || (plus && minus))
        *result = d_is_f16 ? F16_NAN_BITS : F32_NAN;
    else if (plus)
        *result = d_is_f16 ? F16_INFINITY_BITS : 0x7f800000;
    else if (minus)
        *result = d_is_f16 ? 0x8000 | F16_INFINITY_BITS : 0xff800000;
    else
        return false;
    return true;
}

static uint32_t one_sum(const struct tensor_plan *plan, const struct tensor_number *a,
                        const struct tensor_number *b, unsigned count, uint32_t c_bits,
                        bool c_is_f16, bool d_is_f16)
{
    enum { MOST = 32 };
    struct tensor_number c = tensor_unpack(c_is_f16 ? TENSOR_F16 : TENSOR_F32, c_bits);
    int32_t product[MOST];
    int exponent[MOST], largest = INT16_MIN, special = c.special;
    uint32_t result;

    for (unsigned i = 0; i < count; i++) {
        product[i] = a[i].significand * b[i].significand;
        exponent[i] = a[i].exponent + b[i].exponent;
        special |= a[i].special | b[i].special;
        int counts = product[i] ? exponent[i] : INT16_MIN;
        largest = counts > largest ? counts : largest;
    }
    if (special && special_result(a, b, count, c, d_is_f16, &result))
        return result;
    if (c.significand && c.exponent > largest)
        largest = c.exponent;
    if (largest == INT16_MIN)
        return 0;
    if (largest < plan->floor)
        largest = plan->floor;
    int scale = largest - (int)plan->fraction; /* of the last bit kept */
    int64_t sum = placed(c.significand, c.exponent - (c_is_f16 ? 10 : 23) - scale);
    int shift = (int)plan->up - (int)plan->fraction - scale;
    for (unsigned i = 0; i < count; i++)
        if (product[i])
            sum += placed(product[i], exponent[i] + shift);
    return d_is_f16 ? tensor_round_f16(sum, scale)
                    : tensor_round_f32(sum, scale, plan->result_fraction);
}

/* --- whole dot products --------------------------------------------------- */

/* fp8 with mma.sync on Hopper is made of f16 instructions (read in the machine
 * code, and measured): a first sum takes the low pair of bytes of each register,
 * a second one the high pairs, beginning with zero; c is added at the end by an
 * ordinary rounded addition. With elements in the order of registers that is k
 * modulo 4 below 2, then the rest. wmma of f32 sums with an f16 result: the machine
 * code for sm_90 makes f32 and rounds that; and an f16 c becomes f32 before an f32
 * result. wgmma knows fp8: one sum of all products. */
struct tensor_plan tensor_plan(const struct tensor_chip *chip, enum tensor_type type_a,
                               enum tensor_type type_b, unsigned count, bool c_is_f16,
                               bool d_is_f16, bool group)
{
    bool fp8 = type_a == TENSOR_E4M3 || type_a == TENSOR_E5M2;
    unsigned step = type_a == TENSOR_TF32 ? chip->k_tf32 : chip->k_16bit;
    struct tensor_plan plan = {.fraction = chip->fraction, .result_fraction = 23,
                               .d_is_f16 = d_is_f16};

    if (fp8 && !chip->k_fp8 && !group) {
        plan.halves = true;
        plan.sums = 2;
        plan.count = count / 2;
        plan.end = d_is_f16 ? TENSOR_END_ADD_F16 : TENSOR_END_ADD_F32;
    } else {
        if (fp8) {
            plan.fraction = plan.result_fraction = chip->fp8_fraction;
            step = group ? count : chip->k_fp8;
        }
        plan.count = count < step ? count : step;
        plan.sums = count / plan.count;
        if (d_is_f16 && !c_is_f16) {
            plan.d_is_f16 = false;
            plan.end = TENSOR_END_ROUND_F16;
        }
        plan.c_becomes_f32 = c_is_f16 && !d_is_f16;
    }
    /* Seven below the smallest normal exponent of the result. Measured on H200: no other
     * number gives all of its bf16 and tf32 results, nor the f16 sums of
     * conformance/hardware/sums.ptx. wgmma of fp8 has no such limit at f16. */
    plan.floor = plan.d_is_f16 && plan.fraction != chip->fp8_fraction ? -14 - 7 : -126 - 7;
    plan.up = plan.fraction - formats[type_a].fraction - formats[type_b].fraction;
    return plan;
}

uint32_t tensor_addend(const struct tensor_plan *plan, uint32_t c)
{
    return plan->halves          ? 0
           : plan->c_becomes_f32 ? f32_from_f16_any((uint16_t)c, 0)
                                 : c;
}

uint32_t tensor_finish(const struct tensor_plan *plan, uint32_t sum, uint32_t c)
{
    switch (plan->end) {
    case TENSOR_END_ADD_F32: return f32_add(c, sum, ROUND_NEAREST_EVEN);
    case TENSOR_END_ADD_F16: return f16_add((uint16_t)c, (uint16_t)sum, ROUND_NEAREST_EVEN);
    case TENSOR_END_ROUND_F16:
        return f16_from_f32_any(sum, plan->saturate ? ROUND_ZERO : ROUND_NEAREST_EVEN);
    default: return sum;
    }
}

/* An fp8 number with the exponent that it has as f16. */
static struct tensor_number as_f16(enum tensor_type type, struct tensor_number x)
{
    if (type == TENSOR_E4M3 && x.significand)
        for (; x.significand > -8 && x.significand < 8; x.exponent--)
            x.significand *= 2;
    return x;
}

uint32_t tensor_dot(const struct tensor_chip *chip, enum tensor_type type_a,
                    enum tensor_type type_b, const struct tensor_number *a,
                    const struct tensor_number *b, unsigned count, uint32_t c,
                    bool c_is_f16, bool d_is_f16, bool group)
{
    struct tensor_plan plan = tensor_plan(chip, type_a, type_b, count, c_is_f16, d_is_f16, group);
    struct tensor_number part_a[32], part_b[32];
    uint32_t sum = tensor_addend(&plan, c);
    bool sum_is_f16 = plan.halves ? d_is_f16 : c_is_f16 && !plan.c_becomes_f32;

    for (unsigned i = 0; i < plan.sums; i++, sum_is_f16 = plan.d_is_f16) {
        if (!plan.halves) {
            sum = one_sum(&plan, a + i * plan.count, b + i * plan.count, plan.count, sum,
                          sum_is_f16, plan.d_is_f16);
            continue;
        }
        for (unsigned k = 0, n = 0; k < count; k++)
            if ((k >> 1 & 1) == i) {
                part_a[n] = as_f16(type_a, a[k]);
                part_b[n++] = as_f16(type_b, b[k]);
            }
        sum = one_sum(&plan, part_a, part_b, plan.count, sum, sum_is_f16, plan.d_is_f16);
    }
    return tensor_finish(&plan, sum, c);
}

/* Read in the machine code for sm_90: f32 results begin with a fused multiply-add
 * to +0, go on in order of k, and c is added last; f16 results are c plus the
 * first two products, plus the other two, and rounded to f16 at the end. */
uint32_t tensor_dot_quad(const uint16_t a[4], const uint16_t b[4], uint32_t c, bool c_is_f16,
                         bool d_is_f16)
{
    uint32_t x[4], y[4], sum;

    for (unsigned k = 0; k < 4; k++) {
        x[k] = f32_from_f16_any(a[k], 0);
        y[k] = f32_from_f16_any(b[k], 0);
    }
    if (c_is_f16)
        c = f32_from_f16_any((uint16_t)c, 0);
    if (!d_is_f16) {
        sum = 0;
        for (unsigned k = 0; k < 4; k++)
            sum = f32_fma(x[k], y[k], sum, ROUND_NEAREST_EVEN);
        return f32_add(c, sum, ROUND_NEAREST_EVEN);
    }
    for (unsigned k = 0; k < 4; k += 2) {
        sum = f32_mul(x[k], y[k], ROUND_NEAREST_EVEN);
        sum = f32_fma(x[k + 1], y[k + 1], sum, ROUND_NEAREST_EVEN);
        c = f32_add(c, sum, ROUND_NEAREST_EVEN);
    }
    return f16_from_f32_any(c, ROUND_NEAREST_EVEN);
}

uint32_t tensor_dot_integer(const struct tensor_number *a, const struct tensor_number *b,
                            unsigned count, uint32_t c, bool saturate)
{
    int64_t sum = (int32_t)c;

    for (unsigned i = 0; i < count; i++)
        sum += a[i].significand * b[i].significand;
    if (saturate)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

uint32_t tensor_dot_bits(const struct tensor_number *a, const struct tensor_number *b,
                         unsigned count, uint32_t c, bool exclusive)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t x = (uint32_t)a[i].significand, y = (uint32_t)b[i].significand;
        c += (uint32_t)__builtin_popcount(exclusive ? x ^ y : x & y);
    }
    return c;
}

uint64_t tensor_dot_f64(const uint64_t *a, const uint64_t *b, unsigned count, uint64_t c,
                        unsigned mode)
{
    for (unsigned i = 0; i < count; i++)
        c = f64_fma(a[i], b[i], c, mode);
    return c;
}
