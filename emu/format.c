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
enum { FIELD_MAX = 1 << 16, ERROR = -2, COPIED_MAX = 32, SLOT = 8 };

/* Arguments of one piece that the C library gets, those for its integer and for
 * its floating-point registers apart, as the host's calling convention has it. */
struct queue {
    uint64_t value[3];
    unsigned count, taken;
};

struct formatter {
    struct text *out;
    const struct format_source *source;
    struct text slots; /* the arguments copied, 8 bytes each, then the format */
    size_t slot;       /* bytes of it used */
    struct queue integers, numbers;
};

struct conversion {
    char flags[8];
    bool left;
    int64_t width, precision; /* precision -1: none */
    unsigned bytes;           /* of an integer */
    bool wide;                /* L: long double */
    char letter;
};

/* --- the device's conversions ------------------------------------------------------- */

struct known {
    bool star;
    unsigned bytes; /* of the value as the kernel stored it */
    char letter;
};

/* Measured on H200: the conversions that the device counts. hh is known to the host
 * alone. Returns what follows, or NULL when at, behind a %, is none of them. */
static const char *known_conversion(const char *at, bool host, unsigned pointer_bytes,
                                    struct known *known)
{
    *known = (struct known){.bytes = 4};
    while (*at && strchr("-+0# ", *at))
        at++;
    if (*at == '*')
        known->star = true, at++;
    else
        while (*at >= '0' && *at <= '9')
            at++;
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9';)
            at++;
    if (*at == 'h') {
        at += host && at[1] == 'h' ? 2 : 1;
    } else if (*at == 'l') {
        at += at[1] == 'l' ? 2 : 1;
        known->bytes = 8;
    }
    if (!*at || !strchr("diuoxXfFeEgGaAcsp", *at))
        return NULL;
    known->letter = *at;
    if (strchr("fFeEgGaA", *at))
        known->bytes = 8;
    else if (*at == 's' || *at == 'p')
        known->bytes = pointer_bytes;
    else if (*at == 'c')
        known->bytes = 4;
    return at + 1;
}

static bool copy_argument(struct formatter *f, unsigned bytes, int32_t *count)
{
    uint64_t value = 0;

    if (*count == COPIED_MAX)
        return true;
    if (!f->source->next(f->source->self, bytes, &value))
        return false;
    text_add(&f->slots, (const char *)&value, SLOT);
    ++*count;
    return true;
}

/* What runs on the device: one argument for each conversion, two with a star. */
static int32_t copy_arguments(struct formatter *f, const char *format)
{
    struct known known;
    int32_t count = 0;

    while ((format = strchr(format, '%'))) {
        const char *after = known_conversion(format + 1, false, f->source->pointer_bytes, &known);
        if (!after) {
            format += format[1] == '%' ? 2 : 1;
            continue;
        }
        if ((known.star && !copy_argument(f, 4, &count)) ||
            !copy_argument(f, known.bytes, &count))
            return ERROR;
        format = after;
    }
    return count;
}

/* --- the C library's conversions ------------------------------------------------------ */

/* What no argument is there for is garbage on the host, and 0 here. */
static uint64_t next(struct queue *queue)
{
    return queue->taken < queue->count ? queue->value[queue->taken++] : 0;
}

/* Digits, or an argument for *. */
static void number(struct formatter *f, const char **at, int64_t *value)
{
    if (**at == '*') {
        ++*at;
        *value = (int32_t)next(&f->integers);
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
}

static void read_conversion(struct formatter *f, const char **at, struct conversion *c)
{
    size_t flags = 0;

    *c = (struct conversion){.precision = -1, .bytes = 4};
    for (; **at && strchr("-+ #0'", **at); ++*at) {
        c->left |= **at == '-';
        if (**at != '\'' && !memchr(c->flags, **at, flags) && flags < sizeof c->flags - 1)
            c->flags[flags++] = **at;
    }
    number(f, at, &c->width);
    if (c->width < 0) {
        c->width = -c->width;
        c->left = true;
        if (!memchr(c->flags, '-', flags))
            c->flags[flags++] = '-';
    }
    if (**at == '.') {
        ++*at;
        number(f, at, &c->precision);
        if (c->precision < 0)
            c->precision = -1;
    }
    for (; **at && strchr("hlLqjzt", **at); ++*at)
        if (**at == 'h')
            c->bytes = c->bytes == 2 ? 1 : 2;
        else if (**at == 'L')
            c->wide = true;
        else
            c->bytes = 8;
    c->letter = **at;
    if (c->letter)
        ++*at;
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

static void convert_integer(struct formatter *f, const struct conversion *c)
{
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    uint64_t value = next(&f->integers);
    unsigned unused = 64 - 8 * c->bytes;
    value <<= unused;
    value = is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
    if (is_signed)
        text_printf(f->out, spec_of(c, "ll").text, (long long)value);
    else
        text_printf(f->out, spec_of(c, "ll").text, (unsigned long long)value);
}

static bool convert_string(struct formatter *f, const struct conversion *c)
{
    struct text string = {0};
    uint64_t address = next(&f->integers);
    uint64_t limit = c->precision < 0 ? UINT64_MAX : (uint64_t)c->precision;

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

static void convert_pointer(struct formatter *f, const struct conversion *c)
{
    char digits[24];
    uint64_t value = next(&f->integers);
    int size = value ? snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value)
                     : snprintf(digits, sizeof digits, "(nil)");
    pad_text(f, c, digits, (size_t)size);
}

/* `start` is the % of the conversion. C11 7.21.6.1; %n stores nothing. */
static bool convert(struct formatter *f, const char *start, const char **at)
{
    struct conversion c;

    read_conversion(f, at, &c);
    switch (c.letter) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
        convert_integer(f, &c);
        return true;
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': {
        uint64_t value = c.wide ? 0 : next(&f->numbers);
        double number;
        memcpy(&number, &value, sizeof number);
        text_printf(f->out, spec_of(&c, "").text, number);
        return true;
    }
    case 'c': {
        char byte = (char)next(&f->integers);
        pad_text(f, &c, &byte, 1);
        return true;
    }
    case 's':
        return convert_string(f, &c);
    case 'p':
        convert_pointer(f, &c);
        return true;
    case 'n':
        next(&f->integers);
        return true;
    case '%':
        text_putc(f->out, '%');
        return true;
    default:
        text_add(f->out, start, (size_t)(*at - start));
        return true;
    }
}

/* --- pieces --------------------------------------------------------------------------- */

/* The next 8 bytes; behind the arguments lies the format, and then nothing. */
static uint64_t next_slot(struct formatter *f)
{
    size_t left = f->slot < f->slots.size ? f->slots.size - f->slot : 0;
    uint64_t value = 0;

    if (left)
        memcpy(&value, f->slots.data + f->slot, left < SLOT ? left : SLOT);
    f->slot += SLOT;
    return value;
}

/* A piece of the format up to `end`, with the arguments in the queues. */
static bool format_piece(struct formatter *f, const char *at, const char *end)
{
    while (at < end) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        size_t size = (size_t)((percent ? percent : end) - at);
        text_add(f->out, at, size);
        at += size;
        if (percent) {
            at++;
            if (!convert(f, percent, &at))
                return false;
        }
    }
    return true;
}

/* What runs on the host: the format is cut behind each known conversion, and each
 * piece gets the arguments of that one. */
static bool format_pieces(struct formatter *f, const char *format)
{
    const char *piece = format, *at = format;
    struct known known;

    while ((at = strchr(at, '%'))) {
        const char *after = known_conversion(at + 1, true, f->source->pointer_bytes, &known);
        if (!after) {
            at += at[1] == '%' ? 2 : 1;
            continue;
        }
        f->integers = f->numbers = (struct queue){.count = 0};
        if (known.star)
            f->integers.value[f->integers.count++] = next_slot(f);
        struct queue *queue = strchr("fFeEgGaA", known.letter) ? &f->numbers : &f->integers;
        queue->value[queue->count++] = next_slot(f);
        if (!format_piece(f, piece, after))
            return false;
        piece = at = after;
    }
    /* No argument comes any more: the rest stands as it is. */
    for (; *piece; piece++) {
        text_putc(f->out, *piece);
        piece += piece[0] == '%' && piece[1] == '%';
    }
    return true;
}

int32_t format_text(struct text *out, const char *format, const struct format_source *source)
{
    struct formatter f = {.out = out, .source = source};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    int32_t count = copy_arguments(&f, format);

    text_add(&f.slots, format, strlen(format));
    if (count != ERROR && !format_pieces(&f, format))
        count = ERROR;
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    text_free(&f.slots);
    return count;
}
