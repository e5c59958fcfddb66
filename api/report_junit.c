/* SPDX-License-Identifier: Apache-2.0
 *
 * report_junit.c - a report as JUnit XML, the form that build servers read: one
 * test case for each category, which fails by the findings that make the exit
 * status 1, and counts as skipped where nobody looked. */
#include "api/report.h"

#include <stdlib.h>
#include <string.h>

/* XML text; characters that XML cannot hold become '?'. */
static void add_escaped(struct text *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        switch (*c) {
        case '<': text_puts(out, "&lt;"); break;
        case '>': text_puts(out, "&gt;"); break;
        case '&': text_puts(out, "&amp;"); break;
        case '"': text_puts(out, "&quot;"); break;
        case '\n': text_puts(out, "&#10;"); break;
        case '\t': text_putc(out, ' '); break;
        default: text_putc(out, *c < 0x20 || *c >= 0x7f ? '?' : (char)*c);
        }
}

static bool counts(const struct sl_report *report, const struct report_finding *finding)
{
    return !finding->suppressed && (report->strict || finding->severity != FINDING_INFO);
}

/* Why nothing can be said about a category that has no findings; NULL: it is fine. */
static const char *not_checked(const struct sl_report *report, unsigned category)
{
    if (report->error)
        return "it could not run";
    if (category == FINDING_INIT && !(report->checks & SL_CHECK_INIT))
        return "not checked";
    if (category == FINDING_RACE && !(report->checks & SL_CHECK_RACE))
        return "not checked";
    if (category == FINDING_SYNC && !(report->checks & SL_CHECK_SYNC))
        return "not checked, but for deadlock";
    return NULL;
}

static void add_finding(struct text *out, const struct sl_report *report,
                        const struct report_finding *finding)
{
    text_puts(out, "      <failure type=\"");
    add_escaped(out, finding->kind);
    text_puts(out, "\" message=\"");
    add_escaped(out, finding->message);
    text_puts(out, "\">");
    for (uint32_t i = 0; i < finding->where_count; i++) {
        const struct report_place *place = &finding->where[i];
        struct text line = {0};
        if (place->frame_count)
            text_printf(&line, "%s:%u: ", place->frames[place->main].file,
                        place->frames[place->main].line);
        else if (place->text_line)
            text_printf(&line, "%s:%u: ", report->file, place->text_line);
        if (place->has_thread)
            text_printf(&line, "block (%u,%u,%u), thread (%u,%u,%u): ", place->block[0],
                        place->block[1], place->block[2], place->thread[0], place->thread[1],
                        place->thread[2]);
        text_puts(&line, place->instruction ? place->instruction : "");
        add_escaped(out, text_string(&line));
        text_putc(out, '\n');
        text_free(&line);
    }
    text_puts(out, "</failure>\n");
}

char *report_to_junit(const struct sl_report *report)
{
    enum { CATEGORIES = FINDING_ASSERT + 1 };
    struct text out = {0};
    uint32_t failed[CATEGORIES] = {0}, failures = 0, skipped = 0;
    const char *missing[CATEGORIES];

    for (unsigned c = 0; c < CATEGORIES; c++) {
        for (uint32_t i = 0; i < report->finding_count; i++)
            failed[c] += counts(report, &report->findings[i]) &&
                         !strcmp(report->findings[i].category, finding_category_names[c]);
        failures += failed[c] != 0;
        missing[c] = failed[c] || (report->error && c == 0) ? NULL : not_checked(report, c);
        skipped += missing[c] != NULL;
    }
    text_puts(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                    "  <testsuite name=\"");
    add_escaped(&out, report->file);
    text_printf(&out, "\" tests=\"%d\" failures=\"%u\" errors=\"%d\" skipped=\"%u\">\n",
                CATEGORIES, failures, report->error != NULL, skipped);
    for (unsigned c = 0; c < CATEGORIES; c++) {
        text_puts(&out, "    <testcase classname=\"");
        add_escaped(&out, report->demangled);
        text_printf(&out, "\" name=\"%s\"", finding_category_names[c]);
        if (missing[c]) {
            text_printf(&out, "><skipped message=\"%s\"/></testcase>\n", missing[c]);
            continue;
        }
        if (!failed[c] && !(report->error && c == 0)) {
            text_puts(&out, "/>\n");
            continue;
        }
        text_puts(&out, ">\n");
        if (report->error && c == 0) {
            text_puts(&out, "      <error message=\"");
            add_escaped(&out, report->error);
            text_puts(&out, "\"/>\n");
        }
        for (uint32_t i = 0; i < report->finding_count; i++)
            if (counts(report, &report->findings[i]) &&
                !strcmp(report->findings[i].category, finding_category_names[c]))
                add_finding(&out, report, &report->findings[i]);
        text_puts(&out, "    </testcase>\n");
    }
    text_puts(&out, "  </testsuite>\n</testsuites>\n");
    text_putc(&out, 0);
    return out.data;
}
