/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h - value types, spaces, orders and scopes: the words every
 * instruction of the IR is made of. */
#ifndef SIMTLAB_IR_TYPES_H
#define SIMTLAB_IR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two 64-bit words, low first. */
struct ir_b128 {
    uint64_t word[2];
};

enum ir_type {
#define TYPE(name, bits, kind, lane) IR_##name,
#include "ir/types.def"
#undef TYPE
    IR_TYPE_COUNT
};

enum ir_kind { IR_KIND_B, IR_KIND_U, IR_KIND_S, IR_KIND_F, IR_KIND_P, IR_KIND_X };

struct ir_type_info {
    const char *name;
    uint16_t bits;     /* in memory */
    uint16_t lane;     /* bytes of one lane in a register; pred: see below */
    enum ir_kind kind;
};

/* Indexed by enum ir_type. A predicate register is one 64-bit lane mask. */
extern const struct ir_type_info ir_types[IR_TYPE_COUNT];

/* Memory bytes of one value; pred has none. */
static inline unsigned ir_type_bytes(enum ir_type type)
{
    return ir_types[type].bits / 8;
}

/* The register width that holds the type: IR_pred, IR_b16, IR_b32, IR_b64 or
 * IR_b128. Registers have only a width; types belong to instructions. */
enum ir_type ir_type_register(enum ir_type type);

/* By name ("f32"); IR_TYPE_COUNT when there is none. */
enum ir_type ir_type_find(const char *name, size_t size);

/* State spaces. PARAM is a kernel's parameter block, read only; ARGUMENT is
 * the parameter space of calls, private to a thread (PTX .param::func). */
#define IR_SPACES(X)                                                         \
    X(GENERIC, "generic") X(GLOBAL, "global") X(SHARED, "shared")            \
    X(CLUSTER, "cluster") X(CONST, "const") X(PARAM, "param")                \
    X(LOCAL, "local") X(ARGUMENT, "argument")

/* Memory orders. VOLATILE is relaxed at system scope that may not be merged;
 * MMIO likewise, each access exactly once. PTX ISA, "Memory Consistency Model". */
#define IR_ORDERS(X)                                                         \
    X(WEAK, "weak") X(VOLATILE, "volatile") X(MMIO, "mmio")                  \
    X(RELAXED, "relaxed") X(ACQUIRE, "acquire") X(RELEASE, "release")        \
    X(ACQ_REL, "acq_rel") X(SC, "sc")

#define IR_SCOPES(X)                                                         \
    X(NONE, "none") X(CTA, "cta") X(CLUSTER, "cluster") X(GPU, "gpu")        \
    X(SYS, "sys")

enum ir_space {
#define X(name, text) IR_SPACE_##name,
    IR_SPACES(X)
#undef X
    IR_SPACE_COUNT
};
enum ir_order {
#define X(name, text) IR_ORDER_##name,
    IR_ORDERS(X)
#undef X
    IR_ORDER_COUNT
};
enum ir_scope {
#define X(name, text) IR_SCOPE_##name,
    IR_SCOPES(X)
#undef X
    IR_SCOPE_COUNT
};

extern const char *const ir_space_names[IR_SPACE_COUNT];
extern const char *const ir_order_names[IR_ORDER_COUNT];
extern const char *const ir_scope_names[IR_SCOPE_COUNT];

#endif
