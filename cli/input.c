/* SPDX-License-Identifier: Apache-2.0
 *
 * input.c - kernel files, and which kernel is meant. */
#include "config.h"

#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cuda.h"

enum { TEXT_LIMIT = 1 << 30 };

/* The whole file. Regular files only: a device might never end. */
static char *read_text(struct arena *arena, const char *path, size_t *size, struct text *error)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    const char *wrong = NULL;
    char *text = NULL;

    if (!file) {
        text_printf(error, "%s: cannot be opened: %s\n", path, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(file), &info) || !S_ISREG(info.st_mode))
        wrong = "is not a regular file";
    else if (info.st_size > TEXT_LIMIT)
        wrong = "is larger than 1 GiB";
    else {
        text = arena_alloc(arena, (size_t)info.st_size + 1);
        *size = fread(text, 1, (size_t)info.st_size, file);
        if (*size != (size_t)info.st_size)
            wrong = "cannot be read to its end";
    }
    fclose(file);
    if (wrong)
        text_printf(error, "%s: it %s\n", path, wrong);
    return wrong ? NULL : text;
}

sl_module *load_file(sl_context *context, const char *path, struct text *error)
{
    static const struct {
        const char *ending;
        sl_format format;
        const char *missing; /* why it cannot be read, or NULL */
    } formats[] = {
        {".ptx", SL_FORMAT_PTX, NULL},
        {".kir", SL_FORMAT_KIR, NULL},
        {".ll", SL_FORMAT_PTX, "LLVM IR is not read in this build; compile it to PTX with "
                               "`llc -march=nvptx64`"},
        {".bc", SL_FORMAT_PTX, "LLVM bitcode is not read in this build; compile it to PTX with "
                               "`llc -march=nvptx64`"},
        {".cu", SL_FORMAT_PTX, "CUDA is not read in this build; compile it to PTX with "
                               "`nvcc -ptx -lineinfo` or `clang --cuda-device-only -S`"},
        {".cubin", SL_FORMAT_PTX, "machine code cannot be run; give the PTX"},
    };
    const char *ending = strrchr(path, '.');
    struct arena scratch = {0};
    sl_module *module = NULL;
    size_t size;

    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(ending, formats[i].ending) != 0)
            continue;
        if (formats[i].missing) {
            text_printf(error, "%s: %s\n", path, formats[i].missing);
            return NULL;
        }
        char *text = read_text(&scratch, path, &size, error);
        if (text && sl_module_load(context, formats[i].format, path, text, size, &module) != SL_OK)
            text_puts(error, sl_context_error(context));
        arena_free(&scratch);
        return module;
    }
    text_printf(error, "%s: a kernel file ends in .ptx or .kir\n", path);
    return NULL;
}

sl_context *open_context(const struct options *options, struct text *error)
{
    char why[2048];
    sl_context *context;

    if (sl_context_open(options->on, options->target, &context, why, sizeof why) != SL_OK)
        text_puts(error, why);
    return context;
}

void end_if_hanging(const sl_context *context, int status)
{
    if (!context || !context->cuda || !cuda_hangs(context->cuda))
        return;
    fflush(NULL);
    _exit(status);
}

/* Words that can be a C or C++ name and no argument. */
static bool looks_like_name(const char *word)
{
    struct arena scratch = {0};
    struct argument argument;
    bool name = strcmp(word, "null") && strcmp(word, "nan") && strcmp(word, "inf") &&
                (word[0] == '_' || word[0] == '$' || (word[0] | 0x20) - 'a' + 0u < 26u) &&
                !argument_parse(&scratch, word, strlen(word), &argument) &&
                argument.kind == ARGUMENT_SCALAR;
    enum element element;
    const char *colon = strchr(word, ':');

    if (colon && colon[1] != ':' && element_find(word, (size_t)(colon - word), &element))
        name = false; /* f16:1.5 */
    arena_free(&scratch);
    return name;
}

/* --kernel-name: kne=NAME is the whole name, kns=PART a part of one name only. */
static sl_kernel *kernel_by_option(sl_module *module, const char *option, struct text *error)
{
    sl_kernel *found = NULL;

    if (strncmp(option, "kns=", 4)) {
        const char *name = strncmp(option, "kne=", 4) ? option : option + 4;
        if (sl_module_find(module, name, &found) == SL_OK)
            return found;
        text_puts(error, sl_context_error(module->context));
        return NULL;
    }
    for (size_t i = 0; i < module->kernel_count; i++) {
        struct sl_kernel *kernel = &module->kernels[i];
        if (!strstr(kernel->name, option + 4) && !strstr(kernel->demangled, option + 4))
            continue;
        if (found) {
            text_printf(error, "--kernel-name %.80s: both %s and %s are meant by it\n", option,
                        found->demangled, kernel->demangled);
            return NULL;
        }
        found = kernel;
    }
    if (!found)
        text_printf(error, "--kernel-name %.80s: no kernel has that in its name\n", option);
    return found;
}

sl_kernel *choose_kernel(sl_module *module, const struct options *options,
                         size_t *first_argument, struct text *error)
{
    sl_context *context = module->context;
    const char *word = options->word_count > 1 ? options->words[1] : NULL;
    sl_kernel *kernel;

    *first_argument = 1;
    if (options->kernel_name)
        return kernel_by_option(module, options->kernel_name, error);
    *first_argument = 2;
    if (word && sl_module_find(module, word, &kernel) == SL_OK)
        return kernel;
    if (word && looks_like_name(word)) {
        text_puts(error, sl_context_error(context));
        return NULL;
    }
    *first_argument = 1;
    if (sl_module_find(module, NULL, &kernel) == SL_OK)
        return kernel;
    text_puts(error, sl_context_error(context));
    return NULL;
}
