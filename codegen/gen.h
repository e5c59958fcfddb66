/* SPDX-License-Identifier: Apache-2.0
 *
 * gen.h - what the parts of the code generator share. Needs LLVM's headers.
 *
 * Values are LLVM integers of their width, i1 for predicates; floats too, so that
 * nobody touches the bits of a NaN. Each register of the IR is a stack slot until
 * LLVM makes values of them. Whatever LLVM could say less exactly than PTX, and all
 * that waits for or talks to others, is inline PTX (assembly.h). */
#ifndef SIMTLAB_CODEGEN_GEN_H
#define SIMTLAB_CODEGEN_GEN_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/arena.h"
#include "codegen/codegen.h"
#include "codegen/need.h"
#include "ir/ir.h"

/* LLVM's numbers of address spaces for NVPTX. */
enum { LLVM_GENERIC = 0, LLVM_GLOBAL = 1, LLVM_SHARED = 3, LLVM_CONST = 4, LLVM_LOCAL = 5 };

struct gen {
    const struct ir_module *module;
    const struct codegen_options *options;
    struct diags *diags;
    struct arena *arena; /* as long as the generator works */
    struct need need;

    LLVMContextRef context;
    LLVMModuleRef llvm;
    LLVMBuilderRef builder;
    LLVMDIBuilderRef debug; /* NULL when no instruction has a source line */
    LLVMMetadataRef *debug_locations; /* of the function, by location; made on demand */
    LLVMMetadataRef debug_function;
    LLVMMetadataRef *debug_files;
    LLVMValueRef *symbols, *functions; /* by index in the module */

    /* The function being written. */
    const struct ir_function *function;
    LLVMValueRef llvm_function;
    LLVMValueRef *registers, *variables; /* addresses of slots; variables: or NULL */
    uint32_t *pinned; /* by register: its number among those with a name in PTX, or 0 */
    LLVMBasicBlockRef *blocks;
    /* The instruction being written. */
    const struct ir_inst *inst;
    struct loc at;
};

/* --- module.c --- */
/* An error at the instruction being written, or at a place. */
void gen_refuse(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- values.c --- */
LLVMTypeRef gen_int(struct gen *g, unsigned bits);
/* The LLVM type of a register of this width or of a value of this type. */
LLVMTypeRef gen_type(struct gen *g, enum ir_type type);
LLVMValueRef gen_number(struct gen *g, unsigned bits, uint64_t value);
/* The value of an operand. Registers have their own width; everything else is as
 * wide as the type says. */
LLVMValueRef gen_value(struct gen *g, ir_operand operand, enum ir_type type);
/* Writes a result; IR_OPERAND_NONE drops it. */
void gen_result(struct gen *g, ir_operand destination, LLVMValueRef value);
/* As gen_result, where the guard of the instruction holds. */
void gen_guarded_result(struct gen *g, ir_operand destination, LLVMValueRef value);
/* The guard as i1, NULL when the instruction has none. */
LLVMValueRef gen_guard(struct gen *g);
/* Cut, or extended by the kind of the type. */
LLVMValueRef gen_resize(struct gen *g, LLVMValueRef value, unsigned bits, bool is_signed);
unsigned gen_bits(LLVMValueRef value);
uint64_t gen_constant(const struct gen *g, ir_operand operand);
static inline bool gen_is_constant(ir_operand operand)
{
    return ir_operand_kind(operand) == IR_OPERAND_CONSTANT;
}
/* Operand number i of the instruction. */
ir_operand gen_source(const struct gen *g, unsigned i);
ir_operand gen_destination(const struct gen *g, unsigned i);

/* --- globals.c: variables of the module --- */
void gen_symbols(struct gen *g);
void gen_symbol_values(struct gen *g);
/* PTX identifiers only; false with an error at the place. */
bool gen_check_name(struct gen *g, const char *name, struct loc at);

/* --- function.c --- */
void gen_declare_functions(struct gen *g);
void gen_function_body(struct gen *g, uint32_t index);
/* How a variable of parameter space travels: as an integer, or as memory. */
bool gen_is_scalar(const struct ir_variable *variable);
void gen_attribute(struct gen *g, LLVMValueRef target, LLVMAttributeIndex index,
                   const char *name, uint64_t value, LLVMTypeRef type);

/* --- instructions --- */
void gen_instruction(struct gen *g);   /* instruction.c */
void gen_lane(struct gen *g);          /* lane.c */
bool gen_lane_native(struct gen *g);   /* native.c: false when it is none of LLVM's */
bool gen_argument_access(struct gen *g); /* frame.c */
void gen_call(struct gen *g);          /* call.c */
void gen_return(struct gen *g);        /* call.c */
void gen_memory(struct gen *g);        /* memory.c */
void gen_async(struct gen *g);         /* async.c */
void gen_texture(struct gen *g);       /* texture.c */
void gen_tensor(struct gen *g);        /* tensor.c */
void gen_warp(struct gen *g);          /* warp.c */
void gen_control(struct gen *g);       /* control.c */

/* --- warpgroup.c --- */
void gen_pin_registers(struct gen *g); /* at the start of a function */
LLVMValueRef gen_pinned_value(struct gen *g, uint32_t index);
void gen_pinned_result(struct gen *g, uint32_t index, LLVMValueRef value);

/* --- debug.c --- */
void gen_debug_begin(struct gen *g);
void gen_debug_function(struct gen *g);
void gen_debug_instruction(struct gen *g);
void gen_debug_end(struct gen *g);

/* --- finish.c: what LLVM printed, as the module's own PTX --- */
void gen_finish(struct gen *g, const char *text, size_t size, struct text *out);

#endif
