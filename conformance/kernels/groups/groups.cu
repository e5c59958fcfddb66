// SPDX-License-Identifier: Apache-2.0
//
// groups.cu - cooperative groups: tiles, coalesced groups, partitions, reductions and
// scans over them, the grid, and clusters.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define T unsigned t = cg::this_thread_block().thread_rank()

template <unsigned SIZE> __device__ int tile_sum(int v)
{
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());

    for (unsigned d = tile.size() / 2; d; d /= 2)
        v += tile.shfl_xor(v, d);
    return v * 100 + tile.meta_group_rank();
}

extern "C" __global__ void tiles(int *out, const int *x)
{
    T, n = blockDim.x;
    int v = x[t] % 1000;

    out[0 * n + t] = tile_sum<2>(v);
    out[1 * n + t] = tile_sum<4>(v);
    out[2 * n + t] = tile_sum<8>(v);
    out[3 * n + t] = tile_sum<16>(v);
    out[4 * n + t] = tile_sum<32>(v);
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[5 * n + t] = tile.any(v % 7 == 0) * 2 + tile.all(v % 5);
    out[6 * n + t] = tile.ballot(v & 1);
    out[7 * n + t] = tile.match_any(v % 3);
}

extern "C" __global__ void run_time_tiles(int *out, const int *x, int size)
{
    T;
    auto tile = cg::tiled_partition(cg::this_thread_block(), size);
    int v = x[t];

    for (int d = tile.size() / 2; d; d /= 2)
        v ^= __shfl_down_sync(0xffffffffu, v, d, tile.size());
    tile.sync();
    out[t] = v + tile.thread_rank();
}

extern "C" __global__ void reductions(int *out, float *fout, const int *x, const float *f)
{
    T, n = blockDim.x;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());

    out[0 * n + t] = cg::reduce(tile, x[t], cg::plus<int>());
    out[1 * n + t] = cg::reduce(tile, x[t], cg::less<int>());
    out[2 * n + t] = cg::reduce(tile, x[t], cg::bit_xor<int>());
    out[3 * n + t] = cg::inclusive_scan(tile, x[t], cg::plus<int>());
    out[4 * n + t] = cg::exclusive_scan(tile, x[t], cg::plus<int>());
    fout[0 * n + t] = cg::reduce(tile, f[t], cg::plus<float>());
    fout[1 * n + t] = cg::reduce(tile, f[t], cg::greater<float>());
    fout[2 * n + t] = cg::inclusive_scan(tile, f[t], cg::plus<float>());
}

extern "C" __global__ void coalesced(int *out, const int *x)
{
    T;
    int v = x[t], r = -1;

    if (v % 3 == 0) {
        auto active = cg::coalesced_threads();
        r = active.thread_rank() * 1000 + active.size();
        r += active.shfl(v, 0) % 10;
        if (v % 2 == 0) {
            auto even = cg::coalesced_threads();
            r += cg::reduce(even, 1, cg::plus<int>()) * 100000;
        }
    } else {
        auto active = cg::coalesced_threads();
        r = active.shfl_up(v, 1) + active.shfl_down(v, 2);
    }
    out[t] = r;
}

extern "C" __global__ void partitions(int *out, const int *x)
{
    T, n = blockDim.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto label = cg::labeled_partition(warp, (x[t] & 0x7fffffff) % 5);
    auto half = cg::binary_partition(warp, x[t] > 0);

    out[0 * n + t] = label.size() * 100 + label.thread_rank();
    out[1 * n + t] = cg::reduce(label, x[t] % 100, cg::plus<int>());
    out[2 * n + t] = half.size() * 100 + half.thread_rank();
    out[3 * n + t] = cg::reduce(half, x[t], cg::greater<int>());
}

// A tile of two warps: it needs shared memory and barriers of its own.
extern "C" __global__ void wide_tile(int *out, const int *x)
{
    __shared__ cg::block_tile_memory<128> scratch;
    auto block = cg::this_thread_block(scratch);
    auto tile = cg::tiled_partition<64>(block);
    unsigned t = block.thread_rank();

    int sum = cg::reduce(tile, x[t], cg::plus<int>());
    int first = tile.shfl(x[t], 33);
    out[t] = sum + first;
    out[block.size() + t] = cg::inclusive_scan(tile, x[t] & 255, cg::plus<int>());
    out[2 * block.size() + t] = tile.any(x[t] % 50 == 0) + 2 * tile.all(x[t] % 2);
}

extern "C" __global__ void invoke(int *out, const int *x)
{
    T;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int got = cg::invoke_one_broadcast(tile, [&] { return x[t] * 2; });

    out[t] = got;
}

// Needs all blocks at once.
extern "C" __global__ void grid_steps(unsigned *data, unsigned n, unsigned steps)
{
    auto grid = cg::this_grid();
    unsigned t = (unsigned)grid.thread_rank();

    for (unsigned s = 0; s < steps; s++) {
        unsigned from = data[s % 2 * n + (t + 37) % n], own = data[s % 2 * n + t];
        data[(s + 1) % 2 * n + t] = own * 3 + from;
        grid.sync();
    }
    if (t == 0)
        data[2 * n] = (unsigned)grid.num_blocks() * 1000 + (unsigned)grid.is_valid();
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_sum(int *out, const int *x)
{
    __shared__ int part, seen[4];
    auto cluster = cg::this_cluster();
    T;

    if (t == 0)
        part = 0;
    __syncthreads();
    atomicAdd(&part, x[blockIdx.x * blockDim.x + t]);
    cluster.sync();
    if (t < cluster.num_blocks())
        seen[t] = *cluster.map_shared_rank(&part, t);
    cluster.sync();
    if (t < 4)
        out[blockIdx.x * 4 + t] = seen[t] + (int)cluster.block_rank() * 3 +
                                  (int)cluster.thread_rank();
}

extern "C" __global__ void barrier_tokens(int *out, const int *x)
{
    __shared__ int s[96];
    auto block = cg::this_thread_block();
    T;

    s[t] = x[t];
    auto token = block.barrier_arrive();
    int own = x[t] * 2;
    block.barrier_wait(std::move(token));
    out[t] = own + s[(t + 50) % 96] + (int)block.group_dim().x;
}
