/* SPDX-License-Identifier: Apache-2.0
 *
 * call.c - calls, returns, and the memory in which arguments travel. */
#include "codegen/gen.h"
#include "codegen/signature.h"

/* --- parameter space of calls --------------------------------------------- */

static LLVMValueRef argument_pointer(struct gen *g, uint32_t variable, uint64_t offset)
{
    LLVMValueRef distance = gen_number(g, 64, offset);

    return offset ? LLVMBuildGEP2(g->builder, gen_int(g, 8), g->variables[variable], &distance,
                                  1, "")
                  : g->variables[variable];
}

/* The largest power of two that divides both. */
static unsigned alignment(const struct ir_variable *variable, uint64_t offset, unsigned bytes)
{
    unsigned align = variable->align ? variable->align : 1;

    while (align > bytes || offset % align)
        align /= 2;
    return align;
}

/* One element at a place of a variable. */
static void load_element(struct gen *g, uint32_t variable, uint64_t offset, ir_operand to)
{
    const struct ir_inst *inst = g->inst;
    const struct ir_type_info *type = &ir_types[inst->type];
    const struct ir_variable *from = &g->function->variables[variable];

    if (!to)
        return;
    LLVMValueRef value = LLVMBuildLoad2(g->builder, gen_int(g, type->bits),
                                        argument_pointer(g, variable, offset), "");
    LLVMSetAlignment(value, alignment(from, offset, type->bits / 8));
    enum ir_type width = g->function->registers[ir_operand_index(to)].width;
    value = gen_resize(g, value, ir_types[width].bits, type->kind == IR_KIND_S);
    gen_guarded_result(g, to, value);
}

static void store_element(struct gen *g, uint32_t variable, uint64_t offset, ir_operand from)
{
    const struct ir_inst *inst = g->inst;
    unsigned bits = ir_types[inst->type].bits;
    LLVMValueRef value = gen_resize(g, gen_value(g, from, inst->type), bits, false);
    LLVMValueRef pointer = argument_pointer(g, variable, offset);
    LLVMValueRef guard = gen_guard(g);
    unsigned align = alignment(&g->function->variables[variable], offset, bits / 8);

    if (guard) {
        LLVMValueRef old = LLVMBuildLoad2(g->builder, gen_int(g, bits), pointer, "");
        LLVMSetAlignment(old, align);
        value = LLVMBuildSelect(g->builder, guard, value, old, "");
    }
    LLVMSetAlignment(LLVMBuildStore(g->builder, value, pointer), align);
}

bool gen_argument_access(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    uint32_t variable = ir_operand_index(gen_source(g, 0));
    unsigned bytes = ir_type_bytes(inst->type);

    if (inst->space != IR_SPACE_ARGUMENT ||
        ir_operand_kind(gen_source(g, 0)) != IR_OPERAND_VARIABLE)
        return false;
    uint64_t size = g->function->variables[variable].size;
    uint64_t offset = gen_constant(g, gen_source(g, 1));
    if (offset > size || (uint64_t)inst->vector * bytes > size - offset) {
        gen_refuse(g, "this access leaves '%s'", g->function->variables[variable].name);
        return true;
    }
    for (unsigned i = 0; i < inst->vector; i++) {
        if (inst->op == IR_OP_ld)
            load_element(g, variable, offset + i * bytes, gen_destination(g, i));
        else
            store_element(g, variable, offset + i * bytes, gen_source(g, 2 + i));
    }
    return true;
}

/* --- calls ---------------------------------------------------------------- */

/* A variable as the integer or array that is passed. */
static LLVMValueRef load_variable(struct gen *g, uint32_t variable, LLVMTypeRef type)
{
    LLVMValueRef value = LLVMBuildLoad2(g->builder, type, g->variables[variable], "");

    LLVMSetAlignment(value, alignment(&g->function->variables[variable], 0, 16));
    return value;
}

static const struct ir_variable *const *operand_variables(struct gen *g, const ir_operand *list,
                                                          unsigned count)
{
    const struct ir_variable **variables =
        ARENA_NEW_ARRAY(g->arena, count + 1, const struct ir_variable *);

    for (unsigned i = 0; i < count; i++)
        variables[i] = &g->function->variables[ir_operand_index(list[i])];
    return variables;
}

/* The formal parameters decide how a direct call passes what. */
static const struct ir_variable *const *formals(struct gen *g,
                                                const struct ir_function *callee,
                                                const uint32_t *list, unsigned count)
{
    const struct ir_variable **variables =
        ARENA_NEW_ARRAY(g->arena, count + 1, const struct ir_variable *);

    for (unsigned i = 0; i < count; i++)
        variables[i] = &callee->variables[list[i]];
    return variables;
}

void gen_call(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    const ir_operand *arguments = ir_sources(g->function, inst) + 1;
    unsigned count = inst->sources - 1u;
    const struct ir_variable *const *parameters, *const *results;
    LLVMValueRef callee;

    if (inst->destinations > 1) {
        gen_refuse(g, "a call with %u results; one can be written", inst->destinations);
        return;
    }
    if (inst->op == IR_OP_call) {
        uint32_t index = ir_operand_index(gen_source(g, 0));
        const struct ir_function *function = &g->module->functions[index];
        parameters = formals(g, function, function->parameters, count);
        results = formals(g, function, function->results, inst->destinations);
        callee = g->functions[index];
    } else {
        parameters = operand_variables(g, arguments, count);
        results = operand_variables(g, ir_destinations(g->function, inst), inst->destinations);
        LLVMValueRef address =
            gen_value(g, gen_source(g, 0), g->module->address_bits == 32 ? IR_b32 : IR_b64);
        callee = LLVMBuildIntToPtr(g->builder, address,
                                   LLVMPointerTypeInContext(g->context, LLVM_GENERIC), "");
    }
    LLVMTypeRef type = gen_signature(g, results, inst->destinations, parameters, count);
    LLVMValueRef *values = ARENA_NEW_ARRAY(g->arena, count + 1, LLVMValueRef);
    for (unsigned i = 0; i < count; i++) {
        uint32_t variable = ir_operand_index(arguments[i]);
        values[i] = gen_is_scalar(parameters[i])
                        ? load_variable(g, variable, gen_int(g, (unsigned)parameters[i]->size * 8))
                        : g->variables[variable];
    }
    LLVMValueRef call = LLVMBuildCall2(g->builder, type, callee, values, count, "");
    gen_attribute(g, call, LLVMAttributeFunctionIndex, "convergent", 0, NULL);
    gen_attribute(g, call, LLVMAttributeFunctionIndex, "nounwind", 0, NULL);
    gen_parameter_attributes(g, call, parameters, count);
    if (inst->destinations) {
        uint32_t variable = ir_operand_index(gen_destination(g, 0));
        LLVMValueRef store = LLVMBuildStore(g->builder, call, g->variables[variable]);
        LLVMSetAlignment(store, alignment(&g->function->variables[variable], 0, 16));
    }
}

void gen_return(struct gen *g)
{
    const struct ir_function *function = g->function;

    if (function->is_kernel || !function->result_count) {
        LLVMBuildRetVoid(g->builder);
        return;
    }
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(g->llvm_function));
    LLVMBuildRet(g->builder, load_variable(g, function->results[0], type));
}
