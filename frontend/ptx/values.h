/* SPDX-License-Identifier: Apache-2.0
 *
 * values.h - which value a register holds at a place of a function.
 *
 * The IR's registers are written as often as the text likes. Compilers look at
 * values: what one instruction writes, or what comes together at the start of a block
 * from several ways (static single assignment). This is for following a compiler's
 * decisions, and tells for a register and an instruction which value that is. */
#ifndef SIMTLAB_FRONTEND_PTX_VALUES_H
#define SIMTLAB_FRONTEND_PTX_VALUES_H

#include "base/arena.h"
#include "ir/ir.h"

/* A written value is the number of the write: they count up through the text. A merged
 * one has VALUE_MERGED set. */
typedef uint32_t ir_value;
#define VALUE_NONE UINT32_MAX          /* not written on any way there */
#define VALUE_UNKNOWN (UINT32_MAX - 1) /* not found out: the function is too large */
#define VALUE_MERGED UINT32_C(0x80000000)
static inline bool value_is_merged(ir_value value)
{
    return value & VALUE_MERGED && value < VALUE_UNKNOWN;
}

struct values;

/* The function must stay as it is; all memory is from the arena. */
struct values *values_build(struct arena *arena, const struct ir_function *function);

/* What the register holds before the instruction. In a loop it may be what an earlier
 * turn left there. */
ir_value value_before(struct values *values, uint32_t reg, uint32_t inst);
/* From one instruction to another one of its block nothing writes the register. */
bool value_kept(const struct values *values, uint32_t reg, uint32_t from, uint32_t to);

/* The instruction that writes the value; UINT32_MAX for merged ones and none. */
uint32_t value_maker(const struct values *values, ir_value value);
/* The block of the instruction; of blocks that can only follow each other, the first. */
uint32_t value_block(const struct values *values, uint32_t inst);
/* There is a way from the function's start to the instruction. */
bool value_reached(const struct values *values, uint32_t inst);

/* The value of a source of the instruction, through unguarded moves and signs. */
struct source_value {
    ir_value value;
    bool negative; /* by an odd number of negations */
    bool straight; /* made before the instruction in its block, the copies too */
    bool mixed;    /* by signs of several types */
    uint8_t type;  /* of the signs passed; IR_none: there were none */
    uint16_t mode; /* of all of them */
};
enum value_through { THROUGH_MOVES, THROUGH_NEGATIONS, THROUGH_SIGNS /* abs too */ };
struct source_value value_of_source(struct values *values, ir_operand source, uint32_t inst,
                                    enum value_through through);

/* Merged values that were met so far, VALUE_MERGED | 0, 1, ...: how many, the register of
 * one, and what comes into it; false at the end. */
uint32_t value_merge_count(const struct values *values);
uint32_t value_register(const struct values *values, ir_value merged);
bool value_input(struct values *values, ir_value merged, uint32_t number, ir_value *input);

/* The first write to a register; VALUE_NONE: there is none. */
ir_value value_first_write(const struct values *values, uint32_t reg);

#endif
