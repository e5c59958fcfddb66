/* SPDX-License-Identifier: Apache-2.0
 *
 * f64_elementary.cu - the double-precision elementary functions of CUDA. */
#include "f64.cuh"

F(f64_sin, sin(A))
F(f64_cos, cos(A))
F(f64_tan, tan(A))
F(f64_sinpi, sinpi(A))
F(f64_cospi, cospi(A))
F(f64_exp, exp(A))
F(f64_exp2, exp2(A))
F(f64_exp10, exp10(A))
F(f64_expm1, expm1(A))
F(f64_log, log(A))
F(f64_log2, log2(A))
F(f64_log10, log10(A))
F(f64_log1p, log1p(A))
F(f64_pow, pow(A, B))
F(f64_powi, pow(A, (double)N))
F(f64_asin, asin(A))
F(f64_acos, acos(A))
F(f64_atan, atan(A))
F(f64_atan2, atan2(A, B))
F(f64_sinh, sinh(A))
F(f64_cosh, cosh(A))
F(f64_tanh, tanh(A))
F(f64_asinh, asinh(A))
F(f64_acosh, acosh(A))
F(f64_atanh, atanh(A))
F(f64_cbrt, cbrt(A))
F(f64_rcbrt, rcbrt(A))
F(f64_sqrt, sqrt(A))
F(f64_rsqrt, rsqrt(A))
F(f64_hypot, hypot(A, B))
F(f64_rhypot, rhypot(A, B))
F(f64_norm3d, norm3d(A, B, C))
F(f64_rnorm3d, rnorm3d(A, B, C))
F(f64_divide, A / B)
F(f64_fmod, fmod(A, B))
F(f64_remainder, remainder(A, B))
F(f64_fdim, fdim(A, B))
F(f64_fma, fma(A, B, C))
F(f64_ldexp, ldexp(A, N))
F(f64_logb, logb(A))
KERNEL(f64_ilogb, (uint32_t)ilogb(A))
F(f64_nextafter, nextafter(A, B))
F(f64_round, round(A))
F(f64_rint, rint(A))
KERNEL(f64_lround, (uint64_t)llround(A))

__device__ static uint64_t sincos_bits(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return mix(__double_as_longlong(s)) ^ __double_as_longlong(c);
}
KERNEL(f64_sincos, sincos_bits(A))

__device__ static uint64_t frexp_bits(double x)
{
    int e;
    double f = frexp(x, &e);
    return mix(__double_as_longlong(f)) + e;
}
KERNEL(f64_frexp, frexp_bits(A))

__device__ static uint64_t modf_bits(double x)
{
    double whole, f = modf(x, &whole);
    return mix(__double_as_longlong(f)) ^ __double_as_longlong(whole);
}
KERNEL(f64_modf, modf_bits(A))

__device__ static uint64_t remquo_bits(double x, double y)
{
    int q;
    double f = remquo(x, y, &q);
    return mix(__double_as_longlong(f)) + q;
}
KERNEL(f64_remquo, remquo_bits(A, B))
