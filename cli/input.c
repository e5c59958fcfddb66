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

/* All that comes until the end. NULL: it cannot be read, or there is no end to it. */
static char *read_all(struct arena *arena, FILE *file, size_t *size, const char **wrong)
{
    enum { PIECE = 1 << 16 };
    struct text all = {0};
    char *piece = arena_alloc(arena, PIECE);
    size_t got;

    while (all.size <= TEXT_LIMIT && (got = fread(piece, 1, PIECE, file)) > 0)
        text_add(&all, piece, got);
    *wrong = ferror(file)            ? "cannot be read to its end"
             : all.size > TEXT_LIMIT ? "is larger than 1 GiB"
                                     : NULL;
    *size = all.size;
    char *text = *wrong ? NULL : arena_copy(arena, all.size ? all.data : "", all.size);
    text_free(&all);
    return text;
}

/* The whole file, or standard input for "-". Files and pipes only: a device might never
 * end. */
static const char *read_text(struct options *options, struct arena *arena, const char *path,
                             size_t *size, struct text *error)
{
    bool standard = !strcmp(path, "-");
    const char *wrong = NULL;
    char *text = NULL;
    struct stat info;

    if (options->piped && path == options->words[0]) {
        *size = options->piped_size;
        return options->piped;
    }
    FILE *file = standard ? stdin : fopen(path, "rb");

    if (!file) {
        text_printf(error, "%s: cannot be opened: %s\n", path, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(file), &info))
        wrong = "cannot be read";
    else if (S_ISDIR(info.st_mode))
        wrong = "is a directory; give one of its .ptx or .kir files";
    else if (!standard && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
        wrong = "is not a regular file";
    else if (S_ISREG(info.st_mode))
        text = read_all(arena, file, size, &wrong);
    else if ((text = read_all(options->arena, file, size, &wrong)) && path == options->words[0]) {
        options->piped = text; /* many schedules load the file as often */
        options->piped_size = *size;
    }
    if (!standard)
        fclose(file);
    if (wrong)
        text_printf(error, "%s: it %s\n", path, wrong);
    return text;
}

/* Why a file cannot be text of ours at all; NULL: it might be. */
static const char *not_text(const char *text, size_t size)
{
    static const struct {
        const char *magic;
        size_t size;
        const char *what;
    } others[] = {
        {"\x7f" "ELF", 4, "machine code (a cubin or a program) cannot be run; give the PTX, as "
                          "`cuobjdump -ptx` takes it out"},
        {"\x50\xed\x55\xba", 4, "a fat binary cannot be run; give the PTX, as `cuobjdump -ptx` "
                                "takes it out"},
        {"BC\xc0\xde", 4, "LLVM bitcode is not read in this build; compile it to PTX with "
                          "`llc -march=nvptx64`"},
        {"\x1f\x8b", 2, "it is compressed; unpack it with gunzip"},
        {"\x28\xb5\x2f\xfd", 4, "it is compressed; unpack it with unzstd"},
        {"\xfd" "7zXZ", 5, "it is compressed; unpack it with unxz"},
        {"PK\x03\x04", 4, "it is a ZIP archive; unpack it"},
        {"\xff\xfe", 2, "it is UTF-16; PTX is ASCII or UTF-8"},
        {"\xfe\xff", 2, "it is UTF-16; PTX is ASCII or UTF-8"},
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size >= others[i].size && !memcmp(text, others[i].magic, others[i].size))
            return others[i].what;
    return NULL;
}

/* The text behind a byte order mark, blanks and comments. */
static const char *first_word(const char *text)
{
    if (!strncmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    for (;;) {
        text += strspn(text, " \t\r\n\v\f");
        if (!strncmp(text, "//", 2)) {
            text += strcspn(text, "\r\n");
        } else if (!strncmp(text, "/*", 2)) {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else {
            return text;
        }
    }
}

/* By the name's ending; a name that says nothing leaves it to the text. */
static const char *format_of(const char *path, const char *text, size_t size, sl_format *format)
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
    const char *wrong = not_text(text, size);

    if (wrong)
        return wrong;
    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(ending, formats[i].ending)) {
            *format = formats[i].format;
            return formats[i].missing;
        }
    text = first_word(text);
    *format = !strncmp(text, "kir", 3) ? SL_FORMAT_KIR : SL_FORMAT_PTX;
    if (*format == SL_FORMAT_KIR || !strncmp(text, ".version", 8))
        return NULL;
    return "a kernel file ends in .ptx or .kir, or begins with .version as PTX does";
}

sl_module *load_file(sl_context *context, struct options *options, const char *path,
                     struct text *error)
{
    struct arena scratch = {0};
    sl_module *module = NULL;
    sl_format format;
    size_t size;
    const char *text = read_text(options, &scratch, path, &size, error);

    if (text) {
        const char *wrong = format_of(path, text, size, &format);
        if (wrong)
            text_printf(error, "%s: %s\n", path, wrong);
        else if (sl_module_load(context, format, path, text, size, &module) != SL_OK)
            text_puts(error, sl_context_error(context));
    }
    arena_free(&scratch);
    return module;
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

void choose_block(struct options *options, const sl_kernel *kernel)
{
    const struct ir_function *function = kernel_function(kernel);

    for (int i = 0; i < 3 && !options->has_block && function->required_threads[0]; i++)
        options->block[i] = function->required_threads[i] ? function->required_threads[i] : 1;
}
