/* SPDX-License-Identifier: Apache-2.0
 *
 * check_litmus_page.c - every command of docs/memory-model.md, run as printed.
 *
 * In its "console" blocks a line "$ COMMAND" is run in the source folder, and
 * what it prints must be what stands below; a line "..." stands for any lines.
 * Commands that need a checkout of Dat3M run when DAT3M names one. */
#include "config.h"

#include "suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"

static struct arena arena;

struct command {
    const char *line;
    const char **expected;
    uint32_t count;
};

static struct {
    struct command *items;
    uint32_t count, capacity;
} commands;

static char *read_stream(FILE *stream)
{
    struct text text = {0};
    char buffer[4096];
    size_t size;

    while ((size = fread(buffer, 1, sizeof buffer, stream)) > 0)
        text_add(&text, buffer, size);
    char *copy = arena_strdup(&arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void load_commands(void)
{
    FILE *file = fopen(SIMTLAB_SOURCE_DIR "/docs/memory-model.md", "r");
    bool inside = false;

    ck_assert_ptr_nonnull(file);
    char *page = read_stream(file), *save = NULL;
    fclose(file);
    for (char *line = strtok_r(page, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (!strcmp(line, "```console")) {
            inside = true;
        } else if (!strncmp(line, "```", 3)) {
            inside = false;
        } else if (inside && !strncmp(line, "$ ", 2)) {
            struct command *c = ARENA_PUSH(&arena, &commands);
            c->line = line + 2;
            c->expected = ARENA_NEW_ARRAY(&arena, 200, const char *);
        } else if (inside) {
            ck_assert_uint_gt(commands.count, 0);
            struct command *c = &commands.items[commands.count - 1];
            ck_assert_uint_lt(c->count, 200);
            c->expected[c->count++] = line;
        }
    }
}

/* "..." matches any number of lines. */
static bool matches(const char *const *expected, uint32_t expected_count,
                    char *const *lines, uint32_t count)
{
    if (!expected_count)
        return count == 0;
    if (!strcmp(expected[0], "...")) {
        for (uint32_t skip = 0; skip <= count; skip++)
            if (matches(expected + 1, expected_count - 1, lines + skip, count - skip))
                return true;
        return false;
    }
    return count && !strcmp(expected[0], lines[0]) &&
           matches(expected + 1, expected_count - 1, lines + 1, count - 1);
}

/* The build folder's program. */
static const char *program(void)
{
    const char *simtlab = getenv("SIMTLAB");

    return simtlab ? simtlab : "./simtlab";
}

static void run_command(const struct command *c)
{
    static const char name[] = "simtlab";
    char path[4096];

    if (strstr(c->line, "$DAT3M") && !getenv("DAT3M"))
        return;
    ck_assert_msg(!strncmp(c->line, name, strlen(name)), "%s", c->line);
    const char *binary = program();
    if (binary[0] != '/')
        binary = arena_printf(&arena, "%s/%s", getcwd(path, sizeof path), binary);
    FILE *pipe = popen(arena_printf(&arena, "cd '%s' && { '%s'%s; } 2>&1", SIMTLAB_SOURCE_DIR,
                                    binary, c->line + strlen(name)), "r");
    ck_assert_ptr_nonnull(pipe);
    char *output = read_stream(pipe), *shown = arena_strdup(&arena, output), *save = NULL;
    pclose(pipe);
    char *lines[1000];
    uint32_t count = 0;
    for (char *line = strtok_r(output, "\n", &save); line && count < 1000;
         line = strtok_r(NULL, "\n", &save))
        lines[count++] = line;
    ck_assert_msg(matches(c->expected, c->count, lines, count),
                  "$ %s\nprinted something else than the page says:\n%s", c->line, shown);
}

START_TEST(commands_print_what_the_page_says)
{
    load_commands();
    ck_assert_uint_gt(commands.count, 20);
    for (uint32_t i = 0; i < commands.count; i++)
        run_command(&commands.items[i]);
    arena_free(&arena);
}
END_TEST

SUITE("litmus page", { TEST(commands_print_what_the_page_says); })
