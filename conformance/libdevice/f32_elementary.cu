/* SPDX-License-Identifier: Apache-2.0
 *
 * f32_elementary.cu - the single-precision elementary functions of CUDA. */
#include "f32.cuh"

F(f32_sin, sinf(A))
F(f32_cos, cosf(A))
F(f32_tan, tanf(A))
F(f32_sinpi, sinpif(A))
F(f32_cospi, cospif(A))
F(f32_exp, expf(A))
F(f32_exp2, exp2f(A))
F(f32_exp10, exp10f(A))
F(f32_expm1, expm1f(A))
F(f32_log, logf(A))
F(f32_log2, log2f(A))
F(f32_log10, log10f(A))
F(f32_log1p, log1pf(A))
F(f32_pow, powf(A, B))
F(f32_powi, powf(A, (float)N))
F(f32_asin, asinf(A))
F(f32_acos, acosf(A))
F(f32_atan, atanf(A))
F(f32_atan2, atan2f(A, B))
F(f32_sinh, sinhf(A))
F(f32_cosh, coshf(A))
F(f32_tanh, tanhf(A))
F(f32_asinh, asinhf(A))
F(f32_acosh, acoshf(A))
F(f32_atanh, atanhf(A))
F(f32_cbrt, cbrtf(A))
F(f32_rcbrt, rcbrtf(A))
F(f32_sqrt, sqrtf(A))
F(f32_rsqrt, rsqrtf(A))
F(f32_hypot, hypotf(A, B))
F(f32_rhypot, rhypotf(A, B))
F(f32_norm3d, norm3df(A, B, C))
F(f32_rnorm3d, rnorm3df(A, B, C))
F(f32_divide, A / B)
F(f32_fmod, fmodf(A, B))
F(f32_remainder, remainderf(A, B))
F(f32_fdim, fdimf(A, B))
F(f32_fma, fmaf(A, B, C))
F(f32_ldexp, ldexpf(A, N))
F(f32_logb, logbf(A))
F(f32_ilogb, __int_as_float(ilogbf(A)))
F(f32_nextafter, nextafterf(A, B))
F(f32_round, roundf(A))
F(f32_rint, rintf(A))
F(f32_lround, __int_as_float((int)lroundf(A)))

__device__ static uint64_t sincos_bits(float x)
{
    float s, c;
    sincosf(x, &s, &c);
    return PAIR(__float_as_uint(s), __float_as_uint(c));
}
KERNEL(f32_sincos, sincos_bits(A))

__device__ static uint64_t frexp_bits(float x)
{
    int e;
    float f = frexpf(x, &e);
    return PAIR(__float_as_uint(f), e);
}
KERNEL(f32_frexp, frexp_bits(A))

__device__ static uint64_t modf_bits(float x)
{
    float whole, f = modff(x, &whole);
    return PAIR(__float_as_uint(f), __float_as_uint(whole));
}
KERNEL(f32_modf, modf_bits(A))

__device__ static uint64_t remquo_bits(float x, float y)
{
    int q;
    float f = remquof(x, y, &q);
    return PAIR(__float_as_uint(f), q);
}
KERNEL(f32_remquo, remquo_bits(A, B))
