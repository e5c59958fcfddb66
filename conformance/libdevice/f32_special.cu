/* SPDX-License-Identifier: Apache-2.0
 *
 * f32_special.cu - the single-precision special functions of CUDA. */
#include "f32.cuh"

F(f32_erf, erff(A))
F(f32_erfc, erfcf(A))
F(f32_erfcx, erfcxf(A))
F(f32_erfinv, erfinvf(A))
F(f32_erfcinv, erfcinvf(A))
F(f32_tgamma, tgammaf(A))
F(f32_lgamma, lgammaf(A))
F(f32_normcdf, normcdff(A))
F(f32_normcdfinv, normcdfinvf(A))
F(f32_j0, j0f(A))
F(f32_j1, j1f(A))
F(f32_y0, y0f(A))
F(f32_y1, y1f(A))
F(f32_jn, jnf(N & 15, A))
F(f32_cyl_bessel_i0, cyl_bessel_i0f(A))
F(f32_cyl_bessel_i1, cyl_bessel_i1f(A))
