// SPDX-License-Identifier: Apache-2.0
//
// Cooperative groups: a tile of eight threads sums its values, a coalesced group
// of the odd threads counts itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(int *sum, int *odd)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int i = block.thread_rank();
    sum[i] = cg::reduce(tile, i, cg::plus<int>());
    block.sync();
    odd[i] = 0;
    if (i % 2) {
        cg::coalesced_group group = cg::coalesced_threads();
        odd[i] = 100 * group.size() + group.thread_rank();
    }
}
