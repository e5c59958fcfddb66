/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.h - computing at compile time what does not depend on the run. */
#ifndef SIMTLAB_IR_FOLD_H
#define SIMTLAB_IR_FOLD_H

#include "ir/ir.h"

/* Within each block: registers known to hold a constant are read as that
 * constant, per-lane operations on constants become mov, and a branch on a
 * constant becomes bra. The values are those of the rows in ops.def, so every
 * engine computes the same before and after. Returns how many instructions
 * changed. */
uint32_t ir_fold(struct ir_module *module, struct ir_function *function);

#endif
