/* SPDX-License-Identifier: Apache-2.0
 *
 * second_look.c - see second_look.h. */
#include "api/second_look.h"

#include <simtlab/simtlab.h>

#include <string.h>

#include "check/checker.h"
#include "check/garbage.h"
#include "check/journal.h"

/* Runs with other bits where nobody has set any. */
enum { GARBAGE_RUNS = 2 };

/* --- what can be run again ---------------------------------------------------------------- */

/* May a second look at races see more than the first one? */
static bool may_order(const struct ir_module *module)
{
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].inst_count; i++)
            if (race_is_exchange(module->functions[f].insts[i].op) ||
                race_is_sc_fence(&module->functions[f].insts[i]))
                return true;
    return false;
}

/* What functions of the host do, another run cannot repeat. */
static bool calls_host(const struct image *image)
{
    for (uint32_t f = 0; f < image->module->function_count; f++)
        if (image->host_functions[f])
            return true;
    return false;
}

static bool uses_heap(const struct ir_module *module)
{
    for (uint32_t f = 0; f < module->function_count; f++)
        if (!strcmp(module->functions[f].name, "malloc") ||
            !strcmp(module->functions[f].name, "free"))
            return true;
    return false;
}

struct observer *second_look_journal(const struct launch *launch, unsigned checks)
{
    bool wanted = (checks & SL_CHECK_INIT) ||
                  ((checks & SL_CHECK_RACE) && may_order(launch->image->module));

    return wanted && !calls_host(launch->image) ? journal_new() : NULL;
}

/* --- races ----------------------------------------------------------------------------------- */

static bool is_race(const struct finding *finding)
{
    return finding->category == FINDING_RACE;
}

static bool has_raced(const struct findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_race(&findings->items[i]) && findings->items[i].severity == FINDING_ERROR)
            return true;
    return false;
}

/* The races of `seen` stand where the first of the others stood. */
static void replace_races(struct findings *findings, const struct findings *seen)
{
    struct findings all = {.arena = findings->arena, .limit = findings->limit,
                           .dropped = findings->dropped};
    bool placed = false;

    for (uint32_t i = 0; i < findings->count; i++) {
        if (!is_race(&findings->items[i])) {
            *ARENA_PUSH(all.arena, &all) = findings->items[i];
            continue;
        }
        for (uint32_t k = 0; !placed && k < seen->count; k++)
            if (is_race(&seen->items[k]))
                *ARENA_PUSH(all.arena, &all) = seen->items[k];
        placed = true;
    }
    *findings = all;
}

static void print_nothing(void *self, const char *data, size_t size)
{
}

/* Runs the launch again with the observers; garbage as for journal_rewind. */
static bool run_again(const struct launch *launch, struct observer *journal, uint64_t garbage,
                      struct observer *const *observers, uint32_t count, uint64_t max_steps,
                      struct findings *seen)
{
    struct observer *all[5] = {journal};
    struct launch again = *launch;
    struct launch_result result = {0};
    const char *error;

    for (again.observer_count = 1; count--;)
        all[again.observer_count++] = *observers++;
    again.observers = all;
    again.print = print_nothing;
    again.max_steps = max_steps;
    if (launch->weak)
        again.weak = weak_memory_new(launch->seed, &all[again.observer_count++]);
    journal_rewind(journal, garbage);
    bool ran = launch_run(&again, seen, &result, &error);
    journal_forward(journal);
    if (again.weak)
        weak_memory_free(again.weak);
    return ran;
}

static void look_at_races(const struct launch *launch, struct observer *journal,
                          struct findings *findings)
{
    struct findings seen = {.arena = findings->arena, .limit = findings->limit};
    struct observer *observers[2];

    race_second_look_new(observers);
    if (run_again(launch, journal, 0, observers, 2, launch->max_steps, &seen))
        replace_races(findings, &seen);
    race_checker_free(observers[1]);
    race_checker_free(observers[0]);
}

/* --- undefined bits ------------------------------------------------------------------------ */

/* May other bits clear the finding? A branch has two ways only, and what an atomic works on
 * is not in its operands. */
static bool is_doubtful(const struct finding *finding)
{
    return finding->category == FINDING_INIT && finding->severity == FINDING_ERROR &&
           strcmp(finding->kind, "uninitialised-branch") != 0 &&
           strcmp(finding->kind, "uninitialised-atomic") != 0;
}

static bool has_doubtful(const struct findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_doubtful(&findings->items[i]))
            return true;
    return false;
}

static bool same_use(const struct finding *a, const struct finding *b)
{
    return a->category == b->category && !strcmp(a->kind, b->kind) && a->count == b->count &&
           a->digest == b->digest && a->where_count == b->where_count &&
           a->where[0].function == b->where[0].function && a->where[0].inst == b->where[0].inst;
}

static bool came_again(const struct findings *seen, const struct finding *finding)
{
    for (uint32_t i = 0; i < seen->count; i++)
        if (same_use(&seen->items[i], finding))
            return true;
    return false;
}

static void look_at_bits(const struct launch *launch, struct observer *journal,
                         struct findings *findings, const struct launch_result *result)
{
    struct findings seen[GARBAGE_RUNS];
    uint64_t most = 2 * result->warp_instructions + 1000;

    for (unsigned run = 0; run < GARBAGE_RUNS; run++) {
        uint64_t seed = 1 + run;
        seen[run] = (struct findings){.arena = findings->arena, .limit = findings->limit};
        struct observer *observers[2] = {garbage_new(seed), init_checker_new(true, false)};
        bool ran = run_again(launch, journal, seed, observers, 2, most, &seen[run]);
        garbage_free(observers[0]);
        init_checker_free(observers[1]);
        if (!ran)
            return;
    }
    for (uint32_t i = 0; i < findings->count; i++) {
        struct finding *finding = &findings->items[i];
        bool same = is_doubtful(finding);
        for (unsigned run = 0; same && run < GARBAGE_RUNS; run++)
            same = came_again(&seen[run], finding);
        if (!same)
            continue;
        finding->severity = FINDING_WARNING;
        finding->message = arena_printf(
            findings->arena, "%s; what it came to was the same in runs with other bits there",
            finding->message);
    }
}

void second_look(const struct launch *launch, struct observer *journal, unsigned checks,
                 struct findings *findings, const struct launch_result *result)
{
    if (!journal || !journal_complete(journal))
        return;
    if (has_raced(findings) && may_order(launch->image->module))
        look_at_races(launch, journal, findings);
    if ((checks & SL_CHECK_INIT) && has_doubtful(findings) &&
        !uses_heap(launch->image->module))
        look_at_bits(launch, journal, findings, result);
}
