/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_constant.c - constant expressions, computed while they are read.
 *
 * PTX ISA, "Constant Expressions": integers are 64-bit, signed or unsigned;
 * a result is unsigned when either side is; comparisons and logical operators
 * give signed 0 or 1; shifts keep the type of the left side; floating-point
 * constants are 64-bit and know + - * / and comparisons; an exact 0f constant
 * stands alone or behind a sign. */
#include "frontend/ptx/parse.h"

#include <string.h>

#include "frontend/ptx/decimal.h"

bool constant_is_integer(struct ptx_constant constant)
{
    return constant.kind <= CONSTANT_UNSIGNED;
}

static struct ptx_constant make_signed(int64_t value)
{
    return (struct ptx_constant){CONSTANT_SIGNED, (uint64_t)value};
}

static double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct ptx_constant make_f64(double value)
{
    struct ptx_constant constant = {CONSTANT_F64, 0};

    memcpy(&constant.bits, &value, sizeof value);
    return constant;
}

bool parse_at_constant(const struct parser *p)
{
    switch (p->token.kind) {
    case TOKEN_INTEGER:
    case TOKEN_FLOAT32:
    case TOKEN_FLOAT64:
    case '(':
    case '-':
    case '+':
    case '!':
    case '~':
        return true;
    case TOKEN_DOTTED: /* .5 */
        return p->token.text.text[0] >= '0' && p->token.text.text[0] <= '9';
    case TOKEN_NAME:
        return name_is(p->token.text, "WARP_SZ");
    default:
        return false;
    }
}

static struct ptx_constant unary(struct parser *p);

/* "(.s64) x" and "(.u64) x", behind the parenthesis. */
static struct ptx_constant cast(struct parser *p)
{
    bool is_unsigned = parse_at_word(p, "u64");

    if (!is_unsigned && !parse_at_word(p, "s64"))
        parse_expected(p, "a cast to .s64 or .u64");
    else
        parse_advance(p);
    parse_expect(p, ')', "')'");
    struct loc at = p->token.at;
    struct ptx_constant value = unary(p);
    if (!p->failed && !constant_is_integer(value))
        parse_error(p, at, "only integer constants can be cast");
    value.kind = is_unsigned ? CONSTANT_UNSIGNED : CONSTANT_SIGNED;
    return value;
}

static struct ptx_constant primary(struct parser *p)
{
    struct token token = p->token;
    struct ptx_constant value = make_signed(0);

    if (p->failed)
        return value;
    switch (token.kind) {
    case TOKEN_INTEGER:
        value.kind = token.is_unsigned ? CONSTANT_UNSIGNED : CONSTANT_SIGNED;
        value.bits = token.bits;
        break;
    case TOKEN_FLOAT32:
    case TOKEN_FLOAT64:
        value.kind = token.kind == TOKEN_FLOAT32 ? CONSTANT_F32 : CONSTANT_F64;
        value.bits = token.bits;
        break;
    case TOKEN_DOTTED: { /* the text begins behind the point */
        for (uint32_t k = 0; k < token.text.size; k++)
            if (token.text.text[k] < '0' || token.text.text[k] > '9')
                goto bad;
        value.kind = CONSTANT_F64;
        value.bits = decimal_to_f64(token.text.text - 1, token.text.size + 1);
        break;
    }
    case TOKEN_NAME:
        if (!name_is(token.text, "WARP_SZ"))
            goto bad;
        value = make_signed(32);
        break;
    case '(':
        parse_advance(p);
        if (p->token.kind == TOKEN_DOTTED)
            return cast(p);
        value = parse_constant(p);
        parse_expect(p, ')', "')'");
        return value;
    default:
    bad:
        parse_expected(p, "a constant");
        return value;
    }
    parse_advance(p);
    return value;
}

static struct ptx_constant apply_prefix(struct parser *p, int prefix,
                                        struct loc at,
                                        struct ptx_constant value)
{
    if (p->failed)
        return value;
    switch (prefix) {
    case '+':
        break;
    case '-':
        if (value.kind == CONSTANT_F32)
            value.bits ^= 0x80000000u;
        else if (value.kind == CONSTANT_F64)
            value.bits ^= 1ull << 63;
        else
            value.bits = -value.bits;
        break;
    case '!':
        if (!constant_is_integer(value))
            parse_error(p, at, "'!' needs an integer");
        value = make_signed(!value.bits);
        break;
    default:
        if (!constant_is_integer(value))
            parse_error(p, at, "'~' needs an integer");
        value.bits = ~value.bits;
    }
    return value;
}

static struct ptx_constant unary(struct parser *p)
{
    int kind = p->token.kind;
    struct loc at = p->token.at;
    struct ptx_constant value = make_signed(0);

    if (!parse_enter(p))
        return value;
    if (kind == '-' || kind == '+' || kind == '!' || kind == '~') {
        parse_advance(p);
        value = apply_prefix(p, kind, at, unary(p));
    } else {
        value = primary(p);
    }
    parse_leave(p);
    return value;
}

static int precedence(int kind)
{
    switch (kind) {
    case '*': case '/': case '%': return 10;
    case '+': case '-': return 9;
    case TOKEN_SHIFT_LEFT: case TOKEN_SHIFT_RIGHT: return 8;
    case '<': case '>': case TOKEN_LESS_EQUAL: case TOKEN_GREATER_EQUAL: return 7;
    case TOKEN_EQUAL: case TOKEN_NOT_EQUAL: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case TOKEN_AND: return 2;
    case TOKEN_OR: return 1;
    default: return 0;
    }
}

static struct ptx_constant apply_integer(struct parser *p, int kind,
                                         struct loc at, struct ptx_constant a,
                                         struct ptx_constant b)
{
    bool is_unsigned =
        a.kind == CONSTANT_UNSIGNED || b.kind == CONSTANT_UNSIGNED;
    struct ptx_constant result = {
        is_unsigned ? CONSTANT_UNSIGNED : CONSTANT_SIGNED, 0};
    int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    bool less = is_unsigned ? a.bits < b.bits : x < y;

    switch (kind) {
    case '*': result.bits = a.bits * b.bits; return result;
    case '+': result.bits = a.bits + b.bits; return result;
    case '-': result.bits = a.bits - b.bits; return result;
    case '&': result.bits = a.bits & b.bits; return result;
    case '^': result.bits = a.bits ^ b.bits; return result;
    case '|': result.bits = a.bits | b.bits; return result;
    case '/':
    case '%':
        if (!b.bits) {
            parse_error(p, at, "division by zero in a constant expression");
        } else if (is_unsigned) {
            result.bits = kind == '/' ? a.bits / b.bits : a.bits % b.bits;
        } else if (y == -1) { /* INT64_MIN / -1 wraps */
            result.bits = kind == '/' ? -a.bits : 0;
        } else {
            result.bits = (uint64_t)(kind == '/' ? x / y : x % y);
        }
        return result;
    case TOKEN_SHIFT_LEFT:
    case TOKEN_SHIFT_RIGHT:
        result.kind = a.kind;
        if (b.bits > 63)
            result.bits = kind == TOKEN_SHIFT_RIGHT && a.kind == CONSTANT_SIGNED &&
                                  x < 0 ? UINT64_MAX : 0;
        else if (kind == TOKEN_SHIFT_LEFT)
            result.bits = a.bits << b.bits;
        else if (a.kind == CONSTANT_SIGNED && x < 0)
            result.bits = ~(~a.bits >> b.bits);
        else
            result.bits = a.bits >> b.bits;
        return result;
    case '<': return make_signed(less);
    case TOKEN_GREATER_EQUAL: return make_signed(!less);
    case '>': return make_signed(!less && a.bits != b.bits);
    case TOKEN_LESS_EQUAL: return make_signed(less || a.bits == b.bits);
    case TOKEN_EQUAL: return make_signed(a.bits == b.bits);
    case TOKEN_NOT_EQUAL: return make_signed(a.bits != b.bits);
    case TOKEN_AND: return make_signed(a.bits && b.bits);
    default: return make_signed(a.bits || b.bits);
    }
}

static struct ptx_constant apply(struct parser *p, int kind, struct loc at,
                                 struct ptx_constant a, struct ptx_constant b)
{
    if (p->failed)
        return a;
    if (constant_is_integer(a) && constant_is_integer(b))
        return apply_integer(p, kind, at, a, b);
    if (a.kind == CONSTANT_F64 && b.kind == CONSTANT_F64) {
        double x = as_double(a.bits), y = as_double(b.bits);
        switch (kind) {
        case '*': return make_f64(x * y);
        case '/': return make_f64(x / y);
        case '+': return make_f64(x + y);
        case '-': return make_f64(x - y);
        case '<': return make_signed(x < y);
        case '>': return make_signed(x > y);
        case TOKEN_LESS_EQUAL: return make_signed(x <= y);
        case TOKEN_GREATER_EQUAL: return make_signed(x >= y);
        case TOKEN_EQUAL: return make_signed(x == y);
        case TOKEN_NOT_EQUAL: return make_signed(x != y);
        }
    }
    parse_error(p, at, "this operator does not apply to these constants");
    return a;
}

/* Precedence climbing; value is the left side read so far. */
static struct ptx_constant binary(struct parser *p, int lowest,
                                  struct ptx_constant value)
{
    for (;;) {
        int kind = p->token.kind, level = precedence(kind);
        struct loc at = p->token.at;
        if (p->failed || level < lowest)
            return value;
        parse_advance(p);
        struct ptx_constant right = unary(p);
        while (!p->failed && precedence(p->token.kind) > level)
            right = binary(p, level + 1, right);
        value = apply(p, kind, at, value, right);
    }
}

/* condition ? a : b, lowest of all */
static struct ptx_constant conditional(struct parser *p,
                                       struct ptx_constant value)
{
    struct loc at = p->token.at;

    if (!parse_accept(p, '?'))
        return value;
    struct ptx_constant yes = parse_constant(p);
    parse_expect(p, ':', "':'");
    struct ptx_constant no = parse_constant(p);
    if (!p->failed && !constant_is_integer(value))
        parse_error(p, at, "the condition must be an integer");
    return value.bits ? yes : no;
}

struct ptx_constant parse_constant(struct parser *p)
{
    struct ptx_constant value = make_signed(0);

    if (!parse_enter(p))
        return value;
    value = conditional(p, binary(p, 1, unary(p)));
    parse_leave(p);
    return value;
}

struct ptx_constant parse_constant_after(struct parser *p, int prefix)
{
    struct loc at = p->token.at;
    struct ptx_constant value = apply_prefix(p, prefix, at, unary(p));

    return conditional(p, binary(p, 1, value));
}

struct ptx_constant parse_constant_term(struct parser *p)
{
    return binary(p, precedence('*'), unary(p));
}
