// SPDX-License-Identifier: Apache-2.0
//
// Semaphores, latches and barriers of the C++ library, and semaphores written by hand.
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
template <cuda::thread_scope scope> static __device__ void guarded(void *memory, int *count)
{
    auto *semaphore = (cuda::binary_semaphore<scope> *)memory;
    if (threadIdx.x == 0) {
        semaphore->acquire();
        *count += 1;
        semaphore->release();
    }
}
extern "C" __global__ void of_device(int *memory, int *count)
{
    guarded<cuda::thread_scope_device>(memory, count);
}
extern "C" __global__ void of_block(int *memory, int *count)
{
    guarded<cuda::thread_scope_block>(memory, count);
}
// As many as `room` may come in, and write places of their own, or one. `meet` keeps them there together.
template <bool own, bool meet> static __device__ void let_in(int *room, int *cell)
{
    while (true) {
        int free = *(volatile int *)room;
        if (free > 0 && atomicCAS(room, free, free - 1) == free)
            break;
        __nanosleep(20);
    }
    __threadfence();
    if (meet)
        for (atomicAdd(&cell[1], 1); *(volatile int *)&cell[1] < 2;)
            __nanosleep(20);
    cell[own ? blockIdx.x : 0] += 1 + blockIdx.x;
    __threadfence();
    atomicAdd(room, 1);
}
extern "C" __global__ void room_for_one(int *room, int *cell) { let_in<false, false>(room, cell); }
extern "C" __global__ void room_for_two_own(int *room, int *cell) { let_in<true, false>(room, cell); }
extern "C" __global__ void room_for_two(int *room, int *cell) { let_in<false, true>(room, cell); }
// A latch for a block: others wait until all have counted down.
using latch = cuda::latch<cuda::thread_scope_block>;
extern "C" __global__ void latch_waited_for(int *out)
{
    __shared__ int cell[64];
    __shared__ alignas(latch) char room[sizeof(latch)];
    latch &down = *(latch *)room;
    if (threadIdx.x == 0)
        new (&down) latch(blockDim.x);
    __syncthreads();
    cell[threadIdx.x] = threadIdx.x;
    down.arrive_and_wait();
    out[threadIdx.x] = cell[63 - threadIdx.x];
}
extern "C" __global__ void latch_not_waited_for(int *out)
{
    __shared__ int cell[64];
    __shared__ alignas(latch) char room[sizeof(latch)];
    latch &down = *(latch *)room;
    cell[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        new (&down) latch(blockDim.x);
    __syncthreads();
    cell[threadIdx.x] = threadIdx.x;
    down.count_down();
    out[threadIdx.x] = cell[63 - threadIdx.x];
}
// Writers arrive at one barrier, readers at the other, each warp in its part.
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void filled_and_ready(const int *in, int *out)
{
    __shared__ int cell[32];
    __shared__ barrier filled, ready;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(&filled, 64);
        init(&ready, 64);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
#pragma unroll 1
        for (int i = 0; i < 3; i++) {
            ready.arrive_and_wait();
            cell[lane] = in[i * 32 + lane];
            (void)filled.arrive();
        }
    } else {
        int sum = 0;
        (void)ready.arrive();
#pragma unroll 1
        for (int i = 0; i < 3; i++) {
            filled.arrive_and_wait();
            sum += cell[31 - lane];
            if (i < 2)
                (void)ready.arrive();
        }
        out[lane] = sum;
    }
}
extern "C" __global__ void ready_too_early(const int *in, int *out)
{
    __shared__ int cell[32];
    __shared__ barrier filled, ready;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(&filled, 64);
        init(&ready, 64);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
#pragma unroll 1
        for (int i = 0; i < 3; i++) {
            ready.arrive_and_wait();
            cell[lane] = in[i * 32 + lane];
            (void)filled.arrive();
        }
    } else {
        int sum = 0;
        (void)ready.arrive();
#pragma unroll 1
        for (int i = 0; i < 3; i++) {
            filled.arrive_and_wait();
            if (i < 2)
                (void)ready.arrive(); // before it has read
            sum += cell[31 - lane];
        }
        out[lane] = sum;
    }
}
