/* SPDX-License-Identifier: Apache-2.0
 *
 * diff.c - `diff`: one launch on two sides, compared bit for bit. A side is a
 * recording, or kernel text on an executor. */
#include "cli/cli.h"

#include <string.h>

#include "api/cuda.h"
#include "base/file.h"
#include "conformance/parting.h"
#include "conformance/probe.h"
#include "conformance/rows.h"

struct diff {
    struct options *o;
    struct text *error;
    struct emulate_options emulate[2];
    struct conform_case cases[2];
    struct emulation runs[2];
    struct side sides[2];
};

/* --- words ------------------------------------------------------------------------------- */

/* both: the two sides ran here, and writers are theirs. */
static void write_difference(struct text *out, const struct comparison *result, bool both,
                             const struct writer_place writers[2], const char *const names[2])
{
    text_puts(out, result->message);
    if (!both)
        mismatch_place(out, &result->first);
    text_putc(out, '\n');
    for (int i = 0; i < 2 && both && (writers[0].found || writers[1].found); i++) {
        text_printf(out, "  %s: ", names[i]);
        if (writers[i].found)
            writer_words(out, &writers[i]);
        else
            text_puts(out, "written by nobody");
        text_putc(out, '\n');
    }
    if (result->first.output)
        mismatch_histogram(out, &result->first);
    if (result->outputs_differing > 1)
        text_printf(out, "%u outputs differ\n", result->outputs_differing);
}

/* An executor without the driver library that may stand behind it. */
static const char *executor_name(const struct diff *d, int i)
{
    const char *name = executor_words(&d->emulate[i]);

    return arena_copy(d->o->arena, name, strcspn(name, "@"));
}

static bool read_executors(struct diff *d)
{
    const char *on = d->o->on, *comma = on ? strchr(on, ',') : NULL;

    d->emulate[0] = d->emulate[1] = emulate_defaults(d->o);
    d->emulate[0].executor = comma ? arena_copy(d->o->arena, on, (size_t)(comma - on)) : on;
    d->emulate[1].executor = comma ? comma + 1 : on;
    if (comma && strchr(comma + 1, ',')) {
        text_printf(d->error, "--on %.80s: one or two executors, such as emu,cuda:0\n", on);
        return false;
    }
    if (d->o->timeout && !(on && (cuda_is_name(on) || cuda_is_name(d->emulate[1].executor)))) {
        text_puts(d->error, TIMEOUT_IS_FOR_GPUS);
        return false;
    }
    return true;
}

/* --- probes to be recorded ------------------------------------------------------------------ */

/* The case with probes as a job file and the PTX beside it. */
static int write_probe_job(struct diff *d, const struct conform_case *c)
{
    const char *path = d->o->probe_job, *slash = strrchr(path, '/'), *why;
    const char *name = slash ? slash + 1 : path;
    size_t stem = strlen(name);
    struct probes probes;
    struct text job = {0};

    if (stem < 5 || strcmp(name + stem - 4, ".job")) {
        text_printf(d->error, "--probe-job %.80s: the name of a job file ends in .job\n", path);
        return EXIT_UNABLE;
    }
    const char *wrong = probes_make(d->o->arena, c, &probes);
    if (wrong) {
        text_printf(d->error, "%s\n", wrong);
        return EXIT_UNABLE;
    }
    struct conform_case made = probes_case(d->o->arena, c, &probes, PROBES_ALL);
    const char *ptx = arena_printf(d->o->arena, "%.*sptx", (int)stem - 3, name);
    const char *written = path;
    probes_job(&job, &made, ptx);
    bool good = file_write(written, text_string(&job), job.size, &why);
    if (good) {
        written = file_beside(d->o->arena, path, ptx);
        good = file_write(written, probes.ptx, probes.size, &why);
    }
    text_free(&job);
    if (!good) {
        text_printf(d->error, "%s: cannot be written: %s\n", written, why);
        return EXIT_UNABLE;
    }
    printf("%u instructions, %llu threads: record it, then compare the recording\n",
           probes.slots, (unsigned long long)probes.threads);
    return EXIT_CLEAN;
}

/* --- a case against its recording ---------------------------------------------------------- */

static struct conform_case *find_case(const struct options *o, struct case_list *cases,
                                      struct text *error)
{
    const char *name = o->words[1];

    for (uint32_t i = 0; i < cases->count; i++)
        if (!strcmp(cases->items[i].recorded->launch.name, name))
            return &cases->items[i];
    text_printf(error, "%s: no case is called '%.200s'; there are\n", o->words[0], name);
    for (uint32_t i = 0; i < cases->count; i++)
        text_printf(error, "  %s\n", cases->items[i].recorded->launch.name);
    return NULL;
}

static int against_recording(struct diff *d, const struct conform_case *c)
{
    struct comparison result = case_compare(d->o->arena, c, NULL, &d->emulate[1], NULL);
    const char *who = executor_name(d, 1);
    struct text out = {0};

    if (result.same) {
        printf("%s%s gives what was recorded: %s\n", d->emulate[1].executor ? "" : "the ", who,
               c->recorded->end == RECORDING_OK ? "all outputs bit for bit" : "the same end");
        return EXIT_CLEAN;
    }
    write_difference(&out, &result, false, NULL, NULL);
    fputs(text_string(&out), stdout);
    text_free(&out);
    return EXIT_FINDINGS;
}

/* --- two recordings ------------------------------------------------------------------------ */

static const struct recording_job *job_named(const struct case_list *cases, const char *name)
{
    for (uint32_t i = 0; i < cases->count; i++)
        if (!strcmp(cases->items[i].recorded->launch.name, name))
            return cases->items[i].recorded;
    return NULL;
}

/* Every job of the left one; jobs that only the right one has are counted apart. */
static int diff_recordings(struct diff *d)
{
    struct options *o = d->o;
    struct case_list left = {0}, right = {0};
    struct text out = {0};
    uint32_t different = 0;
    uint64_t elements = 0, differing = 0;

    if (!cases_add(o->arena, o->words[0], NULL, &left, d->error) ||
        !cases_add(o->arena, o->words[1], NULL, &right, d->error))
        return EXIT_UNABLE;
    for (uint32_t i = 0; i < left.count; i++) {
        const struct recording_job *job = left.items[i].recorded;
        const struct recording_job *other = job_named(&right, job->launch.name);
        struct comparison result = {.message = "the right recording does not have it"};
        if (other)
            result = recordings_compare(o->arena, job, other, NULL, NULL);
        for (uint32_t k = 0; k < result.count; k++) {
            elements += result.items[k].count;
            differing += result.items[k].differing;
        }
        if (result.same)
            continue;
        different++;
        text_printf(&out, "%s: %s\n", job->launch.name, result.message);
        if (result.first.output)
            mismatch_histogram(&out, &result.first);
    }
    text_printf(&out, "%u jobs the same, %u different", left.count - different, different);
    uint32_t more = 0;
    for (uint32_t i = 0; i < right.count; i++)
        more += !job_named(&left, right.items[i].recorded->launch.name);
    if (more)
        text_printf(&out, ", %u in the right recording only", more);
    text_putc(&out, '\n');
    text_printf(&out, "%llu elements, %llu different\n", (unsigned long long)elements,
                (unsigned long long)differing);
    fputs(text_string(&out), stdout);
    text_free(&out);
    return different ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* --- two sides that run ---------------------------------------------------------------------- */

/* What tells the sides apart: their files, or where they run. */
static void name_sides(struct diff *d, const char *left, const char *right)
{
    bool files = strcmp(left, right);

    for (int i = 0; i < 2; i++)
        d->sides[i] = (struct side){files ? i ? right : left : executor_name(d, i),
                                    &d->cases[i], &d->emulate[i], &d->runs[i]};
}

static void watch_on_emulator(struct diff *d, struct text *out)
{
    struct emulate_options options[2] = {d->emulate[0], d->emulate[1]};
    struct side sides[2] = {d->sides[0], d->sides[1]};

    for (int i = 0; i < 2; i++) {
        options[i].executor = NULL;
        sides[i].options = &options[i];
    }
    text_puts(out, "watched on the emulator:\n");
    parting_find(d->o->arena, &sides[0], &sides[1], out);
}

static int run_sides(struct diff *d, struct text *out)
{
    for (int i = 0; i < 2; i++)
        if (!emulate(&d->cases[i], &d->emulate[i], &d->runs[i])) {
            const char *why = text_string(&d->runs[i].error), *name = d->sides[i].name;
            bool named = !strncmp(why, name, strlen(name));
            text_printf(d->error, "%s%s%s", named ? "" : name, named ? "" : ": ", why);
            return EXIT_UNABLE;
        }
    struct comparison result = sides_compare(d->o->arena, &d->sides[0], &d->sides[1]);
    if (result.same) {
        text_puts(out, "the same: all outputs bit for bit\n");
        return EXIT_CLEAN;
    }
    struct writer_place writers[2] = {{0}};
    for (int i = 0; i < 2 && result.first.output; i++)
        writers[i] = side_writer(d->o->arena, &d->sides[i], &result.first);
    write_difference(out, &result, !d->runs[0].on_gpu && !d->runs[1].on_gpu, writers,
                     (const char *const[2]){d->sides[0].name, d->sides[1].name});
    bool gpu = d->runs[0].on_gpu || d->runs[1].on_gpu;
    bool problems = gpu && (sl_report_problems(d->runs[0].report) ||
                            sl_report_problems(d->runs[1].report)); /* which would come again */
    if (!gpu && !d->o->probe) {
        parting_find(d->o->arena, &d->sides[0], &d->sides[1], out);
        return EXIT_FINDINGS;
    }
    /* What cannot be watched writes down itself what it does. Probes see no addresses, no
     * stores, no one launch of several; two texts can be watched on the emulator, too. */
    bool named = !problems && probes_find(d->o->arena, &d->sides[0], &d->sides[1], out);
    if (d->o->with && !named)
        watch_on_emulator(d, out);
    return EXIT_FINDINGS;
}

static int compare_sides(struct diff *d)
{
    struct text out = {0};
    int status = run_sides(d, &out);

    fputs(text_string(&out), stdout);
    text_free(&out);
    end_if_hanging(d->runs[0].context, status);
    end_if_hanging(d->runs[1].context, status);
    emulation_free(&d->runs[0]);
    emulation_free(&d->runs[1]);
    return status;
}

static bool read_text(struct diff *d, const char *path, const char **text, size_t *size)
{
    const char *why;

    *text = file_read(d->o->arena, path, size, &why);
    if (!*text)
        text_printf(d->error, "%s: cannot be read: %s\n", path, why);
    return *text != NULL;
}

static bool second_text(struct diff *d)
{
    struct conform_case *c = &d->cases[1];

    *c = d->cases[0];
    if (!d->o->with)
        return true;
    c->ptx_name = d->o->with;
    return read_text(d, d->o->with, &c->ptx, &c->ptx_size);
}

static int diff_case(struct diff *d)
{
    struct options *o = d->o;
    struct case_list cases = {0};

    if (file_name_ends(o->words[0], ".kir")) {
        text_printf(d->error, "%.200s: PTX is compared; `simtlab build` writes it from this\n",
                    o->words[0]);
        return EXIT_UNABLE;
    }
    if (o->word_count != 2) {
        text_puts(d->error, "which case? Give a recording or job file, and the name of a case\n");
        return EXIT_UNABLE;
    }
    if (file_name_ends(o->words[0], ".rec") && file_name_ends(o->words[1], ".rec"))
        return diff_recordings(d);
    if (!cases_add(o->arena, o->words[0], o->sources, &cases, d->error))
        return EXIT_UNABLE;
    struct conform_case *c = find_case(o, &cases, d->error);
    if (!c)
        return EXIT_UNABLE;
    const char *wrong = case_open(o->arena, c);
    if (wrong) {
        text_printf(d->error, "%s\n", wrong);
        return EXIT_UNABLE;
    }
    if (o->probe_job)
        return write_probe_job(d, c);
    if (!o->with && !(o->on && strchr(o->on, ',')))
        return against_recording(d, c);
    d->cases[0] = *c;
    if (!second_text(d))
        return EXIT_UNABLE;
    const char *left = c->recorded->launch.ptx;
    name_sides(d, left, o->with ? o->with : left);
    return compare_sides(d);
}

/* --- a launch of the command line --------------------------------------------------------------- */

/* Every buffer is an output. */
static void add_outputs(struct arena *arena, struct recording_job *job,
                        const struct prepared_argument *arguments)
{
    for (uint32_t i = 0; i < job->launch.argument_count; i++) {
        if (!arguments[i].buffer)
            continue;
        struct recording_output *output = ARENA_PUSH(arena, job);
        output->source = RECORDED_ARGUMENT;
        output->argument = i;
        output->name = "";
        output->element = arguments[i].typed ? arguments[i].array.element : ELEMENT_U8;
    }
}

/* The launch as a job, by a look at the kernel. */
static bool make_job(struct diff *d, struct recording_job *job)
{
    struct options *o = d->o;
    struct prepared_arguments arguments;
    sl_context *context = NULL;
    size_t first;
    bool good = false;

    if (sl_context_open("emu", o->target, &context, NULL, 0) != SL_OK) {
        open_context(o, d->error);
        return false;
    }
    sl_module *module = load_file(context, o, o->words[0], d->error);
    sl_kernel *kernel = module ? choose_kernel(module, o, &first, d->error) : NULL;
    if (kernel) {
        choose_block(o, kernel);
        job->launch = (struct recording_launch){
            .name = sl_kernel_name(kernel), .ptx = o->words[0],
            .kernel = arena_strdup(o->arena, sl_kernel_name(kernel)),
            .shared = (uint32_t)o->shared_bytes, .cooperative = o->cooperative,
            .stack = o->stack_size, .heap = o->heap_size, .arguments = o->words + first,
            .argument_count = (uint32_t)(o->word_count - first)};
        memcpy(job->launch.grid, o->grid, sizeof job->launch.grid);
        memcpy(job->launch.block, o->block, sizeof job->launch.block);
        memcpy(job->launch.cluster, o->cluster, sizeof job->launch.cluster);
        job->launch.name = job->launch.kernel;
        good = arguments_prepare(o->arena, kernel, job->launch.arguments,
                                 job->launch.argument_count, &arguments, d->error);
        if (good)
            add_outputs(o->arena, job, arguments.items);
    }
    sl_context_destroy(context);
    return good;
}

static int diff_launch(struct diff *d)
{
    struct options *o = d->o;
    struct recording_job job = {.end = RECORDING_OK, .text = ""};
    const char *text;
    size_t size;

    if (!o->with && !(o->on && strchr(o->on, ','))) {
        text_puts(d->error, "against what? --with FILE is another version of the kernel, "
                            "--on emu,cuda:0 are two executors\n");
        return EXIT_UNABLE;
    }
    if (!make_job(d, &job) || !read_text(d, o->words[0], &text, &size))
        return EXIT_UNABLE;
    d->cases[0] = case_of_launch(&job, ".", o->target ? o->target : profile_default()->name, text,
                                 size);
    if (!second_text(d))
        return EXIT_UNABLE;
    name_sides(d, o->words[0], o->with ? o->with : o->words[0]);
    return compare_sides(d);
}

int cli_diff(struct options *options)
{
    struct text error = {0};
    struct diff d = {.o = options, .error = &error};
    int status = EXIT_UNABLE;

    if (!options->word_count)
        text_puts(&error, "what? Give a recording and a case, or a .ptx file with its launch\n");
    else if (read_executors(&d))
        status = file_name_ends(options->words[0], ".ptx") ? diff_launch(&d) : diff_case(&d);
    if (status == EXIT_UNABLE)
        fail(&error);
    text_free(&error);
    return status;
}
