/* SPDX-License-Identifier: Apache-2.0
 *
 * check_tensor.c - products of whole matrices against the rules for one element.
 *
 * The loops of each instruction set compute eight columns at once; numeric/tensor.h
 * states what one element is. Both must agree for every type, chip and kind of
 * number. */
#include "config.h"

#include <string.h>

#include "numeric/mode.h"
#include "numeric/tensor_block.h"
#include "suite.h"

extern const struct tensor_loops tensor_loops_generic;
#ifdef HAVE_X86_VECTORS
extern const struct tensor_loops tensor_loops_avx2, tensor_loops_avx512;
#endif

static const struct tensor_loops *loops_of(int i)
{
#ifdef HAVE_X86_VECTORS
    __builtin_cpu_init();
    if (i == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &tensor_loops_avx2;
    if (i == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &tensor_loops_avx512;
#endif
    return i == 0 ? &tensor_loops_generic : NULL;
}

static uint32_t random_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static uint32_t element(const uint32_t *words, unsigned bits, unsigned k)
{
    return bits == 32 ? words[k] : words[k * bits / 32] >> k * bits % 32 & ((1u << bits) - 1);
}

/* What the bits of a word may be: all, or little exponents, or none but signs. */
static const uint32_t masks[] = {0xffffffff, 0x8fff8fff, 0xbfffbfff, 0x83ff83ff, 0x80018001,
                                 0xdcffdcff, 0xffff0000, 0x87878787};

static void fill(struct tensor_block *block, uint64_t *state)
{
    uint32_t a = masks[random_word(state) % 8], b = masks[random_word(state) % 8];
    uint32_t c = random_word(state) & 1 ? 0xffffffff : 0xbfffffff;

    for (unsigned i = 0; i < TENSOR_ROWS; i++)
        for (unsigned w = 0; w < TENSOR_WORDS; w++)
            block->a[i][w] = random_word(state) & a;
    for (unsigned i = 0; i < TENSOR_COLUMNS; i++)
        for (unsigned w = 0; w < TENSOR_WORDS; w++)
            block->b[i][w] = random_word(state) & b;
    for (unsigned i = 0; i < TENSOR_ROWS * TENSOR_COLUMNS; i++)
        block->c[i / TENSOR_COLUMNS][i % TENSOR_COLUMNS] =
            random_word(state) & (block->c_is_f16 ? 0xffff : c);
}

static uint32_t expected(const struct tensor_chip *chip, const struct tensor_block *block,
                         unsigned r, unsigned n)
{
    struct tensor_number a[64], b[64];
    bool bit = block->a_type == TENSOR_B1;

    for (unsigned k = 0; k < block->k; k++) {
        unsigned bits = bit ? 32 : tensor_type_bits(block->a_type);
        a[k] = tensor_unpack(block->a_type, element(block->a[r], bits, k));
        unsigned from = block->sparse ? block->from[r][k] : k;
        b[k] = tensor_unpack(block->b_type, element(block->b[n], bits, from));
    }
    if (bit)
        return tensor_dot_bits(a, b, block->k, block->c[r][n], block->exclusive);
    if (block->a_type >= TENSOR_S8)
        return tensor_dot_integer(a, b, block->k, block->c[r][n], block->saturate);
    return tensor_dot(chip, block->a_type, block->b_type, a, b, block->k, block->c[r][n],
                      block->c_is_f16, block->d_is_f16, block->group);
}

static const struct {
    enum tensor_type a, b;
    unsigned k;
} types[] = {
    {TENSOR_F16, TENSOR_F16, 16}, {TENSOR_F16, TENSOR_F16, 8}, {TENSOR_BF16, TENSOR_BF16, 16},
    {TENSOR_TF32, TENSOR_TF32, 8}, {TENSOR_TF32, TENSOR_TF32, 4},
    {TENSOR_E4M3, TENSOR_E4M3, 32}, {TENSOR_E5M2, TENSOR_E4M3, 32},
    {TENSOR_E5M2, TENSOR_E5M2, 16}, {TENSOR_S8, TENSOR_U8, 32}, {TENSOR_U8, TENSOR_S8, 16},
    {TENSOR_S4, TENSOR_U4, 64}, {TENSOR_U4, TENSOR_S4, 32}, {TENSOR_B1, TENSOR_B1, 8},
};

START_TEST(blocks)
{
    static const unsigned chips[] = {70, 75, 80, 89, 90};
    const struct tensor_loops *loops = loops_of(_i);
    struct tensor_block block;
    uint64_t state = 1;

    if (!loops)
        return;
    for (unsigned round = 0; round < 40; round++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t i = 0; i < 5; i++) {
                const struct tensor_chip *chip = tensor_chip_of(chips[i]);
                bool fp8 = types[t].a == TENSOR_E4M3 || types[t].a == TENSOR_E5M2;
                if (fp8 && chips[i] < 89)
                    continue;
                memset(&block, 0, sizeof block);
                block.a_type = types[t].a;
                block.b_type = types[t].b;
                block.rows = round & 1 ? 16 : 8;
                block.k = types[t].k;
                if (types[t].a == TENSOR_F16 || fp8) {
                    block.c_is_f16 = round >> 1 & 1;
                    block.d_is_f16 = fp8 ? block.c_is_f16 : round >> 2 & 1;
                }
                block.saturate = round >> 1 & 1;
                block.exclusive = round >> 2 & 1;
                block.sparse = round >> 3 & 1 && types[t].a != TENSOR_B1;
                fill(&block, &state);
                for (unsigned k = 0; block.sparse && k < 16 * TENSOR_DEPTH; k++)
                    block.from[k / TENSOR_DEPTH][k % TENSOR_DEPTH] =
                        (uint8_t)(random_word(&state) % (2 * block.k));
                loops->block(chip, &block);
                for (unsigned r = 0; r < block.rows; r++)
                    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
                        uint32_t want = expected(chip, &block, r, n);
                        ck_assert_msg(block.d[r][n] == want,
                                      "%s, types %zu, round %u, row %u, column %u: %08x, not %08x",
                                      chip->name, t, round, r, n, block.d[r][n], want);
                    }
            }
}
END_TEST

/* m8n8k4 of f16, by ordinary operations. */
START_TEST(quads)
{
    const struct tensor_loops *loops = loops_of(_i);
    static struct tensor_quads x;
    uint64_t state = 1;

    for (unsigned round = 0; loops && round < 400; round++) {
        uint32_t a = masks[random_word(&state) % 8], b = masks[random_word(&state) % 8];
        x.c_is_f16 = round & 1;
        x.d_is_f16 = round >> 1 & 1;
        for (unsigned i = 0; i < 128; i++) {
            x.a[i / 32][i / 4 % 8][i % 4] = (uint16_t)(random_word(&state) & a);
            x.b[i / 32][i / 4 % 8][i % 4] = (uint16_t)(random_word(&state) & b);
        }
        for (unsigned i = 0; i < 256; i++)
            x.c[i / 64][i / 8 % 8][i % 8] =
                random_word(&state) & (x.c_is_f16 ? 0xffff : round & 4 ? 0xffffffff : 0xbfffffff);
        loops->quads(&x);
        for (unsigned i = 0; i < 256; i++) {
            unsigned part = i / 64, r = i / 8 % 8, n = i % 8;
            ck_assert_uint_eq(x.d[part][r][n],
                              tensor_dot_quad(x.a[part][r], x.b[part][n], x.c[part][r][n],
                                              x.c_is_f16, x.d_is_f16));
        }
    }
}
END_TEST

START_TEST(doubles)
{
    static const unsigned modes[] = {ROUND_NEAREST_EVEN, ROUND_ZERO, ROUND_DOWN, ROUND_UP};
    static const uint64_t some[] = {UINT64_MAX, 0xbfffffffffffffff, 0x801fffffffffffff};
    const struct tensor_loops *loops = loops_of(_i);
    static struct tensor_block64 x;
    uint64_t state = 1;

    for (unsigned round = 0; loops && round < 60; round++) {
        uint64_t mask = some[round % 3];
        x.rows = round & 1 ? 8 : 16;
        x.k = 4u << round % 3;
        x.mode = modes[round / 3 % 4];
        for (unsigned i = 0; i < 16 * 16; i++) {
            uint64_t *at[] = {&x.a[i / 16][i % 16], &x.b[i / 16 % 8][i % 16], &x.c[i / 16][i % 8]};
            for (unsigned m = 0; m < 3; m++)
                *at[m] = ((uint64_t)random_word(&state) << 32 | random_word(&state)) & mask;
        }
        if (round % 5 == 0)
            x.a[3][1] = 0x7ff0000000000000 + (round & 1);
        loops->block64(&x);
        for (unsigned i = 0; i < 8 * x.rows; i++)
            ck_assert_uint_eq(x.d[i / 8][i % 8], tensor_dot_f64(x.a[i / 8], x.b[i % 8], x.k,
                                                                x.c[i / 8][i % 8], x.mode));
    }
}
END_TEST

SUITE("tensor", {
    LOOP_TEST(blocks, 0, 3);
    LOOP_TEST(quads, 0, 3);
    LOOP_TEST(doubles, 0, 3);
})
