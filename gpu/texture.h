/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.h - textures and surfaces on a real GPU.
 *
 * A gpu_texture owns its array or linear memory and the object that kernels name it
 * by. Needs a context that is current, as everything of gpu/device.h. */
#ifndef SIMTLAB_GPU_TEXTURE_H
#define SIMTLAB_GPU_TEXTURE_H

#include "base/texture.h"
#include "gpu/device.h"

struct gpu_texture {
    struct texture what;
    driver_array array;  /* or */
    driver_mipmap mipmap; /* or */
    uint64_t memory;     /* of a texbuffer or texpitch */
    size_t pitch;        /* bytes from row to row of linear memory */
    uint64_t object;     /* what a kernel takes; 0: none made */
};

/* Makes it with contents (texture_elements() of them, rows close together). With_object
 * false: to be bound to a reference of a module. What was made before a failure
 * gpu_texture_close takes away. */
bool gpu_texture_open(struct gpu_context *context, const struct texture *what,
                      const void *contents, bool with_object, struct gpu_texture *texture,
                      struct gpu_error *error);
/* The contents now, in the same order; and new ones. */
bool gpu_texture_read(struct gpu_context *context, const struct gpu_texture *texture,
                      void *contents, struct gpu_error *error);
bool gpu_texture_write(struct gpu_context *context, const struct gpu_texture *texture,
                       const void *contents, struct gpu_error *error);
/* Binds it to the .texref or .surfref of that name. */
bool gpu_texture_bind(struct gpu_context *context, const struct gpu_texture *texture,
                      const struct gpu_module *module, const char *name,
                      struct gpu_error *error);
void gpu_texture_close(struct gpu_context *context, struct gpu_texture *texture);

#endif
