/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ir_golden.c - every golden kernel and example as IR: verifies, survives
 * the way through its text, and verifies again after folding. */
#define _POSIX_C_SOURCE 200809L
#include "tests/suite.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "frontend/ptx/ptx.h"
#include "ir/fold.h"
#include "ir/liveness.h"

static const char *const patterns[] = {"/tests/golden/*/*.ptx", "/examples/*.ptx"};

static const char *read_file(struct arena *arena, const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct text text = {0};
    char buffer[4096];

    ck_assert_ptr_nonnull(file);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_add(&text, buffer, n);
    fclose(file);
    *size = text.size;
    const char *copy = arena_copy(arena, text_string(&text), text.size);
    text_free(&text);
    return copy;
}

static void require(bool holds, const char *path, const struct diags *diags)
{
    struct text out = {0};

    if (holds)
        return;
    diag_print(&out, diags);
    ck_abort_msg("%s: %.3000s", path, text_string(&out));
}

/* False when the file is no valid PTX: some are there to be refused. */
static bool check_file(const char *path)
{
    struct arena arena = {0};
    struct text once = {0}, twice = {0};
    size_t size;
    const char *text = read_file(&arena, path, &size);
    struct diags diags = {.arena = &arena, .name = path, .source = text, .source_size = size};
    struct ir_module *module = ptx_read(&arena, path, text, size, &diags);

    if (module) {
        require(ir_verify(module, &diags), path, &diags);
        ir_print(&once, module);
        struct diags again = {.arena = &arena, .name = "printed", .source = once.data,
                              .source_size = once.size};
        struct ir_module *second =
            ir_parse(&arena, "printed", once.data, once.size, &again);
        require(second != NULL, path, &again);
        require(ir_verify(second, &again), path, &again);
        ir_print(&twice, second);
        ck_assert_msg(strcmp(text_string(&once), text_string(&twice)) == 0,
                      "%s prints differently after reading", path);
        for (uint32_t f = 0; f < module->function_count; f++) {
            struct ir_function *function = &module->functions[f];
            ir_assign_slots(&arena, function, ir_cfg_build(&arena, function));
            ir_fold(module, function);
        }
        require(ir_verify(module, &diags), path, &diags);
    }
    text_free(&once);
    text_free(&twice);
    arena_free(&arena);
    return module != NULL;
}

START_TEST(kernels_as_ir)
{
    char pattern[4096];
    glob_t found;
    size_t good = 0;

    snprintf(pattern, sizeof pattern, "%s%s", SIMTLAB_SOURCE_DIR, patterns[_i]);
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        good += check_file(found.gl_pathv[i]);
    ck_assert_msg(good * 10 >= found.gl_pathc * 8, "only %zu of %zu files are read", good,
                  found.gl_pathc);
    globfree(&found);
}
END_TEST

SUITE("ir_golden", { LOOP_TEST(kernels_as_ir, 0, 2); })
