/* SPDX-License-Identifier: Apache-2.0
 *
 * liveness.c - live registers at block borders, by backward data flow.
 *
 * requires: struct ir_cfg
 * fills:    struct ir_liveness */
#include "ir/liveness.h"

enum { NO_BIT = UINT32_MAX };

static bool is_register(ir_operand operand)
{
    return ir_operand_kind(operand) == IR_OPERAND_REGISTER;
}

/* What one block does to a register before anything else there. */
struct first_touch {
    uint32_t *read, *written; /* per register: block number + 1 */
};

/* Calls visit(context, register) for each register that the block reads before
 * it has surely written it. */
static void each_exposed(const struct ir_function *function, uint32_t b,
                         struct first_touch *touch,
                         void (*visit)(void *context, uint32_t reg), void *context)
{
    const struct ir_block *block = &function->blocks[b];

    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct ir_inst *inst = &function->insts[i];
        const ir_operand *sources = ir_sources(function, inst);
        const ir_operand *destinations = ir_destinations(function, inst);
        for (uint32_t s = 0; s <= inst->sources; s++) {
            ir_operand operand = s < inst->sources ? sources[s] : inst->guard;
            uint32_t reg = ir_operand_index(operand);
            if (!is_register(operand) || touch->written[reg] == b + 1 ||
                touch->read[reg] == b + 1)
                continue;
            touch->read[reg] = b + 1;
            visit(context, reg);
        }
        for (uint32_t d = 0; d < inst->destinations && !inst->guard; d++)
            if (is_register(destinations[d]))
                touch->written[ir_operand_index(destinations[d])] = b + 1;
    }
}

static void mark_crossing(void *context, uint32_t reg)
{
    ((uint32_t *)context)[reg] = 0;
}

struct block_set {
    const uint32_t *bit;
    uint64_t *set;
};

static void add_to_set(void *context, uint32_t reg)
{
    struct block_set *block = context;
    uint32_t bit = block->bit[reg];

    block->set[bit / 64] |= 1ull << bit % 64;
}

static struct first_touch fresh(struct arena *arena, const struct ir_function *function)
{
    return (struct first_touch){
        ARENA_NEW_ARRAY(arena, function->register_count, uint32_t),
        ARENA_NEW_ARRAY(arena, function->register_count, uint32_t)};
}

/* killed[b]: registers that block b surely writes. */
static void find_killed(const struct ir_function *function,
                        const struct ir_liveness *live, uint64_t *killed)
{
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        uint64_t *set = killed + (size_t)b * live->words;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct ir_inst *inst = &function->insts[i];
            const ir_operand *destinations = ir_destinations(function, inst);
            if (inst->guard)
                continue;
            for (uint32_t d = 0; d < inst->destinations; d++) {
                if (!is_register(destinations[d]))
                    continue;
                uint32_t bit = live->bit[ir_operand_index(destinations[d])];
                if (bit != NO_BIT)
                    set[bit / 64] |= 1ull << bit % 64;
            }
        }
    }
}

/* in[b] |= out[b] - killed[b], with out[b] the union of the successors' in.
 * True when in[b] grew. */
static bool flow(struct ir_liveness *live, const struct ir_cfg *cfg,
                 const uint64_t *killed, uint32_t b)
{
    uint64_t *in = live->in + (size_t)b * live->words;
    uint64_t *out = live->out + (size_t)b * live->words;
    const uint64_t *kill = killed + (size_t)b * live->words;
    uint64_t grown = 0;

    for (uint32_t e = cfg->first_successor[b]; e < cfg->first_successor[b + 1]; e++) {
        const uint64_t *from = live->in + (size_t)cfg->successors[e] * live->words;
        for (uint32_t w = 0; w < live->words; w++)
            out[w] |= from[w];
    }
    for (uint32_t w = 0; w < live->words; w++) {
        uint64_t more = out[w] & ~kill[w] & ~in[w];
        in[w] |= more;
        grown |= more;
    }
    return grown != 0;
}

struct ir_liveness *ir_liveness_build(struct arena *arena,
                                      const struct ir_function *function,
                                      const struct ir_cfg *cfg)
{
    struct ir_liveness *live = ARENA_NEW(arena, struct ir_liveness);
    struct arena scratch = {0};
    uint32_t blocks = function->block_count, registers = function->register_count;

    live->bit = ARENA_NEW_ARRAY(arena, registers, uint32_t);
    for (uint32_t r = 0; r < registers; r++)
        live->bit[r] = NO_BIT;
    struct first_touch touch = fresh(&scratch, function);
    for (uint32_t b = 0; b < blocks; b++)
        each_exposed(function, b, &touch, mark_crossing, live->bit);
    live->crossing = ARENA_NEW_ARRAY(arena, registers, uint32_t);
    for (uint32_t r = 0; r < registers; r++)
        if (live->bit[r] != NO_BIT) {
            live->bit[r] = live->crossing_count;
            live->crossing[live->crossing_count++] = r;
        }

    live->words = (live->crossing_count + 63) / 64;
    live->in = ARENA_NEW_ARRAY(arena, (size_t)blocks * live->words, uint64_t);
    live->out = ARENA_NEW_ARRAY(arena, (size_t)blocks * live->words, uint64_t);
    uint64_t *killed =
        ARENA_NEW_ARRAY(&scratch, (size_t)blocks * live->words, uint64_t);
    find_killed(function, live, killed);
    touch = fresh(&scratch, function);
    for (uint32_t b = 0; b < blocks; b++)
        each_exposed(function, b, &touch, add_to_set,
                     &(struct block_set){live->bit, live->in + (size_t)b * live->words});

    /* Backwards along the graph: reverse post-order from its end. Blocks that
     * the entry does not reach are swept as well, in descending order. */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = cfg->order_count; i-- > 0;)
            changed |= flow(live, cfg, killed, cfg->order[i]);
        for (uint32_t b = blocks; b-- > 0;)
            if (cfg->dominator[b] == cfg->block_count)
                changed |= flow(live, cfg, killed, b);
    }
    arena_free(&scratch);
    return live;
}

static bool has(const struct ir_liveness *live, const uint64_t *sets, uint32_t block,
                uint32_t reg)
{
    uint32_t bit = live->bit[reg];

    return bit != NO_BIT &&
           (sets[(size_t)block * live->words + bit / 64] >> bit % 64 & 1);
}

bool ir_live_in(const struct ir_liveness *live, uint32_t block, uint32_t reg)
{
    return has(live, live->in, block, reg);
}

bool ir_live_out(const struct ir_liveness *live, uint32_t block, uint32_t reg)
{
    return has(live, live->out, block, reg);
}
