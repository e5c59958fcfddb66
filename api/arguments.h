/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.h - argument text (base/argument.h) against a kernel's parameters.
 *
 * Buffers are made and filled in the kernel's context, scalars become the bytes
 * of their parameter. Every argument is looked at before giving up, so that one
 * message lists all that is wrong. */
#ifndef SIMTLAB_API_ARGUMENTS_H
#define SIMTLAB_API_ARGUMENTS_H

#include "api/npy.h"
#include "api/objects.h"
#include "base/argument.h"

struct prepared_argument {
    const char *name;         /* its number; of a struct's member the path: "0.1" */
    const char *text;         /* as given */
    struct sl_buffer *buffer; /* NULL: not a buffer */
    struct npy array;         /* element, shape and size of a buffer; data unused */
    bool typed;               /* false: raw bytes, shown as u8 */
    const void *value;        /* what the parameter receives */
    bool variable;            /* none, but a variable of the module */
};

struct prepared_arguments {
    struct prepared_argument *items; /* one for each parameter, then the members of structs */
    uint32_t count, capacity;
};

/* Makes kernel's arguments from count texts; all of it is in the arena, buffers
 * belong to the context. False with lines of explanation in error. */
bool arguments_prepare(struct arena *arena, struct sl_kernel *kernel, const char *const *texts,
                       size_t count, struct prepared_arguments *out, struct text *error);

/* The one of that name; NULL: there is none. */
const struct prepared_argument *prepared_find(const struct prepared_arguments *all,
                                              const char *name);

/* Adds a variable of the module to them, with the contents that the text gives, if any.
 * False with a line in error. */
bool variable_prepare(struct arena *arena, struct sl_module *module, const char *name,
                      const char *text, struct prepared_arguments *all, struct text *error);

/* Makes a texture from its text (base/texture.h) and binds it to the module's .texref or
 * .surfref of that name. False with a line in error. */
bool reference_prepare(struct arena *arena, struct sl_module *module, const char *name,
                       const char *text, struct text *error);

/* The parameter's name for people. */
const char *argument_name(const struct sl_kernel *kernel, size_t index);
/* A table of the kernel's parameters and what may be given for each. */
void arguments_describe(struct text *out, const struct sl_kernel *kernel);

#endif
