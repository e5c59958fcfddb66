/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal.h - decimal text to binary floating point, correctly rounded.
 *
 * Works on integers only: neither the host's locale nor its floating-point
 * mode nor a detour over double can change a bit. */
#ifndef SIMTLAB_BASE_DECIMAL_H
#define SIMTLAB_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An IEEE-style binary format of 1 + exponent + fraction bits. */
struct float_format {
    int exponent_bits, fraction_bits;
};

static const struct float_format FLOAT_F16 = {5, 10};
static const struct float_format FLOAT_BF16 = {8, 7};
static const struct float_format FLOAT_F32 = {8, 23};
static const struct float_format FLOAT_F64 = {11, 52};

enum decimal_status {
    DECIMAL_OK,
    DECIMAL_MALFORMED, /* not a number, or something after it */
    DECIMAL_OVERFLOW   /* finite text whose rounded value is infinite */
};

/* [+-] digits [. digits] [e [+-] digits], or inf, or nan (quiet, with an
 * empty payload). Rounds to nearest, ties to even; too small gives zero. */
enum decimal_status decimal_parse(const char *text, size_t size,
                                  struct float_format format, uint64_t *bits);

/* The same rounding for an integer. Overflow gives infinity. */
uint64_t decimal_from_integer(bool negative, uint64_t magnitude,
                              struct float_format format);

#endif
