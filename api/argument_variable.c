/* SPDX-License-Identifier: Apache-2.0
 *
 * argument_variable.c - contents for a module's variables, textures for its references. */
#include "api/argument_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

bool reference_prepare(struct arena *arena, struct sl_module *module, const char *name,
                       const char *text, struct text *error)
{
    struct argument argument;
    struct prepared_argument out = {0};
    struct sl_texture *texture = NULL;
    const char *wrong = argument_parse(arena, text, strlen(text), &argument);

    if (!wrong && argument.kind != ARGUMENT_TEXTURE)
        wrong = "is no texture such as tex2d:f32[64x32],linear=0";
    if (!wrong)
        wrong = texture_argument(arena, module->context, &argument, name, &out, &texture);
    if (wrong)
        text_printf(error, "texture %s, '%.80s': %s\n", name, text, wrong);
    else if (sl_texture_bind(module, name, texture) != SL_OK)
        text_puts(error, sl_context_error(module->context));
    else
        return true;
    return false;
}

/* As declared; bits are unsigned integers. */
static enum element variable_element(const struct sl_module *module, const char *name)
{
    const char *type = ir_types[module_variable_type(module, name)].name;
    enum element element = ELEMENT_U8;
    char unsigned_type[16];

    snprintf(unsigned_type, sizeof unsigned_type, "u%s", type + 1);
    if (!element_find(type, strlen(type), &element) && *type == 'b')
        element_find(unsigned_type, strlen(unsigned_type), &element);
    return element;
}

/* The bytes that the text gives: those of a buffer or file, or a value as in a struct. */
static const char *variable_bytes(struct preparation *p, const char *text,
                                  struct prepared_argument *out, const void **bytes, size_t *size)
{
    struct argument argument;
    struct member value = {0};
    unsigned char *data = NULL;
    const char *wrong = argument_parse(p->arena, text, strlen(text), &argument);

    if (wrong)
        return wrong;
    if (argument.kind == ARGUMENT_BUFFER) {
        out->array.element = argument.element;
        *size = (size_t)argument_buffer_size(&argument);
        if (*size > out->buffer->size || argument.fill == FILL_NOTHING)
            return NULL;
        data = arena_alloc(p->arena, *size);
        argument_fill(&argument, data);
    } else if (argument.kind == ARGUMENT_FILE) {
        wrong = argument_file(p->arena, argument.text, &data, size);
        if (!wrong && file_name_ends(argument.text, ".npy")) {
            struct npy array;
            wrong = npy_read(p->arena, data, *size, &array);
            if (!wrong) {
                out->array.element = array.element;
                data = (unsigned char *)(uintptr_t)array.data;
                *size = array.size;
            }
        }
    } else {
        struct prepared_argument own = {.name = out->name};
        bool is_struct = argument.kind == ARGUMENT_STRUCT && !argument.pointer;
        value.shape.name = out->name;
        if (is_struct)
            wrong = struct_bytes(p, &argument, out->name, out->name, &value);
        else if (!(wrong = member_shape(p, &argument, text, &value)))
            wrong = argument_prepare(p, text, &value.shape, &own);
        *bytes = is_struct ? value.value : own.value;
        *size = value.shape.size;
        return wrong;
    }
    *bytes = data;
    return wrong;
}

bool variable_prepare(struct arena *arena, struct sl_module *module, const char *name,
                      const char *text, struct prepared_arguments *all, struct text *error)
{
    struct sl_kernel of = {.module = module};
    struct preparation p = {arena, &of, all};
    struct prepared_argument out = {.name = name, .text = text ? text : name, .typed = true,
                                    .variable = true};
    const void *bytes = NULL;
    const char *wrong = NULL;
    size_t size = 0;

    if (sl_module_variable(module, name, &out.buffer) != SL_OK) {
        text_puts(error, sl_context_error(module->context));
        return false;
    }
    out.array.element = variable_element(module, name);
    if (text)
        wrong = variable_bytes(&p, text, &out, &bytes, &size);
    if (!wrong && size > out.buffer->size)
        wrong = arena_printf(arena, "has %zu bytes, the variable %llu", size,
                             (unsigned long long)out.buffer->size);
    if (!wrong && bytes && sl_buffer_write(out.buffer, 0, bytes, size) != SL_OK)
        wrong = context_words(arena, module->context);
    if (wrong) {
        text_printf(error, "variable %s, '%.80s'%s %s\n", name, text, sentence_colon(wrong),
                    wrong);
        return false;
    }
    if (out.buffer->size % element_size(out.array.element))
        out.array.element = ELEMENT_U8;
    out.array.dimensions = 1;
    out.array.shape[0] = out.buffer->size / element_size(out.array.element);
    out.array.size = out.buffer->size;
    *ARENA_PUSH(arena, all) = out;
    return true;
}
