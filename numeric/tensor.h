/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.h - one output element of a matrix instruction, on bit patterns.
 *
 * An element of D is a dot product of a row of A and a column of B plus the
 * element of C. Tensor cores do not round each addition: products and c are cut
 * to a common scale, added exactly, and rounded once. How many bits are kept
 * and how many products go into one sum is a matter of the chip. Which element
 * sits in which register is not known here (ir/matrix.h). */
#ifndef SIMTLAB_NUMERIC_TENSOR_H
#define SIMTLAB_NUMERIC_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Element types. */
enum tensor_type {
    TENSOR_NONE,
    TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_E4M3, TENSOR_E5M2,
    TENSOR_S8, TENSOR_U8, TENSOR_S4, TENSOR_U4, TENSOR_B1, TENSOR_F64,
    TENSOR_INPUTS, /* what A and B can be */
    TENSOR_F32 = TENSOR_INPUTS, TENSOR_S32
};

/* Bits of one element of A or B in a register. */
unsigned tensor_type_bits(enum tensor_type type);

/* What differs between chips. */
struct tensor_chip {
    const char *name;
    bool measured;     /* by our own runs; otherwise as published (MMA-Sim) */
    uint8_t fraction;  /* bits kept below the largest exponent, 16-bit and tf32 */
    uint8_t k_16bit;   /* products in one sum, f16 and bf16 */
    uint8_t k_tf32;
    uint8_t fp8_fraction; /* the same for e4m3 and e5m2; result cut to as many */
    uint8_t k_fp8;     /* 0: computed as f16 in two steps, see tensor_dot */
    bool m8n8k4_in_software; /* by ordinary f32 operations, see tensor_dot_quad */
};

extern const struct tensor_chip tensor_volta, tensor_turing, tensor_ampere, tensor_ada,
    tensor_hopper;
/* The chip of an sm number: the nearest one below; the oldest for smaller ones. */
const struct tensor_chip *tensor_chip_of(unsigned sm);

/* An element, unpacked: significand * 2^(exponent - fraction of its type) for
 * floats, with the exponent of the format's field (a subnormal has the smallest
 * one and no leading bit). Integers and b1 words have only a significand. */
struct tensor_number {
    int32_t significand;
    int16_t exponent;
    int16_t special; /* enum tensor_special */
};
enum tensor_special { TENSOR_FINITE, TENSOR_INFINITY, TENSOR_NAN };

/* Elements of A and B, f64 excepted; bits above the type's are ignored. */
struct tensor_number tensor_unpack(enum tensor_type type, uint32_t bits);

/* Row of A times column of B plus c, count products, both unpacked from type_a
 * and type_b, which are f16, bf16, tf32 or fp8. c is f32 or f16, the result f32
 * or f16 by the flags. group: in a wgmma. */
uint32_t tensor_dot(const struct tensor_chip *chip, enum tensor_type type_a,
                    enum tensor_type type_b, const struct tensor_number *a,
                    const struct tensor_number *b, unsigned count, uint32_t c,
                    bool c_is_f16, bool d_is_f16, bool group);
/* How a chip makes the sum of a row and a column: so many sums of so many products,
 * one after the other, each beginning with what the last one gave. */
struct tensor_plan {
    unsigned sums, count;
    bool halves;              /* fp8 as f16: sum i takes k with k / 2 % 2 == i, begins at 0;
                                 subnormals of e4m3 are normal numbers of f16 */
    bool c_becomes_f32;       /* c is f16 and is made f32 first */
    unsigned fraction;        /* bits kept below the largest exponent */
    int floor;                /* what counts for the largest exponent is never less */
    unsigned result_fraction; /* of an f32 sum */
    unsigned up;              /* fraction, less those of a product's significand */
    bool d_is_f16;            /* each sum's result */
    bool saturate;            /* TENSOR_END_ROUND_F16: toward zero, so never to infinity */
    enum { TENSOR_END, TENSOR_END_ADD_F32, TENSOR_END_ADD_F16, TENSOR_END_ROUND_F16 } end;
};
struct tensor_plan tensor_plan(const struct tensor_chip *chip, enum tensor_type type_a,
                               enum tensor_type type_b, unsigned count, bool c_is_f16,
                               bool d_is_f16, bool group);
/* c as the first sum takes it. */
uint32_t tensor_addend(const struct tensor_plan *plan, uint32_t c);
/* The result, from the last sum and the original c. */
uint32_t tensor_finish(const struct tensor_plan *plan, uint32_t sum, uint32_t c);
/* sum * 2^scale: cut toward zero to f32 with so many bits of fraction, or rounded to
 * nearest even in f16. */
uint32_t tensor_round_f32(int64_t sum, int scale, unsigned fraction);
uint32_t tensor_round_f16(int64_t sum, int scale);

/* Of m8n8k4 on chips that do it in software: four products of f16, given as bits. */
uint32_t tensor_dot_quad(const uint16_t a[4], const uint16_t b[4], uint32_t c, bool c_is_f16,
                         bool d_is_f16);
/* s8, u8, s4, u4: exact, then wrapped or, with saturate, clamped once. */
uint32_t tensor_dot_integer(const struct tensor_number *a, const struct tensor_number *b,
                            unsigned count, uint32_t c, bool saturate);
/* b1: count words of 32 elements each; ones of a & b, or of a ^ b; wraps. */
uint32_t tensor_dot_bits(const struct tensor_number *a, const struct tensor_number *b,
                         unsigned count, uint32_t c, bool exclusive);
/* f64: fused multiply-adds in order of k, beginning with c. */
uint64_t tensor_dot_f64(const uint64_t *a, const uint64_t *b, unsigned count, uint64_t c,
                        unsigned mode);

#endif
