/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h - how spaces and scopes are written. */
#ifndef SIMTLAB_CODEGEN_MEMORY_H
#define SIMTLAB_CODEGEN_MEMORY_H

#include "codegen/assembly.h"

/* ".global" and the like; nothing for generic. What calls pass lies on the stack. */
const char *memory_space(const struct gen *g, enum ir_space space);
/* ".gpu"; nothing for no scope. */
const char *memory_scope(enum ir_scope scope);
/* What the instruction says to the caches, but for its operator. */
enum { MEMORY_HINTS = 100 };
void memory_hints(const struct gen *g, char text[MEMORY_HINTS]);
/* The cache policy as the last operand, if it has one. */
void memory_policy(struct assembly *a, bool hinted);
/* The .texref or the like whose handle a load reads; NULL when it is another one. */
const char *memory_reference(const struct gen *g, const struct ir_inst *inst);

#endif
