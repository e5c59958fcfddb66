/* SPDX-License-Identifier: Apache-2.0
 *
 * build.c - adding to modules and functions. */
#include "ir/ir.h"

#include <string.h>

const char *const ir_sreg_names[IR_SREG_COUNT] = {
#define X(name) #name,
    IR_SREGS(X)
#undef X
};

enum ir_type ir_sreg_type(enum ir_sreg sreg)
{
    switch (sreg) {
    case IR_SREG_is_explicit_cluster:
        return IR_pred;
    case IR_SREG_clock64:
    case IR_SREG_globaltimer:
    case IR_SREG_gridid:
    case IR_SREG_current_graph_exec:
        return IR_b64;
    default:
        return IR_b32;
    }
}

struct ir_module *ir_module_new(struct arena *arena, const char *name)
{
    struct ir_module *module = ARENA_NEW(arena, struct ir_module);

    module->arena = arena;
    module->name = arena_strdup(arena, name);
    module->address_bits = 64;
    struct { const char **items; uint32_t count, capacity; } files = {0};
    *ARENA_PUSH(arena, &files) = "";
    module->files = files.items;
    module->file_count = files.count;
    module->file_capacity = files.capacity;
    ir_add_location(module, &(struct ir_location){0});
    return module;
}

/* One more zeroed entry in a table of the module or of a function. */
#define APPEND(module, table, member)                                        \
    (arena_grow((module)->arena, (void **)&(table)->member##s,               \
                &(table)->member##_count, &(table)->member##_capacity,       \
                sizeof *(table)->member##s),                                 \
     &(table)->member##s[(table)->member##_count - 1])

uint32_t ir_add_function(struct ir_module *module, const char *name)
{
    struct ir_function *function = APPEND(module, module, function);

    function->name = arena_strdup(module->arena, name);
    /* Never NULL: an instruction without operands has its place here as well. */
    function->operand_capacity = 16;
    function->operands =
        ARENA_NEW_ARRAY(module->arena, function->operand_capacity, ir_operand);
    return module->function_count - 1;
}

uint32_t ir_add_symbol(struct ir_module *module, const struct ir_symbol *symbol)
{
    *APPEND(module, module, symbol) = *symbol;
    return module->symbol_count - 1;
}

uint32_t ir_add_file(struct ir_module *module, const char *path)
{
    for (uint32_t i = 0; i < module->file_count; i++)
        if (strcmp(module->files[i], path) == 0)
            return i;
    *APPEND(module, module, file) = arena_strdup(module->arena, path);
    return module->file_count - 1;
}

uint32_t ir_add_location(struct ir_module *module, const struct ir_location *location)
{
    if (module->location_count) {
        const struct ir_location *last = &module->locations[module->location_count - 1];
        if (last->at.line == location->at.line &&
            last->at.column == location->at.column && last->file == location->file &&
            last->line == location->line && last->column == location->column &&
            last->inlined_at == location->inlined_at &&
            last->product.line == location->product.line &&
            last->product.column == location->product.column &&
            last->function == location->function)
            return module->location_count - 1;
    }
    *APPEND(module, module, location) = *location;
    return module->location_count - 1;
}

void ir_leave_out(struct ir_module *module, struct loc at, const char *what)
{
    *APPEND(module, module, left_out) = (struct ir_left_out){at, what};
}

uint32_t ir_add_prototype(struct ir_module *module, const struct ir_prototype *prototype)
{
    *APPEND(module, module, prototype) = *prototype;
    return module->prototype_count - 1;
}

ir_operand ir_add_register(struct ir_module *module, struct ir_function *function,
                           enum ir_type width, const char *name)
{
    struct ir_register *added = APPEND(module, function, register);

    added->width = (uint8_t)width;
    added->name = arena_strdup(module->arena, name);
    return ir_operand_make(IR_OPERAND_REGISTER, function->register_count - 1);
}

ir_operand ir_add_constant(struct ir_module *module, struct ir_function *function,
                           uint64_t value)
{
    /* Only the last few are searched: equal constants tend to be near, and a
     * function with very many stays linear. */
    uint32_t from = function->constant_count > 32 ? function->constant_count - 32 : 0;

    for (uint32_t i = from; i < function->constant_count; i++)
        if (function->constants[i].value == value)
            return ir_operand_make(IR_OPERAND_CONSTANT, i);
    APPEND(module, function, constant)->value = value;
    return ir_operand_make(IR_OPERAND_CONSTANT, function->constant_count - 1);
}

ir_operand ir_add_variable(struct ir_module *module, struct ir_function *function,
                           const struct ir_variable *variable)
{
    *APPEND(module, function, variable) = *variable;
    return ir_operand_make(IR_OPERAND_VARIABLE, function->variable_count - 1);
}

uint32_t ir_add_block(struct ir_module *module, struct ir_function *function,
                      const char *name)
{
    struct ir_block *block = APPEND(module, function, block);

    block->name = name ? arena_strdup(module->arena, name) : NULL;
    block->first = function->inst_count;
    return function->block_count - 1;
}

struct ir_inst *ir_add_inst(struct ir_module *module, struct ir_function *function,
                            const struct ir_inst *inst,
                            const ir_operand *destinations,
                            const ir_operand *sources)
{
    uint32_t first = function->operand_count;

    for (unsigned i = 0; i < inst->destinations; i++)
        *APPEND(module, function, operand) = destinations[i];
    for (unsigned i = 0; i < inst->sources; i++)
        *APPEND(module, function, operand) = sources[i];
    struct ir_inst *added = APPEND(module, function, inst);
    *added = *inst;
    added->first = first;
    function->blocks[function->block_count - 1].count++;
    return added;
}

uint32_t ir_find_function(const struct ir_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return i;
    return module->function_count;
}

static uint64_t align_up(uint64_t offset, uint64_t align)
{
    return align > 1 ? (offset + align - 1) / align * align : offset;
}

void ir_lay_out(struct ir_function *function)
{
    uint64_t param = 0, frame = 0;

    for (uint32_t i = 0; i < function->variable_count; i++) {
        struct ir_variable *variable = &function->variables[i];
        uint64_t *end = variable->space == IR_SPACE_PARAM ? &param : &frame;
        variable->offset = align_up(*end, variable->align);
        *end = variable->offset + variable->size;
    }
    function->parameter_bytes = param;
    function->local_bytes = align_up(frame, 16);
}
