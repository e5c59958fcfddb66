/* SPDX-License-Identifier: Apache-2.0
 *
 * report_json.c - the machine-readable report of one test.
 *
 *     {"test": name, "file": path, "model": name, "kind": "exists | ~exists | forall",
 *      "condition": text, "holds": true | false, "verdict": "allowed | ...",
 *      "states": [{"P1:r0": 1, ...}, ...], "outcomes": [...], "races": [...],
 *      "outside_model": false, "positive": n, "negative": n, ...}
 *
 * Outside the model nothing can be said to hold: holds is false then, and
 * outside_model true. */
#include "memmodel/report.h"
#include "memmodel/words.h"

static json_t *json_state(const struct analysis *a, const int64_t *values)
{
    json_t *state = json_object();

    for (uint32_t i = 0; i < a->variable_count; i++)
        json_object_set_new(state, a->variables[i].name, json_integer(values[i]));
    return state;
}

static json_t *json_steps(struct arena *arena, const struct candidate *c,
                          const struct execution *x, const struct cycle *cycle)
{
    json_t *steps = json_array();

    for (uint32_t i = 0; i < cycle->count; i++) {
        const struct cycle_step *s = &cycle->steps[i];
        json_array_append_new(
            steps, json_pack("{s:s, s:s, s:s}", "from",
                             event_words(arena, c, x, s->from), "edge",
                             edge_name(s->edge), "to", event_words(arena, c, x, s->to)));
    }
    return steps;
}

static json_t *json_broken(struct arena *arena, const struct forbidden *f)
{
    const struct candidate *c = &f->example->c;
    json_t *axioms = json_array();

    for (uint32_t i = 0; i < c->model->axiom_count; i++) {
        struct cycle cycle;
        if (!(f->broken >> i & 1))
            continue;
        axiom_cycle(c, &f->example->x, i, &cycle);
        json_array_append_new(
            axioms, json_pack("{s:s, s:o}", "axiom", c->model->axioms[i]->name, "cycle",
                              json_steps(arena, c, &f->example->x, &cycle)));
    }
    return axioms;
}

static json_t *json_outcomes(struct arena *arena, const struct analysis *a,
                             const struct outcomes *outcomes)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < a->count; i++) {
        const struct state *s = &a->items[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:b, s:I, s:I}", "verdict", "allowed", "state",
                            json_state(a, s->values), "asked",
                            state_is_asked(a, s->values), "executions",
                            (json_int_t)s->executions, "racy", (json_int_t)s->racy));
    }
    for (uint32_t i = 0; i < outcomes->count; i++) {
        const struct forbidden *f = &outcomes->items[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:b, s:o}", "verdict", "forbidden", "state",
                            json_state(a, f->values), "asked", f->asked, "broken",
                            json_broken(arena, f)));
    }
    return list;
}

static json_t *json_access(const struct analysis *a, uint32_t thread,
                           const struct instruction *i)
{
    return json_pack("{s:i, s:i, s:s}", "thread", (int)a->test->threads[thread].number,
                     "line", (int)i->at.line, "instruction", i->text);
}

static json_t *json_races(struct arena *arena, const struct analysis *a)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < a->races.count; i++) {
        const struct race *r = &a->races.items[i];
        const char *why = r->example ? why_not_morally_strong(arena, &r->example->c,
                                                              r->first_event,
                                                              r->second_event) : "";
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:[o, o], s:s}", "kind",
                            r->kind == RACE_MIXED ? "mixed-size" : "uniform-size",
                            "executions", (json_int_t)r->executions, "accesses",
                            json_access(a, r->first_thread, r->first),
                            json_access(a, r->second_thread, r->second),
                            "not_morally_strong", why));
    }
    return list;
}

json_t *report_json(struct arena *arena, const struct analysis *a,
                    const struct outcomes *outcomes)
{
    static const char *const kinds[] = {"exists", "~exists", "forall"};
    json_t *states = json_array();

    for (uint32_t i = 0; i < a->count; i++)
        json_array_append_new(states, json_state(a, a->items[i].values));
    json_t *report = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:b, s:I, s:I, s:b, s:b}",
        "test", a->test->name, "file", a->test->file, "model", a->model->name, "kind",
        kinds[a->test->quantifier], "condition", a->test->condition_text, "holds",
        json_boolean(a->holds && !a->outside), "verdict", verdict_word(a),
        "states", states, "outcomes", json_outcomes(arena, a, outcomes), "races",
        json_races(arena, a), "outside_model", a->outside, "positive",
        (json_int_t)a->positive, "negative", (json_int_t)a->negative, "loop_cut",
        a->search.loop_cut, "can_hang", a->search.hangs);
    return report;
}
