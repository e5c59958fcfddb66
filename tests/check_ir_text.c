/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ir_text.c - the .kir text form: what is printed reads back as the same
 * module, and what is wrong is named with its place. */
#include "tests/suite.h"

#include <string.h>

#include "ir/ir.h"

/* Written as the printer writes: must come back byte for byte. */
static const char whole[] =
    "kir 1\n"
    "ptx 8.3\n"
    "target sm_90a\n"
    "address_bits 64\n"
    "debug\n"
    "file 1 \"saxpy.cu\"\n"
    "file 2 \"a \\22quoted\\22 \\5c name.h\"\n"
    "inline 1 \"outer\" 1:20:3\n"
    "inline 2 \"inner\" 2:7:9@1\n"
    "inline 3 - 1:21:0\n"
    "\n"
    "global visible b8 @table size 64 align 8 {\n"
    "    bytes 0 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
    "    address 32 size 8 @table+16 generic\n"
    "    address 40 size 8 @helper\n"
    "    address 48 size 1 @tile#2-4 shift 8\n"
    "}\n"
    "const weak f32 @factor size 4 align 4\n"
    "shared internal b8 @tile#2 size 1024 align 16 owner @saxpy\n"
    "shared internal b8 @tile#3 size 4294967297 align 4 owner @helper\n"
    "shared extern b8 @dynamic size 0 align 16\n"
    "global common u32 @counter size 4 align 4 managed\n"
    "global internal u8 @zeros size 3 align 1 {\n"
    "}\n"
    "prototype proto0 results 4 parameters 8 16 noreturn\n"
    "prototype #1 results parameters\n"
    "\n"
    "kernel visible @saxpy {\n"
    "    max_threads 256 1 1\n"
    "    required_threads 128 2 1\n"
    "    min_blocks_per_sm 2\n"
    "    max_registers 64\n"
    "    required_cluster 2 1 1\n"
    "    max_cluster_rank 8\n"
    "    explicit_cluster\n"
    "    parameter_bytes 24\n"
    "    local_bytes 48\n"
    "    var param u64 &saxpy_param_0 size 8 align 8 at 0 ptr global 16\n"
    "    var param f32 &saxpy_param_1 size 4 align 4 at 8\n"
    "    var param b8 &saxpy_param_2 size 8 align 4 at 16 array\n"
    "    var local b8 &buffer size 32 align 8 at 0 array\n"
    "    var argument b32 &retval0 size 4 align 4 at 32\n"
    "    var argument b64 &param0 size 8 align 8 at 40\n"
    "    parameters &saxpy_param_0 &saxpy_param_1 &saxpy_param_2\n"
    "    reg pred %p1 %p2\n"
    "    reg b32 %r1 %r2 %r3 %f1\n"
    "    reg b64 %rd1 %rd2 %\"odd \\22 name\" %twice#9 %twice#10\n"
    "    reg b16 %rs1\n"
    "^#0:\n"
    "    %rd1 = ld.param.u64 [&saxpy_param_0] !1:3:1\n"
    "    %r1 = sreg.b32 $tid_x !1:4:11\n"
    "    %p1 = lt.pred.u32 %r1, 100 !1:4:12@1\n"
    "    @%p1 %r2 = add.u32 %r1, 0xffffffff !2:5:5@2\n"
    "    @!%p1 %r2 = mov.b32 _ !1:6:0@3\n"
    "    br %p1, ^then, ^else\n"
    "^then:\n"
    "    %f1 = ld.global.relaxed@gpu.f32 [%rd1+4]\n"
    "    %r1, %r2, _, %r3 = ld.global.v4.b32 [%rd1-16] cache=3 extra=15\n"
    "    st.shared.volatile.f32 [@tile#2+1024], %f1\n"
    "    st.v2.b64 [%rd1+%rd2], %rd1, 0x123456789abcdef0\n"
    "    %r1 = atom:add.global.acq_rel@sys.u32 [@counter], 1\n"
    "    atom:max.shared.relaxed@cta.s32 [%rd1], %r2\n"
    "    %f1 = fma.f32.rz.ftz.sat %f1, %f1, %f1\n"
    "    %r1 = cvt.s32.f32.rm %f1\n"
    "    %f1 = mul.f32.mode5 %f1, 1\n"
    "    fence.sc@sys\n"
    "    fence_proxy:async_global\n"
    "    %r1, %p2 = shfl_down.b32 %r2, 1, 31, 0xffffffff\n"
    "    %r1 = redux:min.s32 %r2, 0xffffffff\n"
    "    barrier_sync:aligned 0\n"
    "    %p1 = barrier_red:popc %p2, 1, 64\n"
    "    %rd2 = mbarrier_arrive:drop:expect_tx.shared.release@cta.b64 [%rd1], 16\n"
    "    cp_async.b128 [@tile#2], [%rd1+8], 16, 16\n"
    "    &retval0 = call @helper, &param0\n"
    "    &retval0 = call_indirect %rd2, &param0 prototype=proto0\n"
    "    call_indirect %rd2 prototype=#1\n"
    "    bra ^#3\n"
    "^else:\n"
    "    %rd1 = to_generic.local.u64 &buffer\n"
    "    %rd2 = mov.b64 @helper\n"
    "    brx %r1, ^then, ^else, ^#3\n"
    "^#3:\n"
    "    exit\n"
    "}\n"
    "\n"
    "function internal @helper noreturn {\n"
    "    var argument b32 &out size 4 align 4 at 0\n"
    "    var argument b64 &in size 8 align 8 at 8\n"
    "    parameters &in\n"
    "    results &out\n"
    "^\"strange label\":\n"
    "    ret\n"
    "}\n"
    "\n"
    "function extern @vprintf {\n"
    "}\n";

static struct ir_module *parse(struct arena *arena, const char *text, size_t size,
                               struct diags *diags)
{
    *diags = (struct diags){.arena = arena, .name = "test.kir", .source = text,
                            .source_size = size};
    return ir_parse(arena, "test.kir", text, size, diags);
}

static struct ir_module *parse_good(struct arena *arena, const char *text)
{
    struct diags diags;
    struct ir_module *module = parse(arena, text, strlen(text), &diags);

    if (!module) {
        struct text out = {0};
        diag_print(&out, &diags);
        ck_abort_msg("%s", text_string(&out));
    }
    return module;
}

START_TEST(printing_reads_back)
{
    struct arena arena = {0};
    struct text out = {0};

    ir_print(&out, parse_good(&arena, whole));
    const char *a = text_string(&out), *b = whole;
    while (*a && *b && *a == *b)
        a++, b++;
    ck_assert_msg(*a == *b, "printed: %.80s\nwritten: %.80s", a, b);
    text_free(&out);
    arena_free(&arena);
}
END_TEST

START_TEST(fields_arrive)
{
    struct arena arena = {0};
    struct ir_module *module = parse_good(&arena, whole);

    ck_assert_uint_eq(module->version, 83);
    ck_assert_uint_eq(module->target, 90);
    ck_assert_int_eq(module->target_suffix, 'a');
    ck_assert_str_eq(module->files[2], "a \"quoted\" \\ name.h");
    ck_assert_uint_eq(module->symbols[0].bytes[31], 0x1f);
    ck_assert_uint_eq(module->symbols[0].bytes[32], 0);
    ck_assert_int_eq(module->symbols[0].relocations[2].addend, -4);
    ck_assert_uint_eq(module->symbols[0].relocations[1].target,
                      ir_operand_make(IR_OPERAND_FUNCTION, 1));
    ck_assert_uint_eq(module->symbols[2].owner, 1);
    ck_assert_str_eq(module->symbols[3].name, "tile");
    ck_assert_ptr_null(module->symbols[1].bytes);
    ck_assert_ptr_nonnull(module->symbols[6].bytes);
    ck_assert_uint_eq(module->prototypes[0].parameter_sizes[1], 16);
    ck_assert_ptr_null(module->prototypes[1].name);

    const struct ir_function *f = &module->functions[0];
    ck_assert_uint_eq(f->parameter_count, 3);
    ck_assert_uint_eq(f->variables[0].pointer_align, 16);
    ck_assert_str_eq(f->registers[8].name, "odd \" name");
    const struct ir_inst *inst = &f->insts[3]; /* @%p1 add, inlined twice */
    ck_assert_uint_eq(inst->guard, ir_operand_make(IR_OPERAND_REGISTER, 0));
    ck_assert_uint_eq(inst->type, IR_u32);
    ck_assert_uint_eq(inst->type2, IR_u32);
    const struct ir_location *location = &module->locations[inst->loc];
    ck_assert_uint_eq(location->at.line, 53);
    ck_assert_uint_eq(location->at.column, 5);
    ck_assert_uint_eq(location->line, 5);
    ck_assert_str_eq(location->function, "inner");
    location = &module->locations[location->inlined_at];
    ck_assert_uint_eq(location->line, 7);
    ck_assert_str_eq(location->function, "outer");
    location = &module->locations[location->inlined_at];
    ck_assert_uint_eq(location->line, 20);
    ck_assert_uint_eq(location->inlined_at, 0);

    inst = &f->insts[f->blocks[1].first]; /* ld.global.relaxed@gpu.f32 */
    ck_assert_uint_eq(inst->space, IR_SPACE_GLOBAL);
    ck_assert_uint_eq(inst->order, IR_ORDER_RELAXED);
    ck_assert_uint_eq(inst->scope, IR_SCOPE_GPU);
    ck_assert_uint_eq(inst->vector, 1);
    ck_assert_uint_eq(inst->sources, 2);
    inst++;
    ck_assert_uint_eq(inst->destinations, 4);
    ck_assert_uint_eq(ir_destinations(f, inst)[2], 0);
    ck_assert_uint_eq(f->constants[ir_operand_index(ir_sources(f, inst)[1])].value,
                      (uint64_t)-16);
    inst += 4;
    ck_assert_uint_eq(inst->sub, IR_OP_max);
    ck_assert_uint_eq(inst->destinations, 0);
    inst++;
    ck_assert_uint_eq(inst->mode, ROUND_ZERO | MODE_FTZ | MODE_SAT);
    ck_assert_ptr_null(f->blocks[0].name);
    arena_free(&arena);
}
END_TEST

START_TEST(one_instruction_and_one_function)
{
    struct arena arena = {0};
    struct text out = {0};
    struct ir_module *module = parse_good(&arena, whole);
    const struct ir_function *f = &module->functions[0];

    ir_print_inst(&out, module, f, &f->insts[f->blocks[1].first + 2]);
    ck_assert_str_eq(text_string(&out), "st.shared.volatile.f32 [@tile+1024], %f1");
    text_free(&out);
    ir_print_function(&out, module, &module->functions[2]);
    ck_assert_str_eq(text_string(&out), "function extern @vprintf {\n}\n");
    text_free(&out);
    arena_free(&arena);
}
END_TEST

/* What a person may write more freely than the printer. */
START_TEST(free_form)
{
    struct arena arena = {0};
    struct text out = {0};

    ir_print(&out, parse_good(&arena,
                              "// a comment\n\n  kir 1 // another\r\n"
                              "function internal @f {\n"
                              "var local b8 &a size 3 align 1\n"
                              "var local b64 &b size 8 align 8\n"
                              "reg b32 %x\n\treg b64 %y\n"
                              "^entry:\n"
                              "  %x=add.u32 %x,-1\n"
                              "%x = mov.b32 0f3F800000\n"
                              "%y = mov.b64 0d3FF0000000000000\n"
                              "ld.global.u8 [ %y + 0 ]\n"
                              "bra ^entry\n}\n"));
    ck_assert_str_eq(text_string(&out), "kir 1\n"
                                        "address_bits 64\n"
                                        "\n"
                                        "function internal @f {\n"
                                        "    local_bytes 16\n"
                                        "    var local b8 &a size 3 align 1 at 0\n"
                                        "    var local b64 &b size 8 align 8 at 8\n"
                                        "    reg b32 %x\n"
                                        "    reg b64 %y\n"
                                        "^entry:\n"
                                        "    %x = add.u32 %x, 0xffffffffffffffff\n"
                                        "    %x = mov.b32 0x3f800000\n"
                                        "    %y = mov.b64 0x3ff0000000000000\n"
                                        "    ld.global.u8 [%y]\n"
                                        "    bra ^entry\n"
                                        "}\n");
    text_free(&out);
    arena_free(&arena);
}
END_TEST

#define HEAD "kir 1\nfunction internal @f {\nreg b32 %r\nvar local b8 &v size 4 align 4\n^b:\n"
#define TAIL "\nret\n}\n"

static const struct {
    const char *text;
    uint32_t line, column;
    const char *message;
} mistakes[] = {
    {"", 1, 1, "'kir 1' expected: this is no kernel IR text"},
    {".version 8.0\n.target sm_90\n", 1, 1, "'kir 1' expected: this is no kernel IR text"},
    {"kir 2\n", 1, 1, "'kir 1' expected: this is no kernel IR text"},
    {"kir 1\nnonsense\n", 2, 1, "unknown statement"},
    {"kir 1\ntarget sm_x\n", 2, 8, "target such as sm_90 expected"},
    {"kir 1\nfile 2 \"a\"\n", 2, 6, "the next number is 1"},
    {"kir 1\nfile 1 \"a\n", 2, 8, "unfinished string"},
    {"kir 1\nfile 1 \"\\0\"\n", 2, 11, "two hexadecimal digits expected"},
    {"kir 1\ninline 1 \"f\" 1:2:3\n", 2, 14, "number is larger than 0"},
    {"kir 1\nglobal internal u32 @a size 4 align 4 extra\n", 2, 39,
     "unexpected text at the end of the statement"},
    {"kir 1\nglobal private u32 @a size 4 align 4\n", 2, 8, "linkage expected"},
    {"kir 1\nglobal internal u33 @a size 4 align 4\n", 2, 17, "type expected"},
    {"kir 1\nglobal internal u32 a size 4 align 4\n", 2, 21, "'@' expected"},
    {"kir 1\nglobal internal u32 @a size 99999999999999999999 align 4\n", 2, 29,
     "number does not fit in 64 bits"},
    {"kir 1\nglobal internal u32 @a size 4 align 4 {\nbytes 2 001122\n}\n", 3, 9,
     "bytes past the end of the variable"},
    {"kir 1\nglobal internal u32 @a size 4 align 4 {\nbytes 0 0g\n}\n", 3, 9,
     "pairs of hexadecimal digits expected"},
    {"kir 1\nglobal internal u32 @a size 4 align 4 {\naddress 0 size 8 @x\n}\n", 3, 19,
     "nothing is named 'x'"},
    {"kir 1\nglobal internal u32 @a size 0x40000000 align 4 {\n}\n", 2, 22,
     "initial values are longer than 268435456 bytes"},
    {"kir 1\nshared internal u32 @a size 4 align 4 owner @a\n", 2, 46,
     "the owner 'a' is not a function"},
    {"kir 1\nglobal internal u32 @a size 4 align 4\nglobal internal u32 @a size 4 align 4\n",
     3, 22, "name 'a' is declared twice"},
    {"kir 1\nfunction internal @f {\n", 3, 1, "'}' expected"},
    {HEAD "reg b32 %r" TAIL, 6, 10, "register 'r' is declared twice"},
    {HEAD "^b:" TAIL, 6, 2, "block 'b' is declared twice"},
    {HEAD "%x = mov.b32 1" TAIL, 6, 2, "no register named 'x'"},
    {HEAD "%r = mov.b32 &w" TAIL, 6, 15, "no variable named 'w'"},
    {HEAD "bra ^nowhere" TAIL, 6, 6, "no block named 'nowhere'"},
    {HEAD "call @nobody" TAIL, 6, 7, "nothing is named 'nobody'"},
    {HEAD "%r = mow.b32 1" TAIL, 6, 6, "unknown operation"},
    {HEAD "%r = mov.b33 1" TAIL, 6, 10, "unknown attribute"},
    {HEAD "%r = mov.b32.b32.b32 1" TAIL, 6, 18, "more than two types"},
    {HEAD "%r = sreg.b32 $tid_w" TAIL, 6, 16, "no such special register"},
    {HEAD "%r = atom:nand.u32 [&v], 1" TAIL, 6, 11, "'atom' has no such variant"},
    {HEAD "%r = mov.b32 1," TAIL, 6, 16, "operand expected"},
    {HEAD "%r = ld.b32 [&v" TAIL, 6, 16, "']' expected"},
    {HEAD "%r mov.b32 1" TAIL, 6, 4, "'=' expected"},
    {HEAD "%r = mov.b32 12x" TAIL, 6, 16, "unexpected character in a number"},
    {HEAD "%r = mov.b32 0x" TAIL, 6, 16, "hexadecimal digit expected"},
    {HEAD "@r %r = mov.b32 1" TAIL, 6, 2, "guard register expected"},
    {HEAD "call_indirect %r prototype=p" TAIL, 6, 28, "no prototype named 'p'"},
    {HEAD "fence.acq_rel@team" TAIL, 6, 15, "scope expected"},
    {"kir 1\nfunction internal @f {\nret\n}\n", 3, 1, "the instruction stands in no block"},
    {"kir 1\nfunction internal @f {\nvar local b8 &a size 1 align 1\n"
     "var local b8 &b size 1 align 1 at 4\n}\n",
     2, 20, "give the place of all variables or of none"},
};

START_TEST(mistakes_are_placed)
{
    struct arena arena = {0};
    struct diags diags;
    const char *text = mistakes[_i].text;

    ck_assert_ptr_null(parse(&arena, text, strlen(text), &diags));
    ck_assert_uint_eq(diags.errors, 1);
    ck_assert_str_eq(diags.items[0].text, mistakes[_i].message);
    ck_assert_uint_eq(diags.items[0].at.line, mistakes[_i].line);
    ck_assert_uint_eq(diags.items[0].at.column, mistakes[_i].column);
    arena_free(&arena);
}
END_TEST

START_TEST(all_mistakes_are_found)
{
    struct arena arena = {0};
    struct diags diags;
    static const char text[] = "kir 1\n"
                               "kernel visible f {\n" /* its body is passed over */
                               "  anything at all\n"
                               "}\n"
                               "function internal @g {\n"
                               "^a:\n"
                               "  %x = mov.b32 1\n"
                               "  frobnicate\n"
                               "  bra ^z\n"
                               "}\n";

    ck_assert_ptr_null(parse(&arena, text, strlen(text), &diags));
    ck_assert_uint_eq(diags.errors, 4);
    arena_free(&arena);
}
END_TEST

static uint32_t next_random(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % below;
}

/* Spoilt text: a message or a module that prints and reads back, never a crash. */
START_TEST(spoilt_text)
{
    uint32_t seed = (uint32_t)_i * 2654435761u + 3;
    static const char dust[] = "%@&^$[]{}#:.,+-=!\"\\/_ \n\t019afxz\x80";

    for (int round = 0; round < 40; round++) {
        struct arena arena = {0};
        struct diags diags;
        char text[sizeof whole];
        size_t size = sizeof whole - 1;
        memcpy(text, whole, sizeof whole);
        for (uint32_t n = 1 + next_random(&seed, 4); n > 0; n--) {
            size_t at = next_random(&seed, (uint32_t)size), length;
            switch (next_random(&seed, 3)) {
            case 0:
                text[at] = dust[next_random(&seed, sizeof dust)];
                break;
            case 1: /* cut something out */
                length = next_random(&seed, 30);
                if (length > size - at)
                    length = size - at;
                memmove(text + at, text + at + length, size - at - length);
                size -= length;
                break;
            default: /* repeat something elsewhere */
                length = next_random(&seed, 40);
                if (length > size - at)
                    length = size - at;
                memmove(text + next_random(&seed, (uint32_t)(size - length)), text + at,
                        length);
            }
        }
        struct ir_module *module = parse(&arena, text, size, &diags);
        ck_assert(module || diags.errors);
        if (module) {
            struct text once = {0}, twice = {0};
            ir_print(&once, module);
            module = parse_good(&arena, text_string(&once));
            ir_print(&twice, module);
            ck_assert_str_eq(text_string(&twice), text_string(&once));
            text_free(&once);
            text_free(&twice);
        }
        arena_free(&arena);
    }
}
END_TEST

/* Names that only tags tell apart, made by a builder and not by a reader. */
START_TEST(repeated_names)
{
    struct arena arena = {0};
    struct ir_module *module = ir_module_new(&arena, "built");
    struct text once = {0}, twice = {0};

    ir_add_function(module, "f");
    struct ir_function *f = &module->functions[0];
    ir_operand a = ir_add_register(module, f, IR_b32, "a");
    ir_operand b = ir_add_register(module, f, IR_b32, "a");
    ir_operand c = ir_add_register(module, f, IR_b32, "");
    for (int i = 0; i < 2; i++) {
        ir_add_block(module, f, "L");
        ir_operand one = ir_add_constant(module, f, 1);
        ir_add_inst(module, f,
                    &(struct ir_inst){.op = IR_OP_add, .type = IR_u32, .type2 = IR_u32,
                                      .destinations = 1, .sources = 2},
                    (ir_operand[]){a}, (ir_operand[]){i ? c : b, one});
        ir_operand to = ir_operand_make(IR_OPERAND_BLOCK, 1);
        ir_add_inst(module, f, &(struct ir_inst){.op = IR_OP_bra, .sources = 1}, NULL, &to);
    }
    ir_print(&once, module);
    ck_assert_ptr_nonnull(strstr(text_string(&once), "%a#0 = add.u32 %a#1, 1\n"));
    ck_assert_ptr_nonnull(strstr(text_string(&once), "%a#0 = add.u32 %#2, 1\n"));
    ir_print(&twice, parse_good(&arena, text_string(&once)));
    ck_assert_str_eq(text_string(&twice), text_string(&once));
    text_free(&once);
    text_free(&twice);
    arena_free(&arena);
}
END_TEST

/* Broken IR has no text form, but printing it for a message must work. */
START_TEST(broken_ir_prints)
{
    struct arena arena = {0};
    struct ir_module *module = ir_module_new(&arena, "built");
    struct text out = {0};

    ir_add_function(module, "f");
    struct ir_function *f = &module->functions[0];
    ir_add_block(module, f, NULL);
    struct ir_inst inst = {.op = 9999, .type = 200, .type2 = 201, .mode = 0xffff,
                           .space = 99, .order = 98, .scope = 97, .destinations = 1,
                           .sources = 2, .guard = 0x1fffffff, .loc = 12345};
    ir_add_inst(module, f, &inst, (ir_operand[]){0xf0000001},
                (ir_operand[]){0x20000005, 0x60000005});
    ir_print(&out, module);
    ck_assert_ptr_nonnull(strstr(out.data, "?15:1 = ?.?.?@?.?.?.ftz"));
    text_free(&out);
    arena_free(&arena);
}
END_TEST

START_TEST(graph_as_picture)
{
    struct arena arena = {0};
    struct text out = {0};
    struct ir_module *module = parse_good(&arena, "kir 1\n"
                                                  "function internal @f {\n"
                                                  "reg pred %p\n"
                                                  "^a:\nbr %p, ^b, ^\"c\\22\"\n"
                                                  "^b:\nbra ^\"c\\22\"\n"
                                                  "^\"c\\22\":\nret\n}\n");

    ir_cfg_print_dot(&out, module, &module->functions[0]);
    ck_assert_str_eq(
        text_string(&out),
        "digraph \"f\" {\n"
        "    node [shape=box fontname=monospace]\n"
        "    b0 [label=\"^a:\\l  br %p, ^b, ^\\\"c\\\\22\\\"\\l\"]\n"
        "    b1 [label=\"^b:\\l  bra ^\\\"c\\\\22\\\"\\l\"]\n"
        "    b2 [label=\"^\\\"c\\\\22\\\":\\l  ret\\l\"]\n"
        "    b0 -> b1\n"
        "    b0 -> b2\n"
        "    b0 -> b2 [style=dashed constraint=false color=gray]\n"
        "    b1 -> b2\n"
        "}\n");
    text_free(&out);
    arena_free(&arena);
}
END_TEST

SUITE("ir_text", {
    TEST(graph_as_picture);
    TEST(printing_reads_back);
    TEST(fields_arrive);
    TEST(one_instruction_and_one_function);
    TEST(free_form);
    LOOP_TEST(mistakes_are_placed, 0, (int)(sizeof mistakes / sizeof *mistakes));
    TEST(all_mistakes_are_found);
    LOOP_TEST(spoilt_text, 0, 50);
    TEST(repeated_names);
    TEST(broken_ir_prints);
})
