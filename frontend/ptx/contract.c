/* SPDX-License-Identifier: Apache-2.0
 *
 * contract.c - products and sums that the machine computes as one.
 *
 * PTX ISA, "mul" and "add": without a rounding modifier, a mul and an add or sub of
 * its result may become one fma. Measured on H200 (conformance/kernels/contract): ptxas
 * does that where sums of the same block are the product's only uses, for all types; of
 * two products that each have one use the first goes into the fma, and a product with
 * one use goes before one with several. Doing the same is what makes the bits of
 * compiled code come out (docs/hardware-notes.md). */
#include "frontend/ptx/lower.h"

#include <string.h>

struct contraction {
    struct lower *l;
    struct ir_function *f;
    uint32_t *definitions, *uses; /* by register */
    bool *loose;                  /* by instruction: it had no rounding modifier */
    uint32_t *product;            /* by instruction: the mul to take into this sum, + 1 */
    bool *gone;                   /* muls that were taken */
    uint32_t taken, negated;
};

static uint32_t register_of(ir_operand operand)
{
    return ir_operand_kind(operand) == IR_OPERAND_REGISTER ? ir_operand_index(operand)
                                                           : UINT32_MAX;
}

static void count(struct contraction *c)
{
    for (uint32_t i = 0; i < c->f->inst_count; i++) {
        const struct ir_inst *inst = &c->f->insts[i];
        const ir_operand *operands = ir_destinations(c->f, inst);
        for (uint32_t k = 0; k < (uint32_t)inst->destinations + inst->sources; k++) {
            uint32_t r = register_of(operands[k]);
            if (r != UINT32_MAX)
                (k < inst->destinations ? c->definitions : c->uses)[r]++;
        }
        if (inst->guard && register_of(inst->guard) != UINT32_MAX)
            c->uses[register_of(inst->guard)]++;
    }
}

static bool writes(const struct ir_function *f, const struct ir_inst *inst, uint32_t reg)
{
    for (uint32_t k = 0; k < inst->destinations; k++)
        if (register_of(ir_destinations(f, inst)[k]) == reg)
            return true;
    return false;
}

/* The product that source `which` of the sum is, if it can be taken: in the same block
 * from `first` on, with factors that are still what they were. UINT32_MAX: none. */
static uint32_t product_of(const struct contraction *c, uint32_t first, uint32_t sum,
                           uint32_t which)
{
    const struct ir_function *f = c->f;
    const struct ir_inst *inst = &f->insts[sum];
    uint32_t reg = register_of(ir_sources(f, inst)[which]);

    if (reg == UINT32_MAX || c->definitions[reg] != 1)
        return UINT32_MAX;
    for (uint32_t i = sum; i-- > first;) {
        const struct ir_inst *mul = &f->insts[i];
        if (!writes(f, mul, reg))
            continue;
        if (!c->loose[i] || mul->op != IR_OP_mul || mul->guard || mul->type != inst->type ||
            mul->mode != (inst->mode & ~MODE_SAT))
            return UINT32_MAX;
        for (uint32_t k = i + 1; k < sum; k++)
            for (uint32_t s = 0; s < 2; s++) {
                uint32_t factor = register_of(ir_sources(f, mul)[s]);
                if (factor != UINT32_MAX && writes(f, &f->insts[k], factor))
                    return UINT32_MAX;
            }
        return i;
    }
    return UINT32_MAX;
}

static bool is_sum(const struct contraction *c, uint32_t i)
{
    return c->loose[i] && !c->product[i] &&
           (c->f->insts[i].op == IR_OP_add || c->f->insts[i].op == IR_OP_sub);
}

static void take(struct contraction *c, uint32_t sum, uint32_t mul)
{
    c->product[sum] = mul + 1;
    c->gone[mul] = true;
    c->taken++;
    c->negated += c->f->insts[sum].op == IR_OP_sub;
}

static uint32_t result_of(const struct contraction *c, uint32_t i)
{
    return register_of(ir_destinations(c->f, &c->f->insts[i])[0]);
}

/* Products with one use into their sums. */
static void choose_single(struct contraction *c, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        for (uint32_t s = 0; s < 2 && is_sum(c, i); s++) {
            uint32_t mul = product_of(c, first, i, s);
            if (mul != UINT32_MAX && c->uses[result_of(c, mul)] == 1)
                take(c, i, mul);
        }
}

/* Products with several uses, if sums that are still free are all of them. */
static void choose_shared(struct contraction *c, uint32_t first, uint32_t end)
{
    for (uint32_t mul = first; mul < end; mul++) {
        if (!c->loose[mul] || c->f->insts[mul].op != IR_OP_mul || c->gone[mul])
            continue;
        uint32_t reg = result_of(c, mul), found = 0;
        if (reg == UINT32_MAX || c->uses[reg] < 2)
            continue;
        for (int turn = 0; turn < 2; turn++)
            for (uint32_t i = mul + 1; i < end && (!turn || found == c->uses[reg]); i++) {
                if (!is_sum(c, i))
                    continue;
                const ir_operand *terms = ir_sources(c->f, &c->f->insts[i]);
                bool left = register_of(terms[0]) == reg, right = register_of(terms[1]) == reg;
                if (left == right || product_of(c, first, i, right) != mul)
                    continue;
                if (turn)
                    take(c, i, mul);
                else
                    found++;
            }
    }
}

static void choose(struct contraction *c)
{
    for (uint32_t b = 0; b < c->f->block_count; b++) {
        uint32_t first = c->f->blocks[b].first, end = first + c->f->blocks[b].count;
        choose_single(c, first, end);
        choose_shared(c, first, end);
    }
}

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

/* a * b + c, -a * b + c or a * b - c. */
static void put_fma(struct contraction *c, struct rewriting *to, uint32_t sum)
{
    const struct ir_inst *inst = &c->f->insts[sum], *mul = &c->f->insts[c->product[sum] - 1];
    const ir_operand *factors = ir_sources(c->f, mul), *terms = ir_sources(c->f, inst);
    bool first = register_of(terms[0]) == register_of(ir_destinations(c->f, mul)[0]);
    ir_operand sources[3] = {factors[0], factors[1], terms[first]};
    struct ir_inst fma = *inst;

    if (inst->op == IR_OP_sub) {
        ir_operand *changed = &sources[first ? 2 : 0];
        ir_operand negative = temporary(c->l, ir_type_register(inst->type));
        put(to, (struct ir_inst){.op = IR_OP_neg, .type = inst->type, .type2 = inst->type,
                                 .destinations = 1, .sources = 1, .loc = inst->loc},
            negative, changed);
        *changed = negative;
    }
    fma.op = IR_OP_fma;
    fma.sources = 3;
    put(to, fma, ir_destinations(c->f, inst)[0], sources);
}

static void rewrite(struct contraction *c)
{
    struct ir_function *f = c->f;
    uint32_t room = f->operand_count + 4 * c->taken + 2 * c->negated;
    struct rewriting to = {
        .insts = ARENA_NEW_ARRAY(c->l->arena, f->inst_count + c->negated, struct ir_inst),
        .operands = ARENA_NEW_ARRAY(c->l->arena, room, ir_operand),
        .operand_count = f->operand_count};

    memcpy(to.operands, f->operands, f->operand_count * sizeof *to.operands);
    for (uint32_t b = 0; b < f->block_count; b++) {
        struct ir_block *block = &f->blocks[b];
        uint32_t begin = to.count;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            if (c->product[i])
                put_fma(c, &to, i);
            else if (!c->gone[i])
                to.insts[to.count++] = f->insts[i];
        }
        block->first = begin;
        block->count = to.count - begin;
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
    struct contraction c = {.l = l, .f = f};

    if (!l->loose.count)
        return;
    c.definitions = ARENA_NEW_ARRAY(&l->scratch, f->register_count, uint32_t);
    c.uses = ARENA_NEW_ARRAY(&l->scratch, f->register_count, uint32_t);
    c.loose = ARENA_NEW_ARRAY(&l->scratch, f->inst_count, bool);
    c.gone = ARENA_NEW_ARRAY(&l->scratch, f->inst_count, bool);
    c.product = ARENA_NEW_ARRAY(&l->scratch, f->inst_count, uint32_t);
    for (uint32_t i = 0; i < l->loose.count; i++)
        c.loose[l->loose.items[i]] = true;
    count(&c);
    choose(&c);
    if (c.taken)
        rewrite(&c);
}
