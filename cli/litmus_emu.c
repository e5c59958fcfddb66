/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus_emu.c - the emulator as an executor of litmus tests. */
#include "cli/litmus_emu.h"

#include <simtlab/simtlab.h>
#include <string.h>

enum { MAX_STEPS = 1000000 };

struct session {
    sl_context *context;
    sl_module *module;
    sl_buffer *results;
    uint64_t address; /* of results */
};

static sl_status launch_entry(struct session *s, const char *entry, uint32_t blocks,
                              uint32_t threads, sl_report **report)
{
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
    const void *arguments[] = {&s->address};
    sl_kernel *kernel;
    sl_status status = sl_module_find(s->module, entry, &kernel);

    return status ? status : sl_launch(kernel, grid, block, 0, arguments, 1, report);
}

static bool has_race(const sl_report *report)
{
    for (size_t i = 0; i < sl_report_finding_count(report); i++)
        if (!strcmp(sl_report_finding_text(report, i, SL_FINDING_CATEGORY), "race"))
            return true;
    return false;
}

static sl_status run_session(struct session *s, const struct litmus_launch *launch,
                             uint64_t run, struct litmus_run *ran, bool races)
{
    unsigned checks = races ? SL_CHECK_RACE : 0;
    sl_report *report = NULL, *final = NULL;

    sl_status status;

    if ((status = sl_context_set(s->context, SL_OPTION_SEED, run)) ||
        (status = sl_context_set(s->context, SL_OPTION_MAX_STEPS, MAX_STEPS)) ||
        (status = sl_context_set(s->context, SL_OPTION_CHECKS, checks)) ||
        (status = sl_module_load(s->context, SL_FORMAT_PTX, "litmus kernel", launch->ptx,
                                 launch->ptx_size, &s->module)))
        return status;
    uint64_t size = launch->result_count * sizeof *ran->results;
    memset(ran->results, 0, size);
    if ((status = sl_buffer_create(s->context, size, ran->results, &s->results)))
        return status;
    s->address = sl_buffer_address(s->results);
    status = launch_entry(s, "litmus", launch->grid, launch->block, &report);
    if (!status) {
        ran->finished = sl_report_completed(report);
        ran->knows_races = checks != 0;
        ran->raced = has_race(report);
    }
    if (!status && ran->finished)
        status = launch_entry(s, "litmus_final", 1, 1, &final);
    if (!status)
        status = sl_buffer_read(s->results, 0, ran->results, size);
    sl_report_destroy(report);
    sl_report_destroy(final);
    return status;
}

/* A kernel text is refused as malformed also when all that is wrong with it is
 * an instruction that the emulator does not have. */
static bool only_unsupported(const char *errors)
{
    static const char mark[] = "error: ", why[] = "unsupported: ";
    bool found = false;

    while ((errors = strstr(errors, mark))) {
        errors += strlen(mark);
        if (strncmp(errors, why, strlen(why)))
            return false;
        found = true;
    }
    return found;
}

void litmus_run_emulated(void *self, const struct litmus_launch *launch, uint64_t run,
                         struct litmus_run *ran, struct text *err)
{
    struct session s = {0};

    if (sl_context_create(NULL, &s.context) != SL_OK) {
        text_puts(err, "there is no emulated GPU\n");
        ran->failed = true;
        return;
    }
    sl_status status = run_session(&s, launch, run, ran, *(const bool *)self);
    if (status)
        text_puts(err, sl_context_error(s.context));
    ran->unsupported = status == SL_UNSUPPORTED ||
                       (status && only_unsupported(sl_context_error(s.context)));
    ran->failed = status && !ran->unsupported;
    sl_buffer_destroy(s.results);
    sl_module_destroy(s.module);
    sl_context_destroy(s.context);
}
