/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_operand.c - operands as values, with their checks.
 *
 * The type always comes from the instruction; a register contributes its
 * width, and its declared kind must agree (PTX ISA, "Type Checking"). */
#include "frontend/ptx/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ptx/decimal.h"

void instruction_error(struct lower *l, struct loc at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    diag_add(l->diags, SEVERITY_ERROR, at, format, args);
    va_end(args);
}

void unsupported(struct lower *l, struct loc at, const char *format, ...)
{
    char buffer[512];
    va_list args;

    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    diag_error(l->diags, at, "unsupported: %s", buffer);
}

bool operand_count(struct lower *l, struct instruction *i, uint32_t least,
                   uint32_t most)
{
    uint32_t given = i->syntax->operand_count;

    if (given >= least && given <= most)
        return true;
    if (least == most)
        diag_error(l->diags, i->at, "'%s' takes %u operand%s, not %u", instruction_name(i),
                   least, least == 1 ? "" : "s", given);
    else
        diag_error(l->diags, i->at, "'%s' takes %u to %u operands, not %u",
                   instruction_name(i), least, most, given);
    return false;
}

/* Which operand of the instruction this is, for messages: 1, 2 ... */
static uint32_t position(const struct lower *l, const struct ptx_operand *operand)
{
    const struct ptx_instruction *syntax = l->i->syntax;

    for (uint32_t k = 0; k < syntax->operand_count; k++) {
        const struct ptx_operand *outer = &syntax->operands[k];
        if (outer == operand ||
            (outer->count && operand >= outer->items &&
             operand < outer->items + outer->count))
            return k + 1;
    }
    return 0;
}

static void wrong(struct lower *l, const struct ptx_operand *operand,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

static void wrong(struct lower *l, const struct ptx_operand *operand,
                  const char *format, ...)
{
    char buffer[256];
    va_list args;
    uint32_t number = position(l, operand);

    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    if (number)
        diag_error(l->diags, operand->at, "operand %u of '%s' %s", number,
                   instruction_name(l->i), buffer);
    else
        diag_error(l->diags, operand->at, "an operand of '%s' %s", instruction_name(l->i),
                   buffer);
}

/* The register a name with an optional component stands for, 0 after an
 * error. */
static ir_operand named_register(struct lower *l,
                                 const struct ptx_operand *operand,
                                 uint32_t *type)
{
    struct entity *entity = scope_need(l, operand->name, operand->name_at);

    if (!entity)
        return 0;
    if (entity->kind != ENTITY_REGISTER) {
        wrong(l, operand, "must be a register, not '%.*s'",
              NAME_ARGS(operand->name));
        return 0;
    }
    *type = entity->type;
    if (operand->component.size) {
        static const char letters[] = "xyzwrgba";
        const char *letter = operand->component.size == 1
            ? strchr(letters, operand->component.text[0]) : NULL;
        uint32_t index = letter ? (uint32_t)(letter - letters) & 3 : 4;
        if (entity->vector < 2 || index >= entity->vector) {
            wrong(l, operand, "has no component '.%.*s'",
                  NAME_ARGS(operand->component));
            return 0;
        }
        return entity->value + index;
    }
    if (entity->vector > 1) {
        wrong(l, operand, "is a vector; a single register must stand here");
        return 0;
    }
    return entity->value;
}

bool integer_constant(struct lower *l, const struct ptx_operand *operand,
                      uint64_t *value)
{
    if (operand->kind != OPERAND_CONSTANT ||
        !constant_is_integer(operand->constant)) {
        wrong(l, operand, "must be an integer constant");
        return false;
    }
    *value = operand->constant.bits;
    return true;
}

static uint64_t truncated(uint64_t bits, uint32_t width)
{
    return width < 64 ? bits & ((1ull << width) - 1) : bits;
}

/* PTX ISA, "Constants": floating-point constants are 64-bit and converted to
 * what the instruction wants; untyped bits take a 0f or 0d of their size. */
bool constant_bits(struct lower *l, const struct ptx_operand *operand,
                   uint32_t type, uint64_t *bits)
{
    struct ptx_constant c = operand->constant;
    uint32_t width = word_bits(type);
    enum word_class class = word_class(type);

    if (class == CLASS_PREDICATE) {
        *bits = c.bits != 0;
        if (constant_is_integer(c))
            return true;
    } else if (constant_is_integer(c)) {
        if (class == CLASS_FLOAT) {
            wrong(l, operand, "is an integer; '.%s' needs a floating-point constant",
                  word_text(type));
            return false;
        }
        *bits = truncated(c.bits, width);
        if (type == W_s8) /* 8-bit values live sign-extended */
            *bits = truncated((uint64_t)(int64_t)(int8_t)*bits, 16);
        return true;
    } else if (class == CLASS_FLOAT && (type == W_f32 || type == W_tf32)) {
        *bits = c.kind == CONSTANT_F32 ? c.bits : f64_bits_to_f32(c.bits);
        return true;
    } else if (type == W_f64) {
        *bits = c.kind == CONSTANT_F64 ? c.bits : f32_bits_to_f64((uint32_t)c.bits);
        return true;
    } else if (class == CLASS_BITS && width == (c.kind == CONSTANT_F32 ? 32u : 64u)) {
        *bits = c.bits;
        return true;
    }
    wrong(l, operand, "is a floating-point constant; '.%s' has no use for it",
          word_text(type));
    return false;
}

/* --- special registers --- */

/* The special register a name with a component means; IR_SREG_COUNT: none.
 * Of %envreg3 and %pm3 the number is apart. Coordinates are vectors of four
 * whose last component is always 0: *zero, and the answer is the first one. */
static enum ir_sreg special(const struct ptx_operand *operand, uint32_t *number,
                            bool *zero)
{
    struct ptx_name name = operand->name, component = operand->component;
    char text[64];

    *number = 0;
    *zero = name_is(component, "w");
    if (*zero)
        component = (struct ptx_name){"x", 1};
    if (name.size < 2 || name.text[0] != '%' || name.size + component.size > 60)
        return IR_SREG_COUNT;
    snprintf(text, sizeof text, "%.*s%s%.*s", (int)name.size - 1, name.text + 1,
             component.size ? "_" : "", NAME_ARGS(component));
    if (strncmp(text, "envreg", 6) == 0 || strncmp(text, "pm", 2) == 0) {
        char *digits = text + (text[0] == 'e' ? 6 : 2), *end;
        uint32_t most = text[0] == 'e' ? 31 : 7;
        *number = (uint32_t)strtoul(digits, &end, 10);
        if (end == digits || *number > most || *digits < '0' || *digits > '9' ||
            (*end && strcmp(end, "_64") != 0))
            return IR_SREG_COUNT;
        return text[0] == 'e' ? IR_SREG_envreg : IR_SREG_pm;
    }
    for (int s = 0; s < IR_SREG_COUNT; s++)
        if (s != IR_SREG_envreg && s != IR_SREG_pm &&
            strcmp(text, ir_sreg_names[s]) == 0)
            return (enum ir_sreg)s;
    return IR_SREG_COUNT;
}

bool special_read(struct lower *l, const struct ptx_operand *operand, uint32_t type,
                  ir_operand *to)
{
    uint32_t number;

    if (operand->kind != OPERAND_NAME || operand->name.text[0] != '%' ||
        operand->has_offset || operand->negated)
        return false;
    /* A register may have the name of a special one. */
    bool zero;
    enum ir_sreg sreg = special(operand, &number, &zero);
    if (sreg == IR_SREG_COUNT || scope_find(l, operand->name))
        return false;
    enum ir_type have = ir_sreg_type(sreg), want = type_register(type);
    ir_operand from = ir_operand_make(IR_OPERAND_SREG, sreg), value = *to;
    const char *name = name_string(l, operand->name);

    gate_special_register(&l->gate, l->diags, name + 1, operand->at);
    /* PTX ISA, "Special Registers": each has one width; the coordinates could be
     * read as .u16 before PTX 2.0, %gridid was 32 bits wide. */
    bool coordinate = sreg >= IR_SREG_tid_x && sreg <= IR_SREG_nctaid_z;
    bool as_is = have == want || (coordinate && want == IR_b16) ||
                 (sreg == IR_SREG_gridid && want <= IR_b32) ||
                 (sreg == IR_SREG_pm && want == IR_b64);
    if (!name_is(l->i->syntax->opcode, "mov") && !name_is(l->i->syntax->opcode, "cvt")) {
        wrong(l, operand, "is a special register; only mov and cvt read those");
        *to = 0;
        return true;
    }
    if (!as_is || word_class(type) == CLASS_FLOAT) {
        wrong(l, operand, "cannot be read as '.%s'", word_text(type));
        *to = 0;
        return true;
    }
    if (!*to || have != want)
        value = temporary(l, have);
    if (zero && have == want) {
        emit_move(l, value, constant(l, 0));
        *to = value;
        return true;
    }
    struct ir_inst inst = {.op = IR_OP_sreg, .type = (uint8_t)have,
                           .type2 = (uint8_t)have, .sub = (uint16_t)number,
                           .destinations = 1, .sources = 1};
    emit(l, &inst, &value, &from);
    if (have != want) {
        enum ir_type narrow = have == IR_b64 ? IR_u64 : IR_u32;
        enum ir_type wide =
            want == IR_b64 ? IR_u64 : want == IR_b32 ? IR_u32 : IR_u16;
        if (!*to)
            *to = temporary(l, want);
        emit_lane(l, IR_OP_cvt, wide, narrow, 0, *to, &value, 1);
    } else {
        *to = value;
    }
    return true;
}

/* --- values --- */

static bool check_register(struct lower *l, const struct ptx_operand *operand,
                           uint32_t have, uint32_t type, bool wider)
{
    if (type_agrees(have, type, wider))
        return true;
    wrong(l, operand, "is a .%s register; '.%s' does not go with it",
          word_text(have), word_text(type));
    return false;
}

/* register + constant, as ptxas allows for integers. */
static ir_operand plus_offset(struct lower *l, const struct ptx_operand *operand,
                              uint32_t type, ir_operand value)
{
    enum word_class class = word_class(type);
    enum ir_type integer = word_bits(type) == 64 ? IR_u64 : IR_u32;

    if (class == CLASS_FLOAT || class == CLASS_PACKED || class == CLASS_PREDICATE ||
        word_bits(type) < 32 || word_bits(type) > 64) {
        wrong(l, operand, "must be a register or a constant");
        return 0;
    }
    uint64_t offset = truncated((uint64_t)operand->offset, word_bits(type));
    return emit_value(l, IR_OP_add, integer, integer, 0,
                      (ir_operand[2]){value, constant(l, offset)}, 2);
}

ir_operand source(struct lower *l, const struct ptx_operand *operand,
                  uint32_t type, bool wider)
{
    uint64_t bits;
    uint32_t have;

    switch (operand->kind) {
    case OPERAND_CONSTANT:
        return constant_bits(l, operand, type, &bits) ? constant(l, bits) : 0;
    case OPERAND_NAME:
        break;
    default:
        wrong(l, operand, "must be a register or a constant");
        return 0;
    }
    ir_operand value = 0;
    if (special_read(l, operand, type, &value))
        return value;
    value = named_register(l, operand, &have);
    if (!value || !check_register(l, operand, have, type, wider))
        return 0;
    if (operand->negated) {
        if (type != W_pred) {
            wrong(l, operand, "cannot be negated");
            return 0;
        }
        value = emit_value(l, IR_OP_not, IR_pred, IR_pred, 0, &value, 1);
    }
    if (operand->has_offset)
        value = plus_offset(l, operand, have, value);
    return value;
}

ir_operand destination(struct lower *l, const struct ptx_operand *operand,
                       uint32_t type, bool wider)
{
    uint32_t have;

    if (operand->kind == OPERAND_SINK) {
        wrong(l, operand, "cannot be discarded");
        return 0;
    }
    if (operand->kind != OPERAND_NAME || operand->has_offset || operand->negated) {
        wrong(l, operand, "must be a register");
        return 0;
    }
    ir_operand value = named_register(l, operand, &have);
    if (!value || !check_register(l, operand, have, type, wider))
        return 0;
    return value;
}

ir_operand destination_or_sink(struct lower *l, const struct ptx_operand *operand,
                               uint32_t type, bool wider)
{
    return operand->kind == OPERAND_SINK ? 0 : destination(l, operand, type, wider);
}

bool elements(struct lower *l, const struct ptx_operand *operand, uint32_t count,
              const struct ptx_operand **items, struct ptx_operand *storage)
{
    if (count <= 1 && operand->kind != OPERAND_VECTOR) {
        *items = operand;
        return true;
    }
    if (operand->kind == OPERAND_VECTOR) {
        if (operand->count != (count ? count : 1)) {
            wrong(l, operand, "has %u elements, not %u", operand->count, count);
            return false;
        }
        *items = operand->items;
        return true;
    }
    /* A vector register stands for its components. */
    struct entity *entity = operand->kind == OPERAND_NAME
        ? scope_need(l, operand->name, operand->at) : NULL;
    if (operand->kind == OPERAND_NAME && !entity)
        return false;
    if (!entity || entity->kind != ENTITY_REGISTER || entity->vector != count) {
        wrong(l, operand, "must be a vector of %u", count);
        return false;
    }
    static const char *const letters = "xyzw";
    for (uint32_t k = 0; k < count && k < 4; k++) {
        storage[k] = *operand;
        storage[k].component = (struct ptx_name){letters + k, 1};
    }
    *items = storage;
    return true;
}

/* --- addresses --- */

static bool fits_space(enum ir_space named, enum ir_space space)
{
    if (named == space)
        return true;
    /* A block's shared memory is part of the cluster's. */
    return named == IR_SPACE_SHARED && space == IR_SPACE_CLUSTER;
}

static bool direct_address(struct lower *l, const struct ptx_operand *operand,
                           const struct entity *entity, enum ir_space space,
                           struct address *out)
{
    enum ir_space named = (enum ir_space)entity->space;

    out->is_direct = true;
    /* .param covers a kernel's own parameters and those of calls. */
    if (space == IR_SPACE_PARAM || space == IR_SPACE_ARGUMENT) {
        if (named != IR_SPACE_PARAM && named != IR_SPACE_ARGUMENT) {
            wrong(l, operand, "is in .%s, the instruction in .param",
                  ir_space_names[named]);
            return false;
        }
        out->space = named;
    } else if (space == IR_SPACE_GENERIC) {
        /* A plain access to a named variable goes to the variable's space. */
        out->space = named;
    } else if (!fits_space(named, space)) {
        wrong(l, operand, "is in .%s, the instruction in .%s",
              ir_space_names[named], ir_space_names[space]);
        return false;
    }
    out->base = entity->value;
    out->role = (enum entity_role)entity->role;
    return true;
}

bool address(struct lower *l, const struct ptx_operand *operand,
             enum ir_space space, struct address *out)
{
    const struct ptx_operand *at = operand;

    *out = (struct address){.space = space};
    if (operand->kind == OPERAND_NAME) { /* call-like forms without brackets */
        wrong(l, operand, "must be an address in brackets");
        return false;
    }
    if (operand->kind != OPERAND_ADDRESS && operand->kind != OPERAND_ELEMENT) {
        wrong(l, operand, "must be an address");
        return false;
    }
    int64_t offset = operand->offset;
    if (operand->kind == OPERAND_ADDRESS && operand->count == 1 &&
        operand->items[0].kind == OPERAND_ELEMENT && !operand->name.size)
        at = &operand->items[0];
    else if (operand->kind == OPERAND_ADDRESS && operand->count) {
        wrong(l, operand, "has too many parts for an address");
        return false;
    }
    if (!at->name.size) {
        out->base = constant(l, (uint64_t)offset);
        out->offset = constant(l, 0);
        return true;
    }
    struct entity *entity = scope_need(l, at->name, at->name_at);
    if (!entity)
        return false;
    if (at->kind == OPERAND_ELEMENT) {
        if (entity->kind != ENTITY_SYMBOL && entity->kind != ENTITY_VARIABLE) {
            wrong(l, operand, "is no array");
            return false;
        }
        offset = (int64_t)((uint64_t)at->offset * (word_bits(entity->type) / 8));
    }
    switch (entity->kind) {
    case ENTITY_SYMBOL:
    case ENTITY_VARIABLE:
        if (!direct_address(l, operand, entity, space, out))
            return false;
        break;
    case ENTITY_REGISTER: {
        uint32_t type;
        struct ptx_operand base = {.kind = OPERAND_NAME, .at = at->at,
                                   .name_at = at->name_at, .name = at->name,
                                   .component = at->component};
        out->base = named_register(l, &base, &type);
        if (!out->base)
            return false;
        enum word_class class = word_class(type);
        if (class == CLASS_FLOAT || class == CLASS_PACKED ||
            class == CLASS_PREDICATE || word_bits(type) > 64) {
            wrong(l, operand, "is a .%s register; an address is an integer",
                  word_text(type));
            return false;
        }
        if (word_bits(type) < 32)
            out->base = emit_value(l, IR_OP_cvt, IR_u32, IR_u16, 0, &out->base, 1);
        break;
    }
    default:
        wrong(l, operand, "is no address");
        return false;
    }
    out->offset = constant(l, (uint64_t)offset);
    return true;
}
