/* SPDX-License-Identifier: Apache-2.0
 *
 * native_alu.c - the arithmetic and the branches that litmus tests may use. */
#include <stdlib.h>
#include <string.h>

#include "memmodel/native.h"

static void read_move(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;
    const struct native_type *type = native_take_type(n, i->at);

    i->kind = INSTR_ALU;
    i->operation = OP_MOV;
    i->width = type->bits;
    i->result[0] = native_result(n, type->bits, false);
    reader_expect(&n->r, ",");
    if (r->token.kind == TOKEN_WORD && r->token.text[0] != '%') {
        struct loc at = r->token.at;
        uint32_t location = find_location(r->test, reader_word(r, "a variable"));
        if (location == UINT32_MAX)
            reader_fail(r, at, "there is no such variable");
        if (type->bits != 64)
            reader_fail(r, at, "an address needs 64 bits");
        i->source[0].value = location_address(r->test, location);
        return;
    }
    i->source[0] = native_operand(n, type->bits, false);
}

/* cvt between integers: the narrower width is kept. */
static void read_convert(struct native *n, struct instruction *i)
{
    const struct native_type *to = native_take_type(n, i->at), *from = native_take_type(n, i->at);

    if (from->is_signed && from->bits < to->bits)
        reader_fail(&n->r, i->at, "sign-extending cvt is not modelled");
    i->kind = INSTR_ALU;
    i->operation = OP_MOV;
    i->width = from->bits < to->bits ? from->bits : to->bits;
    i->result[0] = native_result(n, to->bits, false);
    reader_expect(&n->r, ",");
    i->source[0] = native_operand(n, from->bits, false);
}

static void read_compare(struct native *n, struct instruction *i)
{
    static const struct {
        const char *name;
        enum operation with_sign, without;
    } compares[] = {{"eq", OP_EQ, OP_EQ}, {"ne", OP_NE, OP_NE}, {"lt", OP_LT, OP_ULT},
                    {"le", OP_LE, OP_ULE}, {"gt", OP_GT, OP_UGT}, {"ge", OP_GE, OP_UGE},
                    {"lo", OP_ULT, OP_ULT}, {"ls", OP_ULE, OP_ULE},
                    {"hi", OP_UGT, OP_UGT}, {"hs", OP_UGE, OP_UGE}};

    i->kind = INSTR_ALU;
    i->elements = 2;
    for (size_t c = 0; c < sizeof compares / sizeof *compares; c++)
        if (native_take(n, compares[c].name)) {
            const struct native_type *type = native_take_type(n, i->at);
            i->operation = type->is_signed ? compares[c].with_sign : compares[c].without;
            i->width = type->bits;
            i->result[0] = native_result(n, 1, false);
            reader_expect(&n->r, ",");
            i->source[0] = native_operand(n, type->bits, false);
            reader_expect(&n->r, ",");
            i->source[1] = native_operand(n, type->bits, false);
            return;
        }
    reader_fail(&n->r, i->at, "this comparison is not known");
}

static bool read_plain(struct native *n, struct instruction *i, const char *name)
{
    static const struct {
        const char *name;
        enum operation with_sign, without;
        uint32_t operands;
    } table[] = {
        {"add", OP_ADD, OP_ADD, 2}, {"sub", OP_SUB, OP_SUB, 2}, {"mul", OP_MUL, OP_MUL, 2},
        {"and", OP_AND, OP_AND, 2}, {"or", OP_OR, OP_OR, 2}, {"xor", OP_XOR, OP_XOR, 2},
        {"not", OP_NOT, OP_NOT, 1}, {"neg", OP_NEG, OP_NEG, 1},
        {"min", OP_MIN, OP_UMIN, 2}, {"max", OP_MAX, OP_UMAX, 2}};

    for (size_t o = 0; o < sizeof table / sizeof *table; o++) {
        if (strcmp(name, table[o].name))
            continue;
        if (!strcmp(name, "mul") && !native_take(n, "lo"))
            reader_fail(&n->r, i->at, "only mul.lo is modelled");
        const struct native_type *type = native_take_type(n, i->at);
        i->kind = INSTR_ALU;
        i->operation = type->is_signed ? table[o].with_sign : table[o].without;
        i->width = type->bits;
        i->elements = table[o].operands;
        i->result[0] = native_result(n, type->bits, false);
        for (uint32_t s = 0; s < i->elements; s++) {
            reader_expect(&n->r, ",");
            i->source[s] = native_operand(n, type->bits, false);
        }
        return true;
    }
    return false;
}

static void read_shift(struct native *n, struct instruction *i, enum operation operation)
{
    const struct native_type *type = native_take_type(n, i->at);

    if (operation == OP_SHR && type->is_signed)
        reader_fail(&n->r, i->at, "only unsigned shr is modelled");
    i->kind = INSTR_ALU;
    i->operation = operation;
    i->width = type->bits;
    i->elements = 2;
    i->result[0] = native_result(n, type->bits, false);
    reader_expect(&n->r, ",");
    i->source[0] = native_operand(n, type->bits, false);
    reader_expect(&n->r, ",");
    i->source[1] = native_operand(n, 32, false);
}

static void read_select(struct native *n, struct instruction *i)
{
    const struct native_type *type = native_take_type(n, i->at);

    i->kind = INSTR_ALU;
    i->operation = OP_SELECT;
    i->width = type->bits;
    i->elements = 3;
    i->result[0] = native_result(n, type->bits, false);
    reader_expect(&n->r, ",");
    i->source[1] = native_operand(n, type->bits, false);
    reader_expect(&n->r, ",");
    i->source[2] = native_operand(n, type->bits, false);
    reader_expect(&n->r, ",");
    i->source[0] = native_operand(n, 1, false);
}

static void read_jump(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    i->kind = INSTR_BRANCH;
    native_take(n, "uni");
    struct native_jump *jump = ARENA_PUSH(r->arena, &n->jumps);
    jump->instruction = n->thread->code_count - 1;
    jump->at = r->token.at;
    jump->label = reader_word(r, "a label");
}

bool native_arithmetic(struct native *n, struct instruction *i, const char *name)
{
    static const struct {
        const char *name;
        void (*read)(struct native *n, struct instruction *i);
    } table[] = {{"mov", read_move}, {"cvt", read_convert}, {"setp", read_compare},
                 {"selp", read_select}, {"bra", read_jump}};

    for (size_t r = 0; r < sizeof table / sizeof *table; r++)
        if (!strcmp(name, table[r].name)) {
            table[r].read(n, i);
            return true;
        }
    if (!strcmp(name, "shl") || !strcmp(name, "shr")) {
        read_shift(n, i, name[2] == 'l' ? OP_SHL : OP_SHR);
        return true;
    }
    return read_plain(n, i, name);
}
