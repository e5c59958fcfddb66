/* SPDX-License-Identifier: Apache-2.0
 *
 * values.c - see values.h.
 *
 * A register with one write holds that everywhere. For another one the values at the
 * starts of all blocks are found when it is first asked about: they merge in the
 * dominance frontiers of the blocks that write it (Cytron et al., TOPLAS 1991);
 * elsewhere the register holds what it held at the end of the dominator. */
#include "frontend/ptx/values.h"

#include <stdlib.h>
#include <string.h>

/* For registers with several writes, words to be kept at most: beyond, their values
 * are unknown. */
enum { ROOM = 1 << 24, CHAIN = 1000 };

struct merge {
    uint32_t reg, block;
    ir_value instead; /* the only value that comes in; VALUE_NONE: it is a merge */
};

struct values {
    struct arena *arena;
    const struct ir_function *f;
    const struct ir_cfg *cfg;
    uint32_t *head;     /* by block: where the run begins that it is in; see find_runs */
    uint32_t *last;     /* by head: the last block of the run */
    uint32_t *block_of; /* by instruction: the head */
    uint32_t *number;   /* by instruction: of its first write */
    uint32_t *maker;    /* by number: the instruction */
    uint32_t *first;    /* by register: in writes; one more for the end */
    uint32_t *writes;   /* numbers, ascending for each register */
    ir_value **entry;   /* by register: by block; NULL: not asked yet */
    uint32_t *first_frontier, *frontier; /* by block: the blocks of its frontier */
    uint32_t room;      /* words left; 0 also when there is no frontier */
    struct {
        struct merge *items;
        uint32_t count, capacity;
    } merges;
};

static uint32_t register_of(ir_operand operand)
{
    return ir_operand_kind(operand) == IR_OPERAND_REGISTER ? ir_operand_index(operand)
                                                           : UINT32_MAX;
}

static uint32_t write_count(const struct values *v, uint32_t reg)
{
    return v->first[reg + 1] - v->first[reg];
}

ir_value value_first_write(const struct values *v, uint32_t reg)
{
    return write_count(v, reg) ? v->writes[v->first[reg]] : VALUE_NONE;
}

/* The last write to the register whose number is below the limit, in that block;
 * VALUE_NONE: there is none. */
static ir_value written(const struct values *v, uint32_t reg, uint32_t limit, uint32_t block)
{
    uint32_t low = v->first[reg], high = v->first[reg + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->writes[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == v->first[reg] || v->block_of[v->maker[v->writes[low - 1]]] != block)
        return VALUE_NONE;
    return v->writes[low - 1];
}

static uint32_t numbers_to(const struct values *v, uint32_t block)
{
    const struct ir_block *last = &v->f->blocks[v->last[block]];
    uint32_t next = last->first + last->count;

    return next < v->f->inst_count ? v->number[next] : UINT32_MAX;
}

static ir_value leaving(const struct values *v, uint32_t reg, const ir_value *entry,
                        uint32_t block)
{
    ir_value own = written(v, reg, numbers_to(v, block), block);

    return own != VALUE_NONE ? own : entry[block];
}

static bool reachable(const struct values *v, uint32_t block)
{
    return v->cfg->dominator[block] != v->cfg->block_count;
}

/* The head of the block's immediate dominator. */
static uint32_t dominator(const struct values *v, uint32_t block)
{
    return v->head[v->cfg->dominator[block]];
}

/* Blocks that follow each other in the text and can only be run one after the other, since
 * nothing else leads to the second and nowhere else from the first, are one: a label to
 * which nothing branches does not count. */
static void find_runs(struct values *v)
{
    const struct ir_cfg *cfg = v->cfg;
    uint32_t count = v->f->block_count;

    v->head = ARENA_NEW_ARRAY(v->arena, count, uint32_t);
    v->last = ARENA_NEW_ARRAY(v->arena, count, uint32_t);
    for (uint32_t b = 0; b < count; b++) {
        bool follows = b > 0 && reachable(v, b) && reachable(v, b - 1);
        for (uint32_t p = cfg->first_predecessor[b]; p < cfg->first_predecessor[b + 1]; p++)
            follows &= cfg->predecessors[p] == b - 1 || !reachable(v, cfg->predecessors[p]);
        for (uint32_t s = cfg->first_successor[b ? b - 1 : 0];
             follows && s < cfg->first_successor[b]; s++)
            follows = cfg->successors[s] == b;
        v->head[b] = follows ? v->head[b - 1] : b;
        v->last[v->head[b]] = b;
    }
}

/* --- where values merge ----------------------------------------------------------------- */

/* Calls back for every (block, block of its frontier), the same pair perhaps twice. */
static void each_frontier(struct values *v, void (*pair)(struct values *v, uint32_t, uint32_t))
{
    const struct ir_cfg *cfg = v->cfg;

    for (uint32_t k = 0; k < cfg->order_count; k++) {
        uint32_t block = cfg->order[k], first = cfg->first_predecessor[block];
        if (v->head[block] != block)
            continue;
        for (uint32_t p = first; p < cfg->first_predecessor[block + 1]; p++) {
            if (!reachable(v, cfg->predecessors[p]))
                continue;
            uint32_t runner = v->head[cfg->predecessors[p]];
            /* The entry is its own dominator, and its frontier when a loop leads there. */
            while (v->room && (runner != dominator(v, block) || block == 0)) {
                pair(v, runner, block);
                v->room--;
                if (runner == 0)
                    break;
                runner = dominator(v, runner);
            }
        }
    }
}

static void count_frontier(struct values *v, uint32_t block, uint32_t join)
{
    (void)join;
    v->first_frontier[block + 2]++;
}

static void put_frontier(struct values *v, uint32_t block, uint32_t join)
{
    v->frontier[v->first_frontier[block + 1]++] = join;
}

static void build_frontiers(struct values *v)
{
    uint32_t count = v->f->block_count;

    v->first_frontier = ARENA_NEW_ARRAY(v->arena, count + 2, uint32_t);
    each_frontier(v, count_frontier);
    if (!v->room)
        return;
    v->room = ROOM;
    for (uint32_t b = 2; b < count + 2; b++)
        v->first_frontier[b] += v->first_frontier[b - 1];
    v->frontier = ARENA_NEW_ARRAY(v->arena, v->first_frontier[count + 1], uint32_t);
    each_frontier(v, put_frontier);
}

static ir_value settled(const struct values *v, ir_value value)
{
    while (value_is_merged(value) && v->merges.items[value & ~VALUE_MERGED].instead != VALUE_NONE)
        value = v->merges.items[value & ~VALUE_MERGED].instead;
    return value;
}

/* Marks the blocks where values of the register merge: entry[b] becomes a merge. */
static void place(struct values *v, uint32_t reg, ir_value *entry)
{
    uint32_t *work = ARENA_NEW_ARRAY(v->arena, v->f->block_count + write_count(v, reg), uint32_t);
    uint32_t count = 0;

    for (uint32_t w = v->first[reg]; w < v->first[reg + 1]; w++)
        work[count++] = v->block_of[v->maker[v->writes[w]]];
    while (count) {
        uint32_t block = work[--count];
        for (uint32_t k = v->first_frontier[block]; k < v->first_frontier[block + 1]; k++) {
            uint32_t join = v->frontier[k];
            if (entry[join] != VALUE_NONE)
                continue;
            *ARENA_PUSH(v->arena, &v->merges) = (struct merge){reg, join, VALUE_NONE};
            entry[join] = VALUE_MERGED | (v->merges.count - 1);
            work[count++] = join;
        }
    }
}

/* A merge of one value with none, or with itself, is that value. */
static void settle(struct values *v, uint32_t first)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t m = first; m < v->merges.count; m++) {
            ir_value only = VALUE_NONE, input, self = VALUE_MERGED | m;
            bool several = v->merges.items[m].instead != VALUE_NONE;
            for (uint32_t k = 0; !several && value_input(v, self, k, &input); k++) {
                several = input != VALUE_NONE && input != self && only != VALUE_NONE &&
                          input != only;
                only = input != VALUE_NONE && input != self ? input : only;
            }
            if (several || only == VALUE_NONE)
                continue;
            v->merges.items[m].instead = only;
            changed = true;
        }
    }
}

static const ir_value *entries(struct values *v, uint32_t reg)
{
    uint32_t count = v->f->block_count, first = v->merges.count;

    if (v->entry[reg] || v->room <= count)
        return v->entry[reg];
    v->room -= count;
    ir_value *entry = v->entry[reg] = ARENA_NEW_ARRAY(v->arena, count, ir_value);
    for (uint32_t b = 0; b < count; b++)
        entry[b] = VALUE_NONE;
    place(v, reg, entry);
    for (uint32_t k = 1; k < v->cfg->order_count; k++) {
        uint32_t b = v->cfg->order[k];
        if (v->head[b] == b && entry[b] == VALUE_NONE)
            entry[b] = leaving(v, reg, entry, dominator(v, b));
    }
    settle(v, first);
    return entry;
}

struct values *values_build(struct arena *arena, const struct ir_function *f)
{
    struct values *v = ARENA_NEW(arena, struct values);
    uint32_t count = 0;

    *v = (struct values){.arena = arena, .f = f, .cfg = ir_cfg_build(arena, f), .room = ROOM};
    v->block_of = ARENA_NEW_ARRAY(arena, f->inst_count, uint32_t);
    v->number = ARENA_NEW_ARRAY(arena, f->inst_count, uint32_t);
    v->first = ARENA_NEW_ARRAY(arena, f->register_count + 2, uint32_t);
    v->entry = ARENA_NEW_ARRAY(arena, f->register_count, ir_value *);
    find_runs(v);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; k < f->blocks[b].count; k++)
            v->block_of[f->blocks[b].first + k] = v->head[b];
    for (uint32_t i = 0; i < f->inst_count; i++) {
        v->number[i] = count;
        count += f->insts[i].destinations;
        for (uint32_t k = 0; k < f->insts[i].destinations; k++) {
            uint32_t reg = register_of(ir_destinations(f, &f->insts[i])[k]);
            if (reg != UINT32_MAX)
                v->first[reg + 2]++;
        }
    }
    v->maker = ARENA_NEW_ARRAY(arena, count, uint32_t);
    v->writes = ARENA_NEW_ARRAY(arena, count, uint32_t);
    for (uint32_t r = 2; r < f->register_count + 2; r++)
        v->first[r] += v->first[r - 1];
    for (uint32_t i = 0; i < f->inst_count; i++)
        for (uint32_t k = 0; k < f->insts[i].destinations; k++) {
            uint32_t reg = register_of(ir_destinations(f, &f->insts[i])[k]);
            v->maker[v->number[i] + k] = i;
            if (reg != UINT32_MAX)
                v->writes[v->first[reg + 1]++] = v->number[i] + k;
        }
    build_frontiers(v);
    return v;
}

/* --- what is asked ----------------------------------------------------------------------- */

ir_value value_before(struct values *v, uint32_t reg, uint32_t inst)
{
    uint32_t block = v->block_of[inst];
    ir_value value = written(v, reg, v->number[inst], block);

    if (value != VALUE_NONE)
        return value;
    if (write_count(v, reg) < 2)
        return value_first_write(v, reg);
    const ir_value *entry = entries(v, reg);
    return entry ? settled(v, entry[block]) : VALUE_UNKNOWN;
}

bool value_kept(const struct values *v, uint32_t reg, uint32_t from, uint32_t to)
{
    ir_value last = written(v, reg, v->number[to], v->block_of[to]);

    return last == VALUE_NONE || last < v->number[from];
}

uint32_t value_maker(const struct values *v, ir_value value)
{
    return value & VALUE_MERGED ? UINT32_MAX : v->maker[value]; /* NONE has the bit, too */
}

uint32_t value_block(const struct values *v, uint32_t inst)
{
    return v->block_of[inst];
}

bool value_reached(const struct values *v, uint32_t inst)
{
    return reachable(v, v->block_of[inst]);
}

uint32_t value_merge_count(const struct values *v)
{
    return v->merges.count;
}

uint32_t value_register(const struct values *v, ir_value merged)
{
    return v->merges.items[merged & ~VALUE_MERGED].reg;
}

bool value_input(struct values *v, ir_value merged, uint32_t number, ir_value *input)
{
    struct merge merge = v->merges.items[merged & ~VALUE_MERGED];
    uint32_t k = v->cfg->first_predecessor[merge.block] + number;

    if (k >= v->cfg->first_predecessor[merge.block + 1])
        return false;
    *input = settled(v, leaving(v, merge.reg, v->entry[merge.reg],
                                v->head[v->cfg->predecessors[k]]));
    return true;
}

static bool is_copy(const struct ir_inst *inst, enum value_through through)
{
    if (inst->guard)
        return false;
    if (inst->op == IR_OP_mov)
        return true;
    return ir_types[inst->type].kind == IR_KIND_F &&
           ((inst->op == IR_OP_neg && through >= THROUGH_NEGATIONS) ||
            (inst->op == IR_OP_abs && through >= THROUGH_SIGNS));
}

struct source_value value_of_source(struct values *v, ir_operand source, uint32_t inst,
                                    enum value_through through)
{
    struct source_value found = {.value = VALUE_NONE, .straight = true, .type = IR_none};

    for (unsigned steps = 0; register_of(source) != UINT32_MAX; steps++) {
        uint32_t reg = register_of(source), block = v->block_of[inst];
        found.straight &= written(v, reg, v->number[inst], block) != VALUE_NONE;
        found.value = steps < CHAIN ? value_before(v, reg, inst) : VALUE_UNKNOWN;
        inst = value_maker(v, found.value);
        if (inst == UINT32_MAX || !is_copy(&v->f->insts[inst], through))
            break;
        const struct ir_inst *copy = &v->f->insts[inst];
        source = ir_sources(v->f, copy)[0];
        if (copy->op == IR_OP_mov)
            continue;
        found.negative ^= copy->op == IR_OP_neg;
        found.mixed |= found.type != IR_none && found.type != copy->type;
        found.type = copy->type;
        found.mode |= copy->mode;
    }
    return found;
}
