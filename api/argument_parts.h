/* SPDX-License-Identifier: Apache-2.0
 *
 * argument_parts.h - what the files behind arguments.h share.
 *
 * Functions that return text return what is wrong with an argument, a sentence without
 * its subject ("has 4 bytes, the parameter 8") or one that needs a colon; NULL: nothing. */
#ifndef SIMTLAB_API_ARGUMENT_PARTS_H
#define SIMTLAB_API_ARGUMENT_PARTS_H

#include "api/argument_shape.h"
#include "api/arguments.h"

struct preparation {
    struct arena *arena;
    struct sl_kernel *kernel;
    struct prepared_arguments *all;
};

/* A value with its place in a struct. */
struct member {
    struct shape shape;
    size_t align;
    const void *value;
};

/* arguments.c. One argument, of whatever form. */
const char *argument_prepare(struct preparation *p, const char *text, const struct shape *shape,
                             struct prepared_argument *out);
/* A buffer for a pointer parameter; bytes NULL: uninitialised. */
const char *buffer_argument(struct arena *arena, struct sl_kernel *kernel, uint64_t size,
                            const void *bytes, const struct shape *shape,
                            struct prepared_argument *out);
/* A texture with its contents, as out->buffer and out->array. */
const char *texture_argument(struct arena *arena, struct sl_context *context,
                             const struct argument *argument, const char *name,
                             struct prepared_argument *out, struct sl_texture **texture);
/* Regular files only: a pipe or a device might never end. */
const char *argument_file(struct arena *arena, const char *path, unsigned char **bytes,
                          size_t *size);
/* The first line of the context's explanation. */
const char *context_words(struct arena *arena, const struct sl_context *context);
/* What stands between an argument and what is wrong with it: "" or ":". */
const char *sentence_colon(const char *wrong);

/* argument_struct.c. The bytes of a struct, each member aligned as C aligns it. */
const char *struct_bytes(struct preparation *p, const struct argument *argument,
                         const char *name, const char *of, struct member *out);
/* What a member's own text says about its type. */
const char *member_shape(struct preparation *p, const struct argument *argument,
                         const char *text, struct member *m);
const char *set_struct(struct preparation *p, const struct argument *argument,
                       const struct shape *shape, struct prepared_argument *out);

#endif
