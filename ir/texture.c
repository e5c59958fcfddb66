/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.c - see texture.h. */
#include "ir/texture.h"

bool ir_is_texture(enum ir_op op)
{
    return op >= IR_OP_tex && op <= IR_OP_sured;
}

static bool one_bit(unsigned value)
{
    return value && !(value & (value - 1));
}

static const char *fetch_wrong(const struct ir_inst *inst)
{
    unsigned sub = inst->sub, gather = sub & IR_TEXTURE_GATHER;
    bool half = inst->type == IR_f16x2;

    if (!one_bit(sub & IR_TEXTURE_GEOMETRY))
        return "a texture has one geometry";
    if ((sub & IR_TEXTURE_LEVEL && sub & IR_TEXTURE_GRAD) || (gather && !one_bit(gather)) ||
        (gather && sub & (IR_TEXTURE_LEVEL | IR_TEXTURE_GRAD)))
        return "these do not go together in a texture fetch";
    if (gather && sub & (IR_TEXTURE_1D | IR_TEXTURE_3D | IR_TEXTURE_1D_LAYERED))
        return "gathering is for two dimensions";
    if (inst->type != IR_f32 && inst->type != IR_u32 && inst->type != IR_s32 &&
        inst->type != IR_f16 && !half)
        return "a texture fetch gives f32, u32, s32, f16 or f16x2";
    if (inst->type2 != IR_f32 && inst->type2 != IR_s32)
        return "the coordinates of a texture are f32 or s32";
    if (inst->destinations != (half ? 2 : 4))
        return "a texture fetch has 4 results, or 2 of f16x2";
    if (inst->sources != ir_texture_sources(sub))
        return "a texture fetch with another number of sources";
    return NULL;
}

static const char *surface_wrong(const struct ir_inst *inst)
{
    const unsigned ends = IR_SURFACE_TRAP | IR_SURFACE_CLAMP | IR_SURFACE_ZERO;
    const unsigned operations = IR_SURFACE_ADD | IR_SURFACE_MIN | IR_SURFACE_MAX |
                                IR_SURFACE_AND | IR_SURFACE_OR;
    unsigned sub = inst->sub, bits = ir_types[inst->type].bits;
    unsigned elements = inst->op == IR_OP_suld ? inst->destinations
                                               : inst->sources - (unsigned)IR_TEXTURE_SOURCES;
    bool formatted = sub & IR_SURFACE_FORMATTED, reduces = inst->op == IR_OP_sured;

    if (!one_bit(sub & IR_TEXTURE_GEOMETRY) || sub & (IR_TEXTURE_CUBE | IR_TEXTURE_CUBE_LAYERED))
        return "a surface has one geometry";
    if (!one_bit(sub & ends))
        return "a surface access says once what happens beyond the edge";
    if (reduces != one_bit(sub & operations) || (!reduces && sub & operations) ||
        (inst->op == IR_OP_suld && formatted))
        return "these do not go together in a surface access";
    if (elements != 1 && ((elements != 2 && elements != 4) || reduces))
        return "a surface access has 1, 2 or 4 elements, a reduction 1";
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return "a surface access moves 8, 16, 32 or 64 bits";
    if (bits * elements > 128 || ((reduces || formatted) && bits < 32))
        return "a surface access moves at most 16 bytes, reductions and formatted stores no "
               "less than 4";
    return NULL;
}

const char *ir_texture_wrong(const struct ir_inst *inst)
{
    if (inst->op == IR_OP_tex)
        return fetch_wrong(inst);
    if (inst->op == IR_OP_txq || inst->op == IR_OP_suq)
        return NULL;
    return surface_wrong(inst);
}
