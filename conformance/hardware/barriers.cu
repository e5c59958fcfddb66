// SPDX-License-Identifier: Apache-2.0
// Barriers with reductions, partial counts, and threads that do not come.

__device__ unsigned popc_all(int p)
{
    unsigned r;
    asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 0; barrier.cta.red.popc.u32 %0, 0, q; }"
                 : "=r"(r) : "r"(p) : "memory");
    return r;
}

__device__ unsigned popc_some(int barrier, int count, int p)
{
    unsigned r;
    asm volatile("{ .reg .pred q; setp.ne.s32 q, %3, 0; barrier.cta.red.popc.u32 %0, %1, %2, q; }"
                 : "=r"(r) : "r"(barrier), "r"(count), "r"(p) : "memory");
    return r;
}

// 4 words for each thread of a block of any size.
extern "C" __global__ void reductions(unsigned *out)
{
    unsigned t = threadIdx.x, *o = out + t * 4;

    o[0] = popc_all(t % 3 == 0);
    o[1] = __syncthreads_and(t != 5);
    o[2] = __syncthreads_or(t == 7);
    o[3] = __syncthreads_count(-1);
}

// Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
extern "C" __global__ void partial(unsigned *out)
{
    unsigned t = threadIdx.x, half = t / 64;

    out[t] = popc_some(1 + half, 64, t % 4 == half);
}

// Half of each warp comes first, then the other half: the count is of warps'
// threads, and a warp's lanes need not come together.
extern "C" __global__ void halves(unsigned *out)
{
    unsigned t = threadIdx.x;

    if (t & 16)
        out[t] = popc_all(1);
    else
        out[t] = popc_all(t & 1) + 1000;
}

// The same in warp 0 alone, by the other half first; the rest comes whole.
extern "C" __global__ void halves_of_one(unsigned *out)
{
    unsigned t = threadIdx.x;

    if (t < 16)
        out[t] = popc_all(1) + 1000;
    else
        out[t] = popc_all(1) + 2000;
}

// Two groups of a warp at one barrier without a result.
extern "C" __global__ void halves_plain(unsigned *out)
{
    unsigned t = threadIdx.x;

    if (t & 1) {
        asm volatile("barrier.cta.sync 0;" ::: "memory");
        out[t] = 1;
    } else {
        asm volatile("barrier.cta.sync 0;" ::: "memory");
        out[t] = 2;
    }
}

extern "C" __global__ void exited(unsigned *out)
{
    unsigned t = threadIdx.x;

    if (t % 32 >= 20 || t >= 96)
        return;
    out[t] = popc_all(1);
}

// Only some lanes of warp 0 come, the others of it go to their end later.
extern "C" __global__ void late_exit(unsigned *out)
{
    unsigned t = threadIdx.x;

    if (t < 16)
        out[t] = popc_all(1);
    else
        out[t] = 7;
}

// Warps 0, 1 arrive (no wait), 2, 3 sync.
extern "C" __global__ void arrive(unsigned *out)
{
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;

    s[t] = t;
    __threadfence_block();
    if (t < 64) {
        asm volatile("barrier.cta.arrive 3, 128;" ::: "memory");
        out[t] = 1;
    } else {
        asm volatile("barrier.cta.sync 3, 128;" ::: "memory");
        out[t] = s[t - 64];
    }
}

extern "C" __global__ void sync_count(unsigned *out, int barrier, int count)
{
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
    out[threadIdx.x] = 1;
}

// The same barrier with different counts.
extern "C" __global__ void counts_differ(unsigned *out)
{
    int count = threadIdx.x < 32 ? 64 : 96;

    asm volatile("barrier.cta.sync 1, %0;" ::"r"(count) : "memory");
    out[threadIdx.x] = 1;
}

// Different barriers, so that nobody is ever complete.
extern "C" __global__ void crossed(unsigned *out)
{
    if (threadIdx.x < 32) {
        asm volatile("barrier.cta.sync 1, 64; barrier.cta.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("barrier.cta.sync 2, 64; barrier.cta.sync 1, 64;" ::: "memory");
    }
    out[threadIdx.x] = 1;
}
