/* SPDX-License-Identifier: Apache-2.0
 *
 * argument_shape.h - what a kernel's parameters take. */
#ifndef SIMTLAB_API_ARGUMENT_SHAPE_H
#define SIMTLAB_API_ARGUMENT_SHAPE_H

#include "api/objects.h"
#include "base/arena.h"
#include "base/element.h"

struct shape {
    const char *name, *type;
    size_t size;
    bool is_bytes;   /* a by-value struct */
    bool is_pointer; /* may be one: as wide as an address */
    bool untyped;
    enum element element; /* of a scalar */
};

/* One for each parameter, in the arena. */
struct shape *shapes_of(struct arena *arena, const struct sl_kernel *kernel);
/* What may be given for it, for people. */
const char *shape_expects(const struct shape *shape);

#endif
