/* SPDX-License-Identifier: Apache-2.0
 *
 * init_warp.c - undefined bits in operations in which lanes take part together.
 *
 * A shuffle brings the bits of the lane it reads. When that lane takes no part,
 * PTX leaves the result undefined: it counts as such, with the shuffle as its
 * origin, and is only reported when something depends on it. */
#include <stdio.h>
#include <string.h>

#include "check/init.h"
#include "check/place.h"
#include "emu/matrix.h"
#include "emu/warp.h"

/* What the lanes bring. */
struct gathered {
    uint32_t lanes, members;
    uint64_t value[LANES], bits[LANES];
    origin_id origin[LANES];
    uint32_t b[LANES], c[LANES];
};

/* What they get: in the first destination, and in the second one. */
struct outcome {
    uint64_t bits[LANES];
    origin_id origin[LANES];
    uint32_t second;
};

static uint64_t value_at(const struct warp *warp, const struct fragment *fragment,
                         uint32_t operand, unsigned bytes, unsigned lane)
{
    unsigned char *const base[2] = {fragment->frame->registers,
                                    warp->block->state->executable->constants};
    const unsigned char *at = operand_at(base, operand);
    uint64_t value = 0;

    if (bytes == 0) {
        memcpy(&value, at, 8);
        return value >> lane & 1;
    }
    memcpy(&value, at + lane * bytes, bytes < 8 ? bytes : 8);
    return value;
}

static bool is_vote(unsigned op)
{
    return op == IR_OP_vote_all || op == IR_OP_vote_any || op == IR_OP_vote_uni ||
           op == IR_OP_vote_ballot;
}

static bool is_shuffle(unsigned op)
{
    return op == IR_OP_shfl_up || op == IR_OP_shfl_down || op == IR_OP_shfl_bfly ||
           op == IR_OP_shfl_idx;
}

/* Ops of which more is known than that all results depend on all sources. */
static bool is_known(unsigned op)
{
    return is_vote(op) || is_shuffle(op) || op == IR_OP_match_any || op == IR_OP_match_all ||
           op == IR_OP_redux || op == IR_OP_elect;
}

static void gather(struct init *init, struct gathered *g, const struct warp *warp,
                   const struct fragment *fragment)
{
    const struct code *code = &fragment->frame->program->code[fragment->pc];
    const struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
    unsigned bytes = is_vote(code->op) ? 0 : ir_types[ir_type_register(code->type)].lane;

    g->lanes |= fragment->mask;
    g->members = fragment->member_mask;
    if (code->sources < 2)
        return;
    FOR_LANES(lane, fragment->mask)
    {
        g->value[lane] = value_at(warp, fragment, code->o.a, bytes, lane);
        g->bits[lane] = undefined_bits(frame, code->o.a, lane);
        g->origin[lane] = undefined_origin(frame, code->o.a, lane);
        if (code->sources > 2)
            g->b[lane] = (uint32_t)value_at(warp, fragment, code->o.b, 4, lane);
        if (code->sources > 3)
            g->c[lane] = (uint32_t)value_at(warp, fragment, code->o.c, 4, lane);
    }
}

/* --- shuffles --------------------------------------------------------------------------- */

static origin_id absent_lane(struct init *init, const struct warp *warp,
                             const struct fragment *fragment, unsigned lane, unsigned source)
{
    static const char ended[] = "ended", absent[] = "absent", elsewhere[] = "elsewhere";
    const struct program *program = fragment->frame->program;
    const char *why = !(warp->exists >> source & 1) ? absent
                      : !(warp->live >> source & 1) ? ended
                                                    : elsewhere;
    char phrase[160];

    snprintf(phrase, sizeof phrase, "lane %u takes the value of lane %u, which %s", lane, source,
             why == absent  ? "this warp of the block does not have"
             : why == ended ? "has ended"
                            : "does not take part");
    return origin_of(init, warp, &program->code[fragment->pc], program->function, lane,
                     ORIGIN_LANE, why, phrase);
}

static void shuffle(struct init *init, struct outcome *out, const struct gathered *g,
                    const struct warp *warp, const struct fragment *fragment, unsigned op)
{
    FOR_LANES(lane, fragment->mask)
    {
        bool in_range;
        unsigned source = shuffle_source(op, lane, g->b[lane], g->c[lane], &in_range);
        if (g->lanes >> source & 1) {
            out->bits[lane] = g->bits[source];
            out->origin[lane] = g->origin[source];
        } else {
            out->bits[lane] = UINT64_MAX;
            out->origin[lane] = absent_lane(init, warp, fragment, lane, source);
        }
    }
}

/* --- votes, matches, reductions --------------------------------------------------------------- */

static void together(struct outcome *out, const struct gathered *g, uint32_t lanes, unsigned op)
{
    uint32_t members = g->members & g->lanes, undefined = 0, yes = 0;

    FOR_LANES(lane, members)
    {
        undefined |= (uint32_t)(g->bits[lane] != 0) << lane;
        yes |= (uint32_t)(g->value[lane] & 1) << lane;
    }
    if (!undefined)
        return;
    uint32_t sure = members & ~undefined;
    uint64_t bits = UINT64_MAX;
    if (op == IR_OP_vote_ballot)
        bits = undefined;
    else if ((op == IR_OP_vote_any && (yes & sure)) || (op == IR_OP_vote_all && (sure & ~yes)) ||
             (op == IR_OP_vote_uni && (yes & sure) && (sure & ~yes)))
        bits = 0;
    FOR_LANES(lane, lanes)
    {
        out->bits[lane] = bits;
        out->origin[lane] = g->origin[lane_first(undefined)] & ~(origin_id)ORIGIN_PLAIN;
    }
    if (op == IR_OP_match_all)
        out->second = lanes;
}

/* --- the event ---------------------------------------------------------------------------------- */

static uint64_t destination_bits(const struct code *code)
{
    switch (code->op) {
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_uni:
        return 1;
    case IR_OP_vote_ballot:
    case IR_OP_match_any:
    case IR_OP_match_all:
    case IR_OP_elect:
        return UINT32_MAX;
    default: {
        unsigned bytes = ir_types[ir_type_register(code->type)].lane;
        return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    }
    }
}

static void scatter(struct init *init, const struct outcome *out, const struct fragment *fragment)
{
    const struct code *code = &fragment->frame->program->code[fragment->pc];
    struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
    uint64_t whole = destination_bits(code);

    FOR_LANES(lane, fragment->mask)
    {
        if (code->destinations > 0)
            undefined_set(frame, code->operands[0], lane, out->bits[lane] & whole,
                          out->origin[lane]);
        if (code->destinations > 1)
            undefined_set(frame, code->operands[1], lane, out->second >> lane & 1,
                          out->origin[lane]);
    }
}

/* An op that works on registers of the whole warp: one undefined bit of any lane,
 * and every result of every lane is undefined. */
static void all_of_all(struct init *init, struct warp *warp, uint32_t mask)
{
    origin_id origin = 0;
    bool undefined = false;

    for (int pass = 0; pass < 2; pass++)
        FOR_FRAGMENTS(i, warp)
        {
            const struct fragment *fragment = &warp->fragments[i];
            if (fragment->state != FRAGMENT_SYNC || !(fragment->mask & mask))
                continue;
            const struct code *code = &fragment->frame->program->code[fragment->pc];
            struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
            for (unsigned s = 0; pass == 0 && s < code->sources; s++) {
                uint32_t operand = code->operands[code->destinations + s];
                uint32_t lanes = undefined_lanes(frame, operand, fragment->mask);
                if (lanes && !undefined)
                    origin = undefined_origin(frame, operand, lane_first(lanes));
                undefined |= lanes != 0;
            }
            for (unsigned d = 0; pass == 1 && d < code->destinations; d++)
                FOR_LANES(lane, fragment->mask)
                    undefined_set(frame, code->operands[d], lane,
                                  undefined ? destination_bits(code) : 0,
                                  origin & ~(origin_id)ORIGIN_PLAIN);
        }
}

void init_warp_sync(struct observer *observer, struct warp *warp, const struct code *code,
                    uint32_t mask)
{
    struct init *init = (struct init *)observer;
    struct gathered g;
    struct outcome out;

    if (code->op == IR_OP_bar_warp)
        return;
    if (is_matrix(code)) {
        init_matrix_sync(init, warp, code, mask);
        return;
    }
    if (!is_known(code->op)) {
        all_of_all(init, warp, mask);
        return;
    }
    memset(&g, 0, sizeof g);
    memset(&out, 0, sizeof out);
    FOR_FRAGMENTS(i, warp)
        if (warp->fragments[i].state == FRAGMENT_SYNC && warp->fragments[i].mask & mask)
            gather(init, &g, warp, &warp->fragments[i]);
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (fragment->state != FRAGMENT_SYNC || !(fragment->mask & mask))
            continue;
        if (is_shuffle(code->op))
            shuffle(init, &out, &g, warp, fragment, code->op);
        else if (code->op != IR_OP_elect)
            together(&out, &g, fragment->mask, code->op);
    }
    FOR_FRAGMENTS(i, warp)
        if (warp->fragments[i].state == FRAGMENT_SYNC && warp->fragments[i].mask & mask)
            scatter(init, &out, &warp->fragments[i]);
}
