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

/* Another number for any change of this table or of the structs that it takes. */
enum { CODEGEN_PLUGIN_VERSION = 1 };
#define CODEGEN_PLUGIN "simtlab_codegen"

struct codegen_plugin {
    unsigned version; /* CODEGEN_PLUGIN_VERSION; comes first, in all versions */
    bool (*write)(const struct ir_module *module, const struct codegen_options *options,
                  struct text *out, struct diags *diags);
};

extern const struct codegen_plugin simtlab_codegen;

#endif
