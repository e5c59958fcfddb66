/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.h - loading modules into device memory and running launches.
 *
 * A device is a chip profile and its memory; it lives over many launches. An
 * image is a module loaded into a device: its global and constant variables
 * have addresses. A launch runs one kernel of an image to its end and leaves
 * its results in device memory and its findings in a list. */
#ifndef SIMTLAB_EMU_ENGINE_H
#define SIMTLAB_EMU_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "emu/finding.h"
#include "emu/memory.h"
#include "emu/observe.h"
#include "emu/profile.h"
#include "ir/ir.h"

/* A host function that stands in for an .extern .func: called once for each
 * active lane, arguments and results as raw bytes laid out by the PTX rules
 * (each at its own alignment, in order). */
struct host_function {
    const char *name;
    void (*call)(void *self, const unsigned char *arguments, unsigned char *results);
    void *self;
};

struct weak_memory;

struct image {
    const struct ir_module *module;
    struct memory *memory;
    struct arena arena;
    /* Address of each symbol in global or constant memory; 0 for shared ones. The module
     * may be given more of them later. */
    uint64_t *symbol_address;
    uint32_t *bank_offset; /* of constant ones, see image_from_bank() */
    uint32_t symbol_count;
    /* Host functions by index of the extern function they stand in for; NULL. */
    const struct host_function **host_functions;
};

/* Allocates and initialises the module's variables. The module must be verified
 * and outlive the image. NULL when device memory cannot be had or a name is not
 * defined; then *error says why, for the life of the memory. */
struct image *image_load(struct memory *memory, const struct ir_module *module,
                         const char **error);
void image_free(struct image *image);
/* Where a 64-bit module's constants lie in the constant bank, whose first byte is at address
 * 0 of the space; the emulator's own addresses of them are generic ones, far beyond. Gives
 * the generic address; one just past a constant where none lies, or what was given. */
enum { CONSTANT_BANK = 65536 };
uint64_t image_from_bank(const struct image *image, uint64_t offset);
/* Address of a function of the module, as kernels see it: a range of its own, in
 * which nothing can be read. Modules with 32-bit addresses see the low half. */
#define FUNCTION_ADDRESS_BASE UINT64_C(0x0000600000000000)
enum { FUNCTION_ADDRESS_STEP = 256 };
static inline uint64_t function_address(const struct ir_module *module, uint32_t index)
{
    uint64_t offset = (uint64_t)FUNCTION_ADDRESS_STEP * ((uint64_t)index + 1);
    return module->address_bits == 32 ? offset : FUNCTION_ADDRESS_BASE + offset;
}
/* The index of the function at the address; UINT32_MAX when there is none. */
static inline uint32_t function_from_address(const struct ir_module *module,
                                             uint64_t address)
{
    uint64_t offset =
        module->address_bits == 32 ? address : address - FUNCTION_ADDRESS_BASE;
    uint64_t index = offset / FUNCTION_ADDRESS_STEP - 1;
    return offset % FUNCTION_ADDRESS_STEP == 0 && index < module->function_count
               ? (uint32_t)index
               : UINT32_MAX;
}

/* Binds by name; false when the module declares no such extern function. The
 * host function is lent for the life of the image. */
bool image_bind(struct image *image, const struct host_function *function);

struct launch {
    struct image *image;
    uint32_t function; /* index of the kernel in image->module */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];    /* 0 or 1,1,1: none */
    uint32_t shared_bytes;  /* dynamic shared memory */
    bool cooperative;       /* the grid has a workspace for barriers of all its blocks */
    const unsigned char *parameters; /* the parameter block */
    uint64_t parameter_bytes;
    const struct profile *profile;
    uint64_t seed;          /* 0: blocks and warps in order; else another legal schedule */
    uint64_t seed_choices;  /* the seed decides so often, then the order is that of 0; 0: always */
    uint64_t max_steps;     /* warp instructions; 0: the default */
    uint32_t stack_limit;   /* bytes of local stack per thread; 0: 1024 */
    uint64_t heap_limit;    /* device malloc; 0: 8 MiB */
    struct observer *const *observers;
    uint32_t observer_count;
    struct weak_memory *weak; /* emu/weak.h; its observer is among the others. NULL:
                                 loads return the last value */
    void (*print)(void *self, const char *data, size_t size); /* vprintf output */
    void *print_self;
};

struct launch_result {
    uint64_t warp_instructions, thread_instructions;
    uint64_t seed_choices; /* how often the seed decided */
    bool completed; /* every thread came to its end */
};

enum { DEFAULT_STACK_LIMIT = 1024 };
#define DEFAULT_HEAP_LIMIT (UINT64_C(8) << 20)
#define DEFAULT_MAX_STEPS (UINT64_C(1) << 33)

/* Runs the launch. Returns false, with *error set (in findings' arena), when it
 * cannot start: bad sizes, not enough shared memory, an unsupported operation.
 * Everything that goes wrong while it runs becomes a finding. */
bool launch_run(const struct launch *launch, struct findings *findings,
                struct launch_result *result, const char **error);

/* What ptxas would call the static shared memory of the kernel: bytes of the
 * .shared variables that it and the functions it calls use. */
uint64_t kernel_static_shared(const struct ir_module *module, uint32_t function);

#endif
