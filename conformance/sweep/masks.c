/* SPDX-License-Identifier: Apache-2.0
 *
 * masks.c - the recorded instructions once more on a GPU, under masks of lanes.
 *
 * Runs the kernels of tests/vectors.h: each of 1242 instructions under a guard and
 * behind a branch, with all lanes, some, every second one and a single one, over all
 * 2048 vectors; results must be what was recorded without masks, and lanes outside of
 * the mask must keep what they had. Needs a GPU, a C compiler, libc and the recorded
 * words, unpacked:
 *     zstd -d tests/data/golden.bin.zst -o golden.bin
 *     make -f conformance/sweep/Makefile.portable simtlab-masks
 *     ./simtlab-masks tests/data/golden.idx golden.bin [FROM TO]
 * FROM and TO: a range of instructions. -n in place of a range prints the PTX of all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"
#include "tests/vectors.h"

enum { OUTPUT = 8 * VECTORS * VECTOR_FORMS, BLOCK = 256, TOGETHER = 32 };

struct gpu {
    struct gpu_context context;
    uint64_t in, out;
    unsigned char *bytes; /* OUTPUT of them, read back */
};

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long end;

    if (file && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 &&
        (bytes = malloc((size_t)end + 1)) != NULL) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)end, file);
        bytes[*size] = 0;
    }
    if (file)
        fclose(file);
    if (!bytes)
        fprintf(stderr, "simtlab-masks: cannot read %s\n", path);
    return bytes;
}

/* Kernels k0_1, k0_2, k1_1, ... of so many instructions: guard and branch. */
static void module_text(struct text *ptx, const struct vectors *vectors, int count)
{
    text_puts(ptx, ".version 8.6\n.target sm_90\n.address_size 64\n");
    for (int i = 0; i < count; i++)
        for (int form = 1; form < VECTOR_FORMS; form++) {
            char name[24];
            snprintf(name, sizeof name, "k%d_%d", i, form);
            vector_kernel(ptx, &vectors[i], name, 1u << form);
        }
}

/* Adds the words that are wrong, of all turns; the first one is told. */
static bool run_one(struct gpu *gpu, const struct gpu_kernel *kernel,
                    const struct vectors *vectors, int form, int *wrong, struct gpu_error *error)
{
    for (uint32_t turn = 0; turn < VECTOR_TURNS; turn++) {
        void *parameters[] = {&gpu->in, &gpu->out, &turn};
        const struct gpu_launch launch = {.grid = {VECTORS / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
        if (!gpu_fill(&gpu->context, gpu->out, 0, OUTPUT, NULL, error) ||
            !gpu_launch(&gpu->context, kernel, &launch, parameters, NULL, error) ||
            !gpu_copy_out(&gpu->context, gpu->bytes, gpu->out, OUTPUT, NULL, error) ||
            !gpu_stream_wait(&gpu->context, NULL, error))
            return false;
        for (int i = 0; i < VECTORS; i++) {
            uint64_t got, due;
            if (!vector_right(vectors, gpu->bytes, i, form, turn, &got, &due) && !(*wrong)++)
                printf("%s form %d turn %u vector %d: chip %llx, due %llx\n", vectors->name, form,
                       turn, i, (unsigned long long)got, (unsigned long long)due);
        }
    }
    return true;
}

static bool run_some(struct gpu *gpu, const struct vectors *vectors, int count, int number,
                     int *differing, struct gpu_error *error)
{
    struct text ptx = {0}, log = {0};
    struct gpu_module module;

    module_text(&ptx, vectors, count);
    bool loaded = gpu_module_load(&gpu->context, "masks", text_string(&ptx), ptx.size,
                                  &(struct gpu_jit){.optimisation = -1}, &log, &module, error);
    bool ok = loaded;
    for (int i = 0; ok && i < count; i++) {
        int wrong = 0;

        ok = gpu_copy_in(&gpu->context, gpu->in, vectors[i].words,
                         (size_t)8 * VECTORS * (size_t)vectors[i].sources, NULL, error);
        for (int form = 1; ok && form < VECTOR_FORMS; form++) {
            struct gpu_kernel kernel;
            char name[24];
            snprintf(name, sizeof name, "k%d_%d", i, form);
            ok = gpu_kernel_find(&gpu->context, &module, name, &kernel, error) &&
                 run_one(gpu, &kernel, &vectors[i], form, &wrong, error);
        }
        if (ok)
            printf("%4d %-40s %d\n", number + i, vectors[i].name, wrong);
        *differing += wrong != 0;
    }
    if (!ok && log.size)
        fprintf(stderr, "%s\n", text_string(&log));
    if (loaded)
        gpu_module_unload(&gpu->context, &module, &(struct gpu_error){0});
    text_free(&ptx);
    text_free(&log);
    return ok;
}

static int run_range(const struct vectors *vectors, int from, int to)
{
    struct gpu gpu = {.bytes = malloc(OUTPUT)};
    struct gpu_error error = {0};
    struct driver *driver = NULL;
    int differing = 0, failed = 0;

    if (!gpu.bytes || !driver_open(NULL, &driver, &error) ||
        !gpu_context_open(driver, 0, &gpu.context, &error) ||
        !gpu_alloc(&gpu.context, (uint64_t)8 * VECTORS * 4, NULL, "in", &gpu.in, &error) ||
        !gpu_alloc(&gpu.context, OUTPUT, NULL, "out", &gpu.out, &error)) {
        fprintf(stderr, "simtlab-masks: %s\n", error.text);
        return 2;
    }
    for (int i = from; i < to; i += TOGETHER) {
        int count = to - i < TOGETHER ? to - i : TOGETHER;
        if (run_some(&gpu, &vectors[i], count, i, &differing, &error))
            continue;
        printf("%d to %d not run: %s\n", i, i + count - 1, error.text);
        failed++;
    }
    printf("%d instructions on %s, %d differ\n", to - from, gpu.context.info.name, differing);
    gpu_free(&gpu.context, gpu.in, NULL, &error);
    gpu_free(&gpu.context, gpu.out, NULL, &error);
    gpu_context_close(&gpu.context, NULL);
    driver_close(driver);
    free(gpu.bytes);
    return failed ? 2 : differing != 0;
}

int main(int argc, char **argv)
{
    struct arena arena = {0};
    size_t index_size, size;

    if (argc < 3) {
        fprintf(stderr, "usage: simtlab-masks golden.idx golden.bin [FROM TO | -n]\n");
        return 2;
    }
    char *index = read_whole(argv[1], &index_size), *words = read_whole(argv[2], &size);
    const struct vectors *vectors =
        index && words ? vectors_parse(&arena, index, (const unsigned char *)words, size) : NULL;
    int from = argc > 4 ? atoi(argv[3]) : 0, to = argc > 4 ? atoi(argv[4]) : VECTOR_COUNT, status;
    if (!vectors || from < 0 || from > to || to > VECTOR_COUNT) {
        fprintf(stderr, "simtlab-masks: not the recorded vectors, or no such range\n");
        status = 2;
    } else if (argc > 3 && strcmp(argv[3], "-n") == 0) {
        struct text ptx = {0};
        module_text(&ptx, vectors, VECTOR_COUNT);
        fputs(text_string(&ptx), stdout);
        text_free(&ptx);
        status = 0;
    } else {
        status = run_range(vectors, from, to);
    }
    free(words);
    free(index);
    arena_free(&arena);
    return status;
}
