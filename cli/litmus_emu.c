/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus_emu.c - the emulator as an executor of litmus tests. */
#include "cli/litmus_emu.h"

#include <simtlab/simtlab.h>
#include <stdlib.h>
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
                             uint64_t run, struct litmus_run *ran,
                             const struct litmus_emulator *emulator)
{
    unsigned checks = emulator->races ? SL_CHECK_RACE : 0;
    sl_report *report = NULL, *final = NULL;

    sl_status status;

    if ((status = sl_context_set(s->context, SL_OPTION_SEED, run)) ||
        (status = sl_context_set(s->context, SL_OPTION_MAX_STEPS, MAX_STEPS)) ||
        (status = sl_context_set(s->context, SL_OPTION_CHECKS, checks)) ||
        (status = sl_context_set(s->context, SL_OPTION_WEAK, emulator->weak)) ||
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
    sl_status status = run_session(&s, launch, run, ran, self);
    if (status)
        text_puts(err, sl_context_error(s.context));
    ran->unsupported = status == SL_UNSUPPORTED ||
                       (status && only_unsupported(sl_context_error(s.context)));
    ran->failed = status && !ran->unsupported;
    sl_buffer_destroy(s.results);
    sl_module_destroy(s.module);
    sl_context_destroy(s.context);
}

/* --- many instances at once ------------------------------------------------------------ */

enum { MAX_BUFFERS = 8, INSTANCES = 256, RESIDENT = 64 };

struct emulated {
    sl_context *context;
    sl_module *module;
    sl_buffer *buffers[MAX_BUFFERS];
    uint32_t buffer_count;
};

static bool told(const struct emulated *e, sl_status status, struct text *err)
{
    if (status)
        text_puts(err, sl_context_error(e->context));
    return !status;
}

static bool emulated_load(void *self, const char *ptx, size_t size, struct text *err)
{
    struct emulated *e = self;

    if (sl_context_create(NULL, &e->context) != SL_OK) {
        text_puts(err, "there is no emulated GPU\n");
        return false;
    }
    return told(e, sl_module_load(e->context, SL_FORMAT_PTX, "litmus kernel", ptx, size,
                                  &e->module), err);
}

static bool emulated_resident(void *self, const char *entry, uint32_t threads,
                              uint32_t *blocks, struct text *err)
{
    (void)self, (void)entry, (void)threads, (void)err;
    *blocks = RESIDENT;
    return true;
}

static bool emulated_allocate(void *self, uint64_t size, uint64_t *address, struct text *err)
{
    struct emulated *e = self;
    void *zeros = calloc(1, size);
    sl_buffer **buffer = &e->buffers[e->buffer_count];
    bool good = zeros && told(e, sl_buffer_create(e->context, size, zeros, buffer), err);

    free(zeros);
    if (good) {
        e->buffer_count++;
        *address = sl_buffer_address(*buffer);
    }
    return good;
}

static bool emulated_launch(void *self, const char *entry, uint32_t blocks, uint32_t threads,
                            void *parameters[MANY_PARAMETERS], struct text *err)
{
    struct emulated *e = self;
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
    sl_kernel *kernel;
    sl_report *report = NULL;

    bool good = told(e, sl_module_find(e->module, entry, &kernel), err) &&
                told(e, sl_launch(kernel, grid, block, 0, (const void *const *)parameters,
                                  MANY_PARAMETERS, &report), err);
    if (good && !sl_report_completed(report)) {
        text_printf(err, "the launch of %s did not end: %s\n", entry,
                    sl_report_finding_count(report)
                        ? sl_report_finding_text(report, 0, SL_FINDING_MESSAGE) : "?");
        good = false;
    }
    sl_report_destroy(report);
    return good;
}

static bool emulated_read(void *self, uint64_t from, void *to, size_t size, struct text *err)
{
    struct emulated *e = self;

    for (uint32_t i = 0; i < e->buffer_count; i++)
        if (sl_buffer_address(e->buffers[i]) == from)
            return told(e, sl_buffer_read(e->buffers[i], 0, to, size), err);
    return false;
}

static void emulated_unload(void *self)
{
    struct emulated *e = self;

    while (e->buffer_count)
        sl_buffer_destroy(e->buffers[--e->buffer_count]);
    sl_module_destroy(e->module);
    sl_context_destroy(e->context);
    e->module = NULL;
    e->context = NULL;
}

const struct many_device *litmus_emulated_device(struct arena *arena)
{
    struct many_device *device = ARENA_NEW(arena, struct many_device);

    *device = (struct many_device){
        .self = ARENA_NEW(arena, struct emulated), .instances = INSTANCES,
        .load = emulated_load, .resident = emulated_resident, .allocate = emulated_allocate,
        .launch = emulated_launch, .read = emulated_read, .unload = emulated_unload};
    return device;
}
