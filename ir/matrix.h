/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix.h - what an mma instruction of the IR computes, and where the elements
 * of its matrices sit in the registers of a warp.
 *
 * D = A * B + C. The sub field of the instruction holds shape, element types of
 * A and B and variants; type is that of D, type2 that of C: f32, f16x2 (two f16
 * in a register), s32 or f64. Operands: registers of D; those of A, B, C and the
 * member mask.
 *
 * mma_sp: of every few elements of a row of A half are zero and left out. What
 * is there lies as in an mma of half the k; where each belongs, metadata tell: a
 * register before the member mask, then a constant, the selector, which says
 * whose lanes' metadata count. */
#ifndef SIMTLAB_IR_MATRIX_H
#define SIMTLAB_IR_MATRIX_H

#include "ir/ir.h"
#include "numeric/tensor.h"

#define IR_MMA_SHAPES(X)                                                         \
    X(8, 8, 4) X(8, 8, 16) X(8, 8, 32) X(8, 8, 128)                              \
    X(16, 8, 4) X(16, 8, 8) X(16, 8, 16) X(16, 8, 32) X(16, 8, 64)               \
    X(16, 8, 128) X(16, 8, 256)

enum ir_mma_shape {
    IR_MMA_NO_SHAPE,
#define X(m, n, k) IR_MMA_M##m##N##n##K##k,
    IR_MMA_SHAPES(X)
#undef X
    IR_MMA_SHAPE_COUNT
};

/* Fields of sub; none is 0. */
enum {
    IR_MMA_SHAPE_MASK = 0x1f, /* enum ir_mma_shape */
    IR_MMA_A_SHIFT = 5,       /* enum tensor_type, 4 bits */
    IR_MMA_B_SHIFT = 9,       /* enum tensor_type, 4 bits */
    IR_MMA_XOR = 1 << 13,     /* b1: exclusive or instead of and */
    IR_MMA_A_COLUMN = 1 << 14, /* m8n8k4 f16: A is .col */
    IR_MMA_B_ROW = 1 << 15,    /* m8n8k4 f16: B is .row */
};
static inline uint16_t ir_mma_sub(enum ir_mma_shape shape, enum tensor_type a,
                                  enum tensor_type b)
{
    return (uint16_t)(shape | (unsigned)a << IR_MMA_A_SHIFT | (unsigned)b << IR_MMA_B_SHIFT);
}

enum { IR_MATRIX_TRANSPOSE = 1 }; /* sub of ldmatrix and stmatrix */

/* An mma, taken apart. */
struct ir_mma {
    unsigned m, n, k;
    enum tensor_type a, b, c, d;
    unsigned a_registers, b_registers, c_registers, d_registers;
    unsigned a_elements; /* of A or B in one register; b1: words count as elements */
    unsigned c_elements, d_elements;
    unsigned parts;      /* independent products: 4 for m8n8k4 f16, else 1 */
    bool exclusive, a_column, b_row;
    unsigned sparse;     /* mma_sp: elements of A's row for k of them that are there */
    unsigned selectors;  /* mma_sp: how many there are */
};

/* False when there is no such mma. */
bool ir_mma_read(unsigned sub, enum ir_type type, enum ir_type type2, struct ir_mma *mma);

/* The same for mma_sp; k, A's registers and places are those of the compressed A.
 * B's rows are counted in full. */
bool ir_mma_sp_read(unsigned sub, enum ir_type type, enum ir_type type2, struct ir_mma *mma);

/* mma_sp: the row of B that goes with each of the first k elements of a compressed row of
 * A. metadata: the registers of the warp. */
void ir_mma_sp_rows(enum tensor_type a, unsigned selectors, unsigned selector, unsigned k,
                    const uint32_t metadata[32], uint8_t from[16][64]);

/* wgmma: a warpgroup's product of 64 rows and n columns. sub: n / 8 - 1 where mma has
 * its shape, types of A and B, A in registers, and for 16-bit elements A and B lying along
 * m and n rather than k. Destinations: D. Sources: C, as many as D; A's four registers or
 * its descriptor; B's descriptor; not zero: C counts; a constant, IR_WGMMA_ bits; the
 * member mask. wgmma_sp: after B's descriptor the metadata and the constant selector, as in
 * mma_sp for the sixteen rows of each warp; k is that of the compressed A. */
enum { IR_WGMMA_A_REGISTERS = IR_MMA_XOR };
enum { IR_WGMMA_NEGATE_A = 1, IR_WGMMA_NEGATE_B = 2 };
struct ir_wgmma {
    unsigned n, k; /* b1: k in words */
    enum tensor_type a, b, d;
    unsigned d_registers, d_elements; /* elements in one register */
    bool a_in_registers, a_column, b_row;
    unsigned sparse, selectors;       /* wgmma_sp: as in struct ir_mma */
};
/* False when there is no such wgmma or, for IR_OP_wgmma_sp, no such wgmma_sp. */
bool ir_wgmma_read(enum ir_op op, unsigned sub, enum ir_type type, struct ir_wgmma *wgmma);
/* How many sources it has, the member mask included. */
unsigned ir_wgmma_sources(const struct ir_wgmma *wgmma);

/* The place of an element: which product, row, column. For A the column is k, for
 * B the row is. k counts elements (b1: words of 32). */
struct ir_mma_place {
    uint8_t part, row, column;
};
enum ir_mma_matrix { IR_MMA_A, IR_MMA_B, IR_MMA_C, IR_MMA_D };
struct ir_mma_place ir_mma_place(const struct ir_mma *mma, enum ir_mma_matrix matrix,
                                 unsigned lane, unsigned reg, unsigned element);

#endif
