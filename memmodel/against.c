/* SPDX-License-Identifier: Apache-2.0
 *
 * against.c - running a test and sorting what was seen. */
#include "memmodel/against.h"

#include <stdlib.h>
#include <string.h>

#include "memmodel/kernel.h"
#include "memmodel/words.h"

enum { MAX_SEEN = 512 };

/* One final state and how often each executor saw it. */
struct seen {
    int64_t values[MAX_VARIABLES];
    const struct state *allowed; /* NULL: forbidden */
    uint64_t runs, racy, quiet;  /* of the current executor; with a race, without */
};

struct tally {
    const struct analysis *analysis;
    struct seen *items;
    uint32_t count, capacity;
    uint64_t unfinished, failed;
};

static struct seen *seen_of(struct arena *arena, struct tally *tally, const int64_t *values)
{
    for (uint32_t i = 0; i < tally->count; i++)
        if (!memcmp(tally->items[i].values, values, sizeof tally->items[i].values))
            return &tally->items[i];
    if (tally->count == MAX_SEEN)
        return NULL;
    struct seen *s = ARENA_PUSH(arena, tally);
    memcpy(s->values, values, sizeof s->values);
    return s;
}

static void start_tally(struct arena *arena, struct tally *tally, const struct analysis *a)
{
    memset(tally, 0, sizeof *tally);
    tally->analysis = a;
    for (uint32_t i = 0; i < a->count; i++) {
        struct seen *s = seen_of(arena, tally, a->items[i].values);
        if (s)
            s->allowed = &a->items[i];
    }
}

static int by_values(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    for (uint32_t i = 0; i < MAX_VARIABLES; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

static const char *class_of(const struct tally *tally, const struct seen *s)
{
    if (!s->allowed && tally->analysis->outside)
        return "observed, no model";
    if (!s->allowed) /* more repetitions than were followed may allow it */
        return tally->analysis->search.loop_cut ? "observed, beyond bound"
                                                : "OBSERVED BUT FORBIDDEN";
    return s->runs ? "observed and allowed" : "allowed, not observed";
}

/* A race in some run of a state in which no execution races, or no race in any
 * run of one in which all do. */
static const char *race_problem(const struct seen *s)
{
    if (!s->allowed)
        return NULL;
    if (s->racy && !s->allowed->racy)
        return "a race was reported, but no execution with this state has one";
    if (s->quiet && s->allowed->racy == s->allowed->executions)
        return "no race was reported, but every execution with this state has one";
    return NULL;
}

static bool report(struct text *out, struct arena *arena, struct tally *tally,
                   const struct litmus_executor *executor, json_t **json)
{
    bool good = !tally->failed;
    json_t *states = json_array();

    if (tally->count)
        qsort(tally->items, tally->count, sizeof *tally->items, by_values);
    text_printf(out, "\nAgainst %s, %u runs\n", executor->name, executor->runs);
    for (uint32_t i = 0; i < tally->count; i++) {
        struct seen *s = &tally->items[i];
        const char *class = class_of(tally, s), *race = race_problem(s);
        text_printf(out, "%8llu  %-22s %s\n", (unsigned long long)s->runs, class,
                    state_words(arena, tally->analysis, s->values));
        if (race)
            text_printf(out, "          %s\n", race);
        good &= !race && (s->allowed || tally->analysis->outside ||
                          tally->analysis->search.loop_cut);
        json_array_append_new(states, json_pack("{s:s, s:I, s:s, s:I}", "state",
                                                state_words(arena, tally->analysis,
                                                            s->values),
                                                "runs", (json_int_t)s->runs, "class", class,
                                                "racy", (json_int_t)s->racy));
    }
    if (tally->unfinished)
        text_printf(out, "%8llu  did not end\n", (unsigned long long)tally->unfinished);
    if (json)
        *json = json_pack("{s:s, s:i, s:b, s:I, s:o}", "executor", executor->name, "runs",
                          (int)executor->runs, "agrees", good, "unfinished",
                          (json_int_t)tally->unfinished, "states", states);
    else
        json_decref(states);
    return good;
}

static bool run_one(struct text *out, struct arena *arena, const struct analysis *a,
                    const struct litmus_executor *executor,
                    const struct litmus_kernel *kernel, json_t **json, bool *not_run)
{
    const struct litmus_launch launch = {
        .ptx = text_string(&kernel->ptx), .ptx_size = kernel->ptx.size,
        .grid = kernel->grid, .block = kernel->block, .result_count = kernel->result_count};
    struct tally tally;

    start_tally(arena, &tally, a);
    for (uint32_t run = 0; run < executor->runs; run++) {
        uint64_t *results = ARENA_NEW_ARRAY(arena, kernel->result_count + 1, uint64_t);
        struct litmus_run ran = {.results = results};
        struct text err = {0};
        executor->run(executor->self, &launch, run, &ran, &err);
        if (ran.unsupported || ran.failed)
            text_printf(out, "\nNot run on %s: %s", executor->name, text_string(&err));
        text_free(&err);
        if (ran.unsupported) {
            *not_run = true;
            return true;
        }
        if (ran.failed) {
            tally.failed++;
            break;
        }
        int64_t values[MAX_VARIABLES];
        litmus_kernel_state(a, results, values);
        if (!ran.finished) {
            tally.unfinished++;
            continue;
        }
        if (!state_passes_filter(a, values))
            continue;
        struct seen *s = seen_of(arena, &tally, values);
        if (!s)
            continue;
        s->runs++;
        s->racy += ran.knows_races && ran.raced;
        s->quiet += ran.knows_races && !ran.raced;
    }
    return report(out, arena, &tally, executor, json);
}

bool run_against(struct text *out, struct arena *arena, const struct analysis *a,
                 const struct litmus_executor *executors, size_t executor_count,
                 json_t **json, bool *not_run)
{
    struct litmus_kernel kernel;
    const char *problem = litmus_kernel_write(arena, a, &kernel);
    bool good = true;

    *not_run = problem != NULL;
    if (json)
        *json = json_array();
    if (problem) {
        text_printf(out, "\nNot run: %s.\n", problem);
        text_free(&kernel.ptx);
        return true;
    }
    for (size_t i = 0; i < executor_count; i++) {
        json_t *one = NULL;
        good &= run_one(out, arena, a, &executors[i], &kernel, json ? &one : NULL, not_run);
        if (json && one)
            json_array_append_new(*json, one);
    }
    text_free(&kernel.ptx);
    return good;
}
