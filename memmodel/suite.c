/* SPDX-License-Identifier: Apache-2.0
 *
 * suite.c - directories and lists of litmus tests. */
#include "config.h"

#include "memmodel/suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 16 };

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"none", "holds", "fails", "outside"};
    return names[verdict];
}

static bool is_test(const char *name)
{
    size_t size = strlen(name);
    return size > 7 && !strcmp(name + size - 7, ".litmus");
}

static bool walk(struct suite *suite, const char *path, uint32_t depth, struct text *err)
{
    DIR *directory = opendir(path);
    struct dirent *entry;

    if (!directory) {
        text_printf(err, "%s: error: cannot read the directory: %s\n", path,
                    strerror(errno));
        return false;
    }
    bool good = true;
    while (good && (entry = readdir(directory))) {
        struct stat info;
        if (entry->d_name[0] == '.')
            continue;
        const char *full = arena_printf(&suite->arena, "%s/%s", path, entry->d_name);
        if (stat(full, &info))
            continue;
        if (S_ISDIR(info.st_mode) && depth < MAX_DEPTH) {
            good = walk(suite, full, depth + 1, err);
        } else if (S_ISREG(info.st_mode) && is_test(entry->d_name)) {
            struct suite_entry *e = ARENA_PUSH(&suite->arena, suite);
            e->path = e->shown = full;
        }
    }
    closedir(directory);
    return good;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct suite_entry *)a)->path,
                  ((const struct suite_entry *)b)->path);
}

bool suite_from_directory(struct suite *suite, const char *path, struct text *err)
{
    if (!walk(suite, path, 0, err))
        return false;
    if (!suite->count) {
        text_printf(err, "%s: error: no .litmus files in it\n", path);
        return false;
    }
    qsort(suite->items, suite->count, sizeof *suite->items, by_path);
    return true;
}

static const char *folder_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? arena_copy(arena, path, (size_t)(slash - path)) : ".";
}

bool suite_from_list(struct suite *suite, const char *path, const char *root,
                     struct text *err)
{
    size_t size;
    char *source = read_whole_file(&suite->arena, path, &size, err);
    uint32_t number = 0;
    const char *folder = root ? root : folder_of(&suite->arena, path);

    if (!source)
        return false;
    struct diags diags = {.arena = &suite->arena, .name = path, .source_size = size,
                          .source = arena_copy(&suite->arena, source, size)};
    for (char *line = source, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        number++;
        line[strcspn(line, "\r")] = 0;
        if (!*line || *line == '#')
            continue;
        char *comma = strrchr(line, ',');
        const char *value = comma ? comma + 1 : "";
        enum verdict expected = !strcmp(value, "1") ? VERDICT_HOLDS
                                : !strcmp(value, "0") ? VERDICT_FAILS
                                : !strcmp(value, "outside") ? VERDICT_OUTSIDE
                                                            : VERDICT_NONE;
        if (expected == VERDICT_NONE) {
            diag_error(&diags, (struct loc){number, comma ? (uint32_t)(value - line) + 1 : 1},
                       "expected a path, a comma, and 1, 0 or outside");
            continue;
        }
        *comma = 0;
        struct suite_entry *e = ARENA_PUSH(&suite->arena, suite);
        e->shown = line;
        e->path = line[0] == '/' ? line
                                 : arena_printf(&suite->arena, "%s/%s", folder, line);
        e->expected = expected;
    }
    diag_print(err, &diags);
    if (!diags.errors && !suite->count)
        text_printf(err, "%s: error: the list is empty\n", path);
    return !diags.errors && suite->count;
}

const struct expectation *expectation_for(const struct test *test,
                                          const struct model *model)
{
    for (uint32_t i = 0; i < test->expectation_count; i++)
        if (!strcmp(test->expectations[i].model, model->name))
            return &test->expectations[i];
    return NULL;
}

const char *expectation_missed(const struct test *test, const struct analysis *a)
{
    const struct expectation *e = expectation_for(test, a->model);

    if (!e)
        return NULL;
    if (e->outside != a->outside)
        return e->outside ? "the test should be outside the model"
                          : "the test should not be outside the model";
    if (e->has_holds && e->holds != a->holds)
        return e->holds ? "the condition should hold" : "the condition should not hold";
    if (e->has_race && (e->race != 0) != (a->races.count != 0))
        return e->race ? "there should be a data race" : "there should be no data race";
    return NULL;
}
