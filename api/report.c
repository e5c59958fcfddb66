/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - building reports, and reading them. */
#include "config.h"

#include "api/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "api/cuda.h"
#include "api/demangle.h"

/* Inlining deeper than this is cut off. */
enum { DEEPEST_INLINE = 64 };

/* --- building --------------------------------------------------------------------- */

static const char *demangled(struct arena *arena, const char *name)
{
    struct arena scratch = {0};
    struct cxx_name parts;

    if (cxx_demangle(&scratch, name, &parts)) {
        /* The name that nvcc gives to the unnamed namespace of a file tells nothing. */
        const char *colons = strstr(parts.full, "::");
        name = !strncmp(parts.full, "_INTERNAL_", 10) && colons ? colons + 2 : parts.full;
    }
    name = arena_strdup(arena, name);
    arena_free(&scratch);
    return name;
}

/* Where every so many lines of a module's text begin: a thousand findings ask for as many
 * lines of perhaps a million. */
struct lines {
    const struct ir_module *module;
    const char **items; /* of lines 1, 1 + STRIDE, ... */
    uint32_t count, capacity;
};

enum { STRIDE = 64 };

/* Behind the line's end; NULL: there is none. */
static const char *next_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));

    return newline ? newline + 1 : NULL;
}

/* NULL: the text has fewer lines. */
static const char *line_start(struct arena *arena, struct lines *lines,
                              const struct ir_module *module, uint32_t line)
{
    const char *end = module->source + module->source_size, *at = module->source;

    if (!at || !line)
        return NULL;
    if (lines->module != module) {
        *lines = (struct lines){.module = module};
        for (uint32_t number = 0; at; at = next_line(at, end))
            if (number++ % STRIDE == 0)
                *ARENA_PUSH(arena, lines) = at;
    }
    if ((line - 1) / STRIDE >= lines->count)
        return NULL;
    at = lines->items[(line - 1) / STRIDE];
    for (uint32_t number = (line - 1) / STRIDE * STRIDE + 1; at && number < line; number++)
        at = next_line(at, end);
    return at;
}

/* The statement in the kernel text that starts at the place: to its semicolon,
 * with runs of white space and comments made one blank. */
static const char *statement(struct arena *arena, struct lines *lines,
                             const struct ir_module *module, struct loc at)
{
    enum { LONGEST = 200 };
    const char *end = module->source + module->source_size;
    const char *source = line_start(arena, lines, module, at.line);
    struct text out = {0};
    const char *result = NULL;
    bool blank = false;

    if (!source || !at.column || (size_t)(end - source) < at.column - 1)
        return NULL;
    for (source += at.column - 1; source < end && out.size < LONGEST; source++) {
        if (*source == ';')
            break;
        if (*source == '/' && end - source > 1 && source[1] == '/') {
            while (source + 1 < end && source[1] != '\n')
                source++;
            blank = true;
        } else if (*source <= ' ' || *source == 127) {
            blank = true;
        } else {
            if (blank && out.size)
                text_putc(&out, ' ');
            blank = false;
            text_putc(&out, *source);
        }
    }
    if (out.size)
        result = arena_strdup(arena, out.data);
    text_free(&out);
    return result;
}

/* As written in PTX; IR text has no semicolons and is printed anew. */
static const char *instruction(struct arena *arena, struct lines *lines,
                               const struct finding_place *place, struct loc at, sl_format format)
{
    const struct ir_inst *inst = &place->function->insts[place->inst];
    const char *written =
        format == SL_FORMAT_PTX ? statement(arena, lines, place->module, at) : NULL;

    if (written)
        return written;
    struct text out = {0};
    ir_print_inst(&out, place->module, place->function, inst);
    written = arena_strdup(arena, text_string(&out));
    text_free(&out);
    return written;
}

/* The file that the function starts in: that of its first instruction's
 * outermost frame. */
static uint32_t home_file(const struct ir_module *module, const struct ir_function *function)
{
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ir_location *location = &module->locations[function->insts[i].loc];
        for (int depth = 0; location->inlined_at && depth < DEEPEST_INLINE; depth++)
            location = &module->locations[location->inlined_at];
        if (location->file)
            return location->file;
    }
    return 0;
}

/* The main frame is the innermost one in the file that the kernel is written in:
 * inlined library code is named by the user's line that called it. Without such
 * a frame it is the outermost. */
static void place_source(struct arena *arena, struct report_place *out,
                         const struct ir_module *module, const struct ir_function *function,
                         uint32_t location_index)
{
    struct source_place *frames = ARENA_NEW_ARRAY(arena, DEEPEST_INLINE, struct source_place);
    uint32_t home = home_file(module, function), count = 0, i = location_index;
    bool found = false;

    for (int depth = 0; depth < DEEPEST_INLINE; depth++) {
        const struct ir_location *location = &module->locations[i];
        if (location->file && location->line) {
            frames[count] = (struct source_place){
                arena_strdup(arena, module->files[location->file]), location->line,
                location->column, location->function};
            if (!found && location->file == home) {
                found = true;
                out->main = count;
            }
            count++;
        }
        if (!location->inlined_at)
            break;
        i = location->inlined_at;
    }
    for (i = 0; i < count; i++)
        if (frames[i].function)
            frames[i].function = demangled(arena, frames[i].function);
    if (!found && count)
        out->main = count - 1;
    out->frames = frames;
    out->frame_count = count;
}

static void build_place(struct arena *arena, struct lines *lines, struct report_place *out,
                        const struct finding_place *place, sl_format format)
{
    out->access = finding_access_names[place->access];
    out->has_thread = place->has_thread;
    memcpy(out->block, place->block, sizeof out->block);
    memcpy(out->thread, place->thread, sizeof out->thread);
    if (!place->function || place->inst >= place->function->inst_count)
        return;
    uint32_t location = place->function->insts[place->inst].loc;
    struct loc at = place->module->locations[location].at;
    out->text_line = at.line;
    out->text_column = at.column;
    out->function = demangled(arena, place->function->name);
    out->instruction = instruction(arena, lines, place, at, format);
    place_source(arena, out, place->module, place->function, location);
}

/* "argument 0 (y), 400 bytes at 0x700000000" */
static const char *nearest(struct arena *arena, const struct memory *memory,
                           const struct finding *finding)
{
    static const char *const kinds[] = {"a buffer", "a global variable", "a constant",
                                        "a block from malloc"};
    const struct allocation *allocation;

    if (finding->category != FINDING_MEMORY || !finding->has_address ||
        (finding->space != IR_SPACE_GLOBAL && finding->space != IR_SPACE_GENERIC &&
         finding->space != IR_SPACE_CONST))
        return NULL;
    allocation = memory_nearest(memory, finding->address);
    if (!allocation || !strcmp(finding->kind, "null"))
        return NULL;
    return arena_printf(arena, "%s, %llu bytes at 0x%llx%s",
                        allocation->name ? allocation->name : kinds[allocation->kind],
                        (unsigned long long)allocation->size,
                        (unsigned long long)allocation->address,
                        allocation->freed ? ", freed" : "");
}

/* A variable of a function: _ZZ, the function, E, and the name, maybe with a number. */
static const char *variable_name(struct arena *arena, const char *name)
{
    const char *result = NULL;

    for (const char *at = name + 3;
         !result && !strncmp(name, "_ZZ", 3) && (at = strchr(at, 'E')); at++) {
        struct arena scratch = {0};
        struct cxx_name parts;
        char *own, *plain;
        size_t length = strtoul(at + 1, &own, 10);
        if (own == at + 1 || !length || length > strlen(own) || (own[length] && own[length] != '_'))
            continue;
        const char *function = arena_printf(&scratch, "_Z%.*s", (int)(at - name - 3), name + 3);
        bool plain_c = strtoul(function + 2, &plain, 10) == strlen(plain); /* extern "C" */
        if (plain_c || cxx_demangle(&scratch, function, &parts))
            result = arena_printf(arena, "%s::%.*s", plain_c ? plain : parts.qualified,
                                  (int)length, own);
        arena_free(&scratch);
    }
    return result ? result : demangled(arena, name);
}

/* With names of variables as in C++. */
static const char *readable(struct arena *arena, const char *message)
{
    const char *quote = strstr(message, "'_Z"), *end = quote ? strchr(quote + 1, '\'') : NULL;

    if (!end)
        return arena_strdup(arena, message);
    return arena_printf(arena, "%.*s%s%s", (int)(quote + 1 - message), message,
                        variable_name(arena,
                                      arena_copy(arena, quote + 1, (size_t)(end - quote - 1))),
                        end);
}

static void build_finding(struct sl_report *report, struct report_finding *out,
                          const struct finding *finding, const struct memory *memory,
                          struct lines *lines, sl_format format)
{
    struct arena *arena = &report->arena;

    out->category = finding_category_names[finding->category];
    out->kind = arena_strdup(arena, finding->kind);
    out->message = readable(arena, finding->message);
    out->severity = finding->severity;
    out->leans = finding->severity == FINDING_WARNING;
    out->count = finding->count;
    out->space = finding->has_address ? ir_space_names[finding->space] : "";
    out->has_address = finding->has_address;
    out->address = finding->has_address ? finding->address : 0;
    out->size = finding->has_address ? finding->size : 0;
    out->allocation = nearest(arena, memory, finding);
    out->where = ARENA_NEW_ARRAY(arena, finding->where_count, struct report_place);
    out->where_count = finding->where_count;
    for (uint32_t i = 0; i < finding->where_count; i++)
        build_place(arena, lines, &out->where[i], &finding->where[i], format);
    if (finding->category == FINDING_RACE && finding->where_count > 2)
        out->where[2].only_order = true;
}

static struct sl_report *report_new(void)
{
    struct sl_report *report = calloc(1, sizeof *report);

    if (!report)
        out_of_memory(0);
    return report;
}

struct sl_report *report_error(const char *file, const char *kernel, const char *target,
                               const uint32_t grid[3], const uint32_t block[3], uint64_t seed,
                               const char *error)
{
    struct sl_report *report = report_new();

    report->file = arena_strdup(&report->arena, file ? file : "");
    report->kernel = report->demangled = arena_strdup(&report->arena, kernel ? kernel : "");
    report->target = arena_strdup(&report->arena, target ? target : "");
    memcpy(report->grid, grid, sizeof report->grid);
    memcpy(report->block, block, sizeof report->block);
    report->seed = seed;
    report->error = arena_strdup(&report->arena, error);
    return report;
}

struct sl_report *report_build(const struct sl_kernel *kernel, const struct launch *launch,
                               const struct findings *findings,
                               const struct launch_result *result)
{
    struct sl_report *report = report_new();
    struct arena *arena = &report->arena;
    struct lines lines = {0};

    report->file = arena_strdup(arena, kernel->module->ir->name);
    report->kernel = arena_strdup(arena, kernel->name);
    report->demangled = arena_strdup(arena, kernel->demangled);
    const struct cuda *cuda = kernel->module->context->cuda;
    report->target = arena_strdup(arena, cuda ? cuda_target(cuda) : launch->profile->name);
    report->checks = cuda ? 0 : (unsigned)kernel->module->context->option[SL_OPTION_CHECKS];
    report->executor = arena_strdup(arena, kernel->module->context->executor);
    memcpy(report->grid, launch->grid, sizeof report->grid);
    memcpy(report->block, launch->block, sizeof report->block);
    report->seed = launch->seed;
    report->completed = result->completed;
    report->seed_choices = result->seed_choices;
    report->warp_instructions = result->warp_instructions;
    report->thread_instructions = result->thread_instructions;
    report->dropped = findings->dropped;
    report->finding_count = findings->count;
    report->findings = ARENA_NEW_ARRAY(arena, findings->count, struct report_finding);
    for (uint32_t i = 0; i < findings->count; i++)
        build_finding(report, &report->findings[i], &findings->items[i],
                      launch->image ? launch->image->memory : NULL, &lines,
                      kernel->module->format);
    return report;
}

void report_add(struct sl_report *report, const struct findings *findings)
{
    uint32_t count = report->finding_count;
    struct report_finding *all =
        ARENA_NEW_ARRAY(&report->arena, count + findings->count, struct report_finding);

    struct lines lines = {0};

    if (count)
        memcpy(all, report->findings, count * sizeof *all);
    report->findings = all;
    for (uint32_t i = 0; i < findings->count; i++)
        build_finding(report, &all[count + i], &findings->items[i], NULL, &lines, SL_FORMAT_PTX);
    report->finding_count += findings->count;
    report->completed = false;
}

const char *report_verdict(const struct sl_report *report)
{
    return report->error                ? "error"
           : sl_report_problems(report) ? "findings"
                                        : "clean";
}

/* --- the public accessors ------------------------------------------------------------ */

void sl_report_destroy(sl_report *report)
{
    while (report) {
        struct sl_report *next = report->appended;
        free(report->json);
        free(report->text);
        free(report->outcomes);
        arena_free(&report->arena);
        free(report);
        report = next;
    }
}

const char *sl_report_json(sl_report *report)
{
    if (!report->json)
        report->json = report_to_json(report);
    return report->json;
}

const char *sl_report_text(sl_report *report)
{
    if (!report->text) {
        struct text out = {0};
        report_to_text(&out, report);
        report->text = strdup(text_string(&out));
        text_free(&out);
        if (!report->text)
            out_of_memory(0);
    }
    return report->text;
}

void sl_report_set_strict(sl_report *report, int strict)
{
    report->strict = strict != 0;
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].leans)
            report->findings[i].severity = strict ? FINDING_ERROR : FINDING_WARNING;
    free(report->json);
    free(report->text);
    report->json = report->text = NULL;
}

size_t sl_report_problems(const sl_report *report)
{
    size_t problems = (size_t)(report->dropped != 0);

    for (uint32_t i = 0; i < report->finding_count; i++)
        problems += !report->findings[i].suppressed &&
                    (report->strict || report->findings[i].severity != FINDING_INFO);
    return problems;
}

int sl_report_completed(const sl_report *report)
{
    return report->completed;
}

uint64_t sl_report_warp_instructions(const sl_report *report)
{
    return report->warp_instructions;
}

uint64_t sl_report_thread_instructions(const sl_report *report)
{
    return report->thread_instructions;
}

size_t sl_report_finding_count(const sl_report *report)
{
    return report->finding_count;
}

const char *sl_report_finding_text(const sl_report *report, size_t finding,
                                   sl_finding_text what)
{
    if (finding >= report->finding_count)
        return "";
    const struct report_finding *f = &report->findings[finding];
    switch (what) {
    case SL_FINDING_CATEGORY:
        return f->category;
    case SL_FINDING_KIND:
        return f->kind;
    case SL_FINDING_SEVERITY:
        return finding_severity_names[f->severity];
    case SL_FINDING_MESSAGE:
        return f->message;
    case SL_FINDING_SPACE:
        return f->space;
    case SL_FINDING_ALLOCATION:
        return f->allocation ? f->allocation : "";
    }
    return "";
}

uint64_t sl_report_finding_number(const sl_report *report, size_t finding,
                                  sl_finding_number what)
{
    if (finding >= report->finding_count)
        return 0;
    const struct report_finding *f = &report->findings[finding];
    switch (what) {
    case SL_FINDING_COUNT:
        return f->count;
    case SL_FINDING_HAS_ADDRESS:
        return f->has_address;
    case SL_FINDING_ADDRESS:
        return f->address;
    case SL_FINDING_SIZE:
        return f->size;
    case SL_FINDING_PLACES:
        return f->where_count;
    }
    return 0;
}

static const struct report_place *place_at(const sl_report *report, size_t finding, size_t place)
{
    if (finding >= report->finding_count || place >= report->findings[finding].where_count)
        return NULL;
    return &report->findings[finding].where[place];
}

const char *sl_report_place_text(const sl_report *report, size_t finding, size_t place,
                                 sl_place_text what)
{
    const struct report_place *p = place_at(report, finding, place);

    if (!p)
        return "";
    switch (what) {
    case SL_PLACE_FILE:
        return p->frame_count ? p->frames[p->main].file : "";
    case SL_PLACE_ACCESS:
        return p->access;
    case SL_PLACE_INSTRUCTION:
        return p->instruction ? p->instruction : "";
    }
    return "";
}

uint64_t sl_report_place_number(const sl_report *report, size_t finding, size_t place,
                                sl_place_number what)
{
    const struct report_place *p = place_at(report, finding, place);

    if (!p)
        return 0;
    switch (what) {
    case SL_PLACE_LINE:
        return p->frame_count ? p->frames[p->main].line : 0;
    case SL_PLACE_PTX_LINE:
        return p->text_line;
    case SL_PLACE_BLOCK_X:
    case SL_PLACE_BLOCK_Y:
    case SL_PLACE_BLOCK_Z:
        return p->block[what - SL_PLACE_BLOCK_X];
    case SL_PLACE_THREAD_X:
    case SL_PLACE_THREAD_Y:
    case SL_PLACE_THREAD_Z:
        return p->thread[what - SL_PLACE_THREAD_X];
    }
    return 0;
}
