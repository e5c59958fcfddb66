/* SPDX-License-Identifier: Apache-2.0
 *
 * svg.c - an execution as a picture that needs no other program.
 *
 * Threads are columns, events boxes in program order. Edges are curves; every
 * kind has its class, so that a page can show them one after the other. */
#include "memmodel/graph.h"

#include <string.h>

enum {
    COLUMN = 330, BOX_WIDTH = 215, BOX_HEIGHT = 26, ROW = 62, TOP = 96, LEFT = 60,
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

/* A curve from box to box: at the side within a column, straight across
 * otherwise; kinds are spread a little so that they do not cover each other. */
static void write_edge(struct text *out, const struct layout *l,
                       const struct drawn_edge *e)
{
    int spread = ((int)e->edge % 5 - 2) * 5;
    int x1, x2, y1 = l->y[e->from] + BOX_HEIGHT / 2 + spread / 2;
    int y2 = l->y[e->to] + BOX_HEIGHT / 2 + spread / 2, cx1, cx2, cy1 = y1, cy2 = y2;
    const char *colour = edge_colour(e->edge);

    if (e->edge == EDGE_PO) {
        x1 = l->x[e->from] + 20;
        x2 = l->x[e->to] + 20;
        y1 = l->y[e->from] + BOX_HEIGHT;
        y2 = l->y[e->to];
        cx1 = x1, cx2 = x2, cy1 = y1, cy2 = y2;
    } else if (l->x[e->from] + l->width[e->from] < l->x[e->to]) {
        x1 = l->x[e->from] + l->width[e->from];
        x2 = l->x[e->to];
        cx1 = x1 + 40, cx2 = x2 - 40;
    } else if (l->x[e->to] + l->width[e->to] < l->x[e->from]) {
        x1 = l->x[e->from];
        x2 = l->x[e->to] + l->width[e->to];
        cx1 = x1 - 40, cx2 = x2 + 40;
    } else {
        int bulge = 26 + 9 * ((int)e->edge % 4);
        x1 = l->x[e->from] + l->width[e->from];
        x2 = l->x[e->to] + l->width[e->to];
        cx1 = x1 + bulge, cx2 = x2 + bulge;
    }
    text_printf(out, "<g class=\"edge e-%s\"><path d=\"M%d %d C%d %d %d %d %d %d\" "
                "fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s "
                "marker-end=\"url(#a-%s)\"/>",
                edge_name(e->edge), x1, y1, cx1, cy1, cx2, cy2, x2, y2, colour,
                e->edge == EDGE_CAUSE || e->edge == EDGE_DEP
                    ? " stroke-dasharray=\"5 4\"" : "",
                edge_name(e->edge));
    /* The label of each kind stands at its own place on the curve. */
    int t = 30 + 7 * ((int)e->edge % 6), u = 100 - t;
    int at_x = (u * u * u * x1 + 3 * u * u * t * cx1 + 3 * u * t * t * cx2 +
                t * t * t * x2) / 1000000;
    int at_y = (u * u * u * y1 + 3 * u * u * t * cy1 + 3 * u * t * t * cy2 +
                t * t * t * y2) / 1000000;
    text_printf(out, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text></g>\n",
                at_x + (e->edge == EDGE_PO ? -18 : 2), at_y - 3, colour,
                edge_name(e->edge));
}

void write_svg(struct text *out, struct arena *arena, const struct candidate *c,
               const struct execution *x, const char *title, bool all)
{
    struct drawing *d = ARENA_NEW(arena, struct drawing);
    struct layout l;

    memset(&l, 0, sizeof l);
    draw_execution(c, x, d);
    place_events(c, &l);
    text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
                "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>"
                "\n<defs>\n", l.total_width, l.total_height, l.total_width, l.total_height);
    for (enum edge e = 0; e < EDGE_COUNT; e++)
        text_printf(out, "<marker id=\"a-%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                    "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path "
                    "d=\"M0 0 L8 4 L0 8 z\" fill=\"%s\"/></marker>\n",
                    edge_name(e), edge_colour(e));
    text_printf(out, "</defs>\n<text x=\"%d\" y=\"20\" font-size=\"14\">", LEFT);
    write_escaped(out, title);
    text_puts(out, "</text>\n");
    for (uint32_t t = 0; t < c->test->thread_count; t++)
        text_printf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\" font-weight=\"bold\">"
                    "P%u, block %u</text>\n", LEFT + (int)t * COLUMN, TOP + 16,
                    c->test->threads[t].number, c->test->threads[t].cta);
    for (uint32_t i = 0; i < d->count; i++)
        if (all || d->edges[i].edge != EDGE_CAUSE)
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
    text_puts(out, "</svg>\n");
}
