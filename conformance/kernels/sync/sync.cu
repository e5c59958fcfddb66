// SPDX-License-Identifier: Apache-2.0
//
// sync.cu - locks, flags between blocks, grid barriers, named barriers: programs that
// end only when every thread makes progress.

typedef unsigned uint;

// --- locks -------------------------------------------------------------------------------
extern "C" __global__ void spin_lock(uint *lock, uint *data)
{
    bool done = false;

    while (!done)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            volatile uint *d = data;
            d[0] = d[0] + threadIdx.x;
            d[1] = d[1] + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}

// The usual form, which needs independent progress of the lanes. It gives up, so that
// a machine without that ends, too.
enum { TURNS = 1 << 20 };

extern "C" __global__ void spin_lock_nested(uint *lock, uint *data)
{
    for (uint turns = 0; atomicExch(lock, 1) != 0 && turns < TURNS; turns++)
        ;
    __threadfence();
    volatile uint *d = data;
    d[0] = d[0] * 1 + 3;
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void ticket_lock(uint *next, uint *serving, uint *data)
{
    uint mine = atomicAdd(next, 1);

    for (uint turns = 0; *(volatile uint *)serving != mine && turns < TURNS; turns++)
        ;
    __threadfence();
    volatile uint *d = data;
    d[0] = d[0] * 5 + mine; // tickets are served in order
    __threadfence();
    atomicAdd(serving, 1);
}

extern "C" __global__ void shared_lock(uint *out)
{
    __shared__ uint lock, total;

    if (threadIdx.x == 0)
        lock = total = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            *(volatile uint *)&total += threadIdx.x + 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    out[threadIdx.x] = total;
}

// --- between blocks ------------------------------------------------------------------------
static __device__ void grid_barrier(uint *arrived, uint goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        for (uint turns = 0; *(volatile uint *)arrived < goal && turns < TURNS; turns++)
            ;
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void grid_steps(uint *a, uint *b, uint *arrived, uint steps)
{
    uint t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (uint s = 0; s < steps; s++) {
        uint *from = s % 2 ? b : a, *to = s % 2 ? a : b;
        to[t] = __ldcg(from + (t + n - 1) % n) + 2 * __ldcg(from + (t + 33) % n);
        grid_barrier(arrived, gridDim.x * (s + 1));
    }
}

// The block that comes last adds up what the others left.
extern "C" __global__ void last_block(uint *parts, uint *count, uint *out, const uint *x)
{
    __shared__ bool last;
    uint t = threadIdx.x, sum = __reduce_add_sync(0xffffffffu, x[blockIdx.x * 32 + t] >> 8);

    if (t == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        uint v = 0;
        for (uint i = t; i < gridDim.x; i += 32)
            v += __ldcg(parts + i);
        v = __reduce_add_sync(0xffffffffu, v);
        if (t == 0)
            out[0] = v;
    }
}

// Each block waits for its neighbour's prefix.
extern "C" __global__ void chained_scan(uint *out, volatile uint *sums, uint *flags, const uint *x)
{
    __shared__ uint before;
    uint t = threadIdx.x, b = blockIdx.x, v = x[b * 32 + t] & 0xffff;

    for (uint d = 1; d < 32; d *= 2) {
        uint w = __shfl_up_sync(0xffffffffu, v, d);
        if (t >= d)
            v += w;
    }
    if (t == 31) {
        uint prefix = 0;
        if (b > 0) {
            for (uint turns = 0; atomicAdd(&flags[b - 1], 0) == 0 && turns < TURNS; turns++)
                ;
            __threadfence();
            prefix = sums[b - 1];
        }
        sums[b] = prefix + v;
        __threadfence();
        atomicExch(&flags[b], 1);
        before = prefix;
    }
    __syncwarp();
    out[b * 32 + t] = before + v;
}

// A block that produces and one that consumes, word by word.
extern "C" __global__ void mailbox(uint *out, uint *slot, uint *flag, uint n)
{
    if (threadIdx.x)
        return;
    for (uint i = 0; i < n; i++)
        if (blockIdx.x == 0) {
            for (uint turns = 0; atomicAdd(flag, 0) != 0 && turns < TURNS; turns++)
                ;
            *(volatile uint *)slot = i * i + 7;
            __threadfence();
            atomicExch(flag, 1);
        } else {
            for (uint turns = 0; atomicAdd(flag, 0) != 1 && turns < TURNS; turns++)
                ;
            __threadfence();
            out[i] = *(volatile uint *)slot;
            atomicExch(flag, 0);
        }
}

// Acquire and release by name, a chain through all warps of a block.
extern "C" __global__ void chain(uint *out)
{
    __shared__ uint turn, value;
    uint warp = threadIdx.x / 32, seen;

    if (threadIdx.x == 0)
        turn = 0, value = 1;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        uint address = (uint)__cvta_generic_to_shared(&turn);
        do
            asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(address) : "memory");
        while (seen != warp);
        value = value * 3 + warp;
        out[warp] = value;
        asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(address), "r"(warp + 1) : "memory");
    }
}

// --- barriers of a block ---------------------------------------------------------------------
extern "C" __global__ void counts(uint *out, const uint *x)
{
    uint t = threadIdx.x, n = blockDim.x;

    out[t] = (uint)__syncthreads_count(x[t] & 1);
    out[n + t] = (uint)__syncthreads_and(x[t] % 16) * 2 + (uint)__syncthreads_or(x[t] % 64 == 0);
}

// Two halves of a block, each with a barrier of its own; then all.
extern "C" __global__ void named(uint *out, const uint *x)
{
    __shared__ uint s[128];
    uint t = threadIdx.x, half = t / 64, v = 0;

    for (uint r = 0; r < 3 + half; r++) {
        s[t] = x[t] + r;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        v += s[half * 64 + (t * 7 + r) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    }
    __syncthreads();
    out[t] = v;
}

// bar.arrive by the producers, bar.sync by the consumers.
extern "C" __global__ void arrive(uint *out, const uint *x)
{
    __shared__ uint s[64];
    uint t = threadIdx.x;

    if (t < 64) {
        s[t] = x[t] * 9;
        __threadfence_block();
        asm volatile("bar.arrive 3, 96;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 96;" ::: "memory");
        out[t - 64] = s[t - 64] + s[t - 32];
    }
}

// Fewer and fewer threads of a block take part.
extern "C" __global__ void shrinking(uint *out)
{
    __shared__ uint s;
    uint t = threadIdx.x;

    if (t == 0)
        s = 0;
    __syncthreads();
    for (uint i = 0; i < 4; i++) {
        if (t >= blockDim.x - 32 * i)
            return;
        atomicAdd(&s, 1);
        __syncthreads();
        out[i * blockDim.x + t] = s;
        __syncthreads();
    }
}
