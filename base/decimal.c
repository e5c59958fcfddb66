/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal.c - decimal text to binary floating point, by exact integers.
 *
 * The number is digits * 10^exponent. Both sides of that become one fraction
 * numerator / denominator of big integers; long division yields 66 leading
 * bits and whether anything is left, which is all that rounding needs. */
#include "base/decimal.h"

#include <string.h>

/* 800 digits decide every double (the longest halfway point has 767); a
 * non-zero digit behind them only breaks ties, so one stand-in digit will do. */
enum { DIGITS_KEPT = 800, WORDS = 192, EXPONENT_LIMIT = 100000 };

struct big {
    uint32_t word[WORDS]; /* little-endian */
    int count;            /* words in use, none of them leading zeros */
};

static void big_multiply_add(struct big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;

    for (int i = 0; i < big->count; i++) {
        carry += (uint64_t)big->word[i] * factor;
        big->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && big->count < WORDS)
        big->word[big->count++] = (uint32_t)carry;
}

static void big_power_of_ten(struct big *big, int exponent)
{
    for (; exponent >= 9; exponent -= 9)
        big_multiply_add(big, 1000000000, 0);
    for (; exponent > 0; exponent--)
        big_multiply_add(big, 10, 0);
}

static int big_bits(const struct big *big)
{
    if (!big->count)
        return 0;
    return 32 * big->count - __builtin_clz(big->word[big->count - 1]);
}

static void big_shift_left(struct big *big, int amount)
{
    int words = amount / 32, bits = amount % 32;
    uint32_t carry = 0;

    if (!big->count)
        return;
    for (int i = 0; bits && i < big->count; i++) {
        uint32_t word = big->word[i];
        big->word[i] = word << bits | carry;
        carry = word >> (32 - bits);
    }
    if (carry)
        big->word[big->count++] = carry;
    memmove(big->word + words, big->word, sizeof(uint32_t) * (size_t)big->count);
    memset(big->word, 0, sizeof(uint32_t) * (size_t)words);
    big->count += words;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* a -= b, where a >= b. */
static void big_subtract(struct big *a, const struct big *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < a->count; i++) {
        uint64_t take = (i < b->count ? b->word[i] : 0) + borrow;
        borrow = a->word[i] < take;
        a->word[i] = (uint32_t)(a->word[i] - take);
    }
    while (a->count && !a->word[a->count - 1])
        a->count--;
}

static uint64_t infinity(struct float_format format)
{
    return ((UINT64_C(1) << format.exponent_bits) - 1) << format.fraction_bits;
}

static uint64_t sign_bit(struct float_format format)
{
    return UINT64_C(1) << (format.exponent_bits + format.fraction_bits);
}

/* Rounds significand * 2^exponent, the top bit of significand set, with
 * sticky standing for a non-zero rest below it. */
static uint64_t round_to(uint64_t significand, int exponent, bool sticky,
                         struct float_format format)
{
    int bias = (1 << (format.exponent_bits - 1)) - 1;
    int biased = exponent + 63 + bias;
    int drop = 63 - format.fraction_bits;

    if (biased <= 0) { /* subnormal: fewer bits are kept */
        drop += 1 - biased;
        biased = 1;
    }
    if (drop > 64)
        return 0;
    uint64_t kept = drop == 64 ? 0 : significand >> drop;
    uint64_t half = UINT64_C(1) << (drop - 1);
    uint64_t rest = drop == 64 ? significand : significand & (2 * half - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1))))
        kept++;
    /* A kept bit above the fraction is the implicit one: it adds one to the
     * exponent field, and so does a carry out of the rounding. */
    uint64_t result = ((uint64_t)(biased - 1) << format.fraction_bits) + kept;
    return biased - 1 >= (1 << format.exponent_bits) - 1 || result > infinity(format)
               ? infinity(format)
               : result;
}

static uint64_t divide(struct big *numerator, struct big *denominator,
                       struct float_format format)
{
    /* Scale so that the quotient has its first bit at 2^0. */
    int shift = big_bits(numerator) - big_bits(denominator);
    if (shift > 0)
        big_shift_left(denominator, shift);
    else
        big_shift_left(numerator, -shift);
    if (big_compare(numerator, denominator) < 0) {
        big_shift_left(numerator, 1);
        shift--;
    }
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        quotient <<= 1;
        if (big_compare(numerator, denominator) >= 0) {
            big_subtract(numerator, denominator);
            quotient |= 1;
        }
        big_shift_left(numerator, 1);
    }
    return round_to(quotient, shift - 63, numerator->count != 0, format);
}

static bool same_word(const char *text, size_t size, const char *word)
{
    if (size != strlen(word))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text[i] | 0x20) != word[i])
            return false;
    return true;
}

enum decimal_status decimal_parse(const char *text, size_t size,
                                  struct float_format format, uint64_t *bits)
{
    struct big digits = {.count = 0};
    const char *end = text + size;
    uint64_t sign = 0;
    long exponent = 0;
    int kept = 0, seen = 0;
    bool point = false, dropped = false;

    if (text < end && (*text == '-' || *text == '+'))
        sign = *text++ == '-' ? sign_bit(format) : 0;
    if (same_word(text, (size_t)(end - text), "inf")) {
        *bits = sign | infinity(format);
        return DECIMAL_OK;
    }
    if (same_word(text, (size_t)(end - text), "nan")) {
        *bits = sign | infinity(format) | UINT64_C(1) << (format.fraction_bits - 1);
        return DECIMAL_OK;
    }
    for (; text < end; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9')
            break;
        seen = 1;
        if (kept < DIGITS_KEPT) {
            if (digits.count || *text != '0') {
                if (!digits.count)
                    digits.word[digits.count++] = (uint32_t)(*text - '0');
                else
                    big_multiply_add(&digits, 10, (uint32_t)(*text - '0'));
                kept++;
            }
            exponent -= point;
        } else {
            dropped |= *text != '0';
            exponent += !point;
        }
    }
    if (!seen)
        return DECIMAL_MALFORMED;
    if (text < end && (*text | 0x20) == 'e') {
        bool negative = false;
        long value = 0;

        text++;
        if (text < end && (*text == '-' || *text == '+'))
            negative = *text++ == '-';
        if (text == end)
            return DECIMAL_MALFORMED;
        for (; text < end && *text >= '0' && *text <= '9'; text++)
            if (value < EXPONENT_LIMIT)
                value = value * 10 + (*text - '0');
        exponent += negative ? -value : value;
    }
    if (text != end)
        return DECIMAL_MALFORMED;
    *bits = sign;
    if (!digits.count || exponent + kept < -400)
        return DECIMAL_OK;
    if (exponent + kept > 400)
        return DECIMAL_OVERFLOW;
    if (dropped) {
        big_multiply_add(&digits, 10, 1);
        exponent--;
    }
    struct big power = {.word = {1}, .count = 1};
    if (exponent >= 0)
        big_power_of_ten(&digits, (int)exponent);
    else
        big_power_of_ten(&power, (int)-exponent);
    uint64_t magnitude = divide(&digits, &power, format);
    *bits = sign | magnitude;
    return magnitude == infinity(format) ? DECIMAL_OVERFLOW : DECIMAL_OK;
}

uint64_t decimal_from_integer(bool negative, uint64_t magnitude,
                              struct float_format format)
{
    if (!magnitude)
        return 0;
    int shift = __builtin_clzll(magnitude);
    return (negative ? sign_bit(format) : 0) |
           round_to(magnitude << shift, -shift, false, format);
}
