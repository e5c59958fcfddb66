/* SPDX-License-Identifier: Apache-2.0
 *
 * cfg.c - the control-flow graph of a function, with dominators.
 *
 * requires: nothing; operands that name no block are skipped
 * fills:    struct ir_cfg
 *
 * Dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
 * Algorithm": both directions run the same code over numbers in reverse
 * post-order, so that an immediate dominator always has the smaller number. */
#include "ir/ir.h"

#include <string.h>

/* Adjacency lists in one array: edges of node n are
 * items[first[n] .. first[n + 1]). */
struct graph {
    uint32_t count;
    uint32_t *first, *items;
};

enum { UNSEEN = UINT32_MAX };

/* The block operands of the instruction that ends the block. */
static const ir_operand *targets(const struct ir_function *function,
                                 const struct ir_block *block, uint32_t *count)
{
    *count = 0;
    if (!block->count)
        return NULL;
    const struct ir_inst *inst = &function->insts[block->first + block->count - 1];
    uint32_t skip = inst->op == IR_OP_bra ? 0 : 1; /* br, brx: what decides */

    if (inst->op != IR_OP_bra && inst->op != IR_OP_br && inst->op != IR_OP_brx)
        return NULL;
    if (inst->sources <= skip)
        return NULL;
    *count = inst->sources - skip;
    return ir_sources(function, inst) + skip;
}

/* Real blocks only, each once, in the order of the instruction. */
static struct graph successors_of(struct arena *arena,
                                  const struct ir_function *function)
{
    struct graph graph = {.count = function->block_count};
    uint32_t *seen = ARENA_NEW_ARRAY(arena, graph.count + 1, uint32_t);
    uint32_t edges = 0, count;

    for (uint32_t b = 0; b < graph.count; b++) {
        targets(function, &function->blocks[b], &count);
        edges += count;
    }
    graph.first = ARENA_NEW_ARRAY(arena, graph.count + 1, uint32_t);
    graph.items = ARENA_NEW_ARRAY(arena, edges, uint32_t);
    edges = 0;
    for (uint32_t b = 0; b < graph.count; b++) {
        const ir_operand *target = targets(function, &function->blocks[b], &count);
        graph.first[b] = edges;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t to = ir_operand_index(target[i]);
            if (ir_operand_kind(target[i]) != IR_OPERAND_BLOCK || to >= graph.count ||
                seen[to] == b + 1)
                continue;
            seen[to] = b + 1;
            graph.items[edges++] = to;
        }
    }
    graph.first[graph.count] = edges;
    return graph;
}

/* The same edges the other way round; each list in ascending order. */
static struct graph reversed(struct arena *arena, const struct graph *graph)
{
    struct graph back = {.count = graph->count};

    back.first = ARENA_NEW_ARRAY(arena, graph->count + 1, uint32_t);
    back.items = ARENA_NEW_ARRAY(arena, graph->first[graph->count], uint32_t);
    for (uint32_t e = 0; e < graph->first[graph->count]; e++)
        back.first[graph->items[e]]++;
    uint32_t end = 0;
    for (uint32_t n = 0; n <= graph->count; n++) {
        end += n < graph->count ? back.first[n] : 0;
        back.first[n] = end; /* the end of n's list; filling moves it to the start */
    }
    for (uint32_t n = graph->count; n-- > 0;)
        for (uint32_t e = graph->first[n + 1]; e-- > graph->first[n];)
            back.items[--back.first[graph->items[e]]] = n;
    return back;
}

/* Nodes reachable from root in reverse post-order; number[n] is the place in
 * that order or UNSEEN. Returns how many. Without recursion: graphs are deep. */
static uint32_t reverse_post_order(struct arena *arena, const struct graph *graph,
                                   uint32_t root, uint32_t *order, uint32_t *number)
{
    uint32_t *stack = ARENA_NEW_ARRAY(arena, graph->count, uint32_t);
    uint32_t *edge = ARENA_NEW_ARRAY(arena, graph->count, uint32_t);
    uint32_t depth = 0, place = graph->count;

    for (uint32_t n = 0; n < graph->count; n++)
        number[n] = UNSEEN;
    stack[depth++] = root;
    number[root] = 0;
    edge[root] = graph->first[root];
    while (depth) {
        uint32_t n = stack[depth - 1];
        if (edge[n] == graph->first[n + 1]) {
            order[--place] = n;
            depth--;
            continue;
        }
        uint32_t to = graph->items[edge[n]++];
        if (number[to] == UNSEEN) {
            number[to] = 0;
            edge[to] = graph->first[to];
            stack[depth++] = to;
        }
    }
    uint32_t count = graph->count - place;
    memmove(order, order + place, count * sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        number[order[i]] = i;
    return count;
}

/* dominator[n] for the nodes in order (order[0] is the root and its own); other
 * nodes get graph->count. */
static void dominators(const struct graph *back, const uint32_t *order,
                       uint32_t count, const uint32_t *number, uint32_t *dominator)
{
    for (uint32_t n = 0; n < back->count; n++)
        dominator[n] = back->count;
    dominator[order[0]] = order[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < count; i++) {
            uint32_t n = order[i], best = back->count;
            for (uint32_t e = back->first[n]; e < back->first[n + 1]; e++) {
                uint32_t a = back->items[e], b = best;
                if (dominator[a] == back->count)
                    continue; /* not reached, or not yet */
                while (b != back->count && a != b) {
                    while (number[a] > number[b])
                        a = dominator[a];
                    while (number[b] > number[a])
                        b = dominator[b];
                }
                best = a;
            }
            if (dominator[n] != best) {
                dominator[n] = best;
                changed = true;
            }
        }
    }
}

/* The graph with the virtual exit as one more node. Blocks without successors
 * lead there, and so does every block from which none of those can be reached:
 * lanes caught in an endless loop meet nobody again. */
static struct graph with_exit(struct arena *arena, const struct graph *graph,
                              const struct graph *back)
{
    struct graph whole = {.count = graph->count + 1};
    uint32_t *stack = ARENA_NEW_ARRAY(arena, graph->count, uint32_t), depth = 0;
    bool *leaves = ARENA_NEW_ARRAY(arena, graph->count, bool);

    for (uint32_t n = 0; n < graph->count; n++)
        if (graph->first[n] == graph->first[n + 1]) {
            leaves[n] = true;
            stack[depth++] = n;
        }
    while (depth) {
        uint32_t n = stack[--depth];
        for (uint32_t e = back->first[n]; e < back->first[n + 1]; e++)
            if (!leaves[back->items[e]]) {
                leaves[back->items[e]] = true;
                stack[depth++] = back->items[e];
            }
    }
    whole.first = ARENA_NEW_ARRAY(arena, whole.count + 1, uint32_t);
    whole.items = ARENA_NEW_ARRAY(arena, graph->first[graph->count] + graph->count,
                                  uint32_t);
    uint32_t edges = 0;
    for (uint32_t n = 0; n < graph->count; n++) {
        whole.first[n] = edges;
        for (uint32_t e = graph->first[n]; e < graph->first[n + 1]; e++)
            whole.items[edges++] = graph->items[e];
        if (!leaves[n] || graph->first[n] == graph->first[n + 1])
            whole.items[edges++] = graph->count;
    }
    whole.first[graph->count] = edges;
    whole.first[whole.count] = edges;
    return whole;
}

/* --- ways out ------------------------------------------------------------------------ */

static const struct ir_inst *last_of(const struct ir_function *function, uint32_t block)
{
    const struct ir_block *b = &function->blocks[block];

    return b->count ? &function->insts[b->first + b->count - 1] : NULL;
}

/* Nothing but the end of the thread. */
static bool is_bare(const struct ir_function *function, uint32_t block)
{
    const struct ir_inst *last = last_of(function, block);

    return function->blocks[block].count == 1 &&
           (last->op == IR_OP_ret || last->op == IR_OP_exit);
}

/* The block at which the kernel's main way ends: the last one in the text that leads
 * to nothing but bare blocks, rather one that returns than one that traps. */
static uint32_t main_end(const struct ir_function *function, const struct graph *graph)
{
    uint32_t end = graph->count;
    bool returns = false;

    for (uint32_t n = 0; n < graph->count; n++) {
        bool ends = !is_bare(function, n), leads = false;
        for (uint32_t e = graph->first[n]; e < graph->first[n + 1]; e++) {
            leads = true;
            ends &= is_bare(function, graph->items[e]);
        }
        const struct ir_inst *last = last_of(function, n);
        bool good = leads || (last && last->op == IR_OP_ret);
        if (ends && (good || !returns)) {
            end = n;
            returns = good;
        }
    }
    return end;
}

/* The graph without the edges from blocks of the main way, those from which its end
 * can be reached, into others. Measured on H200: after `exit` or an early return of
 * some lanes the others stay together. */
static struct graph without_ways_out(struct arena *arena, const struct ir_function *function,
                                     const struct graph *graph, const struct graph *back)
{
    struct graph main = {.count = graph->count};
    uint32_t *stack = ARENA_NEW_ARRAY(arena, graph->count, uint32_t), depth = 0, edges = 0;
    bool *on_way = ARENA_NEW_ARRAY(arena, graph->count, bool);
    uint32_t end = main_end(function, graph);

    if (end == graph->count)
        return *graph;
    on_way[end] = true;
    stack[depth++] = end;
    while (depth) {
        uint32_t n = stack[--depth];
        for (uint32_t e = back->first[n]; e < back->first[n + 1]; e++)
            if (!on_way[back->items[e]]) {
                on_way[back->items[e]] = true;
                stack[depth++] = back->items[e];
            }
    }
    main.first = ARENA_NEW_ARRAY(arena, main.count + 1, uint32_t);
    main.items = ARENA_NEW_ARRAY(arena, graph->first[graph->count], uint32_t);
    for (uint32_t n = 0; n < graph->count; n++) {
        main.first[n] = edges;
        for (uint32_t e = graph->first[n]; e < graph->first[n + 1]; e++)
            if (!on_way[n] || n == end || on_way[graph->items[e]])
                main.items[edges++] = graph->items[e];
    }
    main.first[main.count] = edges;
    return main;
}

static void post_dominators(struct arena *arena, const struct graph *graph,
                            const struct graph *back, uint32_t *order, uint32_t *number,
                            uint32_t *post_dominator)
{
    struct graph whole = with_exit(arena, graph, back);
    struct graph whole_back = reversed(arena, &whole);
    uint32_t all = reverse_post_order(arena, &whole_back, graph->count, order, number);

    dominators(&whole, order, all, number, post_dominator);
}

struct ir_cfg *ir_cfg_build(struct arena *arena, const struct ir_function *function)
{
    struct ir_cfg *cfg = ARENA_NEW(arena, struct ir_cfg);
    struct arena scratch = {0};
    uint32_t count = function->block_count;
    uint32_t *number = ARENA_NEW_ARRAY(&scratch, count + 1, uint32_t);
    uint32_t *order = ARENA_NEW_ARRAY(&scratch, count + 1, uint32_t);
    struct graph graph = successors_of(arena, function);
    struct graph back = reversed(arena, &graph);

    cfg->block_count = count;
    cfg->first_successor = graph.first;
    cfg->successors = graph.items;
    cfg->first_predecessor = back.first;
    cfg->predecessors = back.items;
    cfg->order = ARENA_NEW_ARRAY(arena, count, uint32_t);
    cfg->dominator = ARENA_NEW_ARRAY(arena, count, uint32_t);
    cfg->post_dominator = ARENA_NEW_ARRAY(arena, count + 1, uint32_t);
    cfg->meeting = ARENA_NEW_ARRAY(arena, count + 1, uint32_t);
    if (count) {
        cfg->order_count = reverse_post_order(&scratch, &graph, 0, cfg->order, number);
        dominators(&back, cfg->order, cfg->order_count, number, cfg->dominator);
        post_dominators(&scratch, &graph, &back, order, number, cfg->post_dominator);
        if (function->is_kernel) {
            struct graph ways = without_ways_out(&scratch, function, &graph, &back);
            struct graph ways_back = reversed(&scratch, &ways);
            post_dominators(&scratch, &ways, &ways_back, order, number, cfg->meeting);
        } else {
            memcpy(cfg->meeting, cfg->post_dominator, count * sizeof *cfg->meeting);
        }
    }
    arena_free(&scratch);
    return cfg;
}
