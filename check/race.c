/* SPDX-License-Identifier: Apache-2.0
 *
 * race.c - the race checker's life: launches, blocks, and the table of events.
 *
 * Nothing outlives a launch: launches on one context follow each other, so all
 * that an earlier one did is ordered before. */
#include "check/race.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static struct race_checker *checker_of(struct observer *observer)
{
    return (struct race_checker *)observer;
}

/* --- what is in use ------------------------------------------------------------------ */

static void mark_warp(const struct views *views, const struct warp_shadow *warp)
{
    for (unsigned lane = 0; lane < (warp->uniform ? 1 : LANES); lane++)
        view_mark(views, warp->view[lane]);
    for (const struct copy_record *copy = warp->copies; copy; copy = copy->next)
        for (unsigned lane = 0; lane < LANES; lane++) {
            view_mark(views, copy->view[lane]);
            view_mark(views, copy->told[lane]);
        }
    for (unsigned lane = 0; lane < LANES; lane++)
        view_mark(views, warp->told[lane]);
    for (uint32_t i = 0; warp->exchanges && i < EXCHANGES; i++) {
        view_mark(views, warp->exchanges->items[i].view);
        for (unsigned lane = 0; lane < LANES; lane++)
            view_mark(views, warp->exchanges->items[i].before[lane]);
    }
    for (unsigned lane = 0; warp->proxy_log && lane < LANES; lane++)
        for (uint32_t i = 0; i < PROXY_FENCES; i++)
            view_mark(views, warp->proxy_log->items[lane][i].view);
    if (!warp->sync)
        return;
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned scope = 0; scope < IR_SCOPE_COUNT; scope++)
            view_mark(views, warp->sync->fenced[scope][lane]);
        for (unsigned reach = 0; reach < REACHES; reach++) {
            view_mark(views, warp->sync->pending[reach][lane]);
            view_mark(views, warp->sync->sc_fenced[reach][lane]);
            view_mark(views, warp->sync->sc_before[reach][lane]);
        }
        race_places_mark(views, warp->sync->waiting[lane]);
        race_places_mark(views, warp->sync->released[lane]);
    }
}

static void collect(struct race_checker *checker)
{
    const struct views *views = &checker->views;

    for (unsigned i = 0; i < BLOCK_HASH; i++)
        for (struct block_shadow *block = checker->blocks[i]; block; block = block->next) {
            for (uint32_t w = 0; w < block->warp_count; w++)
                mark_warp(views, &block->warps[w]);
            for (unsigned id = 0; id < BLOCK_BARRIERS; id++)
                view_mark(views, block->barriers[id].arrived);
            view_mark(views, block->renewed);
        }
    for (struct cluster_shadow *c = checker->cluster_list; c; c = c->next) {
        view_mark(views, c->arrived);
        view_mark(views, c->passed);
    }
    shadow_mark(&checker->pool, views);
    race_mark_fences(checker, views);
    views_sweep(&checker->views);
}

/* --- blocks and warps ------------------------------------------------------------------ */

static unsigned block_hash(const struct block *block)
{
    return (unsigned)((uintptr_t)block >> 6) % BLOCK_HASH;
}

struct block_shadow *race_block(struct race_checker *checker, const struct block *block)
{
    struct block_shadow *found = checker->blocks[block_hash(block)];

    while (found && found->block != block)
        found = found->next;
    if (found)
        checker->last_block = found;
    return found;
}

uint32_t race_cluster_of(const struct race_checker *checker, uint32_t block)
{
    const uint32_t *grid = checker->state->launch->grid;
    const uint32_t *shape = checker->state->launch->cluster;

    if (!checker->clusters)
        return block;
    uint32_t x = block % grid[0] / shape[0], y = block / grid[0] % grid[1] / shape[1];
    uint32_t z = block / grid[0] / grid[1] / shape[2];
    return (z * (grid[1] / shape[1]) + y) * (grid[0] / shape[0]) + x;
}

void race_set_view(struct warp_shadow *warp, uint32_t lanes, struct view *view)
{
    if (!(~lanes & warp->exists)) {
        warp->uniform = true;
        warp->view[0] = view;
        return;
    }
    if (warp->uniform) {
        if (warp->view[0] == view)
            return;
        for (unsigned lane = 1; lane < LANES; lane++)
            warp->view[lane] = warp->view[0];
        warp->uniform = false;
    }
    FOR_LANES (lane, lanes)
        warp->view[lane] = view;
}

void race_settle_views(struct warp_shadow *warp)
{
    struct view *first = warp->view[lane_first(warp->exists)];

    if (warp->uniform)
        return;
    FOR_LANES (lane, warp->exists)
        if (warp->view[lane] != first)
            return;
    race_set_view(warp, warp->exists, first);
}

uint32_t race_rises(const struct race_checker *checker, const struct warp_shadow *warp,
                    uint32_t lanes, uint32_t epoch, struct view_rise *rises)
{
    uint32_t count = 1, left = warp->has_waited ? lanes : 0;

    rises[0] = (struct view_rise){warp->slot, lanes, epoch};
    while (left) {
        uint32_t same = 0, waited = warp->waited[lane_first(left)];
        FOR_LANES (lane, left)
            same |= (uint32_t)(warp->waited[lane] == waited) << lane;
        left &= ~same;
        if (waited)
            rises[count++] =
                (struct view_rise){warp->slot + checker->warps, same, waited};
    }
    return count;
}

struct view *race_published(struct race_checker *checker, const struct warp_shadow *warp,
                            unsigned lane)
{
    struct view_rise rises[1 + LANES];
    uint32_t count = race_rises(checker, warp, UINT32_C(1) << lane, warp->clock, rises);

    return view_raise(&checker->views, lane_view(warp, lane), warp->block->number, rises,
                      count);
}

static void block_begin(struct observer *self, struct block *block)
{
    struct race_checker *checker = checker_of(self);
    struct block_shadow *shadow = checker->free_blocks;

    if (checker->off)
        return;
    if (shadow) {
        checker->free_blocks = shadow->next;
    } else {
        shadow = ARENA_NEW(&checker->arena, struct block_shadow);
        shadow->warps = ARENA_NEW_ARRAY(&checker->arena, checker->warps, struct warp_shadow);
        shadow->warp_count = checker->warps;
        shadow_start(&checker->pool, &shadow->shared, block->shared_bytes);
        shadow->shared.shared = true;
    }
    memset(shadow->barriers, 0, sizeof shadow->barriers);
    shadow->block = block;
    shadow->renewed = NULL;
    shadow->number = (uint32_t)block->linear;
    shadow->cluster = race_cluster_of(checker, shadow->number);
    for (uint32_t w = 0; w < checker->warps; w++) {
        struct lane_sync *sync = shadow->warps[w].sync;
        struct exchange_log *exchanges = shadow->warps[w].exchanges;
        struct proxy_log *proxy_log = shadow->warps[w].proxy_log;
        for (unsigned lane = 0; sync && lane < LANES; lane++) {
            race_places_free(checker, &sync->waiting[lane]);
            race_places_free(checker, &sync->released[lane]);
        }
        if (sync)
            memset(sync, 0, sizeof *sync);
        if (exchanges)
            memset(exchanges, 0, sizeof *exchanges);
        if (proxy_log)
            memset(proxy_log, 0, sizeof *proxy_log);
        shadow->warps[w] = (struct warp_shadow){
            .block = shadow, .slot = w, .number = shadow->number * checker->slots + w,
            .clock = 1, .uniform = true, .exists = block->warps[w].exists, .sync = sync,
            .exchanges = exchanges, .proxy_log = proxy_log};
    }
    shadow->next = checker->blocks[block_hash(block)];
    checker->blocks[block_hash(block)] = shadow;
}

static void block_end(struct observer *self, struct block *block)
{
    struct race_checker *checker = checker_of(self);
    struct block_shadow **at = &checker->blocks[block_hash(block)];

    if (checker->off)
        return;
    while ((*at)->block != block)
        at = &(*at)->next;
    struct block_shadow *shadow = *at;
    *at = shadow->next;
    shadow_end(&checker->pool, &shadow->shared);
    for (struct cluster_shadow **c = &checker->cluster_list; *c; c = &(*c)->next)
        if ((*c)->number == shadow->cluster) {
            struct cluster_shadow *gone = *c;
            *c = gone->next;
            gone->next = checker->free_clusters;
            checker->free_clusters = gone;
            break;
        }
    shadow->block = NULL;
    shadow->next = checker->free_blocks;
    checker->free_blocks = shadow;
    checker->last_block = NULL;
}

/* --- launches ----------------------------------------------------------------------------- */

/* Does an instruction that the kernel may execute fulfil the condition? What it reaches is
 * decoded when it starts, but for what an address of a function leads to. */
static bool executes(const struct launch_state *state, bool condition(const struct ir_inst *))
{
    const struct ir_module *module = state->launch->image->module;
    bool anything = false, found = false;

    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; state->executable->programs[f] && !anything &&
                             i < module->functions[f].inst_count; i++)
            anything = module->functions[f].insts[i].op == IR_OP_call_indirect;
    for (uint32_t f = 0; f < module->function_count && !found; f++)
        for (uint32_t i = 0; (anything || state->executable->programs[f]) && !found &&
                             i < module->functions[f].inst_count; i++)
            found = condition(&module->functions[f].insts[i]);
    return found;
}

static bool is_copy(const struct ir_inst *inst)
{
    return happens_beside(inst->op);
}

/* May strong accesses meet in shared memory? What they take and give is remembered there. */
static bool is_strong_shared(const struct ir_inst *inst)
{
    bool plain = inst->op == IR_OP_ld || inst->op == IR_OP_st;

    return ((plain || inst->op == IR_OP_atom) && inst->space != IR_SPACE_GLOBAL &&
            (!plain || inst->order != IR_ORDER_WEAK)) ||
           (inst->op >= IR_OP_cp_async_mbarrier && inst->op <= IR_OP_mbarrier_test);
}

bool race_is_sc_fence(const struct ir_inst *inst)
{
    return inst->op == IR_OP_fence && inst->order == IR_ORDER_SC;
}

static void launch_end(struct observer *self, struct launch_state *state)
{
    struct race_checker *checker = checker_of(self);
    struct race_checker kept = {.observer = checker->observer,
                                .orders_values = checker->orders_values,
                                .exchanges_order = checker->exchanges_order,
                                .second = checker->second,
                                .asks = checker->asks};

    (void)state;
    views_end(&checker->views);
    shadow_pool_end(&checker->pool);
    arena_free(&checker->arena);
    *checker = kept;
}

static void launch_begin(struct observer *self, struct launch_state *state)
{
    struct race_checker *checker = checker_of(self);

    launch_end(self, state);
    checker->state = state;
    checker->findings = state->findings;
    checker->warps = (state->block_threads + LANES - 1) / LANES;
    checker->slots = checker->warps << executes(state, is_copy);
    checker->clusters = state->cluster_size > 1;
    checker->remembers = state->launch->weak != NULL;
    checker->forces_fences = checker->second && executes(state, race_is_sc_fence);
    checker->ages = checker->slots == checker->warps && !checker->clusters &&
                    !checker->remembers && !checker->orders_values && !checker->forces_fences &&
                    !executes(state, is_strong_shared);
    shadow_pool_start(&checker->pool, &checker->arena);
    checker->pool.checker = checker;
    *ARENA_PUSH(&checker->arena, &checker->sites) = (struct site){0};
    /* No launch within the step limit comes near. */
    checker->off = state->block_count > UINT32_MAX / checker->slots;
    if (checker->off && !checker->orders_values && !checker->exchanges_order)
        findings_add(checker->findings,
                     &(struct finding){.category = FINDING_RACE, .kind = "not-checked",
                                       .severity = FINDING_WARNING},
                     "the grid has more warps than the race checker can tell apart: races "
                     "were not looked for");
    views_start(&checker->views, state->block_count, checker->slots);
}

/* --- events -------------------------------------------------------------------------------- */

/* Between two events nothing holds a view that collect() does not know. */
static void settle(struct race_checker *checker)
{
    if (views_due(&checker->views))
        collect(checker);
}

#define EVENT(name, parameters, ...)                                         \
    static void on_##name parameters                                         \
    {                                                                        \
        if (checker_of(self)->off)                                           \
            return;                                                          \
        settle(checker_of(self));                                            \
        race_##name(__VA_ARGS__);                                            \
    }
EVENT(access, (struct observer *self, const struct access_event *event), self, event)

static bool on_row(struct observer *self, const struct access_row *row)
{
    if (checker_of(self)->off)
        return true;
    settle(checker_of(self));
    return race_row(self, row);
}

EVENT(fence, (struct observer *self, struct warp *warp, const struct code *code, uint32_t mask),
      self, warp, code, mask)
EVENT(warp_sync,
      (struct observer *self, struct warp *warp, const struct code *code, uint32_t mask), self,
      warp, code, mask)
EVENT(barrier_arrive,
      (struct observer *self, struct warp *warp, const struct code *code, uint32_t id,
       uint32_t mask, bool waits),
      self, warp, code, id, mask, waits)
EVENT(barrier_complete, (struct observer *self, struct block *block, uint32_t id), self, block,
      id)
EVENT(cluster_arrive,
      (struct observer *self, struct warp *warp, const struct code *code, uint32_t mask), self,
      warp, code, mask)
EVENT(cluster_complete, (struct observer *self, struct cluster *cluster), self, cluster)
EVENT(cluster_pass,
      (struct observer *self, struct warp *warp, const struct code *code, uint32_t mask), self,
      warp, code, mask)
EVENT(mbarrier, (struct observer *self, const struct mbarrier_event *event), self, event)
EVENT(copy, (struct observer *self, const struct copy_event *event), self, event)
EVENT(copies_waited, (struct observer *self, struct warp *warp, uint32_t mask), self, warp,
      mask)

struct observer *race_checker_new(void)
{
    struct race_checker *checker = calloc(1, sizeof *checker);

    if (!checker)
        out_of_memory(0);
    checker->observer = (struct observer){
        .knows_constants = true,
        .launch_begin = launch_begin,
        .launch_end = launch_end,
        .block_begin = block_begin,
        .block_end = block_end,
        .access = on_access,
        .row = on_row,
        .fence = on_fence,
        .warp_sync = on_warp_sync,
        .barrier_arrive = on_barrier_arrive,
        .barrier_complete = on_barrier_complete,
        .cluster_arrive = on_cluster_arrive,
        .cluster_complete = on_cluster_complete,
        .cluster_pass = on_cluster_pass,
        .mbarrier = on_mbarrier,
        .copy = on_copy,
        .copies_waited = on_copies_waited,
    };
    return &checker->observer;
}

void race_second_look_new(struct observer *observers[2])
{
    observers[0] = race_checker_new();
    observers[1] = race_checker_new();
    checker_of(observers[0])->second = checker_of(observers[1])->second = true;
    checker_of(observers[0])->exchanges_order = true;
    checker_of(observers[1])->asks = checker_of(observers[0]);
}

void race_checker_free(struct observer *observer)
{
    if (observer)
        launch_end(observer, NULL);
    free(observer);
}
