/* SPDX-License-Identifier: Apache-2.0
 *
 * work.c - making the benchmark's problems.
 */
#include "bench/work.h"

#include <stdlib.h>
#include <string.h>

enum { WG = 256, TS = 16, BLK = 512, BINS = 256, HISTOGRAM_BLOCKS = 64 };

static const struct {
    const char *name;
    uint32_t large, small;
} shapes[WORK_COUNT] = {
    [WORK_SAXPY] = {"saxpy", 1u << 24, 1u << 17},
    [WORK_MATMUL] = {"matmul", 1024, 64},
    [WORK_REDUCE] = {"reduce", 1u << 24, 1u << 16},
    [WORK_HISTOGRAM] = {"histogram", 1u << 24, 1u << 17},
    [WORK_NBODY] = {"nbody", 16384, 512},
    [WORK_NBODY_EXACT] = {"nbody_exact", 16384, 512},
    [WORK_STENCIL] = {"stencil", 4096, 256},
    [WORK_BITONIC] = {"bitonic", 1u << 22, 1u << 13},
    [WORK_SPMV] = {"spmv", 1u << 20, 1u << 13},
    [WORK_F32OPS] = {"f32ops", 20000, 2000},
};

/* Marsaglia's xorshift; the state is never zero. */
static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A multiple of 2^-24 in [0, 1). */
static float next_unit(uint32_t *state)
{
    return (float)(next(state) >> 8) * 0x1p-24f;
}

/* The buffer is zeroed; a failed allocation leaves data null, which work_make sees. */
static void *add_buffer(struct work *work, size_t bytes)
{
    struct work_argument *argument = &work->argument[work->argument_count++];
    argument->data = calloc(1, bytes);
    argument->bytes = bytes;
    return argument->data;
}

static void add_scalar(struct work *work, uint32_t bits)
{
    work->argument[work->argument_count++].scalar = bits;
}

static void add_float(struct work *work, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_scalar(work, bits);
}

static void add_random_floats(struct work *work, size_t count, uint32_t *state)
{
    float *data = add_buffer(work, count * sizeof *data);
    for (size_t i = 0; data && i < count; i++)
        data[i] = next_unit(state);
}

static void fill_keys(uint32_t *data, size_t count, uint32_t *state)
{
    for (size_t i = 0; data && i < count; i++)
        data[i] = next(state);
}

/* Rows of 1 to 128 entries, mostly short: the bound doubles with even odds. */
static void add_sparse_matrix(struct work *work, uint32_t rows, uint32_t *state)
{
    uint32_t *first = add_buffer(work, ((size_t)rows + 1) * sizeof *first);
    if (!first)
        return;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t bound = 4;
        for (uint32_t coin = next(state); bound < 128 && (coin & 1); coin >>= 1)
            bound *= 2;
        first[row + 1] = first[row] + 1 + (next(state) >> 8) % bound;
    }
    uint32_t entries = first[rows];
    uint32_t *column = add_buffer(work, (size_t)entries * sizeof *column);
    for (uint32_t k = 0; column && k < entries; k++)
        column[k] = (next(state) >> 4) % rows;
    add_random_floats(work, entries, state);
    add_random_floats(work, rows, state);
    work->elements = entries;
}

static void shape(struct work *work, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by)
{
    work->grid[0] = gx;
    work->grid[1] = gy;
    work->block[0] = bx;
    work->block[1] = by;
    work->grid[2] = work->block[2] = 1;
}

bool work_make(struct work *work, enum work_kind kind, bool large)
{
    uint32_t n = large ? shapes[kind].large : shapes[kind].small;
    size_t square = (size_t)n * n;
    uint32_t state = 12345;

    memset(work, 0, sizeof *work);
    work->name = shapes[kind].name;
    work->size = n;
    work->elements = n;
    shape(work, n / WG, 1, WG, 1);
    switch (kind) {
    case WORK_SAXPY:
        add_buffer(work, n * sizeof(float));
        add_random_floats(work, n, &state);
        add_float(work, 1.5f);
        add_scalar(work, n);
        break;
    case WORK_MATMUL:
        add_buffer(work, square * sizeof(float));
        add_random_floats(work, square, &state);
        add_random_floats(work, square, &state);
        add_scalar(work, n);
        work->elements = (double)n * n * n;
        shape(work, n / TS, n / TS, TS, TS);
        break;
    case WORK_REDUCE:
        add_buffer(work, n / (2 * WG) * sizeof(float));
        add_random_floats(work, n, &state);
        add_scalar(work, n);
        shape(work, n / (2 * WG), 1, WG, 1);
        break;
    case WORK_HISTOGRAM:
        add_buffer(work, BINS * sizeof(uint32_t));
        fill_keys(add_buffer(work, n * sizeof(uint32_t)), n, &state);
        add_scalar(work, n);
        shape(work, HISTOGRAM_BLOCKS, 1, WG, 1);
        break;
    case WORK_NBODY:
    case WORK_NBODY_EXACT:
        add_buffer(work, n * 4 * sizeof(float));
        add_random_floats(work, (size_t)n * 4, &state);
        add_scalar(work, n);
        work->elements = (double)n * n;
        break;
    case WORK_STENCIL:
        add_buffer(work, square * sizeof(float));
        add_random_floats(work, square, &state);
        add_scalar(work, n);
        add_scalar(work, n);
        work->elements = (double)n * n;
        shape(work, n / 32, n / 8, 32, 8);
        break;
    case WORK_BITONIC:
        add_buffer(work, n * sizeof(uint32_t));
        shape(work, n / BLK, 1, WG, 1);
        break;
    case WORK_SPMV:
        add_buffer(work, n * sizeof(float));
        add_sparse_matrix(work, n, &state);
        add_scalar(work, n);
        break;
    case WORK_F32OPS:
        add_buffer(work, WG * sizeof(float));
        add_float(work, 0.75f);
        add_float(work, 0.5f);
        add_scalar(work, n);
        work->elements = 96.0 * WG * n;
        shape(work, 1, 1, WG, 1);
        break;
    case WORK_COUNT:
        return false;
    }
    for (int i = 0; i < work->argument_count; i++)
        if (work->argument[i].bytes && !work->argument[i].data) {
            work_free(work);
            return false;
        }
    work_reset(work);
    return true;
}

void work_free(struct work *work)
{
    for (int i = 0; i < work->argument_count; i++)
        free(work->argument[i].data);
    memset(work, 0, sizeof *work);
}

void work_reset(struct work *work)
{
    struct work_argument *out = &work->argument[0];
    uint32_t state = 12345;

    if (!strcmp(work->name, "bitonic"))
        fill_keys(out->data, work->size, &state);
    else
        memset(out->data, 0, out->bytes);
}

const char *work_name(enum work_kind kind)
{
    return shapes[kind].name;
}
