// SPDX-License-Identifier: Apache-2.0
//
// async.cu - asynchronous copies and mbarriers, instruction by instruction.

typedef unsigned uint;
typedef unsigned long long u64;

static __device__ uint at(const void *p) { return (uint)__cvta_generic_to_shared(p); }

static __device__ void init(u64 *bar, uint count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(bar)), "r"(count) : "memory");
}

static __device__ u64 arrive(u64 *bar)
{
    u64 state;

    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(bar)) : "memory");
    return state;
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

// 4, 8 and 16 bytes at a time; the last with fewer source bytes than it writes.
extern "C" __global__ void copies(uint *out, const uint *x)
{
    __shared__ alignas(16) uint s[4 * 64];
    uint t = threadIdx.x;

    for (int i = 0; i < 4; i++)
        s[t * 4 + i] = 0xeeeeeeee;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(s + 4 * t)), "l"(x + 4 * t));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at(s + 4 * t + 2)), "l"(x + 4 * t + 2));
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    uint first = s[(t * 4 + 6) % 256] + s[(t * 4 + 5) % 256];
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 ::"r"(at(s + 4 * t)), "l"(x + 4 * t), "r"(t % 5 * 4));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    uint o = (t + 1) % 64;
    out[t] = first ^ s[4 * o] ^ s[4 * o + 1] * 3 ^ s[4 * o + 2] * 5 ^ s[4 * o + 3] * 7;
}

// Stages in flight, as matrix products have them.
extern "C" __global__ void pipeline(float *out, const float *x, uint tiles)
{
    __shared__ float s[3][64];
    uint t = threadIdx.x;
    float sum = 0;

    for (uint i = 0; i < 2; i++) {
        if (i < tiles)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                         ::"r"(at(&s[i][t])), "l"(x + i * 64 + t));
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (uint i = 0; i < tiles; i++) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (i + 2 < tiles)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                         ::"r"(at(&s[(i + 2) % 3][t])), "l"(x + (i + 2) * 64 + t));
        asm volatile("cp.async.commit_group;" ::: "memory");
        for (uint k = 0; k < 8; k++)
            sum = sum * 0.5f + s[i % 3][(t + k * 9) % 64];
    }
    out[t] = sum;
}

// Copies that arrive on a barrier when they have landed.
extern "C" __global__ void noinc(uint *out, const uint *x)
{
    __shared__ uint s[64];
    __shared__ u64 bar;
    uint t = threadIdx.x;

    if (t == 0)
        init(&bar, 64);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(s + t)), "l"(x + t));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    wait_parity(&bar, 0);
    out[t] = s[63 - t];
}

// Several phases, with arrivals of several counts and dropped ones.
extern "C" __global__ void phases(uint *out)
{
    __shared__ u64 bar;
    __shared__ uint counter;
    uint t = threadIdx.x, seen = 0;

    if (t == 0)
        init(&bar, 64), counter = 0;
    __syncthreads();
    for (uint phase = 0; phase < 5; phase++) {
        atomicAdd(&counter, t);
        u64 state = arrive(&bar);
        uint done;
        do
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2;"
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(at(&bar)), "l"(state) : "memory");
        while (!done);
        seen = seen * 3 + counter;
        __syncthreads();
    }
    out[t] = seen;
    if (t == 0) {
        u64 state;
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
        init(&bar, 8);
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 5;" : "=l"(state) : "r"(at(&bar)) : "memory");
        uint pending;
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        out[64] = pending;
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        out[65] = pending;
        arrive(&bar), arrive(&bar);
        wait_parity(&bar, 0);
        out[66] = 1;
    }
}

// Producers and consumers: two warps fill, two empty, over a ring of two buffers.
extern "C" __global__ void ring(uint *out, const uint *x, uint rounds)
{
    __shared__ uint s[2][64];
    __shared__ u64 full[2], empty[2];
    uint t = threadIdx.x, sum = 0;

    if (t < 2)
        init(&full[t], 64), init(&empty[t], 64);
    __syncthreads();
    if (t < 64) {
        for (uint r = 0; r < rounds; r++) {
            if (r >= 2)
                wait_parity(&empty[r % 2], (r / 2 - 1) % 2);
            s[r % 2][t] = x[r * 64 + t] + r;
            arrive(&full[r % 2]);
        }
    } else {
        for (uint r = 0; r < rounds; r++) {
            wait_parity(&full[r % 2], r / 2 % 2);
            sum = sum * 31 + s[r % 2][(t * 5 + r) % 64];
            arrive(&empty[r % 2]);
        }
        out[t - 64] = sum;
    }
}
