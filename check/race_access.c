/* SPDX-License-Identifier: Apache-2.0
 *
 * race_access.c - from an access event to the cells that it touches, and to the
 * messages that strong accesses take and give. */
#include "base/tensor_map.h"
#include "check/race.h"
#include "emu/weak.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ir_inst.cache of ld.global.nc, see the table of cache operators in docs/ir.md. */
enum { CACHE_NC = 8 };

/* --- sites ----------------------------------------------------------------------------- */

const struct ir_function *race_function_of(const struct ir_module *module,
                                           const struct ir_inst *inst)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ir_function *function = &module->functions[f];
        if (inst >= function->insts && inst < function->insts + function->inst_count)
            return function;
    }
    return NULL;
}

static bool is_mbarrier(unsigned op)
{
    return op == IR_OP_mbarrier_arrive || op == IR_OP_mbarrier_expect_tx ||
           op == IR_OP_mbarrier_complete_tx || op == IR_OP_mbarrier_test ||
           op == IR_OP_cp_async_mbarrier;
}

static struct site make_site(const struct race_checker *checker, const struct code *code,
                             enum finding_access_kind kind, uint32_t size)
{
    unsigned order = code->order;
    struct site site = {
        .code = code,
        .function = race_function_of(checker->state->launch->image->module, code->ir),
        .size = (uint8_t)size,
        .reads = kind != ACCESS_WRITE,
        .writes = kind == ACCESS_WRITE || kind == ACCESS_ATOMIC,
        .access = kind == ACCESS_READ    ? FINDING_READ
                  : kind == ACCESS_WRITE ? FINDING_WRITE
                                                : FINDING_ATOMIC,
        .copy = happens_beside(code->op),
        /* A tensor map comes by a proxy of its own. */
        .async = is_async_proxy(code->op) && size != TENSOR_MAP_BYTES,
        .map = code->op == IR_OP_tensor && size == TENSOR_MAP_BYTES,
        .barrier = is_mbarrier(code->op),
        /* PTX ISA, "Proxies": texture fetches and .nc loads go another way to memory. */
        .foreign = (code->op == IR_OP_ld && code->ir->cache == CACHE_NC) ||
                   code->op == IR_OP_tex,
    };

    if ((code->op == IR_OP_bulk_reduce || code->op == IR_OP_tensor) && site.reads &&
        site.writes) {
        /* Each element is combined by a relaxed atomic at .gpu scope. */
        site.strong = true;
        site.scope = IR_SCOPE_GPU;
        return site;
    }
    if (code->op == IR_OP_red_async && site.reads && site.writes) {
        site.strong = site.mute = true;
        site.scope = IR_SCOPE_CLUSTER;
        return site;
    }
    if (site.barrier) {
        /* Operations on an mbarrier never race with each other. */
        site.strong = true;
        site.scope = IR_SCOPE_SYS;
        return site;
    }
    if (code->op == IR_OP_sured) { /* as a red */
        site.strong = site.mute = true;
        site.scope = IR_SCOPE_GPU;
        return site;
    }
    if (code->op != IR_OP_ld && code->op != IR_OP_st && code->op != IR_OP_atom)
        return site;
    site.strong = order != IR_ORDER_WEAK || code->op == IR_OP_atom;
    site.scope = code->scope != IR_SCOPE_NONE ? code->scope : IR_SCOPE_GPU;
    site.mute = code->op == IR_OP_atom && !code->destinations;
    site.acquires = site.reads && !site.mute &&
                    (order == IR_ORDER_ACQUIRE || order == IR_ORDER_ACQ_REL ||
                     order == IR_ORDER_SC);
    site.releases = site.writes && (order == IR_ORDER_RELEASE || order == IR_ORDER_ACQ_REL ||
                                    order == IR_ORDER_SC);
    return site;
}

static inline uint32_t site_of(struct race_checker *checker, const struct code *code,
                               enum finding_access_kind kind, uint32_t size)
{
    bool writes = kind == ACCESS_WRITE || kind == ACCESS_ATOMIC;
    uint32_t *hash = &checker->site_hash[((uintptr_t)code >> 4) % SITE_HASH];

    for (uint32_t i = *hash; i; i = checker->sites.items[i].next) {
        const struct site *site = &checker->sites.items[i];
        if (site->code == code && site->writes == writes && site->size == size)
            return i;
    }
    uint32_t index = checker->sites.count;
    struct site *site = ARENA_PUSH(&checker->arena, &checker->sites);
    *site = make_site(checker, code, kind, size);
    site->next = *hash;
    checker->proxies |= site->foreign;
    return *hash = index;
}

/* A whole cell, or one byte of a split one. */
static inline void touch_cell(const struct touch *touch, struct cell *cell, unsigned back)
{
    if (touch->site->writes)
        race_write_cell(touch, cell, back);
    else
        race_read_cell(touch, cell, back);
}

/* --- one element --------------------------------------------------------------------------- */

struct cell *race_cell(struct race_checker *checker, struct shadow *shadow, uint64_t offset)
{
    struct cell *cell = race_word(checker, shadow, offset);

    return cell_is_split(&checker->pool, cell)
               ? &extra_of(&checker->pool, cell)->split->bytes[offset % CELL_BYTES] : cell;
}

/* All bytes of the element, cell by cell. */
static void touch_bytes(const struct touch *touch, struct shadow *shadow, uint64_t offset)
{
    struct shadow_pool *pool = &touch->checker->pool;
    unsigned size = touch->site->size;

    for (unsigned back = 0; back < size;) {
        struct cell *cell = race_word(touch->checker, shadow, offset + back);
        unsigned first = (offset + back) % CELL_BYTES;
        unsigned count = CELL_BYTES - first < size - back ? CELL_BYTES - first : size - back;
        if (count < CELL_BYTES && !cell_is_split(pool, cell))
            cell_split(pool, cell);
        if (cell_is_split(pool, cell)) {
            struct cell *bytes = extra_of(pool, cell)->split->bytes;
            for (unsigned i = 0; i < count; i++)
                touch_cell(touch, &bytes[first + i], back + i);
        } else {
            if (touch->checker->remembers && touch->site->writes)
                race_remember(touch, cell, back);
            touch_cell(touch, cell, back);
        }
        back += count;
    }
}

/* A strong read of a value of now: who has seen the write. */
static void note_observer(const struct touch *touch, struct shadow *shadow, uint64_t offset,
                          unsigned lane)
{
    struct shadow_pool *pool = &touch->checker->pool;

    for (unsigned back = 0; back < touch->site->size; back += CELL_BYTES) {
        struct cell *cell = race_word(touch->checker, shadow, offset + back);
        struct extra *extra = cell_is_split(pool, cell) ? NULL : extra_of(pool, cell);
        if (extra && extra->history)
            race_note_observer(touch, lane, extra->history, cell->write);
    }
}

/* A strong read of an older value, by one lane: what it brings is what the value
 * carried then. */
static void observe_older(const struct touch *touch, struct shadow *shadow, uint64_t offset)
{
    struct shadow_pool *pool = &touch->checker->pool;
    unsigned lane = lane_first(touch->lanes);
    struct cell *cell = race_word(touch->checker, shadow, offset);
    struct extra *extra = extra_of(pool, cell);
    struct former *past = extra ? history_after(extra->history, touch->moment - 1) : NULL;
    struct stamp write = past ? past->before_write : cell->write;

    if (!write.what)
        return;
    bool strong = race_morally_strong(touch, write, 0);
    race_observe(touch, lane, write,
                 past ? &past->before_message : extra ? &extra->message : NULL, strong);
    if (!strong)
        return;
    /* Whether a later access is ordered after that write is not looked up. */
    for (uint32_t i = 0; extra && i < extra->count; i++) {
        struct stamp *other = &extra->entries[i].stamp;
        if (extra->entries[i].write && other->warp == write.warp &&
            other->epoch == write.epoch && other->what == write.what)
            extra->entries[i].maybe_known = true;
    }
    for (unsigned back = 0; back < touch->site->size; back += CELL_BYTES) {
        cell = race_word(touch->checker, shadow, offset + back);
        extra = cell_is_split(pool, cell) ? NULL : extra_of(pool, cell);
        if (!extra)
            continue;
        past = history_after(extra->history, touch->moment - 1);
        race_note_observer(touch, lane, extra->history,
                           past ? past->before_write : cell->write);
    }
}

/* Strong accesses take and give messages; weak writes put an end to them. */
static void touch_element(struct touch *touch, struct shadow *shadow, uint64_t offset)
{
    struct race_checker *checker = touch->checker;
    const struct site *site = touch->site;
    unsigned lane = lane_first(touch->lanes);
    struct cell *cell;
    bool inherits = false;

    if (site->barrier || (!site->strong && !site->writes)) {
        touch_bytes(touch, shadow, offset);
        return;
    }
    if (!site->strong) {
        touch_bytes(touch, shadow, offset);
        cell = race_cell(checker, shadow, offset);
        if (cell->extra)
            message_clear(&extra_of(&checker->pool, cell)->message);
        return;
    }
    cell = race_word(checker, shadow, offset);
    if (site->size < CELL_BYTES && !cell_is_split(&checker->pool, cell))
        cell_split(&checker->pool, cell);
    cell = race_cell(checker, shadow, offset);
    touch->shadow = shadow;
    FOR_LANES (each, site->acquires ? touch->lanes : 0)
        race_acquire(touch, each);
    if (touch->moment) {
        observe_older(touch, shadow, offset);
        if (site->acquires)
            race_settle_views(touch->warp);
    } else if (site->reads && cell->write.what) {
        inherits = race_morally_strong(touch, cell->write, 0);
        FOR_LANES (each, touch->lanes) {
            const struct extra *extra = extra_of(&checker->pool, cell);
            if (cell->write.warp != touch->number || stamp_lane(cell->write) != each ||
                cell->extra)
                race_observe(touch, each, cell->write, extra ? &extra->message : NULL,
                             inherits);
            if (checker->remembers && inherits)
                note_observer(touch, shadow, offset, each);
        }
        if (site->acquires)
            race_settle_views(touch->warp);
    }
    touch_bytes(touch, shadow, offset);
    if (site->writes) {
        /* The bytes may have been split, and have other records now. */
        race_publish(touch, lane, race_cell(checker, shadow, offset), inherits);
        touch->advance |= site->releases;
    }
}

/* The most frequent case by itself: a weak access of a whole cell that is not split. */
static inline bool touch_word(const struct touch *touch, struct cell *cell)
{
    if (!cell->extra) {
        touch_cell(touch, cell, 0);
        return true;
    }
    struct extra *extra = extra_of(&touch->checker->pool, cell);
    if (extra->split)
        return false;
    touch_cell(touch, cell, 0);
    if (touch->site->writes)
        message_clear(&extra->message);
    return true;
}

/* Has a barrier of the whole block come after a plain access of its shared memory? Then
 * nothing can race with it any more. */
static inline bool is_over(const struct touch *touch, struct stamp stamp)
{
    const struct race_checker *checker = touch->checker;
    const struct warp_shadow *warp = touch->warp;
    const uint32_t slot = stamp.warp - (warp->number - warp->slot);

    return touch->shared && !checker->clusters && slot < checker->warps &&
           stamp.epoch <= warp->block->warps[slot].settled &&
           !checker->sites.items[stamp_site(stamp)].strong;
}

/* Forgets such writes. Is there nothing else? */
static bool drop_settled(const struct touch *touch, struct extra *extra)
{
    uint32_t kept = 0, writes = extra->older_writes;

    for (uint32_t i = 0; i < extra->count; i++) {
        const struct entry *entry = &extra->entries[i];
        if (entry->write && is_over(touch, entry->stamp))
            extra->older_writes--;
        else
            extra->entries[kept++] = *entry;
    }
    extra->count = kept;
    if (extra->older_writes != writes) {
        race_forget_knowers(extra);
        kept = extra->count;
    }
    return !kept && !extra->split && !extra->message.any && !extra->released &&
           !extra->arrived && !extra->passed && !extra->history && !extra->sc_readers;
}

/* Are there but weak accesses, all of them before the touch? */
static bool settled(const struct touch *touch, struct cell *cell)
{
    struct shadow_pool *pool = &touch->checker->pool;
    struct extra *extra = extra_of(pool, cell);
    const struct site *sites = touch->checker->sites.items;

    if (extra->split || extra->message.any || extra->released || !touch->warp->uniform)
        return false;
    for (uint32_t i = 0; i < extra->count; i++) {
        struct entry *entry = &extra->entries[i];
        const struct site *site = &sites[stamp_site(entry->stamp)];
        if (!entry->write && !entry_is_read(entry))
            continue;
        if (site->strong || site->foreign || entry->maybe_known ||
            entry->stamp.epoch >
                race_seen(touch->checker, touch->warp, entry->stamp.warp)->base)
            return false;
    }
    for (uint32_t i = 0; i < extra->count; i++)
        extra->entries[i].stamp.what &= ~STAMP_KNOWS;
    extra->lost_observer = false;
    extra->crowded = 0;
    if (drop_settled(touch, extra))
        extra_free(pool, cell);
    return true;
}

/* Another frequent one: an atomic without order, after one at the same site, with nothing
 * between them, or the first one. Whether they are ordered or morally strong, there is
 * nothing to report and nothing to pass on. */
static inline bool touch_counter(const struct touch *touch, unsigned lane, struct cell *cell)
{
    struct warp_shadow *warp = touch->warp;
    const struct site *site = touch->site;
    struct stamp before = cell->write;

    const bool again = stamp_site(before) == touch->site_index;

    if (cell->lanes ||
        (again ? site->scope < IR_SCOPE_GPU &&
                     before.warp - (warp->number - warp->slot) >= touch->checker->slots
               : cell->extra || (before.what && !is_over(touch, before))) ||
        (cell->extra && !settled(touch, cell)))
        return false;
    if (before.what && (before.warp != touch->number || stamp_lane(before) != lane))
        warp->sync->hint[lane] = (struct hint){
            .write = before, .read_site = touch->site_index, .strong = again};
    cell->write = (struct stamp){touch->number, touch->epoch,
                                 stamp_what(touch->site_index, 0, lane)};
    return true;
}

/* --- plain words --------------------------------------------------------------------------- */

/* Have all lanes of the touch seen it? */
static inline bool is_known(const struct touch *touch, struct stamp stamp)
{
    return stamp.epoch <= race_seen(touch->checker, touch->warp, stamp.warp)->base;
}

/* Is an access by some lanes before that by the lanes of the touch, because all have seen
 * it, or each comes after what it did itself? */
static inline bool comes_before(const struct touch *touch, struct stamp stamp, uint32_t lanes)
{
    uint32_t own = touch->lanes & (touch->lanes - 1) ? 0 : touch->lanes;

    return (stamp.warp == touch->number && !(lanes & ~own)) || is_known(touch, stamp);
}

/* race_read_cell and race_write_cell for weak accesses of words of which no more is
 * remembered than the cell holds, nor needs to be. False: ask them. */
static inline bool read_quickly(const struct touch *touch, struct cell *cell, unsigned back)
{
    struct stamp now = {touch->number, touch->epoch, stamp_what(touch->site_index, back, 0)};
    uint32_t lanes = cell->lanes;

    if (cell->write.what) {
        if (!comes_before(touch, cell->write, UINT32_C(1) << stamp_lane(cell->write)))
            return false;
        now.what |= STAMP_KNOWS;
    }
    if (lanes) {
        if (cell->read.warp == now.warp && cell->read.epoch == now.epoch &&
            cell->read.what == now.what) {
            cell->lanes |= touch->lanes;
            return true;
        }
        if (cell->read.warp == now.warp)
            lanes &= ~touch->lanes;
        if (lanes && !is_known(touch, cell->read))
            return false;
    }
    cell->read = now;
    cell->lanes = touch->lanes;
    return true;
}

static inline bool write_quickly(const struct touch *touch, struct cell *cell, unsigned back)
{
    if (cell->write.what &&
        !comes_before(touch, cell->write, UINT32_C(1) << stamp_lane(cell->write)))
        return false;
    if (cell->lanes && !comes_before(touch, cell->read, cell->lanes))
        return false;
    cell->lanes = 0;
    cell->write = (struct stamp){touch->number, touch->epoch,
                                 stamp_what(touch->site_index, back, lane_first(touch->lanes))};
    return true;
}

/* --- events ---------------------------------------------------------------------------------- */

static struct shadow *shadow_of_new(struct race_checker *checker,
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

static inline struct shadow *allocation_shadow(struct race_checker *checker,
                                               const struct allocation *allocation)
{
    struct shadow *shadow = allocation->number < checker->allocation_count
                                ? checker->allocations[allocation->number] : NULL;

    return shadow ? shadow : shadow_of_new(checker, allocation);
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

/* The lanes of a read that go together, each set of them at its first lane:
 * those with one address. */
static void gather(const struct access_event *event, uint32_t mask, uint32_t with[LANES])
{
    enum { SEATS = 64 };
    const unsigned shift = (unsigned)__builtin_ctz(event->size);
    uint8_t seat[SEATS]; /* a lane */
    uint64_t taken = 0, before = 0;
    bool rising = true;

    FOR_LANES (lane, mask) {
        with[lane] = UINT32_C(1) << lane;
        rising = rising && event->address[lane] > before;
        before = event->address[lane];
    }
    if (rising || event->kind != ACCESS_READ ||
        (event->space == IR_SPACE_SHARED && event->warp->block->cluster))
        return;
    FOR_LANES (lane, mask) {
        const uint64_t address = event->address[lane];
        unsigned at = (address >> shift ^ address >> 12) % SEATS;
        while (taken >> at & 1 && event->address[seat[at]] != address)
            at = (at + 1) % SEATS;
        if (taken >> at & 1) {
            with[seat[at]] |= with[lane];
            with[lane] = 0;
        } else {
            taken |= UINT64_C(1) << at;
            seat[at] = (uint8_t)lane;
        }
    }
}

/* The cells of the lanes' words, all in one window. They may be far apart: asked for
 * ahead, they come together. NULL for thin rows, when there is a stamp for those, and,
 * when the rest is grouped, for rows without cells: then there is no row, either. */
enum { LARGE_PAGES = 64 }; /* what is smaller is near anyway */
static void find_cells(const struct touch *touch, uint32_t mask, const uint32_t with[LANES],
                       bool grouped, uint32_t stamp, struct shadow *shadow, uint64_t start,
                       struct row *row[LANES], struct cell *cell[LANES])
{
    struct race_checker *checker = touch->checker;
    const struct access_event *event = touch->event;
    const bool large = shadow->count >= LARGE_PAGES;

    FOR_LANES (lane, large ? mask : 0)
        if (with[lane])
            shadow_row_prefetch(shadow, (event->address[lane] - start) / ROW_BYTES);
    FOR_LANES (lane, mask)
        row[lane] = with[lane] ? shadow_row(&checker->pool, shadow,
                                            (event->address[lane] - start) / ROW_BYTES)
                               : NULL;
    FOR_LANES (lane, mask) {
        unsigned word = (event->address[lane] - start) / CELL_BYTES % ROW_WORDS;
        cell[lane] = NULL;
        if (!row[lane])
            continue;
        if (grouped && !row_cells(row[lane])) {
            row[lane] = NULL;
            continue;
        }
        if (stamp && row[lane]->first.form == ROW_GROUPS_ONLY && !row[lane]->first.words) {
            row[lane]->as.thin = thin_new(&checker->pool);
            row[lane]->first.form = ROW_THIN;
        }
        if (stamp && row[lane]->first.form >= ROW_THIN) {
            if (row[lane]->first.form == ROW_THIN)
                __builtin_prefetch(&row[lane]->as.thin[word], 1);
            else
                __builtin_prefetch(&row[lane]->as.many[word], 1);
            continue;
        }
        if (!row_cells(row[lane]))
            race_row_expand(checker, row[lane]);
        cell[lane] = &row[lane]->as.cells[word];
        __builtin_prefetch(cell[lane], 1);
    }
    FOR_LANES (lane, large ? mask : 0)
        if (row[lane] && row[lane]->first.form == ROW_MANY) {
            unsigned word = (event->address[lane] - start) / CELL_BYTES % ROW_WORDS;
            race_thin_prefetch(&checker->pool, &row[lane]->as.many[word]);
        }
    FOR_LANES (lane, large ? mask : 0)
        if (row[lane] && cell[lane] && cell[lane]->extra)
            __builtin_prefetch(checker->pool.extras[cell[lane]->extra], 1);
    FOR_LANES (lane, large ? mask : 0)
        if (row[lane] && cell[lane] && cell[lane]->extra)
            __builtin_prefetch(extra_of(&checker->pool, cell[lane])->entries, 1);
}

static void touch_elements(struct touch *touch, unsigned lane, struct shadow *shadow,
                           uint64_t offset)
{
    const uint32_t elements = touch->event->elements ? touch->event->elements : 1;
    const uint32_t size = touch->site->size;

    for (touch->element = 0; touch->element < elements; touch->element++) {
        touch->address = touch->event->address[lane] + touch->element * size;
        touch_element(touch, shadow, offset + touch->element * size);
    }
}

static bool counts(const struct touch *touch)
{
    const struct site *site = touch->site;

    return site->strong && site->reads && site->writes && !site->acquires && !site->releases &&
           !site->barrier && !(touch->warp->sync && touch->warp->sync->any_fence);
}

/* As touch_counter, where all are in scope: as long as there is nothing but atomics of the
 * site, and at most a plain write before. The lanes that are left, in their order. */
__attribute__((noinline))
static uint32_t count_quickly(const struct touch *touch, const struct shadow *shadow,
                              uint64_t start, uint32_t left)
{
    const uint64_t *address = touch->event->address;
    union page *const *pages = shadow->pages;
    struct hint *hints = touch->warp->sync->hint, unused;
    const uint32_t age = shadow->age, site = touch->site_index, number = touch->number;
    const uint32_t epoch = touch->epoch;

    for (; left; left &= left - 1) {
        const unsigned lane = lane_first(left);
        const uint32_t offset = (uint32_t)(address[lane] - start);
        const union page *page = pages[offset / PAGE_BYTES];
        if (!page)
            return left;
        const struct row *row = &page->rows[offset / ROW_BYTES % PAGE_ROWS];
        if (row->first.age != age || row->first.form != ROW_CELLS)
            return left;
        struct cell *cell = &row->as.cells[offset / CELL_BYTES % ROW_WORDS];
        const struct stamp before = cell->write;
        const bool again = stamp_site(before) == site;
        if (cell->lanes | cell->extra || (!again && before.what && !is_over(touch, before)))
            return left;
        const uint32_t what = stamp_what(site, 0, lane);
        /* A lane learns nothing from itself. */
        const uint32_t other = (before.warp ^ number) | ((before.what ^ what) & (LANES - 1));
        *(other && before.what ? &hints[lane] : &unused) =
            (struct hint){.write = before, .read_site = site, .strong = again};
        cell->write.warp = number;
        cell->write.epoch = epoch;
        cell->write.what = what;
    }
    return 0;
}

/* Atomics without order, of one word for each lane, in memory that is near. */
static void touch_counters(struct touch *touch, struct shadow *shadow, uint64_t start)
{
    const struct access_event *event = touch->event;
    const bool in_scope = touch->site->scope >= IR_SCOPE_GPU ||
                          (touch->shared && !touch->checker->clusters);
    uint32_t left = event->mask;

    race_lane_sync(touch->checker, touch->warp);
    while (left && (!in_scope || (left = count_quickly(touch, shadow, start, left)))) {
        const unsigned lane = lane_first(left);
        const uint64_t offset = event->address[lane] - start;
        left &= left - 1;
        if (touch_counter(touch, lane, race_word(touch->checker, shadow, offset)))
            continue;
        touch->lanes = UINT32_C(1) << lane;
        touch->element = 0;
        touch->address = event->address[lane];
        touch_element(touch, shadow, offset);
    }
}

/* Each lane accesses one word, in one window. */
static void touch_words(struct touch *touch, bool grouped)
{
    uint32_t with[LANES];
    const struct access_event *event = touch->event;
    const struct site *site = touch->site;
    struct warp_shadow *warp = touch->warp;
    struct row *row[LANES];
    struct cell *cell[LANES];
    uint64_t start;
    struct shadow *shadow = race_place(touch, lane_first(event->mask), &start);
    const bool counter = counts(touch);

    if (!shadow)
        return;
    if (counter && shadow->count < LARGE_PAGES) {
        touch_counters(touch, shadow, start);
        return;
    }
    bool quick = !site->strong && !touch->copy && warp->uniform && !touch->checker->proxies;
    if (counter)
        race_lane_sync(touch->checker, warp);
    uint32_t stamp = quick && !grouped && !site->writes
                         ? race_thin_stamp(touch->checker, warp, touch->site_index) : 0;
    uint32_t mask = event->mask;
    gather(event, mask, with);
    if (stamp && race_may_log(touch, shadow) &&
        !(mask = race_log_words(touch->checker, event, with, stamp, shadow, start)))
        return;
    find_cells(touch, mask, with, grouped, stamp, shadow, start, row, cell);
    FOR_LANES (lane, mask) {
        if (!row[lane])
            continue;
        touch->lanes = with[lane];
        if (!cell[lane]) {
            unsigned word = (event->address[lane] - start) / CELL_BYTES % ROW_WORDS;
            if (!row_cells(row[lane]) && race_read_thinly(touch, row[lane], word, stamp))
                continue;
            if (!row_cells(row[lane]))
                race_row_expand(touch->checker, row[lane]);
            cell[lane] = &row[lane]->as.cells[word];
        }
        if (quick && !cell[lane]->extra &&
            (site->writes ? write_quickly(touch, cell[lane], 0)
                          : read_quickly(touch, cell[lane], 0)))
            continue;
        touch->element = 0;
        touch->address = event->address[lane];
        if (site->strong ? counter && touch_counter(touch, lane, cell[lane])
                         : touch_word(touch, cell[lane]))
            continue;
        touch_element(touch, shadow, event->address[lane] - start);
    }
}

/* Lane by lane, and cell by cell. grouped: rows without cells are done already. */
static void touch_lanes(struct touch *touch, bool grouped)
{
    const struct access_event *event = touch->event;
    uint32_t with[LANES];

    if (event->window && event->size == CELL_BYTES && touch->site->size == CELL_BYTES) {
        touch_words(touch, grouped);
        return;
    }
    gather(event, event->mask, with);
    FOR_LANES (lane, event->mask) {
        uint64_t start;
        if (!with[lane])
            continue;
        struct shadow *shadow = race_place(touch, lane, &start);
        if (!shadow)
            break;
        uint64_t offset = event->address[lane] - start;
        if (grouped &&
            !row_cells(shadow_row(&touch->checker->pool, shadow, offset / ROW_BYTES)))
            continue;
        touch->lanes = with[lane];
        touch_elements(touch, lane, shadow, offset);
    }
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
            touch_element(touch, shadow, touch->address - start);
        }
    }
}

/* The words of some lanes, each of which has words of its own. */
#ifdef __SSE2__
static inline __m128i without(const uint32_t *lanes, __m128i wanted)
{
    return _mm_cmpeq_epi32(_mm_and_si128(_mm_loadu_si128((const void *)lanes), wanted),
                           _mm_setzero_si128());
}

static inline uint32_t words_of(const struct pattern *pattern, uint32_t lanes)
{
    const __m128i wanted = _mm_set1_epi32((int)lanes);
    uint32_t others = 0;

    for (unsigned word = 0; word < ROW_WORDS; word += 16) {
        const uint32_t *at = &pattern->lanes[word];
        const __m128i low = _mm_packs_epi32(without(at, wanted), without(at + 4, wanted));
        const __m128i high = _mm_packs_epi32(without(at + 8, wanted), without(at + 12, wanted));
        others |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << word;
    }
    return ~others;
}
#else
static uint32_t words_of(const struct pattern *pattern, uint32_t lanes)
{
    uint32_t words = 0;

    for (unsigned word = 0; word < ROW_WORDS; word++)
        words |= (uint32_t)((pattern->lanes[word] & lanes) != 0) << word;
    return words;
}
#endif

/* Weak accesses of a row that has cells. False: some of them need more than this. */
static bool touch_cells(struct touch *touch, struct row *row, uint32_t words, uint32_t pattern)
{
    const uint32_t *lanes = touch->checker->pool.patterns[pattern].lanes;
    const unsigned size = touch->site->size;
    bool done = !touch->checker->proxies;

    FOR_LANES (word, done ? words : 0) {
        struct cell *cell = &row->as.cells[word];
        unsigned back = word * CELL_BYTES & (size - 1);
        touch->lanes = lanes[word];
        done = done && !cell->extra &&
               (touch->site->writes ? write_quickly(touch, cell, back)
                                    : read_quickly(touch, cell, back));
    }
    return done;
}

/* The words of some lanes of the shape; most masks come again. */
static inline uint32_t some_words(struct race_checker *checker, struct row_touch *part,
                                  uint32_t mask)
{
    if (part->some.mask != mask) {
        part->some.mask = mask;
        part->some.words = words_of(&checker->pool.patterns[part->pattern], mask);
        part->some.pattern = 0;
    }
    return part->some.words;
}

/* Row by row. False when some lanes have to be looked at by themselves. *cells: some row
 * has them. */
static inline bool touch_groups(struct touch *touch, uint32_t mask, struct shadow *shadow,
                                uint64_t first, struct shape *shape, bool *cells)
{
    struct race_checker *checker = touch->checker;
    const bool all = shape->mask == mask, log = race_may_log(touch, shadow);
    bool done = true;

    for (uint32_t i = 0; i < shape->count; i++) {
        struct row_touch *part = &shape->rows[i];
        const uint32_t words = all ? part->words : some_words(checker, part, mask);
        if (!words)
            continue;
        const uint64_t number = first + (uint64_t)(int64_t)part->row;
        if (log && race_log_row(touch, shadow, number, part, all))
            continue;
        struct row *row = shadow_row(&checker->pool, shadow, number);
        if (!row_cells(row) && race_row_touch(touch, row, words, part->pattern))
            continue;
        if (!row_cells(row))
            race_row_expand(checker, row);
        *cells = true;
        done = touch_cells(touch, row, words, part->pattern) && done;
    }
    return done;
}

/* What a write of whole rows leaves may be groups again. */
static void collapse_rows(struct touch *touch, uint32_t mask, struct shadow *shadow,
                          uint64_t first, const struct shape *shape)
{
    struct race_checker *checker = touch->checker;

    for (uint32_t i = 0; touch->site->writes && i < shape->count; i++) {
        const struct row_touch *part = &shape->rows[i];
        if (shape->mask != mask || part->words != UINT32_MAX)
            continue;
        struct row *row = shadow_row(&checker->pool, shadow, first + (uint64_t)(int64_t)part->row);
        if (row_cells(row))
            race_row_collapse(touch, row, part->pattern);
    }
}

/* What rows cannot do is done cell by cell: asking twice does no harm. */
static void touch_rows(struct touch *touch, struct shadow *shadow, uint64_t first,
                       struct shape *shape)
{
    const uint32_t mask = touch->event->mask;
    bool cells = false;

    if (!touch_groups(touch, mask, shadow, first, shape, &cells))
        touch_lanes(touch, true);
    if (cells)
        collapse_rows(touch, mask, shadow, first, shape);
}

void race_touch_start(struct touch *touch, struct race_checker *checker,
                      const struct access_event *event)
{
    uint32_t elements = event->elements ? event->elements : 1;
    struct warp_shadow *warp = race_warp(checker, event->warp);

    *touch = (struct touch){.checker = checker, .warp = warp, .event = event,
                            .site_index = site_of(checker, event->code, event->kind,
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

/* A few lanes' read in global memory that had better be kept thinly, as its neighbours are or
 * will be. */
static inline bool out_of_step(const struct site *site, const struct shadow *shadow,
                               uint64_t offset, uint32_t mask)
{
    if (many_lanes(mask) || site->writes || site->size != CELL_BYTES)
        return false;
    const union page *page = shadow->pages[offset / PAGE_BYTES];
    return page ? page->rows[offset / ROW_BYTES % PAGE_ROWS].first.form >= ROW_THIN
                : site->made > site->met;
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
    uint32_t index = site_of(checker, event->code, event->kind, CELL_BYTES);
    const struct site *site = &checker->sites.items[index];
    if (site->strong || site->copy || (many_lanes(mask) && !site->irregular))
        return mask;
    uint32_t stamp = race_thin_stamp(checker, warp, index);
    checker->raced.count = 0;
    if (!stamp)
        return mask;
    gather(event, mask, with);
    return race_log_words(checker, event, with, stamp, allocation_shadow(checker, allocation),
                          allocation->address);
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
            touch_rows(&touch, shadow, row, shape);
            return;
        }
    }
    touch_lanes(&touch, false);
    if (touch.advance)
        race_advance(touch.warp);
}

bool race_row(struct observer *self, const struct access_row *access)
{
    struct race_checker *checker = (struct race_checker *)self;
    const struct access_shape *lie = access->shape;
    const struct code *code = access->code;
    const bool shared = access->space == IR_SPACE_SHARED;
    struct warp_shadow *warp = race_warp(checker, access->warp);
    struct shadow *shadow = &warp->block->shared;

    checker->raced.count = 0;
    if (checker->remembers || checker->forces_fences || !warp->uniform ||
        (shared && checker->clusters))
        return false;
    if (!shared) {
        if (access->allocation->kind == ALLOCATION_CONST)
            return true;
        shadow = allocation_shadow(checker, access->allocation);
    }
    uint32_t size = code->vector == 1 ? lie->size : lie->size / code->vector;
    struct touch touch = {.checker = checker, .warp = warp, .shared = shared,
                          .number = warp->number, .epoch = warp->clock};
    touch.site_index =
        site_of(checker, code, access->writes ? ACCESS_WRITE : ACCESS_READ, size);
    touch.site = &checker->sites.items[touch.site_index];
    struct site *site = &checker->sites.items[touch.site_index];
    if (site->strong || site->irregular ||
        (!shared && lie->size == CELL_BYTES &&
         out_of_step(site, shadow, access->offset, access->mask)))
        return false;
    const uint32_t begin = access->offset % ROW_BYTES;
    struct shape *shape =
        lie->number < checker->row_shapes.count && checker->row_shapes.items[lie->number]
            ? checker->row_shapes.items[lie->number]->at[begin / CELL_BYTES] : NULL;
    if (shape)
        site->met += many_lanes(access->mask);
    else
        shape = race_shape_of_row(checker, site, lie, begin);
    if (!shape->count || (access->writes && !shape->writable))
        return false;
    const uint64_t first = access->offset / ROW_BYTES;
    bool cells = false;
    if (!touch_groups(&touch, access->mask, shadow, first, shape, &cells))
        return false;
    if (cells)
        collapse_rows(&touch, access->mask, shadow, first, shape);
    return true;
}
