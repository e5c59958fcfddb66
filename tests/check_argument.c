/* SPDX-License-Identifier: Apache-2.0
 *
 * check_argument.c - argument text, element values, generated contents. */
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/decimal.h"
#include "base/random.h"
#include "base/texture.h"

/* The published outputs of splitmix64 for seed 1234567. */
START_TEST(random_is_splitmix64)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)};

    for (uint64_t i = 0; i < 5; i++)
        ck_assert_uint_eq(random_at(1234567, i), expected[i]);
}
END_TEST

/* Expected: top bits / 2^n by an independent program in exact rationals. */
START_TEST(random_elements)
{
    static const struct {
        uint64_t f32, f64, f16, bf16, u8, u32;
    } expected[] = {
        {0x3f4797c2, 0x3fe8f2f879164c82, 0x3a3c, 0x3f46, 0x63, 0x63cbe1e4},
        {0x3d098780, 0x3fa130f35fd0f180, 0x2840, 0x3d00, 0x04, 0x044c3cd7},
        {0xbe4b3e00, 0xbfc967bf7f454ed8, 0xb260, 0xbe50, 0xe6, 0xe6984080},
        {0xbf558a2a, 0xbfeab14523e63076, 0xbaae, 0xbf56, 0x95, 0x953aeb70},
    };
    for (uint64_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(element_random(ELEMENT_F32, 7, i), expected[i].f32);
        ck_assert_uint_eq(element_random(ELEMENT_F64, 7, i), expected[i].f64);
        ck_assert_uint_eq(element_random(ELEMENT_F16, 7, i), expected[i].f16);
        ck_assert_uint_eq(element_random(ELEMENT_BF16, 7, i), expected[i].bf16);
        ck_assert_uint_eq(element_random(ELEMENT_U8, 7, i), expected[i].u8);
        ck_assert_uint_eq(element_random(ELEMENT_S8, 7, i), expected[i].u8);
        ck_assert_uint_eq(element_random(ELEMENT_U32, 7, i), expected[i].u32);
    }
}
END_TEST

static uint64_t parsed(const char *text, struct float_format format)
{
    uint64_t bits = 0;

    ck_assert_msg(decimal_parse(text, strlen(text), format, &bits) == DECIMAL_OK,
                  "'%s' was refused", text);
    return bits;
}

static void agrees_with_libc(const char *text)
{
    double wide = strtod(text, NULL);
    float narrow = strtof(text, NULL);
    uint64_t wide_bits;
    uint32_t narrow_bits;

    memcpy(&wide_bits, &wide, 8);
    memcpy(&narrow_bits, &narrow, 4);
    ck_assert_msg(parsed(text, FLOAT_F64) == wide_bits, "f64 of %s", text);
    if (narrow <= 3.4e38f && narrow >= -3.4e38f)
        ck_assert_msg(parsed(text, FLOAT_F32) == narrow_bits, "f32 of %s", text);
}

START_TEST(decimal_equals_libc)
{
    static const char *const texts[] = {
        "0", "-0", "1", "0.1", "-2.5", "1e22", "1e23", "123456789012345678901234567890",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.47032822920623272089e-324",
        "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308",
        "9007199254740993", "9007199254740992.99999999999999999999", "0.000001e-40",
        "16777217", "16777219", "1.17549435e-38", "1.1754943157898258e-38", "7.006492321624085e-46",
        ".5", "5.", "1.00000017881393421514957253748434595763683319091796875001",
        "1e-400", "00000000000000000000000000000000000000000000000000001",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        agrees_with_libc(texts[i]);
    for (uint64_t i = 0; i < 3000; i++) {
        char text[80];
        uint64_t r = random_at(99, i);
        snprintf(text, sizeof text, "%s%llu.%llue%d", r & 1 ? "-" : "",
                 (unsigned long long)(r >> (r & 63)),
                 (unsigned long long)random_at(98, i) >> (r >> 6 & 63),
                 (int)(r >> 12 & 511) - 256);
        agrees_with_libc(text);
    }
}
END_TEST

START_TEST(decimal_half_precision)
{
    static const struct {
        const char *text;
        uint64_t bits;
    } expected[] = {
        {"65504", 0x7bff}, {"65519.99", 0x7bff}, {"5.9604644775390625e-8", 1},
        {"2.98e-8", 0}, {"2.98023223876953125e-8", 0}, {"2.98023223876953126e-8", 1},
        {"0.1", 0x2e66}, {"2049", 0x6800}, {"2051", 0x6802}, {"6.103515625e-05", 0x400},
        {"-inf", 0xfc00}, {"nan", 0x7e00}, {"-1", 0xbc00},
    };
    uint64_t bits;

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_msg(parsed(expected[i].text, FLOAT_F16) == expected[i].bits, "%s",
                      expected[i].text);
    ck_assert_int_eq(decimal_parse("65520", 5, FLOAT_F16, &bits), DECIMAL_OVERFLOW);
    ck_assert_int_eq(decimal_parse("1e999999999999", 14, FLOAT_F64, &bits), DECIMAL_OVERFLOW);
    /* bf16 keeps 8 bits: 257 is a tie and goes to the even 256. */
    ck_assert_uint_eq(parsed("257", FLOAT_BF16), 0x4380);
    ck_assert_uint_eq(parsed("257.0001", FLOAT_BF16), 0x4381);
}
END_TEST

START_TEST(decimal_refuses)
{
    static const char *const texts[] = {"", "-", ".", "e5", "1e", "1e+", "1x", "0x", " 1",
                                        "1 ", "1.2.3", "infinite", "--1"};
    uint64_t bits;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_int_eq(decimal_parse(texts[i], strlen(texts[i]), FLOAT_F32, &bits),
                         DECIMAL_MALFORMED);
}
END_TEST

START_TEST(elements_fit_or_say_so)
{
    static const struct {
        enum element element;
        const char *text;
        const char *wrong; /* NULL: fits */
        uint64_t bits;
    } cases[] = {
        {ELEMENT_U8, "255", NULL, 255}, {ELEMENT_U8, "256", "does not fit in u8", 0},
        {ELEMENT_U8, "-128", NULL, 128}, {ELEMENT_U8, "-129", "does not fit in u8", 0},
        {ELEMENT_S8, "127", NULL, 127}, {ELEMENT_S8, "128", "does not fit in s8", 0},
        {ELEMENT_U32, "-1", NULL, 0xffffffff}, {ELEMENT_U32, "0xffffffff", NULL, 0xffffffff},
        {ELEMENT_U64, "18446744073709551615", NULL, UINT64_MAX},
        {ELEMENT_U64, "18446744073709551616", "does not fit in u64", 0},
        {ELEMENT_S64, "-9223372036854775808", NULL, UINT64_C(1) << 63},
        {ELEMENT_U32, "2.5", "is not an integer", 0}, {ELEMENT_U32, "", "is not an integer", 0},
        {ELEMENT_U32, "0x", "is not an integer", 0}, {ELEMENT_U32, "12abc", "is not an integer", 0},
        {ELEMENT_F32, "0x10", NULL, 0x41800000}, {ELEMENT_F32, "0f3f800000", NULL, 0x3f800000},
        {ELEMENT_F64, "0d7ff8000000000001", NULL, UINT64_C(0x7ff8000000000001)},
        {ELEMENT_F16, "70000", "does not fit in f16", 0}, {ELEMENT_F16, "0x20000", "does not fit in f16", 0},
        {ELEMENT_F32, "one", "is not a number", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bits = 0;
        const char *wrong = element_parse(cases[i].element, cases[i].text,
                                          strlen(cases[i].text), &bits);
        if (cases[i].wrong)
            ck_assert_str_eq(wrong ? wrong : "fits", cases[i].wrong);
        else
            ck_assert_msg(!wrong && bits == cases[i].bits, "%s: %s", cases[i].text,
                          wrong ? wrong : "other bits");
    }
}
END_TEST

START_TEST(arguments_parse)
{
    struct arena arena = {0};
    struct argument a;

    ck_assert_ptr_null(argument_parse(&arena, "2.5", 3, &a));
    ck_assert_int_eq(a.kind, ARGUMENT_SCALAR);
    ck_assert_str_eq(a.text, "2.5");
    ck_assert_ptr_null(argument_parse(&arena, "null", 4, &a));
    ck_assert_int_eq(a.kind, ARGUMENT_NULL);
    ck_assert_ptr_null(argument_parse(&arena, "@x.npy", 6, &a));
    ck_assert_int_eq(a.kind, ARGUMENT_FILE);
    ck_assert_str_eq(a.text, "x.npy");
    ck_assert_ptr_null(argument_parse(&arena, "hex:01fF", 8, &a));
    ck_assert_int_eq(a.kind, ARGUMENT_BYTES);
    ck_assert_uint_eq(a.byte_count, 2);
    ck_assert_uint_eq(a.bytes[1], 0xff);
    ck_assert_ptr_null(argument_parse(&arena, "f64[10]", 7, &a));
    ck_assert_int_eq(a.kind, ARGUMENT_BUFFER);
    ck_assert_int_eq(a.fill, FILL_NOTHING);
    ck_assert_uint_eq(argument_buffer_size(&a), 80);
    ck_assert_ptr_null(argument_parse(&arena, "*{f32[2]=1,2;{u8:1; u8:2}; null;}", 33, &a));
    ck_assert_int_eq(a.kind, ARGUMENT_STRUCT);
    ck_assert(a.pointer);
    ck_assert_uint_eq(a.member_count, 3);
    ck_assert_str_eq(a.members[0], "f32[2]=1,2");
    ck_assert_str_eq(a.members[1], "{u8:1; u8:2}");
    ck_assert_str_eq(a.members[2], "null");
    ck_assert_ptr_null(argument_parse(&arena, "&2.1+64", 7, &a));
    ck_assert_int_eq(a.kind, ARGUMENT_SAME);
    ck_assert_str_eq(a.text, "2.1");
    ck_assert_uint_eq(a.offset, 64);
    arena_free(&arena);
}
END_TEST

START_TEST(buffers_fill)
{
    struct arena arena = {0};
    struct argument a;
    uint16_t half[4];
    int32_t word[3];

    ck_assert_ptr_null(argument_parse(&arena, "f16[4]=iota", 11, &a));
    argument_fill(&a, half);
    ck_assert_uint_eq(half[0], 0);
    ck_assert_uint_eq(half[1], 0x3c00);
    ck_assert_uint_eq(half[3], 0x4200);
    ck_assert_ptr_null(argument_parse(&arena, "s32[3]=-7", 9, &a));
    argument_fill(&a, word);
    ck_assert_int_eq(word[2], -7);
    ck_assert_ptr_null(argument_parse(&arena, "s32[3]=1,-2,0x7fffffff", 22, &a));
    argument_fill(&a, word);
    ck_assert_int_eq(word[1], -2);
    ck_assert_int_eq(word[2], 0x7fffffff);
    ck_assert_ptr_null(argument_parse(&arena, "s32[3]=rand:5", 13, &a));
    argument_fill(&a, word);
    ck_assert_uint_eq((uint32_t)word[2], random_at(5, 2) >> 32);
    ck_assert_uint_eq(element_iota(ELEMENT_U8, 257), 1);
    ck_assert_uint_eq(element_iota(ELEMENT_F16, 65520), 0x7c00);
    arena_free(&arena);
}
END_TEST

START_TEST(bad_arguments_are_explained)
{
    static const char *const texts[] = {
        "", "@", "hex:", "hex:0", "hex:0g", "f33[2]", "f32[", "f32[0]", "f32[-1]", "f32[x]",
        "f32[2]1", "f32[2]=", "f32[2]=1,", "f32[2]=1,2,3", "u8[2]=256", "u8[2]=rand:x",
        "f64[99999999999999999999]", "f64[9999999999999999]", "{", "{}", "{1", "{1;;2}", "{1}}",
        "{{1}", "{;1}", "*{", "*{}", "&", "&x", "&0+", "&0+x",
    };
    struct arena arena = {0};
    struct argument a;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(argument_parse(&arena, texts[i], strlen(texts[i]), &a) != NULL,
                      "'%s' was accepted", texts[i]);
    arena_free(&arena);
}
END_TEST

START_TEST(textures_parse)
{
    static const char text[] = "tex2d:f32x4[64x32],linear,wrap.border,normalized,color:1:-2=rand:1";
    struct arena arena = {0};
    struct texture t;
    struct argument a;
    const char *rest;

    ck_assert(texture_begins(text, strlen(text)));
    ck_assert(!texture_begins("f32[2]", 6));
    ck_assert_pstr_eq(texture_parse(&arena, text, strlen(text), &t, &rest), NULL);
    ck_assert_str_eq(rest, "=rand:1");
    ck_assert_int_eq(t.shape, TEXTURE_2D);
    ck_assert_int_eq(t.element, ELEMENT_F32);
    ck_assert_uint_eq(t.channels, 4);
    ck_assert_uint_eq(t.width, 64);
    ck_assert_uint_eq(t.height, 32);
    ck_assert_uint_eq(t.depth, 1);
    ck_assert_int_eq(t.address[0], TEXTURE_WRAP);
    ck_assert_int_eq(t.address[1], TEXTURE_BORDER);
    ck_assert(!t.surface && t.linear && t.normalized && !t.as_float);
    ck_assert_uint_eq(t.border[0], 0x3f800000);
    ck_assert_uint_eq(t.border[1], 0xc0000000);
    ck_assert_uint_eq(texture_texel(&t), 16);
    ck_assert_uint_eq(texture_elements(&t), 64 * 32 * 4);

    ck_assert_pstr_eq(texture_parse(&arena, "surf2dlayered:u8[8x4x3]", 23, &t, &rest), NULL);
    ck_assert(t.surface);
    ck_assert_int_eq(t.shape, TEXTURE_2D_LAYERED);
    ck_assert_uint_eq(t.depth, 3);
    ck_assert_pstr_eq(argument_parse(&arena, text, strlen(text), &a), NULL);
    arena_free(&arena);
}
END_TEST

static struct argument texture_argument(struct arena *arena, const char *text)
{
    struct argument a;

    ck_assert_pstr_eq(argument_parse(arena, text, strlen(text), &a), NULL);
    ck_assert_int_eq(a.kind, ARGUMENT_TEXTURE);
    return a;
}

START_TEST(mipmaps_parse)
{
    struct arena arena = {0};
    struct argument a = texture_argument(
        &arena, "tex3d:f32x2[20x9x5],normalized,linear,miplinear,mipmap,bias:-0.5,lod:1:2.5");
    struct texture_level level = texture_level(&a.texture, 3);

    ck_assert_uint_eq(a.texture.levels, 5);
    ck_assert(a.texture.linear_levels);
    ck_assert_uint_eq(a.texture.bias, 0xbf000000);
    ck_assert_uint_eq(a.texture.level_limits[0], 0x3f800000);
    ck_assert_uint_eq(a.texture.level_limits[1], 0x40200000);
    ck_assert_uint_eq(level.width, 2);
    ck_assert_uint_eq(level.height, 1);
    ck_assert_uint_eq(level.depth, 1);
    ck_assert_uint_eq(level.first, 20 * 9 * 5 + 10 * 4 * 2 + 5 * 2 * 1);
    ck_assert_uint_eq(a.count, 2 * (900 + 80 + 10 + 2 + 1));

    a = texture_argument(&arena, "tex2dlayered:u8x4[8x4x3],normalized,float,srgb,levels:2=1");
    ck_assert(a.texture.srgb);
    ck_assert_uint_eq(a.count, 4 * (8 * 4 * 3 + 4 * 2 * 3));
    a = texture_argument(&arena, "texcube:f32[4x4x6],seamless");
    ck_assert(a.texture.seamless && a.texture.levels == 1 && !a.texture.linear_levels);
    ck_assert_uint_eq(a.texture.level_limits[1], 0x7f7fffff);
    arena_free(&arena);
}
END_TEST

START_TEST(bad_textures_are_explained)
{
    static const struct {
        const char *text, *part; /* of what is said */
    } bad[] = {
        {"tex2d:f33[2x2]", "f33"},           {"tex2d:f64[2x2]", "f64"},
        {"tex2d:f32x3[2x2]", ""},            {"tex2d:f32[2]", ""},
        {"tex1d:f32[2x2]", ""},              {"tex1d:f32[0]", ""},
        {"tex1d:f32[4", ""},                 {"tex1d:f32[4],nearest", "nearest"},
        {"tex1d:f32[4],wrap.clamp.wrap.wrap", ""}, {"tex1d:u8[4],linear", "linear"},
        {"tex1d:f32[4],color:x", ""},        {"tex1d:f32[4],color:1:2:3:4:5", ""},
        {"surf1d:u8[4],linear", ""},         {"texcube:f32[4x4x5]", "6"},
        {"texcube:f32[4x3x6]", ""},          {"tex9d:f32[4]", ""},
        {"tex1d:f32[99999999999]", ""},      {"tex2d:f32[8x8],normalized,levels:5", "levels"},
        {"tex2d:f32[8x8],normalized,levels:0", "levels"}, {"tex2d:f32[8x8],mipmap", "normalized"},
        {"texpitch:f32[8x8],normalized,mipmap", "linear memory"},
        {"tex2d:f32[8x8],bias:1:2", "bias"}, {"tex2d:f32[8x8],lod:1", "lod"},
        {"tex2d:u8[8x8],srgb", "srgb"},      {"tex2d:f32[8x8],srgb", "srgb"},
    };
    struct arena arena = {0};
    struct argument a;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *said = argument_parse(&arena, bad[i].text, strlen(bad[i].text), &a);
        ck_assert_msg(said != NULL, "'%s' was accepted", bad[i].text);
        ck_assert_msg(strstr(said, bad[i].part) != NULL, "'%s': %s", bad[i].text, said);
    }
    arena_free(&arena);
}
END_TEST

SUITE("argument", {
    TEST(random_is_splitmix64);
    TEST(random_elements);
    TEST(decimal_equals_libc);
    TEST(decimal_half_precision);
    TEST(decimal_refuses);
    TEST(elements_fit_or_say_so);
    TEST(arguments_parse);
    TEST(buffers_fill);
    TEST(bad_arguments_are_explained);
    TEST(textures_parse);
    TEST(mipmaps_parse);
    TEST(bad_textures_are_explained);
})
