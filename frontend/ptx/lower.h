/* SPDX-License-Identifier: Apache-2.0
 *
 * lower.h - what the parts of the lowering from syntax tree to IR share.
 *
 * Each instruction is matched to a row of insn.def, which names the function
 * that writes its IR. Names live in scopes that nest as the braces do.
 * Whatever the IR cannot express is an error that begins with "unsupported". */
#ifndef SIMTLAB_FRONTEND_PTX_LOWER_H
#define SIMTLAB_FRONTEND_PTX_LOWER_H

#include "frontend/ptx/gate.h"
#include "frontend/ptx/parse.h"
#include "frontend/ptx/syntax.h"
#include "ir/ir.h"

enum entity_kind {
    ENTITY_REGISTER,  /* value: ir_operand; vector: components follow it */
    ENTITY_VARIABLE,  /* value: ir_operand VARIABLE */
    ENTITY_SYMBOL,    /* value: ir_operand SYMBOL */
    ENTITY_FUNCTION,  /* value: ir_operand FUNCTION; function: its syntax */
    ENTITY_LABEL,     /* value: label number */
    ENTITY_TARGETS,   /* targets */
    ENTITY_PROTOTYPE, /* prototype; value: index in module->prototypes */
    ENTITY_OPAQUE     /* a texture or surface reference: value, 8 bytes that hold the
                         handle; 0: a sampler */
};

enum entity_role { ROLE_NONE, ROLE_INPUT, ROLE_RESULT };

/* What a name stands for. */
struct entity {
    enum entity_kind kind;
    uint32_t value;
    uint32_t type;        /* word: declared type of a register or variable */
    uint32_t vector;      /* registers: 1, 2, 4 */
    uint32_t space;       /* enum ir_space of a variable or symbol */
    uint8_t role;         /* of a device function's formals: enum entity_role */
    struct loc at;
    const struct ptx_function *function;
    const struct ptx_targets *targets;
    const struct ptx_signature *prototype;
};

/* %r<100>: registers made when they are first named. */
struct range {
    uint32_t type, vector;
    uint64_t count;
    struct loc at;
};

struct scope {
    struct scope *outer;
    struct map names;  /* to index in lower->entities */
    struct map ranges; /* prefix to index in lower->ranges */
};

struct label {
    uint32_t block; /* UINT32_MAX until placed */
};

struct form;
struct instruction;

/* Operands that name one function and shall name another. */
struct redirection {
    ir_operand from, to;
};

struct lower {
    struct arena *arena;  /* the module's */
    struct arena scratch; /* until the module is read */
    struct diags *diags;
    const struct ptx_module *syntax;
    struct ir_module *module;
    struct gate gate;
    struct map opcodes;         /* to index of the first form + 1, in forms */
    struct form *forms;
    PTX_LIST(struct entity) entities;
    PTX_LIST(struct range) ranges;
    struct scope *scope;
    struct map files;           /* file number (8 bytes) to index + 1 */
    struct map debug_strings;   /* label to index */
    const char **function_names; /* the strings in the module's arena, or NULL */
    struct map symbol_names;    /* taken IR names of symbols */
    PTX_LIST(struct redirection) redirections;
    uint64_t constant_bytes;    /* of .const variables so far */

    /* The function being lowered. */
    const struct ptx_function *function_syntax;
    uint32_t function_index;
    struct ir_function *f;      /* valid while no function is added */
    PTX_LIST(struct label) labels;
    struct map register_names;  /* taken IR names */
    struct map block_names;     /* taken, to how often */
    uint32_t name_serial;
    struct map locations;       /* (file, line, column) to location index */
    struct ir_location source;  /* from the last .loc */
    bool block_open;
    ir_operand wide;            /* 16 bytes for halves of .b128, 0: none yet */
    uint32_t carry;             /* the condition code register, 0: none yet */
    PTX_LIST(uint32_t) loose;   /* sums and products without a rounding modifier */
    uint32_t used_bytes;        /* .pragma "used_bytes_mask", 0: none */
    uint32_t *return_registers; /* .reg return values: the registers */

    /* The instruction being lowered. */
    struct instruction *i;
    ir_operand guard;
    bool guard_not;
    uint32_t location; /* index in module->locations */
};

/* A matched instruction. */
struct instruction {
    const struct ptx_instruction *syntax;
    struct loc at;
    const struct form *form;
    uint32_t types[4]; /* words */
    uint32_t type_count;
    uint64_t words[(WORD_COUNT + 63) / 64]; /* modifiers present */
    uint32_t shape; /* matrix shape word, or 0 */
    char name[80];  /* instruction_name */
};

/* Opcode and modifiers, for messages. */
const char *instruction_name(struct instruction *i);

static inline bool has(const struct instruction *i, uint32_t word)
{
    return i->words[word / 64] >> (word % 64) & 1;
}

typedef void lower_function(struct lower *l, struct instruction *i);

/* --- names (lower_scope.c) --- */
void scope_enter(struct lower *l);
void scope_leave(struct lower *l);
/* Adds a name to the innermost scope; an error when it is there already. */
struct entity *scope_declare(struct lower *l, struct ptx_name name,
                             struct entity entity);
/* Whether a range of the innermost scope holds the name. */
bool scope_in_range(struct lower *l, struct ptx_name name);
void scope_declare_range(struct lower *l, const struct ptx_variable *variable);
/* NULL when nothing has the name. */
struct entity *scope_find(struct lower *l, struct ptx_name name);
/* As scope_find, with an error. */
struct entity *scope_need(struct lower *l, struct ptx_name name, struct loc at);
ir_operand register_new(struct lower *l, uint32_t type, uint32_t vector,
                        struct ptx_name name);

/* --- types (lower_type.c) --- */
/* IR type of a type word; IR_none when the IR has none. */
enum ir_type type_of(uint32_t word);
/* The type word of the same width without a number format: b32 for f32. */
uint32_t type_bits_word(uint32_t word);
uint32_t type_double_word(uint32_t word);
enum ir_type type_register(uint32_t word);
bool type_agrees(uint32_t register_type, uint32_t type, bool wider);

/* --- operands (lower_operand.c) --- */
void instruction_error(struct lower *l, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void unsupported(struct lower *l, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool operand_count(struct lower *l, struct instruction *i, uint32_t least,
                   uint32_t most);
ir_operand temporary(struct lower *l, enum ir_type width);
ir_operand constant(struct lower *l, uint64_t value);
/* A value of the type; wider: the register may be wider than the type. */
ir_operand source(struct lower *l, const struct ptx_operand *operand,
                  uint32_t type, bool wider);
ir_operand destination(struct lower *l, const struct ptx_operand *operand,
                       uint32_t type, bool wider);
/* As above, where _ may stand. */
ir_operand destination_or_sink(struct lower *l, const struct ptx_operand *operand,
                               uint32_t type, bool wider);
/* When the operand is a special register: reads it into *to, or into a new
 * register when *to is 0 (0 afterwards: an error). */
bool special_read(struct lower *l, const struct ptx_operand *operand, uint32_t type,
                  ir_operand *to);
/* Vector or single operand to items; false after an error. */
bool elements(struct lower *l, const struct ptx_operand *operand, uint32_t count,
              const struct ptx_operand **items, struct ptx_operand *storage);
bool constant_bits(struct lower *l, const struct ptx_operand *operand,
                   uint32_t type, uint64_t *bits);
bool integer_constant(struct lower *l, const struct ptx_operand *operand,
                      uint64_t *value);

struct address {
    ir_operand base, offset;
    enum ir_space space;
    bool is_direct; /* base is a symbol or variable */
    enum entity_role role;
};
/* space: of the instruction; GENERIC takes the space of a named variable only
 * to refuse what the space cannot be. */
bool address(struct lower *l, const struct ptx_operand *operand,
             enum ir_space space, struct address *out);
/* The address of an operand as a word of 64 bits in its space; 0 after an error. */
ir_operand flat_address(struct lower *l, const struct ptx_operand *operand,
                        enum ir_space space);

/* --- writing instructions (lower_emit.c) --- */
struct ir_inst *emit(struct lower *l, const struct ir_inst *inst,
                     const ir_operand *destinations, const ir_operand *sources);
/* A per-lane operation with one result. */
void emit_lane(struct lower *l, enum ir_op op, enum ir_type type,
               enum ir_type type2, unsigned mode, ir_operand destination,
               const ir_operand *sources, uint32_t count);
/* The same with a new register as result. */
ir_operand emit_value(struct lower *l, enum ir_op op, enum ir_type type,
                      enum ir_type type2, unsigned mode,
                      const ir_operand *sources, uint32_t count);
void emit_move(struct lower *l, ir_operand destination, ir_operand source);
uint32_t label_new(struct lower *l);
void label_place(struct lower *l, uint32_t label, const char *name);
void emit_branch(struct lower *l, uint32_t label);
/* Runs the following instructions only where the guard holds, by a branch
 * around them; guard_end closes. For what must not carry a guard. */
uint32_t guard_begin(struct lower *l);
void guard_end(struct lower *l, uint32_t label);
/* Copies the guard when the instruction, written as several, overwrites it. */
void guard_keep(struct lower *l, ir_operand destination);
unsigned mode_of(const struct instruction *i);
/* The row of the operation with these types, allowing for another spelling of
 * the result's type; IR_none when the IR has none. */
enum ir_type row_type(enum ir_op op, enum ir_type type, enum ir_type type2);

/* The handle that a reference holds, in a new register (lower_texture.c). */
ir_operand opaque_handle(struct lower *l, const struct entity *entity);

/* --- parts of the module --- */
void lower_forms(struct lower *l);                        /* lower_match.c */
bool match_instruction(struct lower *l, struct instruction *i);
void lower_variable(struct lower *l, const struct ptx_variable *variable,
                    bool is_module);                      /* lower_variable.c */
uint32_t variable_bytes(struct lower *l, const struct ptx_variable *variable,
                        uint64_t *size, uint32_t *align);
struct ir_variable parameter_variable(struct lower *l,
                                      const struct ptx_variable *variable,
                                      enum ir_space space);
/* Makes one of products and sums: contract.c. When the body is complete. */
void contract(struct lower *l);
/* Orders the operands of f64 operations as ptxas does: exchange.c. After contract. */
void exchange(struct lower *l);
void lower_function_item(struct lower *l, const struct ptx_function *function);
void lower_alias(struct lower *l, const struct ptx_alias *alias);
/* Makes aliased functions their targets everywhere. */
void lower_redirect(struct lower *l);
void lower_block(struct lower *l, const struct ptx_block *block);
void lower_return(struct lower *l);
/* Loads a .reg parameter's registers from its variable, or stores them. */
void parameter_move(struct lower *l, enum ir_op op, ir_operand variable,
                    ir_operand reg, const struct ptx_variable *formal);
uint32_t lower_prototype(struct lower *l, const struct ptx_signature *signature,
                         struct ptx_name name);
const char *name_string(struct lower *l, struct ptx_name name);

/* A row of insn.def; operand codes as explained there. */
struct form {
    const char *opcode, *types, *modifiers, *operands;
    lower_function *lower;
    uint16_t op;
    /* Made from the strings. */
    uint64_t type_sets[4];
    uint32_t type_count;
    struct form_word {
        uint32_t word;
        uint8_t group;
    } *words;
    uint32_t word_count, group_count;
    uint32_t required; /* bit set of groups */
    bool last;         /* of its opcode */
};

#endif
