/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ptx.c - PTX to IR: what instructions, operands and places become. */
#include "frontend/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"
#define REGISTERS                                                            \
    ".reg .pred p, q, z; .reg .b16 h<5>; .reg .b32 r<9>; .reg .b64 d<9>;\n"  \
    ".reg .f32 f<5>; .reg .f64 e<5>;\n"

/* Each call lets go of what the one before gave. */
static struct ir_module *read_text(const char *text)
{
    static struct arena arena;
    static struct diags diags;
    struct text shown = {0};

    arena_free(&arena);
    diags = (struct diags){.arena = &arena, .name = "t.ptx", .source = text,
                           .source_size = strlen(text)};
    struct ir_module *module = ptx_read(&arena, "t.ptx", text, strlen(text), &diags);
    if (module)
        ir_verify(module, &diags);
    diag_print(&shown, &diags);
    if (diags.errors)
        ck_abort_msg("%s", text_string(&shown));
    text_free(&shown);
    return module;
}

/* IR text of the instructions of a kernel body, without places. */
static char *lowered(const char *body)
{
    static char out[65536];
    char source[16384];

    snprintf(source, sizeof source, HEADER
             ".global .align 8 .b32 g[4]; .extern .func (.param .b32 v) f(.param .b64 w);\n"
             ".shared .b32 s; .visible .entry k(.param .u64 a, .param .align 8 .b8 b[24]) {\n"
             REGISTERS "%s\n}\n", body);
    struct ir_module *module = read_text(source);
    uint32_t index = ir_find_function(module, "k");
    const struct ir_function *k = &module->functions[index];
    size_t size = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < k->inst_count; i++) {
        struct text line = {0};
        ir_print_inst(&line, module, k, &k->insts[i]);
        size += (size_t)snprintf(out + size, sizeof out - size, "%s; ",
                                 text_string(&line));
        text_free(&line);
    }
    return out;
}

/* Expected IR written down from the PTX manual's description of each
 * instruction. */
static const struct {
    const char *ptx, *ir;
} cases[] = {
    {"add.u32 r1, r2, 5;", "%r1 = add.u32 %r2, 5; "},
    {"add.sat.s32 r1, r2, r3;", "%r1 = add.s32.sat %r2, %r3; "},
    {"add.rz.ftz.f32 f1, f2, 0f3F800000;", "%f1 = add.f32.rz.ftz %f2, 0x3f800000; "},
    {"sub.s16 h1, h2, -1;", "%h1 = sub.s16 %h2, 65535; "},
    {"mad.lo.s32 r1, r2, r3, r4;", "%r1 = mad.s32 %r2, %r3, %r4; "},
    {"mul.wide.u16 r1, h1, h2;", "%r1 = mul_wide.u32.u16 %h1, %h2; "},
    {"mov.f32 f1, 1.5;", "%f1 = mov.b32 0x3fc00000; "},
    {"mov.f64 e1, 0f3FC00000;", "%e1 = mov.b64 0x3ff8000000000000; "},
    {"mov.b64 d1, g;", "%d1 = mov.b64 @g; "},
    {"mov.u32 r1, %tid.y;", "%r1 = sreg.b32 $tid_y; "},
    {"@p mov.u32 r1, r2;", "@%p %r1 = mov.b32 %r2; "},
    {"@!p mov.u32 r1, r2;", "@!%p %r1 = mov.b32 %r2; "},
    {"mov.b32 r1, {h1, h2};", "%r1 = pack.b32.b16 %h1, %h2; "},
    {"mov.b64 {r1, r2}, d1;", "%r1 = low.b32.b64 %d1; %r2 = high.b32.b64 %d1; "},
    {"mov.b64 {_, r2}, d1;", "%r2 = high.b32.b64 %d1; "},
    {"setp.ne.s32 p, r1, 0;", "%p = ne.pred.b32 %r1, 0; "},
    {"setp.hs.u32 p, r1, r2;", "%p = ge.pred.u32 %r1, %r2; "},
    {"setp.ltu.ftz.f32 p, f1, f2;", "%p = ltu.pred.f32.ftz %f1, %f2; "},
    {"selp.f32 f1, f2, f3, p;", "%f1 = selp.b32 %f2, %f3, %p; "},
    {"slct.u32.s32 r1, r2, r3, r4;", "%r1 = slct.b32.s32 %r4, %r2, %r3; "},
    {"shr.b32 r1, r2, 3;", "%r1 = shr.u32 %r2, 3; "},
    {"cvt.u32.u8 r1, h1;", "%r1 = cvt.u32.u8 %h1; "},
    {"cvt.rni.f32.f32 f1, f2;", "%f1 = cvt.f32.integral %f2; "},
    {"ld.param.u64 d1, [a];", "%d1 = ld.param.u64 [&a]; "},
    {"ld.param.u32 r1, [b+4];", "%r1 = ld.param.u32 [&b+4]; "},
    {"ld.global.v2.f32 {f1, _}, [d1+-8];", "%f1, _ = ld.global.v2.f32 [%d1-8]; "},
    {"ld.acquire.gpu.u32 r1, [d1];", "%r1 = ld.acquire@gpu.u32 [%d1]; "},
    {"ld.u32 r1, [g+4];", "%r1 = ld.global.u32 [@g+4]; "},
    {"st.shared.u32 [s], 7;", "st.shared.u32 [@s], 7; "},
    {"st.volatile.global.u8 [d1], r1;", "st.global.volatile@sys.u8 [%d1], %r1; "},
    {"membar.gl;", "fence.sc@gpu; "},
    {"bra L; L: ret;", "bra ^L; ret; "},
    {"exit;", "exit; "},
    {"bar.sync 0;", "barrier_sync:aligned 0; "},
    /* Guards on what ends a block or calls become branches. */
    {"@p bra L; add.u32 r1, r2, 1; L: ret;",
     "br %p, ^L, ^#1; %r1 = add.u32 %r2, 1; bra ^L; ret; "},
    {"@!p ret; add.u32 r1, r2, 1;",
     "br %p, ^#2, ^#1; ret; %r1 = add.u32 %r2, 1; ret; "},
    {"{ .param .b64 x; .param .b32 y; st.param.b64 [x], d1; call (y), f, (x); "
     "ld.param.b32 r1, [y]; }",
     "st.argument.b64 [&x], %d1; &y = call @f, &x; %r1 = ld.argument.b32 [&y]; "},
    {"call (r1), f, (d1);",
     "st.argument.b64 [&arg$2], %d1; &arg$3 = call @f, &arg$2; "
     "%r1 = ld.argument.b32 [&arg$3]; "},
    {"t: .branchtargets A, B; brx.idx r1, t; A: exit; B: ret;",
     "brx %r1, ^A, ^B; exit; ret; "},
    /* Several instructions for one; results may be sources and guards. */
    {"setp.eq.and.u32 p|q, r1, r2, !p;",
     "%tmp = not.pred %p; %tmp$1 = eq.pred.b32 %r1, %r2; "
     "%tmp$2 = not.pred %tmp$1; %tmp$3 = and.pred %tmp$1, %tmp; "
     "%tmp$4 = and.pred %tmp$2, %tmp; %p = mov.pred %tmp$3; %q = mov.pred %tmp$4; "},
    {"add.cc.u32 r1, r1, r2; addc.u32 r3, r4, 0;",
     "%tmp = add_carry.pred.u32 %r1, %r2, 0; %r1 = add.u32 %r1, %r2; %cc = mov.pred %tmp; "
     "%r3 = addc.u32 %r4, 0, %cc; "},
    {"set.lt.f32.s32 f1, r1, r2;",
     "%tmp = lt.pred.s32 %r1, %r2; %tmp$1 = selp.b32 0x3f800000, 0, %tmp; "
     "%f1 = mov.b32 %tmp$1; "},
    /* Registers wider than the type. PTX ISA, "Relaxed Type-checking". */
    {"ld.global.s8 r1, [d1];", "%r1 = ld.global.s8 [%d1]; "},
    {"cvt.s8.s32 r1, r2;", "%tmp = cvt.s8.s32 %r2; %r1 = cvt.s32.s16 %tmp; "},
    {"cvt.u64.u8 d1, r2;", "%tmp = low.b16.b32 %r2; %d1 = cvt.u64.u8 %tmp; "},
    /* Inner names shadow outer ones. */
    {"mov.u32 r1, 1; { .reg .b32 r<3>; mov.u32 r1, 2; } mov.u32 r1, 3;",
     "%r1 = mov.b32 1; %r1$1 = mov.b32 2; %r1 = mov.b32 3; "},
    {"{ L: bra L; } { L: bra L; }", "bra ^L; bra ^L$1; "},
    {"vadd.s32.u32.s32.sat.min r1, r2.b1, r3.h0, r4;",
     "%r1 = vadd.u32.sat %r2, %r3, %r4, 0x5200205; "},
    {"mov.u32 r1, %envreg3;", "%r1 = sreg:3.b32 $envreg; "},
    {"atom.shared.cta.cas.b32 r1, [s], r2, 5;",
     "%r1 = atom:cas.shared.relaxed@cta.b32 [@s], %r2, 5; "},
    {"red.add.f64 [d1], e1;", "atom:add.relaxed@gpu.f64 [%d1], %e1; "},
    {"vote.sync.any.pred p, !q, -1;",
     "%tmp = not.pred %q; %p = vote_any.pred %tmp, 0xffffffff; "},
    {"shfl.sync.up.b32 r1|_, r2, r3, 0, r4;",
     "%r1, _ = shfl_up.b32 %r2, %r3, 0, %r4; "},
};

static void same_text(const char *found, const char *expected)
{
    if (strcmp(found, expected) != 0)
        ck_abort_msg("\n   found %s\nexpected %s", found, expected);
}

START_TEST(instructions)
{
    struct text expected = {0};

    text_puts(&expected, cases[_i].ir);
    /* The end of a body returns, unless nothing gets there. */
    if (!strstr(cases[_i].ptx, "ret;") && !strstr(cases[_i].ptx, "exit;") &&
        !strstr(cases[_i].ptx, "bra L; }"))
        text_puts(&expected, "ret; ");
    same_text(lowered(cases[_i].ptx), text_string(&expected));
    text_free(&expected);
}
END_TEST

/* The edges of what versions and targets allow, as probed with ptxas 13.0. */
static const struct {
    const char *version, *target, *ptx;
    bool accepted;
} gates[] = {
    {"8.0", "sm_90", "elect.sync r1|p, -1;", true},
    {"7.8", "sm_90", "elect.sync r1|p, -1;", false},
    {"8.0", "sm_89", "elect.sync r1|p, -1;", false},
    {"7.0", "sm_80", "redux.sync.add.u32 r1, r2, -1;", true},
    {"7.0", "sm_75", "redux.sync.add.u32 r1, r2, -1;", false},
    {"6.0", "sm_30", "shfl.sync.up.b32 r1, r2, 1, 0, -1;", true},
    {"5.0", "sm_60", "shfl.sync.up.b32 r1, r2, 1, 0, -1;", false},
    {"6.3", "sm_70", "vote.any.pred p, q;", true},
    {"6.4", "sm_70", "vote.any.pred p, q;", false},
    {"6.4", "sm_62", "vote.any.pred p, q;", true},
    {"6.2", "sm_30", "activemask.b32 r1;", true},
    {"6.1", "sm_70", "activemask.b32 r1;", false},
    {"6.0", "sm_70", "fence.acq_rel.gpu;", true},
    {"6.0", "sm_62", "fence.acq_rel.gpu;", false},
    {"5.0", "sm_60", "atom.global.add.f64 e1, [d1], e2;", true},
    {"5.0", "sm_53", "atom.global.add.f64 e1, [d1], e2;", false},
    {"8.3", "sm_90", "ld.global.b128 w, [d1];", true},
    {"8.2", "sm_90", "ld.global.b128 w, [d1];", false},
    {"8.8", "sm_100", "ld.global.v8.f32 {f1,f1,f1,f1,f1,f1,f1,f1}, [d1];", true},
    {"8.7", "sm_100", "ld.global.v8.f32 {f1,f1,f1,f1,f1,f1,f1,f1}, [d1];", false},
    {"8.8", "sm_90", "ld.global.v8.f32 {f1,f1,f1,f1,f1,f1,f1,f1}, [d1];", false},
    {"7.8", "sm_90", "ld.shared::cluster.u32 r1, [r2];", true},
    {"7.7", "sm_86", "ld.shared::cta.u32 r1, [r2];", false},
    {"7.8", "sm_50", "ld.shared::cta.u32 r1, [r2];", true},
    {"7.4", "sm_75", "ld.global.L2::128B.u32 r1, [d1];", true},
    {"7.4", "sm_72", "ld.global.L2::128B.u32 r1, [d1];", false},
    {"7.0", "sm_80", "cp.async.ca.shared.global [r1], [d1], 4;", true},
    {"7.0", "sm_75", "cp.async.ca.shared.global [r1], [d1], 4;", false},
    {"7.5", "sm_80", "cp.async.ca.shared.global [r1], [d1], 4, p;", true},
    {"7.4", "sm_80", "cp.async.ca.shared.global [r1], [d1], 4, p;", false},
    {"7.0", "sm_80", "cvt.rn.bf16.f32 h1, f1;", true},
    {"7.0", "sm_80", "cvt.f32.bf16 f1, h1;", false},
    {"7.1", "sm_80", "cvt.f32.bf16 f1, h1;", true},
    {"7.8", "sm_90", "add.rn.bf16 h1, h2, h3;", true},
    {"7.8", "sm_89", "add.rn.bf16 h1, h2, h3;", false},
    {"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 64;", true},
    {"8.0", "sm_90", "setmaxnreg.inc.sync.aligned.u32 64;", false},
    {"9.0", "sm_100", "setmaxnreg.inc.sync.aligned.u32 64;", false},
    {"8.6", "sm_100a", "setmaxnreg.inc.sync.aligned.u32 64;", true},
    {"8.7", "sm_100f", "", false},
    {"8.8", "sm_100f", "setmaxnreg.inc.sync.aligned.u32 64;", true},
    {"7.6", "sm_80", "mov.u32 r1, %reserved_smem_offset_1;", true},
    {"7.5", "sm_80", "mov.u32 r1, %reserved_smem_offset_1;", false},
    {"4.3", "sm_50", "lop3.b32 r1, r2, r3, r4, 1;", true},
    {"4.2", "sm_50", "lop3.b32 r1, r2, r3, r4, 1;", false},
};

START_TEST(versions_and_targets)
{
    struct arena arena = {0};
    char source[2048];
    bool wide = strstr(gates[_i].ptx, "b128") != NULL;

    snprintf(source, sizeof source,
             ".version %s\n.target %s\n.address_size 64\n.entry k {\n" REGISTERS
             "%s %s\nret;\n}\n", gates[_i].version, gates[_i].target,
             wide ? ".reg .b128 w;" : "", gates[_i].ptx);
    struct diags diags = {.arena = &arena, .source = source,
                          .source_size = strlen(source)};
    struct ir_module *module =
        ptx_read(&arena, "t.ptx", source, strlen(source), &diags);
    ck_assert_msg((module != NULL) == gates[_i].accepted, "%s on %s %s: %s",
                  gates[_i].ptx, gates[_i].version, gates[_i].target,
                  diags.count ? diags.items[0].text : "accepted");
    arena_free(&arena);
}
END_TEST

/* PTX ISA, "Initializers": rows fill up with zeros, addresses relocate. */
START_TEST(initial_values)
{
    struct ir_module *m = read_text(
        HEADER ".global .u16 a[2][3] = { {1, 2}, {3} };\n"
               ".global .u64 p[2] = { a, generic(a)+4 };\n"
               ".global .u8 b[2] = { 0xFF(a), 0xFF00(a+2) };\n"
               ".const .f32 f[2] = { 1.5, -0f3F800000 };\n"
               ".global .u32 n[] = { 7, 8, 9 };\n"
               ".extern .shared .align 16 .b8 dyn[];\n");
    static const unsigned char rows[12] = {1, 0, 2, 0, 0, 0, 3};
    static const unsigned char floats[8] = {0, 0, 0xc0, 0x3f, 0, 0, 0x80, 0xbf};

    ck_assert_uint_eq(m->symbol_count, 6);
    ck_assert_uint_eq(m->symbols[0].size, 12);
    ck_assert_uint_eq(m->symbols[0].align, 2);
    ck_assert_mem_eq(m->symbols[0].bytes, rows, 12);
    const struct ir_relocation *r = m->symbols[1].relocations;
    ck_assert_uint_eq(m->symbols[1].relocation_count, 2);
    ck_assert_uint_eq(r[0].offset, 0);
    ck_assert(!r[0].generic);
    ck_assert_uint_eq(r[0].bytes, 8);
    ck_assert_uint_eq(r[1].offset, 8);
    ck_assert(r[1].generic);
    ck_assert_int_eq(r[1].addend, 4);
    r = m->symbols[2].relocations;
    ck_assert_uint_eq(r[0].shift, 0);
    ck_assert_uint_eq(r[1].shift, 8);
    ck_assert_uint_eq(r[1].bytes, 1);
    ck_assert_int_eq(r[1].addend, 2);
    ck_assert_mem_eq(m->symbols[3].bytes, floats, 8);
    ck_assert_uint_eq(m->symbols[4].size, 12);
    ck_assert_uint_eq(m->symbols[5].size, 0);
    ck_assert_uint_eq(m->symbols[5].align, 16);
    ck_assert_int_eq(m->symbols[5].linkage, IR_LINKAGE_EXTERN);
}
END_TEST

/* Each parameter at its own alignment. PTX ISA, "Kernel Function Parameters". */
START_TEST(kernel_parameters)
{
    struct ir_module *m = read_text(
        HEADER ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b,\n"
               ".param .align 4 .b8 c[5], .param .f64 d) .reqntid 32, 2\n{ ret; }\n");
    const struct ir_function *k = &m->functions[0];

    ck_assert_uint_eq(k->parameter_count, 4);
    ck_assert_uint_eq(k->variables[k->parameters[1]].offset, 8);
    ck_assert_int_eq(k->variables[k->parameters[1]].pointer_space, IR_SPACE_GLOBAL);
    ck_assert_uint_eq(k->variables[k->parameters[1]].pointer_align, 16);
    ck_assert_uint_eq(k->variables[k->parameters[2]].offset, 16);
    ck_assert_uint_eq(k->variables[k->parameters[2]].size, 5);
    ck_assert_uint_eq(k->variables[k->parameters[3]].offset, 24);
    ck_assert_uint_eq(k->parameter_bytes, 32);
    ck_assert_uint_eq(k->required_threads[0], 32);
    ck_assert_uint_eq(k->required_threads[1], 2);
    ck_assert_uint_eq(k->required_threads[2], 1);
}
END_TEST

/* The chain of places of an inlined instruction. PTX ISA, ".loc". */
START_TEST(source_places)
{
    struct ir_module *m = read_text(
        HEADER ".visible .entry k {\n .reg .b32 r;\n"
               " .loc 1 5 3\n mov.u32 r, 1;\n"
               " .loc 2 9 1, function_name $L__info_string0, inlined_at 1 5 3\n"
               " mov.u32 r, 2;\n"
               " .loc 2 20 7, function_name $L__info_string1, inlined_at 2 9 1\n"
               " mov.u32 r, 3;\n ret;\n}\n"
               ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n"
               ".section .debug_str {\n$L__info_string0:\n.b8 102,0\n"
               "$L__info_string1:\n.b8 103,0\n}\n");
    const struct ir_function *k = &m->functions[0];
    const struct ir_location *at = &m->locations[k->insts[2].loc];

    ck_assert_uint_eq(at->at.line, 11);
    ck_assert_uint_eq(at->at.column, 2);
    ck_assert_str_eq(m->files[at->file], "b.h");
    ck_assert_uint_eq(at->line, 20);
    ck_assert_str_eq(at->function, "g");
    at = &m->locations[at->inlined_at];
    ck_assert_uint_eq(at->line, 9);
    ck_assert_str_eq(at->function, "f");
    at = &m->locations[at->inlined_at];
    ck_assert_str_eq(m->files[at->file], "a.cu");
    ck_assert_uint_eq(at->line, 5);
    ck_assert_uint_eq(at->inlined_at, 0);
}
END_TEST

START_TEST(pragma_names_used_bytes)
{
    struct ir_module *m = read_text(
        ".version 8.3\n.target sm_80\n.address_size 64\n"
        ".visible .entry k { .reg .b32 r<4>; .reg .b64 d;\n"
        ".pragma \"nounroll\";\n.pragma \"used_bytes_mask 0x0fff\";\n"
        "ld.global.v4.u32 {r0, r1, r2, r3}, [d];\nld.global.u32 r0, [d];\nret; }\n");

    ck_assert_uint_eq(m->functions[0].insts[0].extra, 0xfff);
    ck_assert_uint_eq(m->functions[0].insts[1].extra, 0);
}
END_TEST

/* A declaration and its definition are one function; an alias is its target. */
START_TEST(functions_and_aliases)
{
    struct ir_module *m = read_text(
        HEADER ".extern .func out(.param .b32 a);\n.visible .func later;\n"
               ".visible .func other;\n.visible .func inner { ret; }\n"
               ".visible .entry k { call other; call later; ret; }\n"
               ".visible .func later { ret; }\n.alias other, inner;\n");
    const struct ir_function *k = &m->functions[ir_find_function(m, "k")];

    ck_assert_uint_eq(m->function_count, 5);
    ck_assert_int_eq(m->functions[ir_find_function(m, "out")].linkage,
                     IR_LINKAGE_EXTERN);
    ck_assert_int_eq(m->functions[ir_find_function(m, "later")].linkage,
                     IR_LINKAGE_VISIBLE);
    ck_assert_uint_eq(ir_sources(k, &k->insts[0])[0],
                      ir_operand_make(IR_OPERAND_FUNCTION, ir_find_function(m, "inner")));
    ck_assert_uint_eq(ir_sources(k, &k->insts[1])[0],
                      ir_operand_make(IR_OPERAND_FUNCTION, ir_find_function(m, "later")));
}
END_TEST

SUITE("ptx", {
    LOOP_TEST(instructions, 0, sizeof cases / sizeof *cases);
    LOOP_TEST(versions_and_targets, 0, sizeof gates / sizeof *gates);
    TEST(initial_values);
    TEST(kernel_parameters);
    TEST(source_places);
    TEST(pragma_names_used_bytes);
    TEST(functions_and_aliases);
})
