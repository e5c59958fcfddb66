/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda.c - see cuda.h. */
#include "api/cuda_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- devices ------------------------------------------------------------------------ */

bool cuda_is_name(const char *executor)
{
    return !strncmp(executor, "cuda", 4) && (executor[4] == ':' || !executor[4]);
}

bool cuda_read_name(const char *executor, int *ordinal, const char **library)
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

    if (!cuda_read_name(executor, &ordinal, &library)) {
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
        gpu_context_leave(&cuda->gpu, cuda->gpu.previous);
        snprintf(cuda->target, sizeof cuda->target, "sm_%d%d", cuda->gpu.info.major,
                 cuda->gpu.info.minor);
        return cuda;
    }
    text_printf(error, "%s\n", why.text);
    driver_close(cuda->driver);
    free(cuda);
    return NULL;
}

const char *cuda_target(const struct cuda *cuda)
{
    return cuda->target;
}

const struct profile *cuda_profile(const struct cuda *cuda)
{
    const struct profile *profile = profile_find(cuda->target);

    return profile ? profile : profile_default();
}

void cuda_close(struct cuda *cuda)
{
    struct gpu_error ignored;

    if (!cuda)
        return;
    if (cuda->hung)
        return;
    /* What was current on this thread, not on the one that opened it, is so again. */
    gpu_context_enter(&cuda->gpu, &cuda->gpu.previous, &ignored);
    gpu_context_close(&cuda->gpu, NULL);
    driver_close(cuda->driver);
    free(cuda);
}

/* --- failures ------------------------------------------------------------------------ */

sl_status cuda_failed(struct sl_context *context, const struct gpu_error *why)
{
    if (gpu_error_is_fault(why) && !context->cuda->lost) {
        context->cuda->lost = true;
        context->cuda->fault = *why;
    }
    return context_fail(context,
                        why->code == DRIVER_OUT_OF_MEMORY ? SL_OUT_OF_MEMORY : SL_UNSUPPORTED,
                        "%s", why->text);
}

sl_status context_usable(struct sl_context *context)
{
    if (context->cuda && context->cuda->hung)
        return context_fail(context, SL_INVALID, "a kernel that has not ended holds this GPU");
    if (context->cuda && context->cuda->lost)
        return context_fail(context, SL_INVALID,
                            "a kernel faulted before: this GPU context is of no more use");
    return SL_OK;
}

sl_status cuda_enter(struct sl_context *context, driver_context *previous)
{
    struct gpu_error why = {0};
    sl_status status = context_usable(context);

    if (status != SL_OK)
        return status;
    return gpu_context_enter(&context->cuda->gpu, previous, &why) ? SL_OK
                                                                  : cuda_failed(context, &why);
}

void cuda_leave(struct sl_context *context, driver_context previous)
{
    gpu_context_leave(&context->cuda->gpu, previous);
}

bool cuda_enter_anyhow(struct sl_context *context, driver_context *previous)
{
    struct gpu_error ignored;

    return !context->cuda->hung && gpu_context_enter(&context->cuda->gpu, previous, &ignored);
}

/* --- modules ---------------------------------------------------------------------------- */

sl_status cuda_module_load(struct sl_module *module, const char *text, size_t size)
{
    struct sl_context *context = module->context;
    struct text log = {0};
    struct gpu_error why = {0};
    driver_context previous;
    sl_status status;

    if (module->format != SL_FORMAT_PTX)
        return context_fail(context, SL_UNSUPPORTED,
                            "%s: a GPU takes PTX; `simtlab build` writes it from this",
                            module->ir->name);
    status = cuda_enter(context, &previous);
    if (status != SL_OK)
        return status;
    module->cuda = ARENA_NEW(&module->arena, struct cuda_module);
    if (!gpu_module_load(&context->cuda->gpu, module->ir->name, text, size, NULL, &log,
                         &module->cuda->gpu, &why)) {
        module->cuda = NULL;
        status = cuda_failed(context, &why);
        if (log.size)
            text_printf(&context->error, "%s\n", text_string(&log));
    }
    cuda_leave(context, previous);
    text_free(&log);
    return status;
}

void cuda_module_unload(struct sl_module *module)
{
    struct sl_context *context = module->context;
    struct gpu_error ignored;
    driver_context previous;

    if (module->cuda && cuda_enter_anyhow(context, &previous)) {
        gpu_module_unload(&context->cuda->gpu, &module->cuda->gpu, &ignored);
        cuda_leave(context, previous);
    }
    module->cuda = NULL;
}

sl_status cuda_variable(const struct sl_module *module, const char *name, uint64_t *address,
                        uint64_t *size)
{
    struct sl_context *context = module->context;
    struct gpu_error why = {0};
    driver_context previous;
    size_t bytes = 0;
    sl_status status = cuda_enter(context, &previous);

    if (status != SL_OK)
        return status;
    if (!gpu_module_global(&context->cuda->gpu, &module->cuda->gpu, name, address, &bytes, &why))
        status = cuda_failed(context, &why);
    cuda_leave(context, previous);
    *size = bytes;
    return status;
}

/* --- memory ------------------------------------------------------------------------------- */

sl_status cuda_allocate(struct sl_context *context, uint64_t size, const void *bytes,
                        uint64_t *address)
{
    struct gpu_context *gpu = &context->cuda->gpu;
    struct gpu_error why = {0}, ignored;
    driver_context previous;
    sl_status status = cuda_enter(context, &previous);

    if (status != SL_OK)
        return status;
    if (!gpu_alloc(gpu, size, NULL, "a buffer", address, &why)) {
        status = cuda_failed(context, &why);
    } else {
        bool done = bytes ? gpu_copy_in(gpu, *address, bytes, (size_t)size, NULL, &why)
                          : gpu_fill(gpu, *address, 0, (size_t)size, NULL, &why);
        /* The caller's bytes need not stay. */
        if (!done || !gpu_stream_wait(gpu, NULL, &why)) {
            gpu_free(gpu, *address, NULL, &ignored);
            status = cuda_failed(context, &why);
        }
    }
    cuda_leave(context, previous);
    return status;
}

void cuda_release(struct sl_context *context, uint64_t address)
{
    struct gpu_error ignored;
    driver_context previous;

    if (cuda_enter_anyhow(context, &previous)) {
        gpu_free(&context->cuda->gpu, address, NULL, &ignored);
        cuda_leave(context, previous);
    }
}

sl_status cuda_read(struct sl_context *context, uint64_t address, void *bytes, uint64_t size)
{
    struct gpu_context *gpu = gpu_of(context);

    ON_GPU(context, gpu_copy_out(gpu, bytes, address, (size_t)size, NULL, &why) &&
                        gpu_stream_wait(gpu, NULL, &why));
}

sl_status cuda_write(struct sl_context *context, uint64_t address, const void *bytes,
                     uint64_t size)
{
    struct gpu_context *gpu = gpu_of(context);

    ON_GPU(context, gpu_copy_in(gpu, address, bytes, (size_t)size, NULL, &why) &&
                        gpu_stream_wait(gpu, NULL, &why));
}

uint64_t cuda_memory(const struct sl_context *context, sl_memory figure)
{
    struct pool_stats stats;

    pool_read_stats(context->cuda->gpu.pool, &stats);
    switch (figure) {
    case SL_MEMORY_ALLOCATIONS:
        return stats.allocations;
    case SL_MEMORY_FREES:
        return stats.frees;
    case SL_MEMORY_LIVE:
        return stats.live;
    case SL_MEMORY_PEAK_LIVE:
        return stats.peak_live;
    case SL_MEMORY_IN_USE:
        return stats.in_use;
    case SL_MEMORY_PEAK_IN_USE:
        return stats.peak_in_use;
    case SL_MEMORY_RESERVED:
        return stats.reserved;
    case SL_MEMORY_PEAK_RESERVED:
        return stats.peak_reserved;
    case SL_MEMORY_FREE:
        return stats.free_bytes;
    case SL_MEMORY_LARGEST_FREE:
        return stats.largest_free;
    case SL_MEMORY_FRAGMENTATION:
        return stats.fragmentation;
    }
    return 0;
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

bool cuda_hangs(const struct cuda *cuda)
{
    return cuda->hung;
}

bool cuda_wait(struct sl_context *context, driver_stream stream, struct gpu_error *why)
{
    struct cuda *cuda = context->cuda;
    uint64_t seconds = context->option[SL_OPTION_TIMEOUT];
    bool done = true;

    if (!seconds)
        return gpu_stream_wait(&cuda->gpu, stream, why);
    if (!gpu_stream_wait_for(&cuda->gpu, stream, seconds, &done, why))
        return false;
    cuda->hung = !done;
    return done;
}

bool cuda_queue(struct sl_kernel *kernel, const struct launch *launch,
                const void *const *arguments, size_t count, driver_stream stream,
                struct gpu_error *why)
{
    struct gpu_context *gpu = &kernel->module->context->cuda->gpu;
    struct gpu_launch asked = {.dynamic_shared = launch->shared_bytes,
                               .cooperative = launch->cooperative};
    struct gpu_kernel found;
    struct arena arena = {0};
    void **parameters = arena_array(&arena, count + 1, sizeof *parameters);

    for (size_t i = 0; i < count; i++)
        parameters[i] = (void *)arguments[i];
    memcpy(asked.grid, launch->grid, sizeof asked.grid);
    memcpy(asked.block, launch->block, sizeof asked.block);
    if (!kernel_function(kernel)->required_cluster[0])
        memcpy(asked.cluster, launch->cluster, sizeof asked.cluster);
    bool good = set_limits(gpu, launch, why) &&
                gpu_kernel_find(gpu, &kernel->module->cuda->gpu, kernel->name, &found, why) &&
                gpu_launch(gpu, &found, &asked, parameters, stream, why);
    arena_free(&arena);
    return good;
}

bool cuda_capture(struct sl_context *context, struct capture *capture)
{
    return context->owns_output && context->print && capture_begin(capture);
}

void cuda_capture_end(struct sl_context *context, bool captured, struct capture *capture)
{
    if (captured)
        capture_end(capture, context->print, context->print_self);
}

void cuda_add_end(const struct sl_context *context, struct findings *findings)
{
    struct finding finding = {.category = FINDING_TIMEOUT, .kind = "still-running",
                              .severity = FINDING_ERROR};
    uint64_t seconds = context->option[SL_OPTION_TIMEOUT];

    if (!context->cuda->hung)
        add_fault(findings, &context->cuda->fault);
    else
        findings_add(findings, &finding, "the kernel has not ended within %llu second%s",
                     (unsigned long long)seconds, seconds == 1 ? "" : "s");
}

sl_status cuda_launch(struct sl_kernel *kernel, const struct launch *launch,
                      const void *const *arguments, size_t count, struct findings *findings,
                      struct launch_result *result)
{
    struct sl_context *context = kernel->module->context;
    struct gpu_error why = {0};
    driver_context previous;
    struct capture capture;
    sl_status status = cuda_enter(context, &previous);

    if (status != SL_OK)
        return status;
    bool captured = cuda_capture(context, &capture);
    result->completed = cuda_queue(kernel, launch, arguments, count, NULL, &why) &&
                        (!context->option[SL_OPTION_TIMEOUT] ||
                         cuda_wait(context, NULL, &why)) &&
                        gpu_context_wait(&context->cuda->gpu, &why);
    cuda_capture_end(context, captured, &capture);
    if (!result->completed && !context->cuda->hung)
        status = cuda_failed(context, &why);
    if (context->cuda->hung || context->cuda->lost) {
        cuda_add_end(context, findings);
        status = SL_OK;
    }
    cuda_leave(context, previous);
    return status;
}
