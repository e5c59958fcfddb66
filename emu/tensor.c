/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c - cp.async.bulk.tensor, cp.reduce.async.bulk.tensor.
 *
 * One thread starts the copy of a box of a tensor that a tensor map describes, or of some
 * pixels of one (im2col). It goes row by row; a row is what lies together along dimension
 * 0. Like a bulk copy (emu/bulk.c) it happens at issue, and to observers it is beside its
 * thread. PTX ISA, "Tensors", "Data Movement and Conversion Instructions: Tensor copy". */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/memory_ops.h"
#include "base/arena.h"
#include "emu/tensor_box.h"
#include "ir/tensor.h"

enum { CHUNK = 16, MAP_ALIGN = 64 };

/* One thread's copy. */
struct tensor_copy {
    const struct step *step;
    unsigned lane;
    struct tensor_box box;
    struct tensor_map map;
    struct access map_access;
    uint64_t number;       /* of the part that is told now */
    unsigned char *bytes;  /* the box, as it lies in shared memory without swizzle */
};

static void tell(const struct tensor_copy *copy, bool done)
{
    OBSERVE(copy->step->warp->block->state, copy,
            &(struct copy_event){.warp = copy->step->warp, .code = copy->step->code,
                                 .mask = UINT32_C(1) << copy->lane, .number = copy->number,
                                 .done = done});
}

__attribute__((format(printf, 3, 4)))
static void refuse(const struct tensor_copy *copy, const char *kind, const char *format, ...)
{
    struct finding finding = {.category = FINDING_MEMORY, .kind = kind,
                              .severity = FINDING_ERROR};
    char what[200];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    report_at(copy->step->warp, copy->step->code, copy->step->fragment, copy->lane, finding,
              "%s", what);
}

static bool resolve(const struct tensor_copy *copy, struct access *access, enum ir_space space,
                    enum finding_access kind, uint64_t address, uint32_t size, uint32_t align)
{
    const struct step *step = copy->step;

    *access = (struct access){.kind = kind, .size = size, .align = align};
    access->address[copy->lane] = address;
    access_resolve(access, step->warp, step->fragment, step->code, space,
                   UINT32_C(1) << copy->lane);
    return access->mask;
}

static enum finding_access_kind event_of(enum finding_access kind)
{
    return kind == FINDING_READ ? ACCESS_READ : kind == FINDING_WRITE ? ACCESS_WRITE
                                                                      : ACCESS_ATOMIC;
}

/* Tells observers of a range that is there, a chunk at a time. bytes: what is written; or
 * NULL. */
static void report_range(const struct tensor_copy *copy, enum ir_space space,
                         enum finding_access kind, uint64_t address, uint32_t size,
                         const unsigned char *bytes)
{
    const unsigned char *stored[LANES];
    struct access access;

    if (!copy->step->warp->block->state->observed)
        return;
    for (uint32_t at = 0; at < size; at += CHUNK)
        if (resolve(copy, &access, space, kind, address + at,
                    size - at < CHUNK ? size - at : CHUNK, 1)) {
            if (bytes) {
                stored[copy->lane] = bytes + at;
                access.stored = stored;
            }
            access_report(&access, copy->step->warp, copy->step->code, event_of(kind),
                          access.mask);
        }
}

/* --- global memory -------------------------------------------------------------------------- */

/* The elements of a row that the tensor has, in memory; NULL, and a finding, when they are
 * not all there. */
static unsigned char *row_host(struct tensor_copy *copy, const struct tensor_row *row,
                               enum finding_access kind)
{
    unsigned bytes = copy->box.element;
    struct access access;

    return resolve(copy, &access, IR_SPACE_GLOBAL, kind, row->address, row->count * bytes, bytes)
               ? access.host[copy->lane] : NULL;
}

/* The elements of a row on their way out. */
static const unsigned char *row_bytes(const struct tensor_copy *copy, const struct tensor_row *row)
{
    return copy->bytes + (size_t)row->index * copy->box.pitch +
           (size_t)row->skip * copy->box.element;
}

static bool gather(struct tensor_copy *copy)
{
    struct tensor_row row;

    for (tensor_first(&copy->box, &row); row.more; tensor_next(&copy->box, &row)) {
        unsigned char *to = copy->bytes + (size_t)row.index * copy->box.pitch;
        tensor_fill(&copy->box, to);
        if (!row.count)
            continue;
        const unsigned char *from = row_host(copy, &row, FINDING_READ);
        if (!from)
            return false;
        tensor_load_row(&copy->box, &row, to, from);
    }
    return true;
}

static bool all_there(struct tensor_copy *copy, enum finding_access kind)
{
    struct tensor_row row;

    for (tensor_first(&copy->box, &row); row.more; tensor_next(&copy->box, &row))
        if (row.count && !row_host(copy, &row, kind))
            return false;
    return true;
}

static void report_global(struct tensor_copy *copy, enum finding_access kind)
{
    struct tensor_row row;

    if (!copy->step->warp->block->state->observed)
        return;
    for (tensor_first(&copy->box, &row); row.more; tensor_next(&copy->box, &row))
        if (row.count)
            report_range(copy, IR_SPACE_GLOBAL, kind, row.address,
                         row.count * copy->box.element,
                         kind == FINDING_WRITE ? row_bytes(copy, &row) : NULL);
}

static void scatter(struct tensor_copy *copy, const struct code *reduction)
{
    unsigned bytes = copy->box.element;
    struct tensor_row row;
    bool changed = false;

    for (tensor_first(&copy->box, &row); row.more; tensor_next(&copy->box, &row)) {
        const unsigned char *from = row_bytes(copy, &row);
        unsigned char *to =
            row.count ? row_host(copy, &row, reduction ? FINDING_ATOMIC : FINDING_WRITE) : NULL;
        if (!to)
            continue;
        if (!reduction) {
            changed |= memcmp(to, from, (size_t)row.count * bytes) != 0;
            memcpy(to, from, (size_t)row.count * bytes);
            continue;
        }
        for (uint32_t i = 0; i < row.count; i++)
            changed |= atomic_element(reduction, IR_SPACE_GLOBAL, to + i * bytes,
                                      from + i * bytes);
    }
    if (changed)
        step_changed(copy->step);
}

/* --- shared memory ----------------------------------------------------------------------------- */

static unsigned char *shared_box(const struct tensor_copy *copy, enum ir_space space,
                                 enum finding_access kind, uint64_t address)
{
    struct access access;

    return resolve(copy, &access, space, kind, address, (uint32_t)copy->box.reach, TENSOR_SHARED_ALIGN)
               ? access.host[copy->lane] : NULL;
}

/* Each chunk of the box in the shared memory of a block, in or out. Swizzles change places
 * within the reach of the box; what pads rows is left alone. */
static bool move_shared(struct tensor_copy *copy, enum ir_space space, uint64_t address, bool in)
{
    const struct tensor_box *box = &copy->box;
    enum finding_access kind = in ? FINDING_WRITE : FINDING_READ;
    unsigned char *host = shared_box(copy, space, kind, address);
    bool changed = false;

    if (!host)
        return false;
    for (uint32_t at = 0; at < box->span; at += CHUNK) {
        if (at % box->pitch >= box->row_bytes)
            continue;
        uint64_t place = tensor_swizzled(copy->map.swizzle, address + at);
        unsigned char *chunk = host + (place - address);
        report_range(copy, space, kind, place, CHUNK, in ? copy->bytes + at : NULL);
        if (!in) {
            memcpy(copy->bytes + at, chunk, CHUNK);
            continue;
        }
        changed |= memcmp(chunk, copy->bytes + at, CHUNK) != 0;
        memcpy(chunk, copy->bytes + at, CHUNK);
    }
    if (changed)
        step_changed(copy->step);
    return true;
}

/* --- one copy --------------------------------------------------------------------------------------- */

static uint64_t source(const struct tensor_copy *copy, unsigned i, unsigned bytes)
{
    return lane_read(copy->step, source_operand(copy->step->code, i), bytes, copy->lane);
}

static uint64_t in_block(uint64_t address, unsigned rank)
{
    return (address & ((UINT64_C(1) << SHARED_RANK_SHIFT) - 1)) |
           (uint64_t)(rank + 1) << SHARED_RANK_SHIFT;
}

static void deliver(struct tensor_copy *copy, uint64_t to, uint64_t barrier)
{
    if (move_shared(copy, IR_SPACE_CLUSTER, to, true))
        mbarrier_complete_bytes(copy->step, copy->lane, IR_SPACE_CLUSTER, barrier,
                                (uint32_t)copy->box.moved);
}

/* The copy begins, and reads its map. */
static void begin(struct tensor_copy *copy, uint64_t number)
{
    const struct step *step = copy->step;

    copy->number = number;
    tell(copy, false);
    access_report(&copy->map_access, step->warp, step->code, ACCESS_READ, copy->map_access.mask);
}

static void load(struct tensor_copy *copy)
{
    bool multicast = copy->step->code->sub & IR_TENSOR_MULTICAST;
    uint64_t to = source(copy, IR_TENSOR_SHARED, 8), barrier = source(copy, IR_TENSOR_BARRIER, 8);
    uint32_t blocks = (uint32_t)source(copy, IR_TENSOR_BLOCKS, 4);

    if (!gather(copy))
        return;
    begin(copy, async_next(copy->step->warp));
    report_global(copy, FINDING_READ);
    tell(copy, true);
    for (unsigned rank = 0; multicast && rank < 16; rank++)
        if (blocks >> rank & 1)
            deliver(copy, in_block(to, rank), in_block(barrier, rank));
    if (!multicast)
        deliver(copy, to, barrier);
}

/* How the elements combine: as the atomic of that op and type. */
static bool reduction_of(struct tensor_copy *copy, struct code *code)
{
    *code = *copy->step->code;
    code->sub = (uint16_t)ir_tensor_reduction(code->sub);
    code->type = (uint8_t)tensor_atomic_type(copy->map.type, (enum ir_op)code->sub);
    if (code->type != IR_none)
        return true;
    refuse(copy, "tensor-map", "the tensor map's type has no such reduction");
    return false;
}

/* Measured: the H200 ends the launch. */
static bool check_store(const struct tensor_copy *copy)
{
    const struct tensor_map *map = &copy->map;
    bool outside = false;

    for (unsigned k = 0; k < map->rank; k++)
        outside |= copy->box.at[k] < 0;
    for (unsigned k = 0; map->im2col && k < map->rank - 2; k++)
        outside |= map->lower[k] < 0 || map->upper[k] > 0;
    if (outside)
        refuse(copy, "out-of-bounds", "a tensor store that begins outside of the tensor%s",
               map->im2col ? ", or whose corners lie outside" : "");
    return !outside;
}

static void store(struct tensor_copy *copy)
{
    bool reduces = copy->step->code->sub & IR_TENSOR_REDUCTIONS;
    enum finding_access kind = reduces ? FINDING_ATOMIC : FINDING_WRITE;
    struct code reduction;

    copy->box.whole = true;
    if (!check_store(copy) || (reduces && !reduction_of(copy, &reduction)) ||
        !all_there(copy, kind))
        return;
    if (!shared_box(copy, IR_SPACE_SHARED, FINDING_READ, source(copy, IR_TENSOR_SHARED, 8)))
        return;
    begin(copy, async_bulk_issue(copy->step->warp, copy->lane, true));
    move_shared(copy, IR_SPACE_SHARED, source(copy, IR_TENSOR_SHARED, 8), false);
    copy->number = async_bulk_issue(copy->step->warp, copy->lane, false);
    tell(copy, false);
    report_global(copy, kind);
    scatter(copy, reduces ? &reduction : NULL);
}

static bool check_size(const struct tensor_copy *copy)
{
    const struct tensor_box *box = &copy->box;

    if (box->row_bytes <= box->pitch && box->span <= TENSOR_BOX_LIMIT)
        return true;
    refuse(copy, "out-of-bounds", "a tensor copy of %" PRIu64 " bytes, more than there can be",
           box->moved);
    return false;
}

/* Loads were measured, im2col ones with the channels of one slice. */
static bool check_interleaved(const struct tensor_copy *copy)
{
    const struct tensor_box *box = &copy->box;
    const struct tensor_map *map = &copy->map;

    if (copy->step->code->sub & IR_TENSOR_STORE) {
        refuse(copy, "tensor-map", "tensor stores with interleaved tensor maps are not emulated");
        return false;
    }
    if (map->im2col && map->channels != box->columns) {
        refuse(copy, "tensor-map", "interleaved im2col copies of other than %" PRIu32
               " channels are not emulated", box->columns);
        return false;
    }
    for (unsigned k = 0; map->im2col && k + 2 < map->rank; k++)
        if (box->at[k] < map->lower[k] || box->at[k] >= (int64_t)map->size[k] + map->upper[k]) {
            /* Measured: the H200 ends the launch. */
            refuse(copy, "out-of-bounds", "an im2col copy that begins outside of its corners");
            return false;
        }
    return check_size(copy);
}

/* Measured: the H200 ends the launch for the first. */
static bool check_box(const struct tensor_copy *copy)
{
    const struct tensor_box *box = &copy->box;

    if (copy->map.interleave)
        return check_interleaved(copy);
    if ((int64_t)box->at[0] * box->element % CHUNK || box->row_bytes % CHUNK) {
        refuse(copy, "misaligned",
               "a tensor copy of %" PRIu32 " bytes from byte %" PRId64
               " along dimension 0: both must be multiples of 16",
               box->row_bytes, (int64_t)box->at[0] * box->element);
        return false;
    }
    return check_size(copy);
}

/* Reads the map, and what of it the instruction wants. */
static bool read_map(struct tensor_copy *copy)
{
    const struct step *step = copy->step;
    unsigned sub = step->code->sub, rank = ir_tensor_rank(step->code->ir);
    struct access *access = &copy->map_access;
    int32_t at[TENSOR_RANK] = {0};
    uint32_t offset[TENSOR_RANK - 2] = {0};

    if (!resolve(copy, access, IR_SPACE_GENERIC, FINDING_READ, source(copy, IR_TENSOR_MAP, 8),
                 TENSOR_MAP_BYTES, MAP_ALIGN))
        return false;
    if (!tensor_map_decode(access->host[copy->lane], &copy->map)) {
        refuse(copy, "tensor-map", "the 128 bytes at 0x%" PRIx64 " are no tensor map",
               access->address[copy->lane]);
        return false;
    }
    if (copy->map.rank != rank || copy->map.im2col != !!(sub & IR_TENSOR_IM2COL)) {
        refuse(copy, "tensor-map", "the tensor map is for %s of %u dimensions, the copy for %s of %u",
               copy->map.im2col ? "im2col" : "tiles", copy->map.rank,
               sub & IR_TENSOR_IM2COL ? "im2col" : "tiles", rank);
        return false;
    }
    for (unsigned k = 0; k < rank; k++)
        at[k] = (int32_t)source(copy, IR_TENSOR_COORDINATES + k, 4);
    for (unsigned k = 0; IR_TENSOR_COORDINATES + rank + k < step->code->sources; k++)
        offset[k] = (uint32_t)source(copy, IR_TENSOR_COORDINATES + rank + k, 4);
    tensor_box_make(&copy->box, &copy->map, at, offset);
    return check_box(copy);
}

void tensor_execute(const struct step *step)
{
    FOR_LANES (lane, step->mask) {
        struct tensor_copy copy = {.step = step, .lane = lane};
        if (!read_map(&copy) || step->code->sub & IR_TENSOR_PREFETCH)
            continue;
        copy.bytes = malloc(copy.box.span);
        if (!copy.bytes)
            out_of_memory(0);
        if (step->code->sub & IR_TENSOR_STORE)
            store(&copy);
        else
            load(&copy);
        free(copy.bytes);
    }
}
