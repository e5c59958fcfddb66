/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_lines.c - reading and writing the lines that describe a launch. */
#include "gpu/launch_lines.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool line_next(struct lines *lines, struct line *line)
{
    while (lines->at < lines->end) {
        const char *start = lines->at;
        const char *end = memchr(start, '\n', (size_t)(lines->end - start));

        lines->at = end ? end + 1 : lines->end;
        uint32_t number = lines->number++;
        if (!end)
            end = lines->end;
        const char *begin = start;
        while (begin < end && is_blank(*begin))
            begin++;
        while (begin < end && is_blank(end[-1]))
            end--;
        if (begin == end || *begin == '#')
            continue;
        const char *space = begin;
        while (space < end && !is_blank(*space))
            space++;
        *line = (struct line){.at = {number, (uint32_t)(begin - start) + 1},
                              .key = begin,
                              .key_size = (size_t)(space - begin)};
        while (space < end && is_blank(*space))
            space++;
        line->value = space;
        line->value_size = (size_t)(end - space);
        line->value_at = (struct loc){number, (uint32_t)(space - start) + 1};
        return true;
    }
    return false;
}

bool line_is(const struct line *line, const char *key)
{
    return line->key_size == strlen(key) && !memcmp(line->key, key, line->key_size);
}

bool line_number(const struct line *line, uint64_t *value)
{
    return line->value_size && line->value[0] != '-' &&
           !element_parse(ELEMENT_U64, line->value, line->value_size, value);
}

uint32_t line_words(const struct line *line, uint32_t limit, const char **words, size_t *sizes)
{
    const char *at = line->value, *end = at + line->value_size;
    uint32_t count = 0;

    while (at < end) {
        const char *start = at;
        while (at < end && !is_blank(*at))
            at++;
        if (count == limit)
            return limit + 1;
        words[count] = start;
        sizes[count++] = (size_t)(at - start);
        while (at < end && is_blank(*at))
            at++;
    }
    return count;
}

static void read_dimensions(struct diags *diags, const struct line *line, uint32_t out[3])
{
    const char *words[3];
    size_t sizes[3];
    uint32_t count = line_words(line, 3, words, sizes);

    for (uint32_t i = 0; i < 3; i++) {
        uint64_t value = 1;
        if (count == 0 || count > 3 ||
            (i < count && (element_parse(ELEMENT_U32, words[i], sizes[i], &value) ||
                           words[i][0] == '-' || value == 0))) {
            diag_error(diags, line->value_at, "%.*s needs one to three positive numbers",
                       (int)line->key_size, line->key);
            return;
        }
        out[i] = (uint32_t)value;
    }
}

static uint64_t read_bytes(struct diags *diags, const struct line *line, uint64_t limit)
{
    uint64_t value = 0;

    if (!line_number(line, &value) || value > limit)
        diag_error(diags, line->value_at, "%.*s needs a number of bytes up to %llu",
                   (int)line->key_size, line->key, (unsigned long long)limit);
    return value;
}

static const char *read_text(struct diags *diags, const struct line *line)
{
    if (line->value_size == 0)
        diag_error(diags, line->value_at, "%.*s needs a value", (int)line->key_size, line->key);
    return arena_copy(diags->arena, line->value, line->value_size);
}

struct launch_reader launch_reader_begin(struct recording_launch *first)
{
    return (struct launch_reader){first, first, 0};
}

/* A further launch: of the same kernel in the same shape until its lines say
 * otherwise. */
static void begin_next(struct diags *diags, const struct line *line,
                       struct launch_reader *reader)
{
    const struct recording_launch *before = reader->launch;
    struct recording_launch *launch = ARENA_NEW(diags->arena, struct recording_launch);

    if (line->value_size)
        diag_error(diags, line->value_at, "then takes no value");
    launch->kernel = before->kernel;
    memcpy(launch->grid, before->grid, sizeof launch->grid);
    memcpy(launch->block, before->block, sizeof launch->block);
    launch->first_argument = before->first_argument + before->argument_count;
    reader->launch = reader->launch->next = launch;
    reader->capacity = 0;
}

/* Lines that hold for the whole job. */
static bool is_of_job(const struct line *line)
{
    return line_is(line, "ptx") || line_is(line, "stack") || line_is(line, "heap") ||
           line_is(line, "printf");
}

static void read_argument(struct diags *diags, const struct line *line,
                          struct launch_reader *reader)
{
    struct recording_launch *launch = reader->launch;
    struct {
        const char **items;
        uint32_t count, capacity;
    } list = {launch->arguments, launch->argument_count, reader->capacity};
    const char *text = read_text(diags, line);
    uint32_t before = launch->first_argument + launch->argument_count, number;

    if (launch_same_buffer(text, before, &number) && number == UINT32_MAX)
        diag_error(diags, line->value_at, "%.40s: there is no such argument before this one",
                   text);
    *ARENA_PUSH(diags->arena, &list) = text;
    launch->arguments = list.items;
    launch->argument_count = list.count;
    reader->capacity = list.capacity;
}

uint32_t launch_argument_count(const struct recording_launch *first)
{
    while (first->next)
        first = first->next;
    return first->first_argument + first->argument_count;
}

bool launch_same_buffer(const char *text, uint32_t before, uint32_t *number)
{
    uint64_t value = 0;

    if (text[0] != '&')
        return false;
    bool wrong = text[1] == '-' ||
                 element_parse(ELEMENT_U32, text + 1, strlen(text + 1), &value) ||
                 value >= before;
    *number = wrong ? UINT32_MAX : (uint32_t)value;
    return true;
}

bool launch_line_read(struct diags *diags, const struct line *line,
                      struct launch_reader *reader)
{
    struct recording_launch *launch = reader->launch;

    if (launch != reader->first && is_of_job(line)) {
        diag_error(diags, line->at, "%.*s holds for the whole job: it belongs before then",
                   (int)line->key_size, line->key);
    } else if (line_is(line, "then")) {
        begin_next(diags, line, reader);
    } else if (line_is(line, "ptx")) {
        launch->ptx = read_text(diags, line);
    } else if (line_is(line, "kernel")) {
        launch->kernel = read_text(diags, line);
    } else if (line_is(line, "grid")) {
        read_dimensions(diags, line, launch->grid);
    } else if (line_is(line, "block")) {
        read_dimensions(diags, line, launch->block);
    } else if (line_is(line, "cluster")) {
        read_dimensions(diags, line, launch->cluster);
    } else if (line_is(line, "shared")) {
        launch->shared = (uint32_t)read_bytes(diags, line, INT32_MAX);
    } else if (line_is(line, "stack")) {
        launch->stack = read_bytes(diags, line, UINT64_C(1) << 40);
    } else if (line_is(line, "heap")) {
        launch->heap = read_bytes(diags, line, UINT64_C(1) << 40);
    } else if (line_is(line, "printf")) {
        launch->printf_buffer = read_bytes(diags, line, UINT64_C(1) << 40);
    } else if (line_is(line, "cooperative")) {
        if (line->value_size)
            diag_error(diags, line->value_at, "cooperative takes no value");
        launch->cooperative = true;
    } else if (line_is(line, "arg")) {
        read_argument(diags, line, reader);
    } else if (line_is(line, "texref")) {
        if (launch->first_argument)
            diag_error(diags, line->value_at, "texref stands before 'then'");
        const char **references =
            arena_array(diags->arena, launch->reference_count + 1, sizeof *references);
        for (uint32_t i = 0; i < launch->reference_count; i++)
            references[i] = launch->references[i];
        references[launch->reference_count++] = read_text(diags, line);
        launch->references = references;
    } else {
        return false;
    }
    return true;
}

static void write_dimensions(struct text *out, const char *key, const uint32_t d[3])
{
    if (d[0])
        text_printf(out, "%s %u %u %u\n", key, d[0], d[1], d[2]);
}

static void write_bytes(struct text *out, const char *key, uint64_t value)
{
    if (value)
        text_printf(out, "%s %llu\n", key, (unsigned long long)value);
}

static void write_launch(struct text *out, const struct recording_launch *launch)
{
    if (launch->ptx)
        text_printf(out, "ptx %s\n", launch->ptx);
    if (launch->kernel)
        text_printf(out, "kernel %s\n", launch->kernel);
    write_dimensions(out, "grid", launch->grid);
    write_dimensions(out, "block", launch->block);
    write_dimensions(out, "cluster", launch->cluster);
    write_bytes(out, "shared", launch->shared);
    if (launch->cooperative)
        text_puts(out, "cooperative\n");
    write_bytes(out, "stack", launch->stack);
    write_bytes(out, "heap", launch->heap);
    write_bytes(out, "printf", launch->printf_buffer);
    for (uint32_t i = 0; i < launch->argument_count; i++)
        text_printf(out, "arg %s\n", launch->arguments[i]);
    for (uint32_t i = 0; i < launch->reference_count; i++)
        text_printf(out, "texref %s\n", launch->references[i]);
}

void launch_lines_write(struct text *out, const struct recording_launch *first)
{
    for (const struct recording_launch *launch = first; launch; launch = launch->next) {
        if (launch != first)
            text_puts(out, "then\n");
        write_launch(out, launch);
    }
}
