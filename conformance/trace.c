/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.c - see trace.h.
 *
 * The engine tells of an instruction before it takes effect, so its results are read
 * when the same lanes come to their next one, or end. */
#include "conformance/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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
    uint64_t hash; /* of what counts of it besides the results */
    struct trace_taken *taken; /* NULL unless it may be the wanted step */
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
        out_of_memory(0);
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

/* Where operand i is, destinations first. Per-lane operations have one destination. */
static uint32_t place_of(const struct code *code, uint32_t i)
{
    if (code->operands)
        return code->operands[i];
    const uint32_t places[] = {code->o.d, code->o.a, code->o.b, code->o.c, code->o.e};
    return i < sizeof places / sizeof *places ? places[i] : OPERAND_ABSENT;
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

static uint64_t number_of(const struct trace *trace, const struct warp *warp)
{
    const struct launch_state *state = warp->block->state;
    uint64_t each = (state->block_threads + LANES - 1) / LANES;

    return trace->first_warp + warp->block->linear * each + warp->index;
}

static struct trace_warp *warp_of(struct trace *trace, const struct warp *warp)
{
    uint64_t number = number_of(trace, warp);
    uint64_t capacity = trace->warp_count;

    if (number >= capacity) {
        trace->warps = grow(trace->warps, &capacity, number + 1, sizeof *trace->warps);
        trace->warp_count = capacity;
    }
    return &trace->warps[number];
}

static bool writes_memory(const struct code *code)
{
    return ir_ops[code->op].flags & IR_FLAG_WRITES;
}

/* Where a branch goes in lanes with a true and with a false predicate: the next instructions
 * there that both texts have. */
static uint64_t hash_targets(const struct trace *trace, const struct trace_pending *p)
{
    const ir_operand *sources = ir_sources(p->function, p->code->ir);
    uint64_t hash = 0;

    for (uint32_t i = 1; i < p->code->sources; i++) {
        const uint32_t *number = trace->numbering->number[p->function_index];
        uint32_t at = p->function->blocks[ir_operand_index(sources[i])].first;
        while (at < p->function->inst_count && number[at] == UNPAIRED)
            at++;
        hash = mix(hash, at < p->function->inst_count ? number[at] : UNPAIRED);
    }
    return hash;
}

/* What the deed of an instruction depends on besides its results: all that it takes, and
 * where it writes. 0 when the results say everything. */
static uint64_t hash_taken(const struct trace *trace, const struct trace_pending *p)
{
    const struct code *code = p->code;
    const ir_operand *sources = ir_sources(p->function, code->ir);
    bool writes = writes_memory(code);

    if (code->destinations && !writes && !(ir_ops[code->op].flags & IR_FLAG_CALL))
        return 0;
    uint64_t hash = hash_operands(p, sources, code->destinations, code->sources);
    for (uint32_t i = 0; i < code->sources; i++)
        if (ir_operand_kind(sources[i]) == IR_OPERAND_CONSTANT)
            hash = mix(hash, p->function->constants[ir_operand_index(sources[i])].value);
    if (code->op == IR_OP_br)
        return mix(hash, hash_targets(trace, p));
    if (!writes)
        return hash;
    /* A store of bits is the same whatever their type. */
    bool plain = code->op == IR_OP_st;
    hash = mix(mix(hash, (uint64_t)code->offset), code->address_kind);
    hash = mix(hash, (uint64_t)code->op << 32 | (uint64_t)code->sub << 8 | code->vector);
    return mix(hash, plain ? ir_type_bytes(code->type) : code->type);
}

static void take_value(const struct trace_pending *p, ir_operand operand, uint32_t place,
                       struct trace_value *value)
{
    value->width = width_of(p->function, operand);
    for (unsigned lane = 0; lane < LANES; lane++)
        lane_of(p->base, place, value->width, lane, value->lane[lane]);
}

static void add_source(const struct trace *trace, struct trace_pending *p, ir_operand operand,
                       uint32_t place)
{
    if (ir_operand_kind(operand) != IR_OPERAND_REGISTER || place == OPERAND_ABSENT ||
        p->taken->count == TRACE_SOURCES)
        return;
    struct trace_source *source = &p->taken->source[p->taken->count++];
    const uint32_t *writers = trace->writers ? trace->writers[p->function_index] : NULL;
    take_value(p, operand, place, &source->value);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t writer = writers ? writers[ir_operand_index(operand) * LANES + lane] : 0;
        source->writer[lane] = writer ? writer - 1 : NOBODY;
    }
}

/* Before the instruction takes effect. */
static void take_sources(const struct trace *trace, struct trace_pending *p)
{
    const ir_operand *sources = ir_sources(p->function, p->code->ir);

    p->taken = calloc(1, sizeof *p->taken);
    if (!p->taken)
        out_of_memory(0);
    for (uint32_t i = 0; i < p->code->sources; i++)
        add_source(trace, p, sources[i], place_of(p->code, p->code->destinations + i));
    if (p->code->ir->guard)
        add_source(trace, p, p->code->ir->guard, p->code->guard);
    if (p->code->op != IR_OP_st && p->code->op != IR_OP_atom)
        return;
    bool in_register = ir_operand_kind(sources[0]) == IR_OPERAND_REGISTER;
    p->taken->has_address = true;
    for (unsigned lane = 0; lane < LANES; lane++)
        p->taken->address[lane] = (uint64_t)p->code->offset +
                                  (in_register ? p->taken->source[0].value.lane[lane][0] : 0);
}

/* The wanted warp's instruction will write these registers. writers[function][register *
 * LANES + lane] is its index and 1; 0: nobody. */
static void note_writer(struct trace *trace, const struct trace_pending *p)
{
    const ir_operand *results = ir_destinations(p->function, p->code->ir);
    uint64_t none = 0;

    if (!trace->writers)
        trace->writers = grow(NULL, &none, trace->numbering->module->function_count,
                              sizeof *trace->writers);
    uint32_t **writers = &trace->writers[p->function_index];
    none = 0;
    if (!*writers)
        *writers = grow(NULL, &none, ((uint64_t)p->function->register_count + 1) * LANES,
                        sizeof **writers);
    for (uint32_t i = 0; i < p->code->destinations; i++) {
        if (ir_operand_kind(results[i]) != IR_OPERAND_REGISTER)
            continue;
        FOR_LANES (lane, p->mask)
            (*writers)[ir_operand_index(results[i]) * LANES + lane] =
                (uint32_t)(p->code->ir - p->function->insts) + 1;
    }
}

static void take_detail(struct trace *trace, const struct trace_pending *p)
{
    struct trace_detail *d = &trace->detail;
    const ir_operand *results = ir_destinations(p->function, p->code->ir);

    d->found = true;
    d->function = p->function_index;
    d->inst = (uint32_t)(p->code->ir - p->function->insts);
    d->mask = p->mask;
    d->has_result = p->code->destinations != 0;
    if (p->taken)
        d->taken = *p->taken;
    for (unsigned i = 0; i < 3; i++)
        d->block[i] = p->warp->block->index[i];
    memcpy(d->tid, p->warp->tid, sizeof d->tid);
    const ir_operand *shown = d->has_result ? results : ir_sources(p->function, p->code->ir);
    uint32_t first = d->has_result ? 0 : p->code->destinations;
    uint32_t count = d->has_result ? p->code->destinations : p->code->sources;
    /* What a store takes besides its address. */
    for (uint32_t i = writes_memory(p->code) && !d->has_result; i < count; i++) {
        uint32_t place = place_of(p->code, first + i);
        if (ir_operand_kind(shown[i]) == IR_OPERAND_REGISTER && place != OPERAND_ABSENT &&
            d->count < TRACE_SOURCES)
            take_value(p, shown[i], place, &d->value[d->count++]);
    }
}

static void keep(struct trace *trace, struct trace_pending *p)
{
    struct trace_warp *warp = warp_of(trace, p->warp);
    uint64_t hash = hash_operands(p, ir_destinations(p->function, p->code->ir), 0,
                                  p->code->destinations);

    if ((uint64_t)(warp - trace->warps) == trace->wanted_warp &&
        warp->count == trace->wanted_step)
        take_detail(trace, p);
    free(p->taken);
    warp->items = grow(warp->items, &warp->capacity, warp->count + 1, sizeof *warp->items);
    warp->items[warp->count++] =
        (struct trace_step){p->number, p->mask, mix(hash, p->hash), p->order};
}

static void flush(struct trace *trace, const struct warp *warp, uint32_t mask)
{
    for (uint64_t i = 0; i < trace->pending_count;) {
        struct trace_pending *p = &trace->pending[i];
        if (p->warp != warp || !(p->mask & mask)) {
            i++;
            continue;
        }
        keep(trace, p);
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

/* Steps are counted when their results are there: no more than one of each lane is under way. */
static bool is_near(const struct trace *trace, const struct trace_warp *warp)
{
    return warp->count <= trace->wanted_step && trace->wanted_step - warp->count <= LANES;
}

static void note_alone(struct trace *trace, const struct trace_pending *p)
{
    struct trace_alone *alone = &trace->alone;
    unsigned lane = (unsigned)__builtin_ctz(p->mask);

    if (alone->found ||
        (p->code->destinations && !writes_memory(p->code)))
        return;
    *alone = (struct trace_alone){.found = true, .function = p->function_index,
                                  .inst = (uint32_t)(p->code->ir - p->function->insts),
                                  .order = p->order};
    for (unsigned i = 0; i < 3; i++) {
        alone->block[i] = p->warp->block->index[i];
        alone->tid[i] = p->warp->tid[i][lane];
    }
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
    bool wanted = number_of(trace, warp) == trace->wanted_warp;
    if (p.number == UNPAIRED) {
        note_alone(trace, &p);
    } else {
        trace->steps++;
        p.hash = hash_taken(trace, &p);
        if (wanted && is_near(trace, warp_of(trace, warp)))
            take_sources(trace, &p);
    }
    if (wanted)
        note_writer(trace, &p);
    if (p.number == UNPAIRED)
        return;
    if (!code->destinations) {
        keep(trace, &p);
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


static void forget_pending(struct trace *trace)
{
    for (uint64_t i = 0; i < trace->pending_count; i++)
        free(trace->pending[i].taken);
    trace->pending_count = 0;
}

static void see_begin(struct observer *self, struct launch_state *state)
{
    ((struct trace *)self)->module = state->launch->image->module;
}

static void see_end(struct observer *self, struct launch_state *state)
{
    struct trace *trace = (struct trace *)self;

    forget_pending(trace); /* lanes that never went on */
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
    for (uint32_t i = 0; trace->writers && i < trace->numbering->module->function_count; i++)
        free(trace->writers[i]);
    free(trace->writers);
    forget_pending(trace);
    free(trace->pending);
    trace->warps = NULL;
    trace->writers = NULL;
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
        first = (struct trace_parting){
            true, w, {i, i},
            {i < a->count ? a->items[i].order : UINT64_MAX,
             i < b->count ? b->items[i].order : UINT64_MAX},
            {i >= a->count, i >= b->count}};
    }
    return first;
}
