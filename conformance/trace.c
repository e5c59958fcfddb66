/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.c - see trace.h.
 *
 * The engine tells of an instruction before it takes effect, so its results are read
 * when the same lanes come to their next one, or end. */
#include "conformance/trace.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 24 }; /* 32 bytes each */

/* An instruction whose results are not there yet. */
struct trace_pending {
    struct warp *warp;
    const struct code *code;
    const struct ir_function *function;
    uint32_t function_index;
    unsigned char *base[2];
    uint32_t mask, number;
    uint64_t order;
};

static void *grow(void *items, uint64_t *capacity, uint64_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return items;
    uint64_t bigger = *capacity ? *capacity * 2 : 64;
    while (bigger < wanted)
        bigger *= 2;
    items = realloc(items, bigger * size);
    if (!items)
        abort();
    memset((char *)items + *capacity * size, 0, (bigger - *capacity) * size);
    *capacity = bigger;
    return items;
}

/* --- values ------------------------------------------------------------------------------ */

/* Bytes of one lane of a register; 0: a predicate. */
static uint32_t width_of(const struct ir_function *function, ir_operand operand)
{
    unsigned width = function->registers[ir_operand_index(operand)].width;

    return width == IR_pred ? 0 : ir_types[width].lane;
}

static void lane_of(unsigned char *const base[2], uint32_t operand, uint32_t width,
                    unsigned lane, uint64_t value[2])
{
    const unsigned char *at = operand_at(base, operand);

    value[0] = value[1] = 0;
    if (width)
        memcpy(value, at + lane * width, width);
    else
        value[0] = *(const uint64_t *)(const void *)at >> lane & 1;
}

/* Where operand i is, destinations first. Per-lane operations have one destination and
 * are only asked for that. */
static uint32_t place_of(const struct code *code, uint32_t i)
{
    return code->operands ? code->operands[i] : i == 0 ? code->o.d : OPERAND_ABSENT;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Over the registers among count operands from first on. */
static uint64_t hash_operands(const struct trace_pending *p, const ir_operand *operands,
                              uint32_t first, uint32_t count)
{
    uint64_t hash = 1, value[2];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = place_of(p->code, first + i);
        if (ir_operand_kind(operands[i]) != IR_OPERAND_REGISTER || place == OPERAND_ABSENT)
            continue;
        uint32_t width = width_of(p->function, operands[i]);
        FOR_LANES (lane, p->mask) {
            lane_of(p->base, place, width, lane, value);
            hash = mix(mix(hash, value[0]), value[1] + lane);
        }
    }
    return hash;
}

/* --- steps --------------------------------------------------------------------------------- */

static struct trace_warp *warp_of(struct trace *trace, const struct warp *warp)
{
    const struct launch_state *state = warp->block->state;
    uint64_t each = (state->block_threads + LANES - 1) / LANES;
    uint64_t number = trace->first_warp + warp->block->linear * each + warp->index;
    uint64_t capacity = trace->warp_count;

    if (number >= capacity) {
        trace->warps = grow(trace->warps, &capacity, number + 1, sizeof *trace->warps);
        trace->warp_count = capacity;
    }
    return &trace->warps[number];
}

static void take_detail(struct trace *trace, const struct trace_pending *p)
{
    struct trace_detail *d = &trace->detail;
    const ir_operand *results = ir_destinations(p->function, p->code->ir);

    *d = (struct trace_detail){.found = true,
                               .function = p->function_index,
                               .inst = (uint32_t)(p->code->ir - p->function->insts),
                               .mask = p->mask,
                               .has_result = p->code->destinations != 0};
    for (unsigned i = 0; i < 3; i++)
        d->block[i] = p->warp->block->index[i];
    memcpy(d->tid, p->warp->tid, sizeof d->tid);
    const ir_operand *shown = d->has_result ? results : ir_sources(p->function, p->code->ir);
    uint32_t first = d->has_result ? 0 : p->code->destinations, count =
        d->has_result ? p->code->destinations : p->code->sources;
    for (uint32_t i = 0; i < count; i++) {
        /* A store's value comes last, a branch has only its predicate. */
        uint32_t which = d->has_result ? i : count - 1 - i;
        uint32_t place = place_of(p->code, first + which);
        if (ir_operand_kind(shown[which]) != IR_OPERAND_REGISTER || place == OPERAND_ABSENT)
            continue;
        d->width = width_of(p->function, shown[which]);
        FOR_LANES (lane, p->mask)
            lane_of(p->base, place, d->width, lane, d->value[lane]);
        return;
    }
}

static void keep(struct trace *trace, const struct trace_pending *p, bool results)
{
    struct trace_warp *warp = warp_of(trace, p->warp);
    const ir_operand *operands = results ? ir_destinations(p->function, p->code->ir)
                                         : ir_sources(p->function, p->code->ir);
    uint32_t first = results ? 0 : p->code->destinations;
    uint32_t count = results ? p->code->destinations : p->code->sources;

    if ((uint64_t)(warp - trace->warps) == trace->wanted_warp &&
        warp->count == trace->wanted_step)
        take_detail(trace, p);
    warp->items = grow(warp->items, &warp->capacity, warp->count + 1, sizeof *warp->items);
    warp->items[warp->count++] = (struct trace_step){
        p->number, p->mask, hash_operands(p, operands, first, count), p->order};
}

static void flush(struct trace *trace, const struct warp *warp, uint32_t mask)
{
    for (uint64_t i = 0; i < trace->pending_count;) {
        const struct trace_pending *p = &trace->pending[i];
        if (p->warp != warp || !(p->mask & mask)) {
            i++;
            continue;
        }
        keep(trace, p, true);
        trace->pending[i] = trace->pending[--trace->pending_count];
    }
}

/* --- events --------------------------------------------------------------------------------- */

static void see_frame(struct observer *self, struct warp *warp, struct frame *frame,
                      uint32_t mask)
{
    (void)self;
    (void)warp;
    (void)mask;
    frame->followed = true;
}

static const struct ir_function *function_of(const struct ir_module *module,
                                             const struct ir_inst *inst, uint32_t *index)
{
    for (*index = 0; *index < module->function_count; ++*index) {
        const struct ir_function *f = &module->functions[*index];
        if (f->inst_count && inst >= f->insts && inst < f->insts + f->inst_count)
            return f;
    }
    return NULL;
}

static void see_instruction(struct observer *self, struct warp *warp, const struct code *code,
                            unsigned char *const base[2], uint32_t mask)
{
    struct trace *trace = (struct trace *)self;
    struct trace_pending p = {.warp = warp, .code = code, .base = {base[0], base[1]},
                              .mask = mask, .order = trace->steps};

    flush(trace, warp, mask);
    p.function = function_of(trace->module, code->ir, &p.function_index);
    if (!p.function || trace->steps >= trace->limit)
        return;
    p.number = trace->numbering->number[p.function_index][code->ir - p.function->insts];
    if (p.number == UNPAIRED)
        return;
    trace->steps++;
    if (!code->destinations) {
        keep(trace, &p, false);
        return;
    }
    trace->pending = grow(trace->pending, &trace->pending_capacity, trace->pending_count + 1,
                          sizeof *trace->pending);
    trace->pending[trace->pending_count++] = p;
}

static void see_exit(struct observer *self, struct warp *warp, uint32_t mask)
{
    flush((struct trace *)self, warp, mask);
}


static void see_begin(struct observer *self, struct launch_state *state)
{
    ((struct trace *)self)->module = state->launch->image->module;
}

static void see_end(struct observer *self, struct launch_state *state)
{
    struct trace *trace = (struct trace *)self;

    trace->pending_count = 0; /* lanes that never went on */
    trace->first_warp += state->block_count * ((state->block_threads + LANES - 1) / LANES);
}

void trace_begin(struct trace *trace, const struct numbering *numbering)
{
    *trace = (struct trace){.observer = {.launch_begin = see_begin,
                                         .launch_end = see_end,
                                         .frame_enter = see_frame,
                                         .instruction = see_instruction,
                                         .lanes_exit = see_exit},
                            .numbering = numbering,
                            .limit = MOST_STEPS,
                            .wanted_warp = UINT64_MAX,
                            .wanted_step = UINT64_MAX};
}

void trace_free(struct trace *trace)
{
    for (uint64_t i = 0; i < trace->warp_count; i++)
        free(trace->warps[i].items);
    free(trace->warps);
    free(trace->pending);
    trace->warps = NULL;
    trace->pending = NULL;
    trace->warp_count = 0;
}

/* --- two of them -------------------------------------------------------------------------------- */

static bool same_step(const struct trace_step *a, const struct trace_step *b)
{
    return a->number == b->number && a->mask == b->mask && a->hash == b->hash;
}

struct trace_parting traces_part(const struct trace *left, const struct trace *right)
{
    struct trace_parting first = {0};
    uint64_t order = UINT64_MAX;
    uint64_t warps = left->warp_count > right->warp_count ? left->warp_count
                                                          : right->warp_count;

    for (uint64_t w = 0; w < warps; w++) {
        static const struct trace_warp NONE;
        const struct trace_warp *a = w < left->warp_count ? &left->warps[w] : &NONE;
        const struct trace_warp *b = w < right->warp_count ? &right->warps[w] : &NONE;
        uint64_t i = 0;
        while (i < a->count && i < b->count && same_step(&a->items[i], &b->items[i]))
            i++;
        if (i >= a->count && i >= b->count)
            continue;
        uint64_t at = i < a->count ? a->items[i].order : UINT64_MAX - 1;
        if (at >= order)
            continue;
        order = at;
        first = (struct trace_parting){true, w, {i, i}, {i >= a->count, i >= b->count}};
    }
    return first;
}
