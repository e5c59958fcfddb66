/* SPDX-License-Identifier: Apache-2.0
 *
 * demangle_type.c - types in C++ names. */
#include "config.h"

#include "api/demangle_parts.h"

#include <string.h>

/* --- holes -------------------------------------------------------------------------------- */

const char *shown(struct reader *r, const char *text)
{
    const char *hole = text ? strchr(text, HOLE) : NULL;

    if (!hole)
        return text;
    const char *rest = hole + 1;
    if (hole > text && hole[-1] == ' ' && *rest == ' ')
        rest++;
    const char *before = arena_copy(r->arena, text, (size_t)(hole - text));
    return join(r, before, rest, "");
}

/* The type with a mark (*, &, " const") put to it: behind, or where its hole is. */
const char *wrap(struct reader *r, const char *of, const char *mark)
{
    const char *hole = of ? strchr(of, HOLE) : NULL;

    if (!hole)
        return join(r, of, mark, "");
    const char *before = arena_copy(r->arena, of, (size_t)(hole - of));
    bool bare = hole == of || hole[-1] == ' ';
    const char *middle = join(r, bare && *mark != ' ' ? "(" : "", mark,
                              bare && *mark != ' ' ? "\1)" : "\1");
    return join(r, before, middle, hole + 1);
}

/* --- types -------------------------------------------------------------------------------------- */

/* <builtin-type> */
static const struct {
    const char *code, *name;
} builtins[] = {
    {"v", "void"}, {"w", "wchar_t"}, {"b", "bool"}, {"c", "char"},
    {"a", "signed char"}, {"h", "unsigned char"}, {"s", "short"},
    {"t", "unsigned short"}, {"i", "int"}, {"j", "unsigned int"}, {"l", "long"},
    {"m", "unsigned long"}, {"x", "long long"}, {"y", "unsigned long long"},
    {"n", "__int128"}, {"o", "unsigned __int128"}, {"f", "float"},
    {"d", "double"}, {"e", "long double"}, {"g", "__float128"}, {"z", "..."},
    {"DF16_", "_Float16"}, {"DF16b", "std::bfloat16_t"}, {"Dh", "half"}, {"Ds", "char16_t"},
    {"Di", "char32_t"}, {"Du", "char8_t"}, {"Dn", "decltype(nullptr)"}, {"Da", "auto"},
    {"Dc", "decltype(auto)"}};

static const char *builtin(struct reader *r)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (take(r, builtins[i].code))
            return builtins[i].name;
    return NULL;
}

/* Qualifiers in a row make one candidate; c++filt puts them behind. */
static const char *qualified_type(struct reader *r)
{
    bool constant = false, is_volatile = false, restricted = false;

    for (;; r->at++) {
        if (*r->at == 'r')
            restricted = true;
        else if (*r->at == 'V')
            is_volatile = true;
        else if (*r->at == 'K')
            constant = true;
        else
            break;
    }
    const char *marks = join(r, constant ? " const" : "", is_volatile ? " volatile" : "",
                             restricted ? " __restrict" : "");
    const char *of = type(r);
    /* A const function is a member's; it has no declarator to put that to. */
    return of && strchr(of, HOLE) && strstr(of, " \1(") ? join(r, of, marks, "")
                                                         : wrap(r, of, marks);
}

/* <function-type> ::= F [Y] <return type> <parameters> [<ref>] E   without the F */
static const char *function_type(struct reader *r)
{
    take(r, "Y");
    const char *result = type(r);
    const char *taken = parameters(r, list_new(r));

    if (result && strchr(result, HOLE))
        return NULL; /* it gives a pointer to a function or array */
    if (*r->at == 'R' || *r->at == 'O')
        r->at++;
    return take(r, "E") ? join(r, result, " \1(", join(r, taken, ")", "")) : NULL;
}

/* <array-type> ::= A [<number> | <expression>] _ <type>   without the A */
static const char *array_type(struct reader *r)
{
    size_t digits = strspn(r->at, "0123456789");
    const char *size = digits ? arena_copy(r->arena, r->at, digits)
                       : *r->at == '_' ? "" : expression(r);

    r->at += digits;
    if (!size || !take(r, "_"))
        return NULL;
    const char *of = type(r), *hole = of ? strchr(of, HOLE) : NULL;
    size = join(r, "[", size, "]");
    if (!hole)
        return join(r, of, " \1 ", size);
    if (hole[1] != ' ')
        return NULL; /* of pointers to functions and the like */
    const char *before = arena_copy(r->arena, of, (size_t)(hole - of));
    return join(r, join(r, before, "\1 ", size), hole + 2, "");
}

/* <pointer-to-member-type> ::= M <class> <member type>   without the M */
static const char *member_pointer(struct reader *r)
{
    const char *class = shown(r, type(r)), *of = type(r);
    bool hole = of && strchr(of, HOLE);

    return hole ? wrap(r, of, join(r, class, "::*", ""))
                : join(r, join(r, of, " ", class), "::*", "");
}

/* What stands behind a D, if it is a type of its own. */
static const char *other_type(struct reader *r)
{
    if (take(r, "t") || take(r, "T")) {
        const char *of = expression(r);
        return take(r, "E") ? join(r, "decltype (", of, ")") : NULL;
    }
    if (take(r, "v")) {
        size_t digits = strspn(r->at, "0123456789");
        const char *size = arena_copy(r->arena, r->at, digits);
        r->at += digits;
        if (!digits || !take(r, "_"))
            return NULL;
        const char *of = shown(r, type(r));
        return join(r, of, " __vector(", join(r, size, ")", ""));
    }
    return NULL;
}

static const char *named_type(struct reader *r)
{
    if (r->at[0] == 'S' && r->at[1] != 't') {
        const char *before = r->at;
        const char *result;
        if (strchr("asbiod", r->at[1])) {
            result = name(r, NULL);
        } else {
            result = substitution(r);
            if (result && *r->at == 'I')
                result = join(r, shown(r, result), template_arguments(r, false), "");
        }
        /* A substitution by itself is no new candidate; with arguments it is. */
        return result && r->at != before && r->at[-1] == 'E' ? remember(r, r->substitutions, result)
                                                             : result;
    }
    return remember(r, r->substitutions, name(r, NULL));
}

/* <type> ::= <builtin-type> | (P | R | O) <type> | <qualifiers> <type> | Dp <type>
 *          | <template-param> [<template-args>] | <function-type> | <array-type>
 *          | <pointer-to-member-type> | <decltype> | <vendor type> | <name> */
const char *type(struct reader *r)
{
    static const struct {
        char code;
        const char *suffix;
    } wraps[] = {{'P', "*"}, {'R', "&"}, {'O', "&&"}};
    const char *result = builtin(r);

    if (result)
        return result;
    if (++r->depth > DEPTH_LIMIT)
        return NULL;
    for (size_t i = 0; i < sizeof wraps / sizeof *wraps; i++)
        if (*r->at == wraps[i].code) {
            r->at++;
            result = remember(r, r->substitutions, wrap(r, type(r), wraps[i].suffix));
            r->depth--;
            return result;
        }
    if (*r->at == 'K' || *r->at == 'V' || *r->at == 'r') {
        result = remember(r, r->substitutions, qualified_type(r));
    } else if (*r->at == 'T') {
        result = remember(r, r->substitutions, template_parameter(r, PARAMETER));
        if (result && *r->at == 'I') {
            result = join(r, result, template_arguments(r, false), "");
            result = remember(r, r->substitutions, result);
        }
    } else if (take(r, "F")) {
        result = remember(r, r->substitutions, function_type(r));
    } else if (take(r, "A")) {
        result = remember(r, r->substitutions, array_type(r));
    } else if (take(r, "M")) {
        result = remember(r, r->substitutions, member_pointer(r));
    } else if (take(r, "D")) {
        result = remember(r, r->substitutions, other_type(r));
    } else if (take(r, "u")) {
        result = remember(r, r->substitutions, source_name(r));
    } else if (take(r, "U")) {
        const char *mark = source_name(r);
        result = remember(r, r->substitutions, join(r, shown(r, type(r)), " ", mark));
    } else if (*r->at == 'N' || *r->at == 'S' || *r->at == 'Z' ||
               (*r->at >= '1' && *r->at <= '9')) {
        result = named_type(r);
    }
    r->depth--;
    return result;
}

/* The letter that says how a parameter travels in a C call. */
char type_letter(const char *written)
{
    size_t size = strlen(written);

    if (size && strchr("*&", written[size - 1]))
        return 'P';
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(builtins[i].name, written) && !builtins[i].code[1] &&
            strchr("bcahstijlmxyfd", builtins[i].code[0]))
            return builtins[i].code[0];
    return strstr(written, " (*") || strstr(written, " (&") ? 'P' : '?';
}
