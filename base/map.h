/* SPDX-License-Identifier: Apache-2.0
 *
 * map.h - from a name to a number.
 *
 * A hash table in an arena. It is only ever asked for one name; nothing walks
 * it, so hash order cannot reach any output. Keep an array beside it for
 * walking. */
#ifndef SIMTLAB_BASE_MAP_H
#define SIMTLAB_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct map_entry;

struct map {
    struct map_entry *entries;
    uint32_t count, capacity;
};

/* Binds the name, replacing an earlier binding. The key bytes are lent: they
 * must live as long as the map. */
void map_set(struct arena *arena, struct map *map, const char *name,
             size_t size, uint32_t value);
/* True and *value set when the name is bound. */
bool map_get(const struct map *map, const char *name, size_t size,
             uint32_t *value);

#endif
