/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix.c - ldmatrix, stmatrix, movmatrix, and the way to mma.
 *
 * An 8x8 matrix of
 * 16-bit elements as ldmatrix gives it has row lane / 4, columns 2 * (lane % 4)
 * and the next in each lane (PTX ISA, "ldmatrix"). */
#include "emu/matrix.h"

#include <string.h>

#include "emu/access.h"
#include "emu/team.h"
#include "ir/matrix.h"

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
    unsigned char *host[LANES] = {0}, rows[LANES][16] = {{0}};
    const unsigned char *stored[LANES];
    bool changed = false;

    for (unsigned i = 0; i < matrices; i++)
        FOR_LANES(lane, team->lanes)
        {
            uint64_t word = team_read(team, code->operands[2 + i], 4, lane);
            for (unsigned e = 0; e < 2; e++) {
                unsigned row, column;
                uint16_t half = (uint16_t)(word >> 16 * e);
                place_of(lane, e, code->sub & IR_MATRIX_TRANSPOSE, &row, &column);
                memcpy(rows[8 * i + row] + 2 * column, &half, 2);
            }
        }
    for (unsigned lane = 0; lane < LANES; lane++)
        stored[lane] = rows[lane];
    /* Part by part: what is told of the next one finds the rows of this one in memory. */
    for (unsigned p = 0; p < count; p++) {
        struct access access = {.kind = FINDING_WRITE, .size = 16, .stored = stored};
        rows_of(team, &parts[p], matrices, &access, host);
        access_report(&access, team->warp, code, ACCESS_WRITE, access.mask);
        for (unsigned i = 0; i < matrices; i++)
            FOR_LANES(lane, team->lanes)
            for (unsigned e = 0; e < 2; e++) {
                unsigned row, column;
                place_of(lane, e, code->sub & IR_MATRIX_TRANSPOSE, &row, &column);
                row += 8 * i;
                if (!(access.mask >> row & 1))
                    continue;
                changed |= memcmp(host[row] + 2 * column, rows[row] + 2 * column, 2) != 0;
                memcpy(host[row] + 2 * column, rows[row] + 2 * column, 2);
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
    struct team team = {.warp = warp, .code = code, .together = count == 1};

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
    case IR_OP_mma_sp:
        mma_execute(&team);
        break;
    case IR_OP_wgmma:
    case IR_OP_wgmma_sp:
    case IR_OP_wgmma_fence:
    case IR_OP_wgmma_commit:
    case IR_OP_wgmma_wait:
        wgmma_execute(&team, parts[0].fragment);
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
