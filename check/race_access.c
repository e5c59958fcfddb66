/* SPDX-License-Identifier: Apache-2.0
 *
 * race_access.c - from an access event to the cells that it touches, and to the
 * messages that strong accesses take and give. */
#include "check/race.h"

/* ir_inst.cache of ld.global.nc, see the table of cache operators in docs/ir.md. */
enum { CACHE_NC = 8 };

/* --- sites ----------------------------------------------------------------------------- */

static const struct ir_function *function_of(const struct ir_module *module,
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

static struct site make_site(const struct race_checker *checker,
                             const struct access_event *event, uint32_t size)
{
    const struct code *code = event->code;
    unsigned order = code->order;
    struct site site = {
        .code = code,
        .function = function_of(checker->state->launch->image->module, code->ir),
        .size = (uint8_t)size,
        .reads = event->kind != ACCESS_WRITE,
        .writes = event->kind == ACCESS_WRITE || event->kind == ACCESS_ATOMIC,
        .access = event->kind == ACCESS_READ    ? FINDING_READ
                  : event->kind == ACCESS_WRITE ? FINDING_WRITE
                                                : FINDING_ATOMIC,
        .copy = code->op == IR_OP_cp_async,
        .barrier = is_mbarrier(code->op),
        .foreign = code->op == IR_OP_ld && code->ir->cache == CACHE_NC,
    };

    if (site.barrier) {
        /* Operations on an mbarrier never race with each other. */
        site.strong = true;
        site.scope = IR_SCOPE_SYS;
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

static uint32_t site_of(struct race_checker *checker, const struct access_event *event,
                        uint32_t size)
{
    const struct code *code = event->code;
    bool writes = event->kind == ACCESS_WRITE || event->kind == ACCESS_ATOMIC;
    uint32_t *hash = &checker->site_hash[((uintptr_t)code >> 4) % SITE_HASH];

    for (uint32_t i = *hash; i; i = checker->sites.items[i].next) {
        const struct site *site = &checker->sites.items[i];
        if (site->code == code && site->writes == writes && site->size == size)
            return i;
    }
    uint32_t index = checker->sites.count;
    struct site *site = ARENA_PUSH(&checker->arena, &checker->sites);
    *site = make_site(checker, event, size);
    site->next = *hash;
    return *hash = index;
}

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
            touch_cell(touch, cell, back);
        }
        back += count;
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
    if (site->reads && cell->write.what) {
        inherits = race_morally_strong(touch, cell->write, 0);
        FOR_LANES (each, touch->lanes)
            if (cell->write.warp != touch->number || stamp_lane(cell->write) != each ||
                cell->extra)
                race_observe(touch, each, cell, inherits);
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

/* The most frequent case by itself: a whole cell that is not split. */
static inline bool touch_word(const struct touch *touch, struct shadow *shadow, uint64_t offset)
{
    struct shadow_pool *pool = &touch->checker->pool;
    struct cell *cell = race_word(touch->checker, shadow, offset);

    if (!cell->extra) {
        touch_cell(touch, cell, 0);
        return true;
    }
    struct extra *extra = extra_of(pool, cell);
    if (extra->split || offset % CELL_BYTES)
        return false;
    touch_cell(touch, cell, 0);
    if (touch->site->writes)
        message_clear(&extra->message);
    return true;
}

/* --- events ---------------------------------------------------------------------------------- */

static struct shadow *allocation_shadow(struct race_checker *checker,
                                        const struct allocation *allocation)
{
    if (allocation->number < checker->allocation_count && checker->allocations[allocation->number])
        return checker->allocations[allocation->number];
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

/* What a lane accesses, and the address that its offsets count from; NULL: memory that
 * cannot be raced for. */
static inline struct shadow *find(const struct touch *touch, unsigned lane, uint64_t *start)
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
static void gather(const struct access_event *event, uint32_t with[LANES])
{
    enum { SEATS = 64 };
    uint8_t seat[SEATS] = {0}; /* lane + 1 */
    bool rising = true;
    uint64_t before = 0;

    FOR_LANES (lane, event->mask) {
        with[lane] = UINT32_C(1) << lane;
        rising = rising && event->address[lane] > before;
        before = event->address[lane];
    }
    if (rising || event->kind != ACCESS_READ ||
        (event->space == IR_SPACE_SHARED && event->warp->block->cluster))
        return;
    FOR_LANES (lane, event->mask) {
        uint64_t address = event->address[lane];
        uint8_t *first = &seat[(address / event->size ^ address >> 12) % SEATS];
        if (*first && event->address[*first - 1] == address) {
            with[*first - 1] |= with[lane];
            with[lane] = 0;
        } else {
            *first = (uint8_t)(lane + 1);
        }
    }
}

/* Lane by lane, and cell by cell. grouped: rows without cells are done already. */
static void touch_lanes(struct touch *touch, bool grouped)
{
    const struct access_event *event = touch->event;
    const struct site *site = touch->site;
    const uint32_t elements = event->elements ? event->elements : 1;
    const bool words = site->size == CELL_BYTES && elements == 1 && !site->strong;
    uint32_t with[LANES];

    gather(event, with);
    FOR_LANES (lane, event->mask) {
        uint64_t start;
        if (!with[lane])
            continue;
        struct shadow *shadow = find(touch, lane, &start);
        if (!shadow)
            break;
        uint64_t offset = event->address[lane] - start;
        if (grouped &&
            !shadow_row(&touch->checker->pool, shadow, offset / ROW_BYTES)->cells)
            continue;
        touch->lanes = with[lane];
        touch->address = event->address[lane];
        if (words && touch_word(touch, shadow, offset))
            continue;
        for (touch->element = 0; touch->element < elements; touch->element++) {
            touch->address = event->address[lane] + touch->element * site->size;
            touch_element(touch, shadow, offset + touch->element * site->size);
        }
    }
}

/* Row by row; what that cannot do cell by cell. */
static void touch_rows(struct touch *touch, struct shadow *shadow, uint64_t start,
                       const struct shape *shape)
{
    struct race_checker *checker = touch->checker;
    uint64_t first =
        (touch->event->address[lane_first(touch->event->mask)] - start) / ROW_BYTES;
    bool cells = false;

    for (uint32_t i = 0; i < shape->count; i++) {
        const struct row_touch *part = &shape->rows[i];
        struct row *row = shadow_row(&checker->pool, shadow, first + (uint64_t)(int64_t)part->row);
        if (!row->cells && !race_row_touch(touch, row, part->words, part->pattern))
            race_row_expand(checker, row);
        cells |= row->cells != NULL;
    }
    if (!cells)
        return;
    touch_lanes(touch, true);
    for (uint32_t i = 0; touch->site->writes && i < shape->count; i++) {
        const struct row_touch *part = &shape->rows[i];
        struct row *row = shadow_row(&checker->pool, shadow, first + (uint64_t)(int64_t)part->row);
        if (row->cells && part->words == UINT32_MAX)
            race_row_collapse(touch, row, part->pattern);
    }
}

void race_access(struct observer *self, const struct access_event *event)
{
    struct race_checker *checker = (struct race_checker *)self;

    if (event->space != IR_SPACE_GLOBAL && event->space != IR_SPACE_SHARED)
        return;
    uint32_t elements = event->elements ? event->elements : 1;
    uint32_t size = event->size / elements;
    struct warp_shadow *warp = race_warp(checker, event->warp);
    struct touch touch = {.checker = checker, .warp = warp, .event = event,
                          .site_index = site_of(checker, event, size),
                          .number = warp->number, .epoch = warp->clock};
    touch.site = &checker->sites.items[touch.site_index];
    if (touch.site->copy) {
        touch.copy = warp->copy;
        touch.number += checker->warps;
        touch.epoch = (uint32_t)warp->copy->number + 1;
    }
    struct site *site = &checker->sites.items[touch.site_index];
    if (event->window && !site->irregular && size % CELL_BYTES == 0 && !site->strong &&
        !site->copy && warp->uniform &&
        !(checker->clusters && event->space == IR_SPACE_SHARED)) {
        uint64_t start;
        struct shadow *shadow = find(&touch, lane_first(event->mask), &start);
        if (!shadow)
            return;
        const struct shape *shape = race_shape(&touch, site, start);
        if (shape) {
            touch_rows(&touch, shadow, start, shape);
            return;
        }
    }
    touch_lanes(&touch, false);
    if (touch.advance)
        race_advance(warp);
}
