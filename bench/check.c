/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - the benchmark's results recomputed in plain C.
 *
 * The operations and their order are those of the compiled kernels, so equality
 * is exact. nvcc fuses a product and a sum into one fma where fmaf() stands here;
 * nothing else may be fused, so this file needs -ffp-contract=off (gcc's -std=c11
 * and bench/local.mk see to it).
 */
#include "bench/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WG = 256, BLK = 512, BINS = 256 };

/* Outputs compared for the two kernels whose reference is slow in C. */
enum { MATMUL_SAMPLE = 4096, NBODY_SAMPLE = 64 };

static const float *floats(const struct work *work, int index)
{
    return work->argument[index].data;
}

static const uint32_t *words(const struct work *work, int index)
{
    return work->argument[index].data;
}

static float scalar_float(const struct work *work, int index)
{
    float value;
    memcpy(&value, &work->argument[index].scalar, sizeof value);
    return value;
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static long check_saxpy(const struct work *work)
{
    const float *y = floats(work, 0), *x = floats(work, 1);
    float a = scalar_float(work, 2);
    for (uint32_t i = 0; i < work->size; i++)
        if (!same(y[i], fmaf(x[i], a, 0.0f)))
            return -1;
    return work->size;
}

static long check_matmul(const struct work *work)
{
    const float *c = floats(work, 0), *a = floats(work, 1), *b = floats(work, 2);
    size_t n = work->size, total = n * n;
    size_t step = total > MATMUL_SAMPLE ? total / MATMUL_SAMPLE + 1 : 1;
    long compared = 0;

    for (size_t i = 0; i < total; i += step, compared++) {
        size_t row = i / n, column = i % n;
        float sum = 0.0f;
        for (size_t k = 0; k < n; k++)
            sum = fmaf(a[row * n + k], b[k * n + column], sum);
        if (!same(c[i], sum))
            return -1;
    }
    return compared;
}

static long check_reduce(const struct work *work)
{
    const float *partial = floats(work, 0), *x = floats(work, 1);
    size_t blocks = work->size / (2 * WG);

    for (size_t block = 0; block < blocks; block++) {
        float s[WG];
        for (size_t i = 0; i < WG; i++)
            s[i] = x[block * 2 * WG + i] + x[block * 2 * WG + WG + i];
        for (size_t d = WG / 2; d > 0; d /= 2)
            for (size_t i = 0; i < d; i++)
                s[i] += s[i + d];
        if (!same(partial[block], s[0]))
            return -1;
    }
    return (long)blocks;
}

static long check_histogram(const struct work *work)
{
    const uint32_t *x = words(work, 1);
    uint32_t bins[BINS] = {0};

    for (uint32_t i = 0; i < work->size; i++)
        bins[x[i] % BINS]++;
    return memcmp(bins, words(work, 0), sizeof bins) ? -1 : BINS;
}

static bool near(float got, float want)
{
    return fabsf(got - want) <= 1e-4f * (1.0f + fabsf(want));
}

static long check_nbody(const struct work *work, bool exact)
{
    const float *acc = floats(work, 0), *pos = floats(work, 1);
    size_t n = work->size, step = n > NBODY_SAMPLE ? n / NBODY_SAMPLE : 1;
    long compared = 0;

    for (size_t i = 0; i < n; i += step, compared++) {
        const float *p = pos + 4 * i, *got = acc + 4 * i;
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (size_t j = 0; j < n; j++) {
            const float *q = pos + 4 * j;
            float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
            float r2 = fmaf(dz, dz, fmaf(dx, dx, dy * dy)) + 0.01f;
            float inverse = 1.0f / sqrtf(r2);
            float f = q[3] * inverse;
            f = inverse * f;
            f = inverse * f;
            sum[0] = fmaf(dx, f, sum[0]);
            sum[1] = fmaf(dy, f, sum[1]);
            sum[2] = fmaf(dz, f, sum[2]);
        }
        for (int axis = 0; axis < 3; axis++)
            if (exact ? !same(got[axis], sum[axis]) : !near(got[axis], sum[axis]))
                return -1;
        if (!same(got[3], 0.0f))
            return -1;
    }
    return compared;
}

static long check_stencil(const struct work *work)
{
    const float *out = floats(work, 0), *in = floats(work, 1);
    size_t w = work->size, h = work->size;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            size_t i = y * w + x;
            float want = in[i];
            if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
                float around = in[i - 1] + in[i + 1];
                around += in[i - w];
                around += in[i + w];
                want = fmaf(in[i], 0.5f, around * 0.125f);
            }
            if (!same(out[i], want))
                return -1;
        }
    return (long)(w * h);
}

static int compare_words(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Makes the same keys again and sorts each run of BLK with the C library. */
static long check_bitonic(const struct work *work)
{
    struct work fresh = *work;
    const uint32_t *got = words(work, 0);
    long result = work->size;

    fresh.argument[0].data = malloc(work->argument[0].bytes);
    uint32_t *key = fresh.argument[0].data;
    if (!key)
        return -1;
    work_reset(&fresh);
    for (uint32_t i = 0; i < work->size; i += BLK)
        qsort(key + i, BLK, sizeof *key, compare_words);
    if (memcmp(key, got, work->argument[0].bytes))
        result = -1;
    free(key);
    return result;
}

static long check_spmv(const struct work *work)
{
    const float *y = floats(work, 0), *value = floats(work, 3), *x = floats(work, 4);
    const uint32_t *first = words(work, 1), *column = words(work, 2);

    for (uint32_t row = 0; row < work->size; row++) {
        float sum = 0.0f;
        for (uint32_t k = first[row]; k < first[row + 1]; k++)
            sum = fmaf(value[k], x[column[k]], sum);
        if (!same(y[row], sum))
            return -1;
    }
    return work->size;
}

static long check_f32ops(const struct work *work)
{
    const float *out = floats(work, 0);
    float a = scalar_float(work, 1), b = scalar_float(work, 2);

    for (int thread = 0; thread < WG; thread++) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++) {
            float v = (float)(thread + k);
            for (uint32_t step = 0; step < 4 * work->size; step++) {
                v = fmaf(v, a, b);
                v = v * a;
                v = v + b;
            }
            sum = sum + v;
        }
        if (!same(out[thread], sum))
            return -1;
    }
    return WG;
}

long work_check(const struct work *work)
{
    static long (*const checks[WORK_COUNT])(const struct work *) = {
        [WORK_SAXPY] = check_saxpy, [WORK_MATMUL] = check_matmul,
        [WORK_REDUCE] = check_reduce, [WORK_HISTOGRAM] = check_histogram,
        [WORK_STENCIL] = check_stencil, [WORK_BITONIC] = check_bitonic,
        [WORK_SPMV] = check_spmv, [WORK_F32OPS] = check_f32ops,
    };
    for (int kind = 0; kind < WORK_COUNT; kind++)
        if (!strcmp(work->name, work_name(kind)))
            return checks[kind] ? checks[kind](work)
                                : check_nbody(work, kind == WORK_NBODY_EXACT);
    return -1;
}
