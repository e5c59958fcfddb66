// SPDX-License-Identifier: Apache-2.0
// In what order the lanes of one instruction reach one address.

// Block b has cells [b*8, b*8+8); thread t's answers are at [b*blockDim + t].
extern "C" __global__ void atomic_order(unsigned *cells, unsigned *add, unsigned *add_lane,
                                        unsigned *exchange, unsigned *masked)
{
    unsigned *cell = cells + blockIdx.x * 8, t = threadIdx.x, at = blockIdx.x * blockDim.x + t;

    add[at] = atomicAdd(&cell[0], 1);
    add_lane[at] = atomicAdd(&cell[1], t + 1);
    exchange[at] = atomicExch(&cell[2], t + 1);
    if (t % 3 == 1)
        masked[at] = atomicExch(&cell[3], t + 1);
}

extern "C" __global__ void atomic_order_shared(unsigned *add, unsigned *add_lane,
                                               unsigned *exchange, unsigned *swap)
{
    __shared__ unsigned cell[4];
    unsigned t = threadIdx.x, at = blockIdx.x * blockDim.x + t;

    if (t < 4)
        cell[t] = 0;
    __syncthreads();
    add[at] = atomicAdd(&cell[0], 1);
    add_lane[at] = atomicAdd(&cell[1], t + 1);
    exchange[at] = atomicExch(&cell[2], t + 1);
    swap[at] = atomicCAS(&cell[3], 0, t + 1);
}

extern "C" __global__ void float_order(float *cell, float *out)
{
    unsigned t = threadIdx.x, at = blockIdx.x * blockDim.x + t;

    out[at] = atomicAdd(&cell[blockIdx.x], 1.0f + t * 1e-7f);
}

// One store instruction, all lanes to one place; who wins.
extern "C" __global__ void store_order(unsigned *global_winner, unsigned *shared_winner,
                                       unsigned *masked_winner)
{
    __shared__ unsigned s[2];
    unsigned t = threadIdx.x, b = blockIdx.x;

    *(volatile unsigned *)&global_winner[b] = t;
    *(volatile unsigned *)&s[0] = t;
    if (t % 5 == 2)
        *(volatile unsigned *)&masked_winner[b] = t;
    __syncthreads();
    if (t == 0)
        shared_winner[b] = s[0];
}

// Widths: cell k of out[b] is where the lanes of a group meet. Blocks of 32.
extern "C" __global__ void store_widths(unsigned *out, unsigned *global_cells)
{
    __shared__ __align__(16) unsigned w[64], v[64], h[16], c[16];
    __shared__ unsigned long long d[16];
    unsigned t = threadIdx.x, b = blockIdx.x;
    unsigned *g = global_cells + b * 64, *o = out + b * 256;

    w[t] = w[t + 32] = v[t] = v[t + 32] = 0xffff;
    if (t < 16)
        h[t] = c[t] = d[t] = 0xffff;
    __syncthreads();
    unsigned aw = __cvta_generic_to_shared(w), av = __cvta_generic_to_shared(v);
    unsigned ah = __cvta_generic_to_shared(h), ac = __cvta_generic_to_shared(c);
    unsigned ad = __cvta_generic_to_shared(d);
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(aw + t / 4 * 8), "r"(t), "r"(t + 100) : "memory");
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %1, %2};" ::"r"(av + t / 4 * 16), "r"(t), "r"(t + 100) : "memory");
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(ah + t / 8 * 4), "h"((unsigned short)t) : "memory");
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(ac + t / 8 * 4 + (t & 1)), "r"(t) : "memory");
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(ad + t % 3 * 8), "l"((unsigned long long)t << 32 | t) : "memory");
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %1, %2};" ::"l"(g + t / 4 * 4), "r"(t), "r"(t + 100) : "memory");
    asm volatile("st.global.u32 [%0], %1;" ::"l"(g + 32 + t % 7), "r"(t) : "memory");
    asm volatile("st.u32 [%0], %1;" ::"l"(g + 40 + (31 - t) % 5), "r"(t) : "memory");
    __syncthreads();
    o[t] = w[t], o[t + 32] = v[t];
    if (t < 16)
        o[t + 64] = h[t], o[t + 80] = c[t], o[2 * t + 96] = d[t], o[2 * t + 97] = d[t] >> 32;
    o[t + 128] = g[t], o[t + 160] = g[t + 32];
}

// Bytes of one word from different lanes, and a word over bytes.
extern "C" __global__ void byte_order(unsigned *out)
{
    __shared__ unsigned w[4];
    unsigned t = threadIdx.x;

    if (t < 4)
        w[t] = 0;
    __syncthreads();
    if (t < 4)
        ((volatile unsigned char *)w)[t] = 0x10 + t;
    __syncthreads();
    out[t] = w[t % 4];
}
