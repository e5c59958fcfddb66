/* SPDX-License-Identifier: Apache-2.0
 *
 * check_numeric_ptx.c - the recorded instructions as PTX text, from the reader
 * to memory.
 *
 * For every variant of tests/vectors.h a kernel around the instruction, with all lanes
 * and under masks, is read, launched over all 2048 vectors and its results are compared
 * with the recording. So the reader's choice of operation, types, mode and operand
 * order is held up by the hardware too. */
#include "tests/suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <simtlab/simtlab.h>

#include "base/arena.h"
#include "base/text.h"
#include "tests/vectors.h"

enum { OUTPUT = 8 * VECTORS * VECTOR_FORMS };

static void compare(const struct vectors *vectors, const unsigned char *bytes, uint32_t turn,
                    struct text *report)
{
    static const char *const forms[] = {"", " under a guard", " behind a branch"};

    for (int form = 0; form < VECTOR_FORMS; form++)
        for (int i = 0; i < VECTORS; i++) {
            uint64_t got, due;
            if (vector_right(vectors, bytes, i, form, turn, &got, &due))
                continue;
            text_printf(report, "  %s%s: vector %d gave %llx, not %llx\n", vectors->name,
                        forms[form], i, (unsigned long long)got, (unsigned long long)due);
            break;
        }
}

static void replay(sl_context *context, const struct vectors *vectors, sl_buffer *input,
                   sl_buffer *output, unsigned char *bytes, struct text *report)
{
    static const uint32_t grid[3] = {VECTORS / 256, 1, 1}, block[3] = {256, 1, 1};
    const char *name = vectors->name;
    struct text kernel_text = {0};
    sl_module *module;
    sl_kernel *kernel;
    sl_report *run = NULL;

    text_puts(&kernel_text, ".version 9.0\n.target sm_90\n.address_size 64\n");
    vector_kernel(&kernel_text, vectors, "k", ~0u);
    if (sl_module_load(context, SL_FORMAT_PTX, name, kernel_text.data, kernel_text.size,
                       &module) != SL_OK) {
        text_printf(report, "  %s: not read: %s", name, sl_context_error(context));
        text_free(&kernel_text);
        return;
    }
    ck_assert_int_eq(sl_module_find(module, NULL, &kernel), SL_OK);
    for (uint32_t turn = 0; turn < VECTOR_TURNS; turn++) {
        uint64_t addresses[2] = {sl_buffer_address(input), sl_buffer_address(output)};
        const void *arguments[3] = {&addresses[0], &addresses[1], &turn};
        if (sl_launch(kernel, grid, block, 0, arguments, 3, &run) != SL_OK)
            ck_abort_msg("%s: not run: %s", name, sl_context_error(context));
        ck_assert_msg(sl_report_problems(run) == 0, "%s: %s", name, sl_report_text(run));
        ck_assert_int_eq(sl_buffer_read(output, 0, bytes, OUTPUT), SL_OK);
        sl_report_destroy(run);
        compare(vectors, bytes, turn, report);
    }
    sl_module_destroy(module);
    text_free(&kernel_text);
}

START_TEST(every_recorded_instruction_runs_as_ptx)
{
    struct arena arena = {0};
    struct text report = {0};
    const struct vectors *vectors = vectors_read(&arena);
    unsigned char *bytes = arena_alloc(&arena, OUTPUT);
    sl_context *context;
    sl_buffer *input = NULL, *output;

    ck_assert_int_eq(sl_context_create(NULL, &context), SL_OK);
    ck_assert_int_eq(sl_context_set(context, SL_OPTION_CHECKS, 0), SL_OK);
    ck_assert_int_eq(sl_buffer_create(context, OUTPUT, bytes, &output), SL_OK);
    for (int i = 0; i < VECTOR_COUNT; i++) {
        /* Those with the same sources follow one another. */
        if (i == 0 || vectors[i].words != vectors[i - 1].words) {
            uint64_t size = (uint64_t)8 * VECTORS * (uint64_t)vectors[i].sources;
            ck_assert_int_eq(sl_buffer_create(context, size, vectors[i].words, &input), SL_OK);
        }
        replay(context, &vectors[i], input, output, bytes, &report);
    }
    printf("%d instructions run as PTX over %d vectors, under %d masks\n", VECTOR_COUNT, VECTORS,
           VECTOR_TURNS);
    ck_assert_msg(report.size == 0, "not as recorded:\n%.4000s", text_string(&report));
    text_free(&report);
    sl_context_destroy(context);
    arena_free(&arena);
}
END_TEST

/* Selectors, masks, merging and negation were not recorded: values worked out
 * by hand from PTX ISA "Scalar Video Instructions" and "SIMD Video
 * Instructions", for a = 89abcdef, b = 12345678, c = 01020304. */
static const struct { const char *instruction; uint32_t result; } selected[] = {
    {"vadd.s32.u32.u32 %d.b1, %a.b3, %b.b0, %c", 0x01020104},
    {"vadd.u32.u32.u32.sat %d.b1, %a.b3, %b.b0, %c", 0x0102ff04},
    {"vsub.s32.s32.s32 %d, %a.h1, %b.h0", 0xffff3333},
    {"vmin.s32.s32.s32.max %d, %a.b0, %b.b0, %c", 0x01020304},
    {"vset.s32.u32.ne.add %d, %a, %b, %c", 0x01020305},
    {"vmad.s32.s32.s32 %d, -%a.b0, %b.b0, %c", 0x01020afc},
    {"vset4.u32.u32.gt %d.b20, %a, %b, %c", 0x01010301},
    {"vadd2.u32.u32.u32 %d.h1, %a.h32, %b.h10, %c", 0x9bdf0304},
    {"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c", 0x010204e0},
};

enum { SELECTED = sizeof selected / sizeof *selected };

START_TEST(video_selectors_follow_the_manual)
{
    static const uint32_t one[3] = {1, 1, 1};
    struct text text = {0};
    uint32_t result[SELECTED];
    char error[1000];
    sl_report *report = NULL;
    sl_argument out = {.data = result, .size = sizeof result, .direction = SL_OUT};

    text_puts(&text, ".version 9.0\n.target sm_90\n.address_size 64\n"
                     ".visible .entry k(.param .u64 out)\n{\n"
                     ".reg .b32 %a, %b, %c, %d; .reg .b64 %r;\n"
                     "ld.param.u64 %r, [out]; mov.b32 %a, 0x89abcdef;\n"
                     "mov.b32 %b, 0x12345678; mov.b32 %c, 0x01020304;\n");
    for (int k = 0; k < SELECTED; k++)
        text_printf(&text, "%s; st.global.b32 [%%r+%d], %%d;\n", selected[k].instruction, 4 * k);
    text_puts(&text, "ret;\n}\n");
    ck_assert_msg(sl_run_ptx(text.data, text.size, NULL, one, one, 0, &out, 1, &report, error,
                             sizeof error) == SL_OK, "%s", error);
    for (int k = 0; k < SELECTED; k++)
        ck_assert_msg(result[k] == selected[k].result, "%s gave %08x, not %08x",
                      selected[k].instruction, result[k], selected[k].result);
    sl_report_destroy(report);
    text_free(&text);
}
END_TEST

START_TEST(video_selectors_that_do_not_exist_are_errors)
{
    static const char *const wrong[] = {
        "vadd.u32.u32.u32 %d.b1, %a, %b",       /* nothing to merge with */
        "vadd.u32.u32.u32 %d, %a.b4, %b",       "vadd.u32.u32.u32 %d, %a.h10, %b",
        "vadd2.u32.u32.u32 %d.h01, %a, %b, %c", "vadd2.u32.u32.u32 %d, %a.b10, %b, %c",
        "vadd4.u32.u32.u32 %d, %a.b321, %b, %c", "vadd.u32.u32.u32 %d, -%a, %b",
        "vmad.s32.s32.s32.po %d, -%a, %b, %c",  "vadd4.u32.u32.u32 %d, %a, %b",
        "fma.rn.oob.f16x2 %d, %a, %b, %c",
    };
    static const uint32_t one[3] = {1, 1, 1};

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[400], error[1000];
        sl_report *report = NULL;
        int size = snprintf(text, sizeof text,
                            ".version 9.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry k()\n{\n.reg .b32 %%a, %%b, %%c, %%d;\n%s;\nret;\n}\n",
                            wrong[k]);
        ck_assert_msg(sl_run_ptx(text, (size_t)size, NULL, one, one, 0, NULL, 0, &report, error,
                                 sizeof error) == SL_MALFORMED, "%s was read", wrong[k]);
        ck_assert_msg(strstr(error, ":7:") != NULL, "%s", error);
        sl_report_destroy(report);
    }
}
END_TEST

SUITE("numeric ptx", {
    TEST(every_recorded_instruction_runs_as_ptx);
    TEST(video_selectors_follow_the_manual);
    TEST(video_selectors_that_do_not_exist_are_errors);
})
