/* SPDX-License-Identifier: Apache-2.0
 *
 * check_executors.c - one program on the emulator and on a GPU, chosen by name. The GPU
 * is the driver library of tests/fake_cuda.h, which knows these kernels. */
#include "tests/suite.h"

#include <dlfcn.h>
#include <string.h>

#include <simtlab/simtlab.h>

#include "tests/fake_cuda.h"

#define GPU "cuda:0@" FAKE_CUDA

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .u32 counter = 7;\n"
    ".visible .entry add_one(.param .u64 p, .param .u64 q, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %a<5>;\n"
    "    ld.param.u64 %a0, [p]; ld.param.u64 %a1, [q]; ld.param.u32 %r0, [n];\n"
    "    mov.u32 %r1, %tid.x; setp.ge.u32 %p, %r1, %r0; @%p ret;\n"
    "    mul.wide.u32 %a2, %r1, 4; add.u64 %a3, %a0, %a2; add.u64 %a4, %a1, %a2;\n"
    "    ld.global.u32 %r2, [%a3]; add.u32 %r3, %r2, 1; st.global.u32 [%a4], %r3; ret;\n"
    "}\n"
    ".visible .entry fault_address()\n"
    "{ .reg .b64 %a; mov.u64 %a, 0; st.global.u32 [%a], 1; ret; }\n"
    /* Only the stand-in makes of these what their names say. */
    ".global .texref picture;\n"
    ".visible .entry add_texels(.param .u64 t, .param .u32 n) { ret; }\n"
    ".visible .entry copy_picture(.param .u64 p, .param .u32 n) { ret; }\n"
    ".visible .entry say_hello() { ret; }\n";

/* The stand-in's own view of what was done. */
static struct fake_cuda *fake(void)
{
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    fake_cuda_reset_function *reset;
    void *symbol = library ? dlsym(library, "fake_cuda_reset") : NULL;

    ck_assert_ptr_nonnull(symbol);
    memcpy(&reset, &symbol, sizeof reset);
    return reset();
}

static sl_context *context_on(const char *executor)
{
    char why[512];
    sl_context *context;

    ck_assert_msg(sl_context_open(executor, NULL, &context, why, sizeof why) == SL_OK, "%s", why);
    return context;
}

static sl_kernel *kernel_of(sl_context *context, const char *name)
{
    sl_module *module;
    sl_kernel *kernel;

    ck_assert_msg(sl_module_load(context, SL_FORMAT_PTX, "t.ptx", text, strlen(text), &module) ==
                      SL_OK, "%s", sl_context_error(context));
    ck_assert_int_eq(sl_module_find(module, name, &kernel), SL_OK);
    return kernel;
}

static const char *const executors[] = {"emu", GPU};

START_TEST(the_same_program)
{
    sl_context *context = context_on(executors[_i]);
    sl_kernel *kernel = kernel_of(context, "add_one");
    const uint32_t in[4] = {5, 6, 7, 0xffffffff}, expected[4] = {6, 7, 8, 0};
    uint32_t out[4], n = 4;
    sl_buffer *p, *q;
    sl_report *report;

    ck_assert_str_eq(sl_context_executor(context), _i ? "cuda:0" : "emu");
    ck_assert_int_eq(sl_buffer_create(context, sizeof in, NULL, &p), SL_OK);
    ck_assert_int_eq(sl_buffer_create(context, sizeof out, NULL, &q), SL_OK);
    ck_assert_int_eq(sl_buffer_write(p, 0, in, sizeof in), SL_OK);
    uint64_t addresses[2] = {sl_buffer_address(p), sl_buffer_address(q)};
    const void *arguments[3] = {&addresses[0], &addresses[1], &n};
    sl_shape shape = {.grid = {1, 1, 1}, .block = {4, 1, 1}};
    ck_assert_msg(sl_launch_shape(kernel, &shape, arguments, 3, &report) == SL_OK, "%s",
                  sl_context_error(context));
    ck_assert_int_eq(sl_report_completed(report), 1);
    ck_assert_uint_eq(sl_report_problems(report), 0);
    ck_assert_int_eq(sl_buffer_read(q, 0, out, sizeof out), SL_OK);
    ck_assert_mem_eq(out, expected, sizeof out);
    ck_assert_int_eq(sl_buffer_read(q, 4, out, sizeof out), SL_INVALID);
    sl_report_destroy(report);
    ck_assert_int_eq(sl_launch_shape(kernel, &shape, arguments, 2, &report), SL_INVALID);
    ck_assert_ptr_null(report);
    sl_context_destroy(context);
}
END_TEST

START_TEST(a_fault_is_a_finding)
{
    sl_context *context = context_on(executors[_i]);
    sl_kernel *kernel = kernel_of(context, "fault_address");
    sl_shape shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    sl_report *report;
    sl_buffer *buffer;

    ck_assert_int_eq(sl_launch_shape(kernel, &shape, NULL, 0, &report), SL_OK);
    ck_assert(!_i || !sl_report_completed(report));
    ck_assert_uint_eq(sl_report_problems(report), 1);
    ck_assert_str_eq(sl_report_finding_text(report, 0, SL_FINDING_CATEGORY), "memory");
    ck_assert_str_eq(sl_report_finding_text(report, 0, SL_FINDING_KIND),
                     _i ? "illegal-address" : "null");
    sl_report_destroy(report);
    /* A GPU's context does not outlive a fault. */
    ck_assert_int_eq(sl_launch_shape(kernel, &shape, NULL, 0, &report),
                     _i ? SL_INVALID : SL_OK);
    sl_report_destroy(report);
    ck_assert_int_eq(sl_buffer_create(context, 4, NULL, &buffer), _i ? SL_INVALID : SL_OK);
    sl_context_destroy(context);
}
END_TEST

START_TEST(names_that_are_none)
{
    static const struct {
        const char *executor, *target, *words;
        sl_status status;
    } cases[] = {
        {"gpu", NULL, "there is no executor 'gpu'", SL_NOT_FOUND},
        {"cuda:x", NULL, "'cuda:x' is no GPU", SL_NOT_FOUND},
        {"cuda:0@/nowhere/libcuda.so", NULL, "no CUDA driver on this machine", SL_NOT_FOUND},
        {"cuda:9@" FAKE_CUDA, NULL, "there is no device cuda:9", SL_NOT_FOUND},
        {GPU, "sm_80", "a chip profile such as sm_80 is for emu", SL_INVALID},
        {"emu", "sm_1", "there is no chip profile 'sm_1'; there are sm_70", SL_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sl_context *context = (sl_context *)"";
        char why[512], few[5];
        ck_assert_int_eq(sl_context_open(cases[i].executor, cases[i].target, &context, why,
                                         sizeof why), cases[i].status);
        ck_assert_ptr_null(context);
        ck_assert_msg(strstr(why, cases[i].words) != NULL, "%s", why);
        sl_context_open(cases[i].executor, cases[i].target, &context, few, sizeof few);
        ck_assert_uint_eq(strlen(few), 4);
        sl_context_open(cases[i].executor, cases[i].target, &context, NULL, 0);
    }
}
END_TEST

START_TEST(what_a_gpu_cannot_do)
{
    sl_context *context = context_on(GPU);
    static const char kir[] = "target sm_90\n";
    sl_module *module;

    ck_assert_int_eq(sl_context_set(context, SL_OPTION_CHECKS, SL_CHECK_RACE), SL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(sl_context_error(context), "in the emulator"));
    static const sl_option options[] = {SL_OPTION_SEED, SL_OPTION_SEED_CHOICES,
                                        SL_OPTION_MAX_STEPS, SL_OPTION_WEAK};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        ck_assert_int_eq(sl_context_set(context, options[i], 1), SL_UNSUPPORTED);
        ck_assert_int_eq(sl_context_set(context, options[i], 0), SL_OK);
    }
    ck_assert_int_eq(sl_context_set(context, SL_OPTION_THREADS, 3), SL_OK);
    ck_assert_int_ne(sl_module_load(context, SL_FORMAT_KIR, "t.kir", kir, sizeof kir - 1, &module),
                     SL_OK);
    ck_assert_ptr_null(module);
    sl_context_destroy(context);
}
END_TEST

static sl_status launch_one(sl_kernel *kernel, const void *const *arguments, size_t count)
{
    const uint32_t one[3] = {1, 1, 1};
    sl_report *report;
    sl_status status = sl_launch(kernel, one, one, 0, arguments, count, &report);

    sl_report_destroy(report);
    return status;
}

/* shape, and how many bytes its texels have */
static const struct {
    const char *text;
    uint64_t size;
} pictures[] = {{"tex2d:u8[6x3],linear,float,wrap.border,color:1:2", 18}, {"tex1d:u32[5]", 20},
                {"tex3d:u16x2[2x3x4]", 96}, {"texbuffer:u8[7]", 7}, {"texpitch:u8[6x3]", 18},
                {"texcube:f32[2x2x6]", 96}, {"surf2d:u8x4[3x2]", 24}};

START_TEST(textures_on_a_gpu)
{
    struct fake_cuda *gpu = fake();
    sl_context *context = context_on(GPU);
    sl_kernel *add = kernel_of(context, "add_texels"), *copy;
    unsigned char texels[96], now[96], part[3] = {200, 201, 202};
    uint64_t size = pictures[_i].size;
    uint32_t n = (uint32_t)size;
    sl_texture *texture;
    sl_buffer *buffer;

    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = (unsigned char)(3 * i);
    ck_assert_msg(sl_texture_create(context, pictures[_i].text, texels, &texture) == SL_OK, "%s",
                  sl_context_error(context));
    ck_assert_uint_eq(sl_buffer_size(sl_texture_buffer(texture)), size);
    uint64_t handle = sl_texture_handle(texture);
    ck_assert_uint_ne(handle, 0);
    ck_assert_uint_eq(gpu->objects_open, 1);
    if (strncmp(pictures[_i].text, "texpitch", 8)) /* whose rows lie apart */
        ck_assert_int_eq(launch_one(add, (const void *[]){&handle, &n}, 2), SL_OK);
    else
        for (unsigned i = 0; i < size; i++)
            texels[i]--;
    ck_assert_int_eq(sl_buffer_read(sl_texture_buffer(texture), 0, now, size), SL_OK);
    for (unsigned i = 0; i < size; i++)
        ck_assert_uint_eq(now[i], (unsigned char)(texels[i] + 1));
    ck_assert_int_eq(sl_buffer_write(sl_texture_buffer(texture), 2, part, 3), SL_OK);
    ck_assert_int_eq(sl_buffer_read(sl_texture_buffer(texture), 1, now, 5), SL_OK);
    ck_assert_uint_eq(now[0], (unsigned char)(texels[1] + 1));
    ck_assert_mem_eq(now + 1, part, 3);
    ck_assert_int_eq(sl_buffer_read(sl_texture_buffer(texture), size, now, 1), SL_INVALID);

    /* By name. */
    sl_module *module;
    sl_module_load(context, SL_FORMAT_PTX, "t.ptx", text, strlen(text), &module);
    ck_assert_int_eq(sl_module_find(module, "copy_picture", &copy), SL_OK);
    ck_assert_msg(sl_texture_bind(module, "picture", texture) == SL_OK, "%s",
                  sl_context_error(context));
    ck_assert_int_eq(sl_texture_bind(module, "painting", texture), SL_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(sl_context_error(context), "no .texref or .surfref 'painting'"));
    sl_buffer_create(context, size, NULL, &buffer);
    uint64_t address = sl_buffer_address(buffer);
    uint32_t few = n < 6 ? n : 6;
    ck_assert_int_eq(launch_one(copy, (const void *[]){&address, &few}, 2), SL_OK);
    ck_assert_int_eq(sl_buffer_read(buffer, 0, now, few), SL_OK);
    ck_assert_mem_eq(now + 2, part, 3);

    sl_texture_destroy(texture);
    ck_assert_uint_eq(gpu->objects_open, 0);
    ck_assert_uint_eq(gpu->arrays_open, 0);
    sl_context_destroy(context);
    ck_assert_uint_eq(gpu->allocations, gpu->frees);
}
END_TEST

/* The thread's current context is the program's business: each call brings its own and
 * puts back what was there. */
START_TEST(the_current_context_is_left_alone)
{
    struct fake_cuda *gpu = fake();
    sl_context *context = context_on(GPU), *other;
    sl_kernel *kernel = kernel_of(context, "say_hello");
    sl_buffer *buffer;
    unsigned char byte;
    char why[256];

    ck_assert_ptr_null(gpu->current_context);
    gpu->current_context = (void *)2; /* of another device */
    ck_assert_int_eq(launch_one(kernel, NULL, 0), SL_OK);
    ck_assert_ptr_eq(gpu->current_context, (void *)2);
    ck_assert_int_eq(sl_buffer_create(context, 4, NULL, &buffer), SL_OK);
    gpu->current_context = NULL; /* as on a thread that has none */
    ck_assert_int_eq(sl_buffer_read(buffer, 0, &byte, 1), SL_OK);
    ck_assert_ptr_null(gpu->current_context);

    /* A second context holds the primary one, too. */
    gpu->current_context = (void *)1;
    ck_assert_msg(sl_context_open(GPU, NULL, &other, why, sizeof why) == SL_OK, "%s", why);
    ck_assert_uint_eq(gpu->retained, 2);
    sl_context_destroy(context);
    ck_assert_uint_eq(gpu->released, 1);
    ck_assert_int_eq(launch_one(kernel_of(other, "say_hello"), NULL, 0), SL_OK);
    ck_assert_ptr_eq(gpu->current_context, (void *)1);
    gpu->current_context = NULL;
    sl_context_destroy(other);
    ck_assert_ptr_null(gpu->current_context);
    ck_assert_uint_eq(gpu->released, 2);
}
END_TEST

START_TEST(limits_reach_the_driver)
{
    struct fake_cuda *gpu = fake();
    sl_context *context = context_on(GPU);
    sl_kernel *kernel = kernel_of(context, "say_hello");

    ck_assert_int_eq(sl_context_set(context, SL_OPTION_STACK_SIZE, 5000), SL_OK);
    ck_assert_int_eq(sl_context_set(context, SL_OPTION_HEAP_SIZE, 123456), SL_OK);
    ck_assert_int_eq(launch_one(kernel, NULL, 0), SL_OK);
    ck_assert_uint_eq(gpu->stack_limit, 5000);
    ck_assert_uint_eq(gpu->heap_limit, 123456);
    sl_context_destroy(context);
}
END_TEST

/* Two launches on one stream, one on another that begins behind an event of the first. */
START_TEST(queued_work)
{
    struct fake_cuda *gpu = fake();
    sl_context *context = context_on(executors[_i]);
    sl_kernel *kernel = kernel_of(context, "add_one");
    const uint32_t in[4] = {5, 6, 7, 8};
    uint32_t out[2][4] = {{0}}, n = 4;
    sl_buffer *cells[4];
    sl_stream *first, *second;
    sl_event *half, *whole;
    sl_report *report = NULL;
    double milliseconds;
    int done = 0;

    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(sl_buffer_create(context, sizeof in, NULL, &cells[i]), SL_OK);
    ck_assert_int_eq(sl_stream_create(context, &first), SL_OK);
    ck_assert_int_eq(sl_stream_create(context, &second), SL_OK);
    ck_assert_int_eq(sl_event_create(context, &half), SL_OK);
    ck_assert_int_eq(sl_event_create(context, &whole), SL_OK);
    ck_assert(!_i || gpu->streams_open == 2);
    ck_assert_int_eq(sl_stream_after(second, half), SL_OK); /* never recorded */
    ck_assert_int_eq(sl_event_elapsed(half, whole, &milliseconds), SL_INVALID);

    ck_assert_int_eq(sl_buffer_write_on(first, cells[0], 0, in, sizeof in), SL_OK);
    sl_shape shape = {.grid = {1, 1, 1}, .block = {4, 1, 1}};
    for (int i = 0; i < 3; i++) {
        uint64_t from = sl_buffer_address(cells[i]), to = sl_buffer_address(cells[i + 1]);
        const void *arguments[3] = {&from, &to, &n};
        ck_assert_msg(sl_launch_on(i < 2 ? first : second, kernel, &shape, arguments, 3) == SL_OK,
                      "%s", sl_context_error(context));
        if (i != 1)
            continue;
        ck_assert_int_eq(sl_event_record(half, first), SL_OK);
        ck_assert_int_eq(sl_stream_after(second, half), SL_OK);
    }
    ck_assert(!_i || gpu->launches == 3);
    ck_assert_int_eq(sl_buffer_read_on(first, cells[2], 0, out[0], sizeof out[0]), SL_OK);
    ck_assert_int_eq(sl_buffer_read_on(second, cells[3], 4, out[1], 8), SL_OK);
    ck_assert_int_eq(sl_event_record(whole, second), SL_OK);
    ck_assert_int_eq(sl_buffer_read_on(second, cells[3], 9, out[1], 8), SL_INVALID);
    ck_assert_int_eq(sl_stream_wait(first, &report), SL_OK);
    ck_assert_ptr_nonnull(report);
    ck_assert_uint_eq(sl_report_problems(report), 0);
    ck_assert_int_eq(sl_report_completed(report), 1);
    ck_assert(_i || sl_report_thread_instructions(report) == 2 * 4 * 13);
    sl_report_destroy(report);
    ck_assert_int_eq(sl_stream_wait(first, &report), SL_OK);
    ck_assert_ptr_null(report); /* nothing since */
    ck_assert_int_eq(sl_event_wait(whole), SL_OK);
    ck_assert_int_eq(sl_stream_wait(second, NULL), SL_OK);
    ck_assert_int_eq(sl_stream_done(second, &done), SL_OK);
    ck_assert_int_eq(done, 1);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(out[0][i], in[i] + 2);
    ck_assert_uint_eq(out[1][0], in[1] + 3);
    ck_assert_uint_eq(out[1][1], in[2] + 3);
    ck_assert_int_eq(sl_event_elapsed(half, whole, &milliseconds), _i ? SL_OK : SL_UNSUPPORTED);
    sl_event_destroy(half);
    sl_stream_destroy(first);
    sl_context_destroy(context); /* and the others */
    ck_assert_uint_eq(gpu->streams_open, 0);
    ck_assert_uint_eq(gpu->events_open, 0);
    ck_assert_uint_eq(gpu->allocations, gpu->frees);
}
END_TEST

/* What is done without a stream comes behind what streams have. */
START_TEST(a_fault_on_a_stream)
{
    sl_context *context = context_on(executors[_i]);
    sl_kernel *kernel = kernel_of(context, "fault_address"), *good = kernel_of(context, "say_hello");
    sl_shape shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    sl_stream *stream, *other;
    sl_buffer *buffer;
    sl_report *report;
    unsigned char byte;

    ck_assert_int_eq(sl_buffer_create(context, 4, "abcd", &buffer), SL_OK);
    ck_assert_int_eq(sl_stream_create(context, &stream), SL_OK);
    ck_assert_int_eq(sl_stream_create(context, &other), SL_OK);
    ck_assert_int_eq(sl_launch_on(stream, good, &shape, NULL, 0), SL_OK);
    ck_assert_int_eq(sl_launch_on(stream, kernel, &shape, NULL, 0), SL_OK);
    ck_assert_int_eq(sl_launch_on(stream, good, &shape, NULL, 1), SL_INVALID);
    ck_assert_int_eq(sl_buffer_read(buffer, 0, &byte, 1), _i ? SL_INVALID : SL_OK);
    ck_assert_int_eq(sl_stream_wait(stream, &report), _i ? SL_INVALID : SL_OK);
    ck_assert_ptr_nonnull(report);
    ck_assert_uint_eq(sl_report_problems(report), 1);
    ck_assert(!_i || !sl_report_completed(report));
    ck_assert_str_eq(sl_report_finding_text(report, 0, SL_FINDING_CATEGORY), "memory");
    ck_assert_ptr_nonnull(strstr(sl_report_json(report), "\"say_hello, fault_address\""));
    sl_report_destroy(report);
    ck_assert_int_eq(sl_stream_wait(other, &report), _i ? SL_INVALID : SL_OK);
    ck_assert_ptr_null(report);
    ck_assert_int_eq(sl_launch_on(other, good, &shape, NULL, 0), _i ? SL_INVALID : SL_OK);

    sl_context *elsewhere = context_on("emu");
    ck_assert_int_eq(sl_launch_on(other, kernel_of(elsewhere, "say_hello"), &shape, NULL, 0),
                     SL_INVALID);
    ck_assert_ptr_nonnull(strstr(sl_context_error(context), "another context"));
    sl_context_destroy(elsewhere);
    sl_context_destroy(context);
}
END_TEST

START_TEST(memory_in_use)
{
    sl_context *context = context_on(executors[_i]);
    sl_buffer *a, *b, *c;
    char leaks[200], few[8];

    ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_ALLOCATIONS), 0);
    ck_assert_int_eq(sl_buffer_create(context, 1000, NULL, &a), SL_OK);
    ck_assert_int_eq(sl_buffer_create(context, 3000, NULL, &b), SL_OK);
    sl_buffer_destroy(a);
    ck_assert_int_eq(sl_buffer_create(context, 20, NULL, &c), SL_OK);
    sl_buffer_set_name(c, "weights");
    ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_ALLOCATIONS), 3);
    ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_FREES), 1);
    ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_LIVE), 2);
    ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_PEAK_LIVE), 2);
    ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_IN_USE), 3020);
    ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_PEAK_IN_USE), 4000);
    ck_assert_uint_eq(sl_context_memory(context, (sl_memory)99), 0);
    if (_i) { /* of one segment: c lies where a was, and behind it 768 bytes are free */
        uint64_t reserved = sl_context_memory(context, SL_MEMORY_RESERVED);
        uint64_t free = reserved - 3072 - 256, largest = free - 768;
        ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_PEAK_RESERVED), reserved);
        ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_FREE), free);
        ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_LARGEST_FREE), largest);
        ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_FRAGMENTATION),
                          (free - largest) * 1000 / free);
    } else {
        ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_RESERVED), 3020);
        ck_assert_uint_eq(sl_context_memory(context, SL_MEMORY_FRAGMENTATION), 0);
    }
    ck_assert_uint_eq(sl_context_close(context, leaks, sizeof leaks), 2);
    char *line = strchr(leaks, '\n');
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(strncmp(leaks, "3000 bytes at 0x", 16), 0);
    ck_assert_int_eq(strncmp(line + 1, "20 bytes at 0x", 14), 0);
    ck_assert_ptr_nonnull(strstr(line, ": weights\n"));

    context = context_on(executors[_i]);
    ck_assert_int_eq(sl_buffer_create(context, 1000, NULL, &a), SL_OK);
    ck_assert_uint_eq(sl_context_close(context, few, sizeof few), 1);
    ck_assert_uint_eq(strlen(few), 7);
    ck_assert_uint_eq(sl_context_close(context_on(executors[_i]), NULL, 0), 0);
    ck_assert_uint_eq(sl_context_close(NULL, NULL, 0), 0);
}
END_TEST

SUITE("executors", {
    LOOP_TEST(queued_work, 0, 2);
    LOOP_TEST(a_fault_on_a_stream, 0, 2);
    LOOP_TEST(memory_in_use, 0, 2);
    LOOP_TEST(textures_on_a_gpu, 0, (int)(sizeof pictures / sizeof *pictures));
    TEST(the_current_context_is_left_alone);
    TEST(limits_reach_the_driver);
    LOOP_TEST(the_same_program, 0, 2);
    LOOP_TEST(a_fault_is_a_finding, 0, 2);
    TEST(names_that_are_none);
    TEST(what_a_gpu_cannot_do);
})
