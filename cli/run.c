/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - `run` and `check`: one launch, its output, its report. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/checkers.h"
#include "api/cuda.h"
#include "api/report.h"
#include "api/shadow.h"
#include "api/suppress.h"
#include "base/file.h"
#include "cli/explore.h"

/* --- text that the kernel prints --------------------------------------------------- */

struct printer {
    FILE *to;
    uint64_t left, lost;
};

static void print_some(void *self, const char *data, size_t size)
{
    struct printer *printer = self;
    size_t shown = size < printer->left ? size : (size_t)printer->left;

    fwrite(data, 1, shown, printer->to);
    printer->left -= shown;
    printer->lost += size - shown;
}

/* --- one launch ----------------------------------------------------------------------- */

struct session {
    struct options *options;
    struct arena arena;
    sl_context *context;
    sl_kernel *kernel;
    sl_report *report;
    struct exploration *exploration;
    struct observer *shadow; /* of --shadow */
    bool quiet; /* not the first schedule */
    FILE *out; /* for people: standard output, unless JSON goes there */
    struct text error;
};

static bool set_options(struct session *session, unsigned checks)
{
    const struct options *o = session->options;
    const struct {
        sl_option option;
        uint64_t value;
    } values[] = {{SL_OPTION_SEED, o->seed},
                  {SL_OPTION_SEED_CHOICES, o->seed_choices},
                  {SL_OPTION_THREADS, o->threads},
                  {SL_OPTION_MAX_STEPS, o->max_steps},
                  {SL_OPTION_TIMEOUT, o->timeout},
                  {SL_OPTION_STACK_SIZE, o->stack_size},
                  {SL_OPTION_HEAP_SIZE, o->heap_size},
                  {SL_OPTION_WEAK, o->weak},
                  {SL_OPTION_CHECKS, checks}};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (sl_context_set(session->context, values[i].option, values[i].value) != SL_OK) {
            text_puts(&session->error, sl_context_error(session->context));
            return false;
        }
    return true;
}

static bool bind_libraries(struct session *session, sl_module *module)
{
    const struct options *o = session->options;

    for (size_t i = 0; i < o->library_count; i++) {
        size_t bound;
        if (sl_bind_library(module, o->libraries[i], &bound) != SL_OK) {
            text_puts(&session->error, sl_context_error(session->context));
            return false;
        }
        if (!bound)
            fprintf(stderr, "note: %s defines none of the functions that %s leaves open\n",
                    o->libraries[i], o->words[0]);
    }
    return true;
}

static bool bind_textures(struct session *session, sl_module *module)
{
    const struct options *o = session->options;
    bool good = true;

    for (size_t i = 0; i < o->texture_count; i++) {
        const char *equals = strchr(o->textures[i], '=');
        const char *name =
            arena_copy(&session->arena, o->textures[i], (size_t)(equals - o->textures[i]));
        good &= reference_prepare(&session->arena, module, name, equals + 1, &session->error);
    }
    return good;
}

static bool set_variables(struct session *session, sl_module *module,
                          struct prepared_arguments *prepared)
{
    const struct options *o = session->options;
    bool good = true;

    for (size_t i = 0; i < o->variable_count; i++) {
        const char *equals = strchr(o->variables[i], '=');
        const char *name =
            arena_copy(&session->arena, o->variables[i], (size_t)(equals - o->variables[i]));
        good &= variable_prepare(&session->arena, module, name, equals + 1, prepared,
                                 &session->error);
    }
    return good;
}

/* What only the emulator can do; said before a driver is looked for. */
static bool executor_can(const struct options *o, struct text *error)
{
    const struct {
        bool asked;
        const char *words;
    } refused[] = {
        {o->shadow, "--shadow: a wider format is kept beside the values"},
        {o->weak, "--weak: what a load may return is chosen"},
        {o->explore, "--explore: schedules are chosen"},
        {o->seed || o->seed_choices, "--seed and --replay: a schedule is chosen"},
        {o->max_steps, "--max-steps: steps are counted"},
        {o->library_count, "--bind: functions of the host are called"},
    };

    if (!o->on || !cuda_is_name(o->on)) {
        if (o->timeout)
            text_puts(error, TIMEOUT_IS_FOR_GPUS);
        return !o->timeout;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].asked) {
            text_printf(error, "%s in the emulator, not on %.*s\n", refused[i].words,
                        (int)strcspn(o->on, "@"), o->on);
            return false;
        }
    return true;
}

/* Everything up to the report. False with session->error set. */
static bool launch(struct session *session, unsigned checks)
{
    struct options *o = session->options;
    struct prepared_arguments prepared;
    size_t first;

    if (o->word_count == 0) {
        text_puts(&session->error, "which file? Give a .ptx or .kir file after the command\n");
        return false;
    }
    if (!executor_can(o, &session->error))
        return false;
    session->context = open_context(o, &session->error);
    if (!session->context || !set_options(session, checks))
        return false;
    sl_module *module = load_file(session->context, o, o->words[0], &session->error);
    if (!module)
        return false;
    if (!session->quiet)
        fputs(sl_module_warnings(module), stderr);
    session->kernel = choose_kernel(module, o, &first, &session->error);
    if (!session->kernel || !bind_libraries(session, module) ||
        !bind_textures(session, module))
        return false;
    size_t count = o->word_count - first;
    choose_block(o, session->kernel);
    if (!arguments_prepare(&session->arena, session->kernel, o->words + first, count, &prepared,
                           &session->error) ||
        !set_variables(session, module, &prepared) ||
        !outputs_find(o, &session->arena, module, &prepared, &session->error))
        return false;
    const struct prepared_argument *arguments = prepared.items;

    struct printer printer = {session->out, session->quiet ? 0 : o->output_limit, 0};
    sl_context_set_print(session->context, print_some, &printer);
    session->context->owns_output = true;
    const void **values = ARENA_NEW_ARRAY(&session->arena, count, const void *);
    for (size_t i = 0; i < count; i++)
        values[i] = arguments[i].value;
    if (o->shadow && o->explore) {
        text_puts(&session->error, "--shadow and --explore do not go together\n");
        return false;
    }
    if (!shadow_open(o->shadow, o->shadow_threshold, &session->shadow, &session->error))
        return false;
    struct launch_extras extras = {.cooperative = o->cooperative, .observer = session->shadow};
    memcpy(extras.cluster, o->cluster, sizeof extras.cluster);
    if (launch_with(session->kernel, o->grid, o->block, (uint32_t)o->shared_bytes, values, count,
                    &extras, &session->report) != SL_OK) {
        text_puts(&session->error, sl_context_error(session->context));
        return false;
    }
    if (printer.lost && !session->quiet)
        fprintf(stderr, "note: %llu more bytes of kernel output not shown; see --output-limit\n",
                (unsigned long long)printer.lost);
    sl_report_set_strict(session->report, o->strict);
    if (o->explore && session->exploration)
        exploration_add(session->exploration, o, arguments, prepared.count, o->seed);
    else if (!o->explore)
        print_arguments(session->out, o, arguments);
    if (session->shadow) {
        const bool *chosen = arguments_asked_for(o, &session->arena, &prepared);
        shadow_print(session->out, session->shadow, o->shadow, arguments, chosen,
                     prepared.count);
        session->report->outcomes =
            shadow_json(session->shadow, o->shadow, arguments, chosen, prepared.count);
    }
    return session->quiet || write_arguments(o, arguments, &session->error);
}

/* --- reports --------------------------------------------------------------------------- */

static bool write_report(const char *path, const char *content, struct text *error)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "w") : stdout;
    bool good = file && fputs(content, file) >= 0 && fflush(file) == 0;

    if (file && file != stdout)
        good = fclose(file) == 0 && good;
    if (!good)
        text_printf(error, "%s: the report cannot be written: %s\n", path, strerror(errno));
    return good;
}

static bool write_reports(const struct options *o, struct sl_report *report, struct text *error)
{
    bool good = true;

    if (o->json)
        good &= write_report(o->json, sl_report_json(report), error);
    if (o->sarif) {
        char *content = report_to_sarif(report);
        good &= write_report(o->sarif, content, error);
        free(content);
    }
    if (o->junit) {
        char *content = report_to_junit(report);
        good &= write_report(o->junit, content, error);
        free(content);
    }
    return good;
}

/* Can there be a file of that name? Asked before the launch, whose results would be lost.
 * A report that cannot be written is not tried. */
static bool place_exists(const char *option, const char **path, struct text *error)
{
    const char *why;

    if (!*path || is_stdout(*path) || file_has_place(*path, &why))
        return true;
    text_printf(error, "%s: %s cannot be written: %s\n", option, *path, why);
    *path = NULL;
    return false;
}

static bool places_exist(struct options *o, struct text *error)
{
    bool good = place_exists("--json", &o->json, error);

    good &= place_exists("--sarif", &o->sarif, error);
    good &= place_exists("--junit", &o->junit, error);
    for (size_t i = 0; i < o->output_count; i++)
        good &= place_exists("-o", &o->outputs[i].path, error);
    return good;
}

/* None without --suppressions. Before the launch, which may take long. */
static bool read_suppressions(struct options *o, struct suppressions *list, struct text *error)
{
    const char *why;
    size_t size;

    *list = (struct suppressions){0};
    if (!o->suppressions)
        return true;
    char *text = file_read(o->arena, o->suppressions, &size, &why);
    if (!text) {
        text_printf(error, "--suppressions: %s cannot be read: %s\n", o->suppressions, why);
        return false;
    }
    return suppressions_read(o->arena, o->suppressions, text, list, error);
}

static void suppress(struct suppressions *list, struct sl_report *report)
{
    struct text notes = {0};

    suppressions_apply(list, report, suppressions_today(), &notes);
    fputs(text_string(&notes), stderr);
    text_free(&notes);
}

/* --- schedules ------------------------------------------------------------------------------ */

static void close_session(struct session *session)
{
    shadow_free(session->shadow);
    session->shadow = NULL;
    sl_context_destroy(session->context);
    session->context = NULL;
    session->kernel = NULL;
    arena_free(&session->arena);
}

/* Of findings that the first schedule has not, these many get the least of their own
 * schedule that shows them. */
enum { MOST_SHRUNK = 8 };

/* Does the launch give the finding with so many choices of its seed? */
static bool shows(const struct session *first, unsigned checks,
                  const struct report_finding *finding, uint64_t choices)
{
    struct options *o = first->options;
    struct session session = {.options = o, .out = first->out, .quiet = true};
    uint64_t seed = o->seed;

    o->seed = finding->seed;
    o->seed_choices = choices;
    bool found = launch(&session, checks) && report_has(session.report, finding);
    o->seed = seed;
    o->seed_choices = 0;
    sl_report_destroy(session.report);
    close_session(&session);
    text_free(&session.error);
    return found;
}

/* A place where one choice more makes the difference; the least one when more
 * choices never hide a finding again. */
static void shrink(const struct session *first, unsigned checks)
{
    struct sl_report *report = first->report;
    uint32_t shrunk = 0;

    for (uint32_t i = 0; i < report->finding_count && shrunk < MOST_SHRUNK; i++) {
        struct report_finding *finding = &report->findings[i];
        uint64_t low = 0;
        shrunk += finding->has_seed;
        while (finding->has_seed && finding->choices > low + 1) {
            uint64_t middle = low + (finding->choices - low) / 2;
            if (shows(first, checks, finding, middle))
                finding->choices = middle;
            else
                low = middle;
        }
    }
}

/* The schedules after the first, whose session it is. False with its error set. */
static bool explore(struct session *first, unsigned checks, struct sl_report **others)
{
    struct options *o = first->options;
    uint64_t seed = o->seed;
    bool good = true;

    for (uint64_t i = 1; good && i < o->explore; i++) {
        struct session session = {.options = o, .out = first->out, .quiet = true,
                                  .exploration = first->exploration};
        o->seed = seed + i;
        good = launch(&session, checks);
        if (good) {
            others[i] = session.report;
            report_unite(first->report, session.report);
        } else {
            text_puts(&first->error, text_string(&session.error));
        }
        close_session(&session);
        text_free(&session.error);
    }
    o->seed = seed;
    if (good) {
        shrink(first, checks);
        exploration_print(first->out, first->exploration);
        first->report->outcomes = exploration_json(first->exploration);
    }
    return good;
}

enum { MOST_SCHEDULES = 100000 };

/* What needs no kernel to be known. */
static bool may_start(struct options *options, struct suppressions *suppressions,
                      struct text *error)
{
    if (is_stdout(options->json) + is_stdout(options->sarif) + is_stdout(options->junit) > 1) {
        text_puts(error, "one report only can go to standard output\n");
        options->json = options->sarif = options->junit = NULL;
        return false;
    }
    if (options->explore > MOST_SCHEDULES) {
        text_printf(error, "--explore: at most %d schedules\n", MOST_SCHEDULES);
        return false;
    }
    return places_exist(options, error) && read_suppressions(options, suppressions, error);
}

static int execute(struct options *options, unsigned checks)
{
    bool to_stdout = is_stdout(options->json) || is_stdout(options->sarif) ||
                     is_stdout(options->junit);
    struct exploration exploration = {0};
    struct session session = {.options = options, .out = to_stdout ? stderr : stdout,
                              .exploration = &exploration};
    struct suppressions suppressions;
    struct sl_report **others = NULL;
    bool good = false;

    if (may_start(options, &suppressions, &session.error)) {
        others = ARENA_NEW_ARRAY(options->arena, options->explore + 1, struct sl_report *);
        good = launch(&session, checks);
    }
    if (good && options->explore)
        good = explore(&session, checks, others);
    if (fflush(session.out) != 0 && session.out == stdout) {
        text_printf(&session.error, "standard output: %s\n", strerror(errno));
        good = false;
    }
    if (session.report) {
        suppress(&suppressions, session.report);
        session.report->print_limit = options->print_limit;
        fputs(sl_report_text(session.report), stderr);
    } else {
        session.report = report_error(
            options->word_count ? options->words[0] : NULL,
            session.kernel ? sl_kernel_name(session.kernel) : NULL,
            options->target ? options->target : "sm_90", options->grid, options->block,
            options->seed, text_string(&session.error));
    }
    good &= write_reports(options, session.report, &session.error);
    int status = !good ? fail(&session.error)
                 : sl_report_problems(session.report) ? (int)options->error_status
                                                      : EXIT_CLEAN;
    end_if_hanging(session.context, status);
    sl_report_destroy(session.report);
    for (uint64_t i = 1; others && i < options->explore; i++)
        sl_report_destroy(others[i]);
    close_session(&session);
    exploration_free(&exploration);
    text_free(&session.error);
    return status;
}

int cli_run(struct options *options)
{
    return execute(options, SL_CHECK_MEMORY);
}

/* --- which checks --------------------------------------------------------------------------- */

/* name {, name} into bits. */
static bool read_checks(const char *list, unsigned *bits, struct text *error)
{
    *bits = 0;
    for (;; list++) {
        size_t size = strcspn(list, ",");
        bool known = false;

        for (int i = 0; i < CHECKER_COUNT; i++)
            if (strlen(checkers[i].name) == size && !strncmp(checkers[i].name, list, size)) {
                *bits |= checkers[i].bit;
                known = true;
            }
        if (!known) {
            text_printf(error, "--only: '%.*s' is no check; there are memory, init, race and "
                               "sync\n", (int)(size < 80 ? size : 80), list);
            return false;
        }
        list += size;
        if (!*list)
            return true;
    }
}

int cli_check(struct options *options)
{
    struct text error = {0};
    unsigned wanted = SL_CHECK_MEMORY | SL_CHECK_INIT | SL_CHECK_RACE | SL_CHECK_SYNC;
    unsigned missing;

    if (options->only && !read_checks(options->only, &wanted, &error)) {
        int status = fail(&error);
        text_free(&error);
        return status;
    }
    if (options->on && cuda_is_name(options->on)) {
        text_printf(&error, "check: the checkers look on in the emulator, not on %.*s; "
                            "`simtlab run` runs there\n",
                    (int)strcspn(options->on, "@"), options->on);
        int status = fail(&error);
        text_free(&error);
        return status;
    }
    /* A command has one launch, number 0. */
    if (options->launch_skip) {
        fputs("note: --launch-skip leaves out the only launch: it runs unchecked\n", stderr);
        wanted = SL_CHECK_MEMORY;
    }
    missing = wanted & ~sl_available_checks();
    if (!missing)
        return execute(options, wanted);
    text_puts(&error, "this build does not have these checks yet:");
    for (int i = 0; i < CHECKER_COUNT; i++)
        if (missing & checkers[i].bit)
            text_printf(&error, " %s", checkers[i].name);
    text_puts(&error, "\n  `--only");
    for (int i = 0, n = 0; i < CHECKER_COUNT; i++)
        if (checkers[i].available)
            text_printf(&error, "%s%s", n++ ? "," : " ", checkers[i].name);
    text_puts(&error, "` checks what it can\n");
    int status = fail(&error);
    text_free(&error);
    return status;
}
