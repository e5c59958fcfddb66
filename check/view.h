/* SPDX-License-Identifier: Apache-2.0
 *
 * view.h - what a thread has causally seen of all others.
 *
 * A view says for every thread of a launch up to which of its epochs its
 * actions come before. Views never change: a new one shares what it has in
 * common with the one it came from, so that the many threads that leave one
 * barrier share a pointer, and a join of equal parts costs nothing. NULL is the
 * view that has seen nothing.
 *
 * Inside: a trie of fixed depth over block numbers; a leaf holds one entry for
 * each slot (a warp of the block), "all lanes up to base, those of mask up to
 * high", or 32 numbers in the rare ragged case. */
#ifndef SIMTLAB_CHECK_VIEW_H
#define SIMTLAB_CHECK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;

/* The views of one launch. Those that nobody marks are freed in a sweep. */
struct views {
    uint32_t slots;        /* in a block */
    unsigned depth;        /* levels above the leaves */
    struct view *all;      /* every live object */
    struct view *unused[3];
    uint64_t sweeps;
    size_t count, limit;   /* objects; at which the next sweep is due */
    /* The last join: the lanes of a warp often ask for the same one. */
    struct view *left, *right, *joined;
};

/* Lanes of a slot that are seen up to an epoch. */
struct view_rise {
    uint32_t slot, lanes, epoch;
};

void views_start(struct views *views, uint64_t blocks, uint32_t slots);
void views_end(struct views *views);

/* The least view above both. */
struct view *view_join(struct views *views, struct view *a, struct view *b);
/* The least view above a that has seen the lanes of one block's slots up to the
 * epochs. Slots may repeat. */
struct view *view_raise(struct views *views, struct view *a, uint32_t block,
                        const struct view_rise *rises, uint32_t count);
/* Has the view seen every lane of the mask up to the epoch? */
bool view_saw(const struct views *views, const struct view *view, uint32_t block,
              uint32_t slot, uint32_t lanes, uint32_t epoch);

/* An epoch up to which all lanes of the slot are seen; *top: no lane is beyond it. */
uint32_t view_base(const struct views *views, const struct view *view, uint32_t block,
                   uint32_t slot, uint32_t *top);

/* --- freeing: mark what is in use, then sweep -------------------------------- */

static inline bool views_due(const struct views *views)
{
    return views->count >= views->limit;
}
void view_mark(const struct views *views, struct view *view);
void views_sweep(struct views *views);

#endif
