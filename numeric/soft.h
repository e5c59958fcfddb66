/* SPDX-License-Identifier: Apache-2.0
 *
 * soft.h - floating point by integer arithmetic, for every format and mode.
 *
 * One small core for all binary formats: operands are unpacked to sign,
 * exponent and integer significand, the exact result (or the exact result
 * with a sticky last bit) is formed in 128 bits, and rounded once. It is the
 * meaning of every operation; the inline functions of float.h and half.h are
 * shortcuts for common modes. Values travel as bit patterns in the low bits
 * of a uint64_t. */
#ifndef SIMTLAB_NUMERIC_SOFT_H
#define SIMTLAB_NUMERIC_SOFT_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/mode.h"

/* An IEEE-like format: sign, exponent, fraction bits. */
struct soft_format {
    int width, fraction;
    uint64_t nan;    /* made by an invalid operation */
    bool propagates; /* a NaN operand comes back quietened, payload kept */
};

/* Measured on H200: only f64 propagates NaNs; all others give one pattern. */
extern const struct soft_format soft_f16, soft_bf16, soft_tf32, soft_f32, soft_f64;

uint64_t soft_add(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode);
uint64_t soft_sub(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode);
uint64_t soft_mul(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode);
uint64_t soft_fma(const struct soft_format *format, uint64_t a, uint64_t b, uint64_t c,
                  unsigned mode);
uint64_t soft_div(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode);
uint64_t soft_sqrt(const struct soft_format *format, uint64_t a, unsigned mode);

/* To the nearest integral value by the mode's direction; the format stays. */
uint64_t soft_integral(const struct soft_format *format, uint64_t a, unsigned mode);
/* Between formats. The NaN rules are the caller's: a is not a NaN. */
uint64_t soft_convert(const struct soft_format *to, const struct soft_format *from, uint64_t a,
                      unsigned mode);
/* magnitude * (negative ? -1 : 1), rounded. */
uint64_t soft_from_integer(const struct soft_format *to, bool negative, uint64_t magnitude,
                           unsigned mode);
/* Clamped to an integer of 8, 16, 32 or 64 bits. NaN gives zero. */
uint64_t soft_to_integer(const struct soft_format *from, uint64_t a, int width, bool is_signed,
                         unsigned mode);

/* The last step of every operation: .sat clamps to [0, 1] and .relu to
 * [0, inf), -0 becoming +0; NaN becomes +0 with .sat and canonical with
 * .relu. */
uint64_t soft_clamp(const struct soft_format *format, uint64_t a, unsigned mode);

static inline bool soft_is_nan(const struct soft_format *format, uint64_t a)
{
    uint64_t infinity = ((uint64_t)1 << (format->width - 1)) - ((uint64_t)1 << format->fraction);
    return (a & (((uint64_t)1 << (format->width - 1)) - 1)) > infinity;
}

#endif
