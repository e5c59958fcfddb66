/* SPDX-License-Identifier: Apache-2.0
 *
 * half.cu - texture fetches of packed halves. */
#include "fetch.cuh"

/* Packed halves. */
extern "C" __global__ void tex_2d_f16x2(uint64_t texture, uint32_t *out, PLACE)
{
    TAKE_PLACE
    uint32_t i = index_here(), a, b;
    asm volatile("tex.2d.v2.f16x2.f32 {%0,%1}, [%2, {%3,%4}];"
                 : "=r"(a), "=r"(b) : "l"(texture), "f"(X), "f"(Y));
    keep4(out, p, i, a, b, 0, 0);
}
