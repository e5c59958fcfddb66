/* SPDX-License-Identifier: Apache-2.0
 *
 * parse.h - what the parts of the parser share.
 *
 * Recursive descent with one token of lookahead. The first error in a
 * statement sets failed; from then on every parsing function returns at once,
 * until the statement level passes over the rest of it and goes on, so one
 * run reports every faulty statement. */
#ifndef SIMTLAB_FRONTEND_PTX_PARSE_H
#define SIMTLAB_FRONTEND_PTX_PARSE_H

#include "frontend/ptx/syntax.h"

/* Braces, brackets and operators nest at most this deep. */
enum { PARSE_MAX_DEPTH = 200 };

struct parser {
    struct arena *arena;
    struct diags *diags;
    struct lexer lexer;
    struct ptx_module *module;
    struct token token;      /* the lookahead */
    struct loc previous_end; /* just behind the token before it */
    bool failed;
    bool end_reported; /* a missing '}' is one error, not one a block */
    uint32_t depth;
    uint32_t open; /* vector braces open in this statement, for recovery */
    /* Stacks that collect lists before their length is known. */
    struct arena scratch;
    PTX_LIST(struct ptx_operand) operands;
    PTX_LIST(struct ptx_statement) statements;
    PTX_LIST(struct ptx_initial) initials;
    PTX_LIST(struct ptx_variable) variables;
};

/* --- tokens (parse.c) --- */
void parse_advance(struct parser *p);
/* Reports at the place unless this statement failed already. */
void parse_error(struct parser *p, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT before TOKEN" at the lookahead. */
void parse_expected(struct parser *p, const char *what);
bool parse_accept(struct parser *p, int kind);
void parse_expect(struct parser *p, int kind, const char *what);
bool parse_at_word(const struct parser *p, const char *name);
struct ptx_name parse_name(struct parser *p, const char *what);
/* The word at the lookahead, W_NONE when it is none that PTX has. */
uint32_t parse_word(const struct parser *p);
/* Non-negative integer constant expression. */
uint64_t parse_count(struct parser *p, const char *what);
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);
/* After a failure: to behind the next ';' or in front of a closing '}'. */
void parse_recover(struct parser *p);

/* --- constants (parse_constant.c) --- */
struct ptx_constant parse_constant(struct parser *p);
/* As above when the operator (- + ! ~) in front has been read already. */
struct ptx_constant parse_constant_after(struct parser *p, int prefix);
/* Constant made of terms joined by * / % only: what follows "sym +". */
struct ptx_constant parse_constant_term(struct parser *p);
bool parse_at_constant(const struct parser *p);
bool constant_is_integer(struct ptx_constant constant);

/* --- operands (parse_operand.c) --- */
/* The instruction's operands up to ';', copied into the arena. */
void parse_operands(struct parser *p, struct ptx_instruction *instruction);

/* --- variables (parse_variable.c) --- */
/* ".space type name ..., name ... ;" pushed on p->variables. */
void parse_variables(struct parser *p, enum ptx_linkage linkage);
/* One parameter of a function; on p->variables. */
void parse_parameter(struct parser *p);
void parse_initial(struct parser *p, struct ptx_initial *initial);

/* --- functions (parse_function.c, parse_statement.c) --- */
void parse_function(struct parser *p, enum ptx_linkage linkage);
void parse_signature_list(struct parser *p, struct ptx_variable **items,
                          uint32_t *count);
/* From '{' to '}'. */
struct ptx_block *parse_block(struct parser *p);

/* --- debugging information (parse_debug.c) --- */
void parse_file(struct parser *p);
void parse_location(struct parser *p, struct ptx_location *location);
void parse_section(struct parser *p);

/* "name" as printf arguments for %.*s. */
#define NAME_ARGS(name) (int)(name).size, (name).text

static inline bool name_is(struct ptx_name name, const char *text)
{
    uint32_t i = 0;

    while (i < name.size && text[i] && name.text[i] == text[i])
        i++;
    return i == name.size && !text[i];
}

#endif
