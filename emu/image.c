/* SPDX-License-Identifier: Apache-2.0
 *
 * image.c - a module loaded into device memory.
 *
 * Variables in .global and .const get an allocation each; .shared ones have no
 * address before a kernel is chosen. Initialisers that hold addresses are
 * filled in once all variables have theirs. */
#include "emu/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *fail(struct memory *memory, const char *what, const char *name)
{
    char buffer[256];

    snprintf(buffer, sizeof buffer, "%s '%s'", what, name);
    return memory_note(memory, buffer);
}

static bool has_address(const struct ir_symbol *symbol)
{
    return symbol->space == IR_SPACE_GLOBAL || symbol->space == IR_SPACE_CONST;
}

/* An extern declaration names the definition that stands elsewhere in the module. */
static const struct ir_symbol *definition(const struct ir_module *module,
                                          const struct ir_symbol *symbol)
{
    if (symbol->linkage != IR_LINKAGE_EXTERN)
        return symbol;
    for (uint32_t i = 0; i < module->symbol_count; i++) {
        const struct ir_symbol *other = &module->symbols[i];
        if (other->linkage != IR_LINKAGE_EXTERN && has_address(other) &&
            strcmp(other->name, symbol->name) == 0)
            return other;
    }
    return NULL;
}

static bool allocate(struct image *image, const char **error)
{
    const struct ir_module *module = image->module;

    for (uint32_t i = 0; i < module->symbol_count; i++) {
        const struct ir_symbol *symbol = &module->symbols[i];
        if (!has_address(symbol) || symbol->linkage == IR_LINKAGE_EXTERN)
            continue;
        struct allocation *allocation = memory_allocate(
            image->memory, symbol->size, symbol->align,
            symbol->space == IR_SPACE_CONST ? ALLOCATION_CONST : ALLOCATION_GLOBAL,
            symbol->name);
        if (!allocation) {
            *error = fail(image->memory, "not enough device memory for", symbol->name);
            return false;
        }
        if (symbol->bytes)
            memcpy(allocation->host, symbol->bytes, symbol->size);
        image->symbol_address[i] = allocation->address;
    }
    for (uint32_t i = 0; i < module->symbol_count; i++) {
        const struct ir_symbol *symbol = &module->symbols[i];
        if (!has_address(symbol) || symbol->linkage != IR_LINKAGE_EXTERN)
            continue;
        const struct ir_symbol *defined = definition(module, symbol);
        if (!defined) {
            *error = fail(image->memory, "no definition of extern variable", symbol->name);
            return false;
        }
        image->symbol_address[i] = image->symbol_address[defined - module->symbols];
    }
    return true;
}

/* ptxas 13.0 puts what other modules see first, each in the order of the text, with no more
 * room between than alignment needs. Textures that stand for handles are none of them. */
static void fill_bank(struct image *image)
{
    const struct ir_module *module = image->module;
    uint64_t next = 0;

    for (unsigned hidden = 0; hidden < 2; hidden++)
        for (uint32_t i = 0; i < module->symbol_count; i++) {
            const struct ir_symbol *symbol = &module->symbols[i];
            if (symbol->space != IR_SPACE_CONST || symbol->reference ||
                symbol->linkage == IR_LINKAGE_EXTERN ||
                (symbol->linkage == IR_LINKAGE_INTERNAL) != hidden)
                continue;
            uint64_t align = symbol->align ? symbol->align : 1;
            next = (next + align - 1) & ~(align - 1);
            image->bank_offset[i] = (uint32_t)next;
            next += symbol->size;
        }
    for (uint32_t i = 0; i < module->symbol_count; i++)
        if (module->symbols[i].space == IR_SPACE_CONST &&
            module->symbols[i].linkage == IR_LINKAGE_EXTERN)
            image->bank_offset[i] =
                image->bank_offset[definition(module, &module->symbols[i]) - module->symbols];
}

uint64_t image_from_bank(const struct image *image, uint64_t offset)
{
    enum { NEAR = 4096 }; /* less than lies between two allocations */
    const struct ir_module *module = image->module;
    uint64_t address = offset;
    uint32_t best = 0;

    for (uint32_t i = 0; offset < CONSTANT_BANK && i < image->symbol_count; i++) {
        const struct ir_symbol *symbol = &module->symbols[i];
        uint32_t first = image->bank_offset[i];
        if (symbol->space != IR_SPACE_CONST || symbol->reference || offset < first ||
            offset - first >= symbol->size + NEAR || first < best)
            continue;
        best = first;
        address = image->symbol_address[i] + (offset - first);
    }
    return address;
}

/* PTX ISA, "Initializers": an address, plus a constant, or one byte-sized piece
 * of it by the mask() operator. Global and constant addresses are generic ones
 * already. */
static bool relocate(struct image *image, uint32_t symbol_index, const char **error)
{
    const struct ir_module *module = image->module;
    const struct ir_symbol *symbol = &module->symbols[symbol_index];
    unsigned char *host =
        memory_find(image->memory, image->symbol_address[symbol_index])->host;

    for (uint32_t i = 0; i < symbol->relocation_count; i++) {
        const struct ir_relocation *relocation = &symbol->relocations[i];
        uint32_t target = ir_operand_index(relocation->target);
        uint64_t value;
        if (ir_operand_kind(relocation->target) == IR_OPERAND_FUNCTION) {
            value = function_address(module, target);
        } else if (has_address(&module->symbols[target])) {
            value = image->symbol_address[target];
        } else {
            *error = fail(image->memory,
                          "an initialiser takes the address of shared variable",
                          module->symbols[target].name);
            return false;
        }
        value = (value + (uint64_t)relocation->addend) >> relocation->shift;
        /* Device memory is little-endian whatever the host is. */
        for (uint32_t byte = 0; byte < relocation->bytes; byte++)
            host[relocation->offset + byte] = (unsigned char)(value >> (8 * byte));
    }
    return true;
}

struct image *image_load(struct memory *memory, const struct ir_module *module,
                         const char **error)
{
    struct image *image = calloc(1, sizeof *image);

    if (!image) {
        *error = "not enough host memory";
        return NULL;
    }
    image->module = module;
    image->symbol_count = module->symbol_count;
    image->memory = memory;
    image->symbol_address =
        ARENA_NEW_ARRAY(&image->arena, module->symbol_count, uint64_t);
    image->bank_offset = ARENA_NEW_ARRAY(&image->arena, module->symbol_count, uint32_t);
    image->host_functions = ARENA_NEW_ARRAY(&image->arena, module->function_count,
                                            const struct host_function *);
    bool loaded = allocate(image, error);
    if (loaded)
        fill_bank(image);
    for (uint32_t i = 0; loaded && i < module->symbol_count; i++)
        if (module->symbols[i].relocation_count && image->symbol_address[i])
            loaded = relocate(image, i, error);
    if (!loaded) {
        image_free(image);
        return NULL;
    }
    return image;
}

void image_free(struct image *image)
{
    if (!image)
        return;
    for (uint32_t i = 0; i < image->symbol_count; i++)
        if (image->symbol_address[i])
            memory_release(image->memory, image->symbol_address[i]);
    arena_free(&image->arena);
    free(image);
}

bool image_bind(struct image *image, const struct host_function *function)
{
    uint32_t index = ir_find_function(image->module, function->name);

    if (index >= image->module->function_count ||
        image->module->functions[index].linkage != IR_LINKAGE_EXTERN)
        return false;
    image->host_functions[index] = function;
    return true;
}
