/* SPDX-License-Identifier: Apache-2.0
 *
 * approx.h - the approximate instructions, exact to the bit as sm_90 computes
 * them: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh, div.approx and div.full.
 *
 * What PTX calls .approx without .ftz is a few ordinary instructions around the
 * unit (mufu.h), the ones ptxas emits: they scale by powers of two, where nothing
 * needs to be scaled by one. mode: 0 or MODE_FTZ. Branch-free, as mufu.h is. */
#ifndef SIMTLAB_NUMERIC_APPROX_H
#define SIMTLAB_NUMERIC_APPROX_H

#include <stdint.h>

#include "numeric/convert.h"
#include "numeric/float.h"
#include "numeric/mufu.h"

#define APPROX_TINY 0x00800000u    /* 2^-126 */
#define APPROX_HUGE 0x7e800000u    /* 2^126 */
#define APPROX_TWO_24 0x4b800000u  /* 2^24 */
#define APPROX_QUARTER 0x3e800000u
#define APPROX_ONE 0x3f800000u

LANE_INLINE bool approx_is_tiny(uint32_t a)
{
    return MUFU_MAGNITUDE(a) < APPROX_TINY;
}
LANE_INLINE bool approx_is_huge(uint32_t a)
{
    return MUFU_MAGNITUDE(a) > APPROX_HUGE && MUFU_MAGNITUDE(a) <= F32_INFINITY;
}

/* --- f32 --------------------------------------------------------------------------- */

/* Each in two parts: what the unit gets (x), and the result from what it gives (y). */

LANE_INLINE uint32_t rcp_approx_scale(uint32_t a)
{
    uint32_t scale = approx_is_tiny(a) ? APPROX_TWO_24 : APPROX_ONE;

    return approx_is_huge(a) ? APPROX_QUARTER : scale;
}
LANE_INLINE uint32_t rcp_approx_x(uint32_t a, unsigned mode)
{
    return mode & MODE_FTZ ? a : f32_mul(a, rcp_approx_scale(a), 0);
}
LANE_INLINE uint32_t rcp_approx_y(uint32_t a, uint32_t y, unsigned mode)
{
    return mode & MODE_FTZ ? y : f32_mul(rcp_approx_scale(a), y, 0);
}

/* 2^24 times a tiny operand, and its root divided again. */
LANE_INLINE uint32_t rsqrt_x(uint32_t a, unsigned mode)
{
    uint32_t scale = approx_is_tiny(a) ? APPROX_TWO_24 : APPROX_ONE;

    return mode & MODE_FTZ ? a : f32_mul(a, scale, 0);
}
LANE_INLINE uint32_t rsqrt_y(uint32_t a, uint32_t y, unsigned mode)
{
    uint32_t scale = approx_is_tiny(a) ? 0x45800000 /* 2^12 */ : APPROX_ONE;

    return mode & MODE_FTZ ? y : f32_mul(y, scale, 0);
}
LANE_INLINE uint32_t sqrt_approx_x(uint32_t a, unsigned mode)
{
    return rsqrt_x(a, mode);
}
LANE_INLINE uint32_t sqrt_approx_y(uint32_t a, uint32_t y, unsigned mode)
{
    uint32_t scale = approx_is_tiny(a) ? 0x39800000 /* 2^-12 */ : APPROX_ONE;

    return mode & MODE_FTZ ? y : f32_mul(y, scale, 0);
}

/* Below -126 the result is a denormal: the square of the half power. */
LANE_INLINE bool ex2_is_halved(uint32_t a)
{
    return a > 0xc2fc0000 && a <= (F32_SIGN | F32_INFINITY);
}
LANE_INLINE uint32_t ex2_x(uint32_t a, unsigned mode)
{
    uint32_t scale = ex2_is_halved(a) ? 0x3f000000 /* 1/2 */ : APPROX_ONE;

    return mode & MODE_FTZ ? a : f32_mul(a, scale, 0);
}
LANE_INLINE uint32_t ex2_y(uint32_t a, uint32_t y, unsigned mode)
{
    return mode & MODE_FTZ ? y : f32_mul(y, ex2_is_halved(a) ? y : APPROX_ONE, 0);
}

LANE_INLINE uint32_t lg2_x(uint32_t a, unsigned mode)
{
    return rsqrt_x(a, mode);
}
LANE_INLINE uint32_t lg2_y(uint32_t a, uint32_t y, unsigned mode)
{
    /* y - 0 is y, a zero's sign included. */
    return mode & MODE_FTZ ? y : f32_sub(y, approx_is_tiny(a) ? 0x41c00000 /* 24 */ : 0, 0);
}

/* a / (2 pi), cut: the product is exact in f64. Denormal ones come out as zero, the
 * unit does not tell them apart. */
LANE_INLINE uint32_t sin_x(uint32_t a, unsigned mode)
{
    uint64_t product = f64_bits((double)f32_host(a) * (double)f32_host(0x3e22f983));
    int32_t exponent = (int32_t)(product >> 52 & 2047) - (1023 - 127);
    uint32_t sign = a & F32_SIGN;
    uint32_t bits = sign | (uint32_t)exponent << 23 | ((uint32_t)(product >> 29) & 0x7fffff);

    (void)mode;
    bits = exponent <= 0 ? sign : bits;
    return MUFU_MAGNITUDE(a) >= F32_INFINITY ? F32_NAN : bits;
}
LANE_INLINE uint32_t cos_x(uint32_t a, unsigned mode)
{
    return sin_x(a, mode);
}
LANE_INLINE uint32_t sin_y(uint32_t a, uint32_t y, unsigned mode)
{
    return (void)a, (void)mode, y;
}
LANE_INLINE uint32_t cos_y(uint32_t a, uint32_t y, unsigned mode)
{
    return (void)a, (void)mode, y;
}

LANE_INLINE uint32_t tanh_x(uint32_t a, unsigned mode)
{
    return (void)mode, a;
}
LANE_INLINE uint32_t tanh_y(uint32_t a, uint32_t y, unsigned mode)
{
    return (void)a, (void)mode, y;
}

#define APPROX_WHOLE(op, unit)                                               \
    {                                                                        \
        return op##_y(a, mufu_##unit##_f32(op##_x(a, mode)), mode);          \
    }
LANE_INLINE uint32_t f32_rcp_approx(uint32_t a, unsigned mode) APPROX_WHOLE(rcp_approx, rcp)
LANE_INLINE uint32_t f32_rsqrt_approx(uint32_t a, unsigned mode) APPROX_WHOLE(rsqrt, rsqrt)
LANE_INLINE uint32_t f32_sqrt_approx(uint32_t a, unsigned mode) APPROX_WHOLE(sqrt_approx, sqrt)
LANE_INLINE uint32_t f32_ex2_approx(uint32_t a, unsigned mode) APPROX_WHOLE(ex2, ex2)
LANE_INLINE uint32_t f32_lg2_approx(uint32_t a, unsigned mode) APPROX_WHOLE(lg2, lg2)
#undef APPROX_WHOLE

LANE_INLINE uint32_t f32_sin_approx(uint32_t a)
{
    return mufu_sin_f32(sin_x(a, 0));
}
LANE_INLINE uint32_t f32_cos_approx(uint32_t a)
{
    return mufu_cos_f32(cos_x(a, 0));
}
LANE_INLINE uint32_t f32_tanh_approx(uint32_t a)
{
    return mufu_tanh_f32(a);
}

/* Quotients: both operands scaled, the unit gets the divisor. */
LANE_INLINE uint32_t div_approx_scale(uint32_t b)
{
    return approx_is_tiny(b) ? APPROX_TWO_24 : APPROX_ONE;
}
LANE_INLINE uint32_t div_approx_x(uint32_t b, unsigned mode)
{
    return mode & MODE_FTZ ? b : f32_mul(b, div_approx_scale(b), 0);
}
LANE_INLINE uint32_t div_approx_y(uint32_t a, uint32_t b, uint32_t y, unsigned mode)
{
    if (mode & MODE_FTZ)
        return f32_mul(y, a, MODE_FTZ);
    return f32_mul(y, f32_mul(a, div_approx_scale(b), 0), 0);
}
LANE_INLINE uint32_t div_full_scale(uint32_t b, unsigned mode)
{
    uint32_t scale = approx_is_huge(b) ? APPROX_QUARTER : APPROX_ONE;

    return !(mode & MODE_FTZ) && approx_is_tiny(b) ? APPROX_TWO_24 : scale;
}
LANE_INLINE uint32_t div_full_x(uint32_t b, unsigned mode)
{
    return mode & MODE_FTZ ? f32_mul(b, div_full_scale(b, mode), MODE_FTZ)
                           : f32_mul(b, div_full_scale(b, mode), 0);
}
LANE_INLINE uint32_t div_full_y(uint32_t a, uint32_t b, uint32_t y, unsigned mode)
{
    if (mode & MODE_FTZ)
        return f32_mul(y, f32_mul(a, div_full_scale(b, mode), MODE_FTZ), MODE_FTZ);
    return f32_mul(y, f32_mul(a, div_full_scale(b, mode), 0), 0);
}
LANE_INLINE uint32_t f32_div_approx(uint32_t a, uint32_t b, unsigned mode)
{
    return div_approx_y(a, b, mufu_rcp_f32(div_approx_x(b, mode)), mode);
}
LANE_INLINE uint32_t f32_div_full(uint32_t a, uint32_t b, unsigned mode)
{
    return div_full_y(a, b, mufu_rcp_f32(div_full_x(b, mode)), mode);
}

/* --- half precision: the f32 result, cut to the narrower format --------------------- */

LANE_INLINE uint16_t approx_cut_bf16(uint32_t a)
{
    return (uint16_t)(a >> 16); /* the unit's NaN becomes that of bf16 */
}

/* Beyond the largest f16 lies infinity, though the rounding is toward zero. */
LANE_INLINE uint16_t approx_cut_f16(uint32_t a)
{
    uint32_t magnitude = MUFU_MAGNITUDE(a), exponent = magnitude >> 23;
    uint32_t normal = (magnitude - (112u << 23)) >> 13;
    /* In units of 2^-24. */
    uint32_t shift = exponent < 126 - 31 ? 31 : 126 - exponent;
    uint32_t tiny = ((magnitude & MUFU_FRACTION) | 1u << 23) >> (shift & 31);
    uint32_t result = exponent < 113 ? tiny : normal;

    result = magnitude >= 0x47800000 ? F16_INFINITY : result;
    result |= a >> 16 & F16_SIGN;
    return (uint16_t)(magnitude > F32_INFINITY ? F16_NAN : result);
}

/* The unit's operands for half precision; a NaN is some NaN. */
LANE_INLINE uint32_t approx_from_f16(uint32_t a)
{
    return f32_bits(f16_widen(a));
}
LANE_INLINE uint32_t approx_from_bf16(uint32_t a)
{
    return a << 16;
}

LANE_INLINE uint16_t f16_ex2_approx(uint16_t a)
{
    return approx_cut_f16(mufu_ex2_f32(approx_from_f16(a)));
}

LANE_INLINE uint16_t f16_tanh_approx(uint16_t a)
{
    return approx_cut_f16(mufu_tanh_f32(approx_from_f16(a)));
}

LANE_INLINE uint16_t bf16_ex2_approx(uint16_t a)
{
    return approx_cut_bf16(mufu_ex2_f32(approx_from_bf16(a)));
}

LANE_INLINE uint16_t bf16_tanh_approx(uint16_t a)
{
    return approx_cut_bf16(mufu_tanh_f32(approx_from_bf16(a)));
}

/* --- f64 ----------------------------------------------------------------------------- */

/* .ftz: the only form */
LANE_INLINE uint64_t f64_rcp_approx(uint64_t a)
{
    return mufu_rcp_f64(a);
}

/* Without .ftz: the unit gets a denormal times 2^54, and the root goes back by 2^27. */
LANE_INLINE bool rsqrt_f64_tiny(uint64_t a)
{
    return !((a & ~F64_SIGN) >> 52);
}
LANE_INLINE uint64_t rsqrt_f64_x(uint64_t a)
{
    return f64_bits(f64_host(a) * (rsqrt_f64_tiny(a) ? 0x1p54 : 1.0));
}
/* y: what the unit gives for x. Behind it ptxas puts a Newton step. */
LANE_INLINE double rsqrt_f64_step(double x, uint64_t y)
{
    double first = f64_host(y);
    double error = __builtin_fma(x, -(first * first), 1.0);
    double factor = __builtin_fma(error, 0.375, 0.5);

    return __builtin_fma(factor, first * error, first);
}
/* What hosts make of infinities and NaNs in that step does not count. */
LANE_INLINE uint64_t rsqrt_f64_y(uint64_t a, uint64_t x, uint64_t y)
{
    uint64_t magnitude = a & ~F64_SIGN;
    double step = rsqrt_f64_step(f64_host(x), y);
    uint64_t root = f64_bits(rsqrt_f64_tiny(a) ? step * 0x1p27 : step);

    root = a == F64_INFINITY ? 0 : root;
    root = a & F64_SIGN ? F64_INVALID : root;
    root = magnitude > F64_INFINITY ? a | F64_QUIET : root;
    return !magnitude ? a | F64_INFINITY : root;
}

LANE_INLINE uint64_t f64_rsqrt_approx(uint64_t a, unsigned mode)
{
    if (mode & MODE_FTZ)
        return mufu_rsqrt_f64(a);
    return rsqrt_f64_y(a, rsqrt_f64_x(a), mufu_rsqrt_f64(rsqrt_f64_x(a)));
}

#endif
