/* SPDX-License-Identifier: Apache-2.0
 *
 * command.c - what `simtlab litmus` does with the files it is given. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "memmodel/against.h"
#include "memmodel/graph.h"
#include "memmodel/kernel.h"
#include "memmodel/memmodel.h"
#include "memmodel/repair.h"
#include "memmodel/report.h"
#include "memmodel/suite.h"
#include "memmodel/words.h"

enum { DEFAULT_BOUND = 2, DEFAULT_LIMIT = 2000000 };

struct command {
    const struct litmus_options *options;
    struct litmus_output *output;
    struct model model, other;
    struct search_options search;
    json_t *json; /* of the single test, or the suite */
    int status;
};

/* The worst status wins: no verdict, then a mismatch. */
static void worsen(struct command *k, int status)
{
    if (status > k->status)
        k->status = status;
}

static bool choose_model(struct command *k, const char *name, struct model *model)
{
    const struct model *found = model_find(name);

    if (!found) {
        text_printf(&k->output->err, "simtlab litmus: there is no model '%s'; models are",
                    name);
        for (uint32_t i = 0; model_at(i); i++)
            text_printf(&k->output->err, " %s", model_at(i)->name);
        text_putc(&k->output->err, '\n');
        return false;
    }
    *model = *found;
    model->strict_proxies = !k->options->lenient_proxies;
    return true;
}

static bool set_up(struct command *k)
{
    const struct litmus_options *o = k->options;

    if (!choose_model(k, o->model ? o->model : "ptx-7.5", &k->model))
        return false;
    if (o->other_model && !choose_model(k, o->other_model, &k->other))
        return false;
    for (size_t i = 0; i < o->without_count; i++)
        if (!model_remove(&k->model, o->without[i])) {
            text_printf(&k->output->err, "simtlab litmus: model %s has no '%s' to leave "
                        "out (see --list)\n", k->model.name, o->without[i]);
            return false;
        }
    struct text names = {0};
    bool known = !o->relation || relation_is_known(o->relation, &names);
    if (!known)
        text_printf(&k->output->err, "simtlab litmus: there is no relation '%s'; there are%s\n",
                    o->relation, text_string(&names));
    text_free(&names);
    k->search = (struct search_options){
        .bound = o->bound ? o->bound : DEFAULT_BOUND,
        .limit = o->limit ? o->limit : DEFAULT_LIMIT,
        .drops_false_dependencies = o->false_dependencies_dropped};
    return known;
}

/* --- files -------------------------------------------------------------------------- */

char *read_whole_file(struct arena *arena, const char *path, size_t *size,
                      struct text *err)
{
    enum { LARGEST = 1 << 20 };
    struct stat info;
    FILE *file = stat(path, &info) || S_ISDIR(info.st_mode) ? NULL : fopen(path, "rb");

    if (!file) {
        text_printf(err, "%s: error: cannot read it: %s\n", path,
                    errno ? strerror(errno) : "not a file");
        return NULL;
    }
    /* One byte more than the file has, so that its end is seen. */
    size_t room = S_ISREG(info.st_mode) && info.st_size < LARGEST
                      ? (size_t)info.st_size + 1 : LARGEST;
    char *data = arena_alloc(arena, room + 1);
    *size = fread(data, 1, room, file);
    bool whole = feof(file) || fgetc(file) == EOF;
    fclose(file);
    if (!whole || memchr(data, 0, *size)) {
        text_printf(err, "%s: error: %s\n", path,
                    whole ? "not a text file" : "larger than any litmus test");
        return NULL;
    }
    data[*size] = 0;
    return data;
}

static const struct term *shown_term(struct arena *arena, struct term term)
{
    struct term *copy = ARENA_NEW(arena, struct term);

    *copy = term;
    return copy;
}

/* Every register, and every element of global memory, as far as a state has room. */
static void show_everything(struct arena *arena, struct test *test)
{
    struct {
        const struct term **items;
        uint32_t count, capacity;
    } list = {0};
    uint32_t room = MAX_VARIABLES / 2;

    for (uint32_t i = 0; i < test->shown_count; i++)
        *ARENA_PUSH(arena, &list) = test->shown[i];
    for (uint32_t t = 0; t < test->thread_count; t++)
        for (uint32_t r = 0; r < test->threads[t].register_count && list.count < room; r++)
            if (test->threads[t].registers[r].width > 1) /* predicates follow from others */
                *ARENA_PUSH(arena, &list) = shown_term(
                    arena, (struct term){.kind = TERM_REGISTER, .thread = t, .reg = r});
    for (uint32_t i = 0; i < test->location_count; i++) {
        const struct test_location *l = &test->locations[i];
        for (uint32_t at = 0; l->space == SPACE_GLOBAL && list.count < room &&
                              at < test->objects[l->object].size; at += l->element)
            *ARENA_PUSH(arena, &list) = shown_term(
                arena, (struct term){.kind = TERM_LOCATION, .location = i, .offset = at});
    }
    test->shown = list.items;
    test->shown_count = list.count;
}

static struct test *read_test(struct command *k, struct arena *arena, const char *path)
{
    struct diags diags = {0};
    size_t size;
    const char *source = read_whole_file(arena, path, &size, &k->output->err);

    if (!source)
        return NULL;
    struct test *test = test_read(arena, &diags, arena_strdup(arena, path), source, size);
    if (!test)
        diag_print(&k->output->err, &diags);
    else if (k->options->whole_states)
        show_everything(arena, test);
    return test;
}

/* True when the search has an answer; else says why not. */
static bool answered(struct command *k, struct arena *arena, const struct test *test,
                     const struct search_result *result)
{
    struct diags diags = {.arena = arena, .name = test->file, .source = test->source,
                          .source_size = test->source_size};

    if (result->problem)
        diag_error(&diags, result->problem_at, "%s", result->problem);
    else if (result->gave_up)
        diag_error(&diags, test->condition_at, "no verdict after %llu steps; a smaller "
                   "--bound or a larger --limit may help",
                   (unsigned long long)k->search.limit);
    else
        return true;
    diag_print(&k->output->err, &diags);
    return false;
}

/* --- one test -------------------------------------------------------------------------- */

static void show_program(struct command *k, struct arena *arena, const struct analysis *a)
{
    const char *name = k->options->place ? k->options->place : "own";
    const char *problem = "there is no such place: own, warp, block, cluster, gpu";
    struct analysis *placed = ARENA_NEW(arena, struct analysis);
    struct many_program program = {0};

    for (enum many_place p = 0; p < PLACE_COUNT; p++) {
        if (strcmp(name, many_place_name(p)))
            continue;
        const struct test *test = many_placed(arena, a->test, p);
        problem = "that place is the test's own, or its threads cannot be moved there";
        if (!test)
            continue;
        analyse(arena, test, a->model, &k->search, placed);
        problem = many_write(arena, placed, &program);
    }
    text_puts(&k->output->picture, text_string(&program.ptx));
    text_free(&program.ptx);
    if (problem) {
        text_printf(&k->output->err, "%s: error: no program: %s\n", a->test->file, problem);
        worsen(k, 2);
    }
}

static void show(struct command *k, struct arena *arena, const struct analysis *a,
                 const struct outcomes *outcomes, const struct comparison *comparison)
{
    struct text *picture = &k->output->picture;
    const struct forbidden *asked = asked_outcome(outcomes);
    const struct example *example = NULL;
    const char *title = "";

    if (k->options->show == LITMUS_SHOW_PTX) {
        struct litmus_kernel kernel;
        const char *problem = litmus_kernel_write(arena, a, &kernel);
        text_puts(picture, text_string(&kernel.ptx));
        text_free(&kernel.ptx);
        if (problem) {
            text_printf(&k->output->err, "%s: error: no kernel: %s\n", a->test->file, problem);
            worsen(k, 2);
        }
        return;
    }
    if (k->options->show == LITMUS_SHOW_PROGRAM) {
        show_program(k, arena, a);
        return;
    }
    if (k->options->show == LITMUS_SHOW_HTML) {
        struct text table = {0};
        if (comparison->count)
            against_html(&table, arena, a, comparison);
        write_html(picture, arena, a, outcomes, text_string(&table));
        text_free(&table);
        return;
    }
    for (uint32_t i = 0; i < a->count && !example; i++)
        if (state_is_asked(a, a->items[i].values)) {
            example = a->items[i].example;
            title = arena_printf(arena, "%s, allowed: %s", a->test->name,
                                 state_words(arena, a, a->items[i].values));
        }
    if (!example && asked) {
        example = asked->example;
        title = arena_printf(arena, "%s, forbidden: %s", a->test->name,
                             state_words(arena, a, asked->values));
    }
    if (!example) {
        text_printf(&k->output->err, "%s: note: no execution gives the outcome asked "
                    "about; there is nothing to draw\n", a->test->file);
        return;
    }
    if (k->options->show == LITMUS_SHOW_DOT)
        write_dot(picture, arena, &example->c, &example->x, title);
    if (k->options->show == LITMUS_SHOW_SVG)
        write_svg(picture, arena, &example->c, &example->x, title, false);
    if (!k->options->relation)
        return;
    text_printf(&k->output->out, "\nRelation %s in that execution\n", k->options->relation);
    write_relation(&k->output->out, arena, &example->c, &example->x, k->options->relation);
}

static void run_liveness(struct command *k, struct arena *arena, const struct test *test)
{
    struct search_result result;
    const struct example *example;
    bool ends = analyse_liveness(arena, test, &k->model, &k->search, &result, &example);

    if (!ends)
        result.gave_up = false; /* one execution is enough to know */
    if (!answered(k, arena, test, &result)) {
        worsen(k, 2);
        return;
    }
    text_printf(&k->output->out, "Test %s: %s\n", test->name,
                ends ? "every execution ends" : "some execution never ends");
    if (!ends)
        write_execution(&k->output->out, arena, &example->c, &example->x, "  ");
    k->json = json_pack("{s:s, s:s, s:s, s:b}", "test", test->name, "file", test->file,
                        "model", k->model.name, "terminates", ends);
}

/* Does the file state an expectation for exactly this model? */
static bool expects_of(const struct command *k, const struct test *test)
{
    return !k->options->without_count && !k->options->lenient_proxies &&
           !k->options->false_dependencies_dropped &&
           expectation_for(test, &k->model) != NULL;
}

/* A lone file that states an expectation is held to it as well. */
static void check_expectation(struct command *k, const struct test *test,
                              const struct analysis *a)
{
    const char *wrong = expects_of(k, test) ? expectation_missed(test, a) : NULL;

    if (!wrong)
        return;
    text_printf(&k->output->err, "%s: error: the file expects otherwise: %s\n",
                test->file, wrong);
    worsen(k, 1);
}

static void run_test(struct command *k, const char *path)
{
    struct arena arena = {0};
    struct test *test = read_test(k, &arena, path);
    struct analysis *a = ARENA_NEW(&arena, struct analysis);
    struct outcomes outcomes = {0};

    if (!test) {
        worsen(k, 2);
        goto done;
    }
    if (k->options->liveness) {
        run_liveness(k, &arena, test);
        goto done;
    }
    analyse(&arena, test, &k->model, &k->search, a);
    if (!answered(k, &arena, test, &a->search)) {
        worsen(k, 2);
        goto done;
    }
    struct text *out = &k->output->out;
    report_states(out, &arena, a);
    if ((!k->options->brief || k->options->show || k->options->relation) && !a->outside)
        find_forbidden(&arena, a, &k->search, &outcomes);
    if (!k->options->brief) {
        report_outcomes(out, &arena, a, &outcomes, k->options->explain_all);
        report_races(out, &arena, a);
        report_notes(out, a, k->search.bound);
    }
    if (k->options->repair)
        report_repairs(out, &arena, a, &k->search);
    if (k->options->other_model) {
        struct analysis *b = ARENA_NEW(&arena, struct analysis);
        analyse(&arena, test, &k->other, &k->search, b);
        if (answered(k, &arena, test, &b->search))
            report_difference(out, &arena, a, b);
        else
            worsen(k, 2);
    }
    struct comparison comparison = {.agrees = true};
    if (k->options->executor_count) {
        run_against(&arena, a, &k->search, k->options, &k->output->histograms, &comparison);
        report_against(out, &arena, a, &comparison);
        if (!comparison.agrees)
            worsen(k, 1);
    }
    if (k->options->show || k->options->relation)
        show(k, &arena, a, &outcomes, &comparison);
    k->json = report_json(&arena, a, &outcomes);
    if (k->options->executor_count)
        json_object_set_new(k->json, "against", against_json(&arena, a, &comparison));
    check_expectation(k, test, a);
done:
    arena_free(&arena);
}

/* --- suites ------------------------------------------------------------------------------ */

static void run_entry(struct command *k, struct suite *suite, struct suite_entry *entry)
{
    struct arena arena = {0};
    struct test *test = read_test(k, &arena, entry->path);

    entry->verdict = VERDICT_NONE;
    if (!test) {
        worsen(k, 2);
    } else if (k->options->liveness) {
        struct search_result result;
        const struct example *example;
        bool ends = analyse_liveness(&arena, test, &k->model, &k->search, &result,
                                     &example);
        if (!ends)
            result.gave_up = false;
        if (answered(k, &arena, test, &result))
            entry->verdict = ends ? VERDICT_HOLDS : VERDICT_FAILS;
        else
            worsen(k, 2);
    } else {
        struct analysis *a = ARENA_NEW(&arena, struct analysis);
        analyse(&arena, test, &k->model, &k->search, a);
        if (a->search.younger && entry->expected == VERDICT_NONE &&
            !expectation_for(test, &k->model)) {
            entry->skipped = true;
        } else if (answered(k, &arena, test, &a->search)) {
            entry->verdict = a->outside ? VERDICT_OUTSIDE
                             : a->holds ? VERDICT_HOLDS : VERDICT_FAILS;
            bool own = entry->expected == VERDICT_NONE && expects_of(k, test);
            const char *wrong = own ? expectation_missed(test, a) : NULL;
            if (k->options->executor_count) {
                struct comparison comparison;
                struct text table = {0};
                run_against(&arena, a, &k->search, k->options, &k->output->histograms,
                            &comparison);
                entry->not_run = comparison.not_run;
                entry->races_looked_for = comparison.races_looked_for;
                entry->races_decided = comparison.races_decided;
                report_against(&table, &arena, a, &comparison);
                entry->against = against_json(&arena, a, &comparison);
                if (!comparison.agrees)
                    wrong = arena_printf(&arena, "a run disagrees with the model%s",
                                         text_string(&table));
                text_free(&table);
            }
            entry->note = wrong ? arena_strdup(&suite->arena, wrong) : NULL;
            entry->has_expectation = own;
        } else {
            worsen(k, 2);
        }
    }
    arena_free(&arena);
}

static void run_suite(struct command *k, struct suite *suite)
{
    uint32_t agreed = 0, missed = 0, silent = 0, not_run = 0;
    uint64_t looked = 0, decided = 0;
    json_t *tests = json_array();

    for (uint32_t i = 0; i < suite->count; i++) {
        struct suite_entry *e = &suite->items[i];
        run_entry(k, suite, e);
        bool expects = e->expected != VERDICT_NONE;
        bool wrong = !e->skipped && (e->verdict == VERDICT_NONE || e->note ||
                                     (expects && e->expected != e->verdict));
        not_run += e->not_run;
        looked += e->races_looked_for;
        decided += e->races_decided;
        if (wrong)
            missed++;
        else if (expects || e->has_expectation)
            agreed++;
        else
            silent++;
        if (!k->options->brief || wrong)
            text_printf(&k->output->out, "%-5s %-8s %s%s%s\n",
                        wrong ? "FAIL" : expects || e->has_expectation ? "ok" : "-",
                        verdict_name(e->verdict), e->shown, e->note ? "  " : "",
                        e->note ? e->note
                        : wrong && expects
                            ? arena_printf(&suite->arena, "  expected %s",
                                           verdict_name(e->expected)) : "");
        json_t *one = json_pack("{s:s, s:s, s:o, s:b}", "path", e->shown, "verdict",
                                verdict_name(e->verdict), "expected",
                                expects ? json_string(verdict_name(e->expected))
                                        : json_null(), "ok", !wrong);
        if (e->against)
            json_object_set_new(one, "against", e->against);
        json_array_append_new(tests, one);
    }
    text_printf(&k->output->out, "%s: %u of %u as expected", suite->name, agreed,
                agreed + missed);
    if (silent)
        text_printf(&k->output->out, ", %u without an expectation", silent);
    if (k->options->executor_count)
        text_printf(&k->output->out, ", %u not run", not_run);
    text_printf(&k->output->out, " (model %s%s)\n", k->model.name,
                k->options->liveness ? ", liveness" : "");
    if (looked)
        text_printf(&k->output->out, "races were looked for in %llu runs; in %llu of them the "
                    "state says whether there is one\n", (unsigned long long)looked,
                    (unsigned long long)decided);
    if (missed)
        worsen(k, 1);
    k->json = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:o}", "suite", suite->name, "model",
                        k->model.name, "agreed", (int)agreed, "missed", (int)missed,
                        "not_run", (int)not_run,
                        "without_expectation", (int)silent, "tests", tests);
}

static void run_path(struct command *k, const char *path)
{
    struct stat info;
    struct suite suite = {.name = path};

    if (!stat(path, &info) && S_ISDIR(info.st_mode)) {
        if (suite_from_directory(&suite, path, &k->output->err))
            run_suite(k, &suite);
        else
            worsen(k, 2);
    } else if (file_name_ends(path, ".csv")) {
        if (suite_from_list(&suite, path, k->options->root, &k->output->err))
            run_suite(k, &suite);
        else
            worsen(k, 2);
    } else {
        run_test(k, path);
    }
    arena_free(&suite.arena);
}

/* The object of one file: its version first, and why there is nothing else. */
static json_t *versioned(json_t *report, const char *path, const char *error)
{
    json_t *out = json_pack("{s:s}", "simtlab", PACKAGE_VERSION);

    if (report) {
        json_object_update(out, report);
        json_decref(report);
        return out;
    }
    json_t *words = json_string(error); /* NULL: it is not UTF-8 */
    json_object_set_new(out, "file", json_string(path));
    json_object_set_new(out, "verdict", json_string("error"));
    json_object_set_new(out, "error", words ? words : json_string("see standard error"));
    return out;
}

int litmus_command(const struct litmus_options *options, struct litmus_output *output)
{
    struct command k = {.options = options, .output = output};
    json_t *all = NULL;

    if (!set_up(&k))
        return 2;
    if (options->path_count > 1)
        all = json_array();
    for (size_t i = 0; i < options->path_count; i++) {
        if (i)
            text_putc(&output->out, '\n');
        k.json = NULL;
        size_t said = output->err.size;
        run_path(&k, options->paths[i]);
        k.json = versioned(k.json, options->paths[i], text_string(&output->err) + said);
        if (all)
            json_array_append_new(all, k.json);
    }
    json_t *json = all ? all : k.json; /* there is no file, or one, or more */
    char *dump = json ? json_dumps(json, JSON_INDENT(1) | JSON_PRESERVE_ORDER) : NULL;
    if (dump)
        text_printf(&output->json, "%s\n", dump);
    free(dump);
    json_decref(json);
    return k.status;
}

void litmus_list(struct text *out)
{
    for (uint32_t m = 0; model_at(m); m++) {
        const struct model *model = model_at(m);
        text_printf(out, "%s: %s\n  axioms\n", model->name, model->title);
        for (uint32_t i = 0; i < model->axiom_count; i++)
            text_printf(out, "    %-30s %s\n", model->axioms[i]->name,
                        model->axioms[i]->statement);
        if (model->family > FAMILY_PTX_60)
            continue;
        text_puts(out, "  rules, and what is lost --without them\n");
        for (uint32_t i = 0; i < INGREDIENT_COUNT; i++)
            if (model_has(model, (uint64_t)1 << i))
                text_printf(out, "    %-30s %s\n", ingredient_name(i), ingredient_loss(i));
    }
}
