/* SPDX-License-Identifier: Apache-2.0
 *
 * demangle_expression.c - values and expressions in C++ names, and operators. */
#include "config.h"

#include "api/demangle_parts.h"

#include <string.h>

/* <operator-name> with the operands of the expression */
static const struct {
    const char *code, *text;
    unsigned operands;
} operators[] = {
    {"ps", "+", 1}, {"ng", "-", 1}, {"ad", "&", 1}, {"de", "*", 1}, {"co", "~", 1},
    {"nt", "!", 1}, {"pl", "+", 2}, {"mi", "-", 2}, {"ml", "*", 2}, {"dv", "/", 2},
    {"rm", "%", 2}, {"an", "&", 2}, {"or", "|", 2}, {"eo", "^", 2}, {"ls", "<<", 2},
    {"rs", ">>", 2}, {"aS", "=", 2}, {"pL", "+=", 2}, {"mI", "-=", 2}, {"mL", "*=", 2},
    {"dV", "/=", 2}, {"rM", "%=", 2}, {"aN", "&=", 2}, {"oR", "|=", 2}, {"eO", "^=", 2},
    {"lS", "<<=", 2}, {"rS", ">>=", 2}, {"eq", "==", 2}, {"ne", "!=", 2}, {"lt", "<", 2},
    {"gt", ">", 2}, {"le", "<=", 2}, {"ge", ">=", 2}, {"ss", "<=>", 2}, {"aa", "&&", 2},
    {"oo", "||", 2}, {"cm", ",", 2}, {"pm", "->*", 2}, {"dt", ".", 2}, {"pt", "->", 2},
    {"pp", "++", 1}, {"mm", "--", 1}, {"cl", "()", 0}, {"ix", "[]", 2}, {"qu", "?", 3},
    {"nw", " new", 0}, {"na", " new[]", 0}, {"dl", " delete", 0}, {"da", " delete[]", 0}};

enum { OPERATORS = sizeof operators / sizeof *operators };

static int find_operator(struct reader *r)
{
    for (int i = 0; i < OPERATORS; i++)
        if (!strncmp(r->at, operators[i].code, 2)) {
            r->at += 2;
            return i;
        }
    return -1;
}

const char *operator_name(struct reader *r, bool *cast)
{
    *cast = false;
    if (take(r, "cv")) {
        *cast = true;
        return join(r, "operator ", shown(r, type(r)), "");
    }
    if (take(r, "li"))
        return join(r, "operator\"\" ", source_name(r), "");
    int i = find_operator(r);
    return i < 0 ? NULL : join(r, "operator", operators[i].text, "");
}

/* <expr-primary> ::= L <type> [n] <value> E | L _Z <encoding> E   without the L */
const char *literal(struct reader *r)
{
    static const char *const suffix[][2] = {{"int", ""},           {"unsigned int", "u"},
                                            {"long", "l"},         {"unsigned long", "ul"},
                                            {"long long", "ll"},   {"unsigned long long", "ull"}};

    if (take(r, "_Z")) {
        const char *what = encoding(r, ENCODING_WHOLE);
        return take(r, "E") ? what : NULL;
    }
    const char *of = shown(r, type(r));
    if (!of)
        return NULL;
    bool negative = take(r, "n");
    const char *sign = negative ? "-" : "";
    bool floating = !strcmp(of, "float") || !strcmp(of, "double") || !strcmp(of, "half");
    size_t digits = strspn(r->at, floating ? "0123456789abcdef" : "0123456789");
    if (r->at[digits] != 'E' || (!digits && strcmp(of, "decltype(nullptr)") != 0))
        return NULL;
    const char *number = arena_copy(r->arena, r->at, digits);
    r->at += digits + 1;
    if (!strcmp(of, "bool") && (!strcmp(number, "0") || !strcmp(number, "1")))
        return *number == '0' ? "false" : "true";
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
        if (!strcmp(of, suffix[i][0]))
            return join(r, sign, number, suffix[i][1]);
    of = join(r, "(", of, ")");
    number = floating ? join(r, "[", number, "]") : number;
    return join(r, of, sign, number);
}

/* c++filt puts parentheses around all but names. */
static const char *operand(struct reader *r)
{
    bool simple = !strncmp(r->at, "L_Z", 3) || !strncmp(r->at, "fp", 2) ||
                  !strncmp(r->at, "il", 2) || (*r->at >= '1' && *r->at <= '9');
    bool call = !strncmp(r->at, "L_Z", 3);
    const char *text = expression(r);

    /* A function with its parameters is no plain name. */
    if (call && text && strchr(text, '('))
        simple = false;
    return simple ? text : join(r, "(", text, ")");
}

/* <expression>* E */
static const char *expressions(struct reader *r)
{
    const char *result = "";

    while (result && !take(r, "E")) {
        const char *next = expression(r);
        result = join(r, result, *result ? SEPARATOR : "", next);
    }
    return result;
}

static const char *simple_name(struct reader *r)
{
    const char *result = source_name(r);

    return result && *r->at == 'I' ? join(r, result, template_arguments(r, false), "") : result;
}

/* sr (<type> | <simple name>+ E) <simple name> */
static const char *scoped(struct reader *r)
{
    const char *of;

    if (*r->at >= '1' && *r->at <= '9') {
        of = simple_name(r);
        while (of && !take(r, "E"))
            of = join(r, of, "::", simple_name(r));
        return join(r, of, "::", simple_name(r));
    }
    of = shown(r, type(r));
    return join(r, of, "::", simple_name(r));
}

/* How many elements the pack has. */
static const char *pack_size(struct reader *r)
{
    return *r->at == 'T' ? template_parameter(r, PACK_SIZE) : NULL;
}

static const char *operation(struct reader *r)
{
    int i = find_operator(r);

    if (i < 0)
        return NULL;
    const char *text = operators[i].text;
    if (!strcmp(operators[i].code, "cl")) {
        const char *function = *r->at == 'L' || (*r->at >= '1' && *r->at <= '9')
                                   ? expression(r) : operand(r);
        /* The callee without the parameters of its declaration. */
        const char *open = function ? strchr(function, '(') : NULL;
        if (open && open != function)
            function = arena_copy(r->arena, function, (size_t)(open - function));
        const char *values = expressions(r);
        return join(r, join(r, function, "(", values), ")", "");
    }
    if ((!strcmp(operators[i].code, "pp") || !strcmp(operators[i].code, "mm")) && !take(r, "_"))
        return join(r, operand(r), text, "");
    switch (operators[i].operands) {
    case 1:
        if (!strcmp(operators[i].code, "ad") && take(r, "L_ZN")) {
            r->at--; /* N */
            const char *function = encoding(r, ENCODING_ADDRESS);
            bool whole = function && strchr(function, '(') && function[strlen(function) - 1] == ')';
            return take(r, "E") ? join(r, whole ? "&(" : "&", function, whole ? ")" : "") : NULL;
        }
        return join(r, text, operand(r), "");
    case 2: {
        const char *left = operand(r);
        const char *right = !strcmp(operators[i].code, "dt") || !strcmp(operators[i].code, "pt")
                                ? expression(r) : operand(r);
        if (!strcmp(operators[i].code, "ix"))
            return join(r, left, "[", join(r, right, "]", ""));
        const char *all = join(r, left, text, right);
        return !strcmp(text, ">") ? join(r, "(", all, ")") : all;
    }
    case 3: {
        const char *condition = operand(r), *first = operand(r), *second = operand(r);
        return join(r, join(r, condition, "?", first), " : ", second);
    }
    }
    return NULL;
}

/* <expression>, as far as device code has it */
const char *expression(struct reader *r)
{
    const char *result = NULL;

    if (++r->depth > DEPTH_LIMIT)
        return NULL;
    if (take(r, "L")) {
        result = literal(r);
    } else if (*r->at == 'T') {
        result = template_parameter(r, PARAMETER);
    } else if (take(r, "X")) {
        result = expression(r);
        if (!take(r, "E"))
            result = NULL;
    } else if (r->at[0] == 'f' && r->at[1] == 'p') {
        size_t digits = strspn(r->at + 2, "0123456789");
        if (r->at[2 + digits] == '_') {
            unsigned number = digits ? (unsigned)(r->at[2] - '0') + 2 : 1;
            result = digits > 1 ? NULL : arena_printf(r->arena, "{parm#%u}", number);
            r->at += 3 + digits;
        }
    } else if (take(r, "st")) {
        result = join(r, "sizeof (", shown(r, type(r)), ")");
    } else if (take(r, "sz")) {
        result = join(r, "sizeof ", operand(r), "");
    } else if (take(r, "at")) {
        result = join(r, "alignof (", shown(r, type(r)), ")");
    } else if (take(r, "sZ")) {
        result = pack_size(r);
    } else if (take(r, "sr")) {
        result = scoped(r);
    } else if (take(r, "sp")) {
        result = pattern(r, expression(r));
    } else if (take(r, "cv")) {
        const char *to = shown(r, type(r));
        const char *value = take(r, "_") ? expressions(r) : expression(r);
        result = join(r, join(r, "(", to, ")("), value, ")");
    } else if (take(r, "tl")) {
        const char *to = shown(r, type(r));
        result = join(r, to, "{", join(r, expressions(r), "}", ""));
    } else if (take(r, "il")) {
        result = join(r, "{", expressions(r), "}");
    } else if (*r->at >= '1' && *r->at <= '9') {
        result = simple_name(r);
    } else {
        result = operation(r);
    }
    r->depth--;
    return result;
}
