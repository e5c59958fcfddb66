/* SPDX-License-Identifier: Apache-2.0
 *
 * function.c - signatures and bodies of functions.
 *
 * Registers and the variables of a function are stack slots in front of the first
 * block; LLVM turns the slots of registers, and of arguments
 * whose address nobody takes, into values. */
#include <string.h>

#include "codegen/gen.h"
#include "codegen/signature.h"
#include "ir/liveness.h"

void gen_attribute(struct gen *g, LLVMValueRef target, LLVMAttributeIndex index,
                   const char *name, uint64_t value, LLVMTypeRef type)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef attribute = type ? LLVMCreateTypeAttribute(g->context, kind, type)
                                      : LLVMCreateEnumAttribute(g->context, kind, value);

    if (LLVMIsACallInst(target))
        LLVMAddCallSiteAttribute(target, index, attribute);
    else
        LLVMAddAttributeAtIndex(target, index, attribute);
}

/* --- signatures ----------------------------------------------------------- */

bool gen_is_scalar(const struct ir_variable *variable)
{
    uint64_t size = variable->size;

    return !variable->is_array && variable->align == size &&
           (size == 1 || size == 2 || size == 4 || size == 8);
}

/* Memory of the variable's size in words as large as its alignment: calls copy them. */
static LLVMTypeRef memory_type(struct gen *g, const struct ir_variable *variable)
{
    unsigned word = variable->align > 8 ? 8 : variable->align ? variable->align : 1;

    if (variable->size % word)
        word = 1;
    return LLVMArrayType2(gen_int(g, 8 * word), variable->size / word);
}

static LLVMTypeRef parameter_type(struct gen *g, const struct ir_variable *variable)
{
    if (variable->size == 0)
        diag_error(g->diags, variable->at, "parameter '%s' has no size", variable->name);
    return gen_is_scalar(variable) ? gen_int(g, (unsigned)variable->size * 8)
                                   : LLVMPointerTypeInContext(g->context, LLVM_GENERIC);
}

/* What comes back in memory is an array whose elements have its alignment; 16 bytes of
 * it are two words, for an integer of that size cannot be returned. */
static LLVMTypeRef result_type(struct gen *g, const struct ir_variable *variable)
{
    unsigned unit = variable->align ? variable->align : 1;

    if (gen_is_scalar(variable))
        return gen_int(g, (unsigned)variable->size * 8);
    if (variable->size == 0 || variable->size % unit || unit > 16) {
        diag_error(g->diags, variable->at,
                   "a result of %llu bytes, aligned to %u, cannot be written",
                   (unsigned long long)variable->size, variable->align);
        return gen_int(g, 32);
    }
    LLVMTypeRef element =
        unit == 16 ? LLVMVectorType(gen_int(g, 64), 2) : gen_int(g, unit * 8);
    return LLVMArrayType2(element, variable->size / unit);
}

/* Parameters in memory are passed by value at the address given. */
static void parameter_attributes(struct gen *g, LLVMValueRef target,
                                 const struct ir_variable *variable, unsigned index)
{
    if (gen_is_scalar(variable))
        return;
    gen_attribute(g, target, index + 1, "byval", 0, memory_type(g, variable));
    gen_attribute(g, target, index + 1, "align", variable->align ? variable->align : 1, NULL);
}

LLVMTypeRef gen_signature(struct gen *g, const struct ir_variable *const *results,
                          unsigned result_count, const struct ir_variable *const *parameters,
                          unsigned parameter_count)
{
    LLVMTypeRef *types = ARENA_NEW_ARRAY(g->arena, parameter_count + 1, LLVMTypeRef);
    LLVMTypeRef result = result_count ? result_type(g, results[0])
                                      : LLVMVoidTypeInContext(g->context);

    for (unsigned i = 0; i < parameter_count; i++)
        types[i] = parameter_type(g, parameters[i]);
    return LLVMFunctionType(result, types, parameter_count, 0);
}

void gen_parameter_attributes(struct gen *g, LLVMValueRef target,
                              const struct ir_variable *const *parameters, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        parameter_attributes(g, target, parameters[i], i);
}

static const struct ir_variable *const *variables_of(struct gen *g,
                                                     const struct ir_function *function,
                                                     const uint32_t *list, uint32_t count)
{
    const struct ir_variable **variables =
        ARENA_NEW_ARRAY(g->arena, count + 1, const struct ir_variable *);

    for (uint32_t i = 0; i < count; i++)
        variables[i] = &function->variables[list[i]];
    return variables;
}

static LLVMLinkage linkage(const struct ir_function *function)
{
    switch (function->linkage) {
    case IR_LINKAGE_INTERNAL: return LLVMInternalLinkage;
    case IR_LINKAGE_WEAK: return LLVMWeakAnyLinkage;
    default: return LLVMExternalLinkage;
    }
}

static void declare(struct gen *g, uint32_t index)
{
    const struct ir_function *function = &g->module->functions[index];
    const struct ir_variable *const *parameters =
        variables_of(g, function, function->parameters, function->parameter_count);
    const struct ir_variable *const *results =
        variables_of(g, function, function->results, function->result_count);

    gen_check_name(g, function->name, function->at);
    if (function->result_count > 1)
        diag_error(g->diags, function->at, "function '%s' has %u results; one can be written",
                   function->name, function->result_count);
    LLVMTypeRef type = gen_signature(g, results, function->result_count, parameters,
                                     function->parameter_count);
    LLVMValueRef made = LLVMAddFunction(g->llvm, function->name, type);
    LLVMSetLinkage(made, linkage(function));
    gen_attribute(g, made, LLVMAttributeFunctionIndex, "convergent", 0, NULL);
    gen_attribute(g, made, LLVMAttributeFunctionIndex, "nounwind", 0, NULL);
    if (function->noreturn) {
        need_directive(&g->need, "noreturn", function->at);
        gen_attribute(g, made, LLVMAttributeFunctionIndex, "noreturn", 0, NULL);
    }
    gen_parameter_attributes(g, made, parameters, function->parameter_count);
    g->functions[index] = made;
}

static void annotate_kernel(struct gen *g, LLVMValueRef kernel)
{
    LLVMMetadataRef parts[3] = {LLVMValueAsMetadata(kernel),
                                LLVMMDStringInContext2(g->context, "kernel", 6),
                                LLVMValueAsMetadata(gen_number(g, 32, 1))};

    LLVMAddNamedMetadataOperand(
        g->llvm, "nvvm.annotations",
        LLVMMetadataAsValue(g->context, LLVMMDNodeInContext2(g->context, parts, 3)));
}

/* What a kernel's head needs. PTX ISA, "Kernel Function Parameters". */
static void bounds(struct gen *g, const struct ir_function *function)
{
    if (function->is_kernel && function->parameter_bytes > 4352)
        need_feature(&g->need, "more than 4352 bytes of parameters", 81, 70, function->at);
    if (function->required_cluster[0])
        need_directive(&g->need, "reqnctapercluster", function->at);
    if (function->explicit_cluster)
        need_directive(&g->need, "explicitcluster", function->at);
    if (function->max_cluster_rank)
        need_directive(&g->need, "maxclusterrank", function->at);
}

void gen_declare_functions(struct gen *g)
{
    g->functions = ARENA_NEW_ARRAY(g->arena, g->module->function_count, LLVMValueRef);
    for (uint32_t f = 0; f < g->module->function_count; f++) {
        declare(g, f);
        bounds(g, &g->module->functions[f]);
        if (g->module->functions[f].is_kernel)
            annotate_kernel(g, g->functions[f]);
    }
}

/* --- bodies --------------------------------------------------------------- */

/* What a register holds that nobody has written: a PTX register that nobody writes.
 * LLVM's own undefined values could differ from use to use. */
static LLVMValueRef unwritten(struct gen *g, LLVMTypeRef type)
{
    static const char *const outputs[] = {"=b", "=h", "=r", "=l", "=q"};
    unsigned bits = LLVMGetIntTypeWidth(type);
    const char *output = outputs[bits == 1 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : 4];
    LLVMTypeRef function = LLVMFunctionType(type, NULL, 0, 0);
    LLVMValueRef nothing = LLVMGetInlineAsm(function, "", 0, (char *)output, 2, 1, 0,
                                            LLVMInlineAsmDialectATT, 0);

    return LLVMBuildCall2(g->builder, function, nothing, NULL, 0, "");
}

static void make_registers(struct gen *g, const struct ir_cfg *cfg)
{
    const struct ir_function *function = g->function;
    struct ir_liveness *live = ir_liveness_build(g->arena, function, cfg);

    g->registers = ARENA_NEW_ARRAY(g->arena, function->register_count, LLVMValueRef);
    for (uint32_t r = 0; r < function->register_count; r++) {
        if (g->pinned[r])
            continue;
        LLVMTypeRef type = gen_type(g, function->registers[r].width);
        g->registers[r] = LLVMBuildAlloca(g->builder, type, "");
        if (ir_live_in(live, 0, r))
            LLVMBuildStore(g->builder, unwritten(g, type), g->registers[r]);
    }
}

static void make_variables(struct gen *g)
{
    const struct ir_function *function = g->function;

    g->variables = ARENA_NEW_ARRAY(g->arena, function->variable_count, LLVMValueRef);
    for (uint32_t i = 0; i < function->parameter_count && !function->is_kernel; i++)
        if (!gen_is_scalar(&function->variables[function->parameters[i]]))
            g->variables[function->parameters[i]] = LLVMGetParam(g->llvm_function, i);
    for (uint32_t v = 0; v < function->variable_count; v++) {
        const struct ir_variable *variable = &function->variables[v];
        if (g->variables[v] || variable->space == IR_SPACE_PARAM)
            continue;
        g->variables[v] = LLVMBuildAlloca(g->builder, memory_type(g, variable), "");
        LLVMSetAlignment(g->variables[v], variable->align ? variable->align : 1);
    }
    for (uint32_t i = 0; i < function->parameter_count && !function->is_kernel; i++)
        if (gen_is_scalar(&function->variables[function->parameters[i]]))
            LLVMBuildStore(g->builder, LLVMGetParam(g->llvm_function, i),
                           g->variables[function->parameters[i]]);
}

static void no_unroll(struct gen *g)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->context), NULL, 0, 0);
    char text[] = ".pragma \"nounroll\";";
    LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof text - 1, "", 0, 1, 0,
                                         LLVMInlineAsmDialectATT, 0);

    LLVMBuildCall2(g->builder, type, code, NULL, 0, "");
}

void gen_function_body(struct gen *g, uint32_t index)
{
    const struct ir_function *function = g->function = &g->module->functions[index];

    struct ir_cfg *cfg = ir_cfg_build(g->arena, function);
    bool is_target = cfg->first_predecessor[1] > cfg->first_predecessor[0];

    g->llvm_function = g->functions[index];
    gen_debug_function(g);
    /* Nothing may branch to LLVM's first block. */
    LLVMBasicBlockRef front =
        is_target ? LLVMAppendBasicBlockInContext(g->context, g->llvm_function, "") : NULL;
    g->blocks = ARENA_NEW_ARRAY(g->arena, function->block_count, LLVMBasicBlockRef);
    for (uint32_t b = 0; b < function->block_count; b++)
        g->blocks[b] = LLVMAppendBasicBlockInContext(
            g->context, g->llvm_function, function->blocks[b].name ? function->blocks[b].name : "");
    LLVMPositionBuilderAtEnd(g->builder, front ? front : g->blocks[0]);
    LLVMSetCurrentDebugLocation2(g->builder, NULL);
    gen_pin_registers(g);
    make_registers(g, cfg);
    make_variables(g);
    if (front)
        LLVMBuildBr(g->builder, g->blocks[0]);
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        LLVMPositionBuilderAtEnd(g->builder, g->blocks[b]);
        if (block->no_unroll)
            no_unroll(g);
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            g->inst = &function->insts[i];
            g->at = g->module->locations[g->inst->loc].at;
            gen_debug_instruction(g);
            gen_instruction(g);
        }
    }
    g->inst = NULL;
}
