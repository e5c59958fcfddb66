/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_statement.c - what stands in a function body.
 *
 * PTX ISA, "Statements". */
#include "frontend/ptx/parse.h"

#include <string.h>

static void push(struct parser *p, struct ptx_statement statement)
{
    *ARENA_PUSH(&p->scratch, &p->statements) = statement;
}

/* [@[!]p] opcode .modifiers operands ; with the opcode read. */
static void instruction(struct parser *p, struct ptx_instruction *guard,
                        struct token opcode)
{
    enum { MOST = 32 };
    struct ptx_modifier modifiers[MOST];
    uint32_t count = 0;
    bool unknown = false;
    struct ptx_instruction *result = ARENA_NEW(p->arena, struct ptx_instruction);

    *result = *guard;
    result->opcode = opcode.text;
    while (!p->failed && p->token.kind == TOKEN_DOTTED) {
        uint32_t word = parse_word(p);
        if (word == W_NONE) {
            /* The rest of the statement can still be checked for form. */
            diag_error(p->diags, p->token.at, "unknown modifier '.%.*s'",
                       NAME_ARGS(p->token.text));
            unknown = true;
        } else if (count == MOST) {
            parse_error(p, p->token.at, "more than %d modifiers", MOST);
        } else {
            modifiers[count++] = (struct ptx_modifier){word, p->token.at};
        }
        parse_advance(p);
    }
    parse_operands(p, result);
    parse_expect(p, ';', "';'");
    if (p->failed || unknown)
        return;
    result->modifiers = ARENA_NEW_ARRAY(p->arena, count, struct ptx_modifier);
    if (count)
        memcpy(result->modifiers, modifiers, count * sizeof *modifiers);
    result->modifier_count = count;
    push(p, (struct ptx_statement){
                .kind = STATEMENT_INSTRUCTION,
                .at = opcode.at,
                .instruction = result,
            });
}

/* .branchtargets and .calltargets: a list of names. */
static void targets(struct parser *p, struct ptx_statement *statement)
{
    struct ptx_targets *targets = ARENA_NEW(p->arena, struct ptx_targets);
    PTX_LIST(struct ptx_name) names = {0};
    PTX_LIST(struct loc) places = {0};

    targets->word = parse_word(p);
    parse_advance(p);
    do {
        *ARENA_PUSH(p->arena, &places) = p->token.at;
        *ARENA_PUSH(p->arena, &names) = parse_name(p, "a name");
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "';'");
    targets->names = names.items;
    targets->places = places.items;
    targets->count = names.count;
    statement->kind = STATEMENT_TARGETS;
    statement->targets = targets;
}

/* .callprototype (returns) _ (parameters) .noreturn ; */
static void prototype(struct parser *p, struct ptx_statement *statement)
{
    struct ptx_signature *signature = ARENA_NEW(p->arena, struct ptx_signature);

    parse_advance(p);
    if (p->token.kind == '(')
        parse_signature_list(p, &signature->returns, &signature->return_count);
    parse_name(p, "'_'");
    if (!p->failed && p->token.kind == '(')
        parse_signature_list(p, &signature->parameters,
                             &signature->parameter_count);
    while (!p->failed && p->token.kind == TOKEN_DOTTED) {
        uint32_t word = parse_word(p);
        if (word == W_noreturn) {
            signature->noreturn = true;
            parse_advance(p);
        } else if (word == W_abi_preserve || word == W_abi_preserve_control) {
            *ARENA_PUSH(p->arena, &p->module->left_outs) =
                (struct ptx_left_out){p->token.at, "this directive"};
            parse_advance(p);
            parse_count(p, "a number");
        } else {
            parse_expected(p, "';'");
        }
    }
    parse_expect(p, ';', "';'");
    statement->kind = STATEMENT_PROTOTYPE;
    statement->prototype = signature;
}

static void variables(struct parser *p)
{
    uint32_t base = p->variables.count;

    parse_variables(p, LINKAGE_NONE);
    for (uint32_t i = base; i < p->variables.count; i++) {
        struct ptx_variable *variable = ARENA_NEW(p->arena, struct ptx_variable);
        *variable = p->variables.items[i];
        push(p, (struct ptx_statement){
                    .kind = STATEMENT_VARIABLE,
                    .at = variable->at,
                    .variable = variable,
                });
    }
    p->variables.count = base;
}

static void pragma(struct parser *p)
{
    parse_advance(p);
    do {
        struct ptx_statement statement = {
            .kind = STATEMENT_PRAGMA, .at = p->token.at, .label = p->token.text};
        parse_expect(p, TOKEN_STRING, "a string");
        if (!p->failed)
            push(p, statement);
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "';'");
}

/* A directive; label is the name in front of a target list or prototype. */
static void directive(struct parser *p, struct ptx_name label)
{
    struct ptx_statement statement = {.at = p->token.at, .label = label};
    uint32_t word = parse_word(p);

    switch (word) {
    case W_reg: case W_local: case W_shared: case W_param: case W_global:
    case W_const_: case W_tex: case W_sreg:
        variables(p);
        return;
    case W_pragma:
        pragma(p);
        return;
    case W_file:
        parse_advance(p);
        parse_file(p);
        return;
    case W_section:
        parse_advance(p);
        parse_section(p);
        return;
    case W_loc:
        parse_advance(p);
        statement.kind = STATEMENT_LOCATION;
        statement.location = ARENA_NEW(p->arena, struct ptx_location);
        parse_location(p, statement.location);
        break;
    case W_branchtargets:
    case W_calltargets:
        targets(p, &statement);
        break;
    case W_callprototype:
        prototype(p, &statement);
        break;
    default:
        parse_error(p, p->token.at, "'.%.*s' cannot stand in a function body",
                    NAME_ARGS(p->token.text));
    }
    if ((word == W_branchtargets || word == W_calltargets ||
         word == W_callprototype) && !label.size)
        parse_error(p, statement.at, ".%s needs a label in front",
                    word_text(word));
    if (!p->failed)
        push(p, statement);
}

/* A name: a label or an opcode. */
static void label_or_instruction(struct parser *p)
{
    struct token name = p->token;
    struct ptx_instruction unguarded = {0};

    parse_advance(p);
    if (!parse_accept(p, ':')) {
        instruction(p, &unguarded, name);
        return;
    }
    uint32_t word = parse_word(p);
    if (word == W_branchtargets || word == W_calltargets ||
        word == W_callprototype)
        directive(p, name.text);
    else
        push(p, (struct ptx_statement){.kind = STATEMENT_LABEL,
                                       .at = name.at,
                                       .label = name.text});
}

static void guarded(struct parser *p)
{
    struct ptx_instruction guard = {0};

    parse_advance(p);
    guard.guard_negated = parse_accept(p, '!');
    guard.guard_at = p->token.at;
    guard.guard = parse_name(p, "a predicate register");
    struct token opcode = p->token;
    parse_name(p, "an instruction");
    if (!p->failed)
        instruction(p, &guard, opcode);
}

static void statement(struct parser *p)
{
    switch (p->token.kind) {
    case ';':
        parse_advance(p);
        return;
    case '{': {
        struct ptx_statement block = {.kind = STATEMENT_BLOCK, .at = p->token.at};
        block.block = parse_block(p);
        if (block.block)
            push(p, block);
        return;
    }
    case '@':
        guarded(p);
        return;
    case TOKEN_NAME:
        label_or_instruction(p);
        return;
    case TOKEN_DOTTED:
        directive(p, (struct ptx_name){"", 0});
        return;
    default:
        parse_expected(p, "a statement");
    }
}

struct ptx_block *parse_block(struct parser *p)
{
    struct ptx_block *block = ARENA_NEW(p->arena, struct ptx_block);
    uint32_t base = p->statements.count;
    struct loc begin = p->token.at;

    if (!parse_enter(p)) {
        p->open = 0; /* recovery passes over the braces it sees */
        return NULL;
    }
    parse_expect(p, '{', "'{'");
    while (p->token.kind != '}' && p->token.kind != TOKEN_END) {
        const char *before = p->token.text.text;
        statement(p);
        if (p->failed) {
            parse_recover(p);
            if (p->token.text.text == before && p->token.kind != TOKEN_END &&
                p->token.kind != '}')
                parse_advance(p); /* always forward */
        }
    }
    block->end = p->token.at;
    if (p->token.kind != TOKEN_END) {
        parse_advance(p);
    } else if (!p->end_reported) {
        diag_error(p->diags, begin, "this '{' is never closed");
        p->end_reported = true;
    }
    block->count = p->statements.count - base;
    block->items = ARENA_NEW_ARRAY(p->arena, block->count, struct ptx_statement);
    if (block->count)
        memcpy(block->items, &p->statements.items[base],
               block->count * sizeof *block->items);
    p->statements.count = base;
    parse_leave(p);
    return block;
}
