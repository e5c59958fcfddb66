/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_value.c - see precision_value.h.
 *
 * Arithmetic goes through the rows of ir/ops.def for the wider format. There are none
 * for exponential, logarithm and the like in f64: series of their own serve, good to
 * some 1e-15 (angles below 2^20), made of nothing but f64 additions, products and
 * quotients, so that every host computes the same. */
#include "check/precision_value.h"

#include <math.h>

#include "numeric/half.h"

enum shade_format shade_format_of(enum ir_type type, bool *pair)
{
    *pair = type == IR_f16x2 || type == IR_bf16x2;
    switch (type) {
    case IR_f16:
    case IR_f16x2: return SHADE_F16;
    case IR_bf16:
    case IR_bf16x2: return SHADE_BF16;
    case IR_f32: return SHADE_F32;
    case IR_f64: return SHADE_F64;
    default: return SHADE_NONE;
    }
}

unsigned shade_bytes(enum shade_format format)
{
    return format == SHADE_F64 ? 8 : format == SHADE_F32 ? 4 : 2;
}

double shade_value(enum shade_format format, uint64_t bits)
{
    switch (format) {
    case SHADE_F16: return (double)f16_widen((uint32_t)bits & 0xffff);
    case SHADE_BF16: return (double)bf16_widen((uint32_t)bits & 0xffff);
    case SHADE_F32: return (double)f32_host((uint32_t)bits);
    default: return f64_host(bits);
    }
}

double shade_error(enum shade_format format, double value, double wide)
{
    static const double least[] = {[SHADE_F16] = 0x1p-14, [SHADE_BF16] = 0x1p-126,
                                   [SHADE_F32] = 0x1p-126, [SHADE_F64] = 0x1p-1022};
    double size = wide < 0 ? -wide : wide, off = value - wide;

    if (value == wide || (value != value && wide != wide))
        return 0;
    if (off != off || off - off != 0)
        return HUGE_VAL;
    return (off < 0 ? -off : off) / (size < least[format] ? least[format] : size);
}

/* --- series ------------------------------------------------------------------------- */

static double scaled(double value, int exponent)
{
    for (; exponent > 1000; exponent -= 1000)
        value *= 0x1p1000;
    for (; exponent < -1000; exponent += 1000)
        value *= 0x1p-1000;
    return value * f64_host((uint64_t)(1023 + exponent) << 52);
}

/* Nearest whole number of |x| < 2^51. */
static double nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

static double wide_ex2(double x)
{
    if (x != x)
        return x;
    if (x > 1100)
        return HUGE_VAL;
    if (x < -1200)
        return 0;
    double whole = nearest(x), r = (x - whole) * 0.69314718055994530942, sum = 1;
    for (int n = 18; n > 0; n--)
        sum = 1 + sum * r / n;
    return scaled(sum, (int)whole);
}

static double wide_lg2(double x)
{
    int exponent = 0;

    if (x != x || x < 0)
        return f64_host(UINT64_C(0x7ff8000000000000));
    if (x == 0 || x - x != 0)
        return x == 0 ? -HUGE_VAL : x;
    for (; x < 0x1p-1022; exponent -= 64)
        x *= 0x1p64;
    exponent += (int)(f64_bits(x) >> 52) - 1023;
    double m = f64_host((f64_bits(x) & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        exponent++;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int n = 41; n > 0; n -= 2)
        sum = sum * square + 1.0 / n;
    return (double)exponent + 2 * s * sum * 1.44269504088896340736;
}

/* Sine of x + turns quarters. */
static double wide_sin(double x, int turns)
{
    if (x - x != 0)
        return f64_host(UINT64_C(0x7ff8000000000000));
    if (x > 0x1p40 || x < -0x1p40)
        return 0; /* a chip's own sine means nothing there either */
    double quarters = nearest(x * 0.63661977236758134308);
    /* pi / 2 in three parts of 33 bits: products with up to 20 bits are exact. */
    double r = ((x - quarters * 1.57079632673412561417) - quarters * 6.07710050630396597660e-11) -
               quarters * 2.02226624879595063154e-21;
    int q = (int)((int64_t)quarters + turns) & 3;
    double square = r * r, sum = 1;
    for (int n = 24; n > 0; n -= 2) /* even terms for the cosine, odd for the sine */
        sum = 1 - sum * square / ((q & 1 ? n - 1 : n + 1) * n);
    double value = q & 1 ? sum : r * sum;
    return q & 2 ? -value : value;
}

static double wide_tanh(double x)
{
    double size = x < 0 ? -x : x;

    if (x != x || size < 1e-9)
        return x;
    if (size > 22)
        return x < 0 ? -1 : 1;
    if (size < 0.1) { /* series, where the exponential would cancel */
        double s = x * x;
        return x * (1 - s * (1.0 / 3 - s * (2.0 / 15 - s * (17.0 / 315 - s * (62.0 / 2835 -
                    s * (1382.0 / 155925 - s * (21844.0 / 6081075 -
                    s * (929569.0 / 638512875))))))));
    }
    double e = wide_ex2(size * 2.88539008177792681472), t = 1 - 2 / (e + 1);
    return x < 0 ? -t : t;
}

/* --- operations ---------------------------------------------------------------------- */

bool shade_computes(enum ir_op op)
{
    switch (op) {
    case IR_OP_add: case IR_OP_sub: case IR_OP_mul: case IR_OP_fma: case IR_OP_div:
    case IR_OP_div_approx: case IR_OP_div_full: case IR_OP_rcp: case IR_OP_rcp_approx:
    case IR_OP_sqrt: case IR_OP_sqrt_approx: case IR_OP_rsqrt: case IR_OP_ex2:
    case IR_OP_lg2: case IR_OP_sin: case IR_OP_cos: case IR_OP_tanh: case IR_OP_min:
    case IR_OP_max: case IR_OP_neg: case IR_OP_abs: case IR_OP_copysign:
        return true;
    default:
        return false;
    }
}

static enum ir_op exact_op(enum ir_op op)
{
    switch (op) {
    case IR_OP_div_approx:
    case IR_OP_div_full: return IR_OP_div;
    case IR_OP_rcp_approx: return IR_OP_rcp;
    case IR_OP_sqrt_approx: return IR_OP_sqrt;
    default: return op;
    }
}

static double by_row(enum ir_op op, const double source[3], unsigned mode, bool f64)
{
    enum ir_type type = f64 ? IR_f64 : IR_f32;
    enum ir_row row = ir_row_find(op, type, type);
    uint64_t words[IR_ROW_SOURCES] = {0};

    for (unsigned k = 0; k < 3; k++)
        words[k] = f64 ? f64_bits(source[k]) : f32_bits((float)source[k]);
    uint64_t result = ir_row_eval(row, words, ir_rows[row].moded ? mode : 0);
    return shade_value(f64 ? SHADE_F64 : SHADE_F32, result);
}

double shade_clamp(double value, unsigned mode)
{
    if (mode & MODE_INTEGRAL)
        value = by_row(IR_OP_cvt, (double[3]){value, 0, 0},
                       mode & (MODE_INTEGRAL | ROUND_MASK), true);
    if (mode & MODE_SAT)
        return value > 1 ? 1 : value > 0 ? value : 0;
    if (mode & MODE_RELU)
        return value < 0 ? 0 : value;
    return value;
}

double shade_compute(enum ir_op op, const double source[3], unsigned mode, bool f64)
{
    double value = source[0];

    if (f64 && op == IR_OP_rsqrt)
        value = 1 / by_row(IR_OP_sqrt, source, 0, true);
    else if (f64 && op == IR_OP_ex2)
        value = wide_ex2(value);
    else if (f64 && op == IR_OP_lg2)
        value = wide_lg2(value);
    else if (f64 && (op == IR_OP_sin || op == IR_OP_cos))
        value = wide_sin(value, op == IR_OP_cos);
    else if (f64 && op == IR_OP_tanh)
        value = wide_tanh(value);
    else
        value = by_row(f64 ? exact_op(op) : op, source, f64 ? 0 : mode & MODE_NAN, f64);
    return shade_clamp(value, mode);
}
