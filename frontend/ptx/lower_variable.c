/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_variable.c - declarations: sizes, initial bytes, relocations. */
#include "frontend/ptx/lower.h"

#include <string.h>

#include "frontend/ptx/decimal.h"

/* Initialised variables beyond this would only exhaust the host. */
static const uint64_t MAX_INITIALISED = 1ull << 28;
/* A module has no more constant memory; no block comes near the other. */
enum { MAX_CONSTANT = 65536, MAX_SHARED = 1 << 30 };
/* No device has more. */
static const uint64_t MAX_SIZE = 1ull << 40;

/* Bytes and alignment; 0 and an error when too large. PTX ISA, "Alignment":
 * the default is that of the element, vectors that of the whole vector. */
uint32_t variable_bytes(struct lower *l, const struct ptx_variable *variable,
                        uint64_t *size, uint32_t *align)
{
    uint32_t element = word_bits(variable->type) / 8;
    bool has_zero = false;

    if (word_class(variable->type) == CLASS_OPAQUE)
        element = 8;
    if (variable->type == W_pred) /* a .reg parameter; passed as a word */
        element = 4;
    element *= variable->vector;
    *size = element;
    for (uint32_t d = 0; d < variable->dimensions; d++) {
        if (!variable->size[d]) {
            has_zero = true;
            continue;
        }
        if (*size > MAX_SIZE / variable->size[d]) {
            diag_error(l->diags, variable->at, "'%.*s' is too large",
                       NAME_ARGS(variable->name));
            *size = element;
            break;
        }
        *size *= variable->size[d];
    }
    if (has_zero)
        *size = 0;
    uint64_t natural = element ? element : 1;
    uint64_t wanted = variable->align ? variable->align : natural;
    if (wanted > 1u << 20) {
        diag_error(l->diags, variable->at, "the alignment of '%.*s' is too large",
                   NAME_ARGS(variable->name));
        wanted = natural;
    }
    *align = (uint32_t)wanted;
    return element;
}

struct ir_variable parameter_variable(struct lower *l,
                                      const struct ptx_variable *variable,
                                      enum ir_space space)
{
    struct ir_variable made = {
        .name = arena_copy(l->arena, variable->name.text, variable->name.size),
        .space = (uint8_t)space,
        .type = (uint8_t)type_of(variable->type),
        .is_array = variable->dimensions > 0 || variable->vector > 1,
        .pointer_space = IR_SPACE_GENERIC,
        .pointer_align = (uint32_t)variable->pointer_align,
        .at = variable->at,
    };

    variable_bytes(l, variable, &made.size, &made.align);
    if (variable->type == W_pred)
        made.type = IR_b32;
    if (made.type == IR_none)
        made.type = made.size % 8 ? IR_b8 : IR_b64;
    switch (variable->pointer_space) {
    case W_global: made.pointer_space = IR_SPACE_GLOBAL; break;
    case W_const_: made.pointer_space = IR_SPACE_CONST; break;
    case W_shared: made.pointer_space = IR_SPACE_SHARED; break;
    case W_local: made.pointer_space = IR_SPACE_LOCAL; break;
    }
    return made;
}

/* --- initial values --- */

struct filling {
    struct lower *l;
    const struct ptx_variable *variable;
    unsigned char *bytes;
    uint32_t width;    /* bytes of a scalar */
    PTX_LIST(struct ir_relocation) relocations;
};

static void store(unsigned char *to, uint64_t value, uint32_t bytes)
{
    for (uint32_t b = 0; b < bytes && b < 8; b++)
        to[b] = (unsigned char)(value >> 8 * b);
}

static bool initial_bits(struct ptx_constant c, uint32_t type, uint64_t *bits)
{
    enum word_class class = word_class(type);

    if (constant_is_integer(c)) {
        *bits = c.bits;
        return class == CLASS_UNSIGNED || class == CLASS_SIGNED || class == CLASS_BITS;
    }
    if (type == W_f64) {
        *bits = c.kind == CONSTANT_F64 ? c.bits : f32_bits_to_f64((uint32_t)c.bits);
        return true;
    }
    if (type == W_f32) {
        *bits = c.kind == CONSTANT_F32 ? c.bits : f64_bits_to_f32(c.bits);
        return true;
    }
    /* Bits of 32 and 64 take the number in the format of their size. */
    if (class == CLASS_BITS && word_bits(type) == 64)
        return initial_bits(c, W_f64, bits);
    return class == CLASS_BITS && word_bits(type) == 32 && initial_bits(c, W_f32, bits);
}

static void symbol_value(struct filling *f, const struct ptx_initial *initial,
                         uint64_t position)
{
    struct lower *l = f->l;
    struct entity *entity = scope_need(l, initial->symbol, initial->at);

    if (!entity)
        return;
    if (entity->kind != ENTITY_FUNCTION &&
        (entity->kind != ENTITY_SYMBOL || (entity->space != IR_SPACE_GLOBAL &&
                                           entity->space != IR_SPACE_CONST))) {
        diag_error(l->diags, initial->at,
                   "'%.*s' is no .global or .const variable and no function",
                   NAME_ARGS(initial->symbol));
        return;
    }
    uint32_t bytes = f->width, shift = 0;
    enum word_class class = word_class(f->variable->type);
    if (initial->mask) {
        gate_feature(&l->gate, l->diags, "a mask of an address", 71, 20, initial->at);
        while (!(initial->mask >> shift & 0xff))
            shift += 8;
        if (initial->mask >> shift != 0xff) {
            diag_error(l->diags, initial->at, "a mask picks one byte of the address");
            return;
        }
        bytes = 1;
    } else if (bytes < 4 || (class != CLASS_UNSIGNED && class != CLASS_SIGNED &&
                             class != CLASS_BITS)) {
        diag_error(l->diags, initial->at, "an address does not fit '.%s'",
                   word_text(f->variable->type));
        return;
    }
    *ARENA_PUSH(l->arena, &f->relocations) = (struct ir_relocation){
        .offset = position * f->width,
        .target = entity->value,
        .addend = initial->offset,
        .bytes = (uint8_t)bytes,
        .generic = initial->generic,
        .shift = (uint8_t)shift,
    };
}

static void scalar_value(struct filling *f, const struct ptx_initial *initial,
                         uint64_t position)
{
    uint64_t bits;

    if (initial->kind == INITIAL_SYMBOL || initial->mask) {
        symbol_value(f, initial, position);
    } else if (!initial_bits(initial->constant, f->variable->type, &bits)) {
        diag_error(f->l->diags, initial->at, "this constant does not fit '.%s'",
                   word_text(f->variable->type));
    } else {
        store(f->bytes + position * f->width, bits, f->width);
    }
}

/* A list at nesting level d fills its part from position on; the rest of the
 * part stays zero. Lists nest as the dimensions do, a vector being the last. */
static void fill(struct filling *f, const struct ptx_initial *list, uint32_t d,
                 uint64_t position)
{
    const struct ptx_variable *variable = f->variable;
    uint32_t dimensions = variable->dimensions + (variable->vector > 1);
    uint64_t size = d < variable->dimensions ? variable->size[d] : variable->vector;
    uint64_t inner = 1;

    for (uint32_t k = d + 1; k < variable->dimensions; k++)
        inner *= variable->size[k];
    if (d < variable->dimensions)
        inner *= variable->vector;
    for (uint32_t k = 0; k < list->count; k++) {
        const struct ptx_initial *item = &list->items[k];
        if (k >= size) {
            diag_error(f->l->diags, item->at, "more values than '%.*s' has elements",
                       NAME_ARGS(variable->name));
            return;
        }
        if ((item->kind == INITIAL_LIST) != (d + 1 < dimensions)) {
            diag_error(f->l->diags, item->at, "braces must nest as the dimensions of '%.*s'",
                       NAME_ARGS(variable->name));
            return;
        }
        if (item->kind == INITIAL_LIST)
            fill(f, item, d + 1, position + k * inner);
        else
            scalar_value(f, item, position + k);
    }
}

static void initialise(struct lower *l, const struct ptx_variable *variable,
                       struct ir_symbol *symbol)
{
    struct filling f = {.l = l, .variable = variable,
                        .width = word_bits(variable->type) / 8};

    if (symbol->space == IR_SPACE_SHARED) {
        diag_error(l->diags, variable->at, ".shared variables have no initial value");
        return;
    }
    if (!f.width || word_bits(variable->type) > 64) {
        unsupported(l, variable->at, "an initial value of type '.%s'",
                    word_text(variable->type));
        return;
    }
    if (symbol->size > MAX_INITIALISED) {
        unsupported(l, variable->at, "an initialised variable of more than %llu bytes",
                    (unsigned long long)MAX_INITIALISED);
        return;
    }
    f.bytes = arena_alloc(l->arena, symbol->size);
    bool many = variable->dimensions || variable->vector > 1;
    if ((variable->initial->kind == INITIAL_LIST) != many)
        diag_error(l->diags, variable->initial->at,
                   many ? "an array needs values in braces"
                        : "braces are for arrays and vectors");
    else if (many)
        fill(&f, variable->initial, 0, 0);
    else
        scalar_value(&f, variable->initial, 0);
    symbol->bytes = f.bytes;
    symbol->relocations = f.relocations.items;
    symbol->relocation_count = f.relocations.count;
}

/* --- declarations --- */

static enum ir_linkage ir_linkage_of(enum ptx_linkage linkage)
{
    switch (linkage) {
    case LINKAGE_VISIBLE: return IR_LINKAGE_VISIBLE;
    case LINKAGE_WEAK: return IR_LINKAGE_WEAK;
    case LINKAGE_EXTERN: return IR_LINKAGE_EXTERN;
    case LINKAGE_COMMON: return IR_LINKAGE_COMMON;
    default: return IR_LINKAGE_INTERNAL;
    }
}

/* Symbols of function bodies may repeat names; the IR wants them unique. */
static const char *symbol_name(struct lower *l, struct ptx_name name)
{
    const char *text = arena_copy(l->arena, name.text, name.size), *base = text;
    uint32_t taken, serial = 1;

    while (map_get(&l->symbol_names, text, strlen(text), &taken))
        text = arena_printf(l->arena, "%s$%u", base, ++serial);
    map_set(&l->scratch, &l->symbol_names, text, strlen(text), 1);
    return text;
}

/* A variable declared before and now again: extern and its definition. */
static struct ir_symbol *declared(struct lower *l, const struct ptx_variable *variable,
                                  uint32_t *index)
{
    uint32_t entity;

    if (!map_get(&l->scope->names, variable->name.text, variable->name.size, &entity))
        return NULL;
    const struct entity *found = &l->entities.items[entity];
    if (found->kind != ENTITY_SYMBOL)
        return NULL;
    *index = ir_operand_index(found->value);
    struct ir_symbol *symbol = &l->module->symbols[*index];
    bool was_extern = symbol->linkage == IR_LINKAGE_EXTERN;
    bool is_extern = variable->linkage == LINKAGE_EXTERN;
    return was_extern || is_extern ? symbol : NULL;
}

static void symbol(struct lower *l, const struct ptx_variable *variable,
                   enum ir_space space, bool is_module)
{
    struct ptx_variable sized = *variable;
    struct ir_symbol made = {
        .space = (uint8_t)space,
        .type = (uint8_t)type_of(variable->type),
        .linkage = (uint8_t)ir_linkage_of(variable->linkage),
        .managed = variable->managed,
        .owner = !is_module && space == IR_SPACE_SHARED ? l->function_index + 1 : 0,
        .at = variable->at,
    };
    uint32_t index;

    if (variable->unsized_array && variable->initial &&
        variable->initial->kind == INITIAL_LIST)
        sized.size[0] = variable->initial->count;
    variable_bytes(l, &sized, &made.size, &made.align);
    if (!made.size && variable->linkage != LINKAGE_EXTERN && variable->unsized_array) {
        diag_error(l->diags, variable->at, "the size of '%.*s' is not known",
                   NAME_ARGS(variable->name));
        return;
    }
    if (variable->initial && variable->linkage == LINKAGE_EXTERN) {
        diag_error(l->diags, variable->at, "'%.*s' is extern and cannot be initialised",
                   NAME_ARGS(variable->name));
        return;
    }
    if (space == IR_SPACE_CONST)
        l->constant_bytes += made.size;
    if (space == IR_SPACE_CONST && l->constant_bytes > MAX_CONSTANT) {
        diag_error(l->diags, variable->at, "more than %d bytes of constant memory",
                   MAX_CONSTANT);
        l->constant_bytes = 0; /* say it once */
    }
    if (space == IR_SPACE_SHARED && made.size > MAX_SHARED)
        unsupported(l, variable->at, "a .shared variable of %llu bytes",
                    (unsigned long long)made.size);
    struct ir_symbol *before = is_module ? declared(l, variable, &index) : NULL;
    if (before && (before->space != made.space || before->type != made.type)) {
        diag_error(l->diags, variable->at, "'%.*s' was declared otherwise before",
                   NAME_ARGS(variable->name));
        return;
    }
    if (before && before->linkage == IR_LINKAGE_EXTERN &&
        variable->linkage == LINKAGE_NONE) {
        diag_error(l->diags, variable->at,
                   "'%.*s' is extern and must be defined .visible or .weak",
                   NAME_ARGS(variable->name));
        return;
    }
    if (before && variable->linkage == LINKAGE_EXTERN)
        return; /* the definition is known already */
    if (variable->managed && space != IR_SPACE_GLOBAL) {
        diag_error(l->diags, variable->at, "only .global variables are managed");
        return;
    }
    if (variable->initial)
        initialise(l, &sized, &made);
    if (before) {
        made.name = before->name;
        l->module->symbols[index] = made;
        return;
    }
    made.name = symbol_name(l, variable->name);
    index = ir_add_symbol(l->module, &made);
    scope_declare(l, variable->name,
                  (struct entity){.kind = ENTITY_SYMBOL,
                                  .value = ir_operand_make(IR_OPERAND_SYMBOL, index),
                                  .type = variable->type,
                                  .space = space,
                                  .at = variable->at});
}

/* Many types are for instructions only. PTX ISA, "Restricted Use of Sub-Word
 * Sizes", "Alternate Floating-Point Data Formats", "Packed Data Types". */
static bool is_register_type(uint32_t type)
{
    switch (type) {
    case W_bf16: case W_bf16x2: case W_tf32: case W_u16x2: case W_s16x2:
    case W_f32x2: case W_u8x4: case W_s8x4:
        return false;
    default:
        return type_register(type) != IR_none && word_class(type) != CLASS_TINY &&
               word_class(type) != CLASS_OPAQUE;
    }
}

static void registers(struct lower *l, const struct ptx_variable *variable,
                      bool is_module)
{
    if (is_module) {
        unsupported(l, variable->at, "registers at module level");
        return;
    }
    if (variable->dimensions || variable->initial) {
        diag_error(l->diags, variable->at, "'%.*s': registers have no size or value",
                   NAME_ARGS(variable->name));
        return;
    }
    if (!is_register_type(variable->type)) {
        diag_error(l->diags, variable->at, "'.%s' is no type of a register",
                   word_text(variable->type));
        return;
    }
    if (variable->is_range) {
        scope_declare_range(l, variable);
        return;
    }
    if (name_is(variable->name, "_")) {
        diag_error(l->diags, variable->at, "'_' is no name");
        return;
    }
    struct entity entity = {.kind = ENTITY_REGISTER, .type = variable->type,
                            .vector = variable->vector, .at = variable->at};
    if (scope_in_range(l, variable->name)) {
        diag_error(l->diags, variable->at, "duplicate definition of '%.*s'",
                   NAME_ARGS(variable->name));
        return;
    }
    entity.value = register_new(l, variable->type, variable->vector, variable->name);
    scope_declare(l, variable->name, entity);
}

static void function_variable(struct lower *l, const struct ptx_variable *variable,
                              enum ir_space space)
{
    if (variable->initial) {
        unsupported(l, variable->at, "an initial value in .%s",
                    word_text(variable->space));
        return;
    }
    struct ir_variable made = parameter_variable(l, variable, space);
    if (!made.size) {
        diag_error(l->diags, variable->at, "the size of '%.*s' is not known",
                   NAME_ARGS(variable->name));
        return;
    }
    scope_declare(l, variable->name,
                  (struct entity){.kind = ENTITY_VARIABLE,
                                  .value = ir_add_variable(l->module, l->f, &made),
                                  .type = variable->type,
                                  .space = space,
                                  .at = variable->at});
}

static uint8_t reference_of(uint32_t type)
{
    return type == W_texref       ? IR_REFERENCE_TEXTURE
           : type == W_samplerref ? IR_REFERENCE_SAMPLER
                                  : IR_REFERENCE_SURFACE;
}

/* .texref, .surfref and .tex .u32: a constant that holds the handle once the host has
 * bound a texture. A sampler is known by name only: what uses it is refused. */
static void opaque(struct lower *l, const struct ptx_variable *variable)
{
    struct entity entity = {.kind = ENTITY_OPAQUE, .space = IR_SPACE_CONST,
                            .type = variable->space == W_tex ? W_texref : variable->type,
                            .at = variable->at};

    if (variable->dimensions) {
        unsupported(l, variable->at, "arrays of references");
        return;
    }
    if (entity.type != W_samplerref) {
        struct ir_symbol symbol = {
            .name = symbol_name(l, variable->name), .size = 8, .align = 8,
            .space = IR_SPACE_CONST, .type = IR_b64, .linkage = IR_LINKAGE_VISIBLE,
            .reference = reference_of(entity.type), .at = variable->at};
        entity.value = ir_operand_make(IR_OPERAND_SYMBOL, ir_add_symbol(l->module, &symbol));
    }
    scope_declare(l, variable->name, entity);
}

void lower_variable(struct lower *l, const struct ptx_variable *variable, bool is_module)
{
    gate_directive(&l->gate, l->diags, variable->type, variable->at);
    if (variable->unified) {
        gate_directive(&l->gate, l->diags, W_unified, variable->at);
        ir_leave_out(l->module, variable->at, ".attribute(.unified)");
    }
    if (variable->space == W_reg) {
        registers(l, variable, is_module);
        return;
    }
    if (variable->is_range) {
        diag_error(l->diags, variable->at, "only registers are declared as a range");
        return;
    }
    if (variable->vector * word_bits(variable->type) > 128) {
        diag_error(l->diags, variable->at, "a vector has at most 128 bits");
        return;
    }
    if (word_class(variable->type) == CLASS_OPAQUE || variable->space == W_tex) {
        opaque(l, variable);
        return;
    }
    if (variable->type == W_pred || word_class(variable->type) == CLASS_NONE ||
        type_of(variable->type) == IR_none) {
        diag_error(l->diags, variable->at, "'.%s' is no type of a variable",
                   word_text(variable->type));
        return;
    }
    switch (variable->space) {
    case W_global: symbol(l, variable, IR_SPACE_GLOBAL, is_module); return;
    case W_const_: symbol(l, variable, IR_SPACE_CONST, is_module); return;
    case W_shared: symbol(l, variable, IR_SPACE_SHARED, is_module); return;
    case W_local:
    case W_param:
        if (is_module)
            unsupported(l, variable->at, ".%s at module level",
                        word_text(variable->space));
        else
            function_variable(l, variable, variable->space == W_local
                                               ? IR_SPACE_LOCAL : IR_SPACE_ARGUMENT);
        return;
    default:
        unsupported(l, variable->at, "variables in .%s", word_text(variable->space));
    }
}
