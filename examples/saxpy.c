/* SPDX-License-Identifier: Apache-2.0
 *
 * saxpy.c - a kernel from C, on an executor that is chosen by name.
 *
 *     cc saxpy.c $(pkg-config --cflags --libs simtlab) -o saxpy
 *     ./saxpy emu saxpy.ptx        the emulator
 *     ./saxpy cuda:0 saxpy.ptx     the first GPU of this machine */
#include <simtlab/simtlab.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, BLOCK = 256 };

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;

    if (file && fseek(file, 0, SEEK_END) == 0 && (*size = (size_t)ftell(file)) > 0) {
        rewind(file);
        text = malloc(*size);
        if (text && fread(text, 1, *size, file) != *size) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

/* y = a * x + y. What was found goes to standard error; 0 when that is nothing. */
static int saxpy(sl_context *context, const char *name, const char *ptx, size_t size, float a,
                 const float *x, float *y)
{
    sl_module *module;
    sl_kernel *kernel;
    sl_buffer *device_x, *device_y;
    sl_report *report;
    int n = N;

    if (sl_module_load(context, SL_FORMAT_PTX, name, ptx, size, &module) != SL_OK ||
        sl_module_find(module, "saxpy", &kernel) != SL_OK ||
        sl_buffer_create(context, N * sizeof *x, x, &device_x) != SL_OK ||
        sl_buffer_create(context, N * sizeof *y, y, &device_y) != SL_OK)
        return 2;
    const uint64_t address_x = sl_buffer_address(device_x), address_y = sl_buffer_address(device_y);
    const void *arguments[] = {&address_y, &address_x, &a, &n};
    const uint32_t grid[3] = {(N + BLOCK - 1) / BLOCK, 1, 1}, block[3] = {BLOCK, 1, 1};
    if (sl_launch(kernel, grid, block, 0, arguments, 4, &report) != SL_OK)
        return 2;
    fputs(sl_report_text(report), stderr);
    int status = sl_report_problems(report) > 0;
    sl_report_destroy(report);
    /* After a fault a GPU gives nothing back. */
    return sl_buffer_read(device_y, 0, y, N * sizeof *y) == SL_OK ? status : 2;
}

int main(int count, char **words)
{
    float x[N], y[N];
    sl_context *context;
    char why[1024];
    size_t size;

    if (count != 3) {
        fprintf(stderr, "usage: %s EXECUTOR PTX, such as: %s emu saxpy.ptx\n", words[0], words[0]);
        return 2;
    }
    char *ptx = read_file(words[2], &size);
    if (!ptx) {
        perror(words[2]);
        return 2;
    }
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    if (sl_context_open(words[1], NULL, &context, why, sizeof why) != SL_OK) {
        fputs(why, stderr);
        free(ptx);
        return 2;
    }
    int status = saxpy(context, words[2], ptx, size, 2, x, y);
    if (status == 2)
        fputs(sl_context_error(context), stderr);
    else
        printf("on %s: %g %g %g ... %g\n", sl_context_executor(context), y[0], y[1], y[2],
               y[N - 1]);
    sl_context_destroy(context); /* and its module and buffers */
    free(ptx);
    return status;
}
