/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_readers.c - libFuzzer target: any bytes to a reader of other text than kernels.
 *
 * FUZZ_READER in the environment names it. A reader must return, a refusal must say
 * why, and what it accepted must survive what is done with it next.
 *     make fuzz-readers */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/demangle.h"
#include "api/npy.h"
#include "api/suppress.h"
#include "base/argument.h"
#include "base/tensor_map.h"
#include "conformance/known.h"
#include "gpu/job.h"
#include "gpu/launch_lines.h"
#include "gpu/recording.h"
#include "gpu/signature.h"
#include "memmodel/against.h"
#include "memmodel/graph.h"
#include "memmodel/histogram.h"
#include "memmodel/kernel.h"
#include "memmodel/many.h"
#include "memmodel/memmodel.h"
#include "memmodel/repair.h"
#include "memmodel/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { FILLED_AT_MOST = 1 << 20, SEARCH_STEPS = 3000 };

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void require_place(const struct diags *diags)
{
    struct text shown = {0};

    diag_print(&shown, diags);
    require(diags->errors > 0 && shown.size > 0, "refused without a reason");
    text_free(&shown);
}

static void read_job(struct arena *arena, const char *text, size_t size)
{
    struct diags diags = {.arena = arena, .name = "fuzz.job", .source = text, .source_size = size};
    struct job_list list;
    struct text out = {0};

    if (!job_list_read(&diags, &list)) {
        require_place(&diags);
        return;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        const struct job *job = &list.items[i];
        uint32_t arguments = launch_argument_count(&job->launch);
        for (uint32_t k = 0; k < job->output_count; k++)
            require(job->outputs[k] < arguments, "an output that is no argument");
        launch_lines_write(&out, &job->launch);
    }
    text_free(&out);
}

/* Written again it must read again, as the same. */
static void read_recording(struct arena *arena, const char *text, size_t size)
{
    struct diags diags = {.arena = arena, .name = "fuzz.rec", .source = text, .source_size = size};
    struct recording recording, again;

    if (!recording_read(&diags, &recording)) {
        require_place(&diags);
        return;
    }
    for (int binary = 0; binary < 2; binary++) {
        struct text out = {0};
        recording_write_chip(&out, &recording.chip);
        for (uint32_t i = 0; i < recording.count; i++)
            recording_write_job(&out, &recording.items[i], binary);
        struct diags second = {.arena = arena, .name = "again.rec",
                               .source = text_string(&out), .source_size = out.size};
        if (!recording_read(&second, &again)) {
            struct text shown = {0};
            diag_print(&shown, &second);
            fprintf(stderr, "%s\n%s\n", text_string(&shown), text_string(&out));
            require(false, "a recording that was written does not read");
        }
        require(again.count == recording.count, "a recording lost jobs");
        text_free(&out);
    }
}

static void read_known(struct arena *arena, const char *text, size_t size)
{
    struct diags diags = {.arena = arena, .name = "fuzz.known", .source = text,
                          .source_size = size};
    struct known_list list;

    if (!known_read(&diags, &list)) {
        require_place(&diags);
        return;
    }
    const struct known_entry *entry = known_find(&list, "saxpy");
    known_ignores(entry, 1, 7);
    known_ignores_text(entry);
}

static void read_suppressions(struct arena *arena, const char *text, size_t size)
{
    struct suppressions list;
    struct text error = {0}, notes = {0};
    struct sl_report report = {0};

    if (!suppressions_read(arena, "fuzz", arena_copy(arena, text, size), &list, &error))
        require(error.size > 0, "refused without a reason");
    else
        suppressions_apply(&list, &report, 20260101, &notes);
    text_free(&error);
    text_free(&notes);
}

static void read_npy(struct arena *arena, const char *text, size_t size)
{
    struct npy npy;
    struct text header = {0};
    const char *problem = npy_read(arena, (const unsigned char *)text, size, &npy);

    if (problem) {
        require(*problem, "refused without a reason");
        return;
    }
    unsigned sum = 0;
    for (uint64_t i = 0; i < npy.size; i++)
        sum += npy.data[i];
    require(sum < UINT32_MAX, "");
    npy_write_header(&header, &npy);
    text_free(&header);
}

static void read_argument(struct arena *arena, const char *text, size_t size)
{
    struct argument argument;
    const char *problem = argument_parse(arena, text, size, &argument);

    if (problem) {
        require(*problem, "refused without a reason");
        return;
    }
    if (argument.kind == ARGUMENT_STRUCT)
        for (size_t i = 0; i < argument.member_count; i++)
            read_argument(arena, argument.members[i], strlen(argument.members[i]));
    if (argument.kind == ARGUMENT_TENSOR) {
        unsigned char bytes[TENSOR_MAP_BYTES];
        argument.tensor.address = 1 << 20;
        tensor_map_encode(&argument.tensor, bytes);
    }
    if (argument.kind == ARGUMENT_TEXTURE)
        for (uint32_t i = 0; i < texture_levels_most(&argument.texture); i++)
            texture_level(&argument.texture, i);
    if ((argument.kind == ARGUMENT_BUFFER || argument.kind == ARGUMENT_TEXTURE ||
         argument.kind == ARGUMENT_TENSOR) && argument_buffer_size(&argument) <= FILLED_AT_MOST)
        argument_fill(&argument, arena_alloc(arena, argument_buffer_size(&argument)));
}

/* 128 bytes as a map, changed as tensormap.replace may. */
static void read_map(struct arena *arena, const char *text, size_t size)
{
    unsigned char bytes[TENSOR_MAP_BYTES] = {0}, again[TENSOR_MAP_BYTES];
    struct tensor_map map;

    (void)arena;
    memcpy(bytes, text, size < sizeof bytes ? size : sizeof bytes);
    for (size_t at = sizeof bytes; at + 9 <= size; at += 9) {
        uint64_t value;
        memcpy(&value, text + at + 1, sizeof value);
        tensor_map_replace(bytes, (unsigned char)text[at] % TENSOR_FIELDS, value);
    }
    if (tensor_map_decode(bytes, &map))
        tensor_map_encode(&map, again);
}

static void read_signature(struct arena *arena, const char *text, size_t size)
{
    struct signature signature;

    signature_read(arena, text, size, NULL, &signature);
    signature_read(arena, text, size, "kernel", &signature);
}

static void read_name(struct arena *arena, const char *text, size_t size)
{
    struct cxx_name name;

    cxx_demangle(arena, arena_copy(arena, text, size), &name);
    cxx_variable(arena, arena_copy(arena, text, size));
}

static void read_cycle(struct arena *arena, const char *text, size_t size)
{
    struct text out = {0}, err = {0};

    if (litmus_generate(arena_copy(arena, text, size), "fuzz", &out, &err) != 0)
        require(err.size > 0, "refused without a reason");
    text_free(&out);
    text_free(&err);
}

/* Analysed within a few steps, and made into the kernels that run it. */
static void read_litmus(struct arena *arena, const char *text, size_t size)
{
    static const char *const models[] = {"ptx-7.5", "ptx-6.0", "sc", "tso"};
    struct diags diags = {.arena = arena, .name = "fuzz.litmus", .source = text,
                          .source_size = size};
    struct search_options search = {.bound = 2, .limit = SEARCH_STEPS};
    struct analysis *a = ARENA_NEW(arena, struct analysis);

    if (memchr(text, 0, size))
        return; /* the program lets no such file through */
    struct test *test = test_read(arena, &diags, "fuzz.litmus", arena_copy(arena, text, size), size);
    if (!test) {
        require_place(&diags);
        return;
    }
    struct model model = *model_find(models[test->hash % 4]);
    struct text out = {0};
    struct outcomes outcomes = {0};
    struct litmus_kernel kernel = {0};
    struct many_program program = {0};
    analyse(arena, test, &model, &search, a);
    if (!a->search.problem && !a->search.gave_up) {
        report_states(&out, arena, a);
        if (!a->outside)
            find_forbidden(arena, a, &search, &outcomes);
        report_outcomes(&out, arena, a, &outcomes, true);
        report_races(&out, arena, a);
        report_notes(&out, a, search.bound);
        if (a->search.steps < 200)
            report_repairs(&out, arena, a, &search);
        json_decref(report_json(arena, a, &outcomes));
        write_html(&out, arena, a, &outcomes, "");
        litmus_kernel_write(arena, a, &kernel);
        many_write(arena, a, &program);
    }
    text_free(&out);
    text_free(&kernel.ptx);
    text_free(&program.ptx);
}

static const struct reader {
    const char *name;
    void (*read)(struct arena *arena, const char *text, size_t size);
} readers[] = {
    {"job", read_job},           {"rec", read_recording},  {"known", read_known},
    {"suppress", read_suppressions}, {"npy", read_npy},    {"argument", read_argument},
    {"map", read_map},           {"signature", read_signature}, {"name", read_name},
    {"cycle", read_cycle},       {"litmus", read_litmus},
};
static const struct reader *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_READER");

    (void)argc;
    (void)argv;
    for (size_t i = 0; name && i < sizeof readers / sizeof *readers; i++)
        if (!strcmp(name, readers[i].name))
            chosen = &readers[i];
    if (!chosen) {
        fprintf(stderr, "FUZZ_READER is one of");
        for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
            fprintf(stderr, " %s", readers[i].name);
        fprintf(stderr, "\n");
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};

    /* As files are held: a zero follows that does not count. */
    chosen->read(&arena, arena_copy(&arena, data, size), size);
    arena_free(&arena);
    return 0;
}
