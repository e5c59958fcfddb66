/* SPDX-License-Identifier: Apache-2.0
 *
 * warp.h - what the parts about warps share. */
#ifndef SIMTLAB_CODEGEN_WARP_H
#define SIMTLAB_CODEGEN_WARP_H

#include "codegen/gen.h"
#include "numeric/tensor.h"

/* Of an element, as in PTX. */
const char *warp_tensor_name(enum tensor_type type);
/* Whether a member mask is the whole warp's, which is all that .aligned forms can say; an
 * error when not. */
bool warp_is_whole(struct gen *g, ir_operand mask);
/* wgmma and its groups (warpgroup.c). */
void warp_group(struct gen *g);

#endif
