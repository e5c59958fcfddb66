/* SPDX-License-Identifier: Apache-2.0
 *
 * half.cu - the functions of cuda_fp16.h and cuda_bf16.h. Argument 0 takes all 65536
 * values in turn. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "arguments.cuh"

__device__ static inline uint16_t word16(uint32_t i, unsigned k)
{
    return (uint16_t)(k ? mix(i * 4ull + k) : i);
}

#define HA __ushort_as_half(word16(i, 0))
#define HB __ushort_as_half(word16(i, 1))
#define HC __ushort_as_half(word16(i, 2))
#define BA __ushort_as_bfloat16(word16(i, 0))
#define BB __ushort_as_bfloat16(word16(i, 1))
#define BC __ushort_as_bfloat16(word16(i, 2))
#define BOTH(NAME, H, B)                       \
    KERNEL(f16_##NAME, __half_as_ushort(H))    \
    KERNEL(bf16_##NAME, __bfloat16_as_ushort(B))
#define ONE(NAME, FUNCTION) BOTH(NAME, FUNCTION(HA), FUNCTION(BA))
#define TWO(NAME, FUNCTION) BOTH(NAME, FUNCTION(HA, HB), FUNCTION(BA, BB))
#define THREE(NAME, FUNCTION) BOTH(NAME, FUNCTION(HA, HB, HC), FUNCTION(BA, BB, BC))

ONE(sin, hsin)
ONE(cos, hcos)
ONE(exp, hexp)
ONE(exp2, hexp2)
ONE(exp10, hexp10)
ONE(log, hlog)
ONE(log2, hlog2)
ONE(log10, hlog10)
ONE(sqrt, hsqrt)
ONE(rsqrt, hrsqrt)
ONE(rcp, hrcp)
ONE(tanh, htanh)
ONE(tanh_approx, htanh_approx)
ONE(trunc, htrunc)
ONE(ceil, hceil)
ONE(floor, hfloor)
ONE(rint, hrint)
ONE(abs, __habs)
ONE(neg, __hneg)
TWO(add, __hadd)
TWO(sub, __hsub)
TWO(mul, __hmul)
TWO(div, __hdiv)
TWO(min, __hmin)
TWO(max, __hmax)
TWO(min_nan, __hmin_nan)
TWO(add_sat, __hadd_sat)
TWO(mul_sat, __hmul_sat)
THREE(fma, __hfma)
THREE(fma_relu, __hfma_relu)
THREE(fma_sat, __hfma_sat)
KERNEL(f16_less, __hlt(HA, HB) | __hle(HA, HB) << 1 | __heq(HA, HB) << 2 | __hgtu(HA, HB) << 3)
KERNEL(bf16_less, __hlt(BA, BB) | __hle(BA, BB) << 1 | __heq(BA, BB) << 2 | __hgtu(BA, BB) << 3)
KERNEL(f16_to_int, (uint32_t)__half2int_rn(HA) ^ (uint64_t)__half2ull_rz(HA) << 20)
KERNEL(bf16_to_int, (uint32_t)__bfloat162int_rn(BA) ^ (uint64_t)__bfloat162ull_rz(BA) << 20)
KERNEL(f16_from_int, __half_as_ushort(__int2half_rn((int)mix(i))))
KERNEL(bf16_from_int, __bfloat16_as_ushort(__int2bfloat16_rn((int)mix(i))))
KERNEL(f16_from_f64, __half_as_ushort(__double2half(argument64(i, 0))))
KERNEL(bf16_from_f64, __bfloat16_as_ushort(__double2bfloat16(argument64(i, 0))))
KERNEL(f16_from_f32, __half_as_ushort(__float2half_rn(argument32(i, 0))))
KERNEL(bf16_from_f32, __bfloat16_as_ushort(__float2bfloat16_rn(argument32(i, 0))))
