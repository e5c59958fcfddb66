/* SPDX-License-Identifier: Apache-2.0
 *
 * view.c - see view.h. */
#include "check/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { FAN_BITS = 4, FAN = 1 << FAN_BITS, LANES = 32 };
enum { FIRST_LIMIT = 1 << 14 };

enum shape { NODE, LEAF, RAGGED, SHAPES };

struct entry {
    uint32_t base, mask, high; /* mask is 0 or high is above base */
    struct view *ragged;       /* not NULL: counts alone */
};

struct view {
    struct view *next;
    uint8_t shape, marked;
    union {
        struct view *child[FAN]; /* NODE */
        struct entry entry[1];   /* LEAF: one for each slot */
        uint32_t epoch[LANES];   /* RAGGED */
    } u;
};

static size_t size_of(const struct views *views, enum shape shape)
{
    size_t head = offsetof(struct view, u);

    switch (shape) {
    case NODE:
        return head + FAN * sizeof(struct view *);
    case LEAF:
        return head + views->slots * sizeof(struct entry);
    default:
        return head + LANES * sizeof(uint32_t);
    }
}

static struct view *object(struct views *views, enum shape shape)
{
    struct view *new = views->unused[shape];

    if (new)
        views->unused[shape] = new->next;
    else if (!(new = malloc(size_of(views, shape))))
        out_of_memory(0);
    memset(new, 0, size_of(views, shape));
    new->shape = shape;
    new->next = views->all;
    views->all = new;
    views->count++;
    return new;
}

void views_start(struct views *views, uint64_t blocks, uint32_t slots)
{
    *views = (struct views){.slots = slots, .limit = FIRST_LIMIT};
    while ((uint64_t)1 << (FAN_BITS * views->depth) < blocks)
        views->depth++;
}

static void free_list(struct view *list)
{
    for (struct view *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

void views_end(struct views *views)
{
    free_list(views->all);
    for (unsigned shape = 0; shape < SHAPES; shape++)
        free_list(views->unused[shape]);
    *views = (struct views){0};
}

/* --- entries ------------------------------------------------------------------------ */

static inline uint32_t epoch_of(const struct entry *entry, unsigned lane)
{
    if (entry->ragged)
        return entry->ragged->u.epoch[lane];
    return entry->mask >> lane & 1 ? entry->high : entry->base;
}

static inline bool plain(const struct entry *entry)
{
    return !entry->ragged && !entry->mask;
}

static bool entry_covers(const struct entry *a, const struct entry *b)
{
    if (plain(a) && plain(b))
        return a->base >= b->base;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (epoch_of(a, lane) < epoch_of(b, lane))
            return false;
    return true;
}

/* The shortest form of 32 numbers. */
static struct entry entry_of(struct views *views, const uint32_t epoch[LANES])
{
    uint32_t low = epoch[0], high = epoch[0], mask = 0;

    for (unsigned lane = 1; lane < LANES; lane++) {
        low = epoch[lane] < low ? epoch[lane] : low;
        high = epoch[lane] > high ? epoch[lane] : high;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (epoch[lane] == high && high != low)
            mask |= UINT32_C(1) << lane;
        else if (epoch[lane] != low) {
            struct entry entry = {.ragged = object(views, RAGGED)};
            memcpy(entry.ragged->u.epoch, epoch, LANES * sizeof *epoch);
            return entry;
        }
    }
    return (struct entry){.base = low, .mask = mask, .high = mask ? high : 0};
}

static struct entry entry_join(struct views *views, const struct entry *a,
                               const struct entry *b)
{
    uint32_t epoch[LANES];

    if (entry_covers(a, b))
        return *a;
    if (entry_covers(b, a))
        return *b;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t one = epoch_of(a, lane), other = epoch_of(b, lane);
        epoch[lane] = one > other ? one : other;
    }
    return entry_of(views, epoch);
}

static void entry_raise(struct views *views, struct entry *entry, uint32_t lanes,
                        uint32_t to)
{
    uint32_t epoch[LANES];

    if (lanes == UINT32_MAX && plain(entry)) {
        entry->base = to > entry->base ? to : entry->base;
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        epoch[lane] = epoch_of(entry, lane);
        if (lanes >> lane & 1 && epoch[lane] < to)
            epoch[lane] = to;
    }
    *entry = entry_of(views, epoch);
}

/* --- views --------------------------------------------------------------------------- */

static struct view *join_leaves(struct views *views, struct view *a, struct view *b)
{
    bool a_is_all = true, b_is_all = true;

    for (uint32_t i = 0; i < views->slots && (a_is_all || b_is_all); i++) {
        a_is_all = a_is_all && entry_covers(&a->u.entry[i], &b->u.entry[i]);
        b_is_all = b_is_all && entry_covers(&b->u.entry[i], &a->u.entry[i]);
    }
    if (a_is_all)
        return a;
    if (b_is_all)
        return b;
    struct view *join = object(views, LEAF);
    for (uint32_t i = 0; i < views->slots; i++)
        join->u.entry[i] = entry_join(views, &a->u.entry[i], &b->u.entry[i]);
    return join;
}

static struct view *join_at(struct views *views, struct view *a, struct view *b,
                            unsigned depth)
{
    struct view *child[FAN];
    bool is_a = true, is_b = true;

    if (a == b || !b)
        return a;
    if (!a)
        return b;
    if (depth == 0)
        return join_leaves(views, a, b);
    for (unsigned i = 0; i < FAN; i++) {
        child[i] = join_at(views, a->u.child[i], b->u.child[i], depth - 1);
        is_a = is_a && child[i] == a->u.child[i];
        is_b = is_b && child[i] == b->u.child[i];
    }
    if (is_a || is_b)
        return is_a ? a : b;
    struct view *join = object(views, NODE);
    memcpy(join->u.child, child, sizeof child);
    return join;
}

struct view *view_join(struct views *views, struct view *a, struct view *b)
{
    if (a == b || !b)
        return a;
    if (a != views->left || b != views->right || !a) {
        views->left = a;
        views->right = b;
        views->joined = join_at(views, a, b, views->depth);
    }
    return views->joined;
}

static struct view *raise_at(struct views *views, struct view *a, uint32_t block,
                             const struct view_rise *rises, uint32_t count, unsigned depth)
{
    struct view *new;

    if (depth == 0) {
        bool done = a != NULL;
        for (uint32_t i = 0; done && i < count; i++)
            for (uint32_t lane = 0; done && lane < LANES; lane++)
                done = !(rises[i].lanes >> lane & 1) ||
                       epoch_of(&a->u.entry[rises[i].slot], lane) >= rises[i].epoch;
        if (done)
            return a;
        new = object(views, LEAF);
        if (a)
            memcpy(new->u.entry, a->u.entry, views->slots * sizeof(struct entry));
        for (uint32_t i = 0; i < count; i++)
            entry_raise(views, &new->u.entry[rises[i].slot], rises[i].lanes,
                        rises[i].epoch);
        return new;
    }
    unsigned way = block >> (FAN_BITS * (depth - 1)) & (FAN - 1);
    struct view *below = a ? a->u.child[way] : NULL;
    struct view *raised = raise_at(views, below, block, rises, count, depth - 1);
    if (a && raised == below)
        return a;
    new = object(views, NODE);
    if (a)
        memcpy(new->u.child, a->u.child, sizeof new->u.child);
    new->u.child[way] = raised;
    return new;
}

struct view *view_raise(struct views *views, struct view *a, uint32_t block,
                        const struct view_rise *rises, uint32_t count)
{
    return raise_at(views, a, block, rises, count, views->depth);
}

uint32_t view_base(const struct views *views, const struct view *view, uint32_t block,
                   uint32_t slot, uint32_t *top)
{
    for (unsigned depth = views->depth; view && depth > 0; depth--)
        view = view->u.child[block >> (FAN_BITS * (depth - 1)) & (FAN - 1)];
    *top = 0;
    if (!view)
        return 0;
    const struct entry *entry = &view->u.entry[slot];
    if (entry->ragged)
        *top = UINT32_MAX;
    else
        *top = entry->mask ? entry->high : entry->base;
    /* A ragged entry has base 0. */
    return entry->base;
}

bool view_saw(const struct views *views, const struct view *view, uint32_t block,
              uint32_t slot, uint32_t lanes, uint32_t epoch)
{
    for (unsigned depth = views->depth; view && depth > 0; depth--)
        view = view->u.child[block >> (FAN_BITS * (depth - 1)) & (FAN - 1)];
    if (!view)
        return false;
    const struct entry *entry = &view->u.entry[slot];
    if (!entry->ragged)
        return entry->base >= epoch ||
               (entry->high >= epoch && !(lanes & ~entry->mask));
    for (unsigned lane = 0; lane < LANES; lane++)
        if (lanes >> lane & 1 && entry->ragged->u.epoch[lane] < epoch)
            return false;
    return true;
}

/* --- freeing --------------------------------------------------------------------------- */

void view_mark(const struct views *views, struct view *view)
{
    if (!view || view->marked)
        return;
    view->marked = true;
    if (view->shape == NODE)
        for (unsigned i = 0; i < FAN; i++)
            view_mark(views, view->u.child[i]);
    else if (view->shape == LEAF)
        for (uint32_t i = 0; i < views->slots; i++)
            if (view->u.entry[i].ragged)
                view->u.entry[i].ragged->marked = true;
}

void views_sweep(struct views *views)
{
    struct view **at = &views->all;
    size_t left = 0;

    while (*at) {
        struct view *object = *at;
        if (object->marked) {
            object->marked = false;
            at = &object->next;
            left++;
            continue;
        }
        *at = object->next;
        object->next = views->unused[object->shape];
        views->unused[object->shape] = object;
    }
    views->sweeps++;
    views->left = views->right = views->joined = NULL;
    views->count = left;
    views->limit = left * 2 > FIRST_LIMIT ? left * 2 : FIRST_LIMIT;
}
