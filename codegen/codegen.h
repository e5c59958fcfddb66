/* SPDX-License-Identifier: Apache-2.0
 *
 * codegen.h - kernel IR to PTX text, or to the LLVM IR it is made from.
 *
 * The result computes the same bits, in the same memory order and scope, with the
 * same lanes together. What cannot be written that way is refused with its place;
 * nothing is changed silently. The same module and options give the same bytes. */
#ifndef SIMTLAB_CODEGEN_CODEGEN_H
#define SIMTLAB_CODEGEN_CODEGEN_H

#include "base/diag.h"
#include "base/text.h"
#include "ir/ir.h"

struct codegen_options {
    uint32_t version;   /* .version, major * 10 + minor; 0: the lowest possible */
    uint32_t target;    /* .target sm_<target>; 0: the lowest possible */
    char target_suffix; /* 'a', 'f' or 0; with target only */
    bool llvm;          /* text of the LLVM IR instead of PTX */
};

/* Whether the code generator's module, which needs LLVM, is there and can be loaded;
 * without it everything is refused. SIMTLAB_CODEGEN in the environment names it. */
bool codegen_available(void);

/* Reads "7.8", or "sm_90a"; false when it is neither. */
bool codegen_read_version(const char *text, uint32_t *version);
bool codegen_read_target(const char *text, uint32_t *target, char *suffix);

/* Adds the text of a module that ir_verify accepts to out. False, and nothing
 * added, after errors in diags. */
bool codegen_write(const struct ir_module *module, const struct codegen_options *options,
                   struct text *out, struct diags *diags);

#endif
