/* SPDX-License-Identifier: Apache-2.0
 *
 * exists.h - whether PTX has an instruction. */
#ifndef SIMTLAB_CODEGEN_EXISTS_H
#define SIMTLAB_CODEGEN_EXISTS_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a text. */
struct word {
    const char *text;
    size_t size;
};

enum { WORDS = 64 };

/* The words of the text between separators, at most WORDS. */
unsigned words_split(const char *text, char separator, struct word *words);
bool words_same(struct word a, struct word b);
/* Whether a modifier is a type, whose place among others counts. */
bool word_names_type(struct word word);

/* An opcode with its modifiers, "add.rn.ftz.f32", as frontend/ptx/insn.def has it:
 * types in order, the other modifiers in any, and none missing. */
bool instruction_exists(const char *instruction);

#endif
