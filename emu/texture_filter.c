/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_filter.c - see texture_filter.h.
 *
 * Found by fitting recordings of an H200 (conformance/texture), of which they explain
 * every bit:
 *   weights  256ths. Mipmap levels split 256, z splits what a level has; each part is split along x, the half away from x = 0
 *            rounded to nearest, ties up; each of those along y, ties up for the upper x
 *            and down for the lower one.
 *   f32      texels are cut toward zero to 27 fraction bits below the largest exponent
 *            among the four of their level and slice that have a weight. The sums of such
 *            fours, those of one level and then those of the other, are cut toward minus
 *            infinity to 35 bits below the largest exponent, or up to three more:
 *            exponents 4n + 1 to 4n + 4 share one unit. What they add up to is rounded to
 *            nearest, ties away from zero. Subnormal numbers count as zero, in and out.
 *   f16      the same with 14 and 22 bits; the result is rounded to f16, subnormal ones
 *            kept.
 *   sRGB     the same with 7 and 15 bits and exponents that are those of eight codes
 *            together, the largest of them; the result is rounded to f16.
 *   u8, u16  the sum of 16-bit fractions (u8 times 257) rounded to 16 bits, ties up.
 *   s8, s16  the same, at least -1 after the sum only; s8 becomes 16 bits after the sum, by a product that looks at the
 *            sum without its low four bits. */
#include "emu/texture_filter.h"

#include "numeric/convert.h"
#include "numeric/float.h"

enum { TEXELS = 2 * FILTER_TEXELS };

/* n * f / 256, ties up, or down. */
static uint32_t part(uint32_t n, uint32_t f, bool ties_up)
{
    return (n * f + 127 + ties_up) >> 8;
}

void filter_weights(const uint32_t fraction[3], uint32_t whole, uint32_t weight[FILTER_TEXELS])
{
    uint32_t far = part(whole, fraction[2], false);

    for (unsigned z = 0; z < 2; z++) {
        uint32_t slice = z ? far : whole - far;
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
    case ELEMENT_S8: return (int8_t)texel;
    default: return (int16_t)texel;
    }
}

/* number / most, to nearest, at least -1. */
static uint32_t fraction_of(int32_t number, int32_t most)
{
    bool negative = number < 0;

    if (number < -most)
        number = -most;
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
    return value >= 0 ? value >> bits : ~(~value >> bits);
}

static uint32_t integer_sum(enum element element, const uint32_t weight[TEXELS],
                            const uint32_t texel[TEXELS])
{
    bool is_signed = element == ELEMENT_S8 || element == ELEMENT_S16;
    int64_t sum = 0;

    for (unsigned i = 0; i < TEXELS; i++)
        sum += (int64_t)weight[i] * extended(element, texel[i]);
    sum = element == ELEMENT_S8 ? sum + shifted(shifted(sum, 4) * 257 + 1024, 11)
                                : shifted(sum + 128, 8);
    return fraction_of((int32_t)sum, is_signed ? 32767 : 65535);
}

/* --- floating point --------------------------------------------------------------------- */

enum { EXPONENT_BIAS = 127, F32_FRACTION = 23 };

static int exponent_of(uint32_t bits)
{
    return (int)(bits >> F32_FRACTION & 0xff) - EXPONENT_BIAS;
}

static bool is_zero(uint32_t bits)
{
    return !(bits >> F32_FRACTION & 0xff); /* subnormal ones too */
}

/* The answer when a texel is no number or none is left; false: neither. */
static bool special_sum(const uint32_t weight[TEXELS],
                        const uint32_t texel[TEXELS], uint32_t *result)
{
    uint32_t infinities = 0, minus = 0, plus = 0;
    bool number = false;

    for (unsigned i = 0; i < TEXELS; i++) {
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

enum { QUAD = 4, QUADS = TEXELS / QUAD, SPARE = 8, WEIGHT_BITS = 8 };

/* How numbers of a kind are summed. */
struct format {
    int bits;     /* of a texel behind the point of the largest exponent of its quad */
    int fraction; /* of the result */
    int least;    /* exponent that is no subnormal one */
    bool codes;   /* exponents are those of sRGB codes */
};

static const struct format f32_format = {27, F32_FRACTION, -126, false};
static const struct format f16_format = {14, 10, -14, false};
static const struct format srgb_format = {7, 10, -14, true};

static int place_of(const struct format *format, uint32_t bits)
{
    return format->codes ? texture_srgb_exponent(bits) : exponent_of(bits);
}

/* The sum over four texels, with format->bits + 8 bits behind the point of the largest
 * exponent, which is stored. */
static int64_t quad_sum(const struct format *format, const uint32_t weight[QUAD],
                        const uint32_t texel[QUAD], int *exponent)
{
    int largest = format->least;
    int64_t sum = 0;

    for (unsigned i = 0; i < QUAD; i++)
        if (weight[i] && !is_zero(texel[i]) && place_of(format, texel[i]) > largest)
            largest = place_of(format, texel[i]);
    for (unsigned i = 0; i < QUAD; i++) {
        if (!weight[i] || is_zero(texel[i]))
            continue;
        int64_t significand = (texel[i] & 0x7fffff) | 0x800000;
        int shift = largest - exponent_of(texel[i]) + F32_FRACTION - format->bits;
        significand = shift > 40 ? 0 : significand << SPARE >> (shift + SPARE);
        sum += (int64_t)weight[i] * (texel[i] >> 31 ? -significand : significand);
    }
    *exponent = largest;
    return sum;
}

/* value / 2^bits toward minus infinity. */
static int64_t lowered(int64_t value, int bits)
{
    return bits > 60 ? -(value < 0) : shifted(value, (unsigned)bits);
}

/* value * 2^unit */
struct partial {
    int64_t value;
    int unit, exponent; /* the largest one in it */
};

/* total + terms, in the unit of the largest exponent among them. */
static struct partial accumulated(const struct format *format, struct partial total,
                                  const struct partial *terms, unsigned count)
{
    int64_t sum = 0;
    int largest = total.exponent;

    for (unsigned i = 0; i < count; i++)
        largest = terms[i].exponent > largest ? terms[i].exponent : largest;
    int more = (largest - 1) & 3, unit = largest - format->bits - WEIGHT_BITS - more;
    for (unsigned i = 0; i <= count; i++) {
        const struct partial *term = i < count ? &terms[i] : &total;
        int shift = unit - term->unit;
        sum += shift < 0 ? term->value * ((int64_t)1 << -shift) : lowered(term->value, shift);
    }
    return (struct partial){sum, unit, largest};
}

static uint32_t float_sum(const struct format *format, const uint32_t weight[TEXELS],
                          const uint32_t texel[TEXELS])
{
    enum { LEVEL_QUADS = QUADS / 2 };
    int lowest = format->least - format->bits - WEIGHT_BITS;
    struct partial total = {0, lowest, format->least}, quad[LEVEL_QUADS];
    uint32_t result = 0;

    if (special_sum(weight, texel, &result))
        return result;
    for (unsigned first = 0; first < QUADS; first += LEVEL_QUADS) {
        for (unsigned q = 0; q < LEVEL_QUADS; q++) {
            unsigned at = QUAD * (first + q);
            quad[q].value = quad_sum(format, weight + at, texel + at, &quad[q].exponent);
            quad[q].unit = quad[q].exponent - format->bits - WEIGHT_BITS;
        }
        total = accumulated(format, total, quad, LEVEL_QUADS);
    }
    bool negative = total.value < 0;
    return rounded((uint64_t)(negative ? -total.value : total.value), total.unit, negative,
                   format->fraction, format->least);
}

uint32_t filter_srgb_sum(const uint32_t weight[TEXELS], const uint32_t texel[TEXELS])
{
    return float_sum(&srgb_format, weight, texel);
}

uint32_t filter_sum(enum element element, const uint32_t weight[TEXELS],
                    const uint32_t texel[TEXELS])
{
    if (!element_is_float(element))
        return integer_sum(element, weight, texel);
    return float_sum(element == ELEMENT_F16 ? &f16_format : &f32_format, weight, texel);
}
