/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.c - see compare.h. */
#include "conformance/compare.h"

#include <inttypes.h>
#include <string.h>

struct compare {
    struct arena *arena;
    const struct conform_case *c;
    const struct known_entry *entry;
    struct emulation run;
    struct comparison result;
};

static void differ(struct compare *x, const char *message)
{
    if (x->result.same)
        x->result.message = message;
    x->result.same = false;
}

/* --- how it ended ------------------------------------------------------------------ */

/* Which findings stand for an error code of the driver. 0: any finding. */
static bool category_fits(int code, const char *category, const char *kind)
{
    bool memory = !strcmp(category, "memory");

    switch (code) {
    case 700: /* illegal address */
        return memory && strcmp(kind, "misaligned");
    case 710:
        return !strcmp(category, "assert");
    case 716:
        return memory && !strcmp(kind, "misaligned");
    case 715: /* illegal instruction: addresses and barrier counts that cannot be */
        return memory || !strcmp(category, "sync");
    case 717: /* address space */
    case 718: /* program counter */
        return memory;
    case 719: /* launch failure: trap, and what the runtime traps on */
        return memory || !strcmp(category, "trap") || !strcmp(category, "sync");
    default:
        return true;
    }
}

static const char *finding_words(struct compare *x)
{
    const sl_report *report = x->run.report;

    if (!sl_report_finding_count(report))
        return "ran to its end";
    return arena_printf(x->arena, "%s %s: %s",
                        sl_report_finding_text(report, 0, SL_FINDING_CATEGORY),
                        sl_report_finding_text(report, 0, SL_FINDING_KIND),
                        sl_report_finding_text(report, 0, SL_FINDING_MESSAGE));
}

static void compare_fault(struct compare *x)
{
    const struct recording_job *job = x->c->recorded;

    for (size_t i = 0; i < sl_report_finding_count(x->run.report); i++)
        if (category_fits(job->code,
                          sl_report_finding_text(x->run.report, i, SL_FINDING_CATEGORY),
                          sl_report_finding_text(x->run.report, i, SL_FINDING_KIND)))
            return;
    differ(x, arena_printf(x->arena, "recorded fault %d (%s); emulator: %s", job->code,
                           job->text, finding_words(x)));
}

static void compare_hang(struct compare *x)
{
    for (size_t i = 0; i < sl_report_finding_count(x->run.report); i++) {
        const char *category = sl_report_finding_text(x->run.report, i, SL_FINDING_CATEGORY);
        if (!strcmp(category, "timeout") || !strcmp(category, "sync"))
            return;
    }
    differ(x, arena_printf(x->arena, "recorded as never ending; emulator: %s",
                           finding_words(x)));
}

/* --- elements ------------------------------------------------------------------------- */

struct format {
    unsigned width, fraction;
};

static struct format format_of(enum element element)
{
    switch (element) {
    case ELEMENT_F16: return (struct format){16, 10};
    case ELEMENT_BF16: return (struct format){16, 7};
    case ELEMENT_F32: return (struct format){32, 23};
    default: return (struct format){64, 52};
    }
}

static void count_ulps(struct mismatch *m, enum element element, uint64_t a, uint64_t b)
{
    const struct format format = format_of(element);
    uint64_t sign = UINT64_C(1) << (format.width - 1);
    uint64_t infinity = (sign - 1) & ~((UINT64_C(1) << format.fraction) - 1);
    uint64_t left = a & (sign - 1), right = b & (sign - 1);
    unsigned class = 0;

    if (left > infinity || right > infinity) {
        m->nan++;
    } else if ((a ^ b) & sign) {
        m->other_sign++;
    } else {
        uint64_t distance = left > right ? left - right : right - left;
        while (class < ULP_CLASSES - 1 && distance > UINT64_C(1) << class)
            class++;
        m->ulps[class]++;
    }
}

static const char *value_words(struct arena *arena, enum element element, uint64_t bits)
{
    int digits = (int)(2 * element_size(element));

    if (element == ELEMENT_F32 || element == ELEMENT_F64) {
        uint32_t word = (uint32_t)bits;
        double number;
        float narrow;
        memcpy(&narrow, &word, sizeof narrow);
        memcpy(&number, &bits, sizeof number);
        return element == ELEMENT_F32
                   ? arena_printf(arena, "0x%0*" PRIx64 " (%.9g)", digits, bits, (double)narrow)
                   : arena_printf(arena, "0x%0*" PRIx64 " (%.17g)", digits, bits, number);
    }
    return arena_printf(arena, "0x%0*" PRIx64, digits, bits);
}

static const char *output_words(struct arena *arena, const struct recording_output *output)
{
    if (output->source == RECORDED_GLOBAL)
        return arena_printf(arena, "variable %s", output->name);
    return arena_printf(arena, "argument %u", output->argument);
}

static void compare_output(struct compare *x, uint32_t item)
{
    const struct recording_output *output = &x->c->recorded->items[item];
    unsigned step = element_size(output->element);
    struct mismatch m = {.output = output, .item = item,
                         .is_float = element_is_float(output->element)};

    if (x->run.sizes[item] != output->count * step) {
        differ(x, arena_printf(x->arena, "%s has %" PRIu64 " bytes, recorded %" PRIu64,
                               output_words(x->arena, output), x->run.sizes[item],
                               output->count * step));
        return;
    }
    for (uint64_t i = 0; i < output->count; i++) {
        uint64_t expected = element_load(output->element, output->bytes + i * step);
        uint64_t actual = element_load(output->element, x->run.bytes[item] + i * step);
        if (expected == actual || (output->source == RECORDED_ARGUMENT &&
                                   known_ignores(x->entry, output->argument, i)))
            continue;
        if (!m.differing++) {
            m.element = i;
            m.expected = expected;
            m.actual = actual;
        }
        if (m.is_float)
            count_ulps(&m, output->element, expected, actual);
    }
    if (!m.differing)
        return;
    if (!x->result.outputs_differing++)
        x->result.first = m;
    differ(x, arena_printf(x->arena,
                           "%s, %s[%" PRIu64 "], element %" PRIu64 ": recorded %s, emulator "
                           "%s; %" PRIu64 " differ",
                           output_words(x->arena, output), element_name(output->element),
                           output->count, m.element,
                           value_words(x->arena, output->element, m.expected),
                           value_words(x->arena, output->element, m.actual), m.differing));
}

/* --- printed text ------------------------------------------------------------------------ */

/* The line that byte `at` is in, without what a terminal would act upon. */
static const char *line_words(struct arena *arena, const char *text, size_t size, size_t at)
{
    enum { SHOWN = 60 };
    size_t start = at, end = at;

    while (start && text[start - 1] != '\n')
        start--;
    while (end < size && text[end] != '\n')
        end++;
    if (start >= end)
        return "an empty line";
    char *copy = arena_copy(arena, text + start, end - start < SHOWN ? end - start : SHOWN);
    for (char *c = copy; c < copy + (end - start < SHOWN ? end - start : SHOWN); c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
    return arena_printf(arena, "'%s'", copy);
}

static void compare_text(struct compare *x, const char *expected, size_t expected_size)
{
    const char *actual = text_string(&x->run.printed);
    size_t actual_size = x->run.printed.size, at = 0;
    unsigned line = 1;

    for (; at < expected_size && at < actual_size && expected[at] == actual[at]; at++)
        line += expected[at] == '\n';
    if (at == expected_size && at == actual_size)
        return;
    differ(x, arena_printf(x->arena, "printed text, line %u: recorded %s, emulator %s", line,
                           at < expected_size ? line_words(x->arena, expected, expected_size, at)
                                              : "no more",
                           at < actual_size ? line_words(x->arena, actual, actual_size, at)
                                            : "no more"));
}

/* --- together ------------------------------------------------------------------------------ */

static void compare_outputs(struct compare *x)
{
    const struct recording_job *job = x->c->recorded;
    const char *text = "";
    size_t text_size = 0;

    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].source == RECORDED_PRINTF) {
            text = (const char *)job->items[i].bytes;
            text_size = (size_t)job->items[i].count;
        } else {
            compare_output(x, i);
        }
    if (!known_ignores_text(x->entry))
        compare_text(x, text, text_size);
}

/* Runs once more to see who wrote the first element that differs. */
static void find_writer(struct compare *x, const struct emulate_options *options)
{
    struct mismatch *m = &x->result.first;
    unsigned step = element_size(m->output->element);
    struct emulate_options again = *options;
    struct emulation run;
    struct writer writer;

    writer_begin(&writer, x->run.addresses[m->item] + m->element * step, step);
    again.observer = &writer.observer;
    if (emulate(x->c, &again, &run) && writer.found) {
        m->has_writer = true;
        memcpy(m->block, writer.block, sizeof m->block);
        memcpy(m->thread, writer.thread, sizeof m->thread);
        m->text_line = writer.text_line;
        m->file = writer.file ? arena_strdup(x->arena, writer.file) : NULL;
        m->line = writer.line;
    }
    emulation_free(&run);
}

struct comparison case_compare(struct arena *arena, const struct conform_case *c,
                               const struct known_entry *entry,
                               const struct emulate_options *options)
{
    struct compare x = {.arena = arena, .c = c, .entry = entry, .result = {.same = true}};
    const struct recording_job *job = c->recorded;
    bool ran = emulate(c, options, &x.run);

    if (!ran) {
        const char *why = text_string(&x.run.error);
        if (job->end != RECORDING_REFUSED)
            differ(&x, arena_printf(arena, "recorded %s; the emulator could not run it: %.*s",
                                    recording_end_name(job->end), (int)strcspn(why, "\n"), why));
    } else if (job->end == RECORDING_REFUSED) {
        differ(&x, arena_printf(arena, "recorded as refused (%s); emulator: %s", job->text,
                                finding_words(&x)));
    } else if (job->end == RECORDING_FAULT) {
        compare_fault(&x);
    } else if (job->end == RECORDING_TIMEOUT) {
        compare_hang(&x);
    } else if (sl_report_problems(x.run.report)) {
        differ(&x, arena_printf(arena, "recorded ok; emulator: %s", finding_words(&x)));
    } else {
        compare_outputs(&x);
        if (x.result.outputs_differing)
            find_writer(&x, options);
    }
    emulation_free(&x.run);
    return x.result;
}
