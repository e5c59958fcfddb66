/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.h - textures and surfaces in device memory.
 *
 * The texels of a texture are an allocation like any other, rows close together; what
 * kernels hold is a handle, which is no address. Handles and contents belong to the
 * memory and live as long. */
#ifndef SIMTLAB_EMU_TEXTURE_H
#define SIMTLAB_EMU_TEXTURE_H

#include "base/texture.h"
#include "emu/memory.h"

struct texture_object {
    struct texture what;
    struct allocation *allocation; /* its texels */
};

/* The texels are zero and count as defined. NULL when there is no room, else the
 * allocation; *handle is what kernels take. */
struct allocation *texture_create(struct memory *memory, const struct texture *what,
                                  uint64_t *handle);
/* NULL when the handle is none, or its texels have been released. */
const struct texture_object *texture_find(const struct memory *memory, uint64_t handle);

/* --- reading one texture ----------------------------------------------------------- */

enum { TEXTURE_TEXELS = 16 };

/* Texels that a fetch read, as offsets in the allocation. */
struct texture_taps {
    uint32_t count;
    uint64_t offset[TEXTURE_TEXELS];
};

/* What one lane asks for. */
struct texture_query {
    unsigned sub;       /* enum ir_texture */
    bool whole;         /* the coordinates are s32 */
    uint32_t at[3];     /* x, y, z: f32 or s32 bits */
    uint32_t layer;
    uint32_t level;     /* bits of it, when the instruction has one */
    uint32_t gradient[2][3]; /* f32 bits along x and along y, when there are such */
    int32_t offset[3];  /* in texels */
};

/* Four channels: f32 bits, or integers extended to 32 bits. Measured on H200. */
void texture_fetch(const struct texture_object *object, const struct texture_query *query,
                   uint32_t result[4], struct texture_taps *taps);
/* The bytes of a texel as four channels, and back, cut to its type as sust.p does. */
void texture_unpack(const struct texture *what, const unsigned char *bytes, uint32_t out[4]);
void texture_pack(const struct texture *what, const uint32_t value[4], unsigned char *bytes);

#endif
