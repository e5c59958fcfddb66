/* SPDX-License-Identifier: Apache-2.0
 *
 * race_proxy.c - what bulk copies, wgmma and tensor maps see of earlier writes.
 *
 * PTX ISA, "Async proxy", "fence.proxy": what comes through another proxy is ordered after
 * generic writes by a fence of that proxy which is after the write and before what it is
 * for, in base causality. It may be one of whoever wrote, of the thread that starts the copy,
 * or of a thread between them. What comes after the end of a copy needs none, and nor do
 * reads: their value is there, and pipelines that load a tile again after a barrier have no
 * fence.
 *
 * A fence of the same thread covers all that an earlier one did: of each warp the last few
 * are enough, unless it is so many ahead of the copy; then there is nothing to report. */
#include "check/race.h"

void race_note_proxy_fence(struct race_checker *checker, struct warp_shadow *warp,
                           enum ir_proxy proxy, uint32_t mask)
{
    if (!warp->proxy_log)
        warp->proxy_log = ARENA_NEW(&checker->arena, struct proxy_log);
    struct proxy_log *log = warp->proxy_log;
    FOR_LANES (lane, mask) {
        struct proxy_fence *fence = &log->items[lane][log->count[lane]++ % PROXY_FENCES];
        log->gone[lane] = fence->epoch;
        *fence = (struct proxy_fence){lane_view(warp, lane), warp->clock, warp->waited[lane],
                                      proxy};
    }
}

/* Is it a fence for what the touch accesses? */
static bool is_for(const struct proxy_fence *fence, const struct touch *touch)
{
    switch (fence->proxy) {
    case IR_PROXY_TENSORMAP:
        return touch->site->map;
    case IR_PROXY_ASYNC:
        return !touch->site->map;
    case IR_PROXY_ASYNC_GLOBAL:
        return !touch->site->map && !touch->shared;
    case IR_PROXY_ASYNC_SHARED_CTA:
    case IR_PROXY_ASYNC_SHARED_CLUSTER:
        return !touch->site->map && touch->shared;
    default:
        return false;
    }
}

/* Is a lane's fence of this epoch before the copy? */
static bool precedes_copy(const struct touch *touch, unsigned lane,
                          const struct warp_shadow *warp, unsigned fencing, uint32_t epoch)
{
    if (warp == touch->warp && fencing == lane)
        return epoch <= touch->copy->epoch;
    return view_saw(&touch->checker->views, touch->copy->view[lane], warp->block->number,
                    warp->slot, UINT32_C(1) << fencing, epoch);
}

/* Is an access before a lane's fence? */
static bool precedes_fence(const struct touch *touch, const struct warp_shadow *warp,
                           const struct proxy_fence *fence, unsigned fencing, struct stamp stamp,
                           uint32_t lanes)
{
    const struct race_checker *checker = touch->checker;
    uint32_t block = stamp.warp / checker->slots;

    if (lanes == UINT32_C(1) << fencing &&
        (stamp.warp == warp->number
             ? stamp.epoch <= fence->epoch
             : stamp.warp == warp->number + checker->warps && stamp.epoch <= fence->waited))
        return true;
    return view_saw(&checker->views, fence->view, block, stamp.warp - block * checker->slots,
                    lanes, stamp.epoch);
}

/* Does a fence of one lane of the warp lie between? */
static bool fenced_by(const struct touch *touch, unsigned lane, const struct warp_shadow *warp,
                      unsigned fencing, struct stamp stamp, uint32_t lanes)
{
    const struct proxy_log *log = warp->proxy_log;
    uint32_t count = log ? log->count[fencing] : 0;
    uint32_t kept = count < PROXY_FENCES ? count : PROXY_FENCES;

    for (uint32_t i = 0; i < kept; i++) {
        const struct proxy_fence *fence = &log->items[fencing][(count - 1 - i) % PROXY_FENCES];
        if (is_for(fence, touch) && precedes_copy(touch, lane, warp, fencing, fence->epoch) &&
            precedes_fence(touch, warp, fence, fencing, stamp, lanes))
            return true;
    }
    return count > PROXY_FENCES && precedes_copy(touch, lane, warp, fencing, log->gone[fencing]) &&
           !precedes_copy(touch, lane, warp, fencing,
                          log->items[fencing][count % PROXY_FENCES].epoch);
}

bool race_proxy_fenced(const struct touch *touch, unsigned lane, struct stamp stamp,
                       uint32_t lanes)
{
    const struct race_checker *checker = touch->checker;
    const struct block_shadow *block = touch->warp->block;
    const struct site *other = &checker->sites.items[stamp_site(stamp)];
    const struct warp_shadow *writer = &block->warps[stamp.warp % checker->slots % checker->warps];

    if (other->async || !other->writes || fenced_by(touch, lane, touch->warp, lane, stamp, lanes))
        return true;
    if (stamp.warp / checker->slots == block->number &&
        fenced_by(touch, lane, writer, lane_first(lanes), stamp, lanes))
        return true;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (unsigned each = 0; block->warps[w].proxy_log && each < LANES; each++)
            if (fenced_by(touch, lane, &block->warps[w], each, stamp, lanes))
                return true;
    return false;
}
