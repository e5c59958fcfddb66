/* SPDX-License-Identifier: Apache-2.0
 *
 * check_gpu.c - the runtime's logic and error paths, on a driver library made
 * of host memory (tests/fake_cuda.c). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/suite.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/device.h"
#include "gpu/latency.h"
#include "gpu/signature.h"
#include "tests/fake_cuda.h"

static const char PTX[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry store_index(.param .u64 p, .param .u32 n) { ret; }\n"
                          ".visible .entry fault_address() { ret; }\n";

struct fixture {
    struct fake_cuda *fake;
    struct driver *driver;
    struct gpu_context context;
    struct gpu_module module;
    struct gpu_error error;
};

static struct fake_cuda *fake_cuda(void)
{
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    fake_cuda_reset_function *reset;

    ck_assert_msg(library != NULL, "%s", dlerror());
    void *address = dlsym(library, "fake_cuda_reset");
    memcpy(&reset, &address, sizeof reset);
    return reset();
}

static void set_up(struct fixture *f)
{
    f->fake = fake_cuda();
    ck_assert(driver_open(FAKE_CUDA, &f->driver, &f->error));
    ck_assert(gpu_context_open(f->driver, 0, &f->context, &f->error));
    ck_assert(gpu_module_load(&f->context, "k.ptx", PTX, sizeof PTX - 1, NULL, NULL, &f->module,
                              &f->error));
}

static void tear_down(struct fixture *f)
{
    gpu_module_unload(&f->context, &f->module, &f->error);
    gpu_context_close(&f->context, NULL);
    driver_close(f->driver);
    ck_assert_uint_eq(f->fake->modules_open, 0);
    ck_assert_uint_eq(f->fake->allocations, f->fake->frees);
}

START_TEST(missing_driver_is_a_message)
{
    struct driver *driver;
    struct gpu_error error;

    ck_assert(!driver_open("/nonexistent/libcuda.so.1", &driver, &error));
    ck_assert_ptr_null(driver);
    ck_assert_int_eq(error.failure, GPU_NO_DRIVER);
    ck_assert_ptr_nonnull(strstr(error.text, "no CUDA driver on this machine"));
    ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/libcuda.so.1"));
    driver_close(NULL);
}
END_TEST

START_TEST(another_library_is_refused)
{
    struct driver *driver;
    struct gpu_error error;

    ck_assert(!driver_open("libm.so.6", &driver, &error));
    ck_assert_int_eq(error.failure, GPU_NO_DRIVER);
    ck_assert_str_eq(error.text, "libm.so.6 is no CUDA driver that can be used: it has no cuInit");
}
END_TEST

START_TEST(no_device_and_old_driver)
{
    struct fake_cuda *fake = fake_cuda();
    struct driver *driver;
    struct gpu_error error;

    fake->init_result = 100;
    ck_assert(!driver_open(FAKE_CUDA, &driver, &error));
    ck_assert_int_eq(error.failure, GPU_NO_DEVICE);
    ck_assert_int_eq(error.code, 100);
    ck_assert_str_eq(error.call, "cuInit");
    ck_assert_str_eq(error.name, "CUDA_ERROR_NO_DEVICE");
    fake = fake_cuda();
    fake->init_result = 999;
    ck_assert(!driver_open(FAKE_CUDA, &driver, &error));
    ck_assert_int_eq(error.failure, GPU_CALL);
    ck_assert_str_eq(error.text, "starting the CUDA driver: cuInit: CUDA_ERROR_UNNAMED (999), "
                                 "the driver has no text for it");
    fake = fake_cuda();
    fake->cuda_version = 10020;
    ck_assert(!driver_open(FAKE_CUDA, &driver, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "too old: it offers CUDA 10.2, needed is 11.0"));
}
END_TEST

START_TEST(devices_are_listed)
{
    struct fake_cuda *fake = fake_cuda();
    struct text out = {0};
    struct gpu_device_info info;
    struct gpu_error error;
    struct driver *driver;

    ck_assert(driver_open(FAKE_CUDA, &driver, &error));
    ck_assert(gpu_devices_print(&out, driver, false, &error));
    ck_assert_str_eq(text_string(&out),
                     "cuda:0  Fake GPU 0  sm_90  1024 MiB  "
                     "GPU-00102030-4050-6070-8090-a0b0c0d0e0f0  pci 0000:00:00.0  "
                     "driver unknown (CUDA 13.0)\n"
                     "cuda:1  Fake GPU 1  sm_90  2048 MiB  "
                     "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1  pci 0000:01:00.0  "
                     "driver unknown (CUDA 13.0)\n");
    ck_assert(gpu_device_describe(driver, 1, &info, &error));
    ck_assert_int_eq(info.mps, -1);
    ck_assert_int_eq(info.warp_size, 10);
    ck_assert(!gpu_device_describe(driver, 2, &info, &error));
    ck_assert_int_eq(error.failure, GPU_NO_DEVICE);
    ck_assert_str_eq(error.text, "there is no device cuda:2; `simtlab devices` lists them");
    out.size = 0;
    fake->device_count = 0;
    ck_assert(gpu_devices_print(&out, driver, true, &error));
    ck_assert_str_eq(text_string(&out), "the CUDA driver reports no device\n");
    text_free(&out);
    driver_close(driver);
}
END_TEST

START_TEST(contexts_are_adopted_or_retained)
{
    struct fake_cuda *fake = fake_cuda();
    struct gpu_context context;
    struct gpu_error error;
    struct driver *driver;

    ck_assert(driver_open(FAKE_CUDA, &driver, &error));
    ck_assert(gpu_context_open(driver, -1, &context, &error));
    ck_assert_int_eq(context.info.ordinal, 0);
    ck_assert_uint_eq(fake->retained, 1);
    gpu_context_close(&context, NULL);
    ck_assert_uint_eq(fake->released, 1);
    ck_assert_ptr_null(fake->current_context);

    fake->current_context = (void *)2; /* device 1 */
    ck_assert(gpu_context_open(driver, -1, &context, &error));
    ck_assert_int_eq(context.info.ordinal, 1);
    gpu_context_close(&context, NULL);
    ck_assert(gpu_context_open(driver, 1, &context, &error));
    gpu_context_close(&context, NULL);
    ck_assert_uint_eq(fake->retained, 1);
    ck_assert_ptr_eq(fake->current_context, (void *)2);

    ck_assert(gpu_context_open(driver, 0, &context, &error)); /* not the current one */
    ck_assert_ptr_eq(fake->current_context, (void *)1);
    gpu_context_close(&context, NULL);
    ck_assert_ptr_eq(fake->current_context, (void *)2);
    ck_assert_uint_eq(fake->retained, 2);
    ck_assert_uint_eq(fake->released, 2);
    ck_assert(!gpu_context_open(driver, 7, &context, &error));
    driver_close(driver);
}
END_TEST

START_TEST(kernels_run)
{
    struct fixture f;
    struct gpu_kernel kernel;
    uint32_t words[4] = {9, 9, 9, 9}, count = 3;
    uint64_t address;
    void *parameters[] = {&address, &count};

    set_up(&f);
    ck_assert(gpu_kernel_find(&f.context, &f.module, "store_index", &kernel, &f.error));
    ck_assert_int_eq(kernel.registers, 24);
    ck_assert(gpu_alloc(&f.context, sizeof words, NULL, "words", &address, &f.error));
    ck_assert(gpu_copy_in(&f.context, address, words, sizeof words, NULL, &f.error));
    ck_assert(gpu_launch(&f.context, &kernel,
                         &(struct gpu_launch){.grid = {2, 3, 4}, .block = {5, 6, 7}},
                         parameters, NULL, &f.error));
    ck_assert(gpu_copy_out(&f.context, words, address, sizeof words, NULL, &f.error));
    ck_assert_uint_eq(f.fake->waits, 0); /* nothing waited so far */
    ck_assert(gpu_stream_wait(&f.context, NULL, &f.error));
    ck_assert_uint_eq(words[2], 6);
    ck_assert_uint_eq(words[3], 9);
    ck_assert_uint_eq(f.fake->grid[2], 4);
    ck_assert_uint_eq(f.fake->block[0], 5);
    ck_assert_uint_eq(f.fake->cluster[0], 0);
    ck_assert_int_eq(f.fake->last_opt_in, 0);
    ck_assert(gpu_free(&f.context, address, NULL, &f.error));
    ck_assert(!gpu_free(&f.context, address, NULL, &f.error));
    ck_assert_ptr_nonnull(strstr(f.error.text, "was freed before"));
    tear_down(&f);
}
END_TEST

START_TEST(launch_attributes_reach_the_driver)
{
    struct fixture f;
    struct gpu_kernel kernel;
    struct gpu_launch launch = {.grid = {16, 2, 1}, .block = {32, 1, 1}, .cluster = {8, 2, 1},
                                .dynamic_shared = 49152, .cooperative = true};

    set_up(&f);
    f.fake->static_shared = 1024;
    ck_assert(gpu_kernel_find(&f.context, &f.module, "fault_address", &kernel, &f.error));
    ck_assert(gpu_launch(&f.context, &kernel, &launch, NULL, (driver_stream)77, &f.error));
    ck_assert_uint_eq(f.fake->cluster[0], 8);
    ck_assert_uint_eq(f.fake->cluster[1], 2);
    ck_assert_int_eq(f.fake->cooperative, 1);
    ck_assert_uint_eq(f.fake->dynamic_shared, 49152);
    ck_assert_int_eq(f.fake->last_opt_in, 49152); /* with the static part above 48 KiB */
    ck_assert_int_eq(f.fake->non_portable, 1);    /* 16 blocks in a cluster */
    ck_assert_ptr_eq(f.fake->stream, (void *)77);
    tear_down(&f);
}
END_TEST

START_TEST(impossible_launches_are_explained)
{
    static const struct {
        struct gpu_launch launch;
        const char *text;
    } cases[] = {
        {{.grid = {0, 1, 1}, .block = {1, 1, 1}}, "the grid has a size of zero in x"},
        {{.grid = {1, 1, 1}, .block = {1, 0, 1}}, "the block has a size of zero in y"},
        {{.grid = {1, 65536, 1}, .block = {1, 1, 1}}, "the grid's y is 65536, at most 65535"},
        {{.grid = {1, 1, 1}, .block = {1, 1, 65}}, "the block's z is 65, at most 64"},
        {{.grid = {1, 1, 1}, .block = {1024, 2, 1}},
         "a block of 2048 threads; this kernel as compiled allows 1024"},
        {{.grid = {1, 1, 1}, .block = {1, 1, 1}, .dynamic_shared = 232449},
         "232449 bytes of shared memory (0 static); a block has at most 232448"},
        {{.grid = {3, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}},
         "the grid's x, 3, is no multiple of the cluster's, 2"},
        {{.grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 0, 1}},
         "the cluster has a size of zero"},
    };
    struct fixture f;
    struct gpu_kernel kernel;

    set_up(&f);
    ck_assert(gpu_kernel_find(&f.context, &f.module, "store_index", &kernel, &f.error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert(!gpu_launch(&f.context, &kernel, &cases[i].launch, NULL, NULL, &f.error));
        ck_assert_int_eq(f.error.failure, GPU_REFUSED);
        ck_assert_msg(strstr(f.error.text, cases[i].text) != NULL, "%s", f.error.text);
    }
    ck_assert_uint_eq(f.fake->launches, 0);
    tear_down(&f);
}
END_TEST

START_TEST(faults_come_out_at_the_wait_and_stay)
{
    struct fixture f;
    struct gpu_kernel kernel;
    struct gpu_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    uint64_t address;
    bool done;

    set_up(&f);
    ck_assert(gpu_alloc(&f.context, 64, NULL, "lost", &address, &f.error));
    ck_assert(gpu_kernel_find(&f.context, &f.module, "fault_address", &kernel, &f.error));
    ck_assert(gpu_launch(&f.context, &kernel, &launch, NULL, NULL, &f.error));
    ck_assert(gpu_stream_done(&f.context, NULL, &done, &f.error) && !done);
    ck_assert(!gpu_stream_wait(&f.context, NULL, &f.error));
    ck_assert(gpu_error_is_fault(&f.error));
    ck_assert_str_eq(f.error.text, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700), "
                                   "an illegal memory access was encountered");
    ck_assert(!gpu_launch(&f.context, &kernel, &launch, NULL, NULL, &f.error));
    ck_assert_str_eq(f.error.call, "cuLaunchKernelEx");
    ck_assert_int_eq(f.error.code, 700);
    tear_down(&f);
}
END_TEST

START_TEST(modules_report_the_compiler)
{
    static const char BAD[] = ".version 7.0\nSYNTAX ERROR\n";
    struct fixture f;
    struct gpu_module module;
    struct gpu_kernel kernel;
    struct text log = {0};
    uint64_t address;
    size_t size;

    set_up(&f);
    ck_assert(!gpu_module_load(&f.context, "bad.ptx", BAD, sizeof BAD - 1, NULL, &log, &module,
                               &f.error));
    ck_assert_str_eq(f.error.name, "CUDA_ERROR_INVALID_PTX");
    ck_assert_ptr_nonnull(strstr(f.error.text, "bad.ptx: cuModuleLoadDataEx"));
    ck_assert_ptr_nonnull(strstr(f.error.text, ": ptxas error : the text is not to my liking"));
    ck_assert_ptr_nonnull(strstr(text_string(&log), "second line\n"));
    ck_assert(!gpu_module_load(&f.context, "a.cubin", "\177ELF\0", 5, NULL, NULL, &module, &f.error));
    ck_assert_int_eq(f.error.failure, GPU_REFUSED);
    ck_assert(!gpu_kernel_find(&f.context, &f.module, "nothing", &kernel, &f.error));
    ck_assert_str_eq(f.error.text, "nothing: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500), "
                                   "named symbol not found");
    ck_assert(gpu_module_global(&f.context, &f.module, "counter", &address, &size, &f.error));
    ck_assert_uint_eq(size, 16);
    ck_assert(!gpu_module_global(&f.context, &f.module, "none", &address, &size, &f.error));
    f.fake->jit_options[0] = 0;
    ck_assert(gpu_module_load(&f.context, "k.ptx", PTX, sizeof PTX - 1,
                              &(struct gpu_jit){.max_registers = 32, .optimisation = 0,
                                                .line_info = true, .verbose = true},
                              NULL, &module, &f.error));
    ck_assert_str_eq(f.fake->jit_options, "12=1 0=32 7=0 13=1 ");
    ck_assert(gpu_module_unload(&f.context, &module, &f.error));
    ck_assert(gpu_module_unload(&f.context, &module, &f.error)); /* twice is fine */
    text_free(&log);
    tear_down(&f);
}
END_TEST

/* A script as the assembler: it writes the name of what it was asked for, as a kernel. */
START_TEST(a_program_assembles_in_place_of_the_driver)
{
    static const char ODD[] = "// .target sm_70\n.version 8.0\n\t.target sm_90a , debug\nNOT PTX\n";
    static const char SCRIPT[] =
        "#!/bin/sh\n"
        "case $1 in -arch=sm_70) exit 0;; esac\n"
        "grep -q 'NOT PTX' \"$2\" || { echo 'first line'; echo second; exit 3; }\n"
        "echo \"made for $1\"\n"
        "printf '.entry arch%s\\0.entry after\\n' \"${1#-arch=}\" >\"$4\"\n";
    char path[] = "/tmp/check_gpu_XXXXXX";
    struct gpu_jit jit = {.optimisation = -1, .assembler = path};
    struct fixture f;
    struct gpu_module module;
    struct gpu_kernel kernel;
    struct text log = {0};
    int file = mkstemp(path);

    set_up(&f);
    f.context.info.major = 9, f.context.info.minor = 0;
    ck_assert(file >= 0 && write(file, SCRIPT, sizeof SCRIPT - 1) == sizeof SCRIPT - 1);
    ck_assert(fchmod(file, 0700) == 0 && close(file) == 0);
    ck_assert_msg(gpu_module_load(&f.context, "odd.ptx", ODD, sizeof ODD - 1, &jit, &log, &module,
                                  &f.error), "%s", f.error.text);
    ck_assert_str_eq(text_string(&log), "made for -arch=sm_90a\n");
    ck_assert(gpu_kernel_find(&f.context, &module, "archsm_90a", &kernel, &f.error));
    ck_assert(gpu_module_unload(&f.context, &module, &f.error));
    ck_assert(!gpu_module_load(&f.context, "k.ptx", PTX, sizeof PTX - 1, &jit, NULL, &module,
                               &f.error));
    ck_assert_int_eq(f.error.failure, GPU_REFUSED);
    ck_assert_ptr_nonnull(strstr(f.error.text, "k.ptx: /tmp/check_gpu_"));
    ck_assert_ptr_nonnull(strstr(f.error.text, "ended with status 3: first line"));
    f.context.info.major = 7;
    ck_assert(!gpu_module_load(&f.context, "k.ptx", PTX, sizeof PTX - 1, &jit, NULL, &module,
                               &f.error));
    ck_assert_ptr_nonnull(strstr(f.error.text, "wrote nothing"));
    unlink(path);
    ck_assert(!gpu_module_load(&f.context, "k.ptx", PTX, sizeof PTX - 1, &jit, NULL, &module,
                               &f.error));
    ck_assert_ptr_nonnull(strstr(f.error.text, "No such file"));
    text_free(&log);
    tear_down(&f);
}
END_TEST

START_TEST(memory_runs_out_and_leaks_are_told)
{
    struct fixture f;
    struct text leaks = {0};
    uint64_t address;

    set_up(&f);
    ck_assert(gpu_alloc(&f.context, 1000, NULL, "first", &address, &f.error));
    f.fake->memory_left = 100;
    ck_assert(!gpu_alloc(&f.context, 1 << 30, NULL, "big", &address, &f.error));
    ck_assert_int_eq(f.error.code, 2);
    ck_assert_str_eq(f.error.text, "big: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory; "
                                   "1073741824 bytes were asked for, 100 of 1073741824 are free");
    ck_assert(!gpu_alloc(&f.context, 0, NULL, NULL, &address, &f.error));
    ck_assert(!gpu_free(&f.context, 12345, NULL, &f.error));
    f.fake->fail_next_copy = 1;
    ck_assert(!gpu_copy_in(&f.context, 0, &f, 4, NULL, &f.error));
    ck_assert_str_eq(f.error.call, "cuMemcpyHtoDAsync");
    gpu_module_unload(&f.context, &f.module, &f.error);
    ck_assert_uint_eq(gpu_context_close(&f.context, &leaks), 1);
    ck_assert_str_eq(text_string(&leaks), "leak: allocation 1, 1000 bytes, first\n");
    ck_assert_uint_eq(f.fake->allocations, f.fake->frees);
    text_free(&leaks);
    driver_close(f.driver);
}
END_TEST

START_TEST(streams_events_limits)
{
    struct fixture f;
    driver_stream stream;
    driver_event start, end;
    double milliseconds;
    size_t bytes;
    bool done;

    set_up(&f);
    ck_assert(gpu_stream_open(&f.context, &stream, &f.error));
    ck_assert(gpu_event_open(&f.context, &start, &f.error));
    ck_assert(gpu_event_open(&f.context, &end, &f.error));
    ck_assert(gpu_event_record(&f.context, start, stream, &f.error));
    ck_assert(gpu_stream_after(&f.context, NULL, start, &f.error));
    ck_assert(gpu_event_record(&f.context, end, stream, &f.error));
    ck_assert(gpu_event_wait(&f.context, end, &f.error));
    /* An entry point that only cuGetProcAddress knows. */
    ck_assert(gpu_event_elapsed(&f.context, start, end, &milliseconds, &f.error));
    ck_assert(milliseconds == 1.0);
    ck_assert(gpu_stream_done(&f.context, stream, &done, &f.error) && done);
    ck_assert(gpu_event_close(&f.context, start, &f.error));
    ck_assert(gpu_event_close(&f.context, end, &f.error));
    ck_assert(gpu_stream_close(&f.context, stream, &f.error));
    ck_assert_uint_eq(f.fake->streams_open + f.fake->events_open, 0);
    ck_assert(gpu_limit_set(&f.context, GPU_LIMIT_STACK, 4096, &f.error));
    ck_assert_uint_eq(f.fake->stack_limit, 4096);
    ck_assert(gpu_limit_get(&f.context, GPU_LIMIT_HEAP, &bytes, &f.error));
    ck_assert_uint_eq(bytes, 8 << 20);
    tear_down(&f);
}
END_TEST

START_TEST(waiting_has_an_end)
{
    struct fixture f;
    bool done = false;

    set_up(&f);
    ck_assert(gpu_stream_wait_for(&f.context, NULL, 5, &done, &f.error) && done);
    f.fake->endless = 1;
    ck_assert(gpu_stream_wait_for(&f.context, NULL, 0, &done, &f.error) && !done);
    f.fake->endless = 0;
    tear_down(&f);
}
END_TEST

START_TEST(latency_is_measured)
{
    struct text out = {0};
    struct gpu_error error;

    fake_cuda();
    ck_assert_msg(latency_measure(FAKE_CUDA, 0, 10, &out, &error), "%s", error.text);
    ck_assert_ptr_nonnull(strstr(text_string(&out), "launch an empty kernel and wait"));
    ck_assert(!latency_measure(FAKE_CUDA, 9, 10, &out, &error));
    ck_assert(!latency_measure(FAKE_CUDA, 0, 0, &out, &error));
    text_free(&out);
}
END_TEST

START_TEST(signatures_are_read)
{
    static const char TEXT[] =
        "// .entry comment(\n.version 7.0 /* .entry c2( */\n"
        ".visible .entry scale (\n\t.param .u64 .ptr .global .align 4 scale_param_0,\n"
        "\t.param .f32 scale_param_1, .param .align 8 .b8 scale_param_2[24],\n"
        "\t.param .b16 h\n) .maxntid 128, 1, 1 { ret; }\n"
        ".entry none { ret; }\n.entry empty () { ret; }\n"
        ".entry image(.param .texref t) { ret; }\n";
    struct arena arena = {0};
    struct signature s;

    ck_assert_ptr_null(signature_read(&arena, TEXT, sizeof TEXT - 1, "scale", &s));
    ck_assert_uint_eq(s.count, 4);
    ck_assert_int_eq(s.items[0].element, ELEMENT_U64);
    ck_assert_int_eq(s.items[1].element, ELEMENT_F32);
    ck_assert(s.items[2].is_bytes);
    ck_assert_uint_eq(s.items[2].size, 24);
    ck_assert_int_eq(s.items[3].element, ELEMENT_U16);
    ck_assert_ptr_null(signature_read(&arena, TEXT, sizeof TEXT - 1, "none", &s));
    ck_assert_uint_eq(s.count, 0);
    ck_assert_ptr_null(signature_read(&arena, TEXT, sizeof TEXT - 1, "empty", &s));
    ck_assert_str_eq(signature_read(&arena, TEXT, sizeof TEXT - 1, "comment", &s),
                     "there is no kernel comment in the file; it has scale, none, empty, image");
    ck_assert_str_eq(signature_read(&arena, TEXT, sizeof TEXT - 1, NULL, &s),
                     "the file has 4 kernels, say which: scale, none, empty, image");
    ck_assert_str_eq(signature_read(&arena, TEXT, sizeof TEXT - 1, "image", &s),
                     "parameters with .texref are not supported");
    /* C++ kernels by their base name, where that is enough. */
    static const char CXX[] = ".entry _Z4normIfEvPT_(.param .u64 a) {}\n"
                              ".entry _ZN2ns4scanEPf(.param .u64 a) {}\n"
                              ".entry _Z5scaleIfEvPT_() {}\n.entry _Z5scaleIdEvPT_() {}\n";
    ck_assert_ptr_null(signature_read(&arena, CXX, sizeof CXX - 1, "norm", &s));
    ck_assert_str_eq(s.kernel, "_Z4normIfEvPT_");
    ck_assert_uint_eq(s.count, 1);
    ck_assert_ptr_null(signature_read(&arena, CXX, sizeof CXX - 1, "scan", &s));
    ck_assert_str_eq(s.kernel, "_ZN2ns4scanEPf");
    ck_assert_str_eq(signature_read(&arena, CXX, sizeof CXX - 1, "scale", &s),
                     "several kernels are called scale in the file; it has _Z4normIfEvPT_, "
                     "_ZN2ns4scanEPf, _Z5scaleIfEvPT_, _Z5scaleIdEvPT_");
    ck_assert_ptr_nonnull(signature_read(&arena, CXX, sizeof CXX - 1, "nor", &s));
    ck_assert_ptr_nonnull(signature_read(&arena, CXX, sizeof CXX - 1, "ns", &s));
    /* Every shortened text ends with a message or a signature, never beyond. */
    for (size_t size = 0; size < sizeof TEXT; size++)
        signature_read(&arena, TEXT, size, "image", &s);
    for (size_t size = 0; size < sizeof CXX; size++)
        signature_read(&arena, CXX, size, "scale", &s);
    arena_free(&arena);
}
END_TEST

SUITE("gpu", {
    TEST(missing_driver_is_a_message);
    TEST(another_library_is_refused);
    TEST(no_device_and_old_driver);
    TEST(devices_are_listed);
    TEST(contexts_are_adopted_or_retained);
    TEST(kernels_run);
    TEST(launch_attributes_reach_the_driver);
    TEST(impossible_launches_are_explained);
    TEST(faults_come_out_at_the_wait_and_stay);
    TEST(modules_report_the_compiler);
    TEST(a_program_assembles_in_place_of_the_driver);
    TEST(memory_runs_out_and_leaks_are_told);
    TEST(streams_events_limits);
    TEST(waiting_has_an_end);
    TEST(latency_is_measured);
    TEST(signatures_are_read);
})
