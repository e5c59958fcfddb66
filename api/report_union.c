/* SPDX-License-Identifier: Apache-2.0
 *
 * report_union.c - what several schedules of one launch, or several launches, have found
 * together. */
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

/* "add, scale": each name once. */
static const char *both_names(struct arena *arena, const char *names, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = names; (at = strstr(at, name)); at += size)
        if ((at == names || at[-1] == ' ') && (!at[size] || at[size] == ','))
            return names;
    return arena_printf(arena, "%s, %s", names, name);
}

void report_append(struct sl_report *into, struct sl_report *other)
{
    into->dropped += other->dropped;
    into->completed &= other->completed;
    into->checks &= other->checks;
    into->warp_instructions += other->warp_instructions;
    into->thread_instructions += other->thread_instructions;
    into->kernel = both_names(&into->arena, into->kernel, other->kernel);
    into->demangled = both_names(&into->arena, into->demangled, other->demangled);
    if (!other->finding_count) { /* as mostly; there may be very many */
        sl_report_destroy(other);
        return;
    }
    uint32_t count = into->finding_count + other->finding_count;
    struct report_finding *all = ARENA_NEW_ARRAY(&into->arena, count, struct report_finding);
    if (into->finding_count)
        memcpy(all, into->findings, into->finding_count * sizeof *all);
    memcpy(all + into->finding_count, other->findings, other->finding_count * sizeof *all);
    into->findings = all;
    into->finding_count = count;
    other->appended = into->appended;
    into->appended = other;
}
