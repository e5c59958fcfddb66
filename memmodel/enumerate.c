/* SPDX-License-Identifier: Apache-2.0
 *
 * enumerate.c - the search for executions. */
#include "memmodel/enumerate.h"

#include <string.h>

#include "memmodel/barrier.h"
#include "memmodel/liveness.h"

enum { MAX_DOMAIN = 48 };

struct search {
    struct arena *arena;
    const struct test *test;
    const struct model *model;
    const struct search_options *options;
    search_visit *visit;
    void *self;
    struct search_result *result;
    struct thread_paths *threads;
    struct candidate c;
    int64_t domain[MAX_DOMAIN]; /* values a thin-air read is tried with */
    uint32_t domain_count;
    bool stop;
};

static bool demands(const struct model *model, const struct axiom *axiom)
{
    for (uint32_t i = 0; i < model->axiom_count; i++)
        if (model->axioms[i] == axiom)
            return !(model->disabled >> i & 1);
    return false;
}

static bool is_ptx(const struct model *model)
{
    return model->family <= FAMILY_PTX_60;
}

uint32_t broken_axioms(const struct candidate *c, const struct execution *x,
                       uint32_t stop_after)
{
    uint32_t broken = 0, count = 0;

    for (uint32_t i = 0; i < c->model->axiom_count; i++) {
        if (c->model->disabled >> i & 1 || c->model->axioms[i]->holds(c, x, NULL))
            continue;
        broken |= (uint32_t)1 << i;
        if (++count > stop_after)
            break;
    }
    return broken;
}

static bool few_enough(const struct search *s, const struct execution *x)
{
    return set_count(broken_axioms(&s->c, x, s->options->broken_axioms)) <=
           s->options->broken_axioms;
}

/* Brings co, fr up to date and tells whether the search may go on. */
static bool admissible(struct search *s, struct execution *x)
{
    bool from_cause = is_ptx(s->model) && demands(s->model, &axiom_coherence) &&
                      !s->options->broken_axioms;

    derive_coherence(&s->c, x, from_cause);
    return few_enough(s, x);
}

static bool update(struct search *s, struct execution *x)
{
    if (is_ptx(s->model))
        derive_causality(&s->c, x);
    return admissible(s, x);
}

static bool tick(struct search *s)
{
    if (++s->result->steps > s->options->limit) {
        s->result->gave_up = true;
        s->stop = true;
    }
    return !s->stop;
}

/* --- values ----------------------------------------------------------------------- */

static uint64_t bytes_of(const struct candidate *c, const struct execution *x,
                         uint32_t write, const struct granule *g)
{
    uint64_t value = 0;

    if (set_has(c->initial, write)) {
        const struct test_object *o = &c->test->objects[g->object];
        for (uint32_t i = 0; i < g->size && i < 8; i++)
            value |= (uint64_t)o->initial[g->offset + i] << 8 * i;
        return value;
    }
    value = (uint64_t)x->value[write] >> 8 * (g->offset - c->events[write].offset);
    return (uint64_t)cut((int64_t)value, g->size * 8);
}

/* The value a read returns from its sources. False while one is open. */
static bool read_value(const struct candidate *c, const struct execution *x,
                       uint32_t read, int64_t *result)
{
    uint64_t value = 0;

    for (uint32_t s = 0; s < c->slot_count; s++) {
        if (c->slots[s].read != read)
            continue;
        uint32_t source = x->source[s];
        const struct granule *g = &c->granules[c->slots[s].granule];
        if (source == NO_SOURCE || !set_has(x->known, source))
            return false;
        value |= bytes_of(c, x, source, g)
                 << 8 * (g->offset - c->events[read].offset);
    }
    *result = (int64_t)value;
    return true;
}

/* Computes every value that is determined by now. False when the choices of
 * the paths turn out wrong. */
static bool propagate(const struct search *s, struct execution *x)
{
    const struct candidate *c = &s->c;

    for (bool grew = true; grew;) {
        grew = false;
        for (FOR_EACH(e, c->memory & ~c->initial & ~x->known)) {
            const struct event *event = &c->events[e];
            bool found = event->kind == EVENT_READ
                             ? read_value(c, x, (uint32_t)e, &x->value[e])
                             : expression_value(c->pool[event->thread], event->value,
                                                c->base[event->thread], x->known,
                                                x->value, &x->value[e]);
            if (!found)
                continue;
            x->value[e] = cut(x->value[e], event->size * 8);
            x->known |= set_of((uint32_t)e);
            grew = true;
        }
    }
    for (uint32_t t = 0; t < c->test->thread_count; t++)
        for (uint32_t i = 0; i < c->path[t]->constraint_count; i++) {
            const struct constraint *k = &c->path[t]->constraints[i];
            int64_t value;
            if (expression_value(c->pool[t], k->expression, c->base[t], x->known,
                                 x->value, &value) &&
                (value != 0) != k->expected)
                return false;
        }
    return true;
}

static void add_to_domain(struct search *s, int64_t value)
{
    for (uint32_t i = 0; i < s->domain_count; i++)
        if (s->domain[i] == value)
            return;
    if (s->domain_count < MAX_DOMAIN)
        s->domain[s->domain_count++] = value;
}

static void collect_constants(struct search *s, const struct term *term)
{
    if (!term)
        return;
    if (term->kind == TERM_CONSTANT)
        add_to_domain(s, term->constant);
    collect_constants(s, term->left);
    collect_constants(s, term->right);
}

/* --- orders of writes ----------------------------------------------------------------- */

static void finish(struct search *s, struct execution *x)
{
    if (s->options->liveness && !never_ends(&s->c, x))
        return;
    for (uint32_t t = 0; t < s->test->thread_count; t++)
        if (s->c.path[t]->end == PATH_WILD) {
            s->result->problem = "this access can be outside of every variable";
            s->result->problem_at = s->c.path[t]->stopped_at->at;
            s->stop = true;
            return;
        }
    s->result->executions++;
    if (!s->visit(s->self, &s->c, x))
        s->stop = true;
}

static bool needs_order(const struct search *s, const struct execution *x,
                        uint32_t a, uint32_t b)
{
    const struct candidate *c = &s->c;

    if (relates(&x->co, a, b) || relates(&x->co, b, a))
        return false;
    if (!is_ptx(s->model))
        return true;
    if (relates(&c->ms, a, b))
        return model_has(s->model, INGREDIENT(CO_TOTAL));
    return s->options->broken_axioms &&
           (relates(&x->cause, a, b) || relates(&x->cause, b, a));
}

static bool order_shows(const struct search *s, uint32_t write)
{
    uint32_t object = s->test->locations[s->c.events[write].location].object;

    return !s->options->some_objects || s->options->liveness ||
           s->options->broken_axioms || (s->options->objects >> object & 1);
}

/* The next pair of writes that the model wants in an order and that has none;
 * pairs whose order shows come first. */
static bool next_pair(const struct search *s, const struct execution *x, bool shows,
                      uint32_t *first, uint32_t *second)
{
    const struct candidate *c = &s->c;
    event_set writes = c->writes & ~c->initial;

    for (FOR_EACH(a, writes)) {
        if (order_shows(s, (uint32_t)a) != shows)
            continue;
        for (FOR_EACH(b, writes & c->loc.row[a]))
            if (a < b && needs_order(s, x, (uint32_t)a, (uint32_t)b)) {
                *first = (uint32_t)a;
                *second = (uint32_t)b;
                return true;
            }
    }
    return false;
}

/* True when an execution was found. */
static bool order_writes(struct search *s, const struct execution *x)
{
    uint32_t a, b;
    bool found = false, shows = next_pair(s, x, true, &a, &b);

    if (!shows && !next_pair(s, x, false, &a, &b)) {
        struct execution last = *x;
        finish(s, &last);
        return true;
    }
    for (uint32_t way = 0; way < 2 && tick(s) && (shows || !found); way++) {
        struct execution next = *x;
        relate(&next.co_choice, way ? b : a, way ? a : b);
        relation_close_pair(&next.co, s->c.count, way ? b : a, way ? a : b);
        derive_from_reads(&s->c, &next);
        if (few_enough(s, &next))
            found |= order_writes(s, &next);
    }
    return found;
}

/* --- order of SC fences --------------------------------------------------------------- */

static void order_fences(struct search *s, const struct execution *x)
{
    const struct candidate *c = &s->c;
    bool axiom = demands(s->model, &axiom_fence_sc) && !s->options->broken_axioms;

    for (FOR_EACH(a, is_ptx(s->model) ? c->sc_fences : 0))
        for (FOR_EACH(b, c->sc_fences & c->ms.row[a])) {
            if (b < a || relates(&x->sc, a, b) || relates(&x->sc, b, a))
                continue;
            for (uint32_t way = 0; way < 2 && tick(s); way++) {
                uint32_t from = (uint32_t)(way ? b : a), to = (uint32_t)(way ? a : b);
                if (axiom && relates(&x->cb, to, from))
                    continue;
                struct execution next = *x;
                relation_close_pair(&next.sc, c->count, from, to);
                if (relation_irreflexive(&next.sc, c->count) && update(s, &next))
                    order_fences(s, &next);
            }
            return;
        }
    order_writes(s, x);
}

/* --- reads ------------------------------------------------------------------------------ */

static void with_values(struct search *s, const struct execution *x)
{
    struct groupings groupings;

    barrier_groupings(&s->c, x, &groupings);
    if (groupings.hangs)
        s->result->hangs = true;
    if (groupings.too_many) {
        s->result->problem = "the barriers can be met in too many ways";
        s->stop = true;
    }
    for (uint32_t i = 0; i < groupings.count && !s->stop; i++) {
        struct execution next = *x;
        next.barrier = groupings.items[i];
        if (update(s, &next))
            order_fences(s, &next);
    }
}

/* Every read has a source. Values that wait for each other justify themselves
 * out of thin air: try all constants of the test. */
static void solve(struct search *s, const struct execution *x, event_set guessed)
{
    event_set open = s->c.reads & ~x->known;

    if (!open) {
        for (FOR_EACH(r, guessed)) {
            int64_t value;
            read_value(&s->c, x, (uint32_t)r, &value);
            if (cut(value, s->c.events[r].size * 8) != x->value[r])
                return;
        }
        with_values(s, x);
        return;
    }
    uint32_t read = set_first(open);
    for (uint32_t i = 0; i < s->domain_count && tick(s); i++) {
        struct execution next = *x;
        next.value[read] = cut(s->domain[i], s->c.events[read].size * 8);
        next.known |= set_of(read);
        if (propagate(s, &next))
            solve(s, &next, guessed | set_of(read));
    }
}

/* Two atomics that are morally strong with each other cannot take their value
 * from the same write: whichever writes first comes between the other's halves. */
static bool taken_already(const struct search *s, const struct execution *x, uint32_t n,
                          uint32_t source)
{
    const struct candidate *c = &s->c;
    uint32_t read = c->slots[n].read, write = c->events[read].partner;

    if (write == NO_EVENT || s->options->broken_axioms || !is_ptx(s->model) ||
        !demands(s->model, &axiom_atomicity) ||
        !model_has(s->model, INGREDIENT(CO_TOTAL)))
        return false;
    for (uint32_t o = 0; o < n; o++) {
        uint32_t other = c->slots[o].read, other_write = c->events[other].partner;
        if (x->source[o] == source && other != read && other_write != NO_EVENT &&
            c->slots[o].granule == c->slots[n].granule &&
            relates(&c->ms, read, other_write) && relates(&c->ms, other, write) &&
            relates(&c->ms, write, other_write))
            return true;
    }
    return false;
}

static void choose_source(struct search *s, const struct execution *x, uint32_t n)
{
    const struct candidate *c = &s->c;

    if (n == c->slot_count) {
        solve(s, x, 0);
        return;
    }
    uint32_t read = c->slots[n].read;
    for (FOR_EACH(w, c->writes)) {
        if (!(c->covers[w] >> c->slots[n].granule & 1) ||
            w == c->events[read].partner)
            continue;
        if (taken_already(s, x, n, (uint32_t)w))
            continue;
        if (!tick(s))
            return;
        struct execution next = *x;
        next.source[n] = (uint32_t)w;
        relate(&next.rf, w, read);
        relation_close_pair(&next.rf_dep, c->count, (uint32_t)w, read);
        if (propagate(s, &next) && update(s, &next))
            choose_source(s, &next, n + 1);
        if (s->stop)
            return;
    }
}

/* --- paths ------------------------------------------------------------------------------ */

static void with_paths(struct search *s)
{
    const char *problem = candidate_build(&s->c);

    if (problem) {
        s->result->problem = problem;
        s->stop = true;
        return;
    }
    struct execution x;
    memset(&x, 0, sizeof x);
    for (uint32_t i = 0; i < MAX_SLOTS; i++)
        x.source[i] = NO_SOURCE;
    x.known = s->c.initial;
    x.rf_dep = s->c.dep;
    relation_close(&x.rf_dep, s->c.count);
    if (propagate(s, &x) && update(s, &x))
        choose_source(s, &x, 0);
}

static void choose_paths(struct search *s, uint32_t thread, bool stopped)
{
    if (thread == s->test->thread_count) {
        if (stopped != s->options->liveness)
            return;
        struct candidate c = {.test = s->test, .model = s->model};
        for (uint32_t t = 0; t < thread; t++) {
            c.path[t] = s->c.path[t];
            c.pool[t] = &s->threads[t].pool;
        }
        s->c = c;
        with_paths(s);
        return;
    }
    for (uint32_t i = 0; i < s->threads[thread].count && !s->stop; i++) {
        const struct path *path = s->threads[thread].items[i];
        s->c.path[thread] = path;
        choose_paths(s, thread + 1, stopped || path->end == PATH_CUT ||
                                        path->end == PATH_BLOCKED);
    }
}

/* The first formal model knows neither proxies nor what came with them. */
static const struct instruction *too_young(const struct test *test,
                                           const struct model *model)
{
    if (model->family != FAMILY_PTX_60)
        return NULL;
    for (uint32_t t = 0; t < test->thread_count; t++)
        for (uint32_t n = 0; n < test->threads[t].code_count; n++) {
            const struct instruction *i = &test->threads[t].code[n];
            bool mbarrier = i->operation >= OP_MB_INIT && i->operation <= OP_MB_COMPLETE;
            bool cluster = i->order && i->scope == SCOPE_CLUSTER;
            switch (i->kind) {
            case INSTR_PROXY_FENCE: case INSTR_COPY: case INSTR_COPY_ARRIVE:
            case INSTR_COMMIT: case INSTR_WAIT_GROUP: case INSTR_MBARRIER_TEST:
            case INSTR_CLUSTER_ARRIVE: case INSTR_CLUSTER_WAIT:
                return i;
            default:
                if (mbarrier || cluster || i->proxy != PROXY_GENERIC)
                    return i;
            }
        }
    return NULL;
}

void search_executions(struct arena *arena, const struct test *test,
                       const struct model *model,
                       const struct search_options *options,
                       search_visit *visit, void *self,
                       struct search_result *result)
{
    struct search s = {.arena = arena, .test = test, .model = model,
                       .options = options, .visit = visit, .self = self,
                       .result = result};
    const struct path_options path_options = {
        .bound = options->bound, .keep_stopped = options->liveness,
        .drops_false_dependencies = options->drops_false_dependencies};

    memset(result, 0, sizeof *result);
    const struct instruction *young = too_young(test, model);
    if (young) {
        result->problem = "this instruction is younger than model ptx-6.0";
        result->problem_at = young->at;
        result->younger = true;
        return;
    }
    s.threads = ARENA_NEW_ARRAY(arena, test->thread_count, struct thread_paths);
    for (uint32_t t = 0; t < test->thread_count && !result->problem; t++) {
        result->problem = paths_enumerate(arena, test, model, t, &path_options,
                                          &s.threads[t], &result->problem_at);
        result->loop_cut |= s.threads[t].loop_cut;
    }
    if (result->problem)
        return;
    if (options->broken_axioms || !demands(model, &axiom_no_thin_air) ||
        !model_has(model, INGREDIENT(DEPENDENCIES))) {
        collect_constants(&s, test->condition);
        add_to_domain(&s, 0);
        for (uint32_t t = 0; t < test->thread_count; t++)
            for (uint32_t i = 0; i < s.threads[t].pool.count; i++)
                if (s.threads[t].pool.items[i].operation == OP_CONST)
                    add_to_domain(&s, s.threads[t].pool.items[i].value);
    }
    choose_paths(&s, 0, false);
}
