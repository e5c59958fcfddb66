/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_matrix.h - what mma and wmma share. */
#ifndef SIMTLAB_FRONTEND_PTX_LOWER_MATRIX_H
#define SIMTLAB_FRONTEND_PTX_LOWER_MATRIX_H

#include "frontend/ptx/lower_ops.h"
#include "ir/matrix.h"

/* TENSOR_NONE when A and B cannot be that. */
enum tensor_type tensor_type_of(uint32_t word);
/* f16 accumulators come in pairs. */
enum ir_type accumulator_type(uint32_t word);
/* As many registers as the variant takes; see ir/matrix.h. metadata: and the
 * selector, for a sparse A; else NULL. */
void emit_mma(struct lower *l, uint16_t sub, enum ir_type type, enum ir_type type2,
              unsigned mode, const ir_operand *destinations, const ir_operand *a,
              const ir_operand *b, const ir_operand *c, const ir_operand *metadata);
/* The registers of a fragment; false after an error. */
bool matrix_sources(struct lower *l, const struct ptx_operand *operand, uint32_t type,
                    unsigned count, ir_operand *values);
bool matrix_destinations(struct lower *l, const struct ptx_operand *operand, uint32_t type,
                         unsigned count, ir_operand *values);
/* Sets *a_column and *b_row where .row and .col say so. */
void matrix_layouts(const struct instruction *i, bool *a_column, bool *b_row);

#endif
