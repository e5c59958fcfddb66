/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda.h - contexts whose launches run on a real GPU: the executor `cuda:N`.
 *
 * The frontend still reads the module: it knows the kernels and their parameters;
 * the driver compiles the same text. Memory and launches are the driver's. A kernel's
 * fault becomes a finding without a place, and the context is of no use after it. */
#ifndef SIMTLAB_API_CUDA_H
#define SIMTLAB_API_CUDA_H

#include "api/objects.h"

/* "cuda:N", and for tests "cuda:N@FILE" with another driver library. */
bool cuda_is_name(const char *executor);
/* Its number, 0 when it names none, and its library or NULL. False: malformed. */
bool cuda_read_name(const char *executor, int *ordinal, const char **library);
/* NULL, with lines of explanation in error. */
struct cuda *cuda_open(const char *executor, struct text *error);
/* The profile nearest to the device: sizes that are checked before launching. */
const struct profile *cuda_profile(const struct cuda *cuda);
/* What the device is: "sm_90". */
const char *cuda_target(const struct cuda *cuda);
/* What was not freed is given back. A kernel that has not ended keeps it all. */
void cuda_close(struct cuda *cuda);

/* All of these put the explanation into the context. */
sl_status cuda_module_load(struct sl_module *module, const char *text, size_t size);
void cuda_module_unload(struct sl_module *module);
/* bytes NULL: zeros. */
sl_status cuda_allocate(struct sl_context *context, uint64_t size, const void *bytes,
                        uint64_t *address);
void cuda_release(struct sl_context *context, uint64_t address);
sl_status cuda_read(struct sl_context *context, uint64_t address, void *bytes, uint64_t size);
sl_status cuda_write(struct sl_context *context, uint64_t address, const void *bytes,
                     uint64_t size);
sl_status cuda_variable(const struct sl_module *module, const char *name, uint64_t *address,
                        uint64_t *size);
/* Of the pool. */
uint64_t cuda_memory(const struct sl_context *context, sl_memory figure);
/* A texture or surface of zeros, and the object that kernels take. */
struct texture;
sl_status cuda_texture_make(struct sl_context *context, const struct texture *what,
                            struct cuda_texture **out, uint64_t *handle);
void cuda_texture_release(struct sl_context *context, struct cuda_texture *texture);
/* Bytes of its texels, rows close together. */
sl_status cuda_texture_read(struct sl_context *context, struct cuda_texture *texture,
                            uint64_t offset, void *bytes, uint64_t size);
sl_status cuda_texture_write(struct sl_context *context, struct cuda_texture *texture,
                             uint64_t offset, const void *bytes, uint64_t size);
sl_status cuda_texture_bind(struct sl_module *module, const char *name,
                            struct cuda_texture *texture);
/* The 128 bytes of a tensor map as the driver writes them for this GPU. */
struct tensor_map;
sl_status cuda_tensor_map(struct sl_context *context, const struct tensor_map *map,
                          unsigned char *bytes);
/* Whether a kernel has not ended in its time: exit() may wait for it. */
bool cuda_hangs(const struct cuda *cuda);
/* Launches and waits. launch: as for the emulator, of which this takes the sizes. */
sl_status cuda_launch(struct sl_kernel *kernel, const struct launch *launch,
                      const void *const *arguments, size_t count, struct findings *findings,
                      struct launch_result *result);

#endif
