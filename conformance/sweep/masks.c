/* SPDX-License-Identifier: Apache-2.0
 *
 * masks.c - the recorded instructions once more on a GPU, under masks of lanes.
 *
 * Runs the kernels of tests/vectors.h: each of 1242 instructions by itself, under a guard
 * and behind a branch, there with all lanes, some, every second one and a single one, over
 * all 2048 vectors; results must be what was recorded without masks, and lanes outside of
 * the mask must keep what they had. For each instruction the results that differ are
 * counted in these three forms. Needs a GPU, a C compiler, libc and the recorded
 * words, unpacked:
 *     zstd -d tests/data/golden.bin.zst -o golden.bin
 *     make -f conformance/sweep/Makefile.portable simtlab-masks
 *     ./simtlab-masks [--assembler FILE] [--driver FILE] tests/data/golden.idx golden.bin [FROM TO]
 * FROM and TO: a range of instructions. -n in place of a range prints the PTX of all.
 * --assembler: machine code by this program, called as ptxas is, not by the driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"
#include "tests/vectors.h"

enum { OUTPUT = 8 * VECTORS * VECTOR_FORMS, BLOCK = 256, TOGETHER = 32 };

struct gpu {
    struct gpu_context context;
    struct gpu_jit jit;
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

/* Kernels k0_0, k0_1, k0_2, k1_0, ... of so many instructions. */
static void module_text(struct text *ptx, const struct vectors *vectors, int count)
{
    text_puts(ptx, ".version 8.6\n.target sm_90\n.address_size 64\n");
    for (int i = 0; i < count; i++)
        for (int form = 0; form < VECTOR_FORMS; form++) {
            char name[24];
            snprintf(name, sizeof name, "k%d_%d", i, form);
            vector_kernel(ptx, &vectors[i], name, 1u << form);
        }
}

/* Adds the words that are wrong, of all turns; the first one is told. */
static bool run_one(struct gpu *gpu, const struct gpu_kernel *kernel,
                    const struct vectors *vectors, int form, int *wrong, struct gpu_error *error)
{
    for (uint32_t turn = 0; turn < (form ? VECTOR_TURNS : 1); turn++) {
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

/* What differed, of all that ran. */
struct counts {
    int run, differing;
    uint64_t wrong;
};

static bool run_some(struct gpu *gpu, const struct vectors *vectors, int count, int number,
                     struct counts *counts, struct gpu_error *error)
{
    struct text ptx = {0}, log = {0};
    struct gpu_module module;

    module_text(&ptx, vectors, count);
    bool loaded = gpu_module_load(&gpu->context, "masks", text_string(&ptx), ptx.size,
                                  &gpu->jit, &log, &module, error);
    bool ok = loaded;
    for (int i = 0; ok && i < count; i++) {
        int wrong[VECTOR_FORMS] = {0};

        ok = gpu_copy_in(&gpu->context, gpu->in, vectors[i].words,
                         (size_t)8 * VECTORS * (size_t)vectors[i].sources, NULL, error);
        for (int form = 0; ok && form < VECTOR_FORMS; form++) {
            struct gpu_kernel kernel;
            char name[24];
            snprintf(name, sizeof name, "k%d_%d", i, form);
            ok = gpu_kernel_find(&gpu->context, &module, name, &kernel, error) &&
                 run_one(gpu, &kernel, &vectors[i], form, &wrong[form], error);
        }
        if (!ok)
            break;
        printf("%4d %-40s %d %d %d\n", number + i, vectors[i].name, wrong[0], wrong[1], wrong[2]);
        counts->run++;
        counts->differing += wrong[0] || wrong[1] || wrong[2];
        counts->wrong += (uint64_t)wrong[0] + (uint64_t)wrong[1] + (uint64_t)wrong[2];
    }
    if (!ok && log.size && count == 1)
        fprintf(stderr, "%s\n", text_string(&log));
    if (loaded)
        gpu_module_unload(&gpu->context, &module, &(struct gpu_error){0});
    text_free(&ptx);
    text_free(&log);
    return ok;
}

/* Instructions that a compiler does not take are not run, those beside them are. */
static int run_all(struct gpu *gpu, const struct vectors *vectors, int from, int to,
                   struct counts *counts)
{
    struct gpu_error error = {0};
    int failed = 0;

    for (int i = from; i < to; i += TOGETHER) {
        int count = to - i < TOGETHER ? to - i : TOGETHER;
        if (run_some(gpu, &vectors[i], count, i, counts, &error))
            continue;
        for (int k = 0; k < count && !gpu_error_is_fault(&error); k++)
            if (!run_some(gpu, &vectors[i + k], 1, i + k, counts, &error)) {
                printf("%4d %-40s not run: %s\n", i + k, vectors[i + k].name, error.text);
                failed++;
            }
        if (gpu_error_is_fault(&error)) {
            printf("%d and what follows not run: %s\n", i, error.text);
            return failed + 1;
        }
    }
    return failed;
}

static int run_range(const struct vectors *vectors, int from, int to, const char *library,
                     const char *assembler)
{
    struct gpu gpu = {.bytes = malloc(OUTPUT), .jit = {.optimisation = -1, .assembler = assembler}};
    struct counts counts = {0};
    struct gpu_error error = {0};
    struct driver *driver = NULL;

    if (!gpu.bytes || !driver_open(library, &driver, &error) ||
        !gpu_context_open(driver, 0, &gpu.context, &error) ||
        !gpu_alloc(&gpu.context, (uint64_t)8 * VECTORS * 4, NULL, "in", &gpu.in, &error) ||
        !gpu_alloc(&gpu.context, OUTPUT, NULL, "out", &gpu.out, &error)) {
        fprintf(stderr, "simtlab-masks: %s\n", error.text);
        return 2;
    }
    int failed = run_all(&gpu, vectors, from, to, &counts);
    printf("%d instructions on %s, %d differ in %llu results\n", counts.run,
           gpu.context.info.name, counts.differing, (unsigned long long)counts.wrong);
    gpu_free(&gpu.context, gpu.in, NULL, &error);
    gpu_free(&gpu.context, gpu.out, NULL, &error);
    gpu_context_close(&gpu.context, NULL);
    driver_close(driver);
    free(gpu.bytes);
    return failed ? 2 : counts.differing != 0;
}

int main(int argc, char **argv)
{
    const char *assembler = NULL, *library = NULL;
    struct arena arena = {0};
    size_t index_size, size;

    for (; argc > 2 && !strncmp(argv[1], "--", 2); argc -= 2, argv += 2)
        if (!strcmp(argv[1], "--assembler"))
            assembler = argv[2];
        else if (!strcmp(argv[1], "--driver"))
            library = argv[2];
        else
            break;
    if (argc < 3 || argv[1][0] == '-') {
        fprintf(stderr, "usage: simtlab-masks [--assembler FILE] [--driver FILE] golden.idx golden.bin [FROM TO | -n]\n");
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
        status = run_range(vectors, from, to, library, assembler);
    }
    free(words);
    free(index);
    arena_free(&arena);
    return status;
}
