// SPDX-License-Identifier: Apache-2.0
//
// Cooperative groups: tiles of 16 threads exchange values through shared memory. tile.sync()
// orders it; a shuffle of the tile does not.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tile_sync(int *out)
{
    __shared__ int cell[64];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x;
    cell[i] = 3 * i;
    tile.sync();
    out[i] = cell[i ^ 15];
}
extern "C" __global__ void tile_shuffle(int *out)
{
    __shared__ int cell[64];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x;
    cell[i] = 3 * i;
    int first = tile.shfl(i, 0);
    out[i] = cell[first + 15 - i % 16];
}
extern "C" __global__ void other_tile(int *out)
{
    __shared__ int cell[64];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x;
    cell[i] = 3 * i;
    tile.sync();
    out[i] = cell[i ^ 31];
}
extern "C" __global__ void block_sync(int *out)
{
    __shared__ int cell[64];
    int i = threadIdx.x;
    cell[i] = 3 * i;
    cg::this_thread_block().sync();
    out[i] = cell[i ^ 63];
}
