/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - see run.h. Uses only the public library. Times the launch alone: reading
 * the PTX, making buffers and comparing results stand outside. */
#define _GNU_SOURCE
#include "bench/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "simtlab/simtlab.h"

double now(const struct settings *settings)
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

double median(double seconds[], int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, by_value);
    return seconds[count / 2];
}

char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    long length;

    if (file && !fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0) {
        rewind(file);
        *size = (size_t)length;
        text = calloc(1, *size + 1);
        if (text && fread(text, 1, *size, file) != *size) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

void run_apart(void (*body)(const struct settings *, enum work_kind, unsigned,
                            struct result *),
               const struct settings *settings, enum work_kind kind, unsigned checks,
               struct result *result)
{
    int ends[2], status;
    struct rusage usage;
    pid_t child;

    *result = (struct result){.problem = "no process could be started"};
    fflush(NULL);
    if (pipe(ends))
        return;
    child = fork();
    if (child == 0) {
        struct result mine = {0};
        body(settings, kind, checks, &mine);
        fflush(NULL);
        _exit(write(ends[1], &mine, sizeof mine) != sizeof mine);
    }
    close(ends[1]);
    if (child > 0) {
        ssize_t got = read(ends[0], result, sizeof *result);
        if (wait4(child, &status, 0, &usage) != child || got != sizeof *result || status)
            *result = (struct result){.problem = "the process ended early"};
        else if (result->peak_mib == 0)
            result->peak_mib = (double)usage.ru_maxrss / 1024;
    }
    close(ends[0]);
}

/* --- simtlab -------------------------------------------------------------------------- */

/* What a measurement holds; ended by closing the context. */
struct held {
    sl_context *context;
    sl_kernel *kernel;
    sl_buffer *buffers[WORK_MAX_ARGUMENTS];
    uint64_t values[WORK_MAX_ARGUMENTS];
    const void *arguments[WORK_MAX_ARGUMENTS];
};

static bool prepare(struct held *held, const struct settings *settings, unsigned checks,
                    const struct work *work)
{
    sl_module *module;
    size_t size;
    char *text = read_file(settings->ptx, &size);

    if (!text || sl_context_create(NULL, &held->context) != SL_OK)
        return false;
    sl_context_set(held->context, SL_OPTION_THREADS, settings->threads);
    sl_context_set(held->context, SL_OPTION_MAX_STEPS, UINT64_C(1) << 40);
    bool fine = sl_context_set(held->context, SL_OPTION_CHECKS, checks) == SL_OK &&
                sl_module_load(held->context, SL_FORMAT_PTX, settings->ptx, text, size,
                               &module) == SL_OK &&
                sl_module_find(module, work->name, &held->kernel) == SL_OK;
    free(text);
    for (int i = 0; fine && i < work->argument_count; i++) {
        const struct work_argument *argument = &work->argument[i];
        held->arguments[i] = &held->values[i];
        held->values[i] = argument->scalar;
        if (!argument->bytes)
            continue;
        fine = sl_buffer_create(held->context, argument->bytes, argument->data,
                                &held->buffers[i]) == SL_OK;
        if (fine)
            held->values[i] = sl_buffer_address(held->buffers[i]);
    }
    return fine;
}

static bool launch(struct held *held, const struct settings *settings, struct work *work,
                   struct result *result, double *seconds)
{
    sl_report *report;
    double start;

    work_reset(work);
    sl_buffer_write(held->buffers[0], 0, work->argument[0].data, work->argument[0].bytes);
    start = now(settings);
    if (sl_launch(held->kernel, work->grid, work->block, 0, held->arguments,
                  (size_t)work->argument_count, &report) != SL_OK)
        return false;
    *seconds = now(settings) - start;
    result->instructions = sl_report_warp_instructions(report);
    if (sl_report_problems(report) && !result->findings)
        fputs(sl_report_text(report), stderr);
    result->findings |= sl_report_problems(report) != 0;
    sl_report_destroy(report);
    return true;
}

void run_simtlab(const struct settings *settings, enum work_kind kind, unsigned checks,
                 struct result *result)
{
    double seconds[MAX_REPEATS];
    struct held held = {0};
    struct work work;
    bool fine;

    if (!work_make(&work, kind, settings->large)) {
        snprintf(result->problem, sizeof result->problem, "out of memory");
        return;
    }
    fine = prepare(&held, settings, checks, &work);
    for (int r = 0; fine && r < settings->repeats; r++)
        fine = launch(&held, settings, &work, result, &seconds[r]);
    if (fine) {
        sl_buffer_read(held.buffers[0], 0, work.argument[0].data, work.argument[0].bytes);
        result->seconds = median(seconds, settings->repeats);
        result->compared = work_check(&work);
        result->fine = result->compared >= 0 && !result->findings;
    } else {
        snprintf(result->problem, sizeof result->problem, "%.150s",
                 held.context ? sl_context_error(held.context) : "no context");
    }
    if (held.context)
        sl_context_destroy(held.context);
    work_free(&work);
}
