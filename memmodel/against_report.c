/* SPDX-License-Identifier: Apache-2.0
 *
 * against_report.c - what was seen in real runs, as text, JSON and HTML. */
#include <stdlib.h>
#include <string.h>

#include "memmodel/against.h"
#include "memmodel/graph.h"
#include "memmodel/words.h"

static const char *const order_names[] = {
    [ORDER_UNKNOWN] = "-", [ORDER_SEQUENTIAL] = "sequential",
    [ORDER_INTERLEAVED] = "interleaved", [ORDER_WEAK_ONLY] = "weak"};

static const char *class_of(const struct column *column, const struct seen *s)
{
    if (s->allowed)
        return s->runs ? "observed and allowed" : "allowed, not observed";
    if (column->outside)
        return "observed, no model";
    return column->loop_cut ? "observed, beyond bound" : "OBSERVED BUT FORBIDDEN";
}

static const char *race_problem(const struct seen *s)
{
    if (s->allowed && s->racy && !s->allowed->racy)
        return "a race was reported, but no execution with this state has one";
    if (s->allowed && s->quiet && s->allowed->racy == s->allowed->executions)
        return "no race was reported, but every execution with this state has one";
    return NULL;
}

/* --- text ------------------------------------------------------------------------------------ */

static void report_column(struct text *out, struct arena *arena, const struct analysis *a,
                          const struct column *column)
{
    text_printf(out, "\nAgainst %s, ", column->name);
    if (column->has_place)
        text_printf(out, "%s, ", many_place_words(column->place));
    if (column->not_run) {
        text_printf(out, "not run: %s\n", column->not_run);
        return;
    }
    text_printf(out, "%llu %s\n", (unsigned long long)column->runs,
                column->has_place ? "instances" : "runs");
    if (column->recorded)
        text_printf(out, "  (%s)\n", column->recorded);
    for (uint32_t i = 0; i < column->count; i++) {
        const struct seen *s = &column->items[i];
        const char *race = race_problem(s);
        text_printf(out, "%10llu  %-22s  %-11s  %s\n", (unsigned long long)s->runs,
                    class_of(column, s), order_names[s->order],
                    state_words(arena, a, s->values));
        if (race)
            text_printf(out, "            %s\n", race);
    }
    if (column->unfinished)
        text_printf(out, "%10llu  did not end\n", (unsigned long long)column->unfinished);
}

/* All states of all columns, ascending, each once. */
struct rows {
    const struct seen **items;
    uint32_t count, capacity;
};

static int compare_values(const struct seen *a, const struct seen *b)
{
    for (uint32_t i = 0; i < MAX_VARIABLES; i++)
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    return 0;
}

static int by_values(const void *a, const void *b)
{
    return compare_values(*(const struct seen *const *)a, *(const struct seen *const *)b);
}

static struct rows rows_of(struct arena *arena, const struct comparison *comparison)
{
    struct rows rows = {0};
    uint32_t kept = 0;

    for (uint32_t c = 0; c < comparison->count; c++)
        for (uint32_t i = 0; i < comparison->items[c].count; i++)
            *ARENA_PUSH(arena, &rows) = &comparison->items[c].items[i];
    if (rows.count)
        qsort(rows.items, rows.count, sizeof *rows.items, by_values);
    for (uint32_t i = 0; i < rows.count; i++)
        if (!i || compare_values(rows.items[kept - 1], rows.items[i]))
            rows.items[kept++] = rows.items[i];
    rows.count = kept;
    return rows;
}

static bool allows(const struct analysis *a, const int64_t *values)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (!memcmp(a->items[i].values, values, sizeof a->items[i].values))
            return true;
    return false;
}

static const char *model_word(const struct analysis *a, const struct seen *row)
{
    return allows(a, row->values) ? "allowed" : a->outside ? "no model" : "forbidden";
}

static const char *column_title(struct arena *arena, const struct column *column)
{
    const char *mark = column->recorded ? "*" : "";

    if (!column->has_place)
        return column->name;
    return arena_printf(arena, "%s%s %s", column->name, mark, many_place_name(column->place));
}

/* How often, "-" where it did not run; ! where the model forbids it there, + where it
 * allows it there and not where the test has its threads. */
static const char *cell(struct arena *arena, const struct analysis *a,
                        const struct column *column, const struct seen *row)
{
    if (column->not_run)
        return "-";
    for (uint32_t i = 0; i < column->count; i++)
        if (!compare_values(&column->items[i], row)) {
            const struct seen *s = &column->items[i];
            bool forbidden = !s->allowed && !column->outside && !column->loop_cut;
            bool only_there = s->allowed && !a->outside && !allows(a, row->values);
            return arena_printf(arena, "%llu%s", (unsigned long long)s->runs,
                                forbidden ? "!" : only_there ? "+" : "");
        }
    return "0";
}

static void report_table(struct text *out, struct arena *arena, const struct analysis *a,
                         const struct comparison *comparison)
{
    struct rows rows = rows_of(arena, comparison);
    bool recorded = false, only_there = false;

    text_puts(out, "\nmodel      order      ");
    for (uint32_t c = 0; c < comparison->count; c++) {
        const char *title = column_title(arena, &comparison->items[c]);
        text_printf(out, "  %*s", strlen(title) < 9 ? 9 : (int)strlen(title), title);
        recorded |= comparison->items[c].recorded != NULL;
    }
    text_puts(out, "  state\n");
    for (uint32_t i = 0; i < rows.count; i++) {
        text_printf(out, "%-9s  %-11s", model_word(a, rows.items[i]),
                    order_names[rows.items[i]->order]);
        for (uint32_t c = 0; c < comparison->count; c++) {
            const char *title = column_title(arena, &comparison->items[c]);
            const char *count = cell(arena, a, &comparison->items[c], rows.items[i]);
            text_printf(out, "  %*s", strlen(title) < 9 ? 9 : (int)strlen(title), count);
            only_there |= strchr(count, '+') != NULL;
        }
        text_printf(out, "  %s\n", state_words(arena, a, rows.items[i]->values));
    }
    if (recorded)
        text_puts(out, "* a recording, see above\n");
    if (only_there)
        text_puts(out, "+ allowed with the threads there, or once a compiler has broken false "
                  "dependencies\n");
}

void report_against(struct text *out, struct arena *arena, const struct analysis *a,
                    const struct comparison *comparison)
{
    for (uint32_t c = 0; c < comparison->count; c++)
        report_column(out, arena, a, &comparison->items[c]);
    if (comparison->count > 1)
        report_table(out, arena, a, comparison);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *string_or_null(const char *string)
{
    return string ? json_string(string) : json_null();
}

json_t *against_json(struct arena *arena, const struct analysis *a,
                     const struct comparison *comparison)
{
    json_t *all = json_array();

    for (uint32_t c = 0; c < comparison->count; c++) {
        const struct column *column = &comparison->items[c];
        json_t *states = json_array();
        bool agrees = !column->failed;
        for (uint32_t i = 0; i < column->count; i++) {
            const struct seen *s = &column->items[i];
            agrees &= !race_problem(s) && (s->allowed || column->outside || column->loop_cut);
            json_array_append_new(
                states, json_pack("{s:s, s:I, s:s, s:s, s:b, s:I}", "state",
                                  state_words(arena, a, s->values), "runs",
                                  (json_int_t)s->runs, "class", class_of(column, s), "order",
                                  order_names[s->order], "allowed", s->allowed != NULL, "racy",
                                  (json_int_t)s->racy));
        }
        json_array_append_new(
            all, json_pack("{s:s, s:o, s:I, s:b, s:o, s:o, s:I, s:o}", "executor",
                           column->name, "place",
                           string_or_null(column->has_place ? many_place_name(column->place)
                                                            : NULL),
                           "runs", (json_int_t)column->runs, "agrees", agrees, "not_run",
                           string_or_null(column->not_run), "recorded",
                           string_or_null(column->recorded), "unfinished",
                           (json_int_t)column->unfinished, "states", states));
    }
    return all;
}

/* --- HTML ------------------------------------------------------------------------------------- */

void against_html(struct text *out, struct arena *arena, const struct analysis *a,
                  const struct comparison *comparison)
{
    struct rows rows = rows_of(arena, comparison);

    text_puts(out, "<h2>What runs show</h2>\n<div class=\"wide\"><table><tr><th>state</th><th>model</th>"
              "<th>order</th>");
    for (uint32_t c = 0; c < comparison->count; c++) {
        text_puts(out, "<th>");
        write_escaped(out, column_title(arena, &comparison->items[c]));
        text_puts(out, "</th>");
    }
    text_puts(out, "</tr>\n");
    for (uint32_t i = 0; i < rows.count; i++) {
        text_puts(out, "<tr><td>");
        write_escaped(out, state_words(arena, a, rows.items[i]->values));
        text_printf(out, "</td><td>%s</td><td>%s</td>", model_word(a, rows.items[i]),
                    order_names[rows.items[i]->order]);
        for (uint32_t c = 0; c < comparison->count; c++) {
            const char *count = cell(arena, a, &comparison->items[c], rows.items[i]);
            text_printf(out, "<td class=\"count%s\">%s</td>", strchr(count, '!') ? " wrong" : "",
                        count);
        }
        text_puts(out, "</tr>\n");
    }
    text_puts(out, "</table></div>\n<ul>");
    for (uint32_t c = 0; c < comparison->count; c++) {
        const struct column *column = &comparison->items[c];
        text_puts(out, "<li>");
        write_escaped(out, column_title(arena, column));
        if (column->has_place)
            text_printf(out, " (%s)", many_place_words(column->place));
        text_puts(out, ": ");
        if (column->not_run) {
            text_puts(out, "not run: ");
            write_escaped(out, column->not_run);
        } else {
            text_printf(out, "%llu %s", (unsigned long long)column->runs,
                        column->has_place ? "instances" : "runs");
        }
        if (column->recorded) {
            text_puts(out, "; ");
            write_escaped(out, column->recorded);
        }
        text_puts(out, "</li>\n");
    }
    text_puts(out, "</ul>\n");
}
