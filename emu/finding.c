/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.c - folding equal findings. */
#include "emu/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const finding_category_names[] = {"memory", "init", "race", "sync",
                                              "timeout", "trap", "assert"};
const char *const finding_severity_names[] = {"info", "warning", "error"};
const char *const finding_access_names[] = {"", "read", "write", "atomic"};

enum { DEFAULT_LIMIT = 1000 };

static bool same(const struct finding *a, const struct finding *b)
{
    if (a->category != b->category || strcmp(a->kind, b->kind) != 0 ||
        a->severity != b->severity || a->where_count != b->where_count)
        return false;
    for (uint32_t i = 0; i < a->where_count; i++)
        if (a->where[i].function != b->where[i].function ||
            a->where[i].inst != b->where[i].inst ||
            a->where[i].access != b->where[i].access)
            return false;
    return true;
}

struct finding *findings_fold(struct findings *findings, const struct finding *finding)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (same(&findings->items[i], finding)) {
            findings->items[i].count++;
            return &findings->items[i];
        }
    return NULL;
}

struct finding *findings_add(struct findings *findings, const struct finding *finding,
                             const char *format, ...)
{
    char buffer[1024];
    va_list args;

    struct finding *known = findings_fold(findings, finding);
    if (known)
        return known;
    if (findings->count >= (findings->limit ? findings->limit : DEFAULT_LIMIT)) {
        findings->dropped++;
        return NULL;
    }
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    struct finding *added = ARENA_PUSH(findings->arena, findings);
    *added = *finding;
    added->count = 1;
    added->message = arena_strdup(findings->arena, buffer);
    return added;
}

int findings_worst(const struct findings *findings)
{
    int worst = -1;

    for (uint32_t i = 0; i < findings->count; i++)
        if ((int)findings->items[i].severity > worst)
            worst = (int)findings->items[i].severity;
    return worst;
}
