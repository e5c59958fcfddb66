/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.h - conversions between all types: T_from_S(a, mode).
 *
 * PTX ISA "cvt", "cvt.pack"; corner cases measured on H200.
 *
 *   integer from integer  Truncates; MODE_SAT clamps.
 *   integer from float    Rounds by the mode, then always clamps. A NaN gives 0;
 *                         but from f64, or to 64 bits, it gives the pattern
 *                         with only the top bit set, for unsigned types too.
 *   float from integer    One rounding.
 *   float from float      One rounding, MODE_SAT, MODE_RELU, MODE_SATFINITE.
 *                         MODE_FTZ concerns the f32 side only. With
 *                         MODE_INTEGRAL (T_from_T) to an integral value.
 *                         NaN: see convert.c.
 *   tf32_from_f32         An f32 pattern with 13 low zero bits.
 *   Tx2_from_f32(a, b)    a goes to the high half, b to the low one.
 *   e4m3x2, e5m2x2        Two bytes in a uint16_t, same order.
 *
 * The inline functions are branch-free for nearest even; float to integer
 * and rounding to integral f32 and f64 are so in every direction. */
#ifndef SIMTLAB_NUMERIC_CONVERT_H
#define SIMTLAB_NUMERIC_CONVERT_H

#include <stdint.h>

#include "numeric/bits.h"
#include "numeric/half.h"
#include "numeric/mode.h"

/* --- integer from integer ------------------------------------------------ */

#define INTEGER_FROM_INTEGER(D, uintd, low, high, S, uints, cs, wide, LEAST)  \
    LANE_INLINE uintd D##_from_##S(uints a, unsigned mode)                    \
    {                                                                         \
        wide x = (cs)a;                                                       \
        if (mode & MODE_SAT) {                                                \
            wide least = LEAST(low), most = (wide)(high);                     \
            x = x < least ? least : x;                                        \
            x = x > most ? most : x;                                          \
        }                                                                     \
        return (uintd)x;                                                      \
    }
#define CONVERT_LEAST(low) (low)
#define CONVERT_NOTHING(low) 0
#define INTEGER_FROM_SIGNED(D, uintd, low, high, S, uints, ints)              \
    INTEGER_FROM_INTEGER(D, uintd, low, high, S, uints, ints, int64_t, CONVERT_LEAST)
#define INTEGER_FROM_UNSIGNED(D, uintd, low, high, S, uints)                  \
    INTEGER_FROM_INTEGER(D, uintd, low, high, S, uints, uints, uint64_t, CONVERT_NOTHING)
/* For the destination u64 a signed source is bounded by its own largest value. */
#define INTEGER_FROM_ALL(D, uintd, low, high, signed_high)                    \
    INTEGER_FROM_SIGNED(D, uintd, low, signed_high, s8, uint8_t, int8_t)      \
    INTEGER_FROM_UNSIGNED(D, uintd, low, high, u8, uint8_t)                   \
    INTEGER_FROM_SIGNED(D, uintd, low, signed_high, s16, uint16_t, int16_t)   \
    INTEGER_FROM_UNSIGNED(D, uintd, low, high, u16, uint16_t)                 \
    INTEGER_FROM_SIGNED(D, uintd, low, signed_high, s32, uint32_t, int32_t)   \
    INTEGER_FROM_UNSIGNED(D, uintd, low, high, u32, uint32_t)                 \
    INTEGER_FROM_SIGNED(D, uintd, low, signed_high, s64, uint64_t, int64_t)   \
    INTEGER_FROM_UNSIGNED(D, uintd, low, high, u64, uint64_t)
INTEGER_FROM_ALL(s8, uint8_t, INT8_MIN, INT8_MAX, INT8_MAX)
INTEGER_FROM_ALL(u8, uint8_t, 0, UINT8_MAX, UINT8_MAX)
INTEGER_FROM_ALL(s16, uint16_t, INT16_MIN, INT16_MAX, INT16_MAX)
INTEGER_FROM_ALL(u16, uint16_t, 0, UINT16_MAX, UINT16_MAX)
INTEGER_FROM_ALL(s32, uint32_t, INT32_MIN, INT32_MAX, INT32_MAX)
INTEGER_FROM_ALL(u32, uint32_t, 0, UINT32_MAX, UINT32_MAX)
INTEGER_FROM_ALL(s64, uint64_t, INT64_MIN, INT64_MAX, INT64_MAX)
INTEGER_FROM_ALL(u64, uint64_t, 0, UINT64_MAX, INT64_MAX)
#undef INTEGER_FROM_ALL
#undef INTEGER_FROM_SIGNED
#undef INTEGER_FROM_UNSIGNED
#undef INTEGER_FROM_INTEGER
#undef CONVERT_LEAST
#undef CONVERT_NOTHING

/* cvt.pack.sat: a and b clamped to width bits (2, 4, 8 or 16), b lowest, a above
 * it, then the low bits of c (none with 16). */
LANE_INLINE uint32_t pack_from_s32(uint32_t a, uint32_t b, uint32_t c, unsigned width,
                                     bool is_signed)
{
    width = width & 16 ? 16 : width & 8 ? 8 : width & 4 ? 4 : 2;
    int32_t most = is_signed ? (1 << (width - 1)) - 1 : (1 << width) - 1;
    int32_t least = is_signed ? -(1 << (width - 1)) : 0;
    int32_t x = (int32_t)a < least ? least : (int32_t)a > most ? most : (int32_t)a;
    int32_t y = (int32_t)b < least ? least : (int32_t)b > most ? most : (int32_t)b;
    uint32_t mask = (1u << width) - 1;
    uint32_t pair = ((uint32_t)x & mask) << width | ((uint32_t)y & mask);
    return width == 16 ? pair : pair | c << (2 * width & 31);
}

/* --- rounding to an integral value --------------------------------------- */

/* Adding 2^23 makes the host round to units; the other directions correct the
 * nearest value by one. The sign is x's, also of zero. */
#define TO_INTEGRAL(name, real, fabs, copysign, limit)                        \
    LANE_INLINE real name(real x, unsigned direction)                         \
    {                                                                         \
        real size = fabs(x);                                                  \
        real near = size < limit ? (size + limit) - limit : size;             \
        if (direction == ROUND_ZERO) {                                        \
            near -= near > size ? (real)1 : (real)0;                          \
        } else if (direction == ROUND_NEAREST_AWAY) {                         \
            near += size - near == (real)0.5 ? (real)1 : (real)0;             \
        } else if (direction != ROUND_NEAREST_EVEN) {                         \
            real point = copysign(near, x);                                   \
            point -= ((direction == ROUND_DOWN) & (point > x)) ? (real)1 : (real)0; \
            point += ((direction == ROUND_UP) & (point < x)) ? (real)1 : (real)0; \
            near = fabs(point);                                               \
        }                                                                     \
        return copysign(near, x);                                             \
    }
TO_INTEGRAL(f32_to_integral, float, __builtin_fabsf, __builtin_copysignf, 0x1p23f)
TO_INTEGRAL(f64_to_integral, double, __builtin_fabs, __builtin_copysign, 0x1p52)
#undef TO_INTEGRAL

/* --- integer from float -------------------------------------------------- */

/* The host conversion is only asked for values it can represent: limit is the
 * largest float below 2^31 and so on. */
#define INTEGER_FROM_INTEGRAL(D, uintd, sintd, T, real, least, limit, top, most, nan) \
    LANE_INLINE uintd D##_of_##T(real r)                                      \
    {                                                                         \
        real c = r < least ? least : r;                                       \
        c = c > limit ? limit : c;                                            \
        c = r == r ? c : (real)0;                                             \
        uintd i = (uintd)(sintd)c;                                            \
        i = r >= top ? most : i;                                              \
        return r == r ? i : nan;                                              \
    }
INTEGER_FROM_INTEGRAL(s32, uint32_t, int32_t, f32, float, -0x1p31f, 0x1.fffffep30f, 0x1p31f,
                      INT32_MAX, 0)
INTEGER_FROM_INTEGRAL(s64, uint64_t, int64_t, f32, float, -0x1p63f, 0x1.fffffep62f, 0x1p63f,
                      INT64_MAX, F64_SIGN)
INTEGER_FROM_INTEGRAL(u64, uint64_t, uint64_t, f32, float, 0.0f, 0x1.fffffep63f, 0x1p64f,
                      UINT64_MAX, F64_SIGN)
INTEGER_FROM_INTEGRAL(s32, uint32_t, int32_t, f64, double, -0x1p31, 0x1.fffffffcp30, 0x1p31,
                      INT32_MAX, F32_SIGN)
INTEGER_FROM_INTEGRAL(u32, uint32_t, int64_t, f64, double, 0.0, 0x1.fffffffep31, 0x1p32,
                      UINT32_MAX, F32_SIGN)
INTEGER_FROM_INTEGRAL(s64, uint64_t, int64_t, f64, double, -0x1p63, 0x1.fffffffffffffp62, 0x1p63,
                      INT64_MAX, F64_SIGN)
INTEGER_FROM_INTEGRAL(u64, uint64_t, uint64_t, f64, double, 0.0, 0x1.fffffffffffffp63, 0x1p64,
                      UINT64_MAX, F64_SIGN)
#undef INTEGER_FROM_INTEGRAL

/* Vector units convert to signed 32 bits: the top half of the range is moved
 * down first. */
LANE_INLINE uint32_t u32_of_f32(float r)
{
    float c = r < 0.0f ? 0.0f : r;
    c = c > 0x1.fffffep31f ? 0x1.fffffep31f : c;
    c = r == r ? c : 0.0f;
    bool high = c >= 0x1p31f;
    uint32_t i = (uint32_t)(int32_t)(high ? c - 0x1p31f : c) + (high ? 0x80000000u : 0);
    return r >= 0x1p32f ? UINT32_MAX : i;
}

#define INTEGER_FROM_FLOAT(D, uintd, T, uintt)                                \
    LANE_INLINE uintd D##_from_##T(uintt a, unsigned mode)                    \
    {                                                                         \
        a = mode & MODE_FTZ ? T##_flush(a) : a;                               \
        if ((mode & ROUND_MASK) == ROUND_ZERO) /* as the host converts */     \
            return D##_of_##T(T##_host(a));                                   \
        return D##_of_##T(T##_to_integral(T##_host(a), mode & ROUND_MASK));   \
    }
INTEGER_FROM_FLOAT(s32, uint32_t, f32, uint32_t)
INTEGER_FROM_FLOAT(u32, uint32_t, f32, uint32_t)
INTEGER_FROM_FLOAT(s64, uint64_t, f32, uint32_t)
INTEGER_FROM_FLOAT(u64, uint64_t, f32, uint32_t)
INTEGER_FROM_FLOAT(s32, uint32_t, f64, uint64_t)
INTEGER_FROM_FLOAT(u32, uint32_t, f64, uint64_t)
INTEGER_FROM_FLOAT(s64, uint64_t, f64, uint64_t)
INTEGER_FROM_FLOAT(u64, uint64_t, f64, uint64_t)
#undef INTEGER_FROM_FLOAT

/* 8 and 16 bits: clamp the 32-bit result further. */
#define SMALL_FROM_FLOAT(D, uintd, W, T, uintt, nan)                          \
    LANE_INLINE uintd D##_from_##T(uintt a, unsigned mode)                    \
    {                                                                         \
        uintd i = D##_from_##W(W##_from_##T(a, mode), MODE_SAT);              \
        return T##_is_nan(a) ? (uintd)nan : i;                                \
    }
SMALL_FROM_FLOAT(s8, uint8_t, s32, f32, uint32_t, 0)
SMALL_FROM_FLOAT(u8, uint8_t, u32, f32, uint32_t, 0)
SMALL_FROM_FLOAT(s16, uint16_t, s32, f32, uint32_t, 0)
SMALL_FROM_FLOAT(u16, uint16_t, u32, f32, uint32_t, 0)
SMALL_FROM_FLOAT(s8, uint8_t, s32, f64, uint64_t, 0x80)
SMALL_FROM_FLOAT(u8, uint8_t, u32, f64, uint64_t, 0x80)
SMALL_FROM_FLOAT(s16, uint16_t, s32, f64, uint64_t, 0x8000)
SMALL_FROM_FLOAT(u16, uint16_t, u32, f64, uint64_t, 0x8000)
#undef SMALL_FROM_FLOAT

/* f16 and bf16 widen exactly; MODE_FTZ does not concern them. */
#define INTEGER_FROM_HALF(D, uintd, T)                                        \
    LANE_INLINE uintd D##_from_##T(uint16_t a, unsigned mode)                 \
    {                                                                         \
        return D##_from_f32(f32_bits(T##_widen(a)), mode & ~(unsigned)MODE_FTZ); \
    }
#define INTEGER_FROM_HALVES(D, uintd)                                         \
    INTEGER_FROM_HALF(D, uintd, f16)                                          \
    INTEGER_FROM_HALF(D, uintd, bf16)
INTEGER_FROM_HALVES(s8, uint8_t)
INTEGER_FROM_HALVES(u8, uint8_t)
INTEGER_FROM_HALVES(s16, uint16_t)
INTEGER_FROM_HALVES(u16, uint16_t)
INTEGER_FROM_HALVES(s32, uint32_t)
INTEGER_FROM_HALVES(u32, uint32_t)
INTEGER_FROM_HALVES(s64, uint64_t)
INTEGER_FROM_HALVES(u64, uint64_t)
#undef INTEGER_FROM_HALVES
#undef INTEGER_FROM_HALF

/* --- float from integer -------------------------------------------------- */

/* Any mode, out of line. */
uint16_t f16_from_integer(uint64_t magnitude, bool negative, unsigned mode);
uint16_t bf16_from_integer(uint64_t magnitude, bool negative, unsigned mode);
uint32_t f32_from_integer(uint64_t magnitude, bool negative, unsigned mode);
uint64_t f64_from_integer(uint64_t magnitude, bool negative, unsigned mode);

/* Exact in f32 up to 16 bits and in f64 up to 32. f16 is infinite from 65520
 * on, so what f64 would round is out of its range anyway. */
LANE_INLINE uint32_t f16_narrow_integer(double x)
{
    x = x > 70000.0 ? 70000.0 : x;
    x = x < -70000.0 ? -70000.0 : x;
    return f16_narrow((float)x);
}

#define FLOAT_FROM_INTEGER(T, uintt, S, uints, cs, NEAREST)                   \
    LANE_INLINE uintt T##_from_##S(uints a, unsigned mode)                    \
    {                                                                         \
        cs x = (cs)a;                                                         \
        bool negative = (cs)-1 < (cs)1 && a >> (8 * sizeof a - 1);            \
        uint64_t magnitude = negative ? -(uint64_t)x : (uint64_t)x;           \
        if (mode == ROUND_NEAREST_EVEN)                                       \
            return (uintt)(NEAREST);                                          \
        return T##_from_integer(magnitude, negative, mode);                   \
    }
#define FLOAT_FROM_INTEGERS(T, uintt, SMALL, MIDDLE, LARGE)                   \
    FLOAT_FROM_INTEGER(T, uintt, s8, uint8_t, int8_t, SMALL)                  \
    FLOAT_FROM_INTEGER(T, uintt, u8, uint8_t, uint8_t, SMALL)                 \
    FLOAT_FROM_INTEGER(T, uintt, s16, uint16_t, int16_t, SMALL)               \
    FLOAT_FROM_INTEGER(T, uintt, u16, uint16_t, uint16_t, SMALL)              \
    FLOAT_FROM_INTEGER(T, uintt, s32, uint32_t, int32_t, MIDDLE)              \
    FLOAT_FROM_INTEGER(T, uintt, u32, uint32_t, uint32_t, MIDDLE)             \
    FLOAT_FROM_INTEGER(T, uintt, s64, uint64_t, int64_t, LARGE)               \
    FLOAT_FROM_INTEGER(T, uintt, u64, uint64_t, uint64_t, LARGE)
#define F32_OF f32_bits((float)x)
#define F64_OF f64_bits((double)x)
FLOAT_FROM_INTEGERS(f32, uint32_t, F32_OF, F32_OF, F32_OF)
FLOAT_FROM_INTEGERS(f64, uint64_t, F64_OF, F64_OF, F64_OF)
#undef F32_OF
#undef F64_OF
FLOAT_FROM_INTEGERS(f16, uint16_t, f16_narrow((float)x), f16_narrow_integer((double)x),
                    f16_narrow_integer((double)x))
FLOAT_FROM_INTEGERS(bf16, uint16_t, bf16_narrow((float)x), bf16_narrow_f64((double)x),
                    bf16_from_integer(magnitude, negative, mode))
#undef FLOAT_FROM_INTEGERS
#undef FLOAT_FROM_INTEGER

/* --- float from float ---------------------------------------------------- */

/* Any mode, out of line. */
uint16_t f16_from_f16_any(uint16_t a, unsigned mode);
uint16_t f16_from_bf16_any(uint16_t a, unsigned mode);
uint16_t f16_from_f32_any(uint32_t a, unsigned mode);
uint16_t f16_from_f64_any(uint64_t a, unsigned mode);
uint16_t bf16_from_f16_any(uint16_t a, unsigned mode);
uint16_t bf16_from_bf16_any(uint16_t a, unsigned mode);
uint16_t bf16_from_f32_any(uint32_t a, unsigned mode);
uint16_t bf16_from_f64_any(uint64_t a, unsigned mode);
uint32_t f32_from_f16_any(uint16_t a, unsigned mode);
uint32_t f32_from_bf16_any(uint16_t a, unsigned mode);
uint32_t f32_from_f64_any(uint64_t a, unsigned mode);
uint64_t f64_from_f16_any(uint16_t a, unsigned mode);
uint64_t f64_from_bf16_any(uint16_t a, unsigned mode);
uint64_t f64_from_f32_any(uint32_t a, unsigned mode);

/* A NaN keeps its sign and the payload that fits, and becomes quiet. */
LANE_INLINE uint32_t f32_narrow(uint64_t a)
{
    uint32_t nan = (uint32_t)(a >> 32 & F32_SIGN) | 0x7fc00000 | (uint32_t)(a >> 29 & 0x7fffff);
    return f64_is_nan(a) ? nan : f32_bits((float)f64_host(a));
}

LANE_INLINE uint64_t f64_widen(uint32_t a)
{
    uint64_t nan = (uint64_t)(a & F32_SIGN) << 32 | F64_INFINITY | F64_QUIET |
                   (uint64_t)(a & 0x7fffff) << 29;
    return f32_is_nan(a) ? nan : f64_bits((double)f32_host(a));
}

#define FLOAT_FROM_FLOAT(D, uintd, S, uints, QUICK)                           \
    LANE_INLINE uintd D##_from_##S(uints a, unsigned mode)                    \
    {                                                                         \
        QUICK                                                                 \
        return D##_from_##S##_any(a, mode);                                   \
    }
#define NEAREST(result)                                                       \
    if (mode == ROUND_NEAREST_EVEN)                                           \
        return result;

FLOAT_FROM_FLOAT(f16, uint16_t, f16, uint16_t, )
FLOAT_FROM_FLOAT(f16, uint16_t, bf16, uint16_t, )
FLOAT_FROM_FLOAT(f16, uint16_t, f32, uint32_t, NEAREST((uint16_t)f16_narrow(f32_host(a))))
FLOAT_FROM_FLOAT(f16, uint16_t, f64, uint64_t, )
FLOAT_FROM_FLOAT(bf16, uint16_t, f16, uint16_t, )
FLOAT_FROM_FLOAT(bf16, uint16_t, bf16, uint16_t, )
FLOAT_FROM_FLOAT(bf16, uint16_t, f32, uint32_t, NEAREST((uint16_t)bf16_narrow(f32_host(a))))
FLOAT_FROM_FLOAT(bf16, uint16_t, f64, uint64_t, )
FLOAT_FROM_FLOAT(f32, uint32_t, f16, uint16_t, NEAREST(f32_settle(f32_bits(f16_widen(a)))))
FLOAT_FROM_FLOAT(f32, uint32_t, bf16, uint16_t, NEAREST((uint32_t)a << 16))
FLOAT_FROM_FLOAT(f32, uint32_t, f64, uint64_t, NEAREST(f32_narrow(a)))
FLOAT_FROM_FLOAT(f64, uint64_t, f16, uint16_t, )
FLOAT_FROM_FLOAT(f64, uint64_t, bf16, uint16_t, )
FLOAT_FROM_FLOAT(f64, uint64_t, f32, uint32_t, NEAREST(f64_widen(a)))
#undef FLOAT_FROM_FLOAT
#undef NEAREST

/* Within a type: to an integral value with MODE_INTEGRAL, and the flags. */
#define FLOAT_FROM_SAME(T, uint, one, infinity)                               \
    LANE_INLINE uint T##_from_##T(uint a, unsigned mode)                      \
    {                                                                         \
        a = mode & MODE_FTZ ? T##_flush(a) : a;                               \
        uint whole = T##_bits(T##_to_integral(T##_host(a), mode & ROUND_MASK)); \
        uint r = T##_is_nan(a) ? T##_settle(a) : mode & MODE_INTEGRAL ? whole : a; \
        uint clamped = r > infinity ? 0 : r > one ? one : r;                  \
        return mode & MODE_SAT ? clamped : r;                                 \
    }
FLOAT_FROM_SAME(f32, uint32_t, 0x3f800000, F32_INFINITY)
FLOAT_FROM_SAME(f64, uint64_t, 0x3ff0000000000000, F64_INFINITY)
#undef FLOAT_FROM_SAME

/* Nearest even and toward zero as one would expect, with NaN 7fffe000; no step
 * can leave f32's exponent range but to infinity. .rna is other code on the
 * device: half a unit is added to anything but infinities and NaNs, and the
 * low bits are cut, of a NaN too; .satfinite then takes one unit off
 * infinities and NaNs alike. All measured on H200. */
LANE_INLINE uint32_t tf32_from_f32(uint32_t a, unsigned mode)
{
    unsigned direction = mode & ROUND_MASK;
    bool special = (a & F32_INFINITY) == F32_INFINITY;
    uint32_t add = direction == ROUND_NEAREST_AWAY  ? 0x1000
                   : direction == ROUND_NEAREST_EVEN ? 0xfff + (a >> 13 & 1)
                                                     : 0;
    uint32_t r = (a + (special ? 0 : add)) & 0xffffe000;
    if (direction == ROUND_NEAREST_AWAY) {
        bool limited = (mode & MODE_SATFINITE) && (r & F32_INFINITY) == F32_INFINITY;
        return r - (limited ? 0x2000 : 0);
    }
    r = (mode & MODE_RELU) && (r & F32_SIGN) ? 0 : r;
    return f32_is_nan(a) ? F32_NAN & 0xffffe000 : r;
}

/* cvt.T.f32 of two operands: a to the high half. */
#define PAIR_FROM_F32(T)                                                      \
    LANE_INLINE uint32_t T##x2_from_f32(uint32_t a, uint32_t b, unsigned mode) \
    {                                                                         \
        if (mode == ROUND_NEAREST_EVEN)                                       \
            return PAIR(T##_narrow(f32_host(b)), T##_narrow(f32_host(a)));    \
        return PAIR(T##_from_f32(b, mode), T##_from_f32(a, mode));            \
    }
PAIR_FROM_F32(f16)
PAIR_FROM_F32(bf16)
#undef PAIR_FROM_F32

/* --- 8-bit floats -------------------------------------------------------- */

/* T_from_f32: always nearest even and .satfinite; inf and overflow give the
 * largest finite number, NaN gives 7f. f16_from_T: exact; NaN gives 7fff.
 * MODE_RELU. e4m3 (bias 7) has numbers in its highest exponent and no
 * infinity; e5m2 is the top byte of f16. */
#define EIGHT_BIT_FROM_F32(T, fraction, bias, most)                           \
    LANE_INLINE uint32_t T##_from_f32(uint32_t a, unsigned mode)              \
    {                                                                         \
        uint32_t magnitude = a & (F32_SIGN - 1), drop = 23 - fraction;        \
        uint32_t normal = magnitude + ((1u << (drop - 1)) - 1) + (magnitude >> drop & 1); \
        normal = (normal - ((127u - bias) << 23)) >> drop;                    \
        /* A power of two whose last place is that of the denormals. */       \
        uint32_t step = (127u + 24 - bias - fraction) << 23;                  \
        uint32_t tiny = f32_bits(f32_host(magnitude) + f32_host(step)) - step; \
        uint32_t r = magnitude < (128u - bias) << 23 ? tiny : normal;         \
        r = (r > most ? most : r) | (a >> 24 & 0x80);                         \
        r = (mode & MODE_RELU) && (a & F32_SIGN) ? 0 : r;                     \
        return magnitude > F32_INFINITY ? 0x7f : r;                           \
    }
EIGHT_BIT_FROM_F32(e4m3, 3, 7, 0x7eu)
EIGHT_BIT_FROM_F32(e5m2, 2, 15, 0x7bu)
#undef EIGHT_BIT_FROM_F32

LANE_INLINE uint32_t f16_from_e4m3(uint32_t a, unsigned mode)
{
    /* The bias differs by 8. */
    uint32_t r = f16_narrow(f16_widen((a & 0x7f) << 7) * 256.0f) | (a & 0x80) << 8;
    r = (mode & MODE_RELU) && (a & 0x80) ? 0 : r;
    return (a & 0x7f) == 0x7f ? F16_NAN : r;
}

LANE_INLINE uint32_t f16_from_e5m2(uint32_t a, unsigned mode)
{
    uint32_t r = (mode & MODE_RELU) && (a & 0x80) ? 0 : a << 8;
    return (a & 0x7f) > 0x7c ? F16_NAN : r;
}

#define EIGHT_BIT_PAIRS(T)                                                    \
    LANE_INLINE uint16_t T##x2_from_f32(uint32_t a, uint32_t b, unsigned mode) \
    {                                                                         \
        return (uint16_t)(T##_from_f32(a, mode) << 8 | T##_from_f32(b, mode)); \
    }                                                                         \
    LANE_INLINE uint16_t T##x2_from_f16x2(uint32_t a, unsigned mode)          \
    {                                                                         \
        return T##x2_from_f32(f32_bits(f16_widen(HIGH(a))),                   \
                              f32_bits(f16_widen(LOW(a))), mode);             \
    }                                                                         \
    LANE_INLINE uint32_t f16x2_from_##T##x2(uint32_t a, unsigned mode)        \
    {                                                                         \
        return PAIR(f16_from_##T(a & 0xff, mode), f16_from_##T(a >> 8 & 0xff, mode)); \
    }
EIGHT_BIT_PAIRS(e4m3)
EIGHT_BIT_PAIRS(e5m2)
#undef EIGHT_BIT_PAIRS

#endif
