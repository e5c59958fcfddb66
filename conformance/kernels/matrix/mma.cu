// SPDX-License-Identifier: Apache-2.0
//
// mma.cu - matrix products of a warp, instruction by instruction: every lane's
// registers come from memory as they are and go back.

typedef unsigned uint;


// 32-bit registers: ND of the result and the addend, NA and NB of the factors.
#define MMA_4_4_2(name, text)                                                            \
    extern "C" __global__ void name(uint *d, const uint *a, const uint *b, const uint *c) \
    {                                                                                    \
        uint t = threadIdx.x, r[4];                                                      \
        a += 4 * t, b += 2 * t, c += 4 * t;                                              \
        asm volatile("mma.sync.aligned." text                                            \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                    \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), \
                       "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));                      \
        for (int i = 0; i < 4; i++)                                                      \
            d[4 * t + i] = r[i];                                                         \
    }
#define MMA_4_2_1(name, text)                                                            \
    extern "C" __global__ void name(uint *d, const uint *a, const uint *b, const uint *c) \
    {                                                                                    \
        uint t = threadIdx.x, r[4];                                                      \
        a += 2 * t, b += t, c += 4 * t;                                                  \
        asm volatile("mma.sync.aligned." text                                            \
                     " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"             \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                    \
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]),                                  \
                       "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));                      \
        for (int i = 0; i < 4; i++)                                                      \
            d[4 * t + i] = r[i];                                                         \
    }
#define MMA_2_4_2(name, text)                                                            \
    extern "C" __global__ void name(uint *d, const uint *a, const uint *b, const uint *c) \
    {                                                                                    \
        uint t = threadIdx.x, r[2];                                                      \
        a += 4 * t, b += 2 * t, c += 2 * t;                                              \
        asm volatile("mma.sync.aligned." text                                            \
                     " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"                  \
                     : "=r"(r[0]), "=r"(r[1])                                            \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), \
                       "r"(c[0]), "r"(c[1]));                                            \
        d[2 * t] = r[0], d[2 * t + 1] = r[1];                                            \
    }
#define MMA_2_2_1(name, text)                                                            \
    extern "C" __global__ void name(uint *d, const uint *a, const uint *b, const uint *c) \
    {                                                                                    \
        uint t = threadIdx.x, r[2];                                                      \
        a += 2 * t, b += t, c += 2 * t;                                                  \
        asm volatile("mma.sync.aligned." text " {%0, %1}, {%2, %3}, {%4}, {%5, %6};"     \
                     : "=r"(r[0]), "=r"(r[1])                                            \
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]));           \
        d[2 * t] = r[0], d[2 * t + 1] = r[1];                                            \
    }
#define MMA_2_1_1(name, text)                                                            \
    extern "C" __global__ void name(uint *d, const uint *a, const uint *b, const uint *c) \
    {                                                                                    \
        uint t = threadIdx.x, r[2];                                                      \
        asm volatile("mma.sync.aligned." text " {%0, %1}, {%2}, {%3}, {%4, %5};"         \
                     : "=r"(r[0]), "=r"(r[1])                                            \
                     : "r"(a[t]), "r"(b[t]), "r"(c[2 * t]), "r"(c[2 * t + 1]));          \
        d[2 * t] = r[0], d[2 * t + 1] = r[1];                                            \
    }

MMA_4_4_2(f16_k16_f32, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_2_4_2(f16_k16_f16, "m16n8k16.row.col.f16.f16.f16.f16")
MMA_4_2_1(f16_k8_f32, "m16n8k8.row.col.f32.f16.f16.f32")
MMA_2_2_1(f16_k8_f16, "m16n8k8.row.col.f16.f16.f16.f16")
MMA_4_4_2(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_4_2_1(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32")
MMA_4_4_2(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_4_2_1(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32")
MMA_4_4_2(e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_4_4_2(e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
MMA_4_4_2(e4m3_e5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32")
MMA_4_4_2(s8_k32, "m16n8k32.row.col.s32.s8.s8.s32")
MMA_4_4_2(u8_s8_k32, "m16n8k32.row.col.s32.u8.s8.s32")
MMA_4_4_2(s8_k32_saturated, "m16n8k32.row.col.satfinite.s32.s8.s8.s32")
MMA_4_2_1(s8_k16, "m16n8k16.row.col.s32.s8.s8.s32")
MMA_2_1_1(s8_m8, "m8n8k16.row.col.s32.s8.s8.s32")
MMA_4_4_2(s4_k64, "m16n8k64.row.col.s32.s4.s4.s32")
MMA_4_2_1(u4_k32, "m16n8k32.row.col.s32.u4.u4.s32")
MMA_4_4_2(b1_k256_and, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
MMA_4_2_1(b1_k128_xor, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc")

extern "C" __global__ void f64_k4(double *d, const double *a, const double *b, const double *c)
{
    uint t = threadIdx.x;

    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=d"(d[2 * t]), "=d"(d[2 * t + 1])
                 : "d"(a[t]), "d"(b[t]), "d"(c[2 * t]), "d"(c[2 * t + 1]));
}

extern "C" __global__ void f64_k8(double *d, const double *a, const double *b, const double *c)
{
    uint t = threadIdx.x;
    double r[4];

    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
                 : "=d"(r[0]), "=d"(r[1]), "=d"(r[2]), "=d"(r[3])
                 : "d"(a[4 * t]), "d"(a[4 * t + 1]), "d"(a[4 * t + 2]), "d"(a[4 * t + 3]),
                   "d"(b[2 * t]), "d"(b[2 * t + 1]), "d"(c[4 * t]), "d"(c[4 * t + 1]),
                   "d"(c[4 * t + 2]), "d"(c[4 * t + 3]));
    for (int i = 0; i < 4; i++)
        d[4 * t + i] = r[i];
}

// Whole tiles of a product: ldmatrix, mma, stmatrix.
extern "C" __global__ void tile_product(unsigned short *out, const unsigned short *a,
                                        const unsigned short *b)
{
    __shared__ alignas(16) unsigned short sa[16 * 16], sb[16 * 8], sd[16 * 8];
    uint t = threadIdx.x, fa[4], fb[2], d[2] = {0, 0};

    for (uint i = t; i < 256; i += 32)
        sa[i] = a[i];
    for (uint i = t; i < 128; i += 32)
        sb[i] = b[i];
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"((uint)__cvta_generic_to_shared(sa + t % 16 * 16 + t / 16 * 8)) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"((uint)__cvta_generic_to_shared(sb + t % 16 * 8)) : "memory");
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5},"
                 " {%6, %7}, {%8, %9};"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]),
                   "r"(d[0]), "r"(d[1]));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                 ::"r"((uint)__cvta_generic_to_shared(sd + t % 16 * 8)), "r"(d[0]), "r"(d[1]) : "memory");
    __syncwarp();
    for (uint i = t; i < 128; i += 32)
        out[i] = sd[i];
}

extern "C" __global__ void moved(uint *out, const uint *in)
{
    uint r;

    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(in[threadIdx.x]));
    out[threadIdx.x] = r;
}
