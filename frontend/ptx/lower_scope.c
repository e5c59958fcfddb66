/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_scope.c - names and what they stand for.
 *
 * Scopes nest as the braces do and inner names shadow outer ones. Registers
 * declared as a range (%r<1000>) come into being when they are first named,
 * in the scope of their declaration. IR registers have names of their own,
 * unique in the function, derived from the PTX names. */
#include "frontend/ptx/lower.h"

#include <string.h>

void scope_enter(struct lower *l)
{
    struct scope *scope = ARENA_NEW(&l->scratch, struct scope);

    scope->outer = l->scope;
    l->scope = scope;
}

void scope_leave(struct lower *l)
{
    l->scope = l->scope->outer;
}

static struct entity *declare(struct lower *l, struct scope *scope,
                              struct ptx_name name, struct entity entity)
{
    map_set(&l->scratch, &scope->names, name.text, name.size, l->entities.count);
    struct entity *added = ARENA_PUSH(&l->scratch, &l->entities);
    *added = entity;
    return added;
}

struct entity *scope_declare(struct lower *l, struct ptx_name name,
                             struct entity entity)
{
    uint32_t index;

    if (map_get(&l->scope->names, name.text, name.size, &index))
        diag_error(l->diags, entity.at, "duplicate definition of '%.*s'",
                   NAME_ARGS(name));
    return declare(l, l->scope, name, entity);
}

/* The part of a name before its final digits. */
static uint32_t prefix_size(struct ptx_name name)
{
    uint32_t size = name.size;

    while (size && name.text[size - 1] >= '0' && name.text[size - 1] <= '9')
        size--;
    return size;
}

/* The range a name belongs to in this scope; sets its number. */
static struct range *find_range(struct lower *l, const struct scope *scope,
                                struct ptx_name name)
{
    uint32_t index;
    uint64_t number;

    if (!scope->ranges.count)
        return NULL;
    /* A prefix may itself end in digits (%r1<5>): the longest match counts,
     * so digits move from the number to the prefix one by one. */
    for (uint32_t begin = prefix_size(name); begin < name.size; begin++) {
        if (name.text[begin] == '0' && begin + 1 < name.size)
            continue; /* %r01 is no register of a range */
        if (name.size - begin > 18)
            continue;
        number = 0;
        for (uint32_t i = begin; i < name.size; i++)
            number = number * 10 + (uint64_t)(name.text[i] - '0');
        if (map_get(&scope->ranges, name.text, begin, &index) &&
            number < l->ranges.items[index].count)
            return &l->ranges.items[index];
    }
    return NULL;
}

bool scope_in_range(struct lower *l, struct ptx_name name)
{
    return find_range(l, l->scope, name) != NULL;
}

void scope_declare_range(struct lower *l, const struct ptx_variable *variable)
{
    struct ptx_name name = variable->name;
    uint32_t index;

    if (map_get(&l->scope->ranges, name.text, name.size, &index)) {
        diag_error(l->diags, variable->at, "duplicate definition of '%.*s<>'",
                   NAME_ARGS(name));
        return;
    }
    map_set(&l->scratch, &l->scope->ranges, name.text, name.size,
            l->ranges.count);
    *ARENA_PUSH(&l->scratch, &l->ranges) = (struct range){
        .type = variable->type,
        .vector = variable->vector,
        .count = variable->range,
        .at = variable->at,
    };
}

ir_operand register_new(struct lower *l, uint32_t type, uint32_t vector,
                        struct ptx_name name)
{
    static const char letter[] = "xyzw";
    ir_operand first = 0;
    uint32_t taken;

    for (uint32_t i = 0; i < vector; i++) {
        const char *text = name_string(l, name);
        if (*text == '%')
            text++;
        if (vector > 1)
            text = arena_printf(&l->scratch, "%s_%c", text, letter[i & 3]);
        const char *base = text;
        while (map_get(&l->register_names, text, strlen(text), &taken))
            text = arena_printf(&l->scratch, "%s$%u", base, ++l->name_serial);
        map_set(&l->scratch, &l->register_names, text, strlen(text), 1);
        ir_operand added = ir_add_register(l->module, l->f, type_register(type), text);
        if (!i)
            first = added;
    }
    return first;
}

struct entity *scope_find(struct lower *l, struct ptx_name name)
{
    uint32_t index;

    for (struct scope *scope = l->scope; scope; scope = scope->outer) {
        if (map_get(&scope->names, name.text, name.size, &index))
            return &l->entities.items[index];
        struct range *range = find_range(l, scope, name);
        if (range) {
            struct entity entity = {.kind = ENTITY_REGISTER,
                                    .type = range->type,
                                    .vector = range->vector,
                                    .at = range->at};
            entity.value = register_new(l, range->type, range->vector, name);
            return declare(l, scope, name, entity);
        }
    }
    return NULL;
}

struct entity *scope_need(struct lower *l, struct ptx_name name, struct loc at)
{
    struct entity *entity = scope_find(l, name);

    if (!entity)
        diag_error(l->diags, at, "unknown symbol '%.*s'", NAME_ARGS(name));
    return entity;
}

const char *name_string(struct lower *l, struct ptx_name name)
{
    return arena_copy(&l->scratch, name.text, name.size);
}
