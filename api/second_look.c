/* SPDX-License-Identifier: Apache-2.0
 *
 * second_look.c - see second_look.h. */
#include "api/second_look.h"

#include <simtlab/simtlab.h>

#include "check/checker.h"
#include "check/journal.h"

static bool exchanges(const struct ir_module *module)
{
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].inst_count; i++)
            if (race_is_exchange(module->functions[f].insts[i].op))
                return true;
    return false;
}

/* What functions of the host do, a second run cannot repeat. */
static bool calls_host(const struct image *image)
{
    for (uint32_t f = 0; f < image->module->function_count; f++)
        if (image->host_functions[f])
            return true;
    return false;
}

struct observer *second_look_journal(const struct launch *launch, unsigned checks)
{
    if (!(checks & SL_CHECK_RACE) || !exchanges(launch->image->module) ||
        calls_host(launch->image))
        return NULL;
    return journal_new();
}

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

void second_look(struct launch *launch, struct observer *journal, struct findings *findings)
{
    struct findings seen = {.arena = findings->arena, .limit = findings->limit};
    struct observer *observers[3];
    struct launch again = *launch;
    struct launch_result result = {0};
    const char *error;

    if (!journal || !journal_complete(journal) || !has_raced(findings))
        return;
    race_second_look_new(observers);
    again.observers = observers;
    again.observer_count = 2;
    again.print = print_nothing;
    if (launch->weak)
        again.weak = weak_memory_new(launch->seed, &observers[again.observer_count++]);
    journal_swap(journal);
    bool ran = launch_run(&again, &seen, &result, &error);
    journal_swap(journal);
    journal_drop_new(journal);
    if (again.weak)
        weak_memory_free(again.weak);
    race_checker_free(observers[1]);
    race_checker_free(observers[0]);
    if (ran)
        replace_races(findings, &seen);
}
