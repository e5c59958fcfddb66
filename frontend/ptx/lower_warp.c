/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_warp.c - lanes of a warp together.
 *
 * shfl and vote without .sync (before PTX 6.4 and sm_70) take whichever lanes
 * are active as their members. */
#include "frontend/ptx/lower_ops.h"

static ir_operand active_lanes(struct lower *l)
{
    struct ir_inst inst = {.op = IR_OP_activemask, .type = IR_b32, .type2 = IR_b32,
                           .destinations = 1};
    ir_operand mask = temporary(l, IR_b32);

    emit(l, &inst, &mask, NULL);
    return mask;
}

void lower_activemask(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_activemask, .type = IR_b32, .type2 = IR_b32,
                           .destinations = 1};

    if (!operand_count(l, i, 1, 1))
        return;
    ir_operand to = destination(l, &i->syntax->operands[0], W_b32, false);
    if (to)
        emit(l, &inst, &to, NULL);
}

/* d|p or d alone to two destinations. */
static bool pair_destinations(struct lower *l, const struct ptx_operand *operand,
                              uint32_t type, ir_operand to[2])
{
    const struct ptx_operand *first = operand, *second = NULL;

    to[0] = to[1] = 0;
    if (operand->kind == OPERAND_PAIR) {
        first = &operand->items[0];
        second = &operand->items[1];
    }
    to[0] = destination_or_sink(l, first, type, false);
    if (!to[0] && first->kind != OPERAND_SINK)
        return false;
    if (second) {
        to[1] = destination_or_sink(l, second, W_pred, false);
        if (!to[1] && second->kind != OPERAND_SINK)
            return false;
    }
    return true;
}

void lower_shfl(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t total = has(i, W_sync) ? 5 : 4;
    struct ir_inst inst = {.op = i->form->op, .type = IR_b32, .type2 = IR_b32,
                           .destinations = 2, .sources = 4};
    ir_operand to[2], sources[4];

    if (!operand_count(l, i, total, total) ||
        !pair_destinations(l, &operands[0], W_b32, to))
        return;
    if (!to[0]) {
        diag_error(l->diags, operands[0].at, "the result of '%s' cannot be discarded",
                   instruction_name(i));
        return;
    }
    for (uint32_t k = 0; k < 3; k++) {
        sources[k] = source(l, &operands[k + 1], W_b32, false);
        if (!sources[k])
            return;
    }
    sources[3] = total == 5 ? source(l, &operands[4], W_b32, false) : active_lanes(l);
    if (sources[3])
        emit(l, &inst, to, sources);
}

void lower_vote(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t total = has(i, W_sync) ? 3 : 2;
    bool ballot = i->form->op == IR_OP_vote_ballot;
    struct ir_inst inst = {.op = i->form->op, .type = ballot ? IR_b32 : IR_pred,
                           .type2 = IR_pred, .destinations = 1, .sources = 2};
    ir_operand sources[2];

    if (!operand_count(l, i, total, total))
        return;
    ir_operand to = destination(l, &operands[0], i->types[0], false);
    sources[0] = source(l, &operands[1], W_pred, false);
    sources[1] = total == 3 ? source(l, &operands[2], W_b32, false) : active_lanes(l);
    if (to && sources[0] && sources[1])
        emit(l, &inst, &to, sources);
}

void lower_match(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    bool all = i->form->op == IR_OP_match_all;
    /* The type is that of the value; the result is a mask. */
    struct ir_inst inst = {.op = i->form->op, .type = (uint8_t)type_of(i->types[0]),
                           .type2 = (uint8_t)type_of(i->types[0]),
                           .destinations = all ? 2 : 1, .sources = 2};
    ir_operand to[2];

    if (!operand_count(l, i, 3, 3))
        return;
    if (!all && operands[0].kind == OPERAND_PAIR) {
        diag_error(l->diags, operands[0].at, "'%s' gives no predicate",
                   instruction_name(i));
        return;
    }
    if (!pair_destinations(l, &operands[0], W_b32, to))
        return;
    ir_operand sources[2] = {source(l, &operands[1], i->types[0], false),
                             source(l, &operands[2], W_b32, false)};
    if (sources[0] && sources[1])
        emit(l, &inst, to, sources);
}

void lower_redux(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct ir_inst inst = {.op = IR_OP_redux, .sub = i->form->op,
                           .type = (uint8_t)type_of(i->types[0]),
                           .type2 = (uint8_t)type_of(i->types[0]),
                           .destinations = 1, .sources = 2};

    if (!operand_count(l, i, 3, 3))
        return;
    ir_operand to = destination(l, &operands[0], i->types[0], false);
    ir_operand sources[2] = {source(l, &operands[1], i->types[0], false),
                             source(l, &operands[2], W_b32, false)};
    if (to && sources[0] && sources[1])
        emit(l, &inst, &to, sources);
}

/* elect.sync d|p, membermask */
void lower_elect(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct ir_inst inst = {.op = IR_OP_elect, .type = IR_b32, .type2 = IR_b32,
                           .destinations = 2, .sources = 1};
    ir_operand to[2];

    if (!operand_count(l, i, 2, 2) ||
        !pair_destinations(l, &operands[0], W_b32, to))
        return;
    if (operands[0].kind != OPERAND_PAIR) {
        diag_error(l->diags, operands[0].at, "'%s' writes a pair d|p",
                   instruction_name(i));
        return;
    }
    ir_operand mask = source(l, &operands[1], W_b32, false);
    if (mask)
        emit(l, &inst, to, &mask);
}

void lower_bar_warp(struct lower *l, struct instruction *i)
{
    if (!operand_count(l, i, 1, 1))
        return;
    ir_operand mask = source(l, &i->syntax->operands[0], W_b32, false);
    if (mask)
        emit(l, &(struct ir_inst){.op = IR_OP_bar_warp, .sources = 1}, NULL, &mask);
}
