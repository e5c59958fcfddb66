/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c - `show`: the kernels of a file, or a printed form of it. */
#include "cli/cli.h"

#include <string.h>

#include "codegen/codegen.h"
#include "ir/ir.h"

static void show_size(struct text *out, const char *what, const uint32_t size[3])
{
    if (size[0])
        text_printf(out, "  %s  %u,%u,%u\n", what, size[0], size[1] ? size[1] : 1,
                    size[2] ? size[2] : 1);
}

/* What a function and everything it may call executes is not counted: it is the
 * text's size, in instructions of the IR. */
static void show_kernel(struct text *out, const sl_kernel *kernel)
{
    const struct ir_function *function = kernel_function(kernel);
    uint64_t shared = sl_kernel_static_shared(kernel);

    text_printf(out, "%s\n", sl_kernel_demangled(kernel));
    if (strcmp(sl_kernel_demangled(kernel), sl_kernel_name(kernel)) != 0)
        text_printf(out, "  name                 %s\n", sl_kernel_name(kernel));
    if (function->at.line)
        text_printf(out, "  text                 line %u, %u instructions in %u blocks\n",
                    function->at.line, function->inst_count, function->block_count);
    text_printf(out, "  parameters           %zu, %llu bytes\n", sl_kernel_parameter_count(kernel),
                (unsigned long long)function->parameter_bytes);
    for (size_t i = 0; i < sl_kernel_parameter_count(kernel); i++) {
        const struct ir_variable *v = &function->variables[function->parameters[i]];
        text_printf(out, "    %2zu  at %-4llu %s", i, (unsigned long long)v->offset,
                    ir_types[v->type].name);
        if (v->size != ir_type_bytes((enum ir_type)v->type))
            text_printf(out, "[%llu]",
                        (unsigned long long)(v->size / (ir_type_bytes((enum ir_type)v->type)
                                                            ? ir_type_bytes((enum ir_type)v->type)
                                                            : 1)));
        text_printf(out, "  %s\n", argument_name(kernel, i));
    }
    text_printf(out, "  shared memory        %llu bytes, static\n", (unsigned long long)shared);
    text_printf(out, "  local memory         %llu bytes for each thread, without calls\n",
                (unsigned long long)function->local_bytes);
    show_size(out, "most threads       ", function->max_threads);
    show_size(out, "exactly threads    ", function->required_threads);
    show_size(out, "cluster            ", function->required_cluster);
    if (function->min_blocks_per_sm)
        text_printf(out, "  blocks for each SM   at least %u\n", function->min_blocks_per_sm);
    if (function->max_registers)
        text_printf(out, "  registers            at most %u\n", function->max_registers);
}

static void show_module(struct text *out, const struct options *options, sl_module *module,
                        sl_kernel *only)
{
    const struct ir_module *ir = module->ir;

    if (options->ir) {
        if (only)
            ir_print_function(out, ir, kernel_function(only));
        else
            ir_print(out, ir);
    }
    for (size_t i = 0; i < sl_module_kernel_count(module); i++) {
        sl_kernel *kernel = sl_module_kernel(module, i);
        if (only && kernel != only)
            continue;
        if (options->cfg)
            ir_cfg_print_dot(out, ir, kernel_function(kernel));
        if (!options->cfg && !options->ir)
            show_kernel(out, kernel);
    }
    if (!options->cfg && !options->ir && sl_module_kernel_count(module) == 0)
        text_puts(out, "no kernels\n");
}

/* What code generation makes of the file, or why it makes nothing. */
static void show_written(struct text *out, const struct options *options, sl_module *module,
                         struct text *error)
{
    struct codegen_options how = {.llvm = options->llvm};
    struct diags diags = {.arena = options->arena, .name = module->ir->name,
                          .source = module->ir->source,
                          .source_size = module->ir->source_size};

    if (!codegen_write(module->ir, &how, out, &diags))
        diag_print(error, &diags);
}

int cli_show(struct options *options)
{
    struct text error = {0}, out = {0};
    sl_context *context = NULL;
    sl_module *module = NULL;
    sl_kernel *only = NULL;
    size_t next;
    int status = EXIT_CLEAN;

    if (options->ir + options->cfg + options->ptx + options->llvm > 1)
        text_puts(&error, "one of --ir, --cfg, --ptx and --llvm at a time\n");
    else if (options->word_count == 0)
        text_puts(&error, "which file? Give a .ptx or .kir file after the command\n");
    else if (options->word_count > 2)
        text_puts(&error, "show takes a file and at most one kernel\n");
    else if ((options->ptx || options->llvm) && options->word_count > 1)
        text_puts(&error, "--ptx and --llvm print the whole file; leave the kernel out\n");
    else if ((context = open_context(options, &error))) {
        context->any_target = true;
        module = load_file(context, options, options->words[0], &error);
    }
    if (module && options->word_count == 2)
        only = choose_kernel(module, options, &next, &error);
    if (module && !error.size && (options->ptx || options->llvm))
        show_written(&out, options, module, &error);
    if (!module || error.size) {
        status = fail(&error);
    } else {
        fputs(sl_module_warnings(module), stderr);
        if (!options->ptx && !options->llvm)
            show_module(&out, options, module, only);
        fwrite(text_string(&out), 1, out.size, stdout);
    }
    sl_context_destroy(context);
    text_free(&error);
    text_free(&out);
    return status;
}
