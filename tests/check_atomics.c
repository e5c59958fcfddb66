/* SPDX-License-Identifier: Apache-2.0
 *
 * check_atomics.c - atom and red against plain C, lane after lane; what differs
 * between memories; what the scheduler and observers hear. */
#include "tests/suite.h"

#include <stdio.h>

#include "emu/state.h"
#include "tests/kernel.h"

/* --- integers: 32 lanes on one word, on four, and each on its own ---------------------- */

struct integer_case {
    const char *op, *type;
    unsigned bytes;
    uint64_t (*next)(uint64_t old, uint64_t b, uint64_t c);
};

#define NEXT(name, expression)                                               \
    static uint64_t name(uint64_t old, uint64_t b, uint64_t c)               \
    {                                                                        \
        (void)old, (void)b, (void)c;                                         \
        return (uint64_t)(expression);                                       \
    }
NEXT(next_add, old + b)
NEXT(next_and, old & b)
NEXT(next_or, old | b)
NEXT(next_xor, old ^ b)
NEXT(next_exch, b)
NEXT(next_cas, old == b ? c : old)
NEXT(next_min_u, old < b ? old : b)
NEXT(next_max_u, old > b ? old : b)
NEXT(next_min_s32, (int32_t)old < (int32_t)b ? old : b)
NEXT(next_max_s32, (int32_t)old > (int32_t)b ? old : b)
NEXT(next_min_s64, (int64_t)old < (int64_t)b ? old : b)
NEXT(next_max_s64, (int64_t)old > (int64_t)b ? old : b)
/* PTX ISA, "atom": wrapping increment and decrement. */
NEXT(next_inc, old >= b ? 0 : old + 1)
NEXT(next_dec, old == 0 || old > b ? b : old - 1)

static const struct integer_case integers[] = {
    {"add", "u32", 4, next_add},     {"add", "s32", 4, next_add},
    {"add", "u64", 8, next_add},     {"add", "s64", 8, next_add},
    {"and", "b32", 4, next_and},     {"and", "b64", 8, next_and},
    {"or", "b32", 4, next_or},       {"or", "b64", 8, next_or},
    {"xor", "b32", 4, next_xor},     {"xor", "b64", 8, next_xor},
    {"exch", "b32", 4, next_exch},   {"exch", "b64", 8, next_exch},
    {"cas", "b16", 2, next_cas},     {"cas", "b32", 4, next_cas},
    {"cas", "b64", 8, next_cas},     {"inc", "u32", 4, next_inc},
    {"dec", "u32", 4, next_dec},     {"min", "u32", 4, next_min_u},
    {"max", "u32", 4, next_max_u},   {"min", "s32", 4, next_min_s32},
    {"max", "s32", 4, next_max_s32}, {"min", "u64", 8, next_min_u},
    {"max", "u64", 8, next_max_u},   {"min", "s64", 8, next_min_s64},
    {"max", "s64", 8, next_max_s64},
};
enum { INTEGERS = sizeof integers / sizeof integers[0] };

/* space: "global", "shared", or "" for generic. Lane l takes word l / 32 * share
 * ...; values from argument 1 and 2, old values to argument 3. */
static void integer_kernel(struct text *k, const struct integer_case *one,
                           const char *space, bool want_old)
{
    const char *reg = one->bytes == 2 ? "b16" : one->bytes == 4 ? "b32" : "b64";
    bool cas = one->next == next_cas;

    text_printf(k, "kir 1\naddress_bits 64\nkernel visible @k {\n"
                   "var param u64 &a size 8 align 8 at 0\nvar param u64 &b size 8 align 8 at 8\n"
                   "var param u64 &c size 8 align 8 at 16\nvar param u64 &d size 8 align 8 at 24\n"
                   "var param u64 &shift size 8 align 8 at 32\nparameters &a &b &c &d &shift\n"
                   "reg b32 %%t %%i %%s\nreg b64 %%a %%b %%c %%d %%o\nreg %s %%old %%vb %%vc\n"
                   "^entry:\n%%t = sreg.b32 $tid_x\n%%a = ld.param.u64 [&a]\n"
                   "%%b = ld.param.u64 [&b]\n%%c = ld.param.u64 [&c]\n%%d = ld.param.u64 [&d]\n"
                   "%%s = ld.param.u32 [&shift]\n%%i = shr.u32.u32 %%t, %%s\n"
                   "%%o = mul_wide.u64.u32 %%i, %u\n%%a = add.u64 %%a, %%o\n"
                   "%%o = mul_wide.u64.u32 %%t, %u\n%%b = add.u64 %%b, %%o\n"
                   "%%c = add.u64 %%c, %%o\n%%d = add.u64 %%d, %%o\n"
                   "%%vb = ld.global.%s [%%b]\n%%vc = ld.global.%s [%%c]\n",
                reg, one->bytes, one->bytes, reg, reg);
    text_printf(k, "%satom:%s%s.relaxed@gpu.%s [%%a], %%vb%s\n", want_old ? "%old = " : "",
                one->op, space, one->type, cas ? ", %vc" : "");
    if (want_old)
        text_printf(k, "st.global.%s [%%d], %%old\n", reg);
    text_puts(k, "exit\n}\n");
}

static uint64_t word_at(const unsigned char *bytes, unsigned i, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, bytes + i * size, size);
    return value;
}

START_TEST(integers_in_lane_order)
{
    const struct integer_case *one = &integers[_i];
    uint64_t mask = one->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * one->bytes) - 1;

    for (unsigned variant = 0; variant < 12; variant++) {
        unsigned shift = variant % 3 == 0 ? 0 : variant % 3 == 1 ? 3 : 5;
        bool want_old = variant / 3 % 2, observe = variant / 6;
        struct text text = {0};
        struct kernel k;
        integer_kernel(&text, one, variant % 2 ? ".global" : "", want_old);
        kernel_load(&k, text_string(&text));
        k.observe = observe;
        unsigned char *a = kernel_buffer(&k, 256), *b = kernel_buffer(&k, 256);
        unsigned char *c = kernel_buffer(&k, 256), *d = kernel_buffer(&k, 256);
        kernel_word(&k, shift);
        /* Small numbers so that compare-and-swap, inc and dec meet their cases. */
        for (unsigned i = 0; i < 256; i++) {
            bool low = i % one->bytes == 0;
            a[i] = low ? (unsigned char)(i / one->bytes % 5) : 0;
            b[i] = low ? (unsigned char)(i * 7 / one->bytes % 5) : i % 9 == 8 ? 0xff : 0;
            c[i] = low ? (unsigned char)(i * 3 / one->bytes % 5) : 0;
        }
        unsigned char expected[256], old[256] = {0};
        memcpy(expected, a, 256);
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned at = lane >> shift;
            uint64_t before = word_at(expected, at, one->bytes);
            uint64_t after = one->next(before, word_at(b, lane, one->bytes),
                                       word_at(c, lane, one->bytes)) & mask;
            memcpy(expected + at * one->bytes, &after, one->bytes);
            memcpy(old + lane * one->bytes, &before, one->bytes);
        }
        kernel_run(&k, 1, 32);
        ck_assert_uint_eq(k.findings.count, 0);
        ck_assert_msg(memcmp(a, expected, 256) == 0, "%s.%s shift %u", one->op, one->type,
                      shift);
        if (want_old)
            ck_assert_msg(memcmp(d, old, 32 * one->bytes) == 0, "%s.%s shift %u", one->op,
                          one->type, shift);
        kernel_free(&k);
        text_free(&text);
    }
}
END_TEST

/* --- one lane: given bits -------------------------------------------------------------- */

/* One atomic of one lane on 16 bytes; operands in registers %o0 .. of type reg. */
static void one_lane(const char *instruction, const char *reg, unsigned count,
                     const void *memory, const void *operands, size_t operand_bytes,
                     void *after, void *old, bool shared)
{
    struct kernel k;
    struct text text = {0};

    text_printf(&text, "kir 1\naddress_bits 64\nshared internal b8 @tile size 32 align 32\n"
                       "kernel visible @k {\n"
                       "var param u64 &a size 8 align 8 at 0\n"
                       "var param u64 &b size 8 align 8 at 8\nparameters &a &b\n"
                       "reg b64 %%a %%b %%m %%w\nreg %s", reg);
    for (unsigned i = 0; i < count; i++)
        text_printf(&text, " %%o%u %%r%u", i, i);
    text_puts(&text, "\n^entry:\n%a = ld.param.u64 [&a]\n%b = ld.param.u64 [&b]\n");
    for (unsigned i = 0; i < count; i++)
        text_printf(&text, "%%o%u = ld.global.%s [%%b+%u]\n%%r%u = ld.global.%s [%%b+%u]\n", i,
                    reg, (unsigned)(i * operand_bytes), i, reg,
                    (unsigned)(i * operand_bytes));
    if (shared) {
        text_puts(&text, "%m = mov.b64 @tile\n");
        for (unsigned i = 0; i < 32; i += 8)
            text_printf(&text, "%%w = ld.global.u64 [%%a+%u]\nst.shared.u64 [%%m+%u], %%w\n", i,
                        i);
    } else {
        text_puts(&text, "%m = mov.b64 %a\n");
    }
    text_printf(&text, "%s\n", instruction);
    if (shared)
        for (unsigned i = 0; i < 32; i += 8)
            text_printf(&text, "%%w = ld.shared.u64 [%%m+%u]\nst.global.u64 [%%a+%u], %%w\n", i,
                        i);
    for (unsigned i = 0; i < count; i++)
        text_printf(&text, "st.global.%s [%%b+%u], %%r%u\n", reg,
                    (unsigned)(i * operand_bytes), i);
    text_puts(&text, "exit\n}\n");
    kernel_load(&k, text_string(&text));
    unsigned char *a = kernel_buffer(&k, 32), *b = kernel_buffer(&k, 256);
    memcpy(a, memory, 32);
    memcpy(b, operands, count * operand_bytes);
    kernel_run(&k, 1, 1);
    ck_assert_msg(k.findings.count == 0, "%s",
                  k.findings.count ? k.findings.items[0].message : "");
    memcpy(after, a, 32);
    if (old)
        memcpy(old, b, count * operand_bytes);
    kernel_free(&k);
    text_free(&text);
}

/* measured on H200: numerics of atom.add.f32. */
START_TEST(f32_flushes_in_global_memory_only)
{
    static const struct {
        uint32_t memory, operand, global, shared;
    } rows[] = {
        {0x3f800000, 0x40000000, 0x40400000, 0x40400000}, /* 1 + 2 */
        {0x00000001, 0x00000001, 0x00000000, 0x00000002}, /* denormal + denormal */
        {0x80000001, 0x80000000, 0x80000000, 0x80000001}, /* its sign is kept */
        {0x00800001, 0x80800000, 0x00000000, 0x00000001}, /* a denormal result */
        {0x80800001, 0x00800000, 0x80000000, 0x80000001},
        {0x7f800000, 0xff800000, 0x7fffffff, 0x7fffffff}, /* inf - inf */
        {0xffc12345, 0x3f800000, 0x7fffffff, 0x7fffffff}, /* NaN */
        {0x3f800000, 0x33800000, 0x3f800000, 0x3f800000}, /* a tie goes to even */
        {0x3f800001, 0x33800000, 0x3f800002, 0x3f800002},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned shared = 0; shared < 2; shared++) {
            uint32_t memory[8] = {rows[i].memory}, operand = rows[i].operand, after[8], old;
            one_lane(shared ? "%r0 = atom:add.shared.relaxed@cta.f32 [%m], %o0"
                            : "%r0 = atom:add.relaxed@gpu.f32 [%m], %o0",
                     "b32", 1, memory, &operand, 4, after, &old, shared);
            ck_assert_uint_eq(after[0], shared ? rows[i].shared : rows[i].global);
            ck_assert_uint_eq(old, rows[i].memory);
        }
}
END_TEST

START_TEST(halves_and_doubles)
{
    uint32_t memory[8] = {0x3c000001}, operand = 0x40000001, after[8];
    /* 1 + 2 high; denormal + denormal low: .noftz */
    one_lane("%r0 = atom:add.global.relaxed@gpu.f16x2 [%m], %o0", "b32", 1, memory, &operand,
             4, after, NULL, false);
    ck_assert_uint_eq(after[0], 0x42000002);
    uint32_t nan_low[8] = {0x3f807fff};
    operand = 0x40000000;
    one_lane("%r0 = atom:add.global.relaxed@gpu.bf16x2 [%m], %o0", "b32", 1, nan_low, &operand,
             4, after, NULL, false);
    ck_assert_uint_eq(after[0], 0x40407fff);
    uint16_t half[16] = {0x3c00}, one = 0x3c00, half_after[16];
    one_lane("%r0 = atom:add.shared.relaxed@cta.f16 [%m], %o0", "b16", 1, half, &one, 2,
             half_after, NULL, true);
    ck_assert_uint_eq(half_after[0], 0x4000);
    double wide[4] = {0.1}, added = 0.2, wide_after[4];
    one_lane("%r0 = atom:add.global.relaxed@gpu.f64 [%m], %o0", "b64", 1, wide, &added, 8,
             wide_after, NULL, false);
    ck_assert(wide_after[0] == 0.1 + 0.2);
}
END_TEST

START_TEST(sixteen_bytes)
{
    uint64_t memory[4] = {1, 2, 3, 4}, right[4] = {1, 2, 8, 9}, wrong[4] = {1, 3, 8, 9};
    uint64_t after[4], old[4];

    one_lane("%r0 = atom:cas.global.relaxed@gpu.b128 [%m], %o0, %o1", "b128", 2, memory, right,
             16, after, old, false);
    ck_assert(after[0] == 8 && after[1] == 9 && after[2] == 3 && old[0] == 1 && old[1] == 2);
    one_lane("%r0 = atom:cas.shared.relaxed@cta.b128 [%m], %o0, %o1", "b128", 2, memory, wrong,
             16, after, old, true);
    ck_assert(after[0] == 1 && after[1] == 2 && old[0] == 1 && old[1] == 2);
    one_lane("%r0 = atom:exch.global.relaxed@gpu.b128 [%m], %o0", "b128", 1, memory, wrong, 16,
             after, old, false);
    ck_assert(after[0] == 1 && after[1] == 3 && old[0] == 1 && old[1] == 2);
}
END_TEST

/* PTX ISA, "atom": vector forms, each element by itself. */
START_TEST(vectors)
{
    float memory[8] = {1, 2, 3, 4, 5, 6, 7, 8}, added[4] = {10, 20, 30, 40}, after[8], old[4];
    uint16_t halves[16] = {0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00};
    uint16_t less[8] = {0x4000, 0x3800, 0x4000, 0x3800, 0xbc00, 0x7fff, 0x3c00, 0}, result[16];

    one_lane("%r0, %r1, %r2, %r3 = atom:add.global.v4.relaxed@gpu.f32 [%m+16], "
             "%o0, %o1, %o2, %o3", "b32", 4, memory, added, 4, after, old, false);
    for (int i = 0; i < 8; i++)
        ck_assert(after[i] == (i < 4 ? memory[i] : memory[i] + added[i - 4]));
    for (int i = 0; i < 4; i++)
        ck_assert(old[i] == memory[4 + i]);
    one_lane("atom:min.global.v8.relaxed@gpu.f16 [%m], %o0, %o1, %o2, %o3, %o4, %o5, %o6, %o7",
             "b16", 8, halves, less, 2, result, NULL, false);
    static const uint16_t expected[8] = {0x3c00, 0x3800, 0x3c00, 0x3800, 0xbc00, 0x3c00,
                                         0x3c00, 0};
    ck_assert(memcmp(result, expected, sizeof expected) == 0);
}
END_TEST

/* --- observers -------------------------------------------------------------------------- */

struct ear {
    struct observer observer;
    uint32_t atomic, failed, other;
};

static void hear(struct observer *self, const struct access_event *event)
{
    struct ear *ear = (struct ear *)self;

    if (event->space != IR_SPACE_GLOBAL || event->code->op != IR_OP_atom)
        return;
    if (event->kind == ACCESS_ATOMIC)
        ear->atomic |= event->mask;
    else if (event->kind == ACCESS_FAILED_CAS)
        ear->failed |= event->mask;
    else
        ear->other |= event->mask;
    ck_assert_uint_eq(event->size, 4);
    ck_assert_ptr_nonnull(event->allocation[__builtin_ctz(event->mask)]);
}

START_TEST(failed_swaps_are_told_apart)
{
    struct ear ear = {.observer = {.access = hear}};
    struct observer *const observers[] = {&ear.observer};
    struct text text = {0};
    struct kernel k;

    /* Lane l swaps l for l + 1: all succeed but those that do not see their own. */
    integer_kernel(&text, &(struct integer_case){"cas", "b32", 4, next_cas}, ".global", true);
    kernel_load(&k, text_string(&text));
    kernel_buffer(&k, 256);
    uint32_t *b = kernel_buffer(&k, 256), *c = kernel_buffer(&k, 256);
    kernel_buffer(&k, 256);
    kernel_word(&k, 5);
    for (uint32_t lane = 0; lane < 32; lane++) {
        b[lane] = lane < 20 ? lane : 7;
        c[lane] = lane + 1;
    }
    k.launch.observers = observers;
    k.launch.observer_count = 1;
    kernel_run(&k, 1, 32);
    ck_assert_uint_eq(ear.atomic, 0x000fffff);
    ck_assert_uint_eq(ear.failed, 0xfff00000);
    ck_assert_uint_eq(ear.other, 0);
    kernel_free(&k);
    text_free(&text);
}
END_TEST

SUITE("atomics", {
    LOOP_TEST(integers_in_lane_order, 0, INTEGERS);
    TEST(f32_flushes_in_global_memory_only);
    TEST(halves_and_doubles);
    TEST(sixteen_bytes);
    TEST(vectors);
    TEST(failed_swaps_are_told_apart);
})
