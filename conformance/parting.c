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

static void write_value(struct text *out, const struct trace_detail *d, unsigned lane)
{
    if (d->width == 16)
        text_printf(out, "0x%016" PRIx64 "%016" PRIx64, d->value[lane][1], d->value[lane][0]);
    else if (d->width)
        text_printf(out, "0x%0*" PRIx64, (int)(2 * d->width), d->value[lane][0]);
    else
        text_puts(out, d->value[lane][0] ? "true" : "false");
}

static void write_place(struct parting *p, int i, unsigned lane)
{
    const struct trace_detail *d = &p->trace[i].detail;

    text_printf(p->out, "  %s: ", p->side[i]->name);
    if (!d->found) {
        text_puts(p->out, "this warp has no more instructions\n");
        return;
    }
    const struct ir_module *module = p->alignment.side[i].module;
    const struct ir_function *function = &module->functions[d->function];
    const struct ir_inst *inst = &function->insts[d->inst];
    const struct ir_location *location = &module->locations[inst->loc];
    text_printf(p->out, "PTX line %u", location->at.line);
    if (location->file && location->line)
        text_printf(p->out, ", %s:%u", module->files[location->file], location->line);
    text_printf(p->out, ": %s", statement_text(p->arena, module, inst));
    if (!(d->mask >> lane & 1)) {
        text_puts(p->out, "   (not run by this lane)");
    } else {
        text_puts(p->out, d->has_result ? "   gives " : "   takes ");
        write_value(p->out, d, lane);
    }
    text_putc(p->out, '\n');
}

/* The first lane that did something else, and how many did. */
static unsigned first_lane(const struct trace_detail *a, const struct trace_detail *b,
                           unsigned *count)
{
    unsigned first = LANES;

    *count = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool in_a = a->found && a->mask >> lane & 1, in_b = b->found && b->mask >> lane & 1;
        if (in_a == in_b && (!in_a || !memcmp(a->value[lane], b->value[lane], 16)))
            continue;
        first = first == LANES ? lane : first;
        ++*count;
    }
    return first == LANES ? 0 : first;
}

static void write_parting(struct parting *p)
{
    const struct trace_detail *a = &p->trace[0].detail, *b = &p->trace[1].detail;
    const struct trace_detail *known = a->found ? a : b;
    unsigned count, lane = first_lane(a, b, &count);

    text_printf(p->out, "the first instruction that differs: block %u,%u,%u thread %u,%u,%u",
                known->block[0], known->block[1], known->block[2], known->tid[0][lane],
                known->tid[1][lane], known->tid[2][lane]);
    if (count > 1)
        text_printf(p->out, " and %u more lanes of its warp", count - 1);
    text_putc(p->out, '\n');
    write_place(p, 0, lane);
    write_place(p, 1, lane);
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
    }
    bool cut = p->trace[0].steps >= p->trace[0].limit;
    p->where = traces_part(&p->trace[0], &p->trace[1]);
    if (p->where.found) {
        look(p, 0);
        look(p, 1);
        write_parting(p);
    } else {
        text_printf(out, "no instruction that both have differs%s\n",
                    cut ? " among the first 16777216 of the run" : "");
    }
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
