// SPDX-License-Identifier: Apache-2.0
//
// block.cu - the block and warp algorithms of CUB, in their several variants.
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

typedef unsigned uint;

constexpr int THREADS = 128, ITEMS = 4;
#define T int t = threadIdx.x

// --- reductions and scans ------------------------------------------------------------------
template <cub::BlockReduceAlgorithm HOW> static __device__ void reduce(float *out, float v)
{
    using Reduce = cub::BlockReduce<float, THREADS, HOW>;
    __shared__ typename Reduce::TempStorage s;

    float sum = Reduce(s).Sum(v);
    __syncthreads();
    float most = Reduce(s).Reduce(v, cuda::maximum<>{}, 100);
    if (threadIdx.x == 0)
        out[0] = sum, out[1] = most;
    __syncthreads();
}

extern "C" __global__ void reductions(float *out, const float *x)
{
    reduce<cub::BLOCK_REDUCE_RAKING>(out, x[threadIdx.x]);
    reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(out + 2, x[threadIdx.x]);
    reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(out + 4, x[threadIdx.x]);
}

template <cub::BlockScanAlgorithm HOW> static __device__ void scan(uint *out, const uint *x)
{
    using Scan = cub::BlockScan<uint, THREADS, HOW>;
    __shared__ typename Scan::TempStorage s;
    uint v[ITEMS], total;
    T;

    for (int i = 0; i < ITEMS; i++)
        v[i] = x[t * ITEMS + i] >> 16;
    Scan(s).ExclusiveSum(v, v, total);
    for (int i = 0; i < ITEMS; i++)
        out[t * ITEMS + i] = v[i];
    __syncthreads();
    uint most;
    Scan(s).InclusiveScan(x[t], most, cuda::maximum<>{});
    out[THREADS * ITEMS + t] = most ^ total;
    __syncthreads();
}

extern "C" __global__ void scans(uint *out, const uint *x)
{
    scan<cub::BLOCK_SCAN_RAKING>(out, x);
    scan<cub::BLOCK_SCAN_RAKING_MEMOIZE>(out + 640, x);
    scan<cub::BLOCK_SCAN_WARP_SCANS>(out + 1280, x);
}

// --- order -----------------------------------------------------------------------------------
extern "C" __global__ void radix_sort(uint *keys, float *values, int descending)
{
    using Sort = cub::BlockRadixSort<uint, THREADS, ITEMS, float>;
    __shared__ typename Sort::TempStorage s;
    uint k[ITEMS];
    float v[ITEMS];
    T;

    for (int i = 0; i < ITEMS; i++)
        k[i] = keys[t * ITEMS + i], v[i] = values[t * ITEMS + i];
    if (descending)
        Sort(s).SortDescending(k, v, 4, 28);
    else
        Sort(s).SortBlockedToStriped(k, v);
    for (int i = 0; i < ITEMS; i++)
        keys[t * ITEMS + i] = k[i], values[t * ITEMS + i] = v[i];
}

extern "C" __global__ void float_sort(float *keys)
{
    using Sort = cub::BlockRadixSort<float, THREADS, ITEMS>;
    __shared__ typename Sort::TempStorage s;
    float k[ITEMS];
    T;

    for (int i = 0; i < ITEMS; i++)
        k[i] = keys[t * ITEMS + i];
    Sort(s).Sort(k);
    for (int i = 0; i < ITEMS; i++)
        keys[t * ITEMS + i] = k[i];
}

extern "C" __global__ void merge_sort(int *keys, int valid)
{
    using Sort = cub::BlockMergeSort<int, THREADS, ITEMS>;
    __shared__ typename Sort::TempStorage s;
    int k[ITEMS];
    T;

    for (int i = 0; i < ITEMS; i++)
        k[i] = keys[t * ITEMS + i];
    Sort(s).Sort(k, cuda::std::less<int>{}, valid, 0x7fffffff);
    for (int i = 0; i < ITEMS; i++)
        keys[t * ITEMS + i] = k[i];
}

template <cub::BlockHistogramAlgorithm HOW>
static __device__ void histogram_of(uint *bins, const unsigned char *x)
{
    using Histogram = cub::BlockHistogram<unsigned char, THREADS, ITEMS, 64, HOW>;
    __shared__ typename Histogram::TempStorage s;
    __shared__ uint h[64];
    unsigned char v[ITEMS];
    T;

    for (int i = 0; i < ITEMS; i++)
        v[i] = x[t * ITEMS + i] / 4;
    Histogram(s).Histogram(v, h);
    __syncthreads();
    if (t < 64)
        bins[t] = h[t];
    __syncthreads();
}

extern "C" __global__ void histograms(uint *bins, const unsigned char *x)
{
    histogram_of<cub::BLOCK_HISTO_ATOMIC>(bins, x);
    histogram_of<cub::BLOCK_HISTO_SORT>(bins + 64, x);
}

// --- data movement -------------------------------------------------------------------------------
template <cub::BlockLoadAlgorithm LOAD, cub::BlockStoreAlgorithm STORE>
static __device__ void move(int *out, const int *x, int valid)
{
    using Load = cub::BlockLoad<int, THREADS, ITEMS, LOAD>;
    using Store = cub::BlockStore<int, THREADS, ITEMS, STORE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } s;
    int v[ITEMS];

    Load(s.load).Load(x, v, valid, -5);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        v[i] = v[i] * 2 + i;
    Store(s.store).Store(out, v, valid);
    __syncthreads();
}

extern "C" __global__ void moves(int *out, const int *x, int valid)
{
    move<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_TRANSPOSE>(out, x, valid);
    move<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_DIRECT>(out + 512, x, valid);
    move<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_STRIPED>(out + 1024, x, valid);
    move<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_WARP_TRANSPOSE>(out + 1536, x, valid);
}

extern "C" __global__ void exchanges(int *out, const int *x)
{
    using Exchange = cub::BlockExchange<int, THREADS, ITEMS>;
    __shared__ typename Exchange::TempStorage s;
    int v[ITEMS], ranks[ITEMS];
    T;

    for (int i = 0; i < ITEMS; i++)
        v[i] = x[t * ITEMS + i], ranks[i] = (t * ITEMS + i) * 5 % (THREADS * ITEMS);
    Exchange(s).StripedToBlocked(v, v);
    __syncthreads();
    Exchange(s).ScatterToStriped(v, v, ranks);
    for (int i = 0; i < ITEMS; i++)
        out[t * ITEMS + i] = v[i];
}

extern "C" __global__ void neighbours(int *out, const int *x)
{
    using Flags = cub::BlockDiscontinuity<int, THREADS>;
    using Difference = cub::BlockAdjacentDifference<int, THREADS>;
    using Shuffle = cub::BlockShuffle<int, THREADS>;
    __shared__ union {
        typename Flags::TempStorage flags;
        typename Difference::TempStorage difference;
        typename Shuffle::TempStorage shuffle;
    } s;
    int v[ITEMS], heads[ITEMS], d[ITEMS], up;
    T;

    for (int i = 0; i < ITEMS; i++)
        v[i] = (x[t * ITEMS + i] & 0x7fffffff) % 3;
    Flags(s.flags).FlagHeads(heads, v, cuda::std::not_equal_to<int>{});
    __syncthreads();
    Difference(s.difference).SubtractLeft(v, d, cuda::std::minus<int>{});
    __syncthreads();
    Shuffle(s.shuffle).Offset(v[0], up, 3);
    for (int i = 0; i < ITEMS; i++)
        out[t * ITEMS + i] = heads[i] * 100 + d[i];
    out[THREADS * ITEMS + t] = t + 3 < THREADS ? up : -1;
}

extern "C" __global__ void run_lengths(int *out, const uint *x)
{
    using Decode = cub::BlockRunLengthDecode<int, THREADS, 1, ITEMS>;
    __shared__ typename Decode::TempStorage s;
    uint total;
    int values[1] = {(int)threadIdx.x * 10};
    uint lengths[1] = {x[threadIdx.x] % 6};
    Decode decode(s, values, lengths, total);
    T;

    for (uint base = 0; base < total; base += THREADS * ITEMS) {
        int items[ITEMS];
        decode.RunLengthDecode(items, base);
        for (int i = 0; i < ITEMS; i++)
            if (base + t * ITEMS + i < total)
                out[base + t * ITEMS + i] = items[i];
        __syncthreads();
    }
    if (t == 0)
        out[1023] = (int)total;
}

// --- warps -----------------------------------------------------------------------------------------
extern "C" __global__ void warps(float *f, int *out, const int *x)
{
    using Reduce = cub::WarpReduce<float>;
    using Half = cub::WarpReduce<int, 16>;
    using Scan = cub::WarpScan<int, 32>;
    using Sort = cub::WarpMergeSort<int, 2, 32>;
    __shared__ typename Reduce::TempStorage sr[4];
    __shared__ typename Half::TempStorage sh[8];
    __shared__ typename Scan::TempStorage ss[4];
    __shared__ typename Sort::TempStorage so[4];
    T, w = t / 32;

    f[t] = Reduce(sr[w]).HeadSegmentedSum((float)(x[t] >> 8), (x[t] & 7) == 0);
    int sum = Half(sh[t / 16]).Sum(x[t], 11);
    out[t] = t % 16 == 0 ? sum : 0;
    Scan(ss[w]).InclusiveScan(x[t], out[128 + t], cuda::minimum<>{});
    int k[2] = {x[t], x[(t + 64) % 128]};
    Sort(so[w]).Sort(k, cuda::std::greater<int>{});
    out[256 + 2 * t] = k[0], out[257 + 2 * t] = k[1];
}
