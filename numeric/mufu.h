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
 * product again. Below 2^15. */
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

/* One function: its segments, how many bits of an argument lie within one, and its sum. A is
 * a * 2^a_shift; B is b + l_factor * 2^a_shift, which lets b have 16 bits; k is added. */
struct mufu_function {
    const int32_t *a, *bc;
    unsigned l_bits, a_shift;
    int32_t l_factor, k;
};
#define MUFU_RCP (struct mufu_function){mufu_rcp_a, mufu_rcp_bc, 16, 14, -2, 2 * 0x47e7}
#define MUFU_RSQRT (struct mufu_function){mufu_rsqrt_a, mufu_rsqrt_bc, 17, 14, -2, 0x7fff}
#define MUFU_SQRT (struct mufu_function){mufu_sqrt_a, mufu_sqrt_bc, 17, 15, 2, 0x7fff}
#define MUFU_EX2 (struct mufu_function){mufu_ex2_a, mufu_ex2_bc, 17, 13, 4, 0x77e2}
#define MUFU_LG2 (struct mufu_function){mufu_lg2_a, mufu_lg2_bc, 17, 12, 8, 0x3345}
#define MUFU_SIN (struct mufu_function){mufu_sin_a, mufu_sin_bc, 17, 11, 0, 0}
#define MUFU_TANH (struct mufu_function){mufu_tanh_a, mufu_tanh_bc, 17, 11, 16, 0}

/* m: the segment's number above l_bits. */
LANE_INLINE uint32_t mufu_segment(struct mufu_function function, uint32_t m)
{
    return m >> function.l_bits;
}
LANE_INLINE uint32_t mufu_l(struct mufu_function function, uint32_t m)
{
    return m << (17 - function.l_bits) & 0x1ffff;
}

/* whole * 2^a_shift + part: A + B*l + C*s in words of 32 bits, which vector code has
 * more of than of 64. */
struct mufu_sum {
    int32_t whole;
    uint32_t part;
};

/* The products of the upper and of the lower halves, signed. */
LANE_INLINE int32_t mufu_dot(int32_t x, int32_t y)
{
    return (x >> 16) * (y >> 16) + (int16_t)x * (int16_t)y;
}

/* B times the upper 15 bits of l is a multiple of 4, and what is below comes from the
 * lower two and s. */
LANE_INLINE struct mufu_sum mufu_sum(struct mufu_function function, uint32_t l, int32_t a,
                                     int32_t bc)
{
    int32_t low = mufu_dot(bc, (int32_t)((l & 3) << 16) | mufu_square(l)) + function.k;
    int32_t fours = mufu_dot(bc, (int32_t)(l >> 2 << 16)) + (low >> 2);

    return (struct mufu_sum){
        a + (int32_t)l * function.l_factor + (fours >> (function.a_shift - 2)),
        ((uint32_t)fours << 2 | (low & 3)) & ((UINT32_C(1) << function.a_shift) - 1)};
}

LANE_INLINE struct mufu_sum mufu_evaluate(struct mufu_function function, uint32_t m)
{
    uint32_t segment = mufu_segment(function, m);

    return mufu_sum(function, mufu_l(function, m), function.a[segment], function.bc[segment]);
}

/* --- packing ------------------------------------------------------------------------ */

/* Where the sum is a significand, in [2^23, 2^24], the exponent of f32 goes with it; signed, it
 * is below 2^23 when that is too small. No function's is too large. */
LANE_INLINE uint32_t mufu_significand(struct mufu_sum sum)
{
    return (uint32_t)(sum.whole >> 2);
}
LANE_INLINE uint32_t mufu_pack(int32_t exponent, uint32_t significand)
{
    return (uint32_t)(exponent - 1) * (1 << 23) + significand;
}
/* The same for the high word of an f64 and 2^20. */
LANE_INLINE uint32_t mufu_pack_high(int32_t exponent, uint32_t significand)
{
    return (uint32_t)(exponent - 1) * (1 << 20) + (significand >> 3);
}

/* high * 2^low_bits + low, cut to 24 bits, as the bits of an f32. high is below 2^24 in
 * magnitude and low below 2^low_bits, so the host adds two exact numbers, and what it
 * rounded is exact, too. */
LANE_INLINE uint32_t mufu_cut(int32_t high, uint32_t low, unsigned low_bits)
{
    float upper = (float)high * (float)(UINT32_C(1) << low_bits), lower = (float)(int32_t)low;
    float sum = upper + lower, lost = lower - (sum - upper);

    return f32_bits(sum) - (lost < 0 ? 1 : 0);
}
LANE_INLINE uint32_t mufu_cut_times(int32_t high, uint32_t low, unsigned low_bits, float scale)
{
    return f32_bits(f32_host(mufu_cut(high, low, low_bits)) * scale);
}

/* --- the functions ------------------------------------------------------------------- */

/* Each in two parts, for loops over lanes to look up the segments in between: _m
 * makes the argument of the sum from the operand, _r the result from both. */

#define MUFU_FRACTION 0x7fffffu
#define MUFU_ONE 0x3f800000u
#define MUFU_MAGNITUDE(a) ((a) & ~F32_SIGN)
#define MUFU_EXPONENT(a) ((int32_t)((a) >> 23 & 255))

LANE_INLINE uint32_t mufu_rcp_m(uint32_t a)
{
    return a & MUFU_FRACTION;
}
LANE_INLINE uint32_t mufu_rcp_r(uint32_t a, struct mufu_sum sum)
{
    uint32_t sign = a & F32_SIGN;
    uint32_t r = mufu_pack(253 - MUFU_EXPONENT(a), mufu_significand(sum));

    r = (int32_t)r < 1 << 23 ? 0 : r; /* infinity's, too */
    r = !MUFU_EXPONENT(a) ? F32_INFINITY : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r | sign;
}

/* Fraction with the exponent's parity above it. */
LANE_INLINE uint32_t mufu_rsqrt_m(uint32_t a)
{
    return (a & 0xffffff) ^ 1 << 23;
}
LANE_INLINE int32_t mufu_half_exponent(uint32_t a)
{
    return (MUFU_EXPONENT(a) - 127) >> 1; /* rounds down */
}
/* Numbers with a sign and NaNs lie above infinity. */
LANE_INLINE uint32_t mufu_rsqrt_r(uint32_t a, struct mufu_sum sum)
{
    uint32_t significand = mufu_rsqrt_m(a) ? mufu_significand(sum) : 1 << 24;
    uint32_t r = mufu_pack(126 - mufu_half_exponent(a), significand);

    r = a == F32_INFINITY ? 0 : r;
    r = a > F32_INFINITY ? F32_NAN : r;
    return !MUFU_EXPONENT(a) ? (a & F32_SIGN) | F32_INFINITY : r;
}

LANE_INLINE uint32_t mufu_sqrt_m(uint32_t a)
{
    return mufu_rsqrt_m(a);
}
LANE_INLINE uint32_t mufu_sqrt_r(uint32_t a, struct mufu_sum sum)
{
    uint32_t r = mufu_pack(127 + mufu_half_exponent(a), mufu_significand(sum));

    r = a == F32_INFINITY ? a : r;
    r = a > F32_INFINITY ? F32_NAN : r;
    return !MUFU_EXPONENT(a) ? a & F32_SIGN : r;
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
LANE_INLINE uint32_t mufu_ex2_r(uint32_t a, struct mufu_sum sum)
{
    uint32_t r = mufu_pack(127 + (mufu_ex2_fixed(a) >> 23), mufu_significand(sum));
    uint32_t beyond = a & F32_SIGN ? 0 : F32_INFINITY;

    r = (int32_t)r < 1 << 23 ? 0 : r;
    r = MUFU_EXPONENT(a) - 127 >= 7 ? beyond : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r;
}

LANE_INLINE uint32_t mufu_lg2_m(uint32_t a)
{
    return a & MUFU_FRACTION;
}
/* The sum is cut to 36 bits of fraction; of a negative one the complement counts. */
LANE_INLINE uint32_t mufu_lg2_r(uint32_t a, struct mufu_sum sum)
{
    int32_t high = (MUFU_EXPONENT(a) - 127) * 0x10000 + (sum.whole >> 10), negative = high >> 31;
    uint32_t low = (uint32_t)(sum.whole & 0x3ff) << 10 | sum.part >> 2;
    uint32_t r = mufu_cut_times(high ^ negative, low ^ ((uint32_t)negative & 0xfffff), 20,
                                0x1p-36f);

    r |= (uint32_t)negative & F32_SIGN;
    r = a == MUFU_ONE ? 0 : r;
    r = a == F32_INFINITY ? a : r;
    r = a > F32_INFINITY ? F32_NAN : r;
    return !MUFU_EXPONENT(a) ? F32_SIGN | F32_INFINITY : r;
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
LANE_INLINE uint32_t mufu_sine_m(uint32_t turn)
{
    return (turn ^ (UINT32_C(0) - (turn >> 23 & 1))) & MUFU_FRACTION;
}
LANE_INLINE uint32_t mufu_sine_r(uint32_t a, uint32_t turn, struct mufu_sum sum,
                                 uint32_t quarter)
{
    uint32_t sign = (quarter ? 0 : a & F32_SIGN) ^ (turn << 7 & F32_SIGN);
    uint32_t r = mufu_cut_times(sum.whole >> 3, (uint32_t)(sum.whole & 7) << 11 | sum.part, 14,
                                0x1p-37f);

    return MUFU_MAGNITUDE(a) >= F32_INFINITY ? F32_NAN : r | sign;
}
LANE_INLINE uint32_t mufu_sine(uint32_t a, uint32_t quarter)
{
    uint32_t turn = mufu_quadrants(a, quarter);

    return mufu_sine_r(a, turn, mufu_evaluate(MUFU_SIN, mufu_sine_m(turn)), quarter);
}
LANE_INLINE uint32_t mufu_sin_f32(uint32_t a) { return mufu_sine(a, 0); }
LANE_INLINE uint32_t mufu_cos_f32(uint32_t a) { return mufu_sine(a, 1); }

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
#undef MUFU_WHOLE

/* tanh has segments of different widths. */
LANE_INLINE uint32_t mufu_tanh_binade(uint32_t a)
{
    return (uint32_t)mufu_between(MUFU_EXPONENT(a) - 127 + 8, 0, 10);
}
/* As the m of others. binade: its word in the table. */
LANE_INLINE uint32_t mufu_tanh_m(uint32_t a, uint32_t binade)
{
    return ((a & MUFU_FRACTION) >> (binade & 0xff)) + ((binade & 0xff00) << (17 - 8));
}
LANE_INLINE uint32_t mufu_tanh_r(uint32_t a, uint32_t binade, struct mufu_sum sum)
{
    uint32_t sign = a & F32_SIGN, exponent = (uint32_t)MUFU_EXPONENT(a);
    uint32_t r = mufu_cut(sum.whole >> 5, (uint32_t)(sum.whole & 31) << 11 | sum.part, 16);

    r -= binade >> 16 << 23; /* never zero */
    r = r > MUFU_ONE ? MUFU_ONE : r;
    r = exponent >= 127 + 3 ? MUFU_ONE : r;
    r = exponent < 127 - 8 ? MUFU_MAGNITUDE(a) : r;
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F32_NAN : r | sign;
}
LANE_INLINE uint32_t mufu_tanh_f32(uint32_t a)
{
    uint32_t binade = (uint32_t)tanh_binades[mufu_tanh_binade(a)];

    return mufu_tanh_r(a, binade, mufu_evaluate(MUFU_TANH, mufu_tanh_m(a, binade)));
}

/* --- f64 --------------------------------------------------------------------------------- */

/* The unit sees the high word of an f64 only, and gives one: a NaN with its payload below
 * it is infinity. */
#define MUFU_F64_INFINITY 0x7ff00000u
#define MUFU_F64_EXPONENT(a) ((int32_t)((a) >> 20 & 2047))

LANE_INLINE uint32_t mufu_rcp_high_m(uint32_t a)
{
    return a << 3 & MUFU_FRACTION;
}
LANE_INLINE uint32_t mufu_rcp_high_r(uint32_t a, struct mufu_sum sum)
{
    uint32_t sign = a & F32_SIGN;
    uint32_t r = mufu_pack_high(2045 - MUFU_F64_EXPONENT(a), mufu_significand(sum));

    r = (int32_t)r < 1 << 20 ? 0 : r;
    r = !MUFU_F64_EXPONENT(a) ? MUFU_F64_INFINITY : r;
    return MUFU_MAGNITUDE(a) > MUFU_F64_INFINITY ? F32_NAN : r | sign;
}

LANE_INLINE uint32_t mufu_rsqrt_high_m(uint32_t a)
{
    return (a << 3 & 0xffffff) ^ 1 << 23;
}
LANE_INLINE uint32_t mufu_rsqrt_high_r(uint32_t a, struct mufu_sum sum)
{
    uint32_t significand = mufu_rsqrt_high_m(a) ? mufu_significand(sum) : 1 << 24;
    uint32_t r = mufu_pack_high(1022 - ((MUFU_F64_EXPONENT(a) - 1023) >> 1), significand);

    r = a == MUFU_F64_INFINITY ? 0 : r;
    r = a > MUFU_F64_INFINITY ? F32_NAN : r;
    return !MUFU_F64_EXPONENT(a) ? (a & F32_SIGN) | MUFU_F64_INFINITY : r;
}

#define MUFU_WHOLE_F64(name, FUNCTION)                                       \
    LANE_INLINE uint64_t mufu_##name##_f64(uint64_t a)                       \
    {                                                                        \
        uint32_t high = (uint32_t)(a >> 32);                                 \
        return (uint64_t)mufu_##name##_high_r(                               \
                   high, mufu_evaluate(FUNCTION, mufu_##name##_high_m(high))) << 32; \
    }
MUFU_WHOLE_F64(rcp, MUFU_RCP)
MUFU_WHOLE_F64(rsqrt, MUFU_RSQRT)
#undef MUFU_WHOLE_F64

#endif
