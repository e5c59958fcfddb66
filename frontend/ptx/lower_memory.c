/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_memory.c - loads, stores, atomics, fences and cache hints. */
#include "frontend/ptx/lower_ops.h"

/* The space an instruction names; parameters depend on where they stand:
 * a kernel's own are in PARAM, those of calls in ARGUMENT. */
static enum ir_space memory_space(const struct lower *l, const struct instruction *i)
{
    if (has(i, W_global))
        return IR_SPACE_GLOBAL;
    if (has(i, W_const_))
        return IR_SPACE_CONST;
    if (has(i, W_shared) || has(i, W_shared_cta))
        return IR_SPACE_SHARED;
    if (has(i, W_shared_cluster))
        return IR_SPACE_CLUSTER;
    if (has(i, W_local))
        return IR_SPACE_LOCAL;
    if (has(i, W_param_entry))
        return IR_SPACE_PARAM;
    if (has(i, W_param_func))
        return IR_SPACE_ARGUMENT;
    if (has(i, W_param))
        return l->f->is_kernel ? IR_SPACE_PARAM : IR_SPACE_ARGUMENT;
    return IR_SPACE_GENERIC;
}

static enum ir_scope scope_word(const struct instruction *i, enum ir_scope otherwise)
{
    if (has(i, W_cta))
        return IR_SCOPE_CTA;
    if (has(i, W_cluster))
        return IR_SCOPE_CLUSTER;
    if (has(i, W_gpu) || has(i, W_gl))
        return IR_SCOPE_GPU;
    if (has(i, W_sys))
        return IR_SCOPE_SYS;
    return otherwise;
}

static enum ir_order order_word(const struct instruction *i, enum ir_order otherwise)
{
    if (has(i, W_mmio))
        return IR_ORDER_MMIO;
    if (has(i, W_relaxed))
        return IR_ORDER_RELAXED;
    if (has(i, W_acquire))
        return IR_ORDER_ACQUIRE;
    if (has(i, W_release))
        return IR_ORDER_RELEASE;
    if (has(i, W_acq_rel))
        return IR_ORDER_ACQ_REL;
    if (has(i, W_sc))
        return IR_ORDER_SC;
    if (has(i, W_volatile_))
        return IR_ORDER_VOLATILE;
    return otherwise;
}

static uint8_t vector_size(const struct instruction *i)
{
    return has(i, W_v8) ? 8 : has(i, W_v4) ? 4 : has(i, W_v2) ? 2 : 1;
}

/* Cache operators for code generators: 1 and up in this order. */
static uint8_t cache_hint(const struct instruction *i)
{
    static const uint16_t words[] = {W_ca, W_cg, W_cs, W_lu, W_cv, W_wb, W_wt, W_nc};

    for (uint8_t w = 0; w < sizeof words / sizeof *words; w++)
        if (has(i, words[w]))
            return (uint8_t)(w + 1);
    return 0;
}

static uint8_t eviction(const struct instruction *i, bool second)
{
    return second ? has(i, W_L2_evict_first)       ? IR_EVICT_FIRST
                    : has(i, W_L2_evict_last)      ? IR_EVICT_LAST
                    : has(i, W_L2_evict_unchanged) ? IR_EVICT_UNCHANGED
                    : has(i, W_L2_evict_normal)    ? IR_EVICT_NORMAL
                                                   : IR_EVICT_NONE
           : has(i, W_L1_evict_first)     ? IR_EVICT_FIRST
           : has(i, W_L1_evict_last)      ? IR_EVICT_LAST
           : has(i, W_L1_evict_unchanged) ? IR_EVICT_UNCHANGED
           : has(i, W_L1_no_allocate)     ? IR_EVICT_NO_ALLOCATE
           : has(i, W_L1_evict_normal)    ? IR_EVICT_NORMAL
                                          : IR_EVICT_NONE;
}

uint16_t eviction_hints(const struct instruction *i)
{
    unsigned fetch = has(i, W_L2_256B) ? 3 : has(i, W_L2_128B) ? 2 : has(i, W_L2_64B) ? 1 : 0;
    bool unified = false;

    for (uint32_t o = 0; o < i->syntax->operand_count; o++)
        unified |= i->syntax->operands[o].unified;
    return (uint16_t)(eviction(i, false) | eviction(i, true) << 3 | fetch << 6 |
                      (unified ? IR_HINT_UNIFIED : 0));
}

/* Which modifiers go with which space. PTX ISA, "ld", "st": semantics other
 * than weak, and hints for the L1 and L2 caches, are for memory that others can
 * reach; .nc is for .global. */
static bool space_rules(struct lower *l, struct instruction *i, enum ir_space space)
{
    const struct ptx_instruction *syntax = i->syntax;
    bool global = space == IR_SPACE_GLOBAL || space == IR_SPACE_GENERIC;
    bool reachable = global || space == IR_SPACE_SHARED || space == IR_SPACE_CLUSTER;

    for (uint32_t m = 0; m < syntax->modifier_count; m++) {
        uint32_t word = syntax->modifiers[m].word;
        bool order = word == W_volatile_ || word == W_relaxed || word == W_acquire ||
                     word == W_release || word == W_mmio;
        bool hint = word >= W_L1_evict_normal && word <= W_L2_256B &&
                    word != W_L2_cache_hint;
        if ((order && !reachable) || ((hint || word == W_mmio) && !global) ||
            (word == W_nc && space != IR_SPACE_GLOBAL)) {
            diag_error(l->diags, syntax->modifiers[m].at,
                       "modifier '.%s' cannot be applied to %s space", word_text(word),
                       ir_space_names[space]);
            return false;
        }
        if ((word == W_L2_evict_normal || word == W_L2_evict_first ||
             word == W_L2_evict_last) &&
            word_bits(i->types[0]) * vector_size(i) != 256) {
            diag_error(l->diags, syntax->modifiers[m].at,
                       "modifier '.%s' is for accesses of 256 bits", word_text(word));
            return false;
        }
    }
    return true;
}

/* Order, scope and space of ld and st, with the rules that tie them. */
static bool access(struct lower *l, struct instruction *i, struct ir_inst *inst)
{
    bool strong = has(i, W_relaxed) || has(i, W_acquire) || has(i, W_release);

    if (!space_rules(l, i, memory_space(l, i)))
        return false;
    if (has(i, W_mmio) && !(has(i, W_relaxed) && has(i, W_sys))) {
        diag_error(l->diags, i->at, "'%s': .mmio goes with .relaxed.sys only",
                   instruction_name(i));
        return false;
    }
    inst->order = (uint8_t)order_word(i, IR_ORDER_WEAK);
    inst->scope = (uint8_t)scope_word(i, IR_SCOPE_NONE);
    inst->cache = cache_hint(i);
    inst->hints = eviction_hints(i);
    inst->vector = vector_size(i);
    inst->type = inst->type2 = (uint8_t)type_of(i->types[0]);
    if (strong && inst->scope == IR_SCOPE_NONE) {
        diag_error(l->diags, i->at, "'%s' needs a scope (.cta, .cluster, .gpu or .sys)",
                   instruction_name(i));
        return false;
    }
    if (!strong && inst->scope != IR_SCOPE_NONE) {
        diag_error(l->diags, i->at, "'%s' has a scope but no order",
                   instruction_name(i));
        return false;
    }
    if (inst->order == IR_ORDER_VOLATILE)
        inst->scope = IR_SCOPE_SYS;
    /* 256 bits at once are for global memory (PTX ISA, "ld", "st"). */
    uint32_t bits = word_bits(i->types[0]) * inst->vector;
    enum ir_space space = memory_space(l, i);
    if (bits > 256 || (bits > 128 && space != IR_SPACE_GLOBAL &&
                       space != IR_SPACE_GENERIC) ||
        (bits > 128 && word_bits(i->types[0]) > 64)) {
        diag_error(l->diags, i->at, "'%s' is wider than one access can be",
                   instruction_name(i));
        return false;
    }
    return true;
}

bool policy_operand(struct lower *l, struct instruction *i, uint32_t index, ir_operand *policy)
{
    ir_operand value = has(i, W_L2_cache_hint)
                           ? source(l, &i->syntax->operands[index], W_b64, false)
                           : 0;

    if (!has(i, W_L2_cache_hint))
        return true;
    if (value && ir_operand_kind(value) != IR_OPERAND_REGISTER)
        value = emit_value(l, IR_OP_mov, IR_b64, IR_b64, 0, &value, 1);
    *policy = value;
    return value != 0;
}

/* The cache policy that comes last with .L2::cache_hint. */
static bool cache_policy(struct lower *l, struct instruction *i, uint32_t plain,
                         struct ir_inst *inst)
{
    uint32_t total = plain + has(i, W_L2_cache_hint);

    if (!operand_count(l, i, total, total))
        return false;
    return policy_operand(l, i, plain, &inst->policy);
}

void lower_ld(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands, *items;
    struct ptx_operand storage[4];
    struct ir_inst inst = {.op = IR_OP_ld, .sources = 2};
    struct address from;
    ir_operand to[8];

    inst.extra = l->used_bytes;
    l->used_bytes = 0;
    if (!cache_policy(l, i, 2, &inst) || !access(l, i, &inst))
        return;
    inst.destinations = inst.vector;
    if (!elements(l, &operands[0], inst.vector > 1 ? inst.vector : 0, &items, storage))
        return;
    for (uint32_t k = 0; k < inst.vector; k++) {
        to[k] = inst.vector > 1
            ? destination_or_sink(l, &items[k], i->types[0], true)
            : destination(l, &items[k], i->types[0], true);
        if (!to[k] && items[k].kind != OPERAND_SINK)
            return;
    }
    if (!address(l, &operands[1], memory_space(l, i), &from))
        return;
    if (from.role == ROLE_RESULT) {
        diag_error(l->diags, operands[1].at, "a function cannot read its result");
        return;
    }
    inst.space = (uint8_t)from.space;
    emit(l, &inst, to, (ir_operand[2]){from.base, from.offset});
}

void lower_st(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands, *items;
    struct ptx_operand storage[4];
    struct ir_inst inst = {.op = IR_OP_st};
    struct address to;
    ir_operand sources[10];

    if (!cache_policy(l, i, 2, &inst) || !access(l, i, &inst))
        return;
    if (!address(l, &operands[0], memory_space(l, i), &to) ||
        !elements(l, &operands[1], inst.vector > 1 ? inst.vector : 0, &items, storage))
        return;
    /* Through a register, what a kernel stores to are parameters of calls. */
    if (to.space == IR_SPACE_PARAM && !to.is_direct && !has(i, W_param_entry))
        to.space = IR_SPACE_ARGUMENT;
    if (to.space == IR_SPACE_CONST || to.space == IR_SPACE_PARAM) {
        diag_error(l->diags, i->at, "'%s' writes to .%s, which is read-only",
                   instruction_name(i), ir_space_names[to.space]);
        return;
    }
    if (to.role == ROLE_INPUT) {
        diag_error(l->diags, operands[0].at, "a function cannot write its parameters");
        return;
    }
    sources[0] = to.base;
    sources[1] = to.offset;
    for (uint32_t k = 0; k < inst.vector; k++) {
        sources[2 + k] = source(l, &items[k], i->types[0], true);
        if (!sources[2 + k])
            return;
    }
    inst.space = (uint8_t)to.space;
    inst.sources = (uint16_t)(2 + inst.vector);
    emit(l, &inst, NULL, sources);
}

/* --- atomics: atom [d,] [a], b[, c] and red [a], b --- */

/* The reduction is done element by element by a per-lane operation; 128 bits
 * are only exchanged. */
static bool has_meaning(enum ir_op op, uint32_t type)
{
    if (type == W_b128)
        return op == IR_OP_exch || op == IR_OP_cas;
    return row_type(op, type_of(type), type_of(type)) != IR_none;
}

void lower_atom(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands, *to_items, *items;
    struct ptx_operand to_storage[4], storage[4];
    bool is_red = name_is(i->syntax->opcode, "red");
    bool is_cas = i->form->op == IR_OP_cas;
    uint32_t type = i->types[0], first = is_red ? 0 : 1;
    struct ir_inst inst = {.op = IR_OP_atom, .sub = i->form->op,
                           .type = (uint8_t)type_of(type),
                           .type2 = (uint8_t)type_of(type)};
    struct address at;
    ir_operand to[8], sources[10];

    if (!cache_policy(l, i, first + (is_cas ? 3 : 2), &inst))
        return;
    /* Exchanges are about bits, whatever the width. */
    if (!has_meaning((enum ir_op)i->form->op, type)) {
        unsupported(l, i->at, "no meaning for '%s' yet", instruction_name(i));
        return;
    }
    inst.vector = vector_size(i);
    inst.order = (uint8_t)order_word(i, IR_ORDER_RELAXED);
    inst.scope = (uint8_t)scope_word(i, IR_SCOPE_GPU);
    enum ir_space space = memory_space(l, i);
    if (!address(l, &operands[first], space, &at))
        return;
    if (at.space != IR_SPACE_GENERIC && at.space != IR_SPACE_GLOBAL &&
        at.space != IR_SPACE_SHARED && at.space != IR_SPACE_CLUSTER) {
        diag_error(l->diags, operands[first].at, "'%s' cannot work in .%s",
                   instruction_name(i), ir_space_names[at.space]);
        return;
    }
    if (inst.vector > 1 && (at.space == IR_SPACE_SHARED || at.space == IR_SPACE_CLUSTER)) {
        diag_error(l->diags, i->at, "'%s': vectors are for global memory",
                   instruction_name(i));
        return;
    }
    if (inst.vector * word_bits(type) > 128) {
        diag_error(l->diags, i->at, "'%s' is wider than one access can be",
                   instruction_name(i));
        return;
    }
    inst.space = (uint8_t)at.space;
    if (!is_red && operands[0].kind != OPERAND_SINK) {
        inst.destinations = inst.vector;
        if (!elements(l, &operands[0], inst.vector > 1 ? inst.vector : 0, &to_items,
                      to_storage))
            return;
        for (uint32_t k = 0; k < inst.vector; k++) {
            to[k] = destination_or_sink(l, &to_items[k], type, false);
            if (!to[k] && to_items[k].kind != OPERAND_SINK)
                return;
        }
    }
    sources[0] = at.base;
    sources[1] = at.offset;
    inst.sources = 2;
    if (!elements(l, &operands[first + 1], inst.vector > 1 ? inst.vector : 0, &items,
                  storage))
        return;
    for (uint32_t k = 0; k < inst.vector; k++) {
        sources[inst.sources] = source(l, &items[k], type, false);
        if (!sources[inst.sources++])
            return;
    }
    if (is_cas) {
        sources[inst.sources] = source(l, &operands[first + 2], type, false);
        if (!sources[inst.sources++])
            return;
    }
    emit(l, &inst, to, sources);
}

/* --- fences --- */

/* membar.level is fence.sc of that scope (PTX ISA, "membar / fence"). */
void lower_fence(struct lower *l, struct instruction *i)
{
    bool is_membar = name_is(i->syntax->opcode, "membar");
    struct ir_inst inst = {
        .op = IR_OP_fence,
        .order = (uint8_t)order_word(i, is_membar ? IR_ORDER_SC : IR_ORDER_ACQ_REL),
        .scope = (uint8_t)scope_word(i, IR_SCOPE_GPU),
    };

    if (operand_count(l, i, 0, 0))
        emit(l, &inst, NULL, NULL);
}

void lower_fence_proxy(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {.op = IR_OP_fence_proxy};
    bool tensormap = has(i, W_tensormap_generic);
    uint32_t most = tensormap && has(i, W_acquire) ? 2 : 0;
    struct address at;

    if (!operand_count(l, i, most, most))
        return;
    if (tensormap) {
        uint64_t size;
        inst.sub = IR_PROXY_TENSORMAP;
        if (most && (!address(l, &i->syntax->operands[0], IR_SPACE_GENERIC, &at) ||
                     !integer_constant(l, &i->syntax->operands[1], &size)))
            return;
    } else if (has(i, W_alias)) {
        inst.sub = IR_PROXY_ALIAS;
    } else if (has(i, W_global)) {
        inst.sub = IR_PROXY_ASYNC_GLOBAL;
    } else if (has(i, W_shared_cta)) {
        inst.sub = IR_PROXY_ASYNC_SHARED_CTA;
    } else if (has(i, W_shared_cluster)) {
        inst.sub = IR_PROXY_ASYNC_SHARED_CLUSTER;
    } else {
        inst.sub = IR_PROXY_ASYNC;
    }
    inst.order = (uint8_t)order_word(i, IR_ORDER_WEAK);
    inst.scope = (uint8_t)scope_word(i, IR_SCOPE_NONE);
    emit(l, &inst, NULL, NULL);
}

/* --- cache hints --- */

/* prefetch, applypriority and discard. The last two have a size, 128. */
void lower_prefetch(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    bool sized = !name_is(i->syntax->opcode, "prefetch") &&
                 !name_is(i->syntax->opcode, "prefetchu");
    struct ir_inst inst = {.op = IR_OP_prefetch, .sources = 2};
    struct address at;
    uint64_t size;

    if (!operand_count(l, i, 1 + sized, 1 + sized) ||
        !address(l, &operands[0], memory_space(l, i), &at))
        return;
    if (sized && (!integer_constant(l, &operands[1], &size) || size != 128)) {
        diag_error(l->diags, operands[1].at, "the size must be 128");
        return;
    }
    inst.space = (uint8_t)at.space;
    inst.sub = name_is(i->syntax->opcode, "applypriority") ? IR_PREFETCH_PRIORITY
               : name_is(i->syntax->opcode, "discard")     ? IR_PREFETCH_DISCARD
               : name_is(i->syntax->opcode, "prefetchu")   ? IR_PREFETCH_UNIFORM
               : has(i, W_L1)                              ? IR_PREFETCH_L1
               : has(i, W_L2_evict_last)                   ? IR_PREFETCH_L2_EVICT_LAST
               : has(i, W_L2_evict_normal)                 ? IR_PREFETCH_L2_EVICT_NORMAL
                                                           : IR_PREFETCH_L2;
    emit(l, &inst, NULL, (ir_operand[2]){at.base, at.offset});
}

/* The priorities in the order in which they stand. */
static uint16_t policy_sub(const struct instruction *i)
{
    const struct ptx_instruction *syntax = i->syntax;
    unsigned sub = has(i, W_range) ? IR_POLICY_RANGE : has(i, W_cvt) ? IR_POLICY_CONVERT : 0;
    unsigned shift = 2;

    for (uint32_t m = 0; m < syntax->modifier_count; m++) {
        uint32_t word = syntax->modifiers[m].word;
        unsigned value = word == W_L2_evict_normal      ? IR_EVICT_NORMAL
                         : word == W_L2_evict_unchanged ? IR_EVICT_UNCHANGED
                         : word == W_L2_evict_first     ? IR_EVICT_FIRST
                         : word == W_L2_evict_last      ? IR_EVICT_LAST
                                                        : IR_EVICT_NONE;
        if (value && shift <= 5) {
            sub |= value << shift;
            shift += 3;
        }
    }
    return (uint16_t)sub;
}

void lower_createpolicy(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;
    struct ir_inst inst = {.op = IR_OP_createpolicy, .type = IR_b64, .type2 = IR_b64,
                           .sub = policy_sub(i), .destinations = 1};
    ir_operand sources[3];

    ir_operand to = 0;
    if (has(i, W_range)) {
        struct address at;
        if (!operand_count(l, i, 4, 4) ||
            !address(l, &operands[1], memory_space(l, i), &at))
            return;
        inst.space = (uint8_t)at.space;
        sources[0] = at.base;
        if (l->f->constants[ir_operand_index(at.offset)].value)
            sources[0] = emit_value(l, IR_OP_add, IR_u64, IR_u64, 0,
                                    (ir_operand[2]){at.base, at.offset}, 2);
        sources[1] = source(l, &operands[2], W_u32, false);
        sources[2] = source(l, &operands[3], W_u32, false);
        inst.sources = 3;
    } else if (has(i, W_cvt)) {
        if (!operand_count(l, i, 2, 2))
            return;
        sources[0] = source(l, &operands[1], W_b64, false);
        inst.sources = 1;
    } else {
        if (!operand_count(l, i, 1, 2))
            return;
        if (i->syntax->operand_count == 2)
            sources[inst.sources++] = source(l, &operands[1], W_f32, false);
    }
    to = destination(l, &operands[0], W_b64, false);
    for (uint32_t k = 0; k < inst.sources; k++)
        if (!sources[k])
            return;
    if (to)
        emit(l, &inst, &to, sources);
}
