// SPDX-License-Identifier: Apache-2.0
//
// bulk.cu - bulk asynchronous copies and reductions, stores that arrive on the barrier
// of another block, copies that land in several blocks.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

typedef unsigned uint;
typedef unsigned long long u64;

static __device__ uint at(const void *p) { return (uint)__cvta_generic_to_shared(p); }

static __device__ void begin(u64 *bar, uint count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(bar)), "r"(count) : "memory");
}

static __device__ void wait_parity(u64 *bar, uint parity)
{
    uint done;

    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
    while (!done);
}

static __device__ uint rank()
{
    uint r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
static __device__ uint size()
{
    uint r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}
static __device__ void sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ uint map(uint address, uint to)
{
    uint r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(to));
    return r;
}

// Bulk copies: global to shared on a barrier that counts bytes, and back.
extern "C" __global__ void bulk(uint *out, const uint *x)
{
    __shared__ alignas(128) uint s[256];
    __shared__ u64 bar;
    uint t = threadIdx.x;

    if (t == 0) {
        begin(&bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(at(&bar)) : "memory");
        for (uint i = 0; i < 4; i++)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                         " [%0], [%1], 256, [%2];"
                         ::"r"(at(s + 64 * i)), "l"(x + 64 * (3 - i)), "r"(at(&bar)) : "memory");
    }
    wait_parity(&bar, 0);
    for (uint i = t; i < 256; i += blockDim.x)
        s[i] = s[i] * 2 + i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
                     ::"l"(out), "r"(at(s)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Bulk reductions into global memory.
extern "C" __global__ void bulk_reduce(uint *sum, uint *most, const uint *x)
{
    __shared__ alignas(128) uint s[64];
    uint t = threadIdx.x;

    s[t] = x[blockIdx.x * 64 + t] >> 4;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;"
                     ::"l"(sum), "r"(at(s)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 256;"
                     ::"l"(most), "r"(at(s)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Arrivals on the barrier of another block, with data stored there asynchronously.
extern "C" __global__ void remote_barrier(uint *out, const uint *x)
{
    __shared__ uint s[32];
    __shared__ u64 bar;
    uint t = threadIdx.x, done;

    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar)));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(at(&bar)) : "memory");
    }
    sync();
    uint to = (rank() + 1) % size();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 ::"r"(map(at(s + t), to)), "r"(x[t] + rank()), "r"(map(at(&bar), to)) : "memory");
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], 0;"
                     "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(&bar)) : "memory");
    while (!done);
    out[blockIdx.x * 32 + t] = s[t];
    sync();
}

// One copy from global memory lands in several blocks.
extern "C" __global__ void multicast(uint *out, const uint *x)
{
    __shared__ alignas(128) uint s[64];
    __shared__ u64 bar;
    uint t = threadIdx.x, done;

    s[t] = 0, s[t + 32] = 0;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar)));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    sync();
    if (t == 0 && rank() < 2) // each half once, to all
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1], 128, [%2], %3;"
                     ::"r"(at(s + 32 * rank())), "l"(x + 32 * rank()), "r"(at(&bar)),
                     "h"((short)((1 << size()) - 1)) : "memory");
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                     "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(&bar)) : "memory");
    while (!done);
    out[blockIdx.x * 64 + t] = s[t] + rank();
    out[blockIdx.x * 64 + 32 + t] = s[32 + t];
    sync();
}

// The library copies in bulk when it may.
extern "C" __global__ void barrier_copy(unsigned *out, const unsigned *x)
{
    __shared__ alignas(16) unsigned s[128];
    __shared__ block_barrier bar;
    auto block = cg::this_thread_block();
    unsigned t = block.thread_rank();

    if (t == 0)
        init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, s, x, cuda::aligned_size_t<16>(sizeof s), bar);
    bar.arrive_and_wait();
    out[t] = s[127 - t] * 3;
    auto token = bar.arrive();
    out[128 + t] = s[t ^ 5];
    bar.wait(std::move(token));
}
