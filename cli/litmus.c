/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus.c - the command `simtlab litmus`: options in, files out. */
#include "config.h"

#include "cli/litmus.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/litmus_gpu.h"
#include "cli/litmus_emu.h"
#include "memmodel/memmodel.h"

static const char help[] =
    "usage: simtlab litmus [options] FILE...\n"
    "\n"
    "Shows every outcome of a litmus test that a memory model allows, and why the\n"
    "others are forbidden. FILE is a .litmus test (PTX bodies or the Dat3M grammar), a\n"
    "directory of tests, or a list of expected results (.csv: path,1 where the\n"
    "condition holds, path,0 where it does not).\n"
    "\n"
    "  --model MODEL     ptx-7.5 (default), ptx-6.0, sc or tso\n"
    "  --diff MODEL      also compare with a second model\n"
    "  --without PART    leave an axiom or a rule out (see --list); repeatable\n"
    "  --bound N         follow loops for N repetitions (default 2)\n"
    "  --limit N         give up after N steps of the search (default 2000000)\n"
    "  --liveness        ask whether every execution ends, not about the condition\n"
    "  --repair          what would forbid the outcome, or what is stronger than needed\n"
    "  --all             explain every outcome, not only the one asked about\n"
    "  --brief           only states and verdict; for suites only what went wrong\n"
    "  --against LIST    run the test, too, and compare what is seen: emu is the\n"
    "                    emulator, weak is the emulator with loads that return older\n"
    "                    values, cuda:0 a GPU (a recording where there is none)\n"
    "  --runs N          how often on the emulator, each with another seed (default 100)\n"
    "  --instances N     how many on a GPU, in each place, at least (default 1000000)\n"
    "  --recording FILE  histograms that take the place of GPUs (default, where there is\n"
    "                    none: histograms.txt in the folder of the test or around it)\n"
    "  --record FILE     write the histograms of the GPUs that are here\n"
    "  --races           with --against emu or weak: the race checker looks on, and\n"
    "                    what it reports is compared with the races of the model;\n"
    "                    states show every register and all of global memory\n"
    "  --show KIND       draw the execution: dot, svg or html; ptx: the kernel that\n"
    "                    --against runs; program or\n"
    "                    program:PLACE: the one of many instances for GPUs (PLACE:\n"
    "                    own, warp, block, cluster or gpu)\n"
    "  --relation NAME   print a relation of that execution: po ms rf obs sync bar sc\n"
    "                    cb ppcb cause co fr dep rmw\n"
    "  -o FILE           where --show or --generate writes (default: standard output)\n"
    "  --json FILE       write the machine-readable report (- for standard output)\n"
    "  --root DIR        where the paths of a list start (default: the list's folder)\n"
    "  --lenient-proxies a proxy fence may be executed by another block\n"
    "  --drop-false-dependencies\n"
    "                    xor r,r and the like depend on nothing\n"
    "  --generate CYCLE  write the test of a cycle such as \"PodWW Rfe PodRR Fre\"\n"
    "  --name NAME       its name\n"
    "  --list            the models with their axioms and rules\n"
    "  --help            this text\n"
    "\n"
    "Exit status: 0 a verdict was reached (and as expected), 1 a test of a suite, or a\n"
    "file with an expectation, gave something else, 2 no verdict.\n";

enum { MAX_EXECUTORS = 8, DEFAULT_RUNS = 100, DEFAULT_INSTANCES = 1000000 };

struct request {
    struct litmus_options options;
    struct litmus_executor executors[MAX_EXECUTORS];
    uint32_t executor_count;
    struct litmus_gpu *gpus[MAX_EXECUTORS];
    struct litmus_emulator emulator, weak;
    uint64_t runs, instances;
    struct arena arena;
    const char *json, *output, *generate, *name, *against, *record;
    bool help, list, bad;
};

static bool read_number(struct request *q, const char *name, const char *text,
                        uint64_t most, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno && *value >= 1 && *value <= most)
        return true;
    fprintf(stderr, "simtlab litmus: --%s needs a number from 1 to %llu, not '%s'\n", name,
            (unsigned long long)most, text);
    q->bad = true;
    return false;
}

static void read_show(struct request *q, const char *kind)
{
    if (!strcmp(kind, "dot"))
        q->options.show = LITMUS_SHOW_DOT;
    else if (!strcmp(kind, "svg"))
        q->options.show = LITMUS_SHOW_SVG;
    else if (!strcmp(kind, "html"))
        q->options.show = LITMUS_SHOW_HTML;
    else if (!strcmp(kind, "ptx"))
        q->options.show = LITMUS_SHOW_PTX;
    else if (!strncmp(kind, "program", 7) && (!kind[7] || kind[7] == ':')) {
        q->options.show = LITMUS_SHOW_PROGRAM;
        q->options.place = kind[7] ? kind + 8 : NULL;
    } else {
        fprintf(stderr, "simtlab litmus: --show takes dot, svg, html, ptx or program, not '%s'\n",
                kind);
        q->bad = true;
    }
}

/* cuda:N: the GPU, or why it is absent. False when the name is none. */
static bool add_gpu(struct request *q, const char *name, struct litmus_executor *e)
{
    struct text err = {0};
    char *end;
    unsigned long number = strtoul(name + strlen("cuda:"), &end, 10);

    if (strncmp(name, "cuda:", strlen("cuda:")) || !name[strlen("cuda:")] || *end ||
        number > 1023)
        return false;
    struct litmus_gpu *gpu = NULL;
    if (q->options.recording) /* in the place of any GPU */
        text_puts(&err, "asked for by --recording");
    else
        gpu = litmus_gpu_open((int)number, &err);
    q->gpus[q->executor_count] = gpu;
    if (gpu) {
        e->device = litmus_gpu_device(gpu);
        e->chip = litmus_gpu_chip(gpu);
        e->driver = litmus_gpu_driver(gpu);
    } else {
        const char *reason = text_string(&err);
        e->absent = arena_copy(&q->arena, reason, strcspn(reason, "\n"));
    }
    e->runs = q->instances;
    text_free(&err);
    return true;
}

static void add_executor(struct request *q, const char *name)
{
    struct litmus_executor *e = &q->executors[q->executor_count];

    if (q->executor_count == MAX_EXECUTORS) {
        fputs("simtlab litmus: --against has too many names\n", stderr);
        q->bad = true;
        return;
    }
    *e = (struct litmus_executor){.name = name, .runs = q->runs};
    if (!strcmp(name, "emu")) {
        e->run = litmus_run_emulated;
        e->self = &q->emulator;
    } else if (!strcmp(name, "weak")) {
        q->weak = (struct litmus_emulator){.races = q->emulator.races, .weak = true};
        e->run = litmus_run_emulated;
        e->self = &q->weak;
    } else if (!strcmp(name, "emu:many")) {
        e->device = litmus_emulated_device(&q->arena);
        e->chip = "emulator";
        e->driver = "-";
        e->runs = q->instances;
    } else if (!add_gpu(q, name, e)) {
        fprintf(stderr, "simtlab litmus: --against takes emu, weak and cuda:N, not '%s'\n", name);
        q->bad = true;
        return;
    }
    q->executor_count++;
}

static void open_executors(struct request *q)
{
    char *names = arena_strdup(&q->arena, q->against);

    for (char *name = strtok(names, ","); name && !q->bad; name = strtok(NULL, ","))
        add_executor(q, name);
    q->options.executors = q->executors;
    q->options.executor_count = q->executor_count;
}

static void close_executors(struct request *q)
{
    for (uint32_t i = 0; i < q->executor_count; i++)
        litmus_gpu_close(q->gpus[i]);
    arena_free(&q->arena);
}

enum {
    OPT_MODEL = 256, OPT_DIFF, OPT_WITHOUT, OPT_BOUND, OPT_LIMIT, OPT_LIVENESS,
    OPT_REPAIR, OPT_AGAINST, OPT_RUNS, OPT_INSTANCES, OPT_RECORDING, OPT_RECORD, OPT_RACES,
    OPT_ALL, OPT_BRIEF, OPT_SHOW,
    OPT_RELATION, OPT_JSON, OPT_ROOT, OPT_LENIENT, OPT_DROP, OPT_GENERATE, OPT_NAME,
    OPT_LIST, OPT_HELP
};

static const struct option long_options[] = {
    {"model", required_argument, NULL, OPT_MODEL},
    {"diff", required_argument, NULL, OPT_DIFF},
    {"without", required_argument, NULL, OPT_WITHOUT},
    {"bound", required_argument, NULL, OPT_BOUND},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"liveness", no_argument, NULL, OPT_LIVENESS},
    {"repair", no_argument, NULL, OPT_REPAIR},
    {"against", required_argument, NULL, OPT_AGAINST},
    {"runs", required_argument, NULL, OPT_RUNS},
    {"instances", required_argument, NULL, OPT_INSTANCES},
    {"recording", required_argument, NULL, OPT_RECORDING},
    {"record", required_argument, NULL, OPT_RECORD},
    {"races", no_argument, NULL, OPT_RACES},
    {"all", no_argument, NULL, OPT_ALL},
    {"brief", no_argument, NULL, OPT_BRIEF},
    {"show", required_argument, NULL, OPT_SHOW},
    {"relation", required_argument, NULL, OPT_RELATION},
    {"json", required_argument, NULL, OPT_JSON},
    {"root", required_argument, NULL, OPT_ROOT},
    {"lenient-proxies", no_argument, NULL, OPT_LENIENT},
    {"drop-false-dependencies", no_argument, NULL, OPT_DROP},
    {"generate", required_argument, NULL, OPT_GENERATE},
    {"name", required_argument, NULL, OPT_NAME},
    {"list", no_argument, NULL, OPT_LIST},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static void read_options(struct request *q, int argc, char **argv)
{
    struct litmus_options *o = &q->options;
    uint64_t number;
    char name[] = "simtlab litmus", *command = argv[0];
    int option;

    argv[0] = name; /* getopt's messages begin with it */
    optind = 1;
    while ((option = getopt_long(argc, argv, "ho:", long_options, NULL)) != -1)
        switch (option) {
        case OPT_MODEL: o->model = optarg; break;
        case OPT_DIFF: o->other_model = optarg; break;
        case OPT_WITHOUT:
            if (o->without_count < LITMUS_MAX_REMOVED)
                o->without[o->without_count++] = optarg;
            break;
        case OPT_BOUND:
            if (read_number(q, "bound", optarg, 1000, &number))
                o->bound = (uint32_t)number;
            break;
        case OPT_LIMIT:
            if (read_number(q, "limit", optarg, UINT32_MAX, &number))
                o->limit = number;
            break;
        case OPT_LIVENESS: o->liveness = true; break;
        case OPT_REPAIR: o->repair = true; break;
        case OPT_AGAINST: q->against = optarg; break;
        case OPT_RUNS:
            if (read_number(q, "runs", optarg, 1000000, &number))
                q->runs = number;
            break;
        case OPT_INSTANCES:
            if (read_number(q, "instances", optarg, 1000000000000, &number))
                q->instances = number;
            break;
        case OPT_RECORDING: o->recording = optarg; break;
        case OPT_RECORD: q->record = optarg; break;
        case OPT_RACES: q->emulator.races = o->whole_states = true; break;
        case OPT_ALL: o->explain_all = true; break;
        case OPT_BRIEF: o->brief = true; break;
        case OPT_SHOW: read_show(q, optarg); break;
        case OPT_RELATION: o->relation = optarg; break;
        case OPT_JSON: q->json = optarg; break;
        case OPT_ROOT: o->root = optarg; break;
        case OPT_LENIENT: o->lenient_proxies = true; break;
        case OPT_DROP: o->false_dependencies_dropped = true; break;
        case OPT_GENERATE: q->generate = optarg; break;
        case OPT_NAME: q->name = optarg; break;
        case OPT_LIST: q->list = true; break;
        case 'o': q->output = optarg; break;
        case 'h': case OPT_HELP: q->help = true; break;
        default: q->bad = true; break;
        }
    argv[0] = command;
    o->paths = (const char *const *)argv + optind;
    o->path_count = (size_t)(argc - optind);
}

/* False when the file cannot be written; "-" and NULL are standard output. */
static bool write_file(const char *path, const struct text *text)
{
    FILE *file = !path || !strcmp(path, "-") ? stdout : fopen(path, "wb");

    if (file) {
        bool good = fwrite(text_string(text), 1, text->size, file) == text->size;
        if (file != stdout)
            good = fclose(file) == 0 && good;
        if (good)
            return true;
    }
    fprintf(stderr, "simtlab litmus: cannot write %s: %s\n", path ? path : "the output",
            strerror(errno));
    return false;
}

static int run(const struct request *q)
{
    struct litmus_output output = {0};
    int status = litmus_command(&q->options, &output);
    bool json_to_stdout = q->json && !strcmp(q->json, "-");
    bool picture_to_stdout = q->options.show && (!q->output || !strcmp(q->output, "-"));

    /* Standard output is for one thing: the report, unless another was asked for. */
    if (!json_to_stdout && !picture_to_stdout && !write_file(NULL, &output.out))
        status = 2;
    if (q->json && output.json.size && !write_file(q->json, &output.json))
        status = 2;
    if (q->options.show && output.picture.size && !write_file(q->output, &output.picture))
        status = 2;
    if (q->record && output.histograms.size && !write_file(q->record, &output.histograms))
        status = 2;
    fputs(text_string(&output.err), stderr);
    text_free(&output.histograms);
    text_free(&output.out);
    text_free(&output.err);
    text_free(&output.json);
    text_free(&output.picture);
    return status;
}

static int generate(const struct request *q)
{
    struct text out = {0}, err = {0};
    int status = litmus_generate(q->generate, q->name, &out, &err);

    if (!status && !write_file(q->output, &out))
        status = 2;
    fputs(text_string(&err), stderr);
    text_free(&out);
    text_free(&err);
    return status;
}

int cli_litmus(int argc, char **argv)
{
    struct request q = {.runs = DEFAULT_RUNS, .instances = DEFAULT_INSTANCES};

    read_options(&q, argc, argv);
    if (q.bad) {
        fputs("try 'simtlab litmus --help'\n", stderr);
        return 2;
    }
    if (q.help) {
        fputs(help, stdout);
        return 0;
    }
    if (q.list) {
        struct text out = {0};
        litmus_list(&out);
        bool good = write_file(NULL, &out);
        text_free(&out);
        return good ? 0 : 2;
    }
    if (q.generate)
        return generate(&q);
    if (!q.options.path_count) {
        fputs("simtlab litmus: no file; try 'simtlab litmus --help'\n", stderr);
        return 2;
    }
    if (q.against)
        open_executors(&q);
    int status = q.bad ? 2 : run(&q);
    close_executors(&q);
    return status;
}
