/* SPDX-License-Identifier: Apache-2.0
 *
 * float.h - f32 and f64 arithmetic on bit patterns.
 *
 * How the whole numeric library is named and called:
 *
 *   T_OP(a, b, ..., mode)     result of type T; operands of type T
 *   T_from_S(a, mode)         conversion from type S to type T (convert.h)
 *   Tx2_OP(a, b, ..., mode)   two halves of a 32-bit register (half.h)
 *
 * Types and their carriers: u8 s8 (uint8_t), u16 s16 f16 bf16 (uint16_t),
 * u32 s32 f32 tf32 (uint32_t), u64 s64 f64 (uint64_t); signed integers travel
 * as their two's complement bits. mode is a rounding direction with flags
 * (mode.h); 0 is nearest even. Everything is pure: no globals, no host
 * floating-point state is read but the default one the process starts with.
 *
 * The files: float.h (f32, f64: add sub mul fma div rcp sqrt), half.h (f16,
 * bf16 and pairs: add sub mul fma), order.h (neg abs min max is testp copysign
 * of all), convert.h, integer.h, video.h, approx.h, soft.h (the core that
 * defines all that is rounded exactly).
 *
 * Speed: when mode is a compile-time constant, ROUND_NEAREST_EVEN and MODE_FTZ
 * become branch-free host arithmetic that compilers turn into vector code;
 * any other mode is a call.
 *
 * Rules measured on H200. NaN: f32 gives 7fffffff always; f64 gives back the
 * operand's NaN made quiet, b before a in add, sub and mul, b, c, a in fma, a
 * before b in div, and fff8000000000000 when no operand was a NaN. .ftz:
 * operands that are denormal count as zero; a result is rounded as if the
 * exponent were unbounded and is zero if then still below 2^-126. */
#ifndef SIMTLAB_NUMERIC_FLOAT_H
#define SIMTLAB_NUMERIC_FLOAT_H

#include <stdint.h>

#include "numeric/bits.h"
#include "numeric/mode.h"

/* Any mode, out of line. */
uint32_t f32_add_any(uint32_t a, uint32_t b, unsigned mode);
uint32_t f32_sub_any(uint32_t a, uint32_t b, unsigned mode);
uint32_t f32_mul_any(uint32_t a, uint32_t b, unsigned mode);
uint32_t f32_fma_any(uint32_t a, uint32_t b, uint32_t c, unsigned mode);
uint32_t f32_div_any(uint32_t a, uint32_t b, unsigned mode);
uint32_t f32_sqrt_any(uint32_t a, unsigned mode);
uint64_t f64_add_any(uint64_t a, uint64_t b, unsigned mode);
uint64_t f64_sub_any(uint64_t a, uint64_t b, unsigned mode);
uint64_t f64_mul_any(uint64_t a, uint64_t b, unsigned mode);
uint64_t f64_fma_any(uint64_t a, uint64_t b, uint64_t c, unsigned mode);
uint64_t f64_div_any(uint64_t a, uint64_t b, unsigned mode);
uint64_t f64_sqrt_any(uint64_t a, unsigned mode);

LANE_INLINE uint32_t f32_result(float r)
{
    return r == r ? f32_bits(r) : F32_NAN;
}

/* The .ftz result r, where scaled is the same exact value times 2^32, rounded
 * once. Scaling keeps tiny results normal, so scaled shows whether the result
 * rounded with an unbounded exponent is below 2^-126; where scaling overflows
 * or makes a NaN, the result cannot be tiny (its last place is too large). */
LANE_INLINE uint32_t f32_flush_result(float r, float scaled)
{
    uint32_t bits = f32_result(r);
    return __builtin_fabsf(scaled) < 0x1p-94f ? bits & F32_SIGN : bits;
}

LANE_INLINE uint32_t f32_add(uint32_t a, uint32_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f32_result(f32_host(a) + f32_host(b));
    /* A sum below 2^-126 is exact, so flushing it afterwards is enough. */
    if (mode == MODE_FTZ)
        return f32_flush(f32_result(f32_host(f32_flush(a)) + f32_host(f32_flush(b))));
    return f32_add_any(a, b, mode);
}

LANE_INLINE uint32_t f32_sub(uint32_t a, uint32_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f32_result(f32_host(a) - f32_host(b));
    if (mode == MODE_FTZ)
        return f32_flush(f32_result(f32_host(f32_flush(a)) - f32_host(f32_flush(b))));
    return f32_sub_any(a, b, mode);
}

LANE_INLINE uint32_t f32_mul(uint32_t a, uint32_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f32_result(f32_host(a) * f32_host(b));
    if (mode == MODE_FTZ) {
        float x = f32_host(f32_flush(a)), y = f32_host(f32_flush(b));
        return f32_flush_result(x * y, x * 0x1p32f * y);
    }
    return f32_mul_any(a, b, mode);
}

LANE_INLINE uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f32_result(__builtin_fmaf(f32_host(a), f32_host(b), f32_host(c)));
    if (mode == MODE_FTZ) {
        float x = f32_host(f32_flush(a)), y = f32_host(f32_flush(b));
        float z = f32_host(f32_flush(c));
        return f32_flush_result(__builtin_fmaf(x, y, z),
                                __builtin_fmaf(x * 0x1p32f, y, z * 0x1p32f));
    }
    return f32_fma_any(a, b, c, mode);
}

LANE_INLINE uint32_t f32_div(uint32_t a, uint32_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f32_result(f32_host(a) / f32_host(b));
    if (mode == MODE_FTZ) {
        float x = f32_host(f32_flush(a)), y = f32_host(f32_flush(b));
        return f32_flush_result(x / y, x * 0x1p32f / y);
    }
    return f32_div_any(a, b, mode);
}

LANE_INLINE uint32_t f32_rcp(uint32_t a, unsigned mode)
{
    return f32_div(0x3f800000, a, mode);
}

LANE_INLINE uint32_t f32_sqrt(uint32_t a, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f32_result(__builtin_sqrtf(f32_host(a)));
    if (mode == MODE_FTZ)
        return f32_result(__builtin_sqrtf(f32_host(f32_flush(a))));
    return f32_sqrt_any(a, mode);
}

/* The result r of an operation on a and b; NaNs in a come back only when b is
 * none. Hosts differ in which NaN they return, so none of theirs is used. */
LANE_INLINE uint64_t f64_result(double r, uint64_t a, uint64_t b)
{
    uint64_t bits = r == r ? f64_bits(r) : F64_INVALID;
    bits = f64_is_nan(a) ? a | F64_QUIET : bits;
    return f64_is_nan(b) ? b | F64_QUIET : bits;
}

LANE_INLINE uint64_t f64_add(uint64_t a, uint64_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f64_result(f64_host(a) + f64_host(b), a, b);
    return f64_add_any(a, b, mode);
}

LANE_INLINE uint64_t f64_sub(uint64_t a, uint64_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f64_result(f64_host(a) - f64_host(b), a, b);
    return f64_sub_any(a, b, mode);
}

LANE_INLINE uint64_t f64_mul(uint64_t a, uint64_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f64_result(f64_host(a) * f64_host(b), a, b);
    return f64_mul_any(a, b, mode);
}

LANE_INLINE uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN) {
        double r = __builtin_fma(f64_host(a), f64_host(b), f64_host(c));
        uint64_t bits = f64_result(r, a, c);
        return f64_is_nan(b) ? b | F64_QUIET : bits;
    }
    return f64_fma_any(a, b, c, mode);
}

LANE_INLINE uint64_t f64_div(uint64_t a, uint64_t b, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f64_result(f64_host(a) / f64_host(b), b, a);
    return f64_div_any(a, b, mode);
}

LANE_INLINE uint64_t f64_rcp(uint64_t a, unsigned mode)
{
    return f64_div(0x3ff0000000000000, a, mode);
}

LANE_INLINE uint64_t f64_sqrt(uint64_t a, unsigned mode)
{
    if (mode == ROUND_NEAREST_EVEN)
        return f64_result(__builtin_sqrt(f64_host(a)), a, a);
    return f64_sqrt_any(a, mode);
}

/* Two f32 in 64 bits, the first one low. */
LANE_INLINE uint64_t f32x2_join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

#define F32_PAIRWISE(OP)                                                      \
    LANE_INLINE uint64_t f32x2_##OP(uint64_t a, uint64_t b, unsigned mode)    \
    {                                                                         \
        return f32x2_join(f32_##OP((uint32_t)a, (uint32_t)b, mode),           \
                          f32_##OP((uint32_t)(a >> 32), (uint32_t)(b >> 32), mode)); \
    }
F32_PAIRWISE(add)
F32_PAIRWISE(sub)
F32_PAIRWISE(mul)
#undef F32_PAIRWISE

LANE_INLINE uint64_t f32x2_fma(uint64_t a, uint64_t b, uint64_t c, unsigned mode)
{
    return f32x2_join(f32_fma((uint32_t)a, (uint32_t)b, (uint32_t)c, mode),
                      f32_fma((uint32_t)(a >> 32), (uint32_t)(b >> 32), (uint32_t)(c >> 32),
                              mode));
}

#endif
