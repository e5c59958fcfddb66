/* SPDX-License-Identifier: Apache-2.0
 *
 * mufu_loops.h - the approximate instructions over 32 lanes.
 *
 * Included by lane_loops.h. The same functions of numeric/mufu.h and approx.h that
 * are the meaning of these rows, but one stage after the other with the lanes in
 * between in memory: the look-up of the segments is no vector loop on all hosts,
 * and the stages around it are. */
struct mufu_lanes {
    uint32_t x[LANES], m[LANES]; /* the unit's operand, the sum's argument */
    int32_t s[LANES];
    struct mufu_segments {
        int32_t a[LANES], bc[LANES];
    } segments;
    uint32_t y[LANES]; /* what the unit gives */
};

#define EACH_LANE INDEPENDENT for (unsigned i = 0; i < LANES; i++)

/* Words of a table, from so many bytes each. */
static inline __attribute__((always_inline)) void
look_up_words(const void *table, const uint32_t bytes[LANES], int32_t words[LANES])
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < LANES; i += 16)
        _mm512_storeu_si512(words + i,
                            _mm512_i32gather_epi32(_mm512_loadu_si512(bytes + i), table, 1));
#elif defined(__AVX2__)
    for (unsigned i = 0; i < LANES; i += 8)
        _mm256_storeu_si256((__m256i *)(words + i),
                            _mm256_i32gather_epi32(table,
                                                   _mm256_loadu_si256((const void *)(bytes + i)),
                                                   1));
#else
    for (unsigned i = 0; i < LANES; i++)
        memcpy(&words[i], (const unsigned char *)table + bytes[i], sizeof words[i]);
#endif
}

static inline __attribute__((always_inline)) void
mufu_look_up(struct mufu_function function, const uint32_t m[LANES],
             struct mufu_segments *segments)
{
    uint32_t bytes[LANES];

    EACH_LANE bytes[i] = (m[i] >> function.l_bits) * (uint32_t)sizeof *function.segments;
    look_up_words(&function.segments->a, bytes, segments->a);
    look_up_words(&function.segments->bc, bytes, segments->bc);
}

/* From x to y. */
#define MUFU_STAGES(unit, FUNCTION)                                          \
    static inline __attribute__((always_inline)) void                        \
    mufu_stages_##unit(struct mufu_lanes *lanes)                             \
    {                                                                        \
        const uint32_t *x = lanes->x;                                        \
        uint32_t *m = lanes->m;                                              \
        EACH_LANE m[i] = mufu_##unit##_m(x[i]);                              \
        mufu_look_up(FUNCTION, m, &lanes->segments);                         \
        EACH_LANE lanes->s[i] = mufu_s(FUNCTION, m[i]);                      \
        EACH_LANE                                                            \
        {                                                                    \
            struct mufu_segment segment = {lanes->segments.a[i], lanes->segments.bc[i]}; \
            lanes->y[i] = mufu_##unit##_r(                                   \
                x[i], mufu_sum(FUNCTION, m[i], segment, lanes->s[i]));       \
        }                                                                    \
    }
MUFU_STAGES(rcp, MUFU_RCP)
MUFU_STAGES(rsqrt, MUFU_RSQRT)
MUFU_STAGES(sqrt, MUFU_SQRT)
MUFU_STAGES(ex2, MUFU_EX2)
MUFU_STAGES(lg2, MUFU_LG2)
MUFU_STAGES(sin, MUFU_SIN)
MUFU_STAGES(cos, MUFU_SIN)

static inline __attribute__((always_inline)) void mufu_stages_tanh(struct mufu_lanes *lanes)
{
    const uint32_t *x = lanes->x;
    uint32_t binade[LANES], segment[LANES];
    int32_t word[LANES];
    int32_t a_low[LANES], a_high[LANES], b[LANES], c[LANES];

    EACH_LANE binade[i] = (uint32_t)mufu_tanh_binade(x[i]) * (uint32_t)sizeof *tanh_binades;
    look_up_words(tanh_binades, binade, word); /* little-endian hosts */
    EACH_LANE
    {
        int32_t bits = word[i] & 0xff, first = word[i] >> 8 & 0xff;
        lanes->m[i] = mufu_tanh_l(x[i], bits);
        segment[i] = (uint32_t)mufu_tanh_segment(x[i], first, bits) *
                     (uint32_t)sizeof *tanh_segments;
    }
    look_up_words(&tanh_segments->a, segment, a_low);
    look_up_words((const int32_t *)&tanh_segments->a + 1, segment, a_high);
    look_up_words(&tanh_segments->b, segment, b);
    look_up_words(&tanh_segments->c, segment, c);
    EACH_LANE lanes->s[i] = mufu_square(lanes->m[i]);
    EACH_LANE
    {
        int64_t sum = (int64_t)((uint64_t)(uint32_t)a_high[i] << 32 | (uint32_t)a_low[i]) +
                      (int64_t)b[i] * (int32_t)lanes->m[i] + (int64_t)c[i] * lanes->s[i];
        lanes->y[i] = mufu_tanh_r(x[i], sum, word[i] >> 16 & 0xff);
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
#define APPROX(op, unit, operand, result)                                    \
    static void staged_##op(const struct lane_operands *operands,            \
                            unsigned char *const base[2], uint32_t mask)     \
    {                                                                        \
        const uint32_t *a = operand_at(base, operands->a);                   \
        const uint32_t *b = operand_at(base, operands->b);                   \
        uint32_t *d = operand_at(base, operands->d);                         \
        struct mufu_lanes lanes;                                             \
        (void)b;                                                             \
        if (operands->mode & MODE_FTZ)                                       \
            APPROX_LOOP(op, unit, operand, result, MODE_FTZ)                 \
        else                                                                 \
            APPROX_LOOP(op, unit, operand, result, 0)                        \
    }
#define APPROX_1(op, unit) APPROX(op, unit, a, op##_y(a[i], lanes.y[i], mode))
#define APPROX_2(op, unit) APPROX(op, unit, b, op##_y(a[i], b[i], lanes.y[i], mode))
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

/* f64: the unit sees the high words. From x to y. */
#define MUFU_STAGES_F64(unit, FUNCTION)                                      \
    static inline __attribute__((always_inline)) void                        \
    mufu_stages_##unit##_f64(struct mufu_lanes *lanes, const uint64_t x[LANES], \
                             uint64_t y[LANES])                              \
    {                                                                        \
        uint32_t *m = lanes->m;                                              \
        EACH_LANE m[i] = mufu_##unit##_f64_m(x[i]);                          \
        mufu_look_up(FUNCTION, m, &lanes->segments);                         \
        EACH_LANE lanes->s[i] = mufu_s(FUNCTION, m[i]);                      \
        EACH_LANE                                                            \
        {                                                                    \
            struct mufu_segment segment = {lanes->segments.a[i], lanes->segments.bc[i]}; \
            y[i] = mufu_##unit##_f64_r(                                      \
                x[i], mufu_sum(FUNCTION, m[i], segment, lanes->s[i]));       \
        }                                                                    \
    }
MUFU_STAGES_F64(rcp, MUFU_RCP)
MUFU_STAGES_F64(rsqrt, MUFU_RSQRT)

static inline void put_f64(uint64_t *d, const uint64_t result[LANES], uint32_t mask)
{
    if (mask == LANES_ALL)
        EACH_LANE d[i] = result[i];
    else
        EACH_LANE d[i] = mask >> i & 1 ? result[i] : d[i];
}

static void staged_rcp_approx_f64(const struct lane_operands *operands,
                                  unsigned char *const base[2], uint32_t mask)
{
    struct mufu_lanes lanes;
    uint64_t y[LANES];

    mufu_stages_rcp_f64(&lanes, operand_at(base, operands->a), y);
    put_f64(operand_at(base, operands->d), y, mask);
}

static void staged_rsqrt_f64(const struct lane_operands *operands,
                             unsigned char *const base[2], uint32_t mask)
{
    const uint64_t *a = operand_at(base, operands->a);
    struct mufu_lanes lanes;
    uint64_t x[LANES], y[LANES];

    if (operands->mode & MODE_FTZ) {
        EACH_LANE x[i] = a[i]; /* apart from what is written, as vector loops need it */
        mufu_stages_rsqrt_f64(&lanes, x, y);
    } else {
        EACH_LANE x[i] = rsqrt_f64_x(a[i]);
        mufu_stages_rsqrt_f64(&lanes, x, y);
        EACH_LANE y[i] = rsqrt_f64_y(a[i], x[i], y[i]);
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
        EACH_LANE lanes.x[i] = approx_from_##format(a[i] & 0xffff);          \
        mufu_stages_##unit(&lanes);                                          \
        EACH_LANE result[i] = approx_cut_##format(lanes.y[i]);               \
        if (parts == 2) {                                                    \
            EACH_LANE lanes.x[i] = approx_from_##format((uint32_t)a[i] >> 16); \
            mufu_stages_##unit(&lanes);                                      \
            EACH_LANE result[i] |= (uint32_t)approx_cut_##format(lanes.y[i]) << 16; \
        }                                                                    \
        EACH_LANE d[i] = (lane_##type)(mask >> i & 1 ? result[i] : d[i]);    \
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
