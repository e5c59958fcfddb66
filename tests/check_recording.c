/* SPDX-License-Identifier: Apache-2.0
 *
 * check_recording.c - job files, recordings, and the processes between them. */
#define _GNU_SOURCE /* mkdtemp */
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "gpu/worker.h"

static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".entry store_index(.param .u64 p, .param .u32 n) { ret; }\n"
    ".entry add_one(.param .u64 p, .param .u64 q, .param .u32 n) { ret; }\n"
    ".entry fault_address() { ret; }\n.entry say_hello() { ret; }\n"
    ".entry kill_process() { ret; }\n"
    ".entry by_value(.param .align 4 .b8 s[8], .param .f32 x) { ret; }\n";

static struct diags diags_of(struct arena *arena, const char *name, const char *source)
{
    return (struct diags){.arena = arena, .name = name, .source = source,
                          .source_size = strlen(source)};
}

START_TEST(sha256_of_the_standard)
{
    /* FIPS 180-4 examples, and the empty message. */
    static const char LONG[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char hex[SHA256_HEX];

    sha256_hex("", 0, hex);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex("abc", 3, hex);
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex(LONG, sizeof LONG - 1, hex);
    ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    sha256_hex(million, 1000000, hex);
    free(million);
    ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(job_files_are_read)
{
    struct arena arena = {0};
    struct job_list list;
    struct diags diags = diags_of(&arena, "x.job",
                                  "# two jobs\njob one\n  ptx a.ptx\n\tkernel k\n grid 2 3\n"
                                  "block 32\nshared 100\ncluster 2 1 1\ncooperative\n"
                                  "arg f32[4]=iota\narg 7\noutput 0\nglobal g u32\r\n"
                                  "job two\nptx b.ptx\nheap 1000\nstack 2000\nprintf 3000");

    ck_assert(job_list_read(&diags, &list));
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.items[0].launch.kernel, "k");
    ck_assert_uint_eq(list.items[0].launch.grid[1], 3);
    ck_assert_uint_eq(list.items[0].launch.grid[2], 1);
    ck_assert_uint_eq(list.items[0].launch.shared, 100);
    ck_assert(list.items[0].launch.cooperative);
    ck_assert_str_eq(list.items[0].launch.arguments[1], "7");
    ck_assert_uint_eq(list.items[0].output_count, 1);
    ck_assert_str_eq(list.items[0].globals[0].name, "g");
    ck_assert_uint_eq(list.items[1].launch.block[0], 1);
    ck_assert_uint_eq(list.items[1].launch.printf_buffer, 3000);
    arena_free(&arena);
}
END_TEST

START_TEST(job_mistakes_have_places)
{
    static const struct {
        const char *source, *text;
    } cases[] = {
        {"ptx a\n", "x.job:1:1: error: a job file begins with a job line"},
        {"job a\nptx p\ngrid 0\n", "x.job:3:6: error: grid needs one to three positive numbers"},
        {"job a\nptx p\nblock 1 2 3 4\n", "x.job:3:7: error: block needs one to three"},
        {"job a\nptx p\nshared x\n", "x.job:3:8: error: shared needs a number of bytes"},
        {"job a\nptx p\noutput 0\n", "x.job:1:1: error: job a: output 0, but there are 0"},
        {"job a\nptx p\nfrob 1\n", "x.job:3:1: error: 'frob' is not known in a job file"},
        {"job a\nkernel k\n", "x.job:1:1: error: job a has no ptx line"},
        {"job a\nptx p\nglobal g f99\n", "x.job:3:8: error: global needs a name"},
        {"job a\nptx p\narg &0\n", "x.job:3:5: error: &0: there is no such argument before"},
        {"job a\nptx p\nthen\nheap 1\n", "x.job:4:1: error: heap holds for the whole job"},
        {"job a\nptx p\narg 1\nthen\narg 2\noutput 2\n",
         "x.job:1:1: error: job a: output 2, but there are 2 arguments"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct job_list list;
        struct text text = {0};
        struct diags diags = diags_of(&arena, "x.job", cases[i].source);
        ck_assert(!job_list_read(&diags, &list));
        diag_print(&text, &diags);
        ck_assert_msg(strstr(text_string(&text), cases[i].text) != NULL, "%s",
                      text_string(&text));
        text_free(&text);
        arena_free(&arena);
    }
}
END_TEST

static void check_round_trip(bool binary)
{
    static const unsigned char bytes[] = "\n\0job x\nend ok\n\xff#123";
    static const uint16_t same[3] = {0x3c00, 0x3c00, 0x3c00};
    static const char *arguments[] = {"f16[3]=1", "null"};
    struct recording_output outputs[] = {
        {RECORDED_ARGUMENT, 0, "", ELEMENT_F16, 3, (const unsigned char *)same},
        {RECORDED_GLOBAL, 0, "table", ELEMENT_U32, sizeof bytes / 4, bytes},
        {RECORDED_PRINTF, 0, "", ELEMENT_U8, 1, bytes},
    };
    struct recording_job jobs[] = {
        {.launch = {.name = "first of two", .ptx = "d/k.ptx", .kernel = "k", .grid = {1, 2, 3},
                    .block = {4, 5, 6}, .cluster = {1, 2, 1}, .shared = 7, .cooperative = true,
                    .stack = 8, .heap = 9, .printf_buffer = 10, .arguments = arguments,
                    .argument_count = 2},
         .ptx_hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
         .resources_known = true, .registers = 11, .static_shared = 12, .local = 13,
         .constant = 14, .items = outputs, .count = 3},
        {.launch = {.name = "second", .ptx = "e.ptx", .grid = {1, 1, 1}, .block = {1, 1, 1}},
         .end = RECORDING_FAULT, .code = 700, .text = "two\nlines"},
    };
    struct recording_chip chip = {"NVIDIA H200", "sm_90", "580.1", "13.0"};
    struct text text = {0}, again = {0};
    struct arena arena = {0};
    struct recording recording;

    recording_write_chip(&text, &chip);
    for (int i = 0; i < 2; i++)
        recording_write_job(&text, &jobs[i], binary);
    struct diags diags = {.arena = &arena, .name = "r", .source = text.data,
                          .source_size = text.size};
    ck_assert(recording_read(&diags, &recording));
    ck_assert_str_eq(recording.chip.device, "NVIDIA H200");
    ck_assert_uint_eq(recording.count, 2);
    const struct recording_job *job = &recording.items[0];
    ck_assert_str_eq(job->launch.name, "first of two");
    ck_assert_uint_eq(job->local, 13);
    ck_assert_uint_eq(job->count, 3);
    ck_assert_mem_eq(job->items[0].bytes, same, sizeof same);
    ck_assert_str_eq(job->items[1].name, "table");
    ck_assert_mem_eq(job->items[1].bytes, bytes, job->items[1].count * 4);
    ck_assert_int_eq(job->items[2].source, RECORDED_PRINTF);
    ck_assert_int_eq(recording.items[1].code, 700);
    ck_assert_str_eq(recording.items[1].text, "two lines");
    recording_write_chip(&again, &recording.chip);
    for (int i = 0; i < 2; i++)
        recording_write_job(&again, &recording.items[i], binary);
    ck_assert_uint_eq(text.size, again.size);
    ck_assert_mem_eq(text.data, again.data, text.size);
    /* No shortened recording is read beyond its end. */
    for (size_t size = 0; size < text.size; size++) {
        struct arena scratch = {0};
        char *part = malloc(size + 1);
        memcpy(part, text.data, size);
        struct diags cut = {.arena = &scratch, .name = "r", .source = part, .source_size = size};
        recording_read(&cut, &recording);
        free(part);
        arena_free(&scratch);
    }
    text_free(&text);
    text_free(&again);
    arena_free(&arena);
}

START_TEST(recordings_round_trip)
{
    check_round_trip(false);
    check_round_trip(true);
}
END_TEST

START_TEST(damaged_recordings_are_refused)
{
    static const struct {
        const char *source, *text;
    } cases[] = {
        {"", "r:1:1: error: this is no recording"},
        {"simtlab-recording 2\n", "r:1:19: error: recordings of version 2 cannot be read"},
        {"simtlab-recording 1\nfoo\n", "r:2:1: error: 'foo' is not known before the first job"},
        {"simtlab-recording 1\njob a\noutput 0 u8 4 raw\nab\n", "r:3:1: error: the bytes"},
        {"simtlab-recording 1\njob a\noutput 0 u8 2 hex\n0g\n", "r:3:1: error: the bytes"},
        {"simtlab-recording 1\njob a\noutput 0 u32 2 fill 00\n", "r:3:1: error: the bytes"},
        {"simtlab-recording 1\njob a\noutput 0 u8 0 fill 00\n", "r:3:1: error: the bytes"},
        {"simtlab-recording 1\njob a\noutput 0 u8 99999999999999 fill 00\n", "r:3:1: error: the b"},
        {"simtlab-recording 1\njob a\noutput 0 u8\n", "r:3:1: error: an output needs what"},
        {"simtlab-recording 1\njob a\nend maybe\n", "r:3:5: error: end needs ok"},
        {"simtlab-recording 1\njob a\nend fault x y\n", "r:3:5: error: end needs a code"},
        {"simtlab-recording 1\njob a\nsha256 12\n", "r:3:8: error: sha256 needs 64 digits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct recording recording;
        struct text text = {0};
        struct diags diags = diags_of(&arena, "r", cases[i].source);
        ck_assert_msg(!recording_read(&diags, &recording), "%s", cases[i].source);
        diag_print(&text, &diags);
        ck_assert_msg(strstr(text_string(&text), cases[i].text) != NULL, "%s",
                      text_string(&text));
        text_free(&text);
        arena_free(&arena);
    }
}
END_TEST

static void take(void *self, const char *bytes, size_t size)
{
    text_add(self, bytes, size);
}

/* Runs the jobs in a fresh folder with k.ptx in it. */
static void run_jobs(struct arena *arena, const char *source, struct recording *recording,
                     struct worker_counts *counts)
{
    char folder[] = "/tmp/check_recording.XXXXXX";
    struct worker_options options = {.library = FAKE_CUDA, .timeout = 600};
    struct text out = {0};
    struct worker_sink sink = {.take = take, .self = &out};
    struct job_list list;
    struct gpu_error error;
    const char *why;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    char *ptx = arena_printf(arena, "%s/k.ptx", folder);
    char *raw = arena_printf(arena, "%s/x.bin", folder);
    ck_assert(file_write(ptx, PTX, sizeof PTX - 1, &why));
    ck_assert(file_write(raw, "\1\0\0\0\5\0\0\0", 8, &why));
    struct diags jobs = diags_of(arena, arena_printf(arena, "%s/x.job", folder), source);
    ck_assert(job_list_read(&jobs, &list));
    *counts = (struct worker_counts){{0}};
    ck_assert_msg(worker_run(&list, &options, true, &sink, counts, &error), "%s", error.text);
    struct diags diags = diags_of(arena, "out", arena_copy(arena, out.data, out.size));
    diags.source_size = out.size;
    ck_assert(recording_read(&diags, recording));
    text_free(&out);
    unlink(ptx);
    unlink(raw);
    rmdir(folder);
}

START_TEST(jobs_become_recordings)
{
    struct arena arena = {0};
    struct recording recording;
    struct worker_counts counts;
    char hash[SHA256_HEX];

    run_jobs(&arena,
             "job index\nptx k.ptx\nkernel store_index\narg u32[4]\narg 3\noutput 0\n"
             "global counter u32\n"
             "job file\nptx k.ptx\nkernel add_one\narg @x.bin\narg u32[2]\narg 2\noutput 0 1\n"
             "job hello\nptx k.ptx\nkernel say_hello\n",
             &recording, &counts);
    ck_assert_str_eq(recording.chip.device, "Fake GPU 0");
    ck_assert_str_eq(recording.chip.target, "sm_90");
    ck_assert_uint_eq(counts.ended[RECORDING_OK], 3);
    const struct recording_job *job = recording.items;
    sha256_hex(PTX, sizeof PTX - 1, hash);
    ck_assert_str_eq(job[0].ptx_hash, hash);
    ck_assert_uint_eq(job[0].registers, 24);
    static const uint32_t thirds[4] = {0, 3, 6, 0}; /* the last is not stored: zero */
    ck_assert_mem_eq(job[0].items[0].bytes, thirds, sizeof thirds);
    ck_assert_uint_eq(element_load(ELEMENT_U32, job[0].items[1].bytes + 8), 7);
    ck_assert_uint_eq(job[1].count, 2);
    ck_assert_uint_eq(element_load(ELEMENT_U32, job[1].items[1].bytes + 4), 6);
    ck_assert_int_eq(job[2].items[0].source, RECORDED_PRINTF);
    ck_assert_mem_eq(job[2].items[0].bytes, "hello from the device\n", 22);
    arena_free(&arena);
}
END_TEST

START_TEST(launches_of_a_job_share_memory)
{
    static const uint32_t doubled[4] = {1, 4, 7, 1}, last[4] = {2, 5, 8, 2};
    struct arena arena = {0};
    struct recording recording, again;
    struct worker_counts counts;
    struct text text = {0};

    run_jobs(&arena,
             "job three\nptx k.ptx\nkernel store_index\nblock 4\narg u32[4]\narg 3\noutput 3 6\n"
             "then\nkernel add_one\narg &0\narg u32[4]\narg 4\n"
             "then\nblock 8\narg &3\narg u32[4]\narg 4\n"
             "job scalar\nptx k.ptx\nkernel store_index\narg u32[4]\narg 3\n"
             "then\narg &1\narg 3\n",
             &recording, &counts);
    const struct recording_job *job = recording.items;
    ck_assert_int_eq(job[0].end, RECORDING_OK);
    ck_assert_mem_eq(job[0].items[0].bytes, doubled, sizeof doubled);
    ck_assert_mem_eq(job[0].items[1].bytes, last, sizeof last);
    ck_assert_str_eq(job[1].text, "argument 2, &1: that one is no buffer");

    /* What was written reads back as the same launches. */
    recording_write_chip(&text, &recording.chip);
    recording_write_job(&text, &job[0], false);
    struct diags diags = diags_of(&arena, "again", text_string(&text));
    ck_assert(recording_read(&diags, &again));
    const struct recording_launch *second = again.items[0].launch.next;
    ck_assert_str_eq(second->kernel, "add_one");
    ck_assert_uint_eq(second->block[0], 4);
    ck_assert_uint_eq(second->first_argument, 2);
    ck_assert_uint_eq(second->next->block[0], 8);
    ck_assert_str_eq(second->next->arguments[0], "&3");
    ck_assert_ptr_null(second->next->next);
    text_free(&text);
    arena_free(&arena);
}
END_TEST

START_TEST(bad_jobs_do_not_stop_the_rest)
{
    struct arena arena = {0};
    struct recording recording;
    struct worker_counts counts;

    run_jobs(&arena,
             "job fault\nptx k.ptx\nkernel fault_address\n"
             "job dies\nptx k.ptx\nkernel kill_process\n"
             "job none\nptx missing.ptx\n"
             "job many\nptx k.ptx\n"
             "job count\nptx k.ptx\nkernel store_index\narg 1\n"
             "job type\nptx k.ptx\nkernel store_index\narg null\narg f32[2]\n"
             "job fits\nptx k.ptx\nkernel store_index\narg null\narg 4294967296\n"
             "job bytes\nptx k.ptx\nkernel by_value\narg hex:0102\narg 1.5\n"
             "job struct\nptx k.ptx\nkernel by_value\narg 5\narg 1.5\n"
             "job large\nptx k.ptx\nkernel by_value\nblock 2000\narg hex:0102030405060708\narg 1.5\n"
             "job limits\nptx k.ptx\nkernel say_hello\nheap 1000\nprintf 2000\nstack 3000\n"
             "job good\nptx k.ptx\nkernel by_value\narg hex:0102030405060708\narg 1.5\n",
             &recording, &counts);
    static const struct {
        enum recording_end end;
        int code;
        const char *text;
    } expected[] = {
        {RECORDING_FAULT, 700, "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal "
                               "memory access was encountered"},
        {RECORDING_LOST, 6, "the process died"},
        {RECORDING_REFUSED, 0, "missing.ptx: No such file or directory"},
        {RECORDING_REFUSED, 0, "k.ptx: the file has 6 kernels, say which: store_index, "
                                "add_one, fault_address, say_hello, kill_process, by_value"},
        {RECORDING_REFUSED, 0, "kernel store_index has 2 parameters, not 1"},
        {RECORDING_REFUSED, 0, "argument 1, f32[2]: the parameter is no pointer"},
        {RECORDING_REFUSED, 0, "argument 1: 4294967296 does not fit in u32"},
        {RECORDING_REFUSED, 0, "argument 0 has 2 bytes, the parameter 8"},
        {RECORDING_REFUSED, 0, "argument 0, 5: the parameter is a struct: it needs hex:"},
        {RECORDING_REFUSED, 0, "by_value: the block's x is 2000, at most 1024"},
        {RECORDING_OK, 0, ""},
        {RECORDING_OK, 0, ""},
    };
    ck_assert_uint_eq(recording.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct recording_job *job = &recording.items[i];
        ck_assert_str_eq(job->text, expected[i].text);
        ck_assert_int_eq(job->end, expected[i].end);
        ck_assert_int_eq(job->code, expected[i].code);
    }
    arena_free(&arena);
}
END_TEST

START_TEST(no_driver_no_recording)
{
    struct arena arena = {0};
    struct worker_options options = {.library = "/nonexistent/libcuda.so", .timeout = 600};
    struct diags diags = diags_of(&arena, "x.job", "job a\nptx k.ptx\n");
    struct worker_counts counts = {{0}};
    struct text out = {0};
    struct worker_sink sink = {.take = take, .self = &out};
    struct job_list list;
    struct gpu_error error;

    ck_assert(job_list_read(&diags, &list));
    ck_assert(!worker_run(&list, &options, true, &sink, &counts, &error));
    ck_assert_int_eq(error.failure, GPU_NO_DRIVER);
    ck_assert_uint_eq(out.size, 0);
    arena_free(&arena);
}
END_TEST

SUITE("recording", {
    TEST(sha256_of_the_standard);
    TEST(job_files_are_read);
    TEST(job_mistakes_have_places);
    TEST(recordings_round_trip);
    TEST(damaged_recordings_are_refused);
    TEST(jobs_become_recordings);
    TEST(launches_of_a_job_share_memory);
    TEST(bad_jobs_do_not_stop_the_rest);
    TEST(no_driver_no_recording);
})
