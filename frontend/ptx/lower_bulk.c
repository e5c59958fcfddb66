/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_bulk.c - cp.async.bulk, cp.reduce.async.bulk and their groups; st.async and
 * red.async. */
#include "frontend/ptx/lower_ops.h"

ir_operand flat_address(struct lower *l, const struct ptx_operand *operand,
                               enum ir_space space)
{
    struct address at;

    if (!address(l, operand, space, &at))
        return 0;
    ir_operand base = at.base;
    if (ir_operand_kind(base) == IR_OPERAND_REGISTER) {
        if (l->f->registers[ir_operand_index(base)].width == IR_b32)
            base = emit_value(l, IR_OP_cvt, IR_u64, IR_u32, 0, &base, 1);
    } else {
        base = emit_value(l, IR_OP_mov, IR_b64, IR_b64, 0, &base, 1);
    }
    if (l->f->constants[ir_operand_index(at.offset)].value)
        base = emit_value(l, IR_OP_add, IR_u64, IR_u64, 0, (ir_operand[2]){base, at.offset}, 2);
    return base;
}

/* cp.async.bulk.dst.src.mbarrier... [dst], [src], size, [mbar]{, mask}{, policy}
 * cp.async.bulk.global.shared::cta.bulk_group [dst], [src], size{, policy}
 * cp.reduce.async.bulk, likewise, with an operation and a type */
static void bulk(struct lower *l, struct instruction *i, bool reduces)
{
    const struct ptx_operand *operands = i->syntax->operands;
    bool group = has(i, W_bulk_group);
    bool multicast = has(i, W_multicast_cluster), load = !reduces && has(i, W_global) && !group;
    uint32_t count = 3 + !group + multicast + has(i, W_L2_cache_hint), next = 3;
    struct ir_inst inst = {.op = reduces ? IR_OP_bulk_reduce : IR_OP_bulk, .sources = 5};
    ir_operand sources[5];

    if (!operand_count(l, i, count, count))
        return;
    sources[0] = flat_address(l, &operands[0], group ? IR_SPACE_GLOBAL : IR_SPACE_CLUSTER);
    sources[1] = flat_address(l, &operands[1], load ? IR_SPACE_GLOBAL : IR_SPACE_SHARED);
    sources[2] = source(l, &operands[2], W_u32, false);
    sources[3] = group ? constant(l, 0) : flat_address(l, &operands[next++], IR_SPACE_CLUSTER);
    sources[4] = multicast ? source(l, &operands[next++], W_u16, false) : constant(l, 0);
    if (!policy_operand(l, i, next, &inst.policy))
        return;
    for (unsigned k = 0; k < 5; k++)
        if (!sources[k])
            return;
    if (multicast)
        sources[4] = emit_value(l, IR_OP_cvt, IR_u32, IR_u16, 0, &sources[4], 1);
    if (reduces) {
        inst.sub = i->form->op;
        inst.type = inst.type2 = (uint8_t)type_of(i->types[0]);
        inst.space = group ? IR_SPACE_GLOBAL : IR_SPACE_CLUSTER;
    } else {
        inst.sub = multicast ? IR_BULK_MULTICAST
                   : load    ? IR_BULK_LOAD
                   : group   ? IR_BULK_STORE
                             : IR_BULK_CLUSTER;
    }
    emit(l, &inst, NULL, sources);
}

void lower_bulk(struct lower *l, struct instruction *i)
{
    bulk(l, i, false);
}

void lower_bulk_reduce(struct lower *l, struct instruction *i)
{
    bulk(l, i, true);
}

void lower_bulk_group(struct lower *l, struct instruction *i)
{
    bool wait = i->form->op == IR_OP_bulk_wait;
    struct ir_inst inst = {.op = i->form->op, .sources = wait,
                           .sub = has(i, W_read) ? IR_BULK_WAIT_READ : 0};
    uint64_t pending;
    ir_operand count = 0;

    if (!operand_count(l, i, wait, wait))
        return;
    if (wait) {
        if (!integer_constant(l, &i->syntax->operands[0], &pending))
            return;
        count = constant(l, pending);
    }
    emit(l, &inst, NULL, &count);
}

/* cp.async.bulk.prefetch.L2.global [src], size{, policy}: a hint. */
void lower_bulk_prefetch(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t count = 2 + has(i, W_L2_cache_hint);
    struct ir_inst inst = {.op = IR_OP_prefetch, .space = IR_SPACE_GLOBAL, .sources = 2};
    struct address at;
    uint64_t size;

    if (!operand_count(l, i, count, count) ||
        !address(l, &operands[0], IR_SPACE_GLOBAL, &at) ||
        !source(l, &operands[1], W_u32, false) || !policy_operand(l, i, 2, &inst.policy))
        return;
    if (operands[1].kind == OPERAND_CONSTANT && integer_constant(l, &operands[1], &size)) {
        inst.sub = IR_PREFETCH_BULK;
        inst.extra = (uint32_t)size;
    }
    emit(l, &inst, NULL, (ir_operand[2]){at.base, at.offset});
}

/* --- st.async [a], b, [mbar] and red.async likewise ------------------------------------- */

static enum ir_space remote_space(const struct instruction *i)
{
    return has(i, W_shared_cta)       ? IR_SPACE_SHARED
           : has(i, W_shared_cluster) ? IR_SPACE_CLUSTER
                                      : IR_SPACE_GENERIC;
}

/* Emits with the addresses of operands 0 and 2 and the elements of operand 1. */
static void store_async(struct lower *l, struct instruction *i, struct ir_inst *inst,
                        uint32_t count)
{
    const struct ptx_operand *operands = i->syntax->operands, *items;
    struct ptx_operand storage[4];
    ir_operand sources[6];

    if (!operand_count(l, i, 3, 3) ||
        !elements(l, &operands[1], count > 1 ? count : 0, &items, storage))
        return;
    inst->type = inst->type2 = (uint8_t)type_of(i->types[0]);
    inst->space = (uint8_t)remote_space(i);
    inst->sources = (uint16_t)(2 + count);
    sources[0] = flat_address(l, &operands[0], remote_space(i));
    sources[1] = flat_address(l, &operands[2], remote_space(i));
    for (uint32_t k = 0; k < count; k++)
        sources[2 + k] = source(l, &items[k], i->types[0], false);
    for (uint32_t k = 0; k < 2 + count; k++)
        if (!sources[k])
            return;
    emit(l, inst, NULL, sources);
}

void lower_st_async(struct lower *l, struct instruction *i)
{
    uint32_t count = has(i, W_v4) ? 4 : has(i, W_v2) ? 2 : 1;
    struct ir_inst inst = {.op = IR_OP_st_async, .vector = (uint8_t)count};

    if (count * word_bits(i->types[0]) > 128) {
        diag_error(l->diags, i->at, "'%s' is wider than one access can be",
                   instruction_name(i));
        return;
    }
    store_async(l, i, &inst, count);
}

void lower_red_async(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_red_async, .sub = i->form->op,
                           .order = IR_ORDER_RELAXED, .scope = IR_SCOPE_CLUSTER};

    store_async(l, i, &inst, 1);
}
