/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_gradient.c - see texture_gradient.h.
 *
 * Measured on an H200 (conformance/texture). The footprint of a fetch is the ellipse that
 * the two gradients span, in texels of level 0; the level is the log2 of its longer half
 * axis. The chip takes the longest of four vectors for that: either gradient, and their sum
 * and their difference, which are 11/16 (for sqrt(1/2)) as long. A vector's length is its
 * largest component, 11/32 of the middle one and 1/4 of the least. Every number has 10
 * significant bits; what is below them is cut. */
#include "emu/texture_gradient.h"

#include "emu/texture_place.h"
#include "ir/texture.h"
#include "numeric/float.h"

/* --- numbers of 10 bits --------------------------------------------------------------- */

enum { BITS = 10, LEVEL_ONE = 256, NOTHING = -(1 << 20) };

/* significand * 2^unit; the significand has BITS bits, if nothing else is said, or is 0. */
struct part {
    uint32_t significand;
    int unit;
    bool negative;
};

static struct part nothing(void)
{
    return (struct part){0, NOTHING, false};
}

static struct part cut(uint32_t magnitude, int unit, bool negative)
{
    if (!magnitude)
        return nothing();
    int drop = 32 - __builtin_clz(magnitude) - BITS;
    return (struct part){drop > 0 ? magnitude >> drop : magnitude << -drop, unit + drop, negative};
}

/* All 24 bits of an f32. */
static struct part whole_part(uint32_t bits)
{
    int exponent = (int)(bits >> 23 & 0xff);

    if (f32_is_nan(bits) || !exponent)
        return nothing();
    return (struct part){(bits & 0x7fffff) | 0x800000, exponent - 150, bits >> 31};
}

static struct part part_of(uint32_t bits)
{
    struct part whole = whole_part(bits);

    return cut(whole.significand, whole.unit, whole.negative);
}

/* A gradient in texels. The first ten bits of the size are multiplied one by one: what one
 * gives is cut to 12 bits behind the point, and 7 of these are added in the end. */
static struct part scaled(struct part part, uint32_t size)
{
    int top = 31 - __builtin_clz(size);
    uint32_t product = 7;

    for (int bit = top < BITS ? 0 : top - BITS + 1; bit <= top; bit++)
        if (size >> bit & 1)
            product += part.significand << 3 >> (top - bit);
    return part.significand ? cut(product, part.unit - 3 + top, part.negative) : part;
}

/* a + b, of as many bits each: the lesser is cut to one bit more than the other one has. */
static struct part sum(struct part a, struct part b)
{
    struct part large = a, small = b;

    if (a.unit < b.unit || (a.unit == b.unit && a.significand < b.significand)) {
        large = b;
        small = a;
    }
    int shift = large.unit - small.unit;
    uint32_t much = large.significand << 1;
    uint32_t little = shift > 25 ? 0 : small.significand << 1 >> shift;
    return cut(large.negative == small.negative ? much + little : much - little, large.unit - 1,
               large.negative);
}

/* The sum of two lengths: the lesser is cut to the bits of the other one. */
static struct part joined(struct part a, struct part b)
{
    struct part large = a.unit >= b.unit ? a : b, small = a.unit >= b.unit ? b : a;
    int shift = large.unit - small.unit;

    return cut(large.significand + (shift > 12 ? 0 : small.significand >> shift), large.unit,
               false);
}

/* part * factor / 2^places / 2^shift, of which the first quotient is rounded, halves up. */
static struct part times(struct part part, uint32_t factor, int places, int shift)
{
    uint32_t half = places ? 1u << (places - 1) : 0;

    return part.significand ? cut((part.significand * factor + half) >> places, part.unit - shift,
                                  false)
                            : part;
}

static bool longer(struct part a, struct part b)
{
    return a.unit > b.unit || (a.unit == b.unit && a.significand > b.significand);
}

static struct part length(const struct part vector[3], bool diagonal)
{
    struct part by_size[3] = {vector[0], vector[1], vector[2]};

    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2 - i; k++)
            if (longer(by_size[k + 1], by_size[k])) {
                struct part swapped = by_size[k];
                by_size[k] = by_size[k + 1];
                by_size[k + 1] = swapped;
            }
    if (diagonal)
        return joined(times(by_size[0], 11, 3, 1),
                      joined(times(by_size[1], 121, 6, 3), times(by_size[2], 11, 3, 3)));
    return joined(times(by_size[0], 1, 0, 0),
                  joined(times(by_size[1], 11, 3, 2), times(by_size[2], 1, 0, 2)));
}

/* log2(1 + (i + 1/2) / 256) in 256ths, but the first is 0, and the last below 256; what is
 * half a 256th above is rounded down up to 0.53. */
static const uint8_t logarithm[256] = {
    0, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 18, 19, 20, 22,
    23, 24, 26, 27, 28, 30, 31, 32, 34, 35, 36, 38, 39, 40, 42, 43,
    44, 45, 47, 48, 49, 50, 52, 53, 54, 55, 57, 58, 59, 60, 62, 63,
    64, 65, 66, 68, 69, 70, 71, 72, 74, 75, 76, 77, 78, 79, 81, 82,
    83, 84, 85, 86, 88, 89, 90, 91, 92, 93, 94, 95, 97, 98, 99, 100,
    101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117,
    118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133,
    135, 136, 137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149,
    150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164,
    165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178, 179,
    180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193,
    194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206,
    207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218, 218, 219,
    220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232,
    233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244,
    245, 245, 246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255,
};

/* --- gradients ------------------------------------------------------------------------ */

static bool is_infinite(uint32_t bits)
{
    return (bits & ~F32_SIGN) == F32_INFINITY;
}

/* What is infinitely far stays so: a NaN counts as long. */
static struct part difference(uint32_t a, uint32_t b)
{
    if (is_infinite(a) || is_infinite(b))
        return part_of(F32_INFINITY);
    return sum(whole_part(a), whole_part(b ^ F32_SIGN));
}

/* A coordinate of 2^97 or more, from which every way is long. */
static bool is_far(uint32_t bits)
{
    return !f32_is_nan(bits) && (bits >> 23 & 0xff) >= 97 + 127;
}

/* From a place of a cube to another one, in half faces. Beyond an edge the way goes on on
 * the next face, as if they were one plane; the opposite face lies two behind.
 * True when both are on one face. */
static bool cube_difference(const uint32_t here[3], const uint32_t there[3], uint32_t texels,
                            struct part out[3])
{
    const struct texture_direction from = texture_cube_direction(here);
    const struct texture_direction to = texture_cube_direction(there);
    unsigned through = from.face / 2, beyond = to.face / 2;
    uint32_t one = f32_bits(1.0f);

    for (unsigned k = 0; k < 3; k++) {
        if (k == through)
            continue;
        if (k != beyond) {
            out[k] = scaled(difference(to.quotient[k], from.quotient[k]), texels);
            continue;
        }
        uint32_t start = from.quotient[k] ^ (to.face & 1 ? F32_SIGN : 0);
        uint32_t end = to.quotient[through] ^ (from.face & 1 ? F32_SIGN : 0);
        out[k] = sum(scaled(difference(one, start), texels), scaled(difference(one, end), texels));
    }
    if (through == beyond && from.face != to.face)
        out[through] = scaled(part_of(f32_bits(2.0f)), texels);
    return from.face == to.face;
}

/* A gradient, in texels of level 0; 0 in directions that the geometry has not. In three
 * dimensions and on cubes the driver's code fetches as well from the place that lies a
 * gradient farther, as another thread of a quad, and the chip takes the difference of the
 * two. True when that is on the same face. */
static bool gradient(const struct texture *what, const struct texture_query *query,
                     unsigned along, struct part to[3])
{
    const uint32_t size[3] = {what->width, what->height, what->depth};
    unsigned dimensions = query->sub & (IR_TEXTURE_1D | IR_TEXTURE_1D_LAYERED) ? 1 : 2;
    bool cube = query->sub & (IR_TEXTURE_CUBE | IR_TEXTURE_CUBE_LAYERED), same = true;
    uint32_t beside[3];

    for (unsigned k = 0; k < 3; k++) {
        to[k] = nothing();
        beside[k] = f32_add(query->at[k], query->gradient[along][k], 0);
    }
    if (cube)
        same = cube_difference(query->at, beside, what->width, to);
    else if (query->sub & IR_TEXTURE_3D)
        for (unsigned k = 0; k < 3; k++)
            to[k] = is_far(query->at[k]) ? part_of(F32_INFINITY)
                                         : difference(beside[k], query->at[k]);
    else
        for (unsigned k = 0; k < dimensions; k++)
            to[k] = part_of(query->gradient[along][k]);
    for (unsigned k = 0; k < 3; k++) {
        if (!cube)
            to[k] = scaled(to[k], size[k]);
        to[k].unit -= cube; /* a face is two long */
    }
    return same;
}

int32_t texture_gradient_level(const struct texture *what, const struct texture_query *query)
{
    struct part vector[4][3], longest = nothing();
    bool first = gradient(what, query, 0, vector[0]), second = gradient(what, query, 1, vector[1]);

    for (unsigned k = 0; k < 3; k++) {
        struct part opposite = vector[1][k];
        vector[2][k] = sum(vector[0][k], opposite);
        opposite.negative = !opposite.negative;
        vector[3][k] = sum(vector[0][k], opposite);
    }
    for (unsigned v = 0; v < (first && second ? 4 : 2); v++) {
        struct part this = length(vector[v], v >= 2);
        if (longer(this, longest))
            longest = this;
    }
    if (!longest.significand)
        return NOTHING;
    return (longest.unit + BITS - 1) * LEVEL_ONE + logarithm[longest.significand >> 1 & 255];
}
