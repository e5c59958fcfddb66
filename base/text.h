/* SPDX-License-Identifier: Apache-2.0
 *
 * text.h - a growing string. Owns its memory; text_free releases it. */
#ifndef SIMTLAB_BASE_TEXT_H
#define SIMTLAB_BASE_TEXT_H

#include <stddef.h>

struct text {
    char *data; /* zero-terminated once anything was added; else NULL */
    size_t size, capacity;
};

void text_add(struct text *text, const char *data, size_t size);
void text_puts(struct text *text, const char *string);
void text_putc(struct text *text, char c);
void text_printf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Text of files and kernels for HTML and XML: printable ASCII, with what markup means by
 * some of it taken away; all else becomes '?' (XML 1.0 cannot hold most of it). */
void text_markup(struct text *text, const char *string);
/* The content as a C string, "" when empty. Lent until the next change. */
const char *text_string(const struct text *text);
/* The content cut to size bytes with the closing zero; nothing when size is 0 or
 * to is NULL. */
void text_copy_out(const struct text *text, char *to, size_t size);
void text_free(struct text *text);

#endif
