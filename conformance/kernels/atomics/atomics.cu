// SPDX-License-Identifier: Apache-2.0
//
// atomics.cu - atomic operations of every kind, type, space and scope. Results do not
// depend on the order between warps; old values are kept only where one warp is alone.
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;

#define INDEX unsigned t = blockIdx.x * blockDim.x + threadIdx.x

extern "C" __global__ void integer_32(unsigned *cells, const unsigned *x)
{
    INDEX;
    unsigned v = x[t];

    atomicAdd(&cells[0], v), atomicSub(&cells[1], v >> 3);
    atomicMin(&cells[2], v), atomicMax(&cells[3], v);
    atomicMin((int *)&cells[4], (int)v), atomicMax((int *)&cells[5], (int)v);
    atomicAnd(&cells[6], v | 0x8001), atomicOr(&cells[7], v & 0x180018), atomicXor(&cells[8], v);
    atomicInc(&cells[9], 50), atomicDec(&cells[10], 70);
    atomicAdd_block(&cells[11 + blockIdx.x], v), atomicAdd_system(&cells[16], v);
    atomicMax_block(&cells[17 + blockIdx.x], v), atomicXor_system(&cells[22], v);
}

extern "C" __global__ void integer_64(u64 *cells, const u64 *x)
{
    INDEX;
    u64 v = x[t];

    atomicAdd(&cells[0], v), atomicMin(&cells[1], v), atomicMax(&cells[2], v);
    atomicMin((long long *)&cells[3], (long long)v), atomicMax((long long *)&cells[4], (long long)v);
    atomicAnd(&cells[5], v | 0x8000000000000001ull), atomicOr(&cells[6], v & 0xf00000000f);
    atomicXor(&cells[7], v), atomicAdd_block(&cells[8 + blockIdx.x], v), atomicAdd_system(&cells[12], v);
}

// One warp: the lanes of an instruction come in order, so the old values are known.
extern "C" __global__ void old_values(unsigned *old, unsigned *cells, const unsigned *x)
{
    unsigned t = threadIdx.x, n = blockDim.x, v = x[t], k = 0;

    old[k++ * n + t] = atomicAdd(&cells[t % 3], v);
    old[k++ * n + t] = atomicExch(&cells[3], v);
    old[k++ * n + t] = atomicCAS(&cells[4], v % 2, v);
    old[k++ * n + t] = atomicMax((int *)&cells[5], (int)v);
    old[k++ * n + t] = atomicInc(&cells[6 + t % 2], 4);
    old[k++ * n + t] = atomicDec(&cells[8], 9);
    if (t % 3 == 1)
        old[k * n + t] = atomicXor(&cells[9], v);
    k++;
    old[k++ * n + t] = (unsigned)atomicExch((u64 *)&cells[10], (u64)v << 32 | t);
}

extern "C" __global__ void old_values_shared(unsigned *old, unsigned *out, const unsigned *x)
{
    __shared__ unsigned cells[12];
    unsigned t = threadIdx.x, n = blockDim.x, v = x[t], k = 0;

    if (t < 12)
        cells[t] = t * 1000;
    __syncthreads();
    old[k++ * n + t] = atomicAdd(&cells[t % 3], v);
    old[k++ * n + t] = atomicExch(&cells[3], v);
    old[k++ * n + t] = atomicCAS(&cells[4], 4000, v);
    old[k++ * n + t] = atomicMin(&cells[5], v);
    old[k++ * n + t] = atomicInc(&cells[6], 6010);
    old[k++ * n + t] = atomicDec(&cells[7], 7100);
    old[k++ * n + t] = atomicOr(&cells[8], v);
    old[k++ * n + t] = (unsigned)atomicAdd((u64 *)&cells[10], (u64)v);
    __syncthreads();
    if (t < 12)
        out[t] = cells[t];
}

extern "C" __global__ void floats(float *f, double *d, const float *x)
{
    unsigned t = threadIdx.x;

    f[8 + t] = atomicAdd(&f[t % 4], x[t]);
    f[40 + t] = atomicExch(&f[4 + t % 2], x[t]);
    d[4 + t] = atomicAdd(&d[t % 3], (double)x[t] * 1e-3);
}

extern "C" __global__ void floats_shared(float *f, double *d, const float *x)
{
    __shared__ float sf[4];
    __shared__ double sd[2];
    unsigned t = threadIdx.x;

    if (t < 4)
        sf[t] = t * 0.1f;
    if (t < 2)
        sd[t] = t;
    __syncthreads();
    f[t] = atomicAdd(&sf[t % 4], x[t]);
    d[t] = atomicAdd(&sd[t % 2], (double)x[t] / 3);
    __syncthreads();
    if (t < 4)
        f[32 + t] = sf[t];
    if (t < 2)
        d[32 + t] = sd[t];
}

// A vector of sums whose order cannot matter: small integers.
extern "C" __global__ void halves(__half *h, __nv_bfloat16 *b, const unsigned *x)
{
    INDEX;
    unsigned v = x[t] % 4;

    atomicAdd(&h[t % 3], __uint2half_rn(v));
    atomicAdd((__half2 *)&h[4], __floats2half2_rn(v, 3.0f - v));
    atomicAdd(&b[t % 5], __uint2bfloat16_rn(v % 2));
    atomicAdd((__nv_bfloat162 *)&b[6], __floats2bfloat162_rn(v & 1, 1.0f - (v & 1)));
}

extern "C" __global__ void vectors(float4 *f4, float2 *f2, const float *x)
{
    unsigned t = threadIdx.x;
    float v = x[t];

    atomicAdd(&f4[t % 2], make_float4(v, v * 2, -v, 1));
    float2 old = atomicAdd(&f2[t % 3], make_float2(v, v * v));
    f2[3 + t] = old;
}

// Compare and swap of 16, 64 and 128 bits: loops that build other atomics.
extern "C" __global__ void swaps(unsigned short *h, double *d, const float *x)
{
    INDEX;
    unsigned short seen = h[0], next;
    u64 *cell = (u64 *)d, old = *cell, assumed;

    do {
        next = seen;
        seen = atomicCAS(&h[0], next, (unsigned short)(next + 3));
    } while (seen != next);
    do {
        assumed = old;
        double bigger = fmax(__longlong_as_double((long long)assumed), (double)x[t]);
        old = atomicCAS(cell, assumed, (u64)__double_as_longlong(bigger));
    } while (old != assumed);
}

extern "C" __global__ void swap_128(u64 *cells, const u64 *x)
{
    INDEX;
    u64 low, high, wlow = 0, whigh = 0;

    for (;;) {
        asm volatile("{ .reg .b128 c, s, o; mov.b128 c, {%2, %3}; mov.b128 s, {%4, %5};\n"
                     "atom.global.relaxed.gpu.cas.b128 o, [%6], c, s; mov.b128 {%0, %1}, o; }"
                     : "=l"(low), "=l"(high)
                     : "l"(wlow), "l"(whigh), "l"(wlow + x[t]), "l"(whigh ^ x[t]), "l"(cells)
                     : "memory");
        if (low == wlow && high == whigh)
            break;
        wlow = low, whigh = high;
    }
}

// The C++ library's atomics with orders and scopes.
extern "C" __global__ void library(unsigned *cells, int *s, const unsigned *x)
{
    INDEX;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> a(cells[0]);
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> b(cells[1]);
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> c(cells[2 + blockIdx.x]);
    cuda::atomic_ref<int, cuda::thread_scope_device> d(s[0]);

    a.fetch_add(x[t], cuda::memory_order_relaxed);
    a.fetch_sub(1, cuda::memory_order_acq_rel);
    b.fetch_xor(x[t], cuda::memory_order_seq_cst);
    c.fetch_or(1u << t % 32, cuda::memory_order_release);
    d.fetch_max((int)x[t], cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    unsigned want = a.load(cuda::memory_order_acquire);
    while (!a.compare_exchange_weak(want, want + 2, cuda::memory_order_acq_rel))
        ;
}

extern "C" __global__ void histogram(unsigned *bins, const unsigned *x, unsigned n)
{
    __shared__ unsigned part[64];

    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
        part[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[x[i] >> 26], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
        atomicAdd(&bins[i], part[i]);
}
