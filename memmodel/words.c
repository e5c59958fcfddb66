/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - wording of events, cycles, executions and races. */
#include "memmodel/words.h"

#include <string.h>

const char *event_place(struct arena *arena, const struct candidate *c, uint32_t event)
{
    const struct event *e = &c->events[event];

    if (e->kind == EVENT_INITIAL) {
        for (uint32_t l = 0; l < c->test->location_count; l++)
            if (c->test->locations[l].object == e->location)
                return arena_printf(arena, "initial value of %s",
                                    c->test->locations[l].name);
        return "initial value";
    }
    return arena_printf(arena, "P%u line %u: %s", c->test->threads[e->thread].number,
                        e->instruction->at.line, e->instruction->text);
}

/* A value as the program means it: an mbarrier object by its fields. */
static const char *value_words(struct arena *arena, const struct candidate *c,
                               const struct execution *x, uint32_t event)
{
    const struct event *e = &c->events[event];
    uint64_t value = (uint64_t)x->value[event];
    int transactions = (int16_t)(value >> 48);

    if (!c->test->locations[e->location].is_mbarrier || e->size != 8)
        return arena_printf(arena, "%lld",
                            (long long)sign_extend(x->value[event], e->size * 8));
    return arena_printf(arena, "phase %u, %u pending%s", (unsigned)(value >> 32 & 0xffff),
                        (unsigned)(value & 0xffff),
                        transactions ? arena_printf(arena, ", %d bytes", transactions) : "");
}

static const char *effect(struct arena *arena, const struct candidate *c,
                          const struct execution *x, uint32_t event)
{
    const struct event *e = &c->events[event];
    const char *part = e->partner != NO_EVENT || e->chain
                           ? (e->kind == EVENT_READ ? ", its read" : ", its write") : "";
    const char *element = e->instruction && e->instruction->elements > 1 &&
                                  (e->kind == EVENT_READ || e->kind == EVENT_WRITE)
                              ? arena_printf(arena, ", element %u", e->element) : "";
    const char *value = "";

    if (e->kind == EVENT_PROXY_FENCE && e->chain)
        return ", its implicit proxy fence";
    if (e->kind != EVENT_READ && e->kind != EVENT_WRITE)
        return "";
    if (set_has(x->known, event))
        value = arena_printf(arena, "%s %s", e->kind == EVENT_READ ? " reads" : " writes",
                             value_words(arena, c, x, event));
    return arena_printf(arena, "%s%s%s", part, element, value);
}

const char *event_words(struct arena *arena, const struct candidate *c,
                        const struct execution *x, uint32_t event)
{
    return arena_printf(arena, "%s%s", event_place(arena, c, event),
                        effect(arena, c, x, event));
}

const char *event_short(struct arena *arena, const struct candidate *c,
                        const struct execution *x, uint32_t event)
{
    const struct event *e = &c->events[event];

    switch (e->kind) {
    case EVENT_INITIAL:
        return event_place(arena, c, event);
    case EVENT_READ: case EVENT_WRITE: {
        static const char *const strengths[] = {"weak", "rlx", "", "acq", "", "rel"};
        uint32_t order = e->order & (ORDER_STRONG | ORDER_ACQUIRE | ORDER_RELEASE);
        const char *strength = order < 6 ? strengths[order] : "acq_rel";
        const char *name = c->test->locations[e->location].name;
        uint32_t offset = e->offset - c->test->locations[e->location].offset;
        bool other = e->proxy != PROXY_GENERIC;
        return arena_printf(arena, "%s.%s%s%s%s%s %s%s=%s",
                            e->kind == EVENT_READ ? "R" : "W", strength,
                            e->order ? "." : "", e->order ? scope_name(e->scope) : "",
                            other ? "." : "", other ? proxy_name(e->proxy) : "",
                            name, offset ? arena_printf(arena, "+%u", offset) : "",
                            value_words(arena, c, x, event));
    }
    case EVENT_PROXY_FENCE:
        return e->chain ? "implicit fence.proxy.async" : e->instruction->text;
    default:
        return e->instruction->text;
    }
}

const char *state_words(struct arena *arena, const struct analysis *a,
                        const int64_t *values)
{
    struct text out = {0};

    for (uint32_t i = 0; i < a->variable_count; i++)
        text_printf(&out, "%s%s=%s;", i ? " " : "", a->variables[i].name,
                    variable_value(arena, a, i, values[i]));
    const char *result = arena_strdup(arena, text_string(&out));
    text_free(&out);
    return result;
}

void axiom_cycle(const struct candidate *c, const struct execution *x, uint32_t n,
                 struct cycle *cycle)
{
    cycle->count = 0;
    c->model->axioms[n]->holds(c, x, cycle);
}

void write_cycle(struct text *out, struct arena *arena, const struct candidate *c,
                 const struct execution *x, const struct cycle *cycle, const char *indent)
{
    for (uint32_t i = 0; i < cycle->count; i++) {
        const struct cycle_step *step = &cycle->steps[i];
        if (i == 0 || cycle->steps[i - 1].to != step->from)
            text_printf(out, "%s%s\n", indent, event_words(arena, c, x, step->from));
        text_printf(out, "%s    %s (%s)\n", indent, edge_words(step->edge),
                    edge_name(step->edge));
        text_printf(out, "%s%s\n", indent, event_words(arena, c, x, step->to));
    }
}

void write_execution(struct text *out, struct arena *arena, const struct candidate *c,
                     const struct execution *x, const char *indent)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->events[i].kind == EVENT_INITIAL)
            continue;
        text_printf(out, "%s%s", indent, event_words(arena, c, x, i));
        event_set sources = 0;
        for (uint32_t s = 0; s < c->slot_count; s++)
            if (c->slots[s].read == i && x->source[s] != NO_SOURCE)
                sources |= set_of(x->source[s]);
        for (FOR_EACH(w, sources))
            text_printf(out, "%s%s", w == set_first(sources) ? ", from " : " and ",
                        event_place(arena, c, (uint32_t)w));
        text_putc(out, '\n');
    }
}

const char *why_not_morally_strong(struct arena *arena, const struct candidate *c,
                                   uint32_t a, uint32_t b)
{
    const struct event *e = &c->events[a], *f = &c->events[b];
    const char *why = "";

    if (relates(&c->ms, a, b))
        return "";
    for (uint32_t side = 0; side < 2; side++) {
        const struct event *own = side ? f : e, *other = side ? e : f;
        if (!(own->order & ORDER_STRONG)) {
            why = arena_printf(arena, "%s%sP%u's access is weak", why, *why ? "; " : "",
                               c->test->threads[own->thread].number);
            continue;
        }
        if (!scope_includes(c->test, own->scope, own->thread, other->thread))
            why = arena_printf(arena, "%s%sthe scope .%s of P%u's access does not "
                               "include P%u", why, *why ? "; " : "",
                               scope_name(own->scope),
                               c->test->threads[own->thread].number,
                               c->test->threads[other->thread].number);
    }
    if (e->proxy != f->proxy)
        why = arena_printf(arena, "%s%sthe proxies differ (%s, %s)", why,
                           *why ? "; " : "", proxy_name(e->proxy), proxy_name(f->proxy));
    if (c->covers[a] != c->covers[b])
        why = arena_printf(arena, "%s%sthey do not cover the same bytes", why,
                           *why ? "; " : "");
    else if (!relates(&c->range, a, b))
        why = arena_printf(arena, "%s%sthey use different virtual addresses", why,
                           *why ? "; " : "");
    return why;
}

static const char *const relation_names[] = {"po", "ms", "rf", "obs", "sync", "bar", "sc", "cb",
                                             "ppcb", "cause", "co", "fr", "dep", "rmw"};

bool relation_is_known(const char *name, struct text *names)
{
    bool known = false;

    for (size_t i = 0; i < sizeof relation_names / sizeof *relation_names; i++) {
        text_printf(names, " %s", relation_names[i]);
        known |= !strcmp(relation_names[i], name);
    }
    return known;
}

void write_relation(struct text *out, struct arena *arena, const struct candidate *c,
                    const struct execution *x, const char *name)
{
    const struct relation *const relations[] = {
        &c->po, &c->ms, &x->rf, &x->obs, &x->sync, &x->barrier, &x->sc, &x->cb,
        &x->ppcb, &x->cause, &x->co, &x->fr, &c->dep, &c->rmw};

    _Static_assert(sizeof relations / sizeof *relations ==
                       sizeof relation_names / sizeof *relation_names,
                   "one relation for each name");
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        if (strcmp(relation_names[i], name))
            continue;
        for (uint32_t a = 0; a < c->count; a++)
            for (FOR_EACH(b, relations[i]->row[a]))
                text_printf(out, "  %s\n    %s %s\n", event_words(arena, c, x, a), name,
                            event_words(arena, c, x, (uint32_t)b));
    }
}
