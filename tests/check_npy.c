/* SPDX-License-Identifier: Apache-2.0
 *
 * check_npy.c - NPY headers. The expected bytes were written by NumPy 2.4. */
#include "tests/suite.h"

#include <string.h>

#include "api/npy.h"

/* numpy.save of arange(6, dtype='<f4').reshape(2, 3): the header. */
static const char f32_2x3[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    "                                                          \n";

static const char *read_header(struct arena *arena, const char *header, size_t data,
                               struct npy *npy)
{
    struct text file = {0};

    text_puts(&file, "\x93NUMPY");
    text_add(&file, "\x01", 2);
    text_putc(&file, (char)strlen(header));
    text_putc(&file, 0);
    text_puts(&file, header);
    for (size_t i = 0; i < data; i++)
        text_putc(&file, (char)i);
    const char *wrong =
        npy_read(arena, (unsigned char *)arena_copy(arena, file.data, file.size), file.size, npy);
    text_free(&file);
    return wrong;
}

START_TEST(reads_what_numpy_writes)
{
    struct arena arena = {0};
    unsigned char file[sizeof f32_2x3 - 1 + 24];
    struct npy npy;

    ck_assert_uint_eq(sizeof f32_2x3 - 1, 128);
    memcpy(file, f32_2x3, sizeof f32_2x3 - 1);
    memset(file + 128, 7, 24);
    ck_assert_ptr_null(npy_read(&arena, file, sizeof file, &npy));
    ck_assert_int_eq(npy.element, ELEMENT_F32);
    ck_assert_uint_eq(npy.dimensions, 2);
    ck_assert_uint_eq(npy.shape[0], 2);
    ck_assert_uint_eq(npy.shape[1], 3);
    ck_assert_uint_eq(npy.size, 24);
    ck_assert_ptr_eq(npy.data, file + 128);
    arena_free(&arena);
}
END_TEST

START_TEST(writes_what_numpy_writes)
{
    struct npy npy = {.element = ELEMENT_F32, .shape = {2, 3}, .dimensions = 2};
    struct text out = {0};

    npy_write_header(&out, &npy);
    ck_assert_uint_eq(out.size, 128);
    ck_assert_mem_eq(out.data, f32_2x3, 128);
    text_free(&out);
}
END_TEST

START_TEST(every_element_survives)
{
    struct arena arena = {0};
    struct npy npy = {.element = (enum element)_i, .shape = {5}, .dimensions = 1}, back;
    struct text out = {0};
    unsigned char zeros[40] = {0};

    npy_write_header(&out, &npy);
    ck_assert_uint_eq(out.size % 64, 0);
    text_add(&out, (char *)zeros, sizeof zeros);
    ck_assert_ptr_null(npy_read(&arena, (unsigned char *)out.data, out.size, &back));
    /* NPY has no bf16. */
    ck_assert_int_eq(back.element, _i == ELEMENT_BF16 ? ELEMENT_U16 : _i);
    ck_assert_uint_eq(back.size, 5 * element_size((enum element)_i));
    text_free(&out);
    arena_free(&arena);
}
END_TEST

START_TEST(shapes)
{
    struct arena arena = {0};
    struct npy npy;

    ck_assert_ptr_null(read_header(
        &arena, "{'shape': (), 'descr': '<f8', 'fortran_order': False}", 8, &npy));
    ck_assert_uint_eq(npy.size, 8);
    ck_assert_ptr_null(read_header(
        &arena, "{\"descr\":\"<V2\",\"fortran_order\":True,\"shape\":(3,),}\n", 6, &npy));
    ck_assert_int_eq(npy.element, ELEMENT_BF16);
    ck_assert_uint_eq(npy.size, 6);
    arena_free(&arena);
}
END_TEST

static const struct {
    const char *header, *message;
} refused[] = {
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "its element type is '>f4'"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "its element type is '<c8'"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", "it is in Fortran order"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "it holds records"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "it is cut off"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "its header is not"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "its header is not"},
    {"{'descr': '<f4', 'shape': (1,)}", "its header is not"},
    {"{'descr': '<f4, 'fortran", "its header is not"},
    {"", "its header is not"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 999999999999)}",
     "its shape is too large"},
};

START_TEST(refuses)
{
    struct arena arena = {0};
    struct npy npy;
    const char *wrong = read_header(&arena, refused[_i].header, 8, &npy);

    ck_assert_ptr_nonnull(wrong);
    ck_assert_msg(!strncmp(wrong, refused[_i].message, strlen(refused[_i].message)),
                  "got: %s", wrong);
    arena_free(&arena);
}
END_TEST

/* No prefix of a file is taken for a whole one, or read past its end. */
START_TEST(cut_anywhere)
{
    struct arena arena = {0};
    struct npy npy;

    for (size_t size = 0; size < 128 + 24; size++) {
        unsigned char *file = arena_alloc(&arena, size + 1);
        for (size_t i = 0; i < size; i++)
            file[i] = i < 128 ? (unsigned char)f32_2x3[i] : 0;
        ck_assert_ptr_nonnull(npy_read(&arena, file, size, &npy));
    }
    arena_free(&arena);
}
END_TEST

SUITE("npy", {
    TEST(reads_what_numpy_writes);
    TEST(writes_what_numpy_writes);
    LOOP_TEST(every_element_survives, 0, ELEMENT_COUNT);
    TEST(shapes);
    LOOP_TEST(refuses, 0, (int)(sizeof refused / sizeof *refused));
    TEST(cut_anywhere);
})
