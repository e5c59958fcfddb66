/* SPDX-License-Identifier: Apache-2.0
 *
 * lex.h - PTX text to tokens, one at a time.
 *
 * Works on any bytes. Bad text is reported once per run of bad bytes and
 * passed over, so the parser only ever sees tokens. */
#ifndef SIMTLAB_FRONTEND_PTX_LEX_H
#define SIMTLAB_FRONTEND_PTX_LEX_H

#include "base/diag.h"

/* A piece of the source text. */
struct ptx_name {
    const char *text;
    uint32_t size;
};

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,    /* identifier; may begin with % $ _ */
    TOKEN_DOTTED,  /* .word, .word::word; text without the first dot */
    TOKEN_INTEGER, /* bits, is_unsigned */
    TOKEN_FLOAT32, /* 0f...; bits */
    TOKEN_FLOAT64, /* 0d... or decimal; bits */
    TOKEN_STRING,  /* text between the quotes, escapes untouched */
    /* Single characters are their own kind: '{' ';' ... */
    TOKEN_SHIFT_LEFT = 128, /* << */
    TOKEN_SHIFT_RIGHT,      /* >> */
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUAL,     /* == */
    TOKEN_NOT_EQUAL, /* != */
    TOKEN_AND,       /* && */
    TOKEN_OR         /* || */
};

struct token {
    int kind;
    bool is_unsigned; /* U suffix, or too large for 64-bit signed */
    struct loc at;
    struct ptx_name text;
    uint64_t bits;
};

struct lexer {
    const char *next, *end, *line_start;
    uint32_t line;
    struct diags *diags;
};

void lex_begin(struct lexer *lexer, const char *text, size_t size,
               struct diags *diags);
/* Text and places are lent from the source. Gives TOKEN_END for ever at the
 * end. */
void lex_next(struct lexer *lexer, struct token *token);
/* Passes over the rest of the line. */
void lex_skip_line(struct lexer *lexer);

#endif
