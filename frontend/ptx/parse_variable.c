/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_variable.c - variable and parameter declarations, initialisers.
 *
 * PTX ISA, "Variables". */
#include "frontend/ptx/parse.h"

#include <string.h>

static void attribute(struct parser *p, struct ptx_variable *variable)
{
    parse_expect(p, '(', "'('");
    do {
        if (parse_at_word(p, "managed")) {
            parse_advance(p);
            variable->managed = true;
        } else if (parse_at_word(p, "unified")) {
            parse_advance(p);
            variable->unified = true;
            parse_expect(p, '(', "'('");
            variable->unified_id[0] = parse_count(p, "an identifier");
            parse_expect(p, ',', "','");
            variable->unified_id[1] = parse_count(p, "an identifier");
            parse_expect(p, ')', "')'");
        } else {
            parse_expected(p, "an attribute");
        }
    } while (parse_accept(p, ','));
    parse_expect(p, ')', "')'");
}

static void alignment(struct parser *p, uint64_t *align)
{
    struct loc at = p->token.at;

    parse_advance(p);
    *align = parse_count(p, "an alignment");
    if (!p->failed && (!*align || (*align & (*align - 1))))
        parse_error(p, at, "an alignment must be a power of two");
}

/* What stands between the space and the name, in any order. */
static void qualifiers(struct parser *p, struct ptx_variable *variable)
{
    variable->vector = 1;
    while (!p->failed && p->token.kind == TOKEN_DOTTED) {
        uint32_t word = parse_word(p);
        if (word == W_align) {
            alignment(p, variable->is_pointer ? &variable->pointer_align
                                              : &variable->align);
            continue;
        }
        if (word == W_attribute) {
            parse_advance(p);
            attribute(p, variable);
            continue;
        }
        if (word_is_type(word)) {
            if (variable->type)
                parse_error(p, p->token.at, "a second type");
            variable->type = word;
        } else if (word == W_v2 || word == W_v4 || word == W_v8) {
            variable->vector = word == W_v2 ? 2 : word == W_v4 ? 4 : 8;
        } else if (word == W_ptr) {
            variable->is_pointer = true;
        } else if (variable->is_pointer && !variable->pointer_space &&
                   (word == W_global || word == W_shared || word == W_const_ ||
                    word == W_local || word == W_param)) {
            variable->pointer_space = word;
        } else {
            parse_error(p, p->token.at, "'.%.*s' cannot stand in a declaration",
                        NAME_ARGS(p->token.text));
        }
        parse_advance(p);
    }
    if (!p->failed && !variable->type)
        parse_expected(p, "a type");
}

/* [N], [N][M], [] */
static void dimensions(struct parser *p, struct ptx_variable *variable)
{
    while (parse_accept(p, '[')) {
        if (variable->dimensions == PTX_MAX_DIMENSIONS) {
            parse_error(p, p->token.at, "more than %d dimensions",
                        PTX_MAX_DIMENSIONS);
            return;
        }
        uint64_t size = 0;
        if (p->token.kind == ']' && !variable->dimensions) {
            variable->unsized_array = true;
        } else {
            struct loc at = p->token.at;
            size = parse_count(p, "an array size");
            /* No state space holds more, and products stay in 64 bits. */
            if (!p->failed && size > 1ull << 40)
                parse_error(p, at, "this array is too large");
        }
        variable->size[variable->dimensions++] = size;
        parse_expect(p, ']', "']'");
    }
}

/* symbol, symbol + n, symbol - n */
static void symbol(struct parser *p, struct ptx_initial *initial)
{
    initial->kind = INITIAL_SYMBOL;
    initial->at = p->token.at;
    initial->symbol = parse_name(p, "a variable or function");
    while (!p->failed && (p->token.kind == '+' || p->token.kind == '-')) {
        bool negative = p->token.kind == '-';
        struct loc at = p->token.at;
        parse_advance(p);
        struct ptx_constant value = parse_constant_term(p);
        if (!constant_is_integer(value))
            parse_error(p, at, "an offset must be an integer");
        initial->offset = (int64_t)((uint64_t)initial->offset +
                                    (negative ? -value.bits : value.bits));
    }
}

/* generic(symbol), generic(symbol + n), generic(symbol) + n */
static void symbol_or_generic(struct parser *p, struct ptx_initial *initial)
{
    struct ptx_name name = p->token.text;
    struct loc at = p->token.at;

    if (p->token.kind != TOKEN_NAME || !name_is(name, "generic")) {
        symbol(p, initial);
        return;
    }
    parse_advance(p);
    if (p->token.kind != '(') { /* a variable of that name */
        initial->kind = INITIAL_SYMBOL;
        initial->symbol = name;
        initial->at = at;
        return;
    }
    parse_advance(p);
    symbol(p, initial);
    initial->generic = true;
    parse_expect(p, ')', "')'");
    while (!p->failed && (p->token.kind == '+' || p->token.kind == '-')) {
        bool negative = p->token.kind == '-';
        parse_advance(p);
        struct ptx_constant value = parse_constant_term(p);
        initial->offset = (int64_t)((uint64_t)initial->offset +
                                    (negative ? -value.bits : value.bits));
    }
}

/* 0xFF(symbol), 0xFF00(generic(symbol)), mask(...) of byte tables. */
static void masked(struct parser *p, struct ptx_initial *initial)
{
    parse_expect(p, '(', "'('");
    symbol_or_generic(p, initial);
    parse_expect(p, ')', "')'");
}

void parse_initial(struct parser *p, struct ptx_initial *initial)
{
    *initial = (struct ptx_initial){.kind = INITIAL_LIST, .at = p->token.at};
    if (p->failed)
        return;
    if (p->token.kind == '{') {
        uint32_t base = p->initials.count;
        p->open++;
        parse_advance(p);
        if (!parse_enter(p))
            return;
        if (p->token.kind != '}')
            do {
                struct ptx_initial item;
                parse_initial(p, &item);
                *ARENA_PUSH(&p->scratch, &p->initials) = item;
            } while (parse_accept(p, ',') && p->token.kind != '}');
        initial->count = p->initials.count - base;
        initial->items =
            ARENA_NEW_ARRAY(p->arena, initial->count, struct ptx_initial);
        if (initial->count)
            memcpy(initial->items, &p->initials.items[base],
                   initial->count * sizeof *initial->items);
        p->initials.count = base;
        parse_leave(p);
        parse_expect(p, '}', "'}'");
        if (!p->failed)
            p->open--;
    } else if (p->token.kind == TOKEN_NAME &&
               !name_is(p->token.text, "WARP_SZ")) {
        struct token first = p->token;
        symbol_or_generic(p, initial);
        if (!initial->generic && name_is(first.text, "mask") &&
            p->token.kind == '(')
            masked(p, initial);
    } else {
        struct loc at = p->token.at;
        if (!parse_at_constant(p)) {
            parse_expected(p, "an initial value");
            return;
        }
        initial->kind = INITIAL_CONSTANT;
        initial->constant = parse_constant(p);
        if (!p->failed && p->token.kind == '(') {
            uint64_t mask = initial->constant.bits;
            masked(p, initial);
            if (!mask)
                parse_error(p, at, "an empty address mask");
            initial->mask = mask;
            initial->at = at;
        }
    }
}

/* name, name<N>, name[N], name[N] = initial */
static void declarator(struct parser *p, const struct ptx_variable *common)
{
    struct ptx_variable variable = *common;
    struct ptx_initial initial;

    variable.at = p->token.at;
    variable.name = parse_name(p, "a name");
    if (parse_accept(p, '<')) {
        /* Read as a number: "<5>" would be a comparison. */
        variable.is_range = true;
        variable.range = p->token.bits;
        parse_expect(p, TOKEN_INTEGER, "a count");
        parse_expect(p, '>', "'>'");
    }
    dimensions(p, &variable);
    if (parse_accept(p, '=')) {
        parse_initial(p, &initial);
        variable.initial = ARENA_NEW(p->arena, struct ptx_initial);
        *variable.initial = initial;
    }
    if (!p->failed)
        *ARENA_PUSH(&p->scratch, &p->variables) = variable;
}

void parse_variables(struct parser *p, enum ptx_linkage linkage)
{
    struct ptx_variable common = {.linkage = linkage, .space = parse_word(p)};

    parse_advance(p);
    qualifiers(p, &common);
    do
        declarator(p, &common);
    while (parse_accept(p, ','));
    parse_expect(p, ';', "';'");
}

void parse_parameter(struct parser *p)
{
    struct ptx_variable variable = {.space = parse_word(p)};

    if (variable.space != W_param && variable.space != W_reg) {
        parse_expected(p, "a .param or .reg declaration");
        return;
    }
    parse_advance(p);
    qualifiers(p, &variable);
    variable.at = p->token.at;
    if (p->token.kind == TOKEN_NAME)
        variable.name = parse_name(p, "a name");
    else
        variable.name = (struct ptx_name){"_", 1};
    dimensions(p, &variable);
    if (!p->failed)
        *ARENA_PUSH(&p->scratch, &p->variables) = variable;
}
