// SPDX-License-Identifier: Apache-2.0
//
// Sums of a warp whose last lanes have no element: they stay and add 0, leave, or are masked out.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
static __device__ int sum_of(unsigned mask, int value)
{
#pragma unroll 1
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(mask, value, d);
    return value;
}
extern "C" __global__ void stay(const int *in, int n, int *out)
{
    int i = threadIdx.x, sum = sum_of(0xffffffff, i < n ? in[i] : 0);
    if (i % 32 == 0)
        atomicAdd(out, sum);
}
extern "C" __global__ void leave(const int *in, int n, int *out)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    int sum = sum_of(0xffffffff, in[i]); // of lanes that are gone, too
    if (i % 32 == 0)
        atomicAdd(out, sum);
}
extern "C" __global__ void masked_out(const int *in, int n, int *out)
{
    int i = threadIdx.x, lane = i % 32;
    unsigned mask = __ballot_sync(0xffffffff, i < n);
    if (i < n) {
        int sum = in[i];
#pragma unroll 1
        for (int d = 16; d > 0; d /= 2) {
            int other = __shfl_down_sync(mask, sum, d);
            if (lane + d < 32 && mask >> (lane + d) & 1)
                sum += other;
        }
        if (lane == 0)
            atomicAdd(out, sum);
    }
}
extern "C" __global__ void masked_out_but_added(const int *in, int n, int *out)
{
    int i = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, i < n);
    if (i < n) {
        int sum = sum_of(mask, in[i]);
        if (i % 32 == 0)
            atomicAdd(out, sum);
    }
}
extern "C" __global__ void first_of_those(const int *in, int n, int *out)
{
    int i = threadIdx.x, lane = i % 32, value = in[i];
    unsigned mask = __ballot_sync(0xffffffff, value >= n);
    if (value >= n) {
        int first = __ffs(mask) - 1;
        int place = 0;
        if (lane == first)
            place = atomicAdd(out, __popc(mask));
        place = __shfl_sync(mask, place, first) + __popc(mask & ((1u << lane) - 1));
        out[1 + place] = value;
    }
}
extern "C" __global__ void lane_0_of_those(const int *in, int n, int *out)
{
    int i = threadIdx.x, lane = i % 32, value = in[i];
    unsigned mask = __ballot_sync(0xffffffff, value >= n);
    if (value >= n) {
        int place = 0;
        if (lane == 0) // may be none of them
            place = atomicAdd(out, __popc(mask));
        place = __shfl_sync(mask, place, 0) + __popc(mask & ((1u << lane) - 1));
        out[1 + (place & 31)] = value;
    }
}
extern "C" __global__ void coalesced(const int *in, int n, int *out)
{
    int i = threadIdx.x;
    if (in[i] % 3 == 0) {
        cg::coalesced_group those = cg::coalesced_threads();
        int sum = cg::reduce(those, in[i], cg::plus<int>());
        if (those.thread_rank() == 0)
            atomicAdd(out, sum);
    }
}
