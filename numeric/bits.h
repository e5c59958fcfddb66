/* SPDX-License-Identifier: Apache-2.0
 *
 * bits.h - bit patterns as host numbers, canonical NaNs, flushed denormals.
 *
 * Everything here is branch-free, so that loops over lanes become vector
 * code. The names: f16, bf16, f32, f64 are bit patterns in uint16_t,
 * uint16_t, uint32_t, uint64_t. */
#ifndef SIMTLAB_NUMERIC_BITS_H
#define SIMTLAB_NUMERIC_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A loop over lanes becomes vector code only when all it calls is inlined. */
#define LANE_INLINE static inline __attribute__((always_inline))

#define F16_NAN 0x7fffu
#define BF16_NAN 0x7fffu
#define F32_NAN 0x7fffffffu
#define F64_INVALID 0xfff8000000000000u /* made by 0*inf and the like */
#define F64_QUIET 0x0008000000000000u

#define F16_SIGN 0x8000u
#define BF16_SIGN 0x8000u
#define F32_SIGN 0x80000000u
#define F64_SIGN 0x8000000000000000u

#define F16_INFINITY 0x7c00u
#define BF16_INFINITY 0x7f80u
#define F32_INFINITY 0x7f800000u
#define F64_INFINITY 0x7ff0000000000000u

LANE_INLINE float f32_host(uint32_t a)
{
    float host;
    memcpy(&host, &a, sizeof host);
    return host;
}

LANE_INLINE uint32_t f32_bits(float host)
{
    uint32_t a;
    memcpy(&a, &host, sizeof a);
    return a;
}

LANE_INLINE double f64_host(uint64_t a)
{
    double host;
    memcpy(&host, &a, sizeof host);
    return host;
}

LANE_INLINE uint64_t f64_bits(double host)
{
    uint64_t a;
    memcpy(&a, &host, sizeof a);
    return a;
}

/* T_is_nan; T_settle: what an operation returns for a NaN operand (canonical,
 * or for f64 the operand made quiet), other values as they are; T_flush:
 * denormals become zero of the same sign. */
#define BITS_OF_TYPE(T, uint, sign, infinity)                                 \
    LANE_INLINE bool T##_is_nan(uint a)                                       \
    {                                                                         \
        return (uint)(a & (sign - 1)) > infinity;                             \
    }                                                                         \
    LANE_INLINE uint T##_flush(uint a)                                        \
    {                                                                         \
        return a & infinity ? a : (uint)(a & sign);                           \
    }

BITS_OF_TYPE(f16, uint16_t, F16_SIGN, F16_INFINITY)
BITS_OF_TYPE(bf16, uint16_t, BF16_SIGN, BF16_INFINITY)
BITS_OF_TYPE(f32, uint32_t, F32_SIGN, F32_INFINITY)
BITS_OF_TYPE(f64, uint64_t, F64_SIGN, F64_INFINITY)
#undef BITS_OF_TYPE

LANE_INLINE uint16_t f16_settle(uint16_t a)
{
    return f16_is_nan(a) ? F16_NAN : a;
}

LANE_INLINE uint16_t bf16_settle(uint16_t a)
{
    return bf16_is_nan(a) ? BF16_NAN : a;
}

LANE_INLINE uint32_t f32_settle(uint32_t a)
{
    return f32_is_nan(a) ? F32_NAN : a;
}

LANE_INLINE uint64_t f64_settle(uint64_t a)
{
    return f64_is_nan(a) ? a | F64_QUIET : a;
}

#endif
