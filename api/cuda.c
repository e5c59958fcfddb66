/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda.c - see cuda.h. */
#include "api/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"

struct cuda {
    struct driver *driver;
    struct gpu_context gpu;
    char target[16]; /* "sm_90" */
    bool lost;       /* a kernel faulted */
};

struct cuda_module {
    struct gpu_module gpu;
};

/* --- devices ------------------------------------------------------------------------ */

bool cuda_is_name(const char *executor)
{
    return !strncmp(executor, "cuda", 4) && (executor[4] == ':' || !executor[4]);
}

static bool read_name(const char *executor, int *ordinal, const char **library)
{
    const char *at = strchr(executor, '@');
    char *end;

    *library = at ? at + 1 : NULL;
    *ordinal = 0;
    if (!executor[4] || executor + 4 == at)
        return !at || at[1];
    if (executor[5] < '0' || executor[5] > '9')
        return false;
    unsigned long number = strtoul(executor + 5, &end, 10);
    *ordinal = (int)number;
    return number < 1024 && (*end == 0 || end == at) && (!at || at[1]);
}

struct cuda *cuda_open(const char *executor, struct text *error)
{
    struct gpu_error why = {0};
    struct cuda *cuda;
    const char *library;
    int ordinal;

    if (!read_name(executor, &ordinal, &library)) {
        text_printf(error, "'%.80s' is no GPU: they are called cuda:0, cuda:1, ...\n", executor);
        return NULL;
    }
    cuda = calloc(1, sizeof *cuda);
    if (!cuda) {
        text_puts(error, "no host memory for a context\n");
        return NULL;
    }
    if (driver_open(library, &cuda->driver, &why) &&
        gpu_context_open(cuda->driver, ordinal, &cuda->gpu, &why)) {
        snprintf(cuda->target, sizeof cuda->target, "sm_%d%d", cuda->gpu.info.major,
                 cuda->gpu.info.minor);
        return cuda;
    }
    text_printf(error, "%s\n", why.text);
    driver_close(cuda->driver);
    free(cuda);
    return NULL;
}

const struct profile *cuda_profile(const struct cuda *cuda)
{
    const struct profile *profile = profile_find(cuda->target);

    return profile ? profile : profile_default();
}

void cuda_close(struct cuda *cuda)
{
    if (!cuda)
        return;
    gpu_context_close(&cuda->gpu, NULL);
    driver_close(cuda->driver);
    free(cuda);
}

/* --- failures ------------------------------------------------------------------------ */

static sl_status failed(struct sl_context *context, const struct gpu_error *why)
{
    context->cuda->lost |= gpu_error_is_fault(why);
    return context_fail(context,
                        why->code == DRIVER_OUT_OF_MEMORY ? SL_OUT_OF_MEMORY : SL_UNSUPPORTED,
                        "%s", why->text);
}

static sl_status usable(struct sl_context *context)
{
    return !context->cuda->lost
               ? SL_OK
               : context_fail(context, SL_INVALID,
                              "a kernel faulted before: this GPU context is of no more use");
}

/* --- modules ---------------------------------------------------------------------------- */

sl_status cuda_module_load(struct sl_module *module, const char *text, size_t size)
{
    struct sl_context *context = module->context;
    struct text log = {0};
    struct gpu_error why = {0};
    sl_status status = usable(context);

    if (status != SL_OK)
        return status;
    if (module->format != SL_FORMAT_PTX)
        return context_fail(context, SL_UNSUPPORTED,
                            "%s: a GPU takes PTX; `simtlab build` writes it from this",
                            module->ir->name);
    module->cuda = ARENA_NEW(&module->arena, struct cuda_module);
    if (!gpu_module_load(&context->cuda->gpu, module->ir->name, text, size, NULL, &log,
                         &module->cuda->gpu, &why)) {
        module->cuda = NULL;
        status = failed(context, &why);
        if (log.size)
            text_printf(&context->error, "%s\n", text_string(&log));
    }
    text_free(&log);
    return status;
}

void cuda_module_unload(struct sl_module *module)
{
    struct gpu_error ignored;

    if (module->cuda)
        gpu_module_unload(&module->context->cuda->gpu, &module->cuda->gpu, &ignored);
    module->cuda = NULL;
}

sl_status cuda_variable(const struct sl_module *module, const char *name, uint64_t *address,
                        uint64_t *size)
{
    struct gpu_error why = {0};
    size_t bytes = 0;

    if (!gpu_module_global(&module->context->cuda->gpu, &module->cuda->gpu, name, address, &bytes,
                           &why))
        return failed(module->context, &why);
    *size = bytes;
    return SL_OK;
}

/* --- memory ------------------------------------------------------------------------------- */

sl_status cuda_allocate(struct sl_context *context, uint64_t size, const void *bytes,
                        uint64_t *address)
{
    struct gpu_context *gpu = &context->cuda->gpu;
    struct gpu_error why = {0};
    sl_status status = usable(context);

    if (status != SL_OK)
        return status;
    if (!gpu_alloc(gpu, size, NULL, "a buffer", address, &why))
        return failed(context, &why);
    bool done = bytes ? gpu_copy_in(gpu, *address, bytes, (size_t)size, NULL, &why)
                      : gpu_fill(gpu, *address, 0, (size_t)size, NULL, &why);
    /* The caller's bytes need not stay. */
    if (done && gpu_stream_wait(gpu, NULL, &why))
        return SL_OK;
    cuda_release(context, *address);
    return failed(context, &why);
}

void cuda_release(struct sl_context *context, uint64_t address)
{
    struct gpu_error ignored;

    gpu_free(&context->cuda->gpu, address, NULL, &ignored);
}

sl_status cuda_read(struct sl_context *context, uint64_t address, void *bytes, uint64_t size)
{
    struct gpu_context *gpu = &context->cuda->gpu;
    struct gpu_error why = {0};
    sl_status status = usable(context);

    if (status == SL_OK && !(gpu_copy_out(gpu, bytes, address, (size_t)size, NULL, &why) &&
                             gpu_stream_wait(gpu, NULL, &why)))
        status = failed(context, &why);
    return status;
}

sl_status cuda_write(struct sl_context *context, uint64_t address, const void *bytes,
                     uint64_t size)
{
    struct gpu_context *gpu = &context->cuda->gpu;
    struct gpu_error why = {0};
    sl_status status = usable(context);

    if (status == SL_OK && !(gpu_copy_in(gpu, address, bytes, (size_t)size, NULL, &why) &&
                             gpu_stream_wait(gpu, NULL, &why)))
        status = failed(context, &why);
    return status;
}

/* --- launching ------------------------------------------------------------------------------ */

static bool set_limits(struct gpu_context *gpu, const struct launch *launch,
                       struct gpu_error *why)
{
    return (!launch->stack_limit ||
            gpu_limit_set(gpu, GPU_LIMIT_STACK, launch->stack_limit, why)) &&
           (!launch->heap_limit ||
            gpu_limit_set(gpu, GPU_LIMIT_HEAP, (size_t)launch->heap_limit, why));
}

/* What the driver tells of a fault is its kind; docs/hardware-notes.md, "Faults". */
static void add_fault(struct findings *findings, const struct gpu_error *why)
{
    static const struct {
        int code;
        enum finding_category category;
        const char *kind;
    } kinds[] = {
        {DRIVER_ILLEGAL_ADDRESS, FINDING_MEMORY, "illegal-address"},
        {DRIVER_LAUNCH_TIMEOUT, FINDING_TIMEOUT, "launch-timeout"},
        {DRIVER_ASSERT, FINDING_ASSERT, "assert"},
        {DRIVER_HARDWARE_STACK_ERROR, FINDING_MEMORY, "stack-error"},
        {DRIVER_MISALIGNED_ADDRESS, FINDING_MEMORY, "misaligned"},
        {DRIVER_INVALID_ADDRESS_SPACE, FINDING_MEMORY, "wrong-space"},
        {DRIVER_INVALID_PC, FINDING_MEMORY, "invalid-pc"},
    };
    struct finding finding = {.category = FINDING_TRAP, .kind = "launch-failed",
                              .severity = FINDING_ERROR};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].code == why->code) {
            finding.category = kinds[i].category;
            finding.kind = kinds[i].kind;
        }
    findings_add(findings, &finding, "the GPU reports %s", why->text);
}

sl_status cuda_launch(struct sl_kernel *kernel, const struct launch *launch,
                      const void *const *arguments, size_t count, struct findings *findings,
                      struct launch_result *result)
{
    struct sl_context *context = kernel->module->context;
    struct gpu_context *gpu = &context->cuda->gpu;
    struct gpu_launch asked = {.dynamic_shared = launch->shared_bytes,
                               .cooperative = launch->cooperative};
    struct gpu_error why = {0};
    struct gpu_kernel found;
    sl_status status = usable(context);

    if (status != SL_OK)
        return status;
    void **parameters = arena_array(findings->arena, count + 1, sizeof *parameters);
    for (size_t i = 0; i < count; i++)
        parameters[i] = (void *)arguments[i];
    memcpy(asked.grid, launch->grid, sizeof asked.grid);
    memcpy(asked.block, launch->block, sizeof asked.block);
    if (!kernel_function(kernel)->required_cluster[0])
        memcpy(asked.cluster, launch->cluster, sizeof asked.cluster);
    if (!set_limits(gpu, launch, &why) ||
        !gpu_kernel_find(gpu, &kernel->module->cuda->gpu, kernel->name, &found, &why) ||
        !gpu_launch(gpu, &found, &asked, parameters, NULL, &why))
        return failed(context, &why);
    if (gpu_context_wait(gpu, &why)) {
        result->completed = true;
    } else if (gpu_error_is_fault(&why)) {
        context->cuda->lost = true;
        add_fault(findings, &why);
    } else {
        return failed(context, &why);
    }
    return SL_OK;
}
