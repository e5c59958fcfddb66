/* SPDX-License-Identifier: Apache-2.0
 *
 * race_access.c - access events: what memory they are about, and who takes them apart. */
#include "check/race_access.h"
#include "emu/weak.h"

struct shadow *race_shadow_new(struct race_checker *checker,
                               const struct allocation *allocation)
{
    while (allocation->number >= checker->allocation_count) {
        struct {
            struct shadow **items;
            uint32_t count, capacity;
        } list = {checker->allocations, checker->allocation_count,
                  checker->allocation_capacity};
        *ARENA_PUSH(&checker->arena, &list) = NULL;
        checker->allocations = list.items;
        checker->allocation_count = list.count;
        checker->allocation_capacity = list.capacity;
    }
    struct shadow **shadow = &checker->allocations[allocation->number];
    if (!*shadow) {
        *shadow = ARENA_NEW(&checker->arena, struct shadow);
        shadow_start(&checker->pool, *shadow, allocation->size);
    }
    return *shadow;
}

struct shadow *race_place(const struct touch *touch, unsigned lane, uint64_t *start)
{
    struct race_checker *checker = touch->checker;
    const struct access_event *event = touch->event;

    if (event->space == IR_SPACE_GLOBAL) {
        const struct allocation *allocation = access_allocation(event, lane);
        if (allocation->kind == ALLOCATION_CONST)
            return NULL;
        *start = allocation->address;
        return allocation_shadow(checker, allocation);
    }
    struct block_shadow *block = touch->warp->block;
    if (checker->clusters) {
        const struct block *owner = access_block(event, lane);
        if (owner != event->warp->block)
            block = race_block(checker, owner);
    }
    *start = checker->state->executable->shared_base;
    return &block->shared;
}

void race_touch_start(struct touch *touch, struct race_checker *checker,
                      const struct access_event *event)
{
    uint32_t elements = event->elements ? event->elements : 1;
    struct warp_shadow *warp = race_warp(checker, event->warp);

    *touch = (struct touch){.checker = checker, .warp = warp, .event = event,
                            .site_index = race_site_of(checker, event->code, event->kind,
                                                       elements == 1 ? event->size
                                                                     : event->size / elements),
                            .shared = event->space == IR_SPACE_SHARED,
                            .number = warp->number, .epoch = warp->clock};
    touch->site = &checker->sites.items[touch->site_index];
    if (touch->site->copy) {
        touch->copy = warp->copy;
        touch->number += checker->warps;
        touch->epoch = (uint32_t)warp->copy->number + 1;
    }
}

/* Scattered reads of words are written down, when they may. The lanes for which that could
 * not be done. */
static uint32_t log_scattered(struct race_checker *checker, const struct access_event *event)
{
    const uint32_t mask = event->mask;
    uint32_t with[LANES];

    if (event->kind != ACCESS_READ || event->space != IR_SPACE_GLOBAL || !event->window ||
        event->size != CELL_BYTES || event->elements > 1 || checker->remembers)
        return mask;
    struct warp_shadow *warp = race_warp(checker, event->warp);
    const struct allocation *allocation = event->window->allocation;
    if (!race_is_blind(checker, warp, false) || allocation->kind == ALLOCATION_CONST)
        return mask;
    uint32_t index = race_site_of(checker, event->code, event->kind, CELL_BYTES);
    const struct site *site = &checker->sites.items[index];
    if (site->strong || site->copy || (many_lanes(mask) && !site->irregular))
        return mask;
    uint32_t stamp = race_thin_stamp(checker, warp, index);
    checker->raced.count = 0;
    if (!stamp)
        return mask;
    race_gather(event, mask, with);
    return race_log_words(checker, event, with, stamp, allocation_shadow(checker, allocation),
                          allocation->address);
}

/* With a weak memory: each lane by itself, of the moment that it reads. */
static void touch_moments(struct touch *touch)
{
    const struct access_event *event = touch->event;
    uint32_t elements = event->elements ? event->elements : 1;

    FOR_LANES (lane, event->mask) {
        uint64_t start;
        struct shadow *shadow = race_place(touch, lane, &start);
        if (!shadow)
            break;
        touch->lanes = UINT32_C(1) << lane;
        for (touch->element = 0; touch->element < elements; touch->element++) {
            uint32_t before = touch->element * touch->site->size;
            touch->address = event->address[lane] + before;
            touch->moment = event->older ? event->older->moment[lane][touch->element] : 0;
            race_touch_element(touch, shadow, touch->address - start);
        }
    }
}

void race_access(struct observer *self, const struct access_event *event)
{
    struct race_checker *checker = (struct race_checker *)self;
    const uint32_t left = log_scattered(checker, event);
    struct access_event rest;

    if (!left || (event->space != IR_SPACE_GLOBAL && event->space != IR_SPACE_SHARED))
        return;
    if (left != event->mask) {
        rest = *event;
        rest.mask = left;
        event = &rest;
    }
    if (checker->forces_fences)
        race_follow_fences(checker, event);
    uint32_t elements = event->elements ? event->elements : 1;
    uint32_t size = elements == 1 ? event->size : event->size / elements;
    struct touch touch;
    race_touch_start(&touch, checker, event);
    checker->moment += touch.site->writes;
    checker->raced.count = 0;
    if (checker->remembers) {
        touch_moments(&touch);
        if (touch.advance)
            race_advance(touch.warp);
        return;
    }
    struct site *site = &checker->sites.items[touch.site_index];
    if (event->window && !site->irregular && size % CELL_BYTES == 0 && !site->strong &&
        !site->copy && touch.warp->uniform &&
        !(checker->clusters && event->space == IR_SPACE_SHARED)) {
        uint64_t start;
        struct shadow *shadow = race_place(&touch, lane_first(event->mask), &start);
        if (!shadow)
            return;
        uint64_t row, offset = event->address[lane_first(event->mask)] - start;
        bool thin = !touch.shared && event->size == CELL_BYTES &&
                    out_of_step(site, shadow, offset, event->mask);
        struct shape *shape = thin ? NULL : race_shape(&touch, site, start, &row);
        if (shape) {
            race_touch_rows(&touch, shadow, row, shape);
            return;
        }
    }
    race_touch_lanes(&touch, false);
    if (touch.advance)
        race_advance(touch.warp);
}
