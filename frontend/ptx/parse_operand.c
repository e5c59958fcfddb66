/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_operand.c - instruction operands.
 *
 * PTX ISA, "Instruction Operands". The opcode is not looked at, except that
 * calls have parenthesised lists where others have constant expressions. */
#include "frontend/ptx/parse.h"

#include <string.h>

static void operand(struct parser *p, struct ptx_operand *out, bool is_call);

/* Items up to the closing character, copied into the arena as out->items. */
static void items(struct parser *p, struct ptx_operand *out, int close,
                  const char *what)
{
    uint32_t base = p->operands.count;

    if (!parse_enter(p))
        return;
    if (p->token.kind != close)
        do {
            struct ptx_operand item;
            operand(p, &item, false);
            *ARENA_PUSH(&p->scratch, &p->operands) = item;
        } while (parse_accept(p, ','));
    out->count = p->operands.count - base;
    out->items = ARENA_NEW_ARRAY(p->arena, out->count, struct ptx_operand);
    if (out->count)
        memcpy(out->items, &p->operands.items[base],
               out->count * sizeof *out->items);
    p->operands.count = base;
    parse_leave(p);
    parse_expect(p, close, what);
}

static void set_offset(struct parser *p, struct ptx_operand *out,
                       struct loc at, struct ptx_constant value, bool negative)
{
    if (p->failed)
        return;
    if (!constant_is_integer(value)) {
        parse_error(p, at, "an offset must be an integer");
        return;
    }
    out->has_offset = true;
    out->offset = (int64_t)((uint64_t)out->offset +
                            (negative ? -value.bits : value.bits));
}

/* "+ 4", "- 4", "+-4", and sums of them, behind a name. */
static void offsets(struct parser *p, struct ptx_operand *out)
{
    while (!p->failed && (p->token.kind == '+' || p->token.kind == '-')) {
        bool negative = p->token.kind == '-';
        parse_advance(p);
        struct loc at = p->token.at;
        set_offset(p, out, at, parse_constant_term(p), negative);
    }
}

/* name, name.component, name + offset, name[index]; the name is read. */
static void named(struct parser *p, struct ptx_operand *out)
{
    out->kind = OPERAND_NAME;
    if (p->token.kind == TOKEN_DOTTED) {
        out->component = p->token.text;
        parse_advance(p);
    }
    if (p->token.kind == '[') {
        parse_advance(p);
        struct loc at = p->token.at;
        out->kind = OPERAND_ELEMENT;
        struct ptx_constant index = {0};
        if (parse_at_constant(p))
            index = parse_constant(p);
        else
            parse_expected(p, "a constant index");
        set_offset(p, out, at, index, false);
        parse_expect(p, ']', "']'");
    } else {
        offsets(p, out);
    }
}

/* [base], [base + offset], [offset], [base, items], behind the bracket. */
static void address(struct parser *p, struct ptx_operand *out)
{
    out->kind = OPERAND_ADDRESS;
    struct loc at = p->token.at;
    if (p->token.kind == TOKEN_NAME && !name_is(p->token.text, "WARP_SZ")) {
        out->name = p->token.text;
        out->name_at = p->token.at;
        parse_advance(p);
        if (parse_accept(p, '[')) { /* [array[index]] */
            out->kind = OPERAND_ELEMENT;
            at = p->token.at;
            set_offset(p, out, at, parse_constant(p), false);
            parse_expect(p, ']', "']'");
        }
        offsets(p, out);
    } else if (parse_at_constant(p)) {
        set_offset(p, out, at, parse_constant(p), false);
    } else {
        parse_expected(p, "an address");
    }
    if (out->kind == OPERAND_ELEMENT) {
        /* An element in brackets: the address of the element. */
        struct ptx_operand *base = ARENA_NEW(p->arena, struct ptx_operand);
        *base = *out;
        *out = (struct ptx_operand){
            .kind = OPERAND_ADDRESS, .at = out->at, .items = base, .count = 1};
        parse_expect(p, ']', "']'");
    } else if (parse_accept(p, ',')) {
        items(p, out, ']', "']'");
    } else {
        parse_expect(p, ']', "']'");
    }
    if (!p->failed && parse_at_word(p, "unified")) {
        out->unified = true;
        parse_advance(p);
    }
}

/* The second half of d|p. */
static void pair(struct parser *p, struct ptx_operand *out)
{
    struct ptx_operand *both = ARENA_NEW_ARRAY(p->arena, 2, struct ptx_operand);

    both[0] = *out;
    both[1].at = both[1].name_at = p->token.at;
    both[1].name = parse_name(p, "a register");
    both[1].kind = name_is(both[1].name, "_") ? OPERAND_SINK : OPERAND_NAME;
    *out = (struct ptx_operand){
        .kind = OPERAND_PAIR, .at = both[0].at, .items = both, .count = 2};
}

static void operand(struct parser *p, struct ptx_operand *out, bool is_call)
{
    *out = (struct ptx_operand){
        .kind = OPERAND_SINK, .at = p->token.at, .name_at = p->token.at};
    if (p->failed)
        return;
    int kind = p->token.kind;
    switch (kind) {
    case '{':
        p->open++;
        parse_advance(p);
        out->kind = OPERAND_VECTOR;
        items(p, out, '}', "'}'");
        if (!p->failed)
            p->open--;
        if (parse_accept(p, '|'))
            pair(p, out);
        return;
    case '[':
        parse_advance(p);
        address(p, out);
        return;
    case '!':
    case '-':
        parse_advance(p);
        if (p->token.kind == TOKEN_NAME && !name_is(p->token.text, "WARP_SZ")) {
            out->negated = true;
            out->name = p->token.text;
            parse_advance(p);
            named(p, out);
            return;
        }
        out->kind = OPERAND_CONSTANT;
        out->constant = parse_constant_after(p, kind);
        return;
    case '(':
        if (is_call) {
            parse_advance(p);
            out->kind = OPERAND_LIST;
            items(p, out, ')', "')'");
            return;
        }
        break;
    case TOKEN_NAME:
        if (name_is(p->token.text, "WARP_SZ"))
            break;
        out->name = p->token.text;
        parse_advance(p);
        if (!name_is(out->name, "_"))
            named(p, out);
        if (parse_accept(p, '|'))
            pair(p, out);
        return;
    }
    if (!parse_at_constant(p)) {
        parse_expected(p, "an operand");
        return;
    }
    out->kind = OPERAND_CONSTANT;
    out->constant = parse_constant(p);
}

void parse_operands(struct parser *p, struct ptx_instruction *instruction)
{
    struct ptx_operand list = {0};
    uint32_t base = p->operands.count;
    bool is_call = name_is(instruction->opcode, "call");

    if (p->token.kind != ';')
        do {
            struct ptx_operand item;
            operand(p, &item, is_call);
            *ARENA_PUSH(&p->scratch, &p->operands) = item;
        } while (parse_accept(p, ','));
    list.count = p->operands.count - base;
    list.items = ARENA_NEW_ARRAY(p->arena, list.count, struct ptx_operand);
    if (list.count)
        memcpy(list.items, &p->operands.items[base],
               list.count * sizeof *list.items);
    p->operands.count = base;
    instruction->operands = list.items;
    instruction->operand_count = list.count;
}
