/* SPDX-License-Identifier: Apache-2.0
 *
 * conform.c - `conform`: the emulator, or a GPU, against recordings. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include "api/cuda.h"
#include "base/file.h"
#include "codegen/codegen.h"
#include "conformance/html.h"

/* Hanging kernels are to end soon; none of the kernels that end is as long. */
enum { DEFAULT_STEPS = 1 << 24 };

struct emulate_options emulate_defaults(const struct options *options)
{
    return (struct emulate_options){
        .seed = options->seed,
        .max_steps = options->max_steps ? options->max_steps : DEFAULT_STEPS,
        .timeout = options->timeout};
}

static bool read_shard(const char *text, struct rows_options *rows)
{
    size_t slash = strcspn(text, "/");

    return text[slash] && !element_parse(ELEMENT_U32, text, slash, &rows->shard) &&
           !element_parse(ELEMENT_U32, text + slash + 1, strlen(text + slash + 1),
                          &rows->shards) &&
           !strchr(text, '-') && rows->shard >= 1 && rows->shard <= rows->shards;
}

static bool read_known(struct arena *arena, const char *path, struct known_list *list,
                       struct text *error)
{
    struct diags diags = {.arena = arena, .name = path};
    const char *why;

    diags.source = file_read(arena, path, &diags.source_size, &why);
    if (!diags.source) {
        text_printf(error, "%s: cannot be read: %s\n", path, why);
        return false;
    }
    if (known_read(&diags, list))
        return true;
    diag_print(error, &diags);
    return false;
}

static bool write_out(const char *path, const struct text *text, struct text *error)
{
    const char *why;

    if (!strcmp(path, "-")) {
        fwrite(text_string(text), 1, text->size, stdout);
        return true;
    }
    if (file_write(path, text_string(text), text->size, &why))
        return true;
    text_printf(error, "%s: cannot be written: %s\n", path, why);
    return false;
}

/* Entries of a known file that no case of the run has: likely misspelt. Not when
 * only a part of the cases was wanted. */
static bool all_used(const struct options *o, const struct known_list *known,
                     struct text *error)
{
    bool good = true;

    if (o->only || o->shard)
        return true;
    for (uint32_t i = 0; i < known->count; i++)
        if (!known->items[i].used) {
            text_printf(error, "%s:%u: there is no case '%s%s'\n", known->file,
                        known->items[i].at.line, known->items[i].name,
                        known->items[i].prefix ? "*" : "");
            good = false;
        }
    return good;
}

/* emu, cuda:N against what was recorded; emu,cuda:N against each other. */
static bool read_executors(struct options *o, struct rows_options *rows, struct text *error)
{
    const char *on = o->on ? o->on : "emu", *gpu = on;

    if (!strncmp(on, "emu,", 4)) {
        rows->live = true;
        gpu = on + 4;
    }
    if (!rows->live && !strcmp(on, "emu")) {
        if (o->timeout)
            text_puts(error, TIMEOUT_IS_FOR_GPUS);
        return !o->timeout;
    }
    if (!cuda_is_name(gpu) || strchr(gpu, ',')) {
        text_printf(error, "--on %.80s: emu, cuda:0, or emu,cuda:0 for both\n", on);
        return false;
    }
    if (!rows->live && (o->seed || o->max_steps)) {
        text_printf(error, "--%s is for the emulator, not for %.*s\n",
                    o->seed ? "seed" : "max-steps", (int)strcspn(gpu, "@"), gpu);
        return false;
    }
    rows->device = gpu;
    rows->device_name = arena_copy(o->arena, gpu, strcspn(gpu, "@"));
    return true;
}

static bool read_options(struct options *o, struct rows_options *rows, struct text *error)
{
    *rows = (struct rows_options){.shard = 1, .shards = 1, .only = o->only,
                                  .emulate = emulate_defaults(o)};
    if (!read_executors(o, rows, error))
        return false;
    rows->rebuild = o->rebuild;
    if (o->shard && !read_shard(o->shard, rows)) {
        text_printf(error, "--shard '%.80s': it needs I/N, such as 1/4\n", o->shard);
        return false;
    }
    rows->shard--;
    return true;
}

static bool conform(struct options *o, struct rows *rows, struct text *error)
{
    struct known_list known = {0};
    struct case_list cases = {0};
    struct rows_options options;
    struct text out = {0};
    bool good = true;

    if (!o->word_count) {
        text_puts(error, "which cases? Give recordings, job files or folders of them\n");
        return false;
    }
    if (is_stdout(o->json) + is_stdout(o->junit) + is_stdout(o->html) > 1) {
        text_puts(error, "one report only can go to standard output\n");
        return false;
    }
    if (o->rebuild && !codegen_available()) {
        text_puts(error, "--rebuild: this build has no LLVM 19 to write PTX with\n");
        return false;
    }
    if (!read_options(o, &options, error) ||
        (o->known && !read_known(o->arena, o->known, &known, error)))
        return false;
    options.known = o->known ? &known : NULL;
    cases.unrecorded = options.live;
    for (size_t i = 0; i < o->word_count; i++)
        good &= cases_add(o->arena, o->words[i], o->sources, &cases, error);
    if (!good)
        return false;
    if (!rows_run(o->arena, &cases, &options, rows, error))
        return false;
    rows_text(&out, rows);
    bool machine = is_stdout(o->json) || is_stdout(o->junit) || is_stdout(o->html);
    fputs(text_string(&out), machine ? stderr : stdout);
    text_free(&out);
    if (o->json) {
        rows_json(&out, rows, &options);
        good &= write_out(o->json, &out, error);
        text_free(&out);
    }
    if (o->junit) {
        rows_junit(&out, rows);
        good &= write_out(o->junit, &out, error);
        text_free(&out);
    }
    if (o->html) {
        rows_html(&out, rows, &options);
        good &= write_out(o->html, &out, error);
        text_free(&out);
    }
    return all_used(o, &known, error) && good;
}

int cli_conform(struct options *options)
{
    struct rows rows = {0};
    struct text error = {0};
    int status = !conform(options, &rows, &error) ? fail(&error)
                 : rows.totals[ROW_FAILED]        ? EXIT_FINDINGS
                                                  : EXIT_CLEAN;

    text_free(&error);
    return status;
}
