// SPDX-License-Identifier: Apache-2.0
//
// Half precision through the CUDA header: sums, products, comparisons, conversions.
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half *a, const __half *b, __half *out, int *less)
{
    int i = threadIdx.x;
    out[2 * i] = __hadd(a[i], b[i]);
    out[2 * i + 1] = __float2half(__half2float(a[i]) * 3.0f);
    less[i] = __hlt(a[i], b[i]);
}
