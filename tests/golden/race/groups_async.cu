// SPDX-License-Identifier: Apache-2.0
//
// Cooperative groups: a tile loaded by memcpy_async, and a sum in two steps by cg::reduce.
#include <cuda/barrier>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void waited_for(const int *in, int *out)
{
    __shared__ alignas(16) int tile[64];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile));
    cg::wait(block);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" __global__ void only_a_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int tile[64];
    cg::thread_block block = cg::this_thread_block();
    tile[threadIdx.x] = 0;
    block.sync();
    cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile));
    block.sync(); // not for the copies
    out[threadIdx.x] = tile[63 - threadIdx.x];
    cg::wait(block);
}
extern "C" __global__ void first_of_two(const int *in, int *out)
{
    __shared__ alignas(16) int tile[2][64];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile[0], in, cuda::aligned_size_t<16>(sizeof tile[0]));
    cg::memcpy_async(block, tile[1], in + 64, cuda::aligned_size_t<16>(sizeof tile[1]));
    cg::wait_prior<1>(block);
    out[threadIdx.x] = tile[0][63 - threadIdx.x];
    cg::wait(block);
    out[threadIdx.x] += tile[1][63 - threadIdx.x];
}
extern "C" __global__ void second_of_two(const int *in, int *out)
{
    __shared__ alignas(16) int tile[2][64];
    cg::thread_block block = cg::this_thread_block();
    tile[1][threadIdx.x] = 0;
    block.sync();
    cg::memcpy_async(block, tile[0], in, cuda::aligned_size_t<16>(sizeof tile[0]));
    cg::memcpy_async(block, tile[1], in + 64, cuda::aligned_size_t<16>(sizeof tile[1]));
    cg::wait_prior<1>(block);
    out[threadIdx.x] = tile[1][63 - threadIdx.x];
    cg::wait(block);
    out[threadIdx.x] += tile[0][63 - threadIdx.x];
}
extern "C" __global__ void sum_in_two_steps(const int *in, int *out)
{
    __shared__ int part[4];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
    if (tile.thread_rank() == 0)
        part[tile.meta_group_rank()] = sum;
    block.sync();
    if (threadIdx.x == 0)
        *out = part[0] + part[1] + part[2] + part[3];
}
extern "C" __global__ void steps_not_apart(const int *in, int *out)
{
    __shared__ int part[4];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    if (threadIdx.x < 4)
        part[threadIdx.x] = 0;
    block.sync();
    int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
    if (tile.thread_rank() == 0)
        part[tile.meta_group_rank()] = sum;
    tile.sync();
    if (threadIdx.x == 0)
        *out = part[0] + part[1] + part[2] + part[3];
}
