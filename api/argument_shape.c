/* SPDX-License-Identifier: Apache-2.0
 *
 * argument_shape.c - what a kernel's parameters take.
 *
 * The parameter's declared type decides. Where a compiler wrote an untyped .bN,
 * a mangled C++ name still tells integer from float. */
#include "config.h"

#include "api/argument_shape.h"

#include <stdio.h>
#include <string.h>

#include "api/arguments.h"
#include "api/demangle.h"

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

    /* A struct of one pointer is aligned bytes. */
    shape.is_pointer = shape.size == address && kind != IR_KIND_F && kind != IR_KIND_X &&
                       (!v->is_array || v->align % address == 0);
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

struct shape *shapes_of(struct arena *arena, const struct sl_kernel *kernel)
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

const char *shape_expects(const struct shape *shape)
{
    if (shape->is_bytes)
        return shape->size == TENSOR_MAP_BYTES
                   ? "a tensor (tensor:f16[64x32],box:64x8), or hex: and its bytes"
               : shape->size == 2 ? "hex: and its bytes, f16:1.5 or bf16:1.5"
               : shape->is_pointer
                   ? "a buffer (f32[1024]=0, @x.npy), a struct ({u32:7; f32:1}), or hex:"
                   : "a struct ({f32[1024]=0; u32:7}), or hex: and its bytes";
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
                    shape_expects(&shapes[i]));
    }
    arena_free(&arena);
}
