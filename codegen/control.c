/* SPDX-License-Identifier: Apache-2.0
 *
 * control.c - special registers, flow, barriers of blocks and clusters, the stack. */
#include "codegen/assembly.h"
#include "codegen/gen.h"

#include <stdio.h>
#include <string.h>

/* --- special registers ---------------------------------------------------- */

/* What may change while a kernel runs is read each time. */
static bool changes(enum ir_sreg sreg)
{
    switch (sreg) {
    case IR_SREG_clock:
    case IR_SREG_clock_hi:
    case IR_SREG_clock64:
    case IR_SREG_globaltimer:
    case IR_SREG_globaltimer_lo:
    case IR_SREG_globaltimer_hi:
    case IR_SREG_warpid:
    case IR_SREG_smid:
    case IR_SREG_pm: return true;
    default: return false;
    }
}

/* tid_x is tid.x in PTX. */
static void special_name(const struct ir_inst *inst, enum ir_sreg sreg, char name[64])
{
    size_t length = (size_t)snprintf(name, 64, "%s", ir_sreg_names[sreg]);

    if (length > 2 && name[length - 2] == '_' && strchr("xyz", name[length - 1]))
        name[length - 2] = '.';
    if (sreg == IR_SREG_envreg || sreg == IR_SREG_pm)
        snprintf(name + length, 64 - length, "%u", inst->sub);
}

static void special(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    enum ir_sreg sreg = (enum ir_sreg)ir_operand_index(gen_source(g, 0));
    enum ir_type type = ir_sreg_type(sreg);
    char name[64], base[64];
    struct assembly a;

    special_name(inst, sreg, name);
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, "."), name);
    need_special_register(&g->need, base, g->at);
    assembly_begin(&a, g, changes(sreg) ? ASSEMBLY_EFFECT : ASSEMBLY_PURE, "mov.%s",
                   type == IR_pred ? "pred" : type == IR_b64 ? "u64" : "u32");
    assembly_output(&a, gen_destination(g, 0), type);
    assembly_text(&a, ", %%%s", name);
    assembly_end(&a);
}

/* --- branches ------------------------------------------------------------- */

static LLVMBasicBlockRef target(struct gen *g, ir_operand block)
{
    return g->blocks[ir_operand_index(block)];
}

/* An index beyond the list has no meaning in PTX; here it stops the kernel. */
static void branch_by_index(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->builder);
    LLVMBasicBlockRef beyond =
        LLVMAppendBasicBlockInContext(g->context, g->llvm_function, "beyond");
    LLVMValueRef index = gen_value(g, gen_source(g, 0), IR_u32);
    LLVMValueRef choice = LLVMBuildSwitch(g->builder, index, beyond, inst->sources - 1u);
    struct assembly a;

    for (unsigned i = 1; i < inst->sources; i++)
        LLVMAddCase(choice, LLVMConstInt(LLVMTypeOf(index), i - 1, 0),
                    target(g, gen_source(g, i)));
    LLVMPositionBuilderAtEnd(g->builder, beyond);
    assembly_begin(&a, g, ASSEMBLY_EFFECT, "trap");
    assembly_end(&a);
    LLVMBuildUnreachable(g->builder);
    LLVMPositionBuilderAtEnd(g->builder, here);
}

static void end_thread(struct gen *g)
{
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_EFFECT | ASSEMBLY_CONVERGENT, "exit");
    assembly_end(&a);
    LLVMBuildUnreachable(g->builder);
}

/* --- barriers ------------------------------------------------------------- */

/* bar is barrier.aligned: all lanes of a warp come together. */
static void barrier(struct gen *g, const char *what)
{
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_SYNC, "%s.%s",
                   inst->sub & IR_BARRIER_ALIGNED ? "bar" : "barrier", what);
    for (unsigned i = 0; i < inst->sources; i++)
        assembly_input(&a, gen_source(g, i), IR_u32);
    assembly_end(&a);
}

/* d, number[, threads], predicate. The IR does not say .aligned, which promises more
 * about the lanes and computes the same. */
static void barrier_reduce(struct gen *g)
{
    static const char *const names[] = {
        [IR_RED_AND] = "and.pred", [IR_RED_OR] = "or.pred", [IR_RED_POPC] = "popc.u32"};
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_SYNC, "barrier.red.%s", names[inst->sub]);
    assembly_output(&a, gen_destination(g, 0), inst->sub == IR_RED_POPC ? IR_b32 : IR_pred);
    for (unsigned i = 1; i < inst->sources; i++)
        assembly_input(&a, gen_source(g, i), IR_u32);
    assembly_input(&a, gen_source(g, 0), IR_pred);
    assembly_end(&a);
}

static void cluster(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool wait = inst->op == IR_OP_cluster_wait;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_SYNC, "barrier.cluster.%s%s", wait ? "wait" : "arrive",
                   inst->order == IR_ORDER_RELAXED ? ".relaxed" : "");
    assembly_end(&a);
}

/* --- the rest ------------------------------------------------------------- */

/* One operand, a constant or a register as PTX wants it. */
static void with_number(struct gen *g, unsigned effects, const char *opcode, bool constant)
{
    struct assembly a;

    if (constant && !gen_is_constant(gen_source(g, 0))) {
        gen_refuse(g, "the operand of '%s' must be a constant", opcode);
        return;
    }
    assembly_begin(&a, g, effects, "%s", opcode);
    if (constant)
        assembly_immediate(&a, gen_constant(g, gen_source(g, 0)));
    else
        assembly_input(&a, gen_source(g, 0), IR_u32);
    assembly_end(&a);
}

static void without_operands(struct gen *g, unsigned effects, const char *opcode)
{
    struct assembly a;

    assembly_begin(&a, g, effects, "%s", opcode);
    assembly_end(&a);
}

/* alloca, stacksave, stackrestore. */
static void stack(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_MEMORY, "%s.u%u", ir_ops[inst->op].name,
                   ir_types[inst->type].bits);
    if (inst->destinations)
        assembly_output(&a, gen_destination(g, 0), inst->type);
    if (inst->sources)
        assembly_input(&a, gen_source(g, 0), inst->type);
    if (inst->op == IR_OP_alloca)
        assembly_immediate(&a, gen_constant(g, gen_source(g, 1)));
    assembly_end(&a);
}

void gen_control(struct gen *g)
{
    const struct ir_inst *inst = g->inst;

    switch (inst->op) {
    case IR_OP_sreg: special(g); return;
    case IR_OP_bra: LLVMBuildBr(g->builder, target(g, gen_source(g, 0))); return;
    case IR_OP_br:
        LLVMBuildCondBr(g->builder, gen_value(g, gen_source(g, 0), IR_pred),
                        target(g, gen_source(g, 1)), target(g, gen_source(g, 2)));
        return;
    case IR_OP_brx: branch_by_index(g); return;
    case IR_OP_call:
    case IR_OP_call_indirect: gen_call(g); return;
    case IR_OP_ret: gen_return(g); return;
    case IR_OP_exit: end_thread(g); return;
    case IR_OP_trap: without_operands(g, ASSEMBLY_EFFECT, "trap"); return;
    case IR_OP_brkpt: without_operands(g, ASSEMBLY_EFFECT, "brkpt"); return;
    case IR_OP_nanosleep: with_number(g, ASSEMBLY_EFFECT, "nanosleep.u32", false); return;
    case IR_OP_pmevent: with_number(g, ASSEMBLY_EFFECT, "pmevent.mask", true); return;
    case IR_OP_barrier_sync: barrier(g, "sync"); return;
    case IR_OP_barrier_arrive: barrier(g, "arrive"); return;
    case IR_OP_barrier_red: barrier_reduce(g); return;
    case IR_OP_cluster_arrive:
    case IR_OP_cluster_wait: cluster(g); return;
    case IR_OP_griddep:
        without_operands(g, ASSEMBLY_SYNC,
                         inst->sub ? "griddepcontrol.launch_dependents" : "griddepcontrol.wait");
        return;
    case IR_OP_setmaxnreg:
        with_number(g, ASSEMBLY_SYNC,
                    inst->sub ? "setmaxnreg.inc.sync.aligned.u32" : "setmaxnreg.dec.sync.aligned.u32",
                    true);
        return;
    case IR_OP_alloca:
    case IR_OP_stacksave:
    case IR_OP_stackrestore: stack(g); return;
    default: gen_refuse(g, "'%s' cannot be written", ir_ops[inst->op].name); return;
    }
}
