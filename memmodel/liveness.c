/* SPDX-License-Identifier: Apache-2.0
 *
 * liveness.c - is a cut execution one that goes on like that for ever? */
#include "memmodel/liveness.h"

#include "memmodel/barrier.h"

/* The last iteration changes nothing, sees the latest writes and leaves every
 * register as the one before did: so the next one can be the same again. */
static bool spins(const struct candidate *c, const struct execution *x,
                  uint32_t thread)
{
    const struct path *path = c->path[thread];
    uint32_t base = c->base[thread];

    for (uint32_t i = path->loop_first_event; i < path->event_count; i++)
        if (path->events[i].kind != EVENT_READ && path->events[i].kind != EVENT_FENCE)
            return false;
    for (uint32_t s = 0; s < c->slot_count; s++) {
        uint32_t read = c->slots[s].read;
        if (read < base + path->loop_first_event || read >= base + path->event_count)
            continue;
        for (FOR_EACH(w, x->co.row[x->source[s]]))
            if (c->covers[w] >> c->slots[s].granule & 1)
                return false;
    }
    for (uint32_t r = 0; r < c->test->threads[thread].register_count; r++) {
        int64_t before = 0, after = 0;
        expression_value(c->pool[thread], path->loop_registers[r], base, x->known,
                         x->value, &before);
        expression_value(c->pool[thread], path->registers[r], base, x->known,
                         x->value, &after);
        if (before != after)
            return false;
    }
    return true;
}

bool never_ends(const struct candidate *c, const struct execution *x)
{
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        const struct path *path = c->path[t];
        uint32_t last = c->base[t] + path->event_count - 1;

        if (path->end == PATH_CUT && !spins(c, x, t))
            return false;
        if (path->end == PATH_BLOCKED && !barrier_blocks(c, x, last))
            return false;
        for (uint32_t i = 0; i < path->event_count; i++) {
            uint32_t event = c->base[t] + i;
            bool blocked = path->end == PATH_BLOCKED && event == last;
            if (c->events[event].kind == EVENT_BARRIER && !blocked &&
                c->events[event].barrier == BARRIER_CTA &&
                !barrier_passes(c, x, event))
                return false;
        }
    }
    return true;
}
