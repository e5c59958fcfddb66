/* SPDX-License-Identifier: Apache-2.0
 *
 * against.c - running a test and sorting what was seen. */
#include "memmodel/against.h"

#include <stdlib.h>
#include <string.h>

#include "memmodel/histogram.h"
#include "memmodel/kernel.h"
#include "memmodel/suite.h"
#include "memmodel/words.h"

enum { MAX_SEEN = 4096 };

struct comparing {
    struct arena *arena;
    const struct analysis *a;  /* of the test as it is */
    struct analysis *ordered;  /* under sc */
    const struct search_options *search;
    const struct litmus_options *options;
    struct text *histograms;
    struct comparison *to;
};

/* --- states ------------------------------------------------------------------------------ */

static enum outcome_order order_of(const struct comparing *k, const int64_t *values)
{
    const struct analysis *sc = k->ordered;

    if (sc->search.problem || sc->search.gave_up)
        return ORDER_UNKNOWN;
    for (uint32_t i = 0; i < sc->count; i++)
        if (!memcmp(sc->items[i].values, values, sizeof sc->items[i].values))
            return sc->items[i].serial ? ORDER_SEQUENTIAL : ORDER_INTERLEAVED;
    return sc->search.loop_cut ? ORDER_UNKNOWN : ORDER_WEAK_ONLY;
}

static struct seen *seen_of(struct comparing *k, struct column *column, const int64_t *values)
{
    for (uint32_t i = 0; i < column->count; i++)
        if (!memcmp(column->items[i].values, values, sizeof column->items[i].values))
            return &column->items[i];
    if (column->count == MAX_SEEN)
        return NULL;
    struct seen *s = ARENA_PUSH(k->arena, column);
    *s = (struct seen){.order = order_of(k, values)};
    memcpy(s->values, values, sizeof s->values);
    return s;
}

/* The states that the analysis of the test, as placed, allows. */
static struct column *start_column(struct comparing *k, const char *name,
                                   const struct analysis *placed)
{
    struct column *column = ARENA_PUSH(k->arena, k->to);

    *column = (struct column){.name = name, .outside = placed->outside,
                              .loop_cut = placed->search.loop_cut};
    for (uint32_t i = 0; i < placed->count; i++) {
        struct seen *s = seen_of(k, column, placed->items[i].values);
        if (s)
            s->allowed = &placed->items[i];
    }
    return column;
}

static int by_values(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    for (uint32_t i = 0; i < MAX_VARIABLES; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

/* A race in some run of a state in which no execution races, or no race in any
 * run of one in which all do. */
static bool races_agree(const struct seen *s)
{
    return !s->allowed || (!(s->racy && !s->allowed->racy) &&
                           !(s->quiet && s->allowed->racy == s->allowed->executions));
}

static void finish_column(struct comparing *k, struct column *column)
{
    if (column->count)
        qsort(column->items, column->count, sizeof *column->items, by_values);
    k->to->not_run |= column->not_run != NULL;
    if (column->failed)
        k->to->agrees = false;
    for (uint32_t i = 0; i < column->count; i++) {
        const struct seen *s = &column->items[i];
        k->to->races_looked_for += s->racy + s->quiet;
        if (s->allowed && (!s->allowed->racy || s->allowed->racy == s->allowed->executions))
            k->to->races_decided += s->racy + s->quiet;
        /* More repetitions than were followed may allow it. */
        if (!races_agree(s) || (!s->allowed && !column->outside && !column->loop_cut))
            k->to->agrees = false;
    }
}

/* --- one run after another ------------------------------------------------------------------ */

static const char *one_line(struct arena *arena, const struct text *text)
{
    const char *string = text_string(text), *end = strchr(string, '\n');

    return arena_copy(arena, string, end ? (size_t)(end - string) : strlen(string));
}

static void run_once(struct comparing *k, const struct litmus_executor *executor,
                     const struct litmus_launch *launch, uint64_t run, struct column *column)
{
    uint64_t *results = ARENA_NEW_ARRAY(k->arena, launch->result_count + 1, uint64_t);
    struct litmus_run ran = {.results = results};
    struct text err = {0};
    int64_t values[MAX_VARIABLES];

    executor->run(executor->self, launch, run, &ran, &err);
    if (ran.unsupported || ran.failed)
        column->not_run = one_line(k->arena, &err);
    column->failed = ran.failed;
    text_free(&err);
    if (column->not_run)
        return;
    column->runs++;
    litmus_kernel_state(k->a, results, values);
    if (!ran.finished)
        column->unfinished++;
    if (!ran.finished || !state_passes_filter(k->a, values))
        return;
    struct seen *s = seen_of(k, column, values);
    if (!s)
        return;
    s->runs++;
    s->racy += ran.knows_races && ran.raced;
    s->quiet += ran.knows_races && !ran.raced;
}

static void run_repeatedly(struct comparing *k, const struct litmus_executor *executor)
{
    struct litmus_kernel kernel;
    struct column *column = start_column(k, executor->name, k->a);

    column->not_run = litmus_kernel_write(k->arena, k->a, &kernel);
    const struct litmus_launch launch = {
        .ptx = text_string(&kernel.ptx), .ptx_size = kernel.ptx.size, .grid = kernel.grid,
        .block = kernel.block, .result_count = kernel.result_count};
    for (uint64_t run = 0; run < executor->runs && !column->not_run; run++)
        run_once(k, executor, &launch, run, column);
    text_free(&kernel.ptx);
    finish_column(k, column);
}

/* --- many at once ------------------------------------------------------------------------------ */

static const char *find_recording(struct comparing *k, struct text *why)
{
    const char *path = k->options->recording;
    size_t size;

    if (path)
        return read_whole_file(k->arena, path, &size, why);
    /* The nearest one in the folders around the test. */
    char *folder = arena_strdup(k->arena, k->a->test->file);
    for (char *slash; (slash = strrchr(folder, '/')) || *folder;) {
        *(slash ? slash : folder) = 0;
        struct text ignored = {0};
        char *file = read_whole_file(
            k->arena, arena_printf(k->arena, "%s%shistograms.txt", folder, slash ? "/" : ""),
            &size, &ignored);
        text_free(&ignored);
        if (file)
            return file;
    }
    text_puts(why, "there is no recording histograms.txt in the folders around the test\n");
    return NULL;
}

static void take_histogram(struct comparing *k, struct column *column,
                           const struct analysis *placed, const struct histogram *h)
{
    column->runs = h->instances;
    column->unfinished = h->unfinished;
    for (uint32_t i = 0; i < h->count; i++) {
        if (!state_passes_filter(placed, h->items[i].values))
            continue;
        struct seen *s = seen_of(k, column, h->items[i].values);
        if (s)
            s->runs += h->items[i].count;
    }
}

static void run_device(struct comparing *k, const struct litmus_executor *executor,
                       const struct analysis *placed, enum many_place place,
                       struct column *column)
{
    struct many_program program;
    struct histogram h;
    struct text err = {0};

    column->not_run = many_write(k->arena, placed, &program);
    if (column->not_run) {
        text_free(&program.ptx);
        return;
    }
    if (many_run(executor->device, k->arena, placed, &program, executor->runs, &h, &err)) {
        take_histogram(k, column, placed, &h);
        if (!k->histograms->size)
            histogram_head(k->histograms, executor->chip, executor->driver);
        histogram_write(k->histograms, k->arena, placed, place, program.hash, &h);
    } else {
        column->not_run = one_line(k->arena, &err);
        column->failed = true;
    }
    text_free(&err);
    text_free(&program.ptx);
}

static void replay(struct comparing *k, const struct litmus_executor *executor,
                   const struct analysis *placed, enum many_place place, const char *file,
                   const char *why, struct column *column)
{
    struct recorded_histogram found;
    const char *refused = many_refused(placed);

    if (refused)
        column->not_run = refused;
    else if (k->options->whole_states)
        column->not_run = "recordings hold no whole states, which --races asks for";
    else if (!file)
        column->not_run = arena_printf(k->arena, "%s; %s", executor->absent, why);
    else if ((why = histogram_find(k->arena, file, placed, place, &found)))
        column->not_run = arena_printf(k->arena, "%s; %s", executor->absent, why);
    else {
        column->recorded = arena_printf(k->arena, "a recording of %s, driver %s: %s",
                                        found.chip, found.driver, executor->absent);
        take_histogram(k, column, placed, &found.histogram);
    }
}

static void run_everywhere(struct comparing *k, const struct litmus_executor *executor)
{
    struct text why = {0};
    const char *file = executor->device ? NULL : find_recording(k, &why);
    const char *problem = one_line(k->arena, &why);
    struct search_options search = *k->search;

    /* A compiler made the code of the device, and may break false dependencies. */
    search.drops_false_dependencies = true;
    text_free(&why);
    for (enum many_place place = 0; place < PLACE_COUNT; place++) {
        const struct test *test = many_placed(k->arena, k->a->test, place);
        if (!test)
            continue;
        struct analysis *placed = ARENA_NEW(k->arena, struct analysis);
        analyse(k->arena, test, k->a->model, &search, placed);
        struct column *column = start_column(k, executor->name, placed);
        column->place = place;
        column->has_place = true;
        if (placed->search.problem || placed->search.gave_up)
            column->not_run = "its outcomes in this place are not known";
        else if (executor->device)
            run_device(k, executor, placed, place, column);
        else
            replay(k, executor, placed, place, file, problem, column);
        finish_column(k, column);
        if (many_refused(placed) || (!executor->device && !file))
            break; /* nor will it elsewhere */
    }
}

void run_against(struct arena *arena, const struct analysis *a,
                 const struct search_options *search, const struct litmus_options *options,
                 struct text *histograms, struct comparison *comparison)
{
    struct comparing k = {arena, a, ARENA_NEW(arena, struct analysis), search, options,
                          histograms, comparison};

    memset(comparison, 0, sizeof *comparison);
    comparison->agrees = true;
    analyse(arena, a->test, model_find("sc"), search, k.ordered);
    for (size_t i = 0; i < options->executor_count; i++)
        if (options->executors[i].run)
            run_repeatedly(&k, &options->executors[i]);
        else
            run_everywhere(&k, &options->executors[i]);
}
