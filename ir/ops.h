/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.h - what ir/ops.def says, as C: operations, and the typed rows that give
 * per-lane operations their meaning. */
#ifndef SIMTLAB_IR_OPS_H
#define SIMTLAB_IR_OPS_H

#include "ir/types.h"

enum ir_op {
#define OP(name, group, destinations, sources, flags, meaning) IR_OP_##name,
#include "ir/ops_only.h"
    IR_OP_COUNT
};

enum ir_group { IR_GROUP_LANE, IR_GROUP_WARP, IR_GROUP_MEMORY, IR_GROUP_CONTROL };

enum {
    IR_ANY = -1, /* operand count varies */

    /* a and b may be swapped; not so two NaNs of f64, one of which comes back with
     * its payload */
    IR_FLAG_COMMUTES = 1 << 0,
    IR_FLAG_ENDS = 1 << 1,     /* ends a block */
    IR_FLAG_CALL = 1 << 2,
    IR_FLAG_READS = 1 << 3,    /* reads memory */
    IR_FLAG_WRITES = 1 << 4,   /* writes memory */
    IR_FLAG_SYNC = 1 << 5,     /* waits for the lanes of a member mask */
};

struct ir_op_info {
    const char *name;
    const char *meaning;
    uint8_t group; /* enum ir_group */
    int8_t destinations, sources;
    uint8_t flags;
};

/* Indexed by enum ir_op. */
extern const struct ir_op_info ir_ops[IR_OP_COUNT];

/* By name; IR_OP_COUNT when there is none. */
enum ir_op ir_op_find(const char *name, size_t size);

/* --- rows: the typings of per-lane ops ------------------------------------ */

enum { IR_ROW_SOURCES = 4 };

enum ir_row {
#define ROW(n, moded, op, D, A, B, C, E, expression) IR_ROW_##op##_##D##_##A,
#include "ir/rows.h"
    IR_ROW_COUNT
};

struct ir_row_info {
    uint16_t op;                     /* enum ir_op */
    uint8_t sources;                 /* how many */
    uint8_t moded;                   /* obeys mode */
    uint8_t type;                    /* of the result */
    uint8_t source[IR_ROW_SOURCES];  /* types of the sources */
};

extern const struct ir_row_info ir_rows[IR_ROW_COUNT];

/* The row of (op, type of result, type of first source); IR_ROW_COUNT when the
 * op has no such typing. Constant time. */
enum ir_row ir_row_find(enum ir_op op, enum ir_type type, enum ir_type type2);

/* The meaning of a row for one lane: register words in (pred: 0 or 1), register
 * word out. Words narrower than 64 bits are zero-extended. */
uint64_t ir_row_eval(enum ir_row row, const uint64_t source[IR_ROW_SOURCES],
                     unsigned mode);

#endif
