/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.c - textures and surfaces seen from the host. */
#include "api/stream.h"

#include <string.h>

#include "base/argument.h"
#include "emu/texture.h"

static sl_status make_on_gpu(struct sl_context *context, const struct texture *what,
                             struct sl_buffer **buffer, uint64_t *handle)
{
    uint64_t bytes = texture_elements(what) * element_size(what->element);
    struct cuda_texture *texture;
    sl_status status = cuda_texture_make(context, what, &texture, handle);

    if (status != SL_OK)
        return status;
    *buffer = buffer_new(context, 0, bytes, NULL);
    if (!*buffer) {
        cuda_texture_release(context, texture);
        return context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a texture");
    }
    (*buffer)->texture = texture;
    return SL_OK;
}

static sl_status make_emulated(struct sl_context *context, const struct texture *what,
                               struct sl_buffer **buffer, uint64_t *handle)
{
    if (what->anisotropy > 1)
        return context_fail(context, SL_UNSUPPORTED,
                            "anisotropy is not emulated; a GPU has it: --on cuda:0");
    uint64_t bytes = texture_elements(what) * element_size(what->element);
    unsigned bits = context->memory ? context->address_bits : 64;
    struct memory *memory = context_memory(context, bits);

    if (!memory)
        return SL_OUT_OF_MEMORY;
    struct allocation *allocation =
        bytes <= context->profile->global_bytes ? texture_create(memory, what, handle) : NULL;
    *buffer = allocation ? buffer_new(context, allocation->address, allocation->size, NULL) : NULL;
    if (!*buffer)
        return context_fail(context, SL_OUT_OF_MEMORY,
                            "%llu bytes of device memory cannot be had",
                            (unsigned long long)bytes);
    allocation->undefined = true;
    return SL_OK;
}

sl_status texture_make(struct sl_context *context, const struct texture *what,
                       struct sl_texture **out)
{
    struct sl_buffer *buffer = NULL;
    uint64_t handle = 0;
    sl_status status = context->cuda ? make_on_gpu(context, what, &buffer, &handle)
                                     : make_emulated(context, what, &buffer, &handle);

    *out = NULL;
    if (status != SL_OK)
        return status;
    struct sl_texture *texture = ARENA_NEW(&context->arena, struct sl_texture);
    *texture = (struct sl_texture){.buffer = buffer, .handle = handle};
    *out = texture;
    return SL_OK;
}

sl_status sl_texture_create(sl_context *context, const char *description, const void *contents,
                            sl_texture **out)
{
    struct arena arena = {0};
    struct argument argument;
    sl_status status = SL_OK;

    *out = NULL;
    const char *wrong = argument_parse(&arena, description, strlen(description), &argument);
    if (!wrong && argument.kind != ARGUMENT_TEXTURE)
        wrong = "is no texture: tex2d:f32[64x32],linear";
    if (!wrong && argument.text)
        wrong = "contents from a file are for the command line";
    if (wrong)
        status = context_fail(context, SL_INVALID, "'%.80s': %s", description, wrong);
    if (status == SL_OK)
        status = texture_make(context, &argument.texture, out);
    if (status == SL_OK && contents)
        status = sl_buffer_write((*out)->buffer, 0, contents, (*out)->buffer->size);
    else if (status == SL_OK && argument.fill != FILL_NOTHING)
        status = buffer_fill((*out)->buffer, &argument);
    if (status != SL_OK && *out) {
        sl_texture_destroy(*out);
        *out = NULL;
    }
    arena_free(&arena);
    return status;
}

void sl_texture_destroy(sl_texture *texture)
{
    if (texture)
        sl_buffer_destroy(texture->buffer);
}

uint64_t sl_texture_handle(const sl_texture *texture)
{
    return texture->handle;
}

sl_buffer *sl_texture_buffer(const sl_texture *texture)
{
    return texture->buffer;
}

/* A reference of a module is a constant of 8 bytes that holds the handle, see
 * frontend/ptx/lower_variable.c. */
sl_status sl_texture_bind(sl_module *module, const char *name, const sl_texture *texture)
{
    const struct ir_module *ir = module->ir;
    uint64_t address, size;

    streams_settle(module->context);
    if (module->cuda)
        return cuda_texture_bind(module, name, texture->buffer->texture);
    for (uint32_t i = 0; i < ir->symbol_count; i++)
        if (!strcmp(ir->symbols[i].name, name) && ir->symbols[i].space == IR_SPACE_CONST &&
            ir->symbols[i].type == IR_b64 && ir->symbols[i].size == 8 &&
            module_variable(module, name, &address, &size)) {
            struct allocation *allocation = memory_find(module->context->memory, address);
            for (unsigned byte = 0; byte < 8; byte++)
                allocation->host[byte] = (unsigned char)(texture->handle >> 8 * byte);
            return SL_OK;
        }
    return context_fail(module->context, SL_NOT_FOUND, "%s has no .texref or .surfref '%.200s'",
                        ir->name, name);
}
