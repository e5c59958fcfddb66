/* SPDX-License-Identifier: Apache-2.0
 *
 * build.c - `build`: PTX, or LLVM IR, written from what was read. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include "api/objects.h"
#include "codegen/codegen.h"

/* The options as codegen wants them; false with a message in error. */
static bool read_options(const struct options *options, struct codegen_options *out,
                         struct text *error)
{
    const char *emit = options->emit ? options->emit : "ptx";

    *out = (struct codegen_options){.llvm = !strcmp(emit, "llvm")};
    if (options->word_count == 0)
        text_puts(error, "which file? Give a .ptx or .kir file after the command\n");
    else if (options->word_count > 1)
        text_puts(error, "build takes one file, and writes all that is in it\n");
    else if (strcmp(emit, "ptx") && strcmp(emit, "llvm"))
        text_printf(error, "--emit '%.40s': it knows ptx and llvm\n", emit);
    else if (options->target &&
             !codegen_read_target(options->target, &out->target, &out->target_suffix))
        text_printf(error, "--target '%.40s': it needs a name such as sm_90 or sm_90a\n",
                    options->target);
    else if (options->ptx_version && !codegen_read_version(options->ptx_version, &out->version))
        text_printf(error, "--ptx-version '%.40s': it needs a version such as 7.8\n",
                    options->ptx_version);
    return error->size == 0;
}

static bool write_file(const char *path, const struct text *text, struct text *error)
{
    bool is_standard = !path || !strcmp(path, "-");
    FILE *file = is_standard ? stdout : fopen(path, "wb");
    bool good = file && fwrite(text_string(text), 1, text->size, file) == text->size;

    if (file && !is_standard && fclose(file) != 0)
        good = false;
    if (!good)
        text_printf(error, "%s: cannot be written: %s\n", is_standard ? "-" : path,
                    strerror(errno));
    return good;
}

/* What the result lacks though no run shows it. */
static void note_left_outs(const struct ir_module *module, struct diags *diags)
{
    for (uint32_t i = 0; i < module->left_out_count; i++)
        diag_note(diags, module->left_outs[i].at, "%s is not written again",
                  module->left_outs[i].what);
}

int cli_build(struct options *options)
{
    struct options reading = *options;
    struct codegen_options how;
    struct text error = {0}, out = {0};
    sl_context *context = NULL;
    sl_module *module = NULL;
    int status = EXIT_UNABLE;

    reading.target = NULL; /* that of the result, not of a device */
    if (read_options(options, &how, &error) && (context = open_context(&reading, &error))) {
        context->any_target = true;
        module = load_file(context, options, options->words[0], &error);
    }
    if (module) {
        struct diags diags = {.arena = options->arena, .name = module->ir->name,
                              .source = module->ir->source,
                              .source_size = module->ir->source_size};
        fputs(sl_module_warnings(module), stderr);
        if (!codegen_write(module->ir, &how, &out, &diags))
            diag_print(&error, &diags);
        else if (write_file(options->output, &out, &error))
            status = EXIT_CLEAN;
        if (status == EXIT_CLEAN) {
            struct text notes = {0};
            note_left_outs(module->ir, &diags);
            diag_print(&notes, &diags);
            fputs(text_string(&notes), stderr);
            text_free(&notes);
        }
    }
    if (status != EXIT_CLEAN)
        status = fail(&error);
    sl_context_destroy(context);
    text_free(&error);
    text_free(&out);
    return status;
}
