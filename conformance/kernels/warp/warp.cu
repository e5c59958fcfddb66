// SPDX-License-Identifier: Apache-2.0
//
// warp.cu - warp primitives in odd shapes: partial warps, sub-masks, widths.

#define FULL 0xffffffffu

__device__ unsigned thread_number()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ unsigned block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

// Lanes of this warp that exist; the last warp of a block may be partial.
__device__ unsigned warp_members()
{
    unsigned left = block_size() - thread_number() / 32 * 32;

    return left >= 32 ? FULL : (1u << left) - 1;
}

extern "C" __global__ void shuffle_widths(int *out, const int *in)
{
    unsigned t = thread_number(), members = warp_members(), n = block_size();
    int v = in[t];

    out[0 * n + t] = __shfl_sync(members, v, t * 7 + 3, 2);
    out[1 * n + t] = __shfl_sync(members, v, -1, 4);
    out[2 * n + t] = __shfl_up_sync(members, v, 3, 8);
    out[3 * n + t] = __shfl_up_sync(members, v, 17, 32);
    out[4 * n + t] = __shfl_down_sync(members, v, 2, 16);
    out[5 * n + t] = __shfl_down_sync(members, v, 33, 32);
    out[6 * n + t] = __shfl_xor_sync(members, v, 5, 8);
    out[7 * n + t] = __shfl_xor_sync(members, v, 9, 16);
}

extern "C" __global__ void shuffle_types(double *d, long long *l, unsigned short *h)
{
    unsigned t = thread_number(), members = warp_members();

    d[t] = __shfl_down_sync(members, d[t], 1);
    l[t] = __shfl_up_sync(members, l[t], 2);
    h[t] = (unsigned short)__shfl_xor_sync(members, h[t], 1);
}

// Each branch shuffles among those that took it.
extern "C" __global__ void shuffle_branches(unsigned *out, const unsigned *in)
{
    unsigned t = thread_number(), lane = t % 32, members = warp_members(), v = in[t], r;

    unsigned third = __ballot_sync(members, lane % 3 == 0);
    unsigned odd = __ballot_sync(members, lane % 3 != 0 && lane % 2);
    if (lane % 3 == 0)
        r = __shfl_down_sync(third, v, 3);
    else if (lane % 2)
        r = __shfl_sync(odd, v, 31 - __clz(odd));
    else
        r = v;
    out[t] = r;
}

extern "C" __global__ void scan_inclusive(unsigned *out, const unsigned *in)
{
    unsigned t = thread_number(), lane = t % 32, members = warp_members(), v = in[t];

    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned w = __shfl_up_sync(members, v, d);
        if (lane >= d)
            v += w;
    }
    out[t] = v;
}

extern "C" __global__ void scan_segments(float *out, const float *in, const unsigned *heads)
{
    unsigned t = thread_number(), lane = t % 32, members = warp_members();
    float v = in[t];
    unsigned starts = __ballot_sync(members, heads[t] % 5 == 0) | 1;
    unsigned first = 31 - __clz(starts & (FULL >> (31 - lane)));

    for (unsigned d = 1; d < 32; d *= 2) {
        float w = __shfl_up_sync(members, v, d);
        if (lane >= first + d)
            v += w;
    }
    out[t] = v;
}

extern "C" __global__ void sum_butterfly(float *out, const float *in)
{
    unsigned t = thread_number();
    float v = in[t];

    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(FULL, v, d);
    out[t] = v;
}

extern "C" __global__ void sort_lanes(int *data)
{
    unsigned t = thread_number(), lane = t % 32;
    int v = data[t];

    for (unsigned k = 2; k <= 32; k *= 2)
        for (unsigned j = k / 2; j; j /= 2) {
            int w = __shfl_xor_sync(FULL, v, j);
            bool up = ((lane & k) == 0) == ((lane & j) == 0);
            v = up ? min(v, w) : max(v, w);
        }
    data[t] = v;
}

extern "C" __global__ void transpose_registers(unsigned *data)
{
    unsigned lane = threadIdx.x, r[8];

    for (int i = 0; i < 8; i++)
        r[i] = data[i * 32 + lane];
#pragma unroll
    for (int j = 4; j; j /= 2)
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (!(i & j)) {
                unsigned give = lane & j ? r[i] : r[i | j];
                unsigned got = __shfl_xor_sync(FULL, give, j);
                if (lane & j)
                    r[i] = got;
                else
                    r[i | j] = got;
            }
    for (int i = 0; i < 8; i++)
        data[i * 32 + lane] = r[i];
}

extern "C" __global__ void votes(unsigned *out, const unsigned *in)
{
    unsigned t = thread_number(), members = warp_members(), n = block_size(), v = in[t];

    out[0 * n + t] = __ballot_sync(members, v & 1);
    out[1 * n + t] = __any_sync(members, v % 16 == 0);
    out[2 * n + t] = __all_sync(members, v % 8);
    unsigned some = __ballot_sync(members, v & 2);
    out[3 * n + t] = v & 2 ? __ballot_sync(some, v & 4) : ~0u;
    out[4 * n + t] = v & 2 ? __all_sync(some, v & 12) : 7;
}

extern "C" __global__ void matches(unsigned *out, const unsigned *in, const long long *wide)
{
    unsigned t = thread_number(), members = warp_members(), n = block_size();
    int same;

    out[0 * n + t] = __match_any_sync(members, in[t] % 5);
    out[1 * n + t] = __match_any_sync(members, wide[t] & 0x300000001ll);
    out[2 * n + t] = __match_all_sync(members, in[t] & 0, &same);
    out[3 * n + t] = same;
    out[4 * n + t] = __match_all_sync(members, in[t] % 7, &same);
    out[5 * n + t] = same;
}

extern "C" __global__ void reduces(unsigned *out, const unsigned *in)
{
    unsigned t = thread_number(), members = warp_members(), n = block_size(), v = in[t];

    out[0 * n + t] = __reduce_add_sync(members, v);
    out[1 * n + t] = __reduce_min_sync(members, v);
    out[2 * n + t] = __reduce_max_sync(members, v);
    out[3 * n + t] = (unsigned)__reduce_min_sync(members, (int)v);
    out[4 * n + t] = (unsigned)__reduce_max_sync(members, (int)v);
    out[5 * n + t] = __reduce_and_sync(members, v | 0x11);
    out[6 * n + t] = __reduce_or_sync(members, v & 0xf0f);
    out[7 * n + t] = __reduce_xor_sync(members, v);
}

// Every group of equal keys reduces by itself, in turns of divergent lanes.
extern "C" __global__ void reduce_groups(unsigned *out, const unsigned *in)
{
    unsigned t = thread_number(), key = in[t] % 4, v = in[t] >> 8;
    unsigned group = __match_any_sync(warp_members(), key), r = 0;

    for (unsigned k = 0; k < 4; k++)
        if (k == key)
            r = __reduce_add_sync(group, v);
    out[t] = r;
}

extern "C" __global__ void loop_ballots(unsigned *out, const unsigned *in)
{
    unsigned t = thread_number(), trips = in[t] % 9, sum = 0;
    unsigned going = __ballot_sync(warp_members(), trips > 0);

    for (unsigned i = 0; i < trips; i++) {
        sum = sum * 31 + __popc(going);
        going = __ballot_sync(going, i + 1 < trips);
    }
    out[t] = sum;
}

extern "C" __global__ void lane_registers(unsigned *out)
{
    unsigned t = thread_number(), n = block_size(), r[6];

    asm("mov.u32 %0, %%laneid;" : "=r"(r[0]));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r[1]));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r[2]));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(r[3]));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(r[4]));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r[5]));
    for (int i = 0; i < 6; i++)
        out[i * n + t] = r[i];
}

// One atomic for all lanes that come together, ranks by the lane mask.
extern "C" __global__ void compact(unsigned *out, unsigned *count, const unsigned *in)
{
    unsigned t = thread_number(), lane = t % 32, v = in[t];
    unsigned keep = __ballot_sync(warp_members(), v & 1);

    if (v & 1) {
        unsigned leader = __ffs(keep) - 1, at = 0;
        if (lane == leader)
            at = atomicAdd(count + t / 32, __popc(keep));
        at = __shfl_sync(keep, at, leader);
        out[t / 32 * 32 + at + __popc(keep & ((1u << lane) - 1))] = v;
    }
}

extern "C" __global__ void elected(unsigned *out)
{
    unsigned t = thread_number(), leader, chosen;

    asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }"
                 : "=r"(leader), "=r"(chosen)
                 : "r"(warp_members()));
    out[t] = leader * 2 + chosen;
}

// Lanes leave the kernel early; the others go on among themselves.
extern "C" __global__ void early_exit(unsigned *out, const unsigned *in)
{
    unsigned t = thread_number();
    unsigned stay = __ballot_sync(warp_members(), in[t] % 3);

    if (in[t] % 3 == 0) {
        out[t] = 0;
        return;
    }
    out[t] = __reduce_add_sync(stay, t) + __shfl_sync(stay, t, __ffs(stay) - 1);
}
