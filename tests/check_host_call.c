/* SPDX-License-Identifier: Apache-2.0
 *
 * check_host_call.c - printf, malloc, free, assert and bound functions; the
 * formatter by itself. */
#include "tests/suite.h"

#include <stdio.h>

#include "emu/format.h"
#include "tests/kernel.h"

/* --- the formatter ------------------------------------------------------------------------ */

struct values {
    uint64_t word[4];
    unsigned used;
};

static bool next_value(void *self, unsigned bytes, uint64_t *value)
{
    struct values *values = self;

    if (values->used == 4)
        return false;
    *value = values->word[values->used++];
    if (bytes == 4)
        *value &= 0xffffffff;
    return true;
}

static bool add_string(void *self, uint64_t address, uint64_t limit, struct text *out)
{
    static const char *const strings[] = {"", "one", "two"};
    (void)self;

    if (address > 2)
        return false;
    text_add(out, strings[address],
             strlen(strings[address]) < limit ? strlen(strings[address]) : limit);
    return true;
}

static uint64_t bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, 8);
    return word;
}

/* Expected texts: C11 7.21.6.1; the last rows but two as recorded on an H200. */
START_TEST(formats_as_c_does)
{
    const uint64_t minus = (uint64_t)-5;
    const struct {
        const char *format, *expected;
        uint64_t word[4];
        int32_t used;
    } rows[] = {
        {"plain", "plain", {0}, 0},
        {"100%% %d%%", "100% 7%", {7}, 1},
        {"%d %i %u", "-5 -5 4294967291", {minus, minus, minus}, 3},
        {"%5d|%-5d|%05d|%+d", "    7|7    |00007|+7", {7, 7, 7, 7}, 4},
        {"%lld %llu %ld", "-5 18446744073709551611 -5", {minus, minus, minus}, 3},
        {"%hd %hu", "1 2", {0x10001, 0x10002}, 2},
        {"%x %X %#x %o", "beef BEEF 0xbeef 17", {0xbeef, 0xbeef, 0xbeef, 15}, 4},
        {"%8.3d|% d|%-+6d|", "     007| 7|+7    |", {7, 7, 7}, 3},
        {"%c%c|%3c|%-3c|", "ab|  c|d  |", {'a', 'b', 'c', 'd'}, 4},
        {"%s %s", "one two", {1, 2}, 2},
        {"%5s|%-5s|%.2s|%s", "  one|two  |on|(null)", {1, 2, 1, 0}, 4},
        {"%p %p", "0x700000000 (nil)", {UINT64_C(0x700000000), 0}, 2},
        {"%f %.2f %8.3f|%-8.1f|", "1.500000 1.50    1.500|1.5     |",
         {bits(1.5), bits(1.5), bits(1.5), bits(1.5)}, 4},
        {"%e %E %g %G", "1.500000e+10 1.500000E+10 1.5e+10 1.5E+10",
         {bits(1.5e10), bits(1.5e10), bits(1.5e10), bits(1.5e10)}, 4},
        {"%a %F", "0x1.8p+0 INF", {bits(1.5), UINT64_C(0x7ff0000000000000)}, 2},
        {"%*d|%-*d|", "   7|7  |", {4, 7, 3, 7}, 4},
        {"%*d|%.*f", "7   |%.*f", {(uint32_t)-4, 7, 2, bits(1.5)}, 2},
        {"%y %d", "%y 7", {7}, 1},
        {"end %", "end %", {0}, 0},
        {"[%hhd][%d]\n", "[44][1751655771]\n", {300, 7}, 1},
        {"[%y][%d]\n", "[%y][3]\n", {3, 4}, 1},
        {"[%zu][%jd]\n", "[%zu][%jd]\n", {7, 8}, 0},
        {"[%n]\n", "[%n]\n", {0}, 0},
        {"[%2$d][%1$d]\n", "[%2$d][%1$d]\n", {1, 2}, 0},
        {"%d %d %d %d %d", "", {1, 2, 3, 4}, -2},
        {"%s", "", {99}, -2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct values values = {{rows[i].word[0], rows[i].word[1], rows[i].word[2],
                                 rows[i].word[3]}, 0};
        struct format_source source = {&values, next_value, add_string, 8};
        struct text out = {0};
        ck_assert_int_eq(format_text(&out, rows[i].format, &source), rows[i].used);
        ck_assert_str_eq(text_string(&out), rows[i].expected);
        text_free(&out);
    }
}
END_TEST

/* --- kernels -------------------------------------------------------------------------------- */

static const char prologue[] =
    "kir 1\naddress_bits 64\n"
    "global internal b8 @format size 20 align 1 {\n"
    "    bytes 0 743d256420783d25662025732025702e0a00\n}\n" /* "t=%d x=%f %s %p.\n" */
    "const internal b8 @word size 8 align 1 {\n    bytes 0 776f726400\n}\n" /* "word" */
    "function extern @vprintf {\n"
    "var argument b32 &out size 4 align 4 at 0\nvar argument b64 &f size 8 align 8 at 8\n"
    "var argument b64 &v size 8 align 8 at 16\nlocal_bytes 24\nparameters &f &v\nresults &out\n}\n"
    "function extern @malloc {\n"
    "var argument b64 &out size 8 align 8 at 0\nvar argument b64 &n size 8 align 8 at 8\n"
    "local_bytes 16\nparameters &n\nresults &out\n}\n"
    "function extern @free {\n"
    "var argument b64 &p size 8 align 8 at 0\nlocal_bytes 8\nparameters &p\n}\n"
    "function extern @__assertfail noreturn {\n"
    "var argument b64 &m size 8 align 8 at 0\nvar argument b64 &f size 8 align 8 at 8\n"
    "var argument b32 &l size 4 align 4 at 16\nvar argument b64 &n size 8 align 8 at 24\n"
    "var argument b64 &c size 8 align 8 at 32\nlocal_bytes 40\nparameters &m &f &l &n &c\n}\n"
    "function extern @mix {\n"
    "var argument b64 &out size 8 align 8 at 0\nvar argument b8 &a size 1 align 1 at 8\n"
    "var argument b64 &b size 8 align 8 at 16\nvar argument b16 &c size 2 align 2 at 24\n"
    "local_bytes 32\nparameters &a &b &c\nresults &out\n}\n"
    "kernel visible @k {\n"
    "var param u64 &a size 8 align 8 at 0\nvar param u64 &o size 8 align 8 at 8\n"
    "parameters &a &o\n"
    "var argument b64 &q0 size 8 align 8 at 0\nvar argument b64 &q1 size 8 align 8 at 8\n"
    "var argument b32 &q2 size 4 align 4 at 16\nvar argument b64 &q3 size 8 align 8 at 24\n"
    "var argument b64 &q4 size 8 align 8 at 32\nvar argument b32 &ret size 4 align 4 at 40\n"
    "var argument b64 &wide size 8 align 8 at 48\nvar argument b8 &byte size 1 align 1 at 56\n"
    "var argument b16 &half size 2 align 2 at 58\n"
    "var local b8 &list size 40 align 8 at 64 array\nlocal_bytes 104\n"
    "reg pred %p %q\nreg b32 %t %r %s\nreg b16 %h\nreg b64 %a %o %x %y %z\n^entry:\n"
    "%a = ld.param.u64 [&a]\n%o = ld.param.u64 [&o]\n%t = sreg.b32 $tid_x\n"
    "%x = mul_wide.u64.u32 %t, 8\n%a = add.u64 %a, %x\n%o = add.u64 %o, %x\n";

static void load(struct kernel *k, const char *body, uint64_t **in, uint64_t **out)
{
    kernel_load_body(k, prologue, body);
    *in = kernel_buffer(k, 512);
    *out = kernel_buffer(k, 512);
}

static const char printing[] =
    "st.local.u32 [&list], %t\n%x = mov.b64 0x3ff8000000000000\nst.local.u64 [&list+8], %x\n"
    "%x = mov.b64 @word\nst.local.u64 [&list+16], %x\nst.local.u64 [&list+24], %x\n"
    "%x = mov.b64 @format\nst.argument.u64 [&q0], %x\n"
    "%x = to_generic.local.u64 &list\nst.argument.u64 [&q1], %x\n"
    "%p = lt.pred.u32 %t, 2\nbr %p, ^print, ^end\n"
    "^print:\n&ret = call @vprintf, &q0, &q1\n%r = ld.argument.u32 [&ret]\n"
    "st.global.u32 [%o], %r\nbra ^end\n^end:\n";

START_TEST(prints_lane_by_lane)
{
    struct kernel k;
    uint64_t *in, *out;
    char expected[200];

    load(&k, printing, &in, &out);
    unsigned long long word = (unsigned long long)k.image->symbol_address[1];
    kernel_run(&k, 1, 32);
    ck_assert_msg(k.findings.count == 0, "%s", k.findings.items[0].message);
    snprintf(expected, sizeof expected, "t=0 x=1.500000 word 0x%llx.\nt=1 x=1.500000 word 0x%llx.\n",
             word, word);
    ck_assert_str_eq(text_string(&k.printed), expected);
    ck_assert_uint_eq(out[0], 4); /* arguments, not characters */
    ck_assert_uint_eq(out[1], 4);
    ck_assert_uint_eq(out[2], 0);
    kernel_free(&k);
}
END_TEST

START_TEST(printing_without_a_format)
{
    struct kernel k;
    uint64_t *in, *out;

    load(&k, "st.argument.u64 [&q0], 0\n&ret = call @vprintf, &q0, &q1\n"
             "%r = ld.argument.u32 [&ret]\nst.global.u32 [%o], %r\n", &in, &out);
    kernel_run(&k, 1, 1);
    ck_assert_uint_eq(k.findings.count, 0);
    ck_assert_int_eq((int32_t)out[0], -1);
    kernel_free(&k);
}
END_TEST

/* The list of arguments is the null pointer. */
START_TEST(printing_without_arguments_faults)
{
    struct kernel k;
    uint64_t *in, *out;

    load(&k, "%x = mov.b64 @format\nst.argument.u64 [&q0], %x\nst.argument.u64 [&q1], 0\n"
             "&ret = call @vprintf, &q0, &q1\n"
             "%r = ld.argument.u32 [&ret]\nst.global.u32 [%o], %r\n", &in, &out);
    kernel_run(&k, 1, 1);
    ck_assert_uint_eq(k.findings.count, 1);
    ck_assert_str_eq(k.findings.items[0].kind, "null");
    ck_assert_int_eq((int32_t)out[0], -2);
    kernel_free(&k);
}
END_TEST

static const char allocating[] =
    "%x = ld.global.u64 [%a]\nst.argument.u64 [&q0], %x\n&q1 = call @malloc, &q0\n"
    "%y = ld.argument.u64 [&q1]\nst.global.u64 [%o], %y\n";

START_TEST(heap_is_limited)
{
    struct kernel k;
    uint64_t *in, *out;

    load(&k, allocating, &in, &out);
    k.launch.heap_limit = 100;
    static const uint64_t sizes[8] = {40, 30, 0, 8, 17, 4, 1, UINT64_MAX};
    memcpy(in, sizes, sizeof sizes);
    kernel_run(&k, 1, 8);
    ck_assert_uint_eq(k.findings.count, 0);
    /* 48 + 32 + 0 + 16 of 100 bytes; the rest finds nothing left. */
    for (int i = 0; i < 8; i++) {
        bool given = i == 0 || i == 1 || i == 3;
        ck_assert_int_eq(out[i] != 0, given);
        if (given) {
            ck_assert_uint_eq(out[i] % 16, 0);
            const struct allocation *a = memory_find(k.memory, out[i]);
            ck_assert(a->address == out[i] && a->size == sizes[i] && a->undefined);
        }
    }
    kernel_free(&k);
}
END_TEST

START_TEST(frees_once)
{
    struct kernel k;
    uint64_t *in, *out;

    load(&k, "st.argument.u64 [&q0], 64\n&q1 = call @malloc, &q0\n"
             "%y = ld.argument.u64 [&q1]\nst.global.u32 [%y+60], %t\n"
             "call @free, &q1\n"               /* fine */
             "st.argument.u64 [&q0], 0\ncall @free, &q0\n" /* null: fine */
             "call @free, &q1\n"               /* a second time */
             "st.argument.u64 [&q0], %a\ncall @free, &q0\n" /* not from malloc */
             "%y = add.u64 %y, 8\nst.argument.u64 [&q0], %y\ncall @free, &q0\n"
             "%r = ld.global.u32 [%y]\n",      /* and used afterwards */
         &in, &out);
    kernel_run(&k, 1, 1);
    ck_assert_uint_eq(k.findings.count, 4);
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(k.findings.items[i].kind, "bad-free");
    ck_assert(strstr(k.findings.items[0].message, "second time") != NULL);
    ck_assert(strstr(k.findings.items[1].message, "malloc did not return") != NULL);
    ck_assert_str_eq(k.findings.items[3].kind, "freed");
    ck_assert_str_eq(k.findings.items[3].message,
                     "4-byte read 8 bytes into memory from malloc (64 bytes), which was freed");
    kernel_free(&k);
}
END_TEST

START_TEST(assertions_end_their_threads)
{
    struct kernel k;
    uint64_t *in, *out;

    load(&k, "%x = mov.b64 @word\nst.argument.u64 [&q0], %x\nst.argument.u64 [&q1], %x\n"
             "st.argument.u32 [&q2], 42\nst.argument.u64 [&q3], %x\nst.argument.u64 [&q4], 1\n"
             "%p = eq.pred.b32 %t, 3\nbr %p, ^fail, ^go\n"
             "^fail:\ncall @__assertfail, &q0, &q1, &q2, &q3, &q4\nbra ^go\n"
             "^go:\nst.global.u32 [%o], 1\n",
         &in, &out);
    kernel_run(&k, 1, 8);
    ck_assert_uint_eq(k.findings.count, 1);
    const struct finding *finding = &k.findings.items[0];
    ck_assert_int_eq(finding->category, FINDING_ASSERT);
    ck_assert_str_eq(finding->message, "assertion failed: word (word:42, word)");
    ck_assert_uint_eq(finding->where[0].thread[0], 3);
    for (int i = 0; i < 8; i++)
        ck_assert_uint_eq(out[i], i != 3);
    kernel_free(&k);
}
END_TEST

/* Arguments each at its own alignment: a at 0, b at 8, c at 16. */
static void mix(void *self, const unsigned char *arguments, unsigned char *results)
{
    uint64_t b, sum;
    uint16_t c;

    memcpy(&b, arguments + 8, 8);
    memcpy(&c, arguments + 16, 2);
    sum = arguments[0] * UINT64_C(1000000) + b * 1000 + c;
    memcpy(results, &sum, 8);
    ++*(int *)self;
}

START_TEST(bound_functions_are_called_for_each_lane)
{
    struct kernel k;
    uint64_t *in, *out;
    int calls = 0;
    struct host_function function = {"mix", mix, &calls};

    load(&k, "%h = low.b16.b32 %t\nst.argument.u8 [&byte], %h\n"
             "%x = mul_wide.u64.u32 %t, 2\nst.argument.u64 [&q0], %x\n"
             "st.argument.u16 [&half], %h\n&wide = call @mix, &byte, &q0, &half\n"
             "%x = ld.argument.u64 [&wide]\nst.global.u64 [%o], %x\n",
         &in, &out);
    ck_assert(image_bind(k.image, &function));
    kernel_run(&k, 1, 20);
    ck_assert_uint_eq(k.findings.count, 0);
    ck_assert_int_eq(calls, 20);
    for (uint64_t i = 0; i < 20; i++)
        ck_assert_uint_eq(out[i], i * 1002001);
    kernel_free(&k);
}
END_TEST

SUITE("host_call", {
    TEST(formats_as_c_does);
    TEST(prints_lane_by_lane);
    TEST(printing_without_a_format);
    TEST(printing_without_arguments_faults);
    TEST(heap_is_limited);
    TEST(frees_once);
    TEST(assertions_end_their_threads);
    TEST(bound_functions_are_called_for_each_lane);
})
