/* SPDX-License-Identifier: Apache-2.0
 *
 * check_base.c - arenas, maps, text and diagnostics. */
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/likeness.h"
#include "base/map.h"
#include "base/text.h"

START_TEST(arena_blocks_are_zero_and_apart)
{
    struct arena arena = {0};
    unsigned char *last = NULL;

    for (size_t size = 1; size < 9000; size = size * 3 / 2 + 1) {
        unsigned char *block = arena_alloc(&arena, size);
        for (size_t i = 0; i < size; i++)
            ck_assert_uint_eq(block[i], 0);
        memset(block, 0xff, size);
        ck_assert_ptr_ne(block, last);
        last = block;
    }
    arena_free(&arena);
    arena_free(&arena);
}
END_TEST

START_TEST(arena_lists_grow)
{
    struct arena arena = {0};
    struct { int *items; uint32_t count, capacity; } list = {0};

    for (int i = 0; i < 1000; i++)
        *ARENA_PUSH(&arena, &list) = i;
    ck_assert_uint_eq(list.count, 1000);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(list.items[i], i);
    arena_free(&arena);
}
END_TEST

START_TEST(map_finds_what_was_set)
{
    struct arena arena = {0};
    struct map map = {0};
    uint32_t value;

    ck_assert(!map_get(&map, "x", 1, &value));
    for (uint32_t i = 0; i < 500; i++) {
        char *name = arena_printf(&arena, "name%u", i);
        map_set(&arena, &map, name, strlen(name), i);
    }
    map_set(&arena, &map, "name7", 5, 4711);
    for (uint32_t i = 0; i < 500; i++) {
        char name[16];
        snprintf(name, sizeof name, "name%u", i);
        ck_assert(map_get(&map, name, strlen(name), &value));
        ck_assert_uint_eq(value, i == 7 ? 4711 : i);
    }
    ck_assert(!map_get(&map, "name", 4, &value));
    ck_assert_uint_eq(map.count, 500);
    arena_free(&arena);
}
END_TEST

START_TEST(diagnostics_print_in_order_with_caret)
{
    struct arena arena = {0};
    static const char source[] = "first\n\tsecond line\n";
    struct diags diags = {.arena = &arena, .name = "a.ptx", .source = source,
                          .source_size = strlen(source)};
    struct text out = {0};

    diag_error(&diags, (struct loc){2, 9}, "later");
    diag_warning(&diags, (struct loc){1, 1}, "earlier %d", 1);
    diag_error(&diags, (struct loc){0}, "nowhere");
    diag_print(&out, &diags);
    ck_assert_str_eq(text_string(&out),
                     "a.ptx: error: nowhere\n"
                     "a.ptx:1:1: warning: earlier 1\n"
                     "     1 | first\n"
                     "       | ^\n"
                     "a.ptx:2:9: error: later\n"
                     "     2 | \tsecond line\n"
                     "       | \t       ^\n");
    ck_assert_uint_eq(diags.errors, 2);
    text_free(&out);
    arena_free(&arena);
}
END_TEST

START_TEST(misspelt_names_are_near)
{
    ck_assert_uint_eq(likeness_distance("kitten", "sitting"), 3);
    ck_assert_uint_eq(likeness_distance("", "abc"), 3);
    ck_assert_uint_eq(likeness_distance("Grid", "grid"), 0);
    ck_assert(likeness_may_mean("blok", "block"));
    ck_assert(!likeness_may_mean("x", "y"));
    ck_assert(!likeness_may_mean("race", "grid"));
    /* Only so many letters count; nothing beyond them is read or written. */
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    ck_assert_uint_eq(likeness_distance(longer, "b"), 64);
}
END_TEST

START_TEST(files_have_a_place_where_a_folder_is)
{
    const char *why = NULL;

    ck_assert(file_has_place("a-file-that-is-not-there", &why));
    ck_assert(file_has_place("/dev/null", &why));
    ck_assert(!file_has_place("no-such-folder/file", &why));
    ck_assert_str_eq(why, "No such file or directory");
    ck_assert(!file_has_place("/dev/null/file", &why));
    ck_assert_str_eq(why, "Not a directory");
    ck_assert(!file_has_place("/", &why));
    ck_assert_str_eq(why, "Is a directory");
}
END_TEST

START_TEST(quotes_survive_places_outside_the_text)
{
    struct text out = {0};

    diag_quote(&out, "ab", 2, (struct loc){9, 1});
    ck_assert_str_eq(text_string(&out), "");
    diag_quote(&out, "ab", 2, (struct loc){1, 400});
    ck_assert_str_ne(text_string(&out), "");
    text_free(&out);
}
END_TEST

SUITE("base", {
    TEST(arena_blocks_are_zero_and_apart);
    TEST(arena_lists_grow);
    TEST(map_finds_what_was_set);
    TEST(diagnostics_print_in_order_with_caret);
    TEST(misspelt_names_are_near);
    TEST(files_have_a_place_where_a_folder_is);
    TEST(quotes_survive_places_outside_the_text);
})
