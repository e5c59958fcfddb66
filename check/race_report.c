/* SPDX-License-Identifier: Apache-2.0
 *
 * race_report.c - a race in words: what is wrong with the pair, which edge is
 * missing, and whether something came close to it. */
#include "check/race.h"

#include <stdio.h>
#include <string.h>

/* The two accesses of a pair, in the order of the schedule. */
struct pair {
    const struct touch *touch;
    unsigned lane, earlier_lane;
    struct stamp earlier;
    const struct site *first, *second;
    uint32_t first_block, second_block;
    bool same_warp, same_block, same_cluster;
};

/* The narrowest scope that holds both threads. */
static const char *needed_scope(const struct pair *pair)
{
    return pair->same_block ? "cta" : pair->same_cluster ? "cluster" : "gpu";
}

/* The fence of that scope, as CUDA has it, too. */
static const char *needed_fence(const struct pair *pair)
{
    return pair->same_block     ? "fence.acq_rel.cta (__threadfence_block)"
           : pair->same_cluster ? "fence.acq_rel.cluster"
                                : "fence.acq_rel.gpu (__threadfence)";
}

static const char *scope_name(unsigned scope)
{
    return ir_scope_names[scope];
}

/* Of two sites, the operation of the one that runs beside its thread. */
static enum ir_op copies(const struct site *a, const struct site *b)
{
    return (enum ir_op)(a->copy ? a : b)->code->op;
}

static const char *noun(const struct site *site)
{
    if (site->barrier)
        return "mbarrier operation";
    if (site->copy && is_wgmma(site->code->op))
        return "read of a wgmma";
    if (site->copy)
        return site->writes ? "write of an asynchronous copy" : "read of an asynchronous copy";
    switch (site->access) {
    case FINDING_ATOMIC:
        return "atomic";
    case FINDING_WRITE:
        return site->strong ? "strong write" : "write";
    default:
        return site->strong ? "strong read" : "read";
    }
}

static const char *kind_of(const struct pair *pair)
{
    const struct site *a = pair->first, *b = pair->second;

    if (a->strong && b->strong) {
        if (!a->barrier && !b->barrier &&
            (!race_scope_holds(pair->touch->checker, a->scope, pair->first_block,
                               pair->second_block) ||
             !race_scope_holds(pair->touch->checker, b->scope, pair->second_block,
                               pair->first_block)))
            return a->access == FINDING_ATOMIC && b->access == FINDING_ATOMIC
                       ? "atomic-scope" : "scope";
        return "mixed-size";
    }
    if (a->foreign != b->foreign)
        return "proxy";
    return a->writes && b->writes ? "write-write" : "read-write";
}

/* Inlined library code goes by the line of the kernel's own file that called it, as in the
 * report: the innermost frame in the file of the outermost one. */
static const struct ir_location *main_frame(const struct ir_module *module,
                                            const struct ir_location *location)
{
    const struct ir_location *outermost = location;

    while (outermost->inlined_at)
        outermost = &module->locations[outermost->inlined_at];
    while (location->file != outermost->file)
        location = &module->locations[location->inlined_at];
    return location;
}

static struct place_text {
    char text[96];
} inst_text(const struct race_checker *checker, const struct ir_inst *inst)
{
    const struct ir_module *module = checker->state->launch->image->module;
    struct place_text place = {""};
    const struct ir_location *location = main_frame(module, &module->locations[inst->loc]);

    if (location->file && location->line) {
        const char *path = module->files[location->file], *name = strrchr(path, '/');
        snprintf(place.text, sizeof place.text, " at %.60s:%u", name ? name + 1 : path,
                 location->line);
    } else if (location->at.line) {
        snprintf(place.text, sizeof place.text, " in line %u", location->at.line);
    }
    return place;
}

static struct place_text place_text(const struct race_checker *checker, const struct site *site)
{
    return site->function ? inst_text(checker, site->code->ir) : (struct place_text){""};
}

static const char *exchange_name(enum ir_op op)
{
    switch (op) {
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_uni:
    case IR_OP_vote_ballot:
        return "vote.sync";
    case IR_OP_match_any:
    case IR_OP_match_all:
        return "match.sync";
    case IR_OP_redux:
        return "redux.sync";
    case IR_OP_elect:
        return "elect.sync";
    default:
        return "shfl.sync";
    }
}

/* What a reader that does not acquire lacks besides. */
static const char *and_after(const struct site *read)
{
    return read->acquires ? "" : ", and a fence after the read if there is none";
}

/* The barrier that would order two threads of one block, as CUDA has it, too. */
static const char *needed_barrier(const struct pair *pair)
{
    return pair->same_warp ? "bar.warp.sync (__syncwarp)" : "a barrier (__syncthreads)";
}

/* Do the write of a hint and its read hand over by themselves, without fences? */
static bool hands_over(const struct hint *hint, const struct site *read, const struct site *write)
{
    return hint->strong && hint->released && read->acquires && write->releases;
}

/* Came a value by a strong access from a thread that is after the earlier access
 * as far as one can tell, without making an order of it? */
static bool explain_hint(const struct pair *pair, char *text, size_t size)
{
    struct race_checker *checker = pair->touch->checker;
    const struct warp_shadow *warp = pair->touch->warp;
    const struct lane_sync *sync = warp->sync;
    uint32_t block = pair->earlier.warp / checker->slots;

    if (!sync || pair->touch->copy)
        return false;
    const struct hint *hint = &sync->hint[pair->lane];
    const struct site *sites = checker->sites.items;
    if (!hint->write.what || (hint->write.warp == pair->earlier.warp &&
                              hint->write.what == pair->earlier.what))
        return false;
    const struct site *write = &sites[stamp_site(hint->write)], *read = &sites[hint->read_site];
    struct place_text write_at = place_text(checker, write);
    struct place_text read_at = place_text(checker, read);
    for (unsigned reach = 0; reach < REACHES; reach++)
        if (view_saw(&checker->views, sync->pending[reach][pair->lane], block,
                     pair->earlier.warp - block * checker->slots,
                     UINT32_C(1) << pair->earlier_lane, pair->earlier.epoch)) {
            snprintf(text, size,
                     "the value released by the %s%s was read%s, but no acquire of %s scope "
                     "follows: use ld.acquire.%s or add %s after the read",
                     noun(write), write_at.text, read_at.text, needed_scope(pair),
                     needed_scope(pair), needed_fence(pair));
            return true;
        }
    /* Whoever wrote the flag in the earlier access's block speaks for it. */
    if (hint->write.warp / checker->slots != pair->first_block ||
        hint->write.epoch < (hint->write.warp == pair->earlier.warp ? pair->earlier.epoch : 0))
        return false;
    bool by_another = hint->write.warp != pair->earlier.warp ||
                      stamp_lane(hint->write) != pair->earlier_lane;
    if (by_another && hands_over(hint, read, write))
        snprintf(text, size,
                 "the %s%s acquires what the %s%s released, but the thread that released it is "
                 "another one, and no barrier (__syncthreads) before the release brings it in",
                 noun(read), read_at.text, noun(write), write_at.text);
    else if (!write->strong)
        snprintf(text, size,
                 "the %s%s read the plain write%s, and a plain write orders nothing: use "
                 "st.release.%s, or %s and a relaxed store%s",
                 noun(read), read_at.text, write_at.text, needed_scope(pair),
                 needed_fence(pair), and_after(read));
    else if (!hint->strong)
        snprintf(text, size,
                 "the %s%s took the value of the %s%s, but their scopes (%s and %s) or sizes do "
                 "not go together: both need .%s scope and the same bytes",
                 noun(read), read_at.text, noun(write), write_at.text, scope_name(read->scope),
                 scope_name(write->scope), needed_scope(pair));
    else if (read->mute)
        snprintf(text, size,
                 "red%s saw the value of the %s%s, but red never acquires: use atom or a load",
                 read_at.text, noun(write), write_at.text);
    else if (hint->released)
        snprintf(text, size,
                 "the %s%s took the value of the %s%s, but a release or acquire between them "
                 "is of too narrow a scope%s: release, acquire and fences need .%s scope",
                 noun(read), read_at.text, noun(write), write_at.text,
                 by_another ? ", or no barrier comes before that write" : "",
                 needed_scope(pair));
    else
        snprintf(text, size,
                 "the %s%s took the value of the %s%s, which releases nothing: use "
                 ".release.%s there, or add %s before it%s%s%s",
                 noun(read), read_at.text, noun(write), write_at.text, needed_scope(pair),
                 needed_fence(pair), and_after(read),
                 pair->same_block ? ", or put between them " : "",
                 pair->same_block ? needed_barrier(pair) : "");
    return true;
}

/* Did some thread of the later access's block take a value from another block? It
 * may have been meant to hand over what the pair is about, through a barrier. */
static bool explain_neighbour(const struct pair *pair, char *text, size_t size)
{
    const struct race_checker *checker = pair->touch->checker;
    const struct block_shadow *block = pair->touch->warp->block;

    for (uint32_t w = 0; !pair->same_block && w < block->warp_count; w++)
        for (unsigned lane = 0; block->warps[w].sync && lane < LANES; lane++) {
            const struct hint *hint = &block->warps[w].sync->hint[lane];
            if (!hint->write.what || hint->write.warp / checker->slots == block->number)
                continue;
            const struct site *read = &checker->sites.items[hint->read_site];
            const struct site *write = &checker->sites.items[stamp_site(hint->write)];
            if (hint->write.warp / checker->slots == pair->first_block &&
                hands_over(hint, read, write)) {
                snprintf(text, size,
                         "the %s%s acquires what the %s%s released, but for these two threads "
                         "only: a barrier (__syncthreads) before the release, or after the "
                         "acquire, is missing",
                         noun(read), place_text(checker, read).text, noun(write),
                         place_text(checker, write).text);
                return true;
            }
            snprintf(text, size,
                     "if the %s%s is meant to hand over between blocks, then a release before "
                     "it, an acquire after it, or a barrier beside one of the two is missing, or "
                     "a scope does not hold the other thread: release and acquire need .%s scope",
                     noun(read), place_text(checker, read).text, needed_scope(pair));
            return true;
        }
    return false;
}

/* Does it write what an earlier access read past the coherent caches, and is after it
 * otherwise? Nothing promises that the two proxies keep to it, but the value is there. */
static bool overwrites_nc(const struct pair *pair)
{
    return pair->first->foreign && !pair->second->foreign && !pair->first->writes &&
           race_ordered_but_for_proxy(pair->touch, pair->lane, pair->earlier,
                                      UINT32_C(1) << pair->earlier_lane);
}

/* Places stand in the order of the program, not of the schedule: the same pair is
 * one finding whichever came first. */
static bool after_in_program(const struct site *a, const struct site *b)
{
    return a->function != b->function ? a->function > b->function
           : a->code->inst != b->code->inst
               ? a->code->inst > b->code->inst
               : a->access > b->access;
}

static void explain(const struct pair *pair, const char *kind, bool same_value, char *text,
                    size_t size)
{
    /* In the order in which the places are shown. */
    bool swap = after_in_program(pair->first, pair->second);
    const struct site *a = swap ? pair->second : pair->first;
    const struct site *b = swap ? pair->first : pair->second;

    if (same_value)
        snprintf(text, size, "both store the same value, which does no harm on hardware");
    else if (!strcmp(kind, "atomic-scope") || !strcmp(kind, "scope"))
        snprintf(text, size,
                 "both are strong, but their scopes (%s and %s) do not hold each other's "
                 "thread: both need .%s scope",
                 scope_name(a->scope), scope_name(b->scope), needed_scope(pair));
    else if (!strcmp(kind, "mixed-size"))
        snprintf(text, size,
                 "both are strong, but they do not cover the same bytes (%u and %u): accesses "
                 "of different sizes are not atomic to each other",
                 a->size, b->size);
    else if (!strcmp(kind, "proxy") && overwrites_nc(pair))
        snprintf(text, size,
                 "ld.global.nc is for memory that the launch does not write; here the write "
                 "comes after the read, which chips keep to, but PTX does not promise: use a "
                 "plain load");
    else if (!strcmp(kind, "proxy"))
        snprintf(text, size,
                 "ld.global.nc reads through the read-only cache, which sees no write of the "
                 "same launch: use a plain load");
    else if (a->map || b->map)
        snprintf(text, size,
                 "a tensor map that the launch writes is seen after "
                 "fence.proxy.tensormap::generic.acquire, which comes after the write and before "
                 "the copy");
    else if (a->copy || b->copy)
        snprintf(text, size,
                 "%s: %swait for %s and then let the threads meet at a barrier",
                 is_wgmma(copies(a, b)) ? "wgmma runs beside its threads"
                                        : "an asynchronous copy runs beside its thread",
                 a->async != b->async ? "stores before it need fence.proxy.async; after it, " : "",
                 is_wgmma(copies(a, b))           ? "its group (wgmma.wait_group)"
                 : copies(a, b) == IR_OP_cp_async ? "its group (cp.async.wait_group)"
                                                  : "its mbarrier's phase or its bulk group");
    else if (explain_hint(pair, text, size))
        return;
    else if (a->access == FINDING_ATOMIC || b->access == FINDING_ATOMIC)
        snprintf(text, size,
                 "an atomic does not order a plain access: make the %s strong (.relaxed.%s) or "
                 "put %s between them",
                 noun(a->access == FINDING_ATOMIC ? b : a), needed_scope(pair),
                 pair->same_block ? needed_barrier(pair) : "a release and an acquire of gpu scope");
    else if (explain_neighbour(pair, text, size))
        return;
    else if (pair->same_warp)
        snprintf(text, size,
                 "lanes of a warp are threads and need not run together: bar.warp.sync "
                 "(__syncwarp) between them would order them");
    else if (pair->same_block)
        snprintf(text, size,
                 "no barrier lies between them: bar.sync (__syncthreads) would order them");
    else
        snprintf(text, size,
                 "blocks run at the same time: only a release and an acquire of %s scope, or "
                 "another launch, would order them",
                 needed_scope(pair));
}

static void explain_exchange(const struct race_checker *checker, const struct code *exchange,
                             char *text, size_t size)
{
    const char *name = "exchanges of values within a warp (shfl.sync and the like)";
    struct place_text place = {""};

    if (exchange) {
        name = exchange_name(exchange->op);
        place = inst_text(checker, exchange->ir);
    }
    snprintf(text, size,
             "ordered only by %s%s, to which PTX gives no memory ordering, though chips have "
             "kept that order so far; put bar.warp.sync (__syncwarp) beside it",
             name, place.text);
}

/* How far apart the threads are: of two sites the farthest pair is told, as what orders that
 * one orders the nearer ones. */
static unsigned distance(const struct pair *pair)
{
    bool same_lane = pair->same_warp && pair->lane == pair->earlier_lane;

    return same_lane            ? 0
           : pair->same_warp    ? 1
           : pair->same_block   ? 2
           : pair->same_cluster ? 3
                                : 4;
}

static const char *who(const struct pair *pair)
{
    static const char *const names[] = {"one thread", "two lanes of one warp",
                                        "two threads of one block", "threads of two blocks",
                                        "threads of two blocks"};
    return names[distance(pair)];
}

/* --- findings ------------------------------------------------------------------------------- */

static void fill_place(const struct race_checker *checker, struct finding_place *place,
                       const struct site *site, uint32_t warp, unsigned lane)
{
    const struct launch *launch = checker->state->launch;
    uint32_t block = warp / checker->slots, slot = warp % checker->slots;
    uint32_t thread = slot % checker->warps * LANES + lane;

    *place = (struct finding_place){
        .module = launch->image->module,
        .function = site->function,
        .inst = site->code->inst,
        .has_thread = true,
        .access = site->access,
    };
    for (unsigned i = 0; i < 3; i++) {
        place->block[i] = i < 2 ? block % launch->grid[i] : block;
        block /= launch->grid[i];
        place->thread[i] = i < 2 ? thread % launch->block[i] : thread;
        thread /= launch->block[i];
    }
}

/* What is known of two sites already, if anything is: the list is searched once. */
static struct race_pair *known_pair(struct race_checker *checker, const struct race_pair *key)
{
    for (uint32_t i = 0; i < checker->pairs.count; i++) {
        struct race_pair *pair = &checker->pairs.items[i];
        if (pair->first == key->first && pair->second == key->second && pair->what == key->what)
            return pair;
    }
    return NULL;
}

void race_report(const struct touch *touch, unsigned lane, struct stamp earlier,
                 unsigned earlier_lane, unsigned back, bool same_value)
{
    struct race_checker *checker = touch->checker;
    struct pair pair = {
        .touch = touch,
        .lane = lane,
        .earlier_lane = earlier_lane,
        .earlier = earlier,
        .first = &checker->sites.items[stamp_site(earlier)],
        .second = touch->site,
        .first_block = earlier.warp / checker->slots,
        .second_block = touch->warp->block->number,
    };
    if (checker->orders_values)
        return;
    if (checker->exchanges_order) {
        race_note_raced(touch, lane, earlier, earlier_lane, back);
        return;
    }
    pair.same_block = pair.first_block == pair.second_block;
    pair.same_cluster = race_scope_holds(checker, IR_SCOPE_CLUSTER, pair.first_block,
                                         pair.second_block);
    pair.same_warp = pair.same_block && earlier.warp % checker->slots % checker->warps ==
                                            touch->warp->slot;
    const char *kind = kind_of(&pair);
    const struct code *exchange = NULL;
    bool exchanged = checker->asks && !same_value &&
                     race_exchanged(touch, lane, earlier, earlier_lane, back, &exchange);
    bool leans = exchanged || overwrites_nc(&pair);
    bool swap = after_in_program(pair.first, pair.second);
    struct race_pair key = {swap ? touch->site_index : stamp_site(earlier),
                            swap ? stamp_site(earlier) : touch->site_index,
                            (uint32_t)kind[0] << 8 | (uint32_t)kind[1] << 16 | same_value,
                            UINT32_MAX, (uint8_t)distance(&pair), leans};
    struct race_pair *known = known_pair(checker, &key);
    if (known && known->finding != UINT32_MAX)
        checker->findings->items[known->finding].count++;
    if (known && (leans > known->leans ||
                  (leans == known->leans && key.distance <= known->distance)))
        return;
    struct finding finding = {
        .category = FINDING_RACE,
        .kind = exchanged ? "exchange-order" : kind,
        .severity = same_value ? FINDING_INFO : leans ? FINDING_WARNING : FINDING_ERROR,
        .space = touch->event->space,
        .has_address = true,
        .address = touch->address,
        .size = touch->site->size,
        .where_count = exchange ? 3 : 2,
    };
    char text[700], message[1000];
    fill_place(checker, &finding.where[swap], pair.first, earlier.warp, earlier_lane);
    fill_place(checker, &finding.where[!swap], pair.second, touch->number, lane);
    if (exchange)
        finding.where[2] = (struct finding_place){
            .module = checker->state->launch->image->module,
            .function = race_function_of(checker->state->launch->image->module, exchange->ir),
            .inst = exchange->inst};
    if (exchanged)
        explain_exchange(checker, exchange, text, sizeof text);
    else
        explain(&pair, kind, same_value, text, sizeof text);
    snprintf(message, sizeof message, "%s and %s of the same bytes by %s are %s%s",
             noun(swap ? pair.second : pair.first), noun(swap ? pair.first : pair.second),
             who(&pair), exchanged ? "" : "not ordered; ", text);
    if (!known) {
        struct finding *added = findings_add(checker->findings, &finding, "%s", message);
        key.finding = added ? (uint32_t)(added - checker->findings->items) : UINT32_MAX;
        *ARENA_PUSH(&checker->arena, &checker->pairs) = key;
        return;
    }
    /* What came in some order before does not now, or the threads are farther apart. */
    known->leans = leans;
    known->distance = key.distance;
    if (known->finding == UINT32_MAX)
        return;
    struct finding *found = &checker->findings->items[known->finding];
    finding.count = found->count;
    finding.message = arena_strdup(checker->findings->arena, message);
    *found = finding;
}
