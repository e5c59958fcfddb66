/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.h - what the kernels of warps and of warpgroups share. */
#ifndef SIMTLAB_CONFORMANCE_KERNEL_H
#define SIMTLAB_CONFORMANCE_KERNEL_H

#include <stdio.h>

#include "conformance/tensor/variant.h"

static inline bool in_memory(const struct variant *v, enum variant_matrix matrix)
{
    return v->kind == VARIANT_WMMA ||
           (v->kind == VARIANT_WGMMA && !(matrix == MATRIX_A && v->a_registers));
}

/* The row of matrix m into %m0..%m10. */
void emit_row(struct text *ptx, unsigned m);
/* Word number %i of a matrix into %v (f64: the low word into %z). Slots, 32 words each, count
 * through A, B and C: first_slot is the matrix's; pairs are those within one. */
void emit_word_i(struct text *ptx, unsigned first_slot);
/* Registers %<letter>0 and on, in braces. */
void emit_list(struct text *ptx, char letter, unsigned count);
/* %meta, made of the hash of slot * 32 + lane. */
void emit_metadata(const struct variant *v, struct text *ptx, unsigned slot);

/* The part of a kernel that is of wgmma, and how much shared memory it has. */
void emit_wgmma(const struct variant *v, struct text *ptx);
unsigned wgmma_bytes(const struct variant *v);
void emit_layout(const struct variant *v, struct text *ptx);
unsigned layout_bytes(const struct variant *v);

/* The same of ldmatrix, stmatrix, movmatrix; for each warp: */
enum { MOVEMENT_BYTES = 512 };
void emit_movement(const struct variant *v, struct text *ptx);

#endif
