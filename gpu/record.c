/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the recorder program: runs jobs on a real GPU, writes a recording.
 *
 * Needs a C compiler and libc only, so that it can be carried to a bare GPU
 * machine:
 *     make -f gpu/Makefile.portable */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gpu/latency.h"
#include "gpu/trial.h"
#include "gpu/worker.h"

static const char USAGE[] =
    "usage: simtlab-record [options] JOBFILE...\n"
    "       simtlab-record --devices | --latency | --trial\n"
    "Runs the jobs on a GPU and writes what came out.\n"
    "  -o FILE           where to (standard output)\n"
    "  --beside          for each x.job to x.rec beside it\n"
    "  -d N              device number (0)\n"
    "  --binary          outputs as bytes, smaller than as digits\n"
    "  --timeout SECONDS for one job (20)\n"
    "  --driver FILE     driver library (libcuda.so.1)\n"
    "  --assembler FILE  machine code by this program, called as ptxas is, not by the driver\n"
    "  --devices         list devices and their attributes\n"
    "  --latency         measure start-up and launch\n"
    "  --trial           use the device in every way there is, and say what failed\n"
    "Status: 0 all jobs ran or faulted, 1 some could not, 2 none could.\n";

struct command {
    const char *output;
    struct worker_options worker;
    bool devices, latency, beside, trial;
    const char **files;
    int file_count;
};

static int complain(const char *text, const char *what)
{
    fprintf(stderr, "simtlab-record: %s%s\n", text, what);
    return 2;
}

static bool number(const char *text, unsigned long limit, unsigned long *value)
{
    char *end;

    *value = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *value <= limit;
}

/* 0 to go on, or the exit status plus one. */
static int parse(int count, char **words, struct command *command)
{
    unsigned long value;

    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        bool takes_value = !strcmp(word, "-o") || !strcmp(word, "-d") ||
                           !strcmp(word, "--timeout") || !strcmp(word, "--driver") ||
                           !strcmp(word, "--assembler");
        if (takes_value && ++i == count)
            return complain("a value is missing behind ", word) + 1;
        if (!strcmp(word, "-o")) {
            command->output = words[i];
        } else if (!strcmp(word, "-d")) {
            if (!number(words[i], 1023, &value))
                return complain("no device number: ", words[i]) + 1;
            command->worker.device = (int)value;
        } else if (!strcmp(word, "--timeout")) {
            if (!number(words[i], 86400, &value) || !value)
                return complain("no number of seconds: ", words[i]) + 1;
            command->worker.timeout = (unsigned)value;
        } else if (!strcmp(word, "--driver")) {
            command->worker.library = words[i];
        } else if (!strcmp(word, "--assembler")) {
            command->worker.assembler = words[i];
        } else if (!strcmp(word, "--binary")) {
            command->worker.binary = true;
        } else if (!strcmp(word, "--beside")) {
            command->beside = true;
        } else if (!strcmp(word, "--devices")) {
            command->devices = true;
        } else if (!strcmp(word, "--latency")) {
            command->latency = true;
        } else if (!strcmp(word, "--trial")) {
            command->trial = true;
        } else if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
            fputs(USAGE, stdout);
            return 1;
        } else if (word[0] == '-') {
            return complain("unknown option ", word) + 1;
        } else {
            command->files[command->file_count++] = word;
        }
    }
    if (command->beside && command->output)
        return complain("-o and --beside", " say different places") + 1;
    if (!command->file_count && !command->devices && !command->latency &&
        !command->trial) {
        fputs(USAGE, stderr);
        return 3;
    }
    return 0;
}

static int show(bool done, struct text *text, const struct gpu_error *error)
{
    if (text->size)
        fputs(text_string(text), stdout);
    text_free(text);
    return done ? 0 : complain(error->text, "");
}

static int show_devices(const struct command *command)
{
    struct text text = {0};
    struct gpu_error error;
    struct driver *driver;
    bool done = driver_open(command->worker.library, &driver, &error) &&
                gpu_devices_print(&text, driver, true, &error);

    driver_close(driver);
    return show(done, &text, &error);
}

static int show_latency(const struct command *command)
{
    struct text text = {0};
    struct gpu_error error;
    bool done = latency_measure(command->worker.library, command->worker.device, 2000, &text,
                                &error);

    return show(done, &text, &error);
}

static int show_trial(const struct command *command)
{
    struct text text = {0};
    struct gpu_error error;
    unsigned failures = 0;
    bool done = trial_run(command->worker.library, command->worker.device, &text, &failures,
                          &error);
    int status = show(done, &text, &error);

    return status ? status : failures ? 1 : 0;
}

/* Where the recording goes; bytes arrive a whole job at a time. The file is made with the
 * first of them: when there is no GPU, an older recording stays. */
struct destination {
    const char *path; /* NULL: standard output */
    FILE *file;
    bool failed;
};

static void write_piece(void *self, const char *bytes, size_t size)
{
    struct destination *to = self;

    if (!to->file && !to->failed) {
        to->file = to->path ? fopen(to->path, "wb") : stdout;
        if (!to->file)
            fprintf(stderr, "simtlab-record: %s: %s\n", to->path, strerror(errno));
    }
    if (!to->file || fwrite(bytes, 1, size, to->file) != size || fflush(to->file))
        to->failed = true;
}

static void say_missed(void *self, const char *job, const char *words, size_t size)
{
    (void)self;
    fprintf(stderr, "simtlab-record: job %s: %.*s\n", job, (int)size, words);
}

static int record_file(const struct command *command, struct arena *arena, const char *path,
                       struct destination *to, struct worker_counts *counts)
{
    struct worker_sink sink = {write_piece, to, say_missed};
    const char *why;
    size_t size;
    struct job_list list;
    struct gpu_error error;
    char *source = file_read(arena, path, &size, &why);

    if (!source) {
        fprintf(stderr, "simtlab-record: %s: %s\n", path, why);
        return 2;
    }
    struct diags diags = {.arena = arena, .name = path, .source = source, .source_size = size};
    if (!job_list_read(&diags, &list)) {
        struct text text = {0};
        diag_print(&text, &diags);
        fputs(text_string(&text), stderr);
        text_free(&text);
        return 2;
    }
    if (!worker_run(&list, &command->worker, !to->file, &sink, counts, &error))
        return complain(error.text, "");
    return to->failed ? complain("the recording could not be written", "") : 0;
}

static int close_output(struct destination *to, int status)
{
    if (to->file && to->path && fclose(to->file) && !status)
        status = complain("the recording could not be written", "");
    return status;
}

/* Each file into the recording beside it. */
static int record_beside(const struct command *command, struct arena *arena,
                         struct worker_counts *counts)
{
    int status = 0;

    for (int i = 0; i < command->file_count && !status; i++) {
        const char *path = command->files[i];
        size_t size = strlen(path);
        if (size < 4 || strcmp(path + size - 4, ".job"))
            return complain("not the name of a job file: ", path);
        /* The older recording stays until the new one is whole. */
        const char *output = arena_printf(arena, "%.*srec", (int)size - 3, path);
        struct destination to = {.path = arena_printf(arena, "%s.new", output)};
        status = close_output(&to, record_file(command, arena, path, &to, counts));
        if (!status && to.file && rename(to.path, output)) {
            fprintf(stderr, "simtlab-record: %s: %s\n", output, strerror(errno));
            status = 2;
        }
    }
    return status;
}

static int record_together(const struct command *command, struct arena *arena,
                           struct worker_counts *counts)
{
    struct destination to = {.path = command->output};
    int status = 0;

    for (int i = 0; i < command->file_count && !status; i++)
        status = record_file(command, arena, command->files[i], &to, counts);
    return close_output(&to, status);
}

static int record(const struct command *command)
{
    struct worker_counts counts = {{0}};
    struct arena arena = {0};
    int status = command->beside ? record_beside(command, &arena, &counts)
                                 : record_together(command, &arena, &counts);

    for (int end = 0; end < 5; end++)
        fprintf(stderr, "%s%u %s", end ? ", " : "jobs: ", counts.ended[end],
                recording_end_name((enum recording_end)end));
    fputc('\n', stderr);
    if (!status && (counts.ended[RECORDING_REFUSED] || counts.ended[RECORDING_TIMEOUT] ||
                    counts.ended[RECORDING_LOST]))
        status = 1;
    arena_free(&arena);
    return status;
}

int main(int count, char **words)
{
    struct command command = {.worker = {.timeout = 20}};
    int status;

    command.files = calloc((size_t)count + 1, sizeof *command.files);
    if (!command.files)
        return complain("out of host memory", "");
    status = parse(count, words, &command) - 1;
    if (status < 0)
        status = command.devices   ? show_devices(&command)
                 : command.latency ? show_latency(&command)
                 : command.trial   ? show_trial(&command)
                                   : record(&command);
    free(command.files);
    return status;
}
