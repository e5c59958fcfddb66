/* SPDX-License-Identifier: Apache-2.0
 *
 * access_loops.h - loads and stores of a whole warp within one window.
 *
 * Included once for each host instruction set, with ACCESS_TABLE set to the name
 * of the table to define. One pass over the addresses tells without branching
 * whether all lanes lie inside of the window, are aligned, follow one another,
 * or agree; neighbours are then copied as a block, equal addresses read once. */
#include <string.h>

#include "emu/access.h"

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Device memory is little-endian, and so are the hosts this is built for. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error a little-endian host is needed
#endif

struct pattern {
    uint64_t first;     /* offset of the first active lane */
    bool contiguous;    /* each active lane one access further than the one before */
    bool uniform;
    uint64_t offset[LANES]; /* in the window's host bytes; only when neither */
};

/* Offsets are compared by their sign bits: o and limit - o are both
 * non-negative exactly when 0 <= o <= limit, since limit is small enough. */
#define PROBE(word)                                                          \
    static inline bool probe_##word(const word *address, word delta, word limit, \
                                    word size, uint64_t stride, uint32_t mask, \
                                    struct pattern *pattern)                 \
    {                                                                        \
        const unsigned lead = lane_first(mask);                              \
        const word first = address[lead] + delta;                            \
        const word line = first - size * (word)lead;                         \
        word outside = 0, low = 0, apart = 0, differ = 0;                    \
        if (mask == LANES_ALL) {                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
            {                                                                \
                word o = address[i] + delta;                                 \
                outside |= o | (limit - o);                                  \
                low |= o;                                                    \
                apart |= o ^ (line + size * (word)i);                        \
                differ |= o ^ first;                                         \
            }                                                                \
        } else {                                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
            {                                                                \
                word active = (word)0 - (word)((mask >> i) & 1);             \
                word o = address[i] + delta;                                 \
                outside |= (o | (limit - o)) & active;                       \
                low |= o & active;                                           \
                apart |= (o ^ (line + size * (word)i)) & active;             \
                differ |= (o ^ first) & active;                              \
            }                                                                \
        }                                                                    \
        if (outside >> (8 * sizeof(word) - 1) || low & (size - 1))           \
            return false;                                                    \
        pattern->first = first;                                              \
        pattern->contiguous = apart == 0 && stride == 0;                     \
        pattern->uniform = differ == 0 && stride == 0;                       \
        if (!pattern->contiguous && !pattern->uniform) {                     \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
                pattern->offset[i] = (word)(address[i] + delta) + stride * i; \
        }                                                                    \
        return true;                                                         \
    }
PROBE(uint32_t)
PROBE(uint64_t)

static inline bool probe(const struct code *code, const struct window *window,
                         uint64_t fixed, uint32_t size, unsigned char *const base[2],
                         uint32_t mask, struct pattern *pattern)
{
    const uint64_t delta = (uint64_t)code->offset - window->base;

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
        return limit <= INT64_MAX && probe_uint64_t(address, delta, limit, size,
                                                    window->stride, mask, pattern);
    return limit <= INT32_MAX && window->base <= UINT32_MAX &&
           probe_uint32_t(address, (uint32_t)delta, (uint32_t)limit, size,
                          window->stride, mask, pattern);
}

/* --- moving one element of each lane ------------------------------------------- */

/* T is the type in memory, R the register word; a signed T extends its sign. */
#define LOADS(T, R)                                                          \
    static inline void load_##T##_##R(const unsigned char *from,             \
                                      const struct pattern *pattern,         \
                                      uint32_t step, void *to, uint32_t mask) \
    {                                                                        \
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
            } else {                                                         \
                FOR_LANES (i, mask) {                                        \
                    memcpy(&value, from + (uint64_t)i * step, sizeof value); \
                    d[i] = (R)value;                                         \
                }                                                            \
            }                                                                \
        } else if (mask == LANES_ALL) {                                      \
            for (unsigned i = 0; i < LANES; i++) {                           \
                memcpy(&value, from + pattern->offset[i], sizeof value);     \
                d[i] = (R)value;                                             \
            }                                                                \
        } else {                                                             \
            FOR_LANES (i, mask) {                                            \
                memcpy(&value, from + pattern->offset[i], sizeof value);     \
                d[i] = (R)value;                                             \
            }                                                                \
        }                                                                    \
    }

/* Lanes in ascending order: the highest one wins where they write the same
 * bytes. True when any byte changed. */
#define STORES(T, R)                                                         \
    static inline bool store_##T##_##R(unsigned char *to,                    \
                                       const struct pattern *pattern,        \
                                       uint32_t step, const void *from,      \
                                       uint32_t mask)                        \
    {                                                                        \
        const R *s = from;                                                   \
        T changed = 0;                                                       \
        T old, value;                                                        \
        if (pattern->uniform) {                                              \
            to += pattern->first;                                            \
            value = (T)s[31 - __builtin_clz(mask)];                          \
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
        FOR_LANES (i, mask) {                                                \
            uint64_t offset = pattern->contiguous                            \
                ? pattern->first + (uint64_t)(i - lane_first(mask)) * step   \
                : pattern->offset[i];                                        \
            value = (T)s[i];                                                 \
            memcpy(&old, to + offset, sizeof old);                           \
            memcpy(to + offset, &value, sizeof value);                       \
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

    if (!probe(code, window, fixed, step, base, mask, &pattern))
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
    struct pattern pattern;
    bool any = false;

    if (!probe(code, window, fixed, step, base, mask, &pattern))
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

static bool access_place(const struct code *code, const struct window *window,
                         uint64_t fixed, uint32_t size, unsigned char *const base[2],
                         uint32_t mask, uint64_t offset[LANES])
{
    struct pattern pattern;

    if (!probe(code, window, fixed, size, base, mask, &pattern))
        return false;
    if (pattern.uniform) {
        for (unsigned i = 0; i < LANES; i++)
            offset[i] = pattern.first;
    } else if (pattern.contiguous) {
        for (unsigned i = 0; i < LANES; i++)
            offset[i] = pattern.first + (uint64_t)size * (i - lane_first(mask));
    } else {
        memcpy(offset, pattern.offset, sizeof pattern.offset);
    }
    return true;
}

extern const struct access_table ACCESS_TABLE;
const struct access_table ACCESS_TABLE = {access_load, access_store, access_place};
