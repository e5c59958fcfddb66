/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h - device memory: allocations in one 64-bit address space.
 *
 * A memory lives as long as its context, over many launches. Addresses are
 * part of the deterministic result: they depend only on the order of
 * allocations. No two allocations touch: a guard gap of at least one page
 * follows each, so running past one never lands in the next. Freed ranges are
 * not reused, so that a stale pointer is always recognised.
 *
 * Generic and global addresses are the same numbers. The shared, local and
 * parameter windows of the generic space have their own ranges, and so do
 * constants, which are allocations that cannot be written. */
#ifndef SIMTLAB_EMU_MEMORY_H
#define SIMTLAB_EMU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Windows of the generic address space. A shared window address holds the
 * block's rank in its cluster plus one above bit 24; 0 there is the own block. */
#define GENERIC_SHARED_WINDOW UINT64_C(0x00007e0000000000)
#define GENERIC_LOCAL_WINDOW UINT64_C(0x00007e0100000000)
#define GENERIC_PARAM_WINDOW UINT64_C(0x00007e0200000000)
#define GENERIC_WINDOW_SIZE UINT64_C(0x0000000100000000)
enum { SHARED_RANK_SHIFT = 24 };

enum allocation_kind {
    ALLOCATION_BUFFER,   /* made by the host */
    ALLOCATION_GLOBAL,   /* a .global variable of a module */
    ALLOCATION_CONST,    /* a .const variable: kernels cannot write it */
    ALLOCATION_HEAP,     /* device malloc */
};

struct allocation {
    uint64_t address, size;
    unsigned char *host;  /* size bytes; NULL once freed */
    const char *name;     /* for reports; may be NULL */
    uint8_t kind;         /* enum allocation_kind */
    bool freed;
    bool undefined;       /* content was never set by the host */
    /* By byte, the bits that nobody has set yet, kept by the init check from launch
     * to launch; NULL: all or none of them, as `undefined` says. From malloc. */
    unsigned char *undefined_bits;
    uint32_t number;      /* counts from 0 in order of allocation */
    void *shadow;         /* an observer's, see emu/observe.h; NULL at first */
};

struct memory;

/* The host has set the bytes, or a launch that nobody watched may have. */
void allocation_defined(struct allocation *allocation);

/* address_bits 64 or 32: where allocations start. NULL when out of memory. */
struct memory *memory_new(unsigned address_bits);
void memory_free(struct memory *memory);

/* size bytes at the given alignment (a power of two; at least 256 is used),
 * zeroed; the name is copied. NULL when the size cannot be had. The record
 * stays where it is for the life of the memory, also when released. */
struct allocation *memory_allocate(struct memory *memory, uint64_t size, uint64_t align,
                                   enum allocation_kind kind, const char *name);
/* Marks the allocation that starts at address freed and releases its bytes.
 * False when no live allocation starts there. */
bool memory_release(struct memory *memory, uint64_t address);

/* The allocation, live or freed, whose range holds the address, or NULL. */
struct allocation *memory_find(const struct memory *memory, uint64_t address);
/* The allocation, live or freed, nearest to the address; NULL if there are none. */
struct allocation *memory_nearest(const struct memory *memory, uint64_t address);
/* Allocation number i, in order of allocation; count in all. */
size_t memory_count(const struct memory *memory);
struct allocation *memory_at(const struct memory *memory, size_t i);

/* Textures (emu/texture.h), by number from 0; NULL past the last. Copied. */
struct texture_object;
uint32_t memory_add_texture(struct memory *memory, const struct texture_object *object);
const struct texture_object *memory_texture(const struct memory *memory, uint64_t number);

/* A copy of the text that lives as long as the memory: for error messages. */
const char *memory_note(struct memory *memory, const char *text);

#endif
