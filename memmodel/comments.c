/* SPDX-License-Identifier: Apache-2.0
 *
 * comments.c - description and expectations of a litmus file. */
#include "config.h"

#include "memmodel/comments.h"

#include <string.h>

struct line {
    const char *text;
    size_t size;
    uint32_t number;
};

static bool next_line(const struct test *test, struct line *line)
{
    const char *end = test->source + test->source_size;
    const char *start = line->text ? line->text + line->size : test->source;

    if (line->text && start < end)
        start++; /* the newline */
    if (start >= end)
        return false;
    const char *stop = memchr(start, '\n', (size_t)(end - start));
    line->text = start;
    line->size = (size_t)((stop ? stop : end) - start);
    line->number++;
    return true;
}

static bool read_expectation(struct arena *arena, struct diags *diags,
                             struct test *test, const char *words, struct loc at)
{
    char *copy = arena_strdup(arena, words), *save = NULL;
    struct expectation e = {.at = at, .model = strtok_r(copy, " :,\t\r", &save)};
    const char *word;

    if (!e.model) {
        diag_error(diags, at, "expected a model");
        return false;
    }
    while ((word = strtok_r(NULL, " :,\t\r", &save))) {
        if (!strcmp(word, "holds") || !strcmp(word, "fails")) {
            e.has_holds = true;
            e.holds = word[0] == 'h';
        } else if (!strcmp(word, "outside")) {
            e.outside = true;
        } else if (!strcmp(word, "race-free") || !strcmp(word, "races")) {
            e.has_race = true;
            e.race = !strcmp(word, "races");
        } else {
            diag_error(diags, at, "'%s' is no expectation: holds, fails, outside, "
                       "race-free or races", word);
            return false;
        }
    }
    if (e.has_holds == e.outside) {
        diag_error(diags, at, "an expectation is one of holds, fails and outside");
        return false;
    }
    struct expectation *more =
        ARENA_NEW_ARRAY(arena, test->expectation_count + 1, struct expectation);
    if (test->expectation_count)
        memcpy(more, test->expectations, test->expectation_count * sizeof *more);
    more[test->expectation_count++] = e;
    test->expectations = more;
    return true;
}

bool read_comments(struct arena *arena, struct diags *diags, struct test *test)
{
    static const char mark[] = "//! expect ";
    struct text description = {0};
    struct line line = {0};
    bool leading = true, good = true;

    while (next_line(test, &line)) {
        if (line.size >= sizeof mark - 1 && !memcmp(line.text, mark, sizeof mark - 1)) {
            const char *words = arena_copy(arena, line.text + sizeof mark - 1,
                                           line.size - (sizeof mark - 1));
            good &= read_expectation(arena, diags, test, words,
                                     (struct loc){line.number, 1});
        } else if (leading && line.size >= 2 && !memcmp(line.text, "//", 2)) {
            size_t skip = line.size > 2 && line.text[2] == ' ' ? 3 : 2;
            if (description.size)
                text_putc(&description, '\n');
            text_add(&description, line.text + skip, line.size - skip);
        } else if (line.size) {
            leading = false;
        }
    }
    if (description.size)
        test->description = arena_strdup(arena, text_string(&description));
    text_free(&description);
    return good;
}
