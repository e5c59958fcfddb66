/* SPDX-License-Identifier: Apache-2.0
 *
 * race_sync.c - how views move: fences and messages, barriers, copies.
 *
 * PTX ISA, "Release and Acquire Patterns": what is before a release pattern on a
 * location is before what comes after an acquire pattern that reads its value,
 * when the scopes of both hold the other's thread. The value of a location
 * carries its release heads as a message; an atomic passes on those of the value
 * that it replaced. */
#include "check/race.h"

#include <string.h>

static struct race_checker *checker_of(struct observer *observer)
{
    return (struct race_checker *)observer;
}

struct lane_sync *race_lane_sync(struct race_checker *checker, struct warp_shadow *warp)
{
    if (!warp->sync)
        warp->sync = ARENA_NEW(&checker->arena, struct lane_sync);
    return warp->sync;
}

void race_see_more(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                   struct view *more)
{
    struct view *before = lane_view(warp, lane);
    struct view *after = view_join(&checker->views, before, more);

    if (after != before)
        race_set_view(warp, UINT32_C(1) << lane, after);
}

/* --- messages -------------------------------------------------------------------------- */

/* More wide heads than this in groups of their own are taken for all blocks'. */
enum { WIDE_GROUPS = 32 };

void race_add_head(struct race_checker *checker, struct message *message,
                   const struct block_shadow *block, enum ir_scope scope, struct view *view)
{
    struct views *views = &checker->views;
    struct message_group *group;

    message->any = true;
    if (scope >= IR_SCOPE_GPU) {
        message->wide = view_join(views, message->wide, view);
        if (message->group_count >= WIDE_GROUPS)
            message->collapsed = true;
        if (message->collapsed)
            return;
    }
    group = message_group(&checker->pool, message, false, block->number);
    group->view = view_join(views, group->view, view);
    if (checker->clusters && scope >= IR_SCOPE_CLUSTER) {
        group = message_group(&checker->pool, message, true, block->cluster);
        group->view = view_join(views, group->view, view);
    }
}

static struct view *from_group(const struct message *message, bool cluster, uint32_t id)
{
    for (uint32_t i = 0; i < message->group_count; i++)
        if (message->groups[i].cluster == cluster && message->groups[i].id == id)
            return message->groups[i].view;
    return NULL;
}

/* What a message holds for acquires of a reach by threads of the block. */
struct view *race_heads_for(struct race_checker *checker, const struct message *message,
                            const struct block_shadow *block, enum reach reach)
{
    struct view *heads;

    if (reach == REACH_ALL)
        return message->wide;
    if (reach == REACH_CLUSTER && !checker->clusters)
        return NULL;
    heads = from_group(message, reach == REACH_CLUSTER,
                       reach == REACH_CLUSTER ? block->cluster : block->number);
    return message->collapsed ? view_join(&checker->views, heads, message->wide) : heads;
}

enum reach race_reach(enum ir_scope scope)
{
    return scope >= IR_SCOPE_GPU       ? REACH_ALL
           : scope == IR_SCOPE_CLUSTER ? REACH_CLUSTER
                                       : REACH_BLOCK;
}

enum ir_scope race_scope_of(enum reach reach)
{
    return reach == REACH_ALL       ? IR_SCOPE_GPU
           : reach == REACH_CLUSTER ? IR_SCOPE_CLUSTER
                                    : IR_SCOPE_CTA;
}

/* touch: of the read, NULL when no acquire read can follow at the location. */
static void take(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                 const struct message *message, bool acquires, enum ir_scope scope,
                 const struct touch *touch)
{
    struct lane_sync *sync = race_lane_sync(checker, warp);
    enum reach now = race_reach(scope);

    for (enum reach reach = REACH_BLOCK; reach < REACHES; reach++) {
        struct view *heads = race_heads_for(checker, message, warp->block, reach);
        if (!heads)
            continue;
        if (acquires && reach <= now) {
            race_see_more(checker, warp, lane, heads);
        } else {
            struct view **pending = &sync->pending[reach][lane];
            *pending = view_join(&checker->views, *pending, heads);
            if (touch) {
                struct view **waiting =
                    &race_place_make(&sync->waiting[lane], touch)->views[reach];
                *waiting = view_join(&checker->views, *waiting, heads);
            }
        }
    }
}

void race_acquire(const struct touch *touch, unsigned lane)
{
    struct race_checker *checker = touch->checker;
    struct lane_sync *sync = touch->warp->sync;
    const struct lane_place *waiting =
        sync ? race_place_find(&sync->waiting[lane], touch) : NULL;

    for (enum reach reach = REACH_BLOCK; waiting && reach <= race_reach(touch->site->scope);
         reach++)
        if (waiting->views[reach])
            race_see_more(checker, touch->warp, lane, waiting->views[reach]);
}

/* What the lane had seen and done at its last release fence of the scope. */
static struct view *fenced(struct race_checker *checker, const struct warp_shadow *warp,
                           unsigned lane, enum ir_scope scope)
{
    struct view_rise rises[1 + LANES];
    uint32_t count = race_rises(checker, warp, UINT32_C(1) << lane,
                                warp->sync->fenced_at[scope][lane], rises);

    return view_raise(&checker->views, warp->sync->fenced[scope][lane], warp->block->number,
                      rises, count);
}

/* The heads of a strong write: release fences before it in the thread. */
static void add_fences(struct race_checker *checker, const struct warp_shadow *warp,
                       unsigned lane, struct message *message)
{
    const struct lane_sync *sync = warp->sync;
    uint32_t newest = 0;

    if (!sync || !sync->any_fence)
        return;
    for (unsigned scope = IR_SCOPE_SYS; scope > IR_SCOPE_NONE; scope--) {
        uint32_t at = sync->fenced_at[scope][lane];
        if (at <= newest)
            continue;
        newest = at;
        race_add_head(checker, message, warp->block, scope, fenced(checker, warp, lane, scope));
    }
}

void race_publish(const struct touch *touch, unsigned lane, struct cell *cell, bool inherits)
{
    struct race_checker *checker = touch->checker;
    struct warp_shadow *warp = touch->warp;
    const struct site *site = touch->site;
    struct extra *extra = extra_of(&checker->pool, cell);
    struct lane_place *before =
        warp->sync ? race_place_find(&warp->sync->released[lane], touch) : NULL;

    if (extra && !inherits)
        message_clear(&extra->message);
    if (!site->releases && !before && !(warp->sync && warp->sync->any_fence))
        return;
    extra = cell_extra(&checker->pool, cell);
    if (site->releases) {
        struct lane_sync *sync = race_lane_sync(checker, warp);
        const enum reach reach = race_reach(site->scope);
        struct view *view = race_published(checker, warp, lane);
        before = race_place_make(&sync->released[lane], touch);
        /* It says all that earlier ones of no wider scope did. */
        for (enum reach narrow = REACH_BLOCK; narrow < reach; narrow++)
            before->views[narrow] = NULL;
        before->views[reach] = view;
        extra->released = true;
    }
    for (enum reach reach = REACH_BLOCK; before && reach < REACHES; reach++)
        if (before->views[reach])
            race_add_head(checker, &extra->message, warp->block, race_scope_of(reach),
                          before->views[reach]);
    add_fences(checker, warp, lane, &extra->message);
}

void race_observe(const struct touch *touch, unsigned lane, struct stamp write,
                  const struct message *message, bool strong)
{
    struct race_checker *checker = touch->checker;
    bool released = message && message->any;

    if (write.warp != touch->number || stamp_lane(write) != lane)
        race_lane_sync(checker, touch->warp)->hint[lane] = (struct hint){
            .write = write, .read_site = touch->site_index, .strong = strong,
            .released = released};
    if (strong && released && !touch->site->mute)
        take(checker, touch->warp, lane, message, touch->site->acquires, touch->site->scope,
             touch);
}

/* --- fences ----------------------------------------------------------------------------- */

void race_fence(struct observer *self, struct warp *warp, const struct code *code,
                uint32_t mask)
{
    struct race_checker *checker = checker_of(self);
    struct warp_shadow *shadow = race_warp(checker, warp);

    if (code->op != IR_OP_fence) {
        shadow->proxy_fenced |= mask;
        /* Of tensor maps only the acquiring end counts. */
        if (code->op == IR_OP_fence_proxy && code->order != IR_ORDER_RELEASE)
            race_note_proxy_fence(checker, shadow, (enum ir_proxy)code->sub, mask);
        race_advance(shadow);
        return;
    }
    struct lane_sync *sync = race_lane_sync(checker, shadow);
    FOR_LANES (lane, mask) {
        for (enum reach reach = REACH_BLOCK;
             code->order != IR_ORDER_RELEASE && reach <= race_reach(code->scope); reach++) {
            struct view *heads = sync->pending[reach][lane];
            sync->pending[reach][lane] = NULL;
            if (heads)
                race_see_more(checker, shadow, lane, heads);
        }
        if (code->order != IR_ORDER_RELEASE && race_reach(code->scope) == REACH_ALL)
            race_places_free(checker, &sync->waiting[lane]); /* all is taken */
        if (checker->forces_fences && code->order == IR_ORDER_SC)
            race_force_fence(checker, shadow, lane, code->scope);
        if (checker->orders_values && code->order == IR_ORDER_SC) {
            race_see_more(checker, shadow, lane, race_sc_before(checker, shadow, code->scope));
            race_sc_after(checker, shadow, lane, code->scope);
        }
        if (checker->forces_fences && code->order == IR_ORDER_SC)
            race_forced_fence(checker, shadow, lane, code->scope);
        if (code->order == IR_ORDER_ACQUIRE)
            continue;
        sync->fenced[code->scope][lane] = lane_view(shadow, lane);
        sync->fenced_at[code->scope][lane] = shadow->clock;
        sync->any_fence = true;
    }
    race_settle_views(shadow);
    race_advance(shadow);
}

/* --- barriers ------------------------------------------------------------------------------ */

/* The views of the lanes, joined to one. */
static struct view *views_of(struct race_checker *checker, const struct warp_shadow *warp,
                             uint32_t lanes, struct view *join)
{
    if (warp->uniform)
        return view_join(&checker->views, join, warp->view[0]);
    FOR_LANES (lane, lanes)
        join = view_join(&checker->views, join, warp->view[lane]);
    return join;
}

static struct view *arrival(struct race_checker *checker, const struct warp_shadow *warp,
                            uint32_t lanes, struct view *join)
{
    struct view_rise rises[1 + LANES];
    uint32_t count = race_rises(checker, warp, race_lanes(warp, lanes), warp->clock, rises);

    join = views_of(checker, warp, lanes, join);
    return view_raise(&checker->views, join, warp->block->number, rises, count);
}

/* PTX ISA, "bar.warp.sync": memory ordering among the lanes that take part. The
 * other operations with a member mask promise none; what if they did is asked in a
 * second run. */
void race_warp_sync(struct observer *self, struct warp *warp, const struct code *code,
                    uint32_t mask)
{
    struct race_checker *checker = checker_of(self);
    bool orders = code->op == IR_OP_bar_warp;

    if (!orders && !((checker->asks || checker->exchanges_order) && race_is_exchange(code->op)))
        return;
    struct warp_shadow *shadow = race_warp(checker, warp);
    if (orders || checker->exchanges_order) {
        struct view *view = arrival(checker, shadow, mask, NULL);
        if (!orders)
            race_note_exchange(checker, shadow, code, mask, view);
        race_set_view(shadow, mask, view);
    }
    race_advance(shadow);
}

void race_barrier_arrive(struct observer *self, struct warp *warp, const struct code *code,
                         uint32_t id, uint32_t mask, bool waits)
{
    struct race_checker *checker = checker_of(self);
    struct warp_shadow *shadow = race_warp(checker, warp);
    struct view **arrived = &shadow->block->barriers[id].arrived;

    (void)code;
    if (waits) /* their views do not change until it is complete */
        return;
    *arrived = arrival(checker, shadow, mask, *arrived);
    race_advance(shadow);
}

static uint32_t waiting_lanes(const struct warp *warp, uint32_t id)
{
    uint32_t lanes = 0;

    FOR_FRAGMENTS (i, warp)
        if (warp->fragments[i].state == FRAGMENT_BARRIER && warp->fragments[i].barrier == id)
            lanes |= warp->fragments[i].mask;
    return lanes;
}

void race_barrier_complete(struct observer *self, struct block *block, uint32_t id)
{
    struct race_checker *checker = checker_of(self);
    struct block_shadow *shadow = race_block(checker, block);
    struct view *join = shadow->barriers[id].arrived;
    struct view_rise rises[32 * (1 + LANES)];
    uint32_t lanes[32], count = 0;
    bool all = true;

    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp_shadow *warp = &shadow->warps[w];
        lanes[w] = block->barriers[id].waiting >> w & 1
                       ? waiting_lanes(&block->warps[w], id) : 0;
        all = all && race_lanes(warp, lanes[w]) == UINT32_MAX;
        if (!lanes[w])
            continue;
        uint32_t came = lanes[w] | block->warps[w].barrier_lanes[id];
        join = views_of(checker, warp, came, join);
        count += race_rises(checker, warp, race_lanes(warp, came), warp->clock, rises + count);
    }
    join = view_raise(&checker->views, join, shadow->number, rises, count);
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (lanes[w]) {
            race_set_view(&shadow->warps[w], lanes[w], join);
            race_advance(&shadow->warps[w]);
        }
    shadow->barriers[id].arrived = NULL;
    /* All that was done to the block's shared memory is before all that will be: it can
     * race with nothing any more, and nobody else can be told of it. */
    if (all && checker->ages) {
        shadow_renew(&checker->pool, &shadow->shared);
        shadow->renewed = join;
    }
    for (uint32_t w = 0; all && w < block->warp_count; w++)
        shadow->warps[w].settled = shadow->warps[w].clock - 1;
}

/* --- clusters ------------------------------------------------------------------------------- */

static struct cluster_shadow *cluster_shadow(struct race_checker *checker,
                                             const struct block_shadow *block)
{
    struct cluster_shadow *c = checker->cluster_list;

    while (c && c->number != block->cluster)
        c = c->next;
    if (c)
        return c;
    c = checker->free_clusters;
    if (c)
        checker->free_clusters = c->next;
    else
        c = ARENA_NEW(&checker->arena, struct cluster_shadow);
    *c = (struct cluster_shadow){.number = block->cluster, .next = checker->cluster_list};
    return checker->cluster_list = c;
}

/* PTX ISA, "barrier.cluster": arrive releases unless it is .relaxed. */
void race_cluster_arrive(struct observer *self, struct warp *warp, const struct code *code,
                         uint32_t mask)
{
    struct race_checker *checker = checker_of(self);
    struct warp_shadow *shadow = race_warp(checker, warp);
    struct cluster_shadow *cluster = cluster_shadow(checker, shadow->block);

    if (code->order == IR_ORDER_RELAXED) {
        /* A fence before it still counts, as before a relaxed write. */
        const struct lane_sync *sync = shadow->sync;
        FOR_LANES (lane, sync && sync->any_fence ? mask : 0)
            for (unsigned scope = IR_SCOPE_CLUSTER; scope <= IR_SCOPE_SYS; scope++)
                if (sync->fenced_at[scope][lane])
                    cluster->arrived = view_join(&checker->views, cluster->arrived,
                                                 fenced(checker, shadow, lane, scope));
        return;
    }
    cluster->arrived = arrival(checker, shadow, mask, cluster->arrived);
    race_advance(shadow);
}

void race_cluster_complete(struct observer *self, struct cluster *cluster)
{
    struct race_checker *checker = checker_of(self);
    struct cluster_shadow *c =
        cluster_shadow(checker, race_block(checker, cluster->blocks[0]));

    c->passed = c->arrived;
    c->arrived = NULL;
}

void race_cluster_pass(struct observer *self, struct warp *warp, const struct code *code,
                       uint32_t mask)
{
    struct race_checker *checker = checker_of(self);
    struct warp_shadow *shadow = race_warp(checker, warp);
    struct view *passed = cluster_shadow(checker, shadow->block)->passed;

    (void)code;
    if (shadow->uniform && !(shadow->exists & ~mask))
        race_set_view(shadow, mask, view_join(&checker->views, shadow->view[0], passed));
    else
        FOR_LANES (lane, mask)
            race_see_more(checker, shadow, lane, passed);
    race_settle_views(shadow);
}

/* --- mbarriers ---------------------------------------------------------------------------------- */

static struct message *message_of(struct race_checker *checker, struct message **message)
{
    if (!*message)
        *message = ARENA_NEW(&checker->arena, struct message);
    return *message;
}

/* cp.async.mbarrier.arrive brings the copies of the thread, which began with all
 * that it had done. The end of a bulk copy brings nothing but that (alone). */
static struct view *with_copies(struct race_checker *checker, const struct warp_shadow *warp,
                                unsigned lane, bool alone)
{
    const struct view_rise rise = {warp->slot + checker->warps, UINT32_C(1) << lane,
                                   warp->copied[lane]};

    return view_raise(&checker->views, alone ? NULL : race_published(checker, warp, lane),
                      warp->block->number, &rise, 1);
}

/* For an arrival by a thread that has waited for its copies: those of its warp, and those of
 * the other three of its warpgroup. A wgmma is one operation of them all, so that what one of
 * them has waited for all have done, and all have issued it. */
static struct view *with_warpgroup(struct race_checker *checker, const struct warp_shadow *warp,
                                   unsigned lane)
{
    enum { GROUP = 4 };
    struct view_rise rises[GROUP];
    uint32_t count = 0, first = warp->slot & ~(uint32_t)(GROUP - 1);

    for (uint32_t w = first; w < first + GROUP && w < warp->block->warp_count; w++) {
        const struct warp_shadow *other = &warp->block->warps[w];
        uint32_t epoch = w == warp->slot  ? warp->waited[lane]
                         : other->copies ? (uint32_t)other->copies->number + 1
                                         : 0;
        if (epoch)
            rises[count++] = (struct view_rise){w + checker->warps, LANES_ALL, epoch};
    }
    return view_raise(&checker->views, race_published(checker, warp, lane), warp->block->number,
                      rises, count);
}

void race_mbarrier(struct observer *self, const struct mbarrier_event *event)
{
    struct race_checker *checker = checker_of(self);
    struct warp_shadow *warp = race_warp(checker, event->warp);
    const struct cluster *cluster = event->warp->block->cluster;
    const struct code *code = event->code;
    struct block_shadow *owner = warp->block;

    if (cluster)
        owner = race_block(checker, cluster->blocks[event->owner]);
    struct cell *cell =
        race_cell(checker, &owner->shared,
                  event->address - checker->state->executable->shared_base);
    struct extra *extra = cell_extra(&checker->pool, cell);
    struct message *arrived = message_of(checker, &extra->arrived);
    struct message *passed = message_of(checker, &extra->passed);

    switch (event->act) {
    case MBARRIER_INIT:
        message_clear(arrived);
        message_clear(passed);
        break;
    case MBARRIER_ARRIVE:
        if (happens_beside(code->op) || code->op == IR_OP_cp_async_mbarrier)
            /* PTX ISA, "st.async", "cp.async.bulk": complete-tx releases at .cluster scope;
             * what waits in the barrier's own block need not say that. */
            race_add_head(checker, arrived, owner,
                          code->op == IR_OP_cp_async_mbarrier ? IR_SCOPE_CTA : IR_SCOPE_CLUSTER,
                          with_copies(checker, warp, event->lane, happens_beside(code->op)));
        else if (code->order != IR_ORDER_RELAXED)
            race_add_head(checker, arrived, warp->block, code->scope,
                          race_published(checker, warp, event->lane));
        if (code->order != IR_ORDER_RELAXED && warp->has_waited && !happens_beside(code->op) &&
            code->op != IR_OP_cp_async_mbarrier)
            arrived->told = view_join(&checker->views, arrived->told,
                                      with_warpgroup(checker, warp, event->lane));
        if (!happens_beside(code->op))
            add_fences(checker, warp, event->lane, arrived);
        race_advance(warp);
        if (event->completed) {
            extra->arrived = passed;
            extra->passed = arrived;
            message_clear(extra->arrived);
        }
        break;
    case MBARRIER_PASS:
        take(checker, warp, event->lane, passed, code->order != IR_ORDER_RELAXED,
             code->scope, NULL);
        if (passed->told && code->order != IR_ORDER_RELAXED)
            warp->told[event->lane] =
                view_join(&checker->views, warp->told[event->lane], passed->told);
        break;
    }
}

/* --- asynchronous copies ----------------------------------------------------------------------- */

/* The copy of a lane is a thread of its own that starts with the lane's view; it
 * has a slot beside the warp's, and the number of the instruction for an epoch. */
void race_copy(struct observer *self, const struct copy_event *event)
{
    struct race_checker *checker = checker_of(self);
    struct warp_shadow *warp = race_warp(checker, event->warp);

    for (struct copy_record **at = &warp->copies; *at;) {
        struct copy_record *copy = *at;
        if (copy->mask) {
            at = &copy->next;
            continue;
        }
        *at = copy->next;
        copy->next = checker->free_copies;
        checker->free_copies = copy;
    }
    if (event->done) {
        warp->copy = warp->copies;
        while (warp->copy->number != event->number)
            warp->copy = warp->copy->next;
        warp->copy->mask &= ~event->mask;
        FOR_LANES (lane, event->mask)
            if (warp->copied[lane] <= event->number)
                warp->copied[lane] = (uint32_t)event->number + 1;
        return;
    }
    struct copy_record *copy = checker->free_copies;
    if (copy)
        checker->free_copies = copy->next;
    else
        copy = ARENA_NEW(&checker->arena, struct copy_record);
    *copy = (struct copy_record){.next = warp->copies, .number = event->number,
                                 .mask = event->mask, .epoch = warp->clock};
    FOR_LANES (lane, event->mask) {
        copy->view[lane] = lane_view(warp, lane);
        copy->told[lane] = warp->told[lane];
    }
    warp->copies = warp->copy = copy;
    race_advance(warp);
}

void race_copies_waited(struct observer *self, struct warp *warp, uint32_t mask)
{
    struct warp_shadow *shadow = race_warp(checker_of(self), warp);

    FOR_LANES (lane, mask)
        shadow->waited[lane] = shadow->copied[lane];
    shadow->has_waited = true;
}
