/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_float.h - the floating-point part of tensor_loops.h.
 *
 * A vector holds what belongs to the eight columns of a row. An element becomes a
 * magnitude, an exponent and a sign of all zeros or all ones; A's magnitudes are shifted up
 * beforehand, so that a product needs but one shift to the right to its place below the
 * largest exponent. Zeros have an exponent so low that it counts for nothing. What a NaN or
 * an infinity takes part in is left to tensor_dot. */
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi" /* nothing here is called from elsewhere */

#include "numeric/float.h"
#include "numeric/tensor_block.h"

typedef int32_t tensor_vector __attribute__((vector_size(4 * TENSOR_COLUMNS)));
typedef uint32_t tensor_words __attribute__((vector_size(4 * TENSOR_COLUMNS)));
typedef int64_t tensor_long __attribute__((vector_size(8 * TENSOR_COLUMNS)));
typedef uint64_t tensor_ulong __attribute__((vector_size(8 * TENSOR_COLUMNS)));
typedef double tensor_real __attribute__((vector_size(8 * TENSOR_COLUMNS)));
typedef uint16_t tensor_halves __attribute__((vector_size(2 * TENSOR_COLUMNS)));
typedef uint8_t tensor_bytes __attribute__((vector_size(TENSOR_COLUMNS)));

enum { NO_EXPONENT = -16384 };

struct block_format {
    int bits, exponent, fraction, drop;
};

static inline struct block_format block_format(enum tensor_type type)
{
    switch (type) {
    case TENSOR_F16: return (struct block_format){16, 5, 10, 0};
    case TENSOR_BF16: return (struct block_format){16, 8, 7, 0};
    case TENSOR_TF32: return (struct block_format){32, 8, 10, 13};
    case TENSOR_E4M3: return (struct block_format){8, 4, 3, 0};
    case TENSOR_E5M2: return (struct block_format){8, 5, 2, 0};
    default: return (struct block_format){32, 8, 23, 0}; /* f32: of c */
    }
}

/* Eight elements. */
struct parts {
    tensor_vector magnitude, exponent, sign, special;
};

/* x where the mask is set, else y. */
static inline tensor_vector pick(tensor_vector mask, tensor_vector x, tensor_vector y)
{
    return (x & mask) | (y & ~mask);
}

static inline struct parts parts_of(tensor_words element, struct block_format f, bool e4m3)
{
    int32_t top = (1 << f.exponent) - 1, bias = top >> 1, hidden = 1 << f.fraction;
    tensor_vector bits = (tensor_vector)(element >> f.drop), fraction = bits & (hidden - 1);
    tensor_vector exponent = (bits >> f.fraction) & top, normal = exponent != 0;
    tensor_vector zero = ~normal & (fraction == 0), none = (tensor_vector){0} + NO_EXPONENT;

    return (struct parts){
        .magnitude = fraction | (normal & hidden),
        .exponent = pick(zero, none, exponent - (bias - 1) + normal),
        .sign = -(bits >> (f.fraction + f.exponent) & 1),
        .special = e4m3 ? (exponent == top) & (fraction == 7) : exponent == top,
    };
}

/* Subnormals of e4m3 with the exponent that they have as f16. */
static inline void normalise(struct parts *p)
{
    for (unsigned i = 0; i < 3; i++) {
        tensor_vector low = (p->magnitude < 8) & (p->magnitude != 0);
        p->magnitude = pick(low, p->magnitude << 1, p->magnitude);
        p->exponent += low;
    }
}

static inline __attribute__((always_inline)) struct parts
parts_of_type(tensor_words element, enum tensor_type type, bool as_f16)
{
    struct parts parts;

    switch (type) { /* constants make it short */
    case TENSOR_F16: return parts_of(element, block_format(TENSOR_F16), false);
    case TENSOR_BF16: return parts_of(element, block_format(TENSOR_BF16), false);
    case TENSOR_TF32: return parts_of(element, block_format(TENSOR_TF32), false);
    case TENSOR_E5M2: return parts_of(element, block_format(TENSOR_E5M2), false);
    case TENSOR_E4M3:
        parts = parts_of(element, block_format(TENSOR_E4M3), true);
        if (as_f16)
            normalise(&parts);
        return parts;
    default: return parts_of(element, block_format(TENSOR_F32), false);
    }
}

/* --- a row of A ------------------------------------------------------------------------------ */

struct row {
    int32_t magnitude[TENSOR_DEPTH], exponent[TENSOR_DEPTH], sign[TENSOR_DEPTH];
    bool special; /* a NaN or an infinity is among them */
};

static inline tensor_words eight_elements(const uint32_t *words, unsigned k, int bits)
{
    const unsigned char *at = (const unsigned char *)words + k * (unsigned)bits / 8;
    tensor_halves halves;
    tensor_bytes bytes;
    tensor_words whole;

    switch (bits) {
    case 16:
        memcpy(&halves, at, sizeof halves);
        return __builtin_convertvector(halves, tensor_words);
    case 8:
        memcpy(&bytes, at, sizeof bytes);
        return __builtin_convertvector(bytes, tensor_words);
    default:
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
}

static inline bool any_of(tensor_vector mask)
{
    int32_t all = 0;

    for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
        all |= mask[n];
    return all;
}

static void unpack_row(struct row *row, const uint32_t *words, unsigned count,
                       enum tensor_type type, const struct tensor_plan *plan)
{
    tensor_vector special = {0};
    int bits = block_format(type).bits;

    for (unsigned k = 0; k < count; k += TENSOR_COLUMNS) {
        struct parts p = parts_of_type(eight_elements(words, k, bits), type, plan->halves);
        p.magnitude <<= (int)plan->up;
        memcpy(row->magnitude + k, &p.magnitude, sizeof p.magnitude);
        memcpy(row->exponent + k, &p.exponent, sizeof p.exponent);
        memcpy(row->sign + k, &p.sign, sizeof p.sign);
        special |= p.special;
    }
    row->special = any_of(special);
}

/* --- columns of B ------------------------------------------------------------------------------ */

struct columns {
    tensor_vector magnitude[TENSOR_DEPTH], exponent[TENSOR_DEPTH], sign[TENSOR_DEPTH];
    tensor_vector special;
};

static void unpack_columns(struct columns *to, const struct tensor_block *block, bool as_f16)
{
    int bits = block_format(block->b_type).bits;
    unsigned each = 32u / (unsigned)bits, depth = block->sparse ? 2 * block->k : block->k;

    to->special = (tensor_vector){0};
    for (unsigned k = 0; k < depth; k += each) {
        tensor_words words;
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            words[n] = block->b[n][k / each];
        for (unsigned e = 0; e < each; e++) {
            tensor_words element = words >> (int)(e * (unsigned)bits);
            if (bits < 32)
                element &= (UINT32_C(1) << (bits & 31)) - 1;
            struct parts p = parts_of_type(element, block->b_type, as_f16);
            to->magnitude[k + e] = p.magnitude;
            to->exponent[k + e] = p.exponent;
            to->sign[k + e] = p.sign;
            to->special |= p.special;
        }
    }
}

/* --- one sum of each column -------------------------------------------------------------------- */

/* Which k one sum takes, and from which row of B each comes. */
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

/* The sum as a double: exact, since it has less than 51 bits. */
static inline tensor_real real_of(tensor_long sum)
{
    const double shift = 0x1.8p52;
    int64_t bits;

    memcpy(&bits, &shift, sizeof bits);
    return (tensor_real)(sum + bits) - shift;
}

/* sum * 2^scale as tensor_round_f32 or tensor_round_f16 gives it. */
static inline tensor_vector rounded(tensor_long sum, tensor_vector scale,
                                    const struct tensor_plan *plan)
{
    bool half = plan->d_is_f16;
    int lowest = half ? -14 : -126, highest = half ? 15 : 127, fraction = half ? 10 : 23;
    tensor_ulong bits = (tensor_ulong)real_of(sum);
    tensor_long sign = (tensor_long)(bits >> 63) << (half ? 15 : 31);

    bits &= INT64_MAX;
    if (half) /* to nearest even; a carry counts the exponent up */
        bits += (bits >> 42 & 1) + ((UINT64_C(1) << 41) - 1);
    tensor_long exponent = (tensor_long)(bits >> 52) - 1023 +
                           __builtin_convertvector(scale, tensor_long);
    tensor_long result = (exponent + (highest)) << fraction;
    result += (tensor_long)(bits >> (52 - fraction)) & ((INT64_C(1) << fraction) - 1);
    if (!half && plan->result_fraction < 23)
        result &= ~((INT64_C(1) << (23 - plan->result_fraction)) - 1);
    tensor_long zero = sum == 0, outside = (exponent <= lowest) | (exponent > highest);
    tensor_vector words = __builtin_convertvector((result | sign) & ~zero, tensor_vector);
    tensor_vector other = __builtin_convertvector(outside & ~zero, tensor_vector);
    if (any_of(other))
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            if (other[n])
                words[n] = (int32_t)(half ? tensor_round_f16(sum[n], scale[n])
                                          : tensor_round_f32(sum[n], scale[n],
                                                             plan->result_fraction));
    return words;
}

/* One row: the selected products, with b's rows from `from`, and c. */
static inline tensor_vector row_sums(const struct row *a, const struct columns *b,
                                     const struct selection *s, const uint8_t *from,
                                     const struct tensor_plan *plan, tensor_vector c,
                                     bool c_is_f16)
{
    struct parts addend = parts_of_type((tensor_words)c, c_is_f16 ? TENSOR_F16 : TENSOR_F32, false);
    tensor_vector exponent[TENSOR_DEPTH], total = {0}, floor = total + plan->floor;
    tensor_vector largest = pick(addend.exponent < floor, floor, addend.exponent);

    for (unsigned i = 0; i < s->count; i++) {
        unsigned k = s->k[i];
        exponent[i] = b->exponent[from[k]] + a->exponent[k];
        largest = pick(exponent[i] > largest, exponent[i], largest);
    }
    for (unsigned i = 0; i < s->count; i++) {
        unsigned k = s->k[i], j = from[k];
        tensor_vector down = largest - exponent[i];
        tensor_vector sign = b->sign[j] ^ a->sign[k];
        tensor_words product = (tensor_words)(b->magnitude[j] * a->magnitude[k]);
        product >>= (tensor_words)((down | (down > 31)) & 31);
        total += ((tensor_vector)product ^ sign) - sign;
    }
    int fraction = (int)plan->fraction;
    tensor_vector down = largest - addend.exponent + (31 - fraction);
    tensor_ulong place = __builtin_convertvector((tensor_words)addend.magnitude, tensor_ulong);
    place <<= c_is_f16 ? 21 : 8;
    place >>= __builtin_convertvector((tensor_words)((down | (down > 63)) & 63), tensor_ulong);
    tensor_long sign = __builtin_convertvector(addend.sign, tensor_long);
    tensor_long sum = __builtin_convertvector(total, tensor_long) + (((tensor_long)place ^ sign) - sign);
    return rounded(sum, largest - fraction, plan);
}

/* Marks the columns whose sum so far is infinite or a NaN. */
static inline tensor_vector special_sums(tensor_vector sum, bool is_f16)
{
    int32_t top = is_f16 ? 0x7c00 : 0x7f800000;

    return (sum & top) == top;
}

/* --- whole blocks -------------------------------------------------------------------------------- */

static struct tensor_number element_of(enum tensor_type type, const uint32_t *words, unsigned k)
{
    unsigned bits = (unsigned)block_format(type).bits, at = k * bits;
    uint32_t word = words[at / 32] >> at % 32;

    return tensor_unpack(type, bits == 32 ? word : word & ((UINT32_C(1) << bits) - 1));
}

/* The elements that row_sums cannot do. */
static void special_elements(const struct tensor_chip *chip, struct tensor_block *block, unsigned r,
                             const uint8_t *from, tensor_vector which)
{
    struct tensor_number a[TENSOR_DEPTH], b[TENSOR_DEPTH];

    for (unsigned k = 0; k < block->k; k++)
        a[k] = element_of(block->a_type, block->a[r], k);
    for (unsigned n = 0; n < TENSOR_COLUMNS; n++) {
        if (!which[n])
            continue;
        for (unsigned k = 0; k < block->k; k++)
            b[k] = element_of(block->b_type, block->b[n], from[k]);
        block->d[r][n] = tensor_dot(chip, block->a_type, block->b_type, a, b, block->k,
                                    block->c[r][n], block->c_is_f16, block->d_is_f16,
                                    block->group);
    }
}

static void float_row(const struct tensor_chip *chip, struct tensor_block *block,
                      const struct tensor_plan *plan, const struct columns *b,
                      const struct selection *terms, const uint8_t *from, unsigned r)
{
    bool half = plan->halves ? block->d_is_f16 : block->c_is_f16 && !plan->c_becomes_f32;
    bool changes = plan->c_becomes_f32 || plan->halves;
    struct row a;
    tensor_vector sum;

    unpack_row(&a, block->a[r], block->k, block->a_type, plan);
    memcpy(&sum, block->c[r], sizeof sum);
    tensor_vector special = b->special | ((tensor_vector){0} - (int32_t)a.special);
    special |= special_sums(sum, block->c_is_f16);
    for (unsigned n = 0; changes && n < TENSOR_COLUMNS; n++)
        sum[n] = (int32_t)tensor_addend(plan, block->c[r][n]);
    for (unsigned i = 0; i < plan->sums; i++) {
        sum = row_sums(&a, b, &terms[i], from, plan, sum, half);
        half = plan->d_is_f16;
        if (i + 1 < plan->sums)
            special |= special_sums(sum, half);
    }
    if (plan->end == TENSOR_END)
        memcpy(block->d[r], &sum, sizeof sum);
    else
        for (unsigned n = 0; n < TENSOR_COLUMNS; n++)
            block->d[r][n] = tensor_finish(plan, (uint32_t)sum[n], block->c[r][n]);
    if (any_of(special))
        special_elements(chip, block, r, from, special);
}

static void float_rows(const struct tensor_chip *chip, struct tensor_block *block)
{
    struct tensor_plan plan = tensor_plan(chip, block->a_type, block->b_type, block->k,
                                          block->c_is_f16, block->d_is_f16, block->group);
    struct selection terms[TENSOR_DEPTH / 4];
    struct columns b;
    uint8_t same[TENSOR_DEPTH];

    plan.saturate = block->saturate;
    for (unsigned k = 0; k < TENSOR_DEPTH; k++)
        same[k] = (uint8_t)k;
    for (unsigned i = 0; i < plan.sums; i++)
        select_terms(&terms[i], &plan, i);
    unpack_columns(&b, block, plan.halves);
    for (unsigned r = 0; r < block->rows; r++)
        float_row(chip, block, &plan, &b, terms, block->sparse ? block->from[r] : same, r);
}
