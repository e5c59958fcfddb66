/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_texture.c - textures and surfaces.
 *
 * PTX ISA, "Texture Instructions", "Surface Instructions". A texture is named by a
 * 64-bit handle in a register, or by a .texref or .surfref: a constant of 8 bytes
 * that holds the handle (lower_variable.c). Sampling properties come with the
 * texture. */
#include "frontend/ptx/lower_ops.h"

#include "ir/texture.h"

static unsigned geometry_of(const struct instruction *i)
{
    return has(i, W_1d)      ? IR_TEXTURE_1D
           : has(i, W_2d)    ? IR_TEXTURE_2D
           : has(i, W_3d)    ? IR_TEXTURE_3D
           : has(i, W_a1d)   ? IR_TEXTURE_1D_LAYERED
           : has(i, W_a2d)   ? IR_TEXTURE_2D_LAYERED
           : has(i, W_cube)  ? IR_TEXTURE_CUBE
                             : IR_TEXTURE_CUBE_LAYERED;
}

static unsigned dimensions(unsigned geometry)
{
    return geometry & (IR_TEXTURE_1D | IR_TEXTURE_1D_LAYERED)   ? 1
           : geometry & (IR_TEXTURE_2D | IR_TEXTURE_2D_LAYERED) ? 2
                                                                : 3;
}

static bool is_layered(unsigned geometry)
{
    return geometry &
           (IR_TEXTURE_1D_LAYERED | IR_TEXTURE_2D_LAYERED | IR_TEXTURE_CUBE_LAYERED);
}

ir_operand opaque_handle(struct lower *l, const struct entity *entity)
{
    ir_operand to = temporary(l, IR_b64), sources[2] = {entity->value, constant(l, 0)};
    struct ir_inst inst = {.op = IR_OP_ld, .type = IR_b64, .type2 = IR_b64, .vector = 1,
                           .space = (uint8_t)entity->space, .destinations = 1, .sources = 2};

    emit(l, &inst, &to, sources);
    return to;
}

/* The handle that a name stands for; 0 after an error. */
static ir_operand named_handle(struct lower *l, struct ptx_name name, struct loc at,
                               uint32_t type)
{
    struct entity *entity = scope_need(l, name, at);

    if (!entity)
        return 0;
    if (entity->kind == ENTITY_OPAQUE && entity->type == W_samplerref) {
        unsupported(l, at, "a .samplerref, which the CUDA driver does not load");
        return 0;
    }
    if (entity->kind == ENTITY_OPAQUE && entity->type == type)
        return opaque_handle(l, entity);
    if (entity->kind == ENTITY_VARIABLE && entity->space == IR_SPACE_PARAM &&
        word_bits(entity->type) == 64) /* [param]: the handle is the parameter */
        return opaque_handle(l, entity);
    if (entity->kind != ENTITY_REGISTER || word_bits(entity->type) != 64 ||
        entity->vector > 1) {
        instruction_error(l, at, "'%.*s' is neither a .%s nor a 64-bit register",
                          NAME_ARGS(name), word_text(type));
        return 0;
    }
    return entity->value;
}

/* The handle in front of the coordinates; 0 after an error. */
static ir_operand handle_of(struct lower *l, const struct ptx_operand *operand, uint32_t type)
{
    if (operand->kind != OPERAND_ADDRESS || !operand->name.size || operand->has_offset) {
        instruction_error(l, operand->at, "the texture or surface must stand in brackets");
        return 0;
    }
    return named_handle(l, operand->name, operand->name_at, type);
}

/* {[layer,] x [, y [, z [, pad]]]} into x, y, z, layer. */
static bool coordinates(struct lower *l, const struct ptx_operand *operand, unsigned geometry,
                        uint32_t type, ir_operand *sources)
{
    const struct ptx_operand *items, *list = operand;
    unsigned count = dimensions(geometry), layer = is_layered(geometry);
    unsigned all = count + layer == 3 ? 4 : count + layer; /* vectors of three do not exist */
    struct ptx_operand storage[4];

    if (geometry & IR_TEXTURE_3D || geometry & IR_TEXTURE_CUBE)
        all = 4;
    if (!elements(l, list, all, &items, storage))
        return false;
    for (unsigned k = IR_TEXTURE_X; k <= IR_TEXTURE_LAYER; k++)
        sources[k] = constant(l, 0);
    if (layer && !(sources[IR_TEXTURE_LAYER] = source(l, &items[0], W_u32, false)))
        return false;
    for (unsigned k = 0; k < count; k++)
        if (!(sources[IR_TEXTURE_X + k] = source(l, &items[layer + k], type, false)))
            return false;
    return true;
}

/* count numbers of a vector operand, then zeros up to three. */
static bool more(struct lower *l, const struct ptx_operand *operand, unsigned count,
                 uint32_t type, ir_operand *sources)
{
    const struct ptx_operand *items;
    struct ptx_operand storage[4];

    if (!elements(l, operand, count == 3 ? 4 : count, &items, storage))
        return false;
    for (unsigned k = 0; k < 3; k++) {
        sources[k] = k < count ? source(l, &items[k], type, false) : constant(l, 0);
        if (!sources[k])
            return false;
    }
    return true;
}

/* The operand of a depth comparison. Measured on an H200: it changes nothing, as no
 * texture that the CUDA driver makes compares. */
static bool compared(struct lower *l, struct instruction *i,
                     const struct ptx_operand *operand, unsigned geometry)
{
    if (geometry & IR_TEXTURE_3D || i->types[1] == W_s32) {
        instruction_error(l, operand->at,
                          "depth is compared neither in three dimensions nor by whole "
                          "coordinates, in '%s'", instruction_name(i));
        return false;
    }
    if (geometry & IR_TEXTURE_1D && has(i, W_grad)) {
        unsupported(l, operand->at, "a depth comparison in '%s', of which an H200 reads zeros",
                    instruction_name(i));
        return false;
    }
    return source(l, operand, W_f32, false) != 0;
}

/* What stands behind the coordinates: a level or gradients, then offsets, then the operand
 * of a depth comparison. */
static bool extras(struct lower *l, struct instruction *i, unsigned geometry,
                   struct ir_inst *inst, ir_operand *sources)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t at = 2, count = i->syntax->operand_count, n = IR_TEXTURE_SOURCES;
    unsigned dims = dimensions(geometry);

    if (has(i, W_level)) {
        inst->sub |= IR_TEXTURE_LEVEL;
        if (at == count || !(sources[n++] = source(l, &operands[at], i->types[1], false)))
            return false;
        at++;
    }
    for (unsigned k = 0; has(i, W_grad) && k < 2; k++, n += 3) {
        inst->sub |= IR_TEXTURE_GRAD;
        if (at == count || !more(l, &operands[at++], dims, W_f32, &sources[n]))
            return false;
    }
    if (at < count && operands[at].kind == OPERAND_VECTOR) {
        inst->sub |= IR_TEXTURE_OFFSET;
        if (!more(l, &operands[at++], dims, W_s32, &sources[n]))
            return false;
        n += 3;
    }
    if (at < count && !compared(l, i, &operands[at++], geometry))
        return false;
    if (at < count) {
        instruction_error(l, operands[at].at, "one operand too many for '%s'",
                          instruction_name(i));
        return false;
    }
    inst->sources = (uint16_t)n;
    return true;
}

/* The sampler of [texture, sampler, {coordinates}]. Measured on an H200: a handle there
 * changes nothing, how to sample comes with the texture in either mode; and the driver does
 * not load modules with a .samplerref. Only .texmode_independent has samplers. */
static bool sampler(struct lower *l, const struct ptx_operand *operand)
{
    if (!l->syntax->texmode_independent) {
        unsupported(l, operand->at, "a sampler without .texmode_independent");
        return false;
    }
    if (operand->kind != OPERAND_NAME || operand->component.size) {
        instruction_error(l, operand->at, "must be a 64-bit register");
        return false;
    }
    return named_handle(l, operand->name, operand->name_at, W_samplerref) != 0;
}

/* d|p: p says that the texels are resident, which they all are: there are no sparse
 * arrays. */
static void resident(struct lower *l, const struct ptx_operand *operand)
{
    ir_operand p = destination_or_sink(l, operand, W_pred, false);

    if (p)
        emit_lane(l, IR_OP_ne, IR_pred, IR_b32, 0, p,
                  (ir_operand[2]){constant(l, 1), constant(l, 0)}, 2);
}

/* tex{.base/.level/.grad}.geom.v4.dtype.ctype d, [a, c] {, lod} {, e}
 * tld4.comp.2d.v4.dtype.f32 d, [a, c] {, e} */
void lower_texture(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands, *items;
    const struct ptx_operand *results = &operands[0], *address = &operands[1];
    unsigned geometry = geometry_of(i), count = i->types[0] == W_f16x2 ? 2 : 4;
    struct ir_inst inst = {.op = IR_OP_tex, .type = (uint8_t)type_of(i->types[0]),
                           .type2 = (uint8_t)type_of(i->types[1]), .sub = (uint16_t)geometry,
                           .destinations = (uint16_t)count};
    ir_operand to[4], sources[16];
    struct ptx_operand storage[4];

    if (!operand_count(l, i, 2, 6))
        return;
    if (results->kind == OPERAND_PAIR)
        results = &operands[0].items[0];
    if (address->kind != OPERAND_ADDRESS || address->count < 1 || address->count > 2) {
        instruction_error(l, address->at, "must be [texture, {coordinates}] or "
                                          "[texture, sampler, {coordinates}]");
        return;
    }
    if (!elements(l, results, count, &items, storage))
        return;
    for (unsigned k = 0; k < count; k++) {
        to[k] = destination_or_sink(l, &items[k], i->types[0], false);
        if (!to[k] && items[k].kind != OPERAND_SINK)
            return;
    }
    if (has(i, W_r) || has(i, W_g) || has(i, W_b) || has(i, W_a))
        inst.sub |= has(i, W_r)   ? IR_TEXTURE_GATHER_R
                    : has(i, W_g) ? IR_TEXTURE_GATHER_G
                    : has(i, W_b) ? IR_TEXTURE_GATHER_B
                                  : IR_TEXTURE_GATHER_A;
    sources[0] = handle_of(l, address, W_texref);
    if (!sources[0] ||
        !coordinates(l, &address->items[address->count - 1], geometry, i->types[1], sources) ||
        !extras(l, i, geometry, &inst, sources) ||
        (address->count == 2 && !sampler(l, &address->items[0])))
        return;
    emit(l, &inst, to, sources);
    if (operands[0].kind == OPERAND_PAIR)
        resident(l, &operands[0].items[1]);
}

/* txq{.level}.query.b32 d, [a] {, lod} and suq */
void lower_texture_query(struct lower *l, struct instruction *i)
{
    static const struct {
        uint32_t word;
        enum ir_texture_query query;
    } words[] = {
#define X(NAME, text) {W_##text, IR_QUERY_##NAME},
        IR_TEXTURE_QUERIES(X)
#undef X
    };
    struct ir_inst inst = {.op = i->form->op, .type = IR_b32, .type2 = IR_b32,
                           .destinations = 1, .sources = has(i, W_level) ? 2 : 1};

    if (!operand_count(l, i, 1 + inst.sources, 1 + inst.sources))
        return;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (has(i, words[w].word))
            inst.sub = words[w].query;
    ir_operand to = destination(l, &i->syntax->operands[0], W_b32, false);
    ir_operand from[2] = {handle_of(l, &i->syntax->operands[1],
                                    inst.op == IR_OP_txq ? W_texref : W_surfref)};
    if (inst.sources > 1)
        from[1] = source(l, &i->syntax->operands[2], W_b32, false);
    if (to && from[0] && (inst.sources == 1 || from[1]))
        emit(l, &inst, &to, from);
}

static uint16_t surface_sub(const struct instruction *i)
{
    return (uint16_t)(geometry_of(i) |
                      (has(i, W_clamp)  ? IR_SURFACE_CLAMP
                       : has(i, W_zero) ? IR_SURFACE_ZERO
                                        : IR_SURFACE_TRAP) |
                      (has(i, W_p) ? IR_SURFACE_FORMATTED : 0) |
                      (has(i, W_add) ? IR_SURFACE_ADD : 0) |
                      (has(i, W_min) ? IR_SURFACE_MIN : 0) |
                      (has(i, W_max) ? IR_SURFACE_MAX : 0) |
                      (has(i, W_and) ? IR_SURFACE_AND : 0) |
                      (has(i, W_or) ? IR_SURFACE_OR : 0));
}

/* suld.b.geom.vec.dtype.clamp d, [a, b] */
void lower_surface_load(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands, *items;
    unsigned count = has(i, W_v4) ? 4 : has(i, W_v2) ? 2 : 1;
    enum ir_type type = type_of(i->types[0]);
    struct ir_inst inst = {.op = IR_OP_suld, .type = (uint8_t)type, .type2 = (uint8_t)type,
                           .sub = surface_sub(i), .destinations = (uint16_t)count,
                           .sources = IR_TEXTURE_SOURCES};
    ir_operand to[4], sources[IR_TEXTURE_SOURCES];
    struct ptx_operand storage[4];

    if (!operand_count(l, i, 2, 2) || !elements(l, &operands[0], count, &items, storage))
        return;
    for (unsigned k = 0; k < count; k++) {
        to[k] = destination_or_sink(l, &items[k], i->types[0], true);
        if (!to[k] && items[k].kind != OPERAND_SINK)
            return;
    }
    if (operands[1].count != 1) {
        instruction_error(l, operands[1].at, "must be [surface, {coordinates}]");
        return;
    }
    sources[0] = handle_of(l, &operands[1], W_surfref);
    if (sources[0] && coordinates(l, &operands[1].items[0], geometry_of(i), W_s32, sources))
        emit(l, &inst, to, sources);
}

/* sust.b/.p.geom.vec.ctype.clamp [a, b], c and sured.b/.p.op.geom.ctype.clamp */
void lower_surface_store(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands, *items;
    unsigned count = has(i, W_v4) ? 4 : has(i, W_v2) ? 2 : 1;
    enum ir_type type = type_of(i->types[0]);
    struct ir_inst inst = {.op = i->form->op, .type = (uint8_t)type, .type2 = (uint8_t)type,
                           .sub = surface_sub(i),
                           .sources = (uint16_t)(IR_TEXTURE_SOURCES + count)};
    ir_operand sources[IR_TEXTURE_SOURCES + 4];
    struct ptx_operand storage[4];

    if (!operand_count(l, i, 2, 2) || !elements(l, &operands[1], count, &items, storage))
        return;
    if (operands[0].count != 1) {
        instruction_error(l, operands[0].at, "must be [surface, {coordinates}]");
        return;
    }
    sources[0] = handle_of(l, &operands[0], W_surfref);
    if (!sources[0] ||
        !coordinates(l, &operands[0].items[0], geometry_of(i), W_s32, sources))
        return;
    for (unsigned k = 0; k < count; k++)
        if (!(sources[IR_TEXTURE_SOURCES + k] = source(l, &items[k], i->types[0], true)))
            return;
    emit(l, &inst, NULL, sources);
}
