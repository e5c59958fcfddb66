/* SPDX-License-Identifier: Apache-2.0
 *
 * check_access.c - loads and stores: every type, space, vector and pattern of
 * addresses against a copy made byte by byte here, observed and not (the fast
 * way and the careful way); what faults say; operations on addresses. */
#include "config.h"

#include "tests/suite.h"

#include <stdio.h>

#include "emu/access.h"
#include "tests/kernel.h"

/* --- patterns --------------------------------------------------------------------------- */

enum { AREA = 2048, THREADS = 64 };

struct shape {
    const char *type, *reg;
    unsigned bytes, register_bytes, vector;
    bool is_signed;
};

static const struct shape shapes[] = {
    {"u8", "b16", 1, 2, 1, false},   {"s8", "b16", 1, 2, 1, true},
    {"u8", "b32", 1, 4, 1, false},   {"s8", "b32", 1, 4, 1, true},
    {"b8", "b64", 1, 8, 1, false},   {"s8", "b64", 1, 8, 1, true},
    {"u16", "b16", 2, 2, 1, false},  {"s16", "b32", 2, 4, 1, true},
    {"b16", "b32", 2, 4, 1, false},  {"s16", "b64", 2, 8, 1, true},
    {"u16", "b64", 2, 8, 1, false},  {"f32", "b32", 4, 4, 1, false},
    {"s32", "b32", 4, 4, 1, true},   {"u32", "b64", 4, 8, 1, false},
    {"s32", "b64", 4, 8, 1, true},   {"f64", "b64", 8, 8, 1, false},
    {"b128", "b128", 16, 16, 1, false},
    {"u8", "b16", 1, 2, 2, false},   {"s8", "b32", 1, 4, 4, true},
    {"f16", "b16", 2, 2, 2, false},  {"b16", "b16", 2, 2, 4, false},
    {"b32", "b32", 4, 4, 2, false},  {"f32", "b32", 4, 4, 4, false},
    {"b32", "b32", 4, 4, 8, false},  {"u64", "b64", 8, 8, 2, false},
    {"b64", "b64", 8, 8, 4, false},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static uint64_t random_state;
static uint64_t random_next(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return random_state >> 33;
}

/* Offsets of all threads, aligned to the whole access. Each warp has its half of
 * the area, since no order between warps is promised. */
static void make_offsets(unsigned pattern, unsigned size, uint32_t offset[THREADS])
{
    unsigned slots = AREA / 2 / size;
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned lane = t % 32, slot;
        switch (pattern) {
        case 0: slot = lane; break;                             /* neighbours */
        case 1: slot = 3; break;                                /* one */
        case 2: slot = 31 - lane; break;                        /* backwards */
        case 3: slot = lane * 2 % slots; break;                 /* stride */
        case 4: slot = slots - 32 + lane; break;                /* up to the end */
        default: slot = (unsigned)random_next() % slots; break;
        }
        offset[t] = t / 32 * (AREA / 2) + slot * size;
    }
}
enum { PATTERNS = 7 };

static const char *const masks[] = {"", "@%odd ", "@%few "};
enum { MASKS = 3 };

static bool in_mask(unsigned mask, unsigned t)
{
    return mask == 0 || (mask == 1 ? t & 1 : t % 32 >= 5 && t % 32 < 12);
}

enum where { IN_GLOBAL, IN_GENERIC, IN_SHARED, IN_SHARED_64, IN_GENERIC_SHARED, IN_LOCAL,
             IN_GENERIC_LOCAL, WHERES };

/* The kernel: copies argument 0 (the area) to where it is tested, does the one
 * access at the thread's offset, and copies everything back. Arguments: area,
 * offsets, values (one slot of 128 bytes for each thread). */
static void make_kernel(struct text *k, const struct shape *shape, enum where where,
                        unsigned mask, bool store)
{
    bool shared = where == IN_SHARED || where == IN_SHARED_64 || where == IN_GENERIC_SHARED;
    bool local = where == IN_LOCAL || where == IN_GENERIC_LOCAL;
    const char *space = where == IN_GLOBAL ? ".global"
                        : where == IN_SHARED || where == IN_SHARED_64 ? ".shared"
                        : where == IN_LOCAL ? ".local" : "";
    const char *copy = shared ? ".shared" : ".local";
    char list[128] = "";

    text_puts(k, "kir 1\naddress_bits 64\n"
                 "shared internal b8 @tile size 2048 align 16\n"
                 "kernel visible @k {\n"
                 "var param u64 &a size 8 align 8 at 0\nvar param u64 &o size 8 align 8 at 8\n"
                 "var param u64 &v size 8 align 8 at 16\nparameters &a &o &v\n"
                 "var local b8 &buffer size 2048 align 16 at 0 array\nlocal_bytes 2048\n"
                 "reg pred %odd %few %more\nreg b32 %t %l %x %i %s\n"
                 "reg b64 %a %o %v %p %q %w\n");
    text_printf(k, "reg %s", shape->reg);
    for (unsigned e = 0; e < shape->vector; e++)
        text_printf(k, " %%d%u", e);
    for (unsigned e = 0; e < shape->vector; e++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%%d%u", e ? ", " : "", e);
    text_puts(k, "\n^entry:\n%t = sreg.b32 $tid_x\n%l = and.b32 %t, 1\n"
                 "%odd = ne.pred.b32 %l, 0\n%l = and.b32 %t, 31\n%l = sub.u32 %l, 5\n"
                 "%few = lt.pred.u32 %l, 7\n"
                 "%a = ld.param.u64 [&a]\n%o = ld.param.u64 [&o]\n%v = ld.param.u64 [&v]\n"
                 "%w = mul_wide.u64.u32 %t, 4\n%o = add.u64 %o, %w\n"
                 "%w = mul_wide.u64.u32 %t, 128\n%v = add.u64 %v, %w\n"
                 "%x = ld.global.u32 [%o]\n%w = mul_wide.u64.u32 %x, 1\n");
    if (shared)
        text_puts(k, "%p = mov.b64 @tile\n");
    else if (local)
        text_puts(k, "%p = mov.b64 &buffer\n");
    else
        text_puts(k, "%p = add.u64 %a, 0\n");
    /* A thread fills its words of shared memory, or all of its local memory. */
    if (shared)
        text_puts(k, "%i = mul.u32 %t, 4\n");
    else
        text_puts(k, "%i = mov.b32 0\n");
    if (shared || local)
        text_printf(k, "bra ^in\n^in:\n%%q = mul_wide.u64.u32 %%i, 1\n"
                       "%%q = add.u64 %%a, %%q\n%%s = ld.global.u32 [%%q]\n"
                       "%%q = mul_wide.u64.u32 %%i, 1\n%%q = add.u64 %%p, %%q\n"
                       "st%s.u32 [%%q], %%s\n%%i = add.u32 %%i, %d\n"
                       "%%more = lt.pred.u32 %%i, 2048\nbr %%more, ^in, ^done\n^done:\n"
                       "barrier_sync:aligned 0\n", copy, shared ? 4 * THREADS : 4);
    if (where == IN_GENERIC_SHARED)
        text_puts(k, "%p = to_generic.shared.u64 %p\n");
    if (where == IN_GENERIC_LOCAL)
        text_puts(k, "%p = to_generic.local.u64 %p\n");
    /* Off by 16 and back by the constant offset. */
    text_puts(k, "%p = add.u64 %p, %w\n%p = add.u64 %p, 16\n");
    if (where == IN_SHARED)
        text_puts(k, "%s = low.b32.b64 %p\n");
    const char *address = where == IN_SHARED ? "%s" : "%p";
    for (unsigned e = 0; e < shape->vector; e++)
        text_printf(k, "%%d%u = ld.global.%s [%%v+%u]\n", e, shape->reg,
                    e * shape->register_bytes);
    if (store)
        text_printf(k, "%sst%s.v%u.%s [%s-16], %s\n", masks[mask], space, shape->vector,
                    shape->type, address, list);
    else
        text_printf(k, "%s%s = ld%s.v%u.%s [%s-16]\n", masks[mask], list, space,
                    shape->vector, shape->type, address);
    if (store && local) /* nobody else can see it: read it back */
        text_printf(k, "%s = ld%s.v%u.%s [%s-16]\n", list, space, shape->vector,
                    shape->type, address);
    for (unsigned e = 0; e < shape->vector; e++)
        text_printf(k, "st.global.%s [%%v+%u], %%d%u\n", shape->reg,
                    e * shape->register_bytes, e);
    if (store && shared)
        text_printf(k, "barrier_sync:aligned 0\n%%p = mov.b64 @tile\n%%i = mul.u32 %%t, 4\n"
                       "bra ^back\n^back:\n%%q = mul_wide.u64.u32 %%i, 1\n"
                       "%%q = add.u64 %%p, %%q\n%%s = ld.shared.u32 [%%q]\n"
                       "%%q = mul_wide.u64.u32 %%i, 1\n%%q = add.u64 %%a, %%q\n"
                       "st.global.u32 [%%q], %%s\n%%i = add.u32 %%i, %d\n"
                       "%%more = lt.pred.u32 %%i, 2048\nbr %%more, ^back, ^end\n^end:\n",
                    4 * THREADS);
    text_puts(k, "exit\n}\n");
}

static void expect_load(const struct shape *shape, const unsigned char *memory,
                        unsigned char *registers)
{
    for (unsigned e = 0; e < shape->vector; e++) {
        const unsigned char *from = memory + e * shape->bytes;
        bool negative = shape->is_signed && from[shape->bytes - 1] & 0x80;
        memset(registers + e * shape->register_bytes, negative ? 0xff : 0,
               shape->register_bytes);
        memcpy(registers + e * shape->register_bytes, from, shape->bytes);
    }
}

static void expect_store(const struct shape *shape, unsigned char *memory,
                         const unsigned char *registers)
{
    for (unsigned e = 0; e < shape->vector; e++)
        memcpy(memory + e * shape->bytes, registers + e * shape->register_bytes,
               shape->bytes);
}

/* Where the lanes of a store meet, the last one of these turns wins: measured on
 * H200 (docs/hardware-notes.md, "Lanes and order"). */
static unsigned store_turns(const struct shape *shape, enum where where)
{
    bool shared = where == IN_SHARED || where == IN_SHARED_64 || where == IN_GENERIC_SHARED;
    unsigned bytes = shape->bytes * shape->vector;

    return shared && bytes == 8 ? 16 : shared && bytes > 8 ? 8 : 32;
}

static void try_one(const char *text, const struct shape *shape, unsigned pattern,
                    unsigned mask, bool store, bool observe, enum where where)
{
    bool local = where == IN_LOCAL || where == IN_GENERIC_LOCAL;
    struct kernel k;
    unsigned char expected_area[AREA], expected_values[THREADS][128];

    kernel_load(&k, text);
    k.observe = observe;
    unsigned char *area = kernel_buffer(&k, AREA);
    uint32_t *offset = kernel_buffer(&k, 4 * THREADS);
    unsigned char *values = kernel_buffer(&k, 128 * THREADS);
    for (unsigned i = 0; i < AREA; i++)
        area[i] = (unsigned char)random_next();
    for (unsigned i = 0; i < 128 * THREADS; i++)
        values[i] = (unsigned char)random_next();
    make_offsets(pattern, shape->bytes * shape->vector, offset);
    memcpy(expected_area, area, AREA);
    memcpy(expected_values, values, sizeof expected_values);
    for (unsigned i = 0; i < THREADS; i++) {
        unsigned t = i ^ (store_turns(shape, where) - 1);
        unsigned char own[AREA], *memory = expected_area;
        if (local)
            memory = memcpy(own, area, AREA);
        if (store && in_mask(mask, t))
            expect_store(shape, memory + offset[t], expected_values[t]);
        if (store ? local : in_mask(mask, t))
            expect_load(shape, memory + offset[t], expected_values[t]);
    }
    kernel_run(&k, 1, THREADS);
    ck_assert_msg(k.findings.count == 0, "%s",
                  k.findings.count ? k.findings.items[0].message : "");
    ck_assert_msg(memcmp(area, expected_area, AREA) == 0, "pattern %u\n%s", pattern, text);
    for (unsigned t = 0; t < THREADS; t++)
        ck_assert_msg(memcmp(values + 128 * t, expected_values[t],
                             shape->vector * shape->register_bytes) == 0,
                      "thread %u pattern %u\n%s", t, pattern, text);
    kernel_free(&k);
}

START_TEST(every_shape_space_and_pattern)
{
    const struct shape *shape = &shapes[_i];

    random_state = (uint64_t)_i + 1;
    for (unsigned where = 0; where < WHERES; where++)
        for (unsigned mask = 0; mask < MASKS; mask++)
            for (unsigned store = 0; store < 2; store++) {
                struct text text = {0};
                make_kernel(&text, shape, where, mask, store);
                for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
                    for (unsigned observe = 0; observe < 2; observe++)
                        try_one(text_string(&text), shape, pattern, mask, store, observe,
                                where);
                text_free(&text);
            }
}
END_TEST

/* --- the loops of every instruction set ---------------------------------------------------- */

extern const struct access_table access_table_generic;
#ifdef HAVE_X86_VECTORS
extern const struct access_table access_table_avx2;
extern const struct access_table access_table_avx512;
#endif

enum { ADDRESS_AT = 0, VALUES_AT = 512, REGISTERS = VALUES_AT + 8 * 512 };

/* One access with one table: registers and memory afterwards, and the answer. */
struct outcome {
    _Alignas(64) unsigned char registers[REGISTERS];
    _Alignas(64) unsigned char memory[AREA];
    uint64_t offset[32];
    int answer;
};

static void run_table(const struct access_table *table, const struct code *code,
                      const struct window *window, uint32_t mask, unsigned how,
                      struct outcome *o)
{
    unsigned char *const base[2] = {o->registers, NULL};
    struct window own = *window;
    bool changed = false;
    /* Whole words, at most 16 bytes of them. */
    unsigned bytes = ir_type_bytes(code->type), count = (unsigned)__builtin_ctz(code->vector);
    unsigned row = bytes == code->value_bytes && (bytes == 4 || bytes == 8) &&
                   bytes * code->vector <= 16 ? bytes : 0;

    own.host = o->memory;
    memset(o->offset, 0, sizeof o->offset);
    switch (how) {
    case 0:
        o->answer = table->load(code, &own, 0, base, mask);
        break;
    case 1:
        o->answer = table->store(code, &own, 0, base, mask, &changed);
        o->answer |= changed << 1;
        break;
    case 2:
        o->answer = table->place(code, &own, 0, ir_type_bytes(code->type) * code->vector, base,
                                 mask, o->offset) != LIE_NOWHERE;
        for (unsigned lane = 0; lane < 32; lane++)
            if (!o->answer || !(mask >> lane & 1))
                o->offset[lane] = 0;
        break;
    case 3:
        o->answer = code->address_bytes == 8
                        ? table->inside((const uint64_t *)o->registers, &own, 1, 1, mask,
                                        o->offset) : 0;
        for (unsigned lane = 0; lane < 32; lane++)
            if (!o->answer || !(mask >> lane & 1))
                o->offset[lane] = 0;
        break;
    case 4:
        o->answer = row ? (int)table->load_words[row == 8][code->address_bytes == 8][count](
                              code, own.base, own.size, own.host, base, mask) : 0;
        break;
    default:
        o->answer = row ? (int)table->store_words[row == 8][code->address_bytes == 8][count](
                              code, own.base, own.size, own.host, base, mask) : 0;
        break;
    }
}

START_TEST(instruction_sets_agree)
{
    const struct shape *shape = &shapes[_i];
    const struct access_table *tables[3] = {&access_table_generic};
    unsigned count = 1;
    uint32_t operands[16] = {0};
    struct outcome *start = calloc(1, sizeof *start), *got = calloc(2, sizeof *got);

#ifdef HAVE_X86_VECTORS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        tables[count++] = &access_table_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        tables[count++] = &access_table_avx512;
#endif
    random_state = 99 + (uint64_t)_i;
    for (unsigned round = 0; round < 600; round++) {
        bool wide = random_next() & 1;
        unsigned how = (unsigned)random_next() % 6, size = shape->bytes * shape->vector;
        uint32_t mask = round % 3 ? LANES_ALL : (uint32_t)random_next() | 1u << 7;
        struct window window = {.base = wide ? UINT64_C(0x700000000) : 1024, .size = AREA,
                                .space = IR_SPACE_GLOBAL};
        struct code code = {.type = (uint8_t)ir_type_find(shape->type, strlen(shape->type)),
                            .vector = (uint8_t)shape->vector, .offset = -16,
                            .address_bytes = wide ? 8 : 4, .operands = operands,
                            .value_bytes = (uint8_t)shape->register_bytes};
        for (unsigned e = 0; e < shape->vector; e++)
            operands[how == 1 || how == 5 ? 2 + e : e] = VALUES_AT + 512 * e;
        for (size_t i = 0; i < sizeof start->registers; i++)
            start->registers[i] = (unsigned char)random_next();
        for (size_t i = 0; i < AREA; i++)
            start->memory[i] = (unsigned char)random_next();
        uint32_t offset[THREADS];
        make_offsets((unsigned)random_next() % PATTERNS, size, offset);
        unsigned bad = random_next() % 4 == 0 ? (unsigned)random_next() % 32 : 99;
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t address = window.base + 16 + offset[lane];
            if (lane == bad && size > 1 && round % 3 == 0) /* misaligned */
                address += offset[lane] ? (uint64_t)0 - size / 2 : size / 2;
            else if (lane == bad) /* past the end, or before the start */
                address += random_next() & 1 ? AREA - offset[lane]
                                             : (uint64_t)0 - offset[lane] - size;
            if (wide)
                memcpy(start->registers + 8 * lane, &address, 8);
            else
                memcpy(start->registers + 4 * lane, &address, 4);
        }
        for (unsigned t = 0; t < count; t++) {
            struct outcome *one = &got[t ? 1 : 0];
            *one = *start;
            run_table(tables[t], &code, &window, mask, how, one);
            if (how == 3)
                ; /* takes the raw addresses, 16 too far */
            else if (bad < 32 && mask >> bad & 1)
                ck_assert_int_eq(one->answer, 0);
            else if (how < 3)
                ck_assert_int_eq(one->answer & 1, 1);
            ck_assert(memcmp(one, got, sizeof *one) == 0);
        }
    }
    free(start);
    free(got);
}
END_TEST

/* --- faults ----------------------------------------------------------------------------- */

/* A kernel of one thread: %a is argument 0 (400 bytes), %b argument 1 (16 bytes,
 * freed), %n the third parameter; results go to %a. */
static const char prologue[] =
    "kir 1\naddress_bits 64\n"
    "global visible b8 @table size 64 align 8\n"
    "const visible b8 @text size 8 align 8 {\n bytes 0 0102030405060708\n}\n"
    "shared internal b8 @tile size 100 align 16\n"
    "kernel visible @k {\n"
    "var param u64 &a size 8 align 8 at 0\nvar param u64 &b size 8 align 8 at 8\n"
    "var param u64 &n size 8 align 8 at 16\nparameters &a &b &n\n"
    "var local b8 &buffer size 32 align 16 at 0 array\nlocal_bytes 32\n"
    "reg pred %p %q\nreg b16 %h\nreg b32 %r %s %t %u\nreg b64 %a %b %n %x %y\n^entry:\n"
    "%a = ld.param.u64 [&a]\n%b = ld.param.u64 [&b]\n%n = ld.param.u64 [&n]\n"
    "%r = mov.b32 77\n%x = mov.b64 0x1111\n%y = mov.b64 0x2222\n";

static void run_body(struct kernel *k, const char *body, bool observe, uint64_t n)
{
    kernel_load_body(k, prologue, body);
    k->observe = observe;
    memset(kernel_buffer(k, 400), 0xab, 400);
    struct allocation *freed = memory_allocate(k->memory, 16, 8, ALLOCATION_BUFFER, "argument 1");
    memory_release(k->memory, freed->address);
    kernel_word(k, freed->address);
    kernel_word(k, n);
}

static const struct {
    const char *body, *kind, *message;
} faults[] = {
    {"%r = ld.global.u32 [%a+412]\n", "out-of-bounds",
     "4-byte read 12 bytes past the end of argument 0 (400 bytes)"},
    {"%r = ld.u32 [%a+400]\n", "out-of-bounds",
     "4-byte read 0 bytes past the end of argument 0 (400 bytes)"},
    {"st.global.u64 [%a-8], %x\n", "out-of-bounds",
     "8-byte write 8 bytes before the start of argument 0 (400 bytes)"},
    {"%r, %s, %t, %u = ld.global.v4.u32 [%a+392]\n", "misaligned",
     "16-byte read at address 0x*, which is not a multiple of 16"},
    {"%x = ld.global.u64 [@text+8]\n", "out-of-bounds",
     "8-byte read 0 bytes past the end of constant 'text' (8 bytes)"},
    {"%r = ld.global.u32 [%a+2]\n", "misaligned",
     "4-byte read at address 0x*, which is not a multiple of 4"},
    {"%r = ld.global.u32 [0]\n", "null", "4-byte read at the null pointer (0x0)"},
    {"st.u8 [16], %r\n", "null", "1-byte write at address 0x10, close to the null pointer"},
    {"%r = ld.global.u32 [%b+4]\n", "freed",
     "4-byte read 4 bytes into argument 1 (16 bytes), which was freed"},
    {"st.global.u32 [@text], %r\n", "read-only",
     "4-byte write 0 bytes into constant 'text' (8 bytes), which kernels cannot change"},
    {"%r = ld.const.u32 [@table]\n", "wrong-space",
     "4-byte read in constant memory at an address of variable 'table' (64 bytes)"},
    {"%x = to_generic.shared.u64 @tile\n%r = ld.global.u32 [%x]\n", "wrong-space",
     "4-byte read in global memory at address 0x*, which is a generic address of "
     "shared memory"},
    {"%r = ld.shared.u32 [%a]\n", "wrong-space",
     "4-byte read in shared memory at address 0x*, which is a generic address of "
     "global memory"},
    {"st.shared.u32 [@tile+100], %r\n", "out-of-bounds",
     "4-byte write 0 bytes past the end of the block's shared memory (100 bytes)"},
    {"%x = to_generic.shared.u64 @tile\nst.u32 [%x-4], %r\n", "out-of-bounds",
     "4-byte write 4 bytes before the start of the block's shared memory (100 bytes)"},
    {"st.u32 [%a+0x7000000], %r\n", "out-of-bounds",
     "4-byte write at address 0x*, far from any allocation"},
    {"%u = mov.b32 @tile\n%u = add.u32 %u, 0x1000000\n%r = ld.cluster.u32 [%u]\n", NULL, NULL},
    {"%u = mov.b32 @tile\n%r = ld.shared.u32 [0x2000400]\n", "out-of-bounds",
     "4-byte read at address 0x2000400, which is outside of the block's shared memory "
     "(* bytes at 0x*)"},
    {"%x = mov.b64 &buffer\nst.local.u32 [%x+32], %r\n", "out-of-bounds",
     "4-byte write 0 bytes past the end of the thread's local memory (32 bytes in use)"},
    {"%x = to_generic.local.u64 &buffer\n%r = ld.u32 [%x+36]\n", "out-of-bounds",
     "4-byte read 4 bytes past the end of the thread's local memory (32 bytes in use)"},
    {"%x = to_generic.local.u64 &buffer\n%r = atom:add.relaxed@gpu.u32 [%x], 1\n",
     "wrong-space", "4-byte atomic access in local memory, where there are no atomics"},
    {"%r = ld.param.u32 [&n+8]\n", "out-of-bounds",
     "4-byte read 0 bytes past the end of the kernel's parameters (24 bytes)"},
    {"%x = to_generic.param.u64 &n\nst.u32 [%x], %r\n", "read-only",
     "4-byte write to the kernel's parameters, which kernels cannot change"},
    {"%r = atom:add.global.relaxed@gpu.u32 [%a+2], 1\n", "misaligned",
     "4-byte atomic access at address 0x*, which is not a multiple of 4"},
    {"prefetch [0]\n", NULL, NULL},
    {"prefetch.global [%a+2]\n", NULL, NULL},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

/* A star stands for hexadecimal digits: addresses that the engine may choose. */
static bool alike(const char *text, const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern == '*')
            text += strspn(text, "0123456789abcdef");
        else if (*text++ != *pattern)
            return false;
    return !*text;
}

START_TEST(faults_say_what_is_wrong)
{
    for (unsigned observe = 0; observe < 2; observe++) {
        struct kernel k;
        run_body(&k, faults[_i].body, observe, 0);
        kernel_run(&k, 1, 1);
        if (!faults[_i].kind) {
            ck_assert_msg(k.findings.count == 0, "%s",
                          k.findings.count ? k.findings.items[0].message : "");
        } else {
            ck_assert_uint_eq(k.findings.count, 1);
            const struct finding *finding = &k.findings.items[0];
            ck_assert_msg(alike(finding->message, faults[_i].message), "%s", finding->message);
            ck_assert_str_eq(finding->kind, faults[_i].kind);
            ck_assert_int_eq(finding->category, FINDING_MEMORY);
            ck_assert_uint_eq(finding->where_count, 1);
            ck_assert(finding->has_address && finding->where[0].access != FINDING_NO_ACCESS);
        }
        ck_assert(k.result.completed);
        kernel_free(&k);
    }
}
END_TEST

/* A faulting load gives 0, in its lanes only; a faulting store does nothing. */
START_TEST(the_rest_goes_on)
{
    for (unsigned observe = 0; observe < 2; observe++) {
        struct kernel k;
        run_body(&k, "%s = sreg.b32 $tid_x\n%x = mul_wide.u64.u32 %s, 32\n%x = add.u64 %a, %x\n"
                     "st.global.u32 [%x], %s\n"
                     "%r = ld.global.u32 [%x]\n%t = mul.u32 %s, 4\n%y = mul_wide.u64.u32 %t, 1\n"
                     "%y = add.u64 %a, %y\nbarrier_sync:aligned 0\nst.global.u32 [%y], %r\n",
                 observe, 0);
        unsigned char *a = memory_at(k.memory, 2)->host;
        kernel_run(&k, 1, 32);
        uint32_t out[32];
        memcpy(out, a, sizeof out);
        /* 400 bytes hold lanes 0 to 12. */
        for (uint32_t lane = 0; lane < 32; lane++)
            ck_assert_uint_eq(out[lane], lane < 13 ? lane : 0);
        ck_assert_uint_eq(k.findings.count, 2);
        ck_assert_uint_eq(k.findings.items[0].count, 19);
        ck_assert_uint_eq(k.findings.items[0].where[0].thread[0], 13);
        kernel_free(&k);
    }
}
END_TEST

/* --- operations on addresses --------------------------------------------------------------- */

START_TEST(spaces_are_told_apart)
{
    struct kernel k;
    struct text body = {0};
    static const char *const spaces[] = {"global", "shared", "local", "param", "const",
                                         "cluster"};
    static const char *const addresses[] = {
        "%x = mov.b64 @table\n", "%x = to_generic.shared.u64 @tile\n",
        "%x = to_generic.local.u64 &buffer\n", "%x = to_generic.param.u64 &n\n",
        "%x = to_generic.const.u64 @text\n", "%x = mov.b64 0x1234567890\n"};
    /* By address: bit s for space s. PTX ISA, "isspacep"; param as measured on H200. */
    static const uint32_t expected[] = {1, 2 | 32, 4, 8 | 1, 16, 1};

    for (unsigned i = 0; i < 6; i++) {
        text_printf(&body, "%s%%s = mov.b32 0\n", addresses[i]);
        for (unsigned s = 0; s < 6; s++)
            text_printf(&body, "%%p = isspacep.%s.pred %%x\n%%t = or.b32 %%s, %u\n"
                               "@%%p %%s = mov.b32 %%t\n", spaces[s], 1u << s);
        text_printf(&body, "st.global.u32 [%%a+%u], %%s\n", 4 * i);
    }
    run_body(&k, text_string(&body), false, 0);
    const unsigned char *a = memory_at(k.memory, 2)->host;
    kernel_run(&k, 1, 1);
    ck_assert_uint_eq(k.findings.count, 0);
    for (unsigned i = 0; i < 6; i++) {
        uint32_t got;
        memcpy(&got, a + 4 * i, 4);
        ck_assert_msg(got == expected[i], "%s is in %x", addresses[i], got);
    }
    text_free(&body);
    kernel_free(&k);
}
END_TEST

START_TEST(generic_addresses_convert_both_ways)
{
    struct kernel k;
    run_body(&k, "%x = to_generic.shared.u64 @tile\n%y = from_generic.shared.u64 %x\n"
                 "st.u32 [%x+4], %r\n%s = ld.shared.u32 [@tile+4]\n"
                 "st.global.u64 [%a], %y\nst.global.u32 [%a+8], %s\n"
                 "%x = to_generic.local.u64 &buffer\n%y = from_generic.local.u64 %x\n"
                 "st.local.u32 [&buffer+8], %r\n%s = ld.u32 [%x+8]\n"
                 "st.global.u64 [%a+16], %y\nst.global.u32 [%a+24], %s\n"
                 "%x = to_generic.param.u64 &n\n%y = ld.u64 [%x]\nst.u64 [%a+32], %y\n"
                 "%x = to_generic.global.u64 %a\n%y = from_generic.global.u64 %x\n"
                 "%y = sub.u64 %y, %a\nst.u64 [%a+40], %y\n"
                 "%x = createpolicy.b64\nst.u64 [%a+48], %x\n",
             false, 4711);
    const unsigned char *a = memory_at(k.memory, 2)->host;
    kernel_run(&k, 1, 1);
    uint64_t word[7];
    memcpy(word, a, sizeof word);
    ck_assert_uint_eq(k.findings.count, 0);
    ck_assert_uint_lt(word[0], 1 << 16);
    ck_assert_uint_eq((uint32_t)word[1], 77);
    ck_assert_uint_eq(word[2], 0);
    ck_assert_uint_eq((uint32_t)word[3], 77);
    ck_assert_uint_eq(word[4], 4711);
    ck_assert_uint_eq(word[5], 0);
    kernel_free(&k);
}
END_TEST

/* Each block of a cluster writes its rank into the next one's shared memory, by
 * a shared::cluster address and by a generic one. PTX ISA, "mapa". */
START_TEST(blocks_of_a_cluster_see_each_other)
{
    for (unsigned observe = 0; observe < 2; observe++) {
        struct kernel k;
        run_body(&k, "%r = sreg.b32 $cluster_ctarank\n%s = add.u32 %r, 1\n%s = and.b32 %s, 3\n"
                     "%t = mov.b32 @tile\n%t = mapa.cluster.u32 %t, %s\n"
                     "st.cluster.u32 [%t], %r\n"
                     "%x = to_generic.shared.u64 @tile\n%x = mapa.u64 %x, %s\n"
                     "st.u32 [%x+4], %r\n%u = getctarank.b32.b64 %x\n"
                     "st.shared.u32 [@tile+8], %u\n"
                     "cluster_arrive\ncluster_wait\n"
                     "%y = mul_wide.u64.u32 %r, 16\n%y = add.u64 %a, %y\n"
                     "%r = ld.shared.u32 [@tile]\nst.global.u32 [%y], %r\n"
                     "%r = ld.shared.u32 [@tile+4]\nst.global.u32 [%y+4], %r\n"
                     "%r = ld.shared.u32 [@tile+8]\nst.global.u32 [%y+8], %r\n"
                     "%t = mov.b32 @tile\n%t = mapa.cluster.u32 %t, 3\n"
                     "%r = getctarank.cluster.b32.b32 %t\nst.global.u32 [%y+12], %r\n"
                     "cluster_arrive\ncluster_wait\n",
                 observe, 0);
        k.launch.cluster[0] = 4;
        k.launch.cluster[1] = k.launch.cluster[2] = 1;
        const unsigned char *a = memory_at(k.memory, 2)->host;
        kernel_run(&k, 4, 1);
        ck_assert_msg(k.findings.count == 0, "%s",
                      k.findings.count ? k.findings.items[0].message : "");
        for (uint32_t rank = 0; rank < 4; rank++) {
            uint32_t got[4];
            memcpy(got, a + 16 * rank, 16);
            ck_assert_uint_eq(got[0], (rank + 3) % 4);
            ck_assert_uint_eq(got[1], (rank + 3) % 4);
            ck_assert_uint_eq(got[2], (rank + 1) % 4);
            ck_assert_uint_eq(got[3], 3);
        }
        kernel_free(&k);
    }
}
END_TEST

SUITE("access", {
    LOOP_TEST(every_shape_space_and_pattern, 0, SHAPES);
    LOOP_TEST(instruction_sets_agree, 0, SHAPES);
    LOOP_TEST(faults_say_what_is_wrong, 0, FAULTS);
    TEST(the_rest_goes_on);
    TEST(spaces_are_told_apart);
    TEST(generic_addresses_convert_both_ways);
    TEST(blocks_of_a_cluster_see_each_other);
})
