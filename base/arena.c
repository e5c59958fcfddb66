/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.c - chunked bump allocation.
 *
 * Chunks double up to a limit, so an arena costs few system allocations.
 * Under AddressSanitizer every block is its own chunk: overruns are seen. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN = 4096, CHUNK_MAX = 1 << 20, ALIGNMENT = 64 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* bytes behind the header */
    _Alignas(ALIGNMENT) unsigned char data[];
};

#if defined(__SANITIZE_ADDRESS__)
enum { ONE_CHUNK_PER_BLOCK = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { ONE_CHUNK_PER_BLOCK = 1 };
#else
enum { ONE_CHUNK_PER_BLOCK = 0 };
#endif
#else
enum { ONE_CHUNK_PER_BLOCK = 0 };
#endif

_Noreturn void out_of_memory(size_t size)
{
    if (size)
        fprintf(stderr, "simtlab: out of host memory (%zu bytes asked)\n", size);
    else
        fprintf(stderr, "simtlab: out of host memory\n");
    _Exit(2);
}

static void *chunk_new(struct arena *arena, size_t size)
{
    size_t total = sizeof(struct arena_chunk) + size;
    struct arena_chunk *chunk;

    total = (total + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (total < size || !(chunk = aligned_alloc(ALIGNMENT, total)))
        out_of_memory(size);
    memset(chunk, 0, total);
    chunk->next = arena->chunks;
    chunk->size = total - sizeof(struct arena_chunk);
    arena->chunks = chunk;
    arena->used = 0;
    return chunk->data;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size_t need = (size + 15) & ~(size_t)15;

    if (need < size)
        out_of_memory(size);
    if (ONE_CHUNK_PER_BLOCK)
        return chunk_new(arena, size);
    if (!arena->chunks || arena->chunks->size - arena->used < need) {
        size_t grow = arena->chunks ? arena->chunks->size * 2 : CHUNK_MIN;
        if (grow > CHUNK_MAX)
            grow = CHUNK_MAX;
        chunk_new(arena, need > grow ? need : grow);
    }
    void *block = arena->chunks->data + arena->used;
    arena->used += need;
    return block;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory(SIZE_MAX);
    return arena_alloc(arena, count * size);
}

char *arena_copy(struct arena *arena, const void *data, size_t size)
{
    char *copy = arena_alloc(arena, size + 1);

    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
    return arena_copy(arena, string, strlen(string));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0)
        return arena_strdup(arena, "");
    char *string = arena_alloc(arena, (size_t)size + 1);
    va_start(args, format);
    vsnprintf(string, (size_t)size + 1, format, args);
    va_end(args);
    return string;
}

void arena_grow(struct arena *arena, void **items, uint32_t *count,
                uint32_t *capacity, size_t size)
{
    if (*count == *capacity) {
        uint32_t grown = *capacity ? *capacity * 2 : 8;
        if (grown <= *capacity)
            out_of_memory(SIZE_MAX);
        void *moved = arena_array(arena, grown, size);
        if (*count)
            memcpy(moved, *items, *count * size);
        *items = moved;
        *capacity = grown;
    }
    ++*count;
}

void arena_free(struct arena *arena)
{
    struct arena_chunk *next;

    for (struct arena_chunk *chunk = arena->chunks; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    arena->chunks = NULL;
    arena->used = 0;
}
