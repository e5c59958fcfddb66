/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.h - what the code generator's module offers to the program.
 *
 * All that needs LLVM is in a shared object of its own: LLVM takes 50 MiB and a
 * tenth of a second to load, which only those who want code shall pay. The module
 * exports one symbol, CODEGEN_PLUGIN, a struct codegen_plugin. */
#ifndef SIMTLAB_CODEGEN_PLUGIN_H
#define SIMTLAB_CODEGEN_PLUGIN_H

#include "codegen/codegen.h"

/* Another number for any change of this table or of what the IR's fields mean. */
enum { CODEGEN_PLUGIN_VERSION = 2 };
/* What both sides must agree on, lest a module of another build read the IR amiss. */
#define CODEGEN_PLUGIN_IR                                                              \
    ((unsigned)IR_OP_COUNT << 20 ^ (unsigned)(sizeof(struct ir_inst) << 13) ^          \
     (unsigned)(sizeof(struct ir_function) << 7) ^ (unsigned)sizeof(struct ir_module) ^ \
     (unsigned)(sizeof(struct ir_variable) << 3))
#define CODEGEN_PLUGIN "simtlab_codegen"

struct codegen_plugin {
    unsigned version; /* CODEGEN_PLUGIN_VERSION; comes first, in all versions */
    unsigned ir;      /* CODEGEN_PLUGIN_IR, since version 2 */
    bool (*write)(const struct ir_module *module, const struct codegen_options *options,
                  struct text *out, struct diags *diags);
};

extern const struct codegen_plugin simtlab_codegen;

#endif
