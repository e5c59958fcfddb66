/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ptx_errors.c - every file of tests/ptx-errors against the errors
 * it announces.
 *
 * Below a faulty line stands what must be said about it, with a caret under
 * the place:
 *
 *     add.u32 r1, r2;
 * //  ^ 'add.u32' takes 3 operands, not 2
 *
 * "//< message" means the first column. Exactly these errors must come, in
 * this order. */
#define _DEFAULT_SOURCE /* scandir */
#include "frontend/ptx/ptx.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

#define FOLDER SIMTLAB_SOURCE_DIR "/tests/ptx-errors"

static int is_ptx(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);

    return size > 4 && strcmp(entry->d_name + size - 4, ".ptx") == 0;
}

static char *read_file(struct arena *arena, const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");

    ck_assert_ptr_nonnull(file);
    char *text = arena_alloc(arena, 1 << 16);
    *size = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    return text;
}

/* The errors a file announces, as "line:column: message" lines. */
static void announced(struct text *out, const char *text)
{
    uint32_t line = 0, code = 0;

    while (*text) {
        size_t size = strcspn(text, "\n");
        line++;
        if (strncmp(text, "//< ", 4) == 0) {
            text_printf(out, "%u:1: %.*s\n", code, (int)size - 4, text + 4);
        } else if (strncmp(text, "//", 2) == 0) {
            size_t column = 2 + strspn(text + 2, " ");
            if (text[column] == '^')
                text_printf(out, "%u:%u: %.*s\n", code, (uint32_t)column + 1,
                            (int)(size - column - 2), text + column + 2);
        } else {
            code = line;
        }
        text += size + (text[size] == '\n');
    }
}

static int by_place(const void *a, const void *b)
{
    const struct diag *x = a, *y = b;

    if (x->at.line != y->at.line)
        return x->at.line < y->at.line ? -1 : 1;
    return x->at.column < y->at.column ? -1 : x->at.column > y->at.column;
}

static void check_file(const char *name)
{
    struct arena arena = {0};
    struct text expected = {0}, found = {0};
    char path[512];
    size_t size;

    snprintf(path, sizeof path, FOLDER "/%s", name);
    char *text = read_file(&arena, path, &size);
    struct diags diags = {.arena = &arena, .name = name, .source = text,
                          .source_size = size};
    ck_assert_msg(!ptx_read(&arena, name, text, size, &diags), "%s was accepted", name);
    announced(&expected, text);
    qsort(diags.items, diags.count, sizeof *diags.items, by_place);
    for (uint32_t d = 0; d < diags.count; d++)
        text_printf(&found, "%u:%u: %s\n", diags.items[d].at.line,
                    diags.items[d].at.column, diags.items[d].text);
    if (strcmp(text_string(&found), text_string(&expected)) != 0)
        ck_abort_msg("%s\nfound\n%sexpected\n%s", name, text_string(&found),
                     text_string(&expected));
    text_free(&expected);
    text_free(&found);
    arena_free(&arena);
}

START_TEST(announced_errors)
{
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_ptx, alphasort);

    ck_assert_int_gt(count, _i);
    check_file(entries[_i]->d_name);
    for (int e = 0; e < count; e++)
        free(entries[e]);
    free(entries);
}
END_TEST

/* How many files there are; the loop below needs it before it starts. */
static int file_count(void)
{
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_ptx, alphasort);

    for (int e = 0; e < count; e++)
        free(entries[e]);
    if (count >= 0)
        free(entries);
    return count < 1 ? 1 : count;
}

SUITE("ptx_errors", {
    LOOP_TEST(announced_errors, 0, file_count());
})
