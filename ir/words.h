/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - the words of the text form for the fields of an instruction, shared
 * by printer, parser and verifier. */
#ifndef SIMTLAB_IR_WORDS_H
#define SIMTLAB_IR_WORDS_H

#include "ir/ir.h"

struct ir_word {
    uint16_t value;
    const char *text;
};

/* Rounding directions other than nearest even, and the flags of a mode; ends
 * with a NULL text. */
extern const struct ir_word ir_rounding_words[];
extern const struct ir_word ir_mode_words[];

/* How ir_inst.sub of an operation is to be read. */
enum ir_sub_kind {
    IR_SUB_NUMBER, /* a number, 0 when the operation has no use for it */
    IR_SUB_OP,     /* an enum ir_op */
    IR_SUB_ENUM,   /* one of the words */
    IR_SUB_BITS,   /* an OR of the words */
    IR_SUB_FIELDS, /* the same, at most one word of each field; no word is 0 */
};

/* Sets *words for the last three kinds; the list ends with a NULL text. */
enum ir_sub_kind ir_sub_kind(enum ir_op op, const struct ir_word **words);
/* The fields of mma; ends with 0. */
extern const uint16_t ir_sub_fields[];

extern const char *const ir_linkage_names[]; /* indexed by enum ir_linkage */
enum { IR_LINKAGE_COUNT = IR_LINKAGE_COMMON + 1 };

/* Bit i is set where sources i and i + 1 of the op are an address: base and
 * constant byte offset. */
unsigned ir_address_sources(enum ir_op op);

/* ld, st and atom have a vector size; it is 1 where nothing else is said. */
static inline unsigned ir_default_vector(enum ir_op op)
{
    return op == IR_OP_ld || op == IR_OP_st || op == IR_OP_atom || op == IR_OP_st_async;
}

#endif
