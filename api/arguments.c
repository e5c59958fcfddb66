/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.c - checking arguments and turning them into values.
 *
 * Where neither the declared type nor the kernel's name tells integer from float, a
 * number that is no integer is taken as f32 (.b32) or f64 (.b64). TYPE:NUMBER states
 * the type of a scalar outright: f16:1.5 for a half, however it was declared. */
#include "config.h"

#include "api/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/argument_shape.h"
#include "api/cuda.h"

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

static const char *make_buffer(struct arena *arena, struct sl_kernel *kernel, uint64_t size,
                               const void *bytes, const struct shape *shape,
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
    sl_buffer_set_name(out->buffer, label_of(arena, out->name, shape));
    *address = sl_buffer_address(out->buffer);
    out->value = address;
    return NULL;
}

static const char *first_line(struct arena *arena, const struct sl_context *context)
{
    const char *words = sl_context_error(context);

    return arena_copy(arena, words, strcspn(words, "\n"));
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
                            const struct shape *shape, struct prepared_argument *out)
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
        wrong = make_buffer(arena, kernel, out->array.size, out->array.data, shape, out);
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
        wrong = read_file(&scratch, argument->text, &bytes, &size);
        if (!wrong && ends_with(argument->text, ".npy")) {
            wrong = npy_read(&scratch, bytes, size, &array);
            bytes = (unsigned char *)(uintptr_t)array.data;
            size = array.size;
        }
        if (!wrong && size != buffer->size)
            wrong = arena_printf(arena, "has %llu bytes, its file %zu",
                                 (unsigned long long)buffer->size, size);
        if (!wrong && sl_buffer_write(buffer, 0, bytes, size) != SL_OK)
            wrong = first_line(arena, buffer->context);
        wrong = wrong ? arena_strdup(arena, wrong) : NULL;
    } else if (argument->fill != FILL_NOTHING && buffer_fill(buffer, argument) != SL_OK) {
        wrong = first_line(arena, buffer->context);
    }
    arena_free(&scratch);
    return wrong;
}

static const char *set_buffer(struct arena *arena, struct sl_kernel *kernel,
                              const struct argument *argument, const struct shape *shape,
                              struct prepared_argument *out)
{
    const char *wrong = make_buffer(arena, kernel, argument_buffer_size(argument), NULL, shape,
                                    out);

    if (wrong)
        return wrong;
    out->typed = true;
    out->array = (struct npy){.element = argument->element, .shape = {argument->count},
                              .dimensions = 1, .size = argument_buffer_size(argument)};
    return fill(arena, argument, out->buffer);
}

/* --- textures -------------------------------------------------------------------------------- */

/* A texture with its contents, as out->buffer and out->array; *handle is its handle. */
static const char *make_texture(struct arena *arena, struct sl_context *context,
                                const struct argument *argument, const char *name,
                                struct prepared_argument *out, struct sl_texture **texture)
{
    if (texture_make(context, &argument->texture, texture) != SL_OK)
        return arena_printf(arena, "cannot be made: %.*s",
                            (int)strcspn(sl_context_error(context), "\n"),
                            sl_context_error(context));
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
        make_texture(arena, kernel->module->context, argument,
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
        return first_line(arena, context);
    out->value = bytes;
    if (!shape->is_pointer)
        return NULL;
    struct prepared_argument place = {.name = out->name};
    wrong = make_buffer(arena, kernel, TENSOR_MAP_BYTES, bytes, shape, &place);
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

/* --- structs --------------------------------------------------------------------------------- */

struct preparation {
    struct arena *arena;
    struct sl_kernel *kernel;
    struct prepared_arguments *all;
};

static const char *prepare(struct preparation *p, const char *text, const struct shape *shape,
                           struct prepared_argument *out);

/* A value with its place in a struct. */
struct member {
    struct shape shape;
    size_t align;
    const void *value;
};

static unsigned address_size(const struct preparation *p)
{
    return p->kernel->module->ir->address_bits == 32 ? 4 : 8;
}

static const char *struct_bytes(struct preparation *p, const struct argument *argument,
                                const char *name, const char *of, struct member *out);

/* What a member's own text says about its type. */
static const char *member_shape(struct preparation *p, const struct argument *argument,
                                const char *text, struct member *m)
{
    const char *colon = strchr(text, ':');
    enum element element;

    switch (argument->kind) {
    case ARGUMENT_SCALAR:
        if (!colon || !element_find(text, (size_t)(colon - text), &element))
            return "needs its type in a struct, as u32:7";
        m->shape.element = element;
        m->shape.type = element_name(element);
        m->shape.size = m->align = element_size(element);
        return NULL;
    case ARGUMENT_BYTES:
        m->shape.is_bytes = true;
        m->shape.size = argument->byte_count;
        m->align = 1;
        return NULL;
    case ARGUMENT_TENSOR:
        m->shape.is_bytes = true;
        m->shape.size = TENSOR_MAP_BYTES;
        m->align = 64; /* of CUtensorMap */
        return NULL;
    default:
        m->shape.is_pointer = true;
        m->shape.size = m->align = address_size(p);
        return NULL;
    }
}

static const char *make_member(struct preparation *p, const char *text, const char *name,
                               const char *of, struct member *m)
{
    struct argument argument;
    const char *wrong = argument_parse(p->arena, text, strlen(text), &argument);
    struct prepared_argument out = {.name = name, .text = text};

    m->shape.name = of;
    if (wrong)
        return wrong;
    if (argument.kind == ARGUMENT_STRUCT && !argument.pointer)
        return struct_bytes(p, &argument, name, of, m);
    wrong = member_shape(p, &argument, text, m);
    if (!wrong)
        wrong = prepare(p, text, &m->shape, &out);
    m->value = out.value;
    *ARENA_PUSH(p->arena, p->all) = out;
    return wrong;
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/* The bytes of a struct, each member aligned as C aligns it. */
static const char *struct_bytes(struct preparation *p, const struct argument *argument,
                                const char *name, const char *of, struct member *out)
{
    struct member *members = ARENA_NEW_ARRAY(p->arena, argument->member_count, struct member);
    size_t size = 0, at = 0;

    out->align = 1;
    for (size_t i = 0; i < argument->member_count; i++) {
        struct member *m = &members[i];
        const char *wrong = make_member(p, argument->members[i],
                                        arena_printf(p->arena, "%s.%zu", name, i), of, m);
        if (wrong)
            return arena_printf(p->arena, "member %zu, '%.80s': it %s", i, argument->members[i],
                                wrong);
        size = round_up(size, m->align) + m->shape.size;
        if (m->align > out->align)
            out->align = m->align;
    }
    out->shape.size = round_up(size, out->align);
    unsigned char *bytes = arena_alloc(p->arena, out->shape.size);
    memset(bytes, 0, out->shape.size);
    for (size_t i = 0; i < argument->member_count; i++) {
        at = round_up(at, members[i].align);
        memcpy(bytes + at, members[i].value, members[i].shape.size);
        at += members[i].shape.size;
    }
    out->value = bytes;
    return NULL;
}

static const char *set_struct(struct preparation *p, const struct argument *argument,
                              const struct shape *shape, struct prepared_argument *out)
{
    struct member whole = {0};
    const char *wrong = struct_bytes(p, argument, out->name, shape->name, &whole);

    if (wrong)
        return wrong;
    if (argument->pointer) {
        out->array = (struct npy){.element = ELEMENT_U8, .shape = {whole.shape.size},
                                  .dimensions = 1, .size = whole.shape.size};
        return make_buffer(p->arena, p->kernel, whole.shape.size, whole.value, shape, out);
    }
    if (whole.shape.size != shape->size)
        return arena_printf(p->arena, "has %zu bytes, the parameter %zu", whole.shape.size,
                            shape->size);
    out->value = whole.value;
    return NULL;
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

/* A message may quote a part of the argument and be a sentence already. */
static bool goes_on(const char *wrong)
{
    static const char *const words[] = {"is ", "has ", "does ", "cannot ", "holds ", "needs "};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(wrong, words[i], strlen(words[i])))
            return true;
    return false;
}

/* --- variables of the module --------------------------------------------------------------------- */

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
        wrong = read_file(p->arena, argument.text, &data, size);
        if (!wrong && ends_with(argument.text, ".npy")) {
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
            wrong = prepare(p, text, &value.shape, &own);
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
        wrong = first_line(arena, module->context);
    if (wrong) {
        text_printf(error, "variable %s, '%.80s'%s %s\n", name, text, goes_on(wrong) ? "" : ":",
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

/* --- all together ------------------------------------------------------------------------------- */

const struct prepared_argument *prepared_find(const struct prepared_arguments *all,
                                              const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].name && !strcmp(all->items[i].name, name))
            return &all->items[i];
    return NULL;
}

static const char *prepare(struct preparation *p, const char *text, const struct shape *shape,
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
        const char *wrong = prepare(&p, texts[i], &shapes[i], &argument);
        out->items[i] = argument;
        if (!wrong)
            continue;
        good = false;
        text_printf(error, "argument %zu, '%.80s'%s %s\n", i, texts[i], goes_on(wrong) ? "" : ":",
                    wrong);
        text_printf(error, "  parameter %zu is %s (%s), which takes %s\n", i, shapes[i].name,
                    shapes[i].is_bytes
                        ? arena_printf(arena, "%zu bytes", shapes[i].size)
                        : shapes[i].type,
                    shape_expects(&shapes[i]));
    }
    return good;
}
