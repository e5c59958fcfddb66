/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_box.c - which elements of a tensor a tensor copy moves.
 *
 * PTX ISA, "Tensors": tiled mode, im2col mode, swizzling. What it leaves open was measured
 * on an H200: docs/hardware-notes.md, "Tensor copies". */
#include "emu/tensor_box.h"

#include <string.h>

#include "numeric/convert.h"

/* Interleaved tensors lie as N, C / 8, D, H, W, then 8 (or 16) channels of 16 bits: a slice. */
static uint32_t slice_bytes(const struct tensor_map *map)
{
    return map->interleave == TENSOR_INTERLEAVE_32B ? 32 : 16;
}

void tensor_box_make(struct tensor_box *box, const struct tensor_map *map,
                     const int32_t at[TENSOR_RANK], const uint32_t offset[TENSOR_RANK - 2])
{
    static const uint32_t span[] = {0, 32, 64, 128};

    *box = (struct tensor_box){.map = map, .element = tensor_element_bytes(map->type)};
    memcpy(box->at, at, sizeof box->at);
    memcpy(box->offset, offset, sizeof box->offset);
    box->first = map->interleave ? 0 : 1;
    uint64_t rows = map->im2col ? map->pixels : 1;
    for (unsigned k = 0; k < TENSOR_RANK; k++) {
        box->count[k] = (map->box[k] + map->step[k] - 1) / map->step[k];
        /* Measured: one slice of channels is moved, whatever the box says. */
        if (map->interleave && k + 2 == map->rank)
            box->count[k] = 1;
        if (k >= box->first && !map->im2col)
            rows *= box->count[k];
    }
    if (map->interleave)
        box->columns = slice_bytes(map) / box->element;
    else /* The element stride of dimension 0 has no effect. */
        box->columns = map->im2col ? map->channels : map->box[0];
    box->row_bytes = box->columns * box->element;
    box->pitch = box->row_bytes;
    if (!map->interleave && box->pitch < span[map->swizzle])
        box->pitch = span[map->swizzle];
    box->moved = rows * box->row_bytes;
    box->span = rows * box->pitch;
    uint64_t unit = map->swizzle ? span[map->swizzle] : 1;
    box->reach = (box->span + unit - 1) / unit * unit;
}

/* --- rows --------------------------------------------------------------------------------- */

static uint64_t stride(const struct tensor_map *map, unsigned dimension)
{
    return dimension ? map->stride[dimension - 1] : slice_bytes(map);
}

/* Columns of the row that lie in the tensor, when the row itself does. */
static void clip(const struct tensor_box *box, struct tensor_row *row)
{
    const struct tensor_map *map = box->map;
    int64_t first = row->place[0], end = first + box->columns;

    row->count = row->skip = 0;
    row->address = map->address;
    for (unsigned k = box->first; k < map->rank; k++) {
        int64_t place = row->place[k];
        if (map->im2col && k - box->first + 2 < map->rank)
            place += box->offset[k - box->first];
        if (place < 0 || (uint64_t)place >= map->size[k])
            return;
        row->address += (uint64_t)place * stride(map, k);
    }
    if (map->interleave) {
        row->count = box->columns;
        return;
    }
    int64_t from = first < 0 ? 0 : first;
    int64_t to = end > (int64_t)map->size[0] ? (int64_t)map->size[0] : end;
    if (from >= to)
        return;
    if (box->whole) {
        /* Measured: what pads the tensor's last 16 bytes of a row is written, too. */
        int64_t chunk = 16 / box->element, all = (to + chunk - 1) / chunk * chunk;
        to = all < end ? all : end;
    }
    row->skip = (uint32_t)(from - first);
    row->count = (uint32_t)(to - from);
    row->address += (uint64_t)from * box->element;
}

void tensor_first(const struct tensor_box *box, struct tensor_row *row)
{
    *row = (struct tensor_row){.more = true};
    for (unsigned k = 0; k < box->map->rank; k++)
        row->place[k] = box->at[k];
    clip(box, row);
}

/* im2col: from corner to corner of the box that the tensor's pixels are taken from, then
 * to the next image. */
static void next_pixel(const struct tensor_box *box, struct tensor_row *row)
{
    const struct tensor_map *map = box->map;

    for (unsigned i = 0; i + 2 < map->rank; i++) {
        unsigned k = box->first + i;
        row->place[k] += map->step[k];
        if (row->place[k] < (int64_t)map->size[k] + map->upper[i])
            return;
        row->place[k] = map->lower[i];
    }
    row->place[map->rank - 1]++;
}

void tensor_next(const struct tensor_box *box, struct tensor_row *row)
{
    const struct tensor_map *map = box->map;

    row->index++;
    if (map->im2col) {
        row->more = row->index < map->pixels;
        next_pixel(box, row);
    } else {
        uint32_t rest = row->index;
        for (unsigned k = box->first; k < map->rank; k++) {
            row->place[k] = box->at[k] + (int64_t)(rest % box->count[k]) * map->step[k];
            rest /= box->count[k];
        }
        row->more = rest == 0;
    }
    if (row->more)
        clip(box, row);
}

/* --- contents ------------------------------------------------------------------------------- */

void tensor_fill(const struct tensor_box *box, unsigned char *row)
{
    static const unsigned char nan[2] = {0xf7, 0x7f};

    for (uint32_t i = 0; i < box->row_bytes; i++)
        row[i] = box->map->nan_fill ? nan[i % 2] : 0;
}

void tensor_load_row(const struct tensor_box *box, const struct tensor_row *row,
                     unsigned char *to, const unsigned char *from)
{
    enum tensor_element type = box->map->type;

    to += (size_t)row->skip * box->element;
    memcpy(to, from, (size_t)row->count * box->element);
    /* tf32 is rounded like cvt.rn.tf32; .ftz does nothing here. */
    if (type != TENSOR_MAP_TF32 && type != TENSOR_MAP_TF32_FTZ)
        return;
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t value;
        memcpy(&value, to + 4 * i, 4);
        value = tf32_from_f32(value, ROUND_NEAREST_EVEN);
        memcpy(to + 4 * i, &value, 4);
    }
}

uint64_t tensor_swizzled(enum tensor_swizzle swizzle, uint64_t address)
{
    static const uint64_t bits[] = {0, 1, 3, 7};

    return address ^ (address >> 7 & bits[swizzle]) << 4;
}

/* Measured: the H200 ends the launch for all others. */
enum ir_type tensor_atomic_type(enum tensor_element type, enum ir_op op)
{
    static const enum ir_type types[TENSOR_MAP_TYPES] = {
        [TENSOR_MAP_U32] = IR_u32,     [TENSOR_MAP_S32] = IR_s32,  [TENSOR_MAP_U64] = IR_u64,
        [TENSOR_MAP_S64] = IR_s64,     [TENSOR_MAP_F16] = IR_f16,  [TENSOR_MAP_BF16] = IR_bf16,
        [TENSOR_MAP_F32] = IR_f32,     [TENSOR_MAP_F64] = IR_f64,  [TENSOR_MAP_F32_FTZ] = IR_f32,
        [TENSOR_MAP_TF32] = IR_f32,    [TENSOR_MAP_TF32_FTZ] = IR_f32};
    enum ir_type plain = types[type];

    switch (op) {
    case IR_OP_add:
        return plain == IR_s64 ? IR_none : plain;
    case IR_OP_min:
    case IR_OP_max:
        return plain == IR_f32 || plain == IR_f64 ? IR_none : plain;
    case IR_OP_inc:
    case IR_OP_dec:
        return plain == IR_u32 ? plain : IR_none;
    default:
        return plain == IR_u32 || plain == IR_s32 ? IR_b32 : plain == IR_u64 ? IR_b64 : IR_none;
    }
}
