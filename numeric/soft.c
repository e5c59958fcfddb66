/* SPDX-License-Identifier: Apache-2.0
 *
 * soft.c - floating point by integer arithmetic, for every format and mode. */
#include "numeric/soft.h"

typedef unsigned __int128 wide;

const struct soft_format soft_f16 = {16, 10, 0x7fff, false};
const struct soft_format soft_bf16 = {16, 7, 0x7fff, false};
const struct soft_format soft_tf32 = {19, 10, 0x3ffff, false};
const struct soft_format soft_f32 = {32, 23, 0x7fffffff, false};
const struct soft_format soft_f64 = {64, 52, 0xfff8000000000000, true};

enum kind { ZERO, FINITE, INFINITE, NOT_A_NUMBER };

/* FINITE: significand * 2^exponent, significand not zero. */
struct value {
    enum kind kind;
    bool negative;
    int exponent;
    uint64_t significand;
};

static uint64_t sign_bit(const struct soft_format *format)
{
    return (uint64_t)1 << (format->width - 1);
}

static int max_exponent_field(const struct soft_format *format)
{
    return (1 << (format->width - 1 - format->fraction)) - 1;
}

/* Exponent of the smallest normal number. */
static int min_exponent(const struct soft_format *format)
{
    return 2 - (max_exponent_field(format) + 1) / 2;
}

static uint64_t infinity(const struct soft_format *format)
{
    return (uint64_t)max_exponent_field(format) << format->fraction;
}

static uint64_t signed_pattern(const struct soft_format *format, bool negative, uint64_t magnitude)
{
    return magnitude | (negative ? sign_bit(format) : 0);
}

static struct value unpack(const struct soft_format *format, uint64_t a, unsigned mode)
{
    struct value value = {.negative = (a & sign_bit(format)) != 0};
    int field = (int)(a >> format->fraction) & max_exponent_field(format);
    uint64_t fraction = a & (((uint64_t)1 << format->fraction) - 1);

    if (field == max_exponent_field(format)) {
        value.kind = fraction ? NOT_A_NUMBER : INFINITE;
    } else if (field == 0 && (fraction == 0 || (mode & MODE_FTZ))) {
        value.kind = ZERO;
    } else {
        value.kind = FINITE;
        value.significand = fraction | (field ? (uint64_t)1 << format->fraction : 0);
        value.exponent = min_exponent(format) - format->fraction + (field ? field - 1 : 0);
    }
    return value;
}

static int top_bit(wide x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)x);
}

static wide shift_right_sticky(wide x, int amount)
{
    if (amount <= 0)
        return x;
    if (amount > 127)
        return x != 0;
    return (x >> amount) | ((x & (((wide)1 << amount) - 1)) != 0);
}

/* x / 2^amount rounded to an integer by the mode's direction. */
static wide round_shift(wide x, int amount, bool negative, unsigned mode)
{
    if (amount <= 0)
        return x << -amount;
    if (amount > 127) {
        x = x != 0;
        amount = 2;
    }
    wide whole = x >> amount;
    wide rest = x & (((wide)1 << amount) - 1);
    wide half = (wide)1 << (amount - 1);
    bool up = false;

    switch (mode & ROUND_MASK) {
    case ROUND_ZERO: break;
    case ROUND_DOWN: up = negative && rest; break;
    case ROUND_UP: up = !negative && rest; break;
    case ROUND_NEAREST_AWAY: up = rest >= half; break;
    default: up = rest > half || (rest == half && (whole & 1)); break;
    }
    return whole + up;
}

static uint64_t overflow(const struct soft_format *format, bool negative, unsigned mode)
{
    unsigned direction = mode & ROUND_MASK;
    bool finite = (mode & MODE_SATFINITE) || direction == ROUND_ZERO ||
                  (direction == ROUND_DOWN && !negative) || (direction == ROUND_UP && negative);
    return signed_pattern(format, negative, infinity(format) - finite);
}

/* significand * 2^exponent rounded to the format. */
static uint64_t pack(const struct soft_format *format, bool negative, int exponent,
                     wide significand, unsigned mode)
{
    if (significand == 0)
        return signed_pattern(format, negative, 0);

    int leading = exponent + top_bit(significand);
    int lowest = min_exponent(format);
    if ((mode & MODE_FTZ) && leading < lowest) {
        /* Measured on H200: rounded as if the exponent were unbounded, then
         * flushed if still below the smallest normal number. */
        int amount = leading - format->fraction - exponent;
        wide rounded = round_shift(significand, amount, negative, mode);
        bool carried = rounded >> (format->fraction + 1);
        if (leading + carried < lowest)
            return signed_pattern(format, negative, 0);
    }
    int base = leading < lowest ? lowest : leading;
    wide rounded = round_shift(significand, base - format->fraction - exponent, negative, mode);
    int steps = base - lowest;
    /* The leading one of a normal number counts as one exponent step, and a
     * carry out of the rounding as another. */
    if (steps >= max_exponent_field(format))
        return overflow(format, negative, mode);
    uint64_t magnitude = (uint64_t)rounded + ((uint64_t)steps << format->fraction);
    if (magnitude >= infinity(format))
        return overflow(format, negative, mode);
    return signed_pattern(format, negative, magnitude);
}

uint64_t soft_clamp(const struct soft_format *format, uint64_t a, unsigned mode)
{
    if (!(mode & (MODE_SAT | MODE_RELU)))
        return a;
    if (soft_is_nan(format, a))
        return mode & MODE_SAT ? 0 : format->nan;
    if (a & sign_bit(format))
        return 0;
    uint64_t one = (uint64_t)(max_exponent_field(format) / 2) << format->fraction;
    return (mode & MODE_SAT) && a > one ? one : a;
}

static uint64_t finish(const struct soft_format *format, bool negative, int exponent,
                       wide significand, unsigned mode)
{
    return soft_clamp(format, pack(format, negative, exponent, significand, mode), mode);
}

static uint64_t quiet(const struct soft_format *format, uint64_t a)
{
    return format->propagates ? a | (uint64_t)1 << (format->fraction - 1) : format->nan;
}

/* The NaN among the operands that comes first in priority, or none. */
static bool pick_nan(const struct soft_format *format, uint64_t first, uint64_t second,
                     uint64_t third, unsigned mode, uint64_t *result)
{
    uint64_t nan = soft_is_nan(format, first)    ? first
                   : soft_is_nan(format, second) ? second
                                                 : third;
    if (!soft_is_nan(format, nan))
        return false;
    *result = soft_clamp(format, quiet(format, nan), mode);
    return true;
}

static uint64_t invalid(const struct soft_format *format, unsigned mode)
{
    return soft_clamp(format, format->nan, mode);
}

static uint64_t infinite(const struct soft_format *format, bool negative, unsigned mode)
{
    return soft_clamp(format, signed_pattern(format, negative, infinity(format)), mode);
}

static uint64_t zero(const struct soft_format *format, bool negative, unsigned mode)
{
    return soft_clamp(format, signed_pattern(format, negative, 0), mode);
}

/* x + y for significands of at most 106 bits; either may be zero. */
static uint64_t sum(const struct soft_format *format, bool x_negative, int x_exponent, wide x,
                    bool y_negative, int y_exponent, wide y, unsigned mode)
{
    if (x == 0 && y == 0) {
        bool negative = x_negative == y_negative ? x_negative
                                                 : (mode & ROUND_MASK) == ROUND_DOWN;
        return zero(format, negative, mode);
    }
    /* The leading ones go to bit 125: room for a carry above, and at least 19
     * zeros below, so that a sticky bit cannot reach the rounding place even
     * after cancellation. */
    if (x) {
        int up = 125 - top_bit(x);
        x <<= up;
        x_exponent -= up;
    } else {
        x_exponent = y_exponent - 256;
    }
    if (y) {
        int up = 125 - top_bit(y);
        y <<= up;
        y_exponent -= up;
    } else {
        y_exponent = x_exponent - 256;
    }
    int exponent = x_exponent > y_exponent ? x_exponent : y_exponent;
    x = shift_right_sticky(x, exponent - x_exponent);
    y = shift_right_sticky(y, exponent - y_exponent);
    if (x_negative == y_negative)
        return finish(format, x_negative, exponent, x + y, mode);
    if (x == y)
        return zero(format, (mode & ROUND_MASK) == ROUND_DOWN, mode);
    if (x > y)
        return finish(format, x_negative, exponent, x - y, mode);
    return finish(format, y_negative, exponent, y - x, mode);
}

static uint64_t add_values(const struct soft_format *format, struct value x, struct value y,
                           unsigned mode)
{
    if (x.kind == INFINITE && y.kind == INFINITE && x.negative != y.negative)
        return invalid(format, mode);
    if (x.kind == INFINITE)
        return infinite(format, x.negative, mode);
    if (y.kind == INFINITE)
        return infinite(format, y.negative, mode);
    return sum(format, x.negative, x.exponent, x.significand, y.negative, y.exponent,
               y.significand, mode);
}

uint64_t soft_add(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode)
{
    uint64_t nan;
    if (pick_nan(format, b, a, a, mode, &nan))
        return nan;
    return add_values(format, unpack(format, a, mode), unpack(format, b, mode), mode);
}

uint64_t soft_sub(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode)
{
    uint64_t nan;
    if (pick_nan(format, b, a, a, mode, &nan))
        return nan;
    return add_values(format, unpack(format, a, mode),
                      unpack(format, b ^ sign_bit(format), mode), mode);
}

uint64_t soft_mul(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode)
{
    uint64_t nan;
    if (pick_nan(format, b, a, a, mode, &nan))
        return nan;
    struct value x = unpack(format, a, mode), y = unpack(format, b, mode);
    bool negative = x.negative != y.negative;
    if (x.kind == INFINITE || y.kind == INFINITE) {
        if (x.kind == ZERO || y.kind == ZERO)
            return invalid(format, mode);
        return infinite(format, negative, mode);
    }
    return finish(format, negative, x.exponent + y.exponent, (wide)x.significand * y.significand,
                  mode);
}

uint64_t soft_fma(const struct soft_format *format, uint64_t a, uint64_t b, uint64_t c,
                  unsigned mode)
{
    uint64_t nan;
    if (pick_nan(format, b, c, a, mode, &nan))
        return nan;
    struct value x = unpack(format, a, mode), y = unpack(format, b, mode);
    struct value z = unpack(format, c, mode);
    bool negative = x.negative != y.negative;
    if (x.kind == INFINITE || y.kind == INFINITE) {
        if (x.kind == ZERO || y.kind == ZERO || (z.kind == INFINITE && z.negative != negative))
            return invalid(format, mode);
        return infinite(format, negative, mode);
    }
    if (z.kind == INFINITE)
        return infinite(format, z.negative, mode);
    return sum(format, negative, x.exponent + y.exponent, (wide)x.significand * y.significand,
               z.negative, z.exponent, z.significand, mode);
}

/* The f64 division is a program on the device; unlike the other two-operand
 * instructions it lets the NaN of a win (measured on H200). */
uint64_t soft_div(const struct soft_format *format, uint64_t a, uint64_t b, unsigned mode)
{
    uint64_t nan;
    if (pick_nan(format, a, b, b, mode, &nan))
        return nan;
    struct value x = unpack(format, a, mode), y = unpack(format, b, mode);
    bool negative = x.negative != y.negative;
    if (x.kind == y.kind && x.kind != FINITE)
        return invalid(format, mode);
    if (x.kind == INFINITE || y.kind == ZERO)
        return infinite(format, negative, mode);
    if (x.kind == ZERO || y.kind == INFINITE)
        return zero(format, negative, mode);
    int up = 126 - top_bit(x.significand);
    wide dividend = (wide)x.significand << up;
    wide quotient = dividend / y.significand;
    wide sticky = dividend % y.significand != 0;
    return finish(format, negative, x.exponent - up - y.exponent, quotient | sticky, mode);
}

uint64_t soft_sqrt(const struct soft_format *format, uint64_t a, unsigned mode)
{
    uint64_t nan;
    if (pick_nan(format, a, a, a, mode, &nan))
        return nan;
    struct value x = unpack(format, a, mode);
    if (x.kind == ZERO)
        return zero(format, x.negative, mode);
    if (x.negative)
        return invalid(format, mode);
    if (x.kind == INFINITE)
        return infinite(format, false, mode);
    int up = 126 - top_bit(x.significand);
    up -= (x.exponent - up) & 1;
    wide square = (wide)x.significand << up, root = 0;
    for (wide bit = (wide)1 << 126; bit; bit >>= 2) {
        if (square >= root + bit) {
            square -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    /* One more bit below the root carries what is left over. */
    return finish(format, false, (x.exponent - up) / 2 - 1, root << 1 | (square != 0), mode);
}

uint64_t soft_integral(const struct soft_format *format, uint64_t a, unsigned mode)
{
    struct value x = unpack(format, a, mode);
    if (x.kind == NOT_A_NUMBER)
        return soft_clamp(format, quiet(format, a), mode);
    if (x.kind == ZERO)
        return zero(format, x.negative, mode);
    if (x.kind == INFINITE || x.exponent >= 0)
        return soft_clamp(format, a, mode);
    wide whole = round_shift(x.significand, -x.exponent, x.negative, mode);
    return finish(format, x.negative, 0, whole, mode);
}

uint64_t soft_convert(const struct soft_format *to, const struct soft_format *from, uint64_t a,
                      unsigned mode)
{
    struct value x = unpack(from, a, mode);
    if (x.kind == INFINITE) {
        uint64_t magnitude = infinity(to) - ((mode & MODE_SATFINITE) != 0);
        return soft_clamp(to, signed_pattern(to, x.negative, magnitude), mode);
    }
    return finish(to, x.negative, x.exponent, x.significand, mode);
}

uint64_t soft_from_integer(const struct soft_format *to, bool negative, uint64_t magnitude,
                           unsigned mode)
{
    return finish(to, negative, 0, magnitude, mode);
}

uint64_t soft_to_integer(const struct soft_format *from, uint64_t a, int width, bool is_signed,
                         unsigned mode)
{
    struct value x = unpack(from, a, mode);
    uint64_t all = ~(uint64_t)0 >> (64 - width);
    uint64_t most = is_signed ? all >> 1 : all; /* largest positive */
    uint64_t least = is_signed ? most + 1 : 0;  /* size of the smallest negative */

    if (x.kind == NOT_A_NUMBER || x.kind == ZERO)
        return 0;
    bool huge = x.kind == INFINITE || x.exponent + top_bit(x.significand) >= 64;
    wide whole = huge ? 0 : round_shift(x.significand, -x.exponent, x.negative, mode);
    if (x.negative)
        return (huge || whole > least ? ~least + 1 : ~(uint64_t)whole + 1) & all;
    return huge || whole > most ? most : (uint64_t)whole;
}
