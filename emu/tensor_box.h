/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_box.h - which elements of a tensor a tensor copy moves, and where they lie in
 * shared memory. */
#ifndef SIMTLAB_EMU_TENSOR_BOX_H
#define SIMTLAB_EMU_TENSOR_BOX_H

#include "base/tensor_map.h"
#include "ir/ir.h"

enum { TENSOR_SHARED_ALIGN = 128, TENSOR_BOX_LIMIT = 1 << 20 };

struct tensor_box {
    const struct tensor_map *map;
    int32_t at[TENSOR_RANK];
    uint32_t offset[TENSOR_RANK - 2]; /* im2col */
    unsigned element;                 /* bytes of one */
    bool whole;                       /* a store: rows end with whole 16 bytes */
    unsigned first;                   /* the first dimension that rows are counted in */
    uint32_t columns;                 /* elements of a row */
    uint32_t count[TENSOR_RANK];      /* tiled: elements in each dimension */
    uint32_t row_bytes;               /* of the columns */
    uint32_t pitch;                   /* from row to row in shared memory */
    uint64_t moved, span;             /* bytes of all rows; with what pads them */
    uint64_t reach;                   /* the bytes among which swizzles may put them */
};

/* A row: some elements that lie together in global memory; in an interleaved tensor the 16
 * or 32 bytes of one slice of channels at one place. */
struct tensor_row {
    bool more;
    uint32_t index;
    int64_t place[TENSOR_RANK];       /* of its first element; im2col: without offsets */
    uint32_t skip, count;             /* columns in front of the tensor, columns in it */
    uint64_t address;                 /* of column `skip` */
};

void tensor_box_make(struct tensor_box *box, const struct tensor_map *map,
                     const int32_t at[TENSOR_RANK], const uint32_t offset[TENSOR_RANK - 2]);
void tensor_first(const struct tensor_box *box, struct tensor_row *row);
void tensor_next(const struct tensor_box *box, struct tensor_row *row);

/* What a row holds where the tensor has nothing. */
void tensor_fill(const struct tensor_box *box, unsigned char *row);
/* The elements that the tensor has, as they come into shared memory. */
void tensor_load_row(const struct tensor_box *box, const struct tensor_row *row,
                     unsigned char *to, const unsigned char *from);
/* Where 16 bytes go that would lie at an address without swizzle. */
uint64_t tensor_swizzled(enum tensor_swizzle swizzle, uint64_t address);
/* The type of the atomic that combines elements, IR_none when there is none. */
enum ir_type tensor_atomic_type(enum tensor_element type, enum ir_op op);

#endif
