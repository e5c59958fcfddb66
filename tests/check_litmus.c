/* SPDX-License-Identifier: Apache-2.0
 *
 * check_litmus.c - the library of litmus tests, the reports and the manual page.
 *
 * The verdicts that the files in examples/litmus expect were derived from the
 * rules of the PTX ISA before any of them was run; each file names its rule. */
#include "config.h"

#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "memmodel/analysis.h"
#include "memmodel/memmodel.h"
#include "memmodel/suite.h"

#define LIBRARY SIMTLAB_SOURCE_DIR "/examples/litmus"

static void free_output(struct litmus_output *output)
{
    text_free(&output->out);
    text_free(&output->err);
    text_free(&output->json);
    text_free(&output->picture);
    text_free(&output->histograms);
}

static int run(struct litmus_options options, const char *path,
               struct litmus_output *output)
{
    options.paths = &path;
    options.path_count = 1;
    memset(output, 0, sizeof *output);
    return litmus_command(&options, output);
}

/* --- the library --------------------------------------------------------------------- */

START_TEST(verdicts_are_as_the_rules_say)
{
    static const char *const models[] = {"ptx-7.5", "ptx-6.0", "sc", "tso"};
    struct litmus_output output;
    int status = run((struct litmus_options){.model = models[_i], .brief = true}, LIBRARY,
                     &output);

    ck_assert_msg(status == 0, "%s%s", text_string(&output.out), text_string(&output.err));
    free_output(&output);
}
END_TEST

/* Alone, a test that a model is too old for is refused; so is nothing silently
 * evaluated by rules that do not know its instructions. */
START_TEST(old_models_refuse_young_instructions)
{
    struct litmus_output output;

    ck_assert_int_eq(run((struct litmus_options){.model = "ptx-6.0"},
                         LIBRARY "/async/wait-all.litmus", &output), 2);
    ck_assert_ptr_nonnull(strstr(text_string(&output.err), "younger than model ptx-6.0"));
    free_output(&output);
}
END_TEST

START_TEST(the_list_agrees_with_the_files)
{
    struct suite files = {0}, list = {0};
    struct text err = {0};
    struct litmus_output output;

    ck_assert(suite_from_directory(&files, LIBRARY, &err));
    ck_assert(suite_from_list(&list, LIBRARY "/expected.csv", NULL, &err));
    ck_assert_uint_eq(files.count, list.count);
    ck_assert_uint_ge(files.count, 60);
    ck_assert_int_eq(run((struct litmus_options){.brief = true}, LIBRARY "/expected.csv",
                         &output), 0);
    free_output(&output);
    arena_free(&files.arena);
    arena_free(&list.arena);
    text_free(&err);
}
END_TEST

/* Every file says what it teaches and what the main model's verdict is. */
START_TEST(every_test_is_described)
{
    struct suite files = {0};
    struct text err = {0};

    ck_assert(suite_from_directory(&files, LIBRARY, &err));
    for (uint32_t i = 0; i < files.count; i++) {
        struct arena arena = {0};
        struct diags diags = {0};
        size_t size;
        const char *path = files.items[i].path;
        char *source = read_whole_file(&arena, path, &size, &err);
        struct test *test = test_read(&arena, &diags, path, source, size);
        ck_assert_msg(test != NULL, "%s", path);
        ck_assert_msg(strlen(test->description) > 20, "%s", path);
        const struct expectation *e = expectation_for(test, model_find("ptx-7.5"));
        ck_assert_msg(e && (e->has_race || e->outside || e->has_holds), "%s", path);
        const char *base = strrchr(path, '/') + 1;
        ck_assert_msg(!strncmp(base, test->name, strlen(test->name)), "%s is called %s",
                      base, test->name);
        arena_free(&arena);
    }
    arena_free(&files.arena);
    text_free(&err);
}
END_TEST

/* No test of the library needs a search anywhere near ten seconds: the steps
 * of the search are counted, since tests measure no time. */
START_TEST(searches_are_short)
{
    struct litmus_output output;

    ck_assert_int_eq(run((struct litmus_options){.brief = true, .limit = 20000}, LIBRARY,
                         &output), 0);
    free_output(&output);
    ck_assert_int_eq(run((struct litmus_options){.brief = true, .limit = 5000},
                         LIBRARY "/chains/five-threads.litmus", &output), 0);
    free_output(&output);
}
END_TEST

/* --- mutations --------------------------------------------------------------------------- */

static json_t *verdicts(const char *first, const char *second, const char *path)
{
    struct litmus_output output;
    struct litmus_options options = {.brief = true};
    json_error_t error;

    if (first)
        options.without[options.without_count++] = first;
    if (second)
        options.without[options.without_count++] = second;
    run(options, path, &output);
    json_t *json = json_loads(text_string(&output.json), 0, &error);
    ck_assert_msg(json != NULL, "%s", error.text);
    free_output(&output);
    return json;
}

static uint32_t changes(const char *first, const char *second)
{
    json_t *all = verdicts(NULL, NULL, LIBRARY), *less = verdicts(first, second, LIBRARY);
    json_t *a = json_object_get(all, "tests"), *b = json_object_get(less, "tests");
    uint32_t count = 0;

    ck_assert_uint_eq(json_array_size(a), json_array_size(b));
    for (size_t i = 0; i < json_array_size(a); i++)
        count += strcmp(json_string_value(json_object_get(json_array_get(a, i), "verdict")),
                        json_string_value(json_object_get(json_array_get(b, i), "verdict")))
                 != 0;
    json_decref(all);
    json_decref(less);
    return count;
}

/* Two axioms follow from the others, so that no verdict can depend on them; the
 * proofs are in docs/memory-model.md, section 4. */
static bool follows_from_others(const char *name)
{
    return !strcmp(name, axiom_fence_sc.name) || !strcmp(name, axiom_single_copy.name);
}

START_TEST(every_axiom_is_needed)
{
    const struct axiom *axiom = model_find("ptx-7.5")->axioms[_i];

    if (follows_from_others(axiom->name))
        ck_assert_uint_eq(changes(axiom->name, NULL), 0);
    else
        ck_assert_msg(changes(axiom->name, NULL) > 0, "%s", axiom->name);
}
END_TEST

START_TEST(every_rule_is_needed)
{
    ck_assert_msg(changes(ingredient_name((uint32_t)_i), NULL) > 0, "%s",
                  ingredient_name((uint32_t)_i));
}
END_TEST

/* Not only no verdict: no final state depends on them. */
START_TEST(implied_axioms_change_no_state)
{
    static const char *const implied[] = {"fence-sc", "single-copy"};
    const struct search_options search = {.bound = 2, .limit = 2000000};
    const struct model *whole = model_find("ptx-7.5");
    struct suite files = {.name = LIBRARY};
    struct text err = {0};
    struct model less = *whole;

    ck_assert(model_remove(&less, implied[_i]));
    ck_assert(suite_from_directory(&files, LIBRARY, &err));
    for (uint32_t i = 0; i < files.count; i++) {
        struct arena arena = {0};
        struct diags diags = {0};
        size_t size;
        char *source = read_whole_file(&arena, files.items[i].path, &size, &err);
        struct test *test = test_read(&arena, &diags, files.items[i].path, source, size);
        struct analysis *a = ARENA_NEW(&arena, struct analysis);
        struct analysis *b = ARENA_NEW(&arena, struct analysis);
        ck_assert_ptr_nonnull(test);
        analyse(&arena, test, whole, &search, a);
        analyse(&arena, test, &less, &search, b);
        ck_assert_msg(a->count == b->count, "%s", test->name);
        for (uint32_t s = 0; s < a->count; s++)
            ck_assert_msg(!memcmp(a->items[s].values, b->items[s].values,
                                  sizeof a->items[s].values), "%s", test->name);
        arena_free(&arena);
    }
    arena_free(&files.arena);
    text_free(&err);
}
END_TEST

/* What the redundant axioms still decide: which executions there are, and the
 * verdict once the axiom that implies them is gone too. */
START_TEST(implied_axioms_do_their_part)
{
    const char *fences = LIBRARY "/sc/fences-and-barrier.litmus";
    const char *torn = LIBRARY "/sizes/single-copy.litmus";
    json_t *with = verdicts(NULL, NULL, fences);
    json_t *without = verdicts(axiom_fence_sc.name, NULL, fences);

    ck_assert_int_gt(json_integer_value(json_object_get(without, "negative")),
                     json_integer_value(json_object_get(with, "negative")));
    json_decref(with);
    json_decref(without);
    with = verdicts(axiom_sc_per_location.name, NULL, torn);
    without = verdicts(axiom_sc_per_location.name, axiom_single_copy.name, torn);
    ck_assert(json_is_false(json_object_get(with, "holds")));
    ck_assert(json_is_true(json_object_get(without, "holds")));
    json_decref(with);
    json_decref(without);
}
END_TEST

/* --- reports ------------------------------------------------------------------------------- */

START_TEST(json_has_the_stable_names)
{
    struct litmus_output output;
    json_error_t error;

    ck_assert_int_eq(run((struct litmus_options){0}, LIBRARY "/mp/MP+weak.litmus", &output), 0);
    json_t *json = json_loads(text_string(&output.json), 0, &error);
    ck_assert_ptr_nonnull(json);
    ck_assert_str_eq(json_string_value(json_object_get(json, "test")), "MP+weak");
    ck_assert_str_eq(json_string_value(json_object_get(json, "kind")), "exists");
    ck_assert(json_is_true(json_object_get(json, "holds")));
    ck_assert(json_is_false(json_object_get(json, "outside_model")));
    ck_assert_uint_eq(json_array_size(json_object_get(json, "states")), 4);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "races")), 2);
    json_t *state = json_array_get(json_object_get(json, "states"), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(state, "P1:%r0")), 1);
    json_decref(json);
    free_output(&output);

    ck_assert_int_eq(run((struct litmus_options){0},
                         LIBRARY "/sizes/wide-write-narrow-reads.litmus", &output), 0);
    json = json_loads(text_string(&output.json), 0, &error);
    ck_assert(json_is_false(json_object_get(json, "holds")));
    ck_assert(json_is_true(json_object_get(json, "outside_model")));
    json_decref(json);
    free_output(&output);
}
END_TEST

static uint32_t occurrences(const char *text, const char *what)
{
    uint32_t count = 0;

    while ((text = strstr(text, what))) {
        count++;
        text += strlen(what);
    }
    return count;
}

START_TEST(pictures_are_complete_and_self_contained)
{
    static const char *const tests[] = {"/mp/MP+rel+acq.litmus", "/async/bulk-load.litmus",
                                        "/proxies/alias-mp.litmus", "/sc/IRIW+sc.litmus"};
    char path[sizeof LIBRARY + 80];

    snprintf(path, sizeof path, LIBRARY "%s", tests[_i]);

    for (enum litmus_show show = LITMUS_SHOW_DOT; show <= LITMUS_SHOW_HTML; show++) {
        struct litmus_output once, again;
        ck_assert_int_eq(run((struct litmus_options){.show = show}, path, &once), 0);
        ck_assert_int_eq(run((struct litmus_options){.show = show}, path, &again), 0);
        const char *picture = text_string(&once.picture);
        ck_assert_str_eq(picture, text_string(&again.picture));
        ck_assert_str_eq(text_string(&once.out), text_string(&again.out));
        ck_assert_uint_eq(occurrences(picture, "<g "), occurrences(picture, "</g>"));
        ck_assert_uint_eq(occurrences(picture, "<svg"), occurrences(picture, "</svg>"));
        ck_assert_uint_eq(occurrences(picture, "id=\"a-rf\""), show != LITMUS_SHOW_DOT);
        ck_assert_uint_eq(occurrences(picture, "src="), 0);
        ck_assert_uint_eq(occurrences(picture, "href="), 0);
        ck_assert_uint_eq(occurrences(picture, "{"), occurrences(picture, "}"));
        free_output(&once);
        free_output(&again);
    }
}
END_TEST

START_TEST(pages_open_with_the_outcome_asked_about)
{
    struct litmus_output output;

    run((struct litmus_options){.show = LITMUS_SHOW_HTML}, LIBRARY "/chains/five-threads.litmus",
        &output);
    const char *page = text_string(&output.picture);
    ck_assert_ptr_nonnull(strstr(page, "<option value=\"0\">forbidden: P1:%r0=1; P2:%r0=1; "
                                       "P3:%r0=1; P4:%r0=1; P4:%r1=0;</option>"));
    ck_assert_uint_eq(occurrences(page, "<option "), 40);
    ck_assert_ptr_nonnull(strstr(page, "8 more outcomes are not on this page"));
    free_output(&output);
    run((struct litmus_options){.show = LITMUS_SHOW_HTML}, LIBRARY "/mp/MP+weak.litmus", &output);
    page = text_string(&output.picture);
    ck_assert_ptr_nonnull(strstr(page, "<option value=\"0\">allowed: P1:%r0=1; P1:%r1=0;"));
    ck_assert_ptr_null(strstr(page, "not on this page"));
    free_output(&output);
}
END_TEST

START_TEST(repairs_forbid_the_outcome)
{
    struct litmus_output output;

    run((struct litmus_options){.repair = true}, LIBRARY "/mp/MP+rel+rlx.litmus", &output);
    ck_assert_ptr_nonnull(strstr(text_string(&output.out), "make it acquire.gpu: P1"));
    free_output(&output);
    run((struct litmus_options){.repair = true}, LIBRARY "/sb/SB+rlx.litmus", &output);
    ck_assert_uint_eq(occurrences(text_string(&output.out), "add fence.sc.gpu before"), 2);
    free_output(&output);
    run((struct litmus_options){.repair = true}, LIBRARY "/mp/MP+rel+acq.litmus", &output);
    ck_assert_ptr_nonnull(strstr(text_string(&output.out), "nothing: every order"));
    free_output(&output);
}
END_TEST

START_TEST(a_mismatch_and_a_malformed_file_have_their_status)
{
    struct litmus_output output;
    struct arena arena = {0};
    const char *list = "check_litmus.tmp.csv", *bad = "check_litmus.tmp.litmus";

    FILE *file = fopen(list, "w");
    fprintf(file, "# one right, one wrong\nmp/MP+weak.litmus,1\nmp/MP+rel+acq.litmus,1\n");
    fclose(file);
    ck_assert_int_eq(run((struct litmus_options){.root = LIBRARY}, list, &output), 1);
    ck_assert_ptr_nonnull(strstr(text_string(&output.out), "1 of 2 as expected"));
    free_output(&output);
    file = fopen(bad, "w");
    fprintf(file, "litmus bad\n.global .u32 x;\nthread P0 {\n  st.global.u32 [y], 1;\n}\n"
            "exists (x == 1)\n");
    fclose(file);
    ck_assert_int_eq(run((struct litmus_options){0}, bad, &output), 2);
    const char *want = ":4:18: error: there is no variable y\n"
                       "     4 |   st.global.u32 [y], 1;\n"
                       "       |                  ^\n";
    ck_assert_str_eq(text_string(&output.err) + strlen(bad), want);
    free_output(&output);
    ck_assert_int_eq(run((struct litmus_options){0}, "no-such-file", &output), 2);
    free_output(&output);
    ck_assert_int_eq(run((struct litmus_options){.model = "x86"}, bad, &output), 2);
    free_output(&output);
    ck_assert_int_eq(run((struct litmus_options){.limit = 3}, LIBRARY "/sc/IRIW+sc.litmus",
                         &output), 2);
    ck_assert_ptr_nonnull(strstr(text_string(&output.err), "no verdict after 3 steps"));
    free_output(&output);
    remove(list);
    remove(bad);
    arena_free(&arena);
}
END_TEST

/* --- generated tests -------------------------------------------------------------------------- */

START_TEST(cycles_make_the_classic_tests)
{
    /* Verdicts of the classic shapes, as in the library's own files. */
    static const struct {
        const char *cycle;
        bool allowed;
    } cases[] = {
        {"PodWW Rfe PodRR Fre", true},
        {"PodWW Rel Rfe Acq PodRR Fre", false},
        {"PodWW Rel.cta Rfe Acq.gpu PodRR Fre", true},
        {"PodWW Rel.cta Rfe.cta Acq.cta PodRR Fre.cta", false},
        {"Fence.sc.gpu.dWR Rlx Fre Rlx Fence.sc.gpu.dWR Rlx Fre Rlx", false},
        {"Fence.acq_rel.gpu.dWR Rlx Fre Rlx Fence.acq_rel.gpu.dWR Rlx Fre Rlx", true},
        {"PodRW Rlx Rfe Rlx PodRW Rlx Rfe Rlx", true},
        {"Rfe Rlx Fence.sc.gpu.dRR Rlx Fre Rlx Rfe Rlx Fence.sc.gpu.dRR Rlx Fre Rlx", false},
        {"Fence.sc.gpu.dWW Rlx Coe Rlx Fence.sc.gpu.dWW Rlx Coe Rlx", false},
        {"PodWW Rlx Coe Rlx PodWW Rlx Coe Rlx", true},
        {"PosRR Rlx Fre Rlx Rfe Rlx", false},
        {"PosRW Rlx Coe Rlx Rfe Rlx", false},
        {"PodWW Rel Coe Rlx Fence.sc.gpu.dWR Rlx Fre", true},
    };
    struct text test = {0}, err = {0};
    struct arena arena = {0};
    struct diags diags = {0};
    struct analysis *a = ARENA_NEW(&arena, struct analysis);
    const struct search_options options = {.bound = 2, .limit = 100000};

    ck_assert_msg(litmus_generate(cases[_i].cycle, "made", &test, &err) == 0, "%s",
                  text_string(&err));
    struct test *read = test_read(&arena, &diags, "made", text_string(&test), test.size);
    ck_assert_msg(read != NULL, "%s\n%s", text_string(&test),
                  diags.count ? diags.items[0].text : "");
    analyse(&arena, read, model_find("ptx-7.5"), &options, a);
    ck_assert_msg(a->holds == cases[_i].allowed, "%s", text_string(&test));
    /* A cycle is a cycle: sequential consistency always forbids it. */
    analyse(&arena, read, model_find("sc"), &options, a);
    ck_assert(!a->holds);
    arena_free(&arena);
    text_free(&test);
    text_free(&err);
}
END_TEST

START_TEST(bad_cycles_are_refused)
{
    static const char *const cycles[] = {
        "", "PodWW", "Rfe PodRR", "PodWW Rfe PodWR Fre", "PodXY Rfe", "Foo",
        "Acq PodWW", "PodWW Acq Rfe PodRR Fre", "PodWW Rfe.gpu PodRR Fre",
        "PodWW Rfe PosRR Fre", "Fence.sc.all.dWR Fre Fence.sc.gpu.dWR Fre"};
    struct text test = {0}, err = {0};

    ck_assert_int_eq(litmus_generate(cycles[_i], "bad", &test, &err), 2);
    ck_assert_uint_gt(err.size, 0);
    text_free(&test);
    text_free(&err);
}
END_TEST

SUITE("litmus", {
    LOOP_TEST(verdicts_are_as_the_rules_say, 0, 4);
    TEST(old_models_refuse_young_instructions);
    TEST(the_list_agrees_with_the_files);
    TEST(every_test_is_described);
    TEST(searches_are_short);
    LOOP_TEST(every_axiom_is_needed, 0, 7);
    LOOP_TEST(every_rule_is_needed, 0, INGREDIENT_COUNT);
    LOOP_TEST(implied_axioms_change_no_state, 0, 2);
    TEST(implied_axioms_do_their_part);
    TEST(json_has_the_stable_names);
    LOOP_TEST(pictures_are_complete_and_self_contained, 0, 4);
    TEST(pages_open_with_the_outcome_asked_about);
    TEST(repairs_forbid_the_outcome);
    TEST(a_mismatch_and_a_malformed_file_have_their_status);
    LOOP_TEST(cycles_make_the_classic_tests, 0, 13);
    LOOP_TEST(bad_cycles_are_refused, 0, 11);
})
