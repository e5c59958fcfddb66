/* SPDX-License-Identifier: Apache-2.0
 *
 * latency.c - how long a device takes to start and to launch.
 *
 * Its figures are for people, and nothing else depends on them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "gpu/latency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct samples {
    double *micros;
    unsigned count;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void print_samples(struct text *out, const char *what, struct samples *s)
{
    qsort(s->micros, s->count, sizeof *s->micros, by_value);
    text_printf(out, "%-44s %9.2f %9.2f %9.2f\n", what, s->micros[0], s->micros[s->count / 2],
                s->micros[s->count - 1 - s->count / 100]);
}

/* A kernel that does nothing, for this device: the oldest target that today's
 * drivers take, or the device's own if that is older. */
static void write_ptx(char *ptx, size_t size, const struct gpu_device_info *info)
{
    int target = info->major * 10 + info->minor;

    snprintf(ptx, size,
             ".version 6.3\n.target sm_%d\n.address_size 64\n"
             ".visible .entry nothing() { ret; }\n"
             ".visible .entry store(.param .u64 p) {\n"
             " .reg .b64 %%a; ld.param.u64 %%a, [p]; st.global.u32 [%%a], 1; ret; }\n",
             target < 75 ? target : 75);
}

enum what { ENQUEUE, ROUND_TRIP, POOL, DRIVER_MEMORY, COPY_OUT, WHAT_COUNT };

static const char *const WHAT[WHAT_COUNT] = {
    "queue a launch", "launch an empty kernel and wait", "allocate and free, pooled",
    "allocate and free, driver", "launch, copy 4 bytes out, wait"};

static bool measure_one(struct gpu_context *context, enum what what,
                        const struct gpu_kernel kernels[2], uint64_t address,
                        struct gpu_error *error)
{
    static const struct gpu_launch ONE = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    void *parameters[1] = {&address};
    uint32_t word;
    uint64_t other;

    switch (what) {
    case ENQUEUE:
        return gpu_launch(context, &kernels[0], &ONE, NULL, NULL, error);
    case ROUND_TRIP:
        return gpu_launch(context, &kernels[0], &ONE, NULL, NULL, error) &&
               gpu_stream_wait(context, NULL, error);
    case POOL:
        return gpu_alloc(context, 4096, NULL, NULL, &other, error) &&
               gpu_free(context, other, NULL, error);
    case DRIVER_MEMORY:
        return DRIVER_CALL(context->driver, error, NULL, cuMemAlloc, (&other, 4096)) &&
               DRIVER_CALL(context->driver, error, NULL, cuMemFree, (other));
    default:
        return gpu_launch(context, &kernels[1], &ONE, parameters, NULL, error) &&
               gpu_copy_out(context, &word, address, sizeof word, NULL, error) &&
               gpu_stream_wait(context, NULL, error);
    }
}

static bool measure_all(struct gpu_context *context, const struct gpu_kernel kernels[2],
                        unsigned repeats, struct samples *s, struct text *out,
                        struct gpu_error *error)
{
    uint64_t address;

    if (!gpu_alloc(context, 4096, NULL, "latency", &address, error))
        return false;
    text_printf(out, "%-44s %9s %9s %9s\n", "microseconds, each of many", "least", "median",
                "99th %");
    for (int what = 0; what < WHAT_COUNT; what++) {
        for (unsigned i = 0; i < repeats; i++) {
            double start = now();
            if (!measure_one(context, (enum what)what, kernels, address, error))
                return false;
            s->micros[i] = now() - start;
            /* An unbounded queue would measure the queue. */
            if (what == ENQUEUE && i % 64 == 63 && !gpu_stream_wait(context, NULL, error))
                return false;
        }
        print_samples(out, WHAT[what], s);
    }
    return gpu_stream_wait(context, NULL, error) && gpu_free(context, address, NULL, error);
}

static bool measure_context(struct gpu_context *context, unsigned repeats, struct samples *s,
                         struct text *out, struct gpu_error *error)
{
    static const struct gpu_launch ONE = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct gpu_module module;
    struct gpu_kernel kernels[2];
    char ptx[512];

    write_ptx(ptx, sizeof ptx, &context->info);
    double start = now();
    if (!gpu_module_load(context, "latency.ptx", ptx, strlen(ptx), NULL, NULL, &module, error))
        return false;
    text_printf(out, "%-44s %9.0f us\n", "compile and load a small module", now() - start);
    start = now();
    bool done = gpu_kernel_find(context, &module, "nothing", &kernels[0], error) &&
                gpu_kernel_find(context, &module, "store", &kernels[1], error) &&
                gpu_launch(context, &kernels[0], &ONE, NULL, NULL, error) &&
                gpu_stream_wait(context, NULL, error);
    if (done) {
        text_printf(out, "%-44s %9.0f us\n", "first launch, and wait", now() - start);
        done = measure_all(context, kernels, repeats, s, out, error);
    }
    return gpu_module_unload(context, &module, error) && done;
}

bool latency_measure(const char *library, int device, unsigned repeats, struct text *out,
                     struct gpu_error *error)
{
    struct samples s = {calloc(repeats, sizeof(double)), repeats};
    struct gpu_context context;
    struct driver *driver = NULL;
    bool done = false;

    if (!s.micros || !repeats) {
        free(s.micros);
        return gpu_fail(error, GPU_REFUSED, "%u repeats cannot be measured", repeats);
    }
    double start = now();
    if (driver_open(library, &driver, error)) {
        text_printf(out, "%-44s %9.0f us\n", "load and start the driver", now() - start);
        start = now();
        if (gpu_context_open(driver, device, &context, error)) {
            text_printf(out, "%-44s %9.0f us\n", "open the device", now() - start);
            done = measure_context(&context, repeats, &s, out, error);
            gpu_context_close(&context, NULL);
        }
    }
    driver_close(driver);
    free(s.micros);
    return done;
}
