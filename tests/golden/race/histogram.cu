// SPDX-License-Identifier: Apache-2.0
//
// A histogram in shared memory: cleared, counted, added to the whole.
enum { BINS = 64 };
template <bool cleared, bool counted> static __device__ void two_rows(const int *in, int *counts)
{
    __shared__ int bin[BINS];
    int t = threadIdx.x;
#pragma unroll 1
    for (int row = 0; row < 2; row++) {
        bin[t] = 0;
        if (cleared || row == 0)
            __syncthreads();
        atomicAdd(&bin[in[(2 * blockIdx.x + row) * BINS + t] % BINS], 1);
        if (counted)
            __syncthreads();
        atomicAdd(&counts[t], bin[t]);
    }
}
extern "C" __global__ void both_barriers(const int *in, int *counts) { two_rows<true, true>(in, counts); }
extern "C" __global__ void none_after_clearing(const int *in, int *counts) { two_rows<false, true>(in, counts); }
extern "C" __global__ void none_after_counting(const int *in, int *counts) { two_rows<true, false>(in, counts); }
extern "C" __global__ void counted_plainly(const int *in, int *counts)
{
    __shared__ int bin[BINS];
    if (threadIdx.x < BINS)
        bin[threadIdx.x] = 0;
    __syncthreads();
    bin[in[blockIdx.x * blockDim.x + threadIdx.x] % BINS]++;
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&counts[threadIdx.x], bin[threadIdx.x]);
}
extern "C" __global__ void cleared_beside(const int *in, int *counts)
{
    if (blockIdx.x == 0 && threadIdx.x < BINS)
        counts[threadIdx.x] = 0; // other blocks may count already
    __syncthreads();
    atomicAdd(&counts[in[blockIdx.x * blockDim.x + threadIdx.x] % BINS], 1);
}
// Each warp has bins of its own, one lane counts at a time.
extern "C" __global__ void bins_of_warps(const int *in, int *counts)
{
    __shared__ int bin[2][BINS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    bin[warp][lane] = bin[warp][lane + 32] = 0;
    __syncwarp();
    int value = in[threadIdx.x] % BINS;
    unsigned same = __match_any_sync(0xffffffff, value);
    if (lane == __ffs(same) - 1)
        bin[warp][value] += __popc(same);
    __syncthreads();
    counts[threadIdx.x] = bin[0][threadIdx.x] + bin[1][threadIdx.x];
}
extern "C" __global__ void bins_of_warps_unsynced(const int *in, int *counts)
{
    __shared__ int bin[2][BINS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    bin[warp][lane] = bin[warp][lane + 32] = 0;
    int value = in[threadIdx.x] % BINS;
#pragma unroll 1
    for (int i = 0; i < 32; i++)
        if (lane == i) // in turns, as long as the warp keeps together
            bin[warp][value]++;
    __syncthreads();
    counts[threadIdx.x] = bin[0][threadIdx.x] + bin[1][threadIdx.x];
}
