/* SPDX-License-Identifier: Apache-2.0
 *
 * mufu.h - the approximate unit: what MUFU computes on sm_90, to the bit.
 *
 * The unit evaluates A + B*l + C*s(l) on table segments in integers; s is a
 * squarer that truncates each partial product. Algorithm: Oberman and Siu,
 * ARITH-17, 2005; constants and tables measured on an H200, where the model
 * equalled the chip on all 2^32 inputs.
 *
 * Everything is branch-free: the result of a number is always computed, and the
 * special operands put theirs in its place, so that loops over lanes become vector
 * code. */
#ifndef SIMTLAB_NUMERIC_MUFU_H
#define SIMTLAB_NUMERIC_MUFU_H

#include "numeric/bits.h"
#include "numeric/mufu_tables.h"

LANE_INLINE int32_t mufu_between(int32_t value, int32_t low, int32_t high)
{
    value = value < low ? low : value;
    return value > high ? high : value;
}

/* About x^2 / 2^19 for x below 2^17: the sum of x >> (18 - i) for all bits i that x
 * has, halved. These are the products of bits i and k with i + k >= 18. So the
 * square of the upper 8 bits is there in full; the products of an upper and a lower
 * bit are there twice and some of them cut, of which the topmost make a whole
 * product again. */
LANE_INLINE int32_t mufu_square(uint32_t x)
{
    uint32_t high = x >> 9, low = x & 0x1ff;
#define TIMES_BIT(i, v) (x & UINT32_C(1) << (i) ? (v) : 0)
    uint32_t cross = (high >> 4) * (low >> 5) + TIMES_BIT(12, low >> 6) +
                     TIMES_BIT(11, low >> 7) + TIMES_BIT(10, low >> 8) +
                     TIMES_BIT(4, high >> 5) + TIMES_BIT(3, high >> 6) +
                     TIMES_BIT(2, high >> 7);
#undef TIMES_BIT
    return (int32_t)((high * high >> 1) + cross);
}

/* One function: its segments, how many bits of an argument lie within one, and the
 * shifts and the constant of the sum. The squarer takes 17 bits. */
struct mufu_function {
    const struct mufu_segment *segments;
    unsigned l_bits, a_shift, c_shift;
    int32_t k;
};
#define MUFU_RCP (struct mufu_function){mufu_rcp, 16, 13, 0, 0x47e7}
#define MUFU_RSQRT (struct mufu_function){mufu_rsqrt, 17, 14, 2, 0x7fff}
#define MUFU_SQRT (struct mufu_function){mufu_sqrt, 17, 15, 1, 0x7fff}
#define MUFU_EX2 (struct mufu_function){mufu_ex2, 17, 13, 0, 0x77e2}
#define MUFU_LG2 (struct mufu_function){mufu_lg2, 17, 12, 1, 0x3345}
#define MUFU_SIN (struct mufu_function){mufu_sin, 17, 11, 0, 0}

/* m: the segment's number above l_bits. s: the square of what is below. */
LANE_INLINE int32_t mufu_s(struct mufu_function function, uint32_t m)
{
    uint32_t l = m & ((UINT32_C(1) << function.l_bits) - 1);

    return mufu_square(l << (17 - function.l_bits));
}

LANE_INLINE int64_t mufu_sum(struct mufu_function function, uint32_t m,
                             struct mufu_segment segment, int32_t s)
{
    int32_t l = (int32_t)(m & ((UINT32_C(1) << function.l_bits) - 1));
    int32_t b = segment.bc >> 12, c = (int32_t)((uint32_t)segment.bc << 20) >> 20;

    return (int64_t)segment.a * ((int32_t)1 << function.a_shift) + (int64_t)b * l +
           c * s * ((int32_t)1 << function.c_shift) + function.k;
}

LANE_INLINE int64_t mufu_evaluate(struct mufu_function function, uint32_t m)
{
    return mufu_sum(function, m, function.segments[m >> function.l_bits], mufu_s(function, m));
}

/* --- packing ------------------------------------------------------------------------ */

/* A significand in [2^23, 2^25) and a biased exponent, as f32: too small gives a
 * signed zero, too large infinity. */
LANE_INLINE uint32_t mufu_pack(uint32_t sign, int32_t exponent, uint32_t significand)
{
    uint32_t over = significand >> 24;

    exponent += (int32_t)over;
    significand >>= over;
    uint32_t bits = sign | (uint32_t)exponent << 23 | (significand & 0x7fffff);
    bits = exponent >= 255 ? sign | F32_INFINITY : bits;
    return exponent <= 0 ? sign : bits;
}

/* The same for the high word of an f64. */
LANE_INLINE uint64_t mufu_pack_high(uint64_t sign, int32_t exponent, uint32_t significand)
{
    uint32_t over = significand >> 24;

    exponent += (int32_t)over;
    significand >>= over;
    uint64_t bits = sign | (uint64_t)((uint32_t)exponent << 20 | (significand >> 3 & 0xfffff))
                               << 32;
    bits = exponent >= 2047 ? sign | F64_INFINITY : bits;
    return exponent <= 0 ? sign : bits;
}

/* A fixed-point number below 2^52 with that many fraction bits, at most 100, cut to
 * f32. The host converts it without rounding: an f64 that begins 2^52 holds any such
 * number in its fraction. */
LANE_INLINE uint32_t mufu_pack_fixed(uint32_t sign, uint64_t value, int32_t fraction_bits)
{
    uint64_t exact = f64_bits(f64_host(value | UINT64_C(0x4330000000000000)) - 0x1p52);
    uint32_t exponent = (uint32_t)(exact >> 52) - (1023 - 127) - (uint32_t)fraction_bits;
    uint32_t bits = exponent << 23 | ((uint32_t)(exact >> 29) & 0x7fffff);

    return sign | (bits & (UINT32_C(0) - (uint32_t)(value != 0)));
}

/* --- the functions ------------------------------------------------------------------- */

/* Each in two parts, for loops over lanes to look up the segments in between: _m
 * makes the argument of the sum from the operand, _r the result from both. */

#define MUFU_FRACTION 0x7fffffu
#define MUFU_MAGNITUDE(a) ((a) & ~F32_SIGN)
#define MUFU_EXPONENT(a) ((int32_t)((a) >> 23 & 255))

LANE_INLINE uint32_t mufu_rcp_m(uint32_t a)
{
    return a & MUFU_FRACTION;
}
LANE_INLINE uint32_t mufu_rcp_r(uint32_t a, int64_t sum)
{
    uint32_t sign = a & F32_SIGN, magnitude = MUFU_MAGNITUDE(a);
    uint32_t r = mufu_pack(sign, 253 - MUFU_EXPONENT(a), (uint32_t)(sum >> 15));

    r = !MUFU_EXPONENT(a) ? sign | F32_INFINITY : r;
    r = magnitude == F32_INFINITY ? sign : r;
    return magnitude > F32_INFINITY ? F32_NAN : r;
}

/* Fraction with the exponent's parity above it. */
LANE_INLINE uint32_t mufu_rsqrt_m(uint32_t a)
{
    return (a & MUFU_FRACTION) | (~a >> 23 & 1) << 23;
}
LANE_INLINE int32_t mufu_half_exponent(uint32_t a)
{
    return (MUFU_EXPONENT(a) - 127) >> 1; /* rounds down */
}
LANE_INLINE uint32_t mufu_rsqrt_r(uint32_t a, int64_t sum)
{
    uint32_t significand = mufu_rsqrt_m(a) ? (uint32_t)(sum >> 16) : 1 << 24;
    uint32_t r = mufu_pack(0, 126 - mufu_half_exponent(a), significand);

    r = a == F32_INFINITY ? 0 : r;
    r = a & F32_SIGN ? F32_NAN : r;
    r = !MUFU_EXPONENT(a) ? (a & F32_SIGN) | F32_INFINITY : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r;
}

LANE_INLINE uint32_t mufu_sqrt_m(uint32_t a)
{
    return mufu_rsqrt_m(a);
}
LANE_INLINE uint32_t mufu_sqrt_r(uint32_t a, int64_t sum)
{
    uint32_t r = mufu_pack(0, 127 + mufu_half_exponent(a), (uint32_t)(sum >> 17));

    r = a == F32_INFINITY ? a : r;
    r = a & F32_SIGN ? F32_NAN : r;
    r = !MUFU_EXPONENT(a) ? a & F32_SIGN : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r;
}

/* a with 23 fraction bits, cut; when it is negative, a fraction is one unit short. */
LANE_INLINE int32_t mufu_ex2_fixed(uint32_t a)
{
    uint32_t negative = UINT32_C(0) - (a >> 31); /* all bits, or none */
    int32_t shift = mufu_between(127 + 6 - MUFU_EXPONENT(a), 0, 31);
    uint32_t fixed = ((a & MUFU_FRACTION) | 1 << 23) << 6 >> shift;

    return (int32_t)((fixed ^ negative) + (negative & (fixed & MUFU_FRACTION ? 0 : 1)));
}
LANE_INLINE uint32_t mufu_ex2_m(uint32_t a)
{
    return (uint32_t)mufu_ex2_fixed(a) & MUFU_FRACTION;
}
LANE_INLINE uint32_t mufu_ex2_r(uint32_t a, int64_t sum)
{
    uint32_t r = mufu_pack(0, 127 + (mufu_ex2_fixed(a) >> 23), (uint32_t)(sum >> 15));
    uint32_t beyond = a & F32_SIGN ? 0 : F32_INFINITY;

    r = MUFU_EXPONENT(a) - 127 >= 7 ? beyond : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r;
}

LANE_INLINE uint32_t mufu_lg2_m(uint32_t a)
{
    return a & MUFU_FRACTION;
}
LANE_INLINE uint32_t mufu_lg2_r(uint32_t a, int64_t sum)
{
    int64_t r36 = (sum >> 2) + (int64_t)(MUFU_EXPONENT(a) - 127) * ((int64_t)1 << 36);
    uint64_t negative = (uint64_t)r36 >> 63;
    uint32_t r = mufu_pack_fixed((uint32_t)negative << 31,
                                 (uint64_t)r36 ^ (UINT64_C(0) - negative), 36);

    r &= UINT32_C(0) - (uint32_t)(a != 0x3f800000);
    r = a == F32_INFINITY ? a : r;
    r = a & F32_SIGN ? F32_NAN : r;
    r = !MUFU_EXPONENT(a) ? F32_SIGN | F32_INFINITY : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r;
}

/* a counts turns. The fraction of a turn in 25 bits, cut; whole turns drop out.
 * quarter: 0 for sine, 1 for cosine. */
LANE_INLINE uint32_t mufu_quadrants(uint32_t a, uint32_t quarter)
{
    int32_t shift = MUFU_EXPONENT(a) - 127 + 2;
    uint32_t turn = (((a & MUFU_FRACTION) | 1 << 23) << mufu_between(shift, 0, 25) &
                     0x1ffffff) >> mufu_between(-shift, 0, 31);

    return turn + (quarter << 23);
}
LANE_INLINE uint32_t mufu_sine_m(uint32_t a, uint32_t quarter)
{
    uint32_t turn = mufu_quadrants(a, quarter);

    return (turn ^ (UINT32_C(0) - (turn >> 23 & 1))) & MUFU_FRACTION;
}
LANE_INLINE uint32_t mufu_sine_r(uint32_t a, int64_t sum, uint32_t quarter)
{
    uint32_t sign = (quarter ? 0 : a & F32_SIGN) ^ (mufu_quadrants(a, quarter) >> 24 & 1) << 31;
    uint32_t r = mufu_pack_fixed(sign, (uint64_t)sum, 37);

    return MUFU_MAGNITUDE(a) >= F32_INFINITY ? F32_NAN : r;
}
LANE_INLINE uint32_t mufu_sin_m(uint32_t a) { return mufu_sine_m(a, 0); }
LANE_INLINE uint32_t mufu_cos_m(uint32_t a) { return mufu_sine_m(a, 1); }
LANE_INLINE uint32_t mufu_sin_r(uint32_t a, int64_t sum) { return mufu_sine_r(a, sum, 0); }
LANE_INLINE uint32_t mufu_cos_r(uint32_t a, int64_t sum) { return mufu_sine_r(a, sum, 1); }

#define MUFU_WHOLE(name, FUNCTION)                                           \
    LANE_INLINE uint32_t mufu_##name##_f32(uint32_t a)                       \
    {                                                                        \
        return mufu_##name##_r(a, mufu_evaluate(FUNCTION, mufu_##name##_m(a))); \
    }
MUFU_WHOLE(rcp, MUFU_RCP)
MUFU_WHOLE(rsqrt, MUFU_RSQRT)
MUFU_WHOLE(sqrt, MUFU_SQRT)
MUFU_WHOLE(ex2, MUFU_EX2)
MUFU_WHOLE(lg2, MUFU_LG2)
MUFU_WHOLE(sin, MUFU_SIN)
MUFU_WHOLE(cos, MUFU_SIN)
#undef MUFU_WHOLE

/* tanh has segments of different widths. */
LANE_INLINE int32_t mufu_tanh_binade(uint32_t a)
{
    return mufu_between(MUFU_EXPONENT(a) - 127 + 8, 0, 10);
}
LANE_INLINE int32_t mufu_tanh_segment(uint32_t a, int32_t first, int32_t bits)
{
    return first + (int32_t)((a & MUFU_FRACTION) >> (23 - bits));
}
LANE_INLINE uint32_t mufu_tanh_l(uint32_t a, int32_t bits)
{
    return (a & MUFU_FRACTION) >> (6 - bits) & 0x1ffff;
}
LANE_INLINE uint32_t mufu_tanh_r(uint32_t a, int64_t sum, int32_t shift)
{
    uint32_t sign = a & F32_SIGN;
    int32_t exponent = MUFU_EXPONENT(a) - 127;
    uint32_t r = mufu_pack_fixed(sign, (uint64_t)sum, shift);

    r = sum >> shift ? sign | 0x3f800000 : r;
    r = exponent >= 3 ? sign | 0x3f800000 : r;
    r = exponent < -8 ? a : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r;
}
LANE_INLINE uint32_t mufu_tanh_f32(uint32_t a)
{
    struct tanh_binade binade = tanh_binades[mufu_tanh_binade(a)];
    struct tanh_segment segment =
        tanh_segments[mufu_tanh_segment(a, binade.first, binade.bits)];
    uint32_t l = mufu_tanh_l(a, binade.bits);
    int64_t sum = segment.a + (int64_t)segment.b * (int32_t)l +
                  (int64_t)segment.c * mufu_square(l);

    return mufu_tanh_r(a, sum, binade.shift);
}

/* --- f64 --------------------------------------------------------------------------------- */

/* The unit sees the high word of an f64 only: a NaN with its payload below it is
 * infinity. */
#define MUFU_HIGH_WORD UINT64_C(0xffffffff00000000)
#define MUFU_F64_NAN UINT64_C(0x7fffffff00000000)

LANE_INLINE uint32_t mufu_rcp_f64_m(uint64_t a)
{
    return (uint32_t)(a >> 32 & 0xfffff) << 3;
}
LANE_INLINE uint64_t mufu_rcp_f64_r(uint64_t a, int64_t sum)
{
    uint64_t sign = a & F64_SIGN, magnitude = a & ~F64_SIGN & MUFU_HIGH_WORD;
    int32_t exponent = (int32_t)(magnitude >> 52);
    uint64_t r = mufu_pack_high(sign, 2045 - exponent, (uint32_t)(sum >> 15));

    r = !exponent ? sign | F64_INFINITY : r;
    r = magnitude == F64_INFINITY ? sign : r;
    return magnitude > F64_INFINITY ? MUFU_F64_NAN : r;
}
LANE_INLINE uint64_t mufu_rcp_f64(uint64_t a)
{
    return mufu_rcp_f64_r(a, mufu_evaluate(MUFU_RCP, mufu_rcp_f64_m(a)));
}

LANE_INLINE uint32_t mufu_rsqrt_f64_m(uint64_t a)
{
    return (uint32_t)(a >> 32 & 0xfffff) << 3 | (uint32_t)(~a >> 52 & 1) << 23;
}
LANE_INLINE uint64_t mufu_rsqrt_f64_r(uint64_t a, int64_t sum)
{
    uint64_t magnitude = a & ~F64_SIGN & MUFU_HIGH_WORD;
    int32_t exponent = (int32_t)(magnitude >> 52);
    uint32_t significand = mufu_rsqrt_f64_m(a) ? (uint32_t)(sum >> 16) : 1 << 24;
    uint64_t r = mufu_pack_high(0, 1022 - ((exponent - 1023) >> 1), significand);

    r = magnitude == F64_INFINITY ? 0 : r;
    r = a & F64_SIGN ? MUFU_F64_NAN : r;
    r = !exponent ? (a & F64_SIGN) | F64_INFINITY : r;
    return magnitude > F64_INFINITY ? MUFU_F64_NAN : r;
}
LANE_INLINE uint64_t mufu_rsqrt_f64(uint64_t a)
{
    return mufu_rsqrt_f64_r(a, mufu_evaluate(MUFU_RSQRT, mufu_rsqrt_f64_m(a)));
}

#endif
