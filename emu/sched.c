/* SPDX-License-Identifier: Apache-2.0
 *
 * sched.c - see sched.h; and what is said when nothing can go on. */
#include "emu/sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emu/block.h"

/* Warp instructions during which every thread only polled and no memory changed
 * before the launch is given up: nothing can change any more by then, unless a
 * thread counts its attempts. */
#define NO_PROGRESS_STEPS (UINT64_C(1) << 26)

/* Blocks that wait for their start, a window of which a seed picks from. */
enum { START_WINDOW = 64 };

struct schedule {
    struct launch_state *state;
    struct unit **active; /* resident, in the order of their next turn */
    uint64_t active_count, resident_limit;
    uint64_t unit_count, next;
    uint64_t window[START_WINDOW];
    uint32_t window_count;
};

static bool more_to_start(const struct schedule *schedule)
{
    return schedule->next < schedule->unit_count || schedule->window_count;
}

static struct unit *start_next(struct schedule *schedule)
{
    struct launch_state *state = schedule->state;

    if (!schedule_is_free(state) && !schedule->window_count)
        return unit_start(state, schedule->next++);
    while (schedule->window_count < START_WINDOW && schedule->next < schedule->unit_count)
        schedule->window[schedule->window_count++] = schedule->next++;
    uint32_t i = (uint32_t)(schedule_random(state) % schedule->window_count);
    uint64_t n = schedule->window[i];
    schedule->window[i] = schedule->window[--schedule->window_count];
    return unit_start(state, n);
}

/* --- giving up -------------------------------------------------------------------------- */

static const char *stands(const struct fragment *fragment)
{
    switch (fragment->state) {
    case FRAGMENT_SYNC: return "waiting for lanes of the member mask";
    case FRAGMENT_BARRIER: return "at a block barrier";
    case FRAGMENT_CLUSTER: return "at the cluster barrier";
    default: return "in a loop";
    }
}

static void add_place(struct finding *finding, const struct warp *warp,
                      const struct fragment *fragment, uint64_t *threads)
{
    const struct program *program = fragment->frame->program;
    uint32_t pc = fragment->pc < 0 ? program->count - 1 : (uint32_t)fragment->pc;
    uint32_t inst = program->code[pc].inst;
    unsigned lane = lane_first(fragment->mask);

    for (uint32_t i = 0; i < finding->where_count; i++)
        if (finding->where[i].function == program->function && finding->where[i].inst == inst) {
            threads[i] += (uint32_t)__builtin_popcount(fragment->mask);
            return;
        }
    if (finding->where_count == FINDING_PLACES)
        return;
    threads[finding->where_count] = (uint32_t)__builtin_popcount(fragment->mask);
    struct finding_place *place = &finding->where[finding->where_count++];
    *place = (struct finding_place){
        .module = warp->block->state->executable->image->module,
        .function = program->function, .inst = inst, .has_thread = true,
        .thread = {warp->tid[0][lane], warp->tid[1][lane], warp->tid[2][lane]}};
    memcpy(place->block, warp->block->index, sizeof place->block);
}

/* One finding that names where the threads of the launch stand. */
static void give_up(struct schedule *schedule, enum finding_category category,
                    const char *kind, const char *why)
{
    struct finding finding = {.category = category, .kind = kind,
                              .severity = FINDING_ERROR};
    uint64_t threads[FINDING_PLACES] = {0};
    struct text text = {0};
    const struct fragment *first[FINDING_PLACES] = {0};

    for (uint64_t u = 0; u < schedule->active_count; u++)
        for (uint32_t b = 0; b < schedule->active[u]->count; b++) {
            const struct block *block = schedule->active[u]->blocks[b];
            for (uint32_t w = 0; w < block->warp_count; w++)
                FOR_FRAGMENTS(f, &block->warps[w])
                {
                    const struct fragment *fragment = &block->warps[w].fragments[f];
                    uint32_t before = finding.where_count;
                    if (fragment->state == FRAGMENT_PARKED)
                        continue;
                    add_place(&finding, &block->warps[w], fragment, threads);
                    if (finding.where_count > before)
                        first[before] = fragment;
                }
        }
    for (uint32_t i = 0; i < finding.where_count; i++)
        text_printf(&text, "%s%llu thread%s %s", i ? "; " : "",
                    (unsigned long long)threads[i], threads[i] == 1 ? "" : "s",
                    stands(first[i]));
    findings_add(schedule->state->findings, &finding, "%s: %s", why, text_string(&text));
    text_free(&text);
}

/* Without a seed, at once. With one, blocks also go on while others have not yet
 * started, unless they may be waiting for those. */
static bool starts_now(const struct schedule *schedule, uint64_t idle, uint64_t polling)
{
    return !schedule_is_free(schedule->state) || schedule->active_count < 2 || idle || polling ||
           schedule_random(schedule->state) % 4 == 0;
}

/* --- the loop ------------------------------------------------------------------------------ */

void schedule(struct launch_state *state)
{
    const struct profile *profile = state->launch->profile;
    struct schedule s = {.state = state,
                         .unit_count = state->block_count / state->cluster_size};
    uint64_t blocks = (uint64_t)profile->multiprocessors *
                      profile_resident_blocks(profile, state->block_threads,
                                              state->shared_total);
    uint64_t idle = 0;     /* units in a row that could not run */
    uint64_t polling = 0;  /* steps since something other than polling was done */
    uint64_t changes = 0;

    s.resident_limit = blocks / state->cluster_size;
    if (!s.resident_limit)
        s.resident_limit = 1;
    if (s.resident_limit > s.unit_count)
        s.resident_limit = s.unit_count;
    s.active = calloc(s.resident_limit + 1, sizeof *s.active);
    if (!s.active)
        out_of_memory(0);
    uint64_t turn_of = 0;
    while (!state->stop && (s.active_count || more_to_start(&s))) {
        /* A new unit runs next; else the active ones take turns. */
        if (more_to_start(&s) && s.active_count < s.resident_limit &&
            starts_now(&s, idle, polling)) {
            turn_of = s.active_count;
            s.active[s.active_count++] = start_next(&s);
        } else if (turn_of >= s.active_count) {
            turn_of = 0;
        }
        uint64_t before = state->steps;
        enum turn turn = unit_turn(state, s.active[turn_of]);
        if (state->stop)
            break;
        if (turn == TURN_FINISHED) {
            unit_end(state, s.active[turn_of]);
            s.active_count--;
            memmove(&s.active[turn_of], &s.active[turn_of + 1],
                    (s.active_count - turn_of) * sizeof *s.active);
            idle = polling = 0;
            continue;
        }
        turn_of++;
        idle = turn == TURN_BLOCKED ? idle + 1 : 0;
        if (turn == TURN_YIELDED || state->changes != changes)
            polling = 0;
        else
            polling += state->steps - before;
        changes = state->changes;
        bool all_resident = !more_to_start(&s) || s.active_count >= s.resident_limit;
        if (idle >= s.active_count && all_resident) {
            give_up(&s, FINDING_SYNC, "deadlock", "deadlock, no thread can go on");
            break;
        }
        if (polling > NO_PROGRESS_STEPS && all_resident) {
            give_up(&s, FINDING_TIMEOUT, "no-progress",
                    "no progress, every thread repeats itself and no memory changes");
            break;
        }
    }
    if (state->stop && state->steps >= state->max_steps)
        give_up(&s, FINDING_TIMEOUT, "step-limit", "step limit reached (--max-steps)");
    state->result->completed = !s.active_count && !more_to_start(&s);
    while (s.active_count)
        unit_end(state, s.active[--s.active_count]);
    free(s.active);
}
