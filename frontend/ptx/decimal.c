/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal.c - exact decimal to binary with big integers.
 *
 * The number is N * 10^e. One side of the fraction N / D becomes a big
 * integer, both are aligned, and plain long division yields 66 bits and a
 * "not exact" flag, which is more than any rounding needs. Constants are few,
 * so simple beats fast. */
#include "frontend/ptx/decimal.h"

#include <stdbool.h>
#include <string.h>

/* More digits than this only count as "some": no midpoint between two
 * doubles has more than 768 significant digits. */
enum { MAX_DIGITS = 800, WORDS = 256 };

struct big {
    uint32_t word[WORDS]; /* least significant first */
    int size;
};

static void multiply_add(struct big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;

    for (int i = 0; i < big->size; i++) {
        carry += (uint64_t)big->word[i] * factor;
        big->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && big->size < WORDS)
        big->word[big->size++] = (uint32_t)carry;
}

static void power_of_ten(struct big *big, int exponent)
{
    for (; exponent >= 9; exponent -= 9)
        multiply_add(big, 1000000000, 0);
    for (; exponent > 0; exponent--)
        multiply_add(big, 10, 0);
}

static int bit_length(const struct big *big)
{
    int bits = big->size * 32;

    if (!big->size)
        return 0;
    for (uint32_t top = big->word[big->size - 1]; !(top >> 31); top <<= 1)
        bits--;
    return bits;
}

static void shift_left(struct big *big, int amount)
{
    for (; amount >= 16; amount -= 16)
        multiply_add(big, 1u << 16, 0);
    multiply_add(big, 1u << amount, 0);
}

/* a -= b when a >= b; tells whether it did. */
static bool subtract(struct big *a, const struct big *b)
{
    if (a->size < b->size)
        return false;
    if (a->size == b->size)
        for (int i = a->size - 1; i >= 0 && a->word[i] <= b->word[i]; i--)
            if (a->word[i] < b->word[i])
                return false;
    uint64_t borrow = 0;
    for (int i = 0; i < a->size; i++) {
        uint64_t other = (i < b->size ? b->word[i] : 0) + borrow;
        borrow = a->word[i] < other;
        a->word[i] -= (uint32_t)other;
    }
    while (a->size && !a->word[a->size - 1])
        a->size--;
    return true;
}

/* significand (66 bits: high, and 2 more) * 2^exponent, to an IEEE format. */
static uint64_t round_to(uint64_t high, bool inexact, int exponent,
                         int fraction_bits, int bias)
{
    /* high has its top bit set; its value is high * 2^exponent. */
    int power = exponent + 63; /* of the leading bit */
    int drop = 63 - fraction_bits;
    uint64_t infinity = (uint64_t)(2 * bias + 1) << fraction_bits;

    if (power > bias)
        return infinity;
    if (power < 1 - bias) /* subnormal: fewer bits stay */
        drop += 1 - bias - power;
    if (drop > 64)
        return 0;
    uint64_t kept = drop == 64 ? 0 : high >> drop;
    uint64_t half = 1ull << (drop - 1);
    uint64_t rest = drop == 64 ? high : high & ((half << 1) - 1);
    if (rest > half || (rest == half && (inexact || (kept & 1))))
        kept++;
    /* Adding kept with its leading bit carries into the exponent by itself. */
    if (power < 1 - bias)
        return kept;
    uint64_t result = ((uint64_t)(power + bias - 1) << fraction_bits) + kept;
    return result > infinity ? infinity : result;
}

uint64_t decimal_to_f64(const char *text, size_t size)
{
    struct big over = {.size = 0}, under = {.word = {1}, .size = 1};
    int exponent = 0, digits = 0;
    bool point = false, lost = false;
    size_t i = 0;

    for (; i < size && (text[i] | 32) != 'e'; i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        int digit = text[i] - '0';
        if (digits < MAX_DIGITS && (digits || digit)) {
            multiply_add(&over, 10, (uint32_t)digit);
            digits++;
        } else if (digits) {
            lost |= digit != 0;
            exponent += exponent < 100000;
        }
        if (point)
            exponent -= exponent > -100000;
    }
    if (!digits)
        return 0;
    if (i < size) {
        i++;
        bool negative = i < size && text[i] == '-';
        if (i < size && (text[i] == '-' || text[i] == '+'))
            i++;
        int value = 0;
        for (; i < size; i++)
            if (value < 100000)
                value = value * 10 + (text[i] - '0');
        exponent += negative ? -value : value;
    }
    if (exponent + digits > 310)
        return 0x7ff0000000000000u;
    if (exponent + digits < -326)
        return 0;
    /* lost digits make the number a little larger; one extra digit says so. */
    if (lost) {
        multiply_add(&over, 10, 1);
        exponent--;
    }
    if (exponent >= 0)
        power_of_ten(&over, exponent);
    else
        power_of_ten(&under, -exponent);

    /* over / under in [2^63, 2^65): 64 or 65 quotient bits. */
    int scale = bit_length(&over) - bit_length(&under);
    if (scale > 0)
        shift_left(&under, scale);
    else
        shift_left(&over, -scale);
    if (!subtract(&over, &under)) {
        scale--;
        shift_left(&over, 1);
        subtract(&over, &under);
    }
    uint64_t high = 1;
    for (int bit = 0; bit < 63; bit++) {
        shift_left(&over, 1);
        high = high << 1 | subtract(&over, &under);
    }
    return round_to(high, over.size != 0, scale - 63, 52, 1023);
}

uint32_t f64_bits_to_f32(uint64_t bits)
{
    uint32_t sign = (uint32_t)(bits >> 32) & 0x80000000u;
    uint32_t power = (uint32_t)(bits >> 52) & 0x7ff;
    uint64_t fraction = bits & 0xfffffffffffffu;

    if (power == 0x7ff)
        return sign | 0x7f800000u |
               (fraction ? 0x400000u | (uint32_t)(fraction >> 29) : 0);
    if (!power) /* far below the smallest f32 */
        return sign;
    uint64_t high = (fraction | 1ull << 52) << 11;
    return sign | (uint32_t)round_to(high, false, (int)power - 1023 - 63, 23, 127);
}

uint64_t f32_bits_to_f64(uint32_t bits)
{
    uint64_t sign = (uint64_t)(bits >> 31) << 63;
    int power = (int)(bits >> 23 & 0xff);
    uint64_t fraction = bits & 0x7fffff;

    if (power == 0xff)
        return sign | 0x7ff0000000000000u | fraction << 29;
    if (!power && !fraction)
        return sign;
    if (!power) { /* a subnormal f32 is a normal f64 */
        power = 1;
        for (; !(fraction >> 23); fraction <<= 1)
            power--;
        fraction &= 0x7fffff;
    }
    return sign | (uint64_t)(power - 127 + 1023) << 52 | fraction << 29;
}
