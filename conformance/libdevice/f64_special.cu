/* SPDX-License-Identifier: Apache-2.0
 *
 * f64_special.cu - the double-precision special functions of CUDA. */
#include "f64.cuh"

F(f64_erf, erf(A))
F(f64_erfc, erfc(A))
F(f64_erfcx, erfcx(A))
F(f64_erfinv, erfinv(A))
F(f64_erfcinv, erfcinv(A))
F(f64_tgamma, tgamma(A))
F(f64_lgamma, lgamma(A))
F(f64_normcdf, normcdf(A))
F(f64_normcdfinv, normcdfinv(A))
F(f64_j0, j0(A))
F(f64_j1, j1(A))
F(f64_y0, y0(A))
F(f64_y1, y1(A))
F(f64_jn, jn(N & 15, A))
F(f64_cyl_bessel_i0, cyl_bessel_i0(A))
F(f64_cyl_bessel_i1, cyl_bessel_i1(A))
