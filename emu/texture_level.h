/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_level.h - which mipmap levels a texture fetch reads. */
#ifndef SIMTLAB_EMU_TEXTURE_LEVEL_H
#define SIMTLAB_EMU_TEXTURE_LEVEL_H

#include "emu/texture.h"

struct texture_blend {
    uint32_t level[2];
    uint32_t fraction; /* 256ths, toward level[1] */
};

/* False: the level is not there, the fetch gives zeros. */
bool texture_select_levels(const struct texture *what, const struct texture_query *query,
                           struct texture_blend *blend);

#endif
