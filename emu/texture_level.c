/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_level.c - see texture_level.h.
 *
 * Measured on an H200 (conformance/texture): levels, biases and limits are 256ths, cut
 * toward zero; a bias is at least -15 and at most 15. Without level and gradients the
 * level is 0, with limits and no bias; tld4 reads level 0. */
#include "emu/texture_level.h"

#include "emu/texture_gradient.h"
#include "ir/texture.h"
#include "numeric/float.h"

enum { LEVEL_ONE = 256, BIAS_LIMIT = 15 * LEVEL_ONE };

/* f32 in 256ths, toward zero; NaN as given. */
static int32_t parts(uint32_t bits, int32_t of_nan)
{
    if (f32_is_nan(bits))
        return of_nan;
    int exponent = (int)(bits >> 23 & 0xff) - 127;
    int32_t magnitude = exponent < -8   ? 0
                        : exponent > 13 ? 1 << 22
                                        : (int32_t)(((bits & 0x7fffff) | 0x800000) >> (15 - exponent));
    return bits >> 31 ? -magnitude : magnitude;
}

static int32_t bias_of(const struct texture *what)
{
    int32_t bias = parts(what->bias, BIAS_LIMIT);

    return bias < -BIAS_LIMIT ? -BIAS_LIMIT : bias > BIAS_LIMIT ? BIAS_LIMIT : bias;
}

bool texture_select_levels(const struct texture *what, const struct texture_query *query,
                           struct texture_blend *blend)
{
    int32_t last = (int32_t)(what->levels - 1) * LEVEL_ONE, level = 0;

    *blend = (struct texture_blend){{0, 0}, 0};
    if (query->whole) {
        blend->level[0] = query->level;
        return query->level < what->levels;
    }
    if (query->sub & IR_TEXTURE_GATHER || !last)
        return true;
    if (query->sub & IR_TEXTURE_LEVEL)
        level = parts(query->level, 0) + bias_of(what);
    else if (query->sub & IR_TEXTURE_GRAD)
        level = texture_gradient_level(what, query) + bias_of(what);
    int32_t most = parts(what->level_limits[1], 0), least = parts(what->level_limits[0], 0);
    level = level > most ? most : level;
    level = level < least ? least : level;
    level = level < 0 ? 0 : level > last ? last : level;
    if (!what->linear_levels)
        level = (level + LEVEL_ONE / 2) / LEVEL_ONE * LEVEL_ONE;
    blend->level[0] = (uint32_t)level / LEVEL_ONE;
    blend->level[1] = blend->level[0] + 1;
    blend->fraction = (uint32_t)level % LEVEL_ONE;
    return true;
}
