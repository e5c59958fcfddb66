/* SPDX-License-Identifier: Apache-2.0
 *
 * race_weak.c - which older values a load may return.
 *
 * Writes take effect in the order of their execution; that is the coherence order.
 * A load may return any value from the last write on that causality forces upon it
 * (PTX ISA, "Causality Order"): one that is before the load in base causality, or
 * that was observed by a morally strong read which is. So neither Causality nor SC
 * per Location is ever broken; the other axioms hold because atomics read the
 * present, because an element is read as of one moment, and because values come
 * from writes that were executed. Order here includes that of fence.sc, which
 * the race checker itself must not rely on.
 *
 * What cannot come about this way: load buffering, and writes that take effect in
 * another order than they were executed in.
 *
 * Sub-word and split cells, and other proxies than the generic one, read the
 * present. A write that was passed over often enough becomes known to all, so that
 * whoever waits for it goes on. */
#include "check/race.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emu/weak.h"

enum { MOST_MISSES = 24, CELLS = WEAK_BYTES / CELL_BYTES };

struct weak_reader {
    struct weak_memory memory;
    struct race_checker *checker;
    uint64_t random;
};

/* --- history ---------------------------------------------------------------------------- */

static void copy_message(struct race_checker *checker, struct message *to,
                         const struct message *from)
{
    struct message_group *groups = to->groups;
    uint32_t capacity = to->group_capacity;

    if (capacity < from->group_count) {
        capacity = from->group_count;
        groups = ARENA_NEW_ARRAY(&checker->arena, capacity, struct message_group);
    }
    if (from->group_count)
        memcpy(groups, from->groups, from->group_count * sizeof *groups);
    *to = *from;
    to->groups = groups;
    to->group_capacity = capacity;
}

void race_remember(const struct touch *touch, struct cell *cell, unsigned back)
{
    struct race_checker *checker = touch->checker;
    struct extra *extra = cell_extra(&checker->pool, cell);
    const struct access_event *event = touch->event;
    unsigned lane = lane_first(touch->lanes);
    struct history *h = extra->history;

    if (!h)
        h = extra->history = ARENA_NEW(&checker->arena, struct history);
    if (h->count == h->capacity && h->capacity < FORMERS) {
        uint32_t capacity = h->capacity ? 2 * h->capacity : 1;
        struct former *more = ARENA_NEW_ARRAY(&checker->arena, capacity, struct former);
        if (h->count)
            memcpy(more, h->formers, h->count * sizeof *more);
        h->formers = more;
        h->capacity = capacity;
    }
    if (h->count == FORMERS) {
        struct former oldest = h->formers[0];
        h->base = oldest.moment;
        memmove(h->formers, h->formers + 1, (FORMERS - 1) * sizeof *h->formers);
        h->formers[--h->count] = oldest; /* keeps the room of its message */
    }
    struct former *past = &h->formers[h->count++];
    past->moment = checker->moment;
    past->write = (struct stamp){touch->number, touch->epoch,
                                 stamp_what(touch->site_index, back, lane)};
    past->observers = past->missed = 0;
    past->known = false;
    memcpy(past->before, access_host(event, lane) + touch->element * touch->site->size + back,
           CELL_BYTES);
    past->before_write = cell->write;
    copy_message(checker, &past->before_message, &extra->message);
}

void race_note_observer(const struct touch *touch, unsigned lane, struct history *h,
                        struct stamp write)
{
    struct stamp now = {touch->number, touch->epoch, stamp_what(touch->site_index, 0, lane)};

    for (uint32_t i = h ? h->count : 0; i-- > 0;) {
        struct former *past = &h->formers[i];
        if (!same_stamp(past->write, write))
            continue;
        for (uint32_t o = 0; o < past->observers; o++)
            if (past->observer[o].warp == now.warp &&
                stamp_lane(past->observer[o]) == lane)
                return; /* an earlier one says as much */
        if (past->observers < OBSERVERS)
            past->observer[past->observers++] = now;
        else
            past->known = true;
        return;
    }
}

void race_mark_history(const struct history *h, const struct views *views)
{
    for (uint32_t i = 0; h && i < h->count; i++)
        message_mark(&h->formers[i].before_message, views);
}

/* --- choosing ----------------------------------------------------------------------------- */

static bool is_known(const struct touch *touch, unsigned lane, const struct former *past)
{
    if (past->known ||
        race_ordered(touch, lane, past->write, UINT32_C(1) << stamp_lane(past->write)))
        return true;
    for (uint32_t o = 0; o < past->observers; o++)
        if (race_ordered(touch, lane, past->observer[o],
                         UINT32_C(1) << stamp_lane(past->observer[o])))
            return true;
    return false;
}

/* The moment before which the lane may not read. */
static uint64_t floor_of(const struct touch *touch, unsigned lane, const struct history *h)
{
    for (uint32_t i = h->count; i-- > 0;)
        if (is_known(touch, lane, &h->formers[i]))
            return h->formers[i].moment;
    return h->base;
}

static uint64_t next_random(struct weak_reader *reader)
{
    uint64_t z = reader->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The histories of the element's cells; 0 when it must read the present. */
static unsigned histories(struct touch *touch, struct shadow *shadow, uint64_t offset,
                          struct history *found[CELLS])
{
    struct shadow_pool *pool = &touch->checker->pool;
    unsigned count = touch->site->size / CELL_BYTES;
    bool any = false;

    if (touch->site->size % CELL_BYTES || offset % CELL_BYTES || count > CELLS)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        struct cell *cell = race_word(touch->checker, shadow, offset + i * CELL_BYTES);
        if (cell_is_split(pool, cell))
            return 0;
        found[i] = cell->extra ? extra_of(pool, cell)->history : NULL;
        any |= found[i] != NULL;
    }
    return any ? count : 0;
}

static void choose_element(struct weak_reader *reader, struct touch *touch, unsigned lane,
                           struct shadow *shadow, uint64_t offset, uint64_t *moment,
                           unsigned char *value)
{
    struct history *found[CELLS];
    unsigned cells = histories(touch, shadow, offset, found);
    uint64_t moments[CELLS * FORMERS], floor = 0;
    unsigned count = 0;

    for (unsigned i = 0; i < cells; i++) {
        uint64_t one = found[i] ? floor_of(touch, lane, found[i]) : 0;
        floor = one > floor ? one : floor;
    }
    for (unsigned i = 0; i < cells; i++)
        for (uint32_t k = 0; found[i] && k < found[i]->count; k++) {
            uint64_t at = found[i]->formers[k].moment - 1;
            bool is_new = at >= floor;
            for (unsigned m = 0; m < count; m++)
                is_new &= moments[m] != at;
            if (is_new)
                moments[count++] = at;
        }
    if (!count)
        return;
    uint64_t chosen = next_random(reader) % (count + 1);
    if (chosen == count)
        return;
    *moment = moments[chosen] + 1;
    for (unsigned i = 0; i < cells; i++) {
        struct former *past = history_after(found[i], moments[chosen]);
        if (!past)
            continue;
        memcpy(value + i * CELL_BYTES, past->before, CELL_BYTES);
        for (; past < found[i]->formers + found[i]->count; past++)
            past->known |= ++past->missed >= MOST_MISSES;
    }
}

static void choose(struct weak_memory *self, const struct access_event *event,
                   struct weak_choice *choice)
{
    struct weak_reader *reader = (struct weak_reader *)self;
    struct race_checker *checker = reader->checker;
    uint32_t elements = event->elements ? event->elements : 1;
    struct touch touch;

    if (checker->off || elements > WEAK_ELEMENTS || event->size > WEAK_BYTES)
        return;
    race_touch_start(&touch, checker, event);
    if (touch.site->foreign || touch.site->copy)
        return;
    FOR_LANES (lane, event->mask) {
        uint64_t start;
        struct shadow *shadow = race_place(&touch, lane, &start);
        if (!shadow)
            break;
        uint64_t offset = event->address[lane] - start;
        touch.lanes = UINT32_C(1) << lane;
        for (uint32_t e = 0; e < elements; e++) {
            choose_element(reader, &touch, lane, shadow, offset + e * touch.site->size,
                           &choice->moment[lane][e],
                           choice->value[lane] + e * touch.site->size);
            if (choice->moment[lane][e])
                choice->lanes |= UINT32_C(1) << lane;
        }
    }
}

/* --- fence.sc -------------------------------------------------------------------------------- */

/* PTX ISA, "Fence-SC": an SC fence comes after those before it whose scopes and its
 * own hold each other's threads. The order is that of execution. */
static struct view **fences_of(struct race_checker *checker, bool cluster, uint32_t id)
{
    struct sc_fences *at = checker->sc_fences;

    while (at && (at->cluster != cluster || at->id != id))
        at = at->next;
    if (!at) {
        at = ARENA_NEW(&checker->arena, struct sc_fences);
        *at = (struct sc_fences){.cluster = cluster, .id = id, .next = checker->sc_fences};
        checker->sc_fences = at;
    }
    return &at->view;
}

static unsigned fence_orders(struct race_checker *checker, const struct warp_shadow *warp,
                             enum ir_scope scope, struct view **orders[3])
{
    unsigned count = 0;

    orders[count++] = fences_of(checker, false, warp->block->number);
    if (scope >= IR_SCOPE_CLUSTER)
        orders[count++] = fences_of(checker, true, warp->block->cluster);
    if (scope >= IR_SCOPE_GPU)
        orders[count++] = &checker->sc_wide;
    return count;
}

struct view *race_sc_before(struct race_checker *checker, const struct warp_shadow *warp,
                            enum ir_scope scope)
{
    struct view **orders[3], *join = NULL;
    unsigned count = fence_orders(checker, warp, scope, orders);

    for (unsigned i = 0; i < count; i++)
        join = view_join(&checker->views, join, *orders[i]);
    return join;
}

void race_sc_after(struct race_checker *checker, const struct warp_shadow *warp,
                   unsigned lane, enum ir_scope scope)
{
    struct view **orders[3], *seen = race_published(checker, warp, lane);
    unsigned count = fence_orders(checker, warp, scope, orders);

    for (unsigned i = 0; i < count; i++)
        *orders[i] = view_join(&checker->views, *orders[i], seen);
}

void race_mark_fences(const struct race_checker *checker, const struct views *views)
{
    view_mark(views, checker->sc_wide);
    for (const struct sc_fences *at = checker->sc_fences; at; at = at->next)
        view_mark(views, at->view);
}

/* --- life ---------------------------------------------------------------------------------- */

struct weak_memory *weak_memory_new(uint64_t seed, struct observer **observer)
{
    struct weak_reader *reader = calloc(1, sizeof *reader);

    if (!reader)
        out_of_memory(0);
    *observer = race_checker_new();
    reader->checker = (struct race_checker *)*observer;
    reader->checker->orders_values = true;
    reader->memory.choose = choose;
    reader->random = seed * UINT64_C(0xd1342543de82ef95) + 1;
    return &reader->memory;
}

void weak_memory_free(struct weak_memory *memory)
{
    struct weak_reader *reader = (struct weak_reader *)memory;

    if (reader)
        race_checker_free(&reader->checker->observer);
    free(reader);
}
