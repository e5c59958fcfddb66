/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_value.h - values of the formats as f64, and operations on the wide side. */
#ifndef SIMTLAB_CHECK_PRECISION_VALUE_H
#define SIMTLAB_CHECK_PRECISION_VALUE_H

#include "ir/ir.h"

enum shade_format { SHADE_NONE, SHADE_F16, SHADE_BF16, SHADE_F32, SHADE_F64 };

/* Of a type whose values can be followed; *pair: there are two in a word. */
enum shade_format shade_format_of(enum ir_type type, bool *pair);
unsigned shade_bytes(enum shade_format format);
/* Exact. */
double shade_value(enum shade_format format, uint64_t bits);
/* |value - wide| by the size of wide, or of the format's least normal number. */
double shade_error(enum shade_format format, double value, double wide);

/* Does the op compute a floating-point value from others of its type? */
bool shade_computes(enum ir_op op);
/* Its result in f64, or in f32 when that is the wider format; saturation and the like
 * as the mode says, without .ftz. */
double shade_compute(enum ir_op op, const double source[3], unsigned mode, bool f64);
/* Only saturation, .relu and rounding to integers. */
double shade_clamp(double value, unsigned mode);

#endif
