/* SPDX-License-Identifier: Apache-2.0
 *
 * parting.c - see parting.h. */
#include "conformance/parting.h"

#include <inttypes.h>
#include <string.h>

#include "conformance/trace.h"

struct parting {
    struct arena *arena;
    const struct side *side[2];
    struct alignment alignment;
    struct trace trace[2];
    struct trace_parting where;
    struct trace_alone alone[2];
    struct text *out;
};

/* The side's module, to look at; NULL when it does not load. */
static const struct ir_module *read_module(const struct side *side, sl_context **context)
{
    const struct conform_case *c = side->c;
    sl_module *module;

    if (sl_context_create(c->target, context) != SL_OK ||
        sl_module_load(*context, SL_FORMAT_PTX, c->recorded->launch.ptx, c->ptx, c->ptx_size,
                       &module) != SL_OK)
        return NULL;
    return module->ir;
}

static void run(struct parting *p, int i)
{
    struct emulate_options options = *p->side[i]->options;
    struct emulation emulation;

    options.observer = &p->trace[i].observer;
    emulate(p->side[i]->c, &options, &emulation);
    emulation_free(&emulation);
}

/* Once more, to look at one step in full. */
static void look(struct parting *p, int i)
{
    trace_free(&p->trace[i]);
    trace_begin(&p->trace[i], &p->alignment.side[i]);
    if (p->where.ended[i])
        return;
    p->trace[i].wanted_warp = p->where.warp;
    p->trace[i].wanted_step = p->where.step[i];
    run(p, i);
}

/* --- words ------------------------------------------------------------------------------ */

static void write_value(struct text *out, uint32_t width, const uint64_t value[2])
{
    if (width == 16)
        text_printf(out, "0x%016" PRIx64 "%016" PRIx64, value[1], value[0]);
    else if (width)
        text_printf(out, "0x%0*" PRIx64, (int)(2 * width), value[0]);
    else
        text_puts(out, value[0] ? "true" : "false");
}

static const struct ir_inst *inst_of(const struct parting *p, int i, uint32_t function,
                                     uint32_t inst)
{
    return &p->alignment.side[i].module->functions[function].insts[inst];
}

/* Lines and statement of an instruction, without an end of line. */
static void write_inst(struct parting *p, int i, const struct ir_inst *inst)
{
    const struct ir_module *module = p->alignment.side[i].module;
    const struct ir_location *location = &module->locations[inst->loc];

    text_printf(p->out, "  %s: PTX line %u", p->side[i]->name, location->at.line);
    if (location->file && location->line)
        text_printf(p->out, ", %s:%u", module->files[location->file], location->line);
    text_printf(p->out, ": %s", statement_text(p->arena, module, location->at));
    if (location->product.line)
        text_printf(p->out, ", fused with PTX line %u: %s", location->product.line,
                    statement_text(p->arena, module, location->product));
}

static bool in_both(const struct trace_detail *a, const struct trace_detail *b, unsigned lane)
{
    return a->found && b->found && a->mask & b->mask & (uint32_t)1 << lane;
}

/* The first value that the sides do not have in common, else the last. */
static uint32_t shown_value(const struct trace_detail *a, const struct trace_detail *b,
                            unsigned lane)
{
    uint32_t i = 0;

    while (i + 1 < a->count && (!in_both(a, b, lane) || i >= b->count ||
                                !memcmp(a->value[i].lane[lane], b->value[i].lane[lane], 16)))
        i++;
    return i;
}

static bool address_differs(const struct trace_detail *a, const struct trace_detail *b,
                            unsigned lane)
{
    return in_both(a, b, lane) && a->taken.has_address && b->taken.has_address &&
           a->taken.address[lane] != b->taken.address[lane];
}

static bool lane_differs(const struct trace_detail *a, const struct trace_detail *b,
                         unsigned lane)
{
    bool in_a = a->found && a->mask >> lane & 1, in_b = b->found && b->mask >> lane & 1;

    if (in_a != in_b || !in_a)
        return in_a != in_b;
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (memcmp(a->value[i].lane[lane], b->value[i].lane[lane], 16))
            return true;
    return a->count != b->count || address_differs(a, b, lane);
}

/* The first lane that did something else, and how many did; all, when only the instruction
 * is another one. */
static unsigned first_lane(const struct trace_detail *a, const struct trace_detail *b,
                           unsigned *count)
{
    uint32_t both = a->mask | b->mask, differ = 0;

    for (unsigned lane = 0; lane < LANES; lane++)
        differ |= (uint32_t)lane_differs(a, b, lane) << lane;
    differ = differ ? differ : both;
    *count = (unsigned)__builtin_popcount(differ);
    return differ ? (unsigned)__builtin_ctz(differ) : 0;
}

static void write_place(struct parting *p, int i, unsigned lane)
{
    const struct trace_detail *d = &p->trace[i].detail;

    if (!d->found) {
        text_printf(p->out, "  %s: this warp has no more instructions\n", p->side[i]->name);
        return;
    }
    write_inst(p, i, inst_of(p, i, d->function, d->inst));
    if (!(d->mask >> lane & 1)) {
        text_puts(p->out, "   (not run by this lane)\n");
        return;
    }
    if (d->count) {
        uint32_t shown = shown_value(d, &p->trace[!i].detail, lane);
        text_puts(p->out, d->has_result ? "   gives " : "   takes ");
        write_value(p->out, d->value[shown].width, d->value[shown].lane[lane]);
    }
    if (address_differs(d, &p->trace[!i].detail, lane))
        text_printf(p->out, "%s 0x%" PRIx64, d->count ? " for address" : "   at address",
                    d->taken.address[lane]);
    text_putc(p->out, '\n');
}

static void write_head(struct parting *p, const struct trace_detail *d, unsigned lane,
                       unsigned count)
{
    text_printf(p->out, "the first instruction that differs: block %u,%u,%u thread %u,%u,%u",
                d->block[0], d->block[1], d->block[2], d->tid[0][lane], d->tid[1][lane],
                d->tid[2][lane]);
    if (count > 1)
        text_printf(p->out, " and %u more lanes of its warp", count - 1);
    text_putc(p->out, '\n');
}

static bool is_altered(const struct parting *p, const struct ir_inst *a, const struct ir_inst *b)
{
    const struct ir_module *left = p->alignment.side[0].module,
                           *right = p->alignment.side[1].module;
    const struct ir_location *one = &left->locations[a->loc], *other = &right->locations[b->loc];

    return strcmp(statement_text(p->arena, left, one->at),
                  statement_text(p->arena, right, other->at)) ||
           strcmp(statement_text(p->arena, left, one->product),
                  statement_text(p->arena, right, other->product));
}

/* Steps that differ where both have the same text took something else. What comes from
 * instructions that were not compared with each other, or gave the same to other registers,
 * began there. */
static bool write_origin(struct parting *p)
{
    const struct trace_detail *d[2] = {&p->trace[0].detail, &p->trace[1].detail};

    if (!d[0]->found || !d[1]->found || d[0]->taken.count != d[1]->taken.count ||
        is_altered(p, inst_of(p, 0, d[0]->function, d[0]->inst),
                   inst_of(p, 1, d[1]->function, d[1]->inst)))
        return false;
    for (uint32_t s = 0; s < d[0]->taken.count; s++) {
        const struct trace_source *from[2] = {&d[0]->taken.source[s], &d[1]->taken.source[s]};
        unsigned lane = LANES, count = 0;
        FOR_LANES (l, d[0]->mask | d[1]->mask)
            if (memcmp(from[0]->value.lane[l], from[1]->value.lane[l], 16)) {
                lane = lane == LANES ? l : lane;
                count++;
            }
        if (lane == LANES || from[0]->writer[lane] == NOBODY || from[1]->writer[lane] == NOBODY)
            continue;
        const struct ir_inst *inst[2] = {inst_of(p, 0, d[0]->function, from[0]->writer[lane]),
                                         inst_of(p, 1, d[1]->function, from[1]->writer[lane])};
        if (!is_altered(p, inst[0], inst[1]))
            continue;
        write_head(p, d[0], lane, count);
        for (int i = 0; i < 2; i++) {
            write_inst(p, i, inst[i]);
            text_puts(p->out, "   gives ");
            write_value(p->out, from[i]->value.width, from[i]->value.lane[lane]);
            text_putc(p->out, '\n');
        }
        return true;
    }
    return false;
}

static void write_parting(struct parting *p)
{
    const struct trace_detail *a = &p->trace[0].detail, *b = &p->trace[1].detail;
    unsigned count, lane = first_lane(a, b, &count);

    if (write_origin(p))
        return;
    write_head(p, a->found ? a : b, lane, count);
    write_place(p, 0, lane);
    write_place(p, 1, lane);
}

/* What only one side did and others can see, unless it came later than what differs. */
static bool write_alone(struct parting *p)
{
    bool any = false;

    for (int i = 0; i < 2; i++) {
        const struct trace_alone *alone = &p->alone[i];
        if (!alone->found || (p->where.found && alone->order > p->where.order[i]))
            continue;
        text_printf(p->out, "%sonly one side has: block %u,%u,%u thread %u,%u,%u\n",
                    p->where.found ? "before that, " : "", alone->block[0], alone->block[1],
                    alone->block[2], alone->tid[0], alone->tid[1], alone->tid[2]);
        write_inst(p, i, inst_of(p, i, alone->function, alone->inst));
        text_putc(p->out, '\n');
        any = true;
    }
    return any;
}

static void find(struct parting *p, const struct ir_module *modules[2])
{
    const struct alignment *al = &p->alignment;
    struct text *out = p->out;

    modules_align(p->arena, modules[0], modules[1], &p->alignment);
    if (al->altered || al->unpaired[0] || al->unpaired[1])
        text_printf(out, "the texts: %u instructions alike, %u altered, %u only in %s, %u only in "
                         "%s\n", al->paired - al->altered, al->altered, al->unpaired[0],
                    p->side[0]->name, al->unpaired[1], p->side[1]->name);
    if (al->paired < al->unpaired[0] || al->paired < al->unpaired[1]) {
        text_puts(out, "too little is alike to look for the first instruction that differs\n");
        return;
    }
    for (int i = 0; i < 2; i++) {
        trace_begin(&p->trace[i], &p->alignment.side[i]);
        run(p, i);
        p->alone[i] = p->trace[i].alone;
    }
    bool cut = p->trace[0].steps >= p->trace[0].limit;
    p->where = traces_part(&p->trace[0], &p->trace[1]);
    if (p->where.found) {
        look(p, 0);
        look(p, 1);
        write_parting(p);
    }
    if (!write_alone(p) && !p->where.found)
        text_printf(out, "no instruction that both have differs%s\n",
                    cut ? " among the first 16777216 of the run" : "");
    trace_free(&p->trace[0]);
    trace_free(&p->trace[1]);
}

void parting_find(struct arena *arena, const struct side *left, const struct side *right,
                  struct text *out)
{
    struct parting p = {.arena = arena, .side = {left, right}, .out = out};
    sl_context *contexts[2] = {NULL, NULL};

    const struct ir_module *modules[2] = {read_module(left, &contexts[0]),
                                          read_module(right, &contexts[1])};
    if (modules[0] && modules[1]) /* both ran, so both load */
        find(&p, modules);
    sl_context_destroy(contexts[0]);
    sl_context_destroy(contexts[1]);
}
