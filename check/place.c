/* SPDX-License-Identifier: Apache-2.0
 *
 * place.c - see place.h. */
#include "check/place.h"

#include <stdio.h>
#include <string.h>

struct finding_place place_of(const struct warp *warp, const struct ir_function *function,
                              const struct code *code, unsigned lane)
{
    struct finding_place place = {
        .module = warp->block->state->launch->image->module,
        .function = function,
        .inst = code->inst,
        .has_thread = true,
        .thread = {warp->tid[0][lane], warp->tid[1][lane], warp->tid[2][lane]},
    };

    memcpy(place.block, warp->block->index, sizeof place.block);
    return place;
}

void lanes_text(char text[LANES_TEXT], uint32_t mask)
{
    size_t used = (size_t)snprintf(text, LANES_TEXT, "lane%s",
                                   mask & (mask - 1) ? "s" : "");
    bool first = true;

    while (mask) {
        unsigned from = lane_first(mask), to = from;
        while (to < 31 && mask >> (to + 1) & 1)
            to++;
        mask = to == 31 ? 0 : mask & ~((UINT32_C(2) << to) - 1);
        const char *join = first ? " " : mask ? ", " : " and ";
        used += (size_t)(to == from
                             ? snprintf(text + used, LANES_TEXT - used, "%s%u", join, from)
                             : snprintf(text + used, LANES_TEXT - used, "%s%u to %u", join,
                                        from, to));
        first = false;
    }
}

struct fragment *fragment_at(struct warp *warp, const unsigned char *registers,
                             const struct code *code)
{
    struct fragment *found = NULL;

    FOR_FRAGMENTS(i, warp)
    {
        struct fragment *fragment = &warp->fragments[i];
        if (fragment->frame->registers != registers)
            continue;
        /* Within a stride the fragment's own pc is behind: any READY one of the
         * frame holds what matters, the exact one is better. */
        found = fragment;
        if (fragment->pc >= 0 && &fragment->frame->program->code[fragment->pc] == code)
            return fragment;
    }
    return found;
}
