// SPDX-License-Identifier: Apache-2.0
//
// printf from a single thread, with several types.
#include <stdio.h>
extern "C" __global__ void print(int n, double x)
{
    if (threadIdx.x == 3)
        printf("n=%d twice=%u x=%.2f c=%c s=%s long=%lld\n", n, 2u * n, x, 'z', "word",
               1ll << 40);
}
