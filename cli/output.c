/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c - what a kernel left in its buffers, to the screen and to files. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static bool find_buffer(const char *option, const char *name, struct arena *arena,
                        sl_module *module, struct prepared_arguments *arguments, uint64_t *index,
                        struct text *error)
{
    const struct prepared_argument *found = prepared_find(arguments, name);

    if (!found && (*name < '0' || *name > '9')) {
        if (!variable_prepare(arena, module, name, NULL, arguments, error))
            return false;
        found = prepared_find(arguments, name);
    }
    if (!found)
        text_printf(error, "%s %s: there is no argument of that number; they count from 0%s\n",
                    option, name, strchr(name, '.') ? ", and so do the members of a struct" : "");
    else if (!found->buffer)
        text_printf(error, "%s %s: argument '%.80s' is not a buffer\n", option, name, found->text);
    else
        *index = (uint64_t)(found - arguments->items);
    return found && found->buffer;
}

bool outputs_find(struct options *options, struct arena *arena, sl_module *module,
                  struct prepared_arguments *arguments, struct text *error)
{
    bool good = true;

    for (size_t i = 0; i < options->print_count; i++)
        good &= find_buffer("-p", options->prints[i].name, arena, module, arguments,
                            &options->prints[i].index, error);
    for (size_t i = 0; i < options->output_count; i++)
        good &= find_buffer("-o", options->outputs[i].name, arena, module, arguments,
                            &options->outputs[i].index, error);
    return good;
}

const bool *arguments_asked_for(const struct options *options, struct arena *arena,
                                const struct prepared_arguments *arguments)
{
    bool all = !options->print_count && !options->output_count;
    bool *asked = ARENA_NEW_ARRAY(arena, arguments->count, bool);

    for (size_t i = 0; i < arguments->count; i++)
        asked[i] = all && !arguments->items[i].variable;
    for (size_t i = 0; i < options->print_count; i++)
        asked[options->prints[i].index] = true;
    for (size_t i = 0; i < options->output_count; i++)
        asked[options->outputs[i].index] = true;
    return asked;
}

enum { PIECE = 1 << 16 };

/* A GPU gives nothing back after a fault. */
static void note_lost(const struct prepared_argument *argument)
{
    const char *why = sl_context_error(argument->buffer->context);

    fprintf(stderr, "note: argument %s cannot be read: %s", argument->name, why);
}

/* argument 0, f32[1000]: 1 3 5 7 ... */
void print_arguments(FILE *to, const struct options *options,
                     const struct prepared_argument *arguments)
{
    for (size_t i = 0; i < options->print_count; i++) {
        const struct print_option *print = &options->prints[i];
        const struct prepared_argument *argument = &arguments[print->index];
        unsigned step = element_size(argument->array.element);
        uint64_t total = argument->array.size / step, count = total;
        unsigned char piece[PIECE];
        struct text line = {0};
        bool good = true;

        if (print->has_count && print->count < total)
            count = print->count;
        for (uint64_t at = 0; at < count * step; at += PIECE) {
            uint64_t left = count * step - at, size = left < PIECE ? left : PIECE;
            if (sl_buffer_read(argument->buffer, at, piece, size) != SL_OK) {
                good = false;
                break;
            }
            for (uint64_t byte = 0; byte < size; byte += step) {
                text_putc(&line, ' ');
                value_print(&line, argument->array.element,
                            element_load(argument->array.element, piece + byte));
            }
        }
        if (good)
            fprintf(to, "%s %s, %s[%llu]:%s%s\n", argument->variable ? "variable" : "argument",
                    argument->name,
                    element_name(argument->array.element), (unsigned long long)total,
                    text_string(&line), count < total ? " ..." : "");
        else
            note_lost(argument);
        text_free(&line);
    }
}

static bool write_file(const char *path, const struct prepared_argument *argument)
{
    struct text header = {0};
    unsigned char piece[PIECE];

    if (sl_buffer_read(argument->buffer, 0, piece, 1) != SL_OK) {
        note_lost(argument);
        return true;
    }
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    if (file_name_ends(path, ".npy")) {
        npy_write_header(&header, &argument->array);
        fwrite(header.data, 1, header.size, file);
        text_free(&header);
        if (argument->array.element == ELEMENT_BF16)
            fprintf(stderr, "note: NPY has no bf16; %s holds its bits as u2\n", path);
    }
    bool good = true;
    for (uint64_t at = 0; at < argument->array.size && good; at += PIECE) {
        uint64_t left = argument->array.size - at;
        size_t size = left < PIECE ? (size_t)left : PIECE;
        good = sl_buffer_read(argument->buffer, at, piece, size) == SL_OK;
        fwrite(piece, 1, size, file);
    }
    good &= !ferror(file);
    return fclose(file) == 0 && good;
}

bool write_arguments(const struct options *options, const struct prepared_argument *arguments,
                     struct text *error)
{
    bool good = true;

    for (size_t i = 0; i < options->output_count; i++) {
        const struct output_option *output = &options->outputs[i];
        errno = 0;
        if (!write_file(output->path, &arguments[output->index])) {
            text_printf(error, "%s: cannot be written: %s\n", output->path, strerror(errno));
            good = false;
        }
    }
    return good;
}
