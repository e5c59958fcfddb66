/* SPDX-License-Identifier: Apache-2.0
 *
 * mufu_plain.h - the approximate instructions for warps of plain operands, in the host's
 * vectors.
 *
 * Included by mufu_loops.h. Plain are those that come out of the unit as ordinary numbers and
 * that nothing scales before, with .ftz or without; a whole warp of them goes through the unit
 * with nothing but its arithmetic (numeric/mufu.h). A row does nothing and says so where an
 * active lane holds another operand; then all go the general way. */
#ifdef __AVX2__

#define WORDS_SIGN ((int32_t)F32_SIGN)
#define WORDS_MAGNITUDE ((int32_t)~F32_SIGN)
#define WORDS_FRACTION ((int32_t)MUFU_FRACTION)

/* A word of tanh_binades in its three parts, the latter two where they are used.
 * words_tanh_binade() takes the number of the binade in the bits of an exponent. */
struct words_binade {
    words down, first, shift;
};

WORDS_INLINE float_words words_host(words x) { return (float_words)x; }
WORDS_INLINE words words_bits(float_words x) { return (words)x; }
WORDS_INLINE float_words words_to_float(words x)
{
    return __builtin_convertvector(x, float_words);
}

#ifdef __AVX512F__
#define CUT (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

WORDS_INLINE words words_where_equal(words x, words y, words yes, words no)
{
    return (words)_mm512_mask_mov_epi32(
        (__m512i)no, _mm512_cmpeq_epi32_mask((__m512i)x, (__m512i)y), (__m512i)yes);
}
/* Signed. */
WORDS_INLINE words words_where_less(words x, words y, words yes, words no)
{
    return (words)_mm512_mask_mov_epi32(
        (__m512i)no, _mm512_cmplt_epi32_mask((__m512i)x, (__m512i)y), (__m512i)yes);
}
WORDS_INLINE words words_least(words x, words y)
{
    return (words)_mm512_min_epi32((__m512i)x, (__m512i)y);
}
WORDS_INLINE words words_greatest(words x, words y)
{
    return (words)_mm512_max_epi32((__m512i)x, (__m512i)y);
}
/* Bits of yes where mask has some. */
WORDS_INLINE words words_select(words mask, words yes, words no)
{
    return (words)_mm512_ternarylogic_epi32((__m512i)mask, (__m512i)yes, (__m512i)no, 0xca);
}
/* 1 where a finite number is beyond the largest f16. */
WORDS_INLINE words words_beyond_f16(words magnitude)
{
    return (words)_mm512_maskz_mov_epi32(
        _mm512_cmplt_epu32_mask((__m512i)(magnitude - 0x47800000),
                                _mm512_set1_epi32(0x7f800000 - 0x47800000)),
        _mm512_set1_epi32(1));
}
/* Which lanes are not one of count numbers from first on? */
WORDS_INLINE uint32_t words_outside(words x, uint32_t first, uint32_t count)
{
    return _mm512_cmpge_epu32_mask((__m512i)(x - (int32_t)first),
                                   _mm512_set1_epi32((int32_t)count));
}
WORDS_INLINE void words_put(void *to, words value, uint32_t mask)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)mask, (__m512i)value);
}
WORDS_INLINE words words_to_whole(float_words x)
{
    return (words)_mm512_cvttps_epi32((__m512)x);
}
/* high * step + low, cut to 24 bits; see mufu_cut(). */
WORDS_INLINE words words_cut(words high, words low, float step)
{
    return (words)_mm512_fmadd_round_ps((__m512)words_to_float(high), _mm512_set1_ps(step),
                                        (__m512)words_to_float(low), CUT);
}
/* The fraction of magnitude / (2 pi), cut, with 25 bits; see sin_x() and mufu_quadrants(). */
WORDS_INLINE words words_turn(words magnitude)
{
    __m512 turns = _mm512_mul_round_ps((__m512)magnitude, _mm512_set1_ps(f32_host(0x3e22f983)),
                                       CUT);

    turns = _mm512_reduce_ps(turns, _MM_FROUND_TO_ZERO);
    return (words)_mm512_cvttps_epi32(_mm512_mul_ps(turns, _mm512_set1_ps(0x1p25f)));
}
WORDS_INLINE struct words_binade words_tanh_binade(words number)
{
    words binade = words_look_up(tanh_binades, 16, words_down(number, 23));

    return (struct words_binade){binade & 0xff, (binade & 0xff00) << (17 - 8), binade >> 16 << 23};
}
/* x: with zeros above. */
WORDS_INLINE words words_from_f16(words x)
{
    return (words)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)x));
}
/* Cut; the largest number for what is larger. */
WORDS_INLINE words words_to_f16(words x)
{
    return (words)_mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)x, CUT));
}

#else

WORDS_INLINE words words_where_equal(words x, words y, words yes, words no)
{
    return (words)_mm256_blendv_epi8((__m256i)no, (__m256i)yes,
                                     _mm256_cmpeq_epi32((__m256i)x, (__m256i)y));
}
WORDS_INLINE words words_where_less(words x, words y, words yes, words no)
{
    return (words)_mm256_blendv_epi8((__m256i)no, (__m256i)yes,
                                     _mm256_cmpgt_epi32((__m256i)y, (__m256i)x));
}
WORDS_INLINE words words_least(words x, words y)
{
    return (words)_mm256_min_epi32((__m256i)x, (__m256i)y);
}
WORDS_INLINE words words_greatest(words x, words y)
{
    return (words)_mm256_max_epi32((__m256i)x, (__m256i)y);
}
WORDS_INLINE words words_select(words mask, words yes, words no)
{
    return (mask & yes) | (~mask & no);
}
WORDS_INLINE words words_beyond_f16(words magnitude)
{
    return (words)_mm256_and_si256(
               _mm256_cmpgt_epi32((__m256i)magnitude, _mm256_set1_epi32(0x477fffff)),
               _mm256_cmpgt_epi32(_mm256_set1_epi32(0x7f800000), (__m256i)magnitude)) & 1;
}
WORDS_INLINE uint32_t words_outside(words x, uint32_t first, uint32_t count)
{
    __m256i from = (__m256i)(x - (int32_t)first), last = _mm256_set1_epi32((int32_t)(count - 1));

    return 0xff & ~(uint32_t)_mm256_movemask_ps(
                      (__m256)_mm256_cmpeq_epi32(_mm256_min_epu32(from, last), from));
}
WORDS_INLINE void words_put(void *to, words value, uint32_t mask)
{
    static const words lane = {1, 2, 4, 8, 16, 32, 64, 128};

    if ((mask & 0xff) != 0xff)
        value = words_where_equal((words)_mm256_set1_epi32((int32_t)mask) & lane, lane, value,
                                  words_load(to));
    words_store(to, value);
}
WORDS_INLINE words words_to_whole(float_words x)
{
    return (words)_mm256_cvttps_epi32((__m256)x);
}
WORDS_INLINE words words_cut(words high, words low, float step)
{
    float_words upper = words_to_float(high) * step, lower = words_to_float(low);
    float_words sum = upper + lower, lost = lower - (sum - upper);

    return words_bits(sum) + (words)_mm256_cmp_ps((__m256)lost, _mm256_setzero_ps(), _CMP_LT_OQ);
}
WORDS_INLINE words words_turn(words magnitude)
{
    const __m256 factor = _mm256_set1_ps(f32_host(0x3e22f983));
    __m256 turns = _mm256_mul_ps((__m256)magnitude, factor);
    __m256 lost = _mm256_fmsub_ps((__m256)magnitude, factor, turns);

    turns = (__m256)((words)turns + (words)_mm256_cmp_ps(lost, _mm256_setzero_ps(), _CMP_LT_OQ));
    turns = _mm256_sub_ps(turns, _mm256_round_ps(turns, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    return (words)_mm256_cvttps_epi32(_mm256_mul_ps(turns, _mm256_set1_ps(0x1p25f)));
}
/* Bytes of a table that lies in a register; index bytes above 127 give zero. */
WORDS_INLINE words words_bytes(__m128i table, words index)
{
    return (words)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), (__m256i)index);
}
WORDS_INLINE struct words_binade words_tanh_binade(words number)
{
#define TANH_BYTES(from)                                                     \
    _mm_setr_epi8(from(0), from(1), from(2), from(3), from(4), from(5), from(6), from(7), \
                  from(8), from(9), from(10), 0, 0, 0, 0, 0)
#define DOWN(i) (char)(tanh_binades[i] & 0xff)
#define FIRST(i) (char)(tanh_binades[i] >> 8 & 0xff)
#define SHIFT(i) (char)(tanh_binades[i] >> 16)
    words index = (number | WORDS_SIGN) >> 23;

    return (struct words_binade){words_bytes(TANH_BYTES(DOWN), index),
                                 words_bytes(TANH_BYTES(FIRST), index) << 17,
                                 words_bytes(TANH_BYTES(SHIFT), index) << 23};
#undef SHIFT
#undef FIRST
#undef DOWN
#undef TANH_BYTES
}
WORDS_INLINE words words_from_f16(words x)
{
    __m256i halves = (__m256i)x;

    return (words)_mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(halves),
                                                   _mm256_extracti128_si256(halves, 1)));
}
WORDS_INLINE words words_to_f16(words x)
{
    return (words)_mm256_cvtepu16_epi32(
        _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}

#endif

/* --- the unit ------------------------------------------------------------------------ */

/* Significands get their exponents as in mufu_pack(), from the bits of the operand's and what
 * comes of all constants. */

WORDS_INLINE words plain_rcp_at(words x, words significand, int32_t most, int32_t exponents)
{
    words r = significand + most - (x & exponents);

    return r | (x & WORDS_SIGN);
}
WORDS_INLINE words plain_rcp(words x)
{
    words significand = words_sum(MUFU_RCP, 128, x & WORDS_FRACTION).whole >> 2;

    return plain_rcp_at(x, significand, 252 << 23, 0x7f800000);
}
WORDS_INLINE words plain_rcp_high(words x)
{
    words significand = words_sum(MUFU_RCP, 128, x << 3 & WORDS_FRACTION).whole >> 5;

    return plain_rcp_at(x, significand, 2044 << 20, 0x7ff00000);
}

/* Half the exponent, rounded up. */
WORDS_INLINE words plain_half(words x, int32_t one, int32_t exponents)
{
    return (x + one) >> 1 & exponents;
}
WORDS_INLINE words plain_rsqrt_sum(words m)
{
    words significand = words_sum(MUFU_RSQRT, 128, m).whole >> 2;

    return words_where_equal(m, (words){0}, (words){0} + (1 << 24), significand);
}
WORDS_INLINE words plain_rsqrt(words x)
{
    words significand = plain_rsqrt_sum((x & 0xffffff) ^ 1 << 23);

    return significand + (189 << 23) - plain_half(x, 1 << 23, 0x7f800000);
}
WORDS_INLINE words plain_rsqrt_high(words x)
{
    words significand = plain_rsqrt_sum((x << 3 & 0xffffff) ^ 1 << 23) >> 3;

    return significand + (1533 << 20) - plain_half(x, 1 << 20, 0x7ff00000);
}
WORDS_INLINE words plain_sqrt(words x)
{
    words significand = words_sum(MUFU_SQRT, 128, (x & 0xffffff) ^ 1 << 23).whole >> 2;

    return significand + (62 << 23) + plain_half(x, 1 << 23, 0x7f800000);
}

WORDS_INLINE words plain_ex2(words x)
{
    words fixed = words_to_whole(words_host(x) * 0x1p23f);

    fixed += words_where_equal(fixed & WORDS_FRACTION, (words){0}, (words){0}, x >> 31);
    words significand = words_sum(MUFU_EX2, 64, fixed & WORDS_FRACTION).whole >> 2;
    return significand + (126 << 23) + (fixed & ~WORDS_FRACTION);
}

WORDS_INLINE words plain_lg2(words x)
{
    const int32_t one = (int32_t)MUFU_ONE;
    struct words_sum sum = words_sum(MUFU_LG2, 64, x & WORDS_FRACTION);
    words high = ((x - one) >> 7 & ~0xffff) + (sum.whole >> 10), negative = high >> 31;
    words low = words_select((words){0} + 0x3ff, sum.fours, sum.whole << 10) & 0xfffff;
    words r = words_cut(high ^ negative, low ^ (negative & 0xfffff), 0x1p20f);

    r = words_bits(words_host(r) * 0x1p-36f) | (negative & WORDS_SIGN);
    return words_where_equal(x, (words){0} + one, (words){0}, r);
}

/* The sum where A counts 2^11, as an f32 over 2^11. What is above low_bits of the whole is below
 * 2^24. */
WORDS_INLINE words plain_fixed(struct words_sum sum, int32_t low_bits)
{
    words part = words_select((words){0} + 3, sum.low, sum.fours << 2);
    int32_t low = ((int32_t)1 << low_bits) - 1;

    return words_cut(sum.whole & ~low,
                     words_select((words){0} + 0x7ff, part, (sum.whole & low) << 11), 0x1p11f);
}

/* In two parts: 25 bits of a turn, and what comes of them. */
WORDS_INLINE words plain_sine_turn(words a, int32_t quarter)
{
    return words_turn(a & WORDS_MAGNITUDE) + quarter * (1 << 23);
}
WORDS_INLINE words plain_sine_of(words a, words turn, int32_t quarter)
{
    words m = (turn ^ turn << 8 >> 31) & WORDS_FRACTION;
    words r = plain_fixed(words_sum(MUFU_SIN, 64, m), 3);
    words sign = (quarter ? turn << 7 : a ^ turn << 7) & WORDS_SIGN;

    return words_bits(words_host(r) * 0x1p-37f) | sign;
}

/* In two parts: the argument of the sum with the power of 2 that divides it, and the result. */
enum { TANH_LEAST = (127 - 8) << 23, TANH_MOST = (127 + 3) << 23 };

WORDS_INLINE words plain_tanh_m(words x, words *shift)
{
    words within = words_least(words_greatest(x & WORDS_MAGNITUDE, (words){0} + TANH_LEAST),
                               (words){0} + (TANH_MOST - 1));
    struct words_binade binade = words_tanh_binade(within - TANH_LEAST);

    *shift = binade.shift;
    return (words)((unsigned_words)(x & WORDS_FRACTION) >> (unsigned_words)binade.down) +
           binade.first;
}
WORDS_INLINE words plain_tanh_of(words x, words m, words shift)
{
    words magnitude = x & WORDS_MAGNITUDE;
    words r = plain_fixed(words_sum(MUFU_TANH, 64, m), 5) - shift;

    r = words_least(r, (words){0} + (int32_t)MUFU_ONE);
    r = words_where_less(magnitude, (words){0} + TANH_MOST, r, (words){0} + (int32_t)MUFU_ONE);
    r = words_where_less(magnitude, (words){0} + TANH_LEAST, magnitude, r);
    return r | (x & WORDS_SIGN);
}

/* --- what is plain, and rows of it ------------------------------------------------------ */

#define PLAIN_RANGE(op, sign, first, past)                                   \
    WORDS_INLINE uint32_t plain_##op##_not(words x)                          \
    {                                                                        \
        return words_outside(x & ~(sign), first, (past) - (first));          \
    }
PLAIN_RANGE(rcp, WORDS_SIGN, 0x00800000, 0x7e800000u) /* the results are normal */
PLAIN_RANGE(rcp_high, WORDS_SIGN, 0x00100000, 0x7fd00000u)
PLAIN_RANGE(rsqrt, 0, 0x00800000, 0x7f800000u)
PLAIN_RANGE(rsqrt_high, 0, 0x00100000, 0x7ff00000u)
PLAIN_RANGE(sqrt, 0, 0x00800000, 0x7f800000u)
PLAIN_RANGE(lg2, 0, 0x00800000, 0x7f800000u)
PLAIN_RANGE(ex2, WORDS_SIGN, 0, 0x42fc0000u) /* 126 */
PLAIN_RANGE(sin, WORDS_SIGN, 0, 0x7f800000u)
PLAIN_RANGE(cos, WORDS_SIGN, 0, 0x7f800000u)
PLAIN_RANGE(tanh, WORDS_SIGN, 0, 0x7f800001u)

/* Are all active operands plain? And d of them, one function after the other. */
#define PLAIN_IS(op)                                                         \
    static inline bool plain_is_##op(const uint32_t a[LANES], uint32_t mask) \
    {                                                                        \
        uint32_t other = 0;                                                  \
        for (unsigned i = 0; i < LANES; i += WORDS)                          \
            other |= plain_##op##_not(words_load(a + i)) << i;               \
        return !(other & mask);                                              \
    }
#define PLAIN_ROW(op)                                                        \
    PLAIN_IS(op)                                                             \
    static inline __attribute__((always_inline)) void plain_row_##op(        \
        const uint32_t a[LANES], uint32_t d[LANES], uint32_t mask)           \
    {                                                                        \
        for (unsigned i = 0; i < LANES; i += WORDS)                          \
            words_put(d + i, plain_##op(words_load(a + i)), mask >> i);      \
    }

/* The long ones go part by part: together they need more constants than the host has registers,
 * and one chain of dependent steps is longer than what the host looks ahead. */
static inline __attribute__((always_inline)) void
plain_row_sine(const uint32_t a[LANES], uint32_t d[LANES], uint32_t mask, int32_t quarter)
{
    uint32_t turn[LANES];

    for (unsigned i = 0; i < LANES; i += WORDS)
        words_store(turn + i, plain_sine_turn(words_load(a + i), quarter));
    for (unsigned i = 0; i < LANES; i += WORDS)
        words_put(d + i, plain_sine_of(words_load(a + i), words_load(turn + i), quarter),
                  mask >> i);
}
PLAIN_IS(sin)
PLAIN_IS(cos)
PLAIN_IS(tanh)
static inline __attribute__((always_inline)) void plain_row_sin(const uint32_t a[LANES],
                                                                uint32_t d[LANES], uint32_t mask)
{
    plain_row_sine(a, d, mask, 0);
}
static inline __attribute__((always_inline)) void plain_row_cos(const uint32_t a[LANES],
                                                                uint32_t d[LANES], uint32_t mask)
{
    plain_row_sine(a, d, mask, 1);
}
static inline __attribute__((always_inline)) void
plain_row_tanh(const uint32_t a[LANES], uint32_t d[LANES], uint32_t mask)
{
    uint32_t m[LANES], shift[LANES];

    for (unsigned i = 0; i < LANES; i += WORDS) {
        words down;
        words_store(m + i, plain_tanh_m(words_load(a + i), &down));
        words_store(shift + i, down);
    }
    for (unsigned i = 0; i < LANES; i += WORDS)
        words_put(d + i, plain_tanh_of(words_load(a + i), words_load(m + i),
                                       words_load(shift + i)), mask >> i);
}

/* a / b, false when that is not plain. It is not where a NaN comes out; with .ftz only zeros
 * and results that nothing flushes are. */
static inline __attribute__((always_inline)) bool
plain_row_div(const uint32_t a[LANES], const uint32_t b[LANES], uint32_t d[LANES], uint32_t mask,
              bool ftz)
{
    uint32_t quotient[LANES], other = 0;

    for (unsigned i = 0; i < LANES; i += WORDS)
        other |= plain_rcp_not(words_load(b + i)) << i;
    if (other & mask)
        return false;
    for (unsigned i = 0; i < LANES; i += WORDS) {
        words dividend = words_load(a + i), y = plain_rcp(words_load(b + i));
        words q = words_bits(words_host(y) * words_host(dividend));
        words magnitude = dividend & WORDS_MAGNITUDE;
        words_store(quotient + i, q);
        if (ftz)
            other |= ((words_outside(q & WORDS_MAGNITUDE, 0x00800001, 0x7f000000) |
                       words_outside(magnitude, 0x00800000, 0x7f000001)) &
                      words_outside(magnitude, 0, 1)) << i;
        else
            other |= words_outside(q & WORDS_MAGNITUDE, 0, 0x7f800001) << i;
    }
    if (other & mask)
        return false;
    for (unsigned i = 0; i < LANES; i += WORDS)
        words_put(d + i, words_load(quotient + i), mask >> i);
    return true;
}

/* Half precision: what the unit gets, and what is made of what it gives. */
static inline void half_from_f16(uint32_t x[LANES])
{
    for (unsigned i = 0; i < LANES; i += WORDS)
        words_store(x + i, words_from_f16(words_load(x + i)));
}
/* The host gives the largest number, and the instruction infinity, which is the next. */
static inline void half_to_f16_ex2(uint32_t y[LANES])
{
    for (unsigned i = 0; i < LANES; i += WORDS) {
        words magnitude = words_load(y + i) & WORDS_MAGNITUDE;
        words_store(y + i, words_to_f16(words_load(y + i)) + words_beyond_f16(magnitude));
    }
}
/* None is above 1. */
static inline void half_to_f16_tanh(uint32_t y[LANES])
{
    for (unsigned i = 0; i < LANES; i += WORDS)
        words_store(y + i, words_to_f16(words_load(y + i)));
}

#else /* always the general way */

#define PLAIN_ROW(op)                                                        \
    static inline bool plain_is_##op(const uint32_t *a, uint32_t mask)       \
    {                                                                        \
        return (void)a, (void)mask, false;                                   \
    }                                                                        \
    static inline void plain_row_##op(const uint32_t *a, uint32_t *d, uint32_t mask) \
    {                                                                        \
        (void)a, (void)d, (void)mask;                                        \
    }
static inline bool plain_row_div(const uint32_t *a, const uint32_t *b, uint32_t *d, uint32_t mask,
                                 bool ftz)
{
    return (void)a, (void)b, (void)d, (void)mask, (void)ftz, false;
}

PLAIN_ROW(sin)
PLAIN_ROW(cos)
PLAIN_ROW(tanh)

static inline void half_from_f16(uint32_t x[LANES])
{
    EACH_LANE x[i] = approx_from_f16(x[i]);
}
static inline void half_to_f16_ex2(uint32_t y[LANES])
{
    EACH_LANE y[i] = approx_cut_f16(y[i]);
}
static inline void half_to_f16_tanh(uint32_t y[LANES])
{
    half_to_f16_ex2(y);
}

#endif

PLAIN_ROW(rcp)
PLAIN_ROW(rcp_high)
PLAIN_ROW(rsqrt)
PLAIN_ROW(rsqrt_high)
PLAIN_ROW(sqrt)
PLAIN_ROW(lg2)
PLAIN_ROW(ex2)
#undef PLAIN_ROW

static inline void half_from_bf16(uint32_t x[LANES])
{
    EACH_LANE x[i] = approx_from_bf16(x[i]);
}
static inline void half_to_bf16_ex2(uint32_t y[LANES])
{
    EACH_LANE y[i] = approx_cut_bf16(y[i]);
}
static inline void half_to_bf16_tanh(uint32_t y[LANES])
{
    half_to_bf16_ex2(y);
}
