// SPDX-License-Identifier: Apache-2.0
//
// A ticket lock with the C++ memory model of libcu++, and a counter under it.
#include <cuda/atomic>
extern "C" __global__ void lock(unsigned *state, unsigned *count)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(state[0]), serving(state[1]);
    unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
    while (serving.load(cuda::memory_order_acquire) != mine)
        ;
    *count = *count + mine;
    serving.store(mine + 1, cuda::memory_order_release);
}
