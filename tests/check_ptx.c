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
    /* The end of a body returns. */
    if (!strstr(cases[_i].ptx, "ret;") && !strstr(cases[_i].ptx, "exit;"))
        text_puts(&expected, "ret; ");
    same_text(lowered(cases[_i].ptx), text_string(&expected));
    text_free(&expected);
}
END_TEST

SUITE("ptx", {
    LOOP_TEST(instructions, 0, sizeof cases / sizeof *cases);
})
