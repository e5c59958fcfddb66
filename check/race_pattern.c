/* SPDX-License-Identifier: Apache-2.0
 *
 * race_pattern.c - patterns of one lane on one place that take more than one access.
 *
 * PTX ISA, "Release and Acquire Patterns": a release write and a later strong write of the
 * same place by the same thread are one, and so are a strong read and a later acquire read.
 * Each lane has lists of the places of which it released or read something so. They are
 * short: acquire fences empty the one, and few threads release at many places. */
#include "check/race.h"

static bool is_here(const struct lane_place *at, const struct touch *touch)
{
    return at->shadow == touch->shadow && at->address == touch->address &&
           at->size == touch->site->size;
}

struct lane_place *race_place_find(struct lane_place **list, const struct touch *touch)
{
    for (struct lane_place **link = list, *at; (at = *link); link = &at->next)
        if (is_here(at, touch)) {
            *link = at->next;
            at->next = *list;
            return *list = at;
        }
    return NULL;
}

struct lane_place *race_place_make(struct lane_place **list, const struct touch *touch)
{
    struct race_checker *checker = touch->checker;
    struct lane_place *at = race_place_find(list, touch);

    if (at)
        return at;
    at = checker->free_places;
    if (at)
        checker->free_places = at->next;
    else
        at = ARENA_NEW(&checker->arena, struct lane_place);
    *at = (struct lane_place){.next = *list, .shadow = touch->shadow,
                              .address = touch->address, .size = touch->site->size};
    return *list = at;
}

void race_places_free(struct race_checker *checker, struct lane_place **list)
{
    for (struct lane_place *at; (at = *list);) {
        *list = at->next;
        at->next = checker->free_places;
        checker->free_places = at;
    }
}

void race_places_mark(const struct views *views, const struct lane_place *list)
{
    for (; list; list = list->next)
        for (enum reach reach = REACH_BLOCK; reach < REACHES; reach++)
            view_mark(views, list->views[reach]);
}
