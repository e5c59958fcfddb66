/* SPDX-License-Identifier: Apache-2.0
 *
 * query.cu - txq and suq. */
#include <stdint.h>

#define ASK(N, TEXT)                                             \
    asm volatile(TEXT " %0, [%1];" : "=r"(word) : "l"(object));  \
    out[N] = word;

extern "C" __global__ void texture_size(uint64_t object, uint32_t *out)
{
    uint32_t word;
    ASK(0, "txq.width.b32")
    ASK(1, "txq.height.b32")
    ASK(2, "txq.depth.b32")
}

extern "C" __global__ void surface_size(uint64_t object, uint32_t *out)
{
    uint32_t word;
    ASK(0, "suq.width.b32")
    ASK(1, "suq.height.b32")
    ASK(2, "suq.depth.b32")
}
