// SPDX-License-Identifier: Apache-2.0
//
// Rows that do not fill their blocks: sums, halos, tiles.
enum { N = 64 };
// A tree over shared memory of which a ragged row fills a part.
extern "C" __global__ void ragged_sum(const int *in, int n, int *out)
{
    __shared__ int part[N];
    int t = threadIdx.x;
    part[t] = t < n ? in[t] : 0;
    __syncthreads();
#pragma unroll 1
    for (int d = N / 2; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0)
        *out = part[0];
}
extern "C" __global__ void ragged_sum_unfilled(const int *in, int n, int *out)
{
    __shared__ int part[N];
    int t = threadIdx.x;
    if (t < n)
        part[t] = in[t];
    __syncthreads();
#pragma unroll 1
    for (int d = N / 2; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0)
        *out = part[0];
}
// Each thread its element, the first two the halo on both sides.
template <bool both> static __device__ void smooth(const int *in, int *out)
{
    __shared__ int row[N + 2];
    int t = threadIdx.x;
    row[t + 1] = in[t];
    if (t == 0) {
        row[0] = 0;
        if (both)
            row[N + 1] = 0;
    }
    __syncthreads();
    out[t] = row[t] + row[t + 1] + row[t + 2];
}
extern "C" __global__ void halo(const int *in, int *out) { smooth<true>(in, out); }
extern "C" __global__ void halo_on_one_side(const int *in, int *out) { smooth<false>(in, out); }
// A histogram in an array of the thread.
template <bool cleared> static __device__ void count_own(const int *in, int *out)
{
    int bin[8], t = threadIdx.x;
    if (cleared)
#pragma unroll 1
        for (int i = 0; i < 8; i++)
            bin[i] = 0;
#pragma unroll 1
    for (int i = 0; i < 8; i++)
        bin[in[t * 8 + i] & 7]++;
#pragma unroll 1
    for (int i = 0; i < 8; i++)
        out[t * 8 + i] = bin[i];
}
extern "C" __global__ void bins_cleared(const int *in, int *out) { count_own<true>(in, out); }
extern "C" __global__ void bins_not_cleared(const int *in, int *out) { count_own<false>(in, out); }
