/* SPDX-License-Identifier: Apache-2.0
 *
 * test.h - a litmus test as both front ends deliver it.
 *
 * Threads with their place in the machine, locations, short straight programs
 * and a condition on the final state. Everything lives in the arena that the
 * reader was given and is not changed afterwards. Values are 64-bit; each
 * register has a width in bits to which its values are cut. */
#ifndef SIMTLAB_MEMMODEL_TEST_H
#define SIMTLAB_MEMMODEL_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum {
    MAX_THREADS = 16,
    MAX_LOCATIONS = 24,
    MAX_REGISTERS = 48,    /* of one thread */
    MAX_VECTOR = 4,
    MAX_OBJECT_BYTES = 64,
    MAX_INSTRUCTIONS = 200 /* of one thread */
};

/* PTX ISA, "Scope": in ascending order of the threads included. */
enum scope { SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

/* PTX ISA, "Proxies". ALIAS is no proxy but a kind of proxy fence. */
enum proxy {
    PROXY_GENERIC, PROXY_ASYNC, PROXY_TEXTURE, PROXY_SURFACE, PROXY_CONSTANT,
    PROXY_ALIAS
};

/* What an access orders. WEAK has none of the bits, RELAXED only STRONG. */
enum order {
    ORDER_WEAK = 0,
    ORDER_STRONG = 1,
    ORDER_ACQUIRE = 2,
    ORDER_RELEASE = 4,
    ORDER_SC = 8,
    ORDER_RELAXED = ORDER_STRONG,
    ORDER_ACQ_REL = ORDER_STRONG | ORDER_ACQUIRE | ORDER_RELEASE
};

/* Operations of the arithmetic instructions, of atomics and of the condition.
 * The MB_ operations work on an mbarrier object, see expression.h. */
enum operation {
    OP_CONST, OP_READ, /* leaves: a literal, the value that a read returned */
    OP_MOV, OP_NOT, OP_NEG,
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR,
    OP_MIN, OP_MAX, OP_UMIN, OP_UMAX, OP_INC, OP_DEC,
    OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
    OP_ULT, OP_ULE, OP_UGT, OP_UGE,
    OP_EXCH, OP_CAS, OP_SELECT,
    OP_MB_INIT, OP_MB_ARRIVE, OP_MB_EXPECT, OP_MB_COMPLETE,
    OP_MB_DONE_PARITY, OP_MB_DONE_STATE
};

enum instruction_kind {
    INSTR_ALU, INSTR_BRANCH, INSTR_EXIT,
    INSTR_LOAD, INSTR_STORE, INSTR_ATOM,
    INSTR_FENCE, INSTR_PROXY_FENCE,
    INSTR_BARRIER, INSTR_WARP_BARRIER, INSTR_CLUSTER_ARRIVE, INSTR_CLUSTER_WAIT,
    INSTR_COPY, INSTR_COMMIT, INSTR_WAIT_GROUP, INSTR_COPY_ARRIVE,
    INSTR_MBARRIER_TEST
};

struct operand {
    bool is_register;
    uint32_t reg;
    int64_t value;
};

/* A location with an offset, or a register that holds an address. */
struct address {
    bool is_register;
    uint32_t reg;
    uint32_t location;
    int64_t offset;
};

enum { NO_REGISTER = UINT32_MAX };

struct instruction {
    enum instruction_kind kind;
    struct loc at;
    const char *text; /* as written, for reports */
    uint32_t guard;   /* predicate register or NO_REGISTER */
    bool guard_negated;

    enum operation operation; /* ALU, ATOM */
    uint32_t order;           /* enum order bits */
    enum scope scope;
    enum proxy proxy;
    bool is_reduction; /* red: an ATOM that returns nothing */
    bool is_signed;
    uint32_t width;    /* bytes of one element; bits of an ALU operation */
    uint32_t elements; /* vector elements; operands of an ALU operation */
    uint32_t result[MAX_VECTOR];
    struct operand source[MAX_VECTOR];
    struct address address;
    struct address second, third; /* COPY: source and mbarrier; address is the
                                   * destination */

    uint32_t target; /* BRANCH: instruction index */

    /* BARRIER: counted arrivals, or 0 for every thread of the block. Tests in
     * the Dat3M grammar name the phase (instance) instead of counting it. */
    bool arrives_only;
    bool has_instance, has_id, has_count;
    int64_t instance;
    struct operand id, count;

    uint64_t mask;        /* WARP_BARRIER */
    bool is_bulk;         /* COPY, COMMIT, WAIT_GROUP: cp.async.bulk */
    bool completes_by_mbarrier;
    bool waits_for_reads; /* WAIT_GROUP.read */
    uint32_t pending;     /* WAIT_GROUP: groups that may stay pending */
    bool by_state;        /* MBARRIER_TEST: source[0] is a state, not a parity */
};

struct test_register {
    const char *name;
    uint32_t width; /* bits */
    bool has_initial, initial_is_address;
    int64_t initial;
    uint32_t initial_location;
};

struct test_thread {
    const char *name;
    uint32_t number; /* as in P0 */
    uint32_t lane, warp, cta, cluster, gpu;
    struct test_register *registers;
    uint32_t register_count;
    struct instruction *code;
    uint32_t code_count;
};

enum space { SPACE_GLOBAL, SPACE_SHARED };

/* A location is a virtual address range. Ranges with the same object share
 * their bytes: with the same range number they are one virtual range reached
 * through several proxies, otherwise they are aliases. */
struct test_location {
    const char *name;
    uint32_t object, range;
    uint32_t offset; /* of the range inside its object */
    enum space space;
    uint32_t cta, gpu, cluster; /* of shared memory */
    uint32_t element;           /* bytes of one element, for display */
    bool is_mbarrier;
    struct loc at;
};

struct test_object {
    uint32_t size;
    uint8_t initial[MAX_OBJECT_BYTES];
    bool holds_address; /* initial value is the address of a location */
};

/* The condition is a tree over the final values. */
enum term_kind {
    TERM_TRUE, TERM_NOT, TERM_AND, TERM_OR, TERM_COMPARE,
    TERM_CONSTANT, TERM_REGISTER, TERM_LOCATION
};

struct term {
    enum term_kind kind;
    enum operation compare;
    const struct term *left, *right;
    int64_t constant;
    uint32_t thread, reg;       /* TERM_REGISTER */
    uint32_t location, offset;  /* TERM_LOCATION */
};

enum quantifier { EXISTS, NOT_EXISTS, FORALL };

/* What the author of the file states in "//! expect MODEL: WORD..." lines. */
struct expectation {
    const char *model;
    bool has_holds, holds;
    bool has_race;
    uint32_t race; /* enum race_class */
    bool outside;
    struct loc at;
};

struct test {
    const char *name;
    const char *file;
    const char *description; /* leading comment or quoted lines, "" if none */
    const char *source;
    size_t source_size;
    bool is_native; /* own format with PTX bodies; else the Dat3M grammar */

    struct test_thread *threads;
    uint32_t thread_count;
    struct test_location *locations;
    uint32_t location_count;
    struct test_object *objects;
    uint32_t object_count;

    enum quantifier quantifier;
    const struct term *condition, *filter; /* filter NULL: none */
    const char *condition_text;
    struct loc condition_at;
    /* Shown besides the variables of the condition: "locations [...]". */
    const struct term **shown;
    uint32_t shown_count;

    struct expectation *expectations;
    uint32_t expectation_count;
    uint64_t hash; /* of the source text */
};

/* The virtual address that stands for a location in registers and memory. */
static inline int64_t location_address(const struct test *test, uint32_t location)
{
    const struct test_location *l = &test->locations[location];
    return 0x10000 * ((int64_t)l->range + 1) + l->offset;
}

/* Reads one file of either format. NULL when it is malformed; the errors are
 * in diags, whose arena also holds the test. */
struct test *test_read(struct arena *arena, struct diags *diags,
                       const char *name, const char *source, size_t size);
/* The two readers behind it. */
struct test *test_read_dat3m(struct arena *arena, struct diags *diags);
struct test *test_read_native(struct arena *arena, struct diags *diags);

const char *scope_name(enum scope scope);
const char *proxy_name(enum proxy proxy);
const char *operation_sign(enum operation operation);

#endif
