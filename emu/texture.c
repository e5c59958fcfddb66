/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.c - the value of a texture at a place: from coordinates to texels.
 *
 * Measured on an H200 (conformance/texture): a coordinate is first turned into fixed
 * point, cut toward minus infinity for the nearest texel, rounded to 8 fraction bits
 * (ties up) half a texel to the left for linear filtering. */
#include "emu/texture.h"

#include <string.h>

#include "emu/texture_filter.h"
#include "ir/texture.h"
#include "numeric/convert.h"
#include "numeric/float.h"
#include "numeric/soft.h"

/* --- texels ------------------------------------------------------------------------- */

void texture_unpack(const struct texture *what, const unsigned char *bytes, uint32_t out[4])
{
    unsigned size = element_size(what->element);

    memset(out, 0, 4 * sizeof *out);
    for (unsigned k = 0; k < what->channels; k++) {
        uint32_t word = 0;
        memcpy(&word, bytes + k * size, size);
        switch (what->element) {
        case ELEMENT_S8: word = (uint32_t)(int32_t)(int8_t)word; break;
        case ELEMENT_S16: word = (uint32_t)(int32_t)(int16_t)word; break;
        case ELEMENT_F16: /* NaNs keep their bits */
            word = (word & 0x7fff) > 0x7c00
                       ? (word & 0x8000) << 16 | 0x7f800000 | (word & 0x3ff) << 13
                       : f32_from_f16_any((uint16_t)word, 0);
            break;
        default: break;
        }
        out[k] = word;
    }
}

/* --- one direction ------------------------------------------------------------------- */

/* Texels in a direction: one, or two with a fraction between them; -1 is the border. */
struct axis {
    int64_t index[2];
    uint32_t fraction; /* 256ths, toward index[1] */
};

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

/* Bits behind the point of a coordinate between 0 and 1. Measured: 21 up to 1000 texels,
 * 22 of 9999, 23 from 99991; where it changes in between is a guess. */
static int normalized_bits(uint32_t size)
{
    return size <= 8192 ? 21 : size <= 16384 ? 22 : 23;
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

static struct axis place_between(int64_t index, uint32_t fraction, int64_t size,
                                 enum texture_address address, bool gather)
{
    struct axis axis = {{0, 0}, fraction};

    if (address == TEXTURE_CLAMP && !gather && (index < 0 || index >= size - 1)) {
        axis.fraction = 0;
        index = index < 0 ? 0 : size - 1;
    }
    axis.index[0] = addressed(index, size, address);
    axis.index[1] = addressed(index + 1, size, address);
    return axis;
}

/* --- a place ------------------------------------------------------------------------------ */

struct place {
    struct axis axis[3]; /* z: the layer of a layered texture */
};

static unsigned dimensions_of(unsigned sub)
{
    return sub & (IR_TEXTURE_1D | IR_TEXTURE_1D_LAYERED) ? 1 : sub & IR_TEXTURE_3D ? 3 : 2;
}

static struct axis one_texel(int64_t index)
{
    return (struct axis){{index, index}, 0};
}

/* Whole coordinates count texels and know no address modes: beyond the edge lies zero;
 * but with a level, the edge goes on. */
static struct axis whole_axis(const struct texture_query *query, unsigned k, uint32_t size)
{
    int64_t index = (int32_t)query->at[k] + (int64_t)query->offset[k];

    if (query->sub & IR_TEXTURE_LEVEL)
        return one_texel(addressed(index, size, TEXTURE_CLAMP));
    return one_texel(index < 0 || index >= size ? -1 : index);
}

static struct axis axis_of(const struct texture *what, const struct texture_query *query,
                           unsigned k, uint32_t size, bool between)
{
    enum texture_address address = what->address[k];

    if (query->whole)
        return whole_axis(query, k, size);
    /* Wrapping and mirroring are for normalized coordinates. */
    if (!what->normalized && (address == TEXTURE_WRAP || address == TEXTURE_MIRROR))
        address = TEXTURE_CLAMP;
    int64_t place = texel_place(what, query->at[k], size, address);
    if (!between)
        return one_texel(addressed((place >> 9) + query->offset[k], size, address));
    place = (place - 255) >> 1;
    return place_between((place >> 8) + query->offset[k], (uint32_t)(place & 255), size, address,
                         query->sub & IR_TEXTURE_GATHER);
}

/* --- cubes ---------------------------------------------------------------------------- */

/* A face and the place on it. PTX ISA, "tex"; the usual rules for faces, the later one of
 * x, y, z where two are as large. Filtering stays on the face. */
static uint32_t cube_face(const uint32_t at[3], double place[2], double *size)
{
    double x = (double)f32_host(at[0]), y = (double)f32_host(at[1]), z = (double)f32_host(at[2]);
    double ax = x < 0 ? -x : x, ay = y < 0 ? -y : y, az = z < 0 ? -z : z;

    if (az >= ax && az >= ay) {
        *size = az;
        place[0] = z < 0 ? -x : x;
        place[1] = -y;
        return z < 0 ? 5 : 4;
    }
    if (ay >= ax) {
        *size = ay;
        place[0] = x;
        place[1] = y < 0 ? -z : z;
        return y < 0 ? 3 : 2;
    }
    *size = ax;
    place[0] = x < 0 ? z : -z;
    place[1] = -y;
    return x < 0 ? 1 : 0;
}

static struct axis cube_axis(double place, double size, uint32_t texels, bool between,
                             bool gather)
{
    double position = size > 0 ? (place / size + 1) * 0.5 * texels * 512 : 256.0 * texels;
    int64_t fixed = position > 0 && position < 0x1p40 ? (int64_t)position : 0;

    if (!between)
        return one_texel(addressed(fixed >> 9, texels, TEXTURE_CLAMP));
    fixed = (fixed - 255) >> 1;
    return place_between(fixed >> 8, (uint32_t)(fixed & 255), texels, TEXTURE_CLAMP, gather);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A f32 as a whole number of parts of `most`, clamped; halves go toward zero. */
static int32_t parts_of(uint32_t bits, int32_t least, int32_t most)
{
    if (f32_is_nan(bits))
        return 0;
    double parts = (double)f32_host(f32_mul(bits, f32_from_integer((uint64_t)most, false, 0), 0));
    if (parts >= most)
        return most;
    if (parts <= least)
        return least;
    int32_t whole = (int32_t)parts;
    double rest = parts - whole;
    return rest > 0.5 ? whole + 1 : rest < -0.5 ? whole - 1 : whole;
}

/* The color beyond a border, in the texture's own type: fractions are rounded to it, f16
 * toward zero, integers take the low bits of the f32. */
static void border_texel(const struct texture *what, uint32_t out[4])
{
    unsigned bits = 8 * element_size(what->element);
    bool is_signed = what->element == ELEMENT_S8 || what->element == ELEMENT_S16;

    for (unsigned k = 0; k < 4; k++) {
        uint32_t word = what->border[k];
        int32_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits % 32) - 1;
        if (what->element == ELEMENT_F16)
            word = f32_from_f16_any(f16_from_f32_any(word, ROUND_ZERO), 0);
        else if (what->as_float)
            word = (uint32_t)parts_of(word, is_signed ? -most : 0, most);
        else if (is_signed)
            word = (uint32_t)((int32_t)(word << (32 - bits)) >> (32 - bits));
        else if (bits < 32)
            word &= (UINT32_C(1) << bits) - 1;
        out[k] = k < what->channels ? word : 0;
    }
}

static void texel_at(const struct texture_object *object, bool whole, int64_t x, int64_t y,
                     int64_t z, uint32_t out[4], struct texture_taps *taps)
{
    const struct texture *what = &object->what;

    if (x < 0 || y < 0 || z < 0) {
        if (whole)
            memset(out, 0, 4 * sizeof *out);
        else
            border_texel(what, out);
        return;
    }
    uint64_t texel = ((uint64_t)z * what->height + (uint64_t)y) * what->width + (uint64_t)x;
    uint64_t offset = texel * texture_texel(what);
    for (uint32_t t = 0; t < taps->count; t++)
        if (taps->offset[t] == offset)
            goto known;
    taps->offset[taps->count++] = offset;
known:
    texture_unpack(what, object->allocation->host + offset, out);
}

void texture_fetch(const struct texture_object *object, const struct texture_query *query,
                   uint32_t result[4], struct texture_taps *taps)
{
    const struct texture *what = &object->what;
    const uint32_t size[3] = {what->width, what->height, what->depth};
    unsigned dimensions = dimensions_of(query->sub);
    unsigned gather = query->sub & IR_TEXTURE_GATHER;
    bool between = (what->linear && !query->whole) || gather;
    struct place place = {{{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}}};
    uint32_t texel[FILTER_TEXELS][4] = {{0}}, weight[FILTER_TEXELS];

    taps->count = 0;
    memset(result, 0, 4 * sizeof *result);
    /* Measured: the chip reads zeros of an array by one whole coordinate, of linear memory
     * by any other (tex1Dfetch belongs to the latter), and of a level that is not there. */
    if (query->whole ? what->shape == TEXTURE_1D || query->level : what->shape == TEXTURE_BUFFER)
        return;
    if (query->sub & (IR_TEXTURE_CUBE | IR_TEXTURE_CUBE_LAYERED)) {
        double at[2], largest;
        uint32_t face = cube_face(query->at, at, &largest);
        uint32_t cubes = what->depth / 6;
        uint32_t cube = query->layer < cubes ? query->layer : cubes - 1;
        place.axis[0] = cube_axis(at[0], largest, what->width, between, gather);
        place.axis[1] = cube_axis(at[1], largest, what->width, between, gather);
        place.axis[2] = one_texel(6 * cube + face);
    } else {
        for (unsigned k = 0; k < dimensions; k++)
            place.axis[k] = axis_of(what, query, k, size[k], between);
        if (dimensions < 3)
            place.axis[2] = one_texel(query->layer < what->depth ? query->layer
                                      : query->whole             ? -1
                                                                 : (int64_t)what->depth - 1);
    }
    const uint32_t fraction[3] = {place.axis[0].fraction, place.axis[1].fraction,
                                  place.axis[2].fraction};
    filter_weights(fraction, weight);
    if (gather) {
        /* PTX ISA, "tld4": the footprint of linear filtering, counter-clockwise. */
        static const unsigned corner[4] = {2, 3, 1, 0};
        unsigned channel = gather == IR_TEXTURE_GATHER_R   ? 0
                           : gather == IR_TEXTURE_GATHER_G ? 1
                           : gather == IR_TEXTURE_GATHER_B ? 2
                                                           : 3;
        for (unsigned k = 0; k < 4; k++) {
            unsigned c = corner[k];
            uint32_t all[4];
            texel_at(object, query->whole, place.axis[0].index[c & 1], place.axis[1].index[c >> 1],
                     place.axis[2].index[0], all, taps);
            result[k] = what->as_float ? filter_fraction(what->element, all[channel])
                                       : all[channel];
        }
        return;
    }
    for (unsigned i = 0; i < FILTER_TEXELS; i++)
        if (weight[i])
            texel_at(object, query->whole, place.axis[0].index[i & 1], place.axis[1].index[i >> 1 & 1],
                     place.axis[2].index[i >> 2], texel[i], taps);
    for (unsigned k = 0; k < 4; k++) {
        uint32_t channel[FILTER_TEXELS];
        if (k >= what->channels) {
            result[k] = 0;
            continue;
        }
        for (unsigned i = 0; i < FILTER_TEXELS; i++)
            channel[i] = texel[i][k];
        result[k] = between          ? filter_sum(what->element, weight, channel)
                    : what->as_float ? filter_fraction(what->element, channel[0])
                                     : channel[0];
    }
}

/* PTX ISA, "sust": integers saturate (measured), as what they are; f32 becomes f16. */
void texture_pack(const struct texture *what, const uint32_t value[4], unsigned char *bytes)
{
    unsigned size = element_size(what->element);

    for (unsigned k = 0; k < what->channels; k++) {
        uint32_t word = value[k];
        int32_t number = (int32_t)word;
        switch (what->element) {
        case ELEMENT_U8: word = word > 0xff ? 0xff : word; break;
        case ELEMENT_U16: word = word > 0xffff ? 0xffff : word; break;
        case ELEMENT_S8:
            word = (uint32_t)(number > INT8_MAX ? INT8_MAX : number < INT8_MIN ? INT8_MIN : number);
            break;
        case ELEMENT_S16:
            word = (uint32_t)(number > INT16_MAX   ? INT16_MAX
                              : number < INT16_MIN ? INT16_MIN
                                                   : number);
            break;
        case ELEMENT_F16: /* toward zero */
            word = f32_is_nan(word) ? (word >> 16 & 0x8000) | 0x7fff
                                    : f16_from_f32_any(word, ROUND_ZERO);
            break;
        default: break;
        }
        memcpy(bytes + k * size, &word, size);
    }
}
