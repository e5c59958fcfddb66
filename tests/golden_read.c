/* SPDX-License-Identifier: Apache-2.0
 *
 * golden_read.c - the `//!` lines of a golden kernel.
 */
#include "tests/golden.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct arena *arena;
    struct golden_file *file;
    struct text *why;
    uint32_t line;
    char *rest; /* of the line, still to be read */
};

static bool wrong(struct reader *reader, const char *what, const char *detail)
{
    text_printf(reader->why, "%s:%u: %s '%s'\n", reader->file->name, reader->line, what,
                detail ? detail : "");
    return false;
}

/* The next word of the line, or NULL. */
static char *word(struct reader *reader)
{
    char *start = reader->rest + strspn(reader->rest, " ");
    if (!*start)
        return NULL;
    char *end = start + strcspn(start, " ");
    reader->rest = *end ? end + 1 : end;
    *end = 0;
    return start;
}

static bool number(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    return !*end;
}

/* X, X,Y or X,Y,Z. */
static bool triple(char *text, uint32_t out[3])
{
    int count = 0;
    for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) {
        uint64_t value;
        if (count == 3 || !number(part, &value) || value > UINT32_MAX)
            return false;
        out[count++] = (uint32_t)value;
    }
    return count > 0;
}

/* run KERNEL NAME=VALUE... */
static bool read_run(struct reader *reader, bool check)
{
    struct golden_launch *launch = ARENA_PUSH(reader->arena, &reader->file->launches);
    *launch = (struct golden_launch){.line = reader->line, .check = check, .status = -1,
                                     .grid = {1, 1, 1}, .block = {1, 1, 1}};
    launch->kernel = word(reader);
    if (!launch->kernel)
        return wrong(reader, "no kernel after", "run");
    for (char *setting = word(reader); setting; setting = word(reader)) {
        char *value = strchr(setting, '=');
        uint64_t amount = 0;
        bool fine = value != NULL;
        if (!fine)
            return wrong(reader, "not NAME=VALUE:", setting);
        *value++ = 0;
        if (!strcmp(setting, "grid"))
            fine = triple(value, launch->grid);
        else if (!strcmp(setting, "block"))
            fine = triple(value, launch->block);
        else if (!strcmp(setting, "target"))
            launch->target = value;
        else if ((fine = number(value, &amount)) && !strcmp(setting, "shared"))
            launch->shared = (uint32_t)amount;
        else if (fine && !strcmp(setting, "seed"))
            launch->seed = amount;
        else if (fine && !strcmp(setting, "max-steps"))
            launch->max_steps = amount;
        else
            fine = false;
        if (!fine)
            return wrong(reader, "bad launch setting", setting);
    }
    return true;
}

static uint64_t *push_value(struct reader *reader, struct golden_expect *expect)
{
    return ARENA_PUSH(reader->arena, expect);
}

/* VALUE, VALUE*COUNT or A..B. */
static bool read_item(struct reader *reader, struct golden_expect *expect, char *item)
{
    char *range = strstr(item, ".."), *star = strchr(item, '*');
    uint64_t bits, last, count = 1;

    if (range) {
        *range = 0;
        if (!number(item, &bits) || !number(range + 2, &last))
            return wrong(reader, "bad range from", item);
        *push_value(reader, expect) = bits;
        while (bits != last) {
            bits += bits < last ? 1 : (uint64_t)-1;
            *push_value(reader, expect) = bits;
        }
        return true;
    }
    if (star) {
        *star = 0;
        if (!number(star + 1, &count) || count > 100000)
            return wrong(reader, "bad count", star + 1);
    }
    const char *problem = element_parse(expect->element, item, strlen(item), &bits);
    if (problem)
        return wrong(reader, problem, item);
    while (count-- > 0)
        *push_value(reader, expect) = bits;
    return true;
}

/* expect N[@FIRST] TYPE VALUES */
static bool read_expect(struct reader *reader, struct golden_launch *launch)
{
    struct golden_expect *expect = ARENA_PUSH(reader->arena, &launch->expects);
    char *place = word(reader), *type = word(reader), *values = word(reader);
    uint64_t argument;

    expect->line = reader->line;
    if (!values)
        return wrong(reader, "expect needs an argument number, a type and values", "");
    char *at = strchr(place, '@');
    if (at)
        *at++ = 0;
    if (!number(place, &argument) || (at && !number(at, &expect->first)))
        return wrong(reader, "bad argument number", place);
    if (argument >= launch->arguments.count)
        return wrong(reader, "there is no such argument:", place);
    expect->argument = (uint32_t)argument;
    if (!element_find(type, strlen(type), &expect->element))
        return wrong(reader, "unknown element type", type);
    expect->iota = !strcmp(values, "iota");
    expect->to_end = expect->iota || !strncmp(values, "all:", 4);
    if (expect->iota)
        return true;
    if (expect->to_end)
        return read_item(reader, expect, values + 4);
    for (char *item = values; item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma++ = 0;
        if (!read_item(reader, expect, item))
            return false;
        item = comma;
    }
    return true;
}

/* The number of the line that ends in the comment // @name; 0: none. */
static uint32_t marked_line(const struct golden_file *file, const char *name)
{
    size_t length = strlen(name);
    uint32_t line = 1;

    for (const char *at = file->text, *end = at + file->size; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop ? stop : end) - at);
        if (size > length + 3 && !memcmp(at + size - length, name, length) &&
            !memcmp(at + size - length - 3, "// ", 3) && memcmp(at, "//!", 3))
            return line;
        at += size + 1;
    }
    return 0;
}

/* expect-finding CATEGORY KIND [LINE | @NAME] */
static bool read_finding(struct reader *reader, struct golden_launch *launch)
{
    struct golden_finding *finding = ARENA_PUSH(reader->arena, &launch->findings);
    uint64_t line = 0;

    finding->line = reader->line;
    finding->category = word(reader);
    finding->kind = word(reader);
    const char *place = word(reader);
    if (!finding->kind)
        return wrong(reader, "expect-finding needs a category and a kind", "");
    if (place && *place == '@')
        line = marked_line(reader->file, place);
    if (place && !line && !number(place, &line))
        return wrong(reader, "no such line:", place);
    finding->ptx_line = (uint32_t)line;
    return true;
}

static bool read_line(struct reader *reader)
{
    const char *what = word(reader);

    if (!what)
        return wrong(reader, "empty line", "");
    if (!strcmp(what, "run") || !strcmp(what, "check"))
        return read_run(reader, *what == 'c');
    if (!strcmp(what, "about")) /* for tests/accuracy/labels */
        return true;
    if (!reader->file->launches.count)
        return wrong(reader, "no run before", what);
    struct golden_launch *launch =
        &reader->file->launches.items[reader->file->launches.count - 1];
    if (!strcmp(what, "arg")) {
        const char *text = word(reader);
        if (!text)
            return wrong(reader, "no argument after", what);
        *ARENA_PUSH(reader->arena, &launch->arguments) = text;
        return true;
    }
    if (!strcmp(what, "expect"))
        return read_expect(reader, launch);
    if (!strcmp(what, "expect-finding"))
        return read_finding(reader, launch);
    if (!strcmp(what, "expect-stdout")) {
        launch->printed = arena_printf(reader->arena, "%s%s\n",
                                       launch->printed ? launch->printed : "", reader->rest);
        return true;
    }
    if (!strcmp(what, "expect-exit")) {
        const char *status = word(reader);
        if (!status || *status < '0' || *status > '2' || status[1])
            return wrong(reader, "bad status", status);
        launch->status = *status - '0';
        return true;
    }
    return wrong(reader, "unknown line", what);
}

bool golden_read(struct arena *arena, const char *name, const char *text, size_t size,
                 struct golden_file *file, struct text *why)
{
    struct reader reader = {.arena = arena, .file = file, .why = why};

    *file = (struct golden_file){.name = name, .text = text, .size = size};
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        reader.line++;
        if (length >= 3 && !memcmp(at, "//!", 3)) {
            reader.rest = arena_copy(arena, at + 3, length - 3);
            if (!read_line(&reader))
                return false;
        }
        at += length + 1;
    }
    if (!file->launches.count)
        return wrong(&reader, "no launch in", name);
    return true;
}
