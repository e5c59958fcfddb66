/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c - observed loads and stores of whole words.
 *
 * An instruction that is executed again mostly accesses memory in the same way, only
 * elsewhere. So how its lanes lie to each other is worked out once and kept, and
 * observers are told no more than which way it is and where it begins
 * (struct access_row). Those who want to know more get the whole event. */
#include <string.h>

#include "emu/memory_ops.h"

/* Shapes made for an instruction before it is asked whether that is worth while: whether
 * so many accesses for each of them have met one. */
enum { TRIALS = 32, WORTH = 4 };

/* --- shapes --------------------------------------------------------------------------- */

static uint64_t address_at(const struct code *code, const void *addresses, unsigned lane)
{
    return code->address_bytes == 8 ? ((const uint64_t *)addresses)[lane]
                                    : ((const uint32_t *)addresses)[lane];
}

static enum access_lie lie_of(const struct access_shape *shape)
{
    const unsigned lead = lane_first(shape->mask);
    bool same = true, next = true;

    FOR_LANES (lane, shape->mask) {
        same = same && shape->place[lane] == shape->place[lead];
        next = next && shape->place[lane] - shape->place[lead] == (lane - lead) * shape->size;
    }
    return next ? LIE_NEXT : same ? LIE_SAME : LIE_APART;
}

static bool lanes_apart(const struct access_shape *shape)
{
    bool rising = true;
    int64_t before = -1;

    FOR_LANES (lane, shape->mask) {
        rising = rising && shape->place[lane] > before;
        before = shape->place[lane];
    }
    if (rising)
        return true;
    FOR_LANES (lane, shape->mask)
        FOR_LANES (other, shape->mask & (UINT32_MAX << lane << 1))
            if (shape->place[lane] == shape->place[other])
                return false;
    return true;
}

/* The shape of the lanes of a mask, if their accesses are aligned and near each other. */
static bool describe(struct access_shape *shape, const struct code *code,
                     const void *addresses, uint32_t size, uint32_t mask)
{
    uint64_t low = UINT64_MAX, high = 0, bits = 0;

    *shape = (struct access_shape){.mask = mask, .size = size};
    FOR_LANES (lane, mask) {
        uint64_t address = address_at(code, addresses, lane);
        low = address < low ? address : low;
        high = address > high ? address : high;
    }
    if (high - low > INT32_MAX)
        return false;
    FOR_LANES (lane, mask) {
        shape->place[lane] = (uint32_t)(address_at(code, addresses, lane) - low);
        bits |= shape->place[lane];
    }
    shape->span = (uint32_t)(high - low) + size;
    shape->lie = lie_of(shape);
    shape->apart = lanes_apart(shape);
    return !(bits & (size - 1));
}

static uint32_t hash_of(const struct access_shape *shape)
{
    uint64_t hash = shape->mask ^ (uint64_t)shape->size << 32;

    FOR_LANES (lane, shape->mask)
        hash = (hash ^ shape->place[lane]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32) % SHAPE_HASH;
}

/* The one of the launch; NULL when there are too many. */
static struct access_shape *shared_shape(struct launch_state *state,
                                         const struct access_shape *shape)
{
    struct access_shape **head = &state->shapes.hash[hash_of(shape)];

    for (struct access_shape *known = *head; known; known = known->next)
        if (known->mask == shape->mask && known->size == shape->size &&
            !memcmp(known->place, shape->place, sizeof shape->place))
            return known;
    if (state->shapes.count >= SHAPE_LIMIT)
        return NULL;
    struct access_shape *new = ARENA_NEW(&state->executable->arena, struct access_shape);
    *new = *shape;
    new->number = state->shapes.count++;
    new->next = *head;
    return *head = new;
}

static struct access_shape *find_shape(struct launch_state *state, const struct code *code,
                                       const void *addresses, uint32_t mask)
{
    struct shape_cache *cache = code->shapes;
    const struct access_table *loops = state->access_loops;
    const unsigned lead = lane_first(mask);
    const uint64_t first = address_at(code, addresses, lead);

    for (unsigned i = 0; i < SHAPES_KEPT; i++) {
        struct access_shape *shape = cache->shape[i];
        if (!shape)
            break;
        if (shape->mask != mask && (!shape->apart || mask & ~shape->mask))
            continue;
        if (!(code->address_bytes == 8
                  ? loops->alike_8(addresses, first - shape->place[lead], shape->place, mask)
                  : loops->alike_4(addresses, (uint32_t)first - shape->place[lead],
                                   shape->place, mask)))
            continue;
        for (; i > 0; i--)
            cache->shape[i] = cache->shape[i - 1];
        cache->met += many_lanes(mask);
        return cache->shape[0] = shape;
    }
    return NULL;
}

/* Lanes that do not take part this time mostly have addresses like the others. */
static struct access_shape *make_shape(struct launch_state *state, const struct code *code,
                                       const void *addresses, uint32_t mask)
{
    const uint32_t size = ir_type_bytes(code->type) * code->vector;
    struct shape_cache *cache = code->shapes;
    struct access_shape shape, *made = NULL;

    if (++cache->made >= TRIALS && cache->met < WORTH * cache->made)
        cache->irregular = true;
    if ((describe(&shape, code, addresses, size, UINT32_MAX) && shape.apart) ||
        describe(&shape, code, addresses, size, mask))
        made = shared_shape(state, &shape);
    if (!made)
        return NULL;
    for (unsigned i = SHAPES_KEPT - 1; i > 0; i--)
        cache->shape[i] = cache->shape[i - 1];
    return cache->shape[0] = made;
}

/* --- what observers are told ------------------------------------------------------------- */

/* allocation: NULL for the block's shared memory. */
static struct window window_at(struct block *block, struct allocation *allocation)
{
    const uint64_t start = block->state->executable->shared_base;

    return allocation ? (struct window){.base = allocation->address, .size = allocation->size,
                                        .host = allocation->host, .space = IR_SPACE_GLOBAL,
                                        .start = allocation->address, .allocation = allocation}
                      : (struct window){.base = start, .size = block->shared_bytes,
                                        .host = block->shared, .space = IR_SPACE_SHARED,
                                        .start = start, .owner = block->cluster_rank};
}

/* The whole event, for one of them. */
static void tell_all(struct observer *observer, const struct access_row *row,
                     struct allocation *allocation, unsigned char *const *base)
{
    const struct access_shape *shape = row->shape;
    const struct window window = window_at(row->warp->block, allocation);
    uint64_t address[LANES];

    for (unsigned lane = 0; lane < LANES; lane++)
        address[lane] = row->start + row->offset + shape->place[lane];
    observer->access(observer, &(struct access_event){
        .warp = row->warp,
        .code = row->code,
        .mask = row->mask,
        .space = row->space,
        .kind = row->writes ? ACCESS_WRITE : ACCESS_READ,
        .address = address,
        .frame = row->frame,
        .lie = shape->lie,
        .size = shape->size,
        .elements = row->code->vector,
        .window = &window,
        .base = row->writes ? base : NULL,
    });
}

static void tell(const struct access_row *row, struct allocation *allocation,
                 unsigned char *const *base)
{
    const struct launch *launch = row->warp->block->state->launch;

    for (uint32_t i = 0; i < launch->observer_count; i++) {
        struct observer *observer = launch->observers[i];
        if (observer->access && !(observer->row && observer->row(observer, row)))
            tell_all(observer, row, allocation, base);
    }
}

/* Does a load write where its addresses are? */
static bool overwrites(const struct code *code, unsigned char *const base[2],
                       const unsigned char *addresses)
{
    for (unsigned e = 0; e < code->vector; e++) {
        if (code->operands[e] == OPERAND_ABSENT)
            continue;
        const unsigned char *to = operand_at(base, code->operands[e]);
        if (to < addresses + LANES * sizeof(uint64_t) &&
            addresses < to + LANES * code->value_bytes)
            return true;
    }
    return false;
}

/* A load whose lanes lie in no way that is worth while to know. */
static bool load_scattered(struct warp *warp, const struct fragment *fragment,
                           const struct code *code, const struct window *window,
                           unsigned char *const base[2], uint32_t mask)
{
    const struct launch *launch = warp->block->state->launch;
    const void *addresses = operand_at(base, code->o.a);
    const uint64_t offset = (uint64_t)code->offset;
    uint64_t copy[LANES];
    const uint64_t *address = copy;

    if (code->address_bytes == 4) {
        for (unsigned lane = 0; lane < LANES; lane++)
            copy[lane] = ((const uint32_t *)addresses)[lane] + (uint32_t)offset;
    } else if (offset || overwrites(code, base, addresses)) {
        memcpy(copy, addresses, sizeof copy);
        for (unsigned lane = 0; lane < LANES; lane++)
            copy[lane] += offset;
    } else {
        address = addresses;
    }
    if (code->words(code, window->start, window->size, window->host, base, mask) ==
        WORDS_DECLINED)
        return false;
    const struct access_event event = {
        .warp = warp, .code = code, .mask = mask, .space = window->space, .kind = ACCESS_READ,
        .address = address, .frame = fragment->frame, .lie = LIE_APART,
        .size = ir_type_bytes(code->type) * code->vector, .elements = code->vector,
        .window = window};
    for (uint32_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->access)
            launch->observers[i]->access(launch->observers[i], &event);
    return true;
}

/* A store that observers know of already, which the quick loops would not do. */
static bool store_slowly(const struct access_row *row, struct allocation *allocation,
                         unsigned char *const base[2])
{
    const struct window window = window_at(row->warp->block, allocation);
    uint64_t offset[LANES];

    for (unsigned lane = 0; lane < LANES; lane++)
        offset[lane] = row->offset + row->shape->place[lane];
    return store_offsets(row->code, &window, base, row->mask, offset);
}

/* --- one access ----------------------------------------------------------------------------- */

bool words_observed(struct warp *warp, struct fragment *fragment, const struct code *code,
                    unsigned char *const base[2], uint32_t mask)
{
    struct block *block = warp->block;
    struct launch_state *state = block->state;
    const void *addresses = operand_at(base, code->o.a);
    struct access_shape *shape;
    struct allocation *recent = NULL;
    uint64_t start, size;
    unsigned char *host;

    if (state->launch->weak || (code->shapes->irregular && code->op == IR_OP_st))
        return false;
    if (code->space == IR_SPACE_SHARED) {
        start = state->executable->shared_base;
        size = block->shared_bytes;
        host = block->shared;
    } else {
        recent = *code->recent;
        if (!recent || !recent->host)
            return false;
        start = recent->address;
        size = recent->size;
        host = recent->host;
    }
    if (code->shapes->irregular) {
        const struct window window = window_at(block, recent);
        return load_scattered(warp, fragment, code, &window, base, mask);
    }
    shape = find_shape(state, code, addresses, mask);
    if (!shape && !(shape = make_shape(state, code, addresses, mask)))
        return false;
    const unsigned lead = lane_first(mask);
    uint64_t first = address_at(code, addresses, lead) + (uint64_t)code->offset;
    if (code->address_bytes == 4)
        first = (uint32_t)first;
    const struct access_row row = {
        .warp = warp, .code = code, .frame = fragment->frame, .shape = shape, .mask = mask,
        .space = recent ? IR_SPACE_GLOBAL : IR_SPACE_SHARED, .writes = code->op == IR_OP_st,
        .start = start, .offset = first - shape->place[lead] - start, .allocation = recent};
    /* All of the shape: what is beyond the mask may lie outside, and is looked at then. */
    if (size < shape->span || row.offset > size - shape->span ||
        row.offset & (shape->size - 1))
        return false;
    if (!row.writes) {
        if (code->words(code, start, size, host, base, mask) == WORDS_DECLINED)
            return false;
        tell(&row, recent, base);
        return true;
    }
    tell(&row, recent, base);
    enum words_done done = code->words(code, start, size, host, base, mask);
    if (done == WORDS_CHANGED ||
        (done == WORDS_DECLINED && store_slowly(&row, recent, base))) {
        state->changes++;
        fragment->polls = 0;
    }
    return true;
}
