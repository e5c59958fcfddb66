/* SPDX-License-Identifier: Apache-2.0
 *
 * variable.c - a module's variables in global and constant memory, from the host. */
#include "config.h"

#include "api/objects.h"

#include <string.h>

#include "api/cuda.h"
#include "api/demangle.h"
#include "api/stream.h"

/* Is the symbol called that: as in the text, or the C++ name of it? nvcc puts what a file
 * alone knows into a namespace of the file. */
static bool is_called(const struct ir_symbol *symbol, const char *name)
{
    struct arena scratch = {0};
    bool same = !strcmp(symbol->name, name);
    const char *written = same ? NULL : cxx_variable(&scratch, symbol->name);

    if (written) {
        const char *colons = strstr(written, "::");
        same = cxx_same(written, name) ||
               (!strncmp(written, "_INTERNAL_", 10) && colons && cxx_same(colons + 2, name)) ||
               (!strncmp(written, "(anonymous namespace)::", 23) && cxx_same(written + 23, name));
    }
    arena_free(&scratch);
    return same;
}

static const struct ir_symbol *find_symbol(const struct sl_module *module, const char *name)
{
    const struct ir_symbol *found = NULL;

    for (uint32_t i = 0; i < module->ir->symbol_count; i++) {
        const struct ir_symbol *symbol = &module->ir->symbols[i];
        if (symbol->space != IR_SPACE_GLOBAL && symbol->space != IR_SPACE_CONST)
            continue;
        if (!strcmp(symbol->name, name))
            return symbol;
        if (!found && is_called(symbol, name))
            found = symbol;
    }
    return found;
}

bool module_variable(const struct sl_module *module, const char *name, uint64_t *address,
                     uint64_t *size)
{
    const struct ir_symbol *symbol = find_symbol(module, name);

    if (module->cuda)
        return cuda_variable(module, symbol ? symbol->name : name, address, size) == SL_OK;
    if (!symbol)
        return false;
    *address = module->image->symbol_address[symbol - module->ir->symbols];
    *size = symbol->size;
    return *address != 0;
}

enum ir_type module_variable_type(const struct sl_module *module, const char *name)
{
    const struct ir_symbol *symbol = find_symbol(module, name);

    return symbol ? (enum ir_type)symbol->type : IR_b8;
}

bool variable_read(const struct sl_module *module, uint64_t address, void *bytes, uint64_t size)
{
    struct sl_context *context = module->context;

    streams_settle(context);
    if (context->cuda)
        return cuda_read(context, address, bytes, size) == SL_OK;
    const struct allocation *found = memory_find(context->memory, address);
    memcpy(bytes, found->host + (address - found->address), (size_t)size);
    return true;
}

sl_status sl_module_variable(sl_module *module, const char *name, sl_buffer **out)
{
    struct sl_context *context = module->context;
    uint64_t address, size;

    *out = NULL;
    if (context_usable(context) != SL_OK)
        return SL_INVALID;
    if (!module_variable(module, name, &address, &size) || !size)
        return context_fail(context, SL_NOT_FOUND,
                            "%s: no variable in global or constant memory is called '%.200s'",
                            module->ir->name, name);
    for (struct sl_buffer *buffer = context->buffers; buffer; buffer = buffer->next)
        if (buffer->variable_of == module && buffer->address == address) {
            *out = buffer;
            return SL_OK;
        }
    *out = buffer_new(context, address, size, module);
    if (!*out)
        return context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a buffer");
    return SL_OK;
}

void module_forget_variables(sl_module *module)
{
    struct sl_buffer *next;

    for (struct sl_buffer *buffer = module->context->buffers; buffer; buffer = next) {
        next = buffer->next;
        if (buffer->variable_of == module)
            sl_buffer_destroy(buffer);
    }
}
