// SPDX-License-Identifier: Apache-2.0
//
// drift.cu - adds a half n times: 1000 times 0.1 does not give 100.

#include <cuda_fp16.h>

extern "C" __global__ void drift(__half *sum, const __half *step, int n)
{
    __half s = __float2half(0.0f);

    for (int i = 0; i < n; i++)
        s = s + step[threadIdx.x];
    sum[threadIdx.x] = s;
}
