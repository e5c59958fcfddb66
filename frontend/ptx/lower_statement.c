/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_statement.c - the statements of a function body: labels, places,
 * pragmas, guards, and instructions handed on to their functions. */
#include "frontend/ptx/lower.h"

#include <stdlib.h>
#include <string.h>

/* Labels and lists are known in their whole block, before and after. */
static void declare_labels(struct lower *l, const struct ptx_block *block)
{
    for (uint32_t s = 0; s < block->count; s++) {
        const struct ptx_statement *statement = &block->items[s];
        struct entity entity = {.at = statement->at};
        switch (statement->kind) {
        case STATEMENT_LABEL:
            entity.kind = ENTITY_LABEL;
            entity.value = label_new(l);
            break;
        case STATEMENT_TARGETS:
            entity.kind = ENTITY_TARGETS;
            entity.targets = statement->targets;
            break;
        case STATEMENT_PROTOTYPE:
            if (statement->prototype->noreturn)
                gate_directive(&l->gate, l->diags, W_noreturn, statement->at);
            entity.kind = ENTITY_PROTOTYPE;
            entity.prototype = statement->prototype;
            entity.value = lower_prototype(l, statement->prototype, statement->label);
            break;
        default:
            continue;
        }
        scope_declare(l, statement->label, entity);
    }
}

struct place_key {
    uint32_t file, line, column;
};

static void *place_key(struct lower *l, uint32_t file, uint32_t line, uint32_t column)
{
    struct place_key *key = ARENA_NEW(&l->scratch, struct place_key);

    *key = (struct place_key){file, line, column};
    return key;
}

static uint32_t file_index(struct lower *l, uint64_t number)
{
    uint32_t index;

    return map_get(&l->files, (const char *)&number, sizeof number, &index) ? index : 0;
}

/* .loc: the source place of what follows. inlined_at names a place in the
 * caller; when a .loc of that place came before, it may be inlined itself, and
 * so the chain goes on. */
static void location(struct lower *l, const struct ptx_location *loc, struct loc at)
{
    uint32_t index;

    l->source = (struct ir_location){
        .at = at,
        .file = file_index(l, loc->file),
        .line = loc->line,
        .column = loc->column,
    };
    if (loc->inlined) {
        gate_feature(&l->gate, l->diags, "function_name of .loc", 70, 20, at);
        void *key = place_key(l, loc->inlined_file, loc->inlined_line,
                              loc->inlined_column);
        if (!map_get(&l->locations, key, sizeof(struct place_key), &index)) {
            index = ir_add_location(l->module, &(struct ir_location){
                .at = at, .file = file_index(l, loc->inlined_file),
                .line = loc->inlined_line, .column = loc->inlined_column});
            map_set(&l->scratch, &l->locations, key, sizeof(struct place_key), index);
        }
        l->source.inlined_at = index;
        if (map_get(&l->debug_strings, loc->function.text, loc->function.size, &index)) {
            const char **kept = &l->function_names[index], *name;
            if (!*kept)
                *kept = arena_strdup(l->arena,
                                     l->syntax->debug_strings.items[index].text);
            name = *kept;
            uint64_t size = strlen(name);
            if (loc->function_offset <= size)
                l->source.function = name + loc->function_offset;
        }
    }
    index = ir_add_location(l->module, &l->source);
    map_set(&l->scratch, &l->locations,
            place_key(l, loc->file, loc->line, loc->column),
            sizeof(struct place_key), index);
}

/* Pragmas are hints (PTX ISA: unknown ones are ignored). used_bytes_mask says
 * which bytes of the next load the program uses. */
static void pragma(struct lower *l, struct ptx_name text, struct loc at)
{
    static const char name[] = "used_bytes_mask";
    char number[24];
    uint32_t skip = sizeof name - 1;

    if (name_is(text, "nounroll") && l->block_open)
        l->f->blocks[l->f->block_count - 1].no_unroll = 1;
    bool is_bytes = text.size >= sizeof name && !memcmp(text.text, name, skip);
    if (!is_bytes && !(name_is(text, "nounroll") && l->block_open))
        ir_leave_out(l->module, at, "this pragma");
    if (!is_bytes)
        return;
    while (skip < text.size && (text.text[skip] == ' ' || text.text[skip] == '='))
        skip++;
    uint32_t size = text.size - skip;
    if (size >= sizeof number)
        size = sizeof number - 1;
    memcpy(number, text.text + skip, size);
    number[size] = '\0';
    char *end;
    unsigned long long mask = strtoull(number, &end, 0);
    if (end == number || *end || mask > UINT32_MAX) {
        diag_error(l->diags, at, "used_bytes_mask needs a 32-bit number");
        return;
    }
    gate_feature(&l->gate, l->diags, "used_bytes_mask", 83, 20, at);
    l->used_bytes = (uint32_t)mask;
}

static void guard(struct lower *l, const struct ptx_instruction *syntax)
{
    l->guard = 0;
    l->guard_not = syntax->guard_negated;
    if (!syntax->guard.size)
        return;
    struct ptx_operand operand = {.kind = OPERAND_NAME, .at = syntax->guard_at,
                                  .name = syntax->guard};
    struct entity *entity = scope_need(l, syntax->guard, syntax->guard_at);
    if (!entity)
        return;
    if (entity->kind != ENTITY_REGISTER || entity->type != W_pred ||
        entity->vector > 1) {
        diag_error(l->diags, operand.at, "the guard '%.*s' is no predicate register",
                   NAME_ARGS(syntax->guard));
        return;
    }
    l->guard = entity->value;
}

static void instruction(struct lower *l, const struct ptx_statement *statement)
{
    struct instruction i = {.syntax = statement->instruction, .at = statement->at};
    struct ir_location location = l->source;

    l->i = &i;
    location.at = statement->at;
    l->location = ir_add_location(l->module, &location);
    if (gate_instruction(&l->gate, l->diags, i.syntax, i.at) &&
        match_instruction(l, &i)) {
        guard(l, i.syntax);
        i.form->lower(l, &i);
    }
    l->guard = 0;
    l->i = NULL;
}

/* Labels are local to their braces and may repeat; block names may not. */
static const char *block_name(struct lower *l, struct ptx_name label)
{
    const char *name = name_string(l, label), *base = name;
    uint32_t serial = 0;

    while (map_get(&l->block_names, name, strlen(name), &serial)) {
        /* The serial of the base name tells where to go on. */
        map_get(&l->block_names, base, strlen(base), &serial);
        map_set(&l->scratch, &l->block_names, base, strlen(base), ++serial);
        name = arena_printf(&l->scratch, "%s$%u", base, serial);
    }
    map_set(&l->scratch, &l->block_names, name, strlen(name), 0);
    return name;
}

static void statement(struct lower *l, const struct ptx_statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_INSTRUCTION:
        instruction(l, statement);
        break;
    case STATEMENT_LABEL: {
        struct entity *entity = scope_find(l, statement->label);
        const char *name = block_name(l, statement->label);
        /* After a duplicate definition the later one stands for both. */
        if (entity && entity->kind == ENTITY_LABEL &&
            l->labels.items[entity->value].block == UINT32_MAX)
            label_place(l, entity->value, name);
        break;
    }
    case STATEMENT_VARIABLE:
        lower_variable(l, statement->variable, false);
        break;
    case STATEMENT_BLOCK:
        lower_block(l, statement->block);
        break;
    case STATEMENT_LOCATION:
        location(l, statement->location, statement->at);
        break;
    case STATEMENT_PRAGMA:
        pragma(l, statement->label, statement->at);
        break;
    case STATEMENT_TARGETS:
    case STATEMENT_PROTOTYPE:
        break;
    }
}

void lower_block(struct lower *l, const struct ptx_block *block)
{
    scope_enter(l);
    declare_labels(l, block);
    for (uint32_t s = 0; s < block->count; s++)
        statement(l, &block->items[s]);
    scope_leave(l);
}
