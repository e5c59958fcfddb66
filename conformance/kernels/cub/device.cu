// SPDX-License-Identifier: Apache-2.0
//
// device.cu - the device algorithms of CUB, launch by launch: what their dispatch
// would launch, with small tiles, so that many blocks work together.
#include <cub/cub.cuh>

typedef unsigned uint;

// --- reduction: a partial result for each block, then one block ----------------------------
using ReducePolicy = cub::AgentReducePolicy<128, 4, float, 4, cub::BLOCK_REDUCE_WARP_REDUCTIONS,
                                            cub::LOAD_LDG>;

template <typename X> static __device__ void reduce(X *out, const X *in, int begin, int end)
{
    using Agent = cub::detail::reduce::AgentReduce<ReducePolicy, const X *, X *, int,
                                                   cuda::std::plus<X>, X>;
    __shared__ typename Agent::TempStorage s;

    X sum = Agent(s, in, cuda::std::plus<X>{}).ConsumeRange(begin, end);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

extern "C" __global__ void reduce_blocks(float *parts, const float *in, int n)
{
    int each = (n + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * each;

    reduce(parts, in, begin, min(begin + each, n));
}

extern "C" __global__ void reduce_last(float *out, const float *parts, int n)
{
    reduce(out, parts, 0, n);
}

// --- scan with look-back ---------------------------------------------------------------------
template <typename X>
using ScanPolicy = cub::AgentScanPolicy<128, 3, uint, cub::BLOCK_LOAD_WARP_TRANSPOSE,
                                        cub::LOAD_DEFAULT, cub::BLOCK_STORE_WARP_TRANSPOSE,
                                        cub::BLOCK_SCAN_WARP_SCANS>;

// Too large for a word: status and value are two, with fences between.
struct wide {
    unsigned long long sum;
    uint most, count;
};
struct join {
    __device__ wide operator()(const wide &a, const wide &b) const
    {
        return {a.sum + b.sum, a.most > b.most ? a.most : b.most, a.count + b.count};
    }
};

template <typename X> static __device__ cub::ScanTileState<X> state(void *temp, int tiles)
{
    cub::ScanTileState<X> s;
    size_t bytes;

    cub::ScanTileState<X>::AllocationSize(tiles, bytes);
    s.Init(tiles, temp, bytes);
    return s;
}

template <typename X, typename OP, typename INIT>
static __device__ void scan(X *out, const X *in, void *temp, int n, OP op, INIT init)
{
    using Agent = cub::detail::scan::AgentScan<ScanPolicy<X>, const X *, X *, OP, INIT, int, X>;
    __shared__ typename Agent::TempStorage s;
    cub::ScanTileState<X> tiles = state<X>(temp, gridDim.x);

    Agent(s, in, out, op, init).ConsumeRange(n, tiles, 0);
}

extern "C" __global__ void scan_begin(void *temp, int tiles)
{
    state<uint>(temp, tiles).InitializeStatus(tiles);
}

extern "C" __global__ void scan_exclusive(uint *out, const uint *in, void *temp, int n)
{
    scan(out, in, temp, n, cuda::std::plus<uint>{}, 1000u);
}

extern "C" __global__ void scan_wide_begin(void *temp, int tiles)
{
    state<wide>(temp, tiles).InitializeStatus(tiles);
}

extern "C" __global__ void scan_wide(wide *out, const wide *in, void *temp, int n)
{
    scan(out, in, temp, n, join{}, cub::NullType{});
}

// --- radix sort in one sweep for each digit -----------------------------------------------------
using HistogramPolicy = cub::AgentRadixSortHistogramPolicy<128, 8, 1, uint, 8>;
using SweepPolicy = cub::AgentRadixSortOnesweepPolicy<
    128, 4, uint, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, cub::BLOCK_SCAN_WARP_SCANS,
    cub::RADIX_SORT_STORE_DIRECT, 8>;

extern "C" __global__ void __launch_bounds__(128) sort_histogram(int *bins, const uint *keys, int n)
{
    using Agent = cub::detail::radix_sort::AgentRadixSortHistogram<HistogramPolicy, false, uint, int>;
    __shared__ typename Agent::TempStorage s;

    Agent(s, bins, keys, n, 0, 32).Process();
}

extern "C" __global__ void __launch_bounds__(256) sort_offsets(int *bins)
{
    using Scan = cub::BlockScan<int, 256>;
    __shared__ typename Scan::TempStorage s;
    int *bin = bins + blockIdx.x * 256 + threadIdx.x, before;

    Scan(s).ExclusiveSum(*bin, before);
    *bin = before;
}

extern "C" __global__ void __launch_bounds__(128)
    sort_pass(uint *keys_out, uint *values_out, const uint *keys, const uint *values, int *look_back,
              int *counters, int *bins, int n, int pass)
{
    using Agent = cub::detail::radix_sort::AgentRadixSortOnesweep<SweepPolicy, false, uint, uint, int, int>;
    __shared__ typename Agent::TempStorage s;

    Agent(s, look_back, counters + pass, nullptr, bins + pass * 256,
          keys_out, keys, values_out, values, n, pass * 8, 8)
        .Process();
}

// --- selection ------------------------------------------------------------------------------------
struct is_wanted {
    __device__ bool operator()(uint v) const { return v % 3 == 0; }
};
using SelectPolicy = cub::AgentSelectIfPolicy<128, 3, cub::BLOCK_LOAD_WARP_TRANSPOSE,
                                              cub::LOAD_DEFAULT, cub::BLOCK_SCAN_WARP_SCANS>;

extern "C" __global__ void __launch_bounds__(128)
    select_if(uint *out, int *count, const uint *in, void *temp, int n)
{
    using Context = cub::detail::select::streaming_context_t<int, false>;
    using Agent = cub::detail::select::AgentSelectIf<SelectPolicy, const uint *, cub::NullType *, uint *,
                                     is_wanted, cub::NullType, int, Context, cub::SelectImpl::Select>;
    __shared__ typename Agent::TempStorage s;
    cub::ScanTileState<int> tiles = state<int>(temp, gridDim.x);

    Agent(s, in, nullptr, out, is_wanted{}, cub::NullType{}, n, Context{nullptr, nullptr, n, true})
        .ConsumeRange(gridDim.x, tiles, count);
}
