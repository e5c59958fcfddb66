// SPDX-License-Identifier: Apache-2.0
//
// Locks by atomicCAS with back-off: what must be fenced, and how a lock is given back.
static __device__ void lock(int *taken)
{
    unsigned wait = 8;
    while (atomicCAS(taken, 0, 1) != 0) {
        __nanosleep(wait);
        if (wait < 256)
            wait *= 2;
    }
}
extern "C" __global__ void fenced(int *taken, int *count)
{
    if (threadIdx.x == 0) {
        lock(taken);
        __threadfence();
        *count += 1;
        __threadfence();
        atomicExch(taken, 0);
    }
}
extern "C" __global__ void not_fenced_after(int *taken, int *count)
{
    if (threadIdx.x == 0) {
        lock(taken);
        *count += 1;
        __threadfence();
        atomicExch(taken, 0);
    }
}
extern "C" __global__ void not_fenced_before(int *taken, int *count)
{
    if (threadIdx.x == 0) {
        lock(taken);
        __threadfence();
        *count += 1;
        atomicExch(taken, 0);
    }
}
extern "C" __global__ void given_back_plainly(int *taken, int *count)
{
    if (threadIdx.x == 0) {
        lock(taken);
        __threadfence();
        *count += 1;
        __threadfence();
        *taken = 0;
    }
}
extern "C" __global__ void given_back_volatile(int *taken, int *count)
{
    if (threadIdx.x == 0) {
        lock(taken);
        __threadfence();
        *count += 1;
        __threadfence();
        *(volatile int *)taken = 0;
    }
}
// Each lane of a warp by itself, in a loop that no lane waits in.
extern "C" __global__ void lanes(int *taken, int *count)
{
    bool done = false;
    while (!done)
        if (atomicCAS(taken, 0, 1) == 0) {
            __threadfence();
            *count += 1;
            __threadfence();
            atomicExch(taken, 0);
            done = true;
        }
}
// Of one block in the name of all: others write what the lock guards.
extern "C" __global__ void block_lock(int *taken, int *counts)
{
    if (threadIdx.x == 0) {
        lock(taken);
        __threadfence();
    }
    __syncthreads();
    counts[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(taken, 0);
    }
}
extern "C" __global__ void block_lock_left_early(int *taken, int *counts)
{
    if (threadIdx.x == 0) {
        lock(taken);
        __threadfence();
    }
    __syncthreads();
    counts[threadIdx.x] += 1;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(taken, 0);
    }
}
// Skips the work when another holds it.
extern "C" __global__ void tried(int *taken, int *count)
{
    if (threadIdx.x == 0 && atomicCAS(taken, 0, 1) == 0) {
        __threadfence();
        *count += 1;
        __threadfence();
        atomicExch(taken, 0);
    }
}
extern "C" __global__ void looked_at_first(int *taken, int *count)
{
    if (threadIdx.x == 0) {
        while (*(volatile int *)taken != 0 || atomicCAS(taken, 0, 1) != 0)
            __nanosleep(8);
        __threadfence();
        *count += 1;
        __threadfence();
        atomicExch(taken, 0);
    }
}
