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
                                       unsigned *masked_winner, unsigned *overlap)
{
    __shared__ unsigned s[2], wide[80];
    unsigned t = threadIdx.x, b = blockIdx.x;

    for (int i = t; i < 80; i += blockDim.x)
        wide[i] = 0xffff;
    __syncthreads();
    *(volatile unsigned *)&global_winner[b] = t;
    *(volatile unsigned *)&s[0] = t;
    if (t % 5 == 2)
        *(volatile unsigned *)&masked_winner[b] = t;
    __syncthreads();
    if (t == 0)
        shared_winner[b] = s[0];
    // 8 bytes at 8-byte steps of half the lanes: lanes t and t^1 meet.
    unsigned a = __cvta_generic_to_shared(wide) + (t / 2) * 8;
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(a), "r"(t), "r"(t + 100) : "memory");
    __syncthreads();
    if (t < 32)
        overlap[b * 32 + t] = wide[t];
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
