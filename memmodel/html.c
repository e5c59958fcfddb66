/* SPDX-License-Identifier: Apache-2.0
 *
 * html.c - one page that steps through the executions of a test. */
#include "memmodel/graph.h"
#include "memmodel/report.h"

/* What each step adds to the picture, and how it reads. */
static const struct {
    const char *title, *edges, *text;
} steps[] = {
    {"Program order", "po rmw dep issue",
     "The events of each thread in program order; the halves of an atomic; what "
     "depends on a read; copies that are issued here and run by themselves."},
    {"Reads-from", "rf", "Every read takes its value from one write."},
    {"Observation", "obs",
     "A write is observed by a read that takes its value, if the two are morally "
     "strong, and on through atomics."},
    {"Synchronization", "sync bar sc done",
     "Release patterns that are observed by acquire patterns, barriers, the order "
     "of SC fences, completed copies."},
    {"Causality", "cause",
     "Program order and synchronization, followed as far as proxies allow; and what "
     "an observed write inherits from its reader."},
    {"Coherence", "co",
     "Writes to the same bytes, as far as they are ordered. Racing writes stay "
     "unordered."},
    {"From-reads", "fr", "A read comes before the writes that overwrite its source."},
    {"Axioms", "", "The verdict: see below the picture."},
};

enum { STEP_COUNT = sizeof steps / sizeof *steps, MAX_PAGES = 40 };

static const char style[] =
    "body{font-family:Helvetica,Arial,sans-serif;margin:1.5em;max-width:90em}"
    "pre{background:#f4f6fa;padding:.7em;overflow:auto}"
    ".page{display:none}.page.on{display:block}"
    "button{margin-right:.4em}.step{font-weight:bold}"
    ".edge{transition:opacity .2s}.edge.off{opacity:0}.edge.new path{stroke-width:3}"
    "figure{margin:0;overflow:auto}"
    "table{border-collapse:collapse}td,th{border:1px solid #aab;padding:.2em .6em}"
    ".count{text-align:right}.wrong{background:#fcc}";

static const char script[] =
    "var page=0,step=0;\n"
    "function show(){\n"
    "  var pages=document.querySelectorAll('.page');\n"
    "  for(var i=0;i<pages.length;i++)pages[i].classList.toggle('on',i==page);\n"
    "  var seen={},fresh={};\n"
    "  for(var s=0;s<=step;s++)STEPS[s].edges.split(' ').forEach(function(e){\n"
    "    seen[e]=1;if(s==step)fresh[e]=1;});\n"
    "  var edges=document.querySelectorAll('.edge');\n"
    "  for(var k=0;k<edges.length;k++){\n"
    "    var kind=edges[k].getAttribute('class').match(/e-(\\w+)/)[1];\n"
    "    edges[k].classList.toggle('off',!seen[kind]);\n"
    "    edges[k].classList.toggle('new',!!fresh[kind]);}\n"
    "  document.getElementById('step').textContent=(step+1)+'/'+STEPS.length+'  '+\n"
    "    STEPS[step].title+'. '+STEPS[step].text;}\n"
    "function go(d){step=Math.max(0,Math.min(STEPS.length-1,step+d));show();}\n"
    "function pick(v){page=+v;show();}\n"
    "document.onkeydown=function(e){if(e.key=='ArrowRight')go(1);"
    "if(e.key=='ArrowLeft')go(-1);};\n"
    "show();\n";

static void write_page(struct text *out, struct arena *arena, const struct analysis *a,
                       const struct example *example, const char *title,
                       uint32_t broken)
{
    const struct candidate *c = &example->c;
    const struct execution *x = &example->x;
    struct text words = {0};

    text_puts(out, "<section class=\"page\"><figure>\n");
    write_svg(out, arena, c, x, title, true);
    text_puts(out, "</figure>\n<pre>");
    if (!broken)
        text_puts(&words, "All axioms hold: this execution is allowed.\n\n");
    for (uint32_t i = 0; i < a->model->axiom_count; i++) {
        struct cycle cycle;
        if (!(broken >> i & 1))
            continue;
        axiom_cycle(c, x, i, &cycle);
        text_printf(&words, "Forbidden by %s: %s.\n", a->model->axioms[i]->name,
                    a->model->axioms[i]->statement);
        write_cycle(&words, arena, c, x, &cycle, "  ");
        text_putc(&words, '\n');
    }
    write_execution(&words, arena, c, x, "");
    write_escaped(out, text_string(&words));
    text_free(&words);
    text_puts(out, "</pre></section>\n");
}

static void write_option(struct text *out, uint32_t value, const char *title,
                         bool selected)
{
    text_printf(out, "<option value=\"%u\"%s>", value, selected ? " selected" : "");
    write_escaped(out, title);
    text_puts(out, "</option>\n");
}

void write_html(struct text *out, struct arena *arena, const struct analysis *a,
                const struct outcomes *outcomes, const char *more)
{
    const struct forbidden *asked = asked_outcome(outcomes);
    struct text pages = {0};
    uint32_t count = 0, selected = MAX_PAGES; /* none yet */

    text_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    write_escaped(out, a->test->name);
    text_printf(out, "</title><style>%s</style></head><body>\n<h1>", style);
    write_escaped(out, a->test->name);
    text_puts(out, "</h1>\n<p>");
    write_escaped(out, a->test->description);
    text_puts(out, "</p>\n<details><summary>The test</summary><pre>");
    struct text source = {0};
    text_add(&source, a->test->source, a->test->source_size);
    write_escaped(out, text_string(&source));
    text_free(&source);
    text_printf(out, "</pre></details>\n<p>Model %s. The outcome asked about is <b>",
                a->model->name);
    write_escaped(out, verdict_word(a));
    text_puts(out, "</b>.</p>\n<p><select onchange=\"pick(this.value)\">\n");
    for (uint32_t i = 0; i < a->count && count < MAX_PAGES; i++) {
        const struct state *s = &a->items[i];
        if (!s->example)
            continue;
        const char *title = arena_printf(arena, "allowed: %s",
                                         state_words(arena, a, s->values));
        bool is_first = selected == MAX_PAGES && state_is_asked(a, s->values);
        if (is_first)
            selected = count;
        write_option(out, count++, title, is_first);
        write_page(&pages, arena, a, s->example, title, 0);
    }
    for (uint32_t i = 0; i < outcomes->count && count < MAX_PAGES; i++) {
        const struct forbidden *f = &outcomes->items[i];
        const char *title = arena_printf(arena, "forbidden: %s",
                                         state_words(arena, a, f->values));
        bool is_first = selected == MAX_PAGES && f == asked;
        if (is_first)
            selected = count;
        write_option(out, count++, title, is_first);
        write_page(&pages, arena, a, f->example, title, f->broken);
    }
    text_puts(out, "</select>\n<button onclick=\"go(-1)\">Back</button><button "
              "onclick=\"go(1)\">Next</button>\n<span id=\"step\" class=\"step\"></span></p>\n");
    text_puts(out, text_string(&pages));
    text_free(&pages);
    text_puts(out, more);
    text_puts(out, "<script>\nvar STEPS=[");
    for (uint32_t s = 0; s < STEP_COUNT; s++)
        text_printf(out, "%s\n{title:\"%s\",edges:\"%s\",text:\"%s\"}", s ? "," : "",
                    steps[s].title, steps[s].edges, steps[s].text);
    text_printf(out, "];\n%s", script);
    if (selected < MAX_PAGES)
        text_printf(out, "pick(%u);\n", selected);
    text_puts(out, "</script></body></html>\n");
}
