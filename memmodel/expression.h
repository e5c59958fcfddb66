/* SPDX-License-Identifier: Apache-2.0
 *
 * expression.h - values as functions of what the reads of a thread return.
 *
 * Running a thread without knowing the memory yields expressions over its
 * reads. They are evaluated later, once a choice of reads-from fixes every
 * read, and they carry the syntactic dependencies that the No-Thin-Air axiom
 * is about. Expressions of one thread share a pool; an index never changes.
 *
 * An mbarrier object is one 64-bit value: pending arrivals in bits 0-15,
 * expected arrivals in 16-31, the phase in 32-47, the transaction count
 * (signed) in 48-63. The PTX ISA leaves its bits opaque, so programs cannot
 * tell. */
#ifndef SIMTLAB_MEMMODEL_EXPRESSION_H
#define SIMTLAB_MEMMODEL_EXPRESSION_H

#include "memmodel/relation.h"
#include "memmodel/test.h"

enum { NO_EXPRESSION = UINT32_MAX, MAX_EXPRESSION_SIZE = 4096 };

struct expression {
    enum operation operation;
    uint8_t bits;       /* operand width; the result is cut to result_bits */
    uint8_t result_bits;
    uint32_t a, b, c;   /* operands or NO_EXPRESSION */
    int64_t value;      /* OP_CONST */
    uint32_t event;     /* OP_READ: index among the events of the path */
    event_set reads;    /* read events it depends on syntactically */
    uint32_t size;      /* nodes of the tree, which bounds the evaluation */
};

struct expression_pool {
    struct arena *arena;
    struct expression *items;
    uint32_t count, capacity;
    /* xor r,r and the like are constants that depend on nothing. */
    bool drops_false_dependencies;
    bool too_large;
};

uint32_t expression_constant(struct expression_pool *pool, int64_t value,
                             uint32_t bits);
uint32_t expression_read(struct expression_pool *pool, uint32_t event,
                         uint32_t bits);
/* Folds when all operands are constants. bits is the width of the operands.
 * A tree above MAX_EXPRESSION_SIZE sets pool->too_large and stands for 0. */
uint32_t expression_make(struct expression_pool *pool, enum operation operation,
                         uint32_t bits, uint32_t result_bits, uint32_t a,
                         uint32_t b, uint32_t c);
bool expression_is_constant(const struct expression_pool *pool, uint32_t index,
                            int64_t *value);
/* False when it needs a read that is not in known. The reads of the thread
 * are the events from base on; value is indexed by event. */
bool expression_value(const struct expression_pool *pool, uint32_t index,
                      uint32_t base, event_set known, const int64_t *value,
                      int64_t *result);

/* The low bits of value, zero-extended, and the same sign-extended. */
int64_t cut(int64_t value, uint32_t bits);
int64_t sign_extend(int64_t value, uint32_t bits);
bool operation_compares(enum operation operation);
int64_t operation_apply(enum operation operation, uint32_t bits, int64_t a,
                        int64_t b, int64_t c);

#endif
