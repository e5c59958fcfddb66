/* SPDX-License-Identifier: Apache-2.0
 *
 * check_report.c - reports made from findings written by hand: verdicts, the
 * line that stands for inlined code, and what is left out. */
#include "tests/suite.h"

#include <string.h>

#include "api/report.h"

/* k.cu:9 calls fetch of lib.h (inlined), line 20 of which calls deep, line 7. */
static const char text[] = "kir 1\n"
                           "address_bits 64\n"
                           "file 1 \"k.cu\"\n"
                           "file 2 \"lib.h\"\n"
                           "inline 1 \"_Z5fetchPKf\" 1:9:3\n"
                           "inline 2 \"deep\" 2:20:1@1\n"
                           "inline 3 \"_Z6helperv\" 1:9:3\n"
                           "kernel visible @k {\n"
                           "    reg b32 %a\n"
                           "^entry:\n"
                           "    %a = mov.b32 1 !1:5:1\n"
                           "    %a = mov.b32 2 !2:7:4@2\n"
                           "    %a = mov.b32 3 !1:30:2@3\n"
                           "    %a = mov.b32 4\n"
                           "    ret !1:10:1\n"
                           "}\n";

struct fixture {
    struct arena arena;
    struct sl_context *context;
    struct sl_module *module;
    struct launch launch;
    struct findings findings;
    struct launch_result result;
};

static void open_fixture(struct fixture *f)
{
    *f = (struct fixture){.result = {.completed = true, .warp_instructions = 5}};
    ck_assert_int_eq(sl_context_create(NULL, &f->context), SL_OK);
    ck_assert_msg(sl_module_load(f->context, SL_FORMAT_KIR, "k.kir", text, sizeof text - 1,
                                 &f->module) == SL_OK, "%s", sl_context_error(f->context));
    f->launch = (struct launch){.image = f->module->image, .grid = {1, 1, 1},
                                .block = {32, 1, 1}, .profile = f->context->profile};
    f->findings.arena = &f->arena;
}

static void close_fixture(struct fixture *f, struct sl_report *report)
{
    sl_report_destroy(report);
    sl_context_destroy(f->context);
    arena_free(&f->arena);
}

static struct finding finding_at(const struct fixture *f, enum finding_severity severity,
                                 uint32_t inst)
{
    struct finding finding = {.category = FINDING_RACE, .kind = "write-write",
                              .severity = severity, .where_count = 1};

    finding.where[0] = (struct finding_place){
        .module = f->module->ir, .function = &f->module->ir->functions[0], .inst = inst,
        .has_thread = true, .thread = {inst, 0, 0}, .access = FINDING_WRITE};
    return finding;
}

static struct sl_report *build(struct fixture *f)
{
    return report_build(&f->module->kernels[0], &f->launch, &f->findings, &f->result);
}

/* Severity info alone leaves a run clean, unless strict. */
START_TEST(verdicts)
{
    struct fixture f;

    open_fixture(&f);
    struct sl_report *report = build(&f);
    ck_assert_str_eq(report_verdict(report), "clean");
    sl_report_destroy(report);
    struct finding info = finding_at(&f, FINDING_INFO, 0);
    findings_add(&f.findings, &info, "the same value twice");
    report = build(&f);
    ck_assert_str_eq(report_verdict(report), "clean");
    ck_assert_uint_eq(sl_report_problems(report), 0);
    ck_assert_uint_eq(sl_report_finding_count(report), 1);
    ck_assert_ptr_nonnull(strstr(sl_report_json(report), "\"verdict\": \"clean\""));
    sl_report_set_strict(report, 1);
    ck_assert_str_eq(report_verdict(report), "findings");
    ck_assert_ptr_nonnull(strstr(sl_report_json(report), "\"verdict\": \"findings\""));
    sl_report_destroy(report);
    struct finding warning = finding_at(&f, FINDING_WARNING, 3);
    findings_add(&f.findings, &warning, "odd");
    report = build(&f);
    ck_assert_uint_eq(sl_report_problems(report), 1);
    close_fixture(&f, report);
}
END_TEST

static const struct {
    uint32_t inst;
    const char *file;
    uint64_t line;
    const char *json; /* NULL: no source */
} places[] = {
    {0, "k.cu", 5, "{\"file\": \"k.cu\", \"line\": 5, \"ptx_line\": 11, "},
    /* Code of another file is named by the line of the kernel's that called it. */
    {1, "k.cu", 9, "\"inlined\": [{\"file\": \"lib.h\", \"line\": 7}, "
                   "{\"file\": \"lib.h\", \"line\": 20}, {\"file\": \"k.cu\", \"line\": 9}]}"},
    /* Inlined from the same file: the innermost line. */
    {2, "k.cu", 30, "\"inlined\": [{\"file\": \"k.cu\", \"line\": 30}, "
                    "{\"file\": \"k.cu\", \"line\": 9}]}"},
    /* What is not known is left out. */
    {3, "", 0, "\"where\": [{\"ptx_line\": 14, \"block\": [0, 0, 0], \"thread\": [3, 0, 0], "
               "\"access\": \"write\", \"instruction\": \"%a = mov.b32 4\"}]"},
};

START_TEST(the_line_that_counts)
{
    struct fixture f;

    open_fixture(&f);
    struct finding finding = finding_at(&f, FINDING_ERROR, places[_i].inst);
    findings_add(&f.findings, &finding, "it happened");
    struct sl_report *report = build(&f);
    ck_assert_str_eq(sl_report_place_text(report, 0, 0, SL_PLACE_FILE), places[_i].file);
    ck_assert_uint_eq(sl_report_place_number(report, 0, 0, SL_PLACE_LINE), places[_i].line);
    ck_assert_msg(strstr(sl_report_json(report), places[_i].json) != NULL, "%s",
                  sl_report_json(report));
    close_fixture(&f, report);
}
END_TEST

START_TEST(inlined_chain_for_people)
{
    struct fixture f;

    open_fixture(&f);
    struct finding finding = finding_at(&f, FINDING_ERROR, 1);
    findings_add(&f.findings, &finding, "it happened");
    findings_add(&f.findings, &finding, "it happened");
    struct sl_report *report = build(&f);
    ck_assert_str_eq(sl_report_text(report),
                     "error: race: write-write: it happened\n"
                     "  kernel  k\n"
                     "  who     block (0,0,0), thread (1,0,0), write\n"
                     "  code    %a = mov.b32 2   (k.kir:12)\n"
                     "  source  k.cu:9\n"
                     "  inlined deep at lib.h:7 into lib.h:20\n"
                     "  inlined fetch(float const*) at lib.h:20 into k.cu:9\n"
                     "  count   2 times, the first is shown\n"
                     "\n"
                     "k: grid 1,1,1, block 32,1,1, 5 warp instructions, 1 finding\n");
    close_fixture(&f, report);
}
END_TEST

START_TEST(too_many_and_unfinished)
{
    struct fixture f;

    open_fixture(&f);
    f.findings.limit = 1;
    f.result.completed = false;
    struct finding first = finding_at(&f, FINDING_ERROR, 0);
    struct finding second = finding_at(&f, FINDING_ERROR, 1);
    first.where_count = 0;
    findings_add(&f.findings, &first, "a");
    findings_add(&f.findings, &second, "b");
    struct sl_report *report = build(&f);
    ck_assert(!sl_report_completed(report));
    ck_assert_str_eq(sl_report_text(report),
                     "error: race: write-write: a\n"
                     "  kernel  k\n"
                     "\n"
                     "1 more distinct findings were not kept\n"
                     "k: grid 1,1,1, block 32,1,1, 5 warp instructions, 1 finding\n"
                     "the launch did not come to its end; results are partial\n");
    ck_assert_str_eq(
        sl_report_json(report),
        "{\"simtlab\": \"0.1.0\", \"file\": \"k.kir\", \"kernel\": \"k\", \"grid\": [1, 1, 1], "
        "\"block\": [32, 1, 1], \"target\": \"sm_90\", \"seed\": 0, \"verdict\": \"findings\", "
        "\"findings_dropped\": 1,\n"
        " \"findings\": [\n"
        "  {\"category\": \"race\", \"kind\": \"write-write\", \"severity\": \"error\", "
        "\"message\": \"a\", \"count\": 1, \"where\": []}]}\n");
    close_fixture(&f, report);
}
END_TEST

/* Names that are not UTF-8 do not spoil the report. */
START_TEST(odd_names)
{
    static const uint32_t one[3] = {1, 1, 1};
    struct sl_report *report =
        report_error("a\xff\"b.ptx", NULL, "sm_90", one, one, 3, "broken\n");

    ck_assert_str_eq(sl_report_json(report),
                     "{\"simtlab\": \"0.1.0\", \"file\": \"a?\\\"b.ptx\", \"kernel\": \"\", "
                     "\"grid\": [1, 1, 1], \"block\": [1, 1, 1], \"target\": \"sm_90\", "
                     "\"seed\": 3, \"verdict\": \"error\", \"error\": \"broken\\n\",\n"
                     " \"findings\": []}\n");
    ck_assert_str_eq(sl_report_text(report), "simtlab: broken\n");
    sl_report_destroy(report);
}
END_TEST

SUITE("report", {
    TEST(verdicts);
    LOOP_TEST(the_line_that_counts, 0, (int)(sizeof places / sizeof *places));
    TEST(inlined_chain_for_people);
    TEST(too_many_and_unfinished);
    TEST(odd_names);
})
