/* SPDX-License-Identifier: Apache-2.0
 *
 * race_exchange.c - races that only exchanges of values within a warp order.
 *
 * Of the operations with a member mask, PTX promises memory ordering for bar.warp.sync
 * alone. Shuffles, votes, matches and reductions exchange values, so what lies on both
 * sides of one races. But all members come to it before any goes on, chips have kept
 * memory in that order so far, and CUDA's own headers lean on it. Such a race is told
 * from one that nothing orders at all.
 *
 * That takes a second run of the same schedule, with two checkers. They count the same
 * epochs, and differ in what a view takes in at an exchange: nothing, or what all of its
 * lanes have done. What the first is about to report, it asks the second, which has
 * followed the same event already: is the earlier access in the view of the lane there?
 * Messages and barriers carry views on, so an order through an exchange, a release, an
 * acquire and another exchange counts, too. The first alone remembers accesses for the
 * verdict: what it forgets does not hang on exchanges. */
#include "check/race.h"

#include <string.h>

bool race_is_exchange(enum ir_op op)
{
    switch (op) {
    case IR_OP_shfl_up:
    case IR_OP_shfl_down:
    case IR_OP_shfl_bfly:
    case IR_OP_shfl_idx:
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_uni:
    case IR_OP_vote_ballot:
    case IR_OP_match_any:
    case IR_OP_match_all:
    case IR_OP_redux:
    case IR_OP_elect:
        return true;
    default:
        return false;
    }
}

void race_note_exchange(struct race_checker *checker, struct warp_shadow *warp,
                        const struct code *code, uint32_t mask, struct view *view)
{
    if (!warp->exchanges)
        warp->exchanges = ARENA_NEW(&checker->arena, struct exchange_log);
    struct exchange *exchange = &warp->exchanges->items[warp->exchanges->count++ % EXCHANGES];
    *exchange = (struct exchange){code, mask, warp->clock, view, {NULL}};
    FOR_LANES (lane, mask)
        exchange->before[lane] = lane_view(warp, lane);
}

/* --- what raced though exchanges order ------------------------------------------------- */

void race_note_raced(const struct touch *touch, unsigned lane, struct stamp earlier,
                     unsigned earlier_lane, unsigned back)
{
    struct race_checker *checker = touch->checker;

    *ARENA_PUSH(&checker->arena, &checker->raced) =
        (struct raced){touch->address, back, lane, earlier_lane, earlier};
}

/* A strong write that is not before the lane, but that somebody has observed who is
 * (PTX ISA, "Causality Order": observation). Both checkers look at the last write of a
 * place, so that what the other one has not noted does no harm there. */
static bool observed_there(const struct touch *touch, unsigned lane, struct stamp earlier,
                           unsigned earlier_lane, unsigned back)
{
    struct race_checker *checker = touch->checker, *other = checker->asks;
    const struct site *site = &checker->sites.items[stamp_site(earlier)];
    uint64_t start;

    if (!site->strong || !site->writes)
        return false;
    struct shadow *shadow = race_place(touch, lane, &start);
    const struct cell *cell = race_cell(checker, shadow, touch->address - start + back);
    if (!same_stamp(cell->write, earlier))
        return false;
    for (uint32_t i = 0; i < other->raced.count; i++) {
        const struct raced *raced = &other->raced.items[i];
        if (raced->address == touch->address && raced->back == back && raced->lane == lane &&
            raced->earlier_lane == earlier_lane && same_stamp(raced->earlier, earlier))
            return false;
    }
    return true;
}

/* --- which exchange ------------------------------------------------------------------------ */

/* The oldest that is kept. */
static uint32_t first_kept(const struct exchange_log *log)
{
    return log->count > EXCHANGES ? log->count - EXCHANGES : 0;
}

/* The one of its warp by which `lane` learned of the earlier access. */
static const struct code *brought(const struct race_checker *checker,
                                  const struct warp_shadow *warp, unsigned lane,
                                  struct stamp earlier, unsigned earlier_lane)
{
    const struct exchange_log *log = warp->exchanges;
    const struct views *views = &checker->views;
    uint32_t block = earlier.warp / checker->slots, by = UINT32_C(1) << earlier_lane;
    uint32_t slot = earlier.warp - block * checker->slots;

    for (uint32_t i = log ? first_kept(log) : 0; log && i < log->count; i++) {
        const struct exchange *exchange = &log->items[i % EXCHANGES];
        if (exchange->mask >> lane & 1 &&
            view_saw(views, exchange->view, block, slot, by, earlier.epoch))
            return view_saw(views, exchange->before[lane], block, slot, by, earlier.epoch)
                       ? NULL : exchange->code;
    }
    return NULL;
}

/* The first one that the earlier access's lane came to after it. */
static const struct code *followed(const struct race_checker *checker, struct stamp earlier,
                                   unsigned earlier_lane)
{
    uint32_t number = earlier.warp / checker->slots;
    uint32_t slot = earlier.warp % checker->slots % checker->warps;
    const struct exchange_log *log = NULL;

    for (unsigned i = 0; i < BLOCK_HASH; i++)
        for (const struct block_shadow *b = checker->blocks[i]; b; b = b->next)
            if (b->number == number)
                log = b->warps[slot].exchanges;
    for (uint32_t i = log ? first_kept(log) : 0; log && i < log->count; i++) {
        const struct exchange *exchange = &log->items[i % EXCHANGES];
        if (exchange->mask >> earlier_lane & 1 && exchange->epoch >= earlier.epoch)
            return exchange->code;
    }
    return NULL;
}

bool race_exchanged(const struct touch *touch, unsigned lane, struct stamp earlier,
                    unsigned earlier_lane, unsigned back, const struct code **code)
{
    struct race_checker *other = touch->checker->asks;
    struct touch there;

    *code = NULL;
    race_touch_start(&there, other, touch->event);
    there.lanes = touch->lanes;
    if (!race_ordered(&there, lane, earlier, UINT32_C(1) << earlier_lane) &&
        !observed_there(touch, lane, earlier, earlier_lane, back))
        return false;
    /* By the exchange that told the later thread, else by one on the way to a message. */
    *code = brought(other, there.warp, lane, earlier, earlier_lane);
    if (!*code)
        *code = followed(other, earlier, earlier_lane);
    return true;
}
