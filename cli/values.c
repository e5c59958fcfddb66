/* SPDX-License-Identifier: Apache-2.0
 *
 * values.c - elements as text. */
#include "cli/cli.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* An IEEE-style number as a double, exactly: every format here fits. */
static double widen(uint64_t bits, int exponent_bits, int fraction_bits)
{
    int64_t fraction = (int64_t)(bits & ((UINT64_C(1) << fraction_bits) - 1));
    int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    int bias = (1 << (exponent_bits - 1)) - 1;
    bool negative = bits >> (exponent_bits + fraction_bits) & 1;
    double value;

    if (exponent == (1 << exponent_bits) - 1)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp((double)fraction, 1 - bias - fraction_bits);
    else
        value = ldexp((double)(fraction | (int64_t)1 << fraction_bits),
                      exponent - bias - fraction_bits);
    return negative ? -value : value;
}

static void float_print(struct text *out, enum element element, uint64_t bits)
{
    static const struct {
        int exponent, fraction, digits;
    } formats[ELEMENT_COUNT] = {[ELEMENT_F16] = {5, 10, 5},
                                [ELEMENT_BF16] = {8, 7, 4},
                                [ELEMENT_F32] = {8, 23, 9},
                                [ELEMENT_F64] = {11, 52, 17}};
    int exponent = formats[element].exponent, fraction = formats[element].fraction;
    uint64_t sign = UINT64_C(1) << (exponent + fraction);
    double value = widen(bits, exponent, fraction);
    char text[40];

    if (value != value) {
        text_puts(out, bits & sign ? "-nan" : "nan");
        return;
    }
    for (int digits = 1; digits <= formats[element].digits; digits++) {
        uint64_t back;
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (element_parse(element, text, strlen(text), &back) == NULL && back == bits)
            break;
    }
    text_puts(out, text);
}

void value_print(struct text *out, enum element element, uint64_t bits)
{
    unsigned width = 8 * element_size(element);
    bool is_signed = element == ELEMENT_S8 || element == ELEMENT_S16 || element == ELEMENT_S32 ||
                     element == ELEMENT_S64;

    if (element_is_float(element)) {
        float_print(out, element, bits);
    } else if (is_signed && bits >> (width - 1) & 1) {
        uint64_t magnitude = (0 - bits) & (UINT64_MAX >> (64 - width));
        text_printf(out, "-%" PRIu64, magnitude);
    } else {
        text_printf(out, "%" PRIu64, bits);
    }
}
