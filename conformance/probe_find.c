/* SPDX-License-Identifier: Apache-2.0
 *
 * probe_find.c - the first instruction that differs, from probes alone.
 *
 * Words hash all that an instruction gave, from the first time to the last; which one
 * differed first they do not say. But with only so many probes of each thread counted
 * nothing differs, and with one more something does: that one is found by halving. */
#include <inttypes.h>
#include <string.h>

#include "conformance/probe.h"

struct search {
    struct arena *arena;
    const struct side *sides[2];
    struct probes probes[2];
    struct text *out;
    uint64_t words;   /* slots * threads */
    uint64_t element; /* of the last run, the first word that differs, or words */
    uint64_t most;    /* probes that a thread met */
    bool failed;
};

static uint64_t word_of(const struct emulation *run, uint64_t index)
{
    uint64_t word;

    memcpy(&word, run->bytes[0] + index * sizeof word, sizeof word);
    return word;
}

static void look(struct search *s, const struct emulation runs[2])
{
    s->element = 0;
    while (s->element < s->words &&
           word_of(&runs[0], s->element) == word_of(&runs[1], s->element))
        s->element++;
    for (uint64_t t = 0; t < s->probes[0].threads; t++)
        for (int i = 0; i < 2; i++) {
            uint64_t met = word_of(&runs[i], s->words + t);
            s->most = met > s->most ? met : s->most;
        }
}

/* Whether something differs when no more than so many probes of a thread count. */
static bool differs(struct search *s, uint64_t limit)
{
    struct emulation runs[2];
    bool ran[2];

    for (int i = 0; i < 2; i++) {
        struct conform_case c = probes_case(s->arena, s->sides[i]->c, &s->probes[i], limit);
        ran[i] = emulate(&c, s->sides[i]->options, &runs[i]);
    }
    if (ran[0] && ran[1]) {
        look(s, runs);
    } else if (!s->failed) {
        s->failed = true;
        text_printf(s->out, "no first instruction is known: with probes, %s",
                    text_string(&runs[ran[0]].error));
    }
    emulation_free(&runs[0]);
    emulation_free(&runs[1]);
    return !s->failed && s->element < s->words;
}

/* Whether the instruction that differs is another one in each text. */
static bool write_first(struct text *out, const struct probes probes[2],
                        const struct side *const sides[2], uint64_t element)
{
    const struct recording_launch *launch = case_last_launch(sides[0]->c);
    uint64_t thread = element % probes[0].threads;
    uint64_t slot = element / probes[0].threads;
    uint64_t each = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t block = thread / each;

    thread %= each;
    text_printf(out, "the first instruction that differs, by probes: block "
                     "%" PRIu64 ",%" PRIu64 ",%" PRIu64 " thread %" PRIu64 ",%" PRIu64
                     ",%" PRIu64 "\n",
                block % launch->grid[0], block / launch->grid[0] % launch->grid[1],
                block / launch->grid[0] / launch->grid[1], thread % launch->block[0],
                thread / launch->block[0] % launch->block[1],
                thread / launch->block[0] / launch->block[1]);
    for (int i = 0; i < 2; i++) {
        const struct probe_slot *s = &probes[i].slot[slot];
        text_printf(out, "  %s: PTX line %u", sides[i]->name, s->text_line);
        if (s->line)
            text_printf(out, ", %s:%u", s->file, s->line);
        text_printf(out, ": %s\n", s->statement);
    }
    return strcmp(probes[0].slot[slot].statement, probes[1].slot[slot].statement) != 0;
}

bool probes_find(struct arena *arena, const struct side *left, const struct side *right,
                 struct text *out)
{
    struct search s = {.arena = arena, .sides = {left, right}, .out = out};
    uint64_t low = 0, high;

    for (int i = 0; i < 2; i++) {
        const char *wrong = probes_make(arena, s.sides[i]->c, &s.probes[i]);
        if (wrong) {
            text_printf(out, "no first instruction is known: %s\n", wrong);
            return false;
        }
    }
    if (s.probes[0].slots != s.probes[1].slots) {
        text_puts(out, "no first instruction is known: one text has more instructions\n");
        return false;
    }
    s.words = s.probes[0].slots * s.probes[0].threads;
    if (!differs(&s, PROBES_ALL)) {
        if (!s.failed)
            text_puts(out, "with probes in it, no instruction differs\n");
        return false;
    }
    for (high = s.most; low + 1 < high && !s.failed;) {
        uint64_t middle = low + (high - low) / 2;
        if (differs(&s, middle))
            high = middle;
        else
            low = middle;
    }
    if (s.failed)
        return false;
    /* Runs that differ each time, as with atomics, may not do so any more. */
    if (differs(&s, high))
        return write_first(out, s.probes, s.sides, s.element);
    if (!s.failed)
        text_puts(out, "no first instruction is known: with probes, runs differ by chance\n");
    return false;
}
