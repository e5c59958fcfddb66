/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.h - ir_inst.sub of texture and surface operations.
 *
 * PTX ISA, "Texture Instructions", "Surface Instructions". One bit says the geometry;
 * coordinates always stand in the same places: x, y, z, layer, a constant 0 where the
 * geometry has none. */
#ifndef SIMTLAB_IR_TEXTURE_H
#define SIMTLAB_IR_TEXTURE_H

#include "ir/ir.h"

enum ir_texture {
    IR_TEXTURE_1D = 1 << 0,
    IR_TEXTURE_2D = 1 << 1,
    IR_TEXTURE_3D = 1 << 2,
    IR_TEXTURE_1D_LAYERED = 1 << 3,
    IR_TEXTURE_2D_LAYERED = 1 << 4,
    IR_TEXTURE_CUBE = 1 << 5,         /* tex only, as the next */
    IR_TEXTURE_CUBE_LAYERED = 1 << 6,
    IR_TEXTURE_GEOMETRY = (1 << 7) - 1,
    /* tex */
    IR_TEXTURE_LEVEL = 1 << 7,        /* one more source: the level */
    IR_TEXTURE_GRAD = 1 << 8,         /* six more: by x, y, z each along x and along y */
    IR_TEXTURE_OFFSET = 1 << 9,       /* three more, behind those: texels in x, y, z */
    IR_TEXTURE_GATHER_R = 1 << 10,    /* tld4 of a channel */
    IR_TEXTURE_GATHER_G = 1 << 11,
    IR_TEXTURE_GATHER_B = 1 << 12,
    IR_TEXTURE_GATHER_A = 1 << 13,
    IR_TEXTURE_GATHER = 15 << 10,
    /* suld, sust, sured: beyond the edge */
    IR_SURFACE_TRAP = 1 << 7,
    IR_SURFACE_CLAMP = 1 << 8,
    IR_SURFACE_ZERO = 1 << 9,
    IR_SURFACE_FORMATTED = 1 << 10,   /* .p: x counts texels, values are converted */
    /* sured */
    IR_SURFACE_ADD = 1 << 11,
    IR_SURFACE_MIN = 1 << 12,
    IR_SURFACE_MAX = 1 << 13,
    IR_SURFACE_AND = 1 << 14,
    IR_SURFACE_OR = 1 << 15,
};

/* sub of txq and suq. */
#define IR_TEXTURE_QUERIES(X) X(WIDTH, width) X(HEIGHT, height) X(DEPTH, depth)

enum ir_texture_query {
#define X(NAME, text) IR_QUERY_##NAME,
    IR_TEXTURE_QUERIES(X)
#undef X
};

enum {
    IR_TEXTURE_X = 1, IR_TEXTURE_Y, IR_TEXTURE_Z, IR_TEXTURE_LAYER, /* sources */
    IR_TEXTURE_SOURCES,       /* of tex without more; the first value of sust */
};

/* Number of sources of a tex. */
static inline unsigned ir_texture_sources(unsigned sub)
{
    return IR_TEXTURE_SOURCES + (sub & IR_TEXTURE_LEVEL ? 1 : 0) +
           (sub & IR_TEXTURE_GRAD ? 6 : 0) + (sub & IR_TEXTURE_OFFSET ? 3 : 0);
}

/* tex, txq, suq, suld, sust, sured. */
bool ir_is_texture(enum ir_op op);
/* What is wrong with such an instruction, or NULL. Its operands are in order. */
const char *ir_texture_wrong(const struct ir_inst *inst);

#endif
