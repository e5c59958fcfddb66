/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix.c - mma, ldmatrix, stmatrix, movmatrix.
 *
 * The fragments of all lanes are gathered into whole matrices, the product is
 * formed by the rules of numeric/tensor.h for the launch's chip, and the result
 * is dealt out again. Where an element sits: ir/matrix.h. An 8x8 matrix of
 * 16-bit elements as ldmatrix gives it has row lane / 4, columns 2 * (lane % 4)
 * and the next in each lane (PTX ISA, "ldmatrix"). */
#include "emu/matrix.h"

#include <stddef.h>
#include <string.h>

#include "emu/access.h"
#include "ir/matrix.h"

/* The registers of every lane that takes part. */
struct team {
    struct warp *warp;
    const struct code *code;
    uint32_t lanes;
    unsigned char *base[LANES][2];
};

static uint64_t team_read(const struct team *team, uint32_t operand, unsigned bytes,
                          unsigned lane)
{
    uint64_t value = 0;

    memcpy(&value,
           (unsigned char *)operand_at(team->base[lane], operand) + (size_t)lane * bytes, bytes);
    return value;
}

static void team_write(const struct team *team, uint32_t operand, unsigned bytes,
                       unsigned lane, uint64_t value)
{
    if (operand != OPERAND_ABSENT)
        memcpy((unsigned char *)operand_at(team->base[lane], operand) + (size_t)lane * bytes,
               &value, bytes);
}

/* --- mma ------------------------------------------------------------------------------ */

enum { ROWS = 32, COLUMNS = 32, DEPTH = 64 }; /* the largest, all parts together */

struct matrices {
    struct ir_mma mma;
    struct tensor_number a[ROWS][DEPTH], b[COLUMNS][DEPTH];
    uint64_t a64[ROWS][DEPTH / 4], b64[COLUMNS][DEPTH / 4];
    uint64_t c[ROWS][8], d[ROWS][8];
};

static void gather_inputs(struct matrices *x, const struct team *team,
                          enum ir_mma_matrix matrix, const uint32_t *operands, unsigned count)
{
    const struct ir_mma *mma = &x->mma;
    bool is_a = matrix == IR_MMA_A, wide = mma->a == TENSOR_F64;
    enum tensor_type type = is_a ? mma->a : mma->b;
    unsigned bits = type == TENSOR_B1 ? 32 : tensor_type_bits(type);

    for (unsigned r = 0; r < count; r++)
        FOR_LANES(lane, team->lanes)
        {
            uint64_t word = team_read(team, operands[r], wide ? 8 : 4, lane);
            for (unsigned e = 0; e < mma->a_elements; e++) {
                struct ir_mma_place place = ir_mma_place(mma, matrix, lane, r, e);
                /* Products side by side: rows of A, columns of B one after another. */
                unsigned line = is_a ? place.part * mma->m + place.row
                                     : place.part * mma->n + place.column;
                unsigned k = is_a ? place.column : place.row;
                if (wide)
                    (is_a ? x->a64 : x->b64)[line][k] = word;
                else
                    (is_a ? x->a : x->b)[line][k] =
                        tensor_unpack(type, (uint32_t)(word >> e * bits));
            }
        }
}

static void gather_sums(struct matrices *x, const struct team *team, const uint32_t *operands)
{
    const struct ir_mma *mma = &x->mma;

    for (unsigned r = 0; r < mma->c_registers; r++)
        FOR_LANES(lane, team->lanes)
        {
            uint64_t word = team_read(team, operands[r], mma->c == TENSOR_F64 ? 8 : 4, lane);
            for (unsigned e = 0; e < mma->c_elements; e++) {
                struct ir_mma_place place = ir_mma_place(mma, IR_MMA_C, lane, r, e);
                x->c[place.part * mma->m + place.row][place.column] =
                    mma->c_elements == 2 ? word >> 16 * e & 0xffff : word;
            }
        }
}

static void scatter_sums(const struct matrices *x, const struct team *team,
                         const uint32_t *operands)
{
    const struct ir_mma *mma = &x->mma;

    for (unsigned r = 0; r < mma->d_registers; r++)
        FOR_LANES(lane, team->lanes)
        {
            uint64_t word = 0;
            for (unsigned e = 0; e < mma->d_elements; e++) {
                struct ir_mma_place place = ir_mma_place(mma, IR_MMA_D, lane, r, e);
                word |= x->d[place.part * mma->m + place.row][place.column] << 16 * e;
            }
            team_write(team, operands[r], mma->d == TENSOR_F64 ? 8 : 4, lane, word);
        }
}

static uint64_t element(const struct matrices *x, const struct tensor_chip *chip,
                        unsigned mode, unsigned row, unsigned line, unsigned column)
{
    const struct ir_mma *mma = &x->mma;
    uint64_t c = x->c[row][column];

    switch (mma->a) {
    case TENSOR_F64:
        return tensor_dot_f64(x->a64[row], x->b64[line], mma->k, c, mode);
    case TENSOR_S8:
    case TENSOR_U8:
    case TENSOR_S4:
    case TENSOR_U4:
        return tensor_dot_integer(x->a[row], x->b[line], mma->k, (uint32_t)c,
                                  mode & MODE_SATFINITE);
    case TENSOR_B1:
        return tensor_dot_bits(x->a[row], x->b[line], mma->k, (uint32_t)c, mma->exclusive);
    default:
        return tensor_dot(chip, mma->a, mma->b, x->a[row], x->b[line], mma->k, (uint32_t)c,
                          mma->c == TENSOR_F16, mma->d == TENSOR_F16);
    }
}

static void multiply(const struct team *team)
{
    const struct code *code = team->code;
    const struct launch *launch = team->warp->block->state->launch;
    const struct tensor_chip *chip = tensor_chip_of(launch->profile->number);
    const uint32_t *operands = code->operands;
    struct matrices x;
    const struct ir_mma *mma = &x.mma;

    if (!ir_mma_read(code->sub, code->type, code->type2, &x.mma))
        return; /* the verifier lets no such instruction through */
    if (team->lanes != LANES_ALL)
        memset(&x.a, 0, sizeof x - offsetof(struct matrices, a));
    operands += mma->d_registers;
    gather_inputs(&x, team, IR_MMA_A, operands, mma->a_registers);
    operands += mma->a_registers;
    gather_inputs(&x, team, IR_MMA_B, operands, mma->b_registers);
    operands += mma->b_registers;
    gather_sums(&x, team, operands);
    for (unsigned part = 0; part < mma->parts; part++)
        for (unsigned row = part * mma->m; row < (part + 1) * mma->m; row++)
            for (unsigned column = 0; column < mma->n; column++)
                x.d[row][column] = element(&x, chip, code->ir->mode, row,
                                           part * mma->n + column, column);
    scatter_sums(&x, team, code->operands);
}

/* --- 8x8 matrices ----------------------------------------------------------------------- */

/* Row and column of an element (0 or 1) in a lane's register. */
static void place_of(unsigned lane, unsigned e, bool transposed, unsigned *row,
                     unsigned *column)
{
    unsigned along = 2 * (lane % 4) + e, across = lane / 4;

    *row = transposed ? along : across;
    *column = transposed ? across : along;
}

/* Lanes 8i to 8i+7 hold the addresses of the rows of matrix i. Adds what the part
 * brings to host[]; lanes that fault stay NULL. */
static void rows_of(const struct team *team, const struct matrix_part *part,
                    unsigned matrices, struct access *access, unsigned char *host[LANES])
{
    struct warp *warp = team->warp;
    const struct code *code = team->code;
    uint32_t rows = matrices == 4 ? LANES_ALL : (UINT32_C(1) << 8 * matrices) - 1;
    uint32_t mask = part->mask & rows;
    unsigned char *const base[2] = {part->fragment->frame->registers,
                                    warp->block->state->executable->constants};

    access->mask = 0;
    if (!mask)
        return;
    access_addresses(warp, part->fragment, code, base, mask, access->address);
    access_resolve(access, warp, part->fragment, code, code->space, mask);
    FOR_LANES(lane, access->mask)
    host[lane] = access->host[lane];
}

static void load_matrices(const struct team *team, const struct matrix_part *parts,
                          unsigned count)
{
    const struct code *code = team->code;
    unsigned char *host[LANES] = {0};

    for (unsigned i = 0; i < count; i++) {
        struct access access = {.kind = FINDING_READ, .size = 16};
        rows_of(team, &parts[i], code->destinations, &access, host);
        access_report(&access, team->warp, code, ACCESS_READ, access.mask);
    }
    uint32_t words[4][LANES] = {{0}};
    for (unsigned i = 0; i < code->destinations; i++)
        FOR_LANES(lane, team->lanes)
        for (unsigned e = 0; e < 2; e++) {
            unsigned row, column;
            uint16_t half = 0;
            place_of(lane, e, code->sub & IR_MATRIX_TRANSPOSE, &row, &column);
            if (host[8 * i + row])
                memcpy(&half, host[8 * i + row] + 2 * column, 2);
            words[i][lane] |= (uint32_t)half << 16 * e;
        }
    for (unsigned i = 0; i < code->destinations; i++)
        FOR_LANES(lane, team->lanes)
        team_write(team, code->operands[i], 4, lane, words[i][lane]);
}

static void store_matrices(const struct team *team, const struct matrix_part *parts,
                           unsigned count)
{
    const struct code *code = team->code;
    unsigned matrices = code->sources - 3u;
    unsigned char *host[LANES] = {0};
    bool changed = false;

    for (unsigned i = 0; i < count; i++) {
        struct access access = {.kind = FINDING_WRITE, .size = 16};
        rows_of(team, &parts[i], matrices, &access, host);
        access_report(&access, team->warp, code, ACCESS_WRITE, access.mask);
    }
    for (unsigned i = 0; i < matrices; i++)
        FOR_LANES(lane, team->lanes)
        {
            uint64_t word = team_read(team, code->operands[2 + i], 4, lane);
            for (unsigned e = 0; e < 2; e++) {
                unsigned row, column;
                uint16_t half = (uint16_t)(word >> 16 * e);
                place_of(lane, e, code->sub & IR_MATRIX_TRANSPOSE, &row, &column);
                unsigned char *to = host[8 * i + row];
                if (!to)
                    continue;
                changed |= memcmp(to + 2 * column, &half, 2) != 0;
                memcpy(to + 2 * column, &half, 2);
            }
        }
    if (changed) {
        team->warp->block->state->changes++;
        for (unsigned i = 0; i < count; i++)
            parts[i].fragment->polls = 0;
    }
}

static void transpose(const struct team *team)
{
    const struct code *code = team->code;
    uint16_t matrix[8][8] = {{0}};
    unsigned row, column;

    FOR_LANES(lane, team->lanes)
    {
        uint64_t word = team_read(team, code->operands[1], 4, lane);
        for (unsigned e = 0; e < 2; e++) {
            place_of(lane, e, false, &row, &column);
            matrix[row][column] = (uint16_t)(word >> 16 * e);
        }
    }
    FOR_LANES(lane, team->lanes)
    {
        uint32_t word = 0;
        for (unsigned e = 0; e < 2; e++) {
            place_of(lane, e, true, &row, &column);
            word |= (uint32_t)matrix[row][column] << 16 * e;
        }
        team_write(team, code->operands[0], 4, lane, word);
    }
}

void matrix_execute(struct warp *warp, const struct code *code,
                    const struct matrix_part *parts, unsigned count)
{
    struct team team = {.warp = warp, .code = code};

    for (unsigned i = 0; i < count; i++) {
        team.lanes |= parts[i].mask;
        FOR_LANES(lane, parts[i].mask)
        {
            team.base[lane][0] = parts[i].fragment->frame->registers;
            team.base[lane][1] = warp->block->state->executable->constants;
        }
    }
    switch (code->op) {
    case IR_OP_mma:
        multiply(&team);
        break;
    case IR_OP_ldmatrix:
        load_matrices(&team, parts, count);
        break;
    case IR_OP_stmatrix:
        store_matrices(&team, parts, count);
        break;
    default:
        transpose(&team);
        break;
    }
}
