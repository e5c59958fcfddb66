/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_barrier.c - block and cluster barriers and small control
 * instructions. */
#include "frontend/ptx/lower_ops.h"

static bool is_aligned(const struct instruction *i)
{
    /* bar is barrier.aligned (PTX ISA, "bar, barrier"). */
    return has(i, W_aligned) || name_is(i->syntax->opcode, "bar");
}

/* Barrier number and thread count from operand number first on; returns how
 * many sources there are, 0 after an error. */
static uint32_t barrier_operands(struct lower *l, struct instruction *i,
                                 uint32_t first, uint32_t given,
                                 ir_operand *sources)
{
    const struct ptx_operand *operands = i->syntax->operands;

    for (uint32_t k = 0; k < given; k++) {
        const struct ptx_operand *operand = &operands[first + k];
        uint64_t value;
        if (operand->kind == OPERAND_CONSTANT) {
            if (!integer_constant(l, operand, &value))
                return 0;
            if (!k && value > 15) {
                diag_error(l->diags, operand->at, "barrier numbers go from 0 to 15");
                return 0;
            }
            if (k && value % 32) {
                diag_error(l->diags, operand->at,
                           "the number of threads must be a multiple of 32");
                return 0;
            }
        }
        sources[k] = source(l, operand, W_u32, false);
        if (!sources[k])
            return 0;
    }
    return given;
}

void lower_barrier_sync(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_barrier_sync, .sub = is_aligned(i)};
    ir_operand sources[2];

    if (!operand_count(l, i, 1, 2))
        return;
    inst.sources = (uint16_t)barrier_operands(l, i, 0, i->syntax->operand_count, sources);
    if (inst.sources)
        emit(l, &inst, NULL, sources);
}

void lower_barrier_arrive(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_barrier_arrive, .sub = is_aligned(i)};
    ir_operand sources[2];

    if (!operand_count(l, i, 2, 2))
        return;
    inst.sources = (uint16_t)barrier_operands(l, i, 0, 2, sources);
    if (inst.sources)
        emit(l, &inst, NULL, sources);
}

/* barrier.red.popc.u32 d, a[, b], p and barrier.red.and.pred q, a[, b], p */
void lower_barrier_red(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t given = i->syntax->operand_count;
    bool popc = has(i, W_popc);
    struct ir_inst inst = {
        .op = IR_OP_barrier_red, .type = popc ? IR_u32 : IR_pred, .type2 = IR_pred,
        .sub = (uint16_t)(popc ? IR_RED_POPC : has(i, W_and) ? IR_RED_AND : IR_RED_OR),
        .destinations = 1};
    ir_operand sources[3];

    if (!operand_count(l, i, 3, 4))
        return;
    ir_operand to = destination(l, &operands[0], i->types[0], false);
    sources[0] = source(l, &operands[given - 1], W_pred, false);
    uint32_t count = barrier_operands(l, i, 1, given - 2, sources + 1);
    inst.sources = (uint16_t)(1 + count);
    if (to && sources[0] && count)
        emit(l, &inst, &to, sources);
}

void lower_cluster(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = i->form->op, .scope = IR_SCOPE_CLUSTER};

    if (!operand_count(l, i, 0, 0))
        return;
    if (inst.op == IR_OP_cluster_wait)
        inst.order = IR_ORDER_ACQUIRE;
    else
        inst.order = has(i, W_relaxed) ? IR_ORDER_RELAXED : IR_ORDER_RELEASE;
    emit(l, &inst, NULL, NULL);
}

/* No operands, no modes; sub 1: griddepcontrol.launch_dependents. */
void lower_simple(struct lower *l, struct instruction *i)
{
    if (operand_count(l, i, 0, 0))
        emit(l, &(struct ir_inst){.op = i->form->op, .sub = has(i, W_launch_dependents)},
             NULL, NULL);
}

void lower_nanosleep(struct lower *l, struct instruction *i)
{
    if (!operand_count(l, i, 1, 1))
        return;
    ir_operand time = source(l, &i->syntax->operands[0], W_u32, false);
    if (time)
        emit(l, &(struct ir_inst){.op = IR_OP_nanosleep, .sources = 1}, NULL, &time);
}

/* pmevent a: event number a; pmevent.mask a: events by bit. */
void lower_pmevent(struct lower *l, struct instruction *i)
{
    uint64_t value;

    if (!operand_count(l, i, 1, 1) ||
        !integer_constant(l, &i->syntax->operands[0], &value))
        return;
    if (!has(i, W_mask)) {
        if (value > 15) {
            diag_error(l->diags, i->syntax->operands[0].at,
                       "event numbers go from 0 to 15");
            return;
        }
        value = 1ull << value;
    }
    ir_operand events = constant(l, value & 0xffff);
    emit(l, &(struct ir_inst){.op = IR_OP_pmevent, .sources = 1}, NULL, &events);
}

void lower_setmaxnreg(struct lower *l, struct instruction *i)
{
    uint64_t value;

    if (!operand_count(l, i, 1, 1) ||
        !integer_constant(l, &i->syntax->operands[0], &value))
        return;
    if (value < 24 || value > 256 || value % 8) {
        diag_error(l->diags, i->syntax->operands[0].at,
                   "the register count must be a multiple of 8 from 24 to 256");
        return;
    }
    ir_operand count = constant(l, value);
    emit(l, &(struct ir_inst){.op = IR_OP_setmaxnreg, .sub = has(i, W_inc), .sources = 1}, NULL,
         &count);
}

/* alloca.type ptr, size[, alignment] */
void lower_alloca(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct ir_inst inst = {.op = IR_OP_alloca, .type = (uint8_t)type_of(i->types[0]),
                           .type2 = (uint8_t)type_of(i->types[0]),
                           .destinations = 1, .sources = 2};
    uint64_t alignment = 8;

    if (!operand_count(l, i, 2, 3))
        return;
    ir_operand to = destination(l, &operands[0], i->types[0], false);
    ir_operand size = source(l, &operands[1], i->types[0], false);
    if (i->syntax->operand_count == 3 &&
        !integer_constant(l, &operands[2], &alignment))
        return;
    if (!alignment || (alignment & (alignment - 1)) || alignment > 128) {
        diag_error(l->diags, operands[2].at,
                   "the alignment must be a power of two up to 128");
        return;
    }
    if (to && size)
        emit(l, &inst, &to, (ir_operand[2]){size, constant(l, alignment)});
}

/* stacksave d and stackrestore a */
void lower_stack(struct lower *l, struct instruction *i)
{
    bool save = i->form->op == IR_OP_stacksave;
    struct ir_inst inst = {.op = i->form->op, .type = (uint8_t)type_of(i->types[0]),
                           .type2 = (uint8_t)type_of(i->types[0]),
                           .destinations = save, .sources = !save};

    if (!operand_count(l, i, 1, 1))
        return;
    ir_operand value = save ? destination(l, &i->syntax->operands[0], i->types[0], false)
                            : source(l, &i->syntax->operands[0], i->types[0], false);
    if (value)
        emit(l, &inst, &value, &value);
}
