/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_ptx.c - any bytes into the PTX reader (libFuzzer).
 *
 * It must return, and what it accepts must pass the verifier. Build and run
 * with "make fuzz-ptx". */
#include "frontend/ptx/ptx.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct diags diags = {.arena = &arena, .name = "fuzz.ptx",
                          .source = (const char *)data, .source_size = size};
    struct text shown = {0};
    struct ir_module *module =
        ptx_read(&arena, "fuzz.ptx", (const char *)data, size, &diags);

    if (!module && !diags.errors)
        abort(); /* refused without a reason */
    if (module && !ir_verify(module, &diags))
        abort();
    diag_print(&shown, &diags);
    text_free(&shown);
    arena_free(&arena);
    return 0;
}
