/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_loops.h - compiles every row of ir/ops.def into a 32-lane loop.
 *
 * Included once for each host instruction set, with LANE_TABLE set to the name
 * of the table to define. Three habits keep the loops vectorisable: the lanes
 * of a loop never depend on each other (the destination is either one of the
 * sources, lane for lane, or apart from them), a partial mask blends instead of
 * branching, and the mode is a constant in the copies that matter. */
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "emu/lane.h"
#include "ir/meaning.h"

#if defined(__clang__)
/* A row that cannot be a vector loop is no mistake. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Reading lane i of a source: a word, or a bit of a predicate (its low 32 bits,
 * a width that loops over 32-bit lanes can stay in). */
#define POINTER(T, operand) ((const lane_##T *)operand_at(base, operand))
#define WORD(p, i) ((p)[i])
#define BIT(p, i) (((uint32_t)*(p) >> (i)) & 1)
#define GET_none(p, i) 0
#define GET_pred(p, i) BIT(p, i)
#define GET_b8 WORD
#define GET_u8 WORD
#define GET_s8 WORD
#define GET_b16 WORD
#define GET_u16 WORD
#define GET_s16 WORD
#define GET_f16 WORD
#define GET_bf16 WORD
#define GET_e4m3x2 WORD
#define GET_e5m2x2 WORD
#define GET_b32 WORD
#define GET_u32 WORD
#define GET_s32 WORD
#define GET_f32 WORD
#define GET_tf32 WORD
#define GET_f16x2 WORD
#define GET_bf16x2 WORD
#define GET_u16x2 WORD
#define GET_s16x2 WORD
#define GET_b64 WORD
#define GET_u64 WORD
#define GET_s64 WORD
#define GET_f64 WORD
#define GET_f32x2 WORD

/* Each byte is 0 or 1. */
static inline uint32_t bytes_to_mask(const unsigned char *bytes)
{
#ifdef __AVX2__
    __m256i ones = _mm256_loadu_si256((const void *)bytes);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(ones, _mm256_setzero_si256()));
#else
    uint32_t mask = 0;

    /* The multiplication gathers eight of them. */
    for (unsigned i = 0; i < LANES / 8; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, 8);
        mask |= (uint32_t)((word * UINT64_C(0x0102040810204080)) >> 56) << (8 * i);
    }
    return mask;
#endif
}

/* The bodies, one for a word result and one for a predicate. */
#define DECLARE_SOURCES(A, B, C, E)                                          \
    const lane_##A *pa = POINTER(A, operands->a);                            \
    const lane_##B *pb = POINTER(B, operands->b);                            \
    const lane_##C *pc = POINTER(C, operands->c);                            \
    const lane_##E *pe = POINTER(E, operands->e);                            \
    (void)pa, (void)pb, (void)pc, (void)pe

#define AT_I(A, B, C, E)                                                     \
    const lane_##A a = (lane_##A)GET_##A(pa, i);                             \
    const lane_##B b = (lane_##B)GET_##B(pb, i);                             \
    const lane_##C c = (lane_##C)GET_##C(pc, i);                             \
    const lane_##E e = (lane_##E)GET_##E(pe, i);                             \
    (void)a, (void)b, (void)c, (void)e

#define LOOP_WORD(D, A, B, C, E, expression)                                 \
    do {                                                                     \
        lane_##D *d = operand_at(base, operands->d);                         \
        if (mask == LANES_ALL) {                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
            {                                                                \
                AT_I(A, B, C, E);                                            \
                d[i] = (lane_##D)(expression);                               \
            }                                                                \
        } else {                                                             \
            INDEPENDENT for (unsigned i = 0; i < LANES; i++)                 \
            {                                                                \
                AT_I(A, B, C, E);                                            \
                lane_##D r = (lane_##D)(expression);                         \
                d[i] = (mask >> i) & 1 ? r : d[i];                           \
            }                                                                \
        }                                                                    \
    } while (0)

#define LOOP_PRED(D, A, B, C, E, expression)                                 \
    do {                                                                     \
        unsigned char bytes[LANES];                                          \
        uint64_t *d = operand_at(base, operands->d);                         \
        INDEPENDENT for (unsigned i = 0; i < LANES; i++)                     \
        {                                                                    \
            AT_I(A, B, C, E);                                                \
            bytes[i] = (unsigned char)(expression);                          \
        }                                                                    \
        *d = (*d & ~(uint64_t)mask) | (bytes_to_mask(bytes) & mask);         \
    } while (0)

#define LOOP_none LOOP_WORD
#define LOOP_pred LOOP_PRED
#define LOOP_b8 LOOP_WORD
#define LOOP_u8 LOOP_WORD
#define LOOP_s8 LOOP_WORD
#define LOOP_b16 LOOP_WORD
#define LOOP_u16 LOOP_WORD
#define LOOP_s16 LOOP_WORD
#define LOOP_f16 LOOP_WORD
#define LOOP_bf16 LOOP_WORD
#define LOOP_e4m3x2 LOOP_WORD
#define LOOP_e5m2x2 LOOP_WORD
#define LOOP_b32 LOOP_WORD
#define LOOP_u32 LOOP_WORD
#define LOOP_s32 LOOP_WORD
#define LOOP_f32 LOOP_WORD
#define LOOP_tf32 LOOP_WORD
#define LOOP_f16x2 LOOP_WORD
#define LOOP_bf16x2 LOOP_WORD
#define LOOP_u16x2 LOOP_WORD
#define LOOP_s16x2 LOOP_WORD
#define LOOP_b64 LOOP_WORD
#define LOOP_u64 LOOP_WORD
#define LOOP_s64 LOOP_WORD
#define LOOP_f64 LOOP_WORD
#define LOOP_f32x2 LOOP_WORD

#define BODY_0(D, A, B, C, E, expression)                                    \
    const unsigned mode = 0;                                                 \
    (void)mode;                                                              \
    LOOP_##D(D, A, B, C, E, expression)

/* A mode known when compiling lets the expression shrink to plain arithmetic. */
#define LOOP_WITH(known, D, A, B, C, E, expression)                          \
    {                                                                        \
        const unsigned mode = (known);                                       \
        LOOP_##D(D, A, B, C, E, expression);                                 \
    }
#define BODY_1(D, A, B, C, E, expression)                                    \
    if (operands->mode == 0)                                                 \
        LOOP_WITH(0, D, A, B, C, E, expression)                              \
    else if (operands->mode == MODE_FTZ)                                     \
        LOOP_WITH(MODE_FTZ, D, A, B, C, E, expression)                       \
    else                                                                     \
        LOOP_WITH(operands->mode, D, A, B, C, E, expression)
#define BODY_2(D, A, B, C, E, expression)                                    \
    if (operands->mode == ROUND_ZERO)                                        \
        LOOP_WITH(ROUND_ZERO, D, A, B, C, E, expression)                     \
    else if (operands->mode == (ROUND_ZERO | MODE_FTZ))                      \
        LOOP_WITH(ROUND_ZERO | MODE_FTZ, D, A, B, C, E, expression)          \
    else                                                                     \
        LOOP_WITH(operands->mode, D, A, B, C, E, expression)

#define ROW(n, moded, op, D, A, B, C, E, expression)                         \
    static void lane_##op##_##D##_##A(const struct lane_operands *operands,  \
                                      unsigned char *const base[2],          \
                                      uint32_t mask)                         \
    {                                                                        \
        DECLARE_SOURCES(A, B, C, E);                                         \
        BODY_##moded(D, A, B, C, E, expression);                             \
    }
#include "ir/rows.h"

#include "emu/mufu_loops.h"

/* The rows that exist in stages come second and count. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
extern lane_function *const LANE_TABLE[IR_ROW_COUNT];
lane_function *const LANE_TABLE[IR_ROW_COUNT] = {
#define ROW(n, moded, op, D, A, B, C, E, expression) \
    [IR_ROW_##op##_##D##_##A] = lane_##op##_##D##_##A,
#include "ir/rows.h"
    STAGED_ROWS,
};
