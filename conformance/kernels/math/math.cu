// SPDX-License-Identifier: Apache-2.0
//
// math.cu - single precision functions of the device library, the fast intrinsics, and
// the integer ones.
#define INDEX unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x
#define PUT(v) out[k++ * n + t] = (v)

extern "C" __global__ void roundings(float *out, const float *x, const float *y)
{
    INDEX;
    float a = x[t], b = y[t];
    unsigned k = 0;

    PUT(__fadd_rz(a, b)), PUT(__fadd_ru(a, b)), PUT(__fadd_rd(a, b)), PUT(__fsub_ru(a, b));
    PUT(__fmul_rz(a, b)), PUT(__fmul_ru(a, b)), PUT(__fmul_rd(a, b));
    PUT(__fmaf_rn(a, b, a)), PUT(__fmaf_rz(a, b, a)), PUT(__fmaf_ru(a, b, a));
    PUT(__fdiv_rn(a, b)), PUT(__fdiv_rz(a, b)), PUT(__fdiv_ru(a, b)), PUT(__fdiv_rd(a, b));
    PUT(__fsqrt_rn(a)), PUT(__fsqrt_rd(fabsf(a))), PUT(__frcp_rn(a)), PUT(__frcp_ru(b));
    PUT(__frsqrt_rn(fabsf(a)));
}

extern "C" __global__ void fast(float *out, const float *x, const float *y)
{
    INDEX;
    float a = x[t], b = y[t], s, c;
    unsigned k = 0;

    PUT(__sinf(a)), PUT(__cosf(a)), PUT(__tanf(a)), PUT(__expf(a)), PUT(__exp10f(a));
    PUT(__logf(fabsf(a))), PUT(__log2f(fabsf(a))), PUT(__log10f(a)), PUT(__powf(fabsf(a), b));
    PUT(__fdividef(a, b)), PUT(__saturatef(a)), PUT(__tanhf(a));
    __sincosf(b, &s, &c);
    PUT(s), PUT(c), PUT(rsqrtf(fabsf(a))), PUT(exp2f(a));
}

extern "C" __global__ void exponentials(float *out, const float *x)
{
    INDEX;
    float a = x[t];
    unsigned k = 0;

    PUT(expf(a)), PUT(exp2f(a)), PUT(exp10f(a)), PUT(expm1f(a));
    PUT(logf(fabsf(a))), PUT(log2f(fabsf(a))), PUT(log10f(fabsf(a))), PUT(log1pf(a));
    PUT(sinhf(a)), PUT(coshf(a)), PUT(tanhf(a)), PUT(asinhf(a)), PUT(acoshf(a)), PUT(atanhf(a));
    PUT(logbf(a)), PUT(cbrtf(a)), PUT(rcbrtf(a));
}

// The second half of the inputs is large: the slow reduction with its local array.
extern "C" __global__ void angles(float *out, const float *x, const float *y)
{
    INDEX;
    float a = x[t], b = y[t], s, c;
    unsigned k = 0;

    PUT(sinf(a)), PUT(cosf(a)), PUT(tanf(a)), PUT(sinpif(a)), PUT(cospif(a));
    PUT(asinf(a)), PUT(acosf(a)), PUT(atanf(a)), PUT(atan2f(a, b));
    sincosf(b * 1e8f, &s, &c);
    PUT(s), PUT(c), PUT(sinf(a * 1e30f)), PUT(cosf(b * 3e6f)), PUT(tanf(a * 1e10f));
}

extern "C" __global__ void special(float *out, const float *x, const float *y)
{
    INDEX;
    float a = x[t], b = y[t], whole;
    unsigned k = 0;
    int e;

    PUT(powf(fabsf(a), b)), PUT(powf(a, 3.0f)), PUT(powf(a, b)), PUT(hypotf(a, b));
    PUT(fmodf(a, b)), PUT(remainderf(a, b)), PUT(remquof(a, b, &e)), PUT((float)e);
    PUT(erff(a)), PUT(erfcf(a)), PUT(erfinvf(a)), PUT(erfcxf(a)), PUT(normcdff(a));
    PUT(tgammaf(a)), PUT(lgammaf(a)), PUT(j0f(a)), PUT(j1f(a)), PUT(y0f(a));
    PUT(cyl_bessel_i0f(a)), PUT(frexpf(a, &e)), PUT((float)e), PUT(ldexpf(a, 7));
    PUT(modff(a * 10, &whole)), PUT(whole), PUT(nextafterf(a, b)), PUT(fdimf(a, b));
    PUT(fminf(a, b)), PUT(fmaxf(a, b)), PUT(norm3df(a, b, a)), PUT(rnorm4df(a, b, b, a));
}

extern "C" __global__ void roundings_to_integer(int *out, const float *x)
{
    INDEX;
    float a = x[t];
    unsigned k = 0;

    PUT(__float2int_rn(a)), PUT(__float2int_ru(a)), PUT((int)__float2uint_rz(a));
    PUT((int)(__float2ll_rd(a) >> 3)), PUT((int)(__float2ull_rn(a) >> 3));
    PUT(__float_as_int(rintf(a))), PUT(__float_as_int(floorf(a))), PUT(__float_as_int(ceilf(a)));
    PUT(__float_as_int(roundf(a))), PUT(__float_as_int(truncf(a)));
    PUT((int)lroundf(a)), PUT((int)llrintf(a)), PUT(ilogbf(a));
    PUT(isnan(a) * 8 + isinf(a) * 4 + isfinite(a) * 2 + signbit(a));
    PUT((signed char)a), PUT((unsigned short)a);
}

extern "C" __global__ void bits(unsigned *out, const unsigned *x, const unsigned *y)
{
    INDEX;
    unsigned a = x[t], b = y[t], k = 0;
    unsigned long long wide = (unsigned long long)a << 32 | b;

    PUT(__brev(a)), PUT(__clz(a)), PUT(__clz(a >> b % 33)), PUT(__ffs(a & b)), PUT(__popc(a));
    PUT((unsigned)(__brevll(wide) >> 7)), PUT(__clzll(wide >> b % 64)), PUT(__ffsll(wide));
    PUT(__popcll(wide)), PUT(__byte_perm(a, b, a >> 7)), PUT(__byte_perm(a, b, 0x3715));
    PUT(__funnelshift_l(a, b, a)), PUT(__funnelshift_r(a, b, b)), PUT(__funnelshift_lc(a, b, a));
    PUT(__funnelshift_rc(a, b, b % 64)), PUT(a << b % 40), PUT((int)a >> b % 40);
    PUT(__fns(a, b % 32, (int)(b % 7) - 3)), PUT(a & ~b | b ^ a);
}

extern "C" __global__ void integers(unsigned *out, const unsigned *x, const unsigned *y)
{
    INDEX;
    unsigned a = x[t], b = y[t] | 1, k = 0;
    long long wide = (long long)((unsigned long long)a << 32 | b);

    PUT(__mulhi((int)a, (int)b)), PUT(__umulhi(a, b)), PUT(__mul24(a, b)), PUT(__umul24(a, b));
    PUT((unsigned)__mul64hi(wide, wide ^ b)), PUT((unsigned)(wide / (int)b));
    PUT((unsigned)(wide % (int)(b >> 3 | 1))), PUT(a / b), PUT(a % (b >> 20 | 1));
    PUT((int)a / (int)(b >> 10 | 1)), PUT((int)a % (int)b), PUT(__sad((int)a, (int)b, 5));
    PUT(__usad(a, b, 7)), PUT(__hadd((int)a, (int)b)), PUT(__urhadd(a, b));
    PUT(__dp4a((int)a, (int)b, 100)), PUT(__dp4a(a, b, 100u)), PUT(__dp2a_lo((int)a, (int)b, 3));
    PUT(__dp2a_hi(a, b, 3u)), PUT(abs((int)a)), PUT(min((int)a, (int)b)), PUT(max(a, b));
    PUT((unsigned)llabs(wide)), PUT(a * b + k), PUT((unsigned)(wide * b >> 17));
    PUT((unsigned)((unsigned long long)wide / 1000003)), PUT((unsigned)(wide >> a % 64));
}

extern "C" __global__ void packed(unsigned *out, const unsigned *x, const unsigned *y)
{
    INDEX;
    unsigned a = x[t], b = y[t], k = 0;

    PUT(__vadd2(a, b)), PUT(__vaddss2(a, b)), PUT(__vaddus2(a, b)), PUT(__vsub2(a, b));
    PUT(__vabsdiffs2(a, b)), PUT(__vavgs2(a, b)), PUT(__vmaxs2(a, b)), PUT(__vminu2(a, b));
    PUT(__vcmpgts2(a, b)), PUT(__vsads2(a, b)), PUT(__vabsss2(a)), PUT(__vneg2(a));
    PUT(__vadd4(a, b)), PUT(__vaddss4(a, b)), PUT(__vsubus4(a, b)), PUT(__vabsdiffu4(a, b));
    PUT(__vavgu4(a, b)), PUT(__vmaxu4(a, b)), PUT(__vmins4(a, b)), PUT(__vcmpltu4(a, b));
    PUT(__vsadu4(a, b)), PUT(__vabs4(a)), PUT(__vsetges4(a, b)), PUT(__vcmpeq4(a, b & a));
    PUT(__viaddmax_s32(a, b, 9)), PUT(__vimax3_u32(a, b, 77)), PUT(__viaddmin_s16x2(a, b, a));
    PUT(__vimin3_s16x2_relu(a, b, a)), PUT(__vimax_s32_relu(a, b));
}
