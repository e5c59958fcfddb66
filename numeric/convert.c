/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - float conversions in every mode.
 *
 * NaN results, all measured on H200: a conversion from f64 keeps the sign and
 * the payload bits that fit and sets the quiet bit; a conversion to f64 keeps
 * sign and payload likewise; all others give the canonical NaN. */
#include "numeric/convert.h"
#include "numeric/soft.h"

uint16_t f16_from_integer(uint64_t magnitude, bool negative, unsigned mode)
{
    return (uint16_t)soft_from_integer(&soft_f16, negative, magnitude, mode);
}

uint16_t bf16_from_integer(uint64_t magnitude, bool negative, unsigned mode)
{
    return (uint16_t)soft_from_integer(&soft_bf16, negative, magnitude, mode);
}

uint32_t f32_from_integer(uint64_t magnitude, bool negative, unsigned mode)
{
    return (uint32_t)soft_from_integer(&soft_f32, negative, magnitude, mode);
}

uint64_t f64_from_integer(uint64_t magnitude, bool negative, unsigned mode)
{
    return soft_from_integer(&soft_f64, negative, magnitude, mode);
}

/* The NaN a of one format in another: canonical, or sign and payload kept. */
static uint64_t move_nan(const struct soft_format *to, const struct soft_format *from, uint64_t a,
                         bool keep)
{
    if (!keep)
        return to == &soft_f64 ? (uint64_t)F32_NAN << 32 | 0xe0000000 : to->nan;
    uint64_t sign = (a >> (from->width - 1) & 1) << (to->width - 1);
    uint64_t exponent = ((uint64_t)1 << (to->width - 1)) - ((uint64_t)1 << to->fraction);
    uint64_t payload = a & (((uint64_t)1 << from->fraction) - 1);
    int up = to->fraction - from->fraction;
    payload = up >= 0 ? payload << up : payload >> -up;
    return sign | exponent | payload | (uint64_t)1 << (to->fraction - 1);
}

static uint64_t convert(const struct soft_format *to, const struct soft_format *from, uint64_t a,
                        unsigned mode)
{
    unsigned flush = mode & MODE_FTZ;

    if (soft_is_nan(from, a)) {
        bool keep = from->propagates || (to->propagates && !flush);
        return soft_clamp(to, move_nan(to, from, a, keep), mode);
    }
    /* .ftz concerns operands and results of type f32 and no others; and an f32
     * going to f16 is not flushed (measured on H200). */
    if (from == &soft_f16 || to == &soft_f16)
        flush = 0;
    if (flush && from == &soft_f32)
        a = f32_flush((uint32_t)a);
    if (!flush || to != &soft_f32)
        mode &= ~(unsigned)MODE_FTZ;
    return soft_convert(to, from, a, mode);
}

/* Within a format: rounding to an integral value or only the flags. */
static uint64_t adjust(const struct soft_format *format, uint64_t a, unsigned mode)
{
    if (mode & MODE_INTEGRAL)
        return soft_integral(format, a, mode);
    return convert(format, format, a, mode);
}

#define CONVERT(D, uintd, S, uints)                                           \
    uintd D##_from_##S##_any(uints a, unsigned mode)                          \
    {                                                                         \
        return (uintd)convert(&soft_##D, &soft_##S, a, mode);                 \
    }
#define ADJUST(T, uint)                                                       \
    uint T##_from_##T##_any(uint a, unsigned mode)                            \
    {                                                                         \
        return (uint)adjust(&soft_##T, a, mode);                              \
    }
ADJUST(f16, uint16_t)
CONVERT(f16, uint16_t, bf16, uint16_t)
CONVERT(f16, uint16_t, f32, uint32_t)
CONVERT(f16, uint16_t, f64, uint64_t)
CONVERT(bf16, uint16_t, f16, uint16_t)
ADJUST(bf16, uint16_t)
CONVERT(bf16, uint16_t, f32, uint32_t)
CONVERT(bf16, uint16_t, f64, uint64_t)
CONVERT(f32, uint32_t, f16, uint16_t)
CONVERT(f32, uint32_t, bf16, uint16_t)
CONVERT(f32, uint32_t, f64, uint64_t)
CONVERT(f64, uint64_t, f16, uint16_t)
CONVERT(f64, uint64_t, bf16, uint16_t)
CONVERT(f64, uint64_t, f32, uint32_t)
