/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.c - how fast the emulator runs the benchmark's kernels.
 *
 *     bench [-s large|small] [-k KERNEL] [-r REPEATS] [-t THREADS] [-c CHECKS] [-u]
 *           KERNELS.PTX
 *
 * Uses only the public library. Times the launch alone: reading the PTX, making
 * buffers and comparing results stand outside. Prints the median of REPEATS
 * runs. CHECKS is a list of memory,init,race,sync or all; -u takes processor time
 * instead of the clock's, for a machine that is busy with other work. */
#define _POSIX_C_SOURCE 200809L
#include "bench/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "simtlab/simtlab.h"

enum { MAX_REPEATS = 99 };

struct settings {
    bool large;
    const char *kernel; /* NULL: all */
    int repeats;
    unsigned threads, checks;
    bool processor_time;
    const char *file;
};

static double now(const struct settings *settings)
{
    struct timespec t;
    clock_gettime(settings->processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    long length;

    if (file && !fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0) {
        rewind(file);
        *size = (size_t)length;
        text = malloc(*size + 1);
        if (text && fread(text, 1, *size, file) != *size) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

/* Makes the buffers of a problem; false when memory runs out. */
static bool make_buffers(sl_context *context, const struct work *work,
                         sl_buffer *buffers[WORK_MAX_ARGUMENTS],
                         uint64_t values[WORK_MAX_ARGUMENTS])
{
    for (int i = 0; i < work->argument_count; i++) {
        const struct work_argument *argument = &work->argument[i];
        values[i] = argument->scalar;
        if (!argument->bytes)
            continue;
        if (sl_buffer_create(context, argument->bytes, argument->data, &buffers[i]) != SL_OK)
            return false;
        values[i] = sl_buffer_address(buffers[i]);
    }
    return true;
}

/* Runs one problem and prints its row. False when it could not run or is wrong. */
static bool measure(sl_context *context, sl_module *module, struct work *work,
                    const struct settings *settings)
{
    sl_buffer *buffers[WORK_MAX_ARGUMENTS] = {0};
    uint64_t values[WORK_MAX_ARGUMENTS], instructions = 0;
    const void *arguments[WORK_MAX_ARGUMENTS];
    double seconds[MAX_REPEATS];
    sl_kernel *kernel;
    size_t problems = 0;
    bool fine = sl_module_find(module, work->name, &kernel) == SL_OK &&
                make_buffers(context, work, buffers, values);

    for (int i = 0; i < work->argument_count; i++)
        arguments[i] = &values[i];
    for (int r = 0; fine && r < settings->repeats; r++) {
        sl_report *report;
        work_reset(work);
        sl_buffer_write(buffers[0], 0, work->argument[0].data, work->argument[0].bytes);
        double start = now(settings);
        fine = sl_launch(kernel, work->grid, work->block, 0, arguments,
                         (size_t)work->argument_count, &report) == SL_OK;
        seconds[r] = now(settings) - start;
        if (!fine)
            break;
        instructions = sl_report_warp_instructions(report);
        problems += sl_report_problems(report);
        if (sl_report_problems(report) && r == 0)
            fputs(sl_report_text(report), stderr);
        sl_report_destroy(report);
    }
    if (fine) {
        sl_buffer_read(buffers[0], 0, work->argument[0].data, work->argument[0].bytes);
        qsort(seconds, (size_t)settings->repeats, sizeof *seconds, by_value);
        double median = seconds[settings->repeats / 2];
        long compared = work_check(work);
        printf("%-12s %9u %10.2f %11.4g %13llu %8.2f  ", work->name, work->size,
               1e3 * median, work->elements / median, (unsigned long long)instructions,
               1e9 * median / (double)instructions);
        if (compared < 0)
            printf("WRONG\n");
        else
            printf("%ld outputs equal%s\n", compared, problems ? ", FINDINGS" : "");
        fine = compared >= 0 && !problems;
    } else {
        printf("%-12s could not run: %s\n", work->name, sl_context_error(context));
    }
    fflush(stdout);
    for (int i = 0; i < work->argument_count; i++)
        sl_buffer_destroy(buffers[i]);
    return fine;
}

static bool read_checks(const char *text, unsigned *checks)
{
    static const struct { const char *name; unsigned bits; } known[] = {
        {"memory", SL_CHECK_MEMORY}, {"init", SL_CHECK_INIT}, {"race", SL_CHECK_RACE},
        {"sync", SL_CHECK_SYNC},
        {"all", SL_CHECK_MEMORY | SL_CHECK_INIT | SL_CHECK_RACE | SL_CHECK_SYNC}};

    while (*text) {
        size_t length = strcspn(text, ",");
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen(known[i].name) == length && !memcmp(known[i].name, text, length)) {
                *checks |= known[i].bits;
                found = true;
            }
        if (!found)
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

static bool read_settings(struct settings *settings, int argc, char **argv)
{
    int option;

    *settings = (struct settings){.large = true, .repeats = 5, .threads = 1};
    while ((option = getopt(argc, argv, "s:k:r:t:c:u")) != -1)
        switch (option) {
        case 's':
            settings->large = !strcmp(optarg, "large");
            if (!settings->large && strcmp(optarg, "small"))
                return false;
            break;
        case 'k': settings->kernel = optarg; break;
        case 'r': settings->repeats = atoi(optarg); break;
        case 't': settings->threads = (unsigned)atoi(optarg); break;
        case 'c':
            if (!read_checks(optarg, &settings->checks))
                return false;
            break;
        case 'u': settings->processor_time = true; break;
        default: return false;
        }
    settings->file = argv[optind];
    return optind + 1 == argc && settings->repeats >= 1 && settings->repeats <= MAX_REPEATS &&
           settings->threads >= 1;
}

int main(int argc, char **argv)
{
    struct settings settings;
    sl_context *context;
    sl_module *module;
    size_t size;
    bool fine = true;

    if (!read_settings(&settings, argc, argv)) {
        fprintf(stderr, "usage: bench [-s large|small] [-k KERNEL] [-r REPEATS] "
                        "[-t THREADS] [-c CHECKS] [-u] KERNELS.PTX\n");
        return 2;
    }
    char *text = read_file(settings.file, &size);
    if (!text) {
        fprintf(stderr, "bench: cannot read %s\n", settings.file);
        return 2;
    }
    if (sl_context_create(NULL, &context) != SL_OK)
        return 2;
    sl_context_set(context, SL_OPTION_THREADS, settings.threads);
    sl_context_set(context, SL_OPTION_MAX_STEPS, UINT64_C(1) << 40);
    if (sl_context_set(context, SL_OPTION_CHECKS, settings.checks) != SL_OK ||
        sl_module_load(context, SL_FORMAT_PTX, settings.file, text, size, &module) != SL_OK) {
        fprintf(stderr, "bench: %s\n", sl_context_error(context));
        return 2;
    }
    printf("%-12s %9s %10s %11s %13s %8s  %s\n", "kernel", "size", "ms", "elements/s",
           "warp instr.", "ns each", "check");
    for (int kind = 0; kind < WORK_COUNT; kind++) {
        struct work work;
        if (settings.kernel && strcmp(settings.kernel, work_name(kind)))
            continue;
        if (!work_make(&work, kind, settings.large)) {
            fprintf(stderr, "bench: out of memory\n");
            return 2;
        }
        fine &= measure(context, module, &work, &settings);
        work_free(&work);
    }
    sl_context_destroy(context);
    free(text);
    return fine ? 0 : 1;
}
