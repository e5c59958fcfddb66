/* SPDX-License-Identifier: Apache-2.0
 *
 * check_lane.c - every row of the operation table, compiled for every vector
 * instruction set, gives in each lane what the row means for one lane, and
 * leaves the lanes outside the mask as they were. */
#include "config.h"

#include "tests/suite.h"

#include <inttypes.h>
#include <string.h>

#include "emu/lane.h"
#include "ir/ops.h"
#include "numeric/mode.h"

extern lane_function *const lane_table_generic[IR_ROW_COUNT];
#ifdef HAVE_X86_VECTORS
extern lane_function *const lane_table_avx2[IR_ROW_COUNT];
extern lane_function *const lane_table_avx512[IR_ROW_COUNT];
#endif

enum { ROUNDS = 6, SLOT = 32 * 8 };

static const unsigned modes[] = {
    0,
    MODE_FTZ,
    ROUND_ZERO,
    ROUND_UP | MODE_FTZ,
    ROUND_DOWN | MODE_INTEGRAL,
    ROUND_NEAREST_AWAY | MODE_SATFINITE,
    MODE_SAT,
    MODE_RELU | MODE_SATFINITE,
    MODE_NAN | MODE_FTZ,
    MODE_XORSIGN_ABS,
    MODE_SAT | MODE_INTEGRAL | ROUND_ZERO | MODE_FTZ,
};

static uint64_t random_word(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15; /* splitmix64 */
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Half the words are ones that break things: zeros, ends of ranges, denormals,
 * infinities and NaNs of one width or another, small numbers. */
static uint64_t word(uint64_t *state)
{
    static const uint64_t hard[] = {
        0, 1, 2, 3, 31, 32, 63, 64, 255, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x7c00, 0xfc00,
        0x7f80, 0x3c00, 0x3f80, 0x0400, 0x7e00, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000,
        0xff800000, 0x7fc00001, 0x007fffff, 0x00800000, 0x3f800000, 0x4f000000, 0xcf000000,
        0x4b000001, 0x3f000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001,
        0x3ff0000000000000, 0x000fffffffffffff, 0x7fffffffffffffff, 0x8000000000000000,
        0x43e0000000000000, 0xbfe0000000000000, UINT64_MAX,
    };
    uint64_t x = random_word(state);
    switch (x & 3) {
    case 0: return hard[(x >> 2) % (sizeof hard / sizeof *hard)];
    case 1: return hard[(x >> 2) % (sizeof hard / sizeof *hard)] * 0x100000001;
    case 2: return random_word(state) >> (x >> 2 & 63);
    }
    return random_word(state);
}

/* A number of the type that is neither large nor small, for the quick ways through a row that
 * warps of such operands take; of other types any word. */
static uint64_t ordinary(enum ir_type type, uint64_t *state)
{
    uint64_t x = random_word(state), r = x >> 40;

    switch (type) {
    case IR_f32: return (x & 0x807fffff) | (uint64_t)(127 - 16 + r % 32) << 23;
    case IR_f64: return (x & 0x800fffffffffffff) | (uint64_t)(1023 - 16 + r % 32) << 52;
    case IR_f16:
    case IR_f16x2:
        return (x & 0x83ff83ff) | (uint64_t)(15 - 6 + r % 8) << 10 |
               (uint64_t)(15 - 6 + (r >> 3) % 8) << 26;
    case IR_bf16:
    case IR_bf16x2:
        return (x & 0x807f807f) | (uint64_t)(127 - 6 + r % 8) << 7 |
               (uint64_t)(127 - 6 + (r >> 3) % 8) << 23;
    default: return word(state);
    }
}

static void set_lane(unsigned char *slot, enum ir_type type, unsigned lane, uint64_t value)
{
    if (type == IR_pred) {
        uint64_t bits;
        memcpy(&bits, slot, 8);
        bits = (bits & ~((uint64_t)1 << lane)) | (value & 1) << lane;
        memcpy(slot, &bits, 8);
        return;
    }
    unsigned bytes = ir_types[type].lane;
    memcpy(slot + bytes * lane, &value, bytes); /* little-endian hosts */
}

static uint64_t get_lane(const unsigned char *slot, enum ir_type type, unsigned lane)
{
    uint64_t value = 0;
    if (type == IR_pred) {
        memcpy(&value, slot, 8);
        return value >> lane & 1;
    }
    unsigned bytes = ir_types[type].lane;
    memcpy(&value, slot + bytes * lane, bytes);
    return value;
}

enum operands { ANY, ORDINARY };

static void check_row(lane_function *const *table, enum ir_row row, unsigned mode, uint32_t mask,
                      enum operands operand, uint64_t *state)
{
    const struct ir_row_info *info = &ir_rows[row];
    _Alignas(64) unsigned char frame[5 * SLOT] = {0};
    unsigned char *base[2] = {frame, frame};
    struct lane_operands operands = {0, SLOT, 2 * SLOT, 3 * SLOT, 4 * SLOT, mode};
    uint64_t before[LANES];

    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned s = 0; s < info->sources; s++)
            set_lane(frame + (s + 1) * SLOT, info->source[s], lane,
                     operand == ORDINARY ? ordinary(info->source[s], state) : word(state));
        set_lane(frame, info->type, lane, word(state));
        before[lane] = get_lane(frame, info->type, lane);
    }
    table[row](&operands, base, mask);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t source[IR_ROW_SOURCES] = {0};
        for (unsigned s = 0; s < info->sources; s++)
            source[s] = get_lane(frame + (s + 1) * SLOT, info->source[s], lane);
        uint64_t expected = before[lane], got = get_lane(frame, info->type, lane);
        if (mask >> lane & 1)
            expected = ir_row_eval(row, source, info->moded ? mode : 0);
        if (info->type == IR_pred)
            expected &= 1;
        if (got != expected)
            ck_abort_msg("%s.%s.%s mode %x mask %x lane %u: (%" PRIx64 ", %" PRIx64 ", %" PRIx64
                         ", %" PRIx64 ") gave %" PRIx64 ", not %" PRIx64,
                         ir_ops[info->op].name, ir_types[info->type].name,
                         ir_types[info->source[0]].name, mode, mask, lane, source[0], source[1],
                         source[2], source[3], got, expected);
    }
}

static void check_table(lane_function *const *table)
{
    static const uint32_t masks[] = {LANES_ALL, 0, 1, 0xaaaaaaaa, 0x80000000, 0x00fff0f1};
    uint64_t state = 1;

    for (int row = 0; row < IR_ROW_COUNT; row++) {
        size_t count = ir_rows[row].moded ? sizeof modes / sizeof *modes : 1;
        for (size_t m = 0; m < count; m++)
            for (int round = 0; round < ROUNDS; round++) {
                check_row(table, (enum ir_row)row, modes[m], masks[round], ANY, &state);
                check_row(table, (enum ir_row)row, modes[m], masks[round], ORDINARY, &state);
            }
    }
}

START_TEST(generic_loops_mean_what_the_rows_say)
{
    check_table(lane_table_generic);
}
END_TEST

#ifdef HAVE_X86_VECTORS
START_TEST(avx2_loops_mean_what_the_rows_say)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check_table(lane_table_avx2);
}
END_TEST

START_TEST(avx512_loops_mean_what_the_rows_say)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        check_table(lane_table_avx512);
}
END_TEST
#endif

#ifdef HAVE_X86_VECTORS
#define VECTOR_TESTS                                                          \
    TEST(avx2_loops_mean_what_the_rows_say);                                  \
    TEST(avx512_loops_mean_what_the_rows_say)
#else
#define VECTOR_TESTS
#endif

SUITE("lane", {
    TEST(generic_loops_mean_what_the_rows_say);
    VECTOR_TESTS;
})
