/* SPDX-License-Identifier: Apache-2.0
 *
 * order.h - sign operations, comparison, minimum and maximum of floats.
 *
 * All inline and branch-free: with a constant mode they become vector code.
 * PTX ISA "min", "max", "set", "setp", "testp", "copysign", "neg", "abs";
 * corner cases measured on H200. */
#ifndef SIMTLAB_NUMERIC_ORDER_H
#define SIMTLAB_NUMERIC_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/bits.h"
#include "numeric/half.h"
#include "numeric/mode.h"

/* How two values stand to each other: one bit. A condition is a set of them;
 * it holds when theirs is in it. -0 equals +0. */
enum order { ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4, ORDER_UNORDERED = 8 };

enum condition {
    COMPARE_EQ = ORDER_EQUAL,
    COMPARE_NE = ORDER_LESS | ORDER_GREATER,
    COMPARE_LT = ORDER_LESS,
    COMPARE_LE = ORDER_LESS | ORDER_EQUAL,
    COMPARE_GT = ORDER_GREATER,
    COMPARE_GE = ORDER_GREATER | ORDER_EQUAL,
    COMPARE_EQU = COMPARE_EQ | ORDER_UNORDERED,
    COMPARE_NEU = COMPARE_NE | ORDER_UNORDERED,
    COMPARE_LTU = COMPARE_LT | ORDER_UNORDERED,
    COMPARE_LEU = COMPARE_LE | ORDER_UNORDERED,
    COMPARE_GTU = COMPARE_GT | ORDER_UNORDERED,
    COMPARE_GEU = COMPARE_GE | ORDER_UNORDERED,
    COMPARE_NUM = ORDER_LESS | ORDER_EQUAL | ORDER_GREATER,
    COMPARE_NAN = ORDER_UNORDERED,
};

enum test {
    TEST_FINITE,
    TEST_INFINITE,
    TEST_NUMBER,
    TEST_NOTANUMBER,
    TEST_NORMAL, /* true of zero too (measured on H200) */
    TEST_SUBNORMAL,
};

/* For each type:
 *
 * T_neg, T_abs    A NaN is settled and its sign left alone (on the device
 *                 these are additions). MODE_FTZ.
 * T_copysign      The magnitude of b with the sign of a (PTX: "copy sign bit
 *                 of a into value of b"); a plain bit operation.
 * T_min, T_max    -0 < +0. A number beats a NaN, or with MODE_NAN a NaN beats
 *                 a number. MODE_XORSIGN_ABS: of the magnitudes, then the
 *                 sign is that of a times that of b, even when one of them is
 *                 a NaN; a NaN result takes no sign. MODE_FTZ.
 * T_min3, T_max3  The first two, then the third.
 * T_is            Does the condition hold? A constant one is one host
 *                 comparison. MODE_FTZ.
 * T_testp         enum test. */
#define ORDER_OF_TYPE(T, uint, sint, width, sign, infinity)                   \
    LANE_INLINE uint T##_abs(uint a, unsigned mode)                           \
    {                                                                         \
        a = mode & MODE_FTZ ? T##_flush(a) : a;                               \
        return T##_is_nan(a) ? T##_settle(a) : (uint)(a & (sign - 1));        \
    }                                                                         \
    LANE_INLINE uint T##_neg(uint a, unsigned mode)                           \
    {                                                                         \
        a = mode & MODE_FTZ ? T##_flush(a) : a;                               \
        return T##_is_nan(a) ? T##_settle(a) : (uint)(a ^ sign);              \
    }                                                                         \
    LANE_INLINE uint T##_copysign(uint a, uint b)                             \
    {                                                                         \
        return (uint)((a & sign) | (b & (sign - 1)));                         \
    }                                                                         \
    /* Two's complement order of these keys is the order of the numbers. */   \
    LANE_INLINE sint T##_key(uint a)                                          \
    {                                                                         \
        return (sint)(a ^ ((uint)((sint)a >> (width - 1)) & (sign - 1)));     \
    }                                                                         \
    LANE_INLINE uint T##_extreme(uint a, uint b, bool maximum, unsigned mode) \
    {                                                                         \
        uint signs = (uint)((a ^ b) & sign);                                  \
        a = mode & MODE_FTZ ? T##_flush(a) : a;                               \
        b = mode & MODE_FTZ ? T##_flush(b) : b;                               \
        a = mode & MODE_XORSIGN_ABS ? (uint)(a & (sign - 1)) : a;             \
        b = mode & MODE_XORSIGN_ABS ? (uint)(b & (sign - 1)) : b;             \
        sint x = T##_key(a), y = T##_key(b);                                  \
        uint low = x < y ? a : b, high = x < y ? b : a;                       \
        uint r = maximum ? high : low;                                        \
        uint for_a = mode & MODE_NAN ? a : b, for_b = mode & MODE_NAN ? b : a; \
        r = T##_is_nan(a) ? for_a : r;                                        \
        for_b = T##_is_nan(a) ? b : for_b;                                    \
        r = T##_is_nan(b) ? for_b : r;                                        \
        uint signed_r = mode & MODE_XORSIGN_ABS ? (uint)(r | signs) : r;      \
        return T##_is_nan(r) ? T##_settle(r) : signed_r;                      \
    }                                                                         \
    LANE_INLINE uint T##_min(uint a, uint b, unsigned mode)                   \
    {                                                                         \
        return T##_extreme(a, b, false, mode);                                \
    }                                                                         \
    LANE_INLINE uint T##_max(uint a, uint b, unsigned mode)                   \
    {                                                                         \
        return T##_extreme(a, b, true, mode);                                 \
    }                                                                         \
    LANE_INLINE uint T##_min3(uint a, uint b, uint c, unsigned mode)          \
    {                                                                         \
        return T##_min(T##_min(a, b, mode), c, mode);                         \
    }                                                                         \
    LANE_INLINE uint T##_max3(uint a, uint b, uint c, unsigned mode)          \
    {                                                                         \
        return T##_max(T##_max(a, b, mode), c, mode);                         \
    }                                                                         \
    LANE_INLINE bool T##_testp(uint a, enum test test)                        \
    {                                                                         \
        uint magnitude = (uint)(a & (sign - 1));                              \
        switch (test) {                                                       \
        case TEST_FINITE: return magnitude < infinity;                        \
        case TEST_INFINITE: return magnitude == infinity;                     \
        case TEST_NUMBER: return magnitude <= infinity;                       \
        case TEST_NOTANUMBER: return magnitude > infinity;                    \
        case TEST_NORMAL:                                                     \
            return magnitude < infinity && ((magnitude & infinity) || !magnitude); \
        case TEST_SUBNORMAL: return magnitude && !(magnitude & infinity);     \
        }                                                                     \
        return false;                                                         \
    }

ORDER_OF_TYPE(f16, uint16_t, int16_t, 16, F16_SIGN, F16_INFINITY)
ORDER_OF_TYPE(bf16, uint16_t, int16_t, 16, BF16_SIGN, BF16_INFINITY)
ORDER_OF_TYPE(f32, uint32_t, int32_t, 32, F32_SIGN, F32_INFINITY)
ORDER_OF_TYPE(f64, uint64_t, int64_t, 64, F64_SIGN, F64_INFINITY)
#undef ORDER_OF_TYPE

#define IS_OF_TYPE(T, uint, real, value)                                      \
    LANE_INLINE bool T##_is(uint a, uint b, enum condition condition, unsigned mode) \
    {                                                                         \
        a = mode & MODE_FTZ ? T##_flush(a) : a;                               \
        b = mode & MODE_FTZ ? T##_flush(b) : b;                               \
        real x = value(a), y = value(b);                                      \
        switch (condition) {                                                  \
        case COMPARE_EQ: return x == y;                                       \
        case COMPARE_NE: return (x < y) | (x > y);                            \
        case COMPARE_LT: return x < y;                                        \
        case COMPARE_LE: return x <= y;                                       \
        case COMPARE_GT: return x > y;                                        \
        case COMPARE_GE: return x >= y;                                       \
        case COMPARE_EQU: return !((x < y) | (x > y));                        \
        case COMPARE_NEU: return x != y;                                      \
        case COMPARE_LTU: return !(x >= y);                                   \
        case COMPARE_LEU: return !(x > y);                                    \
        case COMPARE_GTU: return !(x <= y);                                   \
        case COMPARE_GEU: return !(x < y);                                    \
        case COMPARE_NUM: return (x == x) & (y == y);                         \
        case COMPARE_NAN: return (x != x) | (y != y);                         \
        }                                                                     \
        return false;                                                         \
    }
IS_OF_TYPE(f16, uint16_t, float, f16_widen)
IS_OF_TYPE(bf16, uint16_t, float, bf16_widen)
IS_OF_TYPE(f32, uint32_t, float, f32_host)
IS_OF_TYPE(f64, uint64_t, double, f64_host)
#undef IS_OF_TYPE

#define PAIRWISE1(T, OP)                                                      \
    LANE_INLINE uint32_t T##x2_##OP(uint32_t a, unsigned mode)                \
    {                                                                         \
        return PAIR(T##_##OP((uint16_t)LOW(a), mode), T##_##OP((uint16_t)HIGH(a), mode)); \
    }
#define ORDER_OF_PAIRS(T)                                                     \
    PAIRWISE1(T, abs)                                                         \
    PAIRWISE1(T, neg)                                                         \
    PAIRWISE2(T, min)                                                         \
    PAIRWISE2(T, max)                                                         \
    PAIRWISE3(T, min3)                                                        \
    PAIRWISE3(T, max3)
ORDER_OF_PAIRS(f16)
ORDER_OF_PAIRS(bf16)
#undef ORDER_OF_PAIRS

#endif
