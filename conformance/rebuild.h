/* SPDX-License-Identifier: Apache-2.0
 *
 * rebuild.h - cases with their PTX as the code generator writes it again: what they
 * give must not change on the way through the kernel IR. */
#ifndef SIMTLAB_CONFORMANCE_REBUILD_H
#define SIMTLAB_CONFORMANCE_REBUILD_H

#include "conformance/case.h"

/* Texts that were written before, by the hash of what they came from. */
struct rebuilt {
    const char *hash, *error;
    const char *ptx;
    size_t size;
};

struct rebuilt_list {
    struct rebuilt *items;
    uint32_t count, capacity;
};

/* Replaces the PTX of an opened case. NULL, or why it cannot be written. */
const char *case_rebuild(struct arena *arena, struct rebuilt_list *list, struct conform_case *c);

#endif
