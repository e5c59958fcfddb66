/* SPDX-License-Identifier: Apache-2.0
 *
 * mufu_loops.h - the approximate f32 instructions over 32 lanes.
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
    int64_t sum[LANES]; /* tanh only */
    uint32_t y[LANES]; /* what the unit gives */
};

#define EACH_LANE INDEPENDENT for (unsigned i = 0; i < LANES; i++)

static inline __attribute__((always_inline)) void
mufu_look_up(struct mufu_function function, const uint32_t m[LANES],
             struct mufu_segments *segments)
{
#ifdef __AVX512F__
    const __m512i one_above = _mm512_set1_epi32(4);
    for (unsigned i = 0; i < LANES; i += 16) {
        __m512i byte = _mm512_slli_epi32(
            _mm512_srli_epi32(_mm512_loadu_si512(m + i), function.l_bits), 3);
        _mm512_storeu_si512(segments->a + i,
                            _mm512_i32gather_epi32(byte, function.segments, 1));
        _mm512_storeu_si512(segments->bc + i,
                            _mm512_i32gather_epi32(_mm512_add_epi32(byte, one_above),
                                                   function.segments, 1));
    }
#else
    for (unsigned i = 0; i < LANES; i++) {
        const struct mufu_segment *segment = &function.segments[m[i] >> function.l_bits];
        segments->a[i] = segment->a;
        segments->bc[i] = segment->bc;
    }
#endif
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
    int32_t binade[LANES], bits[LANES], first[LANES], shift[LANES];
    int32_t segment[LANES], b[LANES], c[LANES];

    EACH_LANE binade[i] = mufu_tanh_binade(x[i]);
    for (unsigned i = 0; i < LANES; i++) {
        bits[i] = tanh_binades[binade[i]].bits;
        first[i] = tanh_binades[binade[i]].first;
        shift[i] = tanh_binades[binade[i]].shift;
    }
    EACH_LANE segment[i] = mufu_tanh_segment(x[i], first[i], bits[i]);
    EACH_LANE lanes->m[i] = mufu_tanh_l(x[i], bits[i]);
    for (unsigned i = 0; i < LANES; i++) {
        lanes->sum[i] = tanh_segments[segment[i]].a;
        b[i] = tanh_segments[segment[i]].b;
        c[i] = tanh_segments[segment[i]].c;
    }
    EACH_LANE lanes->s[i] = mufu_square(lanes->m[i]);
    EACH_LANE lanes->sum[i] += (int64_t)b[i] * (int32_t)lanes->m[i] + (int64_t)c[i] * lanes->s[i];
    EACH_LANE lanes->y[i] = mufu_tanh_r(x[i], lanes->sum[i], shift[i]);
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

#define STAGED_ROWS                                                          \
    [IR_ROW_rcp_approx_f32_f32] = staged_rcp_approx,                         \
    [IR_ROW_rsqrt_f32_f32] = staged_rsqrt,                                   \
    [IR_ROW_sqrt_approx_f32_f32] = staged_sqrt_approx,                       \
    [IR_ROW_ex2_f32_f32] = staged_ex2, [IR_ROW_lg2_f32_f32] = staged_lg2,    \
    [IR_ROW_sin_f32_f32] = staged_sin, [IR_ROW_cos_f32_f32] = staged_cos,    \
    [IR_ROW_tanh_f32_f32] = staged_tanh,                                     \
    [IR_ROW_div_approx_f32_f32] = staged_div_approx,                         \
    [IR_ROW_div_full_f32_f32] = staged_div_full
