/* SPDX-License-Identifier: Apache-2.0
 *
 * values.c - operands as LLVM values, results into registers. */
#include "codegen/assembly.h"
#include "codegen/gen.h"

LLVMTypeRef gen_int(struct gen *g, unsigned bits)
{
    return LLVMIntTypeInContext(g->context, bits);
}

LLVMTypeRef gen_type(struct gen *g, enum ir_type type)
{
    enum ir_type width = ir_type_register(type);

    return gen_int(g, width == IR_pred ? 1 : ir_types[width].bits);
}

LLVMValueRef gen_number(struct gen *g, unsigned bits, uint64_t value)
{
    return LLVMConstInt(gen_int(g, bits), value, 0);
}

unsigned gen_bits(LLVMValueRef value)
{
    return LLVMGetIntTypeWidth(LLVMTypeOf(value));
}

uint64_t gen_constant(const struct gen *g, ir_operand operand)
{
    return g->function->constants[ir_operand_index(operand)].value;
}

ir_operand gen_source(const struct gen *g, unsigned i)
{
    return ir_sources(g->function, g->inst)[i];
}

ir_operand gen_destination(const struct gen *g, unsigned i)
{
    return ir_destinations(g->function, g->inst)[i];
}

/* A kernel's parameter has a name in PTX and no address in LLVM. */
static LLVMValueRef parameter_address(struct gen *g, uint32_t variable)
{
    LLVMTypeRef type = LLVMFunctionType(gen_int(g, g->module->address_bits), NULL, 0, 0);
    struct text text = {0};
    uint32_t index = 0;

    while (index < g->function->parameter_count && g->function->parameters[index] != variable)
        index++;
    text_printf(&text, "mov.b%u $0, ", g->module->address_bits);
    for (const char *c = g->function->name; *c; c++)
        text_printf(&text, *c == '$' ? "$$" : "%c", *c);
    text_printf(&text, "_param_%u;", index);
    char output[] = "=l";
    if (g->module->address_bits == 32)
        output[1] = 'r';
    LLVMValueRef code = LLVMGetInlineAsm(type, text.data, text.size, output, 2, 0, 0,
                                         LLVMInlineAsmDialectATT, 0);
    text_free(&text);
    LLVMValueRef call = LLVMBuildCall2(g->builder, type, code, NULL, 0, "");
    gen_attribute(g, call, LLVMAttributeFunctionIndex, "nounwind", 0, NULL);
    gen_attribute(g, call, LLVMAttributeFunctionIndex, "memory", 0, NULL);
    return call;
}

/* The address of a variable of the function in its own space. */
static LLVMValueRef variable_address(struct gen *g, uint32_t index)
{
    if (g->function->variables[index].space == IR_SPACE_PARAM)
        return parameter_address(g, index);
    LLVMTypeRef local = LLVMPointerTypeInContext(g->context, LLVM_LOCAL);
    LLVMValueRef pointer =
        LLVMBuildAddrSpaceCast(g->builder, g->variables[index], local, "");
    return LLVMBuildPtrToInt(g->builder, pointer, gen_int(g, g->module->address_bits), "");
}

LLVMValueRef gen_value(struct gen *g, ir_operand operand, enum ir_type type)
{
    uint32_t index = ir_operand_index(operand);
    LLVMTypeRef want = gen_type(g, type);
    unsigned bits = LLVMGetIntTypeWidth(want);

    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_REGISTER:
        if (g->pinned[index])
            return gen_pinned_value(g, index);
        return LLVMBuildLoad2(g->builder, gen_type(g, g->function->registers[index].width),
                              g->registers[index], "");
    case IR_OPERAND_CONSTANT:
        return LLVMConstInt(want, g->function->constants[index].value, 0);
    case IR_OPERAND_SYMBOL:
        if (g->module->symbols[index].reference)
            gen_refuse(g, "the place of '%s', which holds a handle, cannot be written",
                       g->module->symbols[index].name);
        if (g->module->symbols[index].space == IR_SPACE_CONST && bits < g->module->address_bits)
            gen_refuse(g, "the offset of '%s' in the constant bank is known to ptxas only",
                       g->module->symbols[index].name);
        return gen_resize(g, LLVMConstPtrToInt(g->symbols[index],
                                               gen_int(g, g->module->address_bits)),
                          bits, false);
    case IR_OPERAND_FUNCTION:
        return gen_resize(g, LLVMConstPtrToInt(g->functions[index],
                                               gen_int(g, g->module->address_bits)),
                          bits, false);
    case IR_OPERAND_VARIABLE:
        return gen_resize(g, variable_address(g, index), bits, false);
    default:
        return LLVMConstInt(want, 0, 0); /* the verifier lets nothing else come here */
    }
}

void gen_result(struct gen *g, ir_operand destination, LLVMValueRef value)
{
    uint32_t index = ir_operand_index(destination);

    if (ir_operand_kind(destination) != IR_OPERAND_REGISTER)
        return;
    if (g->pinned[index])
        gen_pinned_result(g, index, value);
    else
        LLVMBuildStore(g->builder, value, g->registers[index]);
}

LLVMValueRef gen_guard(struct gen *g)
{
    if (!g->inst->guard)
        return NULL;
    LLVMValueRef guard = gen_value(g, g->inst->guard, IR_pred);
    return g->inst->guard_not ? LLVMBuildNot(g->builder, guard, "") : guard;
}

void gen_guarded_result(struct gen *g, ir_operand destination, LLVMValueRef value)
{
    LLVMValueRef guard = destination ? gen_guard(g) : NULL;

    if (guard)
        value = LLVMBuildSelect(g->builder, guard, value,
                                gen_value(g, destination, IR_b32), "");
    gen_result(g, destination, value);
}

LLVMValueRef gen_resize(struct gen *g, LLVMValueRef value, unsigned bits, bool is_signed)
{
    unsigned have = gen_bits(value);
    LLVMTypeRef type = gen_int(g, bits);

    if (have == bits)
        return value;
    if (have > bits)
        return LLVMBuildTrunc(g->builder, value, type, "");
    return is_signed ? LLVMBuildSExt(g->builder, value, type, "")
                     : LLVMBuildZExt(g->builder, value, type, "");
}
