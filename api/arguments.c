/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.c - checking arguments and turning them into values.
 *
 * The parameter's declared type decides. Where a compiler wrote an untyped .bN,
 * a mangled C++ name still tells integer from float; without one, a number that
 * is no integer is taken as f32 (.b32) or f64 (.b64). TYPE:NUMBER states the
 * type of a scalar outright: f16:1.5 for a half, however it was declared. */
#include "config.h"

#include "api/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cuda.h"
#include "api/demangle.h"

/* --- what a parameter is --------------------------------------------------------------- */

struct shape {
    const char *name, *type;
    size_t size;
    bool is_bytes;   /* a by-value struct */
    bool is_pointer; /* may be one: as wide as an address */
    bool untyped;
    enum element element; /* of a scalar */
};

/* Compilers name parameters KERNEL_param_N; a mangled KERNEL is left out. */
const char *argument_name(const struct sl_kernel *kernel, size_t index)
{
    const char *name = sl_kernel_parameter_name(kernel, index);
    size_t size = strlen(kernel->name);

    return !strncmp(kernel->name, "_Z", 2) && !strncmp(name, kernel->name, size) &&
                   name[size] == '_'
               ? name + size + 1
               : name;
}

static struct shape shape_of(const struct sl_kernel *kernel, size_t index, char letter)
{
    const struct ir_function *function = kernel_function(kernel);
    const struct ir_variable *v = &function->variables[function->parameters[index]];
    struct shape shape = {.name = argument_name(kernel, index), .type = ir_types[v->type].name,
                          .size = (size_t)v->size};
    unsigned address = kernel->module->ir->address_bits == 32 ? 4 : 8;
    enum ir_kind kind = ir_types[v->type].kind;

    shape.is_pointer = shape.size == address && kind != IR_KIND_F && kind != IR_KIND_X &&
                       !(v->is_array && v->type != IR_b64);
    if (v->size != ir_type_bytes((enum ir_type)v->type)) {
        shape.is_bytes = true;
    } else if (kind == IR_KIND_B && v->type != IR_b128) {
        static const enum element integers[] = {ELEMENT_U8, ELEMENT_U16, ELEMENT_U32, ELEMENT_U64};
        shape.untyped = true;
        shape.element = integers[v->size == 1 ? 0 : v->size == 2 ? 1 : v->size == 4 ? 2 : 3];
        if (letter == 'f' && v->size == 4)
            shape.element = ELEMENT_F32;
        else if (letter == 'd' && v->size == 8)
            shape.element = ELEMENT_F64;
    } else if (!element_find(shape.type, strlen(shape.type), &shape.element)) {
        shape.is_bytes = true; /* packed and 128-bit types */
    }
    return shape;
}

static struct shape *shapes_of(struct arena *arena, const struct sl_kernel *kernel)
{
    size_t count = sl_kernel_parameter_count(kernel);
    struct shape *shapes = ARENA_NEW_ARRAY(arena, count, struct shape);
    struct cxx_name name;
    const char *letters = NULL;

    if (cxx_demangle(arena, kernel->name, &name) && name.letters &&
        strlen(name.letters) == count)
        letters = name.letters;
    for (size_t i = 0; i < count; i++)
        shapes[i] = shape_of(kernel, i, letters ? letters[i] : 0);
    return shapes;
}

static const char *expected(const struct shape *shape)
{
    if (shape->is_bytes)
        return shape->size == TENSOR_MAP_BYTES
                   ? "a tensor (tensor:f16[64x32],box:64x8), or hex: and its bytes"
               : shape->size == 2 ? "hex: and its bytes, f16:1.5 or bf16:1.5"
                                  : "hex: and its bytes";
    if (shape->is_pointer)
        return "a buffer (f32[1024]=0, @x.npy), null, or an integer";
    return element_is_float(shape->element) ? "a number such as 2.5"
           : shape->untyped                 ? "a number such as 42"
                                            : "an integer such as 42";
}

void arguments_describe(struct text *out, const struct sl_kernel *kernel)
{
    struct arena arena = {0};
    struct shape *shapes = shapes_of(&arena, kernel);

    for (size_t i = 0; i < sl_kernel_parameter_count(kernel); i++) {
        char type[40];
        if (shapes[i].is_bytes)
            snprintf(type, sizeof type, "%zu bytes", shapes[i].size);
        else
            snprintf(type, sizeof type, "%s", shapes[i].type);
        text_printf(out, "  %2zu  %-9s %s: %s\n", i, type, shapes[i].name,
                    expected(&shapes[i]));
    }
    arena_free(&arena);
}

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

static const char *make_buffer(struct arena *arena, struct sl_kernel *kernel, uint64_t size,
                               const void *bytes, size_t index, const struct shape *shape,
                               struct prepared_argument *out)
{
    struct sl_context *context = kernel->module->context;
    uint64_t *address = ARENA_NEW(arena, uint64_t);

    if (!shape->is_pointer)
        return "is a buffer, but the parameter is no pointer";
    if (sl_buffer_create(context, size, bytes, &out->buffer) != SL_OK)
        return arena_printf(arena, "cannot be made: %.*s",
                            (int)strcspn(sl_context_error(context), "\n"),
                            sl_context_error(context));
    sl_buffer_set_name(out->buffer, arena_printf(arena, "argument %zu (%s)", index, shape->name));
    *address = sl_buffer_address(out->buffer);
    out->value = address;
    return NULL;
}

static const char *first_line(struct arena *arena, const struct sl_context *context)
{
    const char *words = sl_context_error(context);

    return arena_copy(arena, words, strcspn(words, "\n"));
}

static const char *set_buffer(struct arena *arena, struct sl_kernel *kernel,
                              const struct argument *argument, size_t index,
                              const struct shape *shape, struct prepared_argument *out)
{
    const char *wrong = make_buffer(arena, kernel, argument_buffer_size(argument), NULL, index,
                                    shape, out);

    if (wrong)
        return wrong;
    out->typed = true;
    out->array = (struct npy){.element = argument->element, .shape = {argument->count},
                              .dimensions = 1, .size = argument_buffer_size(argument)};
    if (argument->fill != FILL_NOTHING && buffer_fill(out->buffer, argument) != SL_OK)
        wrong = first_line(arena, kernel->module->context);
    return wrong;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Regular files only: a pipe or a device might never end. */
static const char *read_file(struct arena *arena, const char *path, unsigned char **bytes,
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

static bool ends_with(const char *text, const char *suffix)
{
    size_t a = strlen(text), b = strlen(suffix);

    return a >= b && !strcmp(text + a - b, suffix);
}

static const char *set_file(struct arena *arena, struct sl_kernel *kernel, const char *path,
                            size_t index, const struct shape *shape,
                            struct prepared_argument *out)
{
    struct arena scratch = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    const char *wrong = read_file(&scratch, path, &bytes, &size);

    if (!wrong && ends_with(path, ".npy")) {
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
        wrong = make_buffer(arena, kernel, out->array.size, out->array.data, index, shape, out);
    out->array.data = NULL;
    if (wrong)
        wrong = arena_strdup(arena, wrong);
    arena_free(&scratch);
    return wrong;
}

/* --- textures -------------------------------------------------------------------------------- */

/* A texture with its contents, as out->buffer and out->array; *handle is its handle. */
static const char *make_texture(struct arena *arena, struct sl_context *context,
                                const struct argument *argument, const char *name,
                                struct prepared_argument *out, struct sl_texture **texture)
{
    struct arena scratch = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    const char *wrong = NULL;
    struct npy array;

    if (texture_make(context, &argument->texture, texture) != SL_OK)
        return arena_printf(arena, "cannot be made: %.*s",
                            (int)strcspn(sl_context_error(context), "\n"),
                            sl_context_error(context));
    out->buffer = (*texture)->buffer;
    out->typed = true;
    out->array = (struct npy){.element = argument->element, .shape = {argument->count},
                              .dimensions = 1, .size = argument_buffer_size(argument)};
    sl_buffer_set_name(out->buffer, name);
    if (argument->text) {
        wrong = read_file(&scratch, argument->text, &bytes, &size);
        if (!wrong && ends_with(argument->text, ".npy")) {
            wrong = npy_read(&scratch, bytes, size, &array);
            bytes = (unsigned char *)(uintptr_t)array.data;
            size = array.size;
        }
        if (!wrong && size != out->buffer->size)
            wrong = arena_printf(arena, "has %llu bytes, its file %zu",
                                 (unsigned long long)out->buffer->size, size);
        if (!wrong && sl_buffer_write(out->buffer, 0, bytes, size) != SL_OK)
            wrong = first_line(arena, context);
        wrong = wrong ? arena_strdup(arena, wrong) : NULL;
    } else if (argument->fill != FILL_NOTHING && buffer_fill(out->buffer, argument) != SL_OK) {
        wrong = first_line(arena, context);
    }
    arena_free(&scratch);
    return wrong;
}

static const char *set_texture(struct arena *arena, struct sl_kernel *kernel,
                               const struct argument *argument, size_t index,
                               const struct shape *shape, struct prepared_argument *out)
{
    uint64_t *handle = ARENA_NEW(arena, uint64_t);
    struct sl_texture *texture;

    if (!shape->is_pointer && shape->size != 8)
        return "is a texture, but the parameter is no handle of 64 bits";
    const char *wrong =
        make_texture(arena, kernel->module->context, argument,
                     arena_printf(arena, "argument %zu (%s)", index, shape->name), out, &texture);
    if (!wrong)
        *handle = texture->handle;
    out->value = handle;
    return wrong;
}

/* The map by value, or a pointer to one in a buffer of its own; what is shown is the tensor. */
static const char *set_tensor(struct arena *arena, struct sl_kernel *kernel,
                              const struct argument *argument, size_t index,
                              const struct shape *shape, struct prepared_argument *out)
{
    struct shape memory = {.name = shape->name, .is_pointer = true};
    struct tensor_map map = argument->tensor;
    unsigned char *bytes = arena_alloc(arena, TENSOR_MAP_BYTES);

    if (shape->size != TENSOR_MAP_BYTES && !shape->is_pointer)
        return "is a tensor, but the parameter is neither 128 bytes nor a pointer";
    const char *wrong = set_buffer(arena, kernel, argument, index, &memory, out);
    if (wrong)
        return wrong;
    map.address = sl_buffer_address(out->buffer);
    wrong = tensor_map_encode(&map, bytes);
    if (wrong)
        return arena_printf(arena, "is no tensor that can be: a tensor map %s", wrong);
    struct sl_context *context = kernel->module->context;
    if (context->cuda && cuda_tensor_map(context, &map, bytes) != SL_OK)
        return first_line(arena, context);
    out->value = bytes;
    if (!shape->is_pointer)
        return NULL;
    struct prepared_argument place = {0};
    wrong = make_buffer(arena, kernel, TENSOR_MAP_BYTES, bytes, index, shape, &place);
    out->value = place.value;
    return wrong;
}

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
        wrong = make_texture(arena, module->context, &argument, name, &out, &texture);
    if (wrong)
        text_printf(error, "texture %s, '%.80s': %s\n", name, text, wrong);
    else if (sl_texture_bind(module, name, texture) != SL_OK)
        text_puts(error, sl_context_error(module->context));
    else
        return true;
    return false;
}

/* --- all together ------------------------------------------------------------------------------- */

static const char *prepare(struct arena *arena, struct sl_kernel *kernel, const char *text,
                           size_t index, const struct shape *shape,
                           struct prepared_argument *out)
{
    struct argument argument;
    const char *wrong = argument_parse(arena, text, strlen(text), &argument);

    if (wrong)
        return wrong;
    switch (argument.kind) {
    case ARGUMENT_SCALAR:
        return set_scalar(arena, shape, text, out);
    case ARGUMENT_BUFFER:
        return set_buffer(arena, kernel, &argument, index, shape, out);
    case ARGUMENT_FILE:
        return set_file(arena, kernel, argument.text, index, shape, out);
    case ARGUMENT_BYTES:
        if (argument.byte_count != shape->size)
            return arena_printf(arena, "has %zu bytes, the parameter %zu", argument.byte_count,
                                shape->size);
        out->value = argument.bytes;
        return NULL;
    case ARGUMENT_TENSOR:
        return set_tensor(arena, kernel, &argument, index, shape, out);
    case ARGUMENT_TEXTURE:
        return set_texture(arena, kernel, &argument, index, shape, out);
    case ARGUMENT_NULL:
        if (!shape->is_pointer)
            return "is a null pointer, but the parameter is no pointer";
        out->value = ARENA_NEW(arena, uint64_t);
        return NULL;
    }
    return "is not understood";
}

bool arguments_prepare(struct arena *arena, struct sl_kernel *kernel, const char *const *texts,
                       size_t count, struct prepared_argument **out, struct text *error)
{
    size_t wanted = sl_kernel_parameter_count(kernel);
    struct shape *shapes = shapes_of(arena, kernel);
    bool good = true;

    *out = ARENA_NEW_ARRAY(arena, wanted, struct prepared_argument);
    if (count != wanted) {
        text_printf(error, "%s takes %zu argument%s, %zu given%s\n", sl_kernel_demangled(kernel),
                    wanted, wanted == 1 ? "" : "s", count, wanted ? ":" : "");
        arguments_describe(error, kernel);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        (*out)[i].text = texts[i];
        const char *wrong = prepare(arena, kernel, texts[i], i, &shapes[i], &(*out)[i]);
        if (!wrong)
            continue;
        good = false;
        /* A message may quote a part of the argument and be a sentence already. */
        text_printf(error, "argument %zu, '%.80s'%s %s\n", i, texts[i],
                    strncmp(wrong, "is ", 3) && strncmp(wrong, "has ", 4) &&
                            strncmp(wrong, "does ", 5) && strncmp(wrong, "cannot ", 7) &&
                            strncmp(wrong, "holds ", 6)
                        ? ":"
                        : "",
                    wrong);
        text_printf(error, "  parameter %zu is %s (%s), which takes %s\n", i, shapes[i].name,
                    shapes[i].is_bytes
                        ? arena_printf(arena, "%zu bytes", shapes[i].size)
                        : shapes[i].type,
                    expected(&shapes[i]));
    }
    return good;
}
