/* SPDX-License-Identifier: Apache-2.0
 *
 * format.c - see format.h. Numbers are formatted by the C library, one
 * conversion at a time, in the C locale whatever the program's is. */
#include "config.h"

#include "emu/format.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

/* Wider fields would only fill memory. */
enum { FIELD_MAX = 1 << 16, ERROR = -2 };

struct formatter {
    struct text *out;
    const struct format_source *source;
    int32_t used; /* arguments so far */
};

struct conversion {
    char flags[8];
    bool left;
    int64_t width, precision; /* precision -1: none */
    unsigned bytes;           /* of an integer */
    char letter;
};

static bool next(struct formatter *f, unsigned bytes, uint64_t *value)
{
    f->used++;
    return f->source->next(f->source->self, bytes, value);
}

/* Digits, or an argument for *. */
static bool number(struct formatter *f, const char **at, int64_t *value)
{
    if (**at == '*') {
        uint64_t argument;
        ++*at;
        if (!next(f, 4, &argument))
            return false;
        *value = (int32_t)argument;
    } else {
        *value = 0;
        for (; **at >= '0' && **at <= '9'; ++*at)
            if (*value < FIELD_MAX)
                *value = *value * 10 + (**at - '0');
    }
    if (*value > FIELD_MAX)
        *value = FIELD_MAX;
    if (*value < -FIELD_MAX)
        *value = -FIELD_MAX;
    return true;
}

static bool read_conversion(struct formatter *f, const char **at, struct conversion *c)
{
    size_t flags = 0;

    *c = (struct conversion){.precision = -1, .bytes = 4};
    for (; **at && strchr("-+ #0", **at); ++*at) {
        c->left |= **at == '-';
        if (!memchr(c->flags, **at, flags) && flags < sizeof c->flags - 1)
            c->flags[flags++] = **at;
    }
    if (!number(f, at, &c->width))
        return false;
    if (c->width < 0) {
        c->width = -c->width;
        c->left = true;
        if (!memchr(c->flags, '-', flags))
            c->flags[flags++] = '-';
    }
    if (**at == '.') {
        ++*at;
        if (!number(f, at, &c->precision))
            return false;
        if (c->precision < 0)
            c->precision = -1;
    }
    for (; **at && strchr("hlLqjzt", **at); ++*at)
        if (**at == 'h')
            c->bytes = c->bytes == 2 ? 1 : 2;
        else if (**at != 'L')
            c->bytes = 8;
    c->letter = **at;
    if (c->letter)
        ++*at;
    return true;
}

/* The conversion as printf wants it, with the given length modifier. */
struct spec {
    char text[48];
};
static struct spec spec_of(const struct conversion *c, const char *length)
{
    struct spec spec;
    size_t size = (size_t)snprintf(spec.text, sizeof spec.text, "%%%s", c->flags);

    if (c->width)
        size += (size_t)snprintf(spec.text + size, sizeof spec.text - size, "%d",
                                 (int)c->width);
    if (c->precision >= 0)
        size += (size_t)snprintf(spec.text + size, sizeof spec.text - size, ".%d",
                                 (int)c->precision);
    snprintf(spec.text + size, sizeof spec.text - size, "%s%c", length, c->letter);
    return spec;
}

static void pad_text(struct formatter *f, const struct conversion *c, const char *data,
                     size_t size)
{
    size_t room = (uint64_t)c->width > size ? (size_t)c->width - size : 0;

    for (size_t i = 0; !c->left && i < room; i++)
        text_putc(f->out, ' ');
    text_add(f->out, data, size);
    for (size_t i = 0; c->left && i < room; i++)
        text_putc(f->out, ' ');
}

static bool convert_integer(struct formatter *f, const struct conversion *c)
{
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    uint64_t value;

    /* Arguments narrower than int were promoted to int. */
    if (!next(f, c->bytes == 8 ? 8 : 4, &value))
        return false;
    unsigned unused = 64 - 8 * c->bytes;
    value <<= unused;
    value = is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
    if (is_signed)
        text_printf(f->out, spec_of(c, "ll").text, (long long)value);
    else
        text_printf(f->out, spec_of(c, "ll").text, (unsigned long long)value);
    return true;
}

static bool convert_string(struct formatter *f, const struct conversion *c)
{
    struct text string = {0};
    uint64_t address, limit = c->precision < 0 ? UINT64_MAX : (uint64_t)c->precision;

    if (!next(f, f->source->pointer_bytes, &address))
        return false;
    if (!address)
        text_puts(&string, limit < 6 ? "" : "(null)");
    else if (!f->source->string(f->source->self, address, limit, &string)) {
        text_free(&string);
        return false;
    }
    pad_text(f, c, text_string(&string), string.size);
    text_free(&string);
    return true;
}

static bool convert_pointer(struct formatter *f, const struct conversion *c)
{
    char digits[24];
    uint64_t value;

    if (!next(f, f->source->pointer_bytes, &value))
        return false;
    int size = value ? snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value)
                     : snprintf(digits, sizeof digits, "(nil)");
    pad_text(f, c, digits, (size_t)size);
    return true;
}

/* `start` is the % of the conversion. */
static bool convert(struct formatter *f, const char *start, const char **at)
{
    struct conversion c;
    uint64_t value;

    if (!read_conversion(f, at, &c))
        return false;
    switch (c.letter) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
        return convert_integer(f, &c);
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': {
        double number;
        if (!next(f, 8, &value))
            return false;
        memcpy(&number, &value, sizeof number);
        text_printf(f->out, spec_of(&c, "").text, number);
        return true;
    }
    case 'c': {
        if (!next(f, 4, &value))
            return false;
        char byte = (char)value;
        pad_text(f, &c, &byte, 1);
        return true;
    }
    case 's':
        return convert_string(f, &c);
    case 'p':
        return convert_pointer(f, &c);
    case '%':
        text_putc(f->out, '%');
        return true;
    default:
        text_add(f->out, start, (size_t)(*at - start));
        return true;
    }
}

int32_t format_text(struct text *out, const char *format, const struct format_source *source)
{
    struct formatter f = {out, source, 0};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    bool good = true;

    while (*format && good) {
        const char *percent = strchr(format, '%');
        size_t size = percent ? (size_t)(percent - format) : strlen(format);
        text_add(out, format, size);
        format += size;
        if (percent) {
            format++;
            good = convert(&f, percent, &format);
        }
    }
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return good ? f.used : ERROR;
}
