/* SPDX-License-Identifier: Apache-2.0
 *
 * executable.c - a kernel with everything it can call: which functions and
 * variables it reaches, where its shared variables lie, its constant rows. */
#include "emu/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct constant_row {
    uint64_t value;
    uint32_t bytes;
    uint32_t offset;
};

/* --- reachability --------------------------------------------------------------- */

struct reach {
    const struct ir_module *module;
    bool *function, *symbol;
    uint32_t *work, work_count;
};

static void reach_operand(struct reach *reach, ir_operand operand)
{
    uint32_t index = ir_operand_index(operand);

    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_FUNCTION:
        if (!reach->function[index]) {
            reach->function[index] = true;
            reach->work[reach->work_count++] = index;
        }
        break;
    case IR_OPERAND_SYMBOL:
        if (!reach->symbol[index]) {
            const struct ir_symbol *symbol = &reach->module->symbols[index];
            reach->symbol[index] = true;
            for (uint32_t i = 0; i < symbol->relocation_count; i++)
                reach_operand(reach, symbol->relocations[i].target);
        }
        break;
    default:
        break;
    }
}

/* Marks what the kernel can touch. Addresses of functions in variables count
 * only when the variable itself is reached. */
static struct reach reach_from(struct arena *arena, const struct ir_module *module,
                               uint32_t kernel)
{
    struct reach reach = {.module = module};

    reach.function = ARENA_NEW_ARRAY(arena, module->function_count + 1, bool);
    reach.symbol = ARENA_NEW_ARRAY(arena, module->symbol_count + 1, bool);
    reach.work = ARENA_NEW_ARRAY(arena, module->function_count + 1, uint32_t);
    reach_operand(&reach, ir_operand_make(IR_OPERAND_FUNCTION, kernel));
    while (reach.work_count) {
        const struct ir_function *function =
            &module->functions[reach.work[--reach.work_count]];
        for (uint32_t i = 0; i < function->operand_count; i++)
            reach_operand(&reach, function->operands[i]);
    }
    return reach;
}

static uint64_t align_up(uint64_t offset, uint64_t align)
{
    return align > 1 ? (offset + align - 1) / align * align : offset;
}

/* Offsets of the reached shared variables: the sized ones in order, then all
 * dynamic ones (extern, without size) at one common place behind them. Returns
 * the static size. PTX ISA, "Shared State Space": extern arrays alias. */
static uint64_t lay_out_shared(const struct reach *reach, uint64_t base, uint64_t *offset)
{
    const struct ir_module *module = reach->module;
    uint64_t end = base, dynamic_align = 16;

    for (uint32_t i = 0; i < module->symbol_count; i++) {
        const struct ir_symbol *symbol = &module->symbols[i];
        if (symbol->space != IR_SPACE_SHARED || !reach->symbol[i])
            continue;
        if (symbol->size) {
            uint64_t at = align_up(end, symbol->align);
            if (offset)
                offset[i] = at;
            end = at + symbol->size;
        } else if (symbol->align > dynamic_align) {
            dynamic_align = symbol->align;
        }
    }
    bool dynamic = false;
    for (uint32_t i = 0; i < module->symbol_count; i++)
        if (module->symbols[i].space == IR_SPACE_SHARED && reach->symbol[i] &&
            !module->symbols[i].size) {
            if (offset)
                offset[i] = align_up(end, dynamic_align);
            dynamic = true;
        }
    return (dynamic ? align_up(end, dynamic_align) : end) - base;
}

uint64_t kernel_static_shared(const struct ir_module *module, uint32_t function)
{
    struct arena arena = {0};
    struct reach reach = reach_from(&arena, module, function);
    uint64_t size = lay_out_shared(&reach, 0, NULL);

    arena_free(&arena);
    return size;
}

/* --- stack ------------------------------------------------------------------------ */

uint64_t stack_charge(const struct ir_function *function)
{
    uint64_t local = 0;

    for (uint32_t i = 0; i < function->variable_count; i++)
        if (function->variables[i].space == IR_SPACE_LOCAL)
            local = align_up(local, function->variables[i].align) +
                    function->variables[i].size;
    return align_up(local, 16) + (function->is_kernel ? 0 : 16);
}

enum { UNVISITED, OPEN, DONE };

/* Deepest charge of any call chain below, recursive edges left out: the driver
 * gives a kernel that much whatever the limit says. */
static uint64_t chain_charge(const struct ir_module *module, uint32_t index,
                             unsigned char *mark, uint64_t *known)
{
    const struct ir_function *function = &module->functions[index];
    uint64_t deepest = 0;

    if (mark[index] == DONE)
        return known[index];
    if (mark[index] == OPEN)
        return 0;
    mark[index] = OPEN;
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ir_inst *inst = &function->insts[i];
        if (inst->op != IR_OP_call)
            continue;
        uint64_t below = chain_charge(
            module, ir_operand_index(ir_sources(function, inst)[0]), mark, known);
        if (below > deepest)
            deepest = below;
    }
    mark[index] = DONE;
    return known[index] = deepest + stack_charge(function);
}

/* --- constants ---------------------------------------------------------------------- */

static uint32_t *row_place(struct executable *executable, uint64_t value, unsigned bytes)
{
    uint64_t h = (value ^ bytes) * UINT64_C(0x9e3779b97f4a7c15);

    for (h ^= h >> 29;; h++) {
        uint32_t *place = &executable->row_hash[h & (executable->row_hash_size - 1)];
        if (!*place)
            return place;
        const struct constant_row *row = &executable->rows[*place - 1];
        if (row->value == value && row->bytes == bytes)
            return place;
    }
}

static void grow_row_hash(struct executable *executable)
{
    executable->row_hash_size = executable->row_hash_size ? executable->row_hash_size * 2 : 64;
    executable->row_hash =
        ARENA_NEW_ARRAY(&executable->arena, executable->row_hash_size, uint32_t);
    for (uint32_t i = 0; i < executable->row_count; i++)
        *row_place(executable, executable->rows[i].value, executable->rows[i].bytes) = i + 1;
}

uint32_t executable_constant(struct executable *executable, uint64_t value, unsigned bytes)
{
    uint32_t size = bytes ? bytes * LANES : 64;

    if (bytes == 2)
        value &= 0xffff;
    else if (bytes == 4)
        value &= 0xffffffff;
    else if (bytes == 0)
        value = value & 1 ? LANES_ALL : 0;
    if (executable->row_count * 2 >= executable->row_hash_size)
        grow_row_hash(executable);
    uint32_t *place = row_place(executable, value, bytes);
    if (*place)
        return executable->rows[*place - 1].offset | OPERAND_CONSTANT;
    if (executable->constant_bytes + size > executable->constant_capacity) {
        uint32_t capacity = (executable->constant_capacity + size) * 2;
        unsigned char *moved = arena_alloc(&executable->arena, capacity + 64);
        moved += -(uintptr_t)moved & 63;
        if (executable->constant_bytes)
            memcpy(moved, executable->constants, executable->constant_bytes);
        executable->constants = moved;
        executable->constant_capacity = capacity;
    }
    unsigned char *at = executable->constants + executable->constant_bytes;
    if (bytes == 0) {
        memcpy(at, &value, 8);
    } else {
        /* 16-byte rows hold the value in their low word. */
        for (unsigned lane = 0; lane < LANES; lane++)
            memcpy(at + lane * bytes, &value, bytes < 8 ? bytes : 8);
    }
    arena_grow(&executable->arena, (void **)&executable->rows, &executable->row_count,
               &executable->row_capacity, sizeof *executable->rows);
    executable->rows[executable->row_count - 1] =
        (struct constant_row){value, bytes, executable->constant_bytes};
    *place = executable->row_count;
    uint32_t operand = executable->constant_bytes | OPERAND_CONSTANT;
    executable->constant_bytes += size;
    return operand;
}

/* Whether the kernel asks where the system's part of shared memory lies: the library
 * of cooperative groups keeps the barriers of its larger tiles there. */
static bool uses_system_part(const struct reach *reach)
{
    const struct ir_module *module = reach->module;

    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct ir_function *function = &module->functions[i];
        for (uint32_t k = 0; reach->function[i] && k < function->inst_count; k++) {
            const struct ir_inst *inst = &function->insts[k];
            if (inst->op != IR_OP_sreg)
                continue;
            uint32_t sreg = ir_operand_index(ir_sources(function, inst)[0]);
            if (sreg == IR_SREG_reserved_smem_offset_0 || sreg == IR_SREG_reserved_smem_offset_1)
                return true;
        }
    }
    return false;
}

/* --- the whole ------------------------------------------------------------------------ */

struct program *executable_program(struct executable *executable, uint32_t function)
{
    if (!executable->programs[function])
        executable->programs[function] = decode_function(executable, function);
    return executable->programs[function];
}

struct executable *executable_new(const struct launch *launch, uint32_t shared_base,
                                  struct arena *errors, const char **error)
{
    struct image *image = launch->image;
    const struct ir_module *module = image->module;
    struct executable *executable = calloc(1, sizeof *executable);

    if (!executable)
        out_of_memory(0);
    struct arena *arena = &executable->arena;
    executable->launch = launch;
    executable->image = image;
    executable->program_count = module->function_count;
    executable->programs = ARENA_NEW_ARRAY(arena, module->function_count, struct program *);
    executable->shared_offset = ARENA_NEW_ARRAY(arena, module->symbol_count + 1, uint64_t);
    executable->shared_base = shared_base;
    struct reach reach = reach_from(arena, module, launch->function);
    executable->shared_static =
        (uint32_t)lay_out_shared(&reach, shared_base, executable->shared_offset);
    /* It lies below the kernel's own variables. */
    executable->shared_system = uses_system_part(&reach) ? shared_base : 0;
    executable->shared_base -= executable->shared_system;
    executable->stack_need =
        chain_charge(module, launch->function,
                     ARENA_NEW_ARRAY(arena, module->function_count, unsigned char),
                     ARENA_NEW_ARRAY(arena, module->function_count, uint64_t));
    /* All of it is decoded now: what cannot be executed is said before anything
     * has run. */
    for (uint32_t i = 0; i < module->function_count; i++)
        if (reach.function[i] && module->functions[i].block_count &&
            !executable_program(executable, i)) {
            *error = arena_strdup(errors, executable->error);
            executable_free(executable);
            return NULL;
        }
    return executable;
}

void executable_free(struct executable *executable)
{
    if (!executable)
        return;
    arena_free(&executable->arena);
    free(executable);
}
