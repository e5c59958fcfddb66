// SPDX-License-Identifier: Apache-2.0
//
// Initialised once by whoever comes first: double-checked, with the fast path right or not.
// The state: 0 nobody, 1 at work, 2 ready.
#include <cuda/atomic>
using shared_state = cuda::atomic_ref<int, cuda::thread_scope_device>;
static __device__ void fill(int *table)
{
    for (int i = 0; i < 4; i++)
        table[i] = 10 + i;
}
extern "C" __global__ void acquired(int *state, int *table, int *out)
{
    shared_state s(*state);
    if (s.load(cuda::memory_order_acquire) != 2) {
        int expected = 0;
        if (s.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed)) {
            fill(table);
            s.store(2, cuda::memory_order_release);
        } else
            while (s.load(cuda::memory_order_acquire) != 2)
                ;
    }
    out[blockIdx.x] = table[blockIdx.x & 3];
}
extern "C" __global__ void fast_path_relaxed(int *state, int *table, int *out)
{
    shared_state s(*state);
    if (s.load(cuda::memory_order_relaxed) != 2) {
        int expected = 0;
        if (s.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed)) {
            fill(table);
            s.store(2, cuda::memory_order_release);
        } else
            while (s.load(cuda::memory_order_relaxed) != 2)
                ;
    }
    out[blockIdx.x] = table[blockIdx.x & 3];
}
extern "C" __global__ void fast_path_plain(int *state, int *table, int *out)
{
    if (*state != 2) {
        if (atomicCAS(state, 0, 1) == 0) {
            fill(table);
            __threadfence();
            atomicExch(state, 2);
        } else
            while (*(volatile int *)state != 2)
                ;
        __threadfence();
    }
    out[blockIdx.x] = table[blockIdx.x & 3];
}
extern "C" __global__ void fences(volatile int *state, int *table, int *out)
{
    if (*state != 2) {
        if (atomicCAS((int *)state, 0, 1) == 0) {
            fill(table);
            __threadfence();
            *state = 2;
        } else
            while (*state != 2)
                ;
    }
    __threadfence();
    out[blockIdx.x] = table[blockIdx.x & 3];
}
extern "C" __global__ void ready_too_early(int *state, int *table, int *out)
{
    shared_state s(*state);
    if (s.load(cuda::memory_order_acquire) != 2) {
        int expected = 0;
        if (s.compare_exchange_strong(expected, 2, cuda::memory_order_acq_rel))
            fill(table); // the others take it for ready
    }
    out[blockIdx.x] = table[blockIdx.x & 3];
}
