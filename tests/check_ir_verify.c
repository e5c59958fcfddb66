/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ir_verify.c - the rules of the IR, one at a time: each wrong module has
 * exactly one mistake, which is reported at its line. */
#include "tests/suite.h"

#include <string.h>

#include "ir/ir.h"

#define MODULE                                                                     \
    "kir 1\n"                                                                      \
    "global visible b32 @data size 64 align 8\n"                                   \
    "const internal b32 @table size 64 align 8\n"                                  \
    "shared internal b32 @tile size 64 align 8\n"                                  \
    "prototype proto results 4 parameters 8\n"                                     \
    "function internal @callee {\n"                                                \
    "var argument b32 &out size 4 align 4\n"                                       \
    "var argument b64 &in size 8 align 8\n"                                        \
    "parameters &in\n"                                                             \
    "results &out\n"                                                               \
    "^0:\n"                                                                        \
    "ret\n"                                                                        \
    "}\n"                                                                          \
    "kernel visible @k {\n"                                                        \
    "var param u64 &p size 8 align 8\n"                                            \
    "var local b8 &stack size 16 align 16\n"                                       \
    "var argument b32 &r4 size 4 align 4\n"                                        \
    "var argument b64 &a8 size 8 align 8\n"                                        \
    "parameters &p\n"                                                              \
    "reg pred %p %q\n"                                                             \
    "reg b16 %h\n"                                                                 \
    "reg b32 %r %s\n"                                                              \
    "reg b64 %d %e\n"                                                              \
    "reg b128 %x\n"                                                                \
    "^entry:\n"
enum { LINE = 26 }; /* of the instruction under test */
#define END "bra ^end\n^end:\nexit\n}\n"

static struct ir_module *read(struct arena *arena, const char *text, struct diags *diags)
{
    *diags = (struct diags){.arena = arena, .name = "test.kir", .source = text,
                            .source_size = strlen(text)};
    struct ir_module *module = ir_parse(arena, "test.kir", text, strlen(text), diags);
    if (!module) {
        struct text out = {0};
        diag_print(&out, diags);
        ck_abort_msg("%s", text_string(&out));
    }
    return module;
}

static const char *const good[] = {
    "%r = add.u32 %r, 0xffffffff",
    "@!%p %r = add.f32.rz.ftz %r, %s",
    "%p = and.pred %q, 1",
    "%d = cvt.u64.u8 %h",
    "%x = mov.b128 %x",
    "%d = mov.b64 &stack",
    "%d = mov.b64 @data",
    "%r = mov.b32 @tile",
    "%d = mov.b64 @callee",
    "%d = add.s64 @data, 16",
    "%r = ld.global.u8 [%d+1]",
    "%r, _, _, %s = ld.v4.b32 [%d]",
    "%r = ld.param.u32 [&p]",
    "%r = ld.b32 [@data]",
    "%r = ld.cluster.relaxed@cluster.b32 [@tile]",
    "%r = ld.volatile.b32 [4096]",
    "st.global.mmio@sys.b32 [%d], 1",
    "st.local.b8 [&stack+3], %d",
    "st.argument.b32 [&r4], %r",
    "%r = atom:cas.global.acq_rel@gpu.b32 [%d], %r, 1",
    "atom:add.shared.relaxed@cta.f16x2 [%d], %r",
    "_ = atom:exch.relaxed@sys.b128 [%d], %x",
    "%r, %s = atom:add.v2.global.relaxed@gpu.f32 [%d], %r, %s",
    "fence.sc@sys",
    "fence_proxy:async_global",
    "%d = to_generic.local.u64 &stack",
    "%d = from_generic.shared.u64 %e",
    "%p = isspacep.const %d",
    "%r = mapa.cluster.u32 %r, 1",
    "%d = createpolicy.b64 7, %r",
    "cp_async.shared.b128 [@tile], [%d+16], 16, %r",
    "cp_async_wait 2",
    "st_async.cluster.v2.u32 %d, %e, %r, 7",
    "st_async.v2.f64 %d, %e, %d, %e",
    "red_async:add.cluster.relaxed@cluster.u64 %d, %e, 1",
    "tensor %d, %e, %d, 0, %r, 7",
    "tensor:im2col:multicast %d, %e, %d, %r, %r, %s, 0, 1",
    "tensor:im2col:store:add %d, %e, 0, 0, %r, %s, 0",
    "tensor:prefetch %d, 0, 0, 0, %r",
    "tensormap_replace:box3.shared [@tile], %d",
    "tensormap_replace:swizzle.global [%d+128], 3",
    "tensormap_copy.release@gpu %d, %e",
    "_ = mbarrier_arrive:no_complete.shared.release@cta.b64 [%d], 1",
    "%p = mbarrier_test:parity:try.shared.acquire@cta.b64 [%d], %r",
    "%p = mbarrier_test.shared.acquire@cta.b64 [%d], %e",
    "%r, _ = shfl_idx.b32 %r, 0, 31, 0xffffffff",
    "%r = vote_ballot.b32 %p, %r",
    "%r = match_any.b64 %d, %r",
    "%r = redux:min.s32 %r, %s",
    "_, %p = elect 0xffffffff",
    "%d = sreg.b64 $clock64",
    "%r = sreg.u32 $tid_x",
    "barrier_sync:aligned 0",
    "barrier_sync %r, 64",
    "%p = barrier_red:and %p, 0",
    "%r = barrier_red:popc.u32 %p, 0, 32",
    "cluster_arrive.release@cluster",
    "cluster_wait.acquire",
    "&r4 = call @callee, &a8",
    "&r4 = call_indirect %d, &a8 prototype=proto",
    "brx %r, ^end, ^entry\n^next:",
    "br %p, ^end, ^entry\n^next:",
    "%d = alloca.u64 %e, 16",
    "prefetch.global [%d]",
    "%r = vset4.u32 %r, %s, 0, 0x7654321000f00000",
    "trap",
    "%r, _, _, %s = tex:plane.f32 %d, %r, %s, 0, 0",
    "%r, %s, _, _ = tex:plane:level.u32.f32 %d, %r, %s, 0, 0, %r",
    "%r, %s, _, _ = tex:planes:gather_g.f32 %d, %r, %s, 0, %r",
    "%r = txq:height.b32 %d",
    "%r = suq:width.b32 @data",
    "%h = suld:line:zero.b8 %d, %r, 0, 0, 0",
    "sust:plane:trap.b32 %d, %r, %s, 0, 0, %r, %s",
    "sust:plane:trap:formatted.b32 %d, %r, %s, 0, 0, %r, %s, 0, 0",
    "sured:line:clamp:add.u32 %d, %r, 0, 0, 0, %s",
};

START_TEST(good_instructions)
{
    struct arena arena = {0};
    struct diags diags;
    struct text text = {0}, out = {0};

    text_printf(&text, "%s%s\n%s", MODULE, good[_i], END);
    if (!ir_verify(read(&arena, text_string(&text), &diags), &diags)) {
        diag_print(&out, &diags);
        ck_abort_msg("%s", text_string(&out));
    }
    text_free(&text);
    arena_free(&arena);
}
END_TEST

static const struct {
    const char *line, *message;
} bad[] = {
    {"%r, %s, _, _ = tex.f32 %d, %r, %s, 0, 0", "a texture has one geometry"},
    {"%r, %s = tex:plane.f32 %d, %r, %s, 0, 0", "a texture fetch has 4 results, or 2 of f16x2"},
    {"%r, %s, _, _ = tex:plane:level.f32 %d, %r, %s, 0, 0", "another number of sources"},
    {"%r, %s, _, _ = tex:line:gather_r.f32 %d, %r, 0, 0, 0", "gathering is for two dimensions"},
    {"sust:plane.b32 %d, %r, %s, 0, 0, %r", "says once what happens beyond the edge"},
    {"sured:line:clamp.u32 %d, %r, 0, 0, 0, %s",
     "these do not go together in a surface access"},
    {"%r = suld:line:plane:zero.b32 %d, %r, 0, 0, 0", "a surface has one geometry"},
    /* rows, counts, kinds and widths of LANE ops */
    {"%r = add.f32.u32 %r, %s", "'add' has no row for these types"},
    {"%r = add %r, %s", "'add' has no row for these types"},
    {"%x = add.b128 %x, %x", "'add' has no row for these types"},
    {"%r = add.u32 %r", "it has 1 destinations and 1 sources, not 1 and 2"},
    {"add.u32 %r, %s", "it has 0 destinations and 2 sources, not 1 and 2"},
    {"%d = add.u32 %r, %s", "destination 1 is b64, not b32"},
    {"_ = add.u32 %r, %s", "destination 1 must be a register"},
    {"%r = add.u32 %r, %d", "source 2 is b64, not b32"},
    {"%r = add.u32 %r, %p", "source 2 is pred, not b32"},
    {"%r = add.u32 %r, 0x100000000", "source 2 does not fit in b32"},
    {"%p = and.pred %q, 2", "source 2 does not fit in pred"},
    {"%h = mov.b16 @data", "source 1 must be a value of width b16"},
    {"%r = add.u32 &stack, 1", "source 1 must be a value of width b32"},
    {"%r = add.u32 ^end, 1", "source 1 must be a value of width b32"},
    {"%r = add.u32 _, 1", "source 1 must be a value of width b32"},
    {"%p = lt.pred.s64 %d, %r", "source 2 is b32, not b64"},
    /* mode and sub */
    {"%r = and.b32.rz %r, %s", "'and' on these types has no mode"},
    {"%r = add.f32.mode7 %r, %s", "there is no mode 7"},
    {"%r = add.f32.mode16384 %r, %s", "there is no mode 16384"},
    {"%r = ld.global.b32.ftz [%d]", "'ld' on these types has no mode"},
    {"%r = add:1.u32 %r, %s", "'add' has no variant 1"},
    {"%p = barrier_red:3 %p, 0", "'barrier_red' has no variant 3"},
    {"barrier_sync:2 0", "'barrier_sync' has no variant 2"},
    {"fence_proxy:9", "'fence_proxy' has no variant 9"},
    {"%r = vadd.u32 %r, %s, 0, %d", "its selectors must be a constant"},
    {"%r = vadd.u32 %r, %s, 0, 0x700000", "it selects a part that does not exist"},
    {"%r = vshl.u32 %r, %s, 0, 4", "amounts of shifts have no sign"},
    /* guards */
    {"@%r %r = mov.b32 1", "the guard must be a predicate register"},
    {"@%p bra ^end\n^next:", "'bra' takes no guard"},
    {"@%p &r4 = call @callee, &a8", "'call' takes no guard"},
    /* spaces */
    {"st.const.b32 [%d], 1", "'st' does not exist for const space"},
    {"st.param.b32 [&p], 1", "'st' does not exist for param space"},
    {"atom:add.local.relaxed@gpu.u32 [%d], 1", "'atom' does not exist for local space"},
    {"%d = to_generic.u64 %d", "'to_generic' does not exist for generic space"},
    {"mbarrier_init.global [%d], 1", "'mbarrier_init' does not exist for global space"},
    {"%r = add.u32.shared %r, 1", "'add' does not exist for shared space"},
    {"%r = ld.shared.b32 [@data]", "source 1 lies in global, not shared"},
    {"%r = ld.b32 [@tile]", "source 1 lies in shared, not generic"},
    {"%r = ld.global.b32 [@table]", "source 1 lies in const, not global"},
    {"%r = ld.b32 [&stack]", "source 1 lies in local, not generic"},
    {"st.local.b32 [&r4], 1", "source 1 lies in argument, not local"},
    /* orders and scopes */
    {"%r = ld.release@gpu.b32 [%d]", "'ld' cannot be release"},
    {"st.acquire@gpu.b32 [%d], 1", "'st' cannot be acquire"},
    {"atom:add.global.u32 [%d], 1", "'atom' cannot be weak"},
    {"atom:add.global.sc@gpu.u32 [%d], 1", "'atom' cannot be sc"},
    {"fence.relaxed@gpu", "'fence' cannot be relaxed"},
    {"%r = add.u32.relaxed@gpu %r, 1", "'add' cannot be relaxed"},
    {"%r = ld.weak@gpu.b32 [%d]", "a weak operation has no scope"},
    {"%r = ld.volatile@gpu.b32 [%d]", "volatile means the scope of the system"},
    {"%r = ld.relaxed.b32 [%d]", "an operation that is relaxed needs a scope"},
    {"cluster_arrive.release@gpu", "its scope is the cluster"},
    /* memory operands and vectors */
    {"%r = ld.b32 %d, %e", "source 2 must be a constant"},
    {"%r = ld.b32 [%h]", "source 1 is b16, not an address"},
    {"%r = ld.b32 [@callee]", "source 1 must be an address"},
    {"%r = ld.b32 %d", "it has too few sources (1)"},
    {"%r = ld.b32 [%d], 3", "it has too many sources (3)"},
    {"%h = ld.b32 [%d]", "destination 1 is b16, not b32"},
    {"%p = ld.b32 [%d]", "destination 1 is pred, not b32"},
    {"%r, %d = ld.v2.b32 [%d]", "its registers differ in width"},
    {"%r, %s = ld.b32 [%d]", "2 destinations for 1 elements"},
    {"%r, %s, %r = ld.v3.b32 [%d]", "a vector has 1, 2, 4 or 8 elements, not 3"},
    {"%d, %d, %d, %d, %d, %d, %d, %d = ld.v8.b64 [%d]", "a vector has at most 32 bytes"},
    {"st.v2.b32 [%d], %r", "1 values for 2 elements"},
    {"st.b32 [%d], 0x100000000", "source 3 does not fit in b32"},
    {"%p = ld.pred [%d]", "memory holds no pred"},
    {"st [%d], %r", "memory holds no none"},
    {"%r = atom:cas.relaxed@gpu.b32 [%d], 1", "1 values for 1 elements"},
    {"%h = atom:exch.relaxed@gpu.b16 [%d], 1", "there is no such atomic for b16"},
    {"%r = atom:sub.relaxed@gpu.u32 [%d], 1", "there is no such atomic for u32"},
    {"%r = atom:inc.relaxed@gpu.s32 [%d], 1", "there is no such atomic for s32"},
    {"%r = atom:min.relaxed@gpu.f32 [%d], 1", "there is no such atomic for f32"},
    {"fence.sc@gpu.v2", "'fence' has no vectors"},
    {"cp_async.shared [@tile], [%d], %r, 4", "source 5 must be a constant"},
    {"tensor:store:prefetch %d, %e, 0, 0, %r", "there is no such tensor copy"},
    {"tensor:add %d, %e, %d, 0, %r", "there is no such tensor copy"},
    {"tensor:store:add:min %d, %e, 0, 0, %r", "there is no such tensor copy"},
    {"tensor:im2col %d, %e, %d, 0, %r, %s", "2 numbers say no place in a tensor"},
    {"tensor %d, %e, %d, 0, %r, %r, %r, %r, %r, %r", "6 numbers say no place in a tensor"},
    {"tensormap_replace:rank.local [%d], 1", "'tensormap_replace' does not exist for local space"},
    {"tensormap_copy %d, %e", "'tensormap_copy' cannot be weak"},
    {"st_async.cluster.v4.u64 %d, %d, %d, %d, %d, %d",
     "there is no st.async of 4 elements of u64"},
    {"st_async.cluster.b16 %d, %d, %h", "there is no st.async of 1 elements of b16"},
    {"st_async.global.b32 %d, %d, %r", "'st_async' does not exist for global space"},
    {"st_async.cluster.v2.b32 %d, %d, %r", "1 values for 2 elements"},
    {"red_async:min.relaxed@cluster.u64 %d, %d, 1", "there is no such red.async for u64"},
    {"red_async:add.acquire@cluster.u32 %d, %d, 1", "'red_async' cannot be acquire"},
    /* warp ops */
    {"%d, _ = shfl_idx.b64 %d, 0, 31, 1", "'shfl_idx' does not exist for b64"},
    {"%r, %s = shfl_idx.b32 %r, 0, 31, 1", "destination 2 is b32, not pred"},
    {"%r = shfl_idx.b32 %r, 0, 31, 1", "it has too few destinations (1)"},
    {"%p = vote_all %r, 1", "source 1 is b32, not pred"},
    {"%r = vote_any %p, 1", "destination 1 is b32, not pred"},
    {"bar_warp %d", "source 1 is b64, not b32"},
    {"%d = redux:min.s64 %d, 1", "there is no such reduction for s64"},
    {"%r = redux:sub.u32 %r, 1", "there is no such reduction for u32"},
    {"%h = match_any.b16 %h, 1", "destination 1 is b16, not b32"},
    {"%r = match_any.b16 %h, 1", "'match_any' does not exist for b16"},
    /* special registers, barriers */
    {"%r = sreg.u32 $clock64", "this special register is b64"},
    {"%r = sreg.u32 %s", "source 1 must be a special register"},
    {"barrier_arrive 0", "it has too few sources (1)"},
    {"%r = barrier_red:or %p, 0", "destination 1 is b32, not pred"},
    {"%p = mbarrier_test.shared.acquire@cta [%d], %r", "source 3 is b32, not b64"},
    {"%h = mapa.b16 %h, 1", "source 1 is b16, not an address"},
    {"%h = stacksave.b16", "'stacksave' does not exist for b16"},
    /* flow and calls */
    {"bra %r\n^next:", "source 1 must be a block"},
    {"brx %r\n^next:", "it has too few sources (1)"},
    {"br %r, ^end, ^entry\n^next:", "source 1 is b32, not pred"},
    {"exit\n", "only the last instruction of a block leaves it"},
    {"call @k, &a8", "a kernel cannot be called"},
    {"call @callee, &a8", "0 results are given, 1 are declared"},
    {"&r4 = call @callee", "0 arguments are given, 1 are declared"},
    {"&r4 = call @callee, &r4", "argument 1 has 4 bytes, 8 are declared"},
    {"&a8 = call @callee, &a8", "result 1 has 8 bytes, 4 are declared"},
    {"&r4 = call @callee, %d", "source 2 must be an argument variable"},
    {"&stack = call @callee, &a8", "destination 1 must be an argument variable"},
    {"call %d", "source 1 must be a function"},
    {"&r4 = call_indirect %r, &a8 prototype=proto", "source 1 is b32, not b64"},
    {"&r4 = call_indirect %d, &a8 extra=7", "there is no prototype 7"},
    {"&r4 = call_indirect %d prototype=proto", "0 arguments are given, 1 are declared"},
};

START_TEST(bad_instructions)
{
    struct arena arena = {0};
    struct diags diags;
    struct text text = {0}, out = {0};

    text_printf(&text, "%s%s\n%s", MODULE, bad[_i].line, END);
    ck_assert(!ir_verify(read(&arena, text_string(&text), &diags), &diags));
    diag_print(&out, &diags);
    ck_assert_msg(diags.errors == 1, "%s", text_string(&out));
    ck_assert_uint_eq(diags.items[0].at.line, LINE);
    const char *found = strstr(diags.items[0].text, bad[_i].message);
    ck_assert_msg(found && strlen(found) == strlen(bad[_i].message), "%s", text_string(&out));
    text_free(&text);
    text_free(&out);
    arena_free(&arena);
}
END_TEST

/* Declarations: the whole text, and the one message. */
static const struct {
    const char *text, *message;
} declarations[] = {
    {"address_bits 48\n", "addresses have 48 bits, not 32 or 64"},
    {"local internal b32 @a size 4 align 4\n", "symbol 'a' must be global, const or shared"},
    {"global internal none @a size 4 align 4\n", "symbol 'a' has no type"},
    {"global internal b32 @a size 4 align 3\n", "symbol 'a': alignment 3 is no power of two"},
    {"shared internal b32 @a size 4 align 4 {\n}\n",
     "symbol 'a': shared memory has no initial value"},
    {"const internal b32 @a size 4 align 4 managed\n",
     "symbol 'a': only global memory can be managed"},
    {"global internal b32 @a size 4 align 4 owner @f\nfunction extern @f {\n}\n",
     "symbol 'a' cannot belong to a function"},
    {"global internal b32 @a size 4 align 4 {\naddress 0 size 3 @a\n}\n",
     "symbol 'a': an address of 3 bytes does not exist"},
    {"global internal b32 @a size 4 align 4 {\naddress 0 size 8 @a\n}\n",
     "symbol 'a': an address lies past its end"},
    {"global internal b32 @a size 4 align 4 {\naddress 0 size 4 @a shift 64\n}\n",
     "symbol 'a': an address is shifted by 64"},
    {"function extern @f {\n}\nfunction extern @f#9 {\n}\n", "two functions are named 'f'"},
    {"function extern @f {\n^a:\nret\n}\n", "function 'f' is extern but has a body"},
    {"function internal @f {\nreg b32 %a %a#1\n}\n",
     "function 'f': two registers are named 'a'"},
    {"function internal @f {\nreg f32 %a\n}\n",
     "function 'f': register 'a' must be pred, b16, b32, b64 or b128"},
    {"function internal @f {\nvar global b32 &a size 4 align 4\n}\n",
     "variable 'a' must be local, param or argument"},
    {"function internal @f {\nvar param b32 &a size 4 align 4\n}\n",
     "variable 'a': only kernels have param space"},
    {"function internal @f {\nvar local none &a size 4 align 4\n}\n",
     "variable 'a' has no type"},
    {"function internal @f {\nvar local b8 &a size 4 align 0\n}\n",
     "variable 'a': alignment 0 is no power of two"},
    {"function internal @f {\nlocal_bytes 16\nvar local b8 &a size 4 align 4 at 2\n}\n",
     "variable 'a' is not aligned where it lies"},
    {"function internal @f {\nlocal_bytes 16\nvar local b8 &a size 9 align 4 at 8\n}\n",
     "variable 'a' lies past the end of its space"},
    {"kernel visible @f {\nvar local b8 &a size 4 align 4\nparameters &a\n}\n",
     "function 'f': parameter 0 is no param variable"},
    {"kernel visible @f {\nvar param b8 &a size 4 align 4\nresults &a\n}\n",
     "kernel 'f' has results"},
    {"function internal @f {\n^a:\n^b:\nret\n}\n", "function 'f': block 0 ('a') is empty"},
    {"function internal @f {\n^a:\ntrap\n}\n",
     "trap: the last instruction of a block must leave it"},
};

START_TEST(bad_declarations)
{
    struct arena arena = {0};
    struct diags diags;
    struct text text = {0}, out = {0};

    text_printf(&text, "kir 1\n%s", declarations[_i].text);
    ck_assert(!ir_verify(read(&arena, text_string(&text), &diags), &diags));
    diag_print(&out, &diags);
    ck_assert_msg(diags.errors == 1, "%s", text_string(&out));
    ck_assert_str_eq(diags.items[0].text, declarations[_i].message);
    text_free(&text);
    text_free(&out);
    arena_free(&arena);
}
END_TEST

/* What has no text form: each change to a good module breaks one rule. */
static struct ir_function *change(struct ir_module *module, int which)
{
    struct ir_function *f = &module->functions[1];
    struct ir_inst *inst = &f->insts[0]; /* add.u32 */

    switch (which) {
    case 0: inst->op = 9999; break;
    case 1: inst->type = 200; break;
    case 2: inst->first = 1000000; break;
    case 3: inst->destinations = 60000; break;
    case 4: inst->loc = 1000000; break;
    case 5: inst->guard_not = 1; break;
    case 6: inst->guard = ir_operand_make(IR_OPERAND_REGISTER, 1000); break;
    case 7: f->operands[inst->first] = ir_operand_make(IR_OPERAND_REGISTER, 1000); break;
    case 8: f->operands[inst->first + 1] = ir_operand_make(IR_OPERAND_CONSTANT, 1000); break;
    case 9: f->operands[inst->first + 2] = ir_operand_make(IR_OPERAND_SYMBOL, 1000); break;
    case 10: f->operands[inst->first + 2] = 0xf0000000; break;
    case 11: inst->space = 77; break;
    case 12: inst->order = 77; break;
    case 13: inst[1].scope = 77; break; /* ld */
    case 14: f->blocks[1].first++; break;
    case 15: f->blocks[0].count = 1000000; break;
    case 16: f->inst_count++; break;
    case 17: f->linkage = 77; break;
    case 18: module->symbols[0].linkage = 77; break;
    case 19: module->symbols[2].owner = 77; break;
    case 20: module->locations[1].file = 77; break;
    case 21: module->locations[1].inlined_at = 1; break;
    case 22: f->variables[0].space = 77; f->parameter_count = 0; break;
    case 23: f->variables[0].type = 77; break;
    case 24: ((uint32_t *)f->parameters)[0] = 77; break;
    case 25: inst->type2 = 200; break;
    default: return NULL;
    }
    return f;
}
enum { CHANGES = 26 };

START_TEST(broken_structure)
{
    struct arena arena = {0};
    struct diags diags;
    struct text out = {0};
    struct ir_module *module =
        read(&arena, MODULE "%r = add.u32 %r, %s\n%r = ld.relaxed@gpu.b32 [%d]\n" END, &diags);

    ck_assert(ir_verify(module, &diags));
    ck_assert_ptr_nonnull(change(module, _i));
    ck_assert(!ir_verify(module, &diags));
    diag_print(&out, &diags);
    ck_assert_msg(diags.errors == 1, "%s", text_string(&out));
    text_free(&out);
    arena_free(&arena);
}
END_TEST

SUITE("ir_verify", {
    LOOP_TEST(good_instructions, 0, (int)(sizeof good / sizeof *good));
    LOOP_TEST(bad_instructions, 0, (int)(sizeof bad / sizeof *bad));
    LOOP_TEST(bad_declarations, 0, (int)(sizeof declarations / sizeof *declarations));
    LOOP_TEST(broken_structure, 0, CHANGES);
})
