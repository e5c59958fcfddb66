/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_debug.c - .file, .loc and DWARF sections.
 *
 * PTX ISA, "Debugging Directives". Of the sections only the strings of
 * .debug_str are kept: .loc names inlined functions by their labels. */
#include "frontend/ptx/parse.h"

#include <string.h>

static uint32_t small(struct parser *p, const char *what)
{
    uint32_t bits = p->token.bits > UINT32_MAX ? UINT32_MAX : (uint32_t)p->token.bits;

    parse_expect(p, TOKEN_INTEGER, what);
    return bits;
}

/* .file NUMBER "path" [, timestamp, size] */
void parse_file(struct parser *p)
{
    struct ptx_file file = {.number = p->token.bits};

    parse_expect(p, TOKEN_INTEGER, "a file number");
    file.path = p->token.text;
    parse_expect(p, TOKEN_STRING, "a file name");
    if (parse_accept(p, ',')) {
        parse_expect(p, TOKEN_INTEGER, "a time stamp");
        parse_expect(p, ',', "','");
        parse_expect(p, TOKEN_INTEGER, "a file size");
    }
    if (!p->failed)
        *ARENA_PUSH(p->arena, &p->module->files) = file;
}

/* Behind .loc; see struct ptx_location. Some writers end it with ';'. */
void parse_location(struct parser *p, struct ptx_location *location)
{
    *location = (struct ptx_location){.file = small(p, "a file number")};
    location->line = small(p, "a line number");
    location->column = small(p, "a column number");
    if (!parse_accept(p, ','))
        return;
    if (!name_is(p->token.text, "function_name"))
        parse_expected(p, "function_name");
    parse_name(p, "function_name");
    location->inlined = true;
    location->function = parse_name(p, "a label in .debug_str");
    if (parse_accept(p, '+'))
        location->function_offset = small(p, "an offset");
    parse_expect(p, ',', "','");
    if (!name_is(p->token.text, "inlined_at"))
        parse_expected(p, "inlined_at");
    parse_name(p, "inlined_at");
    location->inlined_file = small(p, "a file number");
    location->inlined_line = small(p, "a line number");
    location->inlined_column = small(p, "a column number");
}

struct string_label {
    struct ptx_name label;
    size_t offset;
};

/* Bytes of .debug_str: .b8 lists; a label names the byte that follows. */
static void strings(struct parser *p)
{
    struct text bytes = {0};
    PTX_LIST(struct string_label) labels = {0};

    while (!p->failed && p->token.kind != '}' && p->token.kind != TOKEN_END) {
        if (p->token.kind == TOKEN_NAME) {
            struct ptx_name label = p->token.text;
            parse_advance(p);
            parse_expect(p, ':', "':'");
            *ARENA_PUSH(&p->scratch, &labels) =
                (struct string_label){label, bytes.size};
        } else if (parse_at_word(p, "b8")) {
            parse_advance(p);
            do {
                if (p->token.kind == TOKEN_STRING)
                    text_add(&bytes, p->token.text.text, p->token.text.size);
                else if (p->token.kind == TOKEN_INTEGER)
                    text_putc(&bytes, (char)p->token.bits);
                else
                    parse_expected(p, "a byte");
                parse_advance(p);
            } while (parse_accept(p, ','));
        } else {
            parse_advance(p);
        }
    }
    for (uint32_t i = 0; i < labels.count; i++) {
        struct ptx_debug_string *string =
            ARENA_PUSH(p->arena, &p->module->debug_strings);
        string->label = labels.items[i].label;
        /* Ends at its zero byte, or where the section ends. */
        string->text = labels.items[i].offset < bytes.size
                           ? arena_strdup(p->arena,
                                          bytes.data + labels.items[i].offset)
                           : "";
    }
    text_free(&bytes);
}

/* .section NAME { ... } */
void parse_section(struct parser *p)
{
    bool is_strings = parse_at_word(p, "debug_str");
    uint32_t open = 1;

    if (!is_strings) /* the lines that they tell are those of .loc */
        *ARENA_PUSH(p->arena, &p->module->left_outs) =
            (struct ptx_left_out){p->token.at, "this debug section"};
    if (p->token.kind == TOKEN_DOTTED)
        parse_advance(p);
    else
        parse_name(p, "the name of a section");
    struct loc begin = p->token.at;
    parse_expect(p, '{', "'{'");
    if (is_strings)
        strings(p);
    while (!p->failed && p->token.kind != TOKEN_END) {
        if (p->token.kind == '{')
            open++;
        bool last = p->token.kind == '}' && --open == 0;
        parse_advance(p);
        if (last)
            return;
    }
    parse_error(p, begin, "this '{' is never closed");
}
