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
    ":root{--text:#1c2430;--soft:#5d6b7e;--line:#cdd4de;--back:#fff;--band:#f4f6fa;"
    "--wrong:#fcc}\n"
    "@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--soft:#98a5b6;--line:#3a4552;"
    "--back:#151a21;--band:#1e2630;--wrong:#6b2530}"
    /* The picture has colours of its own; their hues stay. */
    "svg{filter:invert(1) hue-rotate(180deg)}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:var(--text);background:var(--back);"
    "margin:0 auto;max-width:90rem;padding:2rem 1.25rem 4rem}\n"
    "h1{font-size:1.35rem;margin:0 0 .25rem;overflow-wrap:anywhere}h2{font-size:1.1rem}\n"
    "pre{font:12.5px/1.5 ui-monospace,monospace;background:var(--band);padding:.7em;"
    "border-radius:6px;overflow:auto}\n"
    "summary{cursor:pointer}\n"
    ".page{display:none}.page.on{display:block}\n"
    ".controls{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0 .75rem}\n"
    "select,button{font:inherit;color:inherit;background:var(--band);padding:.35rem .7rem;"
    "border:1px solid var(--line);border-radius:6px}\n"
    "select{max-width:100%;min-width:0;flex:0 1 auto}button:disabled{color:var(--soft)}\n"
    "#step{margin:0 0 1rem;min-height:3em}\n"
    ".defs{position:absolute}.paper{fill:none}"
    ".edge{transition:opacity .2s}.edge.off{opacity:0}"
    ".edge.new path{stroke-width:3}.edge.new text{font-weight:bold}\n"
    "figure{margin:0;overflow:auto}\n"
    ".wide{overflow:auto}table{border-collapse:collapse}"
    "td,th{border:1px solid var(--line);padding:.2em .6em}"
    ".count{text-align:right}.wrong{background:var(--wrong)}\n";

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
    "  document.getElementById('title').textContent=(step+1)+'/'+STEPS.length+' '+\n"
    "    STEPS[step].title+'.';\n"
    "  document.getElementById('text').textContent=' '+STEPS[step].text;\n"
    "  document.getElementById('back').disabled=!step;\n"
    "  document.getElementById('next').disabled=step==STEPS.length-1;}\n"
    "function go(d){step=Math.max(0,Math.min(STEPS.length-1,step+d));show();}\n"
    "function pick(v){page=+v;show();}\n"
    "document.onkeydown=function(e){if(e.target.tagName=='SELECT')return;\n"
    "  if(e.key=='ArrowRight')go(1);if(e.key=='ArrowLeft')go(-1);};\n"
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

/* What is in the page so far: the list to choose from and what is chosen. */
struct pages {
    struct text options, sections;
    uint32_t count, left_out;
};

static void add_page(struct pages *pages, struct arena *arena, const struct analysis *a,
                     const struct example *example, const char *title, uint32_t broken)
{
    if (pages->count == MAX_PAGES) {
        pages->left_out++;
        return;
    }
    text_printf(&pages->options, "<option value=\"%u\">", pages->count++);
    write_escaped(&pages->options, title);
    text_puts(&pages->options, "</option>\n");
    write_page(&pages->sections, arena, a, example, title, broken);
}

static void add_allowed(struct pages *pages, struct arena *arena, const struct analysis *a,
                        bool asked)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const struct state *s = &a->items[i];
        if (s->example && state_is_asked(a, s->values) == asked)
            add_page(pages, arena, a, s->example,
                     arena_printf(arena, "allowed: %s", state_words(arena, a, s->values)), 0);
    }
}

static void add_forbidden(struct pages *pages, struct arena *arena, const struct analysis *a,
                          const struct outcomes *outcomes, bool asked)
{
    for (uint32_t i = 0; i < outcomes->count; i++) {
        const struct forbidden *f = &outcomes->items[i];
        if ((f == asked_outcome(outcomes)) == asked)
            add_page(pages, arena, a, f->example,
                     arena_printf(arena, "forbidden: %s", state_words(arena, a, f->values)),
                     f->broken);
    }
}

void write_html(struct text *out, struct arena *arena, const struct analysis *a,
                const struct outcomes *outcomes, const char *more)
{
    struct pages pages = {0};

    /* First what the test asks about: that is what the page opens with. */
    add_allowed(&pages, arena, a, true);
    add_forbidden(&pages, arena, a, outcomes, true);
    add_allowed(&pages, arena, a, false);
    add_forbidden(&pages, arena, a, outcomes, false);

    text_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
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
    text_puts(out, "</b>.</p>\n<div class=\"controls\"><select onchange=\"pick(this.value)\">\n");
    text_puts(out, text_string(&pages.options));
    text_puts(out, "</select>\n<button id=\"back\" onclick=\"go(-1)\">Back</button><button "
              "id=\"next\" onclick=\"go(1)\">Next</button></div>\n<p id=\"step\">"
              "<b id=\"title\"></b><span id=\"text\"></span></p>\n"
              "<svg class=\"defs\" width=\"0\" height=\"0\">\n");
    write_svg_markers(out);
    text_puts(out, "</svg>\n");
    text_puts(out, text_string(&pages.sections));
    if (pages.left_out)
        text_printf(out, "<p>%u more outcomes are not on this page.</p>\n", pages.left_out);
    text_free(&pages.options);
    text_free(&pages.sections);
    text_puts(out, more);
    text_puts(out, "<script>\nvar STEPS=[");
    for (uint32_t s = 0; s < STEP_COUNT; s++)
        text_printf(out, "%s\n{title:\"%s\",edges:\"%s\",text:\"%s\"}", s ? "," : "",
                    steps[s].title, steps[s].edges, steps[s].text);
    text_printf(out, "];\n%s</script></body></html>\n", script);
}
