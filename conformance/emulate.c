/* SPDX-License-Identifier: Apache-2.0
 *
 * emulate.c - see emulate.h. */
#include "conformance/emulate.h"

#include <string.h>

#include "api/arguments.h"
#include "base/file.h"
#include "gpu/launch_lines.h"

static void keep_print(void *self, const char *data, size_t size)
{
    text_add(self, data, size);
}

static bool api_failed(struct emulation *e)
{
    text_puts(&e->error, sl_context_error(e->context));
    return false;
}

static bool set_options(struct emulation *e, const struct recording_launch *launch,
                        const struct emulate_options *options)
{
    const struct {
        sl_option option;
        uint64_t value;
    } values[] = {{SL_OPTION_SEED, e->on_gpu ? 0 : options->seed},
                  {SL_OPTION_MAX_STEPS, e->on_gpu ? 0 : options->max_steps},
                  {SL_OPTION_TIMEOUT, e->on_gpu ? options->timeout : 0},
                  {SL_OPTION_STACK_SIZE, launch->stack},
                  {SL_OPTION_HEAP_SIZE, launch->heap}};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (sl_context_set(e->context, values[i].option, values[i].value) != SL_OK)
            return api_failed(e);
    sl_context_set_print(e->context, keep_print, &e->printed);
    e->context->owns_output = true;
    return true;
}

/* The arguments of a launch; files lie beside the PTX. A buffer that an earlier
 * argument made takes its place later. */
static const char **argument_texts(struct emulation *e, const struct conform_case *c,
                                   const struct recording_launch *launch)
{
    const char **texts = ARENA_NEW_ARRAY(&e->arena, launch->argument_count, const char *);

    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const char *text = launch->arguments[i];
        texts[i] = text[0] == '&'   ? "null"
                   : text[0] != '@' ? text
                                    : arena_printf(&e->arena, "@%s",
                                                   file_beside(&e->arena, c->sources,
                                                               text + 1));
    }
    return texts;
}

/* Makes the arguments of a launch; arguments holds those of the whole job. */
static bool prepare(struct emulation *e, const struct conform_case *c,
                    const struct recording_launch *launch, sl_kernel *kernel,
                    struct prepared_argument *arguments)
{
    struct prepared_arguments own;
    uint32_t same;

    if (!arguments_prepare(&e->arena, kernel, argument_texts(e, c, launch),
                           launch->argument_count, &own, &e->error))
        return false;
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        uint32_t number = launch->first_argument + i;
        struct prepared_argument *argument = &arguments[number];

        *argument = own.items[i];
        if (!launch_same_buffer(launch->arguments[i], number, &same))
            continue;
        if (same == UINT32_MAX || !arguments[same].buffer) {
            text_printf(&e->error, "argument %u, %.40s: that one is no buffer\n", number,
                        launch->arguments[i]);
            return false;
        }
        *argument = arguments[same];
    }
    return true;
}

/* The launches of the job in order; the report is that of the first with a
 * problem, or of the last. */
static bool launch_all(struct emulation *e, const struct conform_case *c, sl_module *module,
                       struct prepared_argument *arguments,
                       const struct emulate_options *options)
{
    sl_kernel *kernel;

    for (const struct recording_launch *l = &c->recorded->launch; l; l = l->next)
        if (sl_module_find(module, l->kernel, &kernel) != SL_OK)
            return api_failed(e);
        else if (!prepare(e, c, l, kernel, arguments))
            return false;
    for (const struct recording_launch *l = &c->recorded->launch; l; l = l->next) {
        const void **values = ARENA_NEW_ARRAY(&e->arena, l->argument_count, const void *);
        struct launch_extras extras = {.observer = options->observer,
                                       .cooperative = l->cooperative};

        for (uint32_t i = 0; i < l->argument_count; i++)
            values[i] = arguments[l->first_argument + i].value;
        memcpy(extras.cluster, l->cluster, sizeof extras.cluster);
        sl_report_destroy(e->report);
        e->report = NULL;
        sl_module_find(module, l->kernel, &kernel);
        if (launch_with(kernel, l->grid, l->block, l->shared, values, l->argument_count,
                        &extras, &e->report) != SL_OK)
            return api_failed(e);
        if (sl_report_problems(e->report))
            break;
    }
    return true;
}

const char *executor_words(const struct emulate_options *options)
{
    return options->executor && strcmp(options->executor, "emu") ? options->executor : "emulator";
}

static bool open_executor(struct emulation *e, const struct conform_case *c, const char *name)
{
    char why[1024];

    e->on_gpu = name && strcmp(name, "emu");
    if (sl_context_open(name, e->on_gpu ? NULL : c->target, &e->context, why, sizeof why) == SL_OK)
        return true;
    text_puts(&e->error, why);
    return false;
}

/* Reads back what was recorded. */
static bool fetch(struct emulation *e, const struct conform_case *c, const sl_module *module,
                  const struct prepared_argument *arguments)
{
    uint32_t count = c->recorded->count;
    uint32_t argument_count = launch_argument_count(&c->recorded->launch);

    e->bytes = ARENA_NEW_ARRAY(&e->arena, count, const unsigned char *);
    e->sizes = ARENA_NEW_ARRAY(&e->arena, count, uint64_t);
    e->addresses = ARENA_NEW_ARRAY(&e->arena, count, uint64_t);
    for (uint32_t i = 0; i < count; i++) {
        const struct recording_output *output = &c->recorded->items[i];
        const struct sl_buffer *buffer = NULL;
        uint64_t address, size;

        if (output->source == RECORDED_ARGUMENT) {
            if (output->argument < argument_count)
                buffer = arguments[output->argument].buffer;
            if (!buffer) {
                text_printf(&e->error, "recorded argument %u is no buffer\n", output->argument);
                return false;
            }
            e->addresses[i] = sl_buffer_address(buffer);
            e->sizes[i] = sl_buffer_size(buffer);
            unsigned char *bytes = arena_alloc(&e->arena, (size_t)e->sizes[i]);
            if (sl_buffer_read(buffer, 0, bytes, e->sizes[i]) != SL_OK)
                return api_failed(e);
            e->bytes[i] = bytes;
        } else if (output->source == RECORDED_GLOBAL) {
            if (!module_variable(module, output->name, &address, &size)) {
                text_printf(&e->error, "the module has no variable '%.80s'\n", output->name);
                return false;
            }
            unsigned char *bytes = arena_alloc(&e->arena, (size_t)size);
            if (!variable_read(module, address, bytes, size))
                return api_failed(e);
            e->addresses[i] = address;
            e->sizes[i] = size;
            e->bytes[i] = bytes;
        }
    }
    return true;
}

bool emulate(const struct conform_case *c, const struct emulate_options *options,
             struct emulation *e)
{
    const struct recording_launch *launch = &c->recorded->launch;
    struct prepared_argument *arguments;
    sl_module *module;

    *e = (struct emulation){0};
    if (!open_executor(e, c, options->executor) || !set_options(e, launch, options))
        return false;
    if (sl_module_load(e->context, SL_FORMAT_PTX, c->ptx_name ? c->ptx_name : launch->ptx, c->ptx, c->ptx_size, &module) !=
            SL_OK)
        return api_failed(e);
    for (uint32_t i = 0; i < launch->reference_count; i++) {
        const char *text = launch->references[i];
        size_t name = strcspn(text, " \t");
        if (!reference_prepare(&e->arena, module, arena_copy(&e->arena, text, name),
                               text + name + strspn(text + name, " \t"), &e->error))
            return false;
    }
    arguments = ARENA_NEW_ARRAY(&e->arena, launch_argument_count(launch),
                                struct prepared_argument);
    if (!launch_all(e, c, module, arguments, options))
        return false;
    /* After a fault a GPU gives nothing back. */
    return (e->on_gpu && sl_report_problems(e->report)) || fetch(e, c, module, arguments);
}

void emulation_free(struct emulation *e)
{
    sl_report_destroy(e->report);
    sl_context_destroy(e->context);
    text_free(&e->printed);
    text_free(&e->error);
    arena_free(&e->arena);
}
