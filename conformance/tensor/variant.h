/* SPDX-License-Identifier: Apache-2.0
 *
 * variant.h - every matrix instruction that sm_90 has, and a kernel for each.
 *
 * The kernel of a variant makes its own operands out of the number of the warp,
 * by eight distributions (one for each block index y), so that a GPU and the
 * emulator compute the same without any data going in. Parameters: the output
 * and the number of the first unit, a warp or for wgmma four. A grid of X by 8
 * blocks of whole units writes X * units results for each distribution, one
 * distribution after the other. */
#ifndef SIMTLAB_CONFORMANCE_TENSOR_VARIANT_H
#define SIMTLAB_CONFORMANCE_TENSOR_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { DISTRIBUTIONS = 8 };

enum variant_kind { VARIANT_MMA, VARIANT_WMMA, VARIANT_SPARSE, VARIANT_MOVE, VARIANT_WGMMA, VARIANT_LAYOUT };
enum variant_matrix { MATRIX_A, MATRIX_B, MATRIX_C };

enum variant_type {
    TYPE_F16, TYPE_BF16, TYPE_TF32, TYPE_E4M3, TYPE_E5M2, TYPE_S8, TYPE_U8, TYPE_S4,
    TYPE_U4, TYPE_B1, TYPE_F64, TYPE_F32, TYPE_S32
};

struct variant {
    char name[96]; /* of the kernel, too */
    enum variant_kind kind;
    unsigned m, n, k;
    enum variant_type a, b, c, d;
    bool a_column, b_row, c_column; /* other than the usual layout */
    const char *modifier;           /* ".satfinite", ".xor.popc", ".rz"; or "";
                                       move: the instruction, n matrices, a_column: .trans */
    bool generic;                   /* move: no .shared */
    bool ordered;                   /* sp: ::ordered_metadata */
    unsigned selector;              /* both sp: which lanes give the metadata */
    bool sparse;                    /* wgmma: .sp, k is that of B */
    bool a_registers;               /* wgmma: A in registers, else in shared memory */
    enum variant_matrix probed;     /* layout: whose places are told */
    bool negate_a, negate_b, ignore_c; /* wgmma */
    unsigned swizzle;               /* wgmma: bytes, 0 for none */
    unsigned offset;                /* wgmma: of the tiles in a swizzled row, bytes */
    unsigned unit;                  /* threads that work together: 32 or 128 */
    unsigned output;                /* bytes that one unit writes */
};

/* In an order that never changes; all of them, *count. The caller frees. */
struct variant *variants(size_t *count);

/* A module with the kernel of one variant. */
void variant_ptx(const struct variant *variant, struct text *ptx);

/* Names of the distributions. */
extern const char *const variant_distributions[DISTRIBUTIONS];

unsigned variant_bits(enum variant_type type);
const char *variant_type_name(enum variant_type type);

/* What the operands of one matrix look like: see kernel.c. */
struct variant_row {
    uint32_t keep, set, select, flip;
    uint32_t pair, pair_flip, special_keep, special_set;
    uint32_t special_rate, zero_rate, low, unused;
};
struct variant_row variant_row(const struct variant *variant, enum variant_matrix matrix,
                               unsigned distribution);

#endif
