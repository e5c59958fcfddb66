/* SPDX-License-Identifier: Apache-2.0
 *
 * check_race_traces.c - what the race checker says of random kernels, against all the races
 * of the same run by the letter of the model (tests/race_oracle.h).
 *
 * RACE_SEEDS=FIRST:LAST takes other kernels, RACE_SHOW=1 shows what differs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check/checker.h"
#include "frontend/ptx/ptx.h"
#include "tests/race_oracle.h"
#include "tests/race_random.h"
#include "tests/suite.h"

/* Words with races of which none is reported: in `covered` ones a write in between hides the
 * earlier access of each from the later one. */
struct tally {
    uint64_t kernels, racy, racy_words, missed, covered, false_alarms, first_only;
};

/* --- one launch --------------------------------------------------------------------------- */

struct run {
    struct arena arena;
    struct findings findings, again; /* of the first and of the second look */
    struct oracle oracle;
    struct random_kernel kernel;
    const struct ir_module *module;
};

static void launch_kernel(struct run *run, uint64_t schedule, struct observer *const *observers,
                          uint32_t count, struct findings *findings)
{
    const struct random_kernel *k = &run->kernel;
    struct memory *memory = memory_new(64);
    struct allocation *buffer = memory_allocate(memory, 1024, 256, ALLOCATION_BUFFER, "b");
    const char *error = NULL;
    struct image *image = image_load(memory, run->module, &error);
    ck_assert_ptr_nonnull(image);
    struct launch launch = {
        .image = image,
        .grid = {k->blocks, 1, 1},
        .block = {k->threads, 1, 1},
        .cluster = {k->cluster, 1, 1},
        .parameters = (const unsigned char *)&buffer->address,
        .parameter_bytes = 8,
        .profile = profile_default(),
        .seed = schedule,
        .observers = observers,
        .observer_count = count,
    };
    struct launch_result result;
    findings->arena = &run->arena;
    ck_assert_msg(launch_run(&launch, findings, &result, &error), "%s", error);
    image_free(image);
    memory_free(memory);
}

static void run_kernel(struct run *run, uint64_t schedule)
{
    struct random_kernel *k = &run->kernel;
    struct diags diags = {.arena = &run->arena, .name = "random.ptx",
                          .source = text_string(&k->ptx), .source_size = k->ptx.size};

    run->module = ptx_read(&run->arena, "random.ptx", diags.source, diags.source_size, &diags);
    if (!run->module) {
        struct text out = {0};
        diag_print(&out, &diags);
        ck_abort_msg("%s%s", text_string(&k->ptx), text_string(&out));
    }
    oracle_start(&run->oracle, k->blocks, k->threads, k->cluster);
    struct observer *race = race_checker_new();
    struct observer *const observers[] = {&run->oracle.observer, race};
    launch_kernel(run, schedule, observers, 2, &run->findings);
    race_checker_free(race);
    oracle_solve(&run->oracle);
}

/* The second look knows what values force upon SC fences. */
static void run_again(struct run *run, uint64_t schedule)
{
    struct observer *observers[2];

    race_second_look_new(observers);
    launch_kernel(run, schedule, observers, 2, &run->again);
    race_checker_free(observers[1]);
    race_checker_free(observers[0]);
    oracle_force_fences(&run->oracle);
}

static void end_run(struct run *run)
{
    oracle_end(&run->oracle);
    text_free(&run->kernel.ptx);
    arena_free(&run->arena);
}

/* --- comparing ------------------------------------------------------------------------------ */

static uint32_t thread_at(const struct run *run, const struct finding_place *place)
{
    return place->block[0] * run->oracle.warps * LANES + place->thread[0];
}

static const struct ir_inst *inst_at(const struct finding_place *place)
{
    return &place->function->insts[place->inst];
}

static bool is_at(const struct run *run, const struct action *action,
                  const struct finding_place *place)
{
    return action->kind == ACTION_ACCESS && action->inst == inst_at(place) &&
           action->thread == thread_at(run, place);
}

/* Is what the finding says a race of the run? */
static bool is_right(const struct run *run, const struct finding *finding)
{
    const struct action *actions = run->oracle.actions.items;

    for (uint32_t a = 0; a < run->oracle.actions.count; a++)
        for (uint32_t b = 0; is_at(run, &actions[a], &finding->where[0]) &&
                             b < run->oracle.actions.count; b++)
            if (is_at(run, &actions[b], &finding->where[1]) && oracle_race(&run->oracle, a, b))
                return true;
    return false;
}

static bool is_reported(const struct run *run, uint32_t a, uint32_t b)
{
    const struct ir_inst *one = run->oracle.actions.items[a].inst;
    const struct ir_inst *other = run->oracle.actions.items[b].inst;

    for (uint32_t i = 0; i < run->findings.count; i++) {
        const struct finding *f = &run->findings.items[i];
        if (f->category != FINDING_RACE)
            continue;
        const struct ir_inst *x = inst_at(&f->where[0]), *y = inst_at(&f->where[1]);
        if ((x == one && y == other) || (x == other && y == one))
            return true;
    }
    return false;
}

static const char *line_of(const struct run *run, const struct action *a, char text[80])
{
    const struct ir_location *at = &run->module->locations[a->inst->loc];
    const char *line = text_string(&run->kernel.ptx);

    for (uint32_t n = 1; n < at->at.line; n++)
        line = strchr(line, '\n') + 1;
    snprintf(text, 80, "%u:%.*s (thread %u)", at->at.line, (int)strcspn(line, "\n"), line, a->thread);
    return text;
}

/* The races of one word: one at least must have been reported. */
static void look_at_word(struct run *run, uint64_t place, uint64_t word, struct tally *tally,
                         bool show)
{
    const struct oracle *o = &run->oracle;
    uint32_t touching[4096], count = 0, pairs = 0;
    bool covered = true;
    struct edge example = {0, 0};

    for (uint32_t i = 0; i < o->actions.count; i++) {
        const struct action *a = &o->actions.items[i];
        if (a->kind == ACTION_ACCESS && a->place == place && a->offset < word * 4 + 4 &&
            a->offset + a->size > word * 4 && count < 4096)
            touching[count++] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (oracle_race(o, touching[k], touching[i])) {
                if (!pairs++) {
                    tally->racy_words++;
                    example = (struct edge){touching[k], touching[i]};
                }
                if (covered && !oracle_covered(o, touching[k], touching[i])) {
                    covered = false;
                    example = (struct edge){touching[k], touching[i]};
                }
                if (is_reported(run, touching[k], touching[i]))
                    return;
            }
    if (!pairs)
        return;
    tally->missed += !covered;
    tally->covered += covered;
    if (show) {
        char one[80], other[80];
        printf("  missed%s: %s - %s\n", covered ? " (covered)" : "",
               line_of(run, &o->actions.items[example.from], one),
               line_of(run, &o->actions.items[example.to], other));
    }
}

static uint64_t false_alarms(const struct run *run, const struct findings *findings, bool show)
{
    uint64_t wrong = 0;

    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->items[i];
        if (f->category != FINDING_RACE || is_right(run, f))
            continue;
        wrong++;
        if (show)
            printf("  false alarm: %s\n", f->message);
    }
    return wrong;
}

static void compare(struct run *run, uint64_t schedule, struct tally *tally, bool show)
{
    const struct oracle *o = &run->oracle;
    uint64_t racy = tally->racy_words;

    tally->kernels++;
    tally->false_alarms += false_alarms(run, &run->findings, show);
    for (uint32_t i = 0; i < o->actions.count; i++) {
        const struct action *a = &o->actions.items[i];
        bool first = a->kind == ACTION_ACCESS;
        for (uint32_t k = 0; first && k < i; k++) {
            const struct action *b = &o->actions.items[k];
            first = b->kind != ACTION_ACCESS || b->place != a->place ||
                    b->offset / 4 != a->offset / 4;
        }
        if (first)
            look_at_word(run, a->place, a->offset / 4, tally, show);
    }
    tally->racy += tally->racy_words > racy;
    if (!run->findings.count || !run->oracle.fences)
        return;
    run_again(run, schedule);
    tally->first_only += false_alarms(run, &run->findings, false);
    tally->false_alarms += false_alarms(run, &run->again, show);
}

static void compare_all(void generate(struct random_kernel *, uint64_t), uint64_t first,
                        uint64_t last, struct tally *tally)
{
    bool show = getenv("RACE_SHOW") != NULL;

    for (uint64_t seed = first; seed < last; seed++) {
        struct run run = {0};
        uint64_t schedule = seed % 2 ? seed : 0;
        generate(&run.kernel, seed);
        run_kernel(&run, schedule);
        if (show)
            printf("seed %" PRIu64 "\n", seed);
        compare(&run, schedule, tally, show);
        if (show && last - first == 1)
            printf("%s", text_string(&run.kernel.ptx));
        end_run(&run);
    }
    printf("%" PRIu64 " kernels, %" PRIu64 " with races, in %" PRIu64 " words; %" PRIu64
           " words missed, %" PRIu64 " more where the races are covered; %" PRIu64
           " false alarms, %" PRIu64 " more before the second look\n",
           tally->kernels, tally->racy, tally->racy_words, tally->missed, tally->covered,
           tally->false_alarms, tally->first_only);
    ck_assert_uint_eq(tally->false_alarms, 0);
    ck_assert_uint_le(tally->missed * 1000, tally->racy_words);
}

static void seeds(uint64_t *first, uint64_t *last)
{
    const char *given = getenv("RACE_SEEDS");

    if (given)
        ck_assert_int_eq(sscanf(given, "%" SCNu64 ":%" SCNu64, first, last), 2);
}

START_TEST(threads_apart)
{
    struct tally tally = {0};
    uint64_t first = 1, last = 4000;

    seeds(&first, &last);
    compare_all(random_litmus, first, last, &tally);
}
END_TEST

START_TEST(whole_warps)
{
    struct tally tally = {0};
    uint64_t first = 1, last = 1500;

    seeds(&first, &last);
    compare_all(random_warps, first, last, &tally);
}
END_TEST

SUITE("race traces", {
    TEST(threads_apart);
    TEST(whole_warps);
})
