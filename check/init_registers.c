/* SPDX-License-Identifier: Apache-2.0
 *
 * init_registers.c - the undefined bits of registers, and maps by address. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "check/init.h"

/* --- maps ----------------------------------------------------------------------------- */

static uint32_t hash(const void *key)
{
    return (uint32_t)(((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t find(const struct pointer_map *map, const void *key)
{
    uint32_t i = hash(key) & (map->capacity - 1);

    while (map->keys[i] && map->keys[i] != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

static void grow(struct pointer_map *map)
{
    struct pointer_map bigger = {.capacity = map->capacity ? 2 * map->capacity : 64};

    bigger.keys = calloc(bigger.capacity, sizeof *bigger.keys);
    bigger.values = calloc(bigger.capacity, sizeof *bigger.values);
    if (!bigger.keys || !bigger.values)
        out_of_memory(0);
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->keys[i])
            *pointer_map_at(&bigger, map->keys[i]) = map->values[i];
    free(map->keys);
    free(map->values);
    *map = bigger;
}

void **pointer_map_at(struct pointer_map *map, const void *key)
{
    if (map->count * 2 >= map->capacity)
        grow(map);
    uint32_t i = find(map, key);
    if (!map->keys[i]) {
        map->keys[i] = key;
        map->count++;
    }
    return &map->values[i];
}

void *pointer_map_get(const struct pointer_map *map, const void *key)
{
    return map->capacity ? map->values[find(map, key)] : NULL;
}

void pointer_map_free(struct pointer_map *map, void (*free_value)(void *value))
{
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->values[i])
            free_value(map->values[i]);
    free(map->keys);
    free(map->values);
    *map = (struct pointer_map){0};
}

/* --- registers ---------------------------------------------------------------------------- */

struct shadow_frame *shadow_frame_of(struct init *init, const unsigned char *registers)
{
    if (registers != init->last_registers) {
        init->last_registers = registers;
        init->last_frame = pointer_map_get(&init->frames, registers);
    }
    return init->last_frame;
}

uint64_t undefined_bits(const struct shadow_frame *frame, uint32_t operand, unsigned lane)
{
    return undefined_lanes(frame, operand, UINT32_C(1) << lane)
               ? frame->registers[operand / 8]->bits[lane] : 0;
}

origin_id undefined_origin(const struct shadow_frame *frame, uint32_t operand, unsigned lane)
{
    return undefined_lanes(frame, operand, UINT32_C(1) << lane)
               ? frame->registers[operand / 8]->origin[lane] : 0;
}

void undefined_set(struct shadow_frame *frame, uint32_t operand, unsigned lane, uint64_t bits,
                   origin_id origin)
{
    uint32_t entry = operand / 8;

    if (operand & OPERAND_CONSTANT || operand == OPERAND_ABSENT)
        return;
    if (!bits) {
        frame->lanes[entry] &= ~(UINT32_C(1) << lane);
        return;
    }
    if (!frame->registers[entry]) {
        frame->registers[entry] = malloc(sizeof **frame->registers);
        if (!frame->registers[entry])
            out_of_memory(0);
    }
    frame->any = frame->frame->followed = true;
    frame->lanes[entry] |= UINT32_C(1) << lane;
    frame->registers[entry]->bits[lane] = bits;
    frame->registers[entry]->origin[lane] = origin;
}

void shadow_frame_free(void *value)
{
    struct shadow_frame *frame = value;

    for (uint32_t i = 0; i < frame->entries; i++)
        free(frame->registers[i]);
    free(frame->registers);
    free(frame->lanes);
    free(frame);
}
