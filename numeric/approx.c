/* SPDX-License-Identifier: Apache-2.0
 *
 * approx.c - the approximate instructions that call the soft conversions. */
#include "numeric/approx.h"

static uint16_t cut(uint32_t a)
{
    return MUFU_MAGNITUDE(a) > F32_INFINITY ? F16_NAN : f16_from_f32(a, ROUND_ZERO);
}

uint16_t f16_ex2_approx(uint16_t a)
{
    uint32_t result = mufu_ex2_f32(f32_from_f16(a, 0));

    /* Overflow is infinity, not the largest number. */
    if (MUFU_MAGNITUDE(result) >= 0x47800000 && MUFU_MAGNITUDE(result) <= F32_INFINITY)
        return F16_INFINITY;
    return cut(result);
}

uint16_t f16_tanh_approx(uint16_t a)
{
    return cut(mufu_tanh_f32(f32_from_f16(a, 0)));
}
