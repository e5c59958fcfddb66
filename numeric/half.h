/* SPDX-License-Identifier: Apache-2.0
 *
 * half.h - f16 and bf16 arithmetic, alone and in pairs.
 *
 * Nearest even without flags goes through f32, branch-free:
 *   add, sub  The f32 sum has at least 2p+2 bits for the p of f16 and bf16, so
 *             rounding twice equals rounding once; tiny sums are exact.
 *   mul       The f32 product is exact but for bf16 results below 2^-149,
 *             which round to zero either way.
 *   fma       The product is exact in the wider format; the sum is rounded to
 *             odd there (the last bit set when inexact), which keeps the
 *             second rounding right.
 * Other modes are calls. NaNs are 7fff (measured on H200). */
#ifndef SIMTLAB_NUMERIC_HALF_H
#define SIMTLAB_NUMERIC_HALF_H

#include <stdint.h>

#include "numeric/bits.h"
#include "numeric/mode.h"

uint16_t f16_add_any(uint16_t a, uint16_t b, unsigned mode);
uint16_t f16_sub_any(uint16_t a, uint16_t b, unsigned mode);
uint16_t f16_mul_any(uint16_t a, uint16_t b, unsigned mode);
uint16_t f16_fma_any(uint16_t a, uint16_t b, uint16_t c, unsigned mode);
uint16_t bf16_add_any(uint16_t a, uint16_t b, unsigned mode);
uint16_t bf16_sub_any(uint16_t a, uint16_t b, unsigned mode);
uint16_t bf16_mul_any(uint16_t a, uint16_t b, unsigned mode);
uint16_t bf16_fma_any(uint16_t a, uint16_t b, uint16_t c, unsigned mode);

/* T_widen: exact; a NaN becomes some NaN. T_narrow: nearest even, NaN gives
 * 7fff. Both take and give the pattern in a 32-bit word with zeros above it:
 * vector code is best when all words have one width. */
LANE_INLINE float f16_widen(uint32_t a)
{
    uint32_t magnitude = a & 0x7fff;
    uint32_t normal = (magnitude << 13) + (112u << 23);
    /* 2^-14 * (1 + fraction) - 2^-14 is the denormal. */
    uint32_t tiny = f32_bits(f32_host((magnitude << 13) + (113u << 23)) - 0x1p-14f);
    uint32_t bits = magnitude < 0x0400 ? tiny : normal;
    bits += magnitude >= F16_INFINITY ? 112u << 23 : 0;
    return f32_host(bits | (a & F16_SIGN) << 16);
}

LANE_INLINE float bf16_widen(uint32_t a)
{
    return f32_host(a << 16);
}

LANE_INLINE uint32_t f16_narrow(float value)
{
    uint32_t bits = f32_bits(value), magnitude = bits & (F32_SIGN - 1);
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    /* Adding 0.5 makes the host round at 2^-24, the last place of denormals. */
    uint32_t tiny = f32_bits(f32_host(magnitude) + 0.5f) - (126u << 23);
    uint32_t result = magnitude < (113u << 23) ? tiny : normal;
    result = magnitude >= 0x477ff000 ? F16_INFINITY : result;
    result |= bits >> 16 & F16_SIGN;
    return magnitude > F32_INFINITY ? F16_NAN : result;
}

LANE_INLINE uint32_t bf16_narrow(float value)
{
    uint32_t bits = f32_bits(value);
    uint32_t result = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return f32_is_nan(bits) ? BF16_NAN : result;
}

/* x + y rounded to odd; both far from overflow, or infinite. */
LANE_INLINE float f32_add_to_odd(float x, float y)
{
    float sum = x + y;
    float part = sum - x;
    float error = (x - (sum - part)) + (y - part); /* exact: Knuth's two-sum */
    /* To the odd neighbour on the side of the error; an infinite sum has a NaN
     * here and stays. */
    int32_t side = (error > 0 ? 1 : 0) - (error < 0 ? 1 : 0);
    side = sum < 0 ? -side : side;
    uint32_t bits = f32_bits(sum);
    return f32_host(bits & 1 ? bits : bits + (uint32_t)side);
}

LANE_INLINE double f64_add_to_odd(double x, double y)
{
    double sum = x + y;
    double part = sum - x;
    double error = (x - (sum - part)) + (y - part);
    /* To the odd neighbour on the side of the error; an infinite sum has a NaN
     * here and stays. */
    int64_t side = (error > 0 ? 1 : 0) - (error < 0 ? 1 : 0);
    side = sum < 0 ? -side : side;
    uint64_t bits = f64_bits(sum);
    return f64_host(bits & 1 ? bits : bits + (uint64_t)side);
}

/* f64 to bf16 in one rounding: adding a power of two whose last place is the
 * target's makes the host round there. */
LANE_INLINE uint32_t bf16_narrow_f64(double value)
{
    uint64_t bits = f64_bits(value), magnitude = bits & ~F64_SIGN;
    uint64_t exponent = magnitude & F64_INFINITY;
    exponent = exponent < (uint64_t)(1023 - 126) << 52 ? (uint64_t)(1023 - 126) << 52 : exponent;
    double step = f64_host(exponent + ((uint64_t)45 << 52));
    double rounded = (f64_host(magnitude) + step) - step;
    /* A NaN or infinity, or too large: its own way round. */
    rounded = magnitude >= (uint64_t)(1023 + 130) << 52 ? f64_host(magnitude) : rounded;
    uint32_t result = f32_bits((float)rounded) >> 16 | (uint32_t)(bits >> 48 & BF16_SIGN);
    return f64_is_nan(bits) ? BF16_NAN : result;
}

/* Pairs: half h of every operand gives half h of the result. */
#define LOW(a) ((uint32_t)(a) & 0xffff)
#define HIGH(a) ((uint32_t)(a) >> 16)
#define PAIR(low, high) (((uint32_t)(low) & 0xffff) | (uint32_t)(high) << 16)

#define HALF_OPERATION(T, OP, operator)                                       \
    LANE_INLINE uint16_t T##_##OP(uint16_t a, uint16_t b, unsigned mode)      \
    {                                                                         \
        if (mode == ROUND_NEAREST_EVEN)                                       \
            return (uint16_t)T##_narrow(T##_widen(a) operator T##_widen(b));  \
        return T##_##OP##_any(a, b, mode);                                    \
    }                                                                         \
    LANE_INLINE uint32_t T##x2_##OP(uint32_t a, uint32_t b, unsigned mode)    \
    {                                                                         \
        if (mode == ROUND_NEAREST_EVEN)                                       \
            return PAIR(T##_narrow(T##_widen(LOW(a)) operator T##_widen(LOW(b))), \
                        T##_narrow(T##_widen(HIGH(a)) operator T##_widen(HIGH(b)))); \
        return PAIR(T##_##OP##_any((uint16_t)LOW(a), (uint16_t)LOW(b), mode), \
                    T##_##OP##_any((uint16_t)HIGH(a), (uint16_t)HIGH(b), mode)); \
    }
HALF_OPERATION(f16, add, +)
HALF_OPERATION(f16, sub, -)
HALF_OPERATION(f16, mul, *)
HALF_OPERATION(bf16, add, +)
HALF_OPERATION(bf16, sub, -)
HALF_OPERATION(bf16, mul, *)
#undef HALF_OPERATION

LANE_INLINE uint32_t f16_fma_nearest(uint32_t a, uint32_t b, uint32_t c)
{
    return f16_narrow(f32_add_to_odd(f16_widen(a) * f16_widen(b), f16_widen(c)));
}

LANE_INLINE uint32_t bf16_fma_nearest(uint32_t a, uint32_t b, uint32_t c)
{
    double product = (double)bf16_widen(a) * (double)bf16_widen(b);
    return bf16_narrow_f64(f64_add_to_odd(product, (double)bf16_widen(c)));
}

#define HALF_FMA(T)                                                           \
    LANE_INLINE uint16_t T##_fma(uint16_t a, uint16_t b, uint16_t c, unsigned mode) \
    {                                                                         \
        if (mode == ROUND_NEAREST_EVEN)                                       \
            return (uint16_t)T##_fma_nearest(a, b, c);                        \
        return T##_fma_any(a, b, c, mode);                                    \
    }                                                                         \
    LANE_INLINE uint32_t T##x2_fma(uint32_t a, uint32_t b, uint32_t c, unsigned mode) \
    {                                                                         \
        if (mode == ROUND_NEAREST_EVEN)                                       \
            return PAIR(T##_fma_nearest(LOW(a), LOW(b), LOW(c)),              \
                        T##_fma_nearest(HIGH(a), HIGH(b), HIGH(c)));          \
        return PAIR(T##_fma_any((uint16_t)LOW(a), (uint16_t)LOW(b), (uint16_t)LOW(c), mode), \
                    T##_fma_any((uint16_t)HIGH(a), (uint16_t)HIGH(b), (uint16_t)HIGH(c), mode)); \
    }
HALF_FMA(f16)
HALF_FMA(bf16)
#undef HALF_FMA

/* Pairs from a function of 16-bit words. */
#define PAIRWISE2(T, OP)                                                      \
    LANE_INLINE uint32_t T##x2_##OP(uint32_t a, uint32_t b, unsigned mode)    \
    {                                                                         \
        return PAIR(T##_##OP((uint16_t)LOW(a), (uint16_t)LOW(b), mode),       \
                    T##_##OP((uint16_t)HIGH(a), (uint16_t)HIGH(b), mode));    \
    }
#define PAIRWISE3(T, OP)                                                      \
    LANE_INLINE uint32_t T##x2_##OP(uint32_t a, uint32_t b, uint32_t c, unsigned mode) \
    {                                                                         \
        return PAIR(T##_##OP((uint16_t)LOW(a), (uint16_t)LOW(b), (uint16_t)LOW(c), mode), \
                    T##_##OP((uint16_t)HIGH(a), (uint16_t)HIGH(b), (uint16_t)HIGH(c), mode)); \
    }

#endif
