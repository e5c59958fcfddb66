/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c - see text.h. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void reserve(struct text *text, size_t more)
{
    size_t need = text->size + more + 1;

    if (need <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity * 2 : 256;
    while (capacity < need)
        capacity *= 2;
    text->data = realloc(text->data, capacity);
    if (!text->data) {
        out_of_memory(capacity);
    }
    text->capacity = capacity;
}

void text_add(struct text *text, const char *data, size_t size)
{
    reserve(text, size);
    if (size)
        memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_puts(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_putc(struct text *text, char c)
{
    text_add(text, &c, 1);
}

void text_markup(struct text *text, const char *string)
{
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        if (strchr("<>&\"", c))
            text_printf(text, "&#%u;", c);
        else
            text_putc(text, c < ' ' || c > '~' ? '?' : (char)c);
    }
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size <= 0)
        return;
    reserve(text, (size_t)size);
    va_start(args, format);
    vsnprintf(text->data + text->size, (size_t)size + 1, format, args);
    va_end(args);
    text->size += (size_t)size;
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

void text_copy_out(const struct text *text, char *to, size_t size)
{
    if (!to || !size)
        return;
    size_t length = text->size < size ? text->size : size - 1;
    if (length)
        memcpy(to, text->data, length);
    to[length] = 0;
}
