/* SPDX-License-Identifier: Apache-2.0
 *
 * svg.c - an execution as a picture that needs no other program.
 *
 * Threads are columns, events boxes in program order. Edges are curves behind the
 * boxes, their labels stand before them; every kind has its class, so that a page
 * can show them one after the other. */
#include "memmodel/graph.h"

#include <string.h>

enum {
    COLUMN = 330, BOX_WIDTH = 215, BOX_HEIGHT = 26, ROW = 62, TOP = 96, LEFT = 24,
    INITIAL_WIDTH = 150
};

struct layout {
    int x[MAX_EVENTS], y[MAX_EVENTS], width[MAX_EVENTS];
    int total_width, total_height;
};

void write_escaped(struct text *out, const char *string)
{
    for (; *string; string++)
        switch (*string) {
        case '<': text_puts(out, "&lt;"); break;
        case '>': text_puts(out, "&gt;"); break;
        case '&': text_puts(out, "&amp;"); break;
        case '"': text_puts(out, "&quot;"); break;
        default: text_putc(out, *string);
        }
}

static void place_events(const struct candidate *c, struct layout *l)
{
    int rows = 0, initials = 0;

    for (FOR_EACH(i, c->initial)) {
        l->x[i] = LEFT + initials++ * (INITIAL_WIDTH + 20);
        l->y[i] = 40;
        l->width[i] = INITIAL_WIDTH;
    }
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        int row = 0;
        for (uint32_t i = 0; i < c->count; i++) {
            if (c->events[i].thread != t)
                continue;
            /* Asynchronous steps stand apart from the thread's own order. */
            l->x[i] = LEFT + (int)t * COLUMN + (c->events[i].chain ? 40 : 0);
            l->y[i] = TOP + 30 + row++ * ROW;
            l->width[i] = BOX_WIDTH;
        }
        rows = row > rows ? row : rows;
    }
    int columns = (int)c->test->thread_count * COLUMN;
    int top = initials * (INITIAL_WIDTH + 20);
    l->total_width = LEFT + (columns > top ? columns : top) + 40;
    l->total_height = TOP + 40 + rows * ROW;
}

/* A curve from box to box, as SVG has it: both ends, and what pulls at each. */
struct curve {
    int x1, y1, cx1, cy1, cx2, cy2, x2, y2;
};

/* At the side within a column, straight across otherwise; kinds are spread a little
 * so that they do not cover each other. */
static struct curve edge_curve(const struct layout *l, const struct drawn_edge *e)
{
    int spread = ((int)e->edge % 5 - 2) * 5;
    int y1 = l->y[e->from] + BOX_HEIGHT / 2 + spread / 2;
    int y2 = l->y[e->to] + BOX_HEIGHT / 2 + spread / 2;
    int left1 = l->x[e->from], right1 = left1 + l->width[e->from];
    int left2 = l->x[e->to], right2 = left2 + l->width[e->to];

    if (e->edge == EDGE_PO) {
        y1 = l->y[e->from] + BOX_HEIGHT;
        y2 = l->y[e->to];
        return (struct curve){left1 + 20, y1, left1 + 20, y1, left2 + 20, y2, left2 + 20, y2};
    }
    if (right1 < left2)
        return (struct curve){right1, y1, right1 + 40, y1, left2 - 40, y2, left2, y2};
    if (right2 < left1)
        return (struct curve){left1, y1, left1 - 40, y1, right2 + 40, y2, right2, y2};
    int bulge = 26 + 9 * ((int)e->edge % 4);
    return (struct curve){right1, y1, right1 + bulge, y1, right2 + bulge, y2, right2, y2};
}

static void write_edge(struct text *out, const struct layout *l,
                       const struct drawn_edge *e)
{
    const struct curve c = edge_curve(l, e);

    text_printf(out, "<g class=\"edge e-%s\"><path d=\"M%d %d C%d %d %d %d %d %d\" "
                "fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s "
                "marker-end=\"url(#a-%s)\"/></g>\n",
                edge_name(e->edge), c.x1, c.y1, c.cx1, c.cy1, c.cx2, c.cy2, c.x2, c.y2,
                edge_colour(e->edge),
                e->edge == EDGE_CAUSE || e->edge == EDGE_DEP
                    ? " stroke-dasharray=\"5 4\"" : "",
                edge_name(e->edge));
}

/* The label of each kind stands at its own place on the curve. */
static void write_edge_label(struct text *out, const struct layout *l,
                             const struct drawn_edge *e)
{
    const struct curve c = edge_curve(l, e);
    int t = e->edge == EDGE_PO ? 50 : 30 + 7 * ((int)e->edge % 6), u = 100 - t;
    int x = (u * u * u * c.x1 + 3 * u * u * t * c.cx1 + 3 * u * t * t * c.cx2 +
             t * t * t * c.x2) / 1000000;
    int y = (u * u * u * c.y1 + 3 * u * u * t * c.cy1 + 3 * u * t * t * c.cy2 +
             t * t * t * c.y2) / 1000000;

    text_printf(out, "<g class=\"edge e-%s\"><text x=\"%d\" y=\"%d\" fill=\"%s\" "
                "stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">%s</text></g>\n",
                edge_name(e->edge), x + (e->edge == EDGE_PO ? -18 : 2),
                y + (e->edge == EDGE_PO ? 4 : -3), edge_colour(e->edge),
                edge_name(e->edge));
}

void write_svg_markers(struct text *out)
{
    text_puts(out, "<defs>\n");
    for (enum edge e = 0; e < EDGE_COUNT; e++)
        text_printf(out, "<marker id=\"a-%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                    "markerWidth=\"11\" markerHeight=\"11\" markerUnits=\"userSpaceOnUse\" "
                    "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"%s\"/></marker>\n",
                    edge_name(e), edge_colour(e));
    text_puts(out, "</defs>\n");
}

void write_svg(struct text *out, struct arena *arena, const struct candidate *c,
               const struct execution *x, const char *title, bool in_page)
{
    struct drawing *d = ARENA_NEW(arena, struct drawing);
    struct layout l;

    memset(&l, 0, sizeof l);
    draw_execution(c, x, d);
    place_events(c, &l);
    text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
                "font-size=\"11\">\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\" "
                "fill=\"#ffffff\"/>\n", l.total_width, l.total_height, l.total_width, l.total_height);
    if (!in_page)
        write_svg_markers(out);
    text_printf(out, "<text x=\"%d\" y=\"20\" font-size=\"14\">", LEFT);
    write_escaped(out, title);
    text_puts(out, "</text>\n");
    for (uint32_t t = 0; t < c->test->thread_count; t++)
        text_printf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\" font-weight=\"bold\">"
                    "P%u, block %u</text>\n", LEFT + (int)t * COLUMN, TOP + 16,
                    c->test->threads[t].number, c->test->threads[t].cta);
    for (uint32_t i = 0; i < d->count; i++)
        if (in_page || d->edges[i].edge != EDGE_CAUSE)
            write_edge(out, &l, &d->edges[i]);
    for (uint32_t i = 0; i < c->count; i++) {
        text_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" "
                    "fill=\"#f4f6fa\" stroke=\"#8892a6\"/><text x=\"%d\" y=\"%d\">",
                    l.x[i], l.y[i], l.width[i], BOX_HEIGHT, l.x[i] + 7, l.y[i] + 17);
        const char *label = event_short(arena, c, x, i);
        write_escaped(out, strlen(label) > 36 ? arena_printf(arena, "%.34s...", label)
                                              : label);
        text_puts(out, "</text>\n");
    }
    for (uint32_t i = 0; i < d->count; i++)
        if (in_page || d->edges[i].edge != EDGE_CAUSE)
            write_edge_label(out, &l, &d->edges[i]);
    text_puts(out, "</svg>\n");
}
