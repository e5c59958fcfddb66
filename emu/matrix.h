/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix.h - matrix instructions of a warp: mma, ldmatrix, stmatrix, movmatrix. */
#ifndef SIMTLAB_EMU_MATRIX_H
#define SIMTLAB_EMU_MATRIX_H

#include "emu/state.h"

/* The product loops for this host (numeric/tensor_block.h). */
struct tensor_loops;
const struct tensor_loops *mma_loops(void);

/* Lanes of one fragment that take part. */
struct matrix_part {
    struct fragment *fragment;
    uint32_t mask;
};

static inline bool is_matrix(const struct code *code)
{
    return (code->op >= IR_OP_wgmma && code->op <= IR_OP_wgmma_wait) || code->op == IR_OP_mma || code->op == IR_OP_mma_sp || code->op == IR_OP_ldmatrix ||
           code->op == IR_OP_stmatrix || code->op == IR_OP_movmatrix;
}

/* Executes for the lanes of all parts together, which have all come to this
 * code. Lanes that are not there count as zero. */
void matrix_execute(struct warp *warp, const struct code *code,
                    const struct matrix_part *parts, unsigned count);

/* emu/wgmma.c: a wait for groups that other warps of the warpgroup have not issued yet. */
bool wgmma_unfinished(struct warp *warp, const struct code *code, unsigned char *const base[2]);

#endif
