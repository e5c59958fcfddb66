/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis.c - collecting the final states of all executions. */
#include "memmodel/analysis.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_EXAMPLES = 256, MAX_STATES_KEPT = 20000 };

/* --- variables -------------------------------------------------------------------- */

static bool same_variable(const struct test *test, const struct term *a,
                          const struct term *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == TERM_REGISTER)
        return a->thread == b->thread && a->reg == b->reg;
    const struct test_location *x = &test->locations[a->location];
    const struct test_location *y = &test->locations[b->location];
    return x->object == y->object && x->offset + a->offset == y->offset + b->offset;
}

static uint32_t variable_of(const struct analysis *a, const struct term *term)
{
    for (uint32_t i = 0; i < a->variable_count; i++)
        if (same_variable(a->test, a->variables[i].term, term))
            return i;
    return UINT32_MAX;
}

static void add_variable(struct analysis *a, const struct term *term)
{
    const struct test *test = a->test;

    if (variable_of(a, term) != UINT32_MAX)
        return;
    if (a->variable_count == MAX_VARIABLES) {
        a->search.problem = "the condition has too many variables";
        return;
    }
    struct variable *v = &a->variables[a->variable_count++];
    v->term = term;
    if (term->kind == TERM_REGISTER) {
        const struct test_thread *thread = &test->threads[term->thread];
        v->bits = thread->registers[term->reg].width;
        v->name = arena_printf(a->arena, "P%u:%s", thread->number,
                               thread->registers[term->reg].name);
        return;
    }
    const struct test_location *l = &test->locations[term->location];
    v->bits = l->element * 8;
    v->name = test->objects[l->object].size == l->element
                  ? l->name
                  : arena_printf(a->arena, "%s[%u]", l->name,
                                 term->offset / l->element);
}

static void add_variables(struct analysis *a, const struct term *term)
{
    if (!term)
        return;
    if (term->kind == TERM_REGISTER || term->kind == TERM_LOCATION)
        add_variable(a, term);
    add_variables(a, term->left);
    add_variables(a, term->right);
}

static uint32_t term_bits(const struct analysis *a, const struct term *term)
{
    return term->kind == TERM_CONSTANT ? 64 : a->variables[variable_of(a, term)].bits;
}

static int64_t term_value(const struct analysis *a, const struct term *term,
                          const int64_t *values)
{
    return term->kind == TERM_CONSTANT ? term->constant
                                       : values[variable_of(a, term)];
}

/* Values are compared at the width of the narrower side, as signed numbers. */
static bool term_holds(const struct analysis *a, const struct term *term,
                       const int64_t *values)
{
    switch (term->kind) {
    case TERM_NOT:
        return !term_holds(a, term->left, values);
    case TERM_AND:
        return term_holds(a, term->left, values) && term_holds(a, term->right, values);
    case TERM_OR:
        return term_holds(a, term->left, values) || term_holds(a, term->right, values);
    case TERM_COMPARE: {
        uint32_t left = term_bits(a, term->left), right = term_bits(a, term->right);
        return operation_apply(term->compare, left < right ? left : right,
                               term_value(a, term->left, values),
                               term_value(a, term->right, values), 0) != 0;
    }
    default:
        return true;
    }
}

/* --- races ------------------------------------------------------------------------- */

/* Does an access come before another in causality order? An atomic is one
 * operation: what comes after its write comes after it (PTX ISA, "Causality Order"). */
static bool comes_before(const struct candidate *c, const struct execution *x, uint32_t a,
                         uint32_t b)
{
    uint32_t write = set_has(c->reads, a) ? c->events[a].partner : NO_EVENT;

    return relates(&x->cause, a, b) || (write != NO_EVENT && relates(&x->cause, write, b));
}

enum race_class race_between(const struct candidate *c, const struct execution *x,
                             uint32_t a, uint32_t b)
{
    if (!relates(&c->loc, a, b) || relates(&c->ms, a, b) ||
        comes_before(c, x, a, b) || comes_before(c, x, b, a) ||
        !((set_of(a) | set_of(b)) & c->writes))
        return RACE_NONE;
    return c->covers[a] == c->covers[b] ? RACE_UNIFORM : RACE_MIXED;
}

static void note_race(struct analysis *a, enum race_class kind, uint32_t first,
                      uint32_t second, const struct candidate *c,
                      const struct execution *x)
{
    const struct event *e = &c->events[first], *f = &c->events[second];

    for (uint32_t i = 0; i < a->races.count; i++) {
        struct race *r = &a->races.items[i];
        if (r->kind == kind && r->first == e->instruction &&
            r->second == f->instruction) {
            r->executions++;
            return;
        }
    }
    struct race *r = ARENA_PUSH(a->arena, &a->races);
    *r = (struct race){.kind = kind, .first = e->instruction,
                       .second = f->instruction, .first_thread = e->thread,
                       .second_thread = f->thread, .executions = 1,
                       .first_event = first, .second_event = second};
    if (a->races.count <= MAX_EXAMPLES)
        r->example = keep_example(a->arena, c, x);
}

static enum race_class find_races(struct analysis *a, const struct candidate *c,
                                  const struct execution *x)
{
    event_set accesses = c->memory & ~c->initial;
    enum race_class worst = RACE_NONE;

    for (FOR_EACH(first, accesses))
        for (FOR_EACH(second, accesses & c->loc.row[first])) {
            if (second < first)
                continue;
            enum race_class kind =
                race_between(c, x, (uint32_t)first, (uint32_t)second);
            if (kind == RACE_NONE)
                continue;
            note_race(a, kind, (uint32_t)first, (uint32_t)second, c, x);
            worst = kind > worst ? kind : worst;
        }
    return worst;
}

/* --- final states --------------------------------------------------------------------- */

struct finals {
    const struct analysis *analysis;
    const struct candidate *c;
    const struct execution *x;
    final_state *found;
    void *self;
};

struct example *keep_example(struct arena *arena, const struct candidate *c,
                             const struct execution *x)
{
    struct example *example = ARENA_NEW(arena, struct example);

    example->c = *c;
    example->x = *x;
    return example;
}

bool state_satisfies(const struct analysis *a, const int64_t *values)
{
    return term_holds(a, a->test->condition, values);
}

bool state_passes_filter(const struct analysis *a, const int64_t *values)
{
    return !a->test->filter || term_holds(a, a->test->filter, values);
}

bool state_is_asked(const struct analysis *a, const int64_t *values)
{
    return state_satisfies(a, values) == (a->test->quantifier != FORALL);
}

/* Chooses the last write of every granule of every variable in memory: any
 * write that no other is coherence-after, so several when writes race. */
static void choose_final(struct finals *f, uint32_t variable, uint32_t granule,
                         int64_t *values)
{
    const struct analysis *a = f->analysis;
    const struct candidate *c = f->c;

    if (variable == a->variable_count) {
        if (state_passes_filter(a, values))
            f->found(f->self, values);
        return;
    }
    const struct variable *v = &a->variables[variable];
    if (v->term->kind == TERM_REGISTER) {
        uint32_t t = v->term->thread;
        int64_t value = 0;
        expression_value(c->pool[t], c->path[t]->registers[v->term->reg],
                         c->base[t], f->x->known, f->x->value, &value);
        values[variable] = sign_extend(value, v->bits);
        choose_final(f, variable + 1, 0, values);
        return;
    }
    const struct test_location *l = &a->test->locations[v->term->location];
    uint32_t from = l->offset + v->term->offset, size = v->bits / 8;
    while (granule < c->granule_count &&
           (c->granules[granule].object != l->object ||
            c->granules[granule].offset + c->granules[granule].size <= from ||
            c->granules[granule].offset >= from + size))
        granule++;
    if (granule == c->granule_count) {
        int64_t whole = values[variable];
        values[variable] = sign_extend(whole, v->bits);
        choose_final(f, variable + 1, 0, values);
        values[variable] = whole;
        return;
    }
    const struct granule *g = &c->granules[granule];
    event_set covering = 0;
    for (FOR_EACH(w, c->writes))
        if (c->covers[w] >> granule & 1)
            covering |= set_of((uint32_t)w);
    for (FOR_EACH(w, covering)) {
        if (f->x->co.row[w] & covering)
            continue;
        const struct event *e = &c->events[w];
        int64_t whole = values[variable];
        uint64_t value = (uint64_t)whole;
        for (uint32_t i = 0; i < g->size; i++) {
            uint32_t byte = g->offset + i;
            if (byte < from || byte >= from + size)
                continue;
            uint64_t b = e->kind == EVENT_INITIAL
                             ? a->test->objects[l->object].initial[byte]
                             : (uint64_t)f->x->value[w] >> 8 * (byte - e->offset) & 0xff;
            value |= b << 8 * (byte - from);
        }
        values[variable] = (int64_t)value;
        choose_final(f, variable, granule + 1, values);
        values[variable] = whole;
    }
}

void final_states(const struct analysis *analysis, const struct candidate *c,
                  const struct execution *x, final_state *found, void *self)
{
    struct finals f = {analysis, c, x, found, self};
    int64_t values[MAX_VARIABLES] = {0};

    choose_final(&f, 0, 0, values);
}

/* Could each thread have run without interruption? Then what passes between
 * threads goes one way. */
static bool is_serial(const struct candidate *c, const struct execution *x)
{
    uint32_t to[MAX_THREADS] = {0}, threads = 0;

    for (uint32_t e = 0; e < c->count; e++) {
        uint32_t from = c->events[e].thread;
        if (set_has(c->initial, e))
            continue;
        threads = from + 1 > threads ? from + 1 : threads;
        for (FOR_EACH(o, x->rf.row[e] | x->co.row[e] | x->fr.row[e] | x->barrier.row[e]))
            if (c->events[o].thread != from)
                to[from] |= (uint32_t)1 << c->events[o].thread;
    }
    for (uint32_t via = 0; via < threads; via++)
        for (uint32_t t = 0; t < threads; t++)
            if (to[t] >> via & 1)
                to[t] |= to[via];
    for (uint32_t t = 0; t < threads; t++)
        if (to[t] >> t & 1)
            return false;
    return true;
}

struct collection {
    struct analysis *analysis;
    const struct candidate *c;
    const struct execution *x;
    bool racy, serial;
};

static void record(void *self, const int64_t *values)
{
    struct collection *now = self;
    struct analysis *a = now->analysis;
    bool satisfies = state_satisfies(a, values);

    if (satisfies)
        a->positive++;
    else
        a->negative++;
    for (uint32_t i = 0; i < a->count; i++) {
        struct state *s = &a->items[i];
        if (memcmp(s->values, values, sizeof s->values))
            continue;
        s->executions++;
        s->racy += now->racy;
        s->serial += now->serial;
        return;
    }
    if (a->count == MAX_STATES_KEPT) {
        a->search.problem = "the test has too many final states";
        return;
    }
    struct state *s = ARENA_PUSH(a->arena, a);
    memcpy(s->values, values, sizeof s->values);
    s->executions = 1;
    s->racy = now->racy;
    s->serial = now->serial;
    s->satisfies = satisfies;
    if (a->count <= MAX_EXAMPLES)
        s->example = keep_example(a->arena, now->c, now->x);
}

static bool collect(void *self, const struct candidate *c, const struct execution *x)
{
    struct analysis *a = self;
    enum race_class race = a->has_races ? find_races(a, c, x) : RACE_NONE;
    bool serial = a->model->family == FAMILY_INTERLEAVED && is_serial(c, x);
    struct collection now = {a, c, x, race != RACE_NONE, serial};

    if (race == RACE_MIXED)
        a->outside = true;
    final_states(a, c, x, record, &now);
    return !a->search.problem;
}

static int by_values(const void *a, const void *b)
{
    const struct state *x = a, *y = b;

    for (uint32_t i = 0; i < MAX_VARIABLES; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

/* In the order of the file. */
static int by_place(const void *a, const void *b)
{
    const struct race *x = a, *y = b;

    if (x->first_thread != y->first_thread)
        return x->first_thread < y->first_thread ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->second_thread != y->second_thread)
        return x->second_thread < y->second_thread ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

void analyse(struct arena *arena, const struct test *test,
             const struct model *model, const struct search_options *options,
             struct analysis *a)
{
    memset(a, 0, sizeof *a);
    a->arena = arena;
    a->test = test;
    a->model = model;
    a->has_races = model->family <= FAMILY_PTX_60;
    add_variables(a, test->condition);
    add_variables(a, test->filter);
    for (uint32_t i = 0; i < test->shown_count; i++)
        add_variables(a, test->shown[i]);
    if (a->search.problem)
        return;
    struct search_options shown = *options;
    struct search_result result;
    shown.some_objects = true;
    for (uint32_t i = 0; i < a->variable_count; i++) {
        const struct term *term = a->variables[i].term;
        if (term->kind == TERM_LOCATION)
            shown.objects |= (uint32_t)1 << test->locations[term->location].object;
    }
    search_executions(arena, test, model, &shown, collect, a, &result);
    if (a->search.problem)
        result.problem = a->search.problem;
    a->search = result;
    if (a->count)
        qsort(a->items, a->count, sizeof *a->items, by_values);
    if (a->races.count)
        qsort(a->races.items, a->races.count, sizeof *a->races.items, by_place);
    a->holds = test->quantifier == EXISTS ? a->positive > 0
               : test->quantifier == FORALL ? a->negative == 0
                                            : a->positive == 0;
}

struct liveness_visit {
    struct arena *arena;
    const struct example *example;
};

static bool keep_first(void *self, const struct candidate *c, const struct execution *x)
{
    struct liveness_visit *v = self;

    v->example = keep_example(v->arena, c, x);
    return false;
}

bool analyse_liveness(struct arena *arena, const struct test *test,
                      const struct model *model,
                      const struct search_options *options,
                      struct search_result *result, const struct example **example)
{
    struct search_options stuck = *options;
    struct liveness_visit v = {arena, NULL};

    stuck.liveness = true;
    search_executions(arena, test, model, &stuck, keep_first, &v, result);
    *example = v.example;
    return v.example == NULL;
}

const char *variable_value(struct arena *arena, const struct analysis *analysis,
                           uint32_t variable, int64_t value)
{
    const struct variable *v = &analysis->variables[variable];
    bool is_address = v->bits == 64 && value >= 0x10000;

    if (is_address)
        for (uint32_t l = 0; l < analysis->test->location_count; l++)
            if (location_address(analysis->test, l) == value)
                return arena_printf(arena, "&%s", analysis->test->locations[l].name);
    return arena_printf(arena, "%lld", (long long)value);
}
