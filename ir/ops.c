/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.c - the tables of ops.h, and rows evaluated for one lane. */
#include "ir/ops.h"

#include <string.h>

#include "ir/meaning.h"

#define ANY IR_ANY
#define FLAG_COMMUTES IR_FLAG_COMMUTES
#define FLAG_ENDS IR_FLAG_ENDS
#define FLAG_CALL IR_FLAG_CALL
#define FLAG_READS IR_FLAG_READS
#define FLAG_WRITES IR_FLAG_WRITES
#define FLAG_SYNC IR_FLAG_SYNC

const struct ir_op_info ir_ops[IR_OP_COUNT] = {
#define OP(name, group, destinations, sources, flags, meaning)               \
    {#name, meaning, IR_GROUP_##group, destinations, sources, flags},
#include "ir/ops_only.h"
};

const struct ir_row_info ir_rows[IR_ROW_COUNT] = {
#define ROW(n, moded, op, D, A, B, C, E, expression)                         \
    {IR_OP_##op, n, moded, IR_##D, {IR_##A, IR_##B, IR_##C, IR_##E}},
#include "ir/rows.h"
};

enum ir_op ir_op_find(const char *name, size_t size)
{
    for (int op = 0; op < IR_OP_COUNT; op++)
        if (strlen(ir_ops[op].name) == size &&
            memcmp(ir_ops[op].name, name, size) == 0)
            return (enum ir_op)op;
    return IR_OP_COUNT;
}

enum ir_row ir_row_find(enum ir_op op, enum ir_type type, enum ir_type type2)
{
    switch ((uint32_t)op << 16 | (uint32_t)type << 8 | (uint32_t)type2) {
#define ROW(n, moded, op, D, A, B, C, E, expression)                         \
    case (uint32_t)IR_OP_##op << 16 | (uint32_t)IR_##D << 8 | (uint32_t)IR_##A: \
        return IR_ROW_##op##_##D##_##A;
#include "ir/rows.h"
    default:
        return IR_ROW_COUNT;
    }
}

#define ROW(n, moded, op, D, A, B, C, E, expression)                         \
    static uint64_t eval_##op##_##D##_##A(const uint64_t *source,            \
                                          unsigned mode)                     \
    {                                                                        \
        const lane_##A a = (lane_##A)source[0];                              \
        const lane_##B b = (lane_##B)source[1];                              \
        const lane_##C c = (lane_##C)source[2];                              \
        const lane_##E e = (lane_##E)source[3];                              \
        (void)a, (void)b, (void)c, (void)e, (void)mode;                      \
        return (lane_##D)(expression);                                       \
    }
#include "ir/rows.h"

uint64_t ir_row_eval(enum ir_row row, const uint64_t source[IR_ROW_SOURCES],
                     unsigned mode)
{
    static uint64_t (*const eval[IR_ROW_COUNT])(const uint64_t *, unsigned) = {
#define ROW(n, moded, op, D, A, B, C, E, expression) eval_##op##_##D##_##A,
#include "ir/rows.h"
    };
    return eval[row](source, mode);
}
