/* SPDX-License-Identifier: Apache-2.0
 *
 * integer.h - integer operations where PTX says more than C does.
 *
 * All inline and free of undefined behaviour; signed values travel as their
 * unsigned bits. PTX ISA "Integer Arithmetic Instructions", "Extended-
 * Precision", "Logic and Shift Instructions"; the corner cases that the text
 * leaves open are as measured on H200 and say so. */
#ifndef SIMTLAB_NUMERIC_INTEGER_H
#define SIMTLAB_NUMERIC_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/half.h"
#include "numeric/mode.h"

/* --- per type: division, multiplication, order --------------------------- */

/* Up to 32 bits by way of double, which vector units can divide: operands are
 * exact there, and a quotient that is not whole is at least 1/b away from the
 * next integer but rounded by at most 2^-21/b. */
LANE_INLINE uint32_t u32_div(uint32_t a, uint32_t b)
{
    double q = (double)a / (double)(b ? b : 1);
    bool high = q >= 0x1p31;
    uint32_t r = (uint32_t)(int32_t)(high ? q - 0x1p31 : q) + (high ? 0x80000000u : 0);
    return b ? r : UINT32_MAX;
}

LANE_INLINE uint16_t u16_div(uint16_t a, uint16_t b)
{
    return (uint16_t)u32_div(a, b);
}

LANE_INLINE uint64_t u64_div(uint64_t a, uint64_t b)
{
    return b ? a / b : UINT64_MAX;
}

/* For U in u16 u32 u64 and S in s16 s32 s64 of the same width:
 *
 * T_div, T_rem    By zero both give all ones (measured on H200, all widths).
 *                 The most negative value over -1 is itself, remainder 0.
 * T_mulhi         Upper half of the double-width product; the signed one is
 *                 made from the unsigned one, because gcc 12 turns the plain
 *                 16-bit expression into an unsigned vector multiplication.
 * T_sad(a, b, c)  c + |a - b|
 * T_shr           Amounts of the width or more give 0 or the sign.
 * S_abs, S_neg    Wrap.
 * T_min, T_max    MODE_RELU (S): negative results are zero. */
#define INTEGER_OF_WIDTH(U, S, uint, sint, width, udouble)                    \
    LANE_INLINE uint S##_div(uint a, uint b)                                  \
    {                                                                         \
        uint x = (sint)a < 0 ? (uint)(0 - a) : a;                             \
        uint y = (sint)b < 0 ? (uint)(0 - b) : b;                             \
        uint q = U##_div(x, y);                                               \
        q = (sint)(a ^ b) < 0 ? (uint)(0 - q) : q;                            \
        return b ? q : (uint)-1;                                              \
    }                                                                         \
    LANE_INLINE uint U##_rem(uint a, uint b)                                  \
    {                                                                         \
        return b ? (uint)(a - (uint)((udouble)U##_div(a, b) * b)) : (uint)-1; \
    }                                                                         \
    LANE_INLINE uint S##_rem(uint a, uint b)                                  \
    {                                                                         \
        return b ? (uint)(a - (uint)((udouble)S##_div(a, b) * b)) : (uint)-1; \
    }                                                                         \
    LANE_INLINE uint U##_mulhi(uint a, uint b)                                \
    {                                                                         \
        return (uint)((udouble)a * b >> width);                               \
    }                                                                         \
    LANE_INLINE uint S##_mulhi(uint a, uint b)                                \
    {                                                                         \
        uint high = U##_mulhi(a, b);                                          \
        high -= (sint)a < 0 ? b : 0;                                          \
        return (uint)(high - ((sint)b < 0 ? a : 0));                          \
    }                                                                         \
    LANE_INLINE uint U##_min(uint a, uint b)                                  \
    {                                                                         \
        return a < b ? a : b;                                                 \
    }                                                                         \
    LANE_INLINE uint U##_max(uint a, uint b)                                  \
    {                                                                         \
        return a > b ? a : b;                                                 \
    }                                                                         \
    LANE_INLINE uint S##_min(uint a, uint b, unsigned mode)                   \
    {                                                                         \
        sint r = (sint)a < (sint)b ? (sint)a : (sint)b;                       \
        return (uint)((mode & MODE_RELU) && r < 0 ? 0 : r);                   \
    }                                                                         \
    LANE_INLINE uint S##_max(uint a, uint b, unsigned mode)                   \
    {                                                                         \
        sint r = (sint)a > (sint)b ? (sint)a : (sint)b;                       \
        return (uint)((mode & MODE_RELU) && r < 0 ? 0 : r);                   \
    }                                                                         \
    LANE_INLINE uint U##_sad(uint a, uint b, uint c)                          \
    {                                                                         \
        return (uint)(c + (a > b ? a - b : b - a));                           \
    }                                                                         \
    LANE_INLINE uint S##_sad(uint a, uint b, uint c)                          \
    {                                                                         \
        return (uint)(c + ((sint)a > (sint)b ? a - b : b - a));               \
    }                                                                         \
    LANE_INLINE uint S##_abs(uint a)                                          \
    {                                                                         \
        return (sint)a < 0 ? (uint)(0 - a) : a;                               \
    }                                                                         \
    LANE_INLINE uint S##_neg(uint a)                                          \
    {                                                                         \
        return (uint)(0 - a);                                                 \
    }                                                                         \
    LANE_INLINE uint U##_shl(uint a, uint32_t amount)                         \
    {                                                                         \
        return amount < width ? (uint)(a << amount) : 0;                      \
    }                                                                         \
    LANE_INLINE uint U##_shr(uint a, uint32_t amount)                         \
    {                                                                         \
        return amount < width ? (uint)(a >> amount) : 0;                      \
    }                                                                         \
    LANE_INLINE uint S##_shr(uint a, uint32_t amount)                         \
    {                                                                         \
        return (uint)((sint)a >> (amount < width ? amount : width - 1));      \
    }                                                                         \
    LANE_INLINE uint U##_cnot(uint a)                                         \
    {                                                                         \
        return a == 0;                                                        \
    }

INTEGER_OF_WIDTH(u16, s16, uint16_t, int16_t, 16, uint32_t)
INTEGER_OF_WIDTH(u32, s32, uint32_t, int32_t, 32, uint64_t)
INTEGER_OF_WIDTH(u64, s64, uint64_t, int64_t, 64, unsigned __int128)
#undef INTEGER_OF_WIDTH

LANE_INLINE uint32_t u16_mulwide(uint16_t a, uint16_t b)
{
    return (uint32_t)a * b;
}

LANE_INLINE uint32_t s16_mulwide(uint16_t a, uint16_t b)
{
    return (uint32_t)((int16_t)a * (int16_t)b);
}

LANE_INLINE uint64_t u32_mulwide(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

LANE_INLINE uint64_t s32_mulwide(uint32_t a, uint32_t b)
{
    return (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

/* Clamped to s32. */
LANE_INLINE uint32_t s32_saturate(int64_t x)
{
    return (uint32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x);
}

LANE_INLINE uint32_t s32_add_sat(uint32_t a, uint32_t b)
{
    return s32_saturate((int64_t)(int32_t)a + (int32_t)b);
}

LANE_INLINE uint32_t s32_sub_sat(uint32_t a, uint32_t b)
{
    return s32_saturate((int64_t)(int32_t)a - (int32_t)b);
}

/* mad.hi.sat: the sum is clamped, not the product. */
LANE_INLINE uint32_t s32_madhi_sat(uint32_t a, uint32_t b, uint32_t c)
{
    return s32_saturate((int64_t)(int32_t)s32_mulhi(a, b) + (int32_t)c);
}

/* mul24: 24-bit operands; .hi takes bits 16 to 47 of the product. */
LANE_INLINE uint64_t u32_product24(uint32_t a, uint32_t b)
{
    return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}

LANE_INLINE int64_t s32_product24(uint32_t a, uint32_t b)
{
    return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}

LANE_INLINE uint32_t u32_mul24lo(uint32_t a, uint32_t b)
{
    return (uint32_t)u32_product24(a, b);
}

LANE_INLINE uint32_t u32_mul24hi(uint32_t a, uint32_t b)
{
    return (uint32_t)(u32_product24(a, b) >> 16);
}

LANE_INLINE uint32_t s32_mul24lo(uint32_t a, uint32_t b)
{
    return (uint32_t)s32_product24(a, b);
}

LANE_INLINE uint32_t s32_mul24hi(uint32_t a, uint32_t b)
{
    return (uint32_t)(s32_product24(a, b) >> 16);
}

LANE_INLINE uint32_t s32_mad24hi_sat(uint32_t a, uint32_t b, uint32_t c)
{
    return s32_saturate((int64_t)(int32_t)s32_mul24hi(a, b) + (int32_t)c);
}

/* --- pairs of 16-bit integers -------------------------------------------- */

LANE_INLINE uint32_t u16x2_add(uint32_t a, uint32_t b)
{
    return PAIR(LOW(a) + LOW(b), HIGH(a) + HIGH(b));
}

LANE_INLINE uint32_t u16x2_min(uint32_t a, uint32_t b)
{
    return PAIR(u32_min(LOW(a), LOW(b)), u32_min(HIGH(a), HIGH(b)));
}

LANE_INLINE uint32_t u16x2_max(uint32_t a, uint32_t b)
{
    return PAIR(u32_max(LOW(a), LOW(b)), u32_max(HIGH(a), HIGH(b)));
}
PAIRWISE2(s16, min)
PAIRWISE2(s16, max)

/* --- bits ---------------------------------------------------------------- */

/* Sums of neighbouring fields rather than compiler builtins: vector units have
 * the one and not the other. */
LANE_INLINE uint32_t b32_popc(uint32_t a)
{
    a -= a >> 1 & 0x55555555;
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f;
    a += a >> 8;
    return (a + (a >> 16)) & 0x3f;
}

LANE_INLINE uint32_t b64_popc(uint64_t a)
{
    return b32_popc((uint32_t)a) + b32_popc((uint32_t)(a >> 32));
}

LANE_INLINE uint32_t b32_clz(uint32_t a)
{
    a |= a >> 1;
    a |= a >> 2;
    a |= a >> 4;
    a |= a >> 8;
    a |= a >> 16;
    return 32 - b32_popc(a);
}

LANE_INLINE uint32_t b64_clz(uint64_t a)
{
    uint32_t high = (uint32_t)(a >> 32), zeros = b32_clz(high);
    return high ? zeros : 32 + b32_clz((uint32_t)a);
}

LANE_INLINE uint32_t b32_brev(uint32_t a)
{
    a = (a & 0x55555555) << 1 | (a >> 1 & 0x55555555);
    a = (a & 0x33333333) << 2 | (a >> 2 & 0x33333333);
    a = (a & 0x0f0f0f0f) << 4 | (a >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(a);
}

LANE_INLINE uint64_t b64_brev(uint64_t a)
{
    return (uint64_t)b32_brev((uint32_t)a) << 32 | b32_brev((uint32_t)(a >> 32));
}

/* Position of the highest bit that differs from the sign (s) or is set (u);
 * all ones when there is none, with .shiftamt too (measured on H200). */
LANE_INLINE uint32_t u32_bfind(uint32_t a)
{
    return 31 - b32_clz(a);
}

LANE_INLINE uint32_t u64_bfind(uint64_t a)
{
    return 63 - b64_clz(a);
}

LANE_INLINE uint32_t s32_bfind(uint32_t a)
{
    return u32_bfind((int32_t)a < 0 ? ~a : a);
}

LANE_INLINE uint32_t s64_bfind(uint64_t a)
{
    return u64_bfind((int64_t)a < 0 ? ~a : a);
}

/* bfind.shiftamt, from the position found. */
LANE_INLINE uint32_t b32_shiftamt(uint32_t position)
{
    return position == UINT32_MAX ? position : 31 - position;
}

LANE_INLINE uint32_t b64_shiftamt(uint32_t position)
{
    return position == UINT32_MAX ? position : 63 - position;
}

/* The lowest count bits set; count may be anything. */
LANE_INLINE uint32_t b32_low_bits(uint32_t count)
{
    return count < 32 ? (1u << count) - 1 : UINT32_MAX;
}

LANE_INLINE uint64_t b64_low_bits(uint32_t count)
{
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

/* bfe. 32 bits: position and length are the low 8 bits of their registers.
 * 64 bits: the whole registers count (measured on H200; the manual's text has
 * 8 bits there too). Bits above the top are the sign for s, else zero. */
LANE_INLINE uint32_t u32_bfe(uint32_t a, uint32_t position, uint32_t length)
{
    return u32_shr(a, position & 0xff) & b32_low_bits(length & 0xff);
}

LANE_INLINE uint32_t s32_bfe(uint32_t a, uint32_t position, uint32_t length)
{
    length &= 0xff;
    uint32_t x = s32_shr(a, position & 0xff);
    uint32_t unused = length < 32 ? 32 - length : 0;
    return (uint32_t)((int32_t)u32_shl(x, unused) >> (unused & 31));
}

LANE_INLINE uint64_t u64_bfe(uint64_t a, uint32_t position, uint32_t length)
{
    return u64_shr(a, position) & b64_low_bits(length);
}

LANE_INLINE uint64_t s64_bfe(uint64_t a, uint32_t position, uint32_t length)
{
    uint64_t x = s64_shr(a, position);
    uint32_t unused = length < 64 ? 64 - length : 0;
    return (uint64_t)((int64_t)u64_shl(x, unused) >> (unused & 63));
}

/* bfi: the low length bits of a replace those of b at position. */
LANE_INLINE uint32_t b32_bfi(uint32_t a, uint32_t b, uint32_t position, uint32_t length)
{
    uint32_t mask = u32_shl(b32_low_bits(length & 0xff), position & 0xff);
    return (b & ~mask) | (u32_shl(a, position & 0xff) & mask);
}

/* Whole registers as in bfe.64; not covered by a recording. */
LANE_INLINE uint64_t b64_bfi(uint64_t a, uint64_t b, uint32_t position, uint32_t length)
{
    uint64_t mask = u64_shl(b64_low_bits(length), position);
    return (b & ~mask) | (u64_shl(a, position) & mask);
}

/* szext: the low n bits of a, extended by their sign (s) or zeros (u). n is
 * b clamped to 32 or, with wrap, b mod 32. */
LANE_INLINE uint32_t u32_szext(uint32_t a, uint32_t b, bool wrap)
{
    return a & b32_low_bits(wrap ? b & 31 : b);
}

LANE_INLINE uint32_t s32_szext(uint32_t a, uint32_t b, bool wrap)
{
    uint32_t n = wrap ? b & 31 : b;
    uint32_t unused = n < 32 ? 32 - n : 0;
    return (uint32_t)((int32_t)u32_shl(a, unused) >> (unused & 31));
}

/* bmsk: b ones from bit a on. */
LANE_INLINE uint32_t b32_bmsk(uint32_t a, uint32_t b, bool wrap)
{
    return u32_shl(b32_low_bits(wrap ? b & 31 : b), wrap ? a & 31 : a);
}

/* shf: the register pair high:low shifted. */
LANE_INLINE uint32_t b32_shf_left(uint32_t low, uint32_t high, uint32_t c, bool wrap)
{
    uint32_t n = wrap ? c & 31 : c < 32 ? c : 32;
    return (uint32_t)(((uint64_t)high << 32 | low) << n >> 32);
}

LANE_INLINE uint32_t b32_shf_right(uint32_t low, uint32_t high, uint32_t c, bool wrap)
{
    uint32_t n = wrap ? c & 31 : c < 32 ? c : 32;
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}

/* lop3: bit i of the result is bit (4a + 2b + c) of the table. */
LANE_INLINE uint32_t b32_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;
    r |= table & 0x01 ? ~a & ~b & ~c : 0;
    r |= table & 0x02 ? ~a & ~b & c : 0;
    r |= table & 0x04 ? ~a & b & ~c : 0;
    r |= table & 0x08 ? ~a & b & c : 0;
    r |= table & 0x10 ? a & ~b & ~c : 0;
    r |= table & 0x20 ? a & ~b & c : 0;
    r |= table & 0x40 ? a & b & ~c : 0;
    r |= table & 0x80 ? a & b & c : 0;
    return r;
}

/* Byte selector of prmt: bits 0-2 choose a byte of b:a, bit 3 replicates its
 * sign. */
LANE_INLINE uint32_t b32_prmt_byte(uint64_t bytes, uint32_t selector)
{
    uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7))) & 0xff;
    uint32_t sign = byte & 0x80 ? 0xff : 0;
    return selector & 8 ? sign : byte;
}

LANE_INLINE uint32_t b32_prmt(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    return b32_prmt_byte(bytes, c) | b32_prmt_byte(bytes, c >> 4) << 8 |
           b32_prmt_byte(bytes, c >> 8) << 16 | b32_prmt_byte(bytes, c >> 12) << 24;
}

/* prmt with a mode: the selectors for c = 0 to 3. */
enum prmt { PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };

LANE_INLINE uint32_t b32_prmt_mode(uint32_t a, uint32_t b, uint32_t c, enum prmt prmt)
{
    static const uint16_t selectors[6][4] = {
        [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
        [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
        [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
        [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
    };
    return b32_prmt(a, b, selectors[prmt][c & 3]);
}

/* fns: the |offset|-th set bit of mask from base on, upwards or downwards;
 * offset 0 asks about base itself. All ones when there is none. */
LANE_INLINE uint32_t b32_fns(uint32_t mask, uint32_t base, uint32_t offset)
{
    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
    bool down = (int32_t)offset < 0;
    /* The device's program overflows here (measured on H200). */
    if (offset == 0x80000000u)
        return 0;
    uint32_t left = down ? 0 - offset : offset;
    for (uint32_t position = base; position < 32; position += down ? (uint32_t)-1 : 1)
        if ((mask >> position & 1) && --left == 0)
            return position;
    return UINT32_MAX;
}

/* --- dot products -------------------------------------------------------- */

LANE_INLINE int32_t b32_byte(uint32_t a, unsigned index, bool is_signed)
{
    uint32_t top = a << (24 - 8 * index);
    return is_signed ? (int32_t)top >> 24 : (int32_t)(top >> 24);
}

LANE_INLINE uint32_t b32_byte_product(uint32_t a, uint32_t b, unsigned index, bool a_signed,
                                        bool b_signed)
{
    return (uint32_t)(b32_byte(a, index, a_signed) * b32_byte(b, index, b_signed));
}

LANE_INLINE uint32_t b32_dp4a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed)
{
    return c + b32_byte_product(a, b, 0, a_signed, b_signed) +
           b32_byte_product(a, b, 1, a_signed, b_signed) +
           b32_byte_product(a, b, 2, a_signed, b_signed) +
           b32_byte_product(a, b, 3, a_signed, b_signed);
}

/* The 16-bit halves of a with the lower or upper two bytes of b. */
LANE_INLINE uint32_t b32_dp2a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed,
                                bool upper)
{
    int32_t low = a_signed ? (int32_t)(a << 16) >> 16 : (int32_t)(a & 0xffff);
    int32_t high = a_signed ? (int32_t)a >> 16 : (int32_t)(a >> 16);
    unsigned first = upper ? 2 : 0;
    return c + (uint32_t)(low * b32_byte(b, first, b_signed)) +
           (uint32_t)(high * b32_byte(b, first + 1, b_signed));
}

#endif
