/* SPDX-License-Identifier: Apache-2.0
 *
 * job.c - reading job files. */
#include "gpu/job.h"

#include <string.h>

#include "gpu/launch_lines.h"

enum { OUTPUT_LIMIT = 64 };

static void read_outputs(struct diags *diags, const struct line *line, struct job *job)
{
    const char *words[OUTPUT_LIMIT];
    size_t sizes[OUTPUT_LIMIT];
    uint32_t count = line_words(line, OUTPUT_LIMIT, words, sizes);
    uint64_t value;

    if (count == 0 || count > OUTPUT_LIMIT) {
        diag_error(diags, line->value_at, "output needs one to %d argument numbers",
                   OUTPUT_LIMIT);
        return;
    }
    uint32_t *outputs = arena_array(diags->arena, job->output_count + count, sizeof *outputs);
    if (job->output_count)
        memcpy(outputs, job->outputs, job->output_count * sizeof *outputs);
    job->outputs = outputs;
    for (uint32_t i = 0; i < count; i++) {
        if (element_parse(ELEMENT_U32, words[i], sizes[i], &value) || words[i][0] == '-')
            diag_error(diags, line->value_at, "'%.*s' is no argument number",
                       (int)(sizes[i] < 40 ? sizes[i] : 40), words[i]);
        else
            outputs[job->output_count++] = (uint32_t)value;
    }
}

static void read_global(struct diags *diags, const struct line *line, struct job *job)
{
    const char *words[2];
    size_t sizes[2];
    uint32_t count = line_words(line, 2, words, sizes);
    struct job_global global = {.element = ELEMENT_U8};

    if (count == 0 || count > 2 ||
        (count == 2 && !element_find(words[1], sizes[1], &global.element))) {
        diag_error(diags, line->value_at, "global needs a name, and perhaps an element type");
        return;
    }
    global.name = arena_copy(diags->arena, words[0], sizes[0]);
    struct job_global *globals =
        arena_array(diags->arena, job->global_count + 1, sizeof *globals);
    if (job->global_count)
        memcpy(globals, job->globals, job->global_count * sizeof *globals);
    globals[job->global_count++] = global;
    job->globals = globals;
}

static void check_job(struct diags *diags, const struct job *job)
{
    if (!job->launch.ptx)
        diag_error(diags, job->at, "job %s has no ptx line", job->launch.name);
    uint32_t arguments = launch_argument_count(&job->launch);
    for (uint32_t i = 0; i < job->output_count; i++)
        if (job->outputs[i] >= arguments)
            diag_error(diags, job->at, "job %s: output %u, but there are %u arguments",
                       job->launch.name, job->outputs[i], arguments);
}

bool job_list_read(struct diags *diags, struct job_list *list)
{
    struct lines lines = {diags->source, diags->source + diags->source_size, 1};
    struct launch_reader reader = {0};
    struct job *job = NULL;
    struct line line;

    *list = (struct job_list){.path = diags->name};
    while (line_next(&lines, &line)) {
        if (line_is(&line, "job")) {
            if (!line.value_size)
                diag_error(diags, line.value_at, "job needs a name");
            job = ARENA_PUSH(diags->arena, list);
            job->at = line.at;
            job->launch.name = arena_copy(diags->arena, line.value, line.value_size);
            for (int i = 0; i < 3; i++)
                job->launch.grid[i] = job->launch.block[i] = 1;
            reader = launch_reader_begin(&job->launch);
        } else if (!job) {
            diag_error(diags, line.at, "a job file begins with a job line");
            return false;
        } else if (line_is(&line, "output")) {
            read_outputs(diags, &line, job);
        } else if (line_is(&line, "global")) {
            read_global(diags, &line, job);
        } else if (!launch_line_read(diags, &line, &reader)) {
            diag_error(diags, line.at, "'%.*s' is not known in a job file",
                       (int)(line.key_size < 40 ? line.key_size : 40), line.key);
        }
    }
    for (uint32_t i = 0; i < list->count; i++)
        check_job(diags, &list->items[i]);
    return diags->errors == 0;
}
