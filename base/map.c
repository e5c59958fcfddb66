/* SPDX-License-Identifier: Apache-2.0
 *
 * map.c - open addressing, FNV-1a, at most half full. */
#include "base/map.h"

#include <string.h>

struct map_entry {
    const char *name; /* NULL: free */
    size_t size;
    uint32_t value;
};

static uint64_t hash(const char *name, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

static struct map_entry *find(const struct map *map, const char *name,
                              size_t size)
{
    uint64_t i = hash(name, size);

    for (;; i++) {
        struct map_entry *entry = &map->entries[i & (map->capacity - 1)];
        if (!entry->name ||
            (entry->size == size && memcmp(entry->name, name, size) == 0))
            return entry;
    }
}

void map_set(struct arena *arena, struct map *map, const char *name,
             size_t size, uint32_t value)
{
    if (map->count * 2 >= map->capacity) {
        struct map old = *map;
        map->capacity = old.capacity ? old.capacity * 2 : 16;
        map->entries = ARENA_NEW_ARRAY(arena, map->capacity, struct map_entry);
        for (uint32_t i = 0; i < old.capacity; i++)
            if (old.entries[i].name)
                *find(map, old.entries[i].name, old.entries[i].size) =
                    old.entries[i];
    }
    struct map_entry *entry = find(map, name, size);
    if (!entry->name)
        map->count++;
    *entry = (struct map_entry){name, size, value};
}

bool map_get(const struct map *map, const char *name, size_t size,
             uint32_t *value)
{
    if (!map->count)
        return false;
    const struct map_entry *entry = find(map, name, size);
    if (!entry->name)
        return false;
    *value = entry->value;
    return true;
}
