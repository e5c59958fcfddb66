/* SPDX-License-Identifier: Apache-2.0
 *
 * approx.c - see approx.h. */
#include "numeric/approx.h"

#include "numeric/convert.h"
#include "numeric/float.h"
#include "numeric/mufu_tables.h"

/* --- the unit ---------------------------------------------------------------------- */

/* About x^2 / 2^19: every partial product of the square is cut before the sum. */
static int64_t square(uint32_t x)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < 17; i++)
        sum += (x >> i & 1) * (x >> (18 - i));
    return sum >> 1;
}

static int64_t quadratic(const struct mufu_segment *segment, uint32_t l, int64_t s,
                         unsigned a_shift, unsigned c_shift, int64_t k)
{
    return (int64_t)segment->a * ((int64_t)1 << a_shift) + (int64_t)segment->b * l +
           (int64_t)segment->c * s * ((int64_t)1 << c_shift) + k;
}

/* A 24-bit significand in [2^23, 2^24] and a biased exponent, as f32: too small
 * gives a signed zero, too large infinity. */
static uint32_t pack(uint32_t sign, int32_t exponent, uint64_t significand)
{
    if (significand >> 24) {
        exponent++;
        significand >>= 1;
    }
    if (exponent <= 0)
        return sign;
    if (exponent >= 255)
        return sign | F32_INFINITY;
    return sign | (uint32_t)exponent << 23 | ((uint32_t)significand & 0x7fffff);
}

/* A positive fixed-point number with that many fraction bits, cut to f32. */
static uint32_t pack_fixed(uint32_t sign, uint64_t value, int fraction_bits)
{
    if (!value)
        return sign;
    int top = 63 - __builtin_clzll(value);
    uint64_t significand = top >= 23 ? value >> (top - 23) : value << (23 - top);
    return pack(sign, 127 + top - fraction_bits, significand);
}

static uint64_t rcp_significand(uint32_t fraction)
{
    uint32_t l = fraction & 0xffff;

    return (uint64_t)quadratic(&mufu_rcp[fraction >> 16], l, square(2 * l), 13, 0, 0x47e7) >> 15;
}

/* m: the fraction, and bit 23 where the unbiased exponent is odd. */
static uint64_t rsqrt_significand(uint32_t m)
{
    uint32_t l = m & 0x1ffff;

    if (!m)
        return 1 << 24;
    return (uint64_t)quadratic(&mufu_rsqrt[m >> 17], l, square(l), 14, 2, 0x7fff) >> 16;
}

enum { FRACTION = 0x7fffff };
#define MAGNITUDE(a) ((a) & ~F32_SIGN)
#define EXPONENT(a) ((int32_t)((a) >> 23 & 255))
/* Fraction with the exponent's parity above it, as rsqrt and sqrt want it. */
#define WITH_PARITY(a) (((a) & FRACTION) | ((~(a) >> 23 & 1) << 23))

static int32_t half_exponent(uint32_t a)
{
    return (EXPONENT(a) - 127) >> 1; /* rounds down */
}

static uint32_t mufu_rcp_f32(uint32_t a)
{
    uint32_t sign = a & F32_SIGN;

    if (MAGNITUDE(a) > F32_INFINITY)
        return F32_NAN;
    if (MAGNITUDE(a) == F32_INFINITY)
        return sign;
    if (!EXPONENT(a))
        return sign | F32_INFINITY;
    return pack(sign, 253 - EXPONENT(a), rcp_significand(a & FRACTION));
}

static uint32_t mufu_rsqrt_f32(uint32_t a)
{
    if (MAGNITUDE(a) > F32_INFINITY)
        return F32_NAN;
    if (!EXPONENT(a))
        return (a & F32_SIGN) | F32_INFINITY;
    if (a & F32_SIGN)
        return F32_NAN;
    if (a == F32_INFINITY)
        return 0;
    return pack(0, 126 - half_exponent(a), rsqrt_significand(WITH_PARITY(a)));
}

static uint32_t mufu_sqrt_f32(uint32_t a)
{
    uint32_t m = WITH_PARITY(a), l = m & 0x1ffff;

    if (MAGNITUDE(a) > F32_INFINITY)
        return F32_NAN;
    if (!EXPONENT(a))
        return a & F32_SIGN;
    if (a & F32_SIGN)
        return F32_NAN;
    if (a == F32_INFINITY)
        return a;
    return pack(0, 127 + half_exponent(a),
                (uint64_t)quadratic(&mufu_sqrt[m >> 17], l, square(l), 15, 1, 0x7fff) >> 17);
}

static uint32_t mufu_ex2_f32(uint32_t a)
{
    int32_t exponent = EXPONENT(a) - 127;
    uint32_t fixed, f, l;
    int32_t whole;

    if (MAGNITUDE(a) > F32_INFINITY)
        return F32_NAN;
    if (exponent >= 7)
        return a & F32_SIGN ? 0 : F32_INFINITY;
    /* |a| with 23 fraction bits, cut. */
    fixed = (a & FRACTION) | 1 << 23;
    if (!EXPONENT(a) || exponent < -23)
        fixed = 0;
    else if (exponent < 0)
        fixed >>= -exponent;
    else
        fixed <<= exponent;
    whole = (int32_t)(fixed >> 23);
    f = fixed & FRACTION;
    if (a & F32_SIGN) {
        whole = f ? -whole - 1 : -whole;
        f = f ? ~f & FRACTION : 0;
    }
    l = f & 0x1ffff;
    return pack(0, 127 + whole,
                (uint64_t)quadratic(&mufu_ex2[f >> 17], l, square(l), 13, 0, 0x77e2) >> 15);
}

static uint32_t mufu_lg2_f32(uint32_t a)
{
    uint32_t m = a & FRACTION, l = m & 0x1ffff;

    if (MAGNITUDE(a) > F32_INFINITY)
        return F32_NAN;
    if (!EXPONENT(a))
        return F32_SIGN | F32_INFINITY;
    if (a & F32_SIGN)
        return F32_NAN;
    if (a == F32_INFINITY)
        return a;
    if (a == 0x3f800000)
        return 0;
    int64_t r = (quadratic(&mufu_lg2[m >> 17], l, square(l), 12, 1, 0x3345) >> 2) +
                (int64_t)(EXPONENT(a) - 127) * ((int64_t)1 << 36);
    if (r < 0)
        return pack_fixed(F32_SIGN, (uint64_t)~r, 36);
    return pack_fixed(0, (uint64_t)r, 36);
}

/* a counts turns. quarter: 0 for sine, 1 for cosine. */
static uint32_t mufu_sin_f32(uint32_t a, uint32_t quarter)
{
    int32_t exponent = EXPONENT(a) - 127;
    uint64_t significand = (a & FRACTION) | 1 << 23;
    uint32_t turn, quadrant, f, l, sign = quarter ? 0 : a & F32_SIGN;

    if (MAGNITUDE(a) >= F32_INFINITY)
        return F32_NAN;
    /* The fraction of a turn in 25 bits, cut; whole turns drop out. */
    if (!EXPONENT(a) || exponent < -25)
        turn = 0;
    else if (exponent + 2 >= 0)
        turn = exponent + 2 < 25 ? (uint32_t)(significand << (exponent + 2)) & 0x1ffffff : 0;
    else
        turn = (uint32_t)(significand >> -(exponent + 2));
    quadrant = (turn >> 23) + quarter;
    f = turn & FRACTION;
    if (quadrant & 1)
        f = ~f & FRACTION;
    sign ^= (quadrant >> 1 & 1) << 31;
    l = f & 0x1ffff;
    return pack_fixed(sign, (uint64_t)quadratic(&mufu_sin[f >> 17], l, square(l), 11, 0, 0), 37);
}

uint32_t f32_tanh_approx(uint32_t a)
{
    uint32_t sign = a & F32_SIGN;
    int32_t exponent = EXPONENT(a) - 127;

    if (MAGNITUDE(a) > F32_INFINITY)
        return F32_NAN;
    if (exponent < -8)
        return a;
    if (exponent >= 3)
        return sign | 0x3f800000;
    const struct tanh_binade *binade = &tanh_binades[exponent + 8];
    uint32_t fraction = a & FRACTION;
    uint32_t segment = fraction >> (23 - binade->bits);
    uint32_t l = fraction >> (6 - binade->bits) & 0x1ffff;
    const struct tanh_segment *s = &tanh_segments[binade->first + segment];
    int64_t r = s->a + s->b * (int64_t)l + s->c * square(l);
    if (r >= (int64_t)1 << binade->shift)
        return sign | 0x3f800000;
    return pack_fixed(sign, (uint64_t)r, binade->shift);
}

/* --- the instructions ----------------------------------------------------------------- */

#define TINY 0x00800000u /* 2^-126 */
#define HUGE_F32 0x7e800000u /* 2^126 */
#define TWO_24 0x4b800000u
#define QUARTER 0x3e800000u
#define ONE 0x3f800000u

uint32_t f32_rcp_approx(uint32_t a, unsigned mode)
{
    uint32_t magnitude = MAGNITUDE(a), scale;

    if (mode & MODE_FTZ)
        return mufu_rcp_f32(a);
    scale = magnitude < TINY                                        ? TWO_24
            : magnitude > HUGE_F32 && magnitude <= F32_INFINITY ? QUARTER
                                                                    : ONE;
    return f32_mul(scale, mufu_rcp_f32(f32_mul(a, scale, 0)), 0);
}

uint32_t f32_rsqrt_approx(uint32_t a, unsigned mode)
{
    if (mode & MODE_FTZ || MAGNITUDE(a) >= TINY)
        return mufu_rsqrt_f32(a);
    return f32_mul(mufu_rsqrt_f32(f32_mul(a, TWO_24, 0)), 0x45800000 /* 2^12 */, 0);
}

uint32_t f32_sqrt_approx(uint32_t a, unsigned mode)
{
    if (mode & MODE_FTZ || MAGNITUDE(a) >= TINY)
        return mufu_sqrt_f32(a);
    return f32_mul(mufu_sqrt_f32(f32_mul(a, TWO_24, 0)), 0x39800000 /* 2^-12 */, 0);
}

uint32_t f32_ex2_approx(uint32_t a, unsigned mode)
{
    /* Below -126 the result is a denormal: the square of the half power. */
    if (mode & MODE_FTZ || !(a & F32_SIGN) || MAGNITUDE(a) <= 0x42fc0000 ||
        MAGNITUDE(a) > F32_INFINITY)
        return mufu_ex2_f32(a);
    uint32_t root = mufu_ex2_f32(f32_mul(a, 0x3f000000, 0));
    return f32_mul(root, root, 0);
}

uint32_t f32_lg2_approx(uint32_t a, unsigned mode)
{
    if (mode & MODE_FTZ || MAGNITUDE(a) >= TINY)
        return mufu_lg2_f32(a);
    return f32_add(mufu_lg2_f32(f32_mul(a, TWO_24, 0)), 0xc1c00000 /* -24 */, 0);
}

uint32_t f32_sin_approx(uint32_t a)
{
    return mufu_sin_f32(f32_mul(a, 0x3e22f983, ROUND_ZERO), 0);
}

uint32_t f32_cos_approx(uint32_t a)
{
    return mufu_sin_f32(f32_mul(a, 0x3e22f983, ROUND_ZERO), 1);
}

uint32_t f32_div_approx(uint32_t a, uint32_t b, unsigned mode)
{
    if (mode & MODE_FTZ)
        return f32_mul(a, mufu_rcp_f32(b), MODE_FTZ);
    if (MAGNITUDE(b) < TINY) {
        a = f32_mul(a, TWO_24, 0);
        b = f32_mul(b, TWO_24, 0);
    }
    return f32_mul(mufu_rcp_f32(b), a, 0);
}

uint32_t f32_div_full(uint32_t a, uint32_t b, unsigned mode)
{
    unsigned ftz = mode & MODE_FTZ;

    if (MAGNITUDE(b) > HUGE_F32 && MAGNITUDE(b) <= F32_INFINITY) {
        a = f32_mul(a, QUARTER, ftz);
        b = f32_mul(b, QUARTER, ftz);
    } else if (!ftz && MAGNITUDE(b) < TINY) {
        a = f32_mul(a, TWO_24, 0);
        b = f32_mul(b, TWO_24, 0);
    }
    return f32_mul(mufu_rcp_f32(b), a, ftz);
}

/* Half precision: the f32 result, cut to the narrower format. */
static uint16_t f16_cut(uint32_t a)
{
    return MAGNITUDE(a) > F32_INFINITY ? F16_NAN : f16_from_f32(a, ROUND_ZERO);
}

static uint16_t bf16_cut(uint32_t a)
{
    return MAGNITUDE(a) > F32_INFINITY ? BF16_NAN : (uint16_t)(a >> 16);
}

uint16_t f16_ex2_approx(uint16_t a)
{
    uint32_t result = mufu_ex2_f32(f32_from_f16(a, 0));

    /* Overflow is infinity, not the largest number. */
    if (MAGNITUDE(result) >= 0x47800000 && MAGNITUDE(result) <= F32_INFINITY)
        return F16_INFINITY;
    return f16_cut(result);
}

uint16_t f16_tanh_approx(uint16_t a)
{
    return f16_cut(f32_tanh_approx(f32_from_f16(a, 0)));
}

uint16_t bf16_ex2_approx(uint16_t a)
{
    return bf16_cut(mufu_ex2_f32((uint32_t)a << 16));
}

uint16_t bf16_tanh_approx(uint16_t a)
{
    return bf16_cut(f32_tanh_approx((uint32_t)a << 16));
}

/* --- f64: the high word through the same tables ------------------------------------------ */

#define F64_HIGH_NAN 0x7fffffff00000000u

static uint64_t pack_high(uint64_t sign, int32_t exponent, uint64_t significand)
{
    if (significand >> 24) {
        exponent++;
        significand >>= 1;
    }
    if (exponent <= 0)
        return sign;
    if (exponent >= 2047)
        return sign | F64_INFINITY;
    return sign | (uint64_t)exponent << 52 | (significand >> 3 & 0xfffff) << 32;
}

/* The unit never sees the low word: a NaN with its payload there is infinity. */
#define HIGH_WORD UINT64_C(0xffffffff00000000)

uint64_t f64_rcp_approx(uint64_t a)
{
    uint64_t sign = a & F64_SIGN, magnitude = a & ~F64_SIGN & HIGH_WORD;
    int32_t exponent = (int32_t)(magnitude >> 52);

    if (magnitude > F64_INFINITY)
        return F64_HIGH_NAN;
    if (magnitude == F64_INFINITY)
        return sign;
    if (!exponent)
        return sign | F64_INFINITY;
    return pack_high(sign, 2045 - exponent,
                     rcp_significand((uint32_t)(magnitude >> 32 & 0xfffff) << 3));
}

/* rsqrt.approx.ftz.f64 */
static uint64_t mufu_rsqrt_f64(uint64_t a)
{
    uint64_t magnitude = a & ~F64_SIGN & HIGH_WORD;
    int32_t exponent = (int32_t)(magnitude >> 52);
    uint32_t m = (uint32_t)(magnitude >> 32 & 0xfffff) << 3 | (uint32_t)(~exponent & 1) << 23;

    if (magnitude > F64_INFINITY)
        return F64_HIGH_NAN;
    if (!exponent)
        return (a & F64_SIGN) | F64_INFINITY;
    if (a & F64_SIGN)
        return F64_HIGH_NAN;
    if (magnitude == F64_INFINITY)
        return 0;
    return pack_high(0, 1022 - ((exponent - 1023) >> 1), rsqrt_significand(m));
}

/* The Newton step that ptxas puts behind the unit. */
static uint64_t refine_rsqrt(uint64_t a)
{
    uint64_t y = mufu_rsqrt_f64(a) & HIGH_WORD;
    uint64_t error = f64_fma(a, f64_mul(y, y, 0) ^ F64_SIGN, 0x3ff0000000000000, 0);
    uint64_t factor = f64_fma(error, 0x3fd8000000000000, 0x3fe0000000000000, 0);

    return f64_fma(factor, f64_mul(y, error, 0), y, 0);
}

uint64_t f64_rsqrt_approx(uint64_t a, unsigned mode)
{
    uint64_t magnitude = a & ~F64_SIGN;

    if (mode & MODE_FTZ)
        return mufu_rsqrt_f64(a);
    if (!magnitude)
        return a | F64_INFINITY;
    if (magnitude > F64_INFINITY)
        return f64_add(a, a, 0);
    if (a & F64_SIGN)
        return F64_INVALID;
    if (a == F64_INFINITY)
        return 0;
    if (magnitude >> 52)
        return refine_rsqrt(a);
    /* A denormal: times 2^54, and the root back by 2^27. */
    return f64_mul(refine_rsqrt(f64_mul(a, 0x4350000000000000, 0)), 0x41a0000000000000, 0);
}
