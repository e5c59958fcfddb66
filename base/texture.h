/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.h - what a texture or surface is, and its text form.
 *
 *     SHAPE : TYPE [xCHANNELS] [ WIDTH [x HEIGHT [x DEPTH]] ] {, OPTION} [= CONTENTS]
 *
 *     tex2d:f32[64x32],linear,clamp,normalized=rand:1
 *
 * SHAPE     tex1d tex2d tex3d tex1dlayered tex2dlayered texcube texcubelayered;
 *           texbuffer (linear memory), texpitch (2D, linear memory); and surf1d
 *           surf2d surf3d surf1dlayered surf2dlayered, which take no options
 * TYPE      u8 s8 u16 s16 u32 s32 f16 f32; CHANNELS 1, 2 or 4
 * WIDTH...  in texels; the last number of a layered shape is the layers; a cube has
 *           6 faces, a layered cube 6 for each layer: texcube:f32[16x16x6]
 * OPTION    point, linear           filter, point when not given
 *           wrap clamp mirror border  beyond the edge; different ones for x, y and z
 *                                   are joined: wrap.clamp; clamp when not given
 *           normalized              coordinates from 0 to 1, not to the size
 *           float                   8- and 16-bit integers are read as fractions
 *           color:R[:G[:B[:A]]]     what lies beyond a border, 0 when not given
 *           srgb                    u8 is sRGB, but for the fourth channel
 *           seamless                cubes are filtered across the edges of faces
 *           levels:N, mipmap        that many mipmap levels, each half as large as the
 *                                   one before; or all there can be
 *           mippoint, miplinear     filter between levels, mippoint when not given
 *           bias:X, lod:MIN:MAX     what is added to a level, and its limits
 *           anisotropy:N            up to that many times as long as wide is what a fetch
 *                                   with gradients covers, at most 16
 *           fulltrilinear           with anisotropy, levels blend over their whole way
 * CONTENTS  as of a buffer, channel by channel, then along x, y and z, level by level;
 *           or @FILE */
#ifndef SIMTLAB_BASE_TEXTURE_H
#define SIMTLAB_BASE_TEXTURE_H

#include "base/arena.h"
#include "base/element.h"

enum texture_shape {
    TEXTURE_1D, TEXTURE_2D, TEXTURE_3D, TEXTURE_1D_LAYERED, TEXTURE_2D_LAYERED,
    TEXTURE_CUBE, TEXTURE_CUBE_LAYERED, TEXTURE_BUFFER, TEXTURE_PITCH
};

/* The driver's numbers. */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture {
    enum texture_shape shape;
    bool surface;
    enum element element;
    uint32_t channels;
    uint32_t width, height, depth; /* 1 where the shape has none; layers and faces: depth */
    enum texture_address address[3];
    bool linear, normalized, as_float, srgb, seamless;
    uint32_t border[4]; /* bits of f32 */
    uint32_t levels;    /* at least 1 */
    bool linear_levels;
    uint32_t anisotropy; /* 1 to 16 */
    bool full_trilinear; /* without what the driver calls trilinear optimization */
    uint32_t bias, level_limits[2]; /* bits of f32 */
};

/* One mipmap level. Layers and faces do not become fewer. */
struct texture_level {
    uint32_t width, height, depth;
    uint64_t first; /* texels of the levels before it */
};

/* True when text begins as a texture does. */
bool texture_begins(const char *text, size_t size);
/* Reads all up to the contents; *rest is where the '=' stands, or the end. Returns NULL,
 * or one sentence that says what is wrong; it is in the arena. */
const char *texture_parse(struct arena *arena, const char *text, size_t size,
                          struct texture *texture, const char **rest);
bool texture_is_cube(const struct texture *texture);
struct texture_level texture_level(const struct texture *texture, uint32_t level);
/* Levels that a texture of this size can have. */
uint32_t texture_levels_most(const struct texture *texture);
/* Elements of all levels, channels counted; bytes of one texel. */
uint64_t texture_elements(const struct texture *texture);
unsigned texture_texel(const struct texture *texture);

#endif
