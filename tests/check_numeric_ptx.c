/* SPDX-License-Identifier: Apache-2.0
 *
 * check_numeric_ptx.c - the recorded instructions as PTX text, from the reader
 * to memory.
 *
 * For every variant of tests/vectors.h a kernel is written around the one instruction, read, launched over
 * all 2048 vectors and its results are compared with the recording. So the
 * reader's choice of operation, types, mode and operand order is held up by
 * the hardware too. */
#include "tests/suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <simtlab/simtlab.h>

#include "base/arena.h"
#include "base/text.h"
#include "tests/vectors.h"

/* Bits of a register that holds the type: "sh" is a shift amount. */
static int bits_of(const char *type)
{
    if (strcmp(type, "P") == 0)
        return 1;
    if (strcmp(type, "sh") == 0 || strstr(type, "16x2"))
        return 32;
    int bits = atoi(type + strcspn(type, "0123456789"));
    return bits == 8 ? 16 : bits;
}

/* How an operand word is loaded: 8 bits are extended by their type. */
static const char *load_of(const char *type)
{
    if (strcmp(type, "s8") == 0 || strcmp(type, "u8") == 0)
        return type;
    return bits_of(type) == 16 ? "b16" : bits_of(type) == 32 ? "b32" : "b64";
}

static void write_kernel(struct text *out, const char *name, char *types, const char *result)
{
    const char *bar = strchr(name, '|');
    int bits = bits_of(result), count = 0;

    text_puts(out, ".version 9.0\n.target sm_90\n.address_size 64\n"
                   ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
                   ".reg .b32 %i<4>; .reg .b64 %r<4>; .reg .pred %p;\n"
                   "ld.param.u64 %r0, [in]; ld.param.u64 %r1, [out];\n"
                   "mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n"
                   "mad.lo.u32 %i0, %i0, %i1, %i2;\n"
                   "mul.wide.u32 %r2, %i0, 8; add.u64 %r0, %r0, %r2; add.u64 %r1, %r1, %r2;\n");
    for (char *type = strtok(types, ","); type; type = strtok(NULL, ","), count++)
        text_printf(out, ".reg .b%d %%s%d; ld.global.%s %%s%d, [%%r0+%d];\n", bits_of(type), count,
                    load_of(type), count, 8 * VECTORS * count);
    if (bits > 1)
        text_printf(out, ".reg .b%d %%d;\n", bits);
    text_printf(out, "%.*s %s", bar ? (int)(bar - name) : (int)strlen(name), name,
                bits > 1 ? "%d" : "%p");
    for (int i = 0; i < count; i++)
        text_printf(out, ", %%s%d", i);
    text_printf(out, "%s%s;\n", bar ? ", " : "", bar ? bar + 1 : "");
    if (bits == 1)
        text_puts(out, "selp.u32 %i3, 1, 0, %p; st.global.u32 [%r1], %i3;\n");
    else
        text_printf(out, "st.global.b%d [%%r1], %%d;\n", bits);
    text_puts(out, "ret;\n}\n");
}

static uint64_t recorded_word(const struct vectors *vectors, int i)
{
    return vector_word(vectors->recorded + vectors->width * i, vectors->width);
}

static void replay(sl_context *context, const struct vectors *vectors, sl_buffer *input,
                   sl_buffer *output, unsigned char *bytes, struct text *report)
{
    static const uint32_t grid[3] = {VECTORS / 256, 1, 1}, block[3] = {256, 1, 1};
    const char *name = vectors->name;
    struct text kernel_text = {0};
    char types[64];
    sl_module *module;
    sl_kernel *kernel;
    sl_report *run = NULL;

    memcpy(types, vectors->signature, sizeof types);
    write_kernel(&kernel_text, name, types, vectors->result);
    if (sl_module_load(context, SL_FORMAT_PTX, name, kernel_text.data, kernel_text.size,
                       &module) != SL_OK) {
        text_printf(report, "  %s: not read: %s", name, sl_context_error(context));
        text_free(&kernel_text);
        return;
    }
    ck_assert_int_eq(sl_module_find(module, NULL, &kernel), SL_OK);
    uint64_t addresses[2] = {sl_buffer_address(input), sl_buffer_address(output)};
    const void *arguments[2] = {&addresses[0], &addresses[1]};
    if (sl_launch(kernel, grid, block, 0, arguments, 2, &run) != SL_OK)
        ck_abort_msg("%s: not run: %s", name, sl_context_error(context));
    ck_assert_msg(sl_report_problems(run) == 0, "%s: %s", name, sl_report_text(run));
    ck_assert_int_eq(sl_buffer_read(output, 0, bytes, 8 * VECTORS), SL_OK);

    int bits = bits_of(vectors->result), wrong = 0, first = 0;
    uint64_t mask = bits == 1 ? UINT32_MAX : ~(uint64_t)0 >> (64 - bits);
    for (int i = VECTORS; i-- > 0;) {
        uint64_t difference = vector_word(bytes + 8 * i, 8) ^ recorded_word(vectors, i);
        if (difference & mask)
            first = i, wrong++;
    }
    if (wrong)
        text_printf(report, "  %s: %d of %d differ: vector %d gave %llx, not %llx\n", name, wrong,
                    VECTORS, first, (unsigned long long)(vector_word(bytes + 8 * first, 8) & mask),
                    (unsigned long long)recorded_word(vectors, first));
    sl_report_destroy(run);
    sl_module_destroy(module);
    text_free(&kernel_text);
}

START_TEST(every_recorded_instruction_runs_as_ptx)
{
    struct arena arena = {0};
    struct text report = {0};
    const struct vectors *vectors = vectors_read(&arena);
    unsigned char *bytes = arena_alloc(&arena, 8 * VECTORS);
    sl_context *context;
    sl_buffer *input = NULL, *output;

    ck_assert_int_eq(sl_context_create(NULL, &context), SL_OK);
    ck_assert_int_eq(sl_context_set(context, SL_OPTION_CHECKS, 0), SL_OK);
    ck_assert_int_eq(sl_buffer_create(context, 8 * VECTORS, bytes, &output), SL_OK);
    for (int i = 0; i < VECTOR_COUNT; i++) {
        /* Those with the same sources follow one another. */
        if (i == 0 || vectors[i].words != vectors[i - 1].words) {
            uint64_t size = (uint64_t)8 * VECTORS * (uint64_t)vectors[i].sources;
            ck_assert_int_eq(sl_buffer_create(context, size, vectors[i].words, &input), SL_OK);
        }
        replay(context, &vectors[i], input, output, bytes, &report);
    }
    printf("%d instructions run as PTX over %d vectors\n", VECTOR_COUNT, VECTORS);
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
