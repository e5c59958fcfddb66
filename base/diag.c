/* SPDX-License-Identifier: Apache-2.0
 *
 * diag.c - collecting and printing diagnostics. */
#include "base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { DEFAULT_LIMIT = 100, QUOTE_WIDTH = 160 };

void diag_add(struct diags *diags, enum severity severity, struct loc at, const char *format,
              va_list args)
{
    char buffer[1024];
    uint32_t limit = diags->limit ? diags->limit : DEFAULT_LIMIT;

    if (severity == SEVERITY_ERROR)
        diags->errors++;
    if (diags->count >= limit)
        return;
    vsnprintf(buffer, sizeof buffer, format, args);
    struct diag *diag = ARENA_PUSH(diags->arena, diags);
    diag->severity = severity;
    diag->at = at;
    diag->text = arena_strdup(diags->arena, buffer);
}

#define DEFINE(name, severity)                                               \
    void name(struct diags *diags, struct loc at, const char *format, ...)   \
    {                                                                        \
        va_list args;                                                        \
        va_start(args, format);                                              \
        diag_add(diags, severity, at, format, args);                              \
        va_end(args);                                                        \
    }

DEFINE(diag_error, SEVERITY_ERROR)
DEFINE(diag_warning, SEVERITY_WARNING)
DEFINE(diag_note, SEVERITY_NOTE)

void diag_quote(struct text *out, const char *source, size_t source_size,
                struct loc at)
{
    size_t begin = 0, end;
    uint32_t line = 1;

    if (!at.line || !source)
        return;
    while (begin < source_size && line < at.line)
        if (source[begin++] == '\n')
            line++;
    if (line != at.line || begin >= source_size)
        return;
    for (end = begin; end < source_size && source[end] != '\n'; end++)
        ;
    /* A long line is shown around the column, so that the caret stays in view. */
    size_t column = at.column ? at.column - 1 : 0;
    size_t skip = column > QUOTE_WIDTH * 3 / 4 ? column - QUOTE_WIDTH / 2 : 0;
    if (skip > end - begin)
        skip = end - begin;
    size_t shown = end - begin - skip;
    if (shown > QUOTE_WIDTH)
        shown = QUOTE_WIDTH;
    text_printf(out, "%6u | ", at.line);
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)source[begin + skip + i];
        text_putc(out, c == '\t' || (c >= 32 && c != 127) ? (char)c : '?');
    }
    text_puts(out, "\n       | ");
    for (size_t i = skip; i < column && i - skip < shown; i++)
        text_putc(out, source[begin + i] == '\t' ? '\t' : ' ');
    text_puts(out, "^\n");
}

static int by_place(const void *a, const void *b)
{
    const struct diag *x = *(const struct diag *const *)a;
    const struct diag *y = *(const struct diag *const *)b;

    if (x->at.line != y->at.line)
        return x->at.line < y->at.line ? -1 : 1;
    if (x->at.column != y->at.column)
        return x->at.column < y->at.column ? -1 : 1;
    return x < y ? -1 : x > y;
}

void diag_print(struct text *out, const struct diags *diags)
{
    static const char *const word[] = {"note", "warning", "error"};
    const struct diag **order;

    if (!diags->count)
        return;
    order = malloc(diags->count * sizeof *order);
    if (!order)
        out_of_memory(0);
    for (uint32_t i = 0; i < diags->count; i++)
        order[i] = &diags->items[i];
    qsort(order, diags->count, sizeof *order, by_place);
    for (uint32_t i = 0; i < diags->count; i++) {
        const struct diag *diag = order[i];
        text_puts(out, diags->name ? diags->name : "<text>");
        if (diag->at.line)
            text_printf(out, ":%u:%u", diag->at.line, diag->at.column);
        text_printf(out, ": %s: %s\n", word[diag->severity], diag->text);
        diag_quote(out, diags->source, diags->source_size, diag->at);
    }
    free(order);
    uint32_t limit = diags->limit ? diags->limit : DEFAULT_LIMIT;
    if (diags->errors > limit)
        text_printf(out, "%s: %u errors in all, the first %u shown\n",
                    diags->name ? diags->name : "<text>", diags->errors, limit);
}
