/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c - modules from text, and the kernels in them. */
#include "config.h"

#include "api/objects.h"

#include <stdlib.h>
#include <string.h>

#include "api/demangle.h"
#include "api/stream.h"
#include "base/likeness.h"
#include "frontend/ptx/ptx.h"

/* --- loading -------------------------------------------------------------------- */

static sl_status fail_with_diags(struct sl_context *context, const struct diags *diags)
{
    text_free(&context->error);
    diag_print(&context->error, diags);
    return SL_MALFORMED;
}

/* Instructions and registers of a newer chip than the context's would be refused
 * by that chip's driver. Feature letters tie a module to one chip. PTX ISA,
 * ".target". */
static sl_status check_target(struct sl_context *context, const struct ir_module *ir)
{
    if (context->any_target)
        return SL_OK;
    if (ir->target <= context->profile->number &&
        (ir->target_suffix != 'a' || ir->target == context->profile->number))
        return SL_OK;
    char suffix[2] = {ir->target_suffix, 0};
    return context_fail(context, SL_UNSUPPORTED,
                        "%s: the module is for sm_%u%s, which %s cannot run; choose another "
                        "profile (`simtlab devices` lists them)",
                        ir->name, ir->target, suffix, context->profile->name);
}

static void list_kernels(struct sl_module *module)
{
    const struct ir_module *ir = module->ir;

    module->kernels = ARENA_NEW_ARRAY(&module->arena, ir->function_count + 1, struct sl_kernel);
    for (uint32_t i = 0; i < ir->function_count; i++) {
        struct arena scratch = {0};
        struct cxx_name name;

        if (!ir->functions[i].is_kernel || ir->functions[i].linkage == IR_LINKAGE_EXTERN)
            continue;
        struct sl_kernel *kernel = &module->kernels[module->kernel_count++];
        kernel->module = module;
        kernel->function = i;
        kernel->name = ir->functions[i].name;
        kernel->demangled = cxx_demangle(&scratch, kernel->name, &name)
                                ? arena_strdup(&module->arena, name.full) : kernel->name;
        arena_free(&scratch);
    }
}

static sl_status read_text(struct sl_module *module, sl_format format, const char *name,
                           const char *text, size_t size)
{
    struct sl_context *context = module->context;
    struct arena *arena = &module->arena;
    struct diags diags = {.arena = arena, .name = arena_strdup(arena, name),
                          .source = arena_copy(arena, text, size), .source_size = size};

    module->ir = format == SL_FORMAT_KIR
                     ? ir_parse(arena, diags.name, diags.source, size, &diags)
                     : ptx_read(arena, diags.name, diags.source, size, &diags);
    if (!module->ir || diags.errors || !ir_verify(module->ir, &diags))
        return fail_with_diags(context, &diags);
    struct text warnings = {0};
    diag_print(&warnings, &diags);
    module->warnings = arena_strdup(arena, text_string(&warnings));
    text_free(&warnings);

    list_kernels(module);
    if (context->cuda)
        return cuda_module_load(module, text, size);
    sl_status status = check_target(context, module->ir);
    if (status != SL_OK)
        return status;
    if (context->any_target) /* it will not run, so what it needs from others may be missing */
        return SL_OK;
    struct memory *memory =
        context_memory(context, module->ir->address_bits == 32 ? 32 : 64);
    if (!memory)
        return SL_UNSUPPORTED;
    const char *error = NULL;
    module->image = image_load(memory, module->ir, &error);
    if (!module->image)
        return context_fail(context, SL_UNSUPPORTED, "%s: %s", name, error);
    return SL_OK;
}

sl_status sl_module_load(sl_context *context, sl_format format, const char *name,
                         const char *text, size_t size, sl_module **out)
{
    *out = NULL;
    if (format != SL_FORMAT_PTX && format != SL_FORMAT_KIR)
        return context_fail(context, SL_INVALID, "there is no text format %u", (unsigned)format);
    if (!name || (!text && size))
        return context_fail(context, SL_INVALID, "a module needs %s, not NULL",
                            name ? "its text" : "a name for messages");
    struct sl_module *module = calloc(1, sizeof *module);
    if (!module)
        return context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a module");
    module->context = context;
    module->format = format;
    LIST_ADD(context->modules, module);
    sl_status status = read_text(module, format, name, text, size);
    if (status == SL_OK)
        *out = module;
    else
        sl_module_destroy(module);
    return status;
}

void sl_module_destroy(sl_module *module)
{
    if (!module)
        return;
    streams_settle(module->context);
    LIST_REMOVE(module->context->modules, module);
    module_forget_variables(module);
    if (module->image)
        image_free(module->image);
    cuda_module_unload(module);
    module_close_libraries(module);
    arena_free(&module->arena);
    free(module);
}

const char *sl_module_warnings(const sl_module *module)
{
    return module->warnings;
}

/* --- kernels -------------------------------------------------------------------- */

size_t sl_module_kernel_count(const sl_module *module)
{
    return module->kernel_count;
}

sl_kernel *sl_module_kernel(const sl_module *module, size_t index)
{
    return index < module->kernel_count ? &module->kernels[index] : NULL;
}

/* How well a kernel answers to a name: 0 not at all; an exact name beats a
 * qualified one, and that beats a base name. */
static int match(const struct sl_kernel *kernel, const char *name)
{
    struct arena scratch = {0};
    struct cxx_name parts;
    int found = 0;

    if (!strcmp(kernel->name, name))
        return 4;
    if (cxx_demangle(&scratch, kernel->name, &parts))
        found = cxx_same(parts.full, name)                                          ? 3
                : cxx_same(parts.qualified, name) || cxx_same(parts.plain, name)    ? 2
                : !strcmp(parts.base, name)                                         ? 1
                                                                                    : 0;
    arena_free(&scratch);
    return found;
}

/* Could a kernel be meant by a name that is none? */
static bool resembles(const struct sl_kernel *kernel, const char *name)
{
    struct arena scratch = {0};
    struct cxx_name parts;
    size_t size = strlen(name);
    const char *base = kernel->name;

    if (cxx_demangle(&scratch, kernel->name, &parts))
        base = parts.base;
    bool found = (size >= 3 && (strstr(kernel->demangled, name) || strstr(kernel->name, name))) ||
                 likeness_may_mean(name, base);
    arena_free(&scratch);
    return found;
}

/* Those that answer to the name as well as `how`; 0: those that resemble it. NULL: all. */
static size_t add_kernel_list(struct sl_module *module, const char *name, int how)
{
    enum { SHOWN = 40 };
    struct text *error = &module->context->error;
    size_t listed = 0;

    for (size_t i = 0; i < module->kernel_count; i++) {
        const struct sl_kernel *kernel = &module->kernels[i];
        if (name && (how ? match(kernel, name) != how : !resembles(kernel, name)))
            continue;
        if (listed++ >= SHOWN)
            continue;
        text_printf(error, "  %s\n", kernel->demangled);
        if (strcmp(kernel->demangled, kernel->name) != 0)
            text_printf(error, "    %s\n", kernel->name);
    }
    if (listed > SHOWN)
        text_printf(error, "  and %zu more\n", listed - SHOWN);
    return listed;
}

/* Nothing is called that. */
static void add_guesses(struct sl_module *module, const char *name)
{
    struct sl_context *context = module->context;
    const char *file = module->ir->name;

    context_fail(context, SL_NOT_FOUND, "%s: no kernel is called '%.200s'; did you mean:", file,
                 name);
    if (add_kernel_list(module, name, 0))
        return;
    context_fail(context, SL_NOT_FOUND, "%s: no kernel is called '%.200s'; there is:", file, name);
    add_kernel_list(module, NULL, 0);
}

sl_status sl_module_find(sl_module *module, const char *name, sl_kernel **out)
{
    struct sl_context *context = module->context;
    struct sl_kernel *found = NULL;
    int best = 0, number = 0;

    *out = NULL;
    if (module->kernel_count == 0)
        return context_fail(context, SL_NOT_FOUND, "%s: the file holds no kernel",
                            module->ir->name);
    for (size_t i = 0; i < module->kernel_count; i++) {
        int how = name ? match(&module->kernels[i], name) : 1;
        if (how > best) {
            best = how;
            number = 0;
        }
        if (how == best && how) {
            number++;
            found = &module->kernels[i];
        }
    }
    if (number == 1) {
        *out = found;
        return SL_OK;
    }
    if (!name)
        context_fail(context, SL_NOT_FOUND, "%s: the file holds several kernels; name one:",
                     module->ir->name);
    else if (number)
        context_fail(context, SL_NOT_FOUND,
                     "%s: %d kernels are called '%.200s'; use a full name:", module->ir->name,
                     number, name);
    if (name && !number)
        add_guesses(module, name);
    else
        add_kernel_list(module, name, best);
    return SL_NOT_FOUND;
}

const char *sl_kernel_name(const sl_kernel *kernel)
{
    return kernel->name;
}

const char *sl_kernel_demangled(const sl_kernel *kernel)
{
    return kernel->demangled;
}

size_t sl_kernel_parameter_count(const sl_kernel *kernel)
{
    return kernel_function(kernel)->parameter_count;
}

static const struct ir_variable *parameter(const struct sl_kernel *kernel, size_t index)
{
    const struct ir_function *function = kernel_function(kernel);

    return index < function->parameter_count
               ? &function->variables[function->parameters[index]]
               : NULL;
}

const char *sl_kernel_parameter_name(const sl_kernel *kernel, size_t index)
{
    const struct ir_variable *variable = parameter(kernel, index);

    return variable ? variable->name : NULL;
}

const char *sl_kernel_parameter_type(const sl_kernel *kernel, size_t index)
{
    const struct ir_variable *variable = parameter(kernel, index);

    return variable ? ir_types[variable->type].name : NULL;
}

size_t sl_kernel_parameter_size(const sl_kernel *kernel, size_t index)
{
    const struct ir_variable *variable = parameter(kernel, index);

    return variable ? (size_t)variable->size : 0;
}

uint64_t sl_kernel_static_shared(const sl_kernel *kernel)
{
    return kernel_static_shared(kernel->module->ir, kernel->function);
}

/* --- host functions ---------------------------------------------------------------- */

sl_status sl_bind_function(sl_module *module, const char *name, sl_host_function *function,
                           void *self)
{
    struct host_function *bound = ARENA_NEW(&module->arena, struct host_function);

    bound->name = arena_strdup(&module->arena, name);
    bound->call = function;
    bound->self = self;
    if (module->cuda)
        return context_fail(module->context, SL_UNSUPPORTED,
                            "a GPU cannot call functions of the host");
    if (!image_bind(module->image, bound))
        return context_fail(module->context, SL_NOT_FOUND,
                            "%s: no .extern .func is called '%.200s'", module->ir->name, name);
    return SL_OK;
}
