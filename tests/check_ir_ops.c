/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ir_ops.c - promises of ops.def that hold for every row, the constant
 * folder, and the tables in docs/ir.md. */
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

#include "ir/fold.h"
#include "ir/ops_doc.h"
#include "numeric/video.h"

START_TEST(every_lane_op_has_rows)
{
    unsigned rows[IR_OP_COUNT] = {0};

    for (unsigned r = 0; r < IR_ROW_COUNT; r++) {
        const struct ir_row_info *row = &ir_rows[r];
        rows[row->op]++;
        ck_assert_msg(row->sources == ir_ops[row->op].sources, "a row of %s has %u sources",
                      ir_ops[row->op].name, row->sources);
        ck_assert_uint_eq(ir_row_find(row->op, row->type, row->source[0]), r);
    }
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        ck_assert_msg((rows[op] > 0) == (ir_ops[op].group == IR_GROUP_LANE),
                      "%s has %u rows", ir_ops[op].name, rows[op]);
}
END_TEST

START_TEST(names_find_their_ops)
{
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        ck_assert_uint_eq(ir_op_find(ir_ops[op].name, strlen(ir_ops[op].name)), op);
    ck_assert_uint_eq(ir_op_find("adds", 4), IR_OP_COUNT);
    ck_assert_uint_eq(ir_op_find("ad", 2), IR_OP_COUNT);
    for (unsigned type = 1; type < IR_TYPE_COUNT; type++)
        ck_assert_uint_eq(ir_type_find(ir_types[type].name, strlen(ir_types[type].name)),
                          type);
    ck_assert_uint_eq(ir_type_find("", 0), IR_TYPE_COUNT);
}
END_TEST

/* Words that mean something in one type or another. */
static const uint64_t words[] = {
    0, 1, 2, 7, 31, 32, 0x7f, 0x80, 0xff, 0x3c00, 0x7c00, 0x7e01, 0x7fff, 0x8000, 0xbc01,
    0xffff, 0x00800000, 0x3f800000, 0x7f800000, 0x7fc00001, 0x7fffffff, 0x80000000,
    0xbf800001, 0xffffffff, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000001,
    0x7fffffffffffffff, 0x8000000000000000, 0xbff0000000000001, 0xffffffffffffffff,
    0x0123456789abcdef,
};
enum { WORDS = sizeof words / sizeof *words };

static uint64_t narrowed(uint64_t word, enum ir_type type)
{
    unsigned bits = type == IR_pred ? 1 : 8 * ir_types[type].lane;

    return bits < 64 ? word & ((1ull << bits) - 1) : word;
}

static void fill(const struct ir_row_info *row, uint32_t seed,
                 uint64_t source[IR_ROW_SOURCES])
{
    memset(source, 0, IR_ROW_SOURCES * sizeof *source);
    for (unsigned i = 0; i < row->sources; i++) {
        seed = seed * 1664525 + 1013904223;
        source[i] = narrowed(words[(seed >> 8) % WORDS], row->source[i]);
    }
    /* Selectors are constants that the verifier has seen: whole words here. */
    if (row->op >= IR_OP_vadd && row->op <= IR_OP_vset4)
        source[3] &= ~(VIDEO_A_PART(7) | VIDEO_B_PART(7) | VIDEO_D_PART(7) | VIDEO_B_SIGNED);
}

/* Results have no bits above their width; predicates are 0 or 1; s8 and s16 come
 * sign-extended to their register, u8 zero-extended. */
START_TEST(results_are_clean)
{
    const struct ir_row_info *row = &ir_rows[_i];
    uint64_t source[IR_ROW_SOURCES];

    for (uint32_t n = 0; n < 200; n++) {
        fill(row, n, source);
        uint64_t result = ir_row_eval(_i, source, 0);
        ck_assert_msg(narrowed(result, row->type) == result, "%s.%s gives 0x%llx",
                      ir_ops[row->op].name, ir_types[row->type].name,
                      (unsigned long long)result);
        if (row->type == IR_u8)
            ck_assert_uint_le(result, 0xff);
        if (row->type == IR_s8)
            ck_assert_uint_eq(result, (uint16_t)(int16_t)(int8_t)result);
    }
}
END_TEST

static bool is_nan64(uint64_t word)
{
    return word << 1 > 0xffe0000000000000;
}

START_TEST(commuting_ops_commute)
{
    const struct ir_row_info *row = &ir_rows[_i];
    uint64_t source[IR_ROW_SOURCES], swapped[IR_ROW_SOURCES];

    if (!(ir_ops[row->op].flags & IR_FLAG_COMMUTES))
        return;
    ck_assert_uint_eq(row->source[0], row->source[1]);
    for (uint32_t n = 0; n < 400; n++) {
        fill(row, n, source);
        memcpy(swapped, source, sizeof source);
        swapped[0] = source[1];
        swapped[1] = source[0];
        /* Two NaNs of f64: which payload survives is a matter of order. */
        if (row->source[0] == IR_f64 && is_nan64(source[0]) && is_nan64(source[1]))
            continue;
        ck_assert_msg(ir_row_eval(_i, source, 0) == ir_row_eval(_i, swapped, 0),
                      "%s.%s of 0x%llx and 0x%llx", ir_ops[row->op].name,
                      ir_types[row->type].name, (unsigned long long)source[0],
                      (unsigned long long)source[1]);
    }
}
END_TEST

/* --- folding ---------------------------------------------------------------- */

static const struct {
    const char *before, *after;
} folds[] = {
    {"%a = mov.b32 3\n%b = add.u32 %a, 4\nst.b32 [%d], %b\n",
     "%a = mov.b32 3\n%b = mov.b32 7\nst.b32 [%d], %b\n"},
    {"%a = add.f32 0f3F800000, 0f40000000\n", "%a = mov.b32 0x40400000\n"},
    {"%a = sub.u32 3, 5\n", "%a = mov.b32 0xfffffffe\n"},
    {"%a = add.s16x2 0x00017fff, 0x00010001\n", "%a = mov.b32 0x28000\n"},
    {"%p = lt.pred.s32 0xffffffff, 1\n%b = selp.b32 %a, %b, %p\n",
     "%p = mov.pred 1\n%b = selp.b32 %a, %b, 1\n"},
    /* a guarded write leaves the value unknown */
    {"%a = mov.b32 3\n@%p %a = mov.b32 4\n%b = add.u32 %a, 1\n",
     "%a = mov.b32 3\n@%p %a = mov.b32 4\n%b = add.u32 %a, 1\n"},
    /* guarded results may be folded all the same */
    {"@%p %a = add.u32 1, 1\n%b = add.u32 %a, 1\n",
     "@%p %a = mov.b32 2\n%b = add.u32 %a, 1\n"},
    /* a load overwrites, a block forgets */
    {"%a = mov.b32 3\n%a = ld.b32 [%d]\n%b = add.u32 %a, 1\n",
     "%a = mov.b32 3\n%a = ld.b32 [%d]\n%b = add.u32 %a, 1\n"},
    {"%a = mov.b32 3\nbra ^l\n^l:\n%b = add.u32 %a, 1\n",
     "%a = mov.b32 3\nbra ^l\n^l:\n%b = add.u32 %a, 1\n"},
    {"%p = mov.pred 0\nbr %p, ^end, ^l\n^l:\n", "%p = mov.pred 0\nbra ^l\n^l:\n"},
    {"br 1, ^end, ^l\n^l:\n", "bra ^end\n^l:\n"},
    {"%d = mov.b64 @x\n%d = add.u64 %d, 1\n", "%d = mov.b64 @x\n%d = add.u64 %d, 1\n"},
};

static struct ir_module *read_body(struct arena *arena, const char *body)
{
    struct text text = {0};
    struct diags diags = {.arena = arena};

    text_printf(&text,
                "kir 1\nglobal internal b8 @x size 8 align 8\nfunction internal @f {\n"
                "reg pred %%p\nreg b32 %%a %%b\nreg b64 %%d\n^start:\n%sbra ^end\n^end:\n"
                "ret\n}\n",
                body);
    const char *kept = arena_strdup(arena, text_string(&text));
    text_free(&text);
    struct ir_module *module = ir_parse(arena, "fold.kir", kept, strlen(kept), &diags);
    ck_assert_msg(module != NULL, "%s", diags.items ? diags.items[0].text : "");
    ck_assert_msg(ir_verify(module, &diags), "%s", diags.items ? diags.items[0].text : "");
    return module;
}

START_TEST(folding)
{
    struct arena arena = {0};
    struct text got = {0}, expected = {0};
    struct ir_module *before = read_body(&arena, folds[_i].before);
    struct ir_module *after = read_body(&arena, folds[_i].after);
    struct diags diags = {.arena = &arena};

    uint32_t changed = ir_fold(before, &before->functions[0]);
    ck_assert_int_eq(changed > 0, strcmp(folds[_i].before, folds[_i].after) != 0);
    ck_assert(ir_verify(before, &diags));
    ir_print(&got, before);
    ir_print(&expected, after);
    ck_assert_str_eq(text_string(&got), text_string(&expected));
    ck_assert_uint_eq(ir_fold(before, &before->functions[0]), 0);
    text_free(&got);
    text_free(&expected);
    arena_free(&arena);
}
END_TEST

/* --- documentation ------------------------------------------------------------ */

static struct text read_page(void)
{
    struct text page = {0};
    FILE *file = fopen(SIMTLAB_SOURCE_DIR "/docs/ir.md", "rb");
    char buffer[4096];

    ck_assert_msg(file != NULL, "docs/ir.md is missing");
    for (size_t size; (size = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_add(&page, buffer, size);
    fclose(file);
    return page;
}

START_TEST(docs_hold_the_tables)
{
    struct text tables = {0}, page = read_page();

    ir_print_op_tables(&tables);
    ck_assert_msg(strstr(text_string(&page), text_string(&tables)) != NULL,
                  "docs/ir.md is out of date: make docs-ir");
    text_free(&tables);
    text_free(&page);
}
END_TEST

/* The kernel that the page begins with reads, verifies and prints as it stands. */
START_TEST(docs_example_holds)
{
    struct arena arena = {0};
    struct text page = read_page(), printed = {0};
    struct diags diags = {.arena = &arena};
    const char *from = strstr(text_string(&page), "```\nkir 1\n");
    ck_assert_ptr_nonnull(from);
    from += 4;
    size_t size = (size_t)(strstr(from, "```") - from);
    const char *example = arena_copy(&arena, from, size);

    struct ir_module *module = ir_parse(&arena, "example", example, size, &diags);
    ck_assert_msg(module && ir_verify(module, &diags), "%s", diags.items[0].text);
    ir_print(&printed, module);
    ck_assert_str_eq(text_string(&printed), example);
    text_free(&page);
    text_free(&printed);
    arena_free(&arena);
}
END_TEST

SUITE("ir_ops", {
    TEST(docs_example_holds);
    TEST(every_lane_op_has_rows);
    TEST(names_find_their_ops);
    LOOP_TEST(results_are_clean, 0, IR_ROW_COUNT);
    LOOP_TEST(commuting_ops_commute, 0, IR_ROW_COUNT);
    LOOP_TEST(folding, 0, (int)(sizeof folds / sizeof *folds));
    TEST(docs_hold_the_tables);
})
