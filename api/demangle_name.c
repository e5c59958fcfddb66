/* SPDX-License-Identifier: Apache-2.0
 *
 * demangle_name.c - names, with their templates and lists. */
#include "config.h"

#include "api/demangle_parts.h"

#include <string.h>

/* --- lists -------------------------------------------------------------------------------- */

const char *pattern(struct reader *r, const char *text)
{
    return join(r, PATTERN, text, PATTERN_END);
}

/* Dp <type> | sp <expression> | <type> | X <expression> E | L ... E */
static bool add_argument(struct reader *r, struct list *list)
{
    const char *expansion = NULL;

    if (take(r, "Dp"))
        expansion = remember(r, r->substitutions, pattern(r, shown(r, type(r))));
    return remember(r, list, expansion        ? expansion
                          : take(r, "L")   ? literal(r)
                          : *r->at == 'X' ? expression(r)
                                          : type(r));
}

static const char *listed(struct reader *r, const struct list *list)
{
    const char *result = "";

    for (unsigned i = 0; i < list->count; i++)
        result = join(r, result, i ? SEPARATOR : "", shown(r, list->items[i]));
    return result;
}

/* <type>+ up to E, the end or a reference qualifier; v alone is no parameter */
const char *parameters(struct reader *r, struct list *list)
{
    list->count = 0;
    if (*r->at == 'v' && (r->at[1] == 'E' || !r->at[1] || r->at[1] == '.')) {
        r->at++;
        return "";
    }
    while (*r->at && *r->at != 'E' && *r->at != '.' &&
           !((*r->at == 'R' || *r->at == 'O') && r->at[1] == 'E'))
        if (!add_argument(r, list))
            return NULL;
    return listed(r, list);
}

struct list *list_new(struct reader *r)
{
    struct list *list = ARENA_NEW(r->arena, struct list);

    list->count = 0;
    return list;
}

/* --- templates ------------------------------------------------------------------------------ */

/* <template-param> ::= T [<number>] _ */
const char *template_parameter(struct reader *r, const char *as)
{
    unsigned number;

    r->at++;
    if (!read_number(r, 10, &number))
        return NULL;
    return arena_printf(r->arena, "%s%u" END, as, number);
}

/* <template-args> ::= I (<argument> | J <argument>* E)* E
 * record: they are what T_ refers to from here on. */
const char *template_arguments(struct reader *r, bool record)
{
    struct template_list *own = record ? r->arguments : NULL;
    struct list *all = list_new(r);

    r->at++; /* I */
    if (++r->depth > DEPTH_LIMIT)
        return NULL;
    if (own)
        own->count = 0;
    while (!take(r, "E")) {
        struct template_argument argument = {0};
        unsigned before = all->count;

        argument.pack = take(r, "J");
        if (argument.pack) {
            while (!take(r, "E"))
                if (!add_argument(r, all))
                    return NULL;
        } else if (!add_argument(r, all)) {
            return NULL;
        }
        struct list *elements = list_new(r);
        while (before < all->count)
            remember(r, elements, all->items[before++]);
        argument.elements = elements;
        argument.text = argument.pack || !elements->count ? listed(r, elements)
                                                          : elements->items[0];
        if (!argument.text || (own && own->count == LIST_LIMIT))
            return NULL;
        if (own)
            *ARENA_PUSH(r->arena, own) = argument;
    }
    r->depth--;
    return join(r, "<", listed(r, all), ">");
}

/* --- names ------------------------------------------------------------------------------------ */

/* <source-name> ::= <length> <identifier> */
const char *source_name(struct reader *r)
{
    size_t length = 0;

    if (*r->at < '1' || *r->at > '9')
        return NULL;
    while (*r->at >= '0' && *r->at <= '9' && length <= NAME_LIMIT)
        length = length * 10 + (size_t)(*r->at++ - '0');
    if (length > NAME_LIMIT || strnlen(r->at, length) < length)
        return NULL;
    const char *text = arena_copy(r->arena, r->at, length);
    r->at += length;
    if (!strncmp(text, "_GLOBAL_", 8) && text[8] && strchr("._$", text[8]) && text[9] == 'N')
        return "(anonymous namespace)";
    return text;
}

/* <abi-tags> ::= (B <source-name>)*   behind a name */
static const char *abi_tags(struct reader *r, const char *text)
{
    while (text && take(r, "B"))
        text = join(r, join(r, text, "[abi:", ""), source_name(r), "]");
    return text;
}

/* St, Sa, Ss ...: the ones with a name of their own. */
static const char *standard(struct reader *r)
{
    static const char *const names[][2] = {
        {"St", "std"}, {"Sa", "std::allocator"}, {"Sb", "std::basic_string"},
        {"Ss", "std::string"}, {"Si", "std::istream"}, {"So", "std::ostream"},
        {"Sd", "std::iostream"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (take(r, names[i][0]))
            return names[i][1];
    return NULL;
}

/* <substitution> */
const char *substitution(struct reader *r)
{
    const char *result = standard(r);
    unsigned number;

    if (result)
        return result;
    r->at++; /* S */
    return read_number(r, 36, &number) && number < r->substitutions->count
               ? r->substitutions->items[number] : NULL;
}

/* Template parameters in those of a lambda are its autos. */
static const char *with_autos(struct reader *r, const char *text)
{
    const char *result = text ? "" : NULL;

    while (result) {
        size_t plain = strcspn(text, PARAMETER PATTERN PATTERN_END);
        const char mark = text[plain];

        result = join(r, result, arena_copy(r->arena, text, plain), "");
        text += plain;
        if (!mark)
            break;
        text++;
        result = join(r, result,
                      mark == *PARAMETER
                          ? arena_printf(r->arena, "auto:%u", marked_number(&text) + 1)
                      : mark == *PATTERN ? "(" : ")...", "");
    }
    return result;
}

/* <unnamed-type-name> ::= Ut [<number>] _ | Ul <parameters> E [<number>] _ */
static const char *unnamed(struct reader *r)
{
    unsigned number;

    if (take(r, "Ut"))
        return read_number(r, 10, &number)
                   ? arena_printf(r->arena, "{unnamed type#%u}", number + 1) : NULL;
    if (!take(r, "Ul"))
        return NULL;
    const char *taken = with_autos(r, parameters(r, list_new(r)));
    if (!taken || !take(r, "E") || !read_number(r, 10, &number))
        return NULL;
    return join(r, "{lambda(", taken, arena_printf(r->arena, ")#%u}", number + 1));
}

/* <unqualified-name>. before: what it is a member of, for constructors. */
static const char *unqualified(struct reader *r, const char *before, struct name_parts *parts)
{
    take(r, "L"); /* internal linkage */
    if (*r->at >= '1' && *r->at <= '9')
        return source_name(r);
    if (*r->at == 'U')
        return unnamed(r);
    if ((*r->at == 'C' || *r->at == 'D') && r->at[1] >= '0' && r->at[1] <= '5' && before) {
        bool destroys = *r->at == 'D';
        r->at += 2;
        if (parts)
            parts->plain_function = true;
        return join(r, destroys ? "~" : "", before, "");
    }
    bool cast = false;
    const char *result = operator_name(r, &cast);
    if (parts && cast)
        parts->plain_function = true;
    return result;
}

/* <nested-name> ::= N [<CV>] [<ref>] (<prefix component> [<template-args>])+ E */
static const char *nested_name(struct reader *r, struct name_parts *parts)
{
    const char *text = NULL, *plain = "", *last = NULL;
    bool first = true;

    for (; *r->at == 'K' || *r->at == 'V' || *r->at == 'r'; r->at++)
        if (parts && *r->at == 'K')
            parts->constant = true;
    if (*r->at == 'R' || *r->at == 'O')
        r->at++;
    while (!take(r, "E")) {
        const char *part = NULL, *bare;
        bool fresh = true;

        if (*r->at == 'I') {
            if (first)
                return NULL;
            text = join(r, text, template_arguments(r, parts != NULL), "");
            if (parts)
                parts->templated = true;
            if (*r->at != 'E')
                plain = text;
        } else {
            if (*r->at == 'S' && first) {
                fresh = false;
                part = bare = shown(r, substitution(r));
            } else if (*r->at == 'T' && first) {
                part = bare = template_parameter(r, PARAMETER);
            } else if (*r->at == 'D' && (r->at[1] == 't' || r->at[1] == 'T') && first) {
                part = bare = type(r);
                fresh = false;
            } else {
                part = bare = unqualified(r, last, parts);
                if (part && *part == '{') /* of an encoding's own, never a candidate */
                    fresh = true;
            }
            part = abi_tags(r, part);
            if (!part)
                return NULL;
            last = bare;
            plain = first ? bare : join(r, text, "::", bare);
            text = first ? part : join(r, text, "::", part);
            if (parts) {
                parts->base = bare;
                parts->templated = false;
            }
        }
        if (!text)
            return NULL;
        first = false;
        /* Every prefix but the whole name is a substitution candidate; the whole
         * name is one only as a type, which type() sees to. */
        if (fresh && *r->at != 'E' && !remember(r, r->substitutions, text))
            return NULL;
    }
    if (parts)
        parts->plain = plain;
    return first ? NULL : text;
}

/* <local-name> ::= Z <encoding> E (<name> [<discriminator>] | s [<discriminator>]
 *                                  | d [<number>] _ <name>) */
static const char *local_name(struct reader *r, struct name_parts *parts)
{
    const char *function = encoding(r, ENCODING_AROUND);
    unsigned number;

    if (!function || !take(r, "E"))
        return NULL;
    if (take(r, "s")) {
        function = join(r, function, "::string literal", "");
    } else {
        if (take(r, "d") && !read_number(r, 10, &number))
            return NULL;
        const char *entity = name(r, parts);
        function = join(r, function, "::", entity);
    }
    /* <discriminator> ::= _ <digit> | __ <number> _ */
    if (r->at[0] == '_' && r->at[1] >= '0' && r->at[1] <= '9') {
        r->at += 2;
    } else if (r->at[0] == '_' && r->at[1] == '_') {
        r->at += 2 + strspn(r->at + 2, "0123456789");
        if (!take(r, "_"))
            return NULL;
    }
    return function;
}

/* <name> ::= <nested-name> | <local-name> | [St] <unqualified-name> [<template-args>]
 *          | <substitution> <template-args> */
const char *name(struct reader *r, struct name_parts *parts)
{
    const char *result;
    bool candidate = true;

    if (take(r, "N"))
        return nested_name(r, parts);
    if (take(r, "Z"))
        return local_name(r, parts);
    if (r->at[0] == 'S' && r->at[1] == 't') {
        r->at += 2;
        result = join(r, "std::", unqualified(r, NULL, parts), "");
    } else if (*r->at == 'S') {
        candidate = false;
        result = shown(r, substitution(r));
    } else {
        result = unqualified(r, NULL, parts);
    }
    if (parts)
        parts->plain = parts->base = result;
    result = abi_tags(r, result);
    if (result && *r->at == 'I') {
        if (candidate && !remember(r, r->substitutions, result))
            return NULL;
        result = join(r, result, template_arguments(r, parts != NULL), "");
        if (parts)
            parts->templated = true;
    }
    return result;
}
