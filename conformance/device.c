/* SPDX-License-Identifier: Apache-2.0
 *
 * device.c - see device.h. The recorder's processes run the cases; what they write is read
 * as a recording. */
#include "conformance/device.h"

#include <string.h>

#include "api/cuda.h"
#include "gpu/worker.h"

enum { SECONDS = 20, MOST_SECONDS = 86400 }; /* for a case, as the recorder has it */

bool device_named(const char *executor)
{
    return executor && cuda_is_name(executor);
}

/* A case as a job: what was recorded of it is what is wanted. */
static struct job job_of(struct arena *arena, const struct conform_case *c)
{
    const struct recording_job *recorded = c->recorded;
    struct job job = {.launch = recorded->launch, .beside = c->sources, .text = c->ptx,
                      .text_size = c->ptx_size};

    job.outputs = ARENA_NEW_ARRAY(arena, recorded->count, uint32_t);
    job.globals = ARENA_NEW_ARRAY(arena, recorded->count, struct job_global);
    for (uint32_t i = 0; i < recorded->count; i++) {
        const struct recording_output *output = &recorded->items[i];
        if (output->source == RECORDED_ARGUMENT)
            job.outputs[job.output_count++] = output->argument;
        else if (output->source == RECORDED_GLOBAL)
            job.globals[job.global_count++] =
                (struct job_global){output->name, output->element};
    }
    if (recorded->end == RECORDING_TIMEOUT && recorded->code > 0)
        job.timeout = (unsigned)recorded->code;
    return job;
}

static void keep(void *self, const char *bytes, size_t size)
{
    text_add(self, bytes, size);
}

bool device_run(struct arena *arena, struct conform_case *const *cases, uint32_t count,
                const char *executor, uint64_t seconds, const struct recording_job **answers,
                struct recording_chip *chip, struct text *error)
{
    struct worker_options options = {
        .timeout = seconds ? seconds < MOST_SECONDS ? (unsigned)seconds : MOST_SECONDS : SECONDS,
        .binary = true};
    struct worker_counts counts = {{0}};
    struct job_list jobs = {.path = "", .count = count};
    struct recording *recording = ARENA_NEW(arena, struct recording);
    struct text text = {0};
    struct gpu_error why;

    if (!count)
        return true;
    if (!cuda_read_name(executor, &options.device, &options.library)) {
        text_printf(error, "'%.80s' is no GPU: they are called cuda:0, cuda:1, ...\n", executor);
        return false;
    }
    jobs.items = ARENA_NEW_ARRAY(arena, count, struct job);
    for (uint32_t i = 0; i < count; i++)
        jobs.items[i] = job_of(arena, cases[i]);
    bool good = worker_run(&jobs, &options, true, &(struct worker_sink){keep, &text, NULL}, &counts,
                           &why);
    if (!good) {
        text_printf(error, "%s\n", why.text);
    } else {
        struct diags diags = {.arena = arena, .name = "what the GPU answered",
                              .source = arena_copy(arena, text_string(&text), text.size),
                              .source_size = text.size};
        good = recording_read(&diags, recording) && recording->count == count;
        if (!good)
            diag_print(error, &diags);
    }
    text_free(&text);
    if (!good)
        return false;
    *chip = recording->chip;
    for (uint32_t i = 0; i < count; i++)
        answers[i] = &recording->items[i];
    return true;
}
