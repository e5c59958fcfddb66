/* SPDX-License-Identifier: Apache-2.0
 *
 * absent.c - code generation in a build without LLVM: refused. */
#include "codegen/codegen.h"

bool codegen_available(void)
{
    return false;
}

bool codegen_write(const struct ir_module *module, const struct codegen_options *options,
                   struct text *out, struct diags *diags)
{
    diag_error(diags, (struct loc){0, 0},
               "this build has no LLVM 19, which writes code: install it "
               "(Debian, Ubuntu: apt-get install llvm-19-dev), then configure and make again");
    return false;
}
