/* SPDX-License-Identifier: Apache-2.0
 *
 * word_loops.h - loads and stores of whole words: the accesses that kernels make
 * most, for any mask.
 *
 * Included by access_loops.h for each host instruction set. A word is an element of
 * 4 or 8 bytes as wide as its register. A warp is looked at as two halves of 16
 * lanes, since rows of 16-wide tiles are so common: the lanes of a half are
 * neighbours, agree, or lie apart. First both halves are placed, then data moves,
 * so that an access that is not in order leaves everything as it was. */

enum { HALF = 16, HALF_ALL = 0xffff };

/* How the active lanes of a half lie to each other. */
enum half_kind { HALF_IDLE, HALF_SAME, HALF_NEXT, HALF_APART };
struct half {
    enum half_kind kind;
    uint64_t first; /* offset in the stretch: SAME of all lanes, NEXT of lane 0 */
};

/* --- 16 lanes at once ------------------------------------------------------------ */

/* next: which lanes hold first + (lane << shift)? same: which hold the value?
 * inside: which are, delta added, at most limit, with no bit of low set? */
#ifdef __AVX512F__

#include <immintrin.h>

static ALWAYS_INLINE uint32_t next_uint32_t(const uint32_t *a, uint32_t first, unsigned shift)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i want = _mm512_add_epi32(_mm512_slli_epi32(lanes, shift),
                                    _mm512_set1_epi32((int)first));
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(a), want);
}

static ALWAYS_INLINE uint32_t next_uint64_t(const uint64_t *a, uint64_t first, unsigned shift)
{
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i low = _mm512_add_epi64(_mm512_slli_epi64(lanes, shift),
                                   _mm512_set1_epi64((long long)first));
    __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(8LL << shift));
    return _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(a), low) |
           (uint32_t)_mm512_cmpeq_epi64_mask(_mm512_loadu_si512(a + 8), high) << 8;
}

static ALWAYS_INLINE uint32_t same_uint32_t(const uint32_t *a, uint32_t value)
{
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(a), _mm512_set1_epi32((int)value));
}

static ALWAYS_INLINE uint32_t same_uint64_t(const uint64_t *a, uint64_t value)
{
    const __m512i all = _mm512_set1_epi64((long long)value);
    return _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(a), all) |
           (uint32_t)_mm512_cmpeq_epi64_mask(_mm512_loadu_si512(a + 8), all) << 8;
}

static ALWAYS_INLINE uint32_t inside_uint32_t(const uint32_t *a, uint32_t delta,
                                              uint32_t limit, uint32_t low)
{
    __m512i o = _mm512_add_epi32(_mm512_loadu_si512(a), _mm512_set1_epi32((int)delta));
    return _mm512_cmple_epu32_mask(o, _mm512_set1_epi32((int)limit)) &
           _mm512_testn_epi32_mask(o, _mm512_set1_epi32((int)low));
}

static ALWAYS_INLINE uint32_t inside_uint64_t(const uint64_t *a, uint64_t delta,
                                              uint64_t limit, uint64_t low)
{
    const __m512i deltas = _mm512_set1_epi64((long long)delta);
    const __m512i limits = _mm512_set1_epi64((long long)limit);
    const __m512i lows = _mm512_set1_epi64((long long)low);
    __m512i o = _mm512_add_epi64(_mm512_loadu_si512(a), deltas);
    __m512i p = _mm512_add_epi64(_mm512_loadu_si512(a + 8), deltas);
    uint32_t first = _mm512_cmple_epu64_mask(o, limits) & _mm512_testn_epi64_mask(o, lows);
    uint32_t second = _mm512_cmple_epu64_mask(p, limits) & _mm512_testn_epi64_mask(p, lows);
    return first | second << 8;
}

/* Moving the lanes of mask. gather: lane i from host + a[i] + delta. put gives the
 * lanes whose word in memory was another one. */
#define VECTOR_AT(p) _mm512_loadu_si512(p)

static ALWAYS_INLINE void copy_uint32_t(uint32_t *to, const unsigned char *from, uint32_t mask)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)mask,
                             _mm512_maskz_loadu_epi32((__mmask16)mask, from));
}

static ALWAYS_INLINE void copy_uint64_t(uint64_t *to, const unsigned char *from, uint32_t mask)
{
    __mmask8 low = (__mmask8)mask, high = (__mmask8)(mask >> 8);
    _mm512_mask_storeu_epi64(to, low, _mm512_maskz_loadu_epi64(low, from));
    _mm512_mask_storeu_epi64(to + 8, high, _mm512_maskz_loadu_epi64(high, from + 64));
}

static ALWAYS_INLINE void fill_uint32_t(uint32_t *to, uint32_t value, uint32_t mask)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)mask, _mm512_set1_epi32((int)value));
}

static ALWAYS_INLINE void fill_uint64_t(uint64_t *to, uint64_t value, uint32_t mask)
{
    const __m512i all = _mm512_set1_epi64((long long)value);
    _mm512_mask_storeu_epi64(to, (__mmask8)mask, all);
    _mm512_mask_storeu_epi64(to + 8, (__mmask8)(mask >> 8), all);
}

static ALWAYS_INLINE void gather_uint32_t_uint32_t(uint32_t *to, const unsigned char *host,
                                                   const uint32_t *a, uint32_t delta,
                                                   uint32_t mask)
{
    __m512i o = _mm512_add_epi32(VECTOR_AT(a), _mm512_set1_epi32((int)delta));
    _mm512_storeu_si512(to, _mm512_mask_i32gather_epi32(VECTOR_AT(to), (__mmask16)mask, o,
                                                        host, 1));
}

/* One store of all 16: whoever reads them next takes all at once, too, and would have to
 * wait for two stores to come together. */
static ALWAYS_INLINE void gather_uint32_t_uint64_t(uint32_t *to, const unsigned char *host,
                                                   const uint64_t *a, uint64_t delta,
                                                   uint32_t mask)
{
    const __m512i deltas = _mm512_set1_epi64((long long)delta);
    __m256i got[2];

    for (unsigned k = 0; k < 2; k++) {
        __m512i o = _mm512_add_epi64(VECTOR_AT(a + 8 * k), deltas);
        __m256i old = _mm256_loadu_si256((const void *)(to + 8 * k));
        got[k] = _mm512_mask_i64gather_epi32(old, (__mmask8)(mask >> 8 * k), o, host, 1);
    }
    _mm512_storeu_si512(to, _mm512_inserti64x4(_mm512_castsi256_si512(got[0]), got[1], 1));
}

static ALWAYS_INLINE void gather_uint64_t_uint32_t(uint64_t *to, const unsigned char *host,
                                                   const uint32_t *a, uint32_t delta,
                                                   uint32_t mask)
{
    const __m256i deltas = _mm256_set1_epi32((int)delta);
    for (unsigned k = 0; k < HALF; k += 8) {
        __m256i o = _mm256_add_epi32(_mm256_loadu_si256((const void *)(a + k)), deltas);
        _mm512_storeu_si512(to + k, _mm512_mask_i32gather_epi64(VECTOR_AT(to + k),
                                                                (__mmask8)(mask >> k), o,
                                                                host, 1));
    }
}

static ALWAYS_INLINE void gather_uint64_t_uint64_t(uint64_t *to, const unsigned char *host,
                                                   const uint64_t *a, uint64_t delta,
                                                   uint32_t mask)
{
    const __m512i deltas = _mm512_set1_epi64((long long)delta);
    for (unsigned k = 0; k < HALF; k += 8) {
        __m512i o = _mm512_add_epi64(VECTOR_AT(a + k), deltas);
        _mm512_storeu_si512(to + k, _mm512_mask_i64gather_epi64(VECTOR_AT(to + k),
                                                                (__mmask8)(mask >> k), o,
                                                                host, 1));
    }
}

/* scatter: lane i to host + a[i] + delta. Where lanes meet, the highest one of a
 * vector wins, so they are turned round. True when memory was another one. */
static ALWAYS_INLINE bool scatter_uint32_t_uint32_t(const uint32_t *from, unsigned char *host,
                                                    const uint32_t *a, uint32_t delta,
                                                    uint32_t mask)
{
    const __m512i turned = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i o = _mm512_add_epi32(_mm512_permutexvar_epi32(turned, VECTOR_AT(a)),
                                 _mm512_set1_epi32((int)delta));
    __m512i value = _mm512_permutexvar_epi32(turned, VECTOR_AT(from));
    __mmask16 lanes = _mm512_movepi32_mask(
        _mm512_permutexvar_epi32(turned, _mm512_movm_epi32((__mmask16)mask)));
    __m512i old = _mm512_mask_i32gather_epi32(value, lanes, o, host, 1);
    _mm512_mask_i32scatter_epi32(host, lanes, o, value, 1);
    return _mm512_cmpneq_epi32_mask(old, value) != 0;
}

static ALWAYS_INLINE bool scatter_uint32_t_uint64_t(const uint32_t *from, unsigned char *host,
                                                    const uint64_t *a, uint64_t delta,
                                                    uint32_t mask)
{
    const __m512i turned = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i turned_values = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    uint32_t differ = 0;

    for (unsigned k = HALF; k > 0;) {
        k -= 8;
        __m512i o = _mm512_add_epi64(_mm512_permutexvar_epi64(turned, VECTOR_AT(a + k)),
                                     _mm512_set1_epi64((long long)delta));
        __m256i value = _mm256_permutexvar_epi32(
            turned_values, _mm256_loadu_si256((const void *)(from + k)));
        __mmask8 lanes = _mm512_movepi64_mask(_mm512_permutexvar_epi64(
            turned, _mm512_movm_epi64((__mmask8)(mask >> k))));
        __m256i old = _mm512_mask_i64gather_epi32(value, lanes, o, host, 1);
        _mm512_mask_i64scatter_epi32(host, lanes, o, value, 1);
        differ |= _mm256_cmpneq_epi32_mask(old, value);
    }
    return differ != 0;
}

static ALWAYS_INLINE bool put_uint32_t(unsigned char *to, const uint32_t *from, uint32_t mask)
{
    __mmask16 lanes = (__mmask16)mask;
    __m512i value = VECTOR_AT(from);
    uint32_t differ = _mm512_mask_cmpneq_epi32_mask(lanes, _mm512_maskz_loadu_epi32(lanes, to),
                                                    value);
    _mm512_mask_storeu_epi32(to, lanes, value);
    return differ != 0;
}

static ALWAYS_INLINE bool put_uint64_t(unsigned char *to, const uint64_t *from, uint32_t mask)
{
    uint32_t differ = 0;

    for (unsigned k = 0; k < HALF; k += 8) {
        __mmask8 lanes = (__mmask8)(mask >> k);
        __m512i value = VECTOR_AT(from + k);
        __m512i old = _mm512_maskz_loadu_epi64(lanes, to + 8 * k);
        differ |= _mm512_mask_cmpneq_epi64_mask(lanes, old, value);
        _mm512_mask_storeu_epi64(to + 8 * k, lanes, value);
    }
    return differ != 0;
}

#else

#define PLAIN_QUESTIONS(word)                                                \
    static ALWAYS_INLINE uint32_t next_##word(const word *a, word first, unsigned shift) \
    {                                                                        \
        uint32_t lanes = 0;                                                  \
        for (unsigned i = 0; i < HALF; i++)                                  \
            lanes |= (uint32_t)(a[i] == first + ((word)i << shift)) << i;    \
        return lanes;                                                        \
    }                                                                        \
    static ALWAYS_INLINE uint32_t same_##word(const word *a, word value)     \
    {                                                                        \
        uint32_t lanes = 0;                                                  \
        for (unsigned i = 0; i < HALF; i++)                                  \
            lanes |= (uint32_t)(a[i] == value) << i;                         \
        return lanes;                                                        \
    }                                                                        \
    static ALWAYS_INLINE uint32_t inside_##word(const word *a, word delta, word limit, \
                                                word low)                    \
    {                                                                        \
        uint32_t lanes = 0;                                                  \
        for (unsigned i = 0; i < HALF; i++) {                                \
            word o = a[i] + delta;                                           \
            lanes |= (uint32_t)(o <= limit && !(o & low)) << i;              \
        }                                                                    \
        return lanes;                                                        \
    }
PLAIN_QUESTIONS(uint32_t)
PLAIN_QUESTIONS(uint64_t)

#define PLAIN_MOVES(T)                                                       \
    static ALWAYS_INLINE void copy_##T(T *to, const unsigned char *from, uint32_t mask) \
    {                                                                        \
        if (mask == HALF_ALL)                                                \
            memcpy(to, from, HALF * sizeof(T));                              \
        else                                                                 \
            FOR_LANES (i, mask)                                              \
                memcpy(&to[i], from + i * sizeof(T), sizeof(T));             \
    }                                                                        \
    static ALWAYS_INLINE void fill_##T(T *to, T value, uint32_t mask)        \
    {                                                                        \
        INDEPENDENT for (unsigned i = 0; i < HALF; i++)                      \
            to[i] = mask >> i & 1 ? value : to[i];                           \
    }                                                                        \
    static ALWAYS_INLINE bool put_##T(unsigned char *to, const T *from, uint32_t mask) \
    {                                                                        \
        T differ = 0, old[HALF];                                             \
        if (mask == HALF_ALL) {                                              \
            memcpy(old, to, sizeof old);                                     \
            INDEPENDENT for (unsigned i = 0; i < HALF; i++)                  \
                differ |= old[i] ^ from[i];                                  \
            memcpy(to, from, sizeof old);                                    \
            return differ != 0;                                              \
        }                                                                    \
        FOR_LANES (i, mask) {                                                \
            memcpy(&old[0], to + i * sizeof(T), sizeof(T));                  \
            memcpy(to + i * sizeof(T), &from[i], sizeof(T));                 \
            differ |= old[0] ^ from[i];                                      \
        }                                                                    \
        return differ != 0;                                                  \
    }
PLAIN_MOVES(uint32_t)
PLAIN_MOVES(uint64_t)

#define PLAIN_GATHER(T, word)                                                \
    static ALWAYS_INLINE void gather_##T##_##word(T *to, const unsigned char *host, \
                                                  const word *a, word delta, \
                                                  uint32_t mask)             \
    {                                                                        \
        if (mask == HALF_ALL)                                                \
            for (unsigned i = 0; i < HALF; i++)                              \
                memcpy(&to[i], host + (word)(a[i] + delta), sizeof(T));      \
        else                                                                 \
            FOR_LANES (i, mask)                                              \
                memcpy(&to[i], host + (word)(a[i] + delta), sizeof(T));      \
    }
PLAIN_GATHER(uint32_t, uint32_t)
PLAIN_GATHER(uint32_t, uint64_t)
PLAIN_GATHER(uint64_t, uint32_t)
PLAIN_GATHER(uint64_t, uint64_t)

#endif

#define PLAIN_SCATTER(T, word)                                               \
    static ALWAYS_INLINE bool scatter_##T##_##word(const T *from, unsigned char *host, \
                                                   const word *a, word delta, \
                                                   uint32_t mask)            \
    {                                                                        \
        typedef T any __attribute__((aligned(1), may_alias));                \
        T differ = 0;                                                        \
        for (uint32_t left = mask, i; left; left &= ~(UINT32_C(1) << i)) {   \
            i = 31 - (unsigned)__builtin_clz(left);                          \
            any *at = (any *)(host + (word)(a[i] + delta));                  \
            differ |= *at ^ from[i];                                         \
            *at = from[i];                                                   \
        }                                                                    \
        return differ != 0;                                                  \
    }
#ifndef __AVX512F__
PLAIN_SCATTER(uint32_t, uint32_t)
PLAIN_SCATTER(uint32_t, uint64_t)
#endif
PLAIN_SCATTER(uint64_t, uint32_t)
PLAIN_SCATTER(uint64_t, uint64_t)

/* --- a half ------------------------------------------------------------------------ */

/* Where the half lies, in a stretch in which offsets up to limit are fine; false
 * when that is not in order. */
#define HALF_PLACE(word)                                                     \
    static ALWAYS_INLINE bool half_##word(const word *a, word delta, word limit, \
                                          unsigned shift, uint32_t mask,     \
                                          struct half *half)                 \
    {                                                                        \
        const word low = (word)(((word)1 << shift) - 1);                     \
        if (!mask) {                                                         \
            *half = (struct half){HALF_IDLE, 0};                             \
            return true;                                                     \
        }                                                                    \
        const unsigned lead = lane_first(mask);                              \
        const word first = a[lead] + delta;                                  \
        word last = first;                                                   \
        half->first = first;                                                 \
        if (!(mask & ~next_##word(a, a[lead] - ((word)lead << shift), shift))) { \
            half->kind = HALF_NEXT;                                          \
            half->first = (uint64_t)first - ((uint64_t)lead << shift);       \
            last += (word)(31 - (unsigned)__builtin_clz(mask) - lead) << shift; \
        } else if (!(mask & ~same_##word(a, a[lead]))) {                     \
            half->kind = HALF_SAME;                                          \
        } else {                                                             \
            half->kind = HALF_APART;                                         \
            return !(mask & ~inside_##word(a, delta, limit, low));           \
        }                                                                    \
        return first <= last && last <= limit && !(first & low);             \
    }
HALF_PLACE(uint32_t)
HALF_PLACE(uint64_t)

/* Lane 0 of a half may lie before the stretch when it is not active. */
#define HALF_AT(host, half) ((unsigned char *)((uintptr_t)(host) + (uintptr_t)(half)->first))

/* One element of each lane; count: elements of one access. */
#define HALF_MOVES(T, word)                                                  \
    static ALWAYS_INLINE void half_load_##T##_##word(                        \
        T *to, unsigned char *host, const struct half *half, const word *a, word delta, \
        unsigned count, uint32_t mask)                                       \
    {                                                                        \
        typedef T any __attribute__((aligned(1), may_alias));                \
        const any *from = (const any *)HALF_AT(host, half);                  \
        if (half->kind == HALF_APART) {                                      \
            gather_##T##_##word(to, host, a, delta, mask);                   \
        } else if (half->kind == HALF_SAME) {                                \
            fill_##T(to, *from, mask);                                       \
        } else if (half->kind == HALF_NEXT && count == 1) {                  \
            copy_##T(to, (const unsigned char *)from, mask);                 \
        } else if (half->kind == HALF_NEXT && mask == HALF_ALL) {            \
            INDEPENDENT for (unsigned i = 0; i < HALF; i++)                  \
                to[i] = from[i * count];                                     \
        } else {                                                             \
            FOR_LANES (i, mask)                                              \
                to[i] = from[i * count];                                     \
        }                                                                    \
    }                                                                        \
                                                                             \
    /* Of lanes that meet, the lowest one wins. True when memory changed. */ \
    static ALWAYS_INLINE bool half_store_##T##_##word(                       \
        const T *from, unsigned char *host, const struct half *half, const word *a, \
        word delta, unsigned count, uint32_t mask)                           \
    {                                                                        \
        typedef T any __attribute__((aligned(1), may_alias));                \
        any *to = (any *)HALF_AT(host, half);                                \
        T differ = 0;                                                        \
        if (half->kind == HALF_SAME) {                                       \
            differ = *to ^ from[lane_first(mask)];                           \
            *to = from[lane_first(mask)];                                    \
        } else if (half->kind == HALF_NEXT && count == 1) {                  \
            return put_##T((unsigned char *)to, from, mask);                 \
        } else if (half->kind == HALF_NEXT) {                                \
            FOR_LANES (i, mask) {                                            \
                differ |= to[i * count] ^ from[i];                           \
                to[i * count] = from[i];                                     \
            }                                                                \
        } else if (half->kind == HALF_APART) {                               \
            return scatter_##T##_##word(from, host, a, delta, mask);         \
        }                                                                    \
        return differ != 0;                                                  \
    }
HALF_MOVES(uint32_t, uint32_t)
HALF_MOVES(uint32_t, uint64_t)
HALF_MOVES(uint64_t, uint32_t)
HALF_MOVES(uint64_t, uint64_t)

/* --- a warp -------------------------------------------------------------------------- */

static ALWAYS_INLINE bool halves_in_order(const struct half *half)
{
    return half->kind == HALF_NEXT || half->kind == HALF_IDLE;
}

#define WORD_LIMIT_uint32_t INT32_MAX
#define WORD_LIMIT_uint64_t INT64_MAX
#define WORD_STARTS_uint32_t UINT32_MAX
#define WORD_STARTS_uint64_t UINT64_MAX

/* Both halves placed, or word_declined. */
#define WORD_PLACES(T, word, count)                                          \
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)sizeof(T) * (count)); \
    const word *a = operand_at(base, code->o.a);                             \
    const word delta = (word)((word)code->offset - (word)start);             \
    const uint64_t limit = size - (sizeof(T) * (count));                     \
    const uint32_t low = mask & HALF_ALL, high = mask >> HALF;               \
    struct half halves[2];                                                   \
    if (size < sizeof(T) * (count) || limit > WORD_LIMIT_##word ||           \
        start > WORD_STARTS_##word ||                                        \
        !half_##word(a, delta, (word)limit, shift, low, &halves[0]) ||       \
        !half_##word(a + HALF, delta, (word)limit, shift, high, &halves[1])) \
        return WORDS_DECLINED

#define WORDS(T, word, count)                                                \
    static enum words_done load_words_##T##_##word##_##count(                \
        const struct code *code, uint64_t start, uint64_t size, unsigned char *host, \
        unsigned char *const base[2], uint32_t mask)                         \
    {                                                                        \
        WORD_PLACES(T, word, count);                                         \
        for (unsigned e = 0; e < (count); e++) {                             \
            if (code->operands[e] == OPERAND_ABSENT)                         \
                continue;                                                    \
            T *to = operand_at(base, code->operands[e]);                     \
            unsigned char *element = host + e * sizeof(T);                   \
            half_load_##T##_##word(to, element, &halves[0], a, delta, count, low); \
            half_load_##T##_##word(to + HALF, element, &halves[1], a + HALF, delta, count, \
                                   high);                                    \
        }                                                                    \
        return WORDS_SAME;                                                   \
    }                                                                        \
                                                                             \
    /* See store_pass. Passes shorter than a half matter only where lanes of a half \
     * meet, which neighbours do not; other lanes are declined then. */      \
    static enum words_done store_words_##T##_##word##_##count(               \
        const struct code *code, uint64_t start, uint64_t size, unsigned char *host, \
        unsigned char *const base[2], uint32_t mask)                         \
    {                                                                        \
        const unsigned pass = store_pass(code->space, sizeof(T) * (count));  \
        WORD_PLACES(T, word, count);                                         \
        if (pass < HALF && (!halves_in_order(&halves[0]) || !halves_in_order(&halves[1]))) \
            return WORDS_DECLINED;                                           \
        const unsigned first = pass == LANES;                                \
        bool changed = false;                                                \
        for (unsigned e = 0; e < (count); e++) {                             \
            const T *from = operand_at(base, code->operands[2 + e]);         \
            unsigned char *element = host + e * sizeof(T);                   \
            for (unsigned turn = 0; turn < 2; turn++) {                      \
                unsigned h = turn ^ first;                                   \
                changed |= half_store_##T##_##word(                          \
                    from + h * HALF, element, &halves[h], a + h * HALF, delta, count, \
                    h ? high : low);                                         \
            }                                                                \
        }                                                                    \
        return changed ? WORDS_CHANGED : WORDS_SAME;                         \
    }
WORDS(uint32_t, uint32_t, 1)
WORDS(uint32_t, uint32_t, 2)
WORDS(uint32_t, uint32_t, 4)
WORDS(uint32_t, uint64_t, 1)
WORDS(uint32_t, uint64_t, 2)
WORDS(uint32_t, uint64_t, 4)
WORDS(uint64_t, uint32_t, 1)
WORDS(uint64_t, uint32_t, 2)
WORDS(uint64_t, uint64_t, 1)
WORDS(uint64_t, uint64_t, 2)

#define WORDS_TABLE(kind)                                                    \
    {{{kind##_words_uint32_t_uint32_t_1, kind##_words_uint32_t_uint32_t_2,   \
       kind##_words_uint32_t_uint32_t_4},                                    \
      {kind##_words_uint32_t_uint64_t_1, kind##_words_uint32_t_uint64_t_2,   \
       kind##_words_uint32_t_uint64_t_4}},                                   \
     {{kind##_words_uint64_t_uint32_t_1, kind##_words_uint64_t_uint32_t_2, NULL}, \
      {kind##_words_uint64_t_uint64_t_1, kind##_words_uint64_t_uint64_t_2, NULL}}}
