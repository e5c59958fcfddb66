/* SPDX-License-Identifier: Apache-2.0
 *
 * known.c - see known.h. */
#include "conformance/known.h"

#include <string.h>

#include "base/element.h"
#include "gpu/launch_lines.h"

enum { RANGE_LIMIT = 256 };

static bool read_u64(const char *text, size_t size, uint64_t *value)
{
    return size && text[0] != '-' && !element_parse(ELEMENT_U64, text, size, value);
}

static void read_ignore(struct diags *diags, const struct line *line, struct known_entry *entry)
{
    const char *words[RANGE_LIMIT];
    size_t sizes[RANGE_LIMIT];
    uint32_t count = line_words(line, RANGE_LIMIT, words, sizes);
    uint64_t argument;

    if (entry->kind != KNOWN_PARTLY)
        diag_error(diags, line->at, "ignore belongs to a partly entry");
    if (count == 1 && sizes[0] == 7 && !memcmp(words[0], "printed", 7)) {
        ARENA_PUSH(diags->arena, entry)->printed = true;
        return;
    }
    if (count < 2 || count > RANGE_LIMIT || !read_u64(words[0], sizes[0], &argument)) {
        diag_error(diags, line->value_at, "ignore needs an argument number and elements");
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct known_range range = {.argument = (uint32_t)argument};
        const char *dash = memchr(words[i], '-', sizes[i]);
        size_t left = dash ? (size_t)(dash - words[i]) : sizes[i];
        bool good = read_u64(words[i], left, &range.first);
        range.last = range.first;
        if (good && dash)
            good = read_u64(dash + 1, sizes[i] - left - 1, &range.last);
        if (!good || range.last < range.first)
            diag_error(diags, line->value_at, "'%.*s' is no element and no range of them",
                       (int)(sizes[i] < 40 ? sizes[i] : 40), words[i]);
        else
            *ARENA_PUSH(diags->arena, entry) = range;
    }
}

static void check_entry(struct diags *diags, const struct known_entry *entry)
{
    if (!entry->because)
        diag_error(diags, entry->at, "why? The entry needs a because line");
    if (entry->kind == KNOWN_PARTLY && !entry->count)
        diag_error(diags, entry->at, "a partly entry needs an ignore line");
}

bool known_read(struct diags *diags, struct known_list *list)
{
    static const char *const kinds[] = {"known", "skip", "partly"};
    struct lines lines = {diags->source, diags->source + diags->source_size, 1};
    struct known_entry *entry = NULL;
    struct line line;

    *list = (struct known_list){.file = diags->name};
    while (line_next(&lines, &line)) {
        int kind = 0;
        while (kind < 3 && !line_is(&line, kinds[kind]))
            kind++;
        if (kind < 3) {
            size_t size = line.value_size;
            if (!size)
                diag_error(diags, line.at, "%s needs the name of a case", kinds[kind]);
            entry = ARENA_PUSH(diags->arena, list);
            entry->kind = (enum known_kind)kind;
            entry->at = line.at;
            entry->prefix = size && line.value[size - 1] == '*';
            entry->name = arena_copy(diags->arena, line.value, size - entry->prefix);
        } else if (entry && line_is(&line, "ignore")) {
            read_ignore(diags, &line, entry);
        } else if (entry && line_is(&line, "because") && line.value_size) {
            entry->because = arena_copy(diags->arena, line.value, line.value_size);
        } else {
            diag_error(diags, line.at, "expected known, skip, partly, ignore or because");
        }
    }
    for (uint32_t i = 0; i < list->count; i++)
        check_entry(diags, &list->items[i]);
    return diags->errors == 0;
}

const struct known_entry *known_find(struct known_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct known_entry *entry = &list->items[i];
        if (entry->prefix ? strncmp(name, entry->name, strlen(entry->name))
                          : strcmp(name, entry->name))
            continue;
        entry->used = true;
        return entry;
    }
    return NULL;
}

bool known_ignores(const struct known_entry *entry, uint32_t argument, uint64_t element)
{
    for (uint32_t i = 0; entry && i < entry->count; i++) {
        const struct known_range *range = &entry->items[i];
        if (!range->printed && range->argument == argument && range->first <= element &&
            element <= range->last)
            return true;
    }
    return false;
}

bool known_ignores_text(const struct known_entry *entry)
{
    for (uint32_t i = 0; entry && i < entry->count; i++)
        if (entry->items[i].printed)
            return true;
    return false;
}
