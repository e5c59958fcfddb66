/* SPDX-License-Identifier: Apache-2.0
 *
 * report_json.c - a report for machines. Names and their order are fixed;
 * what is not known is left out. docs/running.md explains each. */
#include "config.h"

#include "api/report.h"

#include "base/arena.h"
#include "api/report_json.h"

#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);

    if (value)
        return value;
    char *copy = strdup(text);
    if (!copy)
        out_of_memory(0);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

static json_t *json_triple(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static void set_number(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *place_json(const struct report_place *place)
{
    json_t *out = json_object();

    if (place->frame_count) {
        json_object_set_new(out, "file", json_text(place->frames[place->main].file));
        set_number(out, "line", place->frames[place->main].line);
    }
    if (place->text_line)
        set_number(out, "ptx_line", place->text_line);
    if (place->has_thread) {
        json_object_set_new(out, "block", json_triple(place->block));
        json_object_set_new(out, "thread", json_triple(place->thread));
    }
    if (*place->access)
        json_object_set_new(out, "access", json_text(place->access));
    if (place->instruction)
        json_object_set_new(out, "instruction", json_text(place->instruction));
    if (place->frame_count > 1) {
        json_t *chain = json_array();
        for (uint32_t i = 0; i < place->frame_count; i++) {
            json_t *frame = json_object();
            json_object_set_new(frame, "file", json_text(place->frames[i].file));
            set_number(frame, "line", place->frames[i].line);
            json_array_append_new(chain, frame);
        }
        json_object_set_new(out, "inlined", chain);
    }
    return out;
}

static json_t *finding_json(const struct report_finding *finding)
{
    json_t *out = json_object(), *where = json_array();

    json_object_set_new(out, "category", json_text(finding->category));
    json_object_set_new(out, "kind", json_text(finding->kind));
    json_object_set_new(out, "severity", json_text(finding_severity_names[finding->severity]));
    json_object_set_new(out, "message", json_text(finding->message));
    set_number(out, "count", finding->count);
    if (finding->has_seed) {
        set_number(out, "seed", finding->seed);
        set_number(out, "choices", finding->choices);
    }
    if (finding->suppressed)
        json_object_set_new(out, "suppressed", json_text(finding->suppressed));
    if (finding->has_address) {
        char address[24];
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)finding->address);
        json_object_set_new(out, "space", json_text(finding->space));
        json_object_set_new(out, "address", json_text(address));
        set_number(out, "size", finding->size);
    }
    for (uint32_t i = 0; i < finding->where_count; i++)
        json_array_append_new(where, place_json(&finding->where[i]));
    json_object_set_new(out, "where", where);
    return out;
}

/* Adds the value's text and frees it. */
static void add_dump(struct text *out, json_t *value, bool open)
{
    char *body = json_dumps(value, JSON_ENSURE_ASCII);

    json_decref(value);
    if (!body)
        out_of_memory(0);
    /* open: without the closing brace, for more members. */
    text_add(out, body, strlen(body) - open);
    free(body);
}

/* One line for the run and one for each finding. */
char *report_to_json(const struct sl_report *report)
{
    json_t *head = json_object();
    struct text out = {0};

    json_object_set_new(head, "simtlab", json_text(sl_version()));
    json_object_set_new(head, "file", json_text(report->file));
    json_object_set_new(head, "kernel", json_text(report->kernel));
    json_object_set_new(head, "grid", json_triple(report->grid));
    json_object_set_new(head, "block", json_triple(report->block));
    json_object_set_new(head, "target", json_text(report->target));
    if (report->executor && strcmp(report->executor, "emu"))
        json_object_set_new(head, "executor", json_text(report->executor));
    set_number(head, "seed", report->seed);
    json_object_set_new(head, "verdict", json_text(report_verdict(report)));
    if (report->error)
        json_object_set_new(head, "error", json_text(report->error));
    if (report->dropped)
        set_number(head, "findings_dropped", report->dropped);
    add_dump(&out, head, true);
    text_puts(&out, ",\n \"findings\": [");
    for (uint32_t i = 0; i < report->finding_count; i++) {
        text_puts(&out, i ? ",\n  " : "\n  ");
        add_dump(&out, finding_json(&report->findings[i]), false);
    }
    text_putc(&out, ']');
    if (report->outcomes) {
        text_puts(&out, ",\n ");
        text_puts(&out, report->outcomes);
    }
    text_puts(&out, "}\n");
    return out.data;
}
