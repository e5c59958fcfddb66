/* SPDX-License-Identifier: Apache-2.0
 *
 * parse.c - tokens, recovery, and the module level of PTX. */
#include "frontend/ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void parse_advance(struct parser *p)
{
    p->previous_end = p->token.at;
    p->previous_end.column += p->token.text.size;
    if (p->token.kind == TOKEN_DOTTED)
        p->previous_end.column++;
    else if (p->token.kind == TOKEN_STRING)
        p->previous_end.column += 2;
    lex_next(&p->lexer, &p->token);
}

void parse_error(struct parser *p, struct loc at, const char *format, ...)
{
    va_list args;

    if (p->failed)
        return;
    p->failed = true;
    va_start(args, format);
    diag_add(p->diags, SEVERITY_ERROR, at, format, args);
    va_end(args);
}

static void describe(const struct token *token, char *out, size_t size)
{
    if (token->kind == TOKEN_END)
        snprintf(out, size, "the end of the file");
    else if (token->kind == TOKEN_STRING)
        snprintf(out, size, "a string");
    else if (token->kind == TOKEN_DOTTED)
        snprintf(out, size, "'.%.*s'", NAME_ARGS(token->text));
    else
        snprintf(out, size, "'%.*s'", NAME_ARGS(token->text));
}

void parse_expected(struct parser *p, const char *what)
{
    char found[200];

    describe(&p->token, found, sizeof found);
    /* Missing punctuation is reported where it is missing, not a line later. */
    bool later = what[0] == '\'' && p->previous_end.line &&
                 p->token.at.line != p->previous_end.line;
    struct loc at = later ? p->previous_end : p->token.at;
    parse_error(p, at, "expected %s before %s", what, found);
}

bool parse_accept(struct parser *p, int kind)
{
    if (p->failed || p->token.kind != kind)
        return false;
    parse_advance(p);
    return true;
}

void parse_expect(struct parser *p, int kind, const char *what)
{
    if (!parse_accept(p, kind))
        parse_expected(p, what);
}

bool parse_at_word(const struct parser *p, const char *name)
{
    return p->token.kind == TOKEN_DOTTED && name_is(p->token.text, name);
}

struct ptx_name parse_name(struct parser *p, const char *what)
{
    struct ptx_name name = p->token.text;

    if (!parse_accept(p, TOKEN_NAME)) {
        parse_expected(p, what);
        return (struct ptx_name){"", 0};
    }
    return name;
}

uint32_t parse_word(const struct parser *p)
{
    if (p->token.kind != TOKEN_DOTTED)
        return W_NONE;
    return words_find(&p->module->words, p->token.text.text,
                      p->token.text.size);
}

uint64_t parse_count(struct parser *p, const char *what)
{
    struct loc at = p->token.at;

    if (p->failed)
        return 0;
    if (!parse_at_constant(p)) {
        parse_expected(p, what);
        return 0;
    }
    struct ptx_constant value = parse_constant(p);
    if (!constant_is_integer(value) ||
        (value.kind == CONSTANT_SIGNED && (int64_t)value.bits < 0)) {
        parse_error(p, at, "%s must be an integer that is not negative", what);
        return 0;
    }
    return value.bits;
}

bool parse_enter(struct parser *p)
{
    if (p->failed)
        return false;
    if (p->depth >= PARSE_MAX_DEPTH) {
        parse_error(p, p->token.at, "nested more than %d deep",
                    PARSE_MAX_DEPTH);
        return false;
    }
    p->depth++;
    return true;
}

void parse_leave(struct parser *p)
{
    p->depth--;
}

void parse_recover(struct parser *p)
{
    uint32_t open = p->open;

    p->failed = false;
    p->open = 0;
    /* Only the ';' is missing: the next line is a statement of its own. */
    if (!open && p->token.at.line != p->previous_end.line &&
        (p->token.kind == TOKEN_NAME || p->token.kind == '@'))
        return;
    while (p->token.kind != TOKEN_END) {
        if (p->token.kind == ';') {
            parse_advance(p);
            return;
        }
        if (p->token.kind == '{') {
            open++;
        } else if (p->token.kind == '}') {
            if (!open)
                return;
            open--;
        }
        parse_advance(p);
    }
}

/* --- module directives --- */

/* .version MAJOR.MINOR */
static void version(struct parser *p)
{
    struct ptx_name text = p->token.text;
    uint32_t major = 0, minor = 0, i = 0;

    if (p->token.kind != TOKEN_FLOAT64) {
        parse_expected(p, "a version number such as 8.0");
        p->module->version = 10; /* no more about versions */
        return;
    }
    for (; i < text.size && text.text[i] >= '0' && text.text[i] <= '9'; i++)
        major = major < 1000 ? major * 10 + (uint32_t)(text.text[i] - '0') : major;
    bool point = i < text.size && text.text[i] == '.';
    uint32_t digits = 0;
    for (i++; i < text.size && text.text[i] >= '0' && text.text[i] <= '9'; i++) {
        minor = minor < 1000 ? minor * 10 + (uint32_t)(text.text[i] - '0') : minor;
        digits++;
    }
    if (!point || digits != 1 || i != text.size)
        parse_error(p, p->token.at, "malformed version number '%.*s'",
                    NAME_ARGS(text));
    else if (p->module->version)
        parse_error(p, p->token.at, "a second .version");
    p->module->version_at = p->token.at;
    p->module->version = major * 10 + minor;
    parse_advance(p);
}

static bool target_name(struct ptx_name name, struct ptx_target *target)
{
    uint32_t i = 3;

    if (name.size < 5 || memcmp(name.text, "sm_", 3) != 0)
        return false;
    for (; i < name.size && i < 7 && name.text[i] >= '0' && name.text[i] <= '9'; i++)
        target->sm = target->sm * 10 + (uint32_t)(name.text[i] - '0');
    if (i < name.size && i > 3 && (name.text[i] == 'a' || name.text[i] == 'f'))
        target->suffix = name.text[i++];
    return i == name.size && i > 3;
}

/* .target NAME, NAME ... */
static void target(struct parser *p)
{
    struct ptx_module *module = p->module;

    do {
        struct loc at = p->token.at;
        struct ptx_name name = parse_name(p, "a target such as sm_80");
        struct ptx_target found = {0};
        if (p->failed)
            return;
        if (target_name(name, &found)) {
            if (module->target.sm)
                parse_error(p, at, "a second target architecture '%.*s'",
                            NAME_ARGS(name));
            module->target = found;
            module->target_at = at;
        } else if (name_is(name, "debug")) {
            module->debug = true;
        } else if (name_is(name, "texmode_independent")) {
            module->texmode_independent = true;
        } else if (name_is(name, "texmode_unified")) {
            module->texmode_independent = false;
        } else if (name_is(name, "map_f64_to_f32")) {
            module->map_f64_to_f32 = true;
        } else {
            parse_error(p, at, "unknown target '%.*s'", NAME_ARGS(name));
        }
    } while (parse_accept(p, ','));
}

static void address_size(struct parser *p)
{
    struct loc at = p->token.at;
    uint64_t size = parse_count(p, "an address size");

    if (!p->failed && size != 32 && size != 64)
        parse_error(p, at, "the address size must be 32 or 64");
    if (!p->failed && p->module->address_size)
        parse_error(p, at, "a second .address_size");
    p->module->address_size = (uint32_t)size;
}

/* .alias NAME, TARGET ; */
static void alias(struct parser *p)
{
    struct ptx_alias *alias = ARENA_NEW(p->arena, struct ptx_alias);

    alias->at = p->token.at;
    alias->name = parse_name(p, "the name of the alias");
    parse_expect(p, ',', "','");
    alias->target_at = p->token.at;
    alias->target = parse_name(p, "the name of a function");
    parse_expect(p, ';', "';'");
    if (!p->failed)
        *ARENA_PUSH(p->arena, &p->module->items) =
            (struct ptx_item){.kind = ITEM_ALIAS, .alias = alias};
}

static void pragma(struct parser *p)
{
    do {
        struct ptx_directive pragma = {
            .word = W_pragma, .at = p->token.at, .text = p->token.text};
        parse_expect(p, TOKEN_STRING, "a string");
        if (!p->failed)
            *ARENA_PUSH(p->arena, &p->module->pragmas) = pragma;
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "';'");
}

static bool is_space(uint32_t word)
{
    return word == W_global || word == W_const_ || word == W_shared ||
           word == W_local || word == W_reg || word == W_tex ||
           word == W_param || word == W_sreg;
}

static void variables(struct parser *p, enum ptx_linkage linkage)
{
    uint32_t base = p->variables.count;

    parse_variables(p, linkage);
    for (uint32_t i = base; i < p->variables.count; i++) {
        struct ptx_variable *variable = ARENA_NEW(p->arena, struct ptx_variable);
        *variable = p->variables.items[i];
        *ARENA_PUSH(p->arena, &p->module->items) =
            (struct ptx_item){.kind = ITEM_VARIABLE, .variable = variable};
    }
    p->variables.count = base;
}

/* After a failure at module level: to a directive that begins a line, or
 * behind a ';' or a '}' that closes everything open. */
static void recover_item(struct parser *p)
{
    uint32_t open = 0;

    p->failed = false;
    p->open = 0;
    while (p->token.kind != TOKEN_END) {
        uint32_t word = parse_word(p);
        if (!open && p->token.at.line != p->previous_end.line &&
            ((word >= W_version && word <= W_alias) || is_space(word)) &&
            word != W_param && word != W_noreturn)
            return;
        if (p->token.kind == '{') {
            open++;
        } else if (p->token.kind == '}') {
            if (open <= 1) {
                parse_advance(p);
                return;
            }
            open--;
        } else if (p->token.kind == ';' && !open) {
            parse_advance(p);
            return;
        }
        parse_advance(p);
    }
}

static enum ptx_linkage linkage_of(uint32_t word)
{
    switch (word) {
    case W_visible: return LINKAGE_VISIBLE;
    case W_weak: return LINKAGE_WEAK;
    case W_extern: return LINKAGE_EXTERN;
    case W_common: return LINKAGE_COMMON;
    default: return LINKAGE_NONE;
    }
}

static void item(struct parser *p)
{
    enum ptx_linkage linkage = LINKAGE_NONE;
    struct loc at = p->token.at;

    if (p->token.kind == ';') { /* a stray one does no harm */
        parse_advance(p);
        return;
    }
    if (p->token.kind == '@') { /* @@DWARF: line information of PTX 1.x */
        lex_skip_line(&p->lexer);
        parse_advance(p);
        return;
    }
    uint32_t word = parse_word(p);
    if (!p->module->version && word != W_version && word != W_file) {
        parse_error(p, at, "a PTX module begins with .version");
        p->module->version = 10; /* say it once */
    }
    while (linkage_of(word) != LINKAGE_NONE) {
        if (linkage != LINKAGE_NONE)
            parse_error(p, p->token.at, "more than one linking directive");
        linkage = linkage_of(word);
        parse_advance(p);
        word = parse_word(p);
    }
    if (word == W_entry || word == W_func) {
        parse_function(p, linkage);
        return;
    }
    if (is_space(word)) {
        variables(p, linkage);
        return;
    }
    if (linkage != LINKAGE_NONE) {
        parse_expected(p, "a function or variable");
        return;
    }
    if (word == W_NONE) {
        parse_expected(p, "a directive");
        return;
    }
    struct ptx_location location;
    parse_advance(p);
    switch (word) {
    case W_version: version(p); break;
    case W_target: target(p); break;
    case W_address_size: address_size(p); break;
    case W_alias: alias(p); break;
    case W_pragma: pragma(p); break;
    case W_file: parse_file(p); break;
    case W_loc: parse_location(p, &location); break;
    case W_section: parse_section(p); break;
    default:
        parse_error(p, at, "'.%s' cannot stand here", word_text(word));
    }
}

struct ptx_module *ptx_parse(struct arena *arena, const char *text,
                             size_t size, struct diags *diags)
{
    struct parser parser = {.arena = arena, .diags = diags}, *p = &parser;

    p->module = ARENA_NEW(arena, struct ptx_module);
    words_index(arena, &p->module->words);
    lex_begin(&p->lexer, text, size, diags);
    lex_next(&p->lexer, &p->token);
    while (p->token.kind != TOKEN_END) {
        const char *before = p->token.text.text;
        item(p);
        if (p->failed) {
            recover_item(p);
            if (p->token.text.text == before && p->token.kind != TOKEN_END)
                parse_advance(p); /* always forward */
        }
    }
    if (!p->module->version)
        diag_error(diags, p->token.at, "a PTX module begins with .version");
    else if (!p->module->target.sm && !diags->errors)
        diag_error(diags, p->token.at, "this module has no .target");
    arena_free(&p->scratch);
    return p->module;
}
