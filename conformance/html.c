/* SPDX-License-Identifier: Apache-2.0
 *
 * html.c - see html.h. A row for each case, and for each output of it a plot: where in
 * the buffer elements differ, and how far floating-point ones are apart. No scripts but
 * the few lines that hide rows; no times, so the same run gives the same bytes. */
#include "config.h"

#include "conformance/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "simtlab/simtlab.h"

static const char *const RESULTS[ROW_RESULTS] = {"passed", "failed", "known", "skipped"};

static const char STYLE[] =
    ":root{--text:#1c2430;--soft:#5d6b7e;--line:#dfe4ea;--back:#fff;--band:#f5f7f9;"
    "--passed:#1d7f4e;--failed:#c22f3d;--known:#a86a00;--skipped:#7a8594}\n"
    "@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--soft:#98a5b6;--line:#323b47;"
    "--back:#151a21;--band:#1c232c;--passed:#4cc38a;--failed:#ff6f7d;--known:#f0b44c;"
    "--skipped:#8c98a8}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:var(--text);background:var(--back);"
    "margin:0 auto;max-width:76rem;padding:2rem 1.25rem 4rem}\n"
    "h1{font-size:1.35rem;margin:0 0 .25rem}p.sub{color:var(--soft);margin:0 0 1.25rem}\n"
    ".totals{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin-bottom:1rem}\n"
    ".totals label{display:flex;gap:.4rem;align-items:center;cursor:pointer}\n"
    ".totals b{font-size:1.15rem;font-variant-numeric:tabular-nums}\n"
    ".bar{height:8px;border-radius:4px;overflow:hidden;display:flex;margin:0 0 1.25rem;"
    "background:var(--line)}\n.bar i{display:block;height:100%}\n"
    "input[type=search]{margin-left:auto;padding:.35rem .6rem;border:1px solid var(--line);"
    "border-radius:6px;background:var(--back);color:inherit;font:inherit;width:16rem}\n"
    "table{border-collapse:collapse;width:100%;table-layout:fixed}\n"
    "col.name{width:26%}col.result{width:5.5rem}col.plots{width:17.5rem}\n"
    "th{text-align:left;font-weight:600;color:var(--soft);font-size:.8rem;padding:.3rem .6rem;"
    "border-bottom:1px solid var(--line)}\n"
    "td{padding:.45rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
    "tr.failed td:first-child{box-shadow:inset 3px 0 var(--failed)}\n"
    "td.name{font-weight:600;overflow-wrap:anywhere}td.name span{display:block;font-weight:400;color:var(--soft);"
    "font-size:.8rem}\n"
    ".passed b{color:var(--passed)}.failed b{color:var(--failed)}.known b{color:var(--known)}"
    ".skipped b{color:var(--skipped)}\n"
    "td.what{font:12.5px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}\n"
    "td.what em{font-style:normal;color:var(--soft);display:block}\n"
    "td.plots{white-space:nowrap}figure{margin:0 0 .4rem}\n"
    "figcaption{font-size:.75rem;color:var(--soft)}svg{display:block}\n"
    "svg text{font:10px system-ui,sans-serif;fill:var(--soft)}\n"
    "#t.no-passed tr.passed,#t.no-failed tr.failed,#t.no-known tr.known,"
    "#t.no-skipped tr.skipped,tr.hidden{display:none}\n"
    "@media(max-width:52rem){thead{display:none}table,tbody,tr,td{display:block}"
    "td{border:0;padding:.15rem .6rem}td:empty{display:none}"
    "tr{border-bottom:1px solid var(--line);padding:.4rem 0}"
    "tr.failed{box-shadow:inset 3px 0 var(--failed)}tr.failed td:first-child{box-shadow:none}"
    "input[type=search]{margin-left:0;width:100%}}\n";

static const char SCRIPT[] =
    "for(const box of document.querySelectorAll('.totals input[type=checkbox]'))"
    "box.onchange=()=>document.getElementById('t').classList.toggle('no-'+box.value,!box.checked)\n"
    "document.getElementById('find').oninput=e=>{const w=e.target.value.toLowerCase();"
    "for(const r of document.querySelectorAll('#t tbody tr'))"
    "r.classList.toggle('hidden',!r.textContent.toLowerCase().includes(w))}\n";

/* --- plots ---------------------------------------------------------------------------- */

enum {
    PLOT_WIDTH = 256,
    STRIP_HEIGHT = 10,
    BARS_HEIGHT = 56,
    /* Bars: distances, a gap, other signs, a gap, NaNs. */
    SIGN_SLOT = ULP_CLASSES + 1,
    NAN_SLOT = ULP_CLASSES + 3,
    SLOT = PLOT_WIDTH / (ULP_CLASSES + 4)
};

/* Where in the buffer: a strip, a cell for each part of it. */
static void write_strip(struct text *out, const struct mismatch *m)
{
    unsigned cells = m->count < STRIP_CELLS ? (unsigned)m->count : STRIP_CELLS;

    if (!cells)
        return;
    text_printf(out, "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"where elements "
                     "differ\"><rect width=\"%d\" height=\"%d\" rx=\"2\" fill=\"var(--%s)\" "
                     "opacity=\"%s\"/>", PLOT_WIDTH, STRIP_HEIGHT, PLOT_WIDTH, STRIP_HEIGHT,
                m->differing ? "skipped" : "passed", m->differing ? ".18" : ".55");
    for (unsigned i = 0; i < cells; i++) {
        if (!m->strip[i])
            continue;
        /* Elements of this cell, so that a few of many still show. */
        uint64_t of = (m->count * (i + 1) + cells - 1) / cells - (m->count * i + cells - 1) / cells;
        unsigned percent = of ? (unsigned)(m->strip[i] * 40 / of) + 60 : 100;
        text_printf(out, "<rect x=\"%u\" width=\"%u\" height=\"%d\" fill=\"var(--failed)\" "
                         "opacity=\"%u%%\"/>", i * PLOT_WIDTH / cells,
                    (i + 1) * PLOT_WIDTH / cells - i * PLOT_WIDTH / cells, STRIP_HEIGHT, percent);
    }
    text_puts(out, "</svg>");
}

/* The number of binary digits: bars grow with the logarithm of the count. */
static unsigned digits(uint64_t count)
{
    unsigned n = 0;

    for (; count; count >>= 1)
        n++;
    return n;
}

static void write_bar(struct text *out, unsigned slot, uint64_t count, unsigned most,
                      const char *label, const char *title)
{
    enum { TOP = 4, BOTTOM = BARS_HEIGHT - 14 };
    unsigned height = most ? digits(count) * (BOTTOM - TOP) / most : 0;

    if (count)
        text_printf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"1\" "
                         "fill=\"var(--failed)\"><title>%" PRIu64 " %s</title></rect>",
                    slot * SLOT + 1, BOTTOM - height, SLOT - 2, height, count, title);
    if (*label)
        text_printf(out, "<text x=\"%u\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                    slot * SLOT + SLOT / 2, BARS_HEIGHT - 3, label);
}

/* How far floating-point elements are apart: 1, 2, 3-4, ... units in the last place, then
 * other signs and NaNs. */
static void write_distances(struct text *out, const struct mismatch *m)
{
    unsigned most = digits(m->other_sign > m->nan ? m->other_sign : m->nan);

    for (unsigned i = 0; i < ULP_CLASSES; i++)
        most = digits(m->ulps[i]) > most ? digits(m->ulps[i]) : most;
    text_printf(out, "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"distances in units "
                     "of the last place\"><line x1=\"0\" x2=\"%d\" y1=\"%d\" y2=\"%d\" "
                     "stroke=\"var(--line)\"/>", PLOT_WIDTH, BARS_HEIGHT, PLOT_WIDTH,
                BARS_HEIGHT - 14, BARS_HEIGHT - 14);
    for (unsigned i = 0; i < ULP_CLASSES; i++) {
        char title[64], label[16] = "";
        if (i == ULP_CLASSES - 1)
            snprintf(title, sizeof title, "by more than %u ulp", 1u << (i - 1));
        else
            snprintf(title, sizeof title, "by up to %u ulp", 1u << i);
        if (i % 4 == 0)
            snprintf(label, sizeof label, "%u", 1u << i);
        else if (i == ULP_CLASSES - 1)
            snprintf(label, sizeof label, "more");
        write_bar(out, i, m->ulps[i], most, label, title);
    }
    write_bar(out, SIGN_SLOT, m->other_sign, most, "&#177;", "of other sign");
    write_bar(out, NAN_SLOT, m->nan, most, "NaN", "with a NaN");
    text_puts(out, "</svg>");
}

static void write_plots(struct text *out, const struct row *row)
{
    enum { SHOWN = 8 };

    for (uint32_t i = 0; i < row->output_count && i < SHOWN; i++) {
        const struct mismatch *m = &row->outputs[i];
        text_puts(out, "<figure>");
        write_strip(out, m);
        if (m->differing && m->is_float)
            write_distances(out, m);
        text_puts(out, "<figcaption>");
        if (m->output->source == RECORDED_GLOBAL)
            text_markup(out, m->output->name);
        else
            text_printf(out, "argument %u", m->output->argument);
        text_printf(out, ", %s[%" PRIu64 "]: %s%" PRIu64 "%s</figcaption></figure>",
                    element_name(m->output->element), m->count, m->differing ? "" : "all ",
                    m->differing ? m->differing : m->count,
                    !m->differing ? " alike" : m->is_float ? " differ, by ulp" : " differ");
    }
    if (row->output_count > SHOWN)
        text_printf(out, "<figcaption>and %u more</figcaption>", row->output_count - SHOWN);
}

/* --- the page ------------------------------------------------------------------------------ */

static void write_head(struct text *out, const struct rows *rows,
                       const struct rows_options *options)
{
    text_printf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n"
                     "<title>simtlab conform: %u of %u passed</title>\n<style>%s</style></head>\n"
                     "<body><h1>Conformance</h1>\n<p class=\"sub\">simtlab %s, %s against ",
                rows->totals[ROW_PASSED], rows->count, STYLE, sl_version(),
                options->device && !options->live ? options->device_name
                                                  : executor_words(&options->emulate));
    text_markup(out, rows->chips && *rows->chips ? rows->chips : "recordings");
    if (options->shards > 1)
        text_printf(out, ", shard %" PRIu64 " of %" PRIu64, options->shard + 1, options->shards);
    text_puts(out, "</p>\n<div class=\"totals\">");
    for (int i = 0; i < ROW_RESULTS; i++)
        text_printf(out, "<label class=\"%s\"><input type=\"checkbox\" value=\"%s\" checked>"
                         "<b>%u</b> %s</label>\n", RESULTS[i], RESULTS[i], rows->totals[i],
                    RESULTS[i]);
    text_puts(out, "<input type=\"search\" id=\"find\" placeholder=\"find a case\" "
                   "aria-label=\"find a case\"></div>\n<div class=\"bar\">");
    for (int i = 0; i < ROW_RESULTS && rows->count; i++)
        text_printf(out, "<i style=\"width:%u.%02u%%;background:var(--%s)\"></i>",
                    rows->totals[i] * 100 / rows->count,
                    rows->totals[i] * 10000 / rows->count % 100, RESULTS[i]);
    text_puts(out, "</div>\n<table id=\"t\"><colgroup><col class=\"name\"><col class=\"result\"><col>"
                   "<col class=\"plots\"></colgroup>\n<thead><tr><th>case</th><th>result</th>"
                   "<th>what differs</th><th class=\"plots\">outputs</th></tr></thead><tbody>\n");
}

static void write_row(struct text *out, const struct row *row)
{
    text_printf(out, "<tr class=\"%s\"><td class=\"name\">", RESULTS[row->result]);
    text_markup(out, row->name);
    text_puts(out, "<span>");
    text_markup(out, row->file);
    text_printf(out, "</span></td><td><b>%s</b></td><td class=\"what\">", RESULTS[row->result]);
    text_markup(out, row->message);
    if (row->mismatch.output) {
        struct text place = {0};
        mismatch_place(&place, &row->mismatch);
        text_markup(out, text_string(&place));
        text_free(&place);
    }
    if (row->because && row->result != ROW_PASSED) {
        text_puts(out, "<em>because ");
        text_markup(out, row->because);
        text_puts(out, "</em>");
    }
    text_puts(out, "</td><td class=\"plots\">");
    write_plots(out, row);
    text_puts(out, "</td></tr>\n");
}

void rows_html(struct text *out, const struct rows *rows, const struct rows_options *options)
{
    /* What needs a look comes first. */
    static const enum row_result order[ROW_RESULTS] = {ROW_FAILED, ROW_KNOWN, ROW_SKIPPED,
                                                       ROW_PASSED};

    write_head(out, rows, options);
    for (int i = 0; i < ROW_RESULTS; i++)
        for (uint32_t k = 0; k < rows->count; k++)
            if (rows->items[k].result == order[i])
                write_row(out, &rows->items[k]);
    text_printf(out, "</tbody></table>\n<script>%s</script></body></html>\n", SCRIPT);
}
