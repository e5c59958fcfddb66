/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_place.h - from the coordinates of a texture fetch to texels and their weights. */
#ifndef SIMTLAB_EMU_TEXTURE_PLACE_H
#define SIMTLAB_EMU_TEXTURE_PLACE_H

#include "emu/texture.h"
#include "emu/texture_filter.h"

/* The texels of one mipmap level that a fetch takes, in the order of filter_weights, z
 * the layer or face where there are such. A coordinate of -1 is beyond a border; those
 * with weight 0 are not to be read. */
struct texture_footprint {
    struct {
        int64_t x, y, z;
    } at[FILTER_TEXELS];
    uint32_t weight[FILTER_TEXELS]; /* 256ths; their sum is the level's share */
    int corner;                     /* the texel that is none, at a cube's corner; or -1 */
};

enum { TEXTURE_THIRD = 85 }; /* 256ths */

/* between: texels with weights, not one. share: of the level, 256ths. */
void texture_place(const struct texture *what, const struct texture_level *size,
                   const struct texture_query *query, bool between,
                   uint32_t share, struct texture_footprint *to);
/* The same for cubes: emu/texture_cube.c. */
void texture_cube_place(const struct texture *what, const struct texture_level *size,
                        const struct texture_query *query, bool between,
                        uint32_t share, struct texture_footprint *to);

/* Where coordinates point to on a cube. */
struct texture_direction {
    unsigned face;        /* 0 to 5 for +x -x +y -y +z -z */
    uint32_t quotient[3]; /* x, y and z by the largest of them; f32 bits, no NaN */
};
struct texture_direction texture_cube_direction(const uint32_t at[3]);

/* --- one direction ------------------------------------------------------------------ */

/* Texels in a direction: one, or two with a fraction between them; -1 is the border. */
struct texture_axis {
    int64_t index[2];
    uint32_t fraction; /* 256ths, toward index[1] */
};

struct texture_axis texture_one_texel(int64_t index);
/* From a coordinate in 512ths of a texel. */
struct texture_axis texture_axis_at(int64_t place, int64_t size, enum texture_address address,
                                    bool between, int32_t offset, bool gather);
void texture_footprint_of(const struct texture_axis axis[3], uint32_t share,
                          struct texture_footprint *to);

#endif
