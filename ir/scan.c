/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.c - see scan.h. */
#include "ir/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct loc ir_scan_place(const struct ir_scanner *s)
{
    return (struct loc){s->line, (uint32_t)(s->at - s->line_start) + 1};
}

void ir_scan_fail(struct ir_scanner *s, struct loc at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    diag_add(s->diags, SEVERITY_ERROR, at, format, args);
    va_end(args);
    longjmp(s->recover, 1);
}

/* The character at the place, or a newline at the end of the text. A zero byte
 * is a character like any other that has no meaning. */
static int here(const struct ir_scanner *s)
{
    return s->at < s->size ? (unsigned char)s->text[s->at] : '\n';
}

static void skip_blanks(struct ir_scanner *s)
{
    while (here(s) == ' ' || here(s) == '\t' || here(s) == '\r')
        s->at++;
    if (here(s) == '/' && s->at + 1 < s->size && s->text[s->at + 1] == '/')
        while (here(s) != '\n')
            s->at++;
}

void ir_scan_skip_line(struct ir_scanner *s)
{
    while (here(s) != '\n')
        s->at++;
}

bool ir_scan_next_statement(struct ir_scanner *s)
{
    for (skip_blanks(s); s->at < s->size && here(s) == '\n'; skip_blanks(s)) {
        s->at++;
        s->line++;
        s->line_start = s->at;
    }
    return s->at < s->size;
}

void ir_scan_end_statement(struct ir_scanner *s)
{
    skip_blanks(s);
    if (here(s) != '\n')
        ir_scan_fail(s, ir_scan_place(s), "unexpected text at the end of the statement");
}

bool ir_scan_opens(const struct ir_scanner *s)
{
    struct ir_scanner line = *s;
    int last = 0;

    for (line.at = s->line_start; skip_blanks(&line), here(&line) != '\n'; line.at++)
        last = here(&line);
    return last == '{';
}

char ir_scan_peek(struct ir_scanner *s)
{
    skip_blanks(s);
    return here(s) == '\n' ? 0 : (char)here(s);
}

bool ir_scan_accept(struct ir_scanner *s, char c)
{
    if (ir_scan_peek(s) != c)
        return false;
    s->at++;
    return true;
}

void ir_scan_expect(struct ir_scanner *s, char c)
{
    if (!ir_scan_accept(s, c))
        ir_scan_fail(s, ir_scan_place(s), "'%c' expected", c);
}

struct ir_scan_word ir_scan_read_word(struct ir_scanner *s)
{
    skip_blanks(s);
    size_t from = s->at;
    while (isalnum(here(s)) || here(s) == '_')
        s->at++;
    return (struct ir_scan_word){s->text + from, s->at - from};
}

bool ir_scan_word_is(struct ir_scan_word word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

bool ir_scan_accept_word(struct ir_scanner *s, const char *text)
{
    skip_blanks(s);
    size_t from = s->at;
    if (ir_scan_word_is(ir_scan_read_word(s), text))
        return true;
    s->at = from;
    return false;
}

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

const char *ir_scan_read_string(struct ir_scanner *s)
{
    struct loc at = (skip_blanks(s), ir_scan_place(s));
    struct { char *items; uint32_t count, capacity; } decoded = {0};

    ir_scan_expect(s, '"');
    while (here(s) != '"') {
        int c = here(s);
        if (c == '\n')
            ir_scan_fail(s, at, "unfinished string");
        s->at++;
        if (c == '\\') {
            int high = hex_digit(here(s));
            int low = high < 0 ? -1 : (s->at++, hex_digit(here(s)));
            if (low < 0)
                ir_scan_fail(s, ir_scan_place(s), "two hexadecimal digits expected");
            s->at++;
            c = high * 16 + low;
        }
        if (!c)
            ir_scan_fail(s, at, "zero byte in a string");
        *ARENA_PUSH(s->scratch, &decoded) = (char)c;
    }
    s->at++;
    *ARENA_PUSH(s->scratch, &decoded) = 0;
    return decoded.items;
}

struct ir_scan_name ir_scan_read_name(struct ir_scanner *s)
{
    struct ir_scan_name name = {.at = ir_scan_place(s)};

    if (here(s) == '"') {
        name.text = ir_scan_read_string(s);
        name.key = name.text;
        name.key_size = strlen(name.text);
    } else {
        size_t from = s->at;
        while (isalnum(here(s)) || here(s) == '_' || here(s) == '$' || here(s) == '.')
            s->at++;
        name.key = s->text + from;
        name.key_size = s->at - from;
        name.text = arena_copy(s->scratch, name.key, name.key_size);
    }
    name.empty = !name.key_size;
    if (here(s) == '#') {
        s->at++;
        size_t from = s->at;
        while (isdigit(here(s)))
            s->at++;
        if (from == s->at)
            ir_scan_fail(s, ir_scan_place(s), "number expected");
        size_t size = name.key_size + 1 + (s->at - from);
        char *key = arena_alloc(s->scratch, size); /* text, zero byte, digits */
        memcpy(key, name.text, name.key_size);
        memcpy(key + name.key_size + 1, s->text + from, s->at - from);
        name.key = key;
        name.key_size = size;
    } else if (name.empty) {
        ir_scan_fail(s, name.at, "name expected");
    }
    return name;
}

static uint64_t read_hex(struct ir_scanner *s, unsigned least, unsigned most)
{
    struct loc at = ir_scan_place(s);
    uint64_t value = 0;
    unsigned digits = 0;

    for (; hex_digit(here(s)) >= 0; s->at++) {
        if (value || here(s) != '0' || least > 1)
            digits++;
        else
            digits = 1;
        if (digits > most)
            ir_scan_fail(s, at, "too many digits");
        value = value << 4 | (uint64_t)hex_digit(here(s));
    }
    if (digits < least)
        ir_scan_fail(s, ir_scan_place(s), "hexadecimal digit expected");
    return value;
}

uint64_t ir_scan_read_number(struct ir_scanner *s)
{
    bool minus = ir_scan_accept(s, '-');
    struct loc at = ir_scan_place(s);
    uint64_t value = 0;
    char base = 0;

    if (here(s) == '0' && s->at + 1 < s->size)
        base = s->text[s->at + 1];
    if (base == 'x' || base == 'f' || base == 'd') {
        s->at += 2;
        value = base == 'x'   ? read_hex(s, 1, 16)
                : base == 'f' ? read_hex(s, 8, 8)
                              : read_hex(s, 16, 16);
    } else {
        if (!isdigit(here(s)))
            ir_scan_fail(s, at, "number expected");
        for (; isdigit(here(s)); s->at++) {
            uint64_t digit = (uint64_t)(here(s) - '0');
            if (value > (UINT64_MAX - digit) / 10)
                ir_scan_fail(s, at, "number does not fit in 64 bits");
            value = value * 10 + digit;
        }
    }
    if (isalnum(here(s)) || here(s) == '_')
        ir_scan_fail(s, ir_scan_place(s), "unexpected character in a number");
    return minus ? -value : value;
}

uint64_t ir_scan_read_limited(struct ir_scanner *s, uint64_t limit)
{
    struct loc at = (skip_blanks(s), ir_scan_place(s));
    uint64_t value = ir_scan_read_number(s);

    if (value > limit)
        ir_scan_fail(s, at, "number is larger than %llu", (unsigned long long)limit);
    return value;
}
