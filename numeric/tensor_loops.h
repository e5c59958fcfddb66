/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_loops.h - tensor_block.h for one instruction set of the host.
 *
 * Included once for each, with TENSOR_LOOPS set to the name of the table to
 * define. A vector holds what belongs to the eight columns of a row. An element
 * becomes a magnitude, an exponent and a sign of all zeros or all ones; A's
 * magnitudes are shifted up beforehand, so that a product needs but one shift to
 * the right to its place below the largest exponent. Zeros have an exponent so
 * low that it counts for nothing. What a NaN or an infinity takes part in is left
 * to tensor_dot. */
#include <string.h>

#include "numeric/float.h"
#include "numeric/tensor_block.h"

typedef int32_t tensor_vector __attribute__((vector_size(4 * TENSOR_COLUMNS)));
typedef uint32_t tensor_words __attribute__((vector_size(4 * TENSOR_COLUMNS)));

enum { TENSOR_DEPTH = 64, NO_EXPONENT = -16384 };

struct block_format {
    unsigned bits, exponent, fraction, drop;
};

/* As packed elements. */
struct unpacked {
    int32_t magnitude[TENSOR_DEPTH], exponent[TENSOR_DEPTH], sign[TENSOR_DEPTH];
    int32_t special; /* nonzero: a NaN or an infinity is among them */
};

static inline struct block_format block_format(enum tensor_type type)
{
    switch (type) {
    case TENSOR_F16: return (struct block_format){16, 5, 10, 0};
    case TENSOR_BF16: return (struct block_format){16, 8, 7, 0};
    case TENSOR_TF32: return (struct block_format){32, 8, 10, 13};
    case TENSOR_E4M3: return (struct block_format){8, 4, 3, 0};
    default: return (struct block_format){8, 5, 2, 0};
    }
}

static inline void unpack_elements(struct unpacked *to, const uint32_t *element, unsigned count,
                                   struct block_format f, bool e4m3)
{
    int32_t top = (1 << f.exponent) - 1, bias = top >> 1, special = 0;
    uint32_t hidden = UINT32_C(1) << f.fraction;

    for (unsigned k = 0; k < count; k++) {
        uint32_t bits = element[k] >> f.drop, fraction = bits & (hidden - 1);
        int32_t exponent = (int32_t)(bits >> f.fraction) & top;
        bool normal = exponent != 0, zero = !normal && !fraction;
        special |= e4m3 ? (exponent == top) & (fraction == 7) : exponent == top;
        to->magnitude[k] = (int32_t)(fraction | (normal ? hidden : 0));
        to->exponent[k] = zero ? NO_EXPONENT : exponent - bias + !normal;
        to->sign[k] = -(int32_t)(bits >> (f.fraction + f.exponent) & 1);
    }
    to->special = special;
}

static inline void split_words(uint32_t element[TENSOR_DEPTH], const uint32_t *words,
                               unsigned count, unsigned bits)
{
    const unsigned char *bytes = (const unsigned char *)words;

    if (bits == 16) {
        for (unsigned k = 0; k < count; k++) {
            uint16_t half;
            memcpy(&half, bytes + 2 * k, 2);
            element[k] = half;
        }
    } else if (bits == 8) {
        for (unsigned k = 0; k < count; k++)
            element[k] = bytes[k];
    } else {
        memcpy(element, words, 4 * (size_t)count);
    }
}

/* Subnormals of e4m3 with the exponent that they have as f16. */
static inline void normalise(struct unpacked *to, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < 3; i++) {
            int32_t low = to->magnitude[k] < 8 && to->magnitude[k];
            to->magnitude[k] <<= low;
            to->exponent[k] -= low;
        }
}

static inline void unpack_line(struct unpacked *to, const uint32_t *words, unsigned count,
                               enum tensor_type type, bool as_f16)
{
    uint32_t element[TENSOR_DEPTH];

    split_words(element, words, count, block_format(type).bits);
    switch (type) { /* constants make the loops short */
    case TENSOR_F16: unpack_elements(to, element, count, block_format(TENSOR_F16), false); break;
    case TENSOR_BF16: unpack_elements(to, element, count, block_format(TENSOR_BF16), false); break;
    case TENSOR_TF32: unpack_elements(to, element, count, block_format(TENSOR_TF32), false); break;
    case TENSOR_E4M3:
        unpack_elements(to, element, count, block_format(TENSOR_E4M3), true);
        if (as_f16)
            normalise(to, count);
        break;
    default: unpack_elements(to, element, count, block_format(TENSOR_E5M2), false); break;
    }
}

/* --- floats ---------------------------------------------------------------------------- */

struct columns {
    tensor_vector magnitude[TENSOR_DEPTH], exponent[TENSOR_DEPTH], sign[TENSOR_DEPTH];
    bool special[TENSOR_COLUMNS];
};

static void unpack_columns(struct columns *to, const struct tensor_block *block, bool as_f16)
{
    struct unpacked column;

    for (unsigned c = 0; c < TENSOR_COLUMNS; c++) {
        unpack_line(&column, block->b[c], block->k, block->b_type, as_f16);
        to->special[c] = column.special != 0;
        for (unsigned k = 0; k < block->k; k++) {
            to->magnitude[k][c] = column.magnitude[k];
            to->exponent[k][c] = column.exponent[k];
            to->sign[k][c] = column.sign[k];
        }
    }
}

/* Which k one sum takes. */
struct selection {
    unsigned count;
    uint8_t k[TENSOR_DEPTH];
};

static void select_terms(struct selection *s, const struct tensor_plan *plan, unsigned sum)
{
    s->count = plan->count;
    for (unsigned i = 0; i < plan->count; i++)
        s->k[i] = (uint8_t)(plan->halves ? 4 * (i / 2) + 2 * sum + i % 2 : sum * plan->count + i);
}

static inline uint32_t cut_f32(int64_t sum, int scale, unsigned fraction)
{
    uint64_t magnitude = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;

    if (!magnitude)
        return 0;
    int zeros = __builtin_clzll(magnitude), exponent = 63 - zeros + scale;
    if (exponent < -126 || exponent > 127 || fraction != 23)
        return tensor_round_f32(sum, scale, fraction);
    return (sum < 0 ? UINT32_C(1) << 31 : 0) | (uint32_t)(exponent + 127) << 23 |
           (uint32_t)(magnitude << zeros << 1 >> 41);
}

/* One row: the sum of the selected products and of c, into result. */
static inline void row_sums(const struct unpacked *a, const struct columns *b,
                            const struct selection *s, const struct tensor_plan *plan,
                            const uint32_t c[TENSOR_COLUMNS], bool c_is_f16,
                            uint32_t result[TENSOR_COLUMNS])
{
    struct unpacked addend;
    struct block_format cf = c_is_f16 ? block_format(TENSOR_F16)
                                      : (struct block_format){32, 8, 23, 0};
    tensor_vector exponent[TENSOR_DEPTH], largest, total = {0};

    if (c_is_f16) /* constants make the loop short */
        unpack_elements(&addend, c, TENSOR_COLUMNS, block_format(TENSOR_F16), false);
    else
        unpack_elements(&addend, c, TENSOR_COLUMNS, (struct block_format){32, 8, 23, 0}, false);
    memcpy(&largest, addend.exponent, sizeof largest);
    tensor_vector low = largest < plan->floor;
    largest = (plan->floor & low) | (largest & ~low);
    for (unsigned i = 0; i < s->count; i++) {
        unsigned k = s->k[i];
        exponent[i] = b->exponent[k] + a->exponent[k];
        tensor_vector more = exponent[i] > largest;
        largest = (exponent[i] & more) | (largest & ~more);
    }
    for (unsigned i = 0; i < s->count; i++) {
        unsigned k = s->k[i];
        tensor_vector down = largest - exponent[i], far = down > 31;
        tensor_vector sign = b->sign[k] ^ a->sign[k];
        tensor_words product = (tensor_words)(b->magnitude[k] * a->magnitude[k]);
        product >>= (tensor_words)((down | far) & 31);
        total += ((tensor_vector)product ^ sign) - sign;
    }
    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
        int down = largest[n] - addend.exponent[n] + 31 - (int)plan->fraction;
        uint64_t place = (uint64_t)(uint32_t)addend.magnitude[n] << (31 - cf.fraction);
        int64_t more = down > 63 ? 0 : (int64_t)(place >> down);
        int64_t sum = total[n] + (addend.sign[n] ? -more : more);
        int scale = largest[n] - (int)plan->fraction;
        result[n] = plan->d_is_f16 ? tensor_round_f16(sum, scale)
                                   : cut_f32(sum, scale, plan->result_fraction);
    }
}

/* Marks the columns whose sum so far is infinite or a NaN. */
static bool special_sums(const uint32_t sum[TENSOR_COLUMNS], bool is_f16,
                         bool which[TENSOR_COLUMNS])
{
    uint32_t top = is_f16 ? 0x7c00 : 0x7f800000;
    bool any = false;

    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
        which[n] |= (sum[n] & top) == top;
        any |= which[n];
    }
    return any;
}

/* The elements that row_sums cannot do. */
static void special_elements(const struct tensor_chip *chip, struct tensor_block *block, unsigned r,
                             const bool which[TENSOR_COLUMNS])
{
    struct tensor_number a[TENSOR_DEPTH], b[TENSOR_DEPTH];
    uint32_t element[TENSOR_DEPTH];

    split_words(element, block->a[r], block->k, block_format(block->a_type).bits);
    for (unsigned k = 0; k < block->k; k++)
        a[k] = tensor_unpack(block->a_type, element[k]);
    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
        if (!which[n])
            continue;
        split_words(element, block->b[n], block->k, block_format(block->b_type).bits);
        for (unsigned k = 0; k < block->k; k++)
            b[k] = tensor_unpack(block->b_type, element[k]);
        block->d[r][n] = tensor_dot(chip, block->a_type, block->b_type, a, b, block->k,
                                    block->c[r][n], block->c_is_f16, block->d_is_f16,
                                    block->group);
    }
}

static void float_rows(const struct tensor_chip *chip, struct tensor_block *block)
{
    struct tensor_plan plan = tensor_plan(chip, block->a_type, block->b_type, block->k,
                                          block->c_is_f16, block->d_is_f16, block->group);
    plan.saturate = block->saturate;
    struct unpacked a;
    struct columns b;
    bool special[TENSOR_COLUMNS];
    struct selection terms[TENSOR_DEPTH / 4];

    for (unsigned i = 0; i < plan.sums; i++)
        select_terms(&terms[i], &plan, i);
    unpack_columns(&b, block, plan.halves);
    for (unsigned r = 0; r < block->rows; r++) {
        unpack_line(&a, block->a[r], block->k, block->a_type, plan.halves);
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            special[n] = a.special || b.special[n];
        bool any = special_sums(block->c[r], block->c_is_f16, special);
        for (unsigned k = 0; k < block->k; k++)
            a.magnitude[k] <<= plan.up;
        uint32_t sum[TENSOR_COLUMNS];
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            sum[n] = tensor_addend(&plan, block->c[r][n]);
        bool half = plan.halves ? block->d_is_f16 : block->c_is_f16 && !plan.c_becomes_f32;
        for (unsigned i = 0; i < plan.sums; i++) {
            row_sums(&a, &b, &terms[i], &plan, sum, half, sum);
            half = plan.d_is_f16;
            if (i + 1 < plan.sums)
                any = special_sums(sum, half, special);
        }
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            block->d[r][n] = tensor_finish(&plan, sum[n], block->c[r][n]);
        if (any)
            special_elements(chip, block, r, special);
    }
}

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
    tensor_vector b[TENSOR_DEPTH];

    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
        unpack_integers(line, block->b[n], block->k, block->b_type);
        for (unsigned k = 0; k < block->k; k++)
            b[k][n] = line[k];
    }
    for (unsigned r = 0; r < block->rows; r++) {
        tensor_vector sum = {0};
        unpack_integers(line, block->a[r], block->k, block->a_type);
        for (unsigned k = 0; k < block->k; k++)
            sum += b[k] * line[k];
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

static void double_rows(struct tensor_block64 *block)
{
    uint64_t b[TENSOR_WORDS][TENSOR_COLUMNS];

    for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
        for (unsigned k = 0; k < block->k; k++)
            b[k][n] = block->b[n][k];
    for (unsigned r = 0; r < block->rows; r++) {
        uint64_t sum[TENSOR_COLUMNS];
        memcpy(sum, block->c[r], sizeof sum);
        for (unsigned k = 0; k < block->k; k++)
            for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
                sum[n] = f64_fma(block->a[r][k], b[k][n], sum[n], block->mode);
        memcpy(block->d[r], sum, sizeof sum);
    }
}

const struct tensor_loops TENSOR_LOOPS = {any_block, double_rows};
