/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_convert.c - moves, conversions and address conversions. */
#include "frontend/ptx/lower_ops.h"

/* --- mov --- */

/* mov d, {a, b, ...}: joins elements, the first one lowest. */
static ir_operand join(struct lower *l, ir_operand *parts, uint32_t count,
                       uint32_t part_bits)
{
    if (part_bits == 8) {
        /* Bytes have no registers of their own: combine in 16 bits. */
        for (uint32_t k = 0; k < count; k += 2) {
            ir_operand low[2] = {parts[k], constant(l, 0xff)};
            ir_operand high[2] = {parts[k + 1], constant(l, 8)};
            low[0] = emit_value(l, IR_OP_and, IR_b16, IR_b16, 0, low, 2);
            low[1] = emit_value(l, IR_OP_shl, IR_b16, IR_b16, 0, high, 2);
            parts[k / 2] = emit_value(l, IR_OP_or, IR_b16, IR_b16, 0, low, 2);
        }
        count /= 2;
        part_bits = 16;
    }
    while (count > 1) {
        enum ir_type from = part_bits == 16 ? IR_b16 : IR_b32;
        enum ir_type to = part_bits == 16 ? IR_b32 : IR_b64;
        for (uint32_t k = 0; k < count; k += 2)
            parts[k / 2] = emit_value(l, IR_OP_pack, to, from, 0, &parts[k], 2);
        count /= 2;
        part_bits *= 2;
    }
    return parts[0];
}

static void split(struct lower *l, ir_operand value, uint32_t bits,
                  ir_operand *parts, uint32_t count)
{
    if (count == 1) {
        parts[0] = value;
        return;
    }
    if (bits == 16) { /* two bytes */
        ir_operand sources[2] = {value, constant(l, 0xff)};
        parts[0] = emit_value(l, IR_OP_and, IR_b16, IR_b16, 0, sources, 2);
        sources[1] = constant(l, 8);
        parts[1] = emit_value(l, IR_OP_shr, IR_u16, IR_u16, 0, sources, 2);
        return;
    }
    enum ir_type from = bits == 64 ? IR_b64 : IR_b32;
    enum ir_type to = bits == 64 ? IR_b32 : IR_b16;
    ir_operand low = emit_value(l, IR_OP_low, to, from, 0, &value, 1);
    ir_operand high = emit_value(l, IR_OP_high, to, from, 0, &value, 1);
    split(l, low, bits / 2, parts, count / 2);
    split(l, high, bits / 2, parts + count / 2, count / 2);
}

static uint32_t bits_word(uint32_t bits)
{
    switch (bits) {
    case 8: return W_b8;
    case 16: return W_b16;
    case 32: return W_b32;
    case 64: return W_b64;
    default: return W_NONE;
    }
}

/* Halves of a 128-bit register, which no per-lane operation can reach, go
 * through 16 bytes of the thread's parameter memory. */
static ir_operand wide_variable(struct lower *l)
{
    struct ir_variable made = {.name = "wide$", .size = 16, .align = 16,
                               .space = IR_SPACE_ARGUMENT, .type = IR_b64,
                               .is_array = true, .at = l->i->at};

    if (!l->wide)
        l->wide = ir_add_variable(l->module, l->f, &made);
    return l->wide;
}

static void wide_access(struct lower *l, enum ir_op op, enum ir_type type,
                        const ir_operand *values, uint32_t count)
{
    ir_operand sources[4] = {wide_variable(l), constant(l, 0)};
    struct ir_inst inst = {.op = (uint16_t)op, .type = (uint8_t)type,
                           .type2 = (uint8_t)type, .space = IR_SPACE_ARGUMENT,
                           .vector = (uint8_t)count, .sources = 2};

    if (op == IR_OP_ld) {
        inst.destinations = (uint16_t)count;
    } else {
        for (uint32_t k = 0; k < count; k++)
            sources[inst.sources++] = values[k];
    }
    emit(l, &inst, values, sources);
}

/* mov d, {a, b} and mov {a, b}, d. PTX ISA, "Data Movement: mov" (pack and
 * unpack). */
static void move_vector(struct lower *l, struct instruction *i,
                        const struct ptx_operand *vector, bool unpack)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = i->types[0], bits = word_bits(type), count = vector->count;
    uint32_t part = count ? bits_word(bits / count) : W_NONE;
    ir_operand parts[8] = {0};

    if (word_class(type) != CLASS_BITS || (count != 2 && count != 4) ||
        part == W_NONE) {
        diag_error(l->diags, vector->at, "'%s' has no form with %u elements",
                   instruction_name(i), count);
        return;
    }
    if (!unpack) {
        ir_operand to = destination(l, &operands[0], type, false);
        for (uint32_t k = 0; k < count; k++) {
            parts[k] = source(l, &vector->items[k], part, false);
            if (!parts[k])
                return;
        }
        if (!to)
            return;
        if (bits == 128) {
            wide_access(l, IR_OP_st, IR_b64, parts, 2);
            wide_access(l, IR_OP_ld, IR_b128, &to, 1);
            return;
        }
        if (count == 2 && bits >= 32) {
            emit_lane(l, IR_OP_pack, type_of(type), type_of(part), 0, to, parts, 2);
            return;
        }
        emit_move(l, to, join(l, parts, count, bits / count));
        return;
    }
    ir_operand to[8], from = source(l, &operands[1], type, false);
    for (uint32_t k = 0; k < count; k++) {
        to[k] = destination_or_sink(l, &vector->items[k], part, false);
        if (!to[k] && vector->items[k].kind != OPERAND_SINK)
            return;
    }
    if (!from)
        return;
    if (bits == 128) {
        wide_access(l, IR_OP_st, IR_b128, &from, 1);
        wide_access(l, IR_OP_ld, IR_b64, to, 2);
        return;
    }
    if (count == 2 && bits >= 32) {
        if (to[0])
            emit_lane(l, IR_OP_low, type_of(part), type_of(type), 0, to[0], &from, 1);
        if (to[1])
            emit_lane(l, IR_OP_high, type_of(part), type_of(type), 0, to[1], &from, 1);
        return;
    }
    split(l, from, bits, parts, count);
    for (uint32_t k = 0; k < count; k++)
        if (to[k])
            emit_move(l, to[k], parts[k]);
}

/* mov.v4.f32 {..}, {..}: element by element, all read before any is written. */
static void move_elements(struct lower *l, struct instruction *i)
{
    uint32_t count = has(i, W_v4) ? 4 : 2, type = i->types[0];
    enum ir_type bits = type_of(type_bits_word(type));
    const struct ptx_operand *to, *from;
    struct ptx_operand to_storage[4], from_storage[4];
    ir_operand values[4];

    if (!elements(l, &i->syntax->operands[0], count, &to, to_storage) ||
        !elements(l, &i->syntax->operands[1], count, &from, from_storage))
        return;
    for (uint32_t k = 0; k < count; k++) {
        values[k] = source(l, &from[k], type, false);
        if (!values[k])
            return;
        values[k] = emit_value(l, IR_OP_mov, bits, bits, 0, &values[k], 1);
    }
    for (uint32_t k = 0; k < count; k++) {
        ir_operand d = destination_or_sink(l, &to[k], type, false);
        if (d)
            emit_move(l, d, values[k]);
    }
}

/* The address of a variable or function as a value of that width. */
static ir_operand address_value(struct lower *l, const struct entity *entity,
                                int64_t offset, uint32_t width)
{
    enum ir_type bits = width == 64 ? IR_b64 : IR_b32;
    enum ir_type integer = width == 64 ? IR_u64 : IR_u32;
    ir_operand base = entity->value;
    ir_operand value = emit_value(l, IR_OP_mov, bits, bits, 0, &base, 1);

    if (offset) {
        ir_operand sum[2] = {value,
                             constant(l, width == 64 ? (uint64_t)offset
                                                     : (uint32_t)offset)};
        value = emit_value(l, IR_OP_add, integer, integer, 0, sum, 2);
    }
    return value;
}

/* The named variable or function behind an operand, NULL when it is none. */
static struct entity *named_address(struct lower *l,
                                    const struct ptx_operand *operand,
                                    int64_t *offset)
{
    if ((operand->kind != OPERAND_NAME && operand->kind != OPERAND_ELEMENT) ||
        operand->component.size || operand->negated)
        return NULL;
    struct entity *entity = scope_find(l, operand->name);
    if (!entity || (entity->kind != ENTITY_SYMBOL &&
                    entity->kind != ENTITY_VARIABLE &&
                    entity->kind != ENTITY_FUNCTION))
        return NULL;
    *offset = operand->offset;
    if (operand->kind == OPERAND_ELEMENT)
        *offset = (int64_t)((uint64_t)*offset * (word_bits(entity->type) / 8));
    return entity;
}

void lower_mov(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = i->types[0];
    int64_t offset;

    if (!operand_count(l, i, 2, 2))
        return;
    if (has(i, W_v2) || has(i, W_v4)) {
        move_elements(l, i);
        return;
    }
    for (uint32_t k = 0; k < 2; k++) {
        /* A vector register stands for its components. */
        struct ptx_operand vector = operands[k];
        if (operands[k].kind == OPERAND_NAME && !operands[k].component.size) {
            struct entity *named = scope_find(l, operands[k].name);
            if (!named || named->kind != ENTITY_REGISTER || named->vector < 2)
                continue;
            struct ptx_operand *items = ARENA_NEW_ARRAY(&l->scratch, 4, struct ptx_operand);
            const struct ptx_operand *list;
            if (!elements(l, &operands[k], named->vector, &list, items))
                return;
            vector.kind = OPERAND_VECTOR;
            vector.items = items;
            vector.count = named->vector;
        } else if (operands[k].kind != OPERAND_VECTOR) {
            continue;
        }
        move_vector(l, i, &vector, k == 0);
        return;
    }
    ir_operand to = destination(l, &operands[0], type, false);
    struct entity *opaque = operands[1].kind == OPERAND_NAME && !operands[1].has_offset
                                ? scope_find(l, operands[1].name) : NULL;
    if (to && opaque && opaque->kind == ENTITY_OPAQUE && opaque->value &&
        word_bits(type) == 64) { /* PTX ISA, "Texture References": the handle */
        emit_move(l, to, opaque_handle(l, opaque));
        return;
    }
    struct entity *entity = named_address(l, &operands[1], &offset);
    ir_operand from;
    if (entity) {
        enum word_class class = word_class(type);
        bool half = word_bits(type) == 16 && entity->kind != ENTITY_FUNCTION;
        if ((word_bits(type) != 32 && word_bits(type) != 64 && !half) ||
            class == CLASS_FLOAT || class == CLASS_PACKED) {
            diag_error(l->diags, operands[1].at, "an address does not fit '.%s'",
                       word_text(type));
            return;
        }
        /* ptxas refuses a program with such global ones, and cuts the address of a function.
         * Constant ones are offsets in the constant bank. */
        if (word_bits(type) < l->module->address_bits &&
            (entity->kind == ENTITY_FUNCTION || entity->space == IR_SPACE_GLOBAL)) {
            unsupported(l, operands[1].at, "an address of %u bits in '.%s'",
                        (unsigned)l->module->address_bits, word_text(type));
            return;
        }
        if (!to)
            return;
        if (half) { /* the low bits of a shared address */
            from = address_value(l, entity, offset, 32);
            emit_lane(l, IR_OP_low, IR_b16, IR_b32, 0, to, &from, 1);
            return;
        }
        if (!offset) {
            from = entity->value;
        } else {
            from = address_value(l, entity, offset, word_bits(type));
        }
    } else {
        if (to && special_read(l, &operands[1], type, &to))
            return;
        from = source(l, &operands[1], type, false);
    }
    if (to && from)
        emit_move(l, to, from);
}

/* --- cvt --- */

/* A register that is wider than the type cut down to the type's own width. */
static ir_operand narrowed(struct lower *l, ir_operand value, uint32_t type)
{
    enum ir_type want = type_register(type);

    if (ir_operand_kind(value) != IR_OPERAND_REGISTER)
        return value;
    enum ir_type have = (enum ir_type)l->f->registers[ir_operand_index(value)].width;
    while (have != want && have > IR_b16 && have != IR_none) {
        enum ir_type half = have == IR_b128 ? IR_b64 : have == IR_b64 ? IR_b32 : IR_b16;
        value = emit_value(l, IR_OP_low, half, have, 0, &value, 1);
        have = half;
    }
    return value;
}

/* Writes a value of the type to a register that may be wider: integers are
 * extended by their sign, the rest with zeros. PTX ISA, table "Relaxed
 * Type-checking Rules for Destination Operands". */
static void write_wide(struct lower *l, ir_operand to, ir_operand value,
                       uint32_t type)
{
    enum ir_type have = type_register(type);
    enum ir_type want = (enum ir_type)l->f->registers[ir_operand_index(to)].width;
    bool is_signed = word_class(type) == CLASS_SIGNED;

    if (have == want) {
        emit_move(l, to, value);
        return;
    }
    enum ir_type from = have == IR_b16 ? (is_signed ? IR_s16 : IR_u16)
                                       : (is_signed ? IR_s32 : IR_u32);
    enum ir_type result = want == IR_b64 ? (is_signed ? IR_s64 : IR_u64)
                                         : (is_signed ? IR_s32 : IR_u32);
    emit_lane(l, IR_OP_cvt, result, from, 0, to, &value, 1);
}

static bool is_wider(struct lower *l, ir_operand to, uint32_t type)
{
    return l->f->registers[ir_operand_index(to)].width != type_register(type);
}

static unsigned cvt_mode(const struct instruction *i)
{
    unsigned mode = mode_of(i);
    bool to_float = word_class(i->types[0]) == CLASS_FLOAT;
    bool from_float = word_class(i->types[1]) == CLASS_FLOAT;

    if (to_float && from_float &&
        (has(i, W_rni) || has(i, W_rzi) || has(i, W_rmi) || has(i, W_rpi)))
        mode |= MODE_INTEGRAL;
    return mode;
}

void lower_cvt(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t to_type = i->types[0], from_type = i->types[1];
    unsigned mode = cvt_mode(i);

    /* cvt.rn.f16x2.e4m3x2 d, a and its like take one source as well. */
    if (!operand_count(l, i, 2, 2))
        return;
    ir_operand to = destination(l, &operands[0], to_type, true);
    ir_operand from = source(l, &operands[1], from_type, true);
    if (!to || !from)
        return;
    from = narrowed(l, from, from_type);
    enum ir_type result = type_of(to_type), operand = type_of(from_type);
    if (to_type == from_type && word_class(to_type) != CLASS_FLOAT)
        mode = 0; /* nothing to saturate */
    if (to_type == from_type && !mode &&
        ir_row_find(IR_OP_cvt, result, operand) == IR_ROW_COUNT) {
        /* Same integer type: a copy. Eight bits are cut and extended anew. */
        if (word_bits(to_type) == 8) {
            operand = to_type == W_u8 ? IR_u16 : IR_s16;
        } else {
            write_wide(l, to, from, to_type);
            return;
        }
    }
    if (!is_wider(l, to, to_type)) {
        emit_lane(l, IR_OP_cvt, result, operand, mode, to, &from, 1);
        return;
    }
    ir_operand value = emit_value(l, IR_OP_cvt, result, operand, mode, &from, 1);
    write_wide(l, to, value, to_type);
}

/* cvt.rn.f16x2.f32 d, a, b: a becomes the upper half. */
void lower_cvt_pair(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;

    if (!operand_count(l, i, 3, 3))
        return;
    ir_operand to = destination(l, &operands[0], type_bits_word(i->types[0]), false);
    ir_operand sources[2] = {source(l, &operands[1], W_f32, false),
                             source(l, &operands[2], W_f32, false)};
    if (to && sources[0] && sources[1])
        emit_lane(l, IR_OP_cvt_pair, type_of(i->types[0]), IR_f32, mode_of(i), to,
                  sources, 2);
}

/* cvt.pack.sat.convertType.s32[.b32] d, a, b[, c] */
void lower_cvt_pack(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t total = i->type_count == 3 ? 4 : 3;
    uint32_t bits = word_bits(i->types[0]);
    bool is_signed = word_class(i->types[0]) == CLASS_SIGNED;

    if (!operand_count(l, i, total, total))
        return;
    ir_operand to = destination(l, &operands[0], W_b32, false);
    ir_operand sources[4] = {
        source(l, &operands[1], W_s32, false),
        source(l, &operands[2], W_s32, false),
        total == 4 ? source(l, &operands[3], W_b32, false) : constant(l, 0),
        constant(l, bits | (is_signed ? 256 : 0)),
    };
    if (to && sources[0] && sources[1] && sources[2])
        emit_lane(l, IR_OP_cvt_pack, IR_b32, IR_s32, 0, to, sources, 4);
}

void lower_missing(struct lower *l, struct instruction *i)
{
    unsupported(l, i->at, "'%s'", instruction_name(i));
}

/* --- addresses --- */

static enum ir_space space_word(const struct instruction *i)
{
    if (has(i, W_global))
        return IR_SPACE_GLOBAL;
    if (has(i, W_const_))
        return IR_SPACE_CONST;
    if (has(i, W_shared) || has(i, W_shared_cta))
        return IR_SPACE_SHARED;
    if (has(i, W_shared_cluster))
        return IR_SPACE_CLUSTER;
    if (has(i, W_local))
        return IR_SPACE_LOCAL;
    if (has(i, W_param) || has(i, W_param_entry))
        return IR_SPACE_PARAM;
    return IR_SPACE_GENERIC;
}

/* cvta.space d, a (to generic) and cvta.to.space d, a. */
void lower_cvta(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = i->types[0];
    enum ir_space space = space_word(i);
    int64_t offset;
    ir_operand from;

    if (!operand_count(l, i, 2, 2))
        return;
    ir_operand to = destination(l, &operands[0], type, false);
    struct entity *entity = i->form->op == IR_OP_to_generic
        ? named_address(l, &operands[1], &offset) : NULL;
    if (entity) {
        if (entity->kind == ENTITY_FUNCTION ||
            ((enum ir_space)entity->space != space &&
             !(space == IR_SPACE_CLUSTER && entity->space == IR_SPACE_SHARED))) {
            diag_error(l->diags, operands[1].at, "'%.*s' is not in the space of '%s'",
                       NAME_ARGS(operands[1].name), instruction_name(i));
            return;
        }
        from = address_value(l, entity, offset, word_bits(type));
    } else {
        from = source(l, &operands[1], type, false);
    }
    if (!to || !from)
        return;
    struct ir_inst inst = {.op = i->form->op, .type = (uint8_t)type_of(type),
                           .type2 = (uint8_t)type_of(type), .space = (uint8_t)space,
                           .destinations = 1, .sources = 1};
    emit(l, &inst, &to, &from);
}

void lower_isspacep(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = W_b64;

    if (!operand_count(l, i, 2, 2))
        return;
    /* The address register has the module's address size, or 32 bits. */
    if (operands[1].kind == OPERAND_NAME) {
        struct entity *entity = scope_find(l, operands[1].name);
        if (entity && entity->kind == ENTITY_REGISTER && word_bits(entity->type) == 32)
            type = W_b32;
    }
    ir_operand to = destination(l, &operands[0], W_pred, false);
    ir_operand from = source(l, &operands[1], type, false);
    struct ir_inst inst = {.op = IR_OP_isspacep, .type = IR_pred,
                           .type2 = (uint8_t)type_of(type),
                           .space = (uint8_t)space_word(i),
                           .destinations = 1, .sources = 1};
    if (to && from)
        emit(l, &inst, &to, &from);
}

/* mapa d, a, b: address a in block b of the cluster. */
void lower_mapa(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = i->types[0];
    int64_t offset;

    if (!operand_count(l, i, 3, 3))
        return;
    ir_operand to = destination(l, &operands[0], type, false);
    struct entity *entity = named_address(l, &operands[1], &offset);
    ir_operand sources[2] = {
        entity && entity->kind != ENTITY_FUNCTION
            ? address_value(l, entity, offset, word_bits(type))
            : source(l, &operands[1], type, false),
        source(l, &operands[2], W_u32, false),
    };
    struct ir_inst inst = {
        .op = IR_OP_mapa, .type = (uint8_t)type_of(type),
        .type2 = (uint8_t)type_of(type),
        .space = has(i, W_shared_cluster) ? IR_SPACE_CLUSTER : IR_SPACE_GENERIC,
        .destinations = 1, .sources = 2};
    if (to && sources[0] && sources[1])
        emit(l, &inst, &to, sources);
}

void lower_getctarank(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t type = i->types[0];
    int64_t offset;

    if (!operand_count(l, i, 2, 2))
        return;
    ir_operand to = destination(l, &operands[0], W_u32, false);
    struct entity *entity = named_address(l, &operands[1], &offset);
    ir_operand from = entity && entity->kind != ENTITY_FUNCTION
        ? address_value(l, entity, offset, word_bits(type))
        : source(l, &operands[1], type, false);
    struct ir_inst inst = {
        .op = IR_OP_getctarank, .type = IR_u32, .type2 = (uint8_t)type_of(type),
        .space = has(i, W_shared_cluster) ? IR_SPACE_CLUSTER : IR_SPACE_GENERIC,
        .destinations = 1, .sources = 1};
    if (to && from)
        emit(l, &inst, &to, &from);
}
