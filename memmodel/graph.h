/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h - pictures of executions: DOT, SVG and a page to step through. */
#ifndef SIMTLAB_MEMMODEL_GRAPH_H
#define SIMTLAB_MEMMODEL_GRAPH_H

#include "memmodel/outcomes.h"
#include "memmodel/words.h"

enum { MAX_DRAWN = 1024 };

struct drawn_edge {
    uint32_t from, to;
    enum edge edge;
};

/* What a picture shows: the relations, without what follows by transitivity. */
struct drawing {
    struct drawn_edge edges[MAX_DRAWN];
    uint32_t count;
    bool left_out; /* more edges than fit */
};

void draw_execution(const struct candidate *c, const struct execution *x,
                    struct drawing *drawing);
const char *edge_colour(enum edge edge);

/* For graphviz: one cluster for each thread. */
void write_dot(struct text *out, struct arena *arena, const struct candidate *c,
               const struct execution *x, const char *title);
/* Laid out here, one column for each thread. Complete by itself; or in_page: with
 * causality, too, which follows from the other edges, and without markers. */
void write_svg(struct text *out, struct arena *arena, const struct candidate *c,
               const struct execution *x, const char *title, bool in_page);
/* The arrowheads of all edges, once for a page: a browser draws none from a picture
 * that is hidden. */
void write_svg_markers(struct text *out);
/* One page without outside references: every outcome with its execution, and
 * the relations built up step by step. more is HTML to stand at its end. */
void write_html(struct text *out, struct arena *arena, const struct analysis *a,
                const struct outcomes *outcomes, const char *more);
/* Text with the characters that HTML and XML reserve replaced. */
void write_escaped(struct text *out, const char *string);

#endif
