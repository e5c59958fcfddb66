/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.c - the rules of modules and functions.
 *
 * The one place where IR is checked: readers check syntax, engines assert. All
 * violations are collected. */
#include "ir/verifier.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "ir/words.h"

void ir_verify_fail(struct ir_verifier *v, const char *format, ...)
{
    char message[400];
    struct text line = {0};
    va_list args;
    uint32_t loc = v->inst->loc < v->module->location_count ? v->inst->loc : 0;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ir_print_inst(&line, v->module, v->function, v->inst);
    diag_error(v->diags, v->module->locations[loc].at, "%.300s: %s", text_string(&line),
               message);
    text_free(&line);
}

static bool power_of_two(uint32_t value)
{
    return value && !(value & (value - 1));
}

/* --- blocks --------------------------------------------------------------- */

static bool check_block(struct ir_verifier *v, uint32_t b, uint32_t *next)
{
    const struct ir_function *f = v->function;
    const struct ir_block *block = &f->blocks[b];

    if (block->first != *next || block->count > f->inst_count - block->first) {
        diag_error(v->diags, f->at,
                   "function '%s': block %u does not follow the one before it", f->name, b);
        return false;
    }
    *next = block->first + block->count;
    if (!block->count)
        diag_error(v->diags, f->at, "function '%s': block %u ('%s') is empty", f->name, b,
                   block->name ? block->name : "");
    for (uint32_t i = 0; i < block->count; i++) {
        v->inst = &f->insts[block->first + i];
        if (!ir_verify_shape(v))
            continue;
        bool ends = ir_ops[v->inst->op].flags & IR_FLAG_ENDS;
        if (ends && i + 1 < block->count)
            ir_verify_fail(v, "only the last instruction of a block leaves it");
        if (!ends && i + 1 == block->count)
            ir_verify_fail(v, "the last instruction of a block must leave it");
        ir_verify_inst(v);
    }
    return true;
}

static void check_body(struct ir_verifier *v)
{
    const struct ir_function *f = v->function;
    uint32_t next = 0;

    for (uint32_t b = 0; b < f->block_count; b++)
        if (!check_block(v, b, &next))
            return;
    if (next != f->inst_count)
        diag_error(v->diags, f->at, "function '%s': instructions stand in no block",
                   f->name);
}

/* --- declarations of a function ------------------------------------------- */

static void check_variable(struct ir_verifier *v, const struct ir_variable *variable)
{
    const struct ir_function *f = v->function;
    bool is_param = variable->space == IR_SPACE_PARAM;
    uint64_t end = is_param ? f->parameter_bytes : f->local_bytes;

    if (!is_param && variable->space != IR_SPACE_LOCAL &&
        variable->space != IR_SPACE_ARGUMENT)
        diag_error(v->diags, variable->at,
                   "variable '%s' must be local, param or argument", variable->name);
    if (is_param && !f->is_kernel)
        diag_error(v->diags, variable->at, "variable '%s': only kernels have param space",
                   variable->name);
    if (variable->type == IR_none || variable->type >= IR_TYPE_COUNT)
        diag_error(v->diags, variable->at, "variable '%s' has no type", variable->name);
    if (!power_of_two(variable->align))
        diag_error(v->diags, variable->at,
                   "variable '%s': alignment %u is no power of two", variable->name,
                   variable->align);
    else if (variable->offset & (variable->align - 1))
        diag_error(v->diags, variable->at, "variable '%s' is not aligned where it lies",
                   variable->name);
    if (variable->offset > end || variable->size > end - variable->offset)
        diag_error(v->diags, variable->at, "variable '%s' lies past the end of its space",
                   variable->name);
}

static void check_formals(struct ir_verifier *v, const char *what, const uint32_t *list,
                          uint32_t count)
{
    const struct ir_function *f = v->function;
    enum ir_space space = f->is_kernel ? IR_SPACE_PARAM : IR_SPACE_ARGUMENT;

    for (uint32_t i = 0; i < count; i++)
        if (list[i] >= f->variable_count || f->variables[list[i]].space != space)
            diag_error(v->diags, f->at, "function '%s': %s %u is no %s variable", f->name,
                       what, i, ir_space_names[space]);
}

static void check_registers(struct ir_verifier *v)
{
    const struct ir_function *f = v->function;
    struct arena scratch = {0};
    struct map names = {0};

    for (uint32_t r = 0; r < f->register_count; r++) {
        const struct ir_register *reg = &f->registers[r];
        uint32_t first;
        if (reg->width == IR_none || reg->width >= IR_TYPE_COUNT ||
            ir_type_register(reg->width) != reg->width)
            diag_error(v->diags, f->at,
                       "function '%s': register '%s' must be pred, b16, b32, b64 or b128",
                       f->name, reg->name);
        if (map_get(&names, reg->name, strlen(reg->name), &first))
            diag_error(v->diags, f->at, "function '%s': two registers are named '%s'",
                       f->name, reg->name);
        map_set(&scratch, &names, reg->name, strlen(reg->name), r);
    }
    arena_free(&scratch);
}

static void check_function(struct ir_verifier *v)
{
    const struct ir_function *f = v->function;

    if (f->linkage >= IR_LINKAGE_COUNT)
        diag_error(v->diags, f->at, "function '%s' has no linkage", f->name);
    if (f->linkage == IR_LINKAGE_EXTERN && f->block_count)
        diag_error(v->diags, f->at, "function '%s' is extern but has a body", f->name);
    if (f->is_kernel && f->result_count)
        diag_error(v->diags, f->at, "kernel '%s' has results", f->name);
    check_registers(v);
    for (uint32_t i = 0; i < f->variable_count; i++)
        check_variable(v, &f->variables[i]);
    check_formals(v, "parameter", f->parameters, f->parameter_count);
    check_formals(v, "result", f->results, f->result_count);
    check_body(v);
}

/* --- the module ----------------------------------------------------------- */

static void check_relocations(struct ir_verifier *v, const struct ir_symbol *symbol)
{
    for (uint32_t i = 0; i < symbol->relocation_count; i++) {
        const struct ir_relocation *r = &symbol->relocations[i];
        uint32_t index = ir_operand_index(r->target);
        enum ir_operand_kind kind = ir_operand_kind(r->target);
        if (r->bytes > 8 || !power_of_two(r->bytes))
            diag_error(v->diags, symbol->at,
                       "symbol '%s': an address of %u bytes does not exist", symbol->name,
                       r->bytes);
        if (r->offset > symbol->size || r->bytes > symbol->size - r->offset)
            diag_error(v->diags, symbol->at, "symbol '%s': an address lies past its end",
                       symbol->name);
        if (r->shift >= 64)
            diag_error(v->diags, symbol->at, "symbol '%s': an address is shifted by %u",
                       symbol->name, r->shift);
        if (!(kind == IR_OPERAND_SYMBOL && index < v->module->symbol_count) &&
            !(kind == IR_OPERAND_FUNCTION && index < v->module->function_count))
            diag_error(v->diags, symbol->at, "symbol '%s': an address is of nothing",
                       symbol->name);
    }
}

static void check_symbol(struct ir_verifier *v, const struct ir_symbol *symbol)
{
    bool is_shared = symbol->space == IR_SPACE_SHARED;

    if (!is_shared && symbol->space != IR_SPACE_GLOBAL && symbol->space != IR_SPACE_CONST)
        diag_error(v->diags, symbol->at, "symbol '%s' must be global, const or shared",
                   symbol->name);
    if (symbol->linkage >= IR_LINKAGE_COUNT)
        diag_error(v->diags, symbol->at, "symbol '%s' has no linkage", symbol->name);
    if (symbol->type == IR_none || symbol->type >= IR_TYPE_COUNT)
        diag_error(v->diags, symbol->at, "symbol '%s' has no type", symbol->name);
    if (!power_of_two(symbol->align))
        diag_error(v->diags, symbol->at, "symbol '%s': alignment %u is no power of two",
                   symbol->name, symbol->align);
    /* PTX ISA, "Initializers": only global and constant variables have them. */
    if (is_shared && (symbol->bytes || symbol->relocation_count))
        diag_error(v->diags, symbol->at, "symbol '%s': shared memory has no initial value",
                   symbol->name);
    if (symbol->managed && symbol->space != IR_SPACE_GLOBAL)
        diag_error(v->diags, symbol->at, "symbol '%s': only global memory can be managed",
                   symbol->name);
    if (symbol->owner && (!is_shared || symbol->owner > v->module->function_count))
        diag_error(v->diags, symbol->at, "symbol '%s' cannot belong to a function",
                   symbol->name);
    check_relocations(v, symbol);
}

static void check_locations(struct ir_verifier *v)
{
    for (uint32_t i = 0; i < v->module->location_count; i++) {
        const struct ir_location *l = &v->module->locations[i];
        if (l->file >= v->module->file_count)
            diag_error(v->diags, l->at, "location %u is in no file", i);
        if (l->inlined_at && l->inlined_at >= i)
            diag_error(v->diags, l->at, "location %u stands before its caller", i);
    }
}

static void check_function_names(struct ir_verifier *v)
{
    struct arena scratch = {0};
    struct map names = {0};
    uint32_t first;

    for (uint32_t i = 0; i < v->module->function_count; i++) {
        const struct ir_function *f = &v->module->functions[i];
        if (map_get(&names, f->name, strlen(f->name), &first))
            diag_error(v->diags, f->at, "two functions are named '%s'", f->name);
        map_set(&scratch, &names, f->name, strlen(f->name), i);
    }
    arena_free(&scratch);
}

bool ir_verify(const struct ir_module *module, struct diags *diags)
{
    struct ir_verifier v = {.module = module, .diags = diags};
    uint32_t errors = diags->errors;

    if (module->address_bits != 32 && module->address_bits != 64)
        diag_error(diags, (struct loc){0}, "addresses have %u bits, not 32 or 64",
                   module->address_bits);
    check_locations(&v);
    check_function_names(&v);
    for (uint32_t i = 0; i < module->symbol_count; i++)
        check_symbol(&v, &module->symbols[i]);
    for (uint32_t i = 0; i < module->function_count; i++) {
        v.function = &module->functions[i];
        check_function(&v);
    }
    return diags->errors == errors;
}
