/* SPDX-License-Identifier: Apache-2.0
 *
 * golden_run.c - runs a launch of a golden kernel and compares.
 */
#include "tests/golden.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/tensor_map.h"
#include "base/argument.h"
#include "simtlab/simtlab.h"

/* What one launch holds while it runs. */
struct run {
    const struct golden_file *file;
    const struct golden_launch *launch;
    struct text *why;
    struct arena arena;
    sl_context *context;
    sl_kernel *kernel;
    sl_buffer **buffers;    /* by argument; NULL: not a buffer */
    const void **values;    /* by argument: the bytes of the parameter */
    sl_report *report;
    struct text printed;
    bool differs;
};

static void differ(struct run *run, uint32_t line, const char *what)
{
    if (!run->differs)
        text_printf(run->why, "%s:%u: kernel %s\n", run->file->name, run->launch->line,
                    run->launch->kernel);
    run->differs = true;
    text_printf(run->why, "%s:%u: %s\n", run->file->name, line, what);
}

static void keep_print(void *self, const char *data, size_t size)
{
    text_add(self, data, size);
}

/* The element that a scalar parameter of this declared type is written in. */
static bool scalar_element(const char *type, enum element *element)
{
    static const char *const same[][2] = {{"b8", "u8"}, {"b16", "u16"}, {"b32", "u32"},
                                          {"b64", "u64"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!strcmp(type, same[i][0]))
            type = same[i][1];
    return element_find(type, strlen(type), element);
}

/* Makes argument i; NULL, or what is wrong. */
static const char *make_argument(struct run *run, size_t i)
{
    const char *text = run->launch->arguments.items[i];
    size_t size = sl_kernel_parameter_size(run->kernel, i);
    unsigned char *value = arena_alloc(&run->arena, size);
    struct argument argument;
    enum element element;
    uint64_t bits;
    const char *problem = argument_parse(&run->arena, text, strlen(text), &argument);

    if (problem)
        return problem;
    run->values[i] = value;
    switch (argument.kind) {
    case ARGUMENT_NULL:
        return NULL;
    case ARGUMENT_BYTES:
        if (argument.byte_count != size)
            return "the struct has another size";
        memcpy(value, argument.bytes, size);
        return NULL;
    case ARGUMENT_SCALAR:
        if (!scalar_element(sl_kernel_parameter_type(run->kernel, i), &element))
            return "the parameter is no scalar";
        problem = element_parse(element, argument.text, strlen(argument.text), &bits);
        if (!problem)
            element_store(element, value, bits);
        return problem;
    case ARGUMENT_BUFFER: {
        uint64_t bytes = argument_buffer_size(&argument);
        unsigned char *content = NULL;
        if (argument.fill != FILL_NOTHING) {
            content = arena_alloc(&run->arena, bytes);
            argument_fill(&argument, content);
        }
        if (sl_buffer_create(run->context, bytes, content, &run->buffers[i]) != SL_OK)
            return sl_context_error(run->context);
        uint64_t address = sl_buffer_address(run->buffers[i]);
        memcpy(value, &address, size < sizeof address ? size : sizeof address);
        return NULL;
    }
    case ARGUMENT_TENSOR: {
        uint64_t bytes = argument_buffer_size(&argument);
        unsigned char *content = arena_alloc(&run->arena, bytes);
        argument_fill(&argument, content);
        if (sl_buffer_create(run->context, bytes, content, &run->buffers[i]) != SL_OK)
            return sl_context_error(run->context);
        argument.tensor.address = sl_buffer_address(run->buffers[i]);
        return size == TENSOR_MAP_BYTES ? tensor_map_encode(&argument.tensor, value)
                                        : "the parameter is no tensor map";
    }
    case ARGUMENT_TEXTURE: {
        sl_texture *texture;
        if (sl_texture_create(run->context, text, NULL, &texture) != SL_OK)
            return sl_context_error(run->context);
        run->buffers[i] = sl_texture_buffer(texture);
        uint64_t handle = sl_texture_handle(texture);
        memcpy(value, &handle, size < sizeof handle ? size : sizeof handle);
        return NULL;
    }
    case ARGUMENT_FILE:
    case ARGUMENT_STRUCT:
    case ARGUMENT_SAME:
        break;
    }
    return "golden kernels take neither files nor structs";
}

/* Loads and launches. The status is that of the command line. */
static int execute(struct run *run)
{
    const struct golden_launch *launch = run->launch;
    size_t count = launch->arguments.count;
    sl_module *module;

    if (sl_module_load(run->context, SL_FORMAT_PTX, run->file->name, run->file->text,
                       run->file->size, &module) != SL_OK ||
        sl_module_find(module, launch->kernel, &run->kernel) != SL_OK)
        return 2;
    if (count != sl_kernel_parameter_count(run->kernel)) {
        differ(run, launch->line, "the kernel takes another number of arguments");
        return 2;
    }
    run->buffers = ARENA_NEW_ARRAY(&run->arena, count, sl_buffer *);
    run->values = ARENA_NEW_ARRAY(&run->arena, count, const void *);
    for (size_t i = 0; i < count; i++) {
        const char *problem = make_argument(run, i);
        if (problem) {
            differ(run, launch->line, arena_printf(&run->arena, "argument %zu: %s", i, problem));
            return 2;
        }
    }
    if (sl_launch(run->kernel, launch->grid, launch->block, launch->shared, run->values,
                  count, &run->report) != SL_OK)
        return 2;
    return sl_report_problems(run->report) ? 1 : 0;
}

/* Compares one expect line and marks what it covers. */
static void compare(struct run *run, const struct golden_expect *expect,
                    unsigned char *const *covered)
{
    sl_buffer *buffer = run->buffers[expect->argument];
    unsigned size = element_size(expect->element);
    uint64_t total = buffer ? sl_buffer_size(buffer) / size : 0;
    uint64_t count = expect->to_end ? total - expect->first : expect->count;

    if (expect->first > total || count > total - expect->first) {
        differ(run, expect->line, "more values than the argument has");
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        unsigned char bytes[8];
        uint64_t at = expect->first + i;
        uint64_t want = expect->iota ? element_iota(expect->element, i)
                                     : expect->items[expect->to_end ? 0 : i];
        sl_buffer_read(buffer, at * size, bytes, size);
        memset(covered[expect->argument] + at * size, 1, size);
        uint64_t got = element_load(expect->element, bytes);
        unsigned char wanted[8];
        element_store(expect->element, wanted, want);
        if (!memcmp(bytes, wanted, size))
            continue;
        differ(run, expect->line,
               arena_printf(&run->arena,
                            "argument %u, element %" PRIu64 ": got %" PRIu64 " (0x%" PRIx64
                            "), expected %" PRIu64 " (0x%" PRIx64 ")",
                            expect->argument, at, got, got, want, want));
        return;
    }
}

/* Each argument that is looked at must be looked at in full. */
static void compare_all(struct run *run)
{
    size_t count = run->launch->arguments.count;
    unsigned char **covered = ARENA_NEW_ARRAY(&run->arena, count, unsigned char *);

    for (uint32_t i = 0; i < run->launch->expects.count; i++) {
        const struct golden_expect *expect = &run->launch->expects.items[i];
        sl_buffer *buffer = run->buffers[expect->argument];
        if (!covered[expect->argument])
            covered[expect->argument] =
                arena_alloc(&run->arena, buffer ? sl_buffer_size(buffer) : 0);
        compare(run, expect, covered);
    }
    for (size_t i = 0; i < count; i++)
        if (covered[i] && run->buffers[i] &&
            memchr(covered[i], 0, sl_buffer_size(run->buffers[i])))
            differ(run, run->launch->line,
                   arena_printf(&run->arena, "the lines for argument %zu leave a part out", i));
}

static bool matches(const struct run *run, size_t index, const struct golden_finding *finding)
{
    const char *category = sl_report_finding_text(run->report, index, SL_FINDING_CATEGORY);
    const char *kind = sl_report_finding_text(run->report, index, SL_FINDING_KIND);
    size_t places = (size_t)sl_report_finding_number(run->report, index, SL_FINDING_PLACES);

    if (strcmp(finding->category, "*") && strcmp(finding->category, category))
        return false;
    if (strcmp(finding->kind, "*") && strcmp(finding->kind, kind))
        return false;
    for (size_t place = 0; finding->ptx_line && place < places; place++)
        if (sl_report_place_number(run->report, index, place, SL_PLACE_PTX_LINE) ==
            finding->ptx_line)
            return true;
    return !finding->ptx_line;
}

static void compare_findings(struct run *run)
{
    const struct golden_launch *launch = run->launch;
    size_t count = sl_report_finding_count(run->report);
    bool *met = ARENA_NEW_ARRAY(&run->arena, launch->findings.count, bool);

    for (size_t i = 0; i < count; i++) {
        bool announced = false;
        for (uint32_t f = 0; f < launch->findings.count; f++)
            if (matches(run, i, &launch->findings.items[f]))
                announced = met[f] = true;
        if (!announced &&
            strcmp(sl_report_finding_text(run->report, i, SL_FINDING_SEVERITY), "info"))
            differ(run, launch->line,
                   arena_printf(&run->arena, "unexpected finding: %s",
                                sl_report_text(run->report)));
    }
    for (uint32_t f = 0; f < launch->findings.count; f++)
        if (!met[f])
            differ(run, launch->findings.items[f].line,
                   arena_printf(&run->arena, "not found; the report is: %s",
                                sl_report_text(run->report)));
}

/* A launch that announces what only a checker finds, in a build without it. */
static bool lacks_check(const struct golden_launch *launch)
{
    static const struct { const char *category; unsigned bit; } known[] = {
        {"init", SL_CHECK_INIT}, {"race", SL_CHECK_RACE}, {"sync", SL_CHECK_SYNC}};

    for (uint32_t f = 0; launch->check && f < launch->findings.count; f++)
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (!strcmp(launch->findings.items[f].category, known[i].category) &&
                !(sl_available_checks() & known[i].bit))
                return true;
    return false;
}

bool golden_run(const struct golden_file *file, const struct golden_launch *launch,
                uint64_t seed, struct text *why)
{
    struct run run = {.file = file, .launch = launch, .why = why};
    int want = launch->status >= 0 ? launch->status : launch->findings.count ? 1 : 0;

    if (lacks_check(launch))
        return true;
    if (sl_context_create(launch->target, &run.context) != SL_OK) {
        differ(&run, launch->line, "no such target");
        return false;
    }
    sl_context_set(run.context, SL_OPTION_SEED, seed);
    if (launch->max_steps)
        sl_context_set(run.context, SL_OPTION_MAX_STEPS, launch->max_steps);
    if (launch->check)
        sl_context_set(run.context, SL_OPTION_CHECKS, sl_available_checks());
    sl_context_set_print(run.context, keep_print, &run.printed);

    int status = execute(&run);
    if (status != want) {
        differ(&run, launch->line,
               arena_printf(&run.arena, "status %d instead of %d: %s", status, want,
                            run.report ? sl_report_text(run.report)
                                       : sl_context_error(run.context)));
    } else if (run.report) {
        compare_findings(&run);
        compare_all(&run);
        if (launch->printed &&
            strcmp(launch->printed, text_string(&run.printed)))
            differ(&run, launch->line,
                   arena_printf(&run.arena, "it printed '%s'", text_string(&run.printed)));
    }
    sl_report_destroy(run.report);
    sl_context_destroy(run.context);
    text_free(&run.printed);
    arena_free(&run.arena);
    return !run.differs;
}
