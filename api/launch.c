/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c - from arguments to a parameter block, a run and its report. */
#include "api/report.h"

#include <stdio.h>
#include <string.h>

#include "api/checkers.h"
#include "api/second_look.h"
#include "api/stream.h"
#include "check/checker.h"
#include "check/journal.h"

/* --- one launch ------------------------------------------------------------------------- */

static sl_status check_arguments(const struct sl_kernel *kernel, const void *const *arguments,
                                 size_t count)
{
    struct sl_context *context = kernel->module->context;
    const struct ir_function *function = kernel_function(kernel);

    if (count != function->parameter_count)
        return context_fail(context, SL_INVALID, "%s takes %u argument%s, %zu given",
                            kernel->demangled, function->parameter_count,
                            function->parameter_count == 1 ? "" : "s", count);
    for (size_t i = 0; i < count; i++)
        if (!arguments[i])
            return context_fail(context, SL_INVALID, "argument %zu of %s is missing", i,
                                kernel->demangled);
    return SL_OK;
}

/* Launch sizes that the kernel's own directives rule out. PTX ISA,
 * "Performance-Tuning Directives". */
static sl_status check_bounds(const struct sl_kernel *kernel, const uint32_t block[3])
{
    struct sl_context *context = kernel->module->context;
    const struct ir_function *f = kernel_function(kernel);
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    uint64_t most = (uint64_t)f->max_threads[0] * (f->max_threads[1] ? f->max_threads[1] : 1) *
                    (f->max_threads[2] ? f->max_threads[2] : 1);

    if (f->required_threads[0] &&
        (block[0] != f->required_threads[0] ||
         block[1] != (f->required_threads[1] ? f->required_threads[1] : 1) ||
         block[2] != (f->required_threads[2] ? f->required_threads[2] : 1)))
        return context_fail(context, SL_INVALID,
                            "%s must be launched with blocks of %u,%u,%u (.reqntid), not "
                            "%u,%u,%u", kernel->demangled, f->required_threads[0],
                            f->required_threads[1] ? f->required_threads[1] : 1,
                            f->required_threads[2] ? f->required_threads[2] : 1, block[0],
                            block[1], block[2]);
    if (most && threads > most)
        return context_fail(context, SL_INVALID,
                            "%s was compiled for at most %llu threads in a block (.maxntid), "
                            "not %llu", kernel->demangled, (unsigned long long)most,
                            (unsigned long long)threads);
    return SL_OK;
}

static void drop_output(void *self, const char *data, size_t size)
{
}

/* What the engine cannot execute comes with its place and needs no more words. */
static sl_status launch_failed(struct sl_kernel *kernel, const char *error)
{
    struct sl_context *context = kernel->module->context;

    if (!strstr(error, ": error: "))
        return context_fail(context, SL_INVALID, "%s: %s", kernel->demangled, error);
    text_free(&context->error);
    text_puts(&context->error, error);
    if (error[strlen(error) - 1] != '\n')
        text_putc(&context->error, '\n');
    return SL_UNSUPPORTED;
}

sl_status sl_launch(sl_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t shared_bytes, const void *const *arguments,
                    size_t argument_count, sl_report **report)
{
    return launch_with(kernel, grid, block, shared_bytes, arguments, argument_count,
                       &(struct launch_extras){0}, report);
}

sl_status sl_launch_shape(sl_kernel *kernel, const sl_shape *shape,
                          const void *const *arguments, size_t argument_count,
                          sl_report **report)
{
    if (!shape) {
        *report = NULL;
        return context_fail(kernel->module->context, SL_INVALID, "a launch needs a shape, not NULL");
    }
    struct launch_extras extras = {.cooperative = shape->cooperative != 0};

    memcpy(extras.cluster, shape->cluster, sizeof extras.cluster);
    return launch_with(kernel, shape->grid, shape->block, shape->shared_bytes, arguments,
                       argument_count, &extras, report);
}

/* Runs the launch on the emulator, with the checkers that were asked for. */
static sl_status emulate(struct sl_kernel *kernel, struct launch *launch,
                         const struct launch_extras *extras, struct findings *findings,
                         struct launch_result *result)
{
    unsigned checks = (unsigned)kernel->module->context->option[SL_OPTION_CHECKS];
    struct observer *observers[CHECKER_COUNT + 3];
    struct observer *journal = second_look_journal(launch, checks);
    const char *error = NULL;
    struct check_set set;
    sl_status status = SL_OK;

    check_set_make(&set, checks);
    launch->observers = observers;
    if (journal)
        observers[launch->observer_count++] = journal;
    for (uint32_t i = 0; i < set.count; i++)
        observers[launch->observer_count++] = set.observers[i];
    if (extras->observer)
        observers[launch->observer_count++] = extras->observer;
    if (kernel->module->context->option[SL_OPTION_WEAK])
        launch->weak = weak_memory_new(launch->seed, &observers[launch->observer_count++]);
    if (!launch_run(launch, findings, result, &error))
        status = launch_failed(kernel, error);
    check_set_free(&set);
    if (status == SL_OK)
        second_look(launch, journal, checks, findings, result);
    journal_free(journal);
    weak_memory_free(launch->weak);
    check_set_after(checks, launch->image->memory);
    launch->weak = NULL;
    launch->observers = NULL;
    launch->observer_count = 0;
    return status;
}

sl_status launch_with(sl_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                      uint32_t shared_bytes, const void *const *arguments,
                      size_t argument_count, const struct launch_extras *extras,
                      sl_report **report)
{
    struct sl_context *context = kernel->module->context;
    const struct ir_function *function = kernel_function(kernel);
    struct arena arena = {0};

    *report = NULL;
    if (!grid || !block || (!arguments && argument_count))
        return context_fail(context, SL_INVALID, "a launch needs %s, not NULL",
                            !grid ? "a grid" : !block ? "a block" : "its arguments");
    sl_status status = check_arguments(kernel, arguments, argument_count);
    if (status == SL_OK)
        status = check_bounds(kernel, block);
    if (status != SL_OK)
        return status;
    unsigned char *parameters = arena_alloc(&arena, function->parameter_bytes);
    for (size_t i = 0; i < argument_count; i++) {
        const struct ir_variable *variable = &function->variables[function->parameters[i]];
        memcpy(parameters + variable->offset, arguments[i], variable->size);
    }
    struct launch launch = {
        .image = kernel->module->image,
        .function = kernel->function,
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .cluster = {function->required_cluster[0], function->required_cluster[1],
                    function->required_cluster[2]},
        .shared_bytes = shared_bytes,
        .parameters = parameters,
        .parameter_bytes = function->parameter_bytes,
        .profile = context->profile,
        .seed = context->option[SL_OPTION_SEED],
        .seed_choices = context->option[SL_OPTION_SEED_CHOICES],
        .max_steps = context->option[SL_OPTION_MAX_STEPS],
        .stack_limit = (uint32_t)context->option[SL_OPTION_STACK_SIZE],
        .heap_limit = context->option[SL_OPTION_HEAP_SIZE],
        .print = context->print ? context->print : drop_output,
        .print_self = context->print_self,
    };
    struct findings findings = {
        .arena = &arena, .limit = (uint32_t)context->option[SL_OPTION_MAX_FINDINGS]};
    struct launch_result result = {0};
    launch.cooperative = extras->cooperative;
    if (extras->cluster[0])
        memcpy(launch.cluster, extras->cluster, sizeof launch.cluster);
    if (!extras->stream)
        streams_settle(context);
    if (!context->cuda) {
        status = emulate(kernel, &launch, extras, &findings, &result);
    } else if (extras->stream) { /* as far as one can tell yet */
        result.completed = true;
        status = cuda_stream_launch(extras->stream, kernel, &launch, arguments, argument_count);
    } else {
        status = cuda_launch(kernel, &launch, arguments, argument_count, &findings, &result);
    }
    if (status == SL_OK)
        *report = report_build(kernel, &launch, &findings, &result);
    arena_free(&arena);
    return status;
}

/* --- everything in one call ---------------------------------------------------------------- */

/* Buffers for the arguments that point to something, and the value of each. */
static sl_status make_arguments(struct sl_kernel *kernel, const struct sl_argument *arguments,
                                size_t count, struct sl_buffer **buffers, uint64_t *addresses,
                                const void **values)
{
    struct sl_context *context = kernel->module->context;

    for (size_t i = 0; i < count; i++) {
        const struct sl_argument *a = &arguments[i];
        size_t size = sl_kernel_parameter_size(kernel, i);

        if (a->direction == SL_VALUE) {
            if (a->size != size || !a->data)
                return context_fail(context, SL_INVALID,
                                    "argument %zu of %s has %zu bytes, %zu given", i,
                                    kernel->demangled, size, a->data ? a->size : 0);
            values[i] = a->data;
            continue;
        }
        if (a->direction != SL_IN && a->direction != SL_OUT && a->direction != SL_INOUT)
            return context_fail(context, SL_INVALID, "argument %zu has no direction %u", i,
                                (unsigned)a->direction);
        if (size != sizeof(uint64_t) && size != sizeof(uint32_t))
            return context_fail(context, SL_INVALID,
                                "argument %zu of %s has %zu bytes and cannot be a pointer", i,
                                kernel->demangled, size);
        values[i] = &addresses[i];
        if (!a->data && !a->size)
            continue;
        if (!a->data)
            return context_fail(context, SL_INVALID, "argument %zu has no data", i);
        sl_status status = sl_buffer_create(context, a->size,
                                            a->direction == SL_OUT ? NULL : a->data, &buffers[i]);
        if (status != SL_OK)
            return status;
        char name[300];
        snprintf(name, sizeof name, "argument %zu (%.200s)", i,
                 sl_kernel_parameter_name(kernel, i));
        sl_buffer_set_name(buffers[i], name);
        addresses[i] = sl_buffer_address(buffers[i]);
    }
    return SL_OK;
}

static sl_status run(struct sl_context *context, const char *ptx, size_t size, const char *name,
                     const uint32_t grid[3], const uint32_t block[3], uint32_t shared_bytes,
                     const struct sl_argument *arguments, size_t count, sl_report **report)
{
    struct arena arena = {0};
    struct sl_buffer **buffers = ARENA_NEW_ARRAY(&arena, count, struct sl_buffer *);
    uint64_t *addresses = ARENA_NEW_ARRAY(&arena, count, uint64_t);
    const void **values = ARENA_NEW_ARRAY(&arena, count, const void *);
    struct sl_module *module;
    struct sl_kernel *kernel;

    sl_status status = sl_module_load(context, SL_FORMAT_PTX, "ptx", ptx, size, &module);
    if (status == SL_OK)
        status = sl_module_find(module, name, &kernel);
    if (status == SL_OK && count != sl_kernel_parameter_count(kernel))
        status = context_fail(context, SL_INVALID, "%s takes %zu arguments, %zu given",
                              sl_kernel_demangled(kernel), sl_kernel_parameter_count(kernel),
                              count);
    if (status == SL_OK)
        status = make_arguments(kernel, arguments, count, buffers, addresses, values);
    if (status == SL_OK)
        status = sl_launch(kernel, grid, block, shared_bytes, values, count, report);
    for (size_t i = 0; i < count && status == SL_OK; i++)
        if (buffers[i] && (arguments[i].direction == SL_OUT || arguments[i].direction == SL_INOUT))
            status = sl_buffer_read(buffers[i], 0, arguments[i].data, arguments[i].size);
    arena_free(&arena);
    return status;
}

sl_status sl_run_ptx(const char *ptx, size_t size, const char *kernel, const uint32_t grid[3],
                     const uint32_t block[3], uint32_t shared_bytes,
                     const sl_argument *arguments, size_t argument_count, sl_report **report,
                     char *error, size_t error_size)
{
    struct sl_context *context;
    sl_status status = sl_context_create(NULL, &context);

    *report = NULL;
    if (error && error_size)
        *error = 0;
    if (status != SL_OK)
        return status;
    status = run(context, ptx, size, kernel, grid, block, shared_bytes, arguments,
                 argument_count, report);
    if (status != SL_OK)
        text_copy_out(&context->error, error, error_size);
    sl_context_destroy(context);
    return status;
}
