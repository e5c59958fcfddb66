/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.cuh - gradients as in gradient.cu. */
#include "fetch.cuh"

/* Component k of the six: large and small ones, some of them 0 or multiples of 1/8. */
__device__ static inline float gradient(uint32_t i, unsigned k)
{
    uint32_t r = (uint32_t)(mix(i * 8ull + k + (1ull << 40)) >> 16);
    float size = __uint_as_float((127 - i / 4 % 12) << 23);

    if (i % 4 == 1 && k >= 3)
        return 0;
    if (i % 4 == 2)
        return __fmul_rn((float)((int32_t)(r % 17) - 8), __fmul_rn(size, 0.125f));
    return __fmul_rn((float)((int32_t)r >> 8), __fmul_rn(size, 0x1p-23f));
}
#define G(k) "f"(gradient(i, k))
