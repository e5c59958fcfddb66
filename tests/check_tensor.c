/* SPDX-License-Identifier: Apache-2.0
 *
 * check_tensor.c - products of whole matrices against the rules for one element.
 *
 * The loops of each instruction set compute eight columns at once; numeric/tensor.h
 * states what one element is. Both must agree for every type, chip and kind of
 * number. */
#include "config.h"

#include <string.h>

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
        b[k] = tensor_unpack(block->b_type, element(block->b[n], bits, k));
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
                fill(&block, &state);
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

SUITE("tensor", { LOOP_TEST(blocks, 0, 3); })
