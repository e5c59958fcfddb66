/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.c - checking arguments and turning them into values.
 *
 * Where neither the declared type nor the kernel's name tells integer from float, a
 * number that is no integer is taken as f32 (.b32) or f64 (.b64). TYPE:NUMBER states
 * the type of a scalar outright: f16:1.5 for a half, however it was declared. */
#include "config.h"

#include "api/argument_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cuda.h"
#include "base/file.h"

/* --- values --------------------------------------------------------------------------------- */

static const char *set_scalar(struct arena *arena, const struct shape *shape, const char *text,
                              struct prepared_argument *out)
{
    const char *colon = strchr(text, ':'), *number = text;
    enum element element = shape->element;
    uint64_t bits;

    if (colon && element_find(text, (size_t)(colon - text), &element)) {
        number = colon + 1;
        if (element_size(element) != shape->size)
            return arena_printf(arena, "%s has %u bytes, the parameter %zu",
                                element_name(element), element_size(element), shape->size);
    } else if (shape->is_bytes) {
        return "is a number, but the parameter is a by-value struct";
    }
    const char *wrong = element_parse(element, number, strlen(number), &bits);
    if (wrong && shape->untyped && number == text && !element_is_float(element) &&
        shape->size >= 4) {
        uint64_t whole;
        if (element_parse(ELEMENT_F64, number, strlen(number), &whole) == NULL &&
            strpbrk(number, ".einEIN")) {
            element = shape->size == 4 ? ELEMENT_F32 : ELEMENT_F64;
            wrong = element_parse(element, number, strlen(number), &bits);
        }
    }
    if (wrong)
        return wrong;
    unsigned char *value = arena_alloc(arena, 8);
    element_store(element, value, bits);
    out->value = value;
    return NULL;
}

static const char *label_of(struct arena *arena, const char *name, const struct shape *shape)
{
    return arena_printf(arena, "argument %s (%s)", name, shape->name);
}

const char *context_words(struct arena *arena, const struct sl_context *context)
{
    const char *words = sl_context_error(context);

    return arena_copy(arena, words, strcspn(words, "\n"));
}

const char *buffer_argument(struct arena *arena, struct sl_kernel *kernel, uint64_t size,
                            const void *bytes, const struct shape *shape,
                            struct prepared_argument *out)
{
    struct sl_context *context = kernel->module->context;
    uint64_t *address = ARENA_NEW(arena, uint64_t);

    if (!shape->is_pointer)
        return "is a buffer, but the parameter is no pointer";
    if (sl_buffer_create(context, size, bytes, &out->buffer) != SL_OK)
        return arena_printf(arena, "cannot be made: %s", context_words(arena, context));
    sl_buffer_set_name(out->buffer, label_of(arena, out->name, shape));
    *address = sl_buffer_address(out->buffer);
    out->value = address;
    return NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

const char *argument_file(struct arena *arena, const char *path, unsigned char **bytes,
                          size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");

    if (!file)
        return arena_printf(arena, "cannot be opened: %s", strerror(errno));
    if (fstat(fileno(file), &info) || !S_ISREG(info.st_mode)) {
        fclose(file);
        return "is not a regular file";
    }
    *size = (size_t)info.st_size;
    *bytes = arena_alloc(arena, *size + 1);
    size_t got = fread(*bytes, 1, *size, file);
    fclose(file);
    return got == *size ? NULL : "cannot be read to its end";
}

static const char *set_file(struct arena *arena, struct sl_kernel *kernel, const char *path,
                            const struct shape *shape, struct prepared_argument *out)
{
    struct arena scratch = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    const char *wrong = argument_file(&scratch, path, &bytes, &size);

    if (!wrong && file_name_ends(path, ".npy")) {
        wrong = npy_read(arena, bytes, size, &out->array);
        out->typed = true;
        if (wrong)
            wrong = arena_printf(arena, "cannot be used: %s", wrong);
    } else if (!wrong) {
        out->array = (struct npy){.element = ELEMENT_U8, .shape = {size}, .dimensions = 1,
                                  .data = bytes, .size = size};
    }
    if (!wrong && out->array.size == 0)
        wrong = "holds no data";
    if (!wrong)
        wrong = buffer_argument(arena, kernel, out->array.size, out->array.data, shape, out);
    out->array.data = NULL;
    if (wrong)
        wrong = arena_strdup(arena, wrong);
    arena_free(&scratch);
    return wrong;
}

/* The contents that the text of a buffer, texture or tensor gives, maybe in a file. */
static const char *fill(struct arena *arena, const struct argument *argument,
                        struct sl_buffer *buffer)
{
    struct arena scratch = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    const char *wrong = NULL;
    struct npy array;

    if (argument->text) {
        wrong = argument_file(&scratch, argument->text, &bytes, &size);
        if (!wrong && file_name_ends(argument->text, ".npy")) {
            wrong = npy_read(&scratch, bytes, size, &array);
            bytes = (unsigned char *)(uintptr_t)array.data;
            size = array.size;
        }
        if (!wrong && size != buffer->size)
            wrong = arena_printf(arena, "has %llu bytes, its file %zu",
                                 (unsigned long long)buffer->size, size);
        if (!wrong && sl_buffer_write(buffer, 0, bytes, size) != SL_OK)
            wrong = context_words(arena, buffer->context);
        wrong = wrong ? arena_strdup(arena, wrong) : NULL;
    } else if (argument->fill != FILL_NOTHING && buffer_fill(buffer, argument) != SL_OK) {
        wrong = context_words(arena, buffer->context);
    }
    arena_free(&scratch);
    return wrong;
}

static const char *set_buffer(struct arena *arena, struct sl_kernel *kernel,
                              const struct argument *argument, const struct shape *shape,
                              struct prepared_argument *out)
{
    const char *wrong = buffer_argument(arena, kernel, argument_buffer_size(argument), NULL, shape,
                                    out);

    if (wrong)
        return wrong;
    out->typed = true;
    out->array = (struct npy){.element = argument->element, .shape = {argument->count},
                              .dimensions = 1, .size = argument_buffer_size(argument)};
    return fill(arena, argument, out->buffer);
}

/* --- textures -------------------------------------------------------------------------------- */

const char *texture_argument(struct arena *arena, struct sl_context *context,
                             const struct argument *argument, const char *name,
                             struct prepared_argument *out, struct sl_texture **texture)
{
    if (texture_make(context, &argument->texture, texture) != SL_OK)
        return arena_printf(arena, "cannot be made: %s", context_words(arena, context));
    out->buffer = (*texture)->buffer;
    out->typed = true;
    out->array = (struct npy){.element = argument->element, .shape = {argument->count},
                              .dimensions = 1, .size = argument_buffer_size(argument)};
    sl_buffer_set_name(out->buffer, name);
    return fill(arena, argument, out->buffer);
}

static const char *set_texture(struct arena *arena, struct sl_kernel *kernel,
                               const struct argument *argument, const struct shape *shape,
                               struct prepared_argument *out)
{
    uint64_t *handle = ARENA_NEW(arena, uint64_t);
    struct sl_texture *texture;

    if (!shape->is_pointer && shape->size != 8)
        return "is a texture, but the parameter is no handle of 64 bits";
    const char *wrong =
        texture_argument(arena, kernel->module->context, argument,
                     label_of(arena, out->name, shape), out, &texture);
    if (!wrong)
        *handle = texture->handle;
    out->value = handle;
    return wrong;
}

/* The map by value, or a pointer to one in a buffer of its own; what is shown is the tensor. */
static const char *set_tensor(struct arena *arena, struct sl_kernel *kernel,
                              const struct argument *argument, const struct shape *shape,
                              struct prepared_argument *out)
{
    struct shape memory = {.name = shape->name, .is_pointer = true};
    struct tensor_map map = argument->tensor;
    unsigned char *bytes = arena_alloc(arena, TENSOR_MAP_BYTES);

    if (shape->size != TENSOR_MAP_BYTES && !shape->is_pointer)
        return "is a tensor, but the parameter is neither 128 bytes nor a pointer";
    const char *wrong = set_buffer(arena, kernel, argument, &memory, out);
    if (wrong)
        return wrong;
    map.address = sl_buffer_address(out->buffer);
    wrong = tensor_map_encode(&map, bytes);
    if (wrong)
        return arena_printf(arena, "is no tensor that can be: a tensor map %s", wrong);
    struct sl_context *context = kernel->module->context;
    if (context->cuda && cuda_tensor_map(context, &map, bytes) != SL_OK)
        return context_words(arena, context);
    out->value = bytes;
    if (!shape->is_pointer)
        return NULL;
    struct prepared_argument place = {.name = out->name};
    wrong = buffer_argument(arena, kernel, TENSOR_MAP_BYTES, bytes, shape, &place);
    out->value = place.value;
    return wrong;
}

/* The buffer of an argument before this one. It stays that one's to show. */
static const char *set_same(struct preparation *p, const struct argument *argument,
                            const struct shape *shape, struct prepared_argument *out)
{
    const struct prepared_argument *of = prepared_find(p->all, argument->text);

    if (!shape->is_pointer)
        return "is a buffer, but the parameter is no pointer";
    if (!of || !of->buffer)
        return "is no buffer of an argument before this one";
    if (argument->offset > of->buffer->size)
        return arena_printf(p->arena, "does not lie in the buffer, which has %llu bytes",
                            (unsigned long long)of->buffer->size);
    uint64_t *address = ARENA_NEW(p->arena, uint64_t);
    *address = sl_buffer_address(of->buffer) + argument->offset;
    out->value = address;
    return NULL;
}

const char *sentence_colon(const char *wrong)
{
    static const char *const words[] = {"is ", "has ", "does ", "cannot ", "holds ", "needs "};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(wrong, words[i], strlen(words[i])))
            return "";
    return ":";
}

/* --- all together ------------------------------------------------------------------------------- */

const struct prepared_argument *prepared_find(const struct prepared_arguments *all,
                                              const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].name && !strcmp(all->items[i].name, name))
            return &all->items[i];
    return NULL;
}

const char *argument_prepare(struct preparation *p, const char *text, const struct shape *shape,
                             struct prepared_argument *out)
{
    struct arena *arena = p->arena;
    struct sl_kernel *kernel = p->kernel;
    struct argument argument;
    const char *wrong = argument_parse(arena, text, strlen(text), &argument);

    if (wrong)
        return wrong;
    switch (argument.kind) {
    case ARGUMENT_SCALAR:
        return set_scalar(arena, shape, text, out);
    case ARGUMENT_BUFFER:
        return set_buffer(arena, kernel, &argument, shape, out);
    case ARGUMENT_FILE:
        return set_file(arena, kernel, argument.text, shape, out);
    case ARGUMENT_BYTES:
        if (argument.byte_count != shape->size)
            return arena_printf(arena, "has %zu bytes, the parameter %zu", argument.byte_count,
                                shape->size);
        out->value = argument.bytes;
        return NULL;
    case ARGUMENT_TENSOR:
        return set_tensor(arena, kernel, &argument, shape, out);
    case ARGUMENT_TEXTURE:
        return set_texture(arena, kernel, &argument, shape, out);
    case ARGUMENT_NULL:
        if (!shape->is_pointer)
            return "is a null pointer, but the parameter is no pointer";
        out->value = ARENA_NEW(arena, uint64_t);
        return NULL;
    case ARGUMENT_STRUCT:
        return set_struct(p, &argument, shape, out);
    case ARGUMENT_SAME:
        return set_same(p, &argument, shape, out);
    }
    return "is not understood";
}

bool arguments_prepare(struct arena *arena, struct sl_kernel *kernel, const char *const *texts,
                       size_t count, struct prepared_arguments *out, struct text *error)
{
    size_t wanted = sl_kernel_parameter_count(kernel);
    struct shape *shapes = shapes_of(arena, kernel);
    struct preparation p = {arena, kernel, out};
    bool good = true;

    *out = (struct prepared_arguments){0};
    if (count != wanted) {
        text_printf(error, "%s takes %zu argument%s, %zu given%s\n", sl_kernel_demangled(kernel),
                    wanted, wanted == 1 ? "" : "s", count, wanted ? ":" : "");
        arguments_describe(error, kernel);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        *ARENA_PUSH(arena, out) = (struct prepared_argument){.text = texts[i]};
    for (size_t i = 0; i < count; i++) {
        /* Members are added behind: the item may move. */
        struct prepared_argument argument = {.name = arena_printf(arena, "%zu", i),
                                             .text = texts[i]};
        const char *wrong = argument_prepare(&p, texts[i], &shapes[i], &argument);
        out->items[i] = argument;
        if (!wrong)
            continue;
        good = false;
        text_printf(error, "argument %zu, '%.80s'%s %s\n", i, texts[i], sentence_colon(wrong),
                    wrong);
        text_printf(error, "  parameter %zu is %s (%s), which takes %s\n", i, shapes[i].name,
                    shapes[i].is_bytes
                        ? arena_printf(arena, "%zu bytes", shapes[i].size)
                        : shapes[i].type,
                    shape_expects(&shapes[i]));
    }
    return good;
}
