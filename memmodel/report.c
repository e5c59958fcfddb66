/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - the text report of one test. */
#include "memmodel/report.h"

#include <string.h>

#include "memmodel/words.h"

static const char *quantifier_word(enum quantifier quantifier)
{
    return quantifier == EXISTS ? "Allowed"
           : quantifier == FORALL ? "Required" : "Forbidden";
}

/* The witnesses that speak for the condition as it is quantified. */
static void report_witnesses(struct text *out, const struct analysis *a)
{
    const char *seen = a->positive == 0 ? "Never"
                       : a->negative == 0 ? "Always" : "Sometimes";

    text_printf(out, "Witnesses\nPositive: %llu Negative: %llu\n",
                (unsigned long long)a->positive, (unsigned long long)a->negative);
    text_printf(out, "Condition %s\n", a->test->condition_text);
    text_printf(out, "Observation %s %s %llu %llu\n", a->test->name, seen,
                (unsigned long long)a->positive, (unsigned long long)a->negative);
    text_printf(out, "Hash=%016llx\n", (unsigned long long)a->test->hash);
}

void report_states(struct text *out, struct arena *arena, const struct analysis *a)
{
    text_printf(out, "Test %s %s\n", a->test->name,
                quantifier_word(a->test->quantifier));
    text_printf(out, "Model %s\n", a->model->name);
    text_printf(out, "States %u\n", a->count);
    for (uint32_t i = 0; i < a->count; i++)
        text_printf(out, "%s\n", state_words(arena, a, a->items[i].values));
    text_printf(out, "%s\n", a->outside ? "Outside the model" : a->holds ? "Ok" : "No");
    report_witnesses(out, a);
}

static bool asked_is_allowed(const struct analysis *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (state_is_asked(a, a->items[i].values))
            return true;
    return false;
}

const char *verdict_word(const struct analysis *a)
{
    if (a->outside)
        return "outside the model";
    return asked_is_allowed(a) ? "allowed" : "forbidden";
}

static const char *broken_names(struct arena *arena, const struct model *model,
                                uint32_t broken)
{
    const char *names = "";

    for (uint32_t i = 0; i < model->axiom_count; i++)
        if (broken >> i & 1)
            names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
                                 model->axioms[i]->name);
    return names;
}

static const char *race_words(struct arena *arena, const struct analysis *a,
                              const struct state *s)
{
    if (!a->has_races)
        return "";
    if (!s->racy)
        return "  race free";
    if (s->racy == s->executions)
        return "  with a data race";
    return arena_printf(arena, "  with a data race in %llu of %llu executions",
                        (unsigned long long)s->racy, (unsigned long long)s->executions);
}

static void list_outcomes(struct text *out, struct arena *arena,
                          const struct analysis *a, const struct outcomes *outcomes)
{
    uint32_t i = 0, f = 0;

    text_puts(out, "\nOutcomes (* as the condition asks)\n");
    while (i < a->count || f < outcomes->count) {
        bool take = f == outcomes->count;
        if (!take && i < a->count)
            for (uint32_t v = 0; v < MAX_VARIABLES; v++)
                if (a->items[i].values[v] != outcomes->items[f].values[v]) {
                    take = a->items[i].values[v] < outcomes->items[f].values[v];
                    break;
                }
        if (take) {
            const struct state *s = &a->items[i++];
            text_printf(out, "%s allowed    %s%s\n",
                        state_is_asked(a, s->values) ? "*" : " ",
                        state_words(arena, a, s->values), race_words(arena, a, s));
        } else {
            const struct forbidden *b = &outcomes->items[f++];
            text_printf(out, "%s forbidden  %s  by %s\n", b->asked ? "*" : " ",
                        state_words(arena, a, b->values),
                        broken_names(arena, a->model, b->broken));
        }
    }
    if (!outcomes->complete)
        text_puts(out, "  (further forbidden outcomes were not looked for: the test "
                  "is large)\n");
}

static void explain_forbidden(struct text *out, struct arena *arena,
                              const struct analysis *a, const struct forbidden *f)
{
    const struct candidate *c = &f->example->c;
    const struct execution *x = &f->example->x;

    text_printf(out, "\nForbidden: %s\n", state_words(arena, a, f->values));
    for (uint32_t i = 0; i < a->model->axiom_count; i++) {
        struct cycle cycle;
        if (!(f->broken >> i & 1))
            continue;
        axiom_cycle(c, x, i, &cycle);
        text_printf(out, "  by %s: %s. A cycle:\n", a->model->axioms[i]->name,
                    a->model->axioms[i]->statement);
        write_cycle(out, arena, c, x, &cycle, "    ");
    }
}

static void explain_allowed(struct text *out, struct arena *arena,
                            const struct analysis *a, const struct state *s)
{
    text_printf(out, "\nAllowed: %s\n", state_words(arena, a, s->values));
    if (!s->example)
        return;
    text_puts(out, "  An execution that gives it:\n");
    write_execution(out, arena, &s->example->c, &s->example->x, "    ");
}

void report_outcomes(struct text *out, struct arena *arena, const struct analysis *a,
                     const struct outcomes *outcomes, bool explain_all)
{
    bool explained = false;

    if (a->outside) {
        text_puts(out, "\nThe test has a mixed-size data race: accesses of different "
                  "sizes overlap without\nan order. The axioms of the PTX model do not "
                  "apply, so nothing is promised, and\nnothing is forbidden.\n");
        return;
    }
    list_outcomes(out, arena, a, outcomes);
    for (uint32_t i = 0; i < a->count; i++)
        if (explain_all || (!explained && state_is_asked(a, a->items[i].values))) {
            explain_allowed(out, arena, a, &a->items[i]);
            explained = true;
        }
    const struct forbidden *asked = asked_outcome(outcomes);
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (explain_all || (&outcomes->items[i] == asked && !explained))
            explain_forbidden(out, arena, a, &outcomes->items[i]);
    if (!asked && !asked_is_allowed(a))
        text_puts(out, "\nForbidden: no choice of the writes that reads take their "
                  "values from gives\nthe outcome asked about, whatever the order.\n");
}

void report_races(struct text *out, struct arena *arena, const struct analysis *a)
{
    if (!a->has_races)
        return;
    if (!a->races.count) {
        text_puts(out, "\nRaces: none\n");
        return;
    }
    text_printf(out, "\nRaces: %u pair%s\n", a->races.count,
                a->races.count == 1 ? "" : "s");
    for (uint32_t i = 0; i < a->races.count; i++) {
        const struct race *r = &a->races.items[i];
        text_printf(out, "  %s data race, in %llu execution%s:\n    P%u line %u: %s\n"
                    "    P%u line %u: %s\n",
                    r->kind == RACE_MIXED ? "mixed-size" : "uniform-size",
                    (unsigned long long)r->executions, r->executions == 1 ? "" : "s",
                    a->test->threads[r->first_thread].number, r->first->at.line,
                    r->first->text, a->test->threads[r->second_thread].number,
                    r->second->at.line, r->second->text);
        if (!r->example)
            continue;
        uint32_t first = r->first_event, second = r->second_event;
        text_printf(out, "    not ordered by causality, and not morally strong: %s\n",
                    why_not_morally_strong(arena, &r->example->c, first, second));
    }
}

void report_notes(struct text *out, const struct analysis *a, uint32_t bound)
{
    if (a->search.loop_cut)
        text_printf(out, "\nNote: loops were followed for at most %u repetition%s; "
                    "executions with more are left\nout (--bound changes this).\n",
                    bound, bound == 1 ? "" : "s");
    if (a->search.hangs)
        text_puts(out, "\nNote: threads can wait at a barrier for ever; such "
                  "executions have no final state\nand are left out.\n");
}

static bool has_state(const struct analysis *a, const int64_t *values)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (!memcmp(a->items[i].values, values, sizeof a->items[i].values))
            return true;
    return false;
}

void report_difference(struct text *out, struct arena *arena, const struct analysis *a,
                       const struct analysis *b)
{
    uint32_t different = 0;

    text_printf(out, "\nDifference of %s and %s\n", a->model->name, b->model->name);
    for (uint32_t i = 0; i < a->count; i++)
        if (!has_state(b, a->items[i].values)) {
            text_printf(out, "  only %-8s %s\n", a->model->name,
                        state_words(arena, a, a->items[i].values));
            different++;
        }
    for (uint32_t i = 0; i < b->count; i++)
        if (!has_state(a, b->items[i].values)) {
            text_printf(out, "  only %-8s %s\n", b->model->name,
                        state_words(arena, b, b->items[i].values));
            different++;
        }
    if (!different)
        text_puts(out, "  none: both allow the same final states\n");
    text_printf(out, "  the outcome asked about: %s in %s, %s in %s\n", verdict_word(a),
                a->model->name, verdict_word(b), b->model->name);
}
