/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_filter.c - see texture_filter.h.
 *
 * Found by fitting recordings of an H200 (conformance/texture), of which they explain
 * every bit:
 *   weights  256ths. z splits 256; each part is split along x, the half away from x = 0
 *            rounded to nearest, ties up; each of those along y, ties up for the upper x
 *            and down for the lower one.
 *   f32      texels are cut toward zero to 27 fraction bits below the largest exponent
 *            among those with a weight; the exact sum is rounded to nearest, ties away
 *            from zero. Subnormal numbers count as zero, in and out.
 *   f16      the same with 14 bits; the result is rounded to f16, subnormal ones kept.
 *   u8, u16  the sum of 16-bit fractions (u8 times 257) rounded to 16 bits, ties up.
 *   s8, s16  the same; s8 becomes 16 bits after the sum, by a product that looks at the
 *            sum without its low four bits. */
#include "emu/texture_filter.h"

#include "numeric/convert.h"
#include "numeric/float.h"

/* n * f / 256, ties up, or down. */
static uint32_t part(uint32_t n, uint32_t f, bool ties_up)
{
    return (n * f + 127 + ties_up) >> 8;
}

void filter_weights(const uint32_t fraction[3], uint32_t weight[FILTER_TEXELS])
{
    for (unsigned z = 0; z < 2; z++) {
        uint32_t slice = z ? fraction[2] : 256 - fraction[2];
        uint32_t upper = part(slice, fraction[0], true);
        for (unsigned x = 0; x < 2; x++) {
            uint32_t column = x ? upper : slice - upper;
            uint32_t above = part(column, fraction[1], x);
            weight[4 * z + 2 + x] = above;
            weight[4 * z + x] = column - above;
        }
    }
}

/* --- integers ------------------------------------------------------------------------ */

static int32_t extended(enum element element, uint32_t texel)
{
    switch (element) {
    case ELEMENT_U8: return (int32_t)(texel & 0xff) * 257;
    case ELEMENT_U16: return (int32_t)(texel & 0xffff);
    case ELEMENT_S8: return (int8_t)texel == INT8_MIN ? -INT8_MAX : (int8_t)texel;
    default: return (int16_t)texel == INT16_MIN ? -INT16_MAX : (int16_t)texel;
    }
}

/* number / most, to nearest. */
static uint32_t fraction_of(int32_t number, int32_t most)
{
    bool negative = number < 0;

    return f32_div(f32_from_integer((uint64_t)(negative ? -number : number), negative, 0),
                   f32_from_integer((uint64_t)most, false, 0), 0);
}

uint32_t filter_fraction(enum element element, uint32_t texel)
{
    static const int32_t most[] = {[ELEMENT_U8] = 65535, [ELEMENT_S8] = 127,
                                   [ELEMENT_U16] = 65535, [ELEMENT_S16] = 32767};

    return fraction_of(extended(element, texel), most[element]);
}

static int64_t shifted(int64_t value, unsigned bits) /* toward minus infinity */
{
    return value >= 0 ? value >> bits : -((-value + (1 << bits) - 1) >> bits);
}

static uint32_t integer_sum(enum element element, const uint32_t weight[FILTER_TEXELS],
                            const uint32_t texel[FILTER_TEXELS])
{
    bool is_signed = element == ELEMENT_S8 || element == ELEMENT_S16;
    int64_t sum = 0;

    for (unsigned i = 0; i < FILTER_TEXELS; i++)
        sum += (int64_t)weight[i] * extended(element, texel[i]);
    sum = element == ELEMENT_S8 ? sum + shifted(shifted(sum, 4) * 257 + 1024, 11)
                                : shifted(sum + 128, 8);
    return fraction_of((int32_t)sum, is_signed ? 32767 : 65535);
}

/* --- floating point --------------------------------------------------------------------- */

enum { EXPONENT_BIAS = 127, F32_FRACTION = 23, GUARD = 4 };

static int exponent_of(uint32_t bits)
{
    return (int)(bits >> F32_FRACTION & 0xff) - EXPONENT_BIAS;
}

static bool is_zero(uint32_t bits)
{
    return !(bits >> F32_FRACTION & 0xff); /* subnormal ones too */
}

/* The answer when a texel is no number or none is left; false: neither. */
static bool special_sum(const uint32_t weight[FILTER_TEXELS],
                        const uint32_t texel[FILTER_TEXELS], uint32_t *result)
{
    uint32_t infinities = 0, minus = 0, plus = 0;
    bool number = false;

    for (unsigned i = 0; i < FILTER_TEXELS; i++) {
        if (!weight[i])
            continue;
        if (f32_is_nan(texel[i])) {
            *result = F32_NAN;
            return true;
        }
        if ((texel[i] & 0x7fffffff) == F32_INFINITY)
            infinities |= 1u << (texel[i] >> 31);
        number |= !is_zero(texel[i]);
        minus += texel[i] >> 31;
        plus += !(texel[i] >> 31);
    }
    if (infinities)
        *result = infinities == 3 ? F32_NAN : F32_INFINITY | (infinities == 2 ? F32_SIGN : 0);
    else if (!number)
        *result = minus && !plus ? F32_SIGN : 0;
    return infinities || !number;
}

/* magnitude * 2^unit to `fraction` bits, ties away; below 2^least it is flushed (f32) or
 * has fewer bits (f16). */
static uint32_t rounded(uint64_t magnitude, int unit, bool negative, int fraction, int least)
{
    uint32_t sign = negative ? F32_SIGN : 0;

    if (!magnitude)
        return 0;
    int top = 63 - __builtin_clzll(magnitude), exponent = top + unit;
    int place = (exponent < least ? least : exponent) - fraction; /* of the last bit */
    int drop = place - unit;
    if (drop > 62)
        return sign;
    if (drop > 0)
        magnitude = (magnitude + (UINT64_C(1) << (drop - 1))) >> drop;
    else
        magnitude <<= -drop;
    if (!magnitude)
        return sign;
    top = 63 - __builtin_clzll(magnitude);
    exponent = top + place;
    if (fraction == F32_FRACTION && exponent < least)
        return sign;
    if (exponent > (fraction == F32_FRACTION ? EXPONENT_BIAS : 15))
        return sign | F32_INFINITY;
    uint64_t significand = top > F32_FRACTION ? magnitude >> (top - F32_FRACTION)
                                              : magnitude << (F32_FRACTION - top);
    return sign | (uint32_t)(exponent + EXPONENT_BIAS) << F32_FRACTION |
           ((uint32_t)significand & ((1u << F32_FRACTION) - 1));
}

static uint32_t float_sum(bool half, const uint32_t weight[FILTER_TEXELS],
                          const uint32_t texel[FILTER_TEXELS])
{
    int fraction = half ? 10 : F32_FRACTION, least = half ? -14 : -126, largest = least;
    uint32_t result = 0;
    int64_t sum = 0;

    if (special_sum(weight, texel, &result))
        return result;
    for (unsigned i = 0; i < FILTER_TEXELS; i++)
        if (weight[i] && !is_zero(texel[i]) && exponent_of(texel[i]) > largest)
            largest = exponent_of(texel[i]);
    for (unsigned i = 0; i < FILTER_TEXELS; i++) {
        if (!weight[i] || is_zero(texel[i]))
            continue;
        int64_t significand = (texel[i] & 0x7fffff) | 0x800000;
        int shift = largest - exponent_of(texel[i]) + F32_FRACTION - fraction;
        significand = shift > 40 ? 0 : significand << GUARD >> shift;
        sum += (int64_t)weight[i] * (texel[i] >> 31 ? -significand : significand);
    }
    return rounded((uint64_t)(sum < 0 ? -sum : sum), largest - fraction - GUARD - 8, sum < 0,
                   fraction, least);
}

uint32_t filter_sum(enum element element, const uint32_t weight[FILTER_TEXELS],
                    const uint32_t texel[FILTER_TEXELS])
{
    if (!element_is_float(element))
        return integer_sum(element, weight, texel);
    return float_sum(element == ELEMENT_F16, weight, texel);
}
