/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c - what to draw of an execution, and the DOT form. */
#include "memmodel/graph.h"

#include <string.h>

/* Black for the program, red for values, blue for the order of writes, orange
 * where a read is behind, green for synchronization: as herd colours them. */
const char *edge_colour(enum edge edge)
{
    static const char *const colours[EDGE_COUNT] = {
        [EDGE_PO] = "#000000", [EDGE_RF] = "#cc0000", [EDGE_CO] = "#0044cc",
        [EDGE_FR] = "#e07000", [EDGE_RMW] = "#555555", [EDGE_DEP] = "#7a4fd0",
        [EDGE_SYNC] = "#008800", [EDGE_BARRIER] = "#008800", [EDGE_SC] = "#aa00aa",
        [EDGE_COMPLETION] = "#008888", [EDGE_ISSUE] = "#777777",
        [EDGE_OBS] = "#cc6688", [EDGE_CAUSE] = "#999999"};

    return colours[edge];
}

static void add_edge(struct drawing *d, uint64_t from, uint64_t to, enum edge edge)
{
    if (d->count == MAX_DRAWN) {
        d->left_out = true;
        return;
    }
    d->edges[d->count++] = (struct drawn_edge){(uint32_t)from, (uint32_t)to, edge};
}

/* Pairs that do not follow from two others of the relation. */
static void add_reduced(struct drawing *d, const struct relation *r, uint32_t count,
                        enum edge edge)
{
    for (uint32_t a = 0; a < count; a++) {
        event_set indirect = 0;
        for (FOR_EACH(m, r->row[a]))
            indirect |= r->row[m] & ~set_of((uint32_t)m);
        for (FOR_EACH(b, r->row[a] & ~indirect))
            add_edge(d, a, b, edge);
    }
}

static void add_all(struct drawing *d, const struct relation *r, uint32_t count,
                    enum edge edge)
{
    for (uint32_t a = 0; a < count; a++)
        for (FOR_EACH(b, r->row[a]))
            add_edge(d, a, b, edge);
}

/* From the last instruction before a copy to its first step. */
static void add_issue(struct drawing *d, const struct candidate *c)
{
    for (uint32_t a = 0; a < c->count; a++)
        for (FOR_EACH(b, c->issue.row[a])) {
            bool implied = false;
            for (FOR_EACH(later, c->po.row[a]))
                implied |= relates(&c->issue, later, b);
            for (FOR_EACH(step, c->issue.row[a]))
                implied |= relates(&c->po, step, b);
            if (!implied)
                add_edge(d, a, b, EDGE_ISSUE);
        }
}

void draw_execution(const struct candidate *c, const struct execution *x,
                    struct drawing *d)
{
    struct relation obs = x->obs, cause = x->cause;

    d->count = 0;
    d->left_out = false;
    add_reduced(d, &c->po, c->count, EDGE_PO);
    add_issue(d, c);
    add_all(d, &c->rmw, c->count, EDGE_RMW);
    add_reduced(d, &c->dep, c->count, EDGE_DEP);
    add_all(d, &x->rf, c->count, EDGE_RF);
    for (uint32_t i = 0; i < c->count; i++)
        obs.row[i] &= ~x->rf.row[i]; /* drawn as reads-from already */
    add_all(d, &obs, c->count, EDGE_OBS);
    add_all(d, &x->sync, c->count, EDGE_SYNC);
    add_all(d, &x->barrier, c->count, EDGE_BARRIER);
    add_all(d, &c->completion, c->count, EDGE_COMPLETION);
    add_reduced(d, &x->sc, c->count, EDGE_SC);
    for (uint32_t i = 0; i < c->count; i++)
        cause.row[i] &= ~(c->po.row[i] | c->issue.row[i]);
    add_all(d, &cause, c->count, EDGE_CAUSE);
    add_reduced(d, &x->co, c->count, EDGE_CO);
    for (uint32_t r = 0; r < c->count; r++) {
        event_set later = 0;
        for (FOR_EACH(w, x->fr.row[r]))
            later |= x->co.row[w];
        if (c->events[r].partner != NO_EVENT)
            later |= set_of(c->events[r].partner); /* goes without saying */
        for (FOR_EACH(w, x->fr.row[r] & ~later))
            add_edge(d, r, w, EDGE_FR);
    }
}

static void write_quoted(struct text *out, const char *string)
{
    text_putc(out, '"');
    for (; *string; string++) {
        if (*string == '"' || *string == '\\')
            text_putc(out, '\\');
        text_putc(out, *string);
    }
    text_putc(out, '"');
}

static void write_node(struct text *out, struct arena *arena, const struct candidate *c,
                       const struct execution *x, uint32_t event, const char *indent)
{
    text_printf(out, "%se%u [label=", indent, event);
    write_quoted(out, event_short(arena, c, x, event));
    text_puts(out, ", shape=box];\n");
}

void write_dot(struct text *out, struct arena *arena, const struct candidate *c,
               const struct execution *x, const char *title)
{
    struct drawing *d = ARENA_NEW(arena, struct drawing);

    draw_execution(c, x, d);
    text_puts(out, "digraph execution {\n  label=");
    write_quoted(out, title);
    text_puts(out, ";\n  fontname=\"Helvetica\"; node [fontname=\"Helvetica\"]; "
              "edge [fontname=\"Helvetica\", fontsize=10];\n");
    for (FOR_EACH(i, c->initial))
        if (c->loc.row[i])
            write_node(out, arena, c, x, (uint32_t)i, "  ");
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        text_printf(out, "  subgraph cluster_%u {\n    label=\"P%u, block %u\";\n", t,
                    c->test->threads[t].number, c->test->threads[t].cta);
        for (uint32_t i = 0; i < c->count; i++)
            if (c->events[i].thread == t)
                write_node(out, arena, c, x, i, "    ");
        text_puts(out, "  }\n");
    }
    for (uint32_t i = 0; i < d->count; i++) {
        const struct drawn_edge *e = &d->edges[i];
        if (e->edge == EDGE_CAUSE)
            continue; /* follows from the others */
        text_printf(out, "  e%u -> e%u [label=\"%s\", color=\"%s\", fontcolor=\"%s\"%s];\n",
                    e->from, e->to, edge_name(e->edge), edge_colour(e->edge),
                    edge_colour(e->edge), e->edge == EDGE_PO ? ", weight=10" :
                    ", constraint=false");
    }
    text_puts(out, "}\n");
}
