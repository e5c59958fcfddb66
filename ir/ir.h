/* SPDX-License-Identifier: Apache-2.0
 *
 * ir.h - the kernel IR: modules, functions, blocks, instructions.
 *
 * A module owns everything in one arena. Values are indices, never pointers,
 * so a function prints the same on every run. Registers are mutable and have
 * only a width; types belong to instructions. Every instruction states its
 * space, order, scope, rounding and location where it has them, so engines,
 * checkers and code generators need no other source of truth.
 *
 * Instructions of a block are contiguous. A block ends in exactly one
 * instruction with IR_FLAG_ENDS; only that one leaves the block. A guard makes
 * an instruction happen only in the lanes where its predicate holds; blocks
 * end unguarded, and calls are unguarded too. */
#ifndef SIMTLAB_IR_IR_H
#define SIMTLAB_IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "ir/ops.h"
#include "ir/types.h"
#include "numeric/mode.h"

/* --- operands ------------------------------------------------------------- */

/* A kind in the top 4 bits, an index below. */
typedef uint32_t ir_operand;

enum ir_operand_kind {
    IR_OPERAND_NONE,     /* no operand: the sink _ , or an absent one */
    IR_OPERAND_REGISTER, /* index: function->registers */
    IR_OPERAND_CONSTANT, /* index: function->constants */
    IR_OPERAND_SYMBOL,   /* address of module->symbols[index], in its own space */
    IR_OPERAND_VARIABLE, /* address of function->variables[index], in its own space */
    IR_OPERAND_FUNCTION, /* address of module->functions[index] */
    IR_OPERAND_BLOCK,    /* index: function->blocks */
    IR_OPERAND_SREG,     /* enum ir_sreg */
};

static inline ir_operand ir_operand_make(enum ir_operand_kind kind, uint32_t index)
{
    return (uint32_t)kind << 28 | index;
}
static inline enum ir_operand_kind ir_operand_kind(ir_operand operand)
{
    return (enum ir_operand_kind)(operand >> 28);
}
static inline uint32_t ir_operand_index(ir_operand operand)
{
    return operand & 0x0fffffff;
}

/* Special registers. PTX ISA, "Special Registers". Each is 32 bits wide except
 * where SREG64 says 64; vectors are spelled per component. */
#define IR_SREGS(X)                                                              \
    X(tid_x) X(tid_y) X(tid_z) X(ntid_x) X(ntid_y) X(ntid_z)                     \
    X(ctaid_x) X(ctaid_y) X(ctaid_z) X(nctaid_x) X(nctaid_y) X(nctaid_z)         \
    X(laneid) X(warpid) X(nwarpid) X(smid) X(nsmid) X(gridid)                    \
    X(lanemask_eq) X(lanemask_le) X(lanemask_lt) X(lanemask_ge) X(lanemask_gt)   \
    X(clock) X(clock_hi) X(clock64) X(globaltimer) X(globaltimer_lo)             \
    X(globaltimer_hi) X(total_smem_size) X(dynamic_smem_size) X(aggr_smem_size)  \
    X(reserved_smem_offset_begin) X(reserved_smem_offset_end)                    \
    X(reserved_smem_offset_cap) X(reserved_smem_offset_0)                        \
    X(reserved_smem_offset_1) X(clusterid_x) X(clusterid_y) X(clusterid_z)       \
    X(nclusterid_x) X(nclusterid_y) X(nclusterid_z) X(cluster_ctaid_x)           \
    X(cluster_ctaid_y) X(cluster_ctaid_z) X(cluster_nctaid_x)                    \
    X(cluster_nctaid_y) X(cluster_nctaid_z) X(cluster_ctarank)                   \
    X(cluster_nctarank) X(is_explicit_cluster) X(current_graph_exec) X(envreg)   \
    X(pm)

enum ir_sreg {
#define X(name) IR_SREG_##name,
    IR_SREGS(X)
#undef X
    IR_SREG_COUNT
};
extern const char *const ir_sreg_names[IR_SREG_COUNT];
/* IR_pred (is_explicit_cluster), IR_b64 (clock64, globaltimer, gridid,
 * current_graph_exec) or IR_b32. */
enum ir_type ir_sreg_type(enum ir_sreg sreg);

/* --- instructions --------------------------------------------------------- */

/* Values of ir_inst.sub. */
enum ir_barrier_red { IR_RED_AND, IR_RED_OR, IR_RED_POPC };
enum ir_proxy {
    IR_PROXY_ALIAS, IR_PROXY_ASYNC, IR_PROXY_ASYNC_GLOBAL, IR_PROXY_ASYNC_SHARED_CTA,
    IR_PROXY_ASYNC_SHARED_CLUSTER, IR_PROXY_TENSORMAP,
};
enum ir_mbarrier {
    IR_MBARRIER_DROP = 1,        /* arrive_drop */
    IR_MBARRIER_NO_COMPLETE = 2, /* .noComplete */
    IR_MBARRIER_EXPECT_TX = 4,   /* arrive.expect_tx: the count operand is bytes */
    IR_MBARRIER_PARITY = 8,      /* test by phase parity instead of state */
    IR_MBARRIER_TRY = 16,        /* try_wait: potentially suspending */
};
/* bulk: from global to the cluster's shared memory, to several blocks, from the own shared
 * memory to the cluster's, to global memory. */
enum ir_bulk { IR_BULK_LOAD, IR_BULK_MULTICAST, IR_BULK_CLUSTER, IR_BULK_STORE };
enum { IR_BULK_WAIT_READ = 1 };  /* sub of bulk_wait */
enum { IR_BARRIER_ALIGNED = 1 }; /* sub of barrier_sync and barrier_arrive */

enum ir_prefetch {
    IR_PREFETCH_L2, IR_PREFETCH_L1, IR_PREFETCH_L2_EVICT_LAST, IR_PREFETCH_L2_EVICT_NORMAL,
    IR_PREFETCH_UNIFORM,  /* prefetchu */
    IR_PREFETCH_PRIORITY, /* applypriority */
    IR_PREFETCH_DISCARD,
    IR_PREFETCH_BULK,     /* extra bytes */
};
/* Eviction priorities, in hints and in sub of createpolicy. */
enum ir_eviction {
    IR_EVICT_NONE, IR_EVICT_NORMAL, IR_EVICT_UNCHANGED, IR_EVICT_FIRST, IR_EVICT_LAST,
    IR_EVICT_NO_ALLOCATE,
};
/* ir_inst.hints: fields. What they say to the caches changes nothing that a program sees. */
enum ir_hint {
    IR_HINT_L1 = 7,       /* enum ir_eviction */
    IR_HINT_L2 = 7 << 3,  /* enum ir_eviction */
    IR_HINT_FETCH = 3 << 6, /* into L2: 64, 128 or 256 bytes */
    IR_HINT_UNIFIED = 1 << 8,
};
/* sub of createpolicy: fields. */
enum ir_policy {
    IR_POLICY_RANGE = 1, IR_POLICY_CONVERT = 2, /* neither: fractional */
    IR_POLICY_FIRST = 7 << 2, IR_POLICY_SECOND = 7 << 5, /* enum ir_eviction */
};

struct ir_inst {
    uint16_t op;       /* enum ir_op */
    uint8_t type;      /* enum ir_type: of the result, or of the memory value */
    uint8_t type2;     /* of the first source where the row has it; else as type */
    uint16_t mode;     /* enum mode */
    uint16_t sub;      /* meaning depends on op: an enum ir_op (atom, redux), ... */
    uint8_t space;     /* enum ir_space */
    uint8_t order;     /* enum ir_order */
    uint8_t scope;     /* enum ir_scope */
    uint8_t guard_not; /* the guard holds where its predicate is false */
    uint8_t vector;    /* ld, st, atom: elements, 1 2 4 8; else 0 */
    uint8_t cache;     /* cache operator as read, for code generators; 0 none */
    uint16_t hints;    /* enum ir_hint: likewise */
    uint16_t destinations, sources;
    uint32_t first;    /* operands: destinations, then sources, in function->operands */
    ir_operand guard;  /* predicate register or 0 */
    ir_operand policy; /* cache policy, a 64-bit register, or 0: likewise */
    uint32_t extra;    /* meaning depends on op */
    uint32_t loc;      /* index in module->locations */
};

struct ir_block {
    const char *name; /* label as written, or NULL */
    uint32_t first, count; /* in function->insts */
    uint8_t no_unroll; /* a loop that begins here is not to be unrolled */
};

struct ir_register {
    uint8_t width;    /* IR_pred, IR_b16, IR_b32, IR_b64, IR_b128 */
    const char *name; /* as written, without %; unique within the function */
};

struct ir_constant {
    uint64_t value;
};

/* A variable private to one activation of a function: .local memory, or a
 * parameter in IR_SPACE_PARAM (kernel) or IR_SPACE_ARGUMENT (calls). */
struct ir_variable {
    const char *name;
    uint64_t size;
    uint32_t align;
    uint8_t space; /* enum ir_space: LOCAL, PARAM, ARGUMENT */
    uint8_t type;  /* scalar type as declared; IR_b8 with an array size for blobs */
    uint8_t is_array;
    uint8_t pointer_space; /* .ptr attribute: enum ir_space, GENERIC when not said */
    uint32_t pointer_align; /* .ptr .align, 0 when not said */
    uint64_t offset; /* PARAM: in the parameter block; others: in the frame */
    struct loc at;
};

enum ir_linkage { IR_LINKAGE_INTERNAL, IR_LINKAGE_VISIBLE, IR_LINKAGE_EXTERN,
                  IR_LINKAGE_WEAK, IR_LINKAGE_COMMON };

/* One word of an initialiser that holds an address. */
struct ir_relocation {
    uint64_t offset;    /* in the symbol's bytes */
    ir_operand target;  /* SYMBOL or FUNCTION */
    int64_t addend;
    uint8_t bytes;      /* width of the word */
    uint8_t generic;    /* convert to a generic address */
    uint8_t shift;      /* mask() operator: take (address >> shift), low bytes */
};

/* .texref, .samplerref, .surfref: the host binds something to the name; what stands in the
 * variable, 8 bytes in CONST, is the handle. */
enum ir_reference { IR_REFERENCE_NONE, IR_REFERENCE_TEXTURE, IR_REFERENCE_SAMPLER,
                    IR_REFERENCE_SURFACE, IR_REFERENCE_COUNT };
extern const char *const ir_reference_names[IR_REFERENCE_COUNT]; /* the first is NULL */

/* A variable of the module: .global, .const, .shared (also those declared in
 * a function body). size 0 and SHARED and EXTERN: the dynamic shared memory. */
struct ir_symbol {
    const char *name;
    uint64_t size;
    uint32_t align;
    uint8_t space;   /* GLOBAL, CONST, SHARED */
    uint8_t type;    /* element type as declared */
    uint8_t linkage; /* enum ir_linkage */
    uint8_t managed; /* .attribute(.managed) */
    uint8_t reference; /* enum ir_reference */
    const unsigned char *bytes; /* initial value, size long; NULL: zero, or none (shared) */
    const struct ir_relocation *relocations;
    uint32_t relocation_count;
    uint32_t owner; /* SHARED: index of the function it was declared in + 1, or 0 */
    struct loc at;
};

struct ir_function {
    const char *name;
    uint8_t is_kernel;
    uint8_t linkage;    /* EXTERN: declared only; the body comes from the host */
    uint8_t noreturn;
    struct loc at;      /* in the PTX text */

    /* Formal parameters and return values: indices into variables. */
    const uint32_t *parameters;
    uint32_t parameter_count;
    const uint32_t *results;
    uint32_t result_count;

    struct ir_variable *variables;
    uint32_t variable_count, variable_capacity;
    struct ir_register *registers;
    uint32_t register_count, register_capacity;
    struct ir_constant *constants;
    uint32_t constant_count, constant_capacity;
    struct ir_block *blocks; /* block 0 is the entry */
    uint32_t block_count, block_capacity;
    struct ir_inst *insts;
    uint32_t inst_count, inst_capacity;
    ir_operand *operands;
    uint32_t operand_count, operand_capacity;

    uint64_t parameter_bytes; /* kernel: size of the parameter block */
    uint64_t local_bytes;     /* LOCAL and ARGUMENT variables of one activation */

    /* Launch bounds and the like; 0 where not given. */
    uint32_t max_threads[3], required_threads[3], min_blocks_per_sm, max_registers;
    uint32_t required_cluster[3], max_cluster_rank;
    uint8_t explicit_cluster;
};

/* The signature named by an indirect call. */
struct ir_prototype {
    const char *name;
    uint32_t result_count, parameter_count;
    const uint64_t *result_sizes, *parameter_sizes; /* bytes */
    uint8_t noreturn;
};

/* Where an instruction comes from. Index 0 of the table means "unknown". */
struct ir_location {
    struct loc at;         /* in the PTX or IR text */
    uint32_t file;         /* index in module->files, 0 none */
    uint32_t line, column; /* in that source file, 0 unknown */
    uint32_t inlined_at;   /* index of the caller's location, 0 none */
    const char *function;  /* name of the inlined function, or NULL */
    struct loc product;    /* of a mul that was taken into this sum; line 0: none */
};

/* What the text says and the IR does not hold, for no run depends on it: for those who write
 * the module again. */
struct ir_left_out {
    struct loc at;
    const char *what; /* ".alias" */
};

struct ir_module {
    struct arena *arena;
    const char *name;    /* file name as given */
    const char *source;  /* text it was read from, for quoting; may be NULL */
    size_t source_size;
    uint32_t version;    /* PTX ISA: major * 10 + minor; 0 unknown */
    uint32_t target;     /* sm number; 0 unknown */
    char target_suffix;  /* 'a', 'f' or 0 */
    uint8_t address_bits; /* 64 or 32 */
    uint8_t debug;

    struct ir_symbol *symbols;
    uint32_t symbol_count, symbol_capacity;
    struct ir_function *functions;
    uint32_t function_count, function_capacity;
    struct ir_prototype *prototypes;
    uint32_t prototype_count, prototype_capacity;
    struct ir_location *locations; /* [0] is "unknown" */
    uint32_t location_count, location_capacity;
    const char **files; /* [0] is "" */
    uint32_t file_count, file_capacity;
    struct ir_left_out *left_outs; /* in no order */
    uint32_t left_out_count, left_out_capacity;
};

static inline const ir_operand *ir_destinations(const struct ir_function *function,
                                                const struct ir_inst *inst)
{
    return function->operands + inst->first;
}
static inline const ir_operand *ir_sources(const struct ir_function *function,
                                           const struct ir_inst *inst)
{
    return function->operands + inst->first + inst->destinations;
}

/* --- building (ir/build.c) ------------------------------------------------ */

/* An empty module in the arena. The name is copied. */
struct ir_module *ir_module_new(struct arena *arena, const char *name);
/* New entries; the returned index stays valid, pointers into tables do not. */
uint32_t ir_add_function(struct ir_module *module, const char *name);
uint32_t ir_add_symbol(struct ir_module *module, const struct ir_symbol *symbol);
uint32_t ir_add_file(struct ir_module *module, const char *path);
/* Equal consecutive locations share one entry. */
uint32_t ir_add_location(struct ir_module *module, const struct ir_location *location);
void ir_leave_out(struct ir_module *module, struct loc at, const char *what);
uint32_t ir_add_prototype(struct ir_module *module, const struct ir_prototype *prototype);
ir_operand ir_add_register(struct ir_module *module, struct ir_function *function,
                           enum ir_type width, const char *name);
/* Equal constants share one entry. */
ir_operand ir_add_constant(struct ir_module *module, struct ir_function *function,
                           uint64_t value);
ir_operand ir_add_variable(struct ir_module *module, struct ir_function *function,
                           const struct ir_variable *variable);
uint32_t ir_add_block(struct ir_module *module, struct ir_function *function,
                      const char *name);
/* Appends to the block begun last with ir_add_block. inst->first is set here. */
struct ir_inst *ir_add_inst(struct ir_module *module, struct ir_function *function,
                            const struct ir_inst *inst,
                            const ir_operand *destinations,
                            const ir_operand *sources);
/* The function with that name, or module->function_count. */
uint32_t ir_find_function(const struct ir_module *module, const char *name);

/* Assigns frame offsets to LOCAL and ARGUMENT variables and local_bytes, and
 * parameter offsets by the PTX rules (each aligned to its own alignment). Call
 * once a function is complete. */
void ir_lay_out(struct ir_function *function);

/* --- text form (ir/print.c, ir/parse.c) ----------------------------------- */

/* The whole module as .kir text. */
void ir_print(struct text *out, const struct ir_module *module);
void ir_print_function(struct text *out, const struct ir_module *module,
                       const struct ir_function *function);
/* One instruction in .kir form, without newline: for reports. */
void ir_print_inst(struct text *out, const struct ir_module *module,
                   const struct ir_function *function, const struct ir_inst *inst);
/* Reads .kir text; NULL when it has errors, all of which go to diags. The text is
 * lent to the module. Places of functions, variables and instructions are those in
 * this text. Syntax only: run ir_verify on what comes back. */
struct ir_module *ir_parse(struct arena *arena, const char *name, const char *text,
                           size_t size, struct diags *diags);

/* --- checking (ir/verify.c) ----------------------------------------------- */

/* Type, operand and structure rules. All violations go to diags, placed at the
 * instruction's location in the text and quoting it. True when there are none:
 * whoever reads the IR afterwards may take every index and width for good. */
bool ir_verify(const struct ir_module *module, struct diags *diags);

/* --- control flow (ir/cfg.c) ---------------------------------------------- */

/* Block b's successors are successors[first_successor[b] .. first_successor[b+1]),
 * each once. The virtual exit, after ret and exit, is block number block_count;
 * it stands in no list of edges. An endless loop counts as leading to it too, so
 * that nobody waits for lanes that never leave. */
struct ir_cfg {
    uint32_t block_count;
    uint32_t *first_successor, *successors;
    uint32_t *first_predecessor, *predecessors;
    uint32_t *order;     /* reachable blocks in reverse post-order */
    uint32_t order_count;
    /* Immediate post-dominator of each block; block_count is the exit, also for
     * blocks from which no exit can be reached. */
    uint32_t *post_dominator;
    uint32_t *dominator; /* immediate; entry: itself; unreachable: block_count */
    /* Where the lanes that part at the end of each block meet: its post-dominator
     * in the graph without the ways that only lead out of the kernel early. */
    uint32_t *meeting;
};

struct ir_cfg *ir_cfg_build(struct arena *arena, const struct ir_function *function);
/* Graphviz text of one function's graph. */
void ir_cfg_print_dot(struct text *out, const struct ir_module *module,
                      const struct ir_function *function);

#endif
