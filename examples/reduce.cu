// SPDX-License-Identifier: Apache-2.0
//
// reduce.cu - the sum of n integers: a shuffle tree inside each warp, shared
// memory between the warps of a block, one atomic between blocks.

extern "C" __global__ void reduce(unsigned *sum, const unsigned *x, int n)
{
    __shared__ unsigned warp_sum[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    unsigned v = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        v += x[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0)
        warp_sum[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? warp_sum[lane] : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (lane == 0)
            atomicAdd(sum, v);
    }
}
