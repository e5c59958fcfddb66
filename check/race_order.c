/* SPDX-License-Identifier: Apache-2.0
 *
 * race_order.c - which earlier accesses are before one, and with which it is morally strong. */
#include "check/race.h"

bool race_scope_holds(const struct race_checker *checker, enum ir_scope scope,
                      uint32_t from, uint32_t to)
{
    return from == to || scope >= IR_SCOPE_GPU ||
           (scope == IR_SCOPE_CLUSTER &&
            race_cluster_of(checker, from) == race_cluster_of(checker, to));
}

/* PTX ISA, "Morally strong operations": both strong, scopes that hold each other,
 * exactly the same bytes. */
bool race_morally_strong(const struct touch *touch, struct stamp earlier, unsigned back)
{
    const struct race_checker *checker = touch->checker;
    const struct site *site = touch->site;
    const struct site *other = &checker->sites.items[stamp_site(earlier)];
    uint32_t here = touch->warp->block->number, there = earlier.warp / checker->slots;

    return site->strong && other->strong && site->size == other->size &&
           stamp_back(earlier) == back &&
           race_scope_holds(checker, site->scope, here, there) &&
           race_scope_holds(checker, other->scope, there, here);
}

/* Most questions are about the same few warps, asked under the same view. */
void race_see(const struct race_checker *checker, struct warp_shadow *warp, struct seen *seen,
              uint32_t other)
{
    uint32_t block = other / checker->slots;

    *seen = (struct seen){warp->view[0], checker->views.sweeps, other, 0, 0};
    seen->base = view_base(&checker->views, warp->view[0], block,
                           other - block * checker->slots, &seen->top);
}

static inline bool seen_by_all(const struct race_checker *checker, struct warp_shadow *warp,
                               struct stamp stamp)
{
    return warp->uniform && stamp.epoch <= race_seen(checker, warp, stamp.warp)->base;
}

bool race_ordered(const struct touch *touch, unsigned lane, struct stamp stamp,
                  uint32_t lanes)
{
    const struct site *other = &touch->checker->sites.items[stamp_site(stamp)];

    /* PTX ISA, "Proxies": without a proxy fence on the way nothing orders accesses
     * of two proxies, not even program order. */
    if (touch->site->foreign != other->foreign && !(touch->warp->proxy_fenced >> lane & 1))
        return false;
    return race_ordered_but_for_proxy(touch, lane, stamp, lanes);
}

bool race_ordered_but_for_proxy(const struct touch *touch, unsigned lane, struct stamp stamp,
                                uint32_t lanes)
{
    const struct race_checker *checker = touch->checker;
    struct warp_shadow *warp = touch->warp;
    const struct copy_record *copy = touch->copy;
    uint32_t own = UINT32_C(1) << lane;

    if ((touch->site->async || touch->site->map) &&
        !race_proxy_fenced(touch, lane, stamp, lanes))
        return false;
    if (!copy && seen_by_all(checker, warp, stamp))
        return true;
    if (stamp.warp == touch->number) {
        lanes &= ~own;
    } else if (copy) {
        if (stamp.warp == warp->number && stamp.epoch <= copy->epoch)
            lanes &= ~own;
    } else if (warp->has_waited && stamp.warp == warp->number + checker->warps &&
               stamp.epoch <= warp->waited[lane]) {
        /* A wgmma is one operation of all lanes. */
        if (is_wgmma(checker->sites.items[stamp_site(stamp)].code->op))
            return true;
        lanes &= ~own;
    }
    if (!lanes)
        return true;
    uint32_t block = warp->block->number, slot = stamp.warp - (warp->number - warp->slot);
    if (slot >= checker->slots) {
        block = stamp.warp / checker->slots;
        slot = stamp.warp - block * checker->slots;
    }
    if (view_saw(&checker->views, copy ? copy->view[lane] : lane_view(warp, lane), block, slot,
                 lanes, stamp.epoch))
        return true;
    /* What a wgmma has read, once it was waited for, no later write can change. So one
     * thread's arrival for its warpgroup, of any scope, frees memory for copies, as pipelines
     * over a cluster have it, which name none: .cta. What was written it does not show. */
    return copy && copy->told[lane] && touch->site->writes &&
           is_wgmma(checker->sites.items[stamp_site(stamp)].code->op) &&
           view_saw(&checker->views, copy->told[lane], block, slot, lanes, stamp.epoch);
}

bool race_ordered_all(const struct touch *touch, struct stamp stamp, uint32_t lanes)
{
    const struct warp_shadow *warp = touch->warp;

    /* Where nothing but the view counts, one lane stands for all. Proxy fences do not lie in
     * it. */
    if (warp->uniform && !touch->copy && stamp.warp != touch->number && !warp->has_waited &&
        !touch->checker->proxies)
        return race_ordered(touch, lane_first(touch->lanes), stamp, lanes);
    FOR_LANES (each, touch->lanes)
        if (!race_ordered(touch, each, stamp, lanes))
            return false;
    return true;
}
