/* SPDX-License-Identifier: Apache-2.0
 *
 * check_memmodel.c - relations, expressions, readers and small verdicts.
 *
 * Expected verdicts follow from the PTX ISA, chapter "Memory Consistency
 * Model"; each test names the rule. */
#include "suite.h"

#include <string.h>

#include "memmodel/analysis.h"
#include "memmodel/memmodel.h"
#include "memmodel/suite.h"

static struct arena arena;
static struct diags diags;

static struct test *read(const char *source)
{
    memset(&diags, 0, sizeof diags);
    return test_read(&arena, &diags, "t.litmus", source, strlen(source));
}

static const struct analysis *ask(const char *source, const char *model)
{
    const struct search_options options = {.bound = 2, .limit = 1000000};
    struct analysis *a = ARENA_NEW(&arena, struct analysis);
    struct test *test = read(source);

    ck_assert_msg(test != NULL, "%s", diags.count ? diags.items[0].text : "?");
    analyse(&arena, test, model_find(model), &options, a);
    ck_assert_msg(!a->search.problem, "%s", a->search.problem);
    ck_assert(!a->search.gave_up);
    return a;
}

START_TEST(relations_compose_and_close)
{
    struct relation r = {{0}};

    relate(&r, 0, 1);
    relate(&r, 1, 2);
    ck_assert(relates(&(struct relation){{relation_compose(&r, &r).row[0]}}, 0, 2));
    ck_assert(relation_acyclic(&r, 3));
    relation_close(&r, 3);
    ck_assert(relates(&r, 0, 2));
    relation_close_pair(&r, 3, 2, 0);
    ck_assert(!relation_irreflexive(&r, 3));
    ck_assert_uint_eq(relation_count(&r, 3), 9);
}
END_TEST

START_TEST(expressions_fold_and_evaluate)
{
    struct expression_pool pool = {.arena = &arena};
    int64_t value = 0, values[MAX_EVENTS] = {[5] = 7};
    uint32_t one = expression_constant(&pool, -1, 8);
    uint32_t sum = expression_make(&pool, OP_ADD, 8, 8, one, one, NO_EXPRESSION);

    ck_assert(expression_is_constant(&pool, sum, &value));
    ck_assert_int_eq(value, 0xfe);
    uint32_t read = expression_read(&pool, 2, 32);
    uint32_t same = expression_make(&pool, OP_XOR, 32, 32, read, read, NO_EXPRESSION);
    ck_assert(!expression_value(&pool, same, 3, 0, values, &value));
    ck_assert(expression_value(&pool, same, 3, set_of(5), values, &value));
    ck_assert_int_eq(value, 0);
    ck_assert_uint_eq(pool.items[same].reads, set_of(2));
    pool.drops_false_dependencies = true;
    same = expression_make(&pool, OP_XOR, 32, 32, read, read, NO_EXPRESSION);
    ck_assert_uint_eq(pool.items[same].reads, 0);
}
END_TEST

/* A value that doubles its own tree a hundred times must not hang. */
START_TEST(huge_expressions_are_refused)
{
    struct text source = {0};
    const struct search_options options = {.bound = 2, .limit = 1000};
    struct analysis *a = ARENA_NEW(&arena, struct analysis);

    text_puts(&source, "litmus big\n.global .u32 x;\nthread P0 {\nld.global.u32 %r0, [x];\n");
    for (int i = 0; i < 100; i++)
        text_puts(&source, "add.u32 %r0, %r0, %r0;\n");
    text_puts(&source, "}\nexists (P0:%r0 == 0)\n");
    analyse(&arena, read(text_string(&source)), model_find("ptx-7.5"), &options, a);
    ck_assert_ptr_nonnull(a->search.problem);
    text_free(&source);
}
END_TEST

static const char mp[] =
    "PTX MP \"a description\"\n{ x=0; y=0; }\n"
    " P0@cta 0,gpu 0      | P1@cta 1,gpu 0         ;\n"
    " st.weak x, 1        | ld.%s.gpu r0, y       ;\n"
    " st.release.gpu y, 1 | ld.weak r1, x          ;\n"
    "exists (P1:r0 == 1 /\\ 1:r1 = 0)\n";

START_TEST(message_passing)
{
    struct text relaxed = {0}, acquire = {0};

    text_printf(&relaxed, mp, "relaxed");
    text_printf(&acquire, mp, "acquire");
    /* Without an acquire there is no acquire pattern. */
    ck_assert(ask(text_string(&relaxed), "ptx-7.5")->holds);
    ck_assert(!ask(text_string(&acquire), "ptx-7.5")->holds);
    ck_assert(!ask(text_string(&acquire), "ptx-6.0")->holds);
    ck_assert(!ask(text_string(&relaxed), "sc")->holds);
    ck_assert(!ask(text_string(&relaxed), "tso")->holds);
    ck_assert_uint_eq(ask(text_string(&acquire), "ptx-7.5")->count, 3);
    ck_assert_str_eq(read(text_string(&relaxed))->description, "a description");
    text_free(&relaxed);
    text_free(&acquire);
}
END_TEST

/* SB: the one weak outcome of a store buffer. */
START_TEST(store_buffering_separates_the_contrast_models)
{
    const char *sb = "litmus SB\n.global .u32 x; .global .u32 y;\n"
                     "thread P0 @ cta 0 { st.relaxed.gpu.global.u32 [x], 1;"
                     " ld.relaxed.gpu.global.u32 %r0, [y]; }\n"
                     "thread P1 @ cta 1 { st.relaxed.gpu.global.u32 [y], 1;"
                     " ld.relaxed.gpu.global.u32 %r0, [x]; }\n"
                     "exists (P0:%r0 == 0 /\\ P1:%r0 == 0)\n";

    ck_assert(ask(sb, "ptx-7.5")->holds);
    ck_assert(ask(sb, "tso")->holds);
    ck_assert(!ask(sb, "sc")->holds);
}
END_TEST

START_TEST(errors_name_their_place)
{
    static const struct {
        const char *source;
        uint32_t line, column;
    } cases[] = {
        {"", 1, 1},
        {"PTX t\n{ x=0; \n", 3, 1},
        {"PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak 7, x ;\nexists (x==0)", 4, 10},
        {"PTX t\n{ }\n P0@cta 0,gpu 0 ;\n st.acquire.gpu x, 1 ;\nexists (x==0)", 4, 5},
        {"PTX t\n{ }\n P0@cta 0,gpu 0 ;\n goto LC01 ;\nexists (x==0)", 4, 7},
        {"PTX t\n{ }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P7:r0==0)", 5, 9},
        {"litmus t\n.global .u32 x;\nthread P0 {\n  st.global.u32 [y], 1;\n}\n"
         "exists (x == 1)", 4, 18},
        {"litmus t\n.global .u32 x;\nthread P0 {\n  ld.relaxed.global.u32 %r0, [x];\n}\n"
         "exists (x == 1)", 4, 3},
        {"litmus t\n.global .u64 x;\nthread P0 {\n  ld.global.u64 %r0, [x];\n}\n"
         "exists (x == 1)", 4, 17},
        {"litmus t\n.global .u32 x;\nthread P0 {\n  frob.u32 %r0;\n}\nexists (x == 1)", 4, 3},
        {"litmus t\n.global .u32 x;\nthread P0 {\n  st.global.u32.foo [x], 1;\n}\n"
         "exists (x == 1)", 4, 17},
        {"litmus t\n.global .u32 x;\nthread P0 {\n  bar.warp.sync 2;\n}\nexists (x == 1)", 4, 17},
        {"litmus t\n.shared .u32 x @ cta 1;\nthread P0 {\n  st.shared.u32 [x], 1;\n}\n"
         "exists (x == 1)", 4, 18},
        {"litmus t\n.global .u32 x;\nthread P0 { st.global.u32 [x], 1; }\nexists (x ! 1)", 4, 11},
    };

    const char *source = cases[_i].source;
    ck_assert_ptr_null(read(source));
    ck_assert_uint_ge(diags.count, 1);
    ck_assert_msg(diags.items[0].at.line == cases[_i].line &&
                      diags.items[0].at.column == cases[_i].column,
                  "case %d: %u:%u: %s", _i, diags.items[0].at.line,
                  diags.items[0].at.column, diags.items[0].text);
}
END_TEST

/* Any prefix of a file and any file with a damaged byte is read or refused,
 * never more. */
START_TEST(damaged_files_are_refused_gracefully)
{
    static const char source[] =
        "// about\n//! expect ptx-7.5: holds\nlitmus t.1\n.global .u64 x[2] = {1, 2};\n"
        ".shared .mbarrier b = 2 @ cta 0;\n.alias y = x;\n"
        "thread P0 @ cta 0, warp 0, lane 3 {\n.reg .pred %q;\n"
        "L: ld.acquire.gpu.global.v2.u64 {%rd0, %rd1}, [x];\n"
        "setp.ne.u64 %q, %rd0, 0;\n@!%q bra L;\nmbarrier.arrive.shared.b64 _, [b];\n"
        "bar.sync 0, 32; red.add.global.u64 [x+8], -5; }\n"
        "locations [x[0]; P0:%rd0] exists (~(x[1] == 2) \\/ P0:%rd1 != 0x10)\n";

    ck_assert_msg(read(source) != NULL, "%s", diags.count ? diags.items[0].text : "?");
    for (size_t size = 0; size < sizeof source - 1; size++) {
        char *part = arena_copy(&arena, source, size);
        read(part);
    }
    for (size_t at = 0; at < sizeof source - 1; at++)
        for (const char *c = ";(%\n\"9\xff"; *c; c++) {
            char *bad = arena_copy(&arena, source, sizeof source - 1);
            bad[at] = *c;
            read(bad);
        }
    arena_free(&arena);
}
END_TEST

/* --- the search against itself without shortcuts ---------------------------------- */

struct replay {
    const struct analysis *analysis;
    uint32_t unknown; /* states that the pruned search has not */
    bool *seen;
};

static void note_state(void *self, const int64_t *values)
{
    struct replay *r = self;
    const struct analysis *a = r->analysis;

    for (uint32_t i = 0; i < a->count; i++)
        if (!memcmp(a->items[i].values, values, sizeof a->items[i].values)) {
            r->seen[i] = true;
            return;
        }
    r->unknown++;
}

static bool replay_execution(void *self, const struct candidate *c,
                             const struct execution *x)
{
    struct replay *r = self;

    if (!broken_axioms(c, x, 0))
        final_states(r->analysis, c, x, note_state, self);
    return true;
}

/* With every axiom allowed to break nothing is cut, and writes are put in any
 * order; the executions that break none must give the same states. */
START_TEST(cutting_the_search_loses_nothing)
{
    struct suite files = {0};
    struct text err = {0};
    uint32_t compared = 0;

    ck_assert(suite_from_directory(&files, SIMTLAB_SOURCE_DIR "/examples/litmus", &err));
    for (uint32_t i = 0; i < files.count; i++) {
        struct search_options options = {.bound = 1, .limit = 50000};
        struct search_result result;
        struct analysis *a = ARENA_NEW(&arena, struct analysis);
        size_t size;
        const char *source = read_whole_file(&arena, files.items[i].path, &size, &err);
        memset(&diags, 0, sizeof diags);
        struct test *test = test_read(&arena, &diags, files.items[i].path, source, size);
        analyse(&arena, test, model_find("ptx-7.5"), &options, a);
        struct replay replay = {.analysis = a,
                                .seen = ARENA_NEW_ARRAY(&arena, a->count + 1, bool)};
        options.broken_axioms = MAX_AXIOMS;
        search_executions(&arena, test, model_find("ptx-7.5"), &options, replay_execution,
                          &replay, &result);
        if (!result.gave_up) {
            compared++;
            ck_assert_msg(!replay.unknown, "%s", files.items[i].path);
            for (uint32_t s = 0; s < a->count; s++)
                ck_assert_msg(replay.seen[s], "%s", files.items[i].path);
        }
        arena_free(&arena);
    }
    ck_assert_uint_gt(compared, files.count * 9 / 10);
    arena_free(&files.arena);
    text_free(&err);
}
END_TEST

/* Increments by n threads, twice each: one execution for every order of all. */
START_TEST(atomics_take_their_turns)
{
    struct text source = {0};

    text_puts(&source, "litmus turns\n.global .u32 x;\n");
    for (int t = 0; t < 3; t++)
        text_printf(&source, "thread P%d @ cta %d { atom.global.add.u32 %%r0, [x], 1; "
                    "atom.global.add.u32 %%r1, [x], 1; }\n", t, t);
    text_puts(&source, "forall (x == 6)\n");
    const struct analysis *a = ask(text_string(&source), "ptx-7.5");
    ck_assert(a->holds);
    ck_assert_uint_eq(a->positive, 90); /* 6! / (2! 2! 2!) */
    text_free(&source);
}
END_TEST

SUITE("memmodel", {
    TEST(cutting_the_search_loses_nothing);
    TEST(atomics_take_their_turns);
    TEST(relations_compose_and_close);
    TEST(expressions_fold_and_evaluate);
    TEST(huge_expressions_are_refused);
    TEST(message_passing);
    TEST(store_buffering_separates_the_contrast_models);
    LOOP_TEST(errors_name_their_place, 0, 14);
    TEST(damaged_files_are_refused_gracefully);
})
