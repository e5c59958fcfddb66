/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.h - memory that lives and dies together.
 *
 * An arena hands out blocks and frees them all at once; no block is freed
 * alone. Every structure in the project names the arena it lives in, and
 * pointers go only from a shorter-lived arena to a longer-lived one.
 *
 * Host memory for bookkeeping that cannot be had ends the program with a
 * message: there is nothing useful left to do. Sizes a user chose (device
 * memory, grids) must be checked before they get here. */
#ifndef SIMTLAB_BASE_ARENA_H
#define SIMTLAB_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes handed out of the newest chunk */
};

/* A fresh arena is all zero bytes: struct arena a = {0}; */

/* Says so and ends the program with status 2. size: bytes asked for; 0: not known. */
_Noreturn void out_of_memory(size_t size);

/* Zeroed memory aligned for any type. Never returns NULL. size 0 is fine. */
void *arena_alloc(struct arena *arena, size_t size);

/* As arena_alloc for count items of size bytes; count * size may not overflow. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A copy of size bytes, followed by a zero byte. */
char *arena_copy(struct arena *arena, const void *data, size_t size);
char *arena_strdup(struct arena *arena, const char *string);

/* printf into the arena. */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees everything; the arena is empty and usable again. */
void arena_free(struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_NEW_ARRAY(arena, count, type) \
    ((type *)arena_array((arena), (count), sizeof(type)))

/* Growable array in an arena: a struct with the members
 *     type *items; uint32_t count, capacity;
 * ARENA_PUSH(arena, list) makes room for one more and yields a pointer to the
 * new zeroed item. Earlier item pointers may move. */
#define ARENA_PUSH(arena, list)                                              \
    (arena_grow((arena), (void **)&(list)->items, &(list)->count,            \
                &(list)->capacity, sizeof *(list)->items),                   \
     &(list)->items[(list)->count - 1])

void arena_grow(struct arena *arena, void **items, uint32_t *count,
                uint32_t *capacity, size_t size);

#endif
