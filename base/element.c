/* SPDX-License-Identifier: Apache-2.0
 *
 * element.c - element types: names, text to bits, generated contents. */
#include "base/element.h"

#include <string.h>

#include "base/decimal.h"
#include "base/random.h"

static const struct element_row {
    const char *name;
    const char *misfit;
    unsigned char size;
    bool is_signed;
    bool is_float;
    struct float_format format;
} ELEMENTS[ELEMENT_COUNT] = {
    [ELEMENT_U8] = {"u8", "does not fit in u8", 1, false, false, {0, 0}},
    [ELEMENT_S8] = {"s8", "does not fit in s8", 1, true, false, {0, 0}},
    [ELEMENT_U16] = {"u16", "does not fit in u16", 2, false, false, {0, 0}},
    [ELEMENT_S16] = {"s16", "does not fit in s16", 2, true, false, {0, 0}},
    [ELEMENT_U32] = {"u32", "does not fit in u32", 4, false, false, {0, 0}},
    [ELEMENT_S32] = {"s32", "does not fit in s32", 4, true, false, {0, 0}},
    [ELEMENT_U64] = {"u64", "does not fit in u64", 8, false, false, {0, 0}},
    [ELEMENT_S64] = {"s64", "does not fit in s64", 8, true, false, {0, 0}},
    [ELEMENT_F16] = {"f16", "does not fit in f16", 2, true, true, {5, 10}},
    [ELEMENT_BF16] = {"bf16", "does not fit in bf16", 2, true, true, {8, 7}},
    [ELEMENT_F32] = {"f32", "does not fit in f32", 4, true, true, {8, 23}},
    [ELEMENT_F64] = {"f64", "does not fit in f64", 8, true, true, {11, 52}},
};

bool element_find(const char *name, size_t size, enum element *element)
{
    for (int i = 0; i < ELEMENT_COUNT; i++) {
        if (strlen(ELEMENTS[i].name) == size && !memcmp(ELEMENTS[i].name, name, size)) {
            *element = (enum element)i;
            return true;
        }
    }
    return false;
}

const char *element_name(enum element element)
{
    return ELEMENTS[element].name;
}

unsigned element_size(enum element element)
{
    return ELEMENTS[element].size;
}

bool element_is_float(enum element element)
{
    return ELEMENTS[element].is_float;
}

static uint64_t width_mask(const struct element_row *row)
{
    return UINT64_MAX >> (64 - 8 * row->size);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

enum integer_status { INTEGER_OK, INTEGER_MALFORMED, INTEGER_TOO_BIG };

static enum integer_status parse_integer(const char *text, size_t size,
                                         bool *negative, uint64_t *magnitude)
{
    const char *end = text + size;
    unsigned radix = 10;
    bool too_big = false;

    *negative = false;
    *magnitude = 0;
    if (text < end && (*text == '-' || *text == '+'))
        *negative = *text++ == '-';
    if (end - text > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
        radix = 16;
        text += 2;
    }
    if (text == end)
        return INTEGER_MALFORMED;
    for (; text < end; text++) {
        int digit = hex_digit(*text);
        if (digit < 0 || (unsigned)digit >= radix)
            return INTEGER_MALFORMED;
        if (*magnitude > (UINT64_MAX - (uint64_t)digit) / radix)
            too_big = true;
        *magnitude = *magnitude * radix + (uint64_t)digit;
    }
    return too_big ? INTEGER_TOO_BIG : INTEGER_OK;
}

/* 0f and 0d followed by exactly the digits of the type: the bits themselves. */
static bool parse_pattern(const struct element_row *row, const char *text,
                          size_t size, uint64_t *bits)
{
    char letter = row->size == 4 ? 'f' : row->size == 8 ? 'd' : 0;

    if (size != 2u + 2u * row->size || text[0] != '0' || (text[1] | 0x20) != letter)
        return false;
    *bits = 0;
    for (size_t i = 2; i < size; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return false;
        *bits = *bits << 4 | (uint64_t)digit;
    }
    return true;
}

static const char *parse_float(const struct element_row *row, const char *text,
                               size_t size, uint64_t *bits)
{
    bool negative;
    uint64_t magnitude;

    if (parse_pattern(row, text, size, bits))
        return NULL;
    switch (decimal_parse(text, size, row->format, bits)) {
    case DECIMAL_OK:
        return NULL;
    case DECIMAL_OVERFLOW:
        return row->misfit;
    case DECIMAL_MALFORMED:
        break;
    }
    switch (parse_integer(text, size, &negative, &magnitude)) {
    case INTEGER_OK: {
        uint64_t infinite = ((UINT64_C(1) << row->format.exponent_bits) - 1)
                            << row->format.fraction_bits;
        if (decimal_from_integer(false, magnitude, row->format) == infinite)
            return row->misfit;
        *bits = decimal_from_integer(negative, magnitude, row->format);
        return NULL;
    }
    case INTEGER_TOO_BIG:
        return row->misfit;
    case INTEGER_MALFORMED:
        break;
    }
    return "is not a number";
}

const char *element_parse(enum element element, const char *text, size_t size,
                          uint64_t *bits)
{
    const struct element_row *row = &ELEMENTS[element];
    uint64_t mask = width_mask(row), top = (mask >> 1) + 1;
    bool negative;
    uint64_t magnitude;

    if (row->is_float)
        return parse_float(row, text, size, bits);
    switch (parse_integer(text, size, &negative, &magnitude)) {
    case INTEGER_MALFORMED:
        return "is not an integer";
    case INTEGER_TOO_BIG:
        return row->misfit;
    case INTEGER_OK:
        break;
    }
    uint64_t limit = negative ? top : row->is_signed ? top - 1 : mask;
    if (magnitude > limit)
        return row->misfit;
    *bits = (negative ? 0 - magnitude : magnitude) & mask;
    return NULL;
}

uint64_t element_iota(enum element element, uint64_t index)
{
    const struct element_row *row = &ELEMENTS[element];

    return row->is_float ? decimal_from_integer(false, index, row->format)
                         : index & width_mask(row);
}

uint64_t element_random(enum element element, uint64_t seed, uint64_t index)
{
    const struct element_row *row = &ELEMENTS[element];
    uint64_t output = random_at(seed, index);

    if (!row->is_float)
        return output >> (64 - 8 * row->size);
    /* The top bits as a signed number k, over 2^fraction: k is exact in the
     * significand, so scaling only lowers the exponent. */
    int fraction = row->format.fraction_bits;
    uint64_t sign = output >> 63;
    uint64_t k = output >> (63 - fraction) & ((UINT64_C(1) << fraction) - 1);
    uint64_t magnitude = sign ? (UINT64_C(1) << fraction) - k : k;
    uint64_t bits = decimal_from_integer(sign != 0, magnitude, row->format);

    return magnitude ? bits - ((uint64_t)fraction << fraction) : 0;
}

void element_store(enum element element, void *place, uint64_t bits)
{
    unsigned char *bytes = place;

    for (unsigned i = 0; i < ELEMENTS[element].size; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
}

uint64_t element_load(enum element element, const void *place)
{
    const unsigned char *bytes = place;
    uint64_t bits = 0;

    for (unsigned i = 0; i < ELEMENTS[element].size; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}
