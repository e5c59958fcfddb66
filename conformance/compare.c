/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.c - see compare.h. */
#include "conformance/compare.h"

#include <inttypes.h>
#include <string.h>

struct compare {
    struct arena *arena;
    const struct recording_job *job; /* whose outputs are compared */
    const struct known_entry *entry;
    const char *left_name, *right_name;
    const struct emulation *left;    /* NULL: what the job holds */
    const struct emulation *right;
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
    const sl_report *report = x->right->report;

    if (!sl_report_finding_count(report))
        return "ran to its end";
    return arena_printf(x->arena, "%s %s: %s",
                        sl_report_finding_text(report, 0, SL_FINDING_CATEGORY),
                        sl_report_finding_text(report, 0, SL_FINDING_KIND),
                        sl_report_finding_text(report, 0, SL_FINDING_MESSAGE));
}

static void compare_fault(struct compare *x)
{
    const struct recording_job *job = x->job;

    for (size_t i = 0; i < sl_report_finding_count(x->right->report); i++)
        if (category_fits(job->code,
                          sl_report_finding_text(x->right->report, i, SL_FINDING_CATEGORY),
                          sl_report_finding_text(x->right->report, i, SL_FINDING_KIND)))
            return;
    differ(x, arena_printf(x->arena, "%s fault %d (%s); %s: %s", x->left_name, job->code,
                           job->text, x->right_name, finding_words(x)));
}

static void compare_hang(struct compare *x)
{
    for (size_t i = 0; i < sl_report_finding_count(x->right->report); i++) {
        const char *category = sl_report_finding_text(x->right->report, i, SL_FINDING_CATEGORY);
        if (!strcmp(category, "timeout") || !strcmp(category, "sync"))
            return;
    }
    differ(x, arena_printf(x->arena, "%s as never ending; %s: %s", x->left_name,
                           x->right_name, finding_words(x)));
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
    const struct recording_output *output = &x->job->items[item];
    const unsigned char *left = x->left ? x->left->bytes[item] : output->bytes;
    uint64_t left_size = x->left ? x->left->sizes[item]
                                 : output->count * element_size(output->element);
    unsigned step = element_size(output->element);
    struct mismatch m = {.output = output, .item = item,
                         .is_float = element_is_float(output->element)};

    if (x->right->sizes[item] != left_size) {
        differ(x, arena_printf(x->arena, "%s: %s %" PRIu64 " bytes, %s %" PRIu64,
                               output_words(x->arena, output), x->left_name, left_size,
                               x->right_name, x->right->sizes[item]));
        return;
    }
    m.count = left_size / step;
    for (uint64_t i = 0; i < m.count; i++) {
        uint64_t expected = element_load(output->element, left + i * step);
        uint64_t actual = element_load(output->element, x->right->bytes[item] + i * step);
        if (expected == actual || (output->source == RECORDED_ARGUMENT &&
                                   known_ignores(x->entry, output->argument, i)))
            continue;
        if (!m.differing++) {
            m.element = i;
            m.expected = expected;
            m.actual = actual;
        }
        m.strip[m.count < STRIP_CELLS ? i : i * STRIP_CELLS / m.count]++;
        if (m.is_float)
            count_ulps(&m, output->element, expected, actual);
    }
    *ARENA_PUSH(x->arena, &x->result) = m;
    if (!m.differing)
        return;
    if (!x->result.outputs_differing++)
        x->result.first = m;
    differ(x, arena_printf(x->arena,
                           "%s, %s[%" PRIu64 "], element %" PRIu64 ": %s %s, %s %s; %" PRIu64
                           " differ",
                           output_words(x->arena, output), element_name(output->element),
                           m.count, m.element, x->left_name,
                           value_words(x->arena, output->element, m.expected), x->right_name,
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
    const char *actual = text_string(&x->right->printed);
    size_t actual_size = x->right->printed.size, at = 0;
    unsigned line = 1;

    for (; at < expected_size && at < actual_size && expected[at] == actual[at]; at++)
        line += expected[at] == '\n';
    if (at == expected_size && at == actual_size)
        return;
    differ(x, arena_printf(x->arena, "printed text, line %u: %s %s, %s %s", line, x->left_name,
                           at < expected_size ? line_words(x->arena, expected, expected_size, at)
                                              : "no more",
                           x->right_name,
                           at < actual_size ? line_words(x->arena, actual, actual_size, at)
                                            : "no more"));
}

/* --- together ------------------------------------------------------------------------------ */

static void compare_outputs(struct compare *x)
{
    const struct recording_job *job = x->job;
    const char *text = x->left ? text_string(&x->left->printed) : "";
    size_t text_size = x->left ? x->left->printed.size : 0;

    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].source != RECORDED_PRINTF) {
            compare_output(x, i);
        } else if (!x->left) {
            text = (const char *)job->items[i].bytes;
            text_size = (size_t)job->items[i].count;
        }
    if (!known_ignores_text(x->entry))
        compare_text(x, text, text_size);
}

struct writer_place side_writer(struct arena *arena, const struct side *side,
                                const struct mismatch *m)
{
    struct writer_place place = {0};
    unsigned step = element_size(m->output->element);
    struct emulate_options again = *side->options;
    struct emulation run;
    struct writer writer;

    if (side->run->on_gpu)
        return place;
    writer_begin(&writer, side->run->addresses[m->item] + m->element * step, step);
    again.observer = &writer.observer;
    if (emulate(side->c, &again, &run) && writer.found) {
        place.found = true;
        memcpy(place.block, writer.block, sizeof place.block);
        memcpy(place.thread, writer.thread, sizeof place.thread);
        place.text_line = writer.text_line;
        place.file = writer.file ? arena_strdup(arena, writer.file) : NULL;
        place.line = writer.line;
    }
    emulation_free(&run);
    return place;
}

struct comparison sides_compare(struct arena *arena, const struct side *left,
                                const struct side *right)
{
    struct compare x = {.arena = arena, .job = left->c->recorded, .left_name = left->name,
                        .right_name = right->name, .left = left->run, .right = right->run,
                        .result = {.same = true}};
    size_t problems = sl_report_problems(left->run->report);

    if (problems || sl_report_problems(right->run->report)) {
        struct compare other = x;
        other.right = left->run;
        differ(&x, arena_printf(arena, "%s: %s; %s: %s", x.left_name, finding_words(&other),
                                x.right_name, finding_words(&x)));
        return x.result;
    }
    compare_outputs(&x);
    return x.result;
}

static const struct recording_output *printed(const struct recording_job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].source == RECORDED_PRINTF)
            return &job->items[i];
    return NULL;
}

/* Its outputs as a run would have them; those of the other in the order of this one. */
static const char *as_run(struct arena *arena, const struct recording_job *job,
                          const struct recording_job *order, struct emulation *run)
{
    const struct recording_output *text = printed(job);

    if (job->count - !!text != order->count - !!printed(order))
        return "they hold different outputs";
    if (text)
        text_add(&run->printed, (const char *)text->bytes, (size_t)text->count);
    run->bytes = ARENA_NEW_ARRAY(arena, order->count, const unsigned char *);
    run->sizes = ARENA_NEW_ARRAY(arena, order->count, uint64_t);
    for (uint32_t i = 0; i < order->count; i++) {
        const struct recording_output *wanted = &order->items[i], *found = NULL;
        for (uint32_t k = 0; k < job->count; k++)
            if (job->items[k].source == wanted->source &&
                job->items[k].argument == wanted->argument &&
                !strcmp(job->items[k].name, wanted->name) &&
                job->items[k].element == wanted->element)
                found = &job->items[k];
        if (wanted->source == RECORDED_PRINTF)
            continue;
        if (!found)
            return arena_printf(arena, "%s is in one recording only",
                                output_words(arena, wanted));
        run->bytes[i] = found->bytes;
        run->sizes[i] = found->count * element_size(found->element);
    }
    return NULL;
}

/* "ok", "fault 700 (an illegal memory access ...)" */
static const char *end_words(struct arena *arena, const struct recording_job *job)
{
    return job->end == RECORDING_OK
               ? "ok"
               : arena_printf(arena, "%s %d (%s)", recording_end_name(job->end), job->code,
                              job->text);
}

struct comparison recordings_compare(struct arena *arena, const struct recording_job *left,
                                     const struct recording_job *right,
                                     const struct known_entry *entry,
                                     const char *const names[2])
{
    struct emulation run = {.on_gpu = false};
    struct compare x = {.arena = arena, .job = left, .entry = entry,
                        .left_name = names ? names[0] : "left",
                        .right_name = names ? names[1] : "right",
                        .right = &run, .result = {.same = true}};

    if (left->end != right->end || (left->end == RECORDING_FAULT && left->code != right->code)) {
        differ(&x, arena_printf(arena, "%s %s; %s %s", x.left_name, end_words(arena, left),
                                x.right_name, end_words(arena, right)));
        return x.result;
    }
    if (left->end == RECORDING_OK) {
        const char *wrong = as_run(arena, right, left, &run);
        if (wrong)
            differ(&x, wrong);
        else
            compare_outputs(&x);
    }
    text_free(&run.printed);
    return x.result;
}

struct comparison case_compare(struct arena *arena, const struct conform_case *c,
                               const struct known_entry *entry,
                               const struct emulate_options *options, const char *left)
{
    const struct recording_job *job = c->recorded;
    struct emulation run;
    struct compare x = {.arena = arena, .job = job, .entry = entry,
                        .left_name = left ? left : "recorded",
                        .right_name = executor_words(options), .right = &run,
                        .result = {.same = true}};
    bool ran = emulate(c, options, &run);

    if (!ran) {
        const char *why = text_string(&run.error);
        if (job->end != RECORDING_REFUSED)
            differ(&x, arena_printf(arena, "%s %s; the %s could not run it: %.*s",
                                    x.left_name, recording_end_name(job->end), x.right_name,
                                    (int)strcspn(why, "\n"), why));
    } else if (job->end == RECORDING_REFUSED) {
        differ(&x, arena_printf(arena, "%s as refused (%s); %s: %s", x.left_name, job->text,
                                x.right_name, finding_words(&x)));
    } else if (job->end == RECORDING_FAULT) {
        compare_fault(&x);
    } else if (job->end == RECORDING_LOST) { /* now: recordings of that are left out */
        differ(&x, arena_printf(arena, "%s %s", x.left_name, end_words(arena, job)));
    } else if (job->end == RECORDING_TIMEOUT) {
        compare_hang(&x);
    } else if (sl_report_problems(run.report)) {
        differ(&x, arena_printf(arena, "%s ok; %s: %s", x.left_name, x.right_name,
                                finding_words(&x)));
    } else {
        compare_outputs(&x);
        if (x.result.outputs_differing)
            x.result.first.writer = side_writer(
                arena, &(struct side){x.right_name, c, options, &run}, &x.result.first);
    }
    emulation_free(&run);
    return x.result;
}
