/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_texture.c - textures, surfaces and tensor maps of a context on a real GPU. */
#include "api/cuda_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/tensor_map.h"
#include "gpu/texture.h"

/* An array has no addresses: it is copied as a whole. */
struct cuda_texture {
    struct gpu_texture gpu;
    uint64_t size;
};

sl_status cuda_texture_make(struct sl_context *context, const struct texture *what,
                            struct cuda_texture **out, uint64_t *handle)
{
    struct gpu_context *gpu = &context->cuda->gpu;
    struct gpu_error why = {0};
    driver_context previous;
    sl_status status = cuda_enter(context, &previous);

    *out = NULL;
    if (status != SL_OK)
        return status;
    uint64_t size = texture_elements(what) * element_size(what->element);
    struct cuda_texture *texture = calloc(1, sizeof *texture);
    void *zeros = calloc(1, (size_t)size);
    if (!texture || !zeros) {
        status = context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a texture");
    } else if (!gpu_texture_open(gpu, what, zeros, true, &texture->gpu, &why)) {
        gpu_texture_close(gpu, &texture->gpu);
        status = cuda_failed(context, &why);
    }
    cuda_leave(context, previous);
    free(zeros);
    if (status != SL_OK) {
        free(texture);
        return status;
    }
    texture->size = size;
    *handle = texture->gpu.object;
    *out = texture;
    return SL_OK;
}

void cuda_texture_release(struct sl_context *context, struct cuda_texture *texture)
{
    driver_context previous;

    if (cuda_enter_anyhow(context, &previous)) {
        gpu_texture_close(&context->cuda->gpu, &texture->gpu);
        cuda_leave(context, previous);
    }
    free(texture);
}

/* out or in: which of the two is not NULL. */
static sl_status copy_part(struct sl_context *context, struct cuda_texture *texture,
                           uint64_t offset, uint64_t size, void *out, const void *in)
{
    struct gpu_context *gpu = &context->cuda->gpu;
    struct gpu_error why = {0};
    driver_context previous;
    sl_status status = cuda_enter(context, &previous);

    if (status != SL_OK)
        return status;
    unsigned char *all = malloc((size_t)texture->size);
    bool good = all && gpu_texture_read(gpu, &texture->gpu, all, &why);
    if (good && in) {
        memcpy(all + offset, in, (size_t)size);
        good = gpu_texture_write(gpu, &texture->gpu, all, &why);
    } else if (good) {
        memcpy(out, all + offset, (size_t)size);
    }
    if (!good)
        status = all ? cuda_failed(context, &why)
                     : context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a texture");
    cuda_leave(context, previous);
    free(all);
    return status;
}

sl_status cuda_texture_read(struct sl_context *context, struct cuda_texture *texture,
                            uint64_t offset, void *bytes, uint64_t size)
{
    return copy_part(context, texture, offset, size, bytes, NULL);
}

sl_status cuda_texture_write(struct sl_context *context, struct cuda_texture *texture,
                             uint64_t offset, const void *bytes, uint64_t size)
{
    return copy_part(context, texture, offset, size, NULL, bytes);
}

sl_status cuda_texture_bind(struct sl_module *module, const char *name,
                            struct cuda_texture *texture)
{
    struct sl_context *context = module->context;
    struct gpu_error why = {0};
    driver_context previous;
    sl_status status = cuda_enter(context, &previous);

    if (status != SL_OK)
        return status;
    if (!gpu_texture_bind(&context->cuda->gpu, &texture->gpu, &module->cuda->gpu, name, &why))
        status = why.failure == GPU_CALL && why.code == DRIVER_NOT_FOUND
                     ? context_fail(context, SL_NOT_FOUND,
                                    "%s has no .texref or .surfref '%.200s'", module->ir->name,
                                    name)
                     : cuda_failed(context, &why);
    cuda_leave(context, previous);
    return status;
}

sl_status cuda_tensor_map(struct sl_context *context, const struct tensor_map *map,
                          unsigned char *bytes)
{
    ON_GPU(context, gpu_tensor_map(gpu_of(context), map, bytes, &why));
}
