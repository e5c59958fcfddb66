/* SPDX-License-Identifier: Apache-2.0
 *
 * streams.c - a long vector in parts: while one part is computed the next one is copied. The
 * executor is chosen by name; what it takes of the device's memory is told at the end.
 *
 *     cc streams.c $(pkg-config --cflags --libs simtlab) -o streams
 *     ./streams emu saxpy.ptx
 *     ./streams cuda:0 saxpy.ptx */
#include <simtlab/simtlab.h>

#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 8, PART = 1 << 12, BLOCK = 256, LANES = 2, MOST_TEXT = 1 << 20 };

/* What one stream works with. */
struct lane {
    sl_stream *stream;
    sl_buffer *x, *y;
};

#define TRY(call)                \
    do {                         \
        if ((call) != SL_OK)     \
            return 2;            \
    } while (0)

static int lane_make(sl_context *context, struct lane *lane)
{
    TRY(sl_stream_create(context, &lane->stream));
    TRY(sl_buffer_create(context, PART * sizeof(float), NULL, &lane->x));
    TRY(sl_buffer_create(context, PART * sizeof(float), NULL, &lane->y));
    sl_buffer_set_name(lane->x, "x of a lane");
    sl_buffer_set_name(lane->y, "y of a lane");
    return 0;
}

/* Queues one part: in, compute, out. x and y stay until the stream was waited for. */
static int queue(const struct lane *lane, sl_kernel *kernel, float a, const float *x, float *y)
{
    const uint64_t to_x = sl_buffer_address(lane->x), to_y = sl_buffer_address(lane->y);
    const sl_shape shape = {.grid = {PART / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
    const int n = PART;
    const void *arguments[] = {&to_y, &to_x, &a, &n};

    TRY(sl_buffer_write_on(lane->stream, lane->x, 0, x, PART * sizeof *x));
    TRY(sl_buffer_write_on(lane->stream, lane->y, 0, y, PART * sizeof *y));
    TRY(sl_launch_on(lane->stream, kernel, &shape, arguments, 4));
    TRY(sl_buffer_read_on(lane->stream, lane->y, 0, y, PART * sizeof *y));
    return 0;
}

/* y = a * x + y; 0: nothing was found, 1: something, 2: it cannot run. */
static int saxpy(sl_context *context, const char *name, const char *ptx, size_t size, float a,
                 const float *x, float *y)
{
    struct lane lanes[LANES];
    sl_module *module;
    sl_kernel *kernel;
    int status = 0;

    TRY(sl_module_load(context, SL_FORMAT_PTX, name, ptx, size, &module));
    TRY(sl_module_find(module, "saxpy", &kernel));
    for (int i = 0; i < LANES; i++)
        if (lane_make(context, &lanes[i]))
            return 2;
    for (int i = 0; i < PARTS; i++)
        if (queue(&lanes[i % LANES], kernel, a, x + i * PART, y + i * PART))
            return 2;
    for (int i = 0; i < LANES; i++) {
        sl_report *report;
        if (sl_stream_wait(lanes[i].stream, &report) != SL_OK)
            status = 2;
        if (report && sl_report_problems(report)) {
            fputs(sl_report_text(report), stderr);
            status = status ? status : 1;
        }
        sl_report_destroy(report);
        sl_stream_destroy(lanes[i].stream);
        sl_buffer_destroy(lanes[i].x);
        sl_buffer_destroy(lanes[i].y);
    }
    return status;
}

int main(int count, char **words)
{
    static float x[PARTS * PART], y[PARTS * PART];
    static char ptx[MOST_TEXT], leaks[1024];
    sl_context *context;
    char why[1024];

    FILE *file = count == 3 ? fopen(words[2], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: %s EXECUTOR PTX, such as: %s emu saxpy.ptx\n", words[0], words[0]);
        return 2;
    }
    size_t size = fread(ptx, 1, sizeof ptx, file);
    fclose(file);
    for (int i = 0; i < PARTS * PART; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    if (sl_context_open(words[1], NULL, &context, why, sizeof why) != SL_OK) {
        fputs(why, stderr);
        return 2;
    }
    int status = saxpy(context, words[2], ptx, size, 2, x, y);
    if (status == 2)
        fputs(sl_context_error(context), stderr);
    else
        printf("on %s: %g %g %g ... %g, at most %llu bytes in use\n", sl_context_executor(context),
               y[0], y[1], y[2], y[PARTS * PART - 1],
               (unsigned long long)sl_context_memory(context, SL_MEMORY_PEAK_IN_USE));
    if (sl_context_close(context, leaks, sizeof leaks))
        fprintf(stderr, "never destroyed:\n%s", leaks);
    return status;
}
