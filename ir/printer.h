/* SPDX-License-Identifier: Apache-2.0
 *
 * printer.h - what the two halves of the .kir printer share: print.c prints
 * declarations, print_inst.c names and instructions. */
#ifndef SIMTLAB_IR_PRINTER_H
#define SIMTLAB_IR_PRINTER_H

#include "base/map.h"
#include "ir/ir.h"
#include "ir/words.h"

/* Which names need a tag because another has the same text, and which inlined
 * call each location belongs to. Absent (NULL) when one instruction is printed
 * for a report: names then stand as they are. */
struct ir_printer {
    struct text *out;
    const struct ir_module *module;
    const struct ir_function *function;
    struct arena scratch;
    bool *global_tags; /* symbols, then functions */
    bool *prototype_tags;
    bool *register_tags, *variable_tags, *block_tags; /* of function */
    uint32_t *sites; /* location -> number of its inlined call, 0 none */
    struct { uint32_t *items; uint32_t count, capacity; } site_list; /* a location each */
    struct map site_map;
};

/* A string in quotes, other bytes than printable ASCII as \hh. */
void ir_print_quoted(struct text *out, const char *string);
/* NAME of the grammar, without its sigil. */
void ir_print_name(struct text *out, const char *name, bool tagged, uint32_t tag);
/* Decimal when small, else hexadecimal. */
void ir_print_number(struct text *out, uint64_t value);
/* Any operand; one that names nothing is still printed. */
void ir_print_operand(struct ir_printer *p, ir_operand operand);
/* One instruction, without location. */
void ir_print_inst_with(struct ir_printer *p, const struct ir_inst *inst);

static inline const char *ir_name_of(const char *const *names, unsigned count,
                                     unsigned value)
{
    return value < count ? names[value] : "?";
}

static inline const char *ir_type_name(unsigned type)
{
    return type < IR_TYPE_COUNT ? ir_types[type].name : "?";
}

#endif
