/* SPDX-License-Identifier: Apache-2.0
 *
 * repair.c - trying stronger and weaker variants of a test.
 *
 * A change makes one access or fence stronger or weaker, or adds a fence; the
 * changed test is enumerated like any other. Cost orders changes by what they
 * usually cost on the machine: relaxed, release or acquire, fences, SC fences;
 * then by scope. */
#include "memmodel/repair.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CHANGES = 400, MAX_PAIRS = 3000, MAX_SHOWN = 6 };

struct change {
    uint32_t thread, index;
    bool inserts, removes;
    uint32_t order;
    enum scope scope;
    uint32_t cost;
};

struct changes {
    struct change items[MAX_CHANGES];
    uint32_t count;
};

struct question {
    const struct analysis *analysis; /* for the variables of the condition */
    bool reached;
    bool races; /* in an execution seen */
};

static void note_asked(void *self, const int64_t *values)
{
    struct question *q = self;

    q->reached |= state_is_asked(q->analysis, values);
}

static bool stop_at_asked(void *self, const struct candidate *c,
                          const struct execution *x)
{
    struct question *q = self;
    event_set accesses = c->memory & ~c->initial;

    if (q->analysis->has_races)
        for (FOR_EACH(a, accesses))
            for (FOR_EACH(b, accesses & c->loc.row[a]))
                q->races |= race_between(c, x, (uint32_t)a, (uint32_t)b) != RACE_NONE;
    final_states(q->analysis, c, x, note_asked, q);
    return !q->reached;
}

/* Is the asked outcome allowed in this variant? Too large counts as allowed:
 * nothing is claimed then. */
static bool is_allowed(const struct analysis *a, const struct test *variant,
                       const struct search_options *options, bool *races)
{
    struct arena scratch = {0};
    struct search_result result;
    struct question q = {a, false, false};

    search_executions(&scratch, variant, a->model, options, stop_at_asked, &q, &result);
    arena_free(&scratch);
    *races = q.races;
    return q.reached || result.gave_up || result.problem;
}

static void apply(struct arena *arena, struct test *test, const struct change *change)
{
    struct test_thread *threads =
        ARENA_NEW_ARRAY(arena, test->thread_count, struct test_thread);
    memcpy(threads, test->threads, test->thread_count * sizeof *threads);
    struct test_thread *t = &threads[change->thread];
    struct instruction *code =
        ARENA_NEW_ARRAY(arena, t->code_count + 1, struct instruction);
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->code_count; i++) {
        if (i == change->index && change->inserts) {
            code[n] = (struct instruction){
                .kind = INSTR_FENCE, .at = t->code[i].at, .text = "(added fence)",
                .guard = NO_REGISTER, .order = change->order, .scope = change->scope,
                .elements = 1};
            n++;
        }
        code[n] = t->code[i];
        if (change->inserts && code[n].kind == INSTR_BRANCH &&
            code[n].target > change->index)
            code[n].target++;
        if (i == change->index && !change->inserts) {
            code[n].order = change->order;
            code[n].scope = change->scope;
            if (change->removes) { /* a jump to the next instruction */
                code[n].kind = INSTR_BRANCH;
                code[n].guard = NO_REGISTER;
                code[n].target = n + 1;
            }
        }
        n++;
    }
    t->code = code;
    t->code_count = n;
    test->threads = threads;
}

static struct test *variant_of(struct arena *arena, const struct test *test,
                               const struct change *first, const struct change *second)
{
    struct test *variant = ARENA_NEW(arena, struct test);

    *variant = *test;
    apply(arena, variant, first);
    if (second)
        apply(arena, variant, second);
    return variant;
}

static void add_change(struct changes *changes, struct change change)
{
    if (changes->count < MAX_CHANGES)
        changes->items[changes->count++] = change;
}

static bool is_access(const struct instruction *i)
{
    return i->kind == INSTR_LOAD || i->kind == INSTR_STORE || i->kind == INSTR_ATOM;
}

static uint32_t cost_of(uint32_t order, enum scope scope, bool is_fence)
{
    uint32_t cost = !order ? 0
                    : order & ORDER_SC ? 80
                    : is_fence ? 60
                    : order == ORDER_RELAXED ? 20
                    : order == ORDER_ACQ_REL ? 45 : 40;
    return order ? cost + (uint32_t)scope : 0;
}

/* The orders that an instruction may have, ascending. */
static uint32_t orders_of(const struct instruction *i, uint32_t orders[4])
{
    uint32_t count = 0;

    if (i->kind == INSTR_FENCE) {
        orders[count++] = ORDER_ACQ_REL;
        orders[count++] = ORDER_ACQ_REL | ORDER_SC;
        return count;
    }
    if (i->kind != INSTR_ATOM)
        orders[count++] = ORDER_WEAK;
    orders[count++] = ORDER_RELAXED;
    if (i->kind != INSTR_STORE && !i->is_reduction)
        orders[count++] = ORDER_STRONG | ORDER_ACQUIRE;
    if (i->kind != INSTR_LOAD)
        orders[count++] = ORDER_STRONG | ORDER_RELEASE;
    if (i->kind == INSTR_ATOM && !i->is_reduction && count < 4)
        orders[count++] = ORDER_ACQ_REL;
    return count;
}

static bool uses_clusters(const struct test *test)
{
    for (uint32_t a = 0; a < test->thread_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (scope_includes(test, SCOPE_CLUSTER, a, b) &&
                !scope_includes(test, SCOPE_CTA, a, b))
                return true;
    return false;
}

/* Every change of an instruction that there is, stronger or weaker. */
static void collect(struct changes *changes, const struct test *test, bool stronger)
{
    for (uint32_t t = 0; t < test->thread_count; t++)
        for (uint32_t n = 0; n < test->threads[t].code_count; n++) {
            const struct instruction *i = &test->threads[t].code[n];
            uint32_t orders[4];
            if (!is_access(i) && i->kind != INSTR_FENCE)
                continue;
            if (i->proxy != PROXY_GENERIC)
                continue;
            uint32_t now = cost_of(i->order, i->scope, i->kind == INSTR_FENCE);
            uint32_t count = orders_of(i, orders);
            for (uint32_t o = 0; o < count; o++)
                for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++) {
                    uint32_t cost = cost_of(orders[o], s, i->kind == INSTR_FENCE);
                    bool more = (orders[o] | i->order) == orders[o] &&
                                (!i->order || s >= i->scope) && cost > now;
                    bool less = (orders[o] | i->order) == i->order &&
                                (!orders[o] || s <= i->scope) && cost < now;
                    if ((s == SCOPE_CLUSTER && !uses_clusters(test)) ||
                        (!orders[o] && s != SCOPE_CTA))
                        continue;
                    if (stronger ? more : less)
                        add_change(changes, (struct change){
                            .thread = t, .index = n, .order = orders[o], .scope = s,
                            .cost = cost - now});
                }
            if (!stronger && i->kind == INSTR_FENCE)
                add_change(changes, (struct change){.thread = t, .index = n,
                                                    .removes = true});
            if (!stronger || n == 0 || !is_access(i))
                continue;
            for (uint32_t sc = 0; sc < 2; sc++)
                for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++) {
                    uint32_t order = ORDER_ACQ_REL | (sc ? ORDER_SC : 0);
                    if (s != SCOPE_CLUSTER || uses_clusters(test))
                        add_change(changes, (struct change){
                            .thread = t, .index = n, .inserts = true, .order = order,
                            .scope = s, .cost = cost_of(order, s, true)});
                }
        }
}

static int by_cost(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return 0;
}

static const char *order_words(struct arena *arena, uint32_t order, enum scope scope)
{
    const char *name = order & ORDER_SC ? "sc"
                       : order == ORDER_WEAK ? "weak"
                       : order == ORDER_RELAXED ? "relaxed"
                       : order == ORDER_ACQ_REL ? "acq_rel"
                       : order & ORDER_ACQUIRE ? "acquire" : "release";
    return order ? arena_printf(arena, "%s.%s", name, scope_name(scope)) : name;
}

static const char *change_words(struct arena *arena, const struct test *test,
                                const struct change *change)
{
    const struct test_thread *t = &test->threads[change->thread];
    const struct instruction *i = &t->code[change->index];
    const char *order = order_words(arena, change->order, change->scope);

    if (change->inserts)
        return arena_printf(arena, "add fence.%s before P%u line %u: %s", order,
                            t->number, i->at.line, i->text);
    if (change->removes)
        return arena_printf(arena, "remove P%u line %u: %s", t->number, i->at.line,
                            i->text);
    return arena_printf(arena, "make it %s: P%u line %u: %s", order, t->number,
                        i->at.line, i->text);
}

static void report_strengthening(struct text *out, struct arena *arena,
                                 const struct analysis *a,
                                 const struct search_options *options)
{
    struct changes *changes = ARENA_NEW(arena, struct changes);
    uint32_t best = UINT32_MAX, shown = 0, tried = 0;
    bool races;

    collect(changes, a->test, true);
    qsort(changes->items, changes->count, sizeof *changes->items, by_cost);
    text_puts(out, "\nRepair: the weakest change that forbids the outcome\n");
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *one = &changes->items[i];
        if (one->cost > best || shown == MAX_SHOWN)
            break;
        if (is_allowed(a, variant_of(arena, a->test, one, NULL), options, &races))
            continue;
        best = one->cost;
        shown++;
        text_printf(out, "  %s\n", change_words(arena, a->test, one));
    }
    if (shown)
        return;
    /* Pairs in ascending order of the sum, so that the first is the weakest. */
    uint32_t last = changes->count ? 2 * changes->items[changes->count - 1].cost : 0;
    for (uint32_t sum = 0; sum <= last && sum <= best && tried < MAX_PAIRS; sum++)
        for (uint32_t i = 0; i < changes->count; i++)
            for (uint32_t j = i + 1; j < changes->count; j++) {
                const struct change *one = &changes->items[i], *two = &changes->items[j];
                bool same = one->thread == two->thread && one->index == two->index;
                if (one->cost + two->cost != sum || same || shown == MAX_SHOWN)
                    continue;
                /* Insertion moves what follows: apply the later one first. */
                bool later = one->thread == two->thread && one->index > two->index;
                if (tried++ >= MAX_PAIRS ||
                    is_allowed(a, variant_of(arena, a->test, later ? one : two,
                                             later ? two : one), options, &races))
                    continue;
                best = sum;
                shown++;
                text_printf(out, "  %s\n    and %s\n", change_words(arena, a->test, one),
                            change_words(arena, a->test, two));
            }
    if (!shown)
        text_puts(out, "  no one or two changes are enough\n");
}

static void report_weakening(struct text *out, struct arena *arena,
                             const struct analysis *a,
                             const struct search_options *options)
{
    struct changes *changes = ARENA_NEW(arena, struct changes);
    uint32_t shown = 0;
    bool races;

    collect(changes, a->test, false);
    text_puts(out, "\nStronger than needed: each of these alone still forbids the outcome\n");
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *one = &changes->items[i];
        if (is_allowed(a, variant_of(arena, a->test, one, NULL), options, &races))
            continue;
        shown++;
        text_printf(out, "  %s%s\n", change_words(arena, a->test, one),
                    races && !a->races.count ? "  (but this makes a data race)" : "");
    }
    if (!shown)
        text_puts(out, "  nothing: every order and scope is needed\n");
}

void report_repairs(struct text *out, struct arena *arena, const struct analysis *a,
                    const struct search_options *options)
{
    struct question q = {a, false, false};

    for (uint32_t i = 0; i < a->count; i++)
        q.reached |= state_is_asked(a, a->items[i].values);
    if (a->outside)
        return;
    if (q.reached)
        report_strengthening(out, arena, a, options);
    else
        report_weakening(out, arena, a, options);
}
