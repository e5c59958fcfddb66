/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_inst.c - reads one instruction of .kir text.
 *
 *     instruction = [ "@" [ "!" ] register ] [ operand { "," operand } "=" ]
 *                   OP { ":" SUB } { "." attribute } [ operand { "," operand } ]
 *                   { "cache=" N | "hints=" N | "policy=" "%" NAME |
 *                     "extra=" N | "prototype=" NAME } [ "!" place ]
 *     attribute   = space | order [ "@" scope ] | "v" N | type | rounding | flag
 *                   the first type is that of the result, a second one that of
 *                   the first source; without it both are the same
 *     operand     = "%" register | "@" symbol or function | "&" variable
 *                 | "^" block | "$" special register | N | "_"
 *                 | "[" operand [ ("+" | "-") N | "+" operand ] "]"
 *                   an address stands for two operands: base and offset */
#include "ir/parser.h"

#include <ctype.h>
#include <string.h>

#include "ir/words.h"

/* An operand whose name is not known yet: its place among the operands read. */
struct pending {
    uint32_t index;
    bool is_block;
    struct ir_scan_name name;
};

struct pendings {
    struct pending *items;
    uint32_t count, capacity;
};

/* --- operands ------------------------------------------------------------- */

static void push(struct ir_parser *p, ir_operand operand)
{
    *ARENA_PUSH(&p->scratch, &p->operands) = operand;
}

static ir_operand look_up(struct ir_parser *p, const struct map *map,
                          enum ir_operand_kind kind, const char *what)
{
    struct ir_scan_name name = ir_scan_read_name(&p->scan);
    uint32_t index;

    if (!map_get(map, name.key, name.key_size, &index))
        ir_scan_fail(&p->scan, name.at, "no %s named '%s'", what, name.text);
    return ir_operand_make(kind, index);
}

static ir_operand read_sreg(struct ir_parser *p)
{
    struct loc at = ir_scan_place(&p->scan);
    struct ir_scan_word word = ir_scan_read_word(&p->scan);

    for (uint32_t i = 0; i < IR_SREG_COUNT; i++)
        if (ir_scan_word_is(word, ir_sreg_names[i]))
            return ir_operand_make(IR_OPERAND_SREG, i);
    ir_scan_fail(&p->scan, at, "no such special register");
}

static ir_operand read_constant(struct ir_parser *p)
{
    return ir_add_constant(p->module, ir_parser_function(p), ir_scan_read_number(&p->scan));
}

static void wait_for(struct ir_parser *p, struct pendings *pending, bool is_block)
{
    struct ir_scan_name name = ir_scan_read_name(&p->scan);

    *ARENA_PUSH(&p->scratch, pending) =
        (struct pending){p->operands.count, is_block, name};
    push(p, 0);
}

static void read_simple(struct ir_parser *p, struct pendings *pending)
{
    struct ir_scanner *s = &p->scan;

    if (ir_scan_accept(s, '%'))
        push(p, look_up(p, &p->registers, IR_OPERAND_REGISTER, "register"));
    else if (ir_scan_accept(s, '&'))
        push(p, look_up(p, &p->variables, IR_OPERAND_VARIABLE, "variable"));
    else if (ir_scan_accept(s, '@'))
        wait_for(p, pending, false);
    else if (ir_scan_accept(s, '^'))
        wait_for(p, pending, true);
    else if (ir_scan_accept(s, '$'))
        push(p, read_sreg(p));
    else if (ir_scan_accept_word(s, "_"))
        push(p, 0);
    else if (isdigit((unsigned char)ir_scan_peek(s)) || ir_scan_peek(s) == '-')
        push(p, read_constant(p));
    else
        ir_scan_fail(s, ir_scan_place(s), "operand expected");
}

static void read_operand(struct ir_parser *p, struct pendings *pending)
{
    struct ir_scanner *s = &p->scan;

    if (!ir_scan_accept(s, '[')) {
        read_simple(p, pending);
        return;
    }
    read_simple(p, pending);
    if (ir_scan_accept(s, '+') || ir_scan_peek(s) == '-')
        read_simple(p, pending);
    else
        push(p, ir_add_constant(p->module, ir_parser_function(p), 0));
    ir_scan_expect(s, ']');
}

static uint16_t read_operands(struct ir_parser *p, struct pendings *pending)
{
    uint32_t from = p->operands.count;

    ir_scan_peek(&p->scan);
    struct loc at = ir_scan_place(&p->scan);
    do
        read_operand(p, pending);
    while (ir_scan_accept(&p->scan, ','));
    if (p->operands.count - from > UINT16_MAX)
        ir_scan_fail(&p->scan, at, "more than %d operands", UINT16_MAX);
    return (uint16_t)(p->operands.count - from);
}

/* --- operation and attributes --------------------------------------------- */

static void read_sub(struct ir_parser *p, struct ir_inst *inst)
{
    const struct ir_word *words = NULL;
    enum ir_sub_kind kind = ir_sub_kind(inst->op, &words);
    struct loc at = ir_scan_place(&p->scan);

    if (isdigit((unsigned char)ir_scan_peek(&p->scan))) {
        inst->sub |= (uint16_t)ir_scan_read_limited(&p->scan, UINT16_MAX);
        return;
    }
    struct ir_scan_word word = ir_scan_read_word(&p->scan);
    if (kind == IR_SUB_OP) {
        enum ir_op op = ir_op_find(word.text, word.size);
        if (op != IR_OP_COUNT) {
            inst->sub = (uint16_t)op;
            return;
        }
    }
    for (; words && words->text; words++)
        if (ir_scan_word_is(word, words->text)) {
            inst->sub |= words->value;
            return;
        }
    ir_scan_fail(&p->scan, at, "'%s' has no such variant", ir_ops[inst->op].name);
}

static bool set_mode(struct ir_scan_word word, struct ir_inst *inst)
{
    for (const struct ir_word *rounding = ir_rounding_words; rounding->text; rounding++)
        if (ir_scan_word_is(word, rounding->text)) {
            inst->mode = (uint16_t)((inst->mode & ~ROUND_MASK) | rounding->value);
            return true;
        }
    for (const struct ir_word *flag = ir_mode_words; flag->text; flag++)
        if (ir_scan_word_is(word, flag->text)) {
            inst->mode |= flag->value;
            return true;
        }
    return false;
}

/* A word that ends in a number: v4. */
static bool numbered(struct ir_scan_word word, const char *prefix, unsigned limit,
                     unsigned *value)
{
    size_t size = strlen(prefix);

    if (word.size <= size || memcmp(word.text, prefix, size) != 0)
        return false;
    *value = 0;
    for (size_t i = size; i < word.size; i++) {
        if (!isdigit((unsigned char)word.text[i]))
            return false;
        *value = *value * 10 + (unsigned)(word.text[i] - '0');
        if (*value > limit)
            return false;
    }
    return true;
}

static void read_attribute(struct ir_parser *p, struct ir_inst *inst, unsigned *types)
{
    struct loc at = ir_scan_place(&p->scan);
    struct ir_scan_word word = ir_scan_read_word(&p->scan);
    enum ir_type type = ir_type_find(word.text, word.size);
    unsigned value;

    if (ir_scan_word_is(word, "none"))
        type = IR_none;
    if (type != IR_TYPE_COUNT) {
        if (*types == 2)
            ir_scan_fail(&p->scan, at, "more than two types");
        inst->type2 = (uint8_t)type;
        if ((*types)++ == 0)
            inst->type = (uint8_t)type;
        return;
    }
    for (unsigned i = 0; i < IR_SPACE_COUNT; i++)
        if (ir_scan_word_is(word, ir_space_names[i])) {
            inst->space = (uint8_t)i;
            return;
        }
    for (unsigned i = 0; i < IR_ORDER_COUNT; i++)
        if (ir_scan_word_is(word, ir_order_names[i])) {
            inst->order = (uint8_t)i;
            if (ir_scan_accept(&p->scan, '@'))
                inst->scope = (uint8_t)ir_parse_choice(p, ir_scope_names, IR_SCOPE_COUNT,
                                                       "scope");
            return;
        }
    if (numbered(word, "v", UINT8_MAX, &value))
        inst->vector = (uint8_t)value;
    else if (numbered(word, "mode", UINT16_MAX, &value))
        inst->mode |= (uint16_t)value;
    else if (!set_mode(word, inst))
        ir_scan_fail(&p->scan, at, "unknown attribute");
}

static void read_op(struct ir_parser *p, struct ir_inst *inst)
{
    unsigned types = 0;

    ir_scan_peek(&p->scan);
    struct loc at = ir_scan_place(&p->scan);
    struct ir_scan_word word = ir_scan_read_word(&p->scan);
    enum ir_op op = ir_op_find(word.text, word.size);
    if (op == IR_OP_COUNT)
        ir_scan_fail(&p->scan, at, "unknown operation");
    inst->op = (uint16_t)op;
    inst->vector = (uint8_t)ir_default_vector(op);
    while (ir_scan_accept(&p->scan, ':'))
        read_sub(p, inst);
    while (ir_scan_accept(&p->scan, '.'))
        read_attribute(p, inst, &types);
}

static void read_trailer(struct ir_parser *p, struct ir_inst *inst, struct loc at)
{
    struct ir_scanner *s = &p->scan;

    for (;;) {
        if (ir_scan_accept_word(s, "cache")) {
            ir_scan_expect(s, '=');
            inst->cache = (uint8_t)ir_scan_read_limited(s, UINT8_MAX);
        } else if (ir_scan_accept_word(s, "hints")) {
            ir_scan_expect(s, '=');
            inst->hints = (uint16_t)ir_scan_read_limited(s, UINT16_MAX);
        } else if (ir_scan_accept_word(s, "policy")) {
            ir_scan_expect(s, '=');
            ir_scan_expect(s, '%');
            inst->policy = look_up(p, &p->registers, IR_OPERAND_REGISTER, "register");
        } else if (ir_scan_accept_word(s, "extra")) {
            ir_scan_expect(s, '=');
            inst->extra = (uint32_t)ir_scan_read_limited(s, UINT32_MAX);
        } else if (ir_scan_accept_word(s, "prototype")) {
            ir_scan_expect(s, '=');
            ir_scan_peek(s);
            struct ir_scan_name name = ir_scan_read_name(s);
            if (!map_get(&p->prototypes, name.key, name.key_size, &inst->extra))
                ir_scan_fail(s, name.at, "no prototype named '%s'", name.text);
        } else {
            break;
        }
    }
    inst->loc = ir_scan_accept(s, '!')
                    ? ir_parse_place(p, at)
                    : ir_add_location(p->module, &(struct ir_location){.at = at});
}

/* --- the instruction ------------------------------------------------------ */

static void read_guard(struct ir_parser *p, struct ir_inst *inst)
{
    if (!ir_scan_accept(&p->scan, '@'))
        return;
    if (ir_scan_peek(&p->scan) != '%' && ir_scan_peek(&p->scan) != '!')
        ir_scan_fail(&p->scan, ir_scan_place(&p->scan), "guard register expected");
    inst->guard_not = ir_scan_accept(&p->scan, '!');
    ir_scan_expect(&p->scan, '%');
    inst->guard = look_up(p, &p->registers, IR_OPERAND_REGISTER, "register");
}

/* Another operand follows, and not the end or a trailer. */
static bool operand_follows(struct ir_parser *p)
{
    char c = ir_scan_peek(&p->scan);

    return c && c != '!' && !islower((unsigned char)c);
}

void ir_parse_inst(struct ir_parser *p)
{
    struct loc at = ir_scan_place(&p->scan);
    struct ir_inst inst = {0};
    struct pendings pending = {0};

    p->operands.count = 0;
    read_guard(p, &inst);
    if (!isalpha((unsigned char)ir_scan_peek(&p->scan))) {
        inst.destinations = read_operands(p, &pending);
        ir_scan_expect(&p->scan, '=');
    }
    read_op(p, &inst);
    if (operand_follows(p))
        inst.sources = read_operands(p, &pending);
    read_trailer(p, &inst, at);
    ir_scan_end_statement(&p->scan);
    struct ir_function *f = ir_parser_function(p);
    if (!f->block_count)
        ir_scan_fail(&p->scan, at, "the instruction stands in no block");

    ir_operand *operands = p->operands.items;
    uint32_t first = ir_add_inst(p->module, f, &inst, operands,
                                 inst.destinations ? operands + inst.destinations : operands)
                         ->first;
    for (uint32_t i = 0; i < pending.count; i++) {
        const struct pending *one = &pending.items[i];
        ir_parse_add_fixup(p, one->is_block ? &p->block_fixups : &p->global_fixups,
                           IR_FIX_OPERAND, p->current, first + one->index, one->name);
    }
}
