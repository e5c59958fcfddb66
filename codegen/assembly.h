/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly.h - one PTX instruction as inline assembly of LLVM.
 *
 * The instruction's guard becomes that of the PTX; its results then keep their old
 * values where the guard does not hold. */
#ifndef SIMTLAB_CODEGEN_ASSEMBLY_H
#define SIMTLAB_CODEGEN_ASSEMBLY_H

#include "codegen/gen.h"

enum {
    ASSEMBLY_PURE = 0,        /* depends on its operands only */
    ASSEMBLY_EFFECT = 1,      /* must be executed, once, in order */
    ASSEMBLY_MEMORY = 3,      /* the same, and touches memory or orders it */
    ASSEMBLY_CONVERGENT = 4,  /* lanes act together: no new branch around it */
    ASSEMBLY_SYNC = ASSEMBLY_MEMORY | ASSEMBLY_CONVERGENT,
};

enum { ASSEMBLY_OPERANDS = 60 };

struct assembly {
    struct gen *g;
    unsigned effects;
    const char *front; /* a statement before the instruction, or NULL */
    struct text text;
    ir_operand outputs[ASSEMBLY_OPERANDS];
    LLVMTypeRef output_types[ASSEMBLY_OPERANDS];
    LLVMValueRef values[ASSEMBLY_OPERANDS]; /* of the outputs, once written */
    LLVMValueRef inputs[ASSEMBLY_OPERANDS];
    unsigned output_count, input_count, operands;
};

/* The opcode with its modifiers; checks what version and target it needs. */
void assembly_begin(struct assembly *a, struct gen *g, unsigned effects,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Further text as it stands, before the operands or between them. */
void assembly_text(struct assembly *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Operands, with commas between them. */
void assembly_output(struct assembly *a, ir_operand destination, enum ir_type type);
void assembly_input(struct assembly *a, ir_operand operand, enum ir_type type);
void assembly_value(struct assembly *a, LLVMValueRef value);
void assembly_plain_value(struct assembly *a, LLVMValueRef value); /* without comma */
void assembly_immediate(struct assembly *a, uint64_t value);
/* [word]: an address in a register of 64 bits. */
void assembly_word_address(struct assembly *a, ir_operand word);
/* [base+offset], the offset a constant. */
void assembly_address(struct assembly *a, ir_operand base, ir_operand offset);
/* {...}: registers, also when there is one only. */
void assembly_fragment_to(struct assembly *a, const ir_operand *list, unsigned count,
                          enum ir_type type);
void assembly_fragment(struct assembly *a, const ir_operand *list, unsigned count,
                       enum ir_type type);
/* {...}, or one alone without braces. */
void assembly_outputs(struct assembly *a, const ir_operand *list, unsigned count,
                      enum ir_type type);
void assembly_inputs(struct assembly *a, const ir_operand *list, unsigned count,
                     enum ir_type type);
/* d|p. The predicate may be absent; where PTX wants both, d may be _. */
void assembly_pair(struct assembly *a, ir_operand first, ir_operand second, bool both);
/* Writes the call and the results. */
void assembly_end(struct assembly *a);

#endif
