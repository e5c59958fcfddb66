/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c - launches labelled kernels as plainly as a program of the Driver API would.
 *
 * For compute-sanitizer, which follows what the program tells the driver. So every
 * buffer is an allocation of the driver's, of exactly its size, a buffer without
 * contents stays as it came, and all happens in this process. (simtlab-record pools,
 * clears and forks.) Needs a C compiler and libc only:
 *     cc -std=c11 -O2 -I. -D_GNU_SOURCE -o launch tests/accuracy/launch.c \
 *         $(ls gpu/[!r]*.c gpu/recording.c) base/[a-z]*.c -ldl */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/file.h"
#include "gpu/device.h"
#include "gpu/job.h"
#include "gpu/signature.h"
#include "gpu/tensor_map.h"

struct launcher {
    struct gpu_context context;
    struct arena arena;
    const char *job_file;
    struct gpu_error error;
};

/* A buffer of its own; *why is NULL, or says what went wrong. */
static uint64_t make_buffer(struct launcher *l, const struct argument *argument, const char **why)
{
    const struct driver *driver = l->context.driver;
    size_t size = (size_t)argument_buffer_size(argument);
    uint64_t address;

    *why = "no memory";
    if (driver->cuMemAlloc(&address, size) != DRIVER_SUCCESS)
        return 0;
    *why = NULL;
    if (argument->fill == FILL_NOTHING)
        return address;
    void *host = arena_alloc(&l->arena, size);
    argument_fill(argument, host);
    if (driver->cuMemcpyHtoDAsync(address, host, size, NULL) != DRIVER_SUCCESS ||
        driver->cuCtxSynchronize() != DRIVER_SUCCESS)
        *why = "the copy failed";
    return address;
}

/* The bytes of a parameter: a scalar, an address, a struct, or a tensor map. NULL: *why says. */
static void *make_argument(struct launcher *l, const struct parameter *parameter,
                           const char *text, const char **why)
{
    uint64_t *value = arena_alloc(&l->arena, sizeof *value);
    struct argument argument;

    *why = argument_parse(&l->arena, text, strlen(text), &argument);
    if (*why)
        return NULL;
    switch (argument.kind) {
    case ARGUMENT_NULL:
        *value = 0;
        return value;
    case ARGUMENT_BYTES:
        return argument.bytes;
    case ARGUMENT_SCALAR:
        *why = element_parse(parameter->element, argument.text, strlen(argument.text), value);
        return *why ? NULL : value;
    case ARGUMENT_BUFFER:
        *value = make_buffer(l, &argument, why);
        return *why ? NULL : value;
    case ARGUMENT_TENSOR: {
        struct tensor_map map = argument.tensor;
        unsigned char *bytes = arena_alloc(&l->arena, TENSOR_MAP_BYTES);
        map.address = make_buffer(l, &argument, why);
        if (!*why && !gpu_tensor_map(&l->context, &map, bytes, &l->error))
            *why = l->error.text;
        return *why ? NULL : bytes;
    }
    default:
        break;
    }
    *why = "neither files, structs nor textures here";
    return NULL;
}

/* NULL, or what went wrong. */
static const char *launch(struct launcher *l, const struct recording_launch *asked)
{
    struct gpu_launch how = {.dynamic_shared = asked->shared,
                             .cooperative = asked->cooperative};
    struct signature signature;
    struct gpu_module module;
    struct gpu_kernel kernel;
    const char *why, *path = file_beside(&l->arena, l->job_file, asked->ptx);
    size_t size;
    char *ptx = file_read(&l->arena, path, &size, &why);

    if (!ptx)
        return why;
    why = signature_read(&l->arena, ptx, size, asked->kernel, &signature);
    if (why)
        return why;
    if (signature.count != asked->argument_count)
        return "the kernel takes another number of arguments";
    if (!gpu_module_load(&l->context, asked->ptx, ptx, size, NULL, NULL, &module, &l->error) ||
        !gpu_kernel_find(&l->context, &module, asked->kernel, &kernel, &l->error))
        return l->error.text;
    void **parameters = arena_array(&l->arena, signature.count + 1, sizeof *parameters);
    for (uint32_t i = 0; i < signature.count; i++) {
        parameters[i] = make_argument(l, &signature.items[i], asked->arguments[i], &why);
        if (!parameters[i])
            return why;
    }
    memcpy(how.grid, asked->grid, sizeof how.grid);
    memcpy(how.block, asked->block, sizeof how.block);
    memcpy(how.cluster, asked->cluster, sizeof how.cluster);
    if (!gpu_launch(&l->context, &kernel, &how, parameters, NULL, &l->error) ||
        !gpu_context_wait(&l->context, &l->error))
        return l->error.text;
    return NULL;
}

static bool wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !count;
}

int main(int count, char **words)
{
    struct launcher l = {.job_file = count > 1 ? words[1] : ""};
    struct driver *driver;
    struct job_list jobs;
    const char *why;
    size_t size;
    int status = 0;

    if (count < 2) {
        fprintf(stderr, "usage: launch JOBFILE [NAME...]\n");
        return 2;
    }
    char *source = file_read(&l.arena, l.job_file, &size, &why);
    if (!source) {
        fprintf(stderr, "launch: %s: %s\n", l.job_file, why);
        return 2;
    }
    struct diags diags = {.arena = &l.arena, .name = l.job_file, .source = source,
                          .source_size = size};
    if (!job_list_read(&diags, &jobs)) {
        struct text text = {0};
        diag_print(&text, &diags);
        fputs(text_string(&text), stderr);
        text_free(&text);
        return 2;
    }
    if (!driver_open(NULL, &driver, &l.error) ||
        !gpu_context_open(driver, 0, &l.context, &l.error)) {
        fprintf(stderr, "launch: %s\n", l.error.text);
        return 2;
    }
    for (uint32_t i = 0; i < jobs.count; i++) {
        const struct recording_launch *job = &jobs.items[i].launch;
        if (!wanted(job->name, count - 2, words + 2))
            continue;
        why = launch(&l, job);
        status |= why != NULL;
        printf("launch %s: %s\n", job->name, why ? why : "ok");
        fflush(stdout);
    }
    gpu_context_close(&l.context, NULL);
    driver_close(driver);
    arena_free(&l.arena);
    return status;
}
