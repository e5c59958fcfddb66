/* SPDX-License-Identifier: Apache-2.0
 *
 * signature.h - types of functions, for their declarations and for calls. */
#ifndef SIMTLAB_CODEGEN_SIGNATURE_H
#define SIMTLAB_CODEGEN_SIGNATURE_H

#include "codegen/gen.h"

LLVMTypeRef gen_signature(struct gen *g, const struct ir_variable *const *results,
                          unsigned result_count, const struct ir_variable *const *parameters,
                          unsigned parameter_count);
/* What is passed in memory is marked so, at a function or at a call. */
void gen_parameter_attributes(struct gen *g, LLVMValueRef target,
                              const struct ir_variable *const *parameters, unsigned count);

#endif
