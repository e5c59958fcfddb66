/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.h - per-lane operations over 32 lanes at once.
 *
 * A register is 32 consecutive lane words; a predicate register is one 64-bit
 * word whose low 32 bits are the lanes. One function for each row of ir/ops.def
 * computes all lanes of the mask and leaves the others as they were. The
 * functions exist once for each vector instruction set of the host and give
 * the same bits in all. */
#ifndef SIMTLAB_EMU_LANE_H
#define SIMTLAB_EMU_LANE_H

#include <stdint.h>

#include "ir/ops.h"

enum { LANES = 32 };
#define LANES_ALL UINT32_C(0xffffffff)

/* Where an operand is: a byte offset, from the frame's registers, or with
 * OPERAND_CONSTANT set from the executable's constants. */
enum { OPERAND_CONSTANT_BIT = 31 };
#define OPERAND_CONSTANT (UINT32_C(1) << OPERAND_CONSTANT_BIT)
#define OPERAND_ABSENT UINT32_C(0x7fffffff)

/* base[0]: the frame's registers; base[1]: the constants. */
static inline void *operand_at(unsigned char *const base[2], uint32_t operand)
{
    return base[operand >> OPERAND_CONSTANT_BIT] + (operand & ~OPERAND_CONSTANT);
}

/* The operands of one per-lane instruction. */
struct lane_operands {
    uint32_t d, a, b, c, e;
    uint32_t mode;
};

typedef void lane_function(const struct lane_operands *operands,
                           unsigned char *const base[2], uint32_t mask);

/* The functions for this host, indexed by enum ir_row. */
lane_function *const *lane_functions(void);

#endif
