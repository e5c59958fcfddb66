/* SPDX-License-Identifier: Apache-2.0
 *
 * check_numeric.c - the operation table against a real GPU.
 *
 * tests/vectors.h tells what was recorded. Every variant is found in the table by
 * its mnemonic and must give the same bits for every vector. */
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "ir/ops.h"
#include "numeric/mode.h"
#include "numeric/video.h"
#include "tests/vectors.h"

enum { TOKENS = 12 };

struct variant {
    const char *text, *signature; /* as recorded */
    char name[64];
    char *token[TOKENS];          /* the mnemonic at its dots */
    int tokens;
    enum ir_op op;
    enum ir_type type, type2;
    enum ir_type set; /* set: the type that true and false take */
    unsigned mode;
    bool has_immediate;
    uint64_t immediate; /* operand e */
};

static enum ir_type type_of(const char *token)
{
    return ir_type_find(token, strlen(token));
}

static bool has(const struct variant *variant, const char *token)
{
    for (int i = 0; i < variant->tokens; i++)
        if (strcmp(variant->token[i], token) == 0)
            return true;
    return false;
}

static enum ir_op op_named(const char *first, const char *second)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s%s", first, *second ? "_" : "", second);
    return ir_op_find(name, strlen(name));
}

/* Rounding and flags; integral: .rni to .rpi round within a float type. */
static unsigned mode_of(const struct variant *variant, bool integral)
{
    static const struct { const char *token; unsigned mode; } words[] = {
        {"rz", ROUND_ZERO}, {"rzi", ROUND_ZERO}, {"rm", ROUND_DOWN}, {"rmi", ROUND_DOWN},
        {"rp", ROUND_UP}, {"rpi", ROUND_UP}, {"rna", ROUND_NEAREST_AWAY}, {"ftz", MODE_FTZ},
        {"sat", MODE_SAT}, {"relu", MODE_RELU}, {"NaN", MODE_NAN},
        {"xorsign", MODE_XORSIGN_ABS}, {"satfinite", MODE_SATFINITE},
    };
    unsigned mode = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(variant, words[i].token))
            mode |= words[i].mode;
    if (integral && (has(variant, "rni") || has(variant, "rzi") || has(variant, "rmi") ||
                     has(variant, "rpi")))
        mode |= MODE_INTEGRAL;
    return mode;
}

/* The word e of a video instruction: see numeric/video.h. */
static uint64_t video_word(const struct variant *variant, char parts)
{
    uint64_t e = parts == '4' ? VIDEO4_DEFAULT : parts == '2' ? VIDEO2_DEFAULT : 0;
    static const uint64_t is_signed[] = {VIDEO_D_SIGNED, VIDEO_A_SIGNED, VIDEO_B_SIGNED};
    int types = 0;

    for (int i = 1; i < variant->tokens; i++) {
        const char *token = variant->token[i];
        if (type_of(token) != IR_TYPE_COUNT)
            e |= type_of(token) == IR_s32 ? is_signed[types++] : (types++, 0);
    }
    e |= has(variant, "add") ? VIDEO_THEN_ADD : 0;
    e |= has(variant, "max") ? VIDEO_THEN_MAX : 0;
    e |= has(variant, "wrap") ? VIDEO_WRAP : 0;
    e |= has(variant, "shr7") ? VIDEO_SCALE(7) : 0;
    e |= has(variant, "shr15") ? VIDEO_SCALE(15) : 0;
    return e;
}

/* Finds the table's words for a mnemonic. */
static void resolve(struct variant *variant)
{
    const char *name = variant->token[0], *second = variant->token[1];
    const char *last = variant->token[variant->tokens - 1];
    enum ir_type types[4];
    int count = 0;

    for (int i = 1; i < variant->tokens && count < 4; i++)
        if (type_of(variant->token[i]) != IR_TYPE_COUNT)
            types[count++] = type_of(variant->token[i]);
    ck_assert_msg(count > 0, "%s has no type", variant->text);
    variant->op = op_named(name, "");
    variant->type = variant->type2 = types[count - 1];
    variant->set = IR_none;
    variant->mode = mode_of(variant, false);

    bool wide = has(variant, "wide");
    bool inexact = strcmp(name, "rcp") == 0 || strcmp(name, "sqrt") == 0 || strcmp(name, "div") == 0;
    if (inexact && (has(variant, "approx") || has(variant, "full"))) {
        variant->op = op_named(name, second);
    } else if (strcmp(name, "cvt") == 0) {
        variant->op = op_named(name, strchr(variant->signature, ',') ? "pair" : "");
        variant->type = types[0];
        variant->mode = mode_of(variant, ir_types[types[0]].kind == IR_KIND_F &&
                                             ir_types[types[1]].kind == IR_KIND_F);
    } else if (strcmp(name, "set") == 0) {
        variant->op = op_named(second, "");
        variant->type = IR_pred;
        variant->set = types[0];
        if (types[1] == IR_f16x2)
            variant->type2 = IR_f16;
    } else if (strcmp(name, "testp") == 0) {
        variant->op = op_named(name, second);
        variant->type = IR_pred;
    } else if (name[0] == 'v') {
        variant->type = variant->type2 = IR_u32;
        variant->has_immediate = true;
        variant->immediate = video_word(variant, name[strlen(name) - 1]);
    } else if (wide) {
        variant->op = op_named(name, "wide");
        if (types[0] == IR_u32 || types[0] == IR_s32)
            variant->type = types[0] == IR_u32 ? IR_u64 : IR_s64;
        else
            variant->type = types[0] == IR_u16 ? IR_u32 : IR_s32;
    } else if (has(variant, "hi") && strncmp(name, "dp", 2) != 0) {
        variant->op = op_named(name, "hi");
    } else if (strncmp(name, "dp", 2) == 0) {
        variant->op = op_named(name, strcmp(name, "dp2a") == 0 ? second : "");
        variant->type = types[1];
        variant->type2 = types[0];
    } else if (strcmp(name, "shf") == 0) {
        char direction[16];
        snprintf(direction, sizeof direction, "%s%s", second, has(variant, "wrap") ? "_wrap" : "");
        variant->op = op_named(name, direction);
    } else if (has(variant, "wrap")) {
        variant->op = op_named(name, "wrap");
    } else if (strcmp(name, "bfind") == 0) {
        variant->op = op_named(name, has(variant, "shiftamt") ? "shift" : "");
        variant->type = IR_u32;
    } else if (strcmp(name, "popc") == 0 || strcmp(name, "clz") == 0) {
        variant->type = IR_b32;
    } else if (strcmp(name, "prmt") == 0 && variant->tokens > 2) {
        variant->op = op_named(name, last);
    }
}

static uint64_t evaluate(const struct variant *variant, enum ir_row row, uint64_t source[4])
{
    if (variant->type2 == IR_f16 && variant->set == IR_f16x2) {
        uint64_t result = 0;
        for (int half = 0; half < 2; half++) {
            uint64_t part[4] = {source[0] >> (16 * half) & 0xffff,
                                source[1] >> (16 * half) & 0xffff};
            if (ir_row_eval(row, part, variant->mode))
                result |= (uint64_t)0x3c00 << (16 * half);
        }
        return result;
    }
    uint64_t result = ir_row_eval(row, source, variant->mode);
    if (variant->set == IR_u32)
        return result ? 0xffffffff : 0;
    if (variant->set == IR_f32)
        return result ? 0x3f800000 : 0;
    return result;
}

/* Compares one variant; adds a line to report when it differs. */
static void replay(const struct variant *variant, const struct vectors *vectors,
                   struct text *report)
{
    enum ir_row row = ir_row_find(variant->op, variant->type, variant->type2);
    int wrong = 0;
    char example[160] = "";

    if (variant->op == IR_OP_COUNT || row == IR_ROW_COUNT) {
        text_printf(report, "  %s: no row in the table\n", variant->text);
        return;
    }
    /* 8- and 16-bit results live in 16-bit registers. */
    uint64_t mask = ir_types[variant->type].lane == 2 ? 0xffff : UINT64_MAX;
    for (int i = 0; i < VECTORS; i++) {
        uint64_t source[4] = {0};
        for (int j = 0; j < vectors->sources; j++)
            source[j] = vector_word(vectors->words + 8 * (VECTORS * j + i), 8);
        if (variant->has_immediate)
            source[3] = variant->immediate;
        uint64_t result = evaluate(variant, row, source);
        uint64_t expected = vector_word(vectors->recorded + vectors->width * i, vectors->width);
        if (((result ^ expected) & mask) == 0)
            continue;
        if (wrong++ == 0)
            snprintf(example, sizeof example, "(%llx, %llx, %llx) gave %llx, not %llx",
                     (unsigned long long)source[0], (unsigned long long)source[1],
                     (unsigned long long)source[2], (unsigned long long)result,
                     (unsigned long long)expected);
    }
    if (wrong)
        text_printf(report, "  %s: %d of %d differ: %s\n", variant->text, wrong, VECTORS, example);
}

static void split(struct variant *variant)
{
    char *name = variant->name, *bar = strchr(name, '|');

    if (bar) {
        *bar = 0;
        variant->has_immediate = true;
        variant->immediate = strtoull(bar + 1, NULL, 10);
    }
    for (char *dot = name; dot && variant->tokens < TOKENS; variant->tokens++) {
        variant->token[variant->tokens] = dot;
        dot = strchr(dot, '.');
        if (dot)
            *dot++ = 0;
    }
}

START_TEST(every_recorded_instruction_gives_the_same_bits)
{
    struct arena arena = {0};
    struct text report = {0};
    const struct vectors *vectors = vectors_read(&arena);

    for (int i = 0; i < VECTOR_COUNT; i++) {
        struct variant variant = {.text = vectors[i].name, .signature = vectors[i].signature};
        memcpy(variant.name, vectors[i].name, sizeof variant.name);
        split(&variant);
        resolve(&variant);
        replay(&variant, &vectors[i], &report);
    }
    printf("%d variants of %d vectors compared\n", VECTOR_COUNT, VECTORS);
    ck_assert_msg(report.size == 0, "not as recorded:\n%.4000s", text_string(&report));
    text_free(&report);
    arena_free(&arena);
}
END_TEST

SUITE("numeric", { TEST(every_recorded_instruction_gives_the_same_bits); })
