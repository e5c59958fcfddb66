/* SPDX-License-Identifier: Apache-2.0
 *
 * float.c - arithmetic in every mode, for each type, by the core in soft.c. */
#include "numeric/float.h"
#include "numeric/half.h"
#include "numeric/soft.h"

#define ARITHMETIC(T, uint)                                                   \
    uint T##_add_any(uint a, uint b, unsigned mode)                           \
    {                                                                         \
        return (uint)soft_add(&soft_##T, a, b, mode);                         \
    }                                                                         \
    uint T##_sub_any(uint a, uint b, unsigned mode)                           \
    {                                                                         \
        return (uint)soft_sub(&soft_##T, a, b, mode);                         \
    }                                                                         \
    uint T##_mul_any(uint a, uint b, unsigned mode)                           \
    {                                                                         \
        return (uint)soft_mul(&soft_##T, a, b, mode);                         \
    }                                                                         \
    uint T##_fma_any(uint a, uint b, uint c, unsigned mode)                   \
    {                                                                         \
        return (uint)soft_fma(&soft_##T, a, b, c, mode);                      \
    }

ARITHMETIC(f16, uint16_t)
ARITHMETIC(bf16, uint16_t)
ARITHMETIC(f32, uint32_t)
ARITHMETIC(f64, uint64_t)

uint32_t f32_div_any(uint32_t a, uint32_t b, unsigned mode)
{
    return (uint32_t)soft_div(&soft_f32, a, b, mode);
}

uint32_t f32_sqrt_any(uint32_t a, unsigned mode)
{
    return (uint32_t)soft_sqrt(&soft_f32, a, mode);
}

uint64_t f64_div_any(uint64_t a, uint64_t b, unsigned mode)
{
    return soft_div(&soft_f64, a, b, mode);
}

uint64_t f64_sqrt_any(uint64_t a, unsigned mode)
{
    return soft_sqrt(&soft_f64, a, mode);
}
