/* SPDX-License-Identifier: Apache-2.0
 *
 * report_sarif.c - a report as SARIF 2.1.0, the form that code-review tools read.
 * A result's location is its first place, the others are related locations; where
 * no source line is known the line of the kernel text stands in. */
#include "config.h"

#include "api/report.h"
#include "base/arena.h"
#include "api/report_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *location(const struct sl_report *report, const struct report_place *place,
                        int id)
{
    const char *file = report->file;
    uint32_t line = place->text_line, column = place->text_column;
    json_t *out = json_object();

    if (place->frame_count) {
        const struct source_place *main = &place->frames[place->main];
        file = main->file;
        line = main->line;
        column = main->column;
    }
    json_t *region = json_object();
    if (line)
        json_object_set_new(region, "startLine", json_integer(line));
    if (line && column)
        json_object_set_new(region, "startColumn", json_integer(column));
    json_t *physical = json_object();
    json_object_set_new(physical, "artifactLocation", json_pack("{s:o}", "uri", json_text(file)));
    if (line)
        json_object_set(physical, "region", region);
    json_decref(region);
    if (id >= 0)
        json_object_set_new(out, "id", json_integer(id));
    json_object_set_new(out, "physicalLocation", physical);
    if (place->has_thread) {
        char text[160];
        snprintf(text, sizeof text, "block (%u,%u,%u), thread (%u,%u,%u)%s%s", place->block[0],
                 place->block[1], place->block[2], place->thread[0], place->thread[1],
                 place->thread[2], *place->access ? ", " : "", place->access);
        json_object_set_new(out, "message", json_pack("{s:o}", "text", json_text(text)));
    }
    if (place->only_order)
        json_object_set_new(out, "message", json_pack("{s:s}", "text", "the only order"));
    return out;
}

static json_t *rule_name(const struct report_finding *finding)
{
    char name[128];

    snprintf(name, sizeof name, "%s/%s", finding->category, finding->kind);
    return json_text(name);
}

static json_t *result(const struct sl_report *report, const struct report_finding *finding)
{
    static const char *const levels[] = {"note", "warning", "error"};
    json_t *out = json_object();

    json_object_set_new(out, "ruleId", rule_name(finding));
    json_object_set_new(out, "level", json_text(levels[finding->severity]));
    json_object_set_new(out, "message", json_pack("{s:o}", "text", json_text(finding->message)));
    json_t *first = json_array(), *others = json_array();
    for (uint32_t i = 0; i < finding->where_count; i++)
        json_array_append_new(i ? others : first,
                              location(report, &finding->where[i], i ? (int)i : -1));
    json_object_set_new(out, "locations", first);
    if (json_array_size(others))
        json_object_set(out, "relatedLocations", others);
    json_decref(others);
    json_object_set_new(out, "occurrenceCount", json_integer((json_int_t)finding->count));
    json_object_set_new(out, "properties", json_pack("{s:o}", "kernel",
                                                     json_text(report->demangled)));
    if (finding->suppressed)
        json_object_set_new(out, "suppressions",
                            json_pack("[{s:s,s:o}]", "kind", "external", "justification",
                                      json_text(finding->suppressed)));
    return out;
}

/* Each kind of finding once, in the order of their first appearance. */
static json_t *rules(const struct sl_report *report)
{
    json_t *out = json_array();

    for (uint32_t i = 0; i < report->finding_count; i++) {
        json_t *name = rule_name(&report->findings[i]);
        bool known = false;
        for (size_t r = 0; r < json_array_size(out); r++)
            known |= json_equal(json_object_get(json_array_get(out, r), "id"), name);
        if (!known)
            json_array_append_new(out, json_pack("{s:O}", "id", name));
        json_decref(name);
    }
    return out;
}

char *report_to_sarif(const struct sl_report *report)
{
    json_t *results = json_array();

    for (uint32_t i = 0; i < report->finding_count; i++)
        json_array_append_new(results, result(report, &report->findings[i]));
    json_t *invocation =
        json_pack("{s:b}", "executionSuccessful", report->error == NULL);
    if (report->error)
        json_object_set_new(invocation, "toolExecutionNotifications",
                            json_pack("[{s:s,s:{s:o}}]", "level", "error", "message", "text",
                                      json_text(report->error)));
    json_t *driver = json_pack("{s:s,s:o,s:o}", "name", "simtlab", "version",
                               json_text(sl_version()), "rules", rules(report));
    json_t *run = json_pack("{s:{s:o},s:[o],s:o}", "tool", "driver", driver, "invocations",
                            invocation, "results", results);
    json_t *root = json_pack("{s:s,s:s,s:[o]}", "version", "2.1.0", "$schema",
                             "https://json.schemastore.org/sarif-2.1.0.json", "runs", run);
    char *text = json_dumps(root, JSON_ENSURE_ASCII | JSON_INDENT(1));

    json_decref(root);
    if (!text)
        out_of_memory(0);
    size_t size = strlen(text);
    text = realloc(text, size + 2);
    if (!text)
        out_of_memory(0);
    memcpy(text + size, "\n", 2);
    return text;
}
