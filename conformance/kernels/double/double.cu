// SPDX-License-Identifier: Apache-2.0
//
// double.cu - double precision: every rounding, division, roots, and the functions of
// the device library.
#define INDEX unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x
#define PUT(v) out[k++ * n + t] = (v)

extern "C" __global__ void roundings(double *out, const double *x, const double *y)
{
    INDEX;
    double a = x[t], b = y[t];
    unsigned k = 0;

    PUT(__dadd_rn(a, b)), PUT(__dadd_rz(a, b)), PUT(__dadd_ru(a, b)), PUT(__dadd_rd(a, b));
    PUT(__dmul_rn(a, b)), PUT(__dmul_rz(a, b)), PUT(__dmul_ru(a, b)), PUT(__dmul_rd(a, b));
    PUT(__fma_rn(a, b, a)), PUT(__fma_rz(a, b, a)), PUT(__fma_ru(a, b, a));
    PUT(__ddiv_rn(a, b)), PUT(__ddiv_rz(a, b)), PUT(__ddiv_ru(a, b)), PUT(__ddiv_rd(a, b));
    PUT(__dsqrt_rn(a)), PUT(__dsqrt_ru(fabs(a))), PUT(__drcp_rn(a)), PUT(__drcp_rd(b));
}

extern "C" __global__ void conversions(long long *out, const double *x, const long long *l)
{
    INDEX;
    double a = x[t];
    unsigned k = 0;

    PUT(__double2int_rn(a)), PUT(__double2int_rz(a)), PUT(__double2uint_ru(a));
    PUT(__double2ll_rd(a)), PUT(__double2ull_rz(a));
    PUT(__float_as_int(__double2float_rn(a))), PUT(__float_as_int(__double2float_rz(a)));
    PUT(__float_as_int(__double2float_ru(a)));
    PUT(__double_as_longlong(__ll2double_rd(l[t])));
    PUT(__double_as_longlong(__ull2double_rn((unsigned long long)l[t])));
    PUT(__double_as_longlong(__int2double_rn((int)l[t])));
    PUT(__float_as_int(__ll2float_rz(l[t]))), PUT(__float_as_int(__ull2float_ru(l[t])));
    PUT(__double2hiint(a)), PUT(__double2loint(a));
    PUT(__double_as_longlong(rint(a))), PUT(__double_as_longlong(floor(a)));
    PUT(__double_as_longlong(trunc(a))), PUT(__double_as_longlong(round(a)));
    PUT((long long)ilogb(a) * 8 + isnan(a) * 4 + isinf(a) * 2 + signbit(a));
}

extern "C" __global__ void exponentials(double *out, const double *x)
{
    INDEX;
    double a = x[t];
    unsigned k = 0;

    PUT(exp(a)), PUT(exp2(a)), PUT(exp10(a)), PUT(expm1(a));
    PUT(log(fabs(a))), PUT(log2(fabs(a))), PUT(log10(fabs(a))), PUT(log1p(a));
    PUT(sinh(a)), PUT(cosh(a)), PUT(tanh(a)), PUT(asinh(a)), PUT(acosh(a)), PUT(atanh(a));
}

extern "C" __global__ void angles(double *out, const double *x, const double *y)
{
    INDEX;
    double a = x[t], b = y[t], s, c;
    unsigned k = 0;

    PUT(sin(a)), PUT(cos(a)), PUT(tan(a)), PUT(sinpi(a)), PUT(cospi(a));
    PUT(asin(a)), PUT(acos(a)), PUT(atan(a)), PUT(atan2(a, b));
    sincos(b, &s, &c);
    PUT(s), PUT(c), PUT(sin(a * 1e12)), PUT(cos(b * 1e300));
}

extern "C" __global__ void special(double *out, const double *x, const double *y)
{
    INDEX;
    double a = x[t], b = y[t];
    unsigned k = 0;
    int e;

    PUT(pow(fabs(a), b)), PUT(pow(a, 3.0)), PUT(cbrt(a)), PUT(rcbrt(a)), PUT(rsqrt(fabs(a)));
    PUT(hypot(a, b)), PUT(fmod(a, b)), PUT(remainder(a, b)), PUT(erf(a)), PUT(erfc(a));
    PUT(erfinv(a)), PUT(normcdf(a)), PUT(tgamma(a)), PUT(lgamma(a)), PUT(j0(a)), PUT(y1(a));
    PUT(frexp(a, &e)), PUT(e), PUT(ldexp(a, 7)), PUT(scalbn(b, -1040));
    PUT(nextafter(a, b)), PUT(fmin(a, b)), PUT(fmax(a, b)), PUT(fdim(a, b)), PUT(copysign(a, b));
}

// A step of Newton's method, sums by Kahan: where contraction would show.
extern "C" __global__ void numeric_programs(double *out, const double *x)
{
    INDEX;
    double root = 1.0, sum = 0.0, lost = 0.0;
    unsigned k = 0;

    for (int i = 0; i < 8; i++)
        root = 0.5 * (root + fabs(x[t]) / root);
    for (int i = 0; i < 16; i++) {
        double y = x[(t + i * 7) % n] - lost, s = sum + y;
        lost = (s - sum) - y;
        sum = s;
    }
    PUT(root), PUT(sum), PUT(lost);
}
