/* SPDX-License-Identifier: Apache-2.0
 *
 * mma.c - products of matrices that lie in the registers of a warp.
 *
 * The fragments of all lanes are gathered into whole matrices, the product is
 * formed by the rules of numeric/tensor.h for the launch's chip, and the result
 * is dealt out again. Where an element sits: ir/matrix.h. In most shapes a
 * register of lane 4 g + t holds neighbouring elements along k of row g of A or
 * of column g of B, so that registers are moved whole, and eight columns are
 * computed at once (numeric/tensor_block.h). m8n8k4 of f16, f64 and lanes that
 * are missing go element by element. */
#include "config.h"

#include "emu/matrix.h"
#include "emu/team.h"
#include "ir/matrix.h"
#include "numeric/tensor_block.h"

extern const struct tensor_loops tensor_loops_generic;
#ifdef HAVE_X86_VECTORS
extern const struct tensor_loops tensor_loops_avx2, tensor_loops_avx512;
#endif

const struct tensor_loops *mma_loops(void)
{
#ifdef HAVE_X86_VECTORS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &tensor_loops_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &tensor_loops_avx2;
#endif
    return &tensor_loops_generic;
}

static const struct tensor_chip *chip_of(const struct team *team)
{
    return tensor_chip_of(team->warp->block->state->launch->profile->number);
}

/* --- one product, whole registers ------------------------------------------------------ */

/* Row of A in registers r: two of eight rows each, then the next step along k. */
static unsigned row_of(const struct ir_mma *mma, unsigned r, unsigned group)
{
    return mma->m == 16 ? group + 8 * (r & 1) : group;
}

static unsigned step_of(const struct ir_mma *mma, unsigned r)
{
    return mma->m == 16 ? r >> 1 : r;
}

static void gather_block(struct tensor_block *block, const struct ir_mma *mma,
                         const struct team *team, const uint32_t *operands)
{
    uint32_t words[LANES];

    for (unsigned r = 0; r < mma->a_registers; r++) {
        team_row(team, *operands++, words);
        for (unsigned lane = 0; lane < LANES; lane++)
            block->a[row_of(mma, r, lane >> 2)][(lane & 3) + 4 * step_of(mma, r)] = words[lane];
    }
    for (unsigned r = 0; r < mma->b_registers; r++) {
        team_row(team, *operands++, words);
        for (unsigned lane = 0; lane < LANES; lane++)
            block->b[lane >> 2][(lane & 3) + 4 * r] = words[lane];
    }
    for (unsigned r = 0; r < mma->c_registers; r++) {
        team_row(team, *operands++, words);
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned group = lane >> 2, t = lane & 3;
            if (mma->c_elements == 2) {
                block->c[group + 8 * r][2 * t] = words[lane] & 0xffff;
                block->c[group + 8 * r][2 * t + 1] = words[lane] >> 16;
            } else {
                block->c[group + 8 * (r >> 1)][2 * t + (r & 1)] = words[lane];
            }
        }
    }
}

static void scatter_block(const struct tensor_block *block, const struct ir_mma *mma,
                          const struct team *team)
{
    uint32_t words[LANES];

    for (unsigned r = 0; r < mma->d_registers; r++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned group = lane >> 2, t = lane & 3;
            words[lane] = mma->d_elements == 2
                ? block->d[group + 8 * r][2 * t] | block->d[group + 8 * r][2 * t + 1] << 16
                : block->d[group + 8 * (r >> 1)][2 * t + (r & 1)];
        }
        team_write_row(team, team->code->operands[r], words);
    }
}

static void multiply_block(const struct team *team, const struct ir_mma *mma,
                           const uint32_t *operands)
{
    struct tensor_block block = {
        .a_type = mma->a, .b_type = mma->b, .rows = mma->m, .k = mma->k,
        .c_is_f16 = mma->c == TENSOR_F16, .d_is_f16 = mma->d == TENSOR_F16,
        .saturate = team->code->ir->mode & MODE_SATFINITE, .exclusive = mma->exclusive};

    gather_block(&block, mma, team, operands);
    team->warp->block->state->tensor_loops->block(chip_of(team), &block);
    scatter_block(&block, mma, team);
}

/* --- sparse ------------------------------------------------------------------------------- */

static uint32_t packed(const uint32_t *words, unsigned bits, unsigned k)
{
    unsigned at = k * bits;

    return bits == 32 ? words[k] : words[at / 32] >> at % 32 & ((UINT32_C(1) << bits) - 1);
}

/* A row of A has its own choice of B's rows: row by row, with B made to fit. */
static void multiply_sparse(const struct team *team, const struct ir_mma *mma,
                            const uint32_t *operands)
{
    const struct tensor_loops *loops = team->warp->block->state->tensor_loops;
    const uint32_t *last = operands + mma->a_registers + mma->b_registers + mma->c_registers;
    unsigned bits = tensor_type_bits(mma->b);
    unsigned selector = (unsigned)team_read(team, last[1], 4, lane_first(team->lanes));
    uint32_t metadata[LANES];
    struct tensor_block all, row = {
        .a_type = mma->a, .b_type = mma->b, .rows = 1, .k = mma->k,
        .c_is_f16 = mma->c == TENSOR_F16, .d_is_f16 = mma->d == TENSOR_F16,
        .saturate = team->code->ir->mode & MODE_SATFINITE};

    team_row(team, last[0], metadata);
    gather_block(&all, mma, team, operands);
    for (unsigned r = 0; r < mma->m; r++) {
        memset(row.b, 0, sizeof row.b);
        memcpy(row.a[0], all.a[r], sizeof row.a[0]);
        memcpy(row.c[0], all.c[r], sizeof row.c[0]);
        for (unsigned k = 0; k < mma->k; k++) {
            unsigned from = ir_mma_sp_index(mma->a, mma->selectors, selector, metadata, r, k);
            for (unsigned n = 0; n < mma->n; n++)
                row.b[n][k * bits / 32] |= packed(all.b[n], bits, from) << k * bits % 32;
        }
        loops->block(chip_of(team), &row);
        memcpy(all.d[r], row.d[0], sizeof row.d[0]);
    }
    scatter_block(&all, mma, team);
}

/* --- f64 ---------------------------------------------------------------------------------- */

static void multiply_doubles(const struct team *team, const struct ir_mma *mma,
                             const uint32_t *operands)
{
    struct tensor_block64 block = {.rows = mma->m, .k = mma->k, .mode = team->code->ir->mode};

    if (team->lanes != LANES_ALL)
        memset(block.a, 0, sizeof block - offsetof(struct tensor_block64, a));
    for (unsigned r = 0; r < mma->a_registers; r++, operands++)
        FOR_LANES (lane, team->lanes)
            block.a[row_of(mma, r, lane >> 2)][(lane & 3) + 4 * step_of(mma, r)] =
                team_read(team, *operands, 8, lane);
    for (unsigned r = 0; r < mma->b_registers; r++, operands++)
        FOR_LANES (lane, team->lanes)
            block.b[lane >> 2][(lane & 3) + 4 * r] = team_read(team, *operands, 8, lane);
    for (unsigned r = 0; r < mma->c_registers; r++, operands++)
        FOR_LANES (lane, team->lanes)
            block.c[(lane >> 2) + 8 * (r >> 1)][2 * (lane & 3) + (r & 1)] =
                team_read(team, *operands, 8, lane);
    team->warp->block->state->tensor_loops->block64(&block);
    for (unsigned r = 0; r < mma->d_registers; r++)
        FOR_LANES (lane, team->lanes)
            team_write(team, team->code->operands[r], 8, lane,
                       block.d[(lane >> 2) + 8 * (r >> 1)][2 * (lane & 3) + (r & 1)]);
}

/* --- m8n8k4 of f16 -------------------------------------------------------------------------- */

struct quads {
    struct ir_mma mma;
    uint16_t a[4][8][4], b[4][8][4]; /* product, row or column, k */
    uint32_t c[4][8][8], d[4][8][8];
};

static void gather_quads(struct quads *x, const struct team *team, const uint32_t *operands)
{
    const struct ir_mma *mma = &x->mma;

    for (unsigned i = 0; i < mma->a_registers + mma->b_registers; i++)
        FOR_LANES (lane, team->lanes) {
            uint64_t word = team_read(team, operands[i], 4, lane);
            bool is_a = i < mma->a_registers;
            for (unsigned e = 0; e < 2; e++) {
                struct ir_mma_place p = ir_mma_place(mma, is_a ? IR_MMA_A : IR_MMA_B, lane,
                                                     is_a ? i : i - mma->a_registers, e);
                if (is_a)
                    x->a[p.part][p.row][p.column] = (uint16_t)(word >> 16 * e);
                else
                    x->b[p.part][p.column][p.row] = (uint16_t)(word >> 16 * e);
            }
        }
    operands += mma->a_registers + mma->b_registers;
    for (unsigned r = 0; r < mma->c_registers; r++)
        FOR_LANES (lane, team->lanes) {
            uint64_t word = team_read(team, operands[r], 4, lane);
            for (unsigned e = 0; e < mma->c_elements; e++) {
                struct ir_mma_place p = ir_mma_place(mma, IR_MMA_C, lane, r, e);
                x->c[p.part][p.row][p.column] =
                    (uint32_t)(mma->c_elements == 2 ? word >> 16 * e & 0xffff : word);
            }
        }
}

static uint32_t quad_element(const struct quads *x, const struct tensor_chip *chip,
                             const uint16_t a[4], const uint16_t b[4], uint32_t c)
{
    bool c_is_f16 = x->mma.c == TENSOR_F16, d_is_f16 = x->mma.d == TENSOR_F16;
    struct tensor_number p[4], q[4];

    if (chip->m8n8k4_in_software)
        return tensor_dot_quad(a, b, c, c_is_f16, d_is_f16);
    for (unsigned k = 0; k < 4; k++) {
        p[k] = tensor_unpack(TENSOR_F16, a[k]);
        q[k] = tensor_unpack(TENSOR_F16, b[k]);
    }
    return tensor_dot(chip, TENSOR_F16, TENSOR_F16, p, q, 4, c, c_is_f16, d_is_f16, false);
}

static void multiply_quads(const struct team *team, const struct ir_mma *mma,
                           const uint32_t *operands)
{
    struct quads x = {.mma = *mma};

    gather_quads(&x, team, operands);
    for (unsigned part = 0; part < 4; part++)
        for (unsigned r = 0; r < 8; r++)
            for (unsigned n = 0; n < 8; n++)
                x.d[part][r][n] = quad_element(&x, chip_of(team), x.a[part][r], x.b[part][n],
                                               x.c[part][r][n]);
    for (unsigned r = 0; r < mma->d_registers; r++)
        FOR_LANES (lane, team->lanes) {
            uint32_t word = 0;
            for (unsigned e = 0; e < mma->d_elements; e++) {
                struct ir_mma_place p = ir_mma_place(mma, IR_MMA_D, lane, r, e);
                word |= x.d[p.part][p.row][p.column] << 16 * e;
            }
            team_write(team, team->code->operands[r], 4, lane, word);
        }
}

void mma_execute(const struct team *team)
{
    const struct code *code = team->code;
    const uint32_t *operands = code->operands + code->destinations;
    bool sparse = code->op == IR_OP_mma_sp;
    struct ir_mma mma;

    if (!(sparse ? ir_mma_sp_read : ir_mma_read)(code->sub, code->type, code->type2, &mma))
        return; /* the verifier lets no such instruction through */
    if (sparse)
        multiply_sparse(team, &mma, operands);
    else if (mma.parts > 1)
        multiply_quads(team, &mma, operands);
    else if (mma.a == TENSOR_F64)
        multiply_doubles(team, &mma, operands);
    else
        multiply_block(team, &mma, operands);
}
