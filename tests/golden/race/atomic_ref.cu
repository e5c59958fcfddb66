// SPDX-License-Identifier: Apache-2.0
//
// cuda::atomic_ref: its scope must hold both threads, its order must hand over.
#include <cuda/atomic>
using device_ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
using block_ref = cuda::atomic_ref<int, cuda::thread_scope_block>;
extern "C" __global__ void device_message(int *data, int *flag, int *out)
{
    device_ref told(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        told.store(1, cuda::memory_order_release);
    } else {
        while (!told.load(cuda::memory_order_acquire))
            ;
        *out = *data;
    }
}
extern "C" __global__ void block_message(int *data, int *flag, int *out)
{
    block_ref told(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        told.store(1, cuda::memory_order_release);
    } else {
        for (int n = 0; n < 1000 && !told.load(cuda::memory_order_acquire); n++)
            ;
        *out = *data;
    }
}
extern "C" __global__ void relaxed_message(int *data, int *flag, int *out)
{
    device_ref told(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        told.store(1, cuda::memory_order_release);
    } else {
        while (!told.load(cuda::memory_order_relaxed))
            ;
        *out = *data;
    }
}
extern "C" __global__ void fenced_message(int *data, int *flag, int *out)
{
    device_ref told(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        told.store(1, cuda::memory_order_relaxed);
    } else {
        while (!told.load(cuda::memory_order_relaxed))
            ;
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        *out = *data;
    }
}
extern "C" __global__ void warps_of_a_block(int *data, int *flag, int *out)
{
    block_ref told(*flag);
    if (threadIdx.x == 0) {
        *data = 42;
        told.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (!told.load(cuda::memory_order_acquire))
            ;
        *out = *data;
    }
}
extern "C" __global__ void device_count(int *count)
{
    device_ref(*count).fetch_add(1, cuda::memory_order_relaxed);
}
extern "C" __global__ void block_count(int *count)
{
    block_ref(*count).fetch_add(1, cuda::memory_order_relaxed);
}
extern "C" __global__ void largest(const int *in, int *most)
{
    device_ref(*most).fetch_max(in[blockIdx.x * blockDim.x + threadIdx.x], cuda::memory_order_relaxed);
}
extern "C" __global__ void largest_compared(const int *in, int *most)
{
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value > *most) // spares most of the atomics, says the program
        device_ref(*most).fetch_max(value, cuda::memory_order_relaxed);
}
