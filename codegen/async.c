/* SPDX-License-Identifier: Apache-2.0
 *
 * async.c - asynchronous copies and mbarriers. */
#include <stdio.h>

#include "codegen/exists.h"
#include "codegen/memory.h"

/* --- cp.async ------------------------------------------------------------- */

/* Only .cg, past the first cache, or .ca: a hint, which the IR does not keep. .ca has
 * every size. */
static void copy(struct gen *g)
{
    ir_operand size = gen_source(g, 4), bytes = gen_source(g, 5);
    const char *cache = g->inst->cache == 2 && gen_constant(g, size) == 16 ? "cg" : "ca";
    char hints[MEMORY_HINTS], opcode[MEMORY_HINTS + 40];
    struct assembly a;

    memory_hints(g, hints);
    snprintf(opcode, sizeof opcode, "cp.async.%s.shared.global%s", cache, hints);
    bool hinted = instruction_exists(opcode) && need_allows(&g->need, opcode);
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.%s.shared.global%s", cache,
                   hinted ? hints : "");
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    assembly_address(&a, gen_source(g, 2), gen_source(g, 3));
    assembly_immediate(&a, gen_constant(g, size));
    if (bytes != size)
        assembly_input(&a, bytes, IR_u32);
    memory_policy(&a, hinted);
    assembly_end(&a);
}

static void copy_wait(struct gen *g)
{
    struct assembly a;

    if (!gen_is_constant(gen_source(g, 0))) {
        gen_refuse(g, "the number of groups must be a constant");
        return;
    }
    uint64_t groups = gen_constant(g, gen_source(g, 0));
    if (groups == UINT32_MAX) {
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.wait_all");
    } else {
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.wait_group");
        assembly_immediate(&a, groups);
    }
    assembly_end(&a);
}

static void copy_arrive(struct gen *g)
{
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.mbarrier.arrive%s%s.b64",
                   g->inst->sub ? ".noinc" : "", memory_space(g, g->inst->space));
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    assembly_end(&a);
}

/* --- mbarrier ------------------------------------------------------------- */

/* Order and scope where they are not what PTX takes when nothing is said. */
static const char *semantics(const struct ir_inst *inst, enum ir_order usual)
{
    bool cluster = inst->scope == IR_SCOPE_CLUSTER;

    if (inst->order == usual && !cluster)
        return "";
    switch (inst->order) {
    case IR_ORDER_RELAXED: return cluster ? ".relaxed.cluster" : ".relaxed.cta";
    case IR_ORDER_RELEASE: return cluster ? ".release.cluster" : ".release.cta";
    default: return cluster ? ".acquire.cluster" : ".acquire.cta";
    }
}

static bool check_scope(struct gen *g)
{
    if (g->inst->scope == IR_SCOPE_CTA || g->inst->scope == IR_SCOPE_CLUSTER)
        return true;
    gen_refuse(g, "PTX has mbarriers of the block and the cluster only");
    return false;
}

/* init, inval, expect_tx, complete_tx: an address, and a number for most. */
static void simple(struct gen *g, const char *name, const char *order)
{
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_MEMORY, "mbarrier.%s%s%s.b64", name, order,
                   memory_space(g, g->inst->space));
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    if (g->inst->sources > 2)
        assembly_input(&a, gen_source(g, 2), IR_u32);
    assembly_end(&a);
}

/* transaction counts: always relaxed. */
static void transactions(struct gen *g, const char *name)
{
    if (check_scope(g))
        simple(g, name,
               g->inst->scope == IR_SCOPE_CLUSTER ? ".relaxed.cluster" : ".relaxed.cta");
}

static void arrive(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool expect = inst->sub & IR_MBARRIER_EXPECT_TX;
    bool no_complete = inst->sub & IR_MBARRIER_NO_COMPLETE;
    ir_operand count = gen_source(g, 2);
    bool one = gen_is_constant(count) && gen_constant(g, count) == 1;
    struct assembly a;

    if (!check_scope(g))
        return;
    if (expect && no_complete) {
        gen_refuse(g, "PTX has no arrive.expect_tx.noComplete");
        return;
    }
    /* The state can be dropped for any barrier, and has to be for another block's. */
    bool sink = !inst->destinations || !gen_destination(g, 0);
    if (sink && inst->destinations == 0 && inst->space != IR_SPACE_CLUSTER)
        sink = false;
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "mbarrier.arrive%s%s%s%s%s.b64",
                   inst->sub & IR_MBARRIER_DROP ? "_drop" : "", expect ? ".expect_tx" : "",
                   no_complete ? ".noComplete" : "", semantics(inst, IR_ORDER_RELEASE),
                   memory_space(g, inst->space));
    if (sink) {
        need_feature(&g->need, "the sink _ as state", 71, 80, g->at);
        assembly_text(&a, " _");
        a.operands++;
    } else {
        assembly_output(&a, inst->destinations ? gen_destination(g, 0) : 0, IR_b64);
    }
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    if (!one || expect || no_complete) {
        assembly_input(&a, count, IR_u32);
        if (!no_complete && !expect)
            need_feature(&g->need, "a count without .noComplete", 78, 90, g->at);
    }
    assembly_end(&a);
}

static void test(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool parity = inst->sub & IR_MBARRIER_PARITY;
    struct assembly a;

    if (!check_scope(g))
        return;
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "mbarrier.%s%s%s%s.b64",
                   inst->sub & IR_MBARRIER_TRY ? "try_wait" : "test_wait",
                   parity ? ".parity" : "", semantics(inst, IR_ORDER_ACQUIRE),
                   memory_space(g, inst->space));
    assembly_output(&a, gen_destination(g, 0), IR_pred);
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    assembly_input(&a, gen_source(g, 2), parity ? IR_u32 : IR_b64);
    assembly_end(&a);
}

static void pending(struct gen *g)
{
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_PURE, "mbarrier.pending_count.b64");
    assembly_output(&a, gen_destination(g, 0), IR_u32);
    assembly_input(&a, gen_source(g, 0), IR_b64);
    assembly_end(&a);
}

/* Sources 0, 1 and 3 of a bulk copy are addresses, words of 64 bits in their space. */
static void bulk(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool reduces = inst->op == IR_OP_bulk_reduce, multicast = false, load = false, group;
    struct assembly a;

    if (reduces) {
        group = inst->space == IR_SPACE_GLOBAL;
    } else {
        multicast = inst->sub == IR_BULK_MULTICAST;
        load = multicast || inst->sub == IR_BULK_LOAD;
        group = inst->sub == IR_BULK_STORE;
    }
    bool half = inst->type == IR_f16 || inst->type == IR_bf16;
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp%s.async.bulk.%s.%s.%s%s%s%s%s%s%s%s",
                   reduces ? ".reduce" : "", group ? "global" : "shared::cluster",
                   load ? "global" : "shared::cta",
                   group ? "bulk_group" : "mbarrier::complete_tx::bytes",
                   multicast ? ".multicast::cluster" : "",
                   inst->policy ? ".L2::cache_hint" : "", reduces ? "." : "",
                   reduces ? ir_ops[inst->sub].name : "",
                   reduces && half && inst->sub == IR_OP_add ? ".noftz" : "",
                   reduces ? "." : "", reduces ? ir_types[inst->type].name : "");
    assembly_word_address(&a, gen_source(g, 0));
    assembly_word_address(&a, gen_source(g, 1));
    assembly_input(&a, gen_source(g, 2), IR_u32);
    if (!group)
        assembly_word_address(&a, gen_source(g, 3));
    if (multicast)
        assembly_value(&a, LLVMBuildTrunc(g->builder, gen_value(g, gen_source(g, 4), IR_b32),
                                          gen_int(g, 16), ""));
    memory_policy(&a, true);
    assembly_end(&a);
}

/* Sources 0 and 1 are addresses, words of 64 bits in their space. */
static void store_async(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool reduces = inst->op == IR_OP_red_async;
    const char *type = ir_types[inst->type].name;
    const char *space = inst->space == IR_SPACE_SHARED ? ".shared::cta"
                                                     : memory_space(g, inst->space);
    struct assembly a;

    if (reduces)
        assembly_begin(&a, g, ASSEMBLY_MEMORY,
                       "red.async.relaxed.cluster%s.mbarrier::complete_tx::bytes.%s.%s",
                       space, ir_ops[inst->sub].name, type);
    else
        assembly_begin(&a, g, ASSEMBLY_MEMORY,
                       "st.async.weak%s.mbarrier::complete_tx::bytes%s.%s",
                       space,
                       inst->vector == 4   ? ".v4"
                       : inst->vector == 2 ? ".v2"
                                           : "",
                       type);
    assembly_word_address(&a, gen_source(g, 0));
    if (inst->sources > 3) {
        ir_operand values[4];
        for (unsigned k = 2; k < inst->sources; k++)
            values[k - 2] = gen_source(g, k);
        assembly_fragment(&a, values, inst->sources - 2u, inst->type);
    } else {
        assembly_input(&a, gen_source(g, 2), inst->type);
    }
    assembly_word_address(&a, gen_source(g, 1));
    assembly_end(&a);
}

static void bulk_wait(struct gen *g)
{
    struct assembly a;
    uint32_t i = ir_operand_index(gen_source(g, 0));

    assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.bulk.wait_group%s",
                   g->inst->sub & IR_BULK_WAIT_READ ? ".read" : "");
    assembly_immediate(&a, g->function->constants[i].value);
    assembly_end(&a);
}

void gen_async(struct gen *g)
{
    struct assembly a;

    switch (g->inst->op) {
    case IR_OP_cp_async: copy(g); return;
    case IR_OP_cp_async_commit:
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.commit_group");
        assembly_end(&a);
        return;
    case IR_OP_bulk:
    case IR_OP_bulk_reduce: bulk(g); return;
    case IR_OP_st_async:
    case IR_OP_red_async: store_async(g); return;
    case IR_OP_tensor:
    case IR_OP_tensormap_replace:
    case IR_OP_tensormap_copy: gen_tensor(g); return;
    case IR_OP_bulk_wait: bulk_wait(g); return;
    case IR_OP_bulk_commit:
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.bulk.commit_group");
        assembly_end(&a);
        return;
    case IR_OP_cp_async_wait: copy_wait(g); return;
    case IR_OP_cp_async_mbarrier: copy_arrive(g); return;
    case IR_OP_mbarrier_init: simple(g, "init", ""); return;
    case IR_OP_mbarrier_inval: simple(g, "inval", ""); return;
    case IR_OP_mbarrier_expect_tx: transactions(g, "expect_tx"); return;
    case IR_OP_mbarrier_complete_tx: transactions(g, "complete_tx"); return;
    case IR_OP_mbarrier_arrive: arrive(g); return;
    case IR_OP_mbarrier_test: test(g); return;
    case IR_OP_mbarrier_pending: pending(g); return;
    default: gen_refuse(g, "'%s' cannot be written", ir_ops[g->inst->op].name); return;
    }
}
