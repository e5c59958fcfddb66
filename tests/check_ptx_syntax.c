/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ptx_syntax.c - the PTX parser: tree, constants, places, recovery. */
#include "frontend/ptx/decimal.h"
#include "frontend/ptx/syntax.h"

#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

struct read {
    struct arena arena;
    struct diags diags;
    struct ptx_module *module;
};

/* Each call lets go of what the one before gave. */
static struct read *read_size(const char *text, size_t size)
{
    static struct read last, *read = &last;

    arena_free(&read->arena);
    read->diags = (struct diags){.arena = &read->arena, .name = "t.ptx",
                                 .source = text, .source_size = size};
    read->module = ptx_parse(&read->arena, text, size, &read->diags);
    return read;
}

static struct read *read_text(const char *text)
{
    return read_size(text, strlen(text));
}

static void same_name(struct ptx_name name, const char *expected)
{
    ck_assert_uint_eq(name.size, strlen(expected));
    ck_assert_mem_eq(name.text, expected, name.size);
}

/* The statements of the first function of a module without errors. */
static struct ptx_block *body(struct read *read)
{
    if (read->diags.errors)
        ck_abort_msg("%u:%u %s", read->diags.items[0].at.line,
                     read->diags.items[0].at.column, read->diags.items[0].text);
    return read->module->items.items[0].function->body;
}

START_TEST(header_is_read)
{
    struct read *r = read_text(".version 9.0\n.target sm_100a, debug\n"
                              ".address_size 64\n");

    ck_assert_uint_eq(r->diags.errors, 0);
    ck_assert_uint_eq(r->module->version, 90);
    ck_assert_uint_eq(r->module->target.sm, 100);
    ck_assert_int_eq(r->module->target.suffix, 'a');
    ck_assert(r->module->debug);
    ck_assert_uint_eq(r->module->address_size, 64);
}
END_TEST

START_TEST(instruction_parts)
{
    struct read *r = read_text(
        HEADER ".entry k {\n"
               "  @!%p1 ld.global.L1::evict_last.v2.b32 { %r1, %r2 }, [ %rd1 + -8 ];\n"
               "  shfl.sync.down.b32 %r1|_, %r2, 1, 0x1fU, -1;\n"
               "}\n");
    struct ptx_block *b = body(r);
    struct ptx_instruction *ld = b->items[0].instruction;

    ck_assert_uint_eq(b->count, 2);
    same_name(ld->guard, "%p1");
    ck_assert(ld->guard_negated);
    same_name(ld->opcode, "ld");
    ck_assert_uint_eq(ld->modifier_count, 4);
    ck_assert_uint_eq(ld->modifiers[1].word, W_L1_evict_last);
    ck_assert_uint_eq(ld->modifiers[3].word, W_b32);
    ck_assert_uint_eq(ld->modifiers[3].at.column, 36);
    ck_assert_int_eq(ld->operands[0].kind, OPERAND_VECTOR);
    ck_assert_uint_eq(ld->operands[0].count, 2);
    ck_assert_int_eq(ld->operands[1].kind, OPERAND_ADDRESS);
    ck_assert_int_eq(ld->operands[1].offset, -8);
    struct ptx_instruction *shfl = b->items[1].instruction;
    ck_assert_int_eq(shfl->operands[0].kind, OPERAND_PAIR);
    ck_assert_int_eq(shfl->operands[0].items[1].kind, OPERAND_SINK);
    ck_assert_int_eq(shfl->operands[2].kind, OPERAND_CONSTANT);
    ck_assert_int_eq(shfl->operands[3].constant.kind, CONSTANT_UNSIGNED);
    ck_assert_uint_eq(shfl->operands[4].constant.bits, UINT64_MAX);
}
END_TEST

START_TEST(calls_prototypes_and_targets)
{
    struct read *r = read_text(
        HEADER ".func f {\n"
               "  { .reg .b32 t; .param .align 8 .b8 a[16]; .param .b32 _r;\n"
               "  call.uni (_r), vprintf, (a, %rd2);\n"
               "  prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[24]);\n"
               "  call (_r), %rd1, (a, b), prototype_0;\n"
               "  }\n"
               "  ts: .branchtargets L1, L2;\n"
               "  brx.idx %r1, ts;\n"
               "L1: L2: ret;\n}\n");
    struct ptx_block *b = body(r);
    struct ptx_block *scope = b->items[0].block;

    ck_assert_int_eq(b->items[0].kind, STATEMENT_BLOCK);
    ck_assert_uint_eq(scope->count, 6);
    ck_assert_uint_eq(scope->items[1].variable->align, 8);
    ck_assert_uint_eq(scope->items[1].variable->size[0], 16);
    struct ptx_instruction *call = scope->items[3].instruction;
    ck_assert_uint_eq(call->operand_count, 3);
    ck_assert_int_eq(call->operands[0].kind, OPERAND_LIST);
    ck_assert_int_eq(call->operands[2].kind, OPERAND_LIST);
    ck_assert_uint_eq(call->operands[2].count, 2);
    ck_assert_int_eq(scope->items[4].kind, STATEMENT_PROTOTYPE);
    same_name(scope->items[4].label, "prototype_0");
    ck_assert_uint_eq(scope->items[4].prototype->parameter_count, 2);
    ck_assert_int_eq(b->items[1].kind, STATEMENT_TARGETS);
    ck_assert_uint_eq(b->items[1].targets->count, 2);
    ck_assert_int_eq(b->items[3].kind, STATEMENT_LABEL);
    ck_assert_int_eq(b->items[4].kind, STATEMENT_LABEL);
}
END_TEST

START_TEST(variables_and_initialisers)
{
    struct read *r = read_text(
        HEADER
        ".visible .global .align 4 .u32 a[2][3] = { {1, 2}, {0x10U} };\n"
        ".const .f32 pi = 0f40490FDB, e = 2.5;\n"
        ".global .u64 p[3] = { a, generic(a)+8, generic(f) };\n"
        ".global .u8 m[2] = { 0xFF(a), 0xFF00(a+4) };\n"
        ".extern .shared .align 16 .b8 s[];\n"
        ".global .attribute(.managed) .b32 g;\n"
        ".func f { .reg .b32 %r<10>, %x; ret; }\n");
    ck_assert_uint_eq(r->diags.errors, 0);
    ck_assert_uint_eq(r->module->items.count, 8);
    struct ptx_variable *a = r->module->items.items[0].variable;
    ck_assert_int_eq(a->linkage, LINKAGE_VISIBLE);
    ck_assert_uint_eq(a->dimensions, 2);
    ck_assert_uint_eq(a->initial->count, 2);
    ck_assert_uint_eq(a->initial->items[1].items[0].constant.bits, 16);
    struct ptx_variable *e = r->module->items.items[2].variable;
    ck_assert_int_eq(e->initial->constant.kind, CONSTANT_F64);
    struct ptx_variable *p = r->module->items.items[3].variable;
    ck_assert(!p->initial->items[0].generic);
    ck_assert(p->initial->items[1].generic);
    ck_assert_int_eq(p->initial->items[1].offset, 8);
    struct ptx_variable *m = r->module->items.items[4].variable;
    ck_assert_uint_eq(m->initial->items[1].mask, 0xff00);
    ck_assert_int_eq(m->initial->items[1].offset, 4);
    ck_assert(r->module->items.items[5].variable->unsized_array);
    ck_assert(r->module->items.items[6].variable->managed);
    struct ptx_block *f = r->module->items.items[7].function->body;
    ck_assert(f->items[0].variable->is_range);
    ck_assert_uint_eq(f->items[0].variable->range, 10);
}
END_TEST

START_TEST(locations_and_debug_strings)
{
    struct read *r = read_text(
        HEADER ".func f {\n"
               ".loc 1 5 3\n"
               ".loc 2 9 1, function_name $L__info_string0, inlined_at 1 7 3\n"
               " ret;\n}\n"
               ".file 1 \"a b.cu\"\n.file 2 \"c.h\", 12, 34\n"
               ".section .debug_str {\n$L__info_string0:\n"
               ".b8 95,90,0\n$L__info_string1:\n.b8 65\n.b8 0\n}\n"
               ".section .debug_info { .b32 a-b .b8 1 {} }\n");
    struct ptx_block *b = body(r);

    ck_assert_uint_eq(b->items[0].location->line, 5);
    ck_assert(b->items[1].location->inlined);
    ck_assert_uint_eq(b->items[1].location->inlined_line, 7);
    ck_assert_uint_eq(r->module->files.count, 2);
    same_name(r->module->files.items[0].path, "a b.cu");
    ck_assert_uint_eq(r->module->debug_strings.count, 2);
    ck_assert_str_eq(r->module->debug_strings.items[0].text, "_Z");
    ck_assert_str_eq(r->module->debug_strings.items[1].text, "A");
}
END_TEST

/* PTX ISA, "Constant Expression Evaluation". */
static const struct {
    const char *text;
    enum ptx_constant_kind kind;
    uint64_t bits;
} constants[] = {
    {"1+2*3", CONSTANT_SIGNED, 7},
    {"(1+2)*3", CONSTANT_SIGNED, 9},
    {"-7/2", CONSTANT_SIGNED, (uint64_t)-3},
    {"-7 % 4", CONSTANT_SIGNED, (uint64_t)-3},
    {"7U-8", CONSTANT_UNSIGNED, UINT64_MAX},
    {"1<<4|1", CONSTANT_SIGNED, 17},
    {"-8>>1", CONSTANT_SIGNED, (uint64_t)-4},
    {"1<2 && 3!=3", CONSTANT_SIGNED, 0},
    {"!5+~0", CONSTANT_SIGNED, UINT64_MAX},
    {"1 ? 2 : 3", CONSTANT_SIGNED, 2},
    {"0 ? 2 : 0 ? 3 : 4", CONSTANT_SIGNED, 4},
    {"WARP_SZ-1", CONSTANT_SIGNED, 31},
    {"(.u64)-1", CONSTANT_UNSIGNED, UINT64_MAX},
    {"0777", CONSTANT_SIGNED, 511},
    {"0b101", CONSTANT_SIGNED, 5},
    {"0xFFFFFFFFFFFFFFFF", CONSTANT_UNSIGNED, UINT64_MAX},
    {"0f3F800000", CONSTANT_F32, 0x3f800000},
    {"-0f3F800000", CONSTANT_F32, 0xbf800000},
    {"0dC000000000000000", CONSTANT_F64, 0xc000000000000000},
    {"1.5", CONSTANT_F64, 0x3ff8000000000000},
    {"1.5e1", CONSTANT_F64, 0x402e000000000000},
    {"1.5+2.0", CONSTANT_F64, 0x400c000000000000},
};

START_TEST(constant_expressions)
{
    char text[256];

    snprintf(text, sizeof text, HEADER ".func f { mov.u64 %%r1, %s; }",
             constants[_i].text);
    struct read *r = read_text(text);
    struct ptx_operand *o = &body(r)->items[0].instruction->operands[1];
    ck_assert_int_eq(o->kind, OPERAND_CONSTANT);
    ck_assert_int_eq(o->constant.kind, constants[_i].kind);
    ck_assert_uint_eq(o->constant.bits, constants[_i].bits);
}
END_TEST

/* Expected bits from the IEEE 754 definition of these well-known numbers. */
static const struct {
    const char *text;
    uint64_t bits;
} decimals[] = {
    {"0.1", 0x3fb999999999999a},
    {"3.141592653589793", 0x400921fb54442d18},
    {"1e23", 0x44b52d02c7e14af6},
    {"4.9e-324", 1},
    {"2.4703282292062327e-324", 0},
    {"2.4703282292062328e-324", 1},
    {"2.2250738585072014e-308", 0x0010000000000000},
    {"2.2250738585072011e-308", 0x000fffffffffffff},
    {"1.7976931348623157e308", 0x7fefffffffffffff},
    {"1.7976931348623159e308", 0x7ff0000000000000},
    {"9007199254740993", 0x4340000000000000},
    {"9007199254740993.0000000001", 0x4340000000000001},
    {"0.0", 0},
    {"1e999999999999", 0x7ff0000000000000},
    {"1e-999999999999", 0},
};

START_TEST(decimal_numbers)
{
    ck_assert_uint_eq(decimal_to_f64(decimals[_i].text, strlen(decimals[_i].text)),
                      decimals[_i].bits);
}
END_TEST

START_TEST(f64_to_f32_rounds_to_even)
{
    ck_assert_uint_eq(f64_bits_to_f32(0x3ff0000000000000), 0x3f800000);
    ck_assert_uint_eq(f64_bits_to_f32(0x3ff0000010000000), 0x3f800000);
    ck_assert_uint_eq(f64_bits_to_f32(0x3ff0000030000000), 0x3f800002);
    ck_assert_uint_eq(f64_bits_to_f32(0xc7efffffe0000000), 0xff7fffff);
    ck_assert_uint_eq(f64_bits_to_f32(0x47f0000000000000), 0x7f800000);
    ck_assert_uint_eq(f64_bits_to_f32(0x36a0000000000000), 1);
    ck_assert_uint_eq(f64_bits_to_f32(0x3690000000000000), 0);
    ck_assert_uint_eq(f64_bits_to_f32(0x7ff8000000000000), 0x7fc00000);
}
END_TEST

/* Faults are found one by one, each at its place, none twice. */
START_TEST(all_errors_in_one_go)
{
    struct read *r = read_text(
        HEADER ".entry k {\n"
               "  add.u33 %r1, %r2, %r3;\n"      /* 5:6 */
               "  mov.u32 %r1, ;\n"              /* 6:16 */
               "  mov.b64 %rd1, {%r1, %r2;\n"    /* 7:26 */
               "  mov.u32 %r1, 0xZZ;\n"          /* 8:16 */
               "  mov.u32 %r1, 1 / 0;\n"         /* 9:18 */
               "  bra L\n"                       /* 10:8 */
               "  ret;\n"
               "  .reg %x;\n"                    /* 12:8 */
               "  \x01\x02 ret;\n"               /* 13:3 */
               "}\n"
               ".global .u32 ;\n"                /* 15:14 */
               ".nonsense\n"                     /* 16:1 */
               ".global .u32 ok;\n");
    static const struct loc places[] = {{5, 6}, {6, 16}, {7, 26}, {8, 16},
                                        {9, 18}, {10, 8}, {12, 8}, {13, 3},
                                        {15, 14}, {16, 1}};

    ck_assert_uint_eq(r->diags.errors, sizeof places / sizeof *places);
    for (uint32_t i = 0; i < r->diags.count; i++) {
        ck_assert_uint_eq(r->diags.items[i].at.line, places[i].line);
        ck_assert_uint_eq(r->diags.items[i].at.column, places[i].column);
    }
    ck_assert_uint_eq(r->module->items.count, 2);
}
END_TEST

/* Deep nesting of every kind is an error, not a crash. */
START_TEST(nesting_is_bounded)
{
    static const char *const opening[] = {"{", "mov.u32 %r, {", "(", "-", "1?",
                                          "[", "mov.u32 %r, ((.u64)"};
    struct text text = {0};

    text_puts(&text, HEADER ".entry k {\n mov.u32 %r, ");
    if (_i < 2)
        text_puts(&text, "1;\n");
    for (int i = 0; i < 100000; i++)
        text_puts(&text, opening[_i]);
    struct read *r = read_size(text.data, text.size);
    ck_assert_uint_gt(r->diags.errors, 0);
    text_free(&text);
}
END_TEST

/* No prefix of a module and no single changed byte may crash the parser. */
START_TEST(damaged_text)
{
    static const char sample[] = HEADER
        ".global .u64 p[2] = { generic(p)+8, 0xFF(p) };\n"
        ".entry k(.param .u64 .ptr .global .align 8 a) .maxntid 1,2,3 {\n"
        " .reg .pred %p<2>; .reg .b32 %r<4>;\n /* c */ // d\n"
        " @!%p1 bra L; { call (x), f, (1, y); }\n"
        " l: .callprototype _ (.param .b32 _);\n"
        " tex.1d.v4.f32.f32 {a,b,c,d}, [t, s, {x}]; .loc 1 2 3\n L: ret; }\n";
    char copy[sizeof sample];

    for (size_t i = 0; i < sizeof sample; i++) {
        read_size(sample, i);
        memcpy(copy, sample, sizeof sample);
        copy[i] = (char)(i % 2 ? '{' : 0x80 + i);
        read_size(copy, sizeof sample);
    }
}
END_TEST

SUITE("ptx_syntax", {
    TEST(header_is_read);
    TEST(instruction_parts);
    TEST(calls_prototypes_and_targets);
    TEST(variables_and_initialisers);
    TEST(locations_and_debug_strings);
    LOOP_TEST(constant_expressions, 0, sizeof constants / sizeof *constants);
    LOOP_TEST(decimal_numbers, 0, sizeof decimals / sizeof *decimals);
    TEST(f64_to_f32_rounds_to_even);
    TEST(all_errors_in_one_go);
    LOOP_TEST(nesting_is_bounded, 0, 7);
    TEST(damaged_text);
})
