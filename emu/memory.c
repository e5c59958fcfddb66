/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c - device memory as a list of allocations.
 *
 * Addresses only grow and are never reused, so the list in order of allocation
 * is also the list in order of address, and a lookup is a binary search.
 * Records are kept after a release: a stale pointer finds what it pointed to. */
#include "config.h"

#include "emu/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "emu/texture.h"

enum { ALIGN_MIN = 256, PAGE = 4096 };

/* Bytes of this size and more are mapped: zeroed on first touch, page-aligned,
 * and a size that the host does not have is refused instead of half given. */
enum { MAPPED_SIZE = 1 << 16 };

static const uint64_t base_64 = UINT64_C(0x0000000700000000);
static const uint64_t limit_64 = UINT64_C(0x0000600000000000);
static const uint64_t base_32 = UINT64_C(0x10000000);
static const uint64_t limit_32 = UINT64_C(0xf0000000);

struct memory {
    struct arena arena; /* records and names */
    struct allocation **items;
    uint32_t count, capacity;
    uint64_t next, limit;
    struct {
        struct texture_object *items;
        uint32_t count, capacity;
    } textures;
};

struct memory *memory_new(unsigned address_bits)
{
    struct memory *memory = calloc(1, sizeof *memory);

    if (!memory)
        return NULL;
    memory->next = address_bits == 32 ? base_32 : base_64;
    memory->limit = address_bits == 32 ? limit_32 : limit_64;
    return memory;
}

static unsigned char *bytes_get(uint64_t size)
{
    unsigned char *bytes;

    if (size >= MAPPED_SIZE) {
        if (size > SIZE_MAX / 2)
            return NULL;
        bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0);
        return bytes == MAP_FAILED ? NULL : bytes;
    }
    /* Any host address keeps the alignment that atomics and vectors need. */
    size_t whole = (size + ALIGN_MIN) & ~(size_t)(ALIGN_MIN - 1);
    bytes = aligned_alloc(ALIGN_MIN, whole);
    for (size_t i = 0; bytes && i < whole; i++)
        bytes[i] = 0;
    return bytes;
}

static void bytes_release(struct allocation *allocation)
{
    if (allocation->host && allocation->size >= MAPPED_SIZE)
        munmap(allocation->host, allocation->size);
    else
        free(allocation->host);
    allocation->host = NULL;
}

void allocation_defined(struct allocation *allocation)
{
    free(allocation->undefined_bits);
    allocation->undefined_bits = NULL;
    allocation->undefined = false;
}

void memory_free(struct memory *memory)
{
    if (!memory)
        return;
    for (uint32_t i = 0; i < memory->count; i++) {
        bytes_release(memory->items[i]);
        free(memory->items[i]->undefined_bits);
    }
    arena_free(&memory->arena);
    free(memory);
}

struct allocation *memory_allocate(struct memory *memory, uint64_t size, uint64_t align,
                                   enum allocation_kind kind, const char *name)
{
    if (align < ALIGN_MIN)
        align = ALIGN_MIN;
    if (align > memory->limit || memory->count == UINT32_MAX)
        return NULL;
    uint64_t address = (memory->next + align - 1) & ~(align - 1);
    if (address >= memory->limit || size > memory->limit - address)
        return NULL;
    unsigned char *host = bytes_get(size);
    if (!host)
        return NULL;

    struct allocation *allocation = ARENA_NEW(&memory->arena, struct allocation);
    *allocation = (struct allocation){
        .address = address,
        .size = size,
        .host = host,
        .name = name ? arena_strdup(&memory->arena, name) : NULL,
        .kind = (uint8_t)kind,
        .number = memory->count,
    };
    *ARENA_PUSH(&memory->arena, memory) = allocation;
    memory->next = address + size + PAGE;
    return allocation;
}

/* How many allocations start at or below the address. */
static uint32_t count_below(const struct memory *memory, uint64_t address)
{
    uint32_t low = 0, high = memory->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (memory->items[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *memory_find(const struct memory *memory, uint64_t address)
{
    uint32_t below = count_below(memory, address);

    if (below == 0)
        return NULL;
    struct allocation *allocation = memory->items[below - 1];
    return address - allocation->address < allocation->size ? allocation : NULL;
}

bool memory_release(struct memory *memory, uint64_t address)
{
    uint32_t below = count_below(memory, address);

    if (below == 0)
        return false;
    struct allocation *allocation = memory->items[below - 1];
    if (allocation->address != address || allocation->freed)
        return false;
    bytes_release(allocation);
    allocation->freed = true;
    return true;
}

struct allocation *memory_nearest(const struct memory *memory, uint64_t address)
{
    uint32_t below = count_below(memory, address);
    struct allocation *low = below ? memory->items[below - 1] : NULL;
    struct allocation *high = below < memory->count ? memory->items[below] : NULL;

    if (!low || !high)
        return low ? low : high;
    uint64_t end = low->address + low->size;
    uint64_t past = address < end ? 0 : address - end;
    return past <= high->address - address ? low : high;
}

size_t memory_count(const struct memory *memory)
{
    return memory->count;
}

struct allocation *memory_at(const struct memory *memory, size_t i)
{
    return memory->items[i];
}

const char *memory_note(struct memory *memory, const char *text)
{
    return arena_strdup(&memory->arena, text);
}

uint32_t memory_add_texture(struct memory *memory, const struct texture_object *object)
{
    *ARENA_PUSH(&memory->arena, &memory->textures) = *object;
    return memory->textures.count - 1;
}

const struct texture_object *memory_texture(const struct memory *memory, uint64_t number)
{
    return number < memory->textures.count ? &memory->textures.items[number] : NULL;
}
