/* SPDX-License-Identifier: Apache-2.0
 *
 * parser.h - what the parts of the .kir reader share: parse.c reads the module,
 * parse_function.c declarations in a function, parse_inst.c instructions. */
#ifndef SIMTLAB_IR_PARSER_H
#define SIMTLAB_IR_PARSER_H

#include "base/map.h"
#include "ir/ir.h"
#include "ir/scan.h"

enum { IR_FUNCTION_BIT = 1u << 30 };

/* A name used before it had to be declared, filled in at the end. */
struct ir_fixup {
    enum { IR_FIX_OPERAND, IR_FIX_RELOCATION, IR_FIX_OWNER } what;
    uint32_t owner; /* function; symbol for the last two */
    uint32_t index; /* in its operands or relocations */
    struct ir_scan_name name;
};

struct ir_fixups {
    struct ir_fixup *items;
    uint32_t count, capacity;
};

/* The call that inlined code belongs to. */
struct ir_site {
    uint32_t caller; /* location */
    const char *function;
};

struct ir_parser {
    struct ir_scanner scan;
    struct arena scratch;
    struct arena *arena; /* the module's */
    struct ir_module *module;
    struct map globals, prototypes; /* globals: index, IR_FUNCTION_BIT for functions */
    struct { struct ir_site *items; uint32_t count, capacity; } sites; /* 0: none */
    struct ir_fixups global_fixups;

    enum { IR_IN_MODULE, IR_IN_SYMBOL, IR_IN_FUNCTION, IR_IN_SKIPPED } state;
    bool started; /* the line "kir 1" was there */
    uint64_t initialised; /* bytes of initial values so far */

    /* Of the function or symbol being read. */
    uint32_t current;
    struct map registers, variables, blocks;
    struct ir_fixups block_fixups;
    struct { uint32_t *items; uint32_t count, capacity; } parameters, results;
    struct { struct ir_relocation *items; uint32_t count, capacity; } relocations;
    unsigned char *bytes;
    uint64_t parameter_bytes, local_bytes;
    bool has_parameter_bytes, has_local_bytes, placed, unplaced;
    struct { ir_operand *items; uint32_t count, capacity; } operands; /* of an instruction */
};

static inline struct ir_function *ir_parser_function(struct ir_parser *p)
{
    return &p->module->functions[p->current];
}

/* FILE:LINE:COLUMN[@SITE], as a new location at the given place of the text. */
uint32_t ir_parse_place(struct ir_parser *p, struct loc at);
enum ir_type ir_parse_type(struct ir_parser *p);
/* A word out of a list; fails naming what was expected. */
unsigned ir_parse_choice(struct ir_parser *p, const char *const *names, unsigned count,
                         const char *what);
uint32_t ir_parse_u32(struct ir_parser *p);
void ir_parse_expect_word(struct ir_parser *p, const char *word);
struct ir_scan_name ir_parse_sigil_name(struct ir_parser *p, char sigil);
/* A copy that lives as long as the module. */
const char *ir_parse_keep(struct ir_parser *p, const char *text);
/* Binds a new name; false when it is taken, which is reported. */
bool ir_parse_declare(struct ir_parser *p, struct map *map,
                      const struct ir_scan_name *name, const char *what, uint32_t index);
void ir_parse_add_fixup(struct ir_parser *p, struct ir_fixups *list, int what,
                        uint32_t owner, uint32_t index, struct ir_scan_name name);

/* The line that opens a function, after its first word (ir/parse_function.c). */
void ir_parse_begin_function(struct ir_parser *p, bool is_kernel);
/* A line in its body. */
void ir_parse_function_statement(struct ir_parser *p);
/* One line of a block (ir/parse_inst.c). */
void ir_parse_inst(struct ir_parser *p);

#endif
