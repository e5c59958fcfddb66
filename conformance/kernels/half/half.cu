// SPDX-License-Identifier: Apache-2.0
//
// half.cu - arithmetic of 16-bit floating point: f16, bf16 and their pairs. The
// inputs are bit patterns, so that NaNs, infinities and denormals are among them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned short u16;

static __device__ __half h(u16 bits) { return __ushort_as_half(bits); }
static __device__ __nv_bfloat16 b(u16 bits) { return __ushort_as_bfloat16(bits); }
static __device__ u16 bits(__half v) { return __half_as_ushort(v); }
static __device__ u16 bits(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }
static __device__ __half2 pair(unsigned v) { return *(__half2 *)&v; }
static __device__ __nv_bfloat162 bpair(unsigned v) { return *(__nv_bfloat162 *)&v; }
static __device__ unsigned bits(__half2 v) { return *(unsigned *)&v; }
static __device__ unsigned bits(__nv_bfloat162 v) { return *(unsigned *)&v; }

#define INDEX unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x
#define PUT(v) out[k++ * n + t] = (v)

#define ARITHMETIC(name, of)                                                       \
    extern "C" __global__ void name(u16 *out, const u16 *x, const u16 *y, const u16 *z) \
    {                                                                              \
        INDEX;                                                                     \
        auto a = of(x[t]), c = of(y[t]), d = of(z[t]);                             \
        unsigned k = 0;                                                            \
        PUT(bits(__hadd(a, c)));                                                   \
        PUT(bits(__hsub(a, c)));                                                   \
        PUT(bits(__hmul(a, c)));                                                   \
        PUT(bits(__hfma(a, c, d)));                                                \
        PUT(bits(__hfma_relu(a, c, d)));                                           \
        PUT(bits(__hadd_sat(a, c)));                                               \
        PUT(bits(__hmul_sat(a, c)));                                               \
        PUT(bits(__hfma_sat(a, c, d)));                                            \
        PUT(bits(__hneg(a)));                                                      \
        PUT(bits(__habs(a)));                                                      \
        PUT(bits(__hmin(a, c)));                                                   \
        PUT(bits(__hmax(a, c)));                                                   \
        PUT(bits(__hmin_nan(a, c)));                                               \
        PUT(bits(__hmax_nan(a, c)));                                               \
        PUT(bits(__hadd_rn(a, c)));                                                \
        PUT(bits(__hmul_rn(a, c)));                                                \
    }
ARITHMETIC(f16_arithmetic, h)
ARITHMETIC(bf16_arithmetic, b)

#define COMPARES(name, of)                                                         \
    extern "C" __global__ void name(unsigned *out, const u16 *x, const u16 *y)     \
    {                                                                              \
        INDEX;                                                                     \
        auto a = of(x[t]), c = of(y[t]);                                           \
        unsigned r = 0;                                                            \
        r = r * 2 + __heq(a, c), r = r * 2 + __hne(a, c), r = r * 2 + __hlt(a, c);  \
        r = r * 2 + __hle(a, c), r = r * 2 + __hgt(a, c), r = r * 2 + __hge(a, c);  \
        r = r * 2 + __hequ(a, c), r = r * 2 + __hneu(a, c);                        \
        r = r * 2 + __hltu(a, c), r = r * 2 + __hleu(a, c);                        \
        r = r * 2 + __hgtu(a, c), r = r * 2 + __hgeu(a, c), r = r * 2 + __hisnan(a); \
        out[t] = r;                                                                \
        if (n == 0)                                                                \
            out[0] = 0;                                                            \
    }
COMPARES(f16_compares, h)
COMPARES(bf16_compares, b)

extern "C" __global__ void f16_functions(u16 *out, const u16 *x)
{
    INDEX;
    __half a = h(x[t]);
    unsigned k = 0;

    PUT(bits(hsqrt(a)));
    PUT(bits(hrsqrt(a)));
    PUT(bits(hrcp(a)));
    PUT(bits(hexp(a)));
    PUT(bits(hexp2(a)));
    PUT(bits(hexp10(a)));
    PUT(bits(hlog(a)));
    PUT(bits(hlog2(a)));
    PUT(bits(hlog10(a)));
    PUT(bits(hsin(a)));
    PUT(bits(hcos(a)));
    PUT(bits(htanh_approx(a)));
    PUT(bits(hfloor(a)));
    PUT(bits(hceil(a)));
    PUT(bits(hrint(a)));
    PUT(bits(htrunc(a)));
}

extern "C" __global__ void bf16_functions(u16 *out, const u16 *x)
{
    INDEX;
    __nv_bfloat16 a = b(x[t]);
    unsigned k = 0;

    PUT(bits(hsqrt(a)));
    PUT(bits(hrsqrt(a)));
    PUT(bits(hrcp(a)));
    PUT(bits(hexp(a)));
    PUT(bits(hexp2(a)));
    PUT(bits(hlog(a)));
    PUT(bits(hlog2(a)));
    PUT(bits(hsin(a)));
    PUT(bits(hcos(a)));
    PUT(bits(htanh_approx(a)));
    PUT(bits(hfloor(a)));
    PUT(bits(hrint(a)));
}

extern "C" __global__ void f16_pairs(unsigned *out, const unsigned *x, const unsigned *y)
{
    INDEX;
    __half2 a = pair(x[t]), c = pair(y[t]);
    unsigned k = 0;

    PUT(bits(__hadd2(a, c)));
    PUT(bits(__hmul2(a, c)));
    PUT(bits(__hfma2(a, c, a)));
    PUT(bits(__hfma2_relu(a, c, c)));
    PUT(bits(__hmin2(a, c)));
    PUT(bits(__hmax2_nan(a, c)));
    PUT(bits(__hneg2(a)));
    PUT(bits(__hcmadd(a, c, a)));
    PUT(__hlt2_mask(a, c));
    PUT(__hgeu2_mask(a, c));
    PUT(bits(__hle2(a, c)));
    PUT(bits(h2exp2(a)));
    PUT(bits(__highs2half2(a, c)));
    PUT(bits(__lowhigh2highlow(a)));
    PUT(bits(__hadd2_sat(a, c)));
    PUT(bits(__h2div(a, c)));
}

extern "C" __global__ void bf16_pairs(unsigned *out, const unsigned *x, const unsigned *y)
{
    INDEX;
    __nv_bfloat162 a = bpair(x[t]), c = bpair(y[t]);
    unsigned k = 0;

    PUT(bits(__hadd2(a, c)));
    PUT(bits(__hmul2(a, c)));
    PUT(bits(__hfma2(a, c, a)));
    PUT(bits(__hfma2_relu(a, c, c)));
    PUT(bits(__hmin2(a, c)));
    PUT(bits(__hmax2_nan(a, c)));
    PUT(bits(__habs2(a)));
    PUT(__hlt2_mask(a, c));
    PUT(bits(__hle2(a, c)));
    PUT(bits(h2exp2(a)));
    PUT(bits(__h2div(a, c)));
    PUT(bits(__hcmadd(a, c, a)));
}

// To and from all other types, in every rounding.
extern "C" __global__ void f16_conversions(u16 *out, const float *f, const double *d,
                                           const long long *l)
{
    INDEX;
    unsigned k = 0;

    PUT(bits(__float2half_rn(f[t])));
    PUT(bits(__float2half_rz(f[t])));
    PUT(bits(__float2half_rd(f[t])));
    PUT(bits(__float2half_ru(f[t])));
    PUT(bits(__double2half(d[t])));
    PUT(bits(__int2half_rn((int)l[t])));
    PUT(bits(__uint2half_rz((unsigned)l[t])));
    PUT(bits(__ll2half_ru(l[t] >> 48)));
    PUT(bits(__short2half_rd((short)l[t])));
    PUT(bits(__float2bfloat16_rn(f[t])));
    PUT(bits(__float2bfloat16_rz(f[t])));
    PUT(bits(__float2bfloat16_ru(f[t])));
    PUT(bits(__double2bfloat16(d[t])));
    PUT(bits(__int2bfloat16_rn((int)l[t])));
    PUT(bits(__ull2bfloat16_rz((unsigned long long)l[t])));
}

extern "C" __global__ void from_f16(long long *out, const u16 *x)
{
    INDEX;
    __half a = h(x[t]);
    __nv_bfloat16 c = b(x[t]);
    unsigned k = 0;

    PUT(__float_as_int(__half2float(a)));
    PUT(__float_as_int(__bfloat162float(c)));
    PUT(__half2int_rn(a));
    PUT(__half2uint_rz(a));
    PUT(__half2ll_rd(a));
    PUT(__half2short_ru(a));
    PUT(__half2ushort_rn(a));
    PUT(__bfloat162int_rz(c));
    PUT(__bfloat162ll_rn(c));
    PUT(__bfloat162ushort_ru(c));
}

// A dot product in half precision, as networks have it.
extern "C" __global__ void f16_dot(float *out, const __half2 *x, const __half2 *y)
{
    __half2 sum = __float2half2_rn(0.0f);

    for (int i = 0; i < 16; i++)
        sum = __hfma2(x[threadIdx.x * 16 + i], y[i * 32 + threadIdx.x % 32], sum);
    out[threadIdx.x] = __low2float(sum) + __high2float(sum);
}
