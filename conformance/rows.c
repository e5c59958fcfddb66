/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c - see rows.h. No times: the same run gives the same bytes. */
#include "config.h"

#include "conformance/rows.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "api/report_json.h"
#include "conformance/device.h"
#include "conformance/rebuild.h"
#include "simtlab/simtlab.h"

static const char *const RESULT_NAMES[ROW_RESULTS] = {"passed", "failed", "known", "skipped"};

/* --- running ------------------------------------------------------------------------ */

/* What can be said before it runs; false: nothing, it is to run. *changed: why it fails
 * whatever it gives, or NULL. */
static bool decided(struct arena *arena, struct conform_case *c,
                    const struct rows_options *options, struct rebuilt_list *rebuilt,
                    const struct known_entry *entry, struct row *row, const char **changed)
{
    const char *wrong;

    row->message = "";
    row->because = entry ? entry->because : NULL;
    if (entry && entry->kind == KNOWN_SKIP) {
        row->result = ROW_SKIPPED;
        return true;
    }
    if (c->recorded->end == RECORDING_LOST) {
        row->result = ROW_SKIPPED;
        row->because = "the recorder was lost in it";
        return true;
    }
    wrong = case_open(arena, c);
    *changed = c->ptx ? wrong : NULL; /* another text than was recorded */
    if (c->ptx)
        wrong = NULL;
    if (!wrong && options->rebuild)
        wrong = case_rebuild(arena, rebuilt, c);
    if (wrong) {
        row->result = ROW_FAILED;
        row->message = wrong;
    }
    return wrong != NULL;
}

/* answer: of the GPU, which is a target; NULL: the emulator runs it. */
static struct comparison run_case(struct arena *arena, struct conform_case *c,
                                  const struct rows_options *options,
                                  const struct known_entry *entry,
                                  const struct recording_job *answer, const char *target)
{
    if (!answer)
        return case_compare(arena, c, entry, &options->emulate, NULL);
    if (!options->live)
        return recordings_compare(arena, c->recorded, answer, entry,
                                  (const char *const[2]){"recorded", options->device_name});
    struct conform_case fresh = *c;
    fresh.recorded = answer;
    fresh.target = target;
    return case_compare(arena, &fresh, entry, &options->emulate, options->device_name);
}

static void fill_row(struct arena *arena, const struct comparison *comparison,
                     const struct known_list *known, const struct known_entry *entry,
                     const char *changed, struct row *row)
{
    bool expected = !(entry && entry->kind == KNOWN_DIFFERENT);

    row->mismatch = comparison->first;
    row->outputs = comparison->items;
    row->output_count = comparison->count;
    if (changed) {
        row->result = ROW_FAILED;
        row->message = arena_printf(arena, "%s; %s", changed,
                                    comparison->same ? "it gives the same: record it again"
                                                     : comparison->message);
    } else if (comparison->same) {
        row->result = expected ? ROW_PASSED : ROW_FAILED;
        if (!expected)
            row->message = arena_printf(arena, "passes, though %s:%u calls it different",
                                        known->file, entry->at.line);
    } else {
        row->result = expected ? ROW_FAILED : ROW_KNOWN;
        row->message = comparison->message;
    }
}

/* Adds a chip to the list unless it is there. */
static void add_chip(struct arena *arena, struct rows *rows, const char *device,
                     const char *target)
{
    const char *name = arena_printf(arena, "%s (%s)", device, target);

    if (!rows->chips)
        rows->chips = name;
    else if (!strstr(rows->chips, name))
        rows->chips = arena_printf(arena, "%s, %s", rows->chips, name);
}

/* One that is in the run. */
struct chosen {
    struct conform_case *c;
    const struct known_entry *entry;
    bool decided;
    const char *changed;
};

bool rows_run(struct arena *arena, struct case_list *cases, const struct rows_options *options,
              struct rows *rows, struct text *error)
{
    struct chosen *chosen = ARENA_NEW_ARRAY(arena, cases->count, struct chosen);
    struct conform_case **run = ARENA_NEW_ARRAY(arena, cases->count, struct conform_case *);
    const struct recording_job **answers =
        ARENA_NEW_ARRAY(arena, cases->count, const struct recording_job *);
    struct rebuilt_list rebuilt = {0};
    struct recording_chip chip = {0};
    uint32_t run_count = 0, next = 0;
    uint64_t number = 0;

    for (uint32_t i = 0; i < cases->count; i++) {
        struct conform_case *c = &cases->items[i];
        const char *name = c->recorded->launch.name;
        if ((options->only && !strstr(name, options->only)) ||
            number++ % options->shards != options->shard)
            continue;
        struct chosen *one = &chosen[rows->count];
        struct row *row = ARENA_PUSH(arena, rows);
        row->name = name;
        row->file = c->recording;
        if (!options->live)
            add_chip(arena, rows, c->device, c->target);
        one->c = c;
        one->entry = options->known ? known_find(options->known, name) : NULL;
        one->decided = decided(arena, c, options, &rebuilt, one->entry, row,
                               &one->changed);
        if (!one->decided)
            run[run_count++] = c;
    }
    if (options->only && !number) {
        text_printf(error, "--only '%.200s': no case has that in its name\n", options->only);
        return false;
    }
    if (options->device && !device_run(arena, run, run_count, options->device,
                                       options->emulate.timeout, answers, &chip, error))
        return false;
    if (options->live && chip.device)
        add_chip(arena, rows, chip.device, chip.target);
    for (uint32_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->items[i];
        if (!chosen[i].decided) {
            struct comparison comparison =
                run_case(arena, chosen[i].c, options, chosen[i].entry, answers[next++],
                         chip.target);
            fill_row(arena, &comparison, options->known, chosen[i].entry, chosen[i].changed,
                     row);
        }
        rows->totals[row->result]++;
    }
    return true;
}

/* --- for people ------------------------------------------------------------------------- */

void writer_words(struct text *out, const struct writer_place *m)
{
    if (!m->found)
        return;
    text_printf(out, "written by block %u,%u,%u thread %u,%u,%u", m->block[0], m->block[1],
                m->block[2], m->thread[0], m->thread[1], m->thread[2]);
    if (m->file && m->line)
        text_printf(out, ", %s:%u", m->file, m->line);
    if (m->text_line)
        text_printf(out, ", PTX line %u", m->text_line);
}

/* The same behind a message. */
void mismatch_place(struct text *out, const struct mismatch *m)
{
    if (!m->writer.found)
        return;
    text_puts(out, " (");
    writer_words(out, &m->writer);
    text_putc(out, ')');
}

void mismatch_histogram(struct text *out, const struct mismatch *m)
{
    if (!m->is_float)
        return;
    for (unsigned i = 0; i < ULP_CLASSES; i++) {
        unsigned least = i ? (1u << (i - 1)) + 1 : 1, most = 1u << i;
        if (!m->ulps[i])
            continue;
        if (i == ULP_CLASSES - 1)
            text_printf(out, "  %8" PRIu64 " by more than %u ulp\n", m->ulps[i], least - 1);
        else if (least == most)
            text_printf(out, "  %8" PRIu64 " by %u ulp\n", m->ulps[i], most);
        else
            text_printf(out, "  %8" PRIu64 " by %u to %u ulp\n", m->ulps[i], least, most);
    }
    if (m->other_sign)
        text_printf(out, "  %8" PRIu64 " of other sign\n", m->other_sign);
    if (m->nan)
        text_printf(out, "  %8" PRIu64 " with a NaN\n", m->nan);
}

void rows_text(struct text *out, const struct rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        if (row->result != ROW_FAILED)
            continue;
        text_printf(out, "FAILED %s\n    %s", row->name, row->message);
        mismatch_place(out, &row->mismatch);
        text_printf(out, "\n    %s\n", row->file);
    }
    text_printf(out, "%u passed, %u failed, %u known, %u skipped\n", rows->totals[ROW_PASSED],
                rows->totals[ROW_FAILED], rows->totals[ROW_KNOWN], rows->totals[ROW_SKIPPED]);
}

/* --- JSON -------------------------------------------------------------------------------- */

static void set_text(json_t *object, const char *name, const char *text)
{
    json_object_set_new(object, name, json_text(text));
}

static json_t *triple(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *mismatch_json(const struct mismatch *m, const struct rows_options *options)
{
    json_t *out = json_object();
    char digits[24];

    if (m->output->source == RECORDED_GLOBAL)
        set_text(out, "variable", m->output->name);
    else
        json_object_set_new(out, "argument", json_integer(m->output->argument));
    set_text(out, "type", element_name(m->output->element));
    json_object_set_new(out, "element", json_integer((json_int_t)m->element));
    snprintf(digits, sizeof digits, "0x%" PRIx64, m->expected);
    set_text(out, options->live ? "gpu" : "recorded", digits);
    snprintf(digits, sizeof digits, "0x%" PRIx64, m->actual);
    set_text(out, options->device && !options->live ? "gpu" : "emulator", digits);
    json_object_set_new(out, "differing", json_integer((json_int_t)m->differing));
    json_object_set_new(out, "count", json_integer((json_int_t)m->count));
    const struct writer_place *writer = &m->writer;
    if (writer->found) {
        json_object_set_new(out, "block", triple(writer->block));
        json_object_set_new(out, "thread", triple(writer->thread));
        if (writer->text_line)
            json_object_set_new(out, "ptx_line", json_integer(writer->text_line));
        if (writer->file && writer->line) {
            set_text(out, "file", writer->file);
            json_object_set_new(out, "line", json_integer(writer->line));
        }
    }
    return out;
}

void rows_json(struct text *out, const struct rows *rows, const struct rows_options *options)
{
    json_t *root = json_object(), *cases = json_array();

    set_text(root, "simtlab", sl_version());
    for (int i = 0; i < ROW_RESULTS; i++)
        json_object_set_new(root, RESULT_NAMES[i], json_integer(rows->totals[i]));
    if (options->shards > 1)
        json_object_set_new(root, "shard",
                            json_pack("[I,I]", (json_int_t)options->shard + 1,
                                      (json_int_t)options->shards));
    json_object_set_new(root, "seed", json_integer((json_int_t)options->emulate.seed));
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        json_t *object = json_object();
        set_text(object, "name", row->name);
        set_text(object, "recording", row->file);
        set_text(object, "result", RESULT_NAMES[row->result]);
        if (*row->message)
            set_text(object, "message", row->message);
        if (row->because)
            set_text(object, "because", row->because);
        if (row->mismatch.output)
            json_object_set_new(object, "mismatch", mismatch_json(&row->mismatch, options));
        json_array_append_new(cases, object);
    }
    json_object_set_new(root, "cases", cases);
    char *text = json_dumps(root, JSON_INDENT(1));
    if (!text)
        out_of_memory(0);
    text_puts(out, text);
    text_putc(out, '\n');
    free(text);
    json_decref(root);
}

/* --- JUnit --------------------------------------------------------------------------------- */

void rows_junit(struct text *out, const struct rows *rows)
{
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuite name=\"simtlab conform\" tests=\"%u\" failures=\"%u\" "
                "errors=\"0\" skipped=\"%u\">\n",
                rows->count, rows->totals[ROW_FAILED],
                rows->totals[ROW_KNOWN] + rows->totals[ROW_SKIPPED]);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        text_puts(out, "<testcase classname=\"");
        text_markup(out, row->file);
        text_puts(out, "\" name=\"");
        text_markup(out, row->name);
        text_puts(out, "\"");
        if (row->result == ROW_PASSED) {
            text_puts(out, "/>\n");
            continue;
        }
        text_printf(out, "><%s message=\"",
                    row->result == ROW_FAILED ? "failure" : "skipped");
        text_markup(out, row->result == ROW_FAILED ? row->message : row->because);
        text_puts(out, "\"/></testcase>\n");
    }
    text_puts(out, "</testsuite>\n");
}
