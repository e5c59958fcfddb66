/* SPDX-License-Identifier: Apache-2.0
 *
 * f32_fast.cu - what -use_fast_math makes of single precision, and the functions
 * that are fast by name. Compiled with that option. */
#include "f32.cuh"

F(fast_sin, sinf(A))
F(fast_cos, cosf(A))
F(fast_tan, tanf(A))
F(fast_exp, expf(A))
F(fast_exp2, exp2f(A))
F(fast_exp10, exp10f(A))
F(fast_log, logf(A))
F(fast_log2, log2f(A))
F(fast_log10, log10f(A))
F(fast_pow, powf(A, B))
F(fast_divide, A / B)
F(fast_sqrt, sqrtf(A))
F(fast_rsqrt, rsqrtf(A))
F(fast_tanh, tanhf(A))
F(fast_sinh, sinhf(A))
F(fast_erf, erff(A))
F(fast_atan2, atan2f(A, B))
F(fast_hypot, hypotf(A, B))
F(fast_cbrt, cbrtf(A))
F(fast_fma, fmaf(A, B, C))
F(fast_add, A + B)
F(fast_multiply, A * B)
F(fast_fdividef, __fdividef(A, B))
F(fast_saturate, __saturatef(A))
