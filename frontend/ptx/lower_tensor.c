/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_tensor.c - cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, their prefetch, and
 * tensormap. */
#include "base/tensor_map.h"
#include "frontend/ptx/lower_ops.h"
#include "ir/tensor.h"

/* --- copies ------------------------------------------------------------------------------- */

static unsigned rank_word(const struct instruction *i)
{
    return has(i, W_1d) ? 1 : has(i, W_2d) ? 2 : has(i, W_3d) ? 3 : has(i, W_4d) ? 4 : 5;
}

static unsigned reduction_word(const struct instruction *i)
{
    static const struct {
        uint32_t word;
        unsigned sub;
    } words[] = {
        {W_add, IR_TENSOR_ADD}, {W_min, IR_TENSOR_MIN}, {W_max, IR_TENSOR_MAX},
        {W_inc, IR_TENSOR_INC}, {W_dec, IR_TENSOR_DEC}, {W_and, IR_TENSOR_AND},
        {W_or, IR_TENSOR_OR},   {W_xor, IR_TENSOR_XOR}};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (has(i, words[w].word))
            return words[w].sub;
    return 0;
}

static uint16_t tensor_sub(const struct instruction *i)
{
    unsigned sub = 0;

    if (has(i, W_im2col) || has(i, W_im2col_no_offs))
        sub |= IR_TENSOR_IM2COL;
    if (has(i, W_multicast_cluster))
        sub |= IR_TENSOR_MULTICAST;
    if (has(i, W_prefetch))
        sub |= IR_TENSOR_PREFETCH;
    if (has(i, W_bulk_group))
        sub |= IR_TENSOR_STORE;
    return (uint16_t)(sub | (has(i, W_reduce) ? reduction_word(i) : 0));
}

/* count values of a vector operand, as words of 32 bits. */
static bool values(struct lower *l, const struct ptx_operand *operand, unsigned count,
                   uint32_t type, ir_operand *sources)
{
    const struct ptx_operand *items;
    struct ptx_operand storage[4];

    if (!elements(l, operand, count, &items, storage))
        return false;
    for (unsigned k = 0; k < count; k++) {
        ir_operand value = source(l, &items[k], type, false);
        if (!value)
            return false;
        sources[k] = type == W_u16 ? emit_value(l, IR_OP_cvt, IR_u32, IR_u16, 0, &value, 1) : value;
    }
    return true;
}

/* [map, {coordinates}]: the map's generic address as source 0, and the coordinates. */
static bool map_operand(struct lower *l, const struct ptx_operand *operand, unsigned rank,
                        ir_operand *sources)
{
    struct ptx_operand plain = *operand;

    if (operand->kind != OPERAND_ADDRESS || operand->count != 1) {
        instruction_error(l, operand->at, "must be [tensor map, {coordinates}]");
        return false;
    }
    plain.count = 0;
    sources[0] = flat_address(l, &plain, IR_SPACE_GENERIC);
    return sources[0] &&
           values(l, &operand->items[0], rank, W_s32, sources + IR_TENSOR_COORDINATES);
}

/* load      [dst], [map, {c}], [mbar]{, {offsets}}{, blocks}{, policy}
 * store     [map, {c}], [src]{, policy}, and reductions
 * prefetch  [map, {c}]{, {offsets}}{, policy} */
void lower_tensor(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint16_t sub = tensor_sub(i);
    bool store = sub & IR_TENSOR_STORE, prefetch = sub & IR_TENSOR_PREFETCH;
    bool load = !store && !prefetch;
    unsigned rank = rank_word(i), offsets = sub & IR_TENSOR_IM2COL && !store ? rank - 2 : 0;
    uint32_t next = load ? 3 : store ? 2 : 1;
    uint32_t count = next + !!offsets + !!(sub & IR_TENSOR_MULTICAST) + has(i, W_L2_cache_hint);
    ir_operand sources[IR_TENSOR_COORDINATES + 8];
    struct ir_inst inst = {.op = IR_OP_tensor, .sub = sub,
                           .sources = (uint16_t)(IR_TENSOR_COORDINATES + rank + offsets)};

    if (sub & IR_TENSOR_IM2COL && rank < 3) {
        diag_error(l->diags, i->at, "'%s': im2col is for 3 to 5 dimensions",
                   instruction_name(i));
        return;
    }
    if (!operand_count(l, i, count, count) ||
        !map_operand(l, &operands[load ? 1 : 0], rank, sources))
        return;
    sources[IR_TENSOR_SHARED] =
        load    ? flat_address(l, &operands[0], IR_SPACE_CLUSTER)
        : store ? flat_address(l, &operands[1], IR_SPACE_SHARED)
                : constant(l, 0);
    sources[IR_TENSOR_BARRIER] =
        load ? flat_address(l, &operands[2], IR_SPACE_CLUSTER) : constant(l, 0);
    sources[IR_TENSOR_BLOCKS] = constant(l, 0);
    if (offsets && !values(l, &operands[next++], offsets, W_u16,
                           sources + IR_TENSOR_COORDINATES + rank))
        return;
    if (sub & IR_TENSOR_MULTICAST) {
        ir_operand blocks = source(l, &operands[next++], W_u16, false);
        sources[IR_TENSOR_BLOCKS] =
            blocks ? emit_value(l, IR_OP_cvt, IR_u32, IR_u16, 0, &blocks, 1) : 0;
    }
    if (has(i, W_L2_cache_hint) && !source(l, &operands[next], W_b64, false))
        return;
    for (unsigned k = 0; k < IR_TENSOR_COORDINATES; k++)
        if (!sources[k])
            return;
    emit(l, &inst, NULL, sources);
}

/* --- tensormap ------------------------------------------------------------------------------ */

/* The field, and how many of it there are when it has an ordinal. */
static unsigned field_word(const struct instruction *i, unsigned *ordinals)
{
    static const struct {
        uint32_t word;
        unsigned field, ordinals;
    } words[] = {
        {W_global_address, TENSOR_FIELD_ADDRESS, 0}, {W_rank, TENSOR_FIELD_RANK, 0},
        {W_box_dim, TENSOR_FIELD_BOX, 5},            {W_global_dim, TENSOR_FIELD_SIZE, 5},
        {W_global_stride, TENSOR_FIELD_STRIDE, 4},   {W_element_stride, TENSOR_FIELD_STEP, 5},
        {W_elemtype, TENSOR_FIELD_TYPE, 0},          {W_interleave_layout, TENSOR_FIELD_INTERLEAVE, 0},
        {W_swizzle_mode, TENSOR_FIELD_SWIZZLE, 0},   {W_fill_mode, TENSOR_FIELD_FILL, 0}};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (has(i, words[w].word)) {
            *ordinals = words[w].ordinals;
            return words[w].field;
        }
    return 0;
}

/* Values of the fields that take a constant. */
static unsigned field_limit(unsigned field)
{
    switch (field) {
    case TENSOR_FIELD_TYPE: return 12;
    case TENSOR_FIELD_INTERLEAVE: return 2;
    case TENSOR_FIELD_SWIZZLE: return 3;
    case TENSOR_FIELD_FILL: return 1;
    default: return 0;
    }
}

/* tensormap.replace.tile.field{.ss}.b1024.type [map], {ordinal,} value */
void lower_tensormap_replace(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    unsigned ordinals = 0, field = field_word(i, &ordinals), limit = field_limit(field);
    struct ir_inst inst = {.op = IR_OP_tensormap_replace, .sources = 3};
    uint64_t number = 0;
    ir_operand value;
    struct address at;

    if (!operand_count(l, i, 2 + !!ordinals, 2 + !!ordinals))
        return;
    if (ordinals && !integer_constant(l, &operands[1], &number))
        return;
    if (number >= (ordinals ? ordinals : 1)) {
        diag_error(l->diags, operands[1].at, "the ordinal must be below %u", ordinals);
        return;
    }
    inst.sub = (uint16_t)(field + number);
    const struct ptx_operand *last = &operands[1 + !!ordinals];
    if (limit) {
        if (!integer_constant(l, last, &number))
            return;
        if (number > limit) {
            diag_error(l->diags, last->at, "there is no such value; %u is the last one", limit);
            return;
        }
        value = constant(l, number);
    } else {
        value = source(l, last, i->types[1], false);
        if (value && word_bits(i->types[1]) == 32)
            value = emit_value(l, IR_OP_cvt, IR_u64, IR_u32, 0, &value, 1);
    }
    enum ir_space space = has(i, W_global)       ? IR_SPACE_GLOBAL
                          : has(i, W_shared_cta) ? IR_SPACE_SHARED
                                                 : IR_SPACE_GENERIC;
    if (!value || !address(l, &operands[0], space, &at))
        return;
    inst.space = (uint8_t)at.space;
    emit(l, &inst, NULL, (ir_operand[3]){at.base, at.offset, value});
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned
 * [to], [from], 128 */
void lower_tensormap_copy(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct ir_inst inst = {.op = IR_OP_tensormap_copy, .sources = 2, .order = IR_ORDER_RELEASE,
                           .scope = has(i, W_cta)       ? IR_SCOPE_CTA
                                    : has(i, W_cluster) ? IR_SCOPE_CLUSTER
                                    : has(i, W_gpu)     ? IR_SCOPE_GPU
                                                        : IR_SCOPE_SYS};
    ir_operand sources[2];
    uint64_t size;

    if (!operand_count(l, i, 3, 3) || !integer_constant(l, &operands[2], &size))
        return;
    if (size != 128) {
        diag_error(l->diags, operands[2].at, "the size must be 128");
        return;
    }
    sources[0] = flat_address(l, &operands[0], IR_SPACE_GLOBAL);
    sources[1] = flat_address(l, &operands[1], IR_SPACE_SHARED);
    if (sources[0] && sources[1])
        emit(l, &inst, NULL, sources);
}
