/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus_gpu.c - a real GPU as a device for litmus tests. */
#include "api/litmus_gpu.h"

#include <stdlib.h>

#include "gpu/device.h"

enum { MAX_BUFFERS = 8, INSTANCES = 1 << 17, DEFAULT_BLOCKS = 8 };

struct litmus_gpu {
    struct driver *driver;
    struct gpu_context context;
    struct gpu_module module;
    uint64_t buffers[MAX_BUFFERS];
    uint32_t buffer_count;
    struct many_device device;
};

static bool told(bool good, const struct gpu_error *error, struct text *err)
{
    if (!good)
        text_printf(err, "%s\n", error->text);
    return good;
}

static bool load(void *self, const char *ptx, size_t size, struct text *err)
{
    struct litmus_gpu *gpu = self;
    struct gpu_jit jit = {.optimisation = -1};
    struct gpu_error error;

    return told(gpu_module_load(&gpu->context, "litmus kernel", ptx, size, &jit, NULL,
                                &gpu->module, &error), &error, err);
}

static bool resident(void *self, const char *entry, uint32_t threads, uint32_t *blocks,
                     struct text *err)
{
    struct litmus_gpu *gpu = self;
    struct gpu_kernel kernel;
    struct gpu_error error;
    int each = DEFAULT_BLOCKS;

    if (!told(gpu_kernel_find(&gpu->context, &gpu->module, entry, &kernel, &error), &error, err))
        return false;
    const struct driver *d = gpu->driver;
    if (d->cuOccupancyMaxActiveBlocksPerMultiprocessor &&
        !told(DRIVER_CALL(d, &error, entry, cuOccupancyMaxActiveBlocksPerMultiprocessor,
                          (&each, kernel.handle, (int)threads, 0)), &error, err))
        return false;
    *blocks = (uint32_t)(each > 0 ? each : 1) * (uint32_t)gpu->context.info.multiprocessors;
    return true;
}

static bool allocate(void *self, uint64_t size, uint64_t *address, struct text *err)
{
    struct litmus_gpu *gpu = self;
    struct gpu_error error;

    if (!told(gpu_alloc(&gpu->context, size, NULL, "litmus", address, &error), &error, err))
        return false;
    gpu->buffers[gpu->buffer_count++] = *address;
    return told(gpu_fill(&gpu->context, *address, 0, size, NULL, &error), &error, err);
}

static bool launch(void *self, const char *entry, uint32_t blocks, uint32_t threads,
                   void *parameters[MANY_PARAMETERS], struct text *err)
{
    struct litmus_gpu *gpu = self;
    const struct gpu_launch shape = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    struct gpu_kernel kernel;
    struct gpu_error error;

    return told(gpu_kernel_find(&gpu->context, &gpu->module, entry, &kernel, &error) &&
                gpu_launch(&gpu->context, &kernel, &shape, parameters, NULL, &error),
                &error, err);
}

static bool read_back(void *self, uint64_t from, void *to, size_t size, struct text *err)
{
    struct litmus_gpu *gpu = self;
    struct gpu_error error;

    return told(gpu_copy_out(&gpu->context, to, from, size, NULL, &error) &&
                gpu_stream_wait(&gpu->context, NULL, &error), &error, err);
}

/* After a fault nothing can be given back; the process's end does it. */
static void unload(void *self)
{
    struct litmus_gpu *gpu = self;
    struct gpu_error error;

    while (gpu->buffer_count)
        (void)gpu_free(&gpu->context, gpu->buffers[--gpu->buffer_count], NULL, &error);
    (void)gpu_module_unload(&gpu->context, &gpu->module, &error);
}

struct litmus_gpu *litmus_gpu_open(int ordinal, struct text *err)
{
    struct litmus_gpu *gpu = calloc(1, sizeof *gpu);
    struct gpu_error error;

    if (!gpu) {
        text_puts(err, "out of memory\n");
        return NULL;
    }
    if (!told(driver_open(NULL, &gpu->driver, &error), &error, err)) {
        free(gpu);
        return NULL;
    }
    if (!told(gpu_context_open(gpu->driver, ordinal, &gpu->context, &error), &error, err)) {
        driver_close(gpu->driver);
        free(gpu);
        return NULL;
    }
    gpu->device = (struct many_device){gpu, INSTANCES, load, resident, allocate, launch,
                                       read_back, unload};
    return gpu;
}

void litmus_gpu_close(struct litmus_gpu *gpu)
{
    if (!gpu)
        return;
    gpu_context_close(&gpu->context, NULL);
    driver_close(gpu->driver);
    free(gpu);
}

const char *litmus_gpu_chip(const struct litmus_gpu *gpu)
{
    return gpu->context.info.name;
}

const char *litmus_gpu_driver(const struct litmus_gpu *gpu)
{
    return gpu->driver->version;
}

const struct many_device *litmus_gpu_device(struct litmus_gpu *gpu)
{
    return &gpu->device;
}
