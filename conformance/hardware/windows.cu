// SPDX-License-Identifier: Apache-2.0
// Where things lie: special registers, state space addresses, generic windows.

#define U32(name, text) \
    __device__ __forceinline__ unsigned name() \
    { \
        unsigned v; \
        asm volatile(text : "=r"(v)); \
        return v; \
    }
#define U64(name, text) \
    __device__ __forceinline__ unsigned long long name() \
    { \
        unsigned long long v; \
        asm volatile(text : "=l"(v)); \
        return v; \
    }

U32(reserved_begin, "mov.u32 %0, %%reserved_smem_offset_begin;")
U32(reserved_end, "mov.u32 %0, %%reserved_smem_offset_end;")
U32(reserved_cap, "mov.u32 %0, %%reserved_smem_offset_cap;")
U32(reserved_0, "mov.u32 %0, %%reserved_smem_offset_0;")
U32(reserved_1, "mov.u32 %0, %%reserved_smem_offset_1;")
U32(total_shared, "mov.u32 %0, %%total_smem_size;")
U32(dynamic_shared, "mov.u32 %0, %%dynamic_smem_size;")
U32(aggregate_shared, "mov.u32 %0, %%aggr_smem_size;")
U32(warpid, "mov.u32 %0, %%warpid;")
U32(nwarpid, "mov.u32 %0, %%nwarpid;")
U32(smid, "mov.u32 %0, %%smid;")
U32(nsmid, "mov.u32 %0, %%nsmid;")
U64(gridid, "mov.u64 %0, %%gridid;")
U64(current_graph, "mov.u64 %0, %%current_graph_exec;")

__device__ unsigned char global_one[3] = {1, 2, 3};
__device__ unsigned global_two = 5;
__device__ double global_three[2] = {1, 2};
__constant__ unsigned char constant_one[3] = {1, 2, 3};
__constant__ double constant_two = 5;
extern __shared__ unsigned dynamic[];

__device__ unsigned space_bits(const void *p)
{
    unsigned r;
    asm volatile("{ .reg .pred g, s, l, c, m, t; .reg .b32 a;\n"
                 " isspacep.global g, %1; isspacep.shared s, %1; isspacep.local l, %1;\n"
                 " isspacep.const c, %1; isspacep.param m, %1; isspacep.shared::cluster t, %1;\n"
                 " selp.b32 %0, 1, 0, g; selp.b32 a, 2, 0, s; or.b32 %0, %0, a;\n"
                 " selp.b32 a, 4, 0, l; or.b32 %0, %0, a; selp.b32 a, 8, 0, c; or.b32 %0, %0, a;\n"
                 " selp.b32 a, 16, 0, m; or.b32 %0, %0, a; selp.b32 a, 32, 0, t;\n"
                 " or.b32 %0, %0, a; }"
                 : "=r"(r)
                 : "l"(p));
    return r;
}

// 40 words of 64 bits for each of the threads (0, 1, 32, last) of each block.
extern "C" __global__ void windows(unsigned long long *out, const __grid_constant__ int by_value)
{
    __shared__ unsigned char first[3];
    __shared__ unsigned second;
    __shared__ __align__(16) double third[2];
    unsigned char local_one[7];
    double local_two[3];
    int t = threadIdx.x, slot = t == 0 ? 0 : t == 1 ? 1 : t == 32 ? 2 : t == blockDim.x - 1 ? 3 : -1;

    first[t % 3] = t;
    second = t;
    third[t % 2] = t;
    dynamic[0] = t;
    for (int i = 0; i < 7; i++)
        local_one[(i + t) % 7] = i;
    for (int i = 0; i < 3; i++)
        local_two[(i + t) % 3] = i;
    __syncthreads();
    if (slot < 0)
        return;
    unsigned long long *o = out + (blockIdx.x * 4 + slot) * 40;
    int n = 0;
    o[n++] = reserved_begin();
    o[n++] = reserved_end();
    o[n++] = reserved_cap();
    o[n++] = reserved_0();
    o[n++] = reserved_1();
    o[n++] = total_shared();
    o[n++] = dynamic_shared();
    o[n++] = aggregate_shared();
    o[n++] = __cvta_generic_to_shared(first);
    o[n++] = __cvta_generic_to_shared(&second);
    o[n++] = __cvta_generic_to_shared(third);
    o[n++] = __cvta_generic_to_shared(dynamic);
    o[n++] = (unsigned long long)first; // generic
    o[n++] = (unsigned long long)dynamic;
    o[n++] = (unsigned long long)local_one;
    o[n++] = (unsigned long long)local_two;
    o[n++] = __cvta_generic_to_local(local_one);
    o[n++] = __cvta_generic_to_local(local_two);
    o[n++] = (unsigned long long)global_one;
    o[n++] = (unsigned long long)&global_two;
    o[n++] = (unsigned long long)global_three;
    o[n++] = (unsigned long long)constant_one;
    o[n++] = (unsigned long long)&constant_two;
    o[n++] = __cvta_generic_to_constant(constant_one);
    o[n++] = __cvta_generic_to_constant(&constant_two);
    o[n++] = (unsigned long long)&by_value;
    o[n++] = __cvta_generic_to_grid_constant(&by_value);
    o[n++] = (unsigned long long)out;
    o[n++] = space_bits(first);
    o[n++] = space_bits(local_one);
    o[n++] = space_bits(global_one);
    o[n++] = space_bits(constant_one);
    o[n++] = space_bits(&by_value);
    o[n++] = space_bits(0);
    o[n++] = (unsigned long long)warpid() << 32 | nwarpid();
    o[n++] = nsmid();
    o[n++] = gridid();
    o[n++] = current_graph();
    o[n++] = local_one[t % 7] + second + (unsigned)third[0] + (unsigned)local_two[t % 3] + by_value;
    o[n++] = 0x1234;
}

// Raw contents of mbarrier objects: init counts, then arrivals.
extern "C" __global__ void mbarrier_bits(unsigned long long *out)
{
    __shared__ volatile unsigned long long bar[8];
    unsigned a = __cvta_generic_to_shared((const void *)bar);
    unsigned long long state;

    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(a) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(a + 8) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 5;" ::"r"(a + 16) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 1048575;" ::"r"(a + 24) : "memory");
    for (int i = 0; i < 4; i++)
        out[i] = bar[i];
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(a + 16) : "memory");
    out[4] = state, out[5] = bar[2];
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(a + 16) : "memory");
    out[6] = state, out[7] = bar[2];
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 100;" : "=l"(state) : "r"(a + 16) : "memory");
    out[8] = state, out[9] = bar[2];
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(a + 16) : "memory");
    out[10] = state, out[11] = bar[2]; // all arrived, 100 bytes still expected
    asm volatile("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [%0], 100;" ::"r"(a + 16) : "memory");
    out[12] = bar[2]; // next phase
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(a) : "memory");
    out[13] = state, out[14] = bar[0]; // count 1: a phase ends at once
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(a + 8) : "memory");
    out[15] = state, out[16] = bar[1];
    unsigned pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state) : "memory");
    out[17] = pending;
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(a + 8) : "memory");
    out[18] = bar[1];
}
