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

#include "emu/host.h"
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
    switch (host_vectors()) {
#ifdef HAVE_X86_VECTORS
    case HOST_AVX512:
        return &tensor_loops_avx512;
    case HOST_AVX2:
        return &tensor_loops_avx2;
#endif
    default:
        return &tensor_loops_generic;
    }
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

/* Leaves the elements as they are; short rows are looked at beyond their end. */
static void block_clear(struct tensor_block *block)
{
    memset(block, 0, offsetof(struct tensor_block, from));
    for (unsigned r = 0; r < TENSOR_ROWS; r++)
        memset(block->a[r], 0, 32);
}

static void gather_block(struct tensor_block *block, const struct ir_mma *mma,
                         const struct team *team, const uint32_t *operands)
{
    uint32_t words[LANES];

    for (unsigned r = 0; r < mma->a_registers; r++) {
        team_row(team, *operands++, words);
        for (unsigned group = 0; group < 8; group++) /* four lanes have neighbours */
            memcpy(&block->a[row_of(mma, r, group)][4 * step_of(mma, r)], words + 4 * group, 16);
    }
    for (unsigned r = 0; r < mma->b_registers; r++) {
        team_row(team, *operands++, words);
        for (unsigned group = 0; group < 8; group++)
            memcpy(&block->b[group][4 * r], words + 4 * group, 16);
    }
    for (unsigned r = 0; r < mma->c_registers; r++) {
        team_row(team, *operands++, words);
        if (mma->c_elements == 2) {
            for (unsigned lane = 0; lane < LANES; lane++) {
                block->c[(lane >> 2) + 8 * r][2 * (lane & 3)] = words[lane] & 0xffff;
                block->c[(lane >> 2) + 8 * r][2 * (lane & 3) + 1] = words[lane] >> 16;
            }
            continue;
        }
        uint32_t(*rows)[TENSOR_COLUMNS] = block->c + 8 * (r >> 1);
        for (unsigned group = 0; group < 8; group++)
            for (unsigned t = 0; t < 4; t++)
                rows[group][2 * t + (r & 1)] = words[4 * group + t];
    }
}

static void scatter_block(const struct tensor_block *block, const struct ir_mma *mma,
                          const struct team *team)
{
    uint32_t words[LANES];

    for (unsigned r = 0; r < mma->d_registers; r++) {
        const uint32_t(*rows)[TENSOR_COLUMNS] = block->d + 8 * (mma->d_elements == 2 ? r : r >> 1);
        for (unsigned group = 0; group < 8; group++)
            for (unsigned t = 0; t < 4; t++)
                words[4 * group + t] = mma->d_elements == 2
                    ? rows[group][2 * t] | rows[group][2 * t + 1] << 16
                    : rows[group][2 * t + (r & 1)];
        team_write_row(team, team->code->operands[r], words);
    }
}

/* Metadata and selector. */
static void gather_places(struct tensor_block *block, const struct ir_mma *mma,
                          const struct team *team, const uint32_t *operands)
{
    unsigned selector = (unsigned)team_read(team, operands[1], 4, lane_first(team->lanes));
    uint32_t metadata[LANES];

    team_row(team, operands[0], metadata);
    ir_mma_sp_rows(mma->a, mma->selectors, selector, mma->k, metadata, block->from);
}

static void multiply_block(const struct team *team, const struct ir_mma *mma,
                           const uint32_t *operands)
{
    struct tensor_block block;

    block_clear(&block);
    block.a_type = mma->a;
    block.b_type = mma->b;
    block.rows = mma->m;
    block.k = mma->k;
    block.c_is_f16 = mma->c == TENSOR_F16;
    block.d_is_f16 = mma->d == TENSOR_F16;
    block.saturate = team->code->ir->mode & MODE_SATFINITE;
    block.exclusive = mma->exclusive;
    block.sparse = mma->sparse;
    gather_block(&block, mma, team, operands);
    if (mma->sparse)
        gather_places(&block, mma, team,
                      operands + mma->a_registers + mma->b_registers + mma->c_registers);
    team->warp->block->state->tensor_loops->block(chip_of(team), &block);
    scatter_block(&block, mma, team);
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

/* PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type": lanes 4q to
 * 4q + 3 and the four 16 above hold product q. Of an f32 sum a lane has elements of two rows
 * and columns, of f16 ones a row. */
static void gather_inputs(struct tensor_quads *x, const struct ir_mma *mma,
                          uint32_t words[4][LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned part = lane >> 2 & 3, line = (lane & 3) + 4 * (lane >> 4), t = lane & 3;
        for (unsigned k = 0; k < 4; k++) {
            uint16_t a = (uint16_t)(words[k >> 1][lane] >> 16 * (k & 1));
            uint16_t b = (uint16_t)(words[2 + (k >> 1)][lane] >> 16 * (k & 1));
            if (mma->a_column)
                x->a[part][k + line - t][t] = a;
            else
                x->a[part][line][k] = a;
            if (mma->b_row)
                x->b[part][k + line - t][t] = b;
            else
                x->b[part][line][k] = b;
        }
    }
}

static void gather_quads(struct tensor_quads *x, const struct ir_mma *mma,
                         const struct team *team, const uint32_t *operands)
{
    uint32_t words[8][LANES];

    for (unsigned i = 0; i < 4; i++)
        team_row(team, *operands++, words[i]);
    gather_inputs(x, mma, words);
    for (unsigned r = 0; r < mma->c_registers; r++)
        team_row(team, *operands++, words[r]);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned part = lane >> 2 & 3, upper = 4 * (lane >> 4), t = lane & 3;
        uint32_t(*rows)[8] = x->c[part] + upper;
        if (mma->c_elements == 2) {
            for (unsigned i = 0; i < 8; i++)
                rows[t][i] = words[i / 2][lane] >> 16 * (i & 1) & 0xffff;
            continue;
        }
        rows += t & 1;
        for (unsigned i = 0; i < 8; i++)
            rows[i & 2][(i & 4) + (i & 1) + (t & 2)] = words[i][lane];
    }
}

static void scatter_quads(const struct tensor_quads *x, const struct ir_mma *mma,
                          const struct team *team)
{
    uint32_t words[8][LANES];

    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned part = lane >> 2 & 3, upper = 4 * (lane >> 4), t = lane & 3;
        const uint32_t(*rows)[8] = x->d[part] + upper;
        if (mma->d_elements == 2) {
            for (unsigned i = 0; i < 4; i++)
                words[i][lane] = rows[t][2 * i] | rows[t][2 * i + 1] << 16;
            continue;
        }
        rows += t & 1;
        for (unsigned i = 0; i < 8; i++)
            words[i][lane] = rows[i & 2][(i & 4) + (i & 1) + (t & 2)];
    }
    for (unsigned r = 0; r < mma->d_registers; r++)
        team_write_row(team, team->code->operands[r], words[r]);
}

static uint32_t quad_element(const struct tensor_quads *x, const struct tensor_chip *chip,
                             const uint16_t a[4], const uint16_t b[4], uint32_t c)
{
    struct tensor_number p[4], q[4];

    for (unsigned k = 0; k < 4; k++) {
        p[k] = tensor_unpack(TENSOR_F16, a[k]);
        q[k] = tensor_unpack(TENSOR_F16, b[k]);
    }
    return tensor_dot(chip, TENSOR_F16, TENSOR_F16, p, q, 4, c, x->c_is_f16, x->d_is_f16, false);
}

static void multiply_quads(const struct team *team, const struct ir_mma *mma,
                           const uint32_t *operands)
{
    const struct tensor_chip *chip = chip_of(team);
    struct tensor_quads x;

    x.c_is_f16 = mma->c == TENSOR_F16;
    x.d_is_f16 = mma->d == TENSOR_F16;
    gather_quads(&x, mma, team, operands);
    if (chip->m8n8k4_in_software)
        team->warp->block->state->tensor_loops->quads(&x);
    for (unsigned i = 0; !chip->m8n8k4_in_software && i < 4 * 8 * 8; i++)
        x.d[i / 64][i / 8 % 8][i % 8] = quad_element(&x, chip, x.a[i / 64][i / 8 % 8],
                                                     x.b[i / 64][i % 8],
                                                     x.c[i / 64][i / 8 % 8][i % 8]);
    scatter_quads(&x, mma, team);
}

void mma_execute(const struct team *team)
{
    const struct code *code = team->code;
    const uint32_t *operands = code->operands + code->destinations;
    bool sparse = code->op == IR_OP_mma_sp;
    struct ir_mma mma;

    if (!(sparse ? ir_mma_sp_read : ir_mma_read)(code->sub, code->type, code->type2, &mma))
        return; /* the verifier lets no such instruction through */
    if (mma.parts > 1)
        multiply_quads(team, &mma, operands);
    else if (mma.a == TENSOR_F64)
        multiply_doubles(team, &mma, operands);
    else
        multiply_block(team, &mma, operands);
}
