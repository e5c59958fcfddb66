/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_kir.c - libFuzzer target: any bytes as .kir text.
 *
 * Whatever reads must print, and what was printed must read and print the same
 * again. Whatever verifies must survive every pass and stay verified.
 *     make fuzz-kir && ./fuzz-kir -max_total_time=60 tests/fuzz/corpus-kir */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/fold.h"
#include "ir/liveness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const struct text *text)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n%s\n", what, text_string(text));
    abort();
}

static void run_passes(struct arena *arena, struct ir_module *module)
{
    struct text dot = {0};
    struct diags diags = {.arena = arena};

    for (uint32_t i = 0; i < module->function_count; i++) {
        struct ir_function *function = &module->functions[i];
        struct ir_cfg *cfg = ir_cfg_build(arena, function);
        ir_assign_slots(arena, function, cfg);
        ir_cfg_print_dot(&dot, module, function);
        ir_fold(module, function);
    }
    require(ir_verify(module, &diags), "folding broke the module", &dot);
    text_free(&dot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct diags diags = {.arena = &arena, .name = "fuzz.kir", .source = (const char *)data,
                          .source_size = size};
    struct text once = {0}, twice = {0}, report = {0};
    struct ir_module *module =
        ir_parse(&arena, "fuzz.kir", (const char *)data, size, &diags);

    diag_print(&report, &diags);
    if (module) {
        ir_print(&once, module);
        struct diags again = {.arena = &arena};
        struct ir_module *second =
            ir_parse(&arena, "again.kir", text_string(&once), once.size, &again);
        require(second != NULL, "printed text does not read", &once);
        ir_print(&twice, second);
        require(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0,
                "printed text prints differently", &once);
        bool good = ir_verify(module, &diags);
        diag_print(&report, &diags);
        if (good)
            run_passes(&arena, module);
    }
    text_free(&once);
    text_free(&twice);
    text_free(&report);
    arena_free(&arena);
    return 0;
}
