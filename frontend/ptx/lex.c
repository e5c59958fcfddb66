/* SPDX-License-Identifier: Apache-2.0
 *
 * lex.c - PTX ISA, "Syntax": comments, identifiers, constants. */
#include "frontend/ptx/lex.h"

#include <string.h>

#include "frontend/ptx/decimal.h"

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_letter(char c)
{
    return (unsigned char)((c | 32) - 'a') < 26;
}

static bool is_follow(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

void lex_begin(struct lexer *lexer, const char *text, size_t size,
               struct diags *diags)
{
    /* Loaders hand over C strings whose size counts the final zero. */
    while (size && text[size - 1] == '\0')
        size--;
    *lexer = (struct lexer){
        .next = text,
        .end = text + size,
        .line_start = text,
        .line = 1,
        .diags = diags,
    };
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        lexer->next += 3;
}

static struct loc place(const struct lexer *lexer, const char *at)
{
    return (struct loc){lexer->line, (uint32_t)(at - lexer->line_start) + 1};
}

static void new_line(struct lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->next;
}

void lex_skip_line(struct lexer *lexer)
{
    while (lexer->next < lexer->end && *lexer->next != '\n')
        lexer->next++;
}

/* At the slash and star; ends behind the comment. */
static void skip_comment(struct lexer *lexer)
{
    struct loc at = place(lexer, lexer->next);

    lexer->next += 2;
    while (lexer->next < lexer->end) {
        char c = *lexer->next++;
        if (c == '\n') {
            new_line(lexer);
        } else if (c == '*' && lexer->next < lexer->end &&
                   *lexer->next == '/') {
            lexer->next++;
            return;
        }
    }
    diag_error(lexer->diags, at, "this comment is never closed");
}

/* Blanks, comments, and line markers that a C preprocessor left. */
static void skip_blank(struct lexer *lexer)
{
    while (lexer->next < lexer->end) {
        char c = *lexer->next;
        if (c == '\n') {
            lexer->next++;
            new_line(lexer);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' ||
                   c == '\v') {
            lexer->next++;
        } else if (c == '/' && lexer->end - lexer->next > 1 &&
                   lexer->next[1] == '/') {
            lex_skip_line(lexer);
        } else if (c == '/' && lexer->end - lexer->next > 1 &&
                   lexer->next[1] == '*') {
            skip_comment(lexer);
        } else if (c == '#' && lexer->next == lexer->line_start &&
                   lexer->end - lexer->next > 1 && lexer->next[1] == ' ') {
            lex_skip_line(lexer);
        } else {
            return;
        }
    }
}

/* 0f and 0d constants: exactly 8 and 16 hexadecimal digits. */
static void float_bits(struct lexer *lexer, struct token *token, int digits)
{
    const char *at = lexer->next + 2;
    int count = 0;

    while (at < lexer->end && digit_value(*at) < 16) {
        token->bits = token->bits << 4 | (uint64_t)digit_value(*at++);
        count++;
    }
    bool junk = at < lexer->end && is_follow(*at);
    while (at < lexer->end && is_follow(*at))
        at++;
    lexer->next = at;
    token->kind = digits == 8 ? TOKEN_FLOAT32 : TOKEN_FLOAT64;
    if (count != digits || junk)
        diag_error(lexer->diags, token->at,
                   "0%c needs exactly %d hexadecimal digits",
                   digits == 8 ? 'f' : 'd', digits);
}

static bool decimal_float(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->next;

    while (at < lexer->end && is_digit(*at))
        at++;
    bool point = at < lexer->end && *at == '.' && at + 1 <= lexer->end;
    if (point) {
        at++;
        while (at < lexer->end && is_digit(*at))
            at++;
    }
    bool exponent = false;
    if (at < lexer->end && (*at | 32) == 'e') {
        const char *digits = at + 1;
        if (digits < lexer->end && (*digits == '+' || *digits == '-'))
            digits++;
        exponent = digits < lexer->end && is_digit(*digits);
        if (exponent) {
            at = digits;
            while (at < lexer->end && is_digit(*at))
                at++;
        }
    }
    if (!point && !exponent)
        return false;
    token->kind = TOKEN_FLOAT64;
    token->bits = decimal_to_f64(lexer->next, (size_t)(at - lexer->next));
    lexer->next = at;
    return true;
}

static void integer(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->next;
    int base = 10;
    bool overflow = false;

    if (*at == '0' && lexer->end - at > 1) {
        char c = at[1] | 32;
        base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
        at += base == 8 ? 1 : 2;
    }
    const char *digits = at;
    for (; at < lexer->end && digit_value(*at) < base; at++) {
        overflow |= token->bits > (UINT64_MAX - (uint64_t)digit_value(*at)) /
                                      (uint64_t)base;
        token->bits = token->bits * (uint64_t)base + (uint64_t)digit_value(*at);
    }
    bool none = at == digits && base != 8;
    token->kind = TOKEN_INTEGER;
    token->is_unsigned = token->bits >> 63;
    if (at < lexer->end && *at == 'U') {
        token->is_unsigned = true;
        at++;
    }
    bool junk = at < lexer->end && is_follow(*at);
    while (at < lexer->end && is_follow(*at))
        at++;
    lexer->next = at;
    if (none || junk)
        diag_error(lexer->diags, token->at, "malformed number");
    else if (overflow)
        diag_error(lexer->diags, token->at, "number does not fit 64 bits");
}

static void number(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->next;
    char second = lexer->end - at > 1 ? at[1] | 32 : 0;

    if (*at == '0' && second == 'f')
        float_bits(lexer, token, 8);
    else if (*at == '0' && second == 'd')
        float_bits(lexer, token, 16);
    else if (*at == '0' && (second == 'x' || second == 'b'))
        integer(lexer, token);
    else if (!decimal_float(lexer, token))
        integer(lexer, token);
}

static void string(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->next + 1, *begin = at;

    while (at < lexer->end && *at != '"' && *at != '\n')
        at += *at == '\\' && lexer->end - at > 1 && at[1] != '\n' ? 2 : 1;
    token->kind = TOKEN_STRING;
    token->text = (struct ptx_name){begin, (uint32_t)(at - begin)};
    if (at < lexer->end && *at == '"')
        at++;
    else
        diag_error(lexer->diags, token->at,
                   "this string is not closed on its line");
    lexer->next = at;
}

static void dotted(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->next + 1, *begin = at;

    while (at < lexer->end &&
           (is_follow(*at) || (*at == ':' && lexer->end - at > 2 &&
                               at[1] == ':' && is_follow(at[2]))))
        at += *at == ':' ? 2 : 1;
    token->text = (struct ptx_name){begin, (uint32_t)(at - begin)};
    token->kind = TOKEN_DOTTED;
    lexer->next = at;
}

/* Two-character operators, else the character itself. */
static int punctuation(struct lexer *lexer)
{
    static const char pairs[][3] = {"<<", ">>", "<=", ">=",
                                    "==", "!=", "&&", "||"};
    char c = *lexer->next++;

    if (lexer->next < lexer->end)
        for (int i = 0; i < 8; i++)
            if (c == pairs[i][0] && *lexer->next == pairs[i][1]) {
                lexer->next++;
                return TOKEN_SHIFT_LEFT + i;
            }
    return c;
}

/* Bytes that begin no token; the whole run is one error. */
static void bad_bytes(struct lexer *lexer, struct loc at)
{
    unsigned char first = (unsigned char)*lexer->next;

    while (lexer->next < lexer->end &&
           ((unsigned char)*lexer->next >= 127 ||
            (unsigned char)*lexer->next < 32) &&
           *lexer->next != '\n')
        lexer->next++;
    if (first > 32 && first < 127) {
        lexer->next++;
        diag_error(lexer->diags, at, "'%c' has no meaning in PTX", first);
    } else {
        diag_error(lexer->diags, at, "byte 0x%02x has no meaning in PTX",
                   first);
    }
}

void lex_next(struct lexer *lexer, struct token *token)
{
    for (;;) {
        skip_blank(lexer);
        const char *begin = lexer->next;
        *token = (struct token){
            .kind = TOKEN_END,
            .at = place(lexer, begin),
            .text = {begin, 0},
        };
        if (begin == lexer->end)
            return;
        char c = *begin;
        char second = lexer->end - begin > 1 ? begin[1] : 0;
        if (is_letter(c) || c == '_' || c == '$' ||
            (c == '%' && is_follow(second))) {
            do
                lexer->next++;
            while (lexer->next < lexer->end && is_follow(*lexer->next));
            token->kind = TOKEN_NAME;
            token->text.size = (uint32_t)(lexer->next - begin);
            return;
        }
        if (c == '.' && is_follow(second)) {
            dotted(lexer, token);
            return;
        }
        if (is_digit(c)) {
            number(lexer, token);
            token->text.size = (uint32_t)(lexer->next - begin);
            return;
        }
        if (c == '"') {
            string(lexer, token);
            return;
        }
        if (c && strchr("{}()[]<>,;:+-*/%&|^~!?=@.", c)) {
            token->kind = punctuation(lexer);
            token->text.size = (uint32_t)(lexer->next - begin);
            return;
        }
        bad_bytes(lexer, token->at);
    }
}
