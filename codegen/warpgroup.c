/* SPDX-License-Identifier: Apache-2.0
 *
 * warpgroup.c - wgmma, and the registers that it works on.
 *
 * Between its issue and the wait for its group a wgmma owns its registers: no other
 * instruction may touch them, not even a move that LLVM would put there. PTX ISA,
 * "Asynchronous Warpgroup Level Matrix Instructions". So the registers of the IR that are
 * the sums or the A of a wgmma are registers of the PTX by name, in the whole function;
 * others read and write them by moves, in program order. */
#include <string.h>

#include "codegen/assembly.h"
#include "codegen/warp.h"
#include "ir/matrix.h"

static bool is_product(const struct ir_inst *inst)
{
    return inst->op == IR_OP_wgmma || inst->op == IR_OP_wgmma_sp;
}

static void pin(struct gen *g, ir_operand operand, uint32_t *count)
{
    uint32_t index = ir_operand_index(operand);

    if (ir_operand_kind(operand) == IR_OPERAND_REGISTER && !g->pinned[index])
        g->pinned[index] = ++*count;
}

void gen_pin_registers(struct gen *g)
{
    const struct ir_function *function = g->function;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->context), NULL, 0, 0);
    struct ir_wgmma w;
    uint32_t count = 0;

    g->pinned = ARENA_NEW_ARRAY(g->arena, function->register_count, uint32_t);
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ir_inst *inst = &function->insts[i];
        if (!is_product(inst) || !ir_wgmma_read(inst->op, inst->sub, inst->type, &w))
            continue;
        for (unsigned d = 0; d < w.d_registers; d++)
            pin(g, ir_destinations(function, inst)[d], &count);
        for (unsigned a = 0; a < 4 && w.a_in_registers; a++)
            pin(g, ir_sources(function, inst)[w.d_registers + a], &count);
    }
    if (!count)
        return;
    const char *text = arena_printf(g->arena, ".reg .b32 %%wgmma<%u>;", count + 1);
    LLVMValueRef code = LLVMGetInlineAsm(type, (char *)text, strlen(text), "", 0, 1, 0,
                                         LLVMInlineAsmDialectATT, 0);
    LLVMBuildCall2(g->builder, type, code, NULL, 0, "");
}

/* Always a register by name: an immediate becomes one by a move. */
LLVMValueRef gen_pinned_value(struct gen *g, uint32_t index)
{
    LLVMTypeRef type = LLVMFunctionType(gen_int(g, 32), NULL, 0, 0);
    const char *text = arena_printf(g->arena, "mov.b32 $0, %%wgmma%u;", g->pinned[index]);
    LLVMValueRef code = LLVMGetInlineAsm(type, (char *)text, strlen(text), "=r", 2, 1, 0,
                                         LLVMInlineAsmDialectATT, 0);

    return LLVMBuildCall2(g->builder, type, code, NULL, 0, "");
}

void gen_pinned_result(struct gen *g, uint32_t index, LLVMValueRef value)
{
    LLVMTypeRef from = gen_int(g, 32);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->context), &from, 1, 0);
    const char *text = arena_printf(g->arena, "mov.b32 %%wgmma%u, $0;", g->pinned[index]);
    LLVMValueRef code = LLVMGetInlineAsm(type, (char *)text, strlen(text), "r", 1, 1, 0,
                                         LLVMInlineAsmDialectATT, 0);

    LLVMBuildCall2(g->builder, type, code, &value, 1, "");
}

/* {...}: pinned registers. */
static bool names(struct assembly *a, const ir_operand *list, unsigned count)
{
    assembly_text(a, "%s{", a->operands++ ? ", " : " ");
    for (unsigned i = 0; i < count; i++) {
        if (ir_operand_kind(list[i]) != IR_OPERAND_REGISTER) {
            gen_refuse(a->g, "a constant as a matrix of '%s'", ir_ops[a->g->inst->op].name);
            return false;
        }
        assembly_text(a, "%s%%wgmma%u", i ? ", " : "",
                      a->g->pinned[ir_operand_index(list[i])]);
    }
    assembly_text(a, "}");
    return true;
}

/* What is added to is what is written to. */
static bool same_sums(struct gen *g, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (gen_destination(g, i) != gen_source(g, i)) {
            gen_refuse(g, "PTX has no '%s' that adds to other registers than it writes",
                       ir_ops[g->inst->op].name);
            return false;
        }
    return true;
}

/* wgmma.mma_async{.sp} d, a, b-desc{, metadata, selector}, scale-d{, signs}{, transpositions} */
static void product(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    const ir_operand *sources = ir_sources(g->function, inst);
    bool sparse = inst->op == IR_OP_wgmma_sp;
    struct ir_wgmma w;
    struct assembly a;

    if (!ir_wgmma_read(inst->op, inst->sub, inst->type, &w)) {
        gen_refuse(g, "there is no such wgmma");
        return;
    }
    if (!warp_is_whole(g, gen_source(g, g->inst->sources - 1u)) || !same_sums(g, w.d_registers))
        return;
    unsigned k = sparse ? w.sparse : w.a == TENSOR_B1 ? 32 * w.k : w.k;
    assembly_begin(&a, g, ASSEMBLY_SYNC, "wgmma.mma_async%s.sync.aligned.m64n%uk%u%s.%s.%s.%s%s",
                   sparse ? ".sp" : "", w.n, k, inst->mode & MODE_SATFINITE ? ".satfinite" : "",
                   warp_tensor_name(w.d), warp_tensor_name(w.a), warp_tensor_name(w.b),
                   w.a == TENSOR_B1 ? ".and.popc" : "");
    const ir_operand *at = sources + w.d_registers;
    if (!names(&a, sources, w.d_registers))
        return;
    if (w.a_in_registers && !names(&a, at, 4))
        return;
    if (!w.a_in_registers)
        assembly_value(&a, gen_value(g, *at, IR_b64));
    at += w.a_in_registers ? 4 : 1;
    assembly_value(&a, gen_value(g, *at++, IR_b64));
    if (sparse) {
        assembly_value(&a, gen_value(g, *at++, IR_b32));
        assembly_immediate(&a, gen_constant(g, *at++));
    }
    LLVMValueRef counts = gen_value(g, *at++, IR_b32);
    assembly_value(&a, LLVMBuildICmp(g->builder, LLVMIntNE, counts,
                                     LLVMConstNull(LLVMTypeOf(counts)), ""));
    uint64_t signs = gen_constant(g, *at);
    if (inst->type != IR_s32)
        assembly_text(&a, ", %d, %d", signs & IR_WGMMA_NEGATE_A ? -1 : 1,
                      signs & IR_WGMMA_NEGATE_B ? -1 : 1);
    if (w.a == TENSOR_F16 || w.a == TENSOR_BF16) {
        if (!w.a_in_registers)
            assembly_text(&a, ", %d", w.a_column);
        assembly_text(&a, ", %d", w.b_row);
    }
    assembly_end(&a);
}

void warp_group(struct gen *g)
{
    struct assembly a;

    if (is_product(g->inst)) {
        product(g);
        return;
    }
    if (!warp_is_whole(g, gen_source(g, g->inst->sources - 1u)))
        return;
    switch (g->inst->op) {
    case IR_OP_wgmma_fence: assembly_begin(&a, g, ASSEMBLY_SYNC, "wgmma.fence.sync.aligned"); break;
    case IR_OP_wgmma_commit:
        assembly_begin(&a, g, ASSEMBLY_SYNC, "wgmma.commit_group.sync.aligned");
        break;
    default:
        assembly_begin(&a, g, ASSEMBLY_SYNC, "wgmma.wait_group.sync.aligned");
        assembly_immediate(&a, gen_constant(g, gen_source(g, 0)));
        break;
    }
    assembly_end(&a);
}
