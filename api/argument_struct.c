/* SPDX-License-Identifier: Apache-2.0
 *
 * argument_struct.c - by-value structs and pointers to them, member by member. */
#include "api/argument_parts.h"

#include <string.h>

static unsigned address_size(const struct preparation *p)
{
    return p->kernel->module->ir->address_bits == 32 ? 4 : 8;
}

/* What a member's own text says about its type. */
const char *member_shape(struct preparation *p, const struct argument *argument,
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
        wrong = argument_prepare(p, text, &m->shape, &out);
    m->value = out.value;
    *ARENA_PUSH(p->arena, p->all) = out;
    return wrong;
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/* The bytes of a struct, each member aligned as C aligns it. */
const char *struct_bytes(struct preparation *p, const struct argument *argument,
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

const char *set_struct(struct preparation *p, const struct argument *argument,
                       const struct shape *shape, struct prepared_argument *out)
{
    struct member whole = {0};
    const char *wrong = struct_bytes(p, argument, out->name, shape->name, &whole);

    if (wrong)
        return wrong;
    if (argument->pointer) {
        out->array = (struct npy){.element = ELEMENT_U8, .shape = {whole.shape.size},
                                  .dimensions = 1, .size = whole.shape.size};
        return buffer_argument(p->arena, p->kernel, whole.shape.size, whole.value, shape, out);
    }
    if (whole.shape.size != shape->size)
        return arena_printf(p->arena, "has %zu bytes, the parameter %zu", whole.shape.size,
                            shape->size);
    out->value = whole.value;
    return NULL;
}
