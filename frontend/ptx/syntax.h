/* SPDX-License-Identifier: Apache-2.0
 *
 * syntax.h - the syntax tree of a PTX module.
 *
 * The parser checks form only: names are not looked up, operands are not
 * compared with instructions. Names and strings point into the source text,
 * everything else lives in the arena given to ptx_parse. Words (modifiers,
 * types, spaces) are numbers of words.h. */
#ifndef SIMTLAB_FRONTEND_PTX_SYNTAX_H
#define SIMTLAB_FRONTEND_PTX_SYNTAX_H

#include "base/diag.h"
#include "frontend/ptx/lex.h"
#include "frontend/ptx/words.h"

enum ptx_constant_kind {
    CONSTANT_SIGNED,
    CONSTANT_UNSIGNED,
    CONSTANT_F32, /* an exact 0f constant */
    CONSTANT_F64
};

/* A constant expression, already computed. PTX ISA, "Constant Expressions". */
struct ptx_constant {
    enum ptx_constant_kind kind;
    uint64_t bits;
};

enum ptx_operand_kind {
    OPERAND_NAME,     /* name [.component] [+ offset] */
    OPERAND_CONSTANT, /* constant */
    OPERAND_SINK,     /* _ */
    OPERAND_VECTOR,   /* { items } */
    OPERAND_PAIR,     /* items[0] | items[1] */
    OPERAND_ADDRESS,  /* [ name + offset, items... ]; name may be empty */
    OPERAND_ELEMENT,  /* name [ offset ]; an array element */
    OPERAND_LIST      /* ( items ); calls only */
};

struct ptx_operand {
    uint8_t kind;      /* enum ptx_operand_kind */
    bool negated;      /* !p, or -a */
    bool has_offset;   /* an explicit + or - was written */
    bool unified;      /* [a].unified */
    struct loc at, name_at;
    struct ptx_name name;
    struct ptx_name component; /* x, y, r, b0, h1, b3210 ...; empty: none */
    int64_t offset;
    struct ptx_constant constant;
    struct ptx_operand *items;
    uint32_t count;
};

struct ptx_modifier {
    uint32_t word;
    struct loc at;
};

struct ptx_instruction {
    struct ptx_name guard; /* empty: always */
    bool guard_negated;
    struct loc guard_at;
    struct ptx_name opcode;
    struct ptx_modifier *modifiers;
    uint32_t modifier_count;
    struct ptx_operand *operands;
    uint32_t operand_count;
};

/* --- variables --- */

enum ptx_initial_kind { INITIAL_LIST, INITIAL_CONSTANT, INITIAL_SYMBOL };

/* PTX ISA, "Initializers". */
struct ptx_initial {
    uint8_t kind; /* enum ptx_initial_kind */
    bool generic; /* generic(symbol) */
    struct loc at;
    struct ptx_constant constant;
    struct ptx_name symbol;
    int64_t offset;      /* symbol + offset */
    uint64_t mask;       /* mask(symbol): the byte kept; 0: all of it */
    struct ptx_initial *items;
    uint32_t count;
};

enum ptx_linkage {
    LINKAGE_NONE,
    LINKAGE_VISIBLE,
    LINKAGE_WEAK,
    LINKAGE_EXTERN,
    LINKAGE_COMMON
};

enum { PTX_MAX_DIMENSIONS = 8 };

struct ptx_variable {
    struct loc at; /* of the name */
    struct ptx_name name; /* "_" or empty for a nameless parameter */
    uint32_t space;       /* W_reg, W_param, W_global ... */
    uint32_t type;        /* W_u32 ... */
    uint32_t vector;      /* 1, 2, 4, 8 */
    uint64_t align;       /* bytes; 0: natural */
    enum ptx_linkage linkage;
    bool is_range;        /* name<range>: name0 ... */
    uint64_t range;
    uint32_t dimensions;
    uint64_t size[PTX_MAX_DIMENSIONS]; /* size[0] 0 with unsized_array: [] */
    bool unsized_array;
    bool managed;
    bool unified;
    uint64_t unified_id[2];
    bool is_pointer;        /* .ptr */
    uint32_t pointer_space; /* word; 0: generic */
    uint64_t pointer_align;
    struct ptx_initial *initial; /* NULL: none */
};

/* --- functions --- */

/* .maxntid 128,1,1 and the like; .pragma "text". */
struct ptx_directive {
    uint32_t word;
    struct loc at;
    uint64_t values[3];
    uint32_t count;
    struct ptx_name text;
};

/* A signature: of a function or of a .callprototype. */
struct ptx_signature {
    struct ptx_variable *returns, *parameters;
    uint32_t return_count, parameter_count;
    bool noreturn;
};

enum ptx_statement_kind {
    STATEMENT_INSTRUCTION,
    STATEMENT_LABEL,
    STATEMENT_VARIABLE,
    STATEMENT_BLOCK,
    STATEMENT_LOCATION,
    STATEMENT_PRAGMA,
    STATEMENT_TARGETS,  /* label: .branchtargets / .calltargets */
    STATEMENT_PROTOTYPE /* label: .callprototype */
};

/* .loc file line column [, function_name label, inlined_at file line column].
 * PTX ISA, "Debugging Directives: .loc". */
struct ptx_location {
    uint32_t file, line, column;
    bool inlined;
    struct ptx_name function; /* label in .debug_str */
    uint64_t function_offset;
    uint32_t inlined_file, inlined_line, inlined_column;
};

struct ptx_targets {
    uint32_t word; /* W_branchtargets, W_calltargets */
    struct ptx_name *names;
    struct loc *places;
    uint32_t count;
};

struct ptx_block {
    struct ptx_statement *items;
    uint32_t count;
    struct loc end; /* of the closing brace */
};

struct ptx_statement {
    enum ptx_statement_kind kind;
    struct loc at;
    struct ptx_name label; /* LABEL, TARGETS, PROTOTYPE; text of PRAGMA */
    union {
        struct ptx_instruction *instruction;
        struct ptx_variable *variable;
        struct ptx_block *block;
        struct ptx_location *location;
        struct ptx_targets *targets;
        struct ptx_signature *prototype;
    };
};

struct ptx_function {
    struct loc at; /* of the name */
    struct ptx_name name;
    enum ptx_linkage linkage;
    bool is_entry;
    struct ptx_signature signature;
    struct ptx_directive *directives;
    uint32_t directive_count;
    struct ptx_block *body; /* NULL: declaration */
};

struct ptx_alias {
    struct loc at, target_at;
    struct ptx_name name, target;
};

struct ptx_file {
    uint64_t number;
    struct ptx_name path;
};

/* A label inside .section .debug_str and the C string there. */
struct ptx_debug_string {
    struct ptx_name label;
    const char *text;
};

enum ptx_item_kind { ITEM_VARIABLE, ITEM_FUNCTION, ITEM_ALIAS };

struct ptx_item {
    enum ptx_item_kind kind;
    union {
        struct ptx_variable *variable;
        struct ptx_function *function;
        struct ptx_alias *alias;
    };
};

struct ptx_target {
    uint32_t sm;   /* 90 */
    char suffix;   /* 'a', 'f' or 0 */
};

#define PTX_LIST(type)                                                       \
    struct {                                                                 \
        type *items;                                                         \
        uint32_t count, capacity;                                            \
    }

/* Read and not looked at. */
struct ptx_left_out {
    struct loc at;
    const char *what;
};

struct ptx_module {
    uint32_t version; /* major * 10 + minor */
    struct loc version_at;
    struct ptx_target target;
    struct loc target_at;
    bool debug, texmode_independent, map_f64_to_f32;
    uint32_t address_size; /* 32 or 64; 0: not stated */
    PTX_LIST(struct ptx_item) items;
    PTX_LIST(struct ptx_directive) pragmas;
    PTX_LIST(struct ptx_file) files;
    PTX_LIST(struct ptx_debug_string) debug_strings;
    PTX_LIST(struct ptx_left_out) left_outs;
    struct map words; /* index of words.def */
};

/* Reads the whole text; errors go to diags. Never NULL; what it returns is
 * complete only when diags gained no error. */
struct ptx_module *ptx_parse(struct arena *arena, const char *text,
                             size_t size, struct diags *diags);

#endif
