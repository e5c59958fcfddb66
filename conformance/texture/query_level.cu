/* SPDX-License-Identifier: Apache-2.0
 *
 * query_level.cu - txq of mipmap levels. */
#include <stdint.h>

/* Of levels -1 to 14. */
extern "C" __global__ void texture_level_size(uint64_t object, uint32_t *out)
{
    uint32_t word, level = threadIdx.x - 1;
#define ASK_LEVEL(N, TEXT)                                                          \
    asm volatile(TEXT " %0, [%1], %2;" : "=r"(word) : "l"(object), "r"(level));     \
    out[3 * threadIdx.x + N] = word;
    ASK_LEVEL(0, "txq.level.width.b32")
    ASK_LEVEL(1, "txq.level.height.b32")
    ASK_LEVEL(2, "txq.level.depth.b32")
}
