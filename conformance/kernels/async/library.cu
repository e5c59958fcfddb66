// SPDX-License-Identifier: Apache-2.0
//
// library.cu - asynchronous copies through the C++ library: barriers and pipelines.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void barrier_copy(unsigned *out, const unsigned *x)
{
    __shared__ unsigned s[128];
    __shared__ block_barrier bar;
    auto block = cg::this_thread_block();
    unsigned t = block.thread_rank();

    if (t == 0)
        init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, s, x, cuda::aligned_size_t<4>(sizeof s), bar);
    bar.arrive_and_wait();
    out[t] = s[127 - t] * 3;
    auto token = bar.arrive();
    out[128 + t] = s[t ^ 5];
    bar.wait(std::move(token));
}

extern "C" __global__ void pipeline_copy(unsigned *out, const unsigned *x, unsigned tiles)
{
    __shared__ unsigned s[2][64];
    auto pipe = cuda::make_pipeline();
    unsigned t = threadIdx.x, sum = 0;

    for (unsigned i = 0; i < tiles + 1; i++) {
        if (i < tiles) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[i % 2][t], x + i * 64 + t, sizeof(unsigned), pipe);
            pipe.producer_commit();
        }
        if (i > 0) {
            if (i < tiles)
                cuda::pipeline_consumer_wait_prior<1>(pipe);
            else
                cuda::pipeline_consumer_wait_prior<0>(pipe);
            sum = sum * 17 + s[(i - 1) % 2][t];
            pipe.consumer_release();
        }
    }
    out[t] = sum;
}

extern "C" __global__ void group_copy(unsigned *out, const unsigned *x)
{
    __shared__ unsigned s[2][32];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned w = warp.meta_group_rank();

    cg::memcpy_async(warp, s[w], x + 32 * w, sizeof s[w]);
    cg::wait(warp);
    out[threadIdx.x] = s[w][(warp.thread_rank() * 3 + 1) % 32];
}
