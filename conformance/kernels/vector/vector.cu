// SPDX-License-Identifier: Apache-2.0
//
// vector.cu - vector and narrow accesses, cache hints, unaligned pieces.
#include <cuda_fp16.h>

typedef unsigned uint;
#define T uint t = blockIdx.x * blockDim.x + threadIdx.x

extern "C" __global__ void copies(float4 *o4, const float4 *x4, int2 *o2, const int2 *x2,
                                  uchar4 *o1, const uchar4 *x1, double2 *od, const double2 *xd)
{
    T;
    float4 v = x4[t];
    int2 i = x2[t];
    uchar4 c = x1[t];
    double2 d = xd[t];

    o4[t] = make_float4(v.w, v.z, v.y, v.x);
    o2[t] = make_int2(i.y ^ i.x, i.x);
    o1[t] = make_uchar4(c.w, c.x + c.y, c.y, c.z);
    od[t] = make_double2(d.y, d.x + d.y);
}

extern "C" __global__ void narrow(short4 *o, const char4 *x, ushort2 *p, const short *y,
                                  signed char *q, const unsigned char *z)
{
    T;
    char4 c = x[t];

    o[t] = make_short4(c.x, c.y, (short)(c.z * c.w), (short)-c.w);
    p[t] = make_ushort2((unsigned short)y[t], (unsigned short)(y[t] >> 3));
    q[t] = (signed char)(z[t] - 100);
}

extern "C" __global__ void hints(uint *out, const uint *x, const uint4 *y)
{
    T;
    uint v = __ldg(x + t) + __ldcg(x + t) * 2 + __ldca(x + t) * 3 + __ldcs(x + t) * 5 +
             __ldlu(x + t) * 7 + __ldcv(x + t) * 11;
    uint4 w = __ldg(y + t);

    __stcs(out + 4 * t, v);
    __stcg(out + 4 * t + 1, w.x + w.y);
    __stwt(out + 4 * t + 2, w.z);
    __stwb(out + 4 * t + 3, w.w);
}

struct odd {
    unsigned char a;
    unsigned short b;
    uint c;
    unsigned char d[3];
};

extern "C" __global__ void packed(odd *o, const odd *x)
{
    T;
    odd v = x[t];

    v.b += v.a;
    v.c ^= (uint)v.d[2] << 24;
    v.d[0] = v.d[1];
    v.d[1] = (unsigned char)v.b;
    o[t].a = v.d[2], o[t].b = v.b, o[t].c = v.c;
    o[t].d[0] = v.d[0], o[t].d[1] = v.d[1], o[t].d[2] = v.a;
}

extern "C" __global__ void strided(uint *out, const uint *x, uint stride, uint n)
{
    T;
    uint sum = 0;

    for (uint i = 0; i < 8; i++)
        sum = sum * 7 + x[(t * stride + i * i) % n];
    out[t] = sum;
}

extern "C" __global__ void uniform(uint4 *out, const uint4 *x)
{
    T;
    uint4 v = x[blockIdx.x];

    out[t] = make_uint4(v.x + t, v.y, v.z ^ v.w, v.w);
}

// Vectors with a register not used, 8- and 16-bit vectors, and 128 bits as one.
extern "C" __global__ void by_hand(uint *out, const uint *x)
{
    T;
    uint a, b;
    unsigned short p, q, r, s;
    unsigned long long low, high;

    asm volatile("ld.global.v4.b32 {%0, _, %1, _}, [%2];" : "=r"(a), "=r"(b) : "l"(x + 4 * t));
    asm volatile("ld.global.v2.u8 {%0, %1}, [%2];" : "=h"(p), "=h"(q) : "l"((char *)x + 2 * t));
    asm volatile("ld.global.v4.s16 {%0, %1, %2, %3}, [%4];"
                 : "=h"(r), "=h"(s), "=h"(p), "=h"(q) : "l"(x + 4 * t) : "memory");
    asm volatile("{ .reg .b128 v; ld.global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
                 : "=l"(low), "=l"(high) : "l"(x + 4 * t));
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" :: "l"(out + 8 * t), "r"(a), "r"(b));
    asm volatile("st.global.v4.u16 [%0], {%1, %2, %3, %4};"
                 :: "l"(out + 8 * t + 2), "h"(p), "h"(q), "h"(r), "h"(s));
    asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.global.b128 [%0], v; }"
                 :: "l"(out + 8 * t + 4), "l"(high), "l"(low));
}
