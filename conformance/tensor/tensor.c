/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c - matrix instructions of the emulator against a GPU.
 *
 *     simtlab-tensor [--outputs N] [--threads N] [--from I] [--shard I/N]
 *                    [--record FILE] [--wrong FILE] [NAME...]
 *     simtlab-tensor --write DIR
 *
 * For each variant (or those whose name begins with a NAME) the same kernel runs on the
 * GPU and on the emulator, at least N results for each distribution; results
 * that differ are counted, and the warps they are in go to the file of --wrong.
 * --shard does every Nth of them from the Ith on. --record keeps what the GPU gave for the first warp of each distribution, as a
 * recording that `simtlab conform` replays; --write makes the PTX files for that.
 * Without a GPU (--emulate) only the emulator runs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "conformance/tensor/variant.h"
#include "gpu/device.h"
#include "gpu/recording.h"
#include "simtlab/simtlab.h"

enum { BLOCK = 128, THREADS_MAX = 128, WRONG_MAX = 24 };

struct options {
    unsigned outputs, threads, from, shard, shards;
    const char *record, *wrong, *write;
    bool emulate;
    char **names;
    int name_count;
};

/* Of one block. */
static uint32_t units_of(const struct variant *v)
{
    return BLOCK / v->unit;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- the emulator ------------------------------------------------------------------------- */

struct share {
    const struct variant *variant;
    const struct text *ptx;
    uint32_t first, blocks;  /* units before, blocks of this share */
    unsigned char *out;      /* units results for each distribution */
    char error[512];
};

static bool launch_share(struct share *share, sl_context *context)
{
    uint64_t size = (uint64_t)DISTRIBUTIONS * share->blocks * units_of(share->variant) *
                    share->variant->output;
    sl_module *module;
    sl_kernel *kernel;
    sl_buffer *buffer;
    sl_report *report;

    if (sl_module_load(context, SL_FORMAT_PTX, share->variant->name, text_string(share->ptx),
                       share->ptx->size, &module) != SL_OK ||
        sl_module_find(module, NULL, &kernel) != SL_OK ||
        sl_buffer_create(context, size, NULL, &buffer) != SL_OK)
        return false;
    uint64_t address = sl_buffer_address(buffer);
    const void *arguments[] = {&address, &share->first};
    if (sl_launch(kernel, (uint32_t[]){share->blocks, DISTRIBUTIONS, 1}, (uint32_t[]){BLOCK, 1, 1},
                  0, arguments, 2, &report) != SL_OK)
        return false;
    if (sl_report_problems(report))
        snprintf(share->error, sizeof share->error, "%s", sl_report_text(report));
    sl_report_destroy(report);
    return sl_buffer_read(buffer, 0, share->out, size) == SL_OK;
}

static void *emulate(void *argument)
{
    struct share *share = argument;
    sl_context *context = NULL;

    if (sl_context_create("sm_90", &context) != SL_OK || !launch_share(share, context))
        snprintf(share->error, sizeof share->error, "%s", sl_context_error(context));
    sl_context_destroy(context);
    return NULL;
}

static void start_shares(const struct variant *v, const struct text *ptx, uint32_t blocks,
                         unsigned threads, struct share *share, pthread_t *thread)
{
    for (unsigned t = 0; t < threads; t++) {
        uint32_t from = (uint32_t)((uint64_t)blocks * t / threads);
        uint32_t to = (uint32_t)((uint64_t)blocks * (t + 1) / threads);
        share[t] = (struct share){.variant = v, .ptx = ptx, .first = from * units_of(v),
                                  .blocks = to - from};
        share[t].out = malloc((size_t)DISTRIBUTIONS * share[t].blocks * units_of(v) * v->output + 1);
        if (!share[t].out || pthread_create(&thread[t], NULL, emulate, &share[t]))
            abort();
    }
}

/* --- the GPU ------------------------------------------------------------------------------- */

struct gpu {
    struct driver *driver;
    struct gpu_context context;
};

static bool run_on_gpu(struct gpu *gpu, const struct variant *v, const struct text *ptx,
                       uint32_t blocks, unsigned char *out, struct gpu_error *error)
{
    uint64_t size = (uint64_t)DISTRIBUTIONS * blocks * units_of(v) * v->output, address = 0;
    struct text log = {0};
    struct gpu_module module;
    struct gpu_kernel kernel;
    uint32_t first = 0;
    void *parameters[] = {&address, &first};
    struct gpu_launch launch = {.grid = {blocks, DISTRIBUTIONS, 1}, .block = {BLOCK, 1, 1}};

    bool loaded = gpu_module_load(&gpu->context, v->name, text_string(ptx), ptx->size,
                                  &(struct gpu_jit){.optimisation = -1}, &log, &module, error);
    bool ok = loaded && gpu_kernel_find(&gpu->context, &module, v->name, &kernel, error) &&
              gpu_alloc(&gpu->context, size, NULL, "results", &address, error) &&
              gpu_launch(&gpu->context, &kernel, &launch, parameters, NULL, error) &&
              gpu_copy_out(&gpu->context, out, address, size, NULL, error) &&
              gpu_stream_wait(&gpu->context, NULL, error);
    if (address)
        gpu_free(&gpu->context, address, NULL, &(struct gpu_error){0});
    if (loaded)
        gpu_module_unload(&gpu->context, &module, &(struct gpu_error){0});
    text_free(&log);
    return ok;
}

/* --- a recording of the first warps ---------------------------------------------------------- */

static void record_chip(FILE *to, const struct gpu *gpu)
{
    const struct gpu_device_info *info = &gpu->context.info;
    char target[24], cuda[24];
    struct text text = {0};

    snprintf(target, sizeof target, "sm_%d%d", info->major, info->minor);
    snprintf(cuda, sizeof cuda, "%d.%d", gpu->driver->cuda_version / 1000,
             gpu->driver->cuda_version % 1000 / 10);
    recording_write_chip(&text, &(struct recording_chip){info->name, target,
                                                         gpu->driver->version, cuda});
    fwrite(text_string(&text), 1, text.size, to);
    text_free(&text);
}

/* One variant of `one_in`, by its name. */
static bool sampled(const struct variant *v, unsigned one_in)
{
    unsigned sum = 0;

    for (const char *c = v->name; *c; c++)
        sum += (unsigned char)*c;
    return sum % one_in == 0;
}

/* How many distributions are kept: fewer where there are many results, and of the very many
 * wgmma a sample. */
static unsigned recorded_distributions(const struct variant *v)
{
    bool layouts = v->a_column || v->b_row || v->kind == VARIANT_SPARSE;

    if (v->kind == VARIANT_LAYOUT)
        return v->a == TYPE_F16;
    if (v->kind == VARIANT_WGMMA)
        return v->n == 8 || (v->n == 16 && sampled(v, 2)) || (v->n == 24 && sampled(v, 32));
    return v->output > 6144 ? 0 : layouts || v->output > 1024 ? 1 : 3;
}

static void record(FILE *to, const struct variant *v, const struct text *ptx, uint32_t blocks,
                   const unsigned char *out)
{
    unsigned kept = recorded_distributions(v);
    char file[128], argument[64];
    unsigned size = variant_bits(v->d) / 8, count = v->output / size;
    unsigned char *bytes = malloc((size_t)kept * v->output);
    const char *arguments[] = {argument, "0"};
    struct text text = {0};
    enum element element = v->d == TYPE_F64   ? ELEMENT_F64
                           : v->d == TYPE_F16 ? ELEMENT_F16
                           : v->d == TYPE_S32 ? ELEMENT_S32
                                              : ELEMENT_F32;
    struct recording_output output = {.source = RECORDED_ARGUMENT, .element = element,
                                      .count = (uint64_t)kept * count, .bytes = bytes};
    struct recording_job job = {
        .launch = {.name = v->name, .ptx = file, .kernel = v->name,
                   .grid = {1, kept, 1}, .block = {v->unit, 1, 1},
                   .arguments = arguments, .argument_count = 2},
        .end = RECORDING_OK, .text = "", .items = &output, .count = 1, .capacity = 1};

    if (!bytes)
        abort();
    for (unsigned d = 0; d < kept; d++)
        memcpy(bytes + (size_t)d * v->output, out + (size_t)d * blocks * units_of(v) * v->output,
               v->output);
    snprintf(file, sizeof file, "%s.ptx", v->name);
    snprintf(argument, sizeof argument, "%s[%u]=0", element_name(element),
             kept * count);
    sha256_hex(text_string(ptx), ptx->size, job.ptx_hash);
    recording_write_job(&text, &job, false);
    fwrite(text_string(&text), 1, text.size, to);
    fflush(to);
    text_free(&text);
    free(bytes);
}

/* --- one variant ------------------------------------------------------------------------------ */

struct count {
    uint64_t results, wrong;
};

/* A warp's results side by side: element size in bytes, then words of 32 bits. */
static void write_wrong(FILE *to, const struct variant *v, unsigned distribution, uint32_t warp,
                        const unsigned char *chip, const unsigned char *ours)
{
    fprintf(to, "%s %u %u", v->name, distribution, warp);
    for (unsigned i = 0; i < v->output; i += 4) {
        uint32_t a, b;
        memcpy(&a, chip + i, 4);
        memcpy(&b, ours + i, 4);
        if (a != b)
            fprintf(to, " %u:%x/%x", i / 4, a, b);
        else
            fprintf(to, " %u:%x", i / 4, a);
    }
    fputc('\n', to);
}

static void compare(const struct variant *v, const struct share *share, unsigned threads,
                    uint32_t blocks, const unsigned char *chip, FILE *wrong,
                    struct count count[DISTRIBUTIONS])
{
    unsigned size = variant_bits(v->d) / 8, kept = 0;

    for (unsigned d = 0; d < DISTRIBUTIONS; d++, kept = 0)
        for (unsigned t = 0; t < threads; t++)
            for (uint32_t w = 0; w < share[t].blocks * units_of(v); w++) {
                const unsigned char *ours =
                    share[t].out + ((size_t)d * share[t].blocks * units_of(v) + w) * v->output;
                const unsigned char *theirs =
                    chip + ((size_t)d * blocks * units_of(v) + share[t].first + w) * v->output;
                count[d].results += v->output / size;
                if (memcmp(ours, theirs, v->output) == 0)
                    continue;
                for (unsigned i = 0; i < v->output; i += size)
                    count[d].wrong += memcmp(ours + i, theirs + i, size) != 0;
                if (wrong && kept++ < WRONG_MAX)
                    write_wrong(wrong, v, d, share[t].first + w, theirs, ours);
            }
}

static bool run_variant(struct gpu *gpu, const struct variant *v, const struct options *options,
                        FILE *recording, FILE *wrong, struct count *total)
{
    struct text ptx = {0};
    struct share share[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    struct count count[DISTRIBUTIONS] = {{0, 0}};
    struct gpu_error error = {0};
    unsigned results = v->output * 8 / variant_bits(v->d);
    uint32_t blocks = (options->outputs + results * units_of(v) - 1) / (results * units_of(v));
    unsigned threads = options->threads < blocks ? options->threads : blocks;
    size_t size = (size_t)DISTRIBUTIONS * blocks * units_of(v) * v->output;
    unsigned char *chip = malloc(size);
    double start = seconds();

    if (!chip)
        abort();
    variant_ptx(v, &ptx);
    start_shares(v, &ptx, blocks, threads, share, thread);
    bool ok = !options->emulate && run_on_gpu(gpu, v, &ptx, blocks, chip, &error);
    const char *failure = "";
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        if (share[t].error[0])
            failure = share[t].error;
    }
    printf("%-60s", v->name);
    if (ok && recording && recorded_distributions(v))
        record(recording, v, &ptx, blocks, chip);
    if (ok && !*failure) {
        compare(v, share, threads, blocks, chip, wrong, count);
        for (unsigned d = 0; d < DISTRIBUTIONS; d++) {
            printf(" %llu", (unsigned long long)count[d].wrong);
            total->results += count[d].results;
            total->wrong += count[d].wrong;
        }
        printf(" of %llu each", (unsigned long long)count[0].results);
    } else if (!options->emulate) {
        printf(" not run: %s", error.text);
    }
    printf(" (%.2f s)%s%s\n", seconds() - start, *failure ? " emulator: " : "", failure);
    fflush(stdout);
    if (wrong)
        fflush(wrong);
    for (unsigned t = 0; t < threads; t++)
        free(share[t].out);
    free(chip);
    text_free(&ptx);
    return (ok || options->emulate) && !*failure;
}

/* --- the program -------------------------------------------------------------------------------- */

static bool chosen(const char *name, const struct options *options)
{
    for (int i = 0; i < options->name_count; i++)
        if (strncmp(name, options->names[i], strlen(options->names[i])) == 0)
            return true;
    return options->name_count == 0;
}

static int write_files(const struct variant *list, size_t count, const struct options *options)
{
    for (size_t i = 0; i < count; i++) {
        struct text ptx = {0}, path = {0};
        if (!chosen(list[i].name, options))
            continue;
        text_printf(&path, "%s/%s.ptx", options->write, list[i].name);
        variant_ptx(&list[i], &ptx);
        FILE *file = fopen(text_string(&path), "w");
        bool ok = file && fwrite(text_string(&ptx), 1, ptx.size, file) == ptx.size;
        if (file)
            ok = fclose(file) == 0 && ok;
        if (!ok) {
            fprintf(stderr, "simtlab-tensor: cannot write %s\n", text_string(&path));
            return 2;
        }
        text_free(&ptx);
        text_free(&path);
    }
    return 0;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    int i = 1;

    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--emulate") == 0) {
            options->emulate = true;
            continue;
        }
        if (i + 1 == argc)
            return false;
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--outputs") == 0)
            options->outputs = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(argv[i], "--threads") == 0)
            options->threads = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(argv[i], "--from") == 0)
            options->from = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(argv[i], "--shard") == 0) {
            if (sscanf(value, "%u/%u", &options->shard, &options->shards) != 2)
                return false;
        } else if (strcmp(argv[i], "--record") == 0)
            options->record = value;
        else if (strcmp(argv[i], "--wrong") == 0)
            options->wrong = value;
        else if (strcmp(argv[i], "--write") == 0)
            options->write = value;
        else
            return false;
        i++;
    }
    options->names = argv + i;
    options->name_count = argc - i;
    return options->threads >= 1 && options->threads <= THREADS_MAX && options->outputs &&
           options->shard < options->shards;
}

int main(int argc, char **argv)
{
    struct options options = {.outputs = 1 << 20, .threads = 16, .shards = 1};
    struct gpu_error error = {0};
    struct gpu gpu = {0};
    struct count total = {0, 0};
    size_t count, run = 0, failed = 0;

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "simtlab-tensor: see the head of conformance/tensor/tensor.c\n");
        return 2;
    }
    struct variant *list = variants(&count);
    if (options.write) {
        int status = write_files(list, count, &options);
        free(list);
        return status;
    }
    if (!options.emulate && (!driver_open(NULL, &gpu.driver, &error) ||
                             !gpu_context_open(gpu.driver, 0, &gpu.context, &error))) {
        fprintf(stderr, "simtlab-tensor: %s\n", error.text);
        return 2;
    }
    FILE *recording = options.record ? fopen(options.record, "w") : NULL;
    if (recording && !options.emulate)
        record_chip(recording, &gpu);
    FILE *wrong = options.wrong ? fopen(options.wrong, "w") : NULL;
    for (size_t i = options.from; i < count; i++) {
        if (!chosen(list[i].name, &options) || i % options.shards != options.shard)
            continue;
        printf("%3zu ", i);
        run++;
        failed += !run_variant(&gpu, &list[i], &options, recording, wrong, &total);
    }
    printf("%zu variants, %zu of them not compared; %llu results, %llu differ\n", run, failed,
           (unsigned long long)total.results, (unsigned long long)total.wrong);
    if (recording)
        fclose(recording);
    if (wrong)
        fclose(wrong);
    if (!options.emulate) {
        gpu_context_close(&gpu.context, NULL);
        driver_close(gpu.driver);
    }
    free(list);
    return total.wrong || failed ? 1 : 0;
}
