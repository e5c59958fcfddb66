/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_block.h - sixteen rows times eight columns at once.
 *
 * The same results as tensor.h gives for each element, for the whole product of
 * one warp. Rows of A and columns of B are packed words, elements in order of k
 * from the lowest bits of the first word on. */
#ifndef SIMTLAB_NUMERIC_TENSOR_BLOCK_H
#define SIMTLAB_NUMERIC_TENSOR_BLOCK_H

#include "numeric/tensor.h"

enum { TENSOR_ROWS = 16, TENSOR_COLUMNS = 8, TENSOR_WORDS = 16, TENSOR_DEPTH = 64 };

struct tensor_block {
    enum tensor_type a_type, b_type; /* f16, bf16, tf32, fp8 or integers; b1: both b1 */
    unsigned rows, k;                /* 8 or 16; elements (b1: words) */
    bool c_is_f16, d_is_f16;         /* of floats, else f32 */
    bool saturate;                   /* integers; f32 sums with an f16 result */
    bool exclusive;                  /* b1 */
    bool group;                      /* of a wgmma */
    bool sparse;                     /* columns of B have 2 k elements; element i of row r of A
                                        goes with number from[r][i] of them */
    uint8_t from[TENSOR_ROWS][TENSOR_DEPTH];
    uint32_t a[TENSOR_ROWS][TENSOR_WORDS], b[TENSOR_COLUMNS][TENSOR_WORDS];
    uint32_t c[TENSOR_ROWS][TENSOR_COLUMNS], d[TENSOR_ROWS][TENSOR_COLUMNS];
};

/* The same of f64. */
struct tensor_block64 {
    unsigned rows, k, mode;
    uint64_t a[TENSOR_ROWS][TENSOR_WORDS], b[TENSOR_COLUMNS][TENSOR_WORDS];
    uint64_t c[TENSOR_ROWS][TENSOR_COLUMNS], d[TENSOR_ROWS][TENSOR_COLUMNS];
};

/* The four products of m8n8k4 of f16, on chips that make them of f32 operations. */
struct tensor_quads {
    bool c_is_f16, d_is_f16;
    uint16_t a[4][8][4], b[4][8][4]; /* product, row or column, k */
    uint32_t c[4][8][8], d[4][8][8];
};

/* All fill d. One set for each instruction set of the host. */
struct tensor_loops {
    void (*block)(const struct tensor_chip *chip, struct tensor_block *block);
    void (*block64)(struct tensor_block64 *block);
    void (*quads)(struct tensor_quads *quads);
};

#endif
