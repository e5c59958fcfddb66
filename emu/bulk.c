/* SPDX-License-Identifier: Apache-2.0
 *
 * bulk.c - cp.async.bulk and cp.reduce.async.bulk.
 *
 * One thread starts a copy of many bytes; it ends in an mbarrier of the block that
 * gets the bytes, or in the thread's bulk groups. A copy may happen at any time
 * between its issue and its end; it happens at issue. To observers it is a copy
 * beside its thread (emu/observe.h), and where a group ends it, two: one reads, one
 * writes, since a thread can wait for the reading alone. PTX ISA, "Data Movement and
 * Conversion Instructions: Bulk copy". */
#include <inttypes.h>

#include "emu/memory_ops.h"

enum { CHUNK = 16 };

/* One thread's copy. */
struct bulk {
    const struct step *step;
    unsigned lane;
    uint32_t size;
    uint64_t number; /* of the part that is told now */
};

static void tell(const struct bulk *bulk, bool done)
{
    OBSERVE(bulk->step->warp->block->state, copy,
            &(struct copy_event){.warp = bulk->step->warp, .code = bulk->step->code,
                                 .mask = UINT32_C(1) << bulk->lane, .number = bulk->number,
                                 .done = done});
}

/* --- ranges ------------------------------------------------------------------------------ */

static bool resolve_chunk(const struct bulk *bulk, struct access *access, enum ir_space space,
                          enum finding_access kind, uint64_t address)
{
    const struct step *step = bulk->step;
    uint32_t mask = UINT32_C(1) << bulk->lane;

    *access = (struct access){.kind = kind, .size = CHUNK};
    access->address[bulk->lane] = address;
    access_resolve(access, step->warp, step->fragment, step->code, space, mask);
    return access->mask;
}

/* The host's bytes of a range; NULL, and a finding, when it is not all there. */
static unsigned char *range(const struct bulk *bulk, enum ir_space space,
                            enum finding_access kind, uint64_t address)
{
    unsigned lane = bulk->lane;
    struct access first, last;

    if (!resolve_chunk(bulk, &first, space, kind, address))
        return NULL;
    if (!resolve_chunk(bulk, &last, space, kind, address + bulk->size - CHUNK))
        return NULL;
    if (last.host[lane] - first.host[lane] == (ptrdiff_t)(bulk->size - CHUNK) &&
        last.allocation[lane] == first.allocation[lane])
        return first.host[lane];
    /* Something lies between: find where the first allocation ends. */
    for (uint64_t at = CHUNK; at < bulk->size; at += CHUNK)
        if (!resolve_chunk(bulk, &last, space, kind, address + at))
            return NULL;
    return NULL;
}

/* Tells observers of the accesses, a chunk at a time. bytes: what is written; or NULL. */
static void report_range(const struct bulk *bulk, enum ir_space space, enum finding_access kind,
                         enum finding_access_kind event, uint64_t address,
                         const unsigned char *bytes)
{
    const struct step *step = bulk->step;
    const unsigned char *stored[LANES];
    struct access access;

    if (!step->warp->block->state->observed)
        return;
    for (uint64_t at = 0; at < bulk->size; at += CHUNK)
        if (resolve_chunk(bulk, &access, space, kind, address + at)) {
            if (bytes) {
                stored[bulk->lane] = bytes + at;
                access.stored = stored;
            }
            access_report(&access, step->warp, step->code, event, access.mask);
        }
}

/* --- one copy ------------------------------------------------------------------------------ */

static void put(const struct bulk *bulk, enum ir_space space, unsigned char *to,
                const unsigned char *from)
{
    const struct code *code = bulk->step->code;

    if (code->op == IR_OP_bulk) {
        if (memcmp(to, from, bulk->size) != 0)
            step_changed(bulk->step);
        memmove(to, from, bulk->size);
        return;
    }
    unsigned bytes = ir_type_bytes(code->type);
    bool changed = false;
    for (uint32_t at = 0; at < bulk->size; at += bytes)
        changed |= atomic_element(code, space, to + at, from + at);
    if (changed)
        step_changed(bulk->step);
}

/* Into the shared memory of a block of the cluster, `to` and `barrier` being there. */
static void deliver(struct bulk *bulk, const unsigned char *from, uint64_t to, uint64_t barrier)
{
    bool reduces = bulk->step->code->op == IR_OP_bulk_reduce;
    enum finding_access kind = reduces ? FINDING_ATOMIC : FINDING_WRITE;
    unsigned char *host = range(bulk, IR_SPACE_CLUSTER, kind, to);

    if (!host)
        return;
    report_range(bulk, IR_SPACE_CLUSTER, kind, reduces ? ACCESS_ATOMIC : ACCESS_WRITE, to,
                 reduces ? NULL : from);
    put(bulk, IR_SPACE_SHARED, host, from);
    mbarrier_complete_bytes(bulk->step, bulk->lane, IR_SPACE_CLUSTER, barrier, bulk->size);
}

static uint64_t in_block(uint64_t address, unsigned rank)
{
    return (address & ((UINT64_C(1) << SHARED_RANK_SHIFT) - 1)) |
           (uint64_t)(rank + 1) << SHARED_RANK_SHIFT;
}

static void copy(struct bulk *bulk, uint64_t to, uint64_t from, uint64_t barrier, uint32_t blocks)
{
    const struct code *code = bulk->step->code;
    struct warp *warp = bulk->step->warp;
    bool reduces = code->op == IR_OP_bulk_reduce, load = false, store, multicast = false;

    if (reduces) {
        store = code->space == IR_SPACE_GLOBAL;
    } else {
        load = code->sub == IR_BULK_LOAD || code->sub == IR_BULK_MULTICAST;
        store = code->sub == IR_BULK_STORE;
        multicast = code->sub == IR_BULK_MULTICAST;
    }
    enum ir_space source = load ? IR_SPACE_GLOBAL : IR_SPACE_SHARED;
    const unsigned char *bytes = range(bulk, source, FINDING_READ, from);
    if (!bytes)
        return;
    bulk->number = store ? async_bulk_issue(warp, bulk->lane, true) : async_next(warp);
    tell(bulk, false);
    report_range(bulk, source, FINDING_READ, ACCESS_READ, from, NULL);
    if (store) {
        enum finding_access kind = reduces ? FINDING_ATOMIC : FINDING_WRITE;
        unsigned char *host = range(bulk, IR_SPACE_GLOBAL, kind, to);
        if (!host)
            return;
        bulk->number = async_bulk_issue(warp, bulk->lane, false);
        tell(bulk, false);
        report_range(bulk, IR_SPACE_GLOBAL, kind, reduces ? ACCESS_ATOMIC : ACCESS_WRITE, to,
                     reduces ? NULL : bytes);
        put(bulk, IR_SPACE_GLOBAL, host, bytes);
        return;
    }
    tell(bulk, true);
    for (unsigned rank = 0; multicast && rank < 16; rank++)
        if (blocks >> rank & 1)
            deliver(bulk, bytes, in_block(to, rank), in_block(barrier, rank));
    if (!multicast)
        deliver(bulk, bytes, to, barrier);
}

/* --- instructions ----------------------------------------------------------------------------- */

static void refuse_size(const struct bulk *bulk)
{
    struct finding finding = {.category = FINDING_MEMORY, .kind = "misaligned",
                              .severity = FINDING_ERROR};

    report_at(bulk->step->warp, bulk->step->code, bulk->step->fragment, bulk->lane, finding,
              "a bulk copy of %" PRIu32 " bytes: their number must be a multiple of %d",
              bulk->size, CHUNK);
}

/* Sources: to, from, size, barrier, blocks of a multicast. */
static void issue(const struct step *step)
{
    const struct code *code = step->code;

    FOR_LANES (lane, step->mask) {
        struct bulk bulk = {.step = step, .lane = lane};
        bulk.size = (uint32_t)lane_read(step, source_operand(code, 2), 4, lane);
        if (bulk.size % CHUNK) {
            refuse_size(&bulk);
            continue;
        }
        uint64_t barrier = lane_read(step, source_operand(code, 3), 8, lane);
        if (!bulk.size)
            continue;
        copy(&bulk, lane_read(step, source_operand(code, 0), 8, lane),
             lane_read(step, source_operand(code, 1), 8, lane), barrier,
             (uint32_t)lane_read(step, source_operand(code, 4), 4, lane));
    }
}

static void wait(const struct step *step)
{
    uint32_t pending = (uint32_t)lane_read(step, source_operand(step->code, 0), 4,
                                           lane_first(step->mask));
    bool reads = step->code->sub & IR_BULK_WAIT_READ;

    FOR_LANES (lane, step->mask) {
        struct bulk bulk = {.step = step, .lane = lane};
        while (async_bulk_done(step->warp, lane, pending, reads, &bulk.number))
            tell(&bulk, true);
    }
    OBSERVE(step->warp->block->state, copies_waited, step->warp, step->mask);
}

void bulk_execute(const struct step *step)
{
    switch (step->code->op) {
    case IR_OP_bulk_commit:
        async_bulk_commit(step->warp, step->mask);
        break;
    case IR_OP_bulk_wait:
        wait(step);
        break;
    default:
        issue(step);
        break;
    }
}
