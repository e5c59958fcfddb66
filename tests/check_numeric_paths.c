/* SPDX-License-Identifier: Apache-2.0
 *
 * check_numeric_paths.c - the quick ways against slow and independent ones.
 *
 * The recordings of check_numeric.c fix the rules; here the inline forms are
 * compared with the integer core on many operands near the places where they
 * could differ, and both with rounding done in the host's double for the
 * 16-bit formats, over all values where that is possible. */
#include "tests/suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#include "numeric/convert.h"
#include "numeric/float.h"
#include "numeric/half.h"
#include "numeric/integer.h"
#include "numeric/order.h"
#include "numeric/soft.h"

static uint64_t state;

static uint64_t next(void)
{
    uint64_t x = state += 0x9e3779b97f4a7c15; /* splitmix64 */
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Patterns that matter: few bits set, exponents near the ends or near one
 * another, and plain random ones. */
static uint64_t pattern(int width, int fraction)
{
    uint64_t all = ~(uint64_t)0 >> (64 - width);
    uint64_t x = next() & all, choice = next();
    uint64_t fields = all ^ (((uint64_t)1 << fraction) - 1);

    switch (choice & 7) {
    case 0: return x;
    case 1: return x & ~(fields & (all >> 1)); /* denormal */
    case 2: return (x & ~fields) | (fields & ((choice >> 3 & 63) << fraction));
    case 3: return x | (fields & (all >> 1) & ~((choice >> 3 & 31) << fraction));
    case 4: return x & (fields | 1); /* powers of two, nearly */
    case 5: return (x & fields) | (next() & next() & next() & ~fields);
    case 6: { /* middle exponents */
        uint64_t one = ((uint64_t)1 << (width - 2)) - ((uint64_t)1 << fraction);
        return (x & ~(fields & (all >> 1))) | (one + ((choice >> 3 & 31) << fraction));
    }
    }
    return (x | ~fields) & all; /* fraction all ones */
}

/* Asserting costs a message each time; only failures are told. */
#define HOLDS(condition)                                                      \
    do {                                                                      \
        if (!(condition))                                                     \
            ck_abort_msg("%s", #condition);                                   \
    } while (0)
#define EQUAL(x, y) HOLDS((uint64_t)(x) == (uint64_t)(y))

#define SAME(name, a, b, c, quick, slow)                               \
    do {                                                                      \
        uint64_t q_ = (quick), s_ = (slow);                                   \
        if (q_ != s_)                                                         \
            ck_abort_msg(name "(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") is %" PRIx64 \
                         ", by the core %" PRIx64,                            \
                         (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), q_, s_); \
    } while (0)

START_TEST(single_precision_is_as_the_core)
{
    static const unsigned modes[] = {ROUND_NEAREST_EVEN, MODE_FTZ};
    for (int i = 0; i < 400000; i++) {
        uint32_t a = (uint32_t)pattern(32, 23), b = (uint32_t)pattern(32, 23);
        uint32_t c = (uint32_t)pattern(32, 23);
        unsigned mode = modes[i & 1];
        if (i % 5 == 0) /* products near 2^-126 */
            b = (uint32_t)((127 + 1 + 127 - (int)(a >> 23 & 0xff)) & 0xff) << 23 |
                (b & 0x807fffff);
        SAME("add", a, b, mode, f32_add(a, b, mode), f32_add_any(a, b, mode));
        SAME("sub", a, b, mode, f32_sub(a, b, mode), f32_sub_any(a, b, mode));
        SAME("mul", a, b, mode, f32_mul(a, b, mode), f32_mul_any(a, b, mode));
        SAME("div", a, b, mode, f32_div(a, b, mode), f32_div_any(a, b, mode));
        SAME("sqrt", a, 0, mode, f32_sqrt(a, mode), f32_sqrt_any(a, mode));
        SAME("fma", a, b, c, f32_fma(a, b, c, mode), f32_fma_any(a, b, c, mode));
    }
}
END_TEST

/* Around the limit of .ftz: all products of significands that come close to
 * 2^-126 from below, by construction. */
START_TEST(flushing_is_exact_at_the_limit)
{
    for (uint32_t i = 0; i < 200000; i++) {
        /* (2 - x)(1 + x/2) is just below 2 for small x. */
        uint32_t x = (uint32_t)next() & 0x1fff;
        uint32_t a = 0x7fffff - x, b = (x >> 1) + ((uint32_t)next() & 3);
        uint32_t p = (64u << 23 | a), q = (64u - 1 - 1) << 23 | b;
        for (uint32_t e = 0; e < 3; e++) {
            uint32_t y = q + (e << 23);
            SAME("mul", p, y, 0, f32_mul(p, y, MODE_FTZ), f32_mul_any(p, y, MODE_FTZ));
            uint32_t z = (uint32_t)pattern(32, 23) & 0x80ffffff;
            SAME("fma", p, y, z, f32_fma(p, y, z, MODE_FTZ), f32_fma_any(p, y, z, MODE_FTZ));
        }
        uint32_t u = 1u << 23 | a, v = 0x3f800000 | b | (i & 1 ? 0 : 0x7ffff0);
        SAME("div", u, v, 0, f32_div(u, v, MODE_FTZ), f32_div_any(u, v, MODE_FTZ));
    }
}
END_TEST

START_TEST(double_precision_is_as_the_core)
{
    for (int i = 0; i < 300000; i++) {
        uint64_t a = pattern(64, 52), b = pattern(64, 52), c = pattern(64, 52);
        SAME("add", a, b, 0, f64_add(a, b, 0), f64_add_any(a, b, 0));
        SAME("sub", a, b, 0, f64_sub(a, b, 0), f64_sub_any(a, b, 0));
        SAME("mul", a, b, 0, f64_mul(a, b, 0), f64_mul_any(a, b, 0));
        SAME("fma", a, b, c, f64_fma(a, b, c, 0), f64_fma_any(a, b, c, 0));
        if (i % 8 == 0) {
            SAME("div", a, b, 0, f64_div(a, b, 0), f64_div_any(a, b, 0));
            SAME("sqrt", a, 0, 0, f64_sqrt(a, 0), f64_sqrt_any(a, 0));
        }
    }
}
END_TEST

START_TEST(half_precision_is_as_the_core)
{
    for (int i = 0; i < 600000; i++) {
        uint16_t a = (uint16_t)pattern(16, 10), b = (uint16_t)pattern(16, 10);
        uint16_t c = (uint16_t)pattern(16, 10);
        SAME("f16 fma", a, b, c, f16_fma(a, b, c, 0), f16_fma_any(a, b, c, 0));
        a = (uint16_t)pattern(16, 7), b = (uint16_t)pattern(16, 7);
        c = (uint16_t)pattern(16, 7);
        SAME("bf16 fma", a, b, c, bf16_fma(a, b, c, 0), bf16_fma_any(a, b, c, 0));
        SAME("bf16 add", a, b, 0, bf16_add(a, b, 0), bf16_add_any(a, b, 0));
        SAME("bf16 sub", a, b, 0, bf16_sub(a, b, 0), bf16_sub_any(a, b, 0));
        SAME("bf16 mul", a, b, 0, bf16_mul(a, b, 0), bf16_mul_any(a, b, 0));
    }
}
END_TEST

/* --- an independent rounding --------------------------------------------- */

/* value, exact in double, rounded to precision bits with least exponent
 * lowest, by host library calls that do not depend on the rounding mode. */
static double rounded(double value, int precision, int lowest, unsigned direction)
{
    int exponent;
    if (value == 0 || isinf(value))
        return value;
    frexp(value, &exponent); /* value = 0.1xxx * 2^exponent */
    exponent -= 1;
    if (exponent < lowest)
        exponent = lowest;
    double scaled = ldexp(value, precision - 1 - exponent);
    double below = floor(scaled), rest = scaled - below;
    double up = below + 1;
    double result = direction == ROUND_DOWN  ? below
                    : direction == ROUND_UP  ? (rest > 0 ? up : below)
                    : direction == ROUND_ZERO ? (value < 0 && rest > 0 ? up : below)
                    : rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0) ? up
                                                                          : below;
    return copysign(ldexp(result, exponent - precision + 1), value);
}

/* The value of a 16-bit pattern, NaN excluded, by its definition. */
static double value_of(uint16_t a, int fraction, int bias)
{
    int field = (a & 0x7fff) >> fraction, most = (1 << (15 - fraction)) - 1;
    double significand = a & ((1 << fraction) - 1);
    double magnitude;
    if (field == most)
        magnitude = INFINITY;
    else if (field == 0)
        magnitude = ldexp(significand, 1 - bias - fraction);
    else
        magnitude = ldexp(significand + (1 << fraction), field - bias - fraction);
    return a & 0x8000 ? -magnitude : magnitude;
}

START_TEST(every_f16_widens_and_narrows)
{
    for (uint32_t a = 0; a < 0x10000; a++) {
        uint16_t h = (uint16_t)a;
        if (f16_is_nan(h)) {
            EQUAL(f32_from_f16(h, 0), F32_NAN);
            EQUAL(f16_narrow(f16_widen(h)), F16_NAN);
            EQUAL(f16_neg(h, 0), F16_NAN);
            continue;
        }
        double value = value_of(h, 10, 15);
        HOLDS(f64_bits(f16_widen(h)) == f64_bits(value));
        HOLDS(f64_host(f64_from_f16(h, 0)) == value);
        EQUAL(f16_narrow((float)value), h);
        EQUAL(f16_from_f64(f64_bits(value), ROUND_DOWN), h);
        HOLDS(value_of(f16_neg(h, 0), 10, 15) == -value);
        if (isinf(value))
            continue;
        /* The middle between this and the next number, and just beside it. */
        double middle = fabs(value) + ldexp(1, (h >> 10 & 31 ? (h >> 10 & 31) - 15 : -14) - 11);
        for (int side = -1; side <= 1; side++) {
            float f = (float)(middle + side * middle * 0x1p-23);
            double expected = rounded(f, 11, -14, ROUND_NEAREST_EVEN);
            expected = expected >= 65536 ? INFINITY : expected;
            HOLDS(value_of(f16_from_f32(f32_bits(f), 0), 10, 15) == expected);
            EQUAL(f16_from_f32(f32_bits(-f), 0), f16_from_f32(f32_bits(f), 0) | 0x8000);
        }
    }
}
END_TEST

START_TEST(every_bf16_widens_and_narrows)
{
    for (uint32_t a = 0; a < 0x10000; a++) {
        uint16_t h = (uint16_t)a;
        if (bf16_is_nan(h)) {
            EQUAL(f32_from_bf16(h, 0), a << 16);
            EQUAL(bf16_narrow(bf16_widen(h)), BF16_NAN);
            continue;
        }
        double value = value_of(h, 7, 127);
        HOLDS(f64_bits(bf16_widen(h)) == f64_bits(value));
        EQUAL(bf16_narrow((float)value), h);
        EQUAL(bf16_narrow_f64(value), h);
        if (isinf(value))
            continue;
        for (int low = 0; low < 3; low++) {
            uint32_t f = a << 16 | (uint32_t)(0x7fff + low);
            double expected = rounded(f32_host(f), 8, -126, ROUND_NEAREST_EVEN);
            expected = fabs(expected) >= 0x1p128 ? copysign(INFINITY, expected) : expected;
            HOLDS(value_of(bf16_from_f32(f, 0), 7, 127) == expected);
            HOLDS(value_of(bf16_narrow_f64(f32_host(f)), 7, 127) == expected);
        }
    }
}
END_TEST

/* Sums and products of f16 are exact in double. */
START_TEST(f16_arithmetic_rounds_as_double_does)
{
    for (uint32_t i = 0; i < 0x10000 * 6; i++) {
        uint16_t a = (uint16_t)i, b = (uint16_t)pattern(16, 10);
        if (f16_is_nan(a) || f16_is_nan(b))
            continue;
        double x = value_of(a, 10, 15), y = value_of(b, 10, 15);
        for (unsigned direction = 0; direction < 4; direction++) {
            double exact[2] = {x + y, x * y};
            uint16_t result[2] = {f16_add(a, b, direction), f16_mul(a, b, direction)};
            for (int k = 0; k < 2; k++) {
                if (isnan(exact[k])) {
                    EQUAL(result[k], F16_NAN);
                    continue;
                }
                double expected = rounded(exact[k], 11, -14, direction);
                if (isfinite(exact[k]) && fabs(expected) > 65504) {
                    bool away = direction == ROUND_NEAREST_EVEN ||
                                (direction == ROUND_DOWN && expected < 0) ||
                                (direction == ROUND_UP && expected > 0);
                    expected = copysign(away ? INFINITY : 65504, expected);
                }
                if (value_of(result[k], 10, 15) != expected)
                    ck_abort_msg("%x %x op %d direction %u: %x", a, b, k, direction, result[k]);
            }
        }
    }
}
END_TEST

START_TEST(every_f16_converts_to_integers)
{
    for (uint32_t a = 0; a < 0x10000 * 4; a++) {
        uint16_t h = (uint16_t)a;
        unsigned direction = a >> 16;
        if (f16_is_nan(h))
            continue;
        double whole = rounded(value_of(h, 10, 15), 53, 52, direction);
        double s16 = fmin(fmax(whole, -32768), 32767), u8 = fmin(fmax(whole, 0), 255);
        double s32 = fmin(fmax(whole, INT32_MIN), INT32_MAX);
        double u64 = isinf(whole) && whole > 0 ? 0 : fmax(whole, 0);
        EQUAL((int16_t)s16_from_f16(h, direction), (int16_t)s16);
        EQUAL(u8_from_f16(h, direction), (uint8_t)u8);
        EQUAL((int32_t)s32_from_f16(h, direction), (int32_t)s32);
        if (isfinite(whole))
            EQUAL(u64_from_f16(h, direction), (uint64_t)u64);
        else
            EQUAL(u64_from_f16(h, direction), whole > 0 ? UINT64_MAX : 0);
        if (isfinite(whole))
            HOLDS(value_of(f16_from_f16(h, direction | MODE_INTEGRAL), 10, 15) == whole);
    }
}
END_TEST

START_TEST(every_fp8_widens_and_narrows)
{
    for (uint32_t a = 0; a < 0x100; a++) {
        uint8_t byte = (uint8_t)a;
        uint16_t e4 = f16_from_e4m3(byte, 0), e5 = f16_from_e5m2(byte, 0);
        if ((a & 0x7f) == 0x7f) {
            EQUAL(e4, F16_NAN);
        } else {
            int field = a >> 3 & 15;
            double value = field ? ldexp(8 + (a & 7), field - 10) : ldexp(a & 7, -9);
            value = a & 0x80 ? -value : value;
            HOLDS(f64_bits(value_of(e4, 10, 15)) == f64_bits(value));
            EQUAL(e4m3_from_f32(f32_bits((float)value), 0), a);
        }
        if ((a & 0x7f) > 0x7c) {
            EQUAL(e5, F16_NAN);
        } else if ((a & 0x7f) < 0x7c) {
            EQUAL(e5, a << 8);
            EQUAL(e5m2_from_f32(f32_bits(f16_widen(e5)), 0), a);
        }
    }
}
END_TEST

START_TEST(conversions_are_as_the_core)
{
    for (int i = 0; i < 300000; i++) {
        uint32_t a = (uint32_t)pattern(32, 23);
        uint64_t d = pattern(64, 52);
        unsigned direction = i & 3;
        if (!f32_is_nan(a)) {
            SAME("s32", a, direction, 0, s32_from_f32(a, direction),
                 soft_to_integer(&soft_f32, a, 32, true, direction));
            SAME("u32", a, direction, 0, u32_from_f32(a, direction),
                 soft_to_integer(&soft_f32, a, 32, false, direction));
            SAME("s64", a, direction, 0, s64_from_f32(a, direction),
                 soft_to_integer(&soft_f32, a, 64, true, direction));
            SAME("u64", a, direction, 0, u64_from_f32(a, direction),
                 soft_to_integer(&soft_f32, a, 64, false, direction));
            SAME("u8", a, direction, 0, u8_from_f32(a, direction),
                 soft_to_integer(&soft_f32, a, 8, false, direction));
            SAME("s8", a, direction, 0, s8_from_f32(a, direction),
                 soft_to_integer(&soft_f32, a, 8, true, direction));
            SAME("f64", a, 0, 0, f64_from_f32(a, 0), f64_from_f32_any(a, 0));
            SAME("tf32", a, direction & 1, 0, tf32_from_f32(a, direction & 1),
                 soft_convert(&soft_tf32, &soft_f32, a, direction & 1) << 13);
            SAME("bf16", a, 0, 0, bf16_from_f32(a, 0), bf16_from_f32_any(a, 0));
            SAME("f16", a, 0, 0, f16_from_f32(a, 0), f16_from_f32_any(a, 0));
            unsigned mode = direction | MODE_INTEGRAL;
            SAME("integral", a, direction, 0, f32_from_f32(a, mode),
                 soft_integral(&soft_f32, a, mode));
            SAME("sat", a, direction, 0, f32_from_f32(a, mode | MODE_SAT),
                 soft_integral(&soft_f32, a, mode | MODE_SAT));
        }
        if (!f64_is_nan(d)) {
            SAME("s32", d, direction, 0, s32_from_f64(d, direction),
                 soft_to_integer(&soft_f64, d, 32, true, direction));
            SAME("u32", d, direction, 0, u32_from_f64(d, direction),
                 soft_to_integer(&soft_f64, d, 32, false, direction));
            SAME("s64", d, direction, 0, s64_from_f64(d, direction),
                 soft_to_integer(&soft_f64, d, 64, true, direction));
            SAME("u64", d, direction, 0, u64_from_f64(d, direction),
                 soft_to_integer(&soft_f64, d, 64, false, direction));
            SAME("integral", d, direction, 0, f64_from_f64(d, direction | MODE_INTEGRAL),
                 soft_integral(&soft_f64, d, direction));
            SAME("bf16", d, 0, 0, bf16_narrow_f64(f64_host(d)), bf16_from_f64_any(d, 0));
        }
        SAME("f32", d, 0, 0, f32_from_f64(d, 0), f32_from_f64_any(d, 0));
    }
}
END_TEST

START_TEST(integers_become_floats_as_by_the_core)
{
    for (int i = 0; i < 300000; i++) {
        uint64_t x = next() >> (next() & 63);
        uint32_t w = (uint32_t)x;
        bool minus = (int32_t)w < 0, wide_minus = (int64_t)x < 0;
        uint64_t size = minus ? (0 - w) & UINT32_MAX : w, wide = wide_minus ? 0 - x : x;
        SAME("f32 s32", w, 0, 0, f32_from_s32(w, 0), f32_from_integer(size, minus, 0));
        SAME("f32 u32", w, 0, 0, f32_from_u32(w, 0), f32_from_integer(w, false, 0));
        SAME("f16 s32", w, 0, 0, f16_from_s32(w, 0), f16_from_integer(size, minus, 0));
        SAME("f16 u64", x, 0, 0, f16_from_u64(x, 0), f16_from_integer(x, false, 0));
        SAME("bf16 u32", w, 0, 0, bf16_from_u32(w, 0), bf16_from_integer(w, false, 0));
        SAME("bf16 s32", w, 0, 0, bf16_from_s32(w, 0), bf16_from_integer(size, minus, 0));
        SAME("f32 s64", x, 0, 0, f32_from_s64(x, 0), f32_from_integer(wide, wide_minus, 0));
        SAME("f32 u64", x, 0, 0, f32_from_u64(x, 0), f32_from_integer(x, false, 0));
        SAME("f64 s64", x, 0, 0, f64_from_s64(x, 0), f64_from_integer(wide, wide_minus, 0));
        SAME("f64 u64", x, 0, 0, f64_from_u64(x, 0), f64_from_integer(x, false, 0));
    }
}
END_TEST

START_TEST(integer_shortcuts_equal_the_c_operators)
{
    for (int i = 0; i < 500000; i++) {
        uint32_t a = (uint32_t)(next() >> (next() & 63)), b = (uint32_t)(next() >> (next() & 63));
        if (i & 1)
            a = b * (uint32_t)(next() >> (40 + (next() & 23))) - (i >> 1 & 1);
        uint64_t x = next() >> (next() & 63);
        if (b) {
            EQUAL(u32_div(a, b), a / b);
            EQUAL(u32_rem(a, b), a % b);
            if ((int64_t)x != INT64_MIN)
                EQUAL(s64_rem(x, b), (uint64_t)((int64_t)x % (int64_t)b));
            if (a != 0x80000000 || b != UINT32_MAX) {
                EQUAL(s32_div(a, b), (uint32_t)((int32_t)a / (int32_t)b));
                EQUAL(s32_rem(a, b), (uint32_t)((int32_t)a % (int32_t)b));
            }
        }
        EQUAL(b32_popc(a), (unsigned)__builtin_popcount(a));
        EQUAL(b64_popc(x), (unsigned)__builtin_popcountll(x));
        EQUAL(b32_clz(a), a ? (unsigned)__builtin_clz(a) : 32);
        EQUAL(b64_clz(x), x ? (unsigned)__builtin_clzll(x) : 64);
    }
}
END_TEST

/* PTX ISA "cvt.pack" and "bfi": no recording, the manual's pseudo-code. */
START_TEST(packing_and_insertion_follow_the_manual)
{
    EQUAL(pack_from_s32(70000, (uint32_t)-5, 0, 16, false), 0xffff0000);
    EQUAL(pack_from_s32((uint32_t)-70000, 5, 0, 16, true), 0x80000005);
    EQUAL(pack_from_s32(200, (uint32_t)-200, 0x1234, 8, true), 0x12347f80);
    EQUAL(pack_from_s32(200, 300, 0xabcd1234, 8, false), 0x1234c8ff);
    EQUAL(pack_from_s32(9, (uint32_t)-9, 0x00fedcba, 4, true), 0xfedcba78);
    for (int i = 0; i < 20000; i++) {
        uint32_t a = (uint32_t)next(), b = (uint32_t)next();
        uint32_t position = (uint32_t)next() & 0x13f, length = (uint32_t)next() & 0x13f;
        uint32_t f = b;
        for (uint32_t k = 0; k < (length & 0xff) && (position & 0xff) + k < 32; k++) {
            uint32_t bit = 1u << ((position & 0xff) + k);
            f = (k < 32 && (a >> k & 1)) ? f | bit : f & ~bit;
        }
        EQUAL(b32_bfi(a, b, position, length), f);
    }
}
END_TEST

SUITE("numeric paths", {
    TEST(single_precision_is_as_the_core);
    TEST(flushing_is_exact_at_the_limit);
    TEST(double_precision_is_as_the_core);
    TEST(half_precision_is_as_the_core);
    TEST(every_f16_widens_and_narrows);
    TEST(every_bf16_widens_and_narrows);
    TEST(f16_arithmetic_rounds_as_double_does);
    TEST(every_f16_converts_to_integers);
    TEST(every_fp8_widens_and_narrows);
    TEST(conversions_are_as_the_core);
    TEST(integers_become_floats_as_by_the_core);
    TEST(integer_shortcuts_equal_the_c_operators);
    TEST(packing_and_insertion_follow_the_manual);
})
