/* SPDX-License-Identifier: Apache-2.0
 *
 * check_ir_cfg.c - control-flow graphs, live registers and slots: known answers,
 * and slots against interference found the slow way on random functions. */
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

#include "ir/liveness.h"

struct sample {
    struct arena arena;
    struct ir_module *module;
    struct ir_function *function;
};

static void start(struct sample *sample)
{
    *sample = (struct sample){0};
    sample->module = ir_module_new(&sample->arena, "test.kir");
    ir_add_function(sample->module, "f");
    sample->function = &sample->module->functions[0];
}

static void add(struct sample *sample, struct ir_inst inst, unsigned destinations,
                unsigned sources, const ir_operand *operands)
{
    inst.destinations = (uint16_t)destinations;
    inst.sources = (uint16_t)sources;
    ir_add_inst(sample->module, sample->function, &inst, operands,
                operands + destinations);
}

/* One line of digits for each block: its successors; none is ret, more than
 * one brx (br and two for two). */
static void shape(struct sample *sample, const char *const *lines, unsigned count)
{
    start(sample);
    ir_operand p = ir_add_register(sample->module, sample->function, IR_pred, "p");
    ir_operand r = ir_add_register(sample->module, sample->function, IR_b32, "r");
    for (unsigned b = 0; b < count; b++) {
        ir_operand to[12] = {0};
        unsigned n = (unsigned)strlen(lines[b]);
        ir_add_block(sample->module, sample->function, NULL);
        for (unsigned i = 0; i < n; i++)
            to[1 + i] = ir_operand_make(IR_OPERAND_BLOCK, (uint32_t)(lines[b][i] - '0'));
        if (n == 0) {
            add(sample, (struct ir_inst){.op = IR_OP_ret}, 0, 0, to);
        } else if (n == 1) {
            add(sample, (struct ir_inst){.op = IR_OP_bra}, 0, 1, to + 1);
        } else {
            to[0] = n == 2 ? p : r;
            add(sample, (struct ir_inst){.op = n == 2 ? IR_OP_br : IR_OP_brx}, 0, n + 1,
                to);
        }
    }
}

/* One character for each entry: a block digit, or x for block_count. */
static void expect(const char *what, const uint32_t *list, uint32_t count,
                   uint32_t blocks, const char *expected)
{
    char text[32] = "";

    for (uint32_t i = 0; i < count; i++)
        text[i] = list[i] == blocks ? 'x' : (char)('0' + list[i]);
    ck_assert_msg(strcmp(text, expected) == 0, "%s is %s, not %s", what, text, expected);
}

static const struct {
    const char *name;
    const char *successors[9];
    unsigned count;
    const char *order, *dominator, *post_dominator;
} graphs[] = {
    {"one block", {""}, 1, "0", "0", "x"},
    {"diamond", {"12", "3", "3", ""}, 4, "0213", "0000", "333x"},
    {"if without else", {"12", "2", ""}, 3, "012", "000", "22x"},
    {"loop", {"1", "23", "1", ""}, 4, "0132", "0011", "131x"},
    {"do loop", {"1", "12", ""}, 3, "012", "001", "12x"},
    {"nested loops", {"1", "2", "23", "14", ""}, 5, "01234", "00123", "1234x"},
    {"two exits", {"12", "", ""}, 3, "021", "000", "xxx"},
    /* Two entries into the cycle 1 <-> 2. */
    {"irreducible", {"12", "2", "13", ""}, 4, "0123", "0002", "223x"},
    {"endless loop", {"1", "1"}, 2, "01", "00", "xx"},
    {"endless branch", {"12", "1", "3", ""}, 4, "0231", "0002", "xx3x"},
    {"endless pair", {"1", "2", "1"}, 3, "012", "001", "xxx"},
    {"unreachable block", {"2", "2", ""}, 3, "02", "0x0", "22x"},
    {"switch", {"1231", "4", "4", "4", ""}, 5, "03214", "00000", "4444x"},
    {"same target twice", {"11", ""}, 2, "01", "00", "1x"},
    {"loop with break", {"1", "25", "34", "1", "5", ""}, 6, "012453", "001221", "15515x"},
};

START_TEST(known_graphs)
{
    struct sample sample;

    shape(&sample, graphs[_i].successors, graphs[_i].count);
    struct ir_cfg *cfg = ir_cfg_build(&sample.arena, sample.function);
    ck_assert_uint_eq(cfg->block_count, graphs[_i].count);
    expect(graphs[_i].name, cfg->order, cfg->order_count, cfg->block_count,
           graphs[_i].order);
    expect(graphs[_i].name, cfg->dominator, cfg->block_count, cfg->block_count,
           graphs[_i].dominator);
    expect(graphs[_i].name, cfg->post_dominator, cfg->block_count, cfg->block_count,
           graphs[_i].post_dominator);
    arena_free(&sample.arena);
}
END_TEST

START_TEST(edges_both_ways)
{
    struct sample sample;
    static const char *const lines[] = {"12", "3", "3", ""};

    shape(&sample, lines, 4);
    struct ir_cfg *cfg = ir_cfg_build(&sample.arena, sample.function);
    expect("edges", cfg->successors, cfg->first_successor[4], 4, "1233");
    expect("starts", cfg->first_successor, 5, 99, "02344");
    expect("edges back", cfg->predecessors, cfg->first_predecessor[4], 4, "0012");
    expect("starts back", cfg->first_predecessor, 5, 99, "00124");
    arena_free(&sample.arena);
}
END_TEST

START_TEST(a_function_without_blocks)
{
    struct sample sample;

    start(&sample);
    struct ir_cfg *cfg = ir_cfg_build(&sample.arena, sample.function);
    ck_assert_uint_eq(cfg->order_count, 0);
    struct ir_slots *slots = ir_assign_slots(&sample.arena, sample.function, cfg);
    ck_assert_uint_eq(slots->count[IR_SLOT_32], 0);
    arena_free(&sample.arena);
}
END_TEST

/* --- dominance on random graphs, by leaving a block out ------------------- */

static uint32_t next_random(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % below;
}

/* Can `to` be reached from `from` without entering `without`? Block count means
 * the exit; blocks in endless loops lead there as well. */
static bool reaches(const struct ir_cfg *cfg, uint32_t from, uint32_t to,
                    uint32_t without, const bool *endless)
{
    bool seen[16] = {0};
    uint32_t stack[16], depth = 0;

    if (from == without)
        return false;
    seen[from] = true;
    stack[depth++] = from;
    while (depth) {
        uint32_t b = stack[--depth];
        if (b == to)
            return true;
        if (to == cfg->block_count &&
            (cfg->first_successor[b] == cfg->first_successor[b + 1] || endless[b]))
            return true;
        for (uint32_t e = cfg->first_successor[b]; e < cfg->first_successor[b + 1]; e++) {
            uint32_t s = cfg->successors[e];
            if (s != without && !seen[s]) {
                seen[s] = true;
                stack[depth++] = s;
            }
        }
    }
    return false;
}

/* b's immediate dominator: the strict dominator that all others dominate. */
static uint32_t slow_dominator(const struct ir_cfg *cfg, uint32_t b, bool post,
                               const bool *endless)
{
    uint32_t n = cfg->block_count, best = n;
    static const bool none[16];

    for (uint32_t d = 0; d < n; d++) {
        if (d == b || (!post && !reaches(cfg, 0, d, n, none)))
            continue;
        bool dominates = post ? !reaches(cfg, b, n, d, endless)
                              : !reaches(cfg, 0, b, d, none);
        if (!dominates)
            continue;
        /* The nearest: not itself between b and the best one so far. */
        if (best == n || (post ? !reaches(cfg, d, n, best, endless)
                               : !reaches(cfg, 0, d, best, none)))
            best = d;
    }
    return best;
}

START_TEST(random_graphs)
{
    uint32_t seed = (uint32_t)_i * 2654435761u + 1;
    char text[9][4];
    const char *lines[9];
    uint32_t count = 2 + next_random(&seed, 8);
    struct sample sample;

    for (uint32_t b = 0; b < count; b++) {
        uint32_t n = next_random(&seed, 4);
        for (uint32_t i = 0; i < n; i++)
            text[b][i] = (char)('0' + next_random(&seed, count));
        text[b][n] = 0;
        lines[b] = text[b];
    }
    shape(&sample, lines, count);
    struct ir_cfg *cfg = ir_cfg_build(&sample.arena, sample.function);
    bool none[16] = {0}, endless[16] = {0};
    for (uint32_t b = 0; b < count; b++)
        endless[b] = !reaches(cfg, b, count, count, none);
    for (uint32_t b = 0; b < count; b++) {
        bool reachable = reaches(cfg, 0, b, count, none);
        uint32_t expected = b == 0 ? 0 : reachable ? slow_dominator(cfg, b, false, endless)
                                                   : count;
        ck_assert_uint_eq(cfg->dominator[b], expected);
        ck_assert_uint_eq(cfg->post_dominator[b], slow_dominator(cfg, b, true, endless));
    }
    arena_free(&sample.arena);
}
END_TEST

/* --- live registers and slots on random functions ------------------------- */

enum { REGISTERS = 14 };

static ir_operand reg(uint32_t index)
{
    return ir_operand_make(IR_OPERAND_REGISTER, index);
}

/* Registers 0-3 are predicates, 4-5 are 64 bits wide, the rest 32. */
static void random_function(struct sample *sample, uint32_t seed)
{
    uint32_t blocks = 1 + next_random(&seed, 7);

    start(sample);
    for (uint32_t r = 0; r < REGISTERS; r++) {
        char name[8];
        snprintf(name, sizeof name, "r%u", r);
        ir_add_register(sample->module, sample->function,
                        r < 4 ? IR_pred : r < 6 ? IR_b64 : IR_b32, name);
    }
    for (uint32_t b = 0; b < blocks; b++) {
        ir_add_block(sample->module, sample->function, NULL);
        for (uint32_t i = next_random(&seed, 7); i > 0; i--) {
            ir_operand operands[6];
            for (unsigned o = 0; o < 6; o++)
                operands[o] = next_random(&seed, 8) ? reg(next_random(&seed, REGISTERS)) : 0;
            struct ir_inst inst = {.op = IR_OP_xor};
            if (next_random(&seed, 3) == 0)
                inst.guard = reg(next_random(&seed, 4));
            switch (next_random(&seed, 4)) {
            case 0: /* two destinations, all at once */
                inst.op = IR_OP_shfl_idx;
                add(sample, inst, 2, 4, operands);
                break;
            case 1:
                inst.op = IR_OP_st;
                add(sample, inst, 0, 3, operands);
                break;
            default:
                add(sample, inst, 1, 2, operands);
            }
        }
        ir_operand end[3] = {reg(next_random(&seed, 4))};
        end[1] = ir_operand_make(IR_OPERAND_BLOCK, next_random(&seed, blocks));
        end[2] = ir_operand_make(IR_OPERAND_BLOCK, next_random(&seed, blocks));
        switch (next_random(&seed, 4)) {
        case 0:
            add(sample, (struct ir_inst){.op = IR_OP_exit}, 0, 0, end);
            break;
        case 1:
            add(sample, (struct ir_inst){.op = IR_OP_bra}, 0, 1, end + 1);
            break;
        default:
            add(sample, (struct ir_inst){.op = IR_OP_br}, 0, 3, end);
        }
    }
}

static bool reads(const struct ir_function *function, const struct ir_inst *inst,
                  uint32_t r)
{
    for (unsigned s = 0; s < inst->sources; s++)
        if (ir_sources(function, inst)[s] == reg(r))
            return true;
    return inst->guard == reg(r);
}

static bool writes(const struct ir_function *function, const struct ir_inst *inst,
                   uint32_t r)
{
    for (unsigned d = 0; d < inst->destinations; d++)
        if (ir_destinations(function, inst)[d] == reg(r))
            return true;
    return false;
}

static uint32_t block_of(const struct ir_function *function, uint32_t i)
{
    for (uint32_t b = 0; b < function->block_count; b++)
        if (i < function->blocks[b].first + function->blocks[b].count)
            return b;
    return function->block_count;
}

/* Is r read on some path from instruction i before it is surely written? */
static bool slow_live(const struct ir_function *function, const struct ir_cfg *cfg,
                      uint32_t i, uint32_t r)
{
    bool seen[128] = {0};
    uint32_t stack[128], depth = 0;

    stack[depth++] = i;
    seen[i] = true;
    while (depth) {
        i = stack[--depth];
        const struct ir_inst *inst = &function->insts[i];
        if (reads(function, inst, r))
            return true;
        if (writes(function, inst, r) && !inst->guard)
            continue;
        uint32_t b = block_of(function, i);
        if (i + 1 < function->blocks[b].first + function->blocks[b].count) {
            if (!seen[i + 1]) {
                seen[i + 1] = true;
                stack[depth++] = i + 1;
            }
            continue;
        }
        for (uint32_t e = cfg->first_successor[b]; e < cfg->first_successor[b + 1]; e++) {
            uint32_t to = function->blocks[cfg->successors[e]].first;
            if (!seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
        }
    }
    return false;
}

static bool slow_live_after(const struct ir_function *function, const struct ir_cfg *cfg,
                            uint32_t i, uint32_t r)
{
    uint32_t b = block_of(function, i);

    if (i + 1 < function->blocks[b].first + function->blocks[b].count)
        return slow_live(function, cfg, i + 1, r);
    for (uint32_t e = cfg->first_successor[b]; e < cfg->first_successor[b + 1]; e++)
        if (slow_live(function, cfg, function->blocks[cfg->successors[e]].first, r))
            return true;
    return false;
}

static void check_apart(const struct ir_function *function, const struct ir_slots *slots,
                        uint32_t r, uint32_t s, uint32_t at)
{
    if (r == s || function->registers[r].width != function->registers[s].width)
        return;
    ck_assert_msg(slots->slot[r] != slots->slot[s],
                  "registers %u and %u share slot %d at instruction %u", r, s,
                  slots->slot[r], at);
}

START_TEST(slots_never_overlap)
{
    struct sample sample;

    random_function(&sample, (uint32_t)_i * 2654435761u + 7);
    const struct ir_function *function = sample.function;
    struct ir_cfg *cfg = ir_cfg_build(&sample.arena, function);
    struct ir_liveness *live = ir_liveness_build(&sample.arena, function, cfg);
    struct ir_slots *slots = ir_assign_slots(&sample.arena, function, cfg);

    ck_assert_uint_lt(function->inst_count, 128);
    for (uint32_t b = 0; b < function->block_count; b++)
        for (uint32_t r = 0; r < REGISTERS; r++) {
            uint32_t first = function->blocks[b].first;
            uint32_t last = first + function->blocks[b].count - 1;
            ck_assert_int_eq(ir_live_in(live, b, r), slow_live(function, cfg, first, r));
            ck_assert_int_eq(ir_live_out(live, b, r),
                             slow_live_after(function, cfg, last, r));
        }
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ir_inst *inst = &function->insts[i];
        bool lane = ir_ops[inst->op].group == IR_GROUP_LANE;
        for (uint32_t r = 0; r < REGISTERS; r++) {
            if (reads(function, inst, r) || writes(function, inst, r)) {
                enum ir_slot_class class = ir_slot_class(function->registers[r].width);
                ck_assert_int_ge(slots->slot[r], 0);
                ck_assert_int_lt(slots->slot[r], (int32_t)slots->count[class]);
            }
            if (!writes(function, inst, r))
                continue;
            for (uint32_t s = 0; s < REGISTERS; s++)
                if (slow_live_after(function, cfg, i, s) || writes(function, inst, s) ||
                    (!lane && reads(function, inst, s)))
                    check_apart(function, slots, r, s, i);
        }
    }
    for (uint32_t r = 0; r < REGISTERS; r++)
        for (uint32_t s = 0; s < REGISTERS && slow_live(function, cfg, 0, r); s++)
            check_apart(function, slots, r, s, 0);
    arena_free(&sample.arena);
}
END_TEST

START_TEST(a_chain_needs_two_slots)
{
    struct sample sample;

    start(&sample);
    for (uint32_t r = 0; r < 100; r++)
        ir_add_register(sample.module, sample.function, IR_b32, "r");
    ir_add_block(sample.module, sample.function, NULL);
    ir_operand constant = ir_add_constant(sample.module, sample.function, 1);
    add(&sample, (struct ir_inst){.op = IR_OP_mov}, 1, 1, (ir_operand[]){reg(0), constant});
    for (uint32_t r = 1; r < 99; r++)
        add(&sample, (struct ir_inst){.op = IR_OP_add}, 1, 2,
            (ir_operand[]){reg(r), reg(r - 1), r > 1 ? reg(r - 2) : constant});
    add(&sample, (struct ir_inst){.op = IR_OP_ret}, 0, 0, NULL);
    struct ir_cfg *cfg = ir_cfg_build(&sample.arena, sample.function);
    struct ir_slots *slots = ir_assign_slots(&sample.arena, sample.function, cfg);
    ck_assert_uint_eq(slots->count[IR_SLOT_32], 2);
    ck_assert_int_eq(slots->slot[99], IR_NO_SLOT);
    arena_free(&sample.arena);
}
END_TEST

/* Deep graphs must not use the host's stack, long ones not more than a moment. */
START_TEST(a_long_function)
{
    enum { BLOCKS = 10000, REGS = 20000 };
    struct sample sample;

    start(&sample);
    ir_operand p = ir_add_register(sample.module, sample.function, IR_pred, "p");
    for (uint32_t r = 1; r < REGS; r++)
        ir_add_register(sample.module, sample.function, IR_b32, "r");
    for (uint32_t b = 0; b < BLOCKS; b++) {
        ir_add_block(sample.module, sample.function, NULL);
        for (uint32_t i = 0; i < 5; i++)
            add(&sample, (struct ir_inst){.op = IR_OP_xor}, 1, 2,
                (ir_operand[]){reg(1 + (b * 5 + i) * 7 % (REGS - 1)),
                               reg(1 + (b * 3 + i) % (REGS - 1)), reg(1 + b)});
        if (b + 1 == BLOCKS)
            add(&sample, (struct ir_inst){.op = IR_OP_ret}, 0, 0, NULL);
        else
            add(&sample, (struct ir_inst){.op = IR_OP_br}, 0, 3,
                (ir_operand[]){p, ir_operand_make(IR_OPERAND_BLOCK, b + 1),
                               ir_operand_make(IR_OPERAND_BLOCK, b * 2 / 3)});
    }
    struct ir_cfg *cfg = ir_cfg_build(&sample.arena, sample.function);
    ck_assert_uint_eq(cfg->post_dominator[0], 1);
    ck_assert_uint_eq(cfg->dominator[BLOCKS - 1], BLOCKS - 2);
    struct ir_slots *slots = ir_assign_slots(&sample.arena, sample.function, cfg);
    ck_assert_uint_le(slots->count[IR_SLOT_32], REGS);
    arena_free(&sample.arena);
}
END_TEST

SUITE("ir_cfg", {
    LOOP_TEST(known_graphs, 0, (int)(sizeof graphs / sizeof *graphs));
    TEST(edges_both_ways);
    TEST(a_function_without_blocks);
    LOOP_TEST(random_graphs, 0, 200);
    LOOP_TEST(slots_never_overlap, 0, 300);
    TEST(a_chain_needs_two_slots);
    TEST(a_long_function);
})
