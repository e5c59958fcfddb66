/* SPDX-License-Identifier: Apache-2.0
 *
 * access_loops.h - loads and stores of a whole warp within one window.
 *
 * Included once for each host instruction set, with ACCESS_TABLE set to the name
 * of the table to define. Passes over the addresses without branches tell whether
 * the lanes follow one another, agree, or at least lie inside of the window and
 * are aligned; neighbours are copied as a block, equal addresses read once. */
#include <string.h>

#include "emu/access.h"

#if defined(__clang__)
/* A loop that cannot be a vector loop is no mistake. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Device memory is little-endian, and so are the hosts this is built for. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error a little-endian host is needed
#endif

/* Where the lanes' accesses lie in a window. */
struct pattern {
    uint64_t first;         /* offset of the first active lane */
    bool contiguous;        /* each lane one access further than the one before */
    bool uniform;           /* all the same */
    unsigned pass;          /* stores: see store_pass */
    uint64_t offset[LANES]; /* from the window's host bytes; only when neither */
};

/* Inactive lanes take no part: their bits are cleared from each result. Offsets
 * are compared by sign bits: o and limit - o are both non-negative exactly when
 * 0 <= o <= limit, since no window is so large that limit has its top bit set. */
#define PROBE(word)                                                          \
    static inline word active_##word(uint32_t mask, unsigned i)              \
    {                                                                        \
        return mask == LANES_ALL ? (word)-1 : (word)0 - (word)((mask >> i) & 1); \
    }                                                                        \
                                                                             \
    static ALWAYS_INLINE bool steps_in_##word(const word *address, word line, \
                                              unsigned shift, uint32_t mask) \
    {                                                                        \
        word apart = 0;                                                      \
        INDEPENDENT for (word i = 0; i < LANES; i++)                         \
            apart |= (address[i] ^ (line + (i << shift))) &                  \
                     active_##word(mask, (unsigned)i);                       \
        return apart == 0;                                                   \
    }                                                                        \
                                                                             \
    static ALWAYS_INLINE bool agree_in_##word(const word *address, word first, \
                                              uint32_t mask)                 \
    {                                                                        \
        word apart = 0;                                                      \
        INDEPENDENT for (unsigned i = 0; i < LANES; i++)                     \
            apart |= (address[i] ^ first) & active_##word(mask, i);          \
        return apart == 0;                                                   \
    }                                                                        \
                                                                             \
    static ALWAYS_INLINE bool scattered_in_##word(const word *address, word delta, \
                                                  word limit, word size,     \
                                                  uint64_t stride, uint32_t mask, \
                                                  uint64_t *offset)          \
    {                                                                        \
        word outside = 0, low = 0;                                           \
        INDEPENDENT for (unsigned i = 0; i < LANES; i++)                     \
        {                                                                    \
            word o = address[i] + delta;                                     \
            outside |= (o | (limit - o)) & active_##word(mask, i);           \
            low |= o & active_##word(mask, i);                               \
            offset[i] = o + stride * i;                                      \
        }                                                                    \
        return !(outside >> (8 * sizeof(word) - 1) || low & (size - 1));     \
    }                                                                        \
                                                                             \
    /* Whole warps get a copy of the loops without masks. */                 \
    static inline bool steps_##word(const word *address, word line,          \
                                    unsigned shift, uint32_t mask)           \
    {                                                                        \
        return mask == LANES_ALL ? steps_in_##word(address, line, shift, LANES_ALL) \
                                 : steps_in_##word(address, line, shift, mask); \
    }                                                                        \
    static inline bool agree_##word(const word *address, word first, uint32_t mask) \
    {                                                                        \
        return mask == LANES_ALL ? agree_in_##word(address, first, LANES_ALL) \
                                 : agree_in_##word(address, first, mask);    \
    }                                                                        \
    static inline bool scattered_##word(const word *address, word delta, word limit, \
                                        word size, uint64_t stride, uint32_t mask, \
                                        uint64_t *offset)                    \
    {                                                                        \
        return mask == LANES_ALL                                             \
                   ? scattered_in_##word(address, delta, limit, size, stride, LANES_ALL, \
                                         offset)                             \
                   : scattered_in_##word(address, delta, limit, size, stride, mask, \
                                         offset);                            \
    }                                                                        \
                                                                             \
    /* Neighbours and equals need only their ends compared. */               \
    static inline bool probe_##word(const word *address, word delta, word limit, \
                                    unsigned shift, uint64_t stride, uint32_t mask, \
                                    struct pattern *pattern)                 \
    {                                                                        \
        const word size = (word)1 << shift;                                  \
        const unsigned lead = lane_first(mask);                              \
        const word first = address[lead] + delta;                            \
        word last = first;                                                   \
        pattern->first = first;                                              \
        pattern->contiguous = pattern->uniform = false;                      \
        if (stride == 0 &&                                                   \
            steps_##word(address, address[lead] - ((word)lead << shift), shift, mask)) { \
            pattern->contiguous = true;                                      \
            last += (word)(31 - (unsigned)__builtin_clz(mask) - lead) << shift; \
        } else if (stride == 0 && agree_##word(address, address[lead], mask)) { \
            pattern->uniform = true;                                         \
        } else {                                                             \
            return scattered_##word(address, delta, limit, size, stride, mask, \
                                    pattern->offset);                        \
        }                                                                    \
        return first <= last && last <= limit && (first & (size - 1)) == 0;  \
    }
PROBE(uint32_t)
PROBE(uint64_t)

/* shift: the base-two logarithm of the bytes of one lane's access. */
static inline bool probe(const struct code *code, const struct window *window,
                         uint64_t fixed, unsigned shift, unsigned char *const base[2],
                         uint32_t mask, struct pattern *pattern)
{
    const uint64_t delta = (uint64_t)code->offset - window->base;
    const uint64_t size = UINT64_C(1) << shift;

    if (window->size < size)
        return false;
    const uint64_t limit = window->size - size;
    if (code->address_kind != ADDRESS_REGISTER) {
        uint64_t offset = fixed - window->base;
        if (offset > limit || offset & (size - 1))
            return false;
        pattern->first = offset;
        pattern->uniform = window->stride == 0;
        pattern->contiguous = false;
        for (unsigned i = 0; window->stride && i < LANES; i++)
            pattern->offset[i] = offset + window->stride * i;
        return true;
    }
    const void *address = operand_at(base, code->o.a);
    if (code->address_bytes == 8)
        return limit <= INT64_MAX &&
               probe_uint64_t(address, delta, limit, shift, window->stride, mask, pattern);
    return limit <= INT32_MAX && window->base <= UINT32_MAX &&
           probe_uint32_t(address, (uint32_t)delta, (uint32_t)limit, shift,
                          window->stride, mask, pattern);
}

/* --- moving one element of each lane ------------------------------------------- */

/* T is the type in memory, R the register word; a signed T extends its sign. Host
 * bytes may lie at any address: those of a parameter block are the caller's. */
#define LOADS(T, R)                                                          \
    static inline void load_##T##_##R(const unsigned char *from,             \
                                      const struct pattern *pattern,         \
                                      uint32_t step, void *to, uint32_t mask) \
    {                                                                        \
        typedef T any __attribute__((aligned(1)));                           \
        R *d = to;                                                           \
        T value;                                                             \
        if (pattern->uniform) {                                              \
            memcpy(&value, from + pattern->first, sizeof value);             \
            R wide = (R)value;                                               \
            if (mask == LANES_ALL)                                           \
                for (unsigned i = 0; i < LANES; i++)                         \
                    d[i] = wide;                                             \
            else                                                             \
                FOR_LANES (i, mask)                                          \
                    d[i] = wide;                                             \
        } else if (pattern->contiguous) {                                    \
            from += pattern->first - (uint64_t)lane_first(mask) * step;      \
            if (mask == LANES_ALL && step == sizeof(T)) {                    \
                T values[LANES];                                             \
                memcpy(values, from, sizeof values);                         \
                INDEPENDENT for (unsigned i = 0; i < LANES; i++)             \
                    d[i] = (R)values[i];                                     \
            } else if (mask == LANES_ALL && step == 2 * sizeof(T)) {         \
                const any *values = (const any *)from;                       \
                INDEPENDENT for (unsigned i = 0; i < LANES; i++)             \
                    d[i] = (R)values[2 * i];                                 \
            } else if (mask == LANES_ALL && step == 4 * sizeof(T)) {         \
                const any *values = (const any *)from;                       \
                INDEPENDENT for (unsigned i = 0; i < LANES; i++)             \
                    d[i] = (R)values[4 * i];                                 \
            } else if (step == sizeof(T)) {                                  \
                const any *values = (const any *)from;                       \
                INDEPENDENT for (unsigned i = 0; i < LANES; i++)             \
                    if (mask >> i & 1)                                       \
                        d[i] = (R)values[i];                                 \
            } else {                                                         \
                FOR_LANES (i, mask) {                                        \
                    memcpy(&value, from + (uint64_t)i * step, sizeof value); \
                    d[i] = (R)value;                                         \
                }                                                            \
            }                                                                \
        } else if (mask == LANES_ALL) {                                      \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                d[i] = (R) * (const any *)(from + pattern->offset[i]);       \
        } else {                                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                if (mask >> i & 1)                                           \
                    d[i] = (R) * (const any *)(from + pattern->offset[i]);   \
        }                                                                    \
    }

/* Lanes by passes, within a pass in descending order: see store_pass. True when any
 * byte changed. */
#define STORES(T, R)                                                         \
    static inline bool store_##T##_##R(unsigned char *to,                    \
                                       const struct pattern *pattern,        \
                                       uint32_t step, const void *from,      \
                                       uint32_t mask)                        \
    {                                                                        \
        typedef T any __attribute__((aligned(1)));                           \
        const R *s = from;                                                   \
        T changed = 0;                                                       \
        T old, value;                                                        \
        if (pattern->uniform) {                                              \
            to += pattern->first;                                            \
            value = (T)s[store_winner(mask, pattern->pass)];                 \
            memcpy(&old, to, sizeof old);                                    \
            memcpy(to, &value, sizeof value);                                \
            return old != value;                                             \
        }                                                                    \
        if (pattern->contiguous && mask == LANES_ALL && step == sizeof(T)) { \
            T olds[LANES], values[LANES];                                    \
            to += pattern->first;                                            \
            memcpy(olds, to, sizeof olds);                                   \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                values[i] = (T)s[i];                                         \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                changed |= (T)(values[i] ^ olds[i]);                         \
            memcpy(to, values, sizeof values);                               \
            return changed != 0;                                             \
        }                                                                    \
        if (pattern->contiguous) {                                           \
            to += pattern->first - (uint64_t)lane_first(mask) * step;        \
            FOR_LANES (i, mask) {                                            \
                value = (T)s[i];                                             \
                memcpy(&old, to + (uint64_t)i * step, sizeof old);           \
                memcpy(to + (uint64_t)i * step, &value, sizeof value);       \
                changed |= (T)(old ^ value);                                 \
            }                                                                \
            return changed != 0;                                             \
        }                                                                    \
        if (mask == LANES_ALL) {                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                changed |= (T)(*(const any *)(to + pattern->offset[i]) ^ s[i]); \
            for (unsigned i = 0; i < LANES; i++) {                           \
                unsigned lane = i ^ (pattern->pass - 1);                     \
                *(any *)(to + pattern->offset[lane]) = (T)s[lane];           \
            }                                                                \
            return changed != 0;                                             \
        }                                                                    \
        FOR_STORE_LANES (i, mask, pattern->pass) {                           \
            value = (T)s[i];                                                 \
            memcpy(&old, to + pattern->offset[i], sizeof old);               \
            memcpy(to + pattern->offset[i], &value, sizeof value);           \
            changed |= (T)(old ^ value);                                     \
        }                                                                    \
        return changed != 0;                                                 \
    }

typedef unsigned __int128 uint128_t;
/* clang-format off */
LOADS(uint8_t, uint16_t)  LOADS(uint8_t, uint32_t)  LOADS(uint8_t, uint64_t)
LOADS(int8_t, uint16_t)   LOADS(int8_t, uint32_t)   LOADS(int8_t, uint64_t)
LOADS(uint16_t, uint16_t) LOADS(uint16_t, uint32_t) LOADS(uint16_t, uint64_t)
LOADS(int16_t, uint32_t)  LOADS(int16_t, uint64_t)
LOADS(uint32_t, uint32_t) LOADS(uint32_t, uint64_t) LOADS(int32_t, uint64_t)
LOADS(uint64_t, uint64_t) LOADS(uint128_t, uint128_t)
STORES(uint8_t, uint16_t)  STORES(uint8_t, uint32_t)  STORES(uint8_t, uint64_t)
STORES(uint16_t, uint16_t) STORES(uint16_t, uint32_t) STORES(uint16_t, uint64_t)
STORES(uint32_t, uint32_t) STORES(uint32_t, uint64_t)
STORES(uint64_t, uint64_t) STORES(uint128_t, uint128_t)
/* clang-format on */

#define SHAPE(bytes, value_bytes, extends) \
    ((uint32_t)(bytes) << 16 | (uint32_t)(value_bytes) << 8 | (extends))

static bool access_load(const struct code *code, const struct window *window,
                        uint64_t fixed, unsigned char *const base[2], uint32_t mask)
{
    const uint32_t bytes = ir_type_bytes(code->type);
    const uint32_t step = bytes * code->vector;
    const bool extends = ir_types[code->type].kind == IR_KIND_S;
    struct pattern pattern;

    if (!probe(code, window, fixed, (unsigned)__builtin_ctz(step), base, mask, &pattern))
        return false;
    /* Elements after the first are at the same places of a window further on. */
    for (uint32_t e = 0; e < code->vector; e++) {
        const unsigned char *from = window->host + e * bytes;
        uint32_t operand = code->operands[e];
        if (operand == OPERAND_ABSENT)
            continue;
        void *to = operand_at(base, operand);
        switch (SHAPE(bytes, code->value_bytes, extends && bytes < code->value_bytes)) {
#define CASE(bytes, value, extends, T, R)                                    \
    case SHAPE(bytes, value, extends):                                       \
        load_##T##_##R(from, &pattern, step, to, mask);                      \
        break;
            CASE(1, 2, 0, uint8_t, uint16_t)
            CASE(1, 4, 0, uint8_t, uint32_t)
            CASE(1, 8, 0, uint8_t, uint64_t)
            CASE(1, 2, 1, int8_t, uint16_t)
            CASE(1, 4, 1, int8_t, uint32_t)
            CASE(1, 8, 1, int8_t, uint64_t)
            CASE(2, 2, 0, uint16_t, uint16_t)
            CASE(2, 4, 0, uint16_t, uint32_t)
            CASE(2, 8, 0, uint16_t, uint64_t)
            CASE(2, 4, 1, int16_t, uint32_t)
            CASE(2, 8, 1, int16_t, uint64_t)
            CASE(4, 4, 0, uint32_t, uint32_t)
            CASE(4, 8, 0, uint32_t, uint64_t)
            CASE(4, 8, 1, int32_t, uint64_t)
            CASE(8, 8, 0, uint64_t, uint64_t)
            CASE(16, 16, 0, uint128_t, uint128_t)
#undef CASE
        default:
            return false;
        }
    }
    return true;
}

static bool access_store(const struct code *code, const struct window *window,
                         uint64_t fixed, unsigned char *const base[2], uint32_t mask,
                         bool *changed)
{
    const uint32_t bytes = ir_type_bytes(code->type);
    const uint32_t step = bytes * code->vector;
    struct pattern pattern = {.pass = store_pass(window->space, step)};
    bool any = false;

    if (!probe(code, window, fixed, (unsigned)__builtin_ctz(step), base, mask, &pattern))
        return false;
    for (uint32_t e = 0; e < code->vector; e++) {
        unsigned char *to = window->host + e * bytes;
        const void *from = operand_at(base, code->operands[2 + e]);
        switch (SHAPE(bytes, code->value_bytes, 0)) {
#define CASE(bytes, value, T, R)                                             \
    case SHAPE(bytes, value, 0):                                             \
        any |= store_##T##_##R(to, &pattern, step, from, mask);              \
        break;
            CASE(1, 2, uint8_t, uint16_t)
            CASE(1, 4, uint8_t, uint32_t)
            CASE(1, 8, uint8_t, uint64_t)
            CASE(2, 2, uint16_t, uint16_t)
            CASE(2, 4, uint16_t, uint32_t)
            CASE(2, 8, uint16_t, uint64_t)
            CASE(4, 4, uint32_t, uint32_t)
            CASE(4, 8, uint32_t, uint64_t)
            CASE(8, 8, uint64_t, uint64_t)
            CASE(16, 16, uint128_t, uint128_t)
#undef CASE
        default:
            return false;
        }
    }
    *changed = any;
    return true;
}

static enum access_lie access_place(const struct code *code, const struct window *window,
                                    uint64_t fixed, uint32_t size,
                                    unsigned char *const base[2], uint32_t mask,
                                    uint64_t offset[LANES])
{
    struct pattern pattern;

    if (!probe(code, window, fixed, (unsigned)__builtin_ctz(size), base, mask, &pattern))
        return LIE_NOWHERE;
    if (pattern.uniform) {
        for (unsigned i = 0; i < LANES; i++)
            offset[i] = pattern.first;
        return LIE_SAME;
    }
    if (pattern.contiguous) {
        for (unsigned i = 0; i < LANES; i++)
            offset[i] = pattern.first + (uint64_t)size * (i - lane_first(mask));
        return LIE_NEXT;
    }
    memcpy(offset, pattern.offset, sizeof pattern.offset);
    return LIE_APART;
}

static bool access_inside(const uint64_t address[LANES], const struct window *window,
                          uint32_t size, uint32_t align, uint32_t mask,
                          uint64_t offset[LANES])
{
    return window->size >= size && window->size - size <= INT64_MAX &&
           scattered_uint64_t(address, (uint64_t)0 - window->base, window->size - size, align,
                              window->stride, mask, offset);
}

#include "emu/word_loops.h"

/* --- accesses that lie as one before -------------------------------------------------- */

#ifdef __AVX512F__

static bool access_alike_4(const uint32_t *address, uint32_t origin,
                           const uint32_t place[LANES], uint32_t mask)
{
    const __m512i origins = _mm512_set1_epi32((int)origin);
    uint32_t low = _mm512_cmpeq_epi32_mask(VECTOR_AT(address),
                                           _mm512_add_epi32(origins, VECTOR_AT(place)));
    uint32_t high = _mm512_cmpeq_epi32_mask(
        VECTOR_AT(address + HALF), _mm512_add_epi32(origins, VECTOR_AT(place + HALF)));

    return !(mask & ~(low | high << HALF));
}

static bool access_alike_8(const uint64_t *address, uint64_t origin,
                           const uint32_t place[LANES], uint32_t mask)
{
    const __m512i origins = _mm512_set1_epi64((long long)origin);
    uint32_t same = 0;

    for (unsigned i = 0; i < LANES; i += 8) {
        __m512i places = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)(place + i)));
        same |= (uint32_t)_mm512_cmpeq_epi64_mask(VECTOR_AT(address + i),
                                                  _mm512_add_epi64(origins, places)) << i;
    }
    return !(mask & ~same);
}

#else

#define PLAIN_ALIKE(name, word)                                              \
    static bool name(const word *address, word origin, const uint32_t place[LANES], \
                     uint32_t mask)                                          \
    {                                                                        \
        word apart = 0;                                                      \
        if (mask == LANES_ALL) {                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                apart |= address[i] ^ (origin + place[i]);                   \
        } else {                                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                apart |= (address[i] ^ (origin + place[i])) & active_##word(mask, i); \
        }                                                                    \
        return apart == 0;                                                   \
    }
PLAIN_ALIKE(access_alike_4, uint32_t)
PLAIN_ALIKE(access_alike_8, uint64_t)

#endif

extern const struct access_table ACCESS_TABLE;
const struct access_table ACCESS_TABLE = {
    access_load, access_store, access_place, access_inside, access_alike_4, access_alike_8,
    WORDS_TABLE(load), WORDS_TABLE(store)};
