/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_loops.h - tensor_block.h for one instruction set of the host.
 *
 * Included once for each, with TENSOR_LOOPS set to the name of the table to
 * define. */
#include "numeric/half.h"
#include "numeric/tensor_float.h"

/* --- integers -------------------------------------------------------------------------------- */

static void unpack_integers(int32_t to[2 * TENSOR_DEPTH], const uint32_t *words, unsigned count,
                            enum tensor_type type)
{
    const unsigned char *bytes = (const unsigned char *)words;

    switch (type) {
    case TENSOR_S8:
        for (unsigned k = 0; k < count; k++)
            to[k] = (int8_t)bytes[k];
        break;
    case TENSOR_U8:
        for (unsigned k = 0; k < count; k++)
            to[k] = bytes[k];
        break;
    case TENSOR_S4:
        for (unsigned k = 0; k < count; k++)
            to[k] = (int32_t)((bytes[k / 2] >> 4 * (k & 1) & 15) ^ 8) - 8;
        break;
    default:
        for (unsigned k = 0; k < count; k++)
            to[k] = bytes[k / 2] >> 4 * (k & 1) & 15;
        break;
    }
}

static void integer_rows(struct tensor_block *block)
{
    int32_t line[2 * TENSOR_DEPTH];
    tensor_vector b[2 * TENSOR_DEPTH];
    unsigned depth = block->sparse ? 2 * block->k : block->k;

    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
        unpack_integers(line, block->b[n], depth, block->b_type);
        for (unsigned k = 0; k < depth; k++)
            b[k][n] = line[k];
    }
    for (unsigned r = 0; r < block->rows; r++) {
        tensor_vector sum = {0};
        unpack_integers(line, block->a[r], block->k, block->a_type);
        for (unsigned k = 0; k < block->k; k++)
            sum += b[block->sparse ? block->from[r][k] : k] * line[k];
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
            int64_t whole = (int64_t)sum[n] + (int32_t)block->c[r][n];
            if (block->saturate)
                whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
            block->d[r][n] = (uint32_t)whole;
        }
    }
}

static void bit_rows(struct tensor_block *block)
{
    for (unsigned r = 0; r < block->rows; r++)
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
            uint32_t sum = block->c[r][n];
            for (unsigned k = 0; k < block->k; k++) {
                uint32_t x = block->a[r][k], y = block->b[n][k];
                sum += (uint32_t)__builtin_popcount(block->exclusive ? x ^ y : x & y);
            }
            block->d[r][n] = sum;
        }
}

static void any_block(const struct tensor_chip *chip, struct tensor_block *block)
{
    switch (block->a_type) {
    case TENSOR_B1:
        bit_rows(block);
        break;
    case TENSOR_S8:
    case TENSOR_U8:
    case TENSOR_S4:
    case TENSOR_U4:
        integer_rows(block);
        break;
    default:
        float_rows(chip, block);
        break;
    }
}

/* --- f64 ---------------------------------------------------------------------------------------- */

/* Rounded to nearest and without a NaN, host operations do; a NaN once made stays one. */
static bool plain_double_row(const uint64_t *a, uint64_t b[TENSOR_WORDS][TENSOR_COLUMNS],
                             unsigned k, const uint64_t *c, uint64_t *d)
{
    double sum[TENSOR_COLUMNS];
    bool numbers = true;

    for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
        sum[n] = f64_host(c[n]);
    for (unsigned i = 0; i < k; i++)
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            sum[n] = __builtin_fma(f64_host(a[i]), f64_host(b[i][n]), sum[n]);
    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
        d[n] = f64_bits(sum[n]);
        numbers &= sum[n] == sum[n];
    }
    return numbers;
}

static void double_rows(struct tensor_block64 *block)
{
    uint64_t b[TENSOR_WORDS][TENSOR_COLUMNS];

    for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
        for (unsigned k = 0; k < block->k; k++)
            b[k][n] = block->b[n][k];
    for (unsigned r = 0; r < block->rows; r++) {
        uint64_t *sum = block->d[r];
        if (block->mode == ROUND_NEAREST_EVEN &&
            plain_double_row(block->a[r], b, block->k, block->c[r], sum))
            continue;
        memcpy(sum, block->c[r], sizeof block->c[r]);
        for (unsigned k = 0; k < block->k; k++)
            for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
                sum[n] = f64_fma(block->a[r][k], b[k][n], sum[n], block->mode);
    }
}

/* --- m8n8k4 of f16 ------------------------------------------------------------------------------- */

/* One row of one product: x times the columns y, as tensor_dot_quad. */
static inline void quad_row(const float x[4], float y[4][8], const float c[8], bool half,
                            uint32_t d[8])
{
    float sum[8];

    if (half) {
        for (unsigned n = 0; n < 8; n++) {
            float low = c[n] + __builtin_fmaf(x[1], y[1][n], x[0] * y[0][n]);
            sum[n] = low + __builtin_fmaf(x[3], y[3][n], x[2] * y[2][n]);
        }
        for (unsigned n = 0; n < 8; n++)
            d[n] = f16_narrow(sum[n]);
        return;
    }
    for (unsigned n = 0; n < 8; n++)
        sum[n] = __builtin_fmaf(x[0], y[0][n], 0);
    for (unsigned k = 1; k < 4; k++)
        for (unsigned n = 0; n < 8; n++)
            sum[n] = __builtin_fmaf(x[k], y[k][n], sum[n]);
    for (unsigned n = 0; n < 8; n++)
        d[n] = f32_result(c[n] + sum[n]);
}

static void quad_rows(struct tensor_quads *q)
{
    float a[4][8][4], b[4][8][4], c[4][8][8], y[4][8];

    for (unsigned i = 0; i < 128; i++) {
        a[i / 32][i / 4 % 8][i % 4] = f16_widen(q->a[i / 32][i / 4 % 8][i % 4]);
        b[i / 32][i / 4 % 8][i % 4] = f16_widen(q->b[i / 32][i / 4 % 8][i % 4]);
    }
    if (q->c_is_f16)
        for (unsigned i = 0; i < 256; i++)
            c[i / 64][i / 8 % 8][i % 8] = f16_widen(q->c[i / 64][i / 8 % 8][i % 8]);
    else
        memcpy(c, q->c, sizeof c);
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned n = 0; n < 8; n++)
            for (unsigned k = 0; k < 4; k++)
                y[k][n] = b[part][n][k];
        for (unsigned r = 0; r < 8; r++)
            quad_row(a[part][r], y, c[part][r], q->d_is_f16, q->d[part][r]);
    }
}

const struct tensor_loops TENSOR_LOOPS = {any_block, double_rows, quad_rows};
