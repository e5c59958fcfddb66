/* SPDX-License-Identifier: Apache-2.0
 *
 * video.c - scalar and packed video instructions. */
#include "numeric/video.h"

#include <stdbool.h>

static int64_t extend(uint32_t word, unsigned bits, bool is_signed)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1, sign = (uint64_t)1 << (bits - 1);
    uint64_t x = word & mask;
    return is_signed ? (int64_t)(x ^ sign) - (int64_t)sign : (int64_t)x;
}

static unsigned part_bits(enum video_part part)
{
    return part == VIDEO_WORD ? 32 : part >= VIDEO_H0 ? 16 : 8;
}

static unsigned part_shift(enum video_part part)
{
    return part == VIDEO_WORD  ? 0
           : part >= VIDEO_H0 ? 16 * (part - VIDEO_H0)
                              : 8 * (part - VIDEO_B0);
}

static enum video_part part_at(uint64_t e, unsigned shift)
{
    unsigned part = e >> shift & 7;
    return part > VIDEO_H1 ? VIDEO_WORD : (enum video_part)part;
}

static int64_t part_of(uint32_t word, enum video_part part, bool is_signed)
{
    return extend(word >> part_shift(part), part_bits(part), is_signed);
}

static int64_t operate(enum video video, int64_t x, int64_t y, uint64_t e)
{
    switch (video) {
    case VIDEO_ADD: return x + y;
    case VIDEO_SUB: return x - y;
    case VIDEO_ABSDIFF: return x > y ? x - y : y - x;
    case VIDEO_MIN: return x < y ? x : y;
    case VIDEO_MAX: return x > y ? x : y;
    case VIDEO_SET: {
        unsigned order = x < y ? ORDER_LESS : x > y ? ORDER_GREATER : ORDER_EQUAL;
        return (e >> 11 & order & 7) != 0;
    }
    case VIDEO_SHL:
    case VIDEO_SHR: {
        uint32_t b = (uint32_t)y, amount = e & VIDEO_WRAP ? b & 31 : b < 32 ? b : 32;
        return video == VIDEO_SHL ? (int64_t)((uint64_t)x << amount) : x >> amount;
    }
    case VIDEO_AVERAGE: return (x + y + (x + y >= 0)) >> 1; /* halves away from zero */
    }
    return 0;
}

static int64_t clamp(int64_t x, unsigned bits, bool is_signed)
{
    int64_t most = ((int64_t)1 << (bits - is_signed)) - 1;
    int64_t least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

/* The secondary operation. Measured on H200: the comparison is one of 64 bits, signed or not
 * by dtype (vset, which has none: by atype), with c extended accordingly. It compares the
 * whole of r, with what a shift has moved beyond the word; but of vadd and vsub the low word
 * extended by its sign whatever dtype is, so that an unsigned sum of 2^31 or more beats any
 * c. */
static uint32_t then(int64_t r, uint32_t c, enum video video, uint64_t e)
{
    bool is_signed = e & (video == VIDEO_SET ? VIDEO_A_SIGNED : VIDEO_D_SIGNED);
    int64_t other = extend(c, 32, is_signed);

    if (video == VIDEO_ADD || video == VIDEO_SUB)
        r = extend((uint32_t)r, 32, true);
    bool less = is_signed ? r < other : (uint64_t)r < (uint64_t)other;
    bool greater = is_signed ? r > other : (uint64_t)r > (uint64_t)other;
    switch (e & VIDEO_THEN_MAX) {
    case VIDEO_THEN_MIN: return less ? (uint32_t)r : c;
    case VIDEO_THEN_MAX: return greater ? (uint32_t)r : c;
    }
    return (uint32_t)r + c;
}

uint32_t video_scalar(enum video video, uint32_t a, uint32_t b, uint32_t c, uint64_t e,
                      unsigned mode)
{
    int64_t x = part_of(a, part_at(e, 20), e & VIDEO_A_SIGNED);
    int64_t y = part_of(b, part_at(e, 24), e & VIDEO_B_SIGNED);
    enum video_part part = part_at(e, 28);
    bool is_signed = e & VIDEO_D_SIGNED;
    bool shift = video == VIDEO_SHL || video == VIDEO_SHR;
    int64_t r = operate(video, x, y, e);

    if (mode & MODE_SAT && shift) {
        /* A number of 34 bits, and bounds of 32 bits whatever part of it is kept. */
        r = clamp((int64_t)((uint64_t)r << 30) >> 30, 32, is_signed);
    } else if (mode & MODE_SAT && part != VIDEO_WORD) {
        /* Measured on H200: the comparison is unsigned, so that negative results become the
         * largest as well. */
        int64_t most = ((int64_t)1 << (part_bits(part) - is_signed)) - 1;
        r = r < 0 || r > most ? most : r;
    } else if (mode & MODE_SAT) {
        /* Measured on H200: to u32 only the lower bound is enforced; a sum of
         * 2^32 or more keeps its low word. */
        r = is_signed ? clamp(r, 32, true) : r < 0 ? 0 : (int64_t)(uint32_t)r;
    }
    if (e & VIDEO_THEN_MAX)
        return then(r, c, video, e);
    if (part == VIDEO_WORD)
        return (uint32_t)r;
    /* Measured on H200: .h1 takes the upper half of the result, not the lower one. */
    if (part == VIDEO_H1)
        return (c & 0xffff) | ((uint32_t)r & 0xffff0000);
    uint32_t mask = ((1u << part_bits(part)) - 1) << part_shift(part);
    return (c & ~mask) | ((uint32_t)r << part_shift(part) & mask);
}

uint32_t video_mad(uint32_t a, uint32_t b, uint32_t c, uint64_t e, unsigned mode)
{
    int64_t x = part_of(a, part_at(e, 20), e & VIDEO_A_SIGNED);
    int64_t y = part_of(b, part_at(e, 24), e & VIDEO_B_SIGNED);
    /* Measured on H200: vmad multiplies whole words as signed ones, whatever the types say,
     * and extends c by its sign. */
    __int128 product = (__int128)(int32_t)x * (int32_t)y;
    bool minus = !(e & VIDEO_A_NEGATED) != !(e & VIDEO_B_NEGATED);
    bool is_signed = (e & (VIDEO_A_SIGNED | VIDEO_B_SIGNED | VIDEO_C_NEGATED)) || minus;
    int one = 0;

    if (e & VIDEO_PLUS_ONE) {
        one = 1;
    } else if (minus) {
        product = ~product;
        one = 1;
    } else if (e & VIDEO_C_NEGATED) {
        c = ~c;
        one = 1;
    }
    __int128 sum = product + extend(c, 32, true) + one;
    int64_t r = (int64_t)sum;
    unsigned shift = e >> 14 & 31;
    r = is_signed ? r >> shift : (int64_t)((uint64_t)r >> shift);
    return (uint32_t)(mode & MODE_SAT ? clamp(r, 32, is_signed) : r);
}

static uint32_t packed(enum video video, unsigned bits, uint32_t a, uint32_t b, uint32_t c,
                       uint64_t e, unsigned mode)
{
    uint64_t parts = (uint64_t)b << 32 | a;
    bool add = (e & VIDEO_THEN_MAX) == VIDEO_THEN_ADD;
    uint32_t part_mask = (1u << bits) - 1;
    uint32_t result = c;

    for (unsigned i = 0; i < 32 / bits; i++) {
        if (!(e >> 20 >> i & 1))
            continue;
        unsigned from_a = e >> (32 + 4 * i) & 7, from_b = e >> (48 + 4 * i) & 7;
        int64_t x = extend((uint32_t)(parts >> (bits * from_a & 63)), bits, e & VIDEO_A_SIGNED);
        int64_t y = extend((uint32_t)(parts >> (bits * from_b & 63)), bits, e & VIDEO_B_SIGNED);
        int64_t r = operate(video, x, y, e);
        if (mode & MODE_SAT)
            r = clamp(r, bits, e & VIDEO_D_SIGNED);
        if (add)
            result += (uint32_t)r;
        else
            result = (result & ~(part_mask << bits * i)) | ((uint32_t)r & part_mask) << bits * i;
    }
    return result;
}

uint32_t video_halves(enum video video, uint32_t a, uint32_t b, uint32_t c, uint64_t e,
                      unsigned mode)
{
    return packed(video, 16, a, b, c, e, mode);
}

uint32_t video_bytes(enum video video, uint32_t a, uint32_t b, uint32_t c, uint64_t e,
                     unsigned mode)
{
    return packed(video, 8, a, b, c, e, mode);
}
