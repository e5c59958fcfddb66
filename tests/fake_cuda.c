/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_cuda.c - a CUDA driver library made of host memory, for tests.
 *
 * Written against the driver's manual, with its own declarations: it shares
 * nothing with gpu/, so a wrong number or layout there does not cancel out. */
#include "tests/fake_cuda.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct launch_attribute {
    int id;
    char padding[4];
    union {
        char room[64];
        int cooperative;
        struct {
            unsigned x, y, z;
        } cluster;
    } value;
};

struct launch_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
    void *stream;
    struct launch_attribute *attributes;
    unsigned attribute_count;
};

struct module {
    char *text;
    unsigned global[4];
};

enum { KERNEL_LIMIT = 32 };

static struct fake_cuda state;
static int sticky; /* the fault that the context died of */
static int pending; /* a fault that comes out at the next wait */
static void *picture; /* what the reference of that name is bound to */
static char kernel_names[KERNEL_LIMIT][64];
static unsigned kernel_count;

EXPORT struct fake_cuda *fake_cuda_reset(void);
EXPORT struct fake_cuda *fake_cuda_reset(void)
{
    state = (struct fake_cuda){.device_count = 2,
                               .cuda_version = 13000,
                               .memory_left = (size_t)1 << 30,
                               .stack_limit = 1024,
                               .heap_limit = 8 << 20,
                               .printf_limit = 1 << 20};
    sticky = pending = 0;
    kernel_count = 0;
    return &state;
}

static __attribute__((constructor)) void at_load(void)
{
    fake_cuda_reset();
}

#define ENTRY(name, ...) \
    EXPORT int name(__VA_ARGS__); \
    EXPORT int name(__VA_ARGS__)

/* --- the library and its devices ------------------------------------------------ */

ENTRY(cuInit, unsigned flags) { return flags ? 1 : state.init_result; }
ENTRY(cuDriverGetVersion, int *version) { return *version = state.cuda_version, 0; }

ENTRY(cuGetErrorName, int code, const char **name)
{
    switch (code) {
    case 1: *name = "CUDA_ERROR_INVALID_VALUE"; return 0;
    case 2: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return 0;
    case 100: *name = "CUDA_ERROR_NO_DEVICE"; return 0;
    case 218: *name = "CUDA_ERROR_INVALID_PTX"; return 0;
    case 500: *name = "CUDA_ERROR_NOT_FOUND"; return 0;
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return 0;
    case 710: *name = "CUDA_ERROR_ASSERT"; return 0;
    default: *name = NULL; return 1;
    }
}

ENTRY(cuGetErrorString, int code, const char **text)
{
    *text = code == 700   ? "an illegal memory access was encountered"
            : code == 2   ? "out of memory"
            : code == 500 ? "named symbol not found"
                          : NULL;
    return *text ? 0 : 1;
}

ENTRY(cuDeviceGetCount, int *count) { return *count = state.device_count, 0; }

ENTRY(cuDeviceGet, int *device, int ordinal)
{
    *device = ordinal + 40; /* a handle is not an ordinal */
    return ordinal >= 0 && ordinal < state.device_count ? 0 : 101;
}

ENTRY(cuDeviceGetName, char *name, int size, int device)
{
    snprintf(name, (size_t)size, "Fake GPU %d", device - 40);
    return 0;
}

ENTRY(cuDeviceGetUuid_v2, unsigned char *uuid, int device)
{
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(device - 40 + 16 * i);
    return 0;
}

ENTRY(cuDeviceGetPCIBusId, char *id, int size, int device)
{
    snprintf(id, (size_t)size, "0000:0%d:00.0", device - 40);
    return 0;
}

ENTRY(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    return *bytes = (size_t)(device - 39) << 30, 0;
}

ENTRY(cuDeviceGetAttribute, int *value, int attribute, int device)
{
    switch (attribute) {
    case 75: *value = 9; return 0;
    case 76: *value = 0; return 0;
    case 1: case 2: case 3: *value = 1024; return 0;
    case 4: *value = 64; return 0;
    case 5: *value = 2147483647; return 0;
    case 6: case 7: *value = 65535; return 0;
    case 97: *value = 232448; return 0;
    case 120: *value = device == 40; return 0; /* the second has no clusters */
    case 133: return 1;                        /* as an older driver does */
    default: *value = attribute; return 0;
    }
}

/* --- contexts ------------------------------------------------------------------- */

ENTRY(cuCtxGetCurrent, void **context) { return *context = state.current_context, 0; }
ENTRY(cuCtxSetCurrent, void *context) { return state.current_context = context, 0; }

ENTRY(cuCtxGetDevice, int *device)
{
    *device = (int)(uintptr_t)state.current_context - 1 + 40;
    return state.current_context ? 0 : 201;
}

static int wait_for_all(void)
{
    state.waits++;
    if (state.endless)
        abort(); /* would wait for ever */
    if (pending)
        sticky = pending;
    return sticky;
}

ENTRY(cuCtxSynchronize, void) { return wait_for_all(); }

static size_t *limit_of(int limit)
{
    return limit == 0   ? &state.stack_limit
           : limit == 1 ? &state.printf_limit
           : limit == 2 ? &state.heap_limit
                        : NULL;
}

ENTRY(cuCtxSetLimit, int limit, size_t value)
{
    size_t *place = limit_of(limit);

    return place ? (*place = value, 0) : 1;
}

ENTRY(cuCtxGetLimit, size_t *value, int limit)
{
    size_t *place = limit_of(limit);

    return place ? (*value = *place, 0) : 1;
}

ENTRY(cuDevicePrimaryCtxRetain, void **context, int device)
{
    state.retained++;
    return *context = (void *)(uintptr_t)(device - 40 + 1), 0;
}

/* Its own count, so that a reset in between does not matter. */
ENTRY(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = device == 40 && state.retained > state.released;
    return 0;
}

ENTRY(cuDevicePrimaryCtxRelease_v2, int device) { return (void)device, state.released++, 0; }

/* --- modules and kernels ---------------------------------------------------------- */

ENTRY(cuModuleLoadDataEx, struct module **module, const void *image, unsigned count, int *names,
      void **values)
{
    static const char MESSAGE[] = "ptxas error : the text is not to my liking\nsecond line\n";
    size_t used = 0;

    if (sticky || !state.current_context)
        return sticky ? sticky : 201;
    for (unsigned i = 0; i < count; i++) {
        if (names[i] == 5 && strstr(image, "SYNTAX ERROR"))
            memcpy(values[i], MESSAGE, sizeof MESSAGE);
        if (names[i] == 3)
            memcpy(values[i], "info\n", 6);
        if (names[i] < 3 || names[i] > 6)
            used += (size_t)snprintf(state.jit_options + used, sizeof state.jit_options - used,
                                     "%d=%d ", names[i], (int)(uintptr_t)values[i]);
    }
    if (strstr(image, "SYNTAX ERROR"))
        return 218;
    *module = calloc(1, sizeof **module);
    (*module)->text = malloc(strlen(image) + 1);
    strcpy((*module)->text, image);
    (*module)->global[2] = 7;
    state.modules_open++;
    return 0;
}

ENTRY(cuModuleUnload, struct module *module)
{
    free(module->text);
    free(module);
    state.modules_open--;
    return sticky;
}

ENTRY(cuModuleGetFunction, void **function, struct module *module, const char *name)
{
    char entry[100];
    unsigned i = 0;

    snprintf(entry, sizeof entry, ".entry %s", name);
    if (!strstr(module->text, entry))
        return 500;
    while (i < kernel_count && i < KERNEL_LIMIT && strcmp(kernel_names[i], name))
        i++;
    if (i == kernel_count || i == KERNEL_LIMIT)
        snprintf(kernel_names[i = kernel_count++ % KERNEL_LIMIT], 64, "%s", name);
    *function = kernel_names[i];
    return 0;
}

ENTRY(cuModuleGetGlobal_v2, uint64_t *address, size_t *size, struct module *module,
      const char *name)
{
    if (strcmp(name, "counter"))
        return 500;
    *address = (uint64_t)(uintptr_t)module->global;
    *size = sizeof module->global;
    return 0;
}

ENTRY(cuFuncGetAttribute, int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 0   ? 1024
             : attribute == 1 ? state.static_shared
             : attribute == 4 ? 24
                              : attribute;
    return 0;
}

ENTRY(cuFuncSetAttribute, void *function, int attribute, int value)
{
    (void)function;
    if (attribute == 8)
        state.last_opt_in = value;
    if (attribute == 14)
        state.non_portable = value;
    return 0;
}

/* --- launches -------------------------------------------------------------------- */

static void execute(const char *name, void **parameters)
{
    if (!strcmp(name, "store_index")) {
        uint32_t *p = *(uint32_t **)parameters[0], n = *(uint32_t *)parameters[1];
        for (uint32_t i = 0; i < n; i++)
            p[i] = 3 * i;
    } else if (!strcmp(name, "add_one")) {
        uint32_t *p = *(uint32_t **)parameters[0], *q = *(uint32_t **)parameters[1];
        for (uint32_t i = 0; i < *(uint32_t *)parameters[2]; i++)
            q[i] = p[i] + 1;
    } else if (!strcmp(name, "fault_address")) {
        pending = 700;
    } else if (!strcmp(name, "fault_assert")) {
        pending = 710;
    } else if (!strcmp(name, "say_hello")) {
        puts("hello from the device");
    } else if (!strcmp(name, "litmus_final")) {
        uint64_t *table = *(uint64_t **)parameters[3];
        table[2] = 1; /* a hash */
        table[3] += *(uint32_t *)parameters[7];
    } else if (!strcmp(name, "kill_process")) {
        abort();
    } else if (!strcmp(name, "never_end")) {
        state.endless = 1;
    } else if (!strcmp(name, "add_texels")) {
        unsigned char *bytes = *(unsigned char **)parameters[0];
        for (uint32_t i = 0; i < *(uint32_t *)parameters[1]; i++)
            bytes[i]++;
    } else if (!strcmp(name, "copy_map")) {
        memcpy(*(void **)parameters[0], parameters[1], 128);
    } else if (!strcmp(name, "copy_picture")) {
        memcpy(*(void **)parameters[0], picture, *(uint32_t *)parameters[1]);
    }
}

ENTRY(cuLaunchKernelEx, const struct launch_config *c, void *function, void **parameters,
      void **extra)
{
    if (sticky || extra || !state.current_context)
        return sticky ? sticky : extra ? 1 : 201;
    state.launches++;
    memcpy(state.grid, &c->grid_x, sizeof state.grid);
    memcpy(state.block, &c->block_x, sizeof state.block);
    memset(state.cluster, 0, sizeof state.cluster);
    state.dynamic_shared = c->shared;
    state.stream = c->stream;
    state.cooperative = 0;
    for (unsigned i = 0; i < c->attribute_count; i++) {
        if (c->attributes[i].id == 4)
            memcpy(state.cluster, &c->attributes[i].value.cluster, sizeof state.cluster);
        if (c->attributes[i].id == 2)
            state.cooperative = c->attributes[i].value.cooperative;
    }
    execute(function, parameters);
    return 0;
}

ENTRY(cuLaunchKernel, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
      unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters, void **extra)
{
    struct launch_config c = {gx, gy, gz, bx, by, bz, shared, stream, NULL, 0};

    return cuLaunchKernelEx(&c, function, parameters, extra);
}

/* --- memory ------------------------------------------------------------------------ */

ENTRY(cuMemAlloc_v2, uint64_t *address, size_t size)
{
    if (sticky || !state.current_context)
        return sticky ? sticky : 201;
    if (size > state.memory_left)
        return 2;
    state.allocations++;
    *address = (uint64_t)(uintptr_t)aligned_alloc(512, (size + 511) / 512 * 512);
    return 0;
}

ENTRY(cuMemFree_v2, uint64_t address)
{
    state.frees++;
    free((void *)(uintptr_t)address);
    return sticky;
}

ENTRY(cuMemGetInfo_v2, size_t *left, size_t *total)
{
    *left = state.memory_left;
    *total = (size_t)1 << 30;
    return sticky;
}

static int copy(void *to, const void *from, size_t size)
{
    int result = state.fail_next_copy;

    state.fail_next_copy = 0;
    if (sticky || result || !state.current_context)
        return sticky ? sticky : result ? result : 201;
    memcpy(to, from, size);
    return 0;
}

ENTRY(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t size, void *stream)
{
    return (void)stream, copy((void *)(uintptr_t)to, from, size);
}

ENTRY(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t size, void *stream)
{
    return (void)stream, copy(to, (void *)(uintptr_t)from, size);
}

ENTRY(cuMemcpyDtoDAsync_v2, uint64_t to, uint64_t from, size_t size, void *stream)
{
    return (void)stream, copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size);
}

ENTRY(cuMemsetD8Async, uint64_t to, unsigned char value, size_t count, void *stream)
{
    (void)stream;
    if (!sticky)
        memset((void *)(uintptr_t)to, value, count);
    return sticky;
}

/* --- tensor maps: what was asked for, packed -------------------------------------------- */

ENTRY(cuTensorMapEncodeTiled, unsigned char *map, int type, unsigned rank, uint64_t address,
      const uint64_t *sizes, const uint64_t *strides, const unsigned *box,
      const unsigned *steps, int interleave, int swizzle, int promotion, int fill)
{
    uint64_t words[3] = {address, sizes[0] | strides[0] << 32, box[0] | (uint64_t)steps[0] << 32};
    unsigned char rest[6] = {(unsigned char)type, (unsigned char)rank,
                             (unsigned char)interleave, (unsigned char)swizzle,
                             (unsigned char)promotion, (unsigned char)fill};

    memcpy(map, words, sizeof words);
    memcpy(map + sizeof words, rest, sizeof rest);
    return (uintptr_t)map % 64 ? 1 : 0; /* the manual wants that */
}

ENTRY(cuTensorMapEncodeIm2col, unsigned char *map, int type, unsigned rank, uint64_t address,
      const uint64_t *sizes, const uint64_t *strides, const int *lower, const int *upper,
      unsigned channels, unsigned pixels, const unsigned *steps, int interleave, int swizzle,
      int promotion, int fill)
{
    map[0] = (unsigned char)lower[0];
    map[1] = (unsigned char)upper[0];
    map[2] = (unsigned char)channels;
    map[3] = (unsigned char)pixels;
    (void)address, (void)sizes, (void)strides, (void)steps, (void)interleave, (void)promotion;
    return type == 6 && rank == 3 && swizzle == 3 && fill == 1 ? 0 : 1;
}

/* --- textures and surfaces: an array is its texels ------------------------------------ */

struct array_description {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct copy_side {
    size_t x, y, z, level;
    int memory; /* 1 host, 2 device, 3 array */
    void *host;
    uint64_t device;
    void *array, *context;
    size_t pitch, height;
};

struct copy_whole {
    struct copy_side from, to;
    size_t bytes, height, depth;
};

struct resource {
    int type; /* 0 array, 2 linear, 3 with rows */
    union {
        void *array;
        uint64_t address;
        int room[32];
    } u;
    unsigned flags;
};

ENTRY(cuArray3DCreate_v2, void **array, const struct array_description *d)
{
    size_t rows = (d->height ? d->height : 1) * (d->depth ? d->depth : 1);

    state.arrays_open++;
    *array = calloc(d->width * rows * d->channels, 4);
    return state.current_context ? 0 : 201;
}

ENTRY(cuArrayDestroy, void *array) { return free(array), state.arrays_open--, sticky; }

static unsigned char *side_of(const struct copy_side *side, size_t bytes, size_t *pitch)
{
    *pitch = side->memory == 3 ? bytes : side->pitch;
    return side->memory == 1 ? side->host : side->memory == 2 ? (void *)(uintptr_t)side->device
                                                              : side->array;
}

ENTRY(cuMemcpy3D_v2, const struct copy_whole *c)
{
    size_t from_pitch, to_pitch;
    unsigned char *from = side_of(&c->from, c->bytes, &from_pitch);
    unsigned char *to = side_of(&c->to, c->bytes, &to_pitch);

    for (size_t row = 0; !sticky && row < c->height * c->depth; row++)
        memcpy(to + row * to_pitch, from + row * from_pitch, c->bytes);
    return sticky;
}

static int make_object(uint64_t *object, const struct resource *resource)
{
    state.objects_open++;
    *object = (uint64_t)(uintptr_t)resource->u.array;
    return sticky;
}

ENTRY(cuTexObjectCreate, uint64_t *object, const struct resource *resource, const void *texture,
      const void *view)
{
    return texture && !view ? make_object(object, resource) : 1;
}

ENTRY(cuSurfObjectCreate, uint64_t *object, const struct resource *resource)
{
    return make_object(object, resource);
}

ENTRY(cuTexObjectDestroy, uint64_t object) { return (void)object, state.objects_open--, sticky; }
ENTRY(cuSurfObjectDestroy, uint64_t object) { return (void)object, state.objects_open--, sticky; }

ENTRY(cuModuleGetTexRef, void **reference, void *module, const char *name)
{
    *reference = &picture;
    return module && !strcmp(name, "picture") ? 0 : 500;
}

ENTRY(cuModuleGetSurfRef, void **reference, void *module, const char *name)
{
    return cuModuleGetTexRef(reference, module, name);
}

ENTRY(cuTexRefSetArray, void **reference, void *array, unsigned flags)
{
    *reference = array;
    return flags == 1 ? 0 : 1;
}

ENTRY(cuSurfRefSetArray, void **reference, void *array, unsigned flags)
{
    *reference = array;
    return flags == 0 ? 0 : 1;
}

ENTRY(cuTexRefSetAddress_v2, size_t *offset, void **reference, uint64_t address, size_t size)
{
    *reference = (void *)(uintptr_t)address;
    *offset = 0;
    return size ? 0 : 1;
}

ENTRY(cuTexRefSetAddress2D_v3, void **reference, const void *description, uint64_t address,
      size_t pitch)
{
    *reference = (void *)(uintptr_t)address;
    return description && pitch % 32 == 0 ? 0 : 1;
}

ENTRY(cuTexRefSetFormat, void *reference, int format, int channels)
{
    return reference && format && channels ? 0 : 1;
}

ENTRY(cuTexRefSetBorderColor, void *reference, float *color) { return reference && color ? 0 : 1; }

ENTRY(cuTexRefSetAddressMode, void *reference, int dimension, int mode)
{
    return reference && dimension < 3 && mode < 4 ? 0 : 1;
}

ENTRY(cuTexRefSetFilterMode, void *reference, int mode) { return reference && mode < 2 ? 0 : 1; }
ENTRY(cuTexRefSetFlags, void *reference, unsigned flags) { return reference && flags < 4 ? 0 : 1; }

/* --- streams and events -------------------------------------------------------------- */

static uintptr_t handles = 100;

ENTRY(cuStreamCreate, void **stream, unsigned flags)
{
    *stream = (void *)++handles;
    state.streams_open++;
    return flags == 1 ? sticky : 1;
}

ENTRY(cuStreamDestroy_v2, void *stream) { return (void)stream, state.streams_open--, sticky; }
ENTRY(cuStreamSynchronize, void *stream) { return (void)stream, wait_for_all(); }
ENTRY(cuStreamQuery, void *stream) { return (void)stream, pending || state.endless ? 600 : sticky; }

ENTRY(cuStreamWaitEvent, void *stream, void *event, unsigned flags)
{
    return (void)stream, (void)event, (void)flags, sticky;
}

ENTRY(cuEventCreate, void **event, unsigned flags)
{
    *event = (void *)++handles;
    state.events_open++;
    return flags ? 1 : sticky;
}

ENTRY(cuEventDestroy_v2, void *event) { return (void)event, state.events_open--, sticky; }
ENTRY(cuEventRecord, void *event, void *stream) { return (void)event, (void)stream, sticky; }
ENTRY(cuEventSynchronize, void *event) { return (void)event, wait_for_all(); }

/* --- the other way to find entry points ------------------------------------------------ */

static int event_elapsed(float *milliseconds, void *start, void *end)
{
    return *milliseconds = (float)((uintptr_t)end - (uintptr_t)start), sticky;
}

/* cuEventElapsedTime is not exported here, only given out. */
ENTRY(cuGetProcAddress_v2, const char *name, void **address, int version, uint64_t flags,
      int *status)
{
    int (*function)(float *, void *, void *) = event_elapsed;

    if (strcmp(name, "cuEventElapsedTime") || version != 2000 || flags)
        return *address = NULL, *status = 1, 500;
    memcpy(address, &function, sizeof function);
    return *status = 0, 0;
}
