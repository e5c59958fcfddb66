/* SPDX-License-Identifier: Apache-2.0
 *
 * contract.c - products and sums that the machine computes as one.
 *
 * PTX ISA, "mul" and "add": without a rounding modifier, a mul and an add or sub of
 * its result may become one fma. Measured on H200 (conformance/kernels/contract): ptxas
 * does that where sums of the same block are the product's only uses, for all types; of
 * two products that each have one use the first goes into the fma, and a product with
 * one use goes before one with several. It looks at values, not at registers: through
 * moves and negations, and at factors whose register holds something else by then.
 * Doing the same is what makes the bits of compiled code come out
 * (docs/hardware-notes.md). */
#include "frontend/ptx/lower.h"

#include <string.h>

#include "frontend/ptx/values.h"

struct contraction {
    struct lower *l;
    struct ir_function *f;
    struct arena *arena;
    struct values *values;
    bool *loose;       /* by instruction: it had no rounding modifier */
    bool *needed;      /* by instruction: it has an effect, or what it makes is used */
    struct {
        ir_value *items;
        uint32_t count, capacity;
    } work;
    struct {
        bool *items;
        uint32_t count, capacity;
    } merge_needed; /* by number of the merge; beyond the end: not */
    bool *holds;       /* by register: a product is written to it, or a copy of one */
    uint32_t *leader;  /* by instruction: the first mul of the block with the same factors */
    uint32_t *uses;    /* by instruction: of the product, however copied or negated */
    uint32_t *product; /* by instruction: the mul to take into this sum, + 1 */
    uint8_t *how;      /* by instruction: of the product in the sum */
    bool *gone;        /* muls that were taken */
    bool *kept;        /* those of them that stay nevertheless */
    bool unknown;      /* there are sources whose value was not found out */
    uint32_t taken;
    uint32_t *sums;    /* by product: how many uses are sums of its block */
    uint32_t *fused;   /* by product: how many of those took it */
    uint32_t *last_sum;             /* by mul that was taken */
    ir_operand *factors;            /* two for each mul that was taken */
    uint32_t *begin;                /* of blocks in the new text */
};

enum { PRODUCT_SECOND = 1, PRODUCT_NEGATIVE = 2 };

static uint32_t register_of(ir_operand operand)
{
    return ir_operand_kind(operand) == IR_OPERAND_REGISTER ? ir_operand_index(operand)
                                                           : UINT32_MAX;
}

static bool is_product(const struct contraction *c, uint32_t i)
{
    return c->loose[i] && c->f->insts[i].op == IR_OP_mul && !c->f->insts[i].guard;
}

/* Copies and negated copies: no uses of their own. */
static bool is_copy(const struct contraction *c, uint32_t i)
{
    const struct ir_inst *inst = &c->f->insts[i];

    return !inst->guard && (inst->op == IR_OP_mov || (inst->op == IR_OP_neg &&
                                                      ir_types[inst->type].kind == IR_KIND_F));
}

/* --- what is needed --------------------------------------------------------------------- */

static void need(struct contraction *c, ir_value value)
{
    if (value == VALUE_NONE)
        return;
    if (value == VALUE_UNKNOWN) {
        c->unknown = true;
        return;
    }
    *ARENA_PUSH(c->arena, &c->work) = value;
}

static void need_sources(struct contraction *c, uint32_t i)
{
    const struct ir_inst *inst = &c->f->insts[i];

    for (uint32_t k = 0; k < inst->sources; k++) {
        uint32_t reg = register_of(ir_sources(c->f, inst)[k]);
        if (reg != UINT32_MAX)
            need(c, value_before(c->values, reg, i));
    }
    if (register_of(inst->guard) == UINT32_MAX)
        return;
    /* Lanes that the guard leaves out keep what the register held. */
    need(c, value_before(c->values, register_of(inst->guard), i));
    for (uint32_t k = 0; k < inst->destinations; k++) {
        uint32_t reg = register_of(ir_destinations(c->f, inst)[k]);
        if (reg != UINT32_MAX)
            need(c, value_before(c->values, reg, i));
    }
}

/* Marks what has an effect or makes a value that is used; ptxas leaves the rest out before
 * it contracts. */
static void mark_needed(struct contraction *c)
{
    for (uint32_t i = 0; i < c->f->inst_count; i++) {
        if (ir_ops[c->f->insts[i].op].group == IR_GROUP_LANE || !value_reached(c->values, i))
            continue;
        c->needed[i] = true;
        need_sources(c, i);
    }
    while (c->work.count) {
        ir_value value = c->work.items[--c->work.count], input;
        uint32_t maker = value_maker(c->values, value);
        if (maker != UINT32_MAX) {
            if (c->needed[maker])
                continue;
            c->needed[maker] = true;
            need_sources(c, maker);
            continue;
        }
        while (c->merge_needed.count <= (value & ~VALUE_MERGED))
            *ARENA_PUSH(c->arena, &c->merge_needed) = false;
        if (c->merge_needed.items[value & ~VALUE_MERGED])
            continue;
        c->merge_needed.items[value & ~VALUE_MERGED] = true;
        for (uint32_t k = 0; value_input(c->values, value, k, &input); k++)
            need(c, input);
    }
}

/* --- uses ------------------------------------------------------------------------------- */

/* Registers that products are written to, and copies of them. */
static void mark_holders(struct contraction *c)
{
    const struct ir_function *f = c->f;
    /* The copies of each register, as lists; a register is worked on once. */
    uint32_t *copies = ARENA_NEW_ARRAY(c->arena, f->register_count, uint32_t);
    uint32_t *next = ARENA_NEW_ARRAY(c->arena, f->inst_count, uint32_t);
    uint32_t *work = ARENA_NEW_ARRAY(c->arena, f->register_count, uint32_t), count = 0;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        const struct ir_inst *inst = &f->insts[i];
        uint32_t to = inst->destinations == 1 ? register_of(ir_destinations(f, inst)[0])
                                              : UINT32_MAX;
        if (to == UINT32_MAX)
            continue;
        if (is_product(c, i) && !c->holds[to]) {
            c->holds[to] = true;
            work[count++] = to;
        } else if (is_copy(c, i)) {
            uint32_t from = register_of(ir_sources(f, inst)[0]);
            if (from == UINT32_MAX)
                continue;
            next[i] = copies[from];
            copies[from] = i + 1;
        }
    }
    while (count) {
        uint32_t from = work[--count];
        for (uint32_t i = copies[from]; i; i = next[i - 1]) {
            uint32_t to = register_of(ir_destinations(f, &f->insts[i - 1])[0]);
            if (!c->holds[to]) {
                c->holds[to] = true;
                work[count++] = to;
            }
        }
    }
}

/* Products of a block with the same factors are the same number: adding two such is not
 * contracted, but subtracting is. */
static void join_products(struct contraction *c)
{
    struct map first = {0};

    for (uint32_t i = 0; i < c->f->inst_count; i++) {
        const struct ir_inst *inst = &c->f->insts[i];
        struct key {
            uint32_t block, type, mode, factor[2][2];
        } *key;
        c->leader[i] = i;
        if (!is_product(c, i) || !c->needed[i])
            continue;
        key = ARENA_NEW(c->arena, struct key);
        *key = (struct key){value_block(c->values, i), inst->type, inst->mode, {{0}}};
        for (uint32_t s = 0; s < 2; s++) {
            ir_operand factor = ir_sources(c->f, inst)[s];
            bool in_register = register_of(factor) != UINT32_MAX;
            key->factor[s][0] = in_register;
            key->factor[s][1] = in_register ? value_of_source(c->values, factor, i,
                                                              THROUGH_MOVES).value : factor;
        }
        if (key->factor[0][1] > key->factor[1][1]) {
            uint32_t swapped[2];
            memcpy(swapped, key->factor[0], sizeof swapped);
            memcpy(key->factor[0], key->factor[1], sizeof swapped);
            memcpy(key->factor[1], swapped, sizeof swapped);
        }
        if (!map_get(&first, (const char *)key, sizeof *key, &c->leader[i]))
            map_set(c->arena, &first, (const char *)key, sizeof *key, i);
    }
}

/* The mul whose product the source is, perhaps negated, as found says; UINT32_MAX: none. */
static uint32_t product_of(struct contraction *c, ir_operand source, uint32_t inst,
                           struct source_value *found)
{
    if (register_of(source) == UINT32_MAX || !c->holds[register_of(source)])
        return UINT32_MAX;
    *found = value_of_source(c->values, source, inst, THROUGH_NEGATIONS);
    c->unknown |= found->value == VALUE_UNKNOWN;
    uint32_t maker = value_maker(c->values, found->value);
    return maker != UINT32_MAX && is_product(c, maker) ? maker : UINT32_MAX;
}

static void count_use(struct contraction *c, ir_operand source, uint32_t inst)
{
    struct source_value found;
    uint32_t mul = product_of(c, source, inst, &found);

    if (mul != UINT32_MAX)
        c->uses[mul]++;
}

static void count_uses(struct contraction *c)
{
    const struct ir_function *f = c->f;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        const struct ir_inst *inst = &f->insts[i];
        if (!c->needed[i] || is_copy(c, i))
            continue;
        for (uint32_t k = 0; k < inst->sources; k++)
            count_use(c, ir_sources(f, inst)[k], i);
        /* Lanes that the guard leaves out keep what the register held. */
        for (uint32_t k = 0; inst->guard && k < inst->destinations; k++)
            count_use(c, ir_destinations(f, inst)[k], i);
    }
    /* What comes into a merge is used there, and no sum is. */
    for (uint32_t m = 0; m < c->merge_needed.count; m++) {
        ir_value input;
        if (!c->merge_needed.items[m] || !c->holds[value_register(c->values, VALUE_MERGED | m)])
            continue;
        for (uint32_t k = 0; value_input(c->values, VALUE_MERGED | m, k, &input); k++) {
            uint32_t maker = value_maker(c->values, input);
            if (maker != UINT32_MAX && is_product(c, maker))
                c->uses[maker]++;
            else if (maker != UINT32_MAX && is_copy(c, maker))
                count_use(c, ir_sources(f, &f->insts[maker])[0], maker);
        }
    }
}

/* --- the choice --------------------------------------------------------------------------- */

static bool is_sum(const struct contraction *c, uint32_t i)
{
    return c->loose[i] && c->needed[i] && !c->product[i] &&
           (c->f->insts[i].op == IR_OP_add || c->f->insts[i].op == IR_OP_sub);
}

/* The product that source `which` of the sum is, if it can be taken there. */
static uint32_t product_for(struct contraction *c, uint32_t sum, uint32_t which, uint8_t *how)
{
    const struct ir_inst *inst = &c->f->insts[sum];
    struct source_value found;
    uint32_t i = product_of(c, ir_sources(c->f, inst)[which], sum, &found);

    if (i == UINT32_MAX || !found.straight)
        return UINT32_MAX;
    const struct ir_inst *mul = &c->f->insts[i];
    if (mul->type != inst->type || mul->mode != (inst->mode & ~MODE_SAT) || found.mixed ||
        (found.type != IR_none && found.type != inst->type) || (found.mode & ~mul->mode))
        return UINT32_MAX;
    *how = (uint8_t)((which ? PRODUCT_SECOND : 0) |
                     (found.negative ^ (which && inst->op == IR_OP_sub) ? PRODUCT_NEGATIVE : 0));
    return i;
}

static void take(struct contraction *c, uint32_t sum, uint32_t mul, uint8_t how)
{
    c->product[sum] = mul + 1;
    c->how[sum] = how;
    c->gone[mul] = true;
    c->fused[mul]++;
    c->last_sum[mul] = sum;
    c->taken++;
}

/* The products that a sum could take. */
struct choice {
    uint32_t mul[2];
    uint8_t how[2];
};

static struct choice choices_for(struct contraction *c, uint32_t sum)
{
    struct choice choice = {{UINT32_MAX, UINT32_MAX}, {0}};

    for (uint32_t s = 0; s < 2; s++)
        choice.mul[s] = product_for(c, sum, s, &choice.how[s]);
    bool both = choice.mul[0] != UINT32_MAX && choice.mul[1] != UINT32_MAX;
    bool adds = c->f->insts[sum].op == IR_OP_add &&
                !((choice.how[0] ^ choice.how[1]) & PRODUCT_NEGATIVE);
    if (both && (choice.mul[0] == choice.mul[1] ||
                 (adds && c->leader[choice.mul[0]] == c->leader[choice.mul[1]])))
        choice.mul[0] = choice.mul[1] = UINT32_MAX;
    return choice;
}

/* Products with one use into their sums; then those with several, if sums that are still
 * free are all of them. Of two in a sum the first. */
static void choose_in(struct contraction *c, uint32_t first, uint32_t end, bool shared)
{
    for (uint32_t i = first; i < end && shared; i++) {
        if (!is_sum(c, i))
            continue;
        struct choice choice = choices_for(c, i);
        for (uint32_t s = 0; s < 2; s++)
            if (choice.mul[s] != UINT32_MAX)
                c->sums[choice.mul[s]]++;
    }
    for (uint32_t i = first; i < end; i++) {
        if (!is_sum(c, i))
            continue;
        struct choice choice = choices_for(c, i);
        for (uint32_t s = 0; s < 2 && is_sum(c, i); s++) {
            uint32_t mul = choice.mul[s];
            if (mul != UINT32_MAX && c->uses[mul] == (shared ? c->sums[mul] : 1))
                take(c, i, mul, choice.how[s]);
        }
    }
}

static void choose(struct contraction *c)
{
    for (uint32_t first = 0, end; first < c->f->inst_count; first = end) {
        uint32_t block = value_block(c->values, first);
        for (end = first; end < c->f->inst_count && value_block(c->values, end) == block; end++)
            ;
        choose_in(c, first, end, false);
        choose_in(c, first, end, true);
    }
}

/* --- the new text ------------------------------------------------------------------------- */

/* Where the instructions and operands of the function go while they are written anew. */
struct rewriting {
    struct ir_inst *insts;
    uint32_t count;
    ir_operand *operands;
    uint32_t operand_count;
};

static void put(struct rewriting *to, struct ir_inst inst, ir_operand destination,
                const ir_operand *sources)
{
    inst.first = to->operand_count;
    to->operands[to->operand_count++] = destination;
    for (uint32_t k = 0; k < inst.sources; k++)
        to->operands[to->operand_count++] = sources[k];
    to->insts[to->count++] = inst;
}

static ir_operand put_copy(struct contraction *c, struct rewriting *to, enum ir_op op,
                           const struct ir_inst *like, ir_operand source)
{
    enum ir_type bits = ir_type_register(like->type);
    uint8_t type = op == IR_OP_mov ? bits : like->type;
    ir_operand copy = temporary(c->l, bits);

    put(to, (struct ir_inst){.op = (uint16_t)op, .type = type, .type2 = type, .destinations = 1,
                             .sources = 1, .loc = like->loc}, copy, &source);
    return copy;
}

/* In place of a mul: what its factors are, for where their registers change too soon. */
static void put_factors(struct contraction *c, struct rewriting *to, uint32_t mul)
{
    const struct ir_inst *inst = &c->f->insts[mul];

    for (uint32_t s = 0; s < 2; s++) {
        ir_operand factor = ir_sources(c->f, inst)[s];
        c->factors[2 * mul + s] = factor;
        if (register_of(factor) != UINT32_MAX &&
            !value_kept(c->values, register_of(factor), mul, c->last_sum[mul]))
            c->factors[2 * mul + s] = put_copy(c, to, IR_OP_mov, inst, factor);
    }
}

/* a * b + c, with signs. */
static void put_fma(struct contraction *c, struct rewriting *to, uint32_t sum)
{
    const struct ir_inst *inst = &c->f->insts[sum];
    const ir_operand *factors = &c->factors[2 * (c->product[sum] - 1)];
    const ir_operand *terms = ir_sources(c->f, inst);
    bool second = c->how[sum] & PRODUCT_SECOND;
    ir_operand sources[3] = {factors[0], factors[1], terms[!second]};
    struct ir_inst fma = *inst;

    if (c->how[sum] & PRODUCT_NEGATIVE)
        sources[0] = put_copy(c, to, IR_OP_neg, inst, sources[0]);
    if (inst->op == IR_OP_sub && !second)
        sources[2] = put_copy(c, to, IR_OP_neg, inst, sources[2]);
    struct ir_location place = c->l->module->locations[inst->loc];
    place.product = c->l->module->locations[c->f->insts[c->product[sum] - 1].loc].at;
    fma.loc = ir_add_location(c->l->module, &place);
    fma.op = IR_OP_fma;
    fma.sources = 3;
    put(to, fma, ir_destinations(c->f, inst)[0], sources);
}

/* A product stays where a sum took another one in its place, and where instructions read
 * it that nobody needs. */
static void mark_kept(struct contraction *c)
{
    struct source_value found;

    for (uint32_t i = 0; i < c->f->inst_count; i++) {
        const struct ir_inst *inst = &c->f->insts[i];
        if (c->fused[i] != c->uses[i])
            c->kept[i] = true;
        if (c->needed[i] || is_copy(c, i))
            continue;
        for (uint32_t k = 0; k < inst->sources; k++) {
            uint32_t mul = product_of(c, ir_sources(c->f, inst)[k], i, &found);
            if (mul != UINT32_MAX)
                c->kept[mul] = true;
        }
    }
}

/* A product that was taken, and its copies: all its uses were sums. */
static bool is_gone(struct contraction *c, uint32_t i)
{
    struct source_value found;
    uint32_t mul = i;

    if (is_copy(c, i))
        mul = product_of(c, ir_sources(c->f, &c->f->insts[i])[0], i, &found);
    return mul != UINT32_MAX && c->gone[mul] && !c->kept[mul];
}

static void rewrite(struct contraction *c)
{
    struct ir_function *f = c->f;
    uint32_t more = 4 * c->taken; /* two copies of factors, two signs; an fma has 4 operands */
    struct rewriting to = {
        .insts = ARENA_NEW_ARRAY(c->l->arena, f->inst_count + more, struct ir_inst),
        .operands = ARENA_NEW_ARRAY(c->l->arena, f->operand_count + 3 * more, ir_operand),
        .operand_count = f->operand_count};

    memcpy(to.operands, f->operands, f->operand_count * sizeof *to.operands);
    for (uint32_t b = 0; b < f->block_count; b++) {
        struct ir_block *block = &f->blocks[b];
        uint32_t begin = to.count;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            if (c->product[i])
                put_fma(c, &to, i);
            if (c->gone[i])
                put_factors(c, &to, i);
            if (!c->product[i] && !is_gone(c, i))
                to.insts[to.count++] = f->insts[i];
        }
        c->begin[b] = begin;
    }
    for (uint32_t b = 0; b < f->block_count; b++) {
        f->blocks[b].first = c->begin[b];
        f->blocks[b].count = (b + 1 < f->block_count ? c->begin[b + 1] : to.count) - c->begin[b];
    }
    f->insts = to.insts;
    f->inst_count = to.count;
    f->inst_capacity = f->inst_count;
    f->operands = to.operands;
    f->operand_count = f->operand_capacity = to.operand_count;
}

void contract(struct lower *l)
{
    struct ir_function *f = l->f;
    struct arena arena = {0};
    struct contraction c = {.l = l, .f = f, .arena = &arena};

    if (l->diags->errors || !l->loose.count)
        return;
    c.values = values_build(&arena, f);
    c.loose = ARENA_NEW_ARRAY(&arena, f->inst_count, bool);
    c.needed = ARENA_NEW_ARRAY(&arena, f->inst_count, bool);
    c.holds = ARENA_NEW_ARRAY(&arena, f->register_count, bool);
    c.leader = ARENA_NEW_ARRAY(&arena, f->inst_count, uint32_t);
    c.uses = ARENA_NEW_ARRAY(&arena, f->inst_count, uint32_t);
    c.product = ARENA_NEW_ARRAY(&arena, f->inst_count, uint32_t);
    c.how = ARENA_NEW_ARRAY(&arena, f->inst_count, uint8_t);
    c.gone = ARENA_NEW_ARRAY(&arena, f->inst_count, bool);
    c.kept = ARENA_NEW_ARRAY(&arena, f->inst_count, bool);
    c.sums = ARENA_NEW_ARRAY(&arena, f->inst_count, uint32_t);
    c.fused = ARENA_NEW_ARRAY(&arena, f->inst_count, uint32_t);
    c.last_sum = ARENA_NEW_ARRAY(&arena, f->inst_count, uint32_t);
    c.factors = ARENA_NEW_ARRAY(&arena, 2 * (size_t)f->inst_count, ir_operand);
    c.begin = ARENA_NEW_ARRAY(&arena, f->block_count, uint32_t);
    for (uint32_t i = 0; i < l->loose.count; i++)
        c.loose[l->loose.items[i]] = true;
    mark_needed(&c);
    mark_holders(&c);
    join_products(&c);
    count_uses(&c);
    if (!c.unknown)
        choose(&c);
    if (c.taken) {
        mark_kept(&c);
        rewrite(&c);
    }
    arena_free(&arena);
}
