/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.c - the value of a texture at a place: from coordinates to texels. */
#include "emu/texture.h"

#include <string.h>

#include "emu/texture_filter.h"
#include "emu/texture_level.h"
#include "emu/texture_place.h"
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

/* Of which type a channel is once it has been read: sRGB becomes f16, the fourth channel
 * and the second of two stay what they are. */
static enum element element_of(const struct texture *what, unsigned channel)
{
    bool color = what->channels == 2 ? channel == 0 : channel < 3;

    return what->srgb && what->as_float && color ? ELEMENT_F16 : what->element;
}

static uint32_t converted(const struct texture *what, unsigned channel, uint32_t word)
{
    enum element element = element_of(what, channel);

    return element != what->element ? texture_srgb((uint8_t)word) : word;
}

static uint32_t read_channel(const struct texture *what, unsigned channel, uint32_t word)
{
    enum element element = element_of(what, channel);

    return what->as_float && !element_is_float(element) ? filter_fraction(element, word) : word;
}

static uint32_t mixed_channel(const struct texture *what, unsigned channel,
                              const uint32_t weight[TEXTURE_TEXELS],
                              const uint32_t texel[TEXTURE_TEXELS])
{
    return element_of(what, channel) != what->element ? filter_srgb_sum(weight, texel)
                                                      : filter_sum(what->element, weight, texel);
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
        if (element_of(what, k) != what->element)
            word = texture_srgb(texture_srgb_code(word));
        else if (what->element == ELEMENT_F16)
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

/* A texel of a level, or the border. */
static void texel_at(const struct texture_object *object, const struct texture_level *level,
                     bool whole, const struct texture_footprint *from, unsigned i,
                     uint32_t out[4], struct texture_taps *taps)
{
    const struct texture *what = &object->what;
    int64_t x = from->at[i].x, y = from->at[i].y, z = from->at[i].z;

    if (x < 0 || y < 0 || z < 0) {
        if (whole)
            memset(out, 0, 4 * sizeof *out);
        else
            border_texel(what, out);
        return;
    }
    uint64_t texel = level->first +
                     ((uint64_t)z * level->height + (uint64_t)y) * level->width + (uint64_t)x;
    uint64_t offset = texel * texture_texel(what);
    for (uint32_t t = 0; t < taps->count; t++)
        if (taps->offset[t] == offset)
            goto known;
    taps->offset[taps->count++] = offset;
known:
    texture_unpack(what, object->allocation->host + offset, out);
    for (unsigned k = 0; k < what->channels; k++)
        out[k] = converted(what, k, out[k]);
}

/* PTX ISA, "tld4": one channel of the footprint of linear filtering, counter-clockwise. */
static void gather_channel(const struct texture_object *object, const struct texture_level *level,
                           const struct texture_query *query,
                           const struct texture_footprint *from, uint32_t result[4],
                           struct texture_taps *taps)
{
    static const unsigned corner[4] = {2, 3, 1, 0};
    const struct texture *what = &object->what;
    unsigned gather = query->sub & IR_TEXTURE_GATHER;
    unsigned channel = gather == IR_TEXTURE_GATHER_R   ? 0
                       : gather == IR_TEXTURE_GATHER_G ? 1
                       : gather == IR_TEXTURE_GATHER_B ? 2
                                                       : 3;

    for (unsigned k = 0; k < 4; k++) {
        if ((int)corner[k] != from->corner) {
            uint32_t all[4];
            texel_at(object, level, query->whole, from, corner[k], all, taps);
            result[k] = read_channel(what, channel, all[channel]);
            continue;
        }
        /* A cube's corner: the three others, each with a third. */
        uint32_t weight[TEXTURE_TEXELS] = {0}, texel[TEXTURE_TEXELS] = {0};
        for (unsigned i = 0; i < 4; i++) {
            uint32_t all[4];
            if (i == corner[k])
                continue;
            texel_at(object, level, query->whole, from, i, all, taps);
            weight[i] = i == (corner[k] ^ 3) ? 256 - 2 * TEXTURE_THIRD : TEXTURE_THIRD;
            texel[i] = all[channel];
        }
        result[k] = mixed_channel(what, channel, weight, texel);
    }
}

void texture_fetch(const struct texture_object *object, const struct texture_query *query,
                   uint32_t result[4], struct texture_taps *taps)
{
    const struct texture *what = &object->what;
    bool gather = query->sub & IR_TEXTURE_GATHER;
    bool between = (what->linear && !query->whole) || gather;
    uint32_t texel[TEXTURE_TEXELS][4] = {{0}}, weight[TEXTURE_TEXELS] = {0};
    struct texture_blend blend;

    taps->count = 0;
    memset(result, 0, 4 * sizeof *result);
    /* Measured: the chip reads zeros of an array by one whole coordinate, of linear memory
     * by any other (tex1Dfetch belongs to the latter), and of a level that is not there. */
    if (query->whole ? what->shape == TEXTURE_1D : what->shape == TEXTURE_BUFFER)
        return;
    if (!texture_select_levels(what, query, &blend))
        return;
    for (unsigned l = 0; l < 2; l++) {
        struct texture_level level = texture_level(what, blend.level[l]);
        struct texture_footprint from;
        if (l && !blend.fraction)
            break;
        uint32_t share = l ? blend.fraction : 256 - blend.fraction;
        if (query->sub & (IR_TEXTURE_CUBE | IR_TEXTURE_CUBE_LAYERED))
            texture_cube_place(what, &level, query, between, share, &from);
        else
            texture_place(what, &level, query, between, share, &from);
        if (gather) {
            gather_channel(object, &level, query, &from, result, taps);
            return;
        }
        memcpy(&weight[FILTER_TEXELS * l], from.weight, sizeof from.weight);
        for (unsigned i = 0; i < FILTER_TEXELS; i++)
            if (from.weight[i])
                texel_at(object, &level, query->whole, &from, i, texel[FILTER_TEXELS * l + i],
                         taps);
    }
    bool filtered = between || (what->linear_levels && what->levels > 1 && !query->whole);
    for (unsigned k = 0; k < what->channels; k++) {
        uint32_t channel[TEXTURE_TEXELS];
        for (unsigned i = 0; i < TEXTURE_TEXELS; i++)
            channel[i] = texel[i][k];
        result[k] = filtered ? mixed_channel(what, k, weight, channel)
                             : read_channel(what, k, channel[0]);
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
