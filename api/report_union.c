/* SPDX-License-Identifier: Apache-2.0
 *
 * report_union.c - what several schedules of one launch have found together. */
#include "api/report.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Findings are the same when they are of one kind at the same instructions. */
static bool same(const struct report_finding *a, const struct report_finding *b)
{
    if (!same_text(a->category, b->category) || !same_text(a->kind, b->kind) ||
        a->severity != b->severity || a->where_count != b->where_count)
        return false;
    for (uint32_t i = 0; i < a->where_count; i++)
        if (a->where[i].text_line != b->where[i].text_line ||
            a->where[i].text_column != b->where[i].text_column ||
            !same_text(a->where[i].instruction, b->where[i].instruction) ||
            !same_text(a->where[i].access, b->where[i].access))
            return false;
    return true;
}

bool report_has(const struct sl_report *report, const struct report_finding *finding)
{
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (same(&report->findings[i], finding))
            return true;
    return false;
}

void report_unite(struct sl_report *into, const struct sl_report *other)
{
    uint32_t capacity = into->finding_count + other->finding_count;
    struct report_finding *all = ARENA_NEW_ARRAY(&into->arena, capacity, struct report_finding);

    memcpy(all, into->findings, into->finding_count * sizeof *all);
    into->findings = all;
    for (uint32_t i = 0; i < other->finding_count; i++) {
        bool known = false;
        for (uint32_t k = 0; !known && k < into->finding_count; k++)
            known = same(&all[k], &other->findings[i]);
        if (known)
            continue;
        all[into->finding_count] = other->findings[i];
        all[into->finding_count].has_seed = true;
        all[into->finding_count].choices = other->seed_choices;
        all[into->finding_count++].seed = other->seed;
    }
    into->dropped += other->dropped;
    into->completed &= other->completed;
}
