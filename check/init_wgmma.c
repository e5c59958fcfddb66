/* SPDX-License-Identifier: Apache-2.0
 *
 * init_wgmma.c - the registers of a wgmma until its group has been waited for.
 *
 * Its results are there when wgmma.wait_group says so; whoever looks before finds
 * anything (PTX ISA, "wgmma.wait_group"). Until then they count as undefined, with the
 * wgmma as origin, and so does what has been copied from them, since compilers move
 * accumulators about before they wait, and keep them in local memory for debugging; all of
 * that is defined afterwards. What has been computed
 * of them stays undefined. The next wgmma may add to them without a wait. */
#include <string.h>

#include "check/init.h"
#include "ir/matrix.h"

struct operands {
    const uint32_t *sums, *a, *b, *metadata, *add;
};

static struct operands operands_of(const struct code *code, const struct ir_wgmma *w)
{
    struct operands o = {.sums = code->operands + code->destinations};

    o.a = o.sums + w->d_registers;
    o.b = o.a + (w->a_in_registers ? 4 : 1);
    o.metadata = w->sparse ? o.b + 1 : NULL;
    o.add = o.b + (w->sparse ? 3 : 1);
    return o;
}

static bool is_accumulator(const struct init *init, origin_id id)
{
    return id > 1 && origin_at(init, id)->kind == ORIGIN_ACCUMULATOR;
}

/* --- issue ------------------------------------------------------------------------------- */

/* Rows of A, of the warp's sixteen, with undefined elements or metadata. */
static void undefined_rows(struct init *init, struct warp *warp, const struct code *code,
                           const struct ir_wgmma *w, const struct shadow_frame *frame,
                           uint32_t mask, origin_id rows[16])
{
    struct operands o = operands_of(code, w);

    for (unsigned i = 0; w->a_in_registers && i < 4; i++)
        FOR_LANES(lane, undefined_lanes(frame, o.a[i], mask))
        {
            origin_id origin = undefined_origin(frame, o.a[i], lane);
            if (is_accumulator(init, origin))
                report_use(init, warp, frame, code, lane, "unwaited-wgmma",
                           "what another wgmma multiplies", origin, FINDING_NO_ACCESS);
            else
                rows[lane / 4 + 8 * (i & 1)] = origin & ~(origin_id)ORIGIN_PLAIN;
        }
    if (o.metadata)
        FOR_LANES(lane, undefined_lanes(frame, *o.metadata, mask))
            rows[lane / 4] = rows[lane / 4 + 8] =
                undefined_origin(frame, *o.metadata, lane) & ~(origin_id)ORIGIN_PLAIN;
}

static void use_descriptor(struct init *init, struct warp *warp, const struct code *code,
                           const struct shadow_frame *frame, uint32_t operand, uint32_t mask)
{
    FOR_LANES(lane, undefined_lanes(frame, operand, mask))
        report_use(init, warp, frame, code, lane, "uninitialised-address",
                   "where a wgmma finds a matrix", undefined_origin(frame, operand, lane),
                   FINDING_NO_ACCESS);
}

/* What keeps an element of C that counts from being defined; 0: nothing. */
static origin_id undefined_sum(const struct init *init, const struct shadow_frame *frame,
                               uint32_t operand, unsigned lane)
{
    origin_id origin = undefined_origin(frame, operand, lane);

    if (origin & ORIGIN_PLAIN && is_accumulator(init, origin))
        return 0; /* of the wgmma before */
    return origin & ~(origin_id)ORIGIN_PLAIN;
}

void init_wgmma_issue(struct init *init, struct warp *warp, const struct fragment *fragment,
                      const struct code *code)
{
    struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
    unsigned char *const base[2] = {fragment->frame->registers,
                                    warp->block->state->executable->constants};
    origin_id rows[16] = {0};
    struct ir_wgmma w;
    uint32_t adds;

    if (!ir_wgmma_read(code->op, code->sub, code->type, &w))
        return;
    struct operands o = operands_of(code, &w);
    undefined_rows(init, warp, code, &w, frame, fragment->mask, rows);
    if (!w.a_in_registers)
        use_descriptor(init, warp, code, frame, *o.a, fragment->mask);
    use_descriptor(init, warp, code, frame, *o.b, fragment->mask);
    origin_id pending = origin_of(init, warp, code, frame->program->function,
                                  lane_first(fragment->mask), ORIGIN_ACCUMULATOR, NULL,
                                  "the registers of a wgmma") | ORIGIN_PLAIN;
    for (unsigned r = 0; r < w.d_registers; r++)
        FOR_LANES(lane, fragment->mask)
        {
            unsigned lower = w.d_elements == 2 ? r & 1 : r >> 1 & 1;
            origin_id from = rows[lane / 4 + 8 * lower];
            memcpy(&adds, (unsigned char *)operand_at(base, *o.add) + 4 * lane, 4);
            if (!from && adds)
                from = undefined_sum(init, frame, o.sums[r], lane);
            undefined_set(frame, code->operands[r], lane, UINT32_MAX, from ? from : pending);
        }
}

/* --- the end ------------------------------------------------------------------------------- */

static bool is_result(const struct init *init, origin_id id, const struct code *code)
{
    return id & ORIGIN_PLAIN && is_accumulator(init, id) && origin_at(init, id)->code == code;
}

/* All that holds results of this wgmma is defined now, in registers and, where a compiler
 * keeps variables, in local memory. */
static void settle(struct init *init, struct warp *warp, const struct code *code)
{
    FOR_FRAGMENTS(i, warp)
        for (const struct frame *f = warp->fragments[i].frame; f; f = f->caller) {
            struct shadow_frame *frame = shadow_frame_of(init, f->registers);
            for (uint32_t e = 0; frame && frame->any && e < frame->entries; e++)
                FOR_LANES(lane, frame->lanes[e])
                {
                    if (is_result(init, frame->registers[e]->origin[lane], code))
                        frame->lanes[e] &= ~(UINT32_C(1) << lane);
                }
        }
    const struct shadow_bytes *local = pointer_map_get(&init->locals, warp);
    for (uint64_t i = 0; local && local->origin && i < local->size * LANES; i++)
        if (local->bits[i] && is_result(init, local->origin[i], code))
            local->bits[i] = 0;
}

void init_copy(struct observer *observer, const struct copy_event *event)
{
    struct init *init = (struct init *)observer;
    const struct code *code = NULL;

    if (!event->done) {
        if (is_wgmma(event->code->op))
            *ARENA_PUSH(&init->arena, &init->products) =
                (struct pending_product){event->warp, event->number, event->code};
        return;
    }
    /* A later issue of the same instruction may still be pending: then its results have
     * taken the place of these. */
    for (uint32_t i = 0; i < init->products.count; i++) {
        const struct pending_product *product = &init->products.items[i];
        if (product->warp != event->warp || product->number != event->number)
            continue;
        code = product->code;
        init->products.items[i] = init->products.items[--init->products.count];
        break;
    }
    for (uint32_t i = 0; code && i < init->products.count; i++)
        if (init->products.items[i].warp == event->warp && init->products.items[i].code == code)
            code = NULL;
    if (code)
        settle(init, event->warp, code);
}
