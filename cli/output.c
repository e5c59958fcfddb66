/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c - what a kernel left in its buffers, to the screen and to files. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_buffer(const char *option, uint64_t index,
                      const struct prepared_argument *arguments, size_t count,
                      struct text *error)
{
    if (index >= count)
        text_printf(error, "%s %llu: there is no argument of that number; they count from 0\n",
                    option, (unsigned long long)index);
    else if (!arguments[index].buffer)
        text_printf(error, "%s %llu: argument '%.80s' is not a buffer\n", option,
                    (unsigned long long)index, arguments[index].text);
    else
        return true;
    return false;
}

bool outputs_possible(const struct options *options, const struct prepared_argument *arguments,
                      size_t count, struct text *error)
{
    bool good = true;

    for (size_t i = 0; i < options->print_count; i++)
        good &= is_buffer("-p", options->prints[i].index, arguments, count, error);
    for (size_t i = 0; i < options->output_count; i++)
        good &= is_buffer("-o", options->outputs[i].index, arguments, count, error);
    return good;
}

const bool *arguments_asked_for(const struct options *options, struct arena *arena,
                                size_t count)
{
    bool all = !options->print_count && !options->output_count;
    bool *asked = ARENA_NEW_ARRAY(arena, count, bool);

    for (size_t i = 0; i < count; i++)
        asked[i] = all;
    for (size_t i = 0; i < options->print_count; i++)
        asked[options->prints[i].index] = true;
    for (size_t i = 0; i < options->output_count; i++)
        asked[options->outputs[i].index] = true;
    return asked;
}

enum { PIECE = 1 << 16 };

/* A GPU gives nothing back after a fault. */
static void note_lost(const struct prepared_argument *argument, uint64_t index)
{
    const char *why = sl_context_error(argument->buffer->context);

    fprintf(stderr, "note: argument %llu cannot be read: %s", (unsigned long long)index, why);
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
            fprintf(to, "argument %llu, %s[%llu]:%s%s\n", (unsigned long long)print->index,
                    element_name(argument->array.element), (unsigned long long)total,
                    text_string(&line), count < total ? " ..." : "");
        else
            note_lost(argument, print->index);
        text_free(&line);
    }
}

static bool write_file(const char *path, const struct prepared_argument *argument,
                       uint64_t index)
{
    static const char suffix[] = ".npy";
    size_t length = strlen(path);
    struct text header = {0};
    unsigned char piece[PIECE];

    if (sl_buffer_read(argument->buffer, 0, piece, 1) != SL_OK) {
        note_lost(argument, index);
        return true;
    }
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    if (length >= 4 && !strcmp(path + length - 4, suffix)) {
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
        if (!write_file(output->path, &arguments[output->index], output->index)) {
            text_printf(error, "%s: cannot be written: %s\n", output->path, strerror(errno));
            good = false;
        }
    }
    return good;
}
