/* SPDX-License-Identifier: Apache-2.0
 *
 * demangle.c - recursive descent over mangled names. Each parsing function
 * carries its grammar from the Itanium C++ ABI, "Mangling"; each returns the
 * demangled text or NULL for what is not understood. Names that pile
 * substitutions upon each other are cut off by length and depth. */
#include "config.h"

#include "api/demangle.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum { NAME_LIMIT = 16384, DEPTH_LIMIT = 64, LIST_LIMIT = 512 };

struct list {
    const char *items[LIST_LIMIT];
    unsigned count;
};

struct reader {
    struct arena *arena;
    const char *at;
    unsigned depth;
    struct list *substitutions; /* S_, S0_, ... */
    struct list *arguments;     /* T_, T0_, ...: of the outermost template */
    /* Of the encoding's own name: */
    const char *plain, *base;
    bool templated;
};

static const char *type(struct reader *r);
static const char *template_arguments(struct reader *r, bool record);

static bool take(struct reader *r, const char *prefix)
{
    size_t size = strlen(prefix);

    if (strncmp(r->at, prefix, size) != 0)
        return false;
    r->at += size;
    return true;
}

static const char *join(struct reader *r, const char *a, const char *b, const char *c)
{
    if (!a || !b || !c || strlen(a) + strlen(b) + strlen(c) > NAME_LIMIT)
        return NULL;
    return arena_printf(r->arena, "%s%s%s", a, b, c);
}

static const char *remember(struct list *list, const char *text)
{
    if (!text || list->count == LIST_LIMIT)
        return NULL;
    list->items[list->count++] = text;
    return text;
}

/* [0-9A-Z]* _  in base 36, one more than its value; "_" alone is 0. */
static const char *by_number(struct reader *r, const struct list *list, unsigned radix)
{
    unsigned number = 0;

    if (!take(r, "_")) {
        for (; *r->at != '_'; r->at++) {
            unsigned digit = *r->at >= '0' && *r->at <= '9' ? (unsigned)(*r->at - '0')
                             : *r->at >= 'A' && *r->at <= 'Z' ? (unsigned)(*r->at - 'A') + 10
                                                              : 99;
            if (digit >= radix || number > LIST_LIMIT)
                return NULL;
            number = number * radix + digit;
        }
        r->at++;
        number++;
    }
    return number < list->count ? list->items[number] : NULL;
}

/* <source-name> ::= <length> <identifier> */
static const char *source_name(struct reader *r)
{
    size_t length = 0;

    if (*r->at < '1' || *r->at > '9')
        return NULL;
    while (*r->at >= '0' && *r->at <= '9' && length <= NAME_LIMIT)
        length = length * 10 + (size_t)(*r->at++ - '0');
    if (length > NAME_LIMIT || strnlen(r->at, length) < length)
        return NULL;
    const char *name = arena_copy(r->arena, r->at, length);
    r->at += length;
    if (!strncmp(name, "_GLOBAL_", 8) && strchr("._$", name[8]) && name[9] == 'N')
        return "(anonymous namespace)";
    return name;
}

/* <abi-tags> ::= (B <source-name>)*   behind a name */
static const char *abi_tags(struct reader *r, const char *name)
{
    while (name && take(r, "B"))
        name = join(r, join(r, name, "[abi:", ""), source_name(r), "]");
    return name;
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

/* <nested-name> ::= N [<CV>] (<prefix component> [<template-args>])+ E
 * Own: it is the name of the encoding, not one inside a type. */
static const char *nested_name(struct reader *r, bool own)
{
    const char *name = NULL, *plain = "";
    bool first = true;

    while (*r->at == 'K' || *r->at == 'V' || *r->at == 'r')
        r->at++;
    while (!take(r, "E")) {
        const char *part, *bare;
        bool fresh = true;

        if (*r->at == 'I') {
            if (first)
                return NULL;
            name = join(r, name, template_arguments(r, own), "");
            if (own)
                r->templated = true;
            if (*r->at != 'E')
                plain = name;
        } else {
            if (*r->at == 'S' && first) {
                fresh = false;
                part = standard(r);
                if (!part && take(r, "S"))
                    part = by_number(r, r->substitutions, 36);
            } else {
                part = source_name(r);
            }
            bare = part;
            part = abi_tags(r, part);
            if (!part)
                return NULL;
            plain = first ? bare : join(r, name, "::", bare);
            name = first ? part : join(r, name, "::", part);
            if (own) {
                r->base = bare;
                r->templated = false;
            }
        }
        if (!name)
            return NULL;
        first = false;
        /* Every prefix but the whole name is a substitution candidate; the whole
         * name is one only as a type, which type() sees to. */
        if (fresh && *r->at != 'E' && !remember(r->substitutions, name))
            return NULL;
    }
    if (own)
        r->plain = plain;
    return first ? NULL : name;
}

/* <name> ::= <nested-name> | [St] <source-name> [<template-args>]
 *          | <substitution> <template-args> */
static const char *name(struct reader *r, bool own)
{
    const char *result;
    bool candidate = true;

    if (take(r, "N"))
        return nested_name(r, own);
    if (r->at[0] == 'S' && r->at[1] == 't') {
        r->at += 2;
        result = join(r, "std::", source_name(r), "");
    } else if (*r->at == 'S') {
        candidate = false;
        result = standard(r);
        if (!result && take(r, "S"))
            result = by_number(r, r->substitutions, 36);
    } else {
        result = source_name(r);
    }
    if (own)
        r->plain = r->base = result;
    result = abi_tags(r, result);
    if (result && *r->at == 'I') {
        if (candidate && !remember(r->substitutions, result))
            return NULL;
        result = join(r, result, template_arguments(r, own), "");
        if (own)
            r->templated = true;
    }
    return result;
}

/* <expr-primary> ::= L <type> [n] <digits> E */
static const char *literal(struct reader *r)
{
    static const char *const suffix[][2] = {{"int", ""},           {"unsigned int", "u"},
                                            {"long", "l"},         {"unsigned long", "ul"},
                                            {"long long", "ll"},   {"unsigned long long", "ull"}};
    const char *of = type(r), *result = "";

    if (!of)
        return NULL;
    bool negative = take(r, "n");
    size_t digits = strspn(r->at, "0123456789");
    if (!digits || r->at[digits] != 'E')
        return NULL;
    const char *number = arena_copy(r->arena, r->at, digits);
    r->at += digits + 1;
    if (!strcmp(of, "bool"))
        return !strcmp(number, "0") ? "false" : !strcmp(number, "1") ? "true" : NULL;
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
        if (!strcmp(of, suffix[i][0]))
            return join(r, negative ? "-" : "", number, suffix[i][1]);
    result = join(r, "(", of, ")");
    return join(r, result, negative ? "-" : "", number);
}

/* (<type> | <expr-primary> | J <those>* E)* E
 * record, if not NULL, receives what T_, T0_, ... mean: a pack is one of them. */
static const char *argument_list(struct reader *r, struct list *record)
{
    const char *result = "";

    if (++r->depth > DEPTH_LIMIT)
        return NULL;
    while (!take(r, "E")) {
        const char *argument = take(r, "J")   ? argument_list(r, NULL)
                               : take(r, "L") ? literal(r)
                                              : type(r);
        if (!argument || (record && !remember(record, argument)))
            return NULL;
        result = join(r, result, *result && *argument ? ", " : "", argument);
        if (!result)
            return NULL;
    }
    r->depth--;
    return result;
}

/* <template-args> ::= I <argument list>
 * The arguments of the encoding's own name are what T_ refers to. */
static const char *template_arguments(struct reader *r, bool record)
{
    r->at++; /* I */
    if (record)
        r->arguments->count = 0;
    return join(r, "<", argument_list(r, record ? r->arguments : NULL), ">");
}

/* <builtin-type> */
static const struct {
    const char *code, *name;
} builtins[] = {
    {"v", "void"}, {"w", "wchar_t"}, {"b", "bool"}, {"c", "char"},
    {"a", "signed char"}, {"h", "unsigned char"}, {"s", "short"},
    {"t", "unsigned short"}, {"i", "int"}, {"j", "unsigned int"}, {"l", "long"},
    {"m", "unsigned long"}, {"x", "long long"}, {"y", "unsigned long long"},
    {"n", "__int128"}, {"o", "unsigned __int128"}, {"f", "float"},
    {"d", "double"}, {"e", "long double"}, {"DF16_", "_Float16"},
    {"DF16b", "std::bfloat16_t"}, {"Dh", "half"}, {"Ds", "char16_t"},
    {"Di", "char32_t"}, {"Du", "char8_t"}, {"Dn", "decltype(nullptr)"}};

static const char *builtin(struct reader *r)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (take(r, builtins[i].code))
            return builtins[i].name;
    return NULL;
}

/* A reference to a reference collapses: & wins over &&. */
static const char *reference(struct reader *r, const char *of, const char *suffix)
{
    size_t size = of ? strlen(of) : 0, marks = 0;

    while (marks < size && of[size - 1 - marks] == '&')
        marks++;
    if (!marks || *suffix != '&')
        return join(r, of, suffix, "");
    if (marks == 1 || suffix[1])
        return of;
    return arena_copy(r->arena, of, size - 1);
}

/* <type> ::= <builtin-type> | (P | R | O | K | V | r) <type> | Dp <type>
 *          | T [<number>] _ | <substitution> | <name> */
static const char *type(struct reader *r)
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
            result = reference(r, type(r), wraps[i].suffix);
            r->depth--;
            return remember(r->substitutions, result);
        }
    if (*r->at == 'K' || *r->at == 'V' || *r->at == 'r') {
        /* Qualifiers in a row make one candidate; c++filt puts them behind. */
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
        result = join(r, type(r), constant ? " const" : "", is_volatile ? " volatile" : "");
        result = join(r, result, restricted ? " __restrict" : "", "");
        r->depth--;
        return remember(r->substitutions, result);
    }
    if (take(r, "Dp")) {
        result = type(r);
        r->depth--;
        return result;
    }
    if (take(r, "T")) {
        result = remember(r->substitutions, by_number(r, r->arguments, 10));
        if (result && *r->at == 'I')
            result = NULL; /* template template parameters */
    } else if (r->at[0] == 'S' && r->at[1] != 't') {
        const char *before = r->at;
        result = name(r, false);
        /* A substitution by itself is no new candidate; with arguments it is. */
        if (result && r->at != before && r->at[-1] == 'E')
            result = remember(r->substitutions, result);
    } else if (*r->at == 'N' || *r->at == 'S' || (*r->at >= '1' && *r->at <= '9')) {
        result = remember(r->substitutions, name(r, false));
    }
    r->depth--;
    return result;
}

/* The letter that says how a parameter travels in a C call. */
static char letter(const char *written)
{
    size_t size = strlen(written);

    if (size && strchr("*&", written[size - 1]))
        return 'P';
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(builtins[i].name, written) && !builtins[i].code[1] &&
            strchr("bcahstijlmxyfd", builtins[i].code[0]))
            return builtins[i].code[0];
    return '?';
}

/* <encoding> ::= <name> <type>+   with the return type first for templates.
 * When only the types are not understood, the name's parts still are. */
bool cxx_demangle(struct arena *arena, const char *mangled, struct cxx_name *out)
{
    struct list substitutions, arguments;
    struct reader r = {.arena = arena, .substitutions = &substitutions,
                       .arguments = &arguments, .at = mangled};
    const char *result = "", *parameters = "(";
    struct text letters = {0};
    unsigned count = 0;

    substitutions.count = arguments.count = 0;
    if (!take(&r, "_Z"))
        return false;
    const char *own = name(&r, true);
    if (!own || !r.plain || !r.base)
        return false;
    if (!*r.at)
        return false; /* a variable */
    const char *after_name = r.at;
    *out = (struct cxx_name){mangled, own, r.plain, r.base, NULL};
    if (r.templated)
        result = join(&r, type(&r), " ", "");
    if (!strcmp(r.at, "v"))
        r.at++;
    while (*r.at && parameters && result) {
        const char *next = type(&r);
        if (next && *next)
            text_putc(&letters, letter(next));
        parameters = join(&r, parameters, next && *next && count++ ? ", " : "", next);
    }
    const char *full = join(&r, join(&r, result, own, parameters), ")", "");
    if (full && r.at > after_name) {
        out->full = full;
        out->letters = arena_strdup(arena, text_string(&letters));
    }
    text_free(&letters);
    return true;
}

bool cxx_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}
