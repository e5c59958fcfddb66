/* SPDX-License-Identifier: Apache-2.0
 *
 * condition.c - reading the condition of a litmus test.
 *
 *     condition = ["filter" or] ("exists" | "~exists" | "forall") or
 *     or        = and { "\/" and }
 *     and       = not { "/\" not }
 *     not       = "~" not | "(" or ")" | value sign value | "true"
 *     value     = number | ["P"] number ":" register | location ["[" number "]"]
 *               | "[" location "]"
 */
#include <stdlib.h>
#include <string.h>

#include "memmodel/reader.h"

enum { MAX_DEPTH = 100 };

static const struct term *read_or(struct reader *r, uint32_t depth);

static struct term *new_term(struct reader *r, enum term_kind kind)
{
    struct term *term = ARENA_NEW(r->arena, struct term);

    term->kind = kind;
    return term;
}

static struct term *register_term(struct reader *r, uint32_t number, struct loc at)
{
    struct term *term = new_term(r, TERM_REGISTER);

    term->thread = find_thread(r->test, number);
    if (term->thread == UINT32_MAX)
        reader_fail(r, at, "there is no thread P%u", number);
    struct test_thread *thread = &r->test->threads[term->thread];
    struct loc name_at = r->token.at;
    const char *name = reader_word(r, "a register");
    term->reg = find_register(thread, name);
    if (term->reg == NO_REGISTER && r->test->is_native && name[0] != '%')
        term->reg = find_register(thread, arena_printf(r->arena, "%%%s", name));
    if (term->reg == NO_REGISTER) {
        if (r->test->is_native)
            reader_fail(r, name_at, "thread %s has no register %s", thread->name, name);
        term->reg = add_register(r, thread, name, 64);
    }
    return term;
}

/* "P3" gives 3. */
static bool thread_number(const struct token *token, uint32_t *number)
{
    if (token->kind != TOKEN_WORD || token->size < 2 || token->text[0] != 'P')
        return false;
    uint32_t value = 0;
    for (uint32_t i = 1; i < token->size; i++) {
        if (token->text[i] < '0' || token->text[i] > '9' || value > 100000)
            return false;
        value = value * 10 + (uint32_t)(token->text[i] - '0');
    }
    *number = value;
    return true;
}

static struct term *location_term(struct reader *r)
{
    struct term *term = new_term(r, TERM_LOCATION);
    struct loc at = r->token.at;
    const char *name = reader_word(r, "a variable");

    term->location = find_location(r->test, name);
    if (term->location == UINT32_MAX) {
        if (r->test->is_native)
            reader_fail(r, at, "there is no variable %s", name);
        term->location = add_location(r, name, at, 8, 8);
    }
    if (r->test->is_native && reader_accept(r, "[")) {
        const struct test_location *l = &r->test->locations[term->location];
        struct loc index_at = r->token.at;
        int64_t index = reader_integer(r, "an index");
        int64_t last = r->test->objects[l->object].size / l->element;
        if (index < 0 || index >= last)
            reader_fail(r, index_at, "%s has %d elements", name, (int)last);
        term->offset = (uint32_t)index * l->element;
        reader_expect(r, "]");
    }
    return term;
}

static const struct term *read_value(struct reader *r)
{
    struct loc at = r->token.at;
    uint32_t number;

    if (r->token.kind == TOKEN_NUMBER || reader_is(r, "-")) {
        int64_t value = reader_integer(r, "a value");
        if (value >= 0 && reader_accept(r, ":"))
            return register_term(r, (uint32_t)value, at);
        struct term *term = new_term(r, TERM_CONSTANT);
        term->constant = value;
        return term;
    }
    if (reader_accept(r, "[")) {
        struct term *term = location_term(r);
        reader_expect(r, "]");
        return term;
    }
    if (thread_number(&r->token, &number)) {
        reader_advance(r);
        reader_expect(r, ":");
        return register_term(r, number, at);
    }
    return location_term(r);
}

static const struct term *read_comparison(struct reader *r)
{
    static const struct {
        const char *sign;
        enum operation operation;
    } signs[] = {{"=", OP_EQ}, {"==", OP_EQ}, {"!=", OP_NE}, {"<", OP_LT},
                 {"<=", OP_LE}, {">", OP_GT}, {">=", OP_GE}};
    const struct term *left = read_value(r);

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!reader_accept(r, signs[i].sign))
            continue;
        struct term *term = new_term(r, TERM_COMPARE);
        term->compare = signs[i].operation;
        term->left = left;
        term->right = read_value(r);
        return term;
    }
    reader_fail(r, r->token.at, "expected a comparison such as '='");
}

static const struct term *read_not(struct reader *r, uint32_t depth)
{
    if (depth > MAX_DEPTH)
        reader_fail(r, r->token.at, "the condition is nested too deeply");
    if (reader_accept(r, "~") || reader_accept(r, "not")) {
        struct term *term = new_term(r, TERM_NOT);
        term->left = read_not(r, depth + 1);
        return term;
    }
    if (reader_accept(r, "true"))
        return new_term(r, TERM_TRUE);
    if (reader_accept(r, "(")) {
        const struct term *term = read_or(r, depth + 1);
        reader_expect(r, ")");
        return term;
    }
    return read_comparison(r);
}

static const struct term *read_joined(struct reader *r, uint32_t depth,
                                      enum term_kind kind)
{
    bool all = kind == TERM_AND;
    const struct term *left = all ? read_not(r, depth)
                                  : read_joined(r, depth, TERM_AND);

    while (reader_accept(r, all ? "/\\" : "\\/") || reader_accept(r, all ? "&&" : "||")) {
        struct term *term = new_term(r, kind);
        term->left = left;
        term->right = all ? read_not(r, depth) : read_joined(r, depth, TERM_AND);
        left = term;
    }
    return left;
}

static const struct term *read_or(struct reader *r, uint32_t depth)
{
    return read_joined(r, depth, TERM_OR);
}

void read_shown(struct reader *r)
{
    uint32_t capacity = MAX_LOCATIONS + MAX_REGISTERS;

    if (!reader_accept(r, "locations"))
        return;
    r->test->shown = arena_array(r->arena, capacity, sizeof *r->test->shown);
    reader_expect(r, "[");
    while (!reader_accept(r, "]")) {
        if (r->test->shown_count == capacity)
            reader_fail(r, r->token.at, "too many locations to show");
        const struct term *term = read_value(r);
        if (term->kind == TERM_CONSTANT)
            reader_fail(r, r->token.at, "expected a variable or a register");
        r->test->shown[r->test->shown_count++] = term;
        if (!reader_accept(r, ";") && !reader_is(r, "]"))
            reader_expect(r, "]");
    }
}

void read_condition(struct reader *r)
{
    struct test *test = r->test;

    if (reader_accept(r, "filter"))
        test->filter = read_or(r, 0);
    reader_accept(r, ";");
    test->condition_at = r->token.at;
    const char *start = r->token.text;
    if (reader_accept(r, "~")) {
        reader_expect(r, "exists");
        test->quantifier = NOT_EXISTS;
    } else if (reader_accept(r, "exists")) {
        test->quantifier = EXISTS;
    } else if (reader_accept(r, "forall")) {
        test->quantifier = FORALL;
    } else {
        reader_fail(r, r->token.at, "expected 'exists', '~exists' or 'forall'");
    }
    test->condition = read_or(r, 0);
    test->condition_text = reader_text(r, start);
    reader_accept(r, ";");
    if (r->token.kind != TOKEN_END)
        reader_fail(r, r->token.at, "nothing may follow the condition");
}
