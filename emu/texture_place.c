/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_place.c - see texture_place.h.
 *
 * Measured on an H200 (conformance/texture): a coordinate is first turned into fixed
 * point, cut toward minus infinity for the nearest texel, rounded to 8 fraction bits
 * (ties up) half a texel to the left for linear filtering. */
#include "emu/texture_place.h"

#include "ir/texture.h"
#include "numeric/float.h"

/* --- one direction ------------------------------------------------------------------- */

/* Bits behind the point of a coordinate that counts texels. */
enum { TEXEL_BITS = 9 };
/* From here on all that is left of a coordinate is its sign. */
enum { LARGE_EXPONENT = 24 };

/* floor(value * 2^bits) for a value below 2^24 in size. A NaN is 0, and so is what is
 * subnormal. */
static int64_t fixed_point(uint32_t bits, int fraction)
{
    int exponent = (int)(bits >> 23 & 0xff);
    int64_t significand = (bits & 0x7fffff) | 0x800000;
    int shift = exponent - 127 - 23 + fraction;

    if (f32_is_nan(bits) || !exponent)
        return 0;
    if (bits >> 31)
        significand = -significand;
    if (shift >= 0)
        return significand * ((int64_t)1 << shift);
    if (shift < -40)
        return significand < 0 ? -1 : 0;
    int64_t divisor = (int64_t)1 << -shift, whole = significand / divisor;
    return whole - (significand % divisor < 0);
}

/* Bits behind the point of a coordinate between 0 and 1. Measured on both sides of every
 * power of two from 2048 to 131072 texels. */
static int normalized_bits(uint32_t size)
{
    return size <= 8192 ? 21 : size <= 65536 ? 22 : 23;
}

/* A coordinate in 512ths of a texel. Large ones lie beyond the edge, or at the beginning
 * of a repetition. */
static int64_t texel_place(const struct texture *what, uint32_t bits, uint32_t size,
                           enum texture_address address)
{
    if ((int)(bits >> 23 & 0xff) - 127 < LARGE_EXPONENT || f32_is_nan(bits)) {
        if (!what->normalized)
            return fixed_point(bits, TEXEL_BITS);
        int places = normalized_bits(size);
        int64_t product = fixed_point(bits, places) * size;
        int64_t divisor = 1 << (places - TEXEL_BITS);
        return product / divisor - (product % divisor < 0);
    }
    if (address == TEXTURE_WRAP || address == TEXTURE_MIRROR)
        return 0;
    return bits >> 31 ? -((int64_t)1 << 50) : (int64_t)1 << 50;
}

static int64_t modulo(int64_t value, int64_t size)
{
    int64_t rest = value % size;

    return rest < 0 ? rest + size : rest;
}

static int64_t addressed(int64_t index, int64_t size, enum texture_address address)
{
    switch (address) {
    case TEXTURE_WRAP:
        return modulo(index, size);
    case TEXTURE_MIRROR:
        index = modulo(index, 2 * size);
        return index < size ? index : 2 * size - 1 - index;
    case TEXTURE_BORDER:
        return index < 0 || index >= size ? -1 : index;
    default:
        return index < 0 ? 0 : index >= size ? size - 1 : index;
    }
}

struct texture_axis texture_one_texel(int64_t index)
{
    return (struct texture_axis){{index, index}, 0};
}

struct texture_axis texture_axis_at(int64_t place, int64_t size, enum texture_address address,
                                    bool between, int32_t offset, bool gather)
{
    if (!between)
        return texture_one_texel(addressed((place >> TEXEL_BITS) + offset, size, address));
    place = (place - 255) >> 1;
    int64_t index = (place >> 8) + offset;
    struct texture_axis axis = {{0, 0}, (uint32_t)(place & 255)};
    if (address == TEXTURE_CLAMP && !gather && (index < 0 || index >= size - 1)) {
        axis.fraction = 0;
        index = index < 0 ? 0 : size - 1;
    }
    axis.index[0] = addressed(index, size, address);
    axis.index[1] = addressed(index + 1, size, address);
    return axis;
}

/* --- a place ------------------------------------------------------------------------------ */

static unsigned dimensions_of(unsigned sub)
{
    return sub & (IR_TEXTURE_1D | IR_TEXTURE_1D_LAYERED) ? 1 : sub & IR_TEXTURE_3D ? 3 : 2;
}

/* Whole coordinates count texels and know no address modes: beyond the edge lies zero;
 * but with a level, the edge goes on. */
static struct texture_axis whole_axis(const struct texture_query *query, unsigned k,
                                      uint32_t size)
{
    int64_t index = (int32_t)query->at[k] + (int64_t)query->offset[k];

    if (query->sub & IR_TEXTURE_LEVEL)
        return texture_one_texel(addressed(index, size, TEXTURE_CLAMP));
    return texture_one_texel(index < 0 || index >= size ? -1 : index);
}

static struct texture_axis axis_of(const struct texture *what, const struct texture_query *query,
                                   unsigned k, uint32_t size, bool between)
{
    enum texture_address address = what->address[k];

    if (query->whole)
        return whole_axis(query, k, size);
    /* Wrapping and mirroring are for normalized coordinates. */
    if (!what->normalized && (address == TEXTURE_WRAP || address == TEXTURE_MIRROR))
        address = TEXTURE_CLAMP;
    return texture_axis_at(texel_place(what, query->at[k], size, address), size, address, between,
                           query->offset[k], query->sub & IR_TEXTURE_GATHER);
}

void texture_footprint_of(const struct texture_axis axis[3], uint32_t share,
                          struct texture_footprint *to)
{
    const uint32_t fraction[3] = {axis[0].fraction, axis[1].fraction, axis[2].fraction};

    to->corner = -1;
    filter_weights(fraction, share, to->weight);
    for (unsigned i = 0; i < FILTER_TEXELS; i++) {
        to->at[i].x = axis[0].index[i & 1];
        to->at[i].y = axis[1].index[i >> 1 & 1];
        to->at[i].z = axis[2].index[i >> 2];
    }
}

void texture_place(const struct texture *what, const struct texture_level *level,
                   const struct texture_query *query, bool between,
                   uint32_t share, struct texture_footprint *to)
{
    const uint32_t size[3] = {level->width, level->height, level->depth};
    unsigned dimensions = dimensions_of(query->sub);
    struct texture_axis axis[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};

    for (unsigned k = 0; k < dimensions; k++)
        axis[k] = axis_of(what, query, k, size[k], between);
    if (dimensions < 3)
        axis[2] = texture_one_texel(query->layer < what->depth ? query->layer
                                    : query->whole             ? -1
                                                               : (int64_t)what->depth - 1);
    texture_footprint_of(axis, share, to);
}
