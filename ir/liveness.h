/* SPDX-License-Identifier: Apache-2.0
 *
 * liveness.h - which registers hold a value that may still be read, and how few
 * slots hold them all. */
#ifndef SIMTLAB_IR_LIVENESS_H
#define SIMTLAB_IR_LIVENESS_H

#include "ir/ir.h"

/* Only registers that some block reads before writing can live across blocks;
 * they alone have a bit. A guarded write does not end a life: lanes that skip
 * it keep the old value. Nothing lives after ret and exit: results travel in
 * variables. */
struct ir_liveness {
    uint32_t words;         /* 64-bit words of one set */
    uint32_t crossing_count;
    uint32_t *crossing;     /* bit -> register, ascending */
    uint32_t *bit;          /* register -> bit, or UINT32_MAX: within one block */
    uint64_t *in, *out;     /* sets of block b: in + b * words, out + b * words */
};

struct ir_liveness *ir_liveness_build(struct arena *arena,
                                      const struct ir_function *function,
                                      const struct ir_cfg *cfg);

/* Is the register live where the block begins, or where it ends? */
bool ir_live_in(const struct ir_liveness *live, uint32_t block, uint32_t reg);
bool ir_live_out(const struct ir_liveness *live, uint32_t block, uint32_t reg);

/* Storage classes of registers, by width. */
enum ir_slot_class { IR_SLOT_PRED, IR_SLOT_16, IR_SLOT_32, IR_SLOT_64, IR_SLOT_128,
                     IR_SLOT_CLASSES };

enum ir_slot_class ir_slot_class(enum ir_type width);

enum { IR_NO_SLOT = -1 };

/* slot[r] is the place of register r among those of its class, from 0, or
 * IR_NO_SLOT when no instruction names it.
 *
 * Two registers share a slot only where their lives never overlap. A register
 * read before it is written anywhere on some path from the entry has its slot
 * to itself, so that what is read there is what nobody wrote. The destinations
 * of one instruction never share. A destination shares with a source that dies
 * there only for ops of group LANE, which read a lane before they write it. */
struct ir_slots {
    int32_t *slot;
    uint32_t count[IR_SLOT_CLASSES];
};

struct ir_slots *ir_assign_slots(struct arena *arena,
                                 const struct ir_function *function,
                                 const struct ir_cfg *cfg);

#endif
