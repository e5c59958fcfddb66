/* SPDX-License-Identifier: Apache-2.0
 *
 * reader.c - tokens of litmus files and tests under construction. */
#include "config.h"

#include "memmodel/reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memmodel/comments.h"

void reader_fail(struct reader *r, struct loc at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    diag_add(r->diags, SEVERITY_ERROR, at, format, args);
    va_end(args);
    longjmp(r->failed, 1);
}

static struct loc here(const struct reader *r)
{
    return (struct loc){r->line, (uint32_t)(r->next - r->line_start) + 1};
}

static void new_line(struct reader *r)
{
    r->line++;
    r->line_start = r->next;
}

static bool starts(const struct reader *r, const char *text)
{
    size_t size = strlen(text);

    return (size_t)(r->end - r->next) >= size && !memcmp(r->next, text, size);
}

static void skip_comment(struct reader *r, const char *close)
{
    struct loc at = here(r);

    while (r->next < r->end && !starts(r, close))
        if (*r->next++ == '\n')
            new_line(r);
    if (r->next >= r->end)
        reader_fail(r, at, "this comment does not end");
    r->next += strlen(close);
}

static void skip_blanks(struct reader *r)
{
    while (r->next < r->end) {
        if (*r->next == '\n') {
            r->next++;
            new_line(r);
        } else if (isspace((unsigned char)*r->next)) {
            r->next++;
        } else if (starts(r, "//")) {
            while (r->next < r->end && *r->next != '\n')
                r->next++;
        } else if (starts(r, "/*")) {
            skip_comment(r, "*/");
        } else if (starts(r, "(*")) {
            skip_comment(r, "*)");
        } else {
            return;
        }
    }
}

static bool word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '%' || c == '$';
}

static bool word_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void lex_word(struct reader *r)
{
    r->next++;
    for (;;) {
        while (r->next < r->end && word_part(*r->next))
            r->next++;
        /* Qualifiers such as shared::cta are one word. */
        if (r->end - r->next > 2 && r->next[0] == ':' && r->next[1] == ':' &&
            word_start(r->next[2]))
            r->next += 2;
        else
            return;
    }
}

static void lex_number(struct reader *r)
{
    int base = 10;
    uint64_t value = 0;

    if (starts(r, "0x") || starts(r, "0X")) {
        base = 16;
        r->next += 2;
    }
    const char *digits = r->next;
    for (; r->next < r->end && isxdigit((unsigned char)*r->next); r->next++) {
        char c = *r->next;
        int digit = isdigit((unsigned char)c) ? c - '0'
                                              : tolower((unsigned char)c) - 'a' + 10;
        if (digit >= base)
            break;
        if (value > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            reader_fail(r, r->token.at, "this number does not fit in 64 bits");
        value = value * (uint64_t)base + (uint64_t)digit;
    }
    if (r->next == digits)
        reader_fail(r, r->token.at, "a number needs digits");
    if (r->next < r->end && (*r->next == 'U' || *r->next == 'u') && base == 16)
        r->next++;
    r->token.number = value;
}

static void lex_string(struct reader *r)
{
    for (r->next++; r->next < r->end && *r->next != '"'; )
        if (*r->next++ == '\n')
            new_line(r);
    if (r->next >= r->end)
        reader_fail(r, r->token.at, "this string does not end");
    r->next++;
}

void reader_advance(struct reader *r)
{
    static const char *const signs[] = {"/\\", "\\/", "==", "!=", "<=", ">=", "&&", "||"};

    r->previous_end = r->next;
    skip_blanks(r);
    r->token = (struct token){.text = r->next, .at = here(r)};
    if (r->next >= r->end)
        return;
    if (word_start(*r->next)) {
        r->token.kind = TOKEN_WORD;
        lex_word(r);
    } else if (isdigit((unsigned char)*r->next)) {
        r->token.kind = TOKEN_NUMBER;
        lex_number(r);
    } else if (*r->next == '"') {
        r->token.kind = TOKEN_STRING;
        lex_string(r);
    } else {
        r->token.kind = TOKEN_SIGN;
        size_t size = 1;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (starts(r, signs[i]))
                size = strlen(signs[i]);
        r->next += size;
    }
    r->token.size = (uint32_t)(r->next - r->token.text);
}

void reader_start(struct reader *r, struct arena *arena, struct diags *diags)
{
    memset(r, 0, sizeof *r);
    r->arena = arena;
    r->diags = diags;
    r->source = r->next = r->line_start = diags->source;
    r->end = diags->source + diags->source_size;
    r->line = 1;
    r->test = ARENA_NEW(arena, struct test);
    r->test->file = diags->name;
    r->test->source = diags->source;
    r->test->source_size = diags->source_size;
    r->test->description = "";
    r->test->threads = ARENA_NEW_ARRAY(arena, MAX_THREADS, struct test_thread);
    r->test->locations = ARENA_NEW_ARRAY(arena, MAX_LOCATIONS, struct test_location);
    r->test->objects = ARENA_NEW_ARRAY(arena, MAX_LOCATIONS, struct test_object);
    r->test->hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < diags->source_size; i++)
        r->test->hash = (r->test->hash ^ (unsigned char)diags->source[i]) *
                        0x100000001b3u;
}

bool reader_is(const struct reader *r, const char *text)
{
    return r->token.kind != TOKEN_END && r->token.kind != TOKEN_STRING &&
           r->token.size == strlen(text) && !memcmp(r->token.text, text, r->token.size);
}

bool reader_accept(struct reader *r, const char *text)
{
    if (!reader_is(r, text))
        return false;
    reader_advance(r);
    return true;
}

static const char *found(const struct reader *r)
{
    if (r->token.kind == TOKEN_END)
        return "the end of the file";
    return arena_printf(r->arena, "'%.*s'",
                        (int)(r->token.size < 40 ? r->token.size : 40), r->token.text);
}

void reader_expect(struct reader *r, const char *text)
{
    if (!reader_accept(r, text))
        reader_fail(r, r->token.at, "expected '%s' but found %s", text, found(r));
}

const char *reader_word(struct reader *r, const char *what)
{
    if (r->token.kind != TOKEN_WORD)
        reader_fail(r, r->token.at, "expected %s but found %s", what, found(r));
    const char *word = arena_copy(r->arena, r->token.text, r->token.size);
    reader_advance(r);
    return word;
}

int64_t reader_integer(struct reader *r, const char *what)
{
    bool negative = reader_accept(r, "-");

    if (r->token.kind != TOKEN_NUMBER)
        reader_fail(r, r->token.at, "expected %s but found %s", what, found(r));
    uint64_t value = r->token.number;
    reader_advance(r);
    return (int64_t)(negative ? 0 - value : value);
}

const char *reader_text(struct reader *r, const char *start)
{
    size_t size = r->previous_end > start ? (size_t)(r->previous_end - start) : 0;
    char *text = arena_copy(r->arena, start, size), *to = text;

    for (const char *from = text; *from; from++) {
        bool blank = isspace((unsigned char)*from);
        if (blank && (to == text || to[-1] == ' '))
            continue;
        *to++ = blank ? ' ' : *from;
    }
    if (to > text && to[-1] == ' ')
        to--;
    *to = 0;
    return text;
}

/* --- the test being built ------------------------------------------------------ */

uint32_t find_location(const struct test *test, const char *name)
{
    for (uint32_t i = 0; i < test->location_count; i++)
        if (!strcmp(test->locations[i].name, name))
            return i;
    return UINT32_MAX;
}

uint32_t find_register(const struct test_thread *thread, const char *name)
{
    for (uint32_t i = 0; i < thread->register_count; i++)
        if (!strcmp(thread->registers[i].name, name))
            return i;
    return NO_REGISTER;
}

uint32_t find_thread(const struct test *test, uint32_t number)
{
    for (uint32_t i = 0; i < test->thread_count; i++)
        if (test->threads[i].number == number)
            return i;
    return UINT32_MAX;
}

uint32_t add_register(struct reader *r, struct test_thread *thread,
                      const char *name, uint32_t width)
{
    if (!thread->registers)
        thread->registers =
            ARENA_NEW_ARRAY(r->arena, MAX_REGISTERS, struct test_register);
    if (thread->register_count == MAX_REGISTERS)
        reader_fail(r, r->token.at, "a thread can have at most %d registers",
                    MAX_REGISTERS);
    thread->registers[thread->register_count] =
        (struct test_register){.name = name, .width = width};
    return thread->register_count++;
}

uint32_t add_location(struct reader *r, const char *name, struct loc at,
                      uint32_t size, uint32_t element)
{
    struct test *test = r->test;

    if (test->location_count == MAX_LOCATIONS)
        reader_fail(r, at, "a test can have at most %d variables", MAX_LOCATIONS);
    uint32_t index = test->location_count++;
    test->locations[index] = (struct test_location){
        .name = name, .at = at, .object = test->object_count, .range = index,
        .element = element};
    test->objects[test->object_count++] = (struct test_object){.size = size};
    return index;
}

struct instruction *add_instruction(struct reader *r, struct test_thread *thread,
                                    enum instruction_kind kind, struct loc at)
{
    if (!thread->code)
        thread->code = ARENA_NEW_ARRAY(r->arena, MAX_INSTRUCTIONS, struct instruction);
    if (thread->code_count == MAX_INSTRUCTIONS)
        reader_fail(r, at, "a thread can have at most %d instructions",
                    MAX_INSTRUCTIONS);
    struct instruction *i = &thread->code[thread->code_count++];
    *i = (struct instruction){.kind = kind, .at = at, .text = "",
                              .guard = NO_REGISTER, .elements = 1,
                              .scope = SCOPE_SYS};
    for (uint32_t n = 0; n < MAX_VECTOR; n++)
        i->result[n] = NO_REGISTER;
    return i;
}

void set_initial(struct test_object *object, uint32_t offset, uint32_t size,
                 int64_t value)
{
    for (uint32_t i = 0; i < size && offset + i < MAX_OBJECT_BYTES; i++)
        object->initial[offset + i] = (uint8_t)((uint64_t)value >> 8 * (i & 7));
}

/* --- either format --------------------------------------------------------------- */

struct test *test_read(struct arena *arena, struct diags *diags,
                       const char *name, const char *source, size_t size)
{
    static const char mark[] = "litmus";

    diags->arena = arena;
    diags->name = name;
    diags->source = source;
    diags->source_size = size;
    /* The first word after comments tells the formats apart. */
    struct reader r;
    reader_start(&r, arena, diags);
    bool native = false;
    if (!setjmp(r.failed)) {
        reader_advance(&r);
        native = reader_is(&r, mark);
    }
    if (diags->errors)
        return NULL;
    struct test *test = native ? test_read_native(arena, diags)
                               : test_read_dat3m(arena, diags);
    return test && read_comments(arena, diags, test) ? test : NULL;
}

const char *scope_name(enum scope scope)
{
    static const char *const names[] = {"cta", "cluster", "gpu", "sys"};
    return names[scope];
}

const char *proxy_name(enum proxy proxy)
{
    static const char *const names[] = {"generic", "async", "texture",
                                        "surface", "constant", "alias"};
    return names[proxy];
}

const char *operation_sign(enum operation operation)
{
    switch (operation) {
    case OP_NE: return "!=";
    case OP_LT: return "<";
    case OP_LE: return "<=";
    case OP_GT: return ">";
    case OP_GE: return ">=";
    default: return "=";
    }
}
