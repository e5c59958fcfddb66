/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress.c - see suppress.h. */
#include "config.h"

#include "api/suppress.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- reading ---------------------------------------------------------------------------- */

static bool read_day(const char *word, uint32_t *day)
{
    unsigned year, month, date;
    int end = 0;

    if (sscanf(word, "%4u-%2u-%2u%n", &year, &month, &date, &end) != 3 || word[end] ||
        month < 1 || month > 12 || date < 1 || date > 31)
        return false;
    *day = year * 10000 + month * 100 + date;
    return true;
}

/* The words before the reason. NULL, or what is wrong. */
static const char *read_words(char *line, struct suppression *out)
{
    char *save = NULL, *word[6];
    unsigned count = 0;

    for (char *w = strtok_r(line, " \t\r", &save); w && count < 6;
         w = strtok_r(NULL, " \t\r", &save))
        word[count++] = w;
    if (count != 3 && count != 5)
        return "it needs CATEGORY/KIND, KERNEL and PLACE, and perhaps 'until' and a day";
    if (!strchr(word[0], '/') && strcmp(word[0], "*"))
        return "the first word is CATEGORY/KIND, such as sync/barrier-divergence";
    if (count == 5 && strcmp(word[3], "until"))
        return "after the place comes 'until' and a day";
    if (count == 5 && !read_day(word[4], &out->until))
        return "a day is written as YYYY-MM-DD";
    out->finding = word[0];
    out->kernel = word[1];
    out->place = word[2];
    return NULL;
}

bool suppressions_read(struct arena *arena, const char *file, char *text,
                       struct suppressions *out, struct text *error)
{
    bool good = true;
    uint32_t number = 0;

    *out = (struct suppressions){.file = file};
    for (char *line = text, *next; line && *line; line = next) {
        struct suppression read = {.line = ++number};
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        line += strspn(line, " \t\r");
        if (!*line || *line == '#')
            continue;
        char *reason = strchr(line, '#');
        const char *wrong = NULL;
        if (reason) {
            *reason++ = 0;
            reason += strspn(reason, " \t");
        }
        if (!reason || !*reason || *reason == '\r')
            wrong = "say why after a #";
        else
            wrong = read_words(line, &read);
        if (wrong) {
            text_printf(error, "%s:%u: %s\n", file, number, wrong);
            good = false;
            continue;
        }
        reason[strcspn(reason, "\r")] = 0;
        read.reason = reason;
        *ARENA_PUSH(arena, out) = read;
    }
    return good;
}

/* --- matching ------------------------------------------------------------------------------ */

static bool matches_file(const char *pattern, const char *file, uint32_t line)
{
    char text[1024];
    const char *slash = strrchr(file, '/');

    snprintf(text, sizeof text, "%s:%u", file, line);
    if (!fnmatch(pattern, text, 0))
        return true;
    snprintf(text, sizeof text, "%s:%u", slash ? slash + 1 : file, line);
    return !fnmatch(pattern, text, 0);
}

static bool matches_place(const char *pattern, const struct sl_report *report,
                          const struct report_finding *finding)
{
    if (!strcmp(pattern, "*"))
        return true;
    for (uint32_t i = 0; i < finding->where_count; i++) {
        const struct report_place *place = &finding->where[i];
        if (place->text_line && matches_file(pattern, report->file, place->text_line))
            return true;
        for (uint32_t f = 0; f < place->frame_count; f++)
            if (place->frames[f].file &&
                matches_file(pattern, place->frames[f].file, place->frames[f].line))
                return true;
    }
    return false;
}

static bool matches(const struct suppression *suppression, const struct sl_report *report,
                    const struct report_finding *finding)
{
    char name[128];

    snprintf(name, sizeof name, "%s/%s", finding->category, finding->kind);
    return !fnmatch(suppression->finding, name, 0) &&
           (!fnmatch(suppression->kernel, report->kernel, 0) ||
            !fnmatch(suppression->kernel, report->demangled, 0)) &&
           matches_place(suppression->place, report, finding);
}

void suppressions_apply(struct suppressions *suppressions, struct sl_report *report,
                        uint32_t today, struct text *notes)
{
    for (uint32_t s = 0; s < suppressions->count; s++) {
        struct suppression *suppression = &suppressions->items[s];
        bool expired = suppression->until && today > suppression->until;
        for (uint32_t i = 0; i < report->finding_count; i++) {
            struct report_finding *finding = &report->findings[i];
            if (!matches(suppression, report, finding))
                continue;
            suppression->used = true;
            if (!expired && !finding->suppressed)
                finding->suppressed = arena_strdup(&report->arena, suppression->reason);
        }
        if (expired && suppression->used)
            text_printf(notes, "note: %s:%u: this suppression ended on %04u-%02u-%02u\n",
                        suppressions->file, suppression->line, suppression->until / 10000,
                        suppression->until / 100 % 100, suppression->until % 100);
        if (!suppression->used)
            text_printf(notes, "note: %s:%u: this suppression matches no finding\n",
                        suppressions->file, suppression->line);
    }
}

uint32_t suppressions_today(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm day;

    if (!gmtime_r(&now, &day))
        return 0;
    return (uint32_t)(day.tm_year + 1900) * 10000 + (uint32_t)(day.tm_mon + 1) * 100 +
           (uint32_t)day.tm_mday;
}
