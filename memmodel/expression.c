/* SPDX-License-Identifier: Apache-2.0
 *
 * expression.c - building, folding and evaluating expressions. */
#include "memmodel/expression.h"

int64_t cut(int64_t value, uint32_t bits)
{
    return bits >= 64 ? value
                      : (int64_t)((uint64_t)value & (((uint64_t)1 << bits) - 1));
}

int64_t sign_extend(int64_t value, uint32_t bits)
{
    if (bits >= 64)
        return value;
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)(((uint64_t)cut(value, bits) ^ sign) - sign);
}

bool operation_compares(enum operation operation)
{
    return (operation >= OP_EQ && operation <= OP_UGE) ||
           operation == OP_MB_DONE_PARITY || operation == OP_MB_DONE_STATE;
}

/* PTX ISA, "mbarrier": the phase completes when no arrival is pending and the
 * transaction count is zero; the next phase expects the same arrivals. */
static int64_t mbarrier_settle(uint64_t pending, uint64_t expected,
                               uint64_t phase, uint64_t transactions)
{
    pending &= 0xffff;
    transactions &= 0xffff;
    if (!pending && !transactions) {
        pending = expected;
        phase = (phase + 1) & 0xffff;
    }
    return (int64_t)(pending | expected << 16 | phase << 32 | transactions << 48);
}

static int64_t mbarrier_apply(enum operation operation, int64_t object, int64_t b)
{
    uint64_t value = (uint64_t)object, argument = (uint64_t)b;
    uint64_t pending = value & 0xffff, expected = value >> 16 & 0xffff;
    uint64_t phase = value >> 32 & 0xffff, transactions = value >> 48;

    switch (operation) {
    case OP_MB_INIT:
        return (int64_t)((argument & 0xffff) | (argument & 0xffff) << 16);
    case OP_MB_ARRIVE:
        return mbarrier_settle(pending - argument, expected, phase, transactions);
    case OP_MB_EXPECT:
        return (int64_t)(pending | expected << 16 | phase << 32 |
                         ((transactions + argument) & 0xffff) << 48);
    case OP_MB_COMPLETE:
        return mbarrier_settle(pending, expected, phase, transactions - argument);
    case OP_MB_DONE_PARITY:
        return (phase & 1) != (argument & 1);
    default: /* OP_MB_DONE_STATE */
        return phase != (argument >> 32 & 0xffff);
    }
}

static int64_t divide(int64_t a, int64_t b)
{
    if (b == 0)
        return -1; /* PTX ISA, "div": unspecified; the hardware gives all ones */
    if (b == -1)
        return (int64_t)(0 - (uint64_t)a);
    return a / b;
}

int64_t operation_apply(enum operation operation, uint32_t bits, int64_t a,
                        int64_t b, int64_t c)
{
    uint64_t ua = (uint64_t)cut(a, bits), ub = (uint64_t)cut(b, bits);
    int64_t sa = sign_extend(a, bits), sb = sign_extend(b, bits);

    switch (operation) {
    case OP_CONST: case OP_READ: case OP_MOV: return (int64_t)ua;
    case OP_NOT: return (int64_t)~ua;
    case OP_NEG: return (int64_t)(0 - ua);
    case OP_ADD: return (int64_t)(ua + ub);
    case OP_SUB: return (int64_t)(ua - ub);
    case OP_MUL: return (int64_t)(ua * ub);
    case OP_DIV: return divide(sa, sb);
    case OP_AND: return (int64_t)(ua & ub);
    case OP_OR: return (int64_t)(ua | ub);
    case OP_XOR: return (int64_t)(ua ^ ub);
    case OP_SHL: return ub < bits ? (int64_t)(ua << ub) : 0;
    case OP_SHR: return ub < bits ? (int64_t)(ua >> ub) : 0;
    case OP_MIN: return sa < sb ? sa : sb;
    case OP_MAX: return sa > sb ? sa : sb;
    case OP_UMIN: return (int64_t)(ua < ub ? ua : ub);
    case OP_UMAX: return (int64_t)(ua > ub ? ua : ub);
    case OP_INC: return ua >= ub ? 0 : (int64_t)(ua + 1);
    case OP_DEC: return ua == 0 || ua > ub ? (int64_t)ub : (int64_t)(ua - 1);
    case OP_EQ: return ua == ub;
    case OP_NE: return ua != ub;
    case OP_LT: return sa < sb;
    case OP_LE: return sa <= sb;
    case OP_GT: return sa > sb;
    case OP_GE: return sa >= sb;
    case OP_ULT: return ua < ub;
    case OP_ULE: return ua <= ub;
    case OP_UGT: return ua > ub;
    case OP_UGE: return ua >= ub;
    case OP_EXCH: return (int64_t)ub;
    case OP_CAS: return ua == ub ? c : (int64_t)ua;
    case OP_SELECT: return a ? b : c;
    case OP_MB_INIT: case OP_MB_ARRIVE: case OP_MB_EXPECT: case OP_MB_COMPLETE:
    case OP_MB_DONE_PARITY: case OP_MB_DONE_STATE:
        return mbarrier_apply(operation, a, b);
    }
    return 0;
}

static uint32_t push(struct expression_pool *pool, struct expression expression)
{
    *ARENA_PUSH(pool->arena, pool) = expression;
    return pool->count - 1;
}

uint32_t expression_constant(struct expression_pool *pool, int64_t value,
                             uint32_t bits)
{
    return push(pool, (struct expression){
        .operation = OP_CONST, .bits = (uint8_t)bits, .result_bits = (uint8_t)bits,
        .a = NO_EXPRESSION, .b = NO_EXPRESSION, .c = NO_EXPRESSION,
        .value = cut(value, bits), .size = 1});
}

uint32_t expression_read(struct expression_pool *pool, uint32_t event,
                         uint32_t bits)
{
    return push(pool, (struct expression){
        .operation = OP_READ, .bits = (uint8_t)bits, .result_bits = (uint8_t)bits,
        .a = NO_EXPRESSION, .b = NO_EXPRESSION, .c = NO_EXPRESSION,
        .event = event, .reads = set_of(event), .size = 1});
}

bool expression_is_constant(const struct expression_pool *pool, uint32_t index,
                            int64_t *value)
{
    if (index == NO_EXPRESSION || pool->items[index].operation != OP_CONST)
        return false;
    *value = pool->items[index].value;
    return true;
}

/* r xor r, r - r, r * 0, r & 0: a value that does not depend on r. */
static bool is_false_dependency(const struct expression_pool *pool,
                                enum operation operation, uint32_t a, uint32_t b)
{
    int64_t value;

    if (operation == OP_XOR || operation == OP_SUB)
        return a == b;
    if (operation != OP_MUL && operation != OP_AND)
        return false;
    return (expression_is_constant(pool, a, &value) && value == 0) ||
           (expression_is_constant(pool, b, &value) && value == 0);
}

uint32_t expression_make(struct expression_pool *pool, enum operation operation,
                         uint32_t bits, uint32_t result_bits, uint32_t a,
                         uint32_t b, uint32_t c)
{
    int64_t va = 0, vb = 0, vc = 0;
    const uint32_t operand[] = {a, b, c};
    event_set reads = 0;
    uint32_t size = 1;
    bool constant = true;

    if (pool->drops_false_dependencies && a != NO_EXPRESSION &&
        b != NO_EXPRESSION && is_false_dependency(pool, operation, a, b))
        return expression_constant(pool, 0, result_bits);
    constant &= a == NO_EXPRESSION || expression_is_constant(pool, a, &va);
    constant &= b == NO_EXPRESSION || expression_is_constant(pool, b, &vb);
    constant &= c == NO_EXPRESSION || expression_is_constant(pool, c, &vc);
    if (constant)
        return expression_constant(
            pool, operation_apply(operation, bits, va, vb, vc), result_bits);
    for (uint32_t i = 0; i < 3; i++) {
        if (operand[i] == NO_EXPRESSION)
            continue;
        reads |= pool->items[operand[i]].reads;
        size += pool->items[operand[i]].size;
    }
    if (size > MAX_EXPRESSION_SIZE) {
        pool->too_large = true;
        return expression_constant(pool, 0, result_bits);
    }
    return push(pool, (struct expression){
        .operation = operation, .bits = (uint8_t)bits,
        .result_bits = (uint8_t)result_bits, .a = a, .b = b, .c = c,
        .reads = reads, .size = size});
}

bool expression_value(const struct expression_pool *pool, uint32_t index,
                      uint32_t base, event_set known, const int64_t *value,
                      int64_t *result)
{
    const struct expression *e = &pool->items[index];
    int64_t a = 0, b = 0, c = 0;

    switch (e->operation) {
    case OP_CONST:
        *result = e->value;
        return true;
    case OP_READ:
        if (!set_has(known, base + e->event))
            return false;
        *result = cut(value[base + e->event], e->result_bits);
        return true;
    default:
        if (((e->reads << base) & ~known) != 0)
            return false;
        if (e->a != NO_EXPRESSION)
            expression_value(pool, e->a, base, known, value, &a);
        if (e->b != NO_EXPRESSION)
            expression_value(pool, e->b, base, known, value, &b);
        if (e->c != NO_EXPRESSION)
            expression_value(pool, e->c, base, known, value, &c);
        *result = cut(operation_apply(e->operation, e->bits, a, b, c),
                      e->result_bits);
        return true;
    }
}
