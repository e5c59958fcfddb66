/* SPDX-License-Identifier: Apache-2.0
 *
 * init_memory.c - undefined bytes of global, shared and local memory, and what
 * loads, stores and atomics do with them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tensor_map.h"
#include "base/arena.h"
#include "check/init.h"
#include "check/place.h"
#include "ir/texture.h"

static void *allocate(uint64_t size, int fill)
{
    void *bytes = malloc(size ? size : 1);

    if (!bytes)
        out_of_memory(0);
    memset(bytes, fill, size);
    return bytes;
}

void shadow_bytes_free(void *value)
{
    struct shadow_bytes *shadow = value;

    free(shadow->bits);
    free(shadow->origin);
    free(shadow);
}

/* Those of an allocation belong to it: they outlive the launch. */
static struct shadow_bytes *shadow_of(struct pointer_map *map, const void *key)
{
    void **value = pointer_map_at(map, key);

    if (!*value)
        *value = allocate(sizeof(struct shadow_bytes), 0);
    return *value;
}

/* --- shared and local ---------------------------------------------------------------------- */

void shared_begin(struct init *init, const struct block *block)
{
    struct shadow_bytes *shadow = shadow_of(&init->shareds, block);

    init->last_block = NULL;
    if (!shadow->bits)
        shadow->bits = allocate(block->shared_bytes, 0xff);
    else
        memset(shadow->bits, 0xff, block->shared_bytes);
    shadow->size = shadow->left = block->shared_bytes;
    /* The system has set its own part. */
    uint32_t system = block->state->executable->shared_system;
    memset(shadow->bits, 0, system);
    shadow->left -= system;
    free(shadow->origin);
    shadow->origin = NULL;
}

static struct shadow_bytes *shared_of(struct init *init, const struct block *block)
{
    if (block != init->last_block) {
        init->last_block = block;
        init->last_shared = pointer_map_get(&init->shareds, block);
    }
    return init->last_shared;
}

/* Room for `size` bytes of local memory in each lane. */
static struct shadow_bytes *local_of(struct init *init, const struct warp *warp, uint64_t size)
{
    struct shadow_bytes *shadow = shadow_of(&init->locals, warp);
    uint64_t old = shadow->size, new = old ? old : 64;

    if (size <= old)
        return shadow;
    while (new < size)
        new *= 2;
    unsigned char *bits = allocate(new * LANES, 0xff);
    origin_id *origin = shadow->origin ? allocate(new * LANES * sizeof *origin, 0) : NULL;
    for (unsigned lane = 0; old && lane < LANES; lane++) {
        memcpy(bits + lane * new, shadow->bits + lane * old, old);
        if (origin)
            memcpy(origin + lane * new, shadow->origin + lane * old, old * sizeof *origin);
    }
    free(shadow->bits);
    free(shadow->origin);
    *shadow = (struct shadow_bytes){.bits = bits, .origin = origin, .size = new};
    return shadow;
}

void local_mark(struct init *init, struct warp *warp, uint32_t mask, uint64_t from, uint64_t to,
                bool undefined)
{
    uint64_t limit = warp->block->state->launch->profile->local_limit;

    /* A frame may be larger than what a thread has; nothing can be read there. */
    if (to > limit)
        to = limit;
    if (from >= to)
        return;
    struct shadow_bytes *shadow = local_of(init, warp, to);
    FOR_LANES(lane, mask)
    {
        memset(shadow->bits + lane * shadow->size + from, undefined ? 0xff : 0, to - from);
        if (undefined && shadow->origin)
            memset(shadow->origin + lane * shadow->size + from, 0,
                   (to - from) * sizeof *shadow->origin);
    }
}

void init_local_copy(struct observer *observer, struct warp *warp, uint32_t mask, uint64_t to,
                     uint64_t from, uint64_t size)
{
    struct init *init = (struct init *)observer;
    uint64_t top = to > from ? to : from;
    struct shadow_bytes *shadow = local_of(init, warp, top + size);

    FOR_LANES(lane, mask)
    {
        uint64_t start = lane * shadow->size;
        memcpy(shadow->bits + start + to, shadow->bits + start + from, size);
        if (shadow->origin)
            memcpy(shadow->origin + start + to, shadow->origin + start + from,
                   size * sizeof *shadow->origin);
    }
}

/* --- one lane's bytes ------------------------------------------------------------------------- */

/* Where the masks of one lane's access are. bits NULL: all are defined. */
struct bytes_at {
    unsigned char *bits;
    struct shadow_bytes *shadow;
    uint64_t start;   /* of the first byte, in shadow */
    uint64_t all;     /* bytes that shadow->origin needs */
};

static struct bytes_at global_at(struct init *init, struct allocation *allocation,
                                 uint64_t address, bool for_undefined)
{
    if (!allocation->undefined_bits) {
        if (allocation->kind == ALLOCATION_CONST || (!allocation->undefined && !for_undefined))
            return (struct bytes_at){0};
        allocation->undefined_bits = allocate(allocation->size,
                                              allocation->undefined ? 0xff : 0);
    }
    uint64_t start = address - allocation->address;
    return (struct bytes_at){allocation->undefined_bits + start,
                             shadow_of(&init->globals, allocation), start, allocation->size};
}

/* for_undefined: undefined bits are about to be stored. */
static struct bytes_at bytes_of(struct init *init, const struct access_event *event,
                                unsigned lane, bool for_undefined)
{
    const struct block *block;
    uint64_t address = event->address[lane], start;
    struct shadow_bytes *shadow;

    switch (event->space) {
    case IR_SPACE_GLOBAL:
        return global_at(init, access_allocation(event, lane), address, for_undefined);
    case IR_SPACE_SHARED:
        block = access_block(event, lane);
        shadow = shared_of(init, block);
        start = address - block->state->executable->shared_base;
        if (!shadow || start + event->size > shadow->size)
            return (struct bytes_at){0};
        return (struct bytes_at){shadow->bits + start, shadow, start, shadow->size};
    case IR_SPACE_LOCAL:
        shadow = local_of(init, event->warp, address + event->size);
        start = lane * shadow->size + address;
        return (struct bytes_at){shadow->bits + start, shadow, start, shadow->size * LANES};
    default:
        return (struct bytes_at){0};
    }
}

/* Bytes with undefined bits: of eight at once, one bit of each is set when any is. */
static inline uint32_t count_undefined(const unsigned char *bits, uint32_t size)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), ones = UINT64_C(0x0101010101010101);
    uint32_t count = 0;
    uint64_t word;

    for (; size >= sizeof word; size -= sizeof word, bits += sizeof word) {
        memcpy(&word, bits, sizeof word);
        word = (((word & low) + low) | word) & ~low;
        count += (uint32_t)((word >> 7) * ones >> 56);
    }
    for (uint32_t i = 0; i < size; i++)
        count += bits[i] != 0;
    return count;
}

static inline bool bytes_defined(const unsigned char *bits, uint32_t size)
{
    uint64_t word[2] = {0, 0};

    if (size == 4) {
        memcpy(word, bits, 4);
    } else if (size == 8) {
        memcpy(word, bits, 8);
    } else if (size == 16) {
        memcpy(word, bits, 16);
    } else {
        return count_undefined(bits, size) == 0;
    }
    return !(word[0] | word[1]);
}

static bool all_defined(const struct bytes_at *at, uint32_t size)
{
    return !at->bits || bytes_defined(at->bits, size);
}

static void set_bytes(struct bytes_at *at, uint32_t first, uint32_t size,
                      const unsigned char *bits, origin_id origin)
{
    if (!at->bits)
        return;
    at->shadow->left -= count_undefined(at->bits + first, size);
    memcpy(at->bits + first, bits, size);
    at->shadow->left += count_undefined(at->bits + first, size);
    if (!at->shadow->origin && !origin)
        return;
    if (!at->shadow->origin)
        at->shadow->origin = allocate(at->all * sizeof *at->shadow->origin, 0);
    for (uint32_t i = 0; i < size; i++)
        at->shadow->origin[at->start + first + i] = bits[i] ? origin : 0;
}

/* --- all lanes at once --------------------------------------------------------------------- */

/* Where the masks of lane l are: bits + (address[l] - start) + step * l. bits NULL: all
 * of what the lanes access is defined. */
struct row {
    unsigned char *bits;
    uint64_t start, step;
    struct shadow_bytes *shadow; /* NULL: bytes of an allocation */
};

/* False when the lanes must be looked at one by one. */
static bool row_of(struct init *init, const struct access_event *event, struct row *row)
{
    const struct window *window = event->window;
    const struct allocation *allocation;

    *row = (struct row){0};
    if (!window)
        return false;
    switch (event->space) {
    case IR_SPACE_GLOBAL:
        allocation = window->allocation;
        row->bits = allocation->undefined_bits;
        row->start = allocation->address;
        return allocation->undefined_bits || allocation->kind == ALLOCATION_CONST ||
               !allocation->undefined;
    case IR_SPACE_SHARED:
        row->shadow = shared_of(init, access_block(event, lane_first(event->mask)));
        if (row->shadow && row->shadow->left)
            row->bits = row->shadow->bits;
        row->start = window->start;
        return row->shadow != NULL;
    case IR_SPACE_LOCAL:
        row->shadow = local_of(init, event->warp, window->size);
        row->bits = row->shadow->bits;
        row->step = row->shadow->size;
        return true;
    default:
        return true;
    }
}

static inline unsigned char *row_lane(const struct row *row, const struct access_event *event,
                                      unsigned lane)
{
    return row->bits + (event->address[lane] - row->start) + row->step * lane;
}

static bool row_defined(const struct row *row, const struct access_event *event)
{
    bool defined = true;

    FOR_LANES(lane, row->bits ? event->mask : 0)
        defined &= bytes_defined(row_lane(row, event, lane), event->size);
    return defined;
}

/* Is the content of all of the instruction's sources defined, from source `first` on? */
static bool sources_defined(struct init *init, const struct access_event *event, unsigned first)
{
    const struct code *code = event->code;
    uint32_t lanes = 0;

    if (!event->frame->followed)
        return true;
    const struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);
    for (unsigned s = first; frame->any && s < code->sources; s++)
        lanes |= undefined_lanes(frame, code->operands[code->destinations + s], event->mask);
    return !lanes;
}

/* Defined values are stored. False when that is not all there is to do. */
static bool row_store(const struct row *row, const struct access_event *event)
{
    struct shadow_bytes *shadow = row->shadow;

    if (row_defined(row, event))
        return true;
    if (!shadow || shadow->origin)
        return false;
    FOR_LANES(lane, event->mask)
    {
        unsigned char *bits = row_lane(row, event, lane);
        shadow->left -= count_undefined(bits, event->size);
        memset(bits, 0, event->size);
    }
    return true;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* The masks of what the shape begins with; NULL: all is defined. False when that is not
 * known, or somebody has to be told. */
static bool row_bits(struct init *init, const struct access_row *row, unsigned char **bits,
                     struct shadow_bytes **shadow)
{
    const struct allocation *allocation = row->allocation;

    if (row->space == IR_SPACE_GLOBAL) {
        *bits = allocation->undefined_bits;
        return *bits ? (*bits += row->offset, true)
                     : allocation->kind == ALLOCATION_CONST || !allocation->undefined;
    }
    *shadow = shared_of(init, row->warp->block);
    if (*shadow && (*shadow)->left)
        *bits = (*shadow)->bits + row->offset;
    return *shadow != NULL;
}

/* Do the lanes access all of the bytes that the shape spans? */
static inline bool is_dense(const struct access_row *row)
{
    const struct access_shape *shape = row->shape;

    return shape->lie == LIE_NEXT && row->mask == shape->mask &&
           (row->mask == UINT32_MAX ||
            shape->span == shape->size * (uint32_t)__builtin_popcount(row->mask));
}

static bool lanes_defined(const struct access_row *row, const unsigned char *bits)
{
    const struct access_shape *shape = row->shape;
    bool defined = true;

    if (is_dense(row)) {
        uint64_t word, any = 0;
        uint32_t i = 0, last = 0;
        for (; i + sizeof word <= shape->span; i += sizeof word) {
            memcpy(&word, bits + i, sizeof word);
            any |= word;
        }
        if (i < shape->span)
            memcpy(&last, bits + i, sizeof last);
        return !(any | last);
    }
    FOR_LANES(lane, row->mask)
        defined &= bytes_defined(bits + shape->place[lane], shape->size);
    return defined;
}

/* Is the content of all registers that are stored defined? */
static bool values_defined(struct init *init, const struct access_row *row)
{
    const struct code *code = row->code;
    uint32_t lanes = 0;

    if (!row->frame->followed)
        return true;
    const struct shadow_frame *frame = shadow_frame_of(init, row->frame->registers);
    for (unsigned s = 2; frame->any && s < code->sources; s++)
        lanes |= undefined_lanes(frame, code->operands[code->destinations + s], row->mask);
    return !lanes;
}

bool init_row(struct observer *observer, const struct access_row *row)
{
    struct init *init = (struct init *)observer;
    struct shadow_bytes *shadow = NULL;
    unsigned char *bits = NULL;

    if ((row->writes && !values_defined(init, row)) || !row_bits(init, row, &bits, &shadow))
        return false;
    if (!bits || lanes_defined(row, bits))
        return true;
    if (!row->writes)
        return false;
    if (!shadow)
        shadow = pointer_map_get(&init->globals, row->allocation);
    if (shadow && shadow->origin)
        return false;
    if (is_dense(row)) {
        if (row->space == IR_SPACE_SHARED)
            shadow->left -= count_undefined(bits, row->shape->span);
        memset(bits, 0, row->shape->span);
        return true;
    }
    FOR_LANES(lane, row->mask)
    {
        unsigned char *own = bits + row->shape->place[lane];
        if (row->space == IR_SPACE_SHARED)
            shadow->left -= count_undefined(own, row->shape->size);
        memset(own, 0, row->shape->size);
    }
    return true;
}

/* --- where undefined bytes come from ------------------------------------------------------------ */

static const char *shared_name(const struct access_event *event, unsigned lane)
{
    const struct executable *executable = event->warp->block->state->executable;
    const struct ir_module *module = executable->image->module;

    for (uint32_t i = 0; i < module->symbol_count; i++) {
        const struct ir_symbol *symbol = &module->symbols[i];
        if (symbol->space == IR_SPACE_SHARED && symbol->size &&
            executable->shared_offset[i] != UINT64_MAX &&
            event->address[lane] - executable->shared_offset[i] < symbol->size)
            return symbol->name;
    }
    return NULL;
}

static const char *local_name(const struct shadow_frame *frame, const struct code *code)
{
    const struct ir_function *function = frame->program->function;
    ir_operand base = code->sources ? ir_sources(function, code->ir)[0] : 0;

    return ir_operand_kind(base) == IR_OPERAND_VARIABLE
               ? function->variables[ir_operand_index(base)].name : NULL;
}

/* The origin of a load's undefined bytes in a lane: as stored, or this load. */
static origin_id loaded_origin(struct init *init, const struct shadow_frame *frame,
                               const struct access_event *event, unsigned lane,
                               const struct bytes_at *at, uint32_t first, uint32_t size)
{
    char phrase[300];
    const char *name;
    const void *what = NULL;
    enum origin_kind kind = ORIGIN_LOCAL;

    for (uint32_t i = 0; at->shadow && at->shadow->origin && i < size; i++) {
        origin_id stored = at->shadow->origin[at->start + first + i];
        if (at->bits[first + i] && stored && event->space == IR_SPACE_LOCAL &&
            origin_at(init, stored)->kind == ORIGIN_ACCUMULATOR)
            return stored; /* a register that was put aside */
        if (at->bits[first + i] && stored)
            return (stored & ~(origin_id)ORIGIN_PLAIN) |
                   (event->space == IR_SPACE_GLOBAL ? ORIGIN_PLAIN : 0);
    }
    if (event->space == IR_SPACE_GLOBAL) {
        const struct allocation *allocation = access_allocation(event, lane);
        kind = ORIGIN_GLOBAL;
        what = allocation;
        if (allocation->kind == ALLOCATION_HEAP)
            snprintf(phrase, sizeof phrase, "memory from malloc (%llu bytes)",
                     (unsigned long long)allocation->size);
        else
            snprintf(phrase, sizeof phrase, "%.250s",
                     allocation->name ? allocation->name : "global memory");
    } else if (event->space == IR_SPACE_SHARED) {
        kind = ORIGIN_SHARED;
        name = shared_name(event, lane);
        what = name;
        if (name)
            snprintf(phrase, sizeof phrase, "shared variable '%.200s'", name);
        else
            snprintf(phrase, sizeof phrase, "dynamic shared memory");
    } else {
        name = local_name(frame, event->code);
        snprintf(phrase, sizeof phrase, name ? "local variable '%.200s'" : "local memory", name);
    }
    return origin_of(init, event->warp, event->code, frame->program->function, lane, kind, what,
                     phrase);
}

/* --- loads -------------------------------------------------------------------------------------- */

/* Undefined bits of a register that was loaded from these bytes. */
static uint64_t extend_bits(const struct code *code, const unsigned char *bits, uint32_t size)
{
    uint64_t result = 0;

    if (size > 8) { /* one bit for each byte, of which there are 16 at most */
        for (uint32_t i = 0; i < size && i < 16; i++)
            result |= (uint64_t)(bits[i] != 0) << i;
        return result;
    }
    memcpy(&result, bits, size);
    if (ir_types[code->type].kind == IR_KIND_S && size < code->value_bytes &&
        result >> (8 * size - 1) & 1)
        result |= UINT64_MAX << (8 * size);
    if (code->value_bytes < 8)
        result &= (UINT64_C(1) << 8 * code->value_bytes) - 1;
    return result;
}

static void load(struct init *init, const struct access_event *event)
{
    const struct code *code = event->code;
    uint32_t size = event->size / event->elements;
    struct row row;

    if (row_of(init, event, &row) && row_defined(&row, event))
        return;
    struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);
    FOR_LANES(lane, event->mask)
    {
        struct bytes_at at = bytes_of(init, event, lane, false);
        if (all_defined(&at, event->size))
            continue;
        for (uint32_t e = 0; e < event->elements; e++) {
            unsigned char bits[16];
            memcpy(bits, at.bits + e * size, size);
            /* PTX ISA, ".pragma used_bytes_mask": the other bytes are not looked at. */
            for (uint32_t i = 0; code->extra && i < size; i++)
                if (!(code->extra >> (e * size + i) & 1))
                    bits[i] = 0;
            uint64_t undefined = extend_bits(code, bits, size);
            if (undefined)
                undefined_set(frame, code->operands[e], lane, undefined,
                              loaded_origin(init, frame, event, lane, &at, e * size, size));
        }
    }
}

/* --- stores --------------------------------------------------------------------------------------- */

static void narrow_bits(uint64_t undefined, uint32_t size, unsigned char bits[16])
{
    memset(bits, 0, 16);
    if (size > 8)
        for (uint32_t i = 0; i < size; i++)
            bits[i] = undefined >> i & 1 ? 0xff : 0;
    else
        memcpy(bits, &undefined, size);
}

static void store(struct init *init, const struct access_event *event)
{
    const struct code *code = event->code;
    uint32_t size = event->size / event->elements;
    struct row row;

    if (sources_defined(init, event, 2) && row_of(init, event, &row) && row_store(&row, event))
        return;
    struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);
    for (uint32_t e = 0; e < event->elements; e++) {
        uint32_t operand = code->operands[2 + e];
        uint32_t undefined = undefined_lanes(frame, operand, event->mask);
        FOR_LANES(lane, event->mask)
        {
            bool some = undefined >> lane & 1;
            struct bytes_at at = bytes_of(init, event, lane, some);
            unsigned char bits[16];
            if (!at.bits)
                continue;
            narrow_bits(undefined_bits(frame, operand, lane), size, bits);
            origin_id origin = undefined_origin(frame, operand, lane);
            bool stored = false;
            for (uint32_t i = 0; some && i < size; i++)
                stored |= bits[i] != 0;
            if (stored && event->space == IR_SPACE_GLOBAL && !only_copied(init, origin))
                report_use(init, event->warp, frame, code, lane, "uninitialised-store",
                           "a value stored to global memory", origin, FINDING_WRITE);
            set_bytes(&at, e * size, size, bits, origin);
        }
    }
}

/* --- atomics ---------------------------------------------------------------------------------------- */

static void atomic(struct init *init, const struct access_event *event)
{
    static const unsigned char defined[16];
    const struct code *code = event->code;
    struct row row;

    if (sources_defined(init, event, 2) && row_of(init, event, &row) &&
        row_defined(&row, event))
        return;
    struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);
    FOR_LANES(lane, event->mask)
    {
        struct bytes_at at = bytes_of(init, event, lane, false);
        if (!all_defined(&at, event->size)) {
            report_use(init, event->warp, frame, code, lane, "uninitialised-atomic",
                       "an atomic operation, through the memory it works on",
                       loaded_origin(init, frame, event, lane, &at, 0, event->size),
                       FINDING_ATOMIC);
            for (uint32_t i = 0; i < event->size; i += 16)
                set_bytes(&at, i, event->size - i < 16 ? event->size - i : 16, defined, 0);
        }
        for (unsigned s = 2; s < code->sources; s++) {
            uint32_t operand = code->operands[code->destinations + s];
            if (undefined_lanes(frame, operand, UINT32_C(1) << lane))
                report_use(init, event->warp, frame, code, lane, "uninitialised-atomic",
                           "an atomic operation", undefined_origin(frame, operand, lane),
                           FINDING_ATOMIC);
        }
    }
}

/* --- asynchronous copies -------------------------------------------------------------------------------- */

/* The shared address that the copy under way writes in a lane. */
static uint64_t copy_target(const struct init *init, const struct code *code, unsigned lane)
{
    uint64_t address = (uint64_t)code->offset;

    if (code->address_kind == ADDRESS_REGISTER) {
        uint64_t base = 0;
        memcpy(&base,
               (unsigned char *)operand_at(init->base, code->o.a) + lane * code->address_bytes,
               code->address_bytes);
        address += base;
    }
    return address & ((UINT64_C(1) << SHARED_RANK_SHIFT) - 1);
}

static void copy_issued(struct init *init, const struct access_event *event)
{
    struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);

    FOR_LANES(lane, event->mask)
    {
        struct bytes_at at = bytes_of(init, event, lane, false);
        if (all_defined(&at, event->size) || event->size > 16)
            continue;
        struct pending_copy *copy = ARENA_PUSH(&init->arena, &init->pending);
        *copy = (struct pending_copy){
            .warp = event->warp, .lane = lane, .size = event->size,
            .target = copy_target(init, event->code, lane),
            .origin = loaded_origin(init, frame, event, lane, &at, 0, event->size)};
        memcpy(copy->bits, at.bits, event->size);
    }
}

static void copy_done(struct init *init, const struct access_event *event)
{
    FOR_LANES(lane, event->mask)
    {
        struct pending_copy copy = {0};
        for (uint32_t i = 0; i < init->pending.count; i++) {
            struct pending_copy *items = init->pending.items;
            if (items[i].warp != event->warp || items[i].lane != lane ||
                items[i].target != event->address[lane])
                continue;
            copy = items[i];
            memmove(&items[i], &items[i + 1], (--init->pending.count - i) * sizeof *items);
            break;
        }
        struct bytes_at at = bytes_of(init, event, lane, copy.size != 0);
        set_bytes(&at, 0, event->size, copy.bits, copy.origin & ~(origin_id)ORIGIN_PLAIN);
    }
}

/* A map of which something is undefined; what a copy moves is taken for defined. */
static void tensor_map_read(struct init *init, const struct access_event *event)
{
    struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);

    FOR_LANES(lane, event->mask)
    {
        struct bytes_at at = bytes_of(init, event, lane, false);
        if (!all_defined(&at, event->size))
            report_use(init, event->warp, frame, event->code, lane, "uninitialised-address",
                       "a tensor map",
                       loaded_origin(init, frame, event, lane, &at, 0, event->size),
                       FINDING_READ);
    }
}

/* --- textures and surfaces ---------------------------------------------------------------------------------- */

/* One undefined bit in what is read, and all results are undefined: filters mix. */
static void fetch(struct init *init, const struct access_event *event)
{
    struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);
    const struct code *code = event->code;
    uint64_t all = code->value_bytes >= 8 ? UINT64_MAX
                                          : (UINT64_C(1) << 8 * code->value_bytes) - 1;

    FOR_LANES(lane, event->mask)
    {
        struct bytes_at at = bytes_of(init, event, lane, false);
        if (all_defined(&at, event->size))
            continue;
        origin_id origin = loaded_origin(init, frame, event, lane, &at, 0, event->size);
        for (unsigned d = 0; d < code->destinations; d++)
            undefined_set(frame, code->operands[d], lane, all, origin);
    }
}

/* Texels take over what is undefined in the values, byte by byte, but for formatted
 * stores, where all or nothing is. */
static void surface_store(struct init *init, const struct access_event *event)
{
    struct shadow_frame *frame = shadow_frame_of(init, event->frame->registers);
    const struct code *code = event->code;
    unsigned count = code->sources - IR_TEXTURE_SOURCES;
    uint32_t size = event->size / count;
    bool formatted = code->sub & IR_SURFACE_FORMATTED;

    FOR_LANES(lane, event->mask)
        for (unsigned e = 0; e < count; e++) {
            uint32_t operand = code->operands[IR_TEXTURE_SOURCES + e];
            bool some = undefined_lanes(frame, operand, UINT32_C(1) << lane) != 0;
            struct bytes_at at = bytes_of(init, event, lane, some);
            unsigned char bits[16];
            if (!at.bits)
                continue;
            narrow_bits(some ? undefined_bits(frame, operand, lane) : 0, size < 8 ? 8 : size,
                        bits);
            if (formatted)
                memset(bits, some ? 0xff : 0, sizeof bits);
            origin_id origin = some ? undefined_origin(frame, operand, lane) : 0;
            if (some && !only_copied(init, origin))
                report_use(init, event->warp, frame, code, lane, "uninitialised-store",
                           "a value stored to a surface", origin, FINDING_WRITE);
            set_bytes(&at, e * size, size, bits, origin);
        }
}

/* --- events ------------------------------------------------------------------------------------------------ */

void init_access(struct observer *observer, const struct access_event *event)
{
    static const unsigned char defined[16];
    struct init *init = (struct init *)observer;

    switch (event->code->op) {
    case IR_OP_ld:
        load(init, event);
        return;
    case IR_OP_st:
    case IR_OP_st_async:
        store(init, event);
        return;
    case IR_OP_atom:
    case IR_OP_red_async:
        atomic(init, event);
        return;
    case IR_OP_tex:
    case IR_OP_suld:
        fetch(init, event);
        return;
    case IR_OP_sust:
        surface_store(init, event);
        return;
    case IR_OP_cp_async:
        if (event->kind == ACCESS_READ)
            copy_issued(init, event);
        else
            copy_done(init, event);
        return;
    case IR_OP_tensormap_replace:
        return; /* the rest of the map stays as it is */
    case IR_OP_tensor:
        if (event->kind == ACCESS_READ && event->size == TENSOR_MAP_BYTES)
            tensor_map_read(init, event);
        /* fallthrough */
    default:
        /* The words of an mbarrier are the engine's: it says when they are none. */
        if (event->kind != ACCESS_READ)
            FOR_LANES(lane, event->mask)
            {
                struct bytes_at at = bytes_of(init, event, lane, false);
                for (uint32_t i = 0; i < event->size; i += 16)
                    set_bytes(&at, i, event->size - i < 16 ? event->size - i : 16, defined, 0);
            }
        return;
    }
}
