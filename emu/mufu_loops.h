/* SPDX-License-Identifier: Apache-2.0
 *
 * mufu_loops.h - the approximate instructions over 32 lanes.
 *
 * Included by lane_loops.h. The same functions of numeric/mufu.h and approx.h that
 * are the meaning of these rows, but one stage after the other with the lanes in
 * between in memory: the sums have vector code of their own (mufu_words.h), and the stages
 * around it are loops. */
#include "emu/mufu_words.h"
#include "emu/mufu_plain.h"

struct mufu_lanes {
    uint32_t x[LANES], m[LANES]; /* the unit's operand, the sum's argument */
    int32_t whole[LANES];
    uint32_t part[LANES];
    uint32_t y[LANES]; /* what the unit gives */
};

/* From x to y. */
#define MUFU_STAGES(unit, FUNCTION, segments)                                \
    static inline __attribute__((always_inline)) void                        \
    mufu_stages_##unit(struct mufu_lanes *lanes)                             \
    {                                                                        \
        const uint32_t *x = lanes->x;                                        \
        EACH_LANE lanes->m[i] = mufu_##unit##_m(x[i]);                       \
        mufu_sums(FUNCTION, segments, lanes->m, lanes->whole, lanes->part);  \
        EACH_LANE                                                            \
        {                                                                    \
            struct mufu_sum sum = {lanes->whole[i], lanes->part[i]};         \
            lanes->y[i] = mufu_##unit##_r(x[i], sum);                        \
        }                                                                    \
    }
MUFU_STAGES(rcp, MUFU_RCP, 128)
MUFU_STAGES(rsqrt, MUFU_RSQRT, 128)
MUFU_STAGES(sqrt, MUFU_SQRT, 128)
MUFU_STAGES(ex2, MUFU_EX2, 64)
MUFU_STAGES(lg2, MUFU_LG2, 64)
MUFU_STAGES(rcp_high, MUFU_RCP, 128)
MUFU_STAGES(rsqrt_high, MUFU_RSQRT, 128)

static inline __attribute__((always_inline)) void mufu_stages_sine(struct mufu_lanes *lanes,
                                                                   uint32_t quarter)
{
    const uint32_t *x = lanes->x;
    uint32_t turn[LANES];

    EACH_LANE turn[i] = mufu_quadrants(x[i], quarter);
    EACH_LANE lanes->m[i] = mufu_sine_m(turn[i]);
    mufu_sums(MUFU_SIN, 64, lanes->m, lanes->whole, lanes->part);
    EACH_LANE
    {
        struct mufu_sum sum = {lanes->whole[i], lanes->part[i]};
        lanes->y[i] = mufu_sine_r(x[i], turn[i], sum, quarter);
    }
}
static inline __attribute__((always_inline)) void mufu_stages_sin(struct mufu_lanes *lanes)
{
    mufu_stages_sine(lanes, 0);
}
static inline __attribute__((always_inline)) void mufu_stages_cos(struct mufu_lanes *lanes)
{
    mufu_stages_sine(lanes, 1);
}

static inline __attribute__((always_inline)) void mufu_stages_tanh(struct mufu_lanes *lanes)
{
    const uint32_t *x = lanes->x;
    uint32_t binade[LANES];

    EACH_LANE lanes->m[i] = mufu_tanh_binade(x[i]);
    mufu_look_up(tanh_binades, 16, lanes->m, binade);
    EACH_LANE lanes->m[i] = mufu_tanh_m(x[i], binade[i]);
    mufu_sums(MUFU_TANH, 64, lanes->m, lanes->whole, lanes->part);
    EACH_LANE
    {
        struct mufu_sum sum = {lanes->whole[i], lanes->part[i]};
        lanes->y[i] = mufu_tanh_r(x[i], binade[i], sum);
    }
}

/* op: as in numeric/approx.h; operand: the one that goes through the unit. */
#define APPROX_LOOP(op, unit, operand, result, known)                        \
    {                                                                        \
        const unsigned mode = (known);                                       \
        EACH_LANE lanes.x[i] = op##_x(operand[i], mode);                     \
        mufu_stages_##unit(&lanes);                                          \
        if (mask == LANES_ALL)                                               \
            EACH_LANE d[i] = (result);                                       \
        else                                                                 \
            EACH_LANE                                                        \
            {                                                                \
                uint32_t r = (result);                                       \
                d[i] = mask >> i & 1 ? r : d[i];                             \
            }                                                                \
    }
#define APPROX(op, unit, operand, result, plain)                             \
    static void staged_##op(const struct lane_operands *operands,            \
                            unsigned char *const base[2], uint32_t mask)     \
    {                                                                        \
        const uint32_t *a = operand_at(base, operands->a);                   \
        const uint32_t *b = operand_at(base, operands->b);                   \
        uint32_t *d = operand_at(base, operands->d);                         \
        struct mufu_lanes lanes;                                             \
        (void)b;                                                             \
        if (plain)                                                           \
            return;                                                          \
        if (operands->mode & MODE_FTZ)                                       \
            APPROX_LOOP(op, unit, operand, result, MODE_FTZ)                 \
        else                                                                 \
            APPROX_LOOP(op, unit, operand, result, 0)                        \
    }
#define APPROX_1(op, unit)                                                   \
    APPROX(op, unit, a, op##_y(a[i], lanes.y[i], mode),                      \
           plain_is_##unit(a, mask) && (plain_row_##unit(a, d, mask), true))
#define APPROX_2(op, unit)                                                   \
    APPROX(op, unit, b, op##_y(a[i], b[i], lanes.y[i], mode),                \
           plain_row_div(a, b, d, mask, operands->mode & MODE_FTZ))
APPROX_1(rcp_approx, rcp)
APPROX_1(rsqrt, rsqrt)
APPROX_1(sqrt_approx, sqrt)
APPROX_1(ex2, ex2)
APPROX_1(lg2, lg2)
APPROX_1(sin, sin)
APPROX_1(cos, cos)
APPROX_1(tanh, tanh)
APPROX_2(div_approx, rcp)
APPROX_2(div_full, rcp)

/* f64: the unit sees the high words. */
static inline void put_f64(uint64_t *d, const uint64_t result[LANES], uint32_t mask)
{
    if (mask == LANES_ALL)
        EACH_LANE d[i] = result[i];
    else
        EACH_LANE d[i] = mask >> i & 1 ? result[i] : d[i];
}

/* From x to y; no matter what lanes get that are not active. */
#define MUFU_MASKED(unit)                                                    \
    static inline __attribute__((always_inline)) void                        \
    mufu_masked_##unit(struct mufu_lanes *lanes, uint32_t mask)              \
    {                                                                        \
        if (plain_is_##unit(lanes->x, mask))                                 \
            plain_row_##unit(lanes->x, lanes->y, LANES_ALL);                 \
        else                                                                 \
            mufu_stages_##unit(lanes);                                       \
    }
MUFU_MASKED(rcp_high)
MUFU_MASKED(rsqrt_high)
MUFU_MASKED(ex2)
MUFU_MASKED(tanh)

static void staged_rcp_approx_f64(const struct lane_operands *operands,
                                  unsigned char *const base[2], uint32_t mask)
{
    const uint64_t *a = operand_at(base, operands->a);
    struct mufu_lanes lanes;
    uint64_t y[LANES];

    EACH_LANE lanes.x[i] = (uint32_t)(a[i] >> 32);
    mufu_masked_rcp_high(&lanes, mask);
    EACH_LANE y[i] = (uint64_t)lanes.y[i] << 32;
    put_f64(operand_at(base, operands->d), y, mask);
}

static void staged_rsqrt_f64(const struct lane_operands *operands,
                             unsigned char *const base[2], uint32_t mask)
{
    const uint64_t *a = operand_at(base, operands->a);
    struct mufu_lanes lanes;
    uint64_t x[LANES], y[LANES];

    EACH_LANE lanes.x[i] = (uint32_t)(a[i] >> 32);
    if (operands->mode & MODE_FTZ) {
        mufu_masked_rsqrt_high(&lanes, mask);
        EACH_LANE y[i] = (uint64_t)lanes.y[i] << 32;
    } else if (plain_is_rsqrt_high(lanes.x, mask)) {
        plain_row_rsqrt_high(lanes.x, lanes.y, LANES_ALL);
        EACH_LANE y[i] = f64_bits(rsqrt_f64_step(f64_host(a[i]), (uint64_t)lanes.y[i] << 32));
    } else {
        EACH_LANE x[i] = rsqrt_f64_x(a[i]);
        EACH_LANE lanes.x[i] = (uint32_t)(x[i] >> 32);
        mufu_stages_rsqrt_high(&lanes);
        EACH_LANE y[i] = rsqrt_f64_y(a[i], x[i], (uint64_t)lanes.y[i] << 32);
    }
    put_f64(operand_at(base, operands->d), y, mask);
}

/* Half precision: one element of a lane after the other, each with all lanes. */
#define APPROX_HALF(op, format, type, unit, parts)                           \
    static void staged_##op##_##type(const struct lane_operands *operands,   \
                                     unsigned char *const base[2], uint32_t mask) \
    {                                                                        \
        const lane_##type *a = operand_at(base, operands->a);                \
        lane_##type *d = operand_at(base, operands->d);                      \
        uint32_t result[LANES];                                              \
        struct mufu_lanes lanes;                                             \
        EACH_LANE lanes.x[i] = a[i] & 0xffff;                                \
        half_from_##format(lanes.x);                                         \
        mufu_masked_##unit(&lanes, mask);                                    \
        half_to_##format##_##unit(lanes.y);                                  \
        EACH_LANE result[i] = lanes.y[i];                                    \
        if (parts == 2) {                                                    \
            EACH_LANE lanes.x[i] = (uint32_t)a[i] >> 16;                     \
            half_from_##format(lanes.x);                                     \
            mufu_masked_##unit(&lanes, mask);                                \
            half_to_##format##_##unit(lanes.y);                              \
            EACH_LANE result[i] |= lanes.y[i] << 16;                         \
        }                                                                    \
        if (mask == LANES_ALL)                                               \
            EACH_LANE d[i] = (lane_##type)result[i];                         \
        else                                                                 \
            EACH_LANE d[i] = (lane_##type)(mask >> i & 1 ? result[i] : d[i]); \
    }
APPROX_HALF(ex2, f16, f16, ex2, 1)
APPROX_HALF(ex2, f16, f16x2, ex2, 2)
APPROX_HALF(ex2, bf16, bf16, ex2, 1)
APPROX_HALF(ex2, bf16, bf16x2, ex2, 2)
APPROX_HALF(tanh, f16, f16, tanh, 1)
APPROX_HALF(tanh, f16, f16x2, tanh, 2)
APPROX_HALF(tanh, bf16, bf16, tanh, 1)
APPROX_HALF(tanh, bf16, bf16x2, tanh, 2)

#define STAGED_ROWS                                                          \
    [IR_ROW_rcp_approx_f32_f32] = staged_rcp_approx,                         \
    [IR_ROW_rsqrt_f32_f32] = staged_rsqrt,                                   \
    [IR_ROW_sqrt_approx_f32_f32] = staged_sqrt_approx,                       \
    [IR_ROW_ex2_f32_f32] = staged_ex2, [IR_ROW_lg2_f32_f32] = staged_lg2,    \
    [IR_ROW_sin_f32_f32] = staged_sin, [IR_ROW_cos_f32_f32] = staged_cos,    \
    [IR_ROW_tanh_f32_f32] = staged_tanh,                                     \
    [IR_ROW_div_approx_f32_f32] = staged_div_approx,                         \
    [IR_ROW_div_full_f32_f32] = staged_div_full,                             \
    [IR_ROW_rcp_approx_f64_f64] = staged_rcp_approx_f64,                     \
    [IR_ROW_rsqrt_f64_f64] = staged_rsqrt_f64,                               \
    [IR_ROW_ex2_f16_f16] = staged_ex2_f16,                                   \
    [IR_ROW_ex2_f16x2_f16x2] = staged_ex2_f16x2,                             \
    [IR_ROW_ex2_bf16_bf16] = staged_ex2_bf16,                                \
    [IR_ROW_ex2_bf16x2_bf16x2] = staged_ex2_bf16x2,                          \
    [IR_ROW_tanh_f16_f16] = staged_tanh_f16,                                 \
    [IR_ROW_tanh_f16x2_f16x2] = staged_tanh_f16x2,                           \
    [IR_ROW_tanh_bf16_bf16] = staged_tanh_bf16,                              \
    [IR_ROW_tanh_bf16x2_bf16x2] = staged_tanh_bf16x2
