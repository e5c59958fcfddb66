/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c - PTX text to a loaded module, kernels, launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/assemble.h"
#include "gpu/device.h"

/* Numbers of the driver's JIT options. */
enum {
    JIT_MAX_REGISTERS = 0,
    JIT_INFO_LOG = 3,
    JIT_INFO_LOG_SIZE = 4,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_SIZE = 6,
    JIT_OPTIMISATION = 7,
    JIT_VERBOSE = 12,
    JIT_LINE_INFO = 13,
    JIT_OPTION_COUNT = 8
};

/* Numbers of the function attributes. */
enum {
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_STATIC_SHARED = 1,
    FUNCTION_CONSTANT = 2,
    FUNCTION_LOCAL = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_PTX_VERSION = 5,
    FUNCTION_BINARY_VERSION = 6,
    FUNCTION_MAX_DYNAMIC_SHARED = 8,
    FUNCTION_NON_PORTABLE_CLUSTER = 14
};

enum { LOG_SIZE = 64 * 1024, PORTABLE_CLUSTER = 8, SHARED_WITHOUT_ASKING = 48 * 1024 };

/* Option values travel in the bits of a pointer, as the driver has it. */
static void *option_value(size_t value)
{
    return (void *)(uintptr_t)value;
}

static void add_log(struct text *out, const char *log)
{
    size_t size = strlen(log);

    if (!out || !size)
        return;
    text_add(out, log, size);
    if (log[size - 1] != '\n')
        text_putc(out, '\n');
}

/* The log's first line, behind the error's own text. */
static void quote_log(struct gpu_error *error, const char *log)
{
    size_t used = strlen(error->text), length = strcspn(log, "\n");

    if (length)
        snprintf(error->text + used, sizeof error->text - used, ": %.*s",
                 (int)(length < 300 ? length : 300), log);
}

static bool load_assembled(struct gpu_context *context, const char *name, const char *ptx,
                           size_t size, const char *assembler, struct text *log,
                           struct gpu_module *module, struct gpu_error *error)
{
    struct arena arena = {0};
    size_t code_size;
    const char *code = gpu_assemble(&arena, assembler, context->info.major, context->info.minor,
                                    name, ptx, size, log, &code_size, error);
    bool loaded = code && DRIVER_CALL(context->driver, error, name, cuModuleLoadDataEx,
                                      (&module->handle, code, 0, NULL, NULL));

    arena_free(&arena);
    return loaded;
}

bool gpu_module_load(struct gpu_context *context, const char *name, const char *ptx,
                     size_t size, const struct gpu_jit *jit, struct text *log,
                     struct gpu_module *module, struct gpu_error *error)
{
    static const struct gpu_jit DEFAULT = {.optimisation = -1};
    int names[JIT_OPTION_COUNT];
    void *values[JIT_OPTION_COUNT];
    unsigned count = 0;

    module->handle = NULL;
    if (!jit)
        jit = &DEFAULT;
    if (memchr(ptx, 0, size))
        return gpu_fail(error, GPU_REFUSED, "%s is no PTX text: it has zero bytes", name);
    if (jit->assembler)
        return load_assembled(context, name, ptx, size, jit->assembler, log, module, error);
    /* The driver wants a terminated string; both logs start out empty. */
    char *memory = calloc(1, size + 1 + 2 * LOG_SIZE);
    if (!memory)
        return gpu_fail(error, GPU_REFUSED, "out of host memory");
    char *info_log = memory + size + 1, *error_log = info_log + LOG_SIZE;
    memcpy(memory, ptx, size);

    names[count] = JIT_INFO_LOG, values[count++] = info_log;
    names[count] = JIT_INFO_LOG_SIZE, values[count++] = option_value(LOG_SIZE);
    names[count] = JIT_ERROR_LOG, values[count++] = error_log;
    names[count] = JIT_ERROR_LOG_SIZE, values[count++] = option_value(LOG_SIZE);
    names[count] = JIT_VERBOSE, values[count++] = option_value(jit->verbose);
    if (jit->max_registers > 0)
        names[count] = JIT_MAX_REGISTERS,
        values[count++] = option_value((size_t)jit->max_registers);
    if (jit->optimisation >= 0)
        names[count] = JIT_OPTIMISATION,
        values[count++] = option_value((size_t)jit->optimisation);
    if (jit->line_info)
        names[count] = JIT_LINE_INFO, values[count++] = option_value(1);

    int code = context->driver->cuModuleLoadDataEx(&module->handle, memory, count, names,
                                                   values);
    info_log[LOG_SIZE - 1] = error_log[LOG_SIZE - 1] = 0;
    bool loaded = driver_check(context->driver, code, "cuModuleLoadDataEx", name, error);
    if (!loaded)
        quote_log(error, error_log);
    add_log(log, error_log);
    add_log(log, info_log);
    free(memory);
    return loaded;
}

bool gpu_module_unload(struct gpu_context *context, struct gpu_module *module,
                       struct gpu_error *error)
{
    driver_module handle = module->handle;

    module->handle = NULL;
    return !handle || DRIVER_CALL(context->driver, error, NULL, cuModuleUnload, (handle));
}

bool gpu_module_global(struct gpu_context *context, const struct gpu_module *module,
                       const char *name, uint64_t *address, size_t *size,
                       struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, name, cuModuleGetGlobal,
                       (address, size, module->handle, name));
}

bool gpu_kernel_find(struct gpu_context *context, const struct gpu_module *module,
                     const char *name, struct gpu_kernel *kernel, struct gpu_error *error)
{
    const struct driver *driver = context->driver;

    *kernel = (struct gpu_kernel){.name = name};
    if (!DRIVER_CALL(driver, error, name, cuModuleGetFunction,
                     (&kernel->handle, module->handle, name)))
        return false;
    const struct {
        int number;
        int *value;
    } attributes[] = {
        {FUNCTION_MAX_THREADS, &kernel->max_threads},
        {FUNCTION_STATIC_SHARED, &kernel->static_shared},
        {FUNCTION_CONSTANT, &kernel->constant},
        {FUNCTION_LOCAL, &kernel->local},
        {FUNCTION_REGISTERS, &kernel->registers},
        {FUNCTION_PTX_VERSION, &kernel->ptx_version},
        {FUNCTION_BINARY_VERSION, &kernel->binary_version},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!DRIVER_CALL(driver, error, name, cuFuncGetAttribute,
                         (attributes[i].value, attributes[i].number, kernel->handle)))
            return false;
    return true;
}

/* Three factors that cannot overflow 64 bits once each is below 2^21; larger
 * ones are out of every device's bounds. */
static uint64_t volume(const uint32_t dim[3])
{
    const uint64_t limit = 1 << 21;

    if (dim[0] > limit || dim[1] > limit || dim[2] > limit)
        return UINT64_MAX;
    return (uint64_t)dim[0] * dim[1] * dim[2];
}

/* What can be said better than the driver's "invalid argument" does. */
static bool check_launch(const struct gpu_context *context, const struct gpu_kernel *kernel,
                         const struct gpu_launch *launch, struct gpu_error *error)
{
    const struct gpu_device_info *info = &context->info;
    const int grid_limit[3] = {info->grid_x, info->grid_y, info->grid_z};
    const int block_limit[3] = {info->block_x, info->block_y, info->block_z};
    uint64_t threads = volume(launch->block), cluster = volume(launch->cluster);
    uint64_t shared = (uint64_t)kernel->static_shared + launch->dynamic_shared;

    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] == 0 || launch->block[i] == 0)
            return gpu_fail(error, GPU_REFUSED, "%s: the %s has a size of zero in %c",
                            kernel->name, launch->grid[i] ? "block" : "grid", "xyz"[i]);
        if (launch->grid[i] > (uint32_t)grid_limit[i])
            return gpu_fail(error, GPU_REFUSED, "%s: the grid's %c is %u, at most %d",
                            kernel->name, "xyz"[i], launch->grid[i], grid_limit[i]);
        if (launch->block[i] > (uint32_t)block_limit[i])
            return gpu_fail(error, GPU_REFUSED, "%s: the block's %c is %u, at most %d",
                            kernel->name, "xyz"[i], launch->block[i], block_limit[i]);
    }
    if (threads > (uint64_t)kernel->max_threads)
        return gpu_fail(error, GPU_REFUSED,
                        "%s: a block of %llu threads; this kernel as compiled allows %d",
                        kernel->name, (unsigned long long)threads, kernel->max_threads);
    if (shared > (uint64_t)info->block_shared_optin && info->block_shared_optin > 0)
        return gpu_fail(error, GPU_REFUSED,
                        "%s: %llu bytes of shared memory (%d static); a block has at most %d",
                        kernel->name, (unsigned long long)shared, kernel->static_shared,
                        info->block_shared_optin);
    if (cluster == 0 && (launch->cluster[0] | launch->cluster[1] | launch->cluster[2]))
        return gpu_fail(error, GPU_REFUSED, "%s: the cluster has a size of zero", kernel->name);
    for (int i = 0; cluster && i < 3; i++)
        if (launch->grid[i] % launch->cluster[i])
            return gpu_fail(error, GPU_REFUSED,
                            "%s: the grid's %c, %u, is no multiple of the cluster's, %u",
                            kernel->name, "xyz"[i], launch->grid[i], launch->cluster[i]);
    if (cluster && (!context->driver->cuLaunchKernelEx || info->cluster_launch == 0))
        return gpu_fail(error, GPU_REFUSED, "%s: cuda:%d, %s, has no clusters", kernel->name,
                        info->ordinal, info->name);
    if (launch->cooperative && info->cooperative_launch == 0)
        return gpu_fail(error, GPU_REFUSED, "%s: cuda:%d, %s, has no cooperative launch",
                        kernel->name, info->ordinal, info->name);
    return true;
}

static int launch_with_attributes(const struct driver *driver, const struct gpu_kernel *kernel,
                                  const struct gpu_launch *launch, void **parameters,
                                  driver_stream stream)
{
    struct driver_launch_attribute attributes[2];
    struct driver_launch all = {.dynamic_shared = launch->dynamic_shared,
                                .stream = stream,
                                .attributes = attributes};

    memset(attributes, 0, sizeof attributes);
    memcpy(all.grid, launch->grid, sizeof all.grid);
    memcpy(all.block, launch->block, sizeof all.block);
    if (launch->cluster[0]) {
        attributes[all.attribute_count].id = DRIVER_LAUNCH_CLUSTER;
        memcpy(attributes[all.attribute_count++].value.cluster, launch->cluster,
               sizeof launch->cluster);
    }
    if (launch->cooperative) {
        attributes[all.attribute_count].id = DRIVER_LAUNCH_COOPERATIVE;
        attributes[all.attribute_count++].value.cooperative = 1;
    }
    return driver->cuLaunchKernelEx(&all, kernel->handle, parameters, NULL);
}

bool gpu_launch(struct gpu_context *context, const struct gpu_kernel *kernel,
                const struct gpu_launch *launch, void **parameters, driver_stream stream,
                struct gpu_error *error)
{
    const struct driver *driver = context->driver;
    const uint32_t *g = launch->grid, *b = launch->block;

    if (!check_launch(context, kernel, launch, error))
        return false;
    if ((uint64_t)kernel->static_shared + launch->dynamic_shared > SHARED_WITHOUT_ASKING &&
        !DRIVER_CALL(driver, error, kernel->name, cuFuncSetAttribute,
                     (kernel->handle, FUNCTION_MAX_DYNAMIC_SHARED,
                      (int)launch->dynamic_shared)))
        return false;
    if (volume(launch->cluster) > PORTABLE_CLUSTER &&
        !DRIVER_CALL(driver, error, kernel->name, cuFuncSetAttribute,
                     (kernel->handle, FUNCTION_NON_PORTABLE_CLUSTER, 1)))
        return false;
    if (driver->cuLaunchKernelEx)
        return driver_check(driver,
                            launch_with_attributes(driver, kernel, launch, parameters, stream),
                            "cuLaunchKernelEx", kernel->name, error);
    if (launch->cooperative && !driver->cuLaunchCooperativeKernel)
        return gpu_fail(error, GPU_REFUSED, "%s: this driver has no cooperative launch",
                        kernel->name);
    if (launch->cooperative)
        return DRIVER_CALL(driver, error, kernel->name, cuLaunchCooperativeKernel,
                           (kernel->handle, g[0], g[1], g[2], b[0], b[1], b[2],
                            launch->dynamic_shared, stream, parameters));
    return DRIVER_CALL(driver, error, kernel->name, cuLaunchKernel,
                       (kernel->handle, g[0], g[1], g[2], b[0], b[1], b[2],
                        launch->dynamic_shared, stream, parameters, NULL));
}
