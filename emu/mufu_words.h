/* SPDX-License-Identifier: Apache-2.0
 *
 * mufu_words.h - look-ups and sums of the approximate unit over 32 lanes.
 *
 * Included by mufu_loops.h. What numeric/mufu.h says for one lane, for the host's vectors
 * written out: compilers know neither tables that lie in registers nor products of
 * halves, which are most of the work. */
#define EACH_LANE INDEPENDENT for (unsigned i = 0; i < LANES; i++)

#ifdef __AVX2__

/* A vector of words. */
#ifdef __AVX512F__
typedef int32_t words __attribute__((vector_size(64)));
typedef float float_words __attribute__((vector_size(64)));
typedef uint32_t unsigned_words __attribute__((vector_size(64)));
#define WORDS_TYPE __m512i
#define WORDS_DOT _mm512_madd_epi16
#define WORDS_SHIFT_DOWN _mm512_srlv_epi32
#else
typedef int32_t words __attribute__((vector_size(32)));
typedef float float_words __attribute__((vector_size(32)));
typedef uint32_t unsigned_words __attribute__((vector_size(32)));
#define WORDS_TYPE __m256i
#define WORDS_DOT _mm256_madd_epi16
#define WORDS_SHIFT_DOWN _mm256_srlv_epi32
#endif
enum { WORDS = sizeof(words) / 4 };
#define WORDS_INLINE static inline __attribute__((always_inline))

WORDS_INLINE words words_load(const void *from)
{
    words value;

    memcpy(&value, from, sizeof value);
    return value;
}
WORDS_INLINE void words_store(void *to, words value)
{
    memcpy(to, &value, sizeof value);
}
WORDS_INLINE words words_dot(words x, words y)
{
    return (words)WORDS_DOT((WORDS_TYPE)x, (WORDS_TYPE)y);
}
/* Shifted down, no sign. */
WORDS_INLINE words words_down(words x, int bits)
{
    return (words)((unsigned_words)x >> bits);
}

/* table[index]; the table has 16, 64 or 128 words and is known when compiling. */
WORDS_INLINE words words_look_up(const int32_t *table, unsigned size, words index)
{
#ifdef __AVX512F__
    const __m512i i = (__m512i)index;
    __m512i quarter[4];

    if (size == 16)
        return (words)_mm512_permutexvar_epi32(i, _mm512_load_si512(table));
    for (unsigned q = 0; q < size / 32; q++)
        quarter[q] = _mm512_permutex2var_epi32(_mm512_load_si512(table + 32 * q), i,
                                               _mm512_load_si512(table + 32 * q + 16));
    __mmask16 odd = _mm512_test_epi32_mask(i, _mm512_set1_epi32(32));
    __m512i low = _mm512_mask_mov_epi32(quarter[0], odd, quarter[1]);
    if (size == 64)
        return (words)low;
    __m512i high = _mm512_mask_mov_epi32(quarter[2], odd, quarter[3]);
    return (words)_mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(i, _mm512_set1_epi32(64)),
                                        high);
#else
    (void)size;
    return (words)_mm256_i32gather_epi32(table, (__m256i)index, 4);
#endif
}

/* The products of three bits each that mufu_square() has twice, of the upper bits of the one
 * with those of the other that reach up to 2^19: four bits for each value of the other. */
#define TRIANGLE(u, v) \
    ((uint32_t)((u >> 2 & 1) * (v) + (u >> 1 & 1) * ((v) >> 1) + (u & 1) * ((v) >> 2)) << 4 * (v))
#define TRIANGLES(u)                                                         \
    (int32_t)(TRIANGLE(u, 0) | TRIANGLE(u, 1) | TRIANGLE(u, 2) | TRIANGLE(u, 3) | \
              TRIANGLE(u, 4) | TRIANGLE(u, 5) | TRIANGLE(u, 6) | TRIANGLE(u, 7))

/* above: bits from the fourth on count. four_v: bits 2 to 4 count. */
WORDS_INLINE words words_triangle(words above, words four_v)
{
#ifdef __AVX512F__
    /* The look-up takes four bits, of which the lowest does not count here. */
    const words table = {TRIANGLES(0), TRIANGLES(0), TRIANGLES(1), TRIANGLES(1),
                         TRIANGLES(2), TRIANGLES(2), TRIANGLES(3), TRIANGLES(3),
                         TRIANGLES(4), TRIANGLES(4), TRIANGLES(5), TRIANGLES(5),
                         TRIANGLES(6), TRIANGLES(6), TRIANGLES(7), TRIANGLES(7)};
    words row = (words)_mm512_permutexvar_epi32((__m512i)above, (__m512i)table);
#else
    const words table = {TRIANGLES(0), TRIANGLES(1), TRIANGLES(2), TRIANGLES(3),
                         TRIANGLES(4), TRIANGLES(5), TRIANGLES(6), TRIANGLES(7)};
    words row = (words)_mm256_permutevar8x32_epi32((__m256i)table, (__m256i)words_down(above, 1));
#endif
    return (words)WORDS_SHIFT_DOWN((WORDS_TYPE)row, (WORDS_TYPE)(four_v & 0x1c)) & 15;
}

/* mufu_square() */
WORDS_INLINE words words_square(words l)
{
    words high = l << 7 & 0xff0000, by_16 = words_down(l, 4);
    /* The square of the upper 8 bits and twice the product of two times 4. */
    words products = words_dot(high | words_down(l, 13), high | (by_16 & 0x1e));

    return (products >> 1) + words_triangle(words_down(l, 9), by_16) +
           words_triangle(words_down(l, 1), words_down(l, 12));
}

#undef TRIANGLES
#undef TRIANGLE

WORDS_INLINE void mufu_look_up(const int32_t *table, unsigned size, const uint32_t index[LANES],
                               uint32_t value[LANES])
{
    for (unsigned i = 0; i < LANES; i += WORDS)
        words_store(value + i, words_look_up(table, size, words_load(index + i)));
}

/* mufu_sum(), the part in fours and what is below them. */
struct words_sum {
    words whole, fours, low;
};
WORDS_INLINE struct words_sum words_sum(struct mufu_function function, unsigned segments, words m)
{
    words segment = words_down(m, (int)function.l_bits);
    words l = m << (17 - (int)function.l_bits) & 0x1ffff;
    words a = words_look_up(function.a, segments, segment);
    words bc = words_look_up(function.bc, segments, segment);
    words low = words_dot(bc, (l << 16 & 0x30000) | words_square(l)) + function.k;
    words fours = words_dot(bc, l << 14 & 0x7fff0000) + (low >> 2);

    return (struct words_sum){
        a + l * function.l_factor + (fours >> ((int)function.a_shift - 2)), fours, low};
}

static inline __attribute__((always_inline)) void
mufu_sums(struct mufu_function function, unsigned segments, const uint32_t m[LANES],
          int32_t whole[LANES], uint32_t part[LANES])
{
    for (unsigned i = 0; i < LANES; i += WORDS) {
        struct words_sum sum = words_sum(function, segments, words_load(m + i));
        words_store(whole + i, sum.whole);
        words_store(part + i,
                    (sum.fours << 2 | (sum.low & 3)) & (((int32_t)1 << function.a_shift) - 1));
    }
}

#else

static inline void mufu_look_up(const int32_t *table, unsigned size, const uint32_t index[LANES],
                                uint32_t value[LANES])
{
    (void)size;
    for (unsigned i = 0; i < LANES; i++)
        value[i] = (uint32_t)table[index[i]];
}

static inline __attribute__((always_inline)) void
mufu_sums(struct mufu_function function, unsigned segments, const uint32_t m[LANES],
          int32_t whole[LANES], uint32_t part[LANES])
{
    int32_t a[LANES], bc[LANES];

    (void)segments;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t segment = mufu_segment(function, m[i]);
        a[i] = function.a[segment];
        bc[i] = function.bc[segment];
    }
    EACH_LANE
    {
        struct mufu_sum sum = mufu_sum(function, mufu_l(function, m[i]), a[i], bc[i]);
        whole[i] = sum.whole;
        part[i] = sum.part;
    }
}

#endif
