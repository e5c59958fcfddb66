/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_async.c - cp.async and mbarrier. */
#include "frontend/ptx/lower_ops.h"

/* cp.async [dst], [src], size[, src-size | ignore-src][, policy] */
void lower_cp_async(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t policy = has(i, W_L2_cache_hint), given = i->syntax->operand_count;
    struct ir_inst inst = {.op = IR_OP_cp_async, .sources = 6,
                           .space = IR_SPACE_SHARED,
                           .cache = has(i, W_cg) ? 2 : 1}; /* as of loads */
    struct address to, from;
    uint64_t size;

    if (!operand_count(l, i, 3 + policy, 4 + policy) ||
        !address(l, &operands[0], IR_SPACE_SHARED, &to) ||
        !address(l, &operands[1], IR_SPACE_GLOBAL, &from) ||
        !integer_constant(l, &operands[2], &size))
        return;
    if (has(i, W_cg) ? size != 16 : size != 4 && size != 8 && size != 16) {
        diag_error(l->diags, operands[2].at, "'%s' copies %s bytes",
                   instruction_name(i), has(i, W_cg) ? "16" : "4, 8 or 16");
        return;
    }
    ir_operand bytes = constant(l, size);
    if (given - policy == 4) {
        const struct ptx_operand *last = &operands[3];
        struct entity *entity =
            last->kind == OPERAND_NAME ? scope_find(l, last->name) : NULL;
        if (entity && entity->kind == ENTITY_REGISTER && entity->type == W_pred) {
            /* ignore-src: where true, zeros are written. */
            gate_feature(&l->gate, l->diags, "the ignore-src operand of 'cp.async'", 75,
                         80, last->at);
            ir_operand choice[3] = {constant(l, 0), bytes,
                                    source(l, last, W_pred, false)};
            if (!choice[2])
                return;
            bytes = emit_value(l, IR_OP_selp, IR_b32, IR_b32, 0, choice, 3);
        } else {
            bytes = source(l, last, W_u32, false);
        }
    }
    inst.hints = eviction_hints(i);
    if (!policy_operand(l, i, given - 1, &inst.policy))
        return;
    if (bytes)
        emit(l, &inst, NULL,
             (ir_operand[6]){to.base, to.offset, from.base, from.offset,
                             constant(l, size), bytes});
}

void lower_cp_async_commit(struct lower *l, struct instruction *i)
{
    if (operand_count(l, i, 0, 0))
        emit(l, &(struct ir_inst){.op = IR_OP_cp_async_commit}, NULL, NULL);
}

void lower_cp_async_wait(struct lower *l, struct instruction *i)
{
    bool all = has(i, W_wait_all);
    uint64_t groups = UINT32_MAX; /* all copies */

    if (!operand_count(l, i, !all, !all) ||
        (!all && !integer_constant(l, &i->syntax->operands[0], &groups)))
        return;
    ir_operand count = constant(l, all ? UINT32_MAX : groups & 0x7fffffff);
    emit(l, &(struct ir_inst){.op = IR_OP_cp_async_wait, .sources = 1}, NULL, &count);
}

static enum ir_space barrier_space(const struct instruction *i)
{
    if (has(i, W_shared) || has(i, W_shared_cta))
        return IR_SPACE_SHARED;
    return has(i, W_shared_cluster) ? IR_SPACE_CLUSTER : IR_SPACE_GENERIC;
}

/* Emits with the address of operand number index in front of the sources. */
static void at_barrier(struct lower *l, struct instruction *i, struct ir_inst *inst,
                       uint32_t index, const ir_operand *to,
                       const ir_operand *more, uint32_t count)
{
    ir_operand sources[4];
    struct address at;

    if (!address(l, &i->syntax->operands[index], barrier_space(i), &at))
        return;
    sources[0] = at.base;
    sources[1] = at.offset;
    for (uint32_t k = 0; k < count; k++) {
        if (!more[k])
            return;
        sources[2 + k] = more[k];
    }
    inst->space = (uint8_t)at.space;
    inst->sources = (uint16_t)(2 + count);
    emit(l, inst, to, sources);
}

void lower_cp_async_mbarrier(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_cp_async_mbarrier, .sub = has(i, W_noinc)};

    if (operand_count(l, i, 1, 1))
        at_barrier(l, i, &inst, 0, NULL, NULL, 0);
}

void lower_mbarrier_init(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_mbarrier_init};

    if (!operand_count(l, i, 2, 2))
        return;
    ir_operand count = source(l, &i->syntax->operands[1], W_u32, false);
    at_barrier(l, i, &inst, 0, NULL, &count, 1);
}

void lower_mbarrier_inval(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_mbarrier_inval};

    if (operand_count(l, i, 1, 1))
        at_barrier(l, i, &inst, 0, NULL, NULL, 0);
}

static void order_and_scope(const struct instruction *i, struct ir_inst *inst,
                            enum ir_order otherwise)
{
    inst->order = (uint8_t)(has(i, W_relaxed) ? IR_ORDER_RELAXED : otherwise);
    inst->scope = has(i, W_cluster) ? IR_SCOPE_CLUSTER : IR_SCOPE_CTA;
}

/* mbarrier.arrive[.expect_tx] state, [a][, count]; _ as state for a barrier of
 * another block. */
void lower_mbarrier_arrive(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t given = i->syntax->operand_count;
    bool expect = has(i, W_expect_tx);
    struct ir_inst inst = {.op = IR_OP_mbarrier_arrive, .type = IR_b64,
                           .type2 = IR_b64};

    if (!operand_count(l, i, 1, 3))
        return;
    /* Without a state the address comes first. */
    uint32_t first = operands[0].kind == OPERAND_ADDRESS ? 0 : 1;
    if (!operand_count(l, i, first + 1 + (expect || has(i, W_noComplete)), first + 2))
        return;
    inst.sub = (uint16_t)((has(i, W_arrive_drop) ? IR_MBARRIER_DROP : 0) |
                          (has(i, W_noComplete) ? IR_MBARRIER_NO_COMPLETE : 0) |
                          (expect ? IR_MBARRIER_EXPECT_TX : 0));
    order_and_scope(i, &inst, IR_ORDER_RELEASE);
    if (given == first + 2 && !has(i, W_noComplete))
        gate_feature(&l->gate, l->diags, "a count without .noComplete", 78, 90,
                     operands[first + 1].at);
    if (first && operands[0].kind == OPERAND_SINK)
        gate_feature(&l->gate, l->diags, "the sink _ as state", 71, 80, operands[0].at);
    ir_operand to = 0;
    if (has(i, W_shared_cluster) && first && operands[0].kind != OPERAND_SINK) {
        diag_error(l->diags, operands[0].at,
                   "'%s' gives no state for a barrier of another block; write _",
                   instruction_name(i));
        return;
    }
    if (first && operands[0].kind != OPERAND_SINK) {
        to = destination(l, &operands[0], W_b64, false);
        if (!to)
            return;
        inst.destinations = 1;
    }
    ir_operand count = given == first + 2
        ? source(l, &operands[first + 1], W_u32, false) : constant(l, 1);
    at_barrier(l, i, &inst, first, &to, &count, 1);
}

/* mbarrier.expect_tx [a], bytes and mbarrier.complete_tx [a], bytes */
void lower_mbarrier_tx(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = i->form->op};

    if (!operand_count(l, i, 2, 2))
        return;
    order_and_scope(i, &inst, IR_ORDER_RELAXED);
    ir_operand bytes = source(l, &i->syntax->operands[1], W_u32, false);
    at_barrier(l, i, &inst, 0, NULL, &bytes, 1);
}

/* mbarrier.test_wait p, [a], state and mbarrier.try_wait p, [a], state[, time] */
void lower_mbarrier_test(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    bool try = has(i, W_try_wait), parity = has(i, W_parity);
    struct ir_inst inst = {.op = IR_OP_mbarrier_test, .type = IR_pred,
                           .type2 = IR_b64, .destinations = 1};

    if (!operand_count(l, i, 3, 3 + try))
        return;
    inst.sub = (uint16_t)((parity ? IR_MBARRIER_PARITY : 0) |
                          (try ? IR_MBARRIER_TRY : 0));
    order_and_scope(i, &inst, IR_ORDER_ACQUIRE);
    ir_operand to = destination(l, &operands[0], W_pred, false);
    ir_operand state = source(l, &operands[2], parity ? W_u32 : W_b64, false);
    if (i->syntax->operand_count == 4 &&
        !source(l, &operands[3], W_u32, false)) /* a hint: how long to wait */
        return;
    if (to)
        at_barrier(l, i, &inst, 1, &to, &state, 1);
}

void lower_mbarrier_pending(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_mbarrier_pending, .type = IR_u32,
                           .type2 = IR_b64, .destinations = 1, .sources = 1};

    if (!operand_count(l, i, 2, 2))
        return;
    ir_operand to = destination(l, &i->syntax->operands[0], W_u32, false);
    ir_operand state = source(l, &i->syntax->operands[1], W_b64, false);
    if (to && state)
        emit(l, &inst, &to, &state);
}
