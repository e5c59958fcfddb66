/* SPDX-License-Identifier: Apache-2.0
 *
 * numbers.cu - places where the PTX manual leaves a number open: fns with any base, which of
 * several NaNs an f64 operation hands on when an operand is a constant or the compiler
 * may exchange them, subnormal numbers in atomics and packed operations. */
#include <stdint.h>

extern "C" __global__ void fns(uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, word;
    const uint32_t masks[4] = {0xffffffff, 0x80000001, 0x00f0a051, 0};
    uint32_t mask = masks[i & 3];
    int base = (int)(i >> 2 & 127) - 32, offset = (int)(i >> 9) - 3;

    asm volatile("fns.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(mask), "r"(base), "r"(offset));
    out[i] = word;
}

/* Six quiet and signalling NaNs that can be told apart, and a number. */
__device__ static const uint64_t values[8] = {
    0x7ff8000000000001, 0xfff8000000000002, 0x7ff0000000000003, 0xfff0000000000004,
    0x7ffc000000000005, 0xfffa000000000006, 0x3ff0000000000000, 0x7ff0000000000000};

#define K "0d7ff80000000000aa"
#define PUT(TEXT, ...)                                       \
    asm volatile(TEXT : "=d"(r) : __VA_ARGS__);              \
    out[n++ * 64 + i] = (uint64_t)__double_as_longlong(r);

extern "C" __global__ void nan_order(uint64_t *out, double p)
{
    uint32_t i = threadIdx.x, n = 0;
    double a = __longlong_as_double(values[i & 7]), b = __longlong_as_double(values[i >> 3]);
    double c = __longlong_as_double(values[(i * 5 + 3) & 7]), r;

    PUT("add.rn.f64 %0, %1, %2;", "d"(a), "d"(b))
    PUT("add.rn.f64 %0, %2, %1;", "d"(a), "d"(b))
    PUT("add.rn.f64 %0, %1, " K ";", "d"(a))
    PUT("add.rn.f64 %0, " K ", %1;", "d"(a))
    PUT("add.rn.f64 %0, %1, %2;", "d"(a), "d"(p))
    PUT("add.rn.f64 %0, %2, %1;", "d"(a), "d"(p))
    PUT("sub.rn.f64 %0, %1, %2;", "d"(a), "d"(b))
    PUT("sub.rn.f64 %0, %1, " K ";", "d"(a))
    PUT("sub.rn.f64 %0, " K ", %1;", "d"(a))
    PUT("sub.rn.f64 %0, %2, %1;", "d"(a), "d"(p))
    PUT("mul.rn.f64 %0, %1, %2;", "d"(a), "d"(b))
    PUT("mul.rn.f64 %0, %1, " K ";", "d"(a))
    PUT("mul.rn.f64 %0, " K ", %1;", "d"(a))
    PUT("mul.rn.f64 %0, %2, %1;", "d"(a), "d"(p))
    PUT("fma.rn.f64 %0, %1, %2, %3;", "d"(a), "d"(b), "d"(c))
    PUT("fma.rn.f64 %0, %2, %1, %3;", "d"(a), "d"(b), "d"(c))
    PUT("fma.rn.f64 %0, %1, " K ", %2;", "d"(a), "d"(b))
    PUT("fma.rn.f64 %0, " K ", %1, %2;", "d"(a), "d"(b))
    PUT("fma.rn.f64 %0, %1, %2, " K ";", "d"(a), "d"(b))
    PUT("fma.rn.f64 %0, %1, %2, %3;", "d"(a), "d"(p), "d"(b))
    PUT("fma.rn.f64 %0, %2, %1, %3;", "d"(a), "d"(p), "d"(b))
    PUT("fma.rn.f64 %0, %1, %3, %2;", "d"(a), "d"(p), "d"(b))
    PUT("min.f64 %0, %1, %2;", "d"(a), "d"(b))
    PUT("min.f64 %0, %1, " K ";", "d"(a))
    PUT("min.f64 %0, " K ", %1;", "d"(a))
    PUT("max.f64 %0, %2, %1;", "d"(a), "d"(p))
    PUT("div.rn.f64 %0, %1, %2;", "d"(a), "d"(b))
    PUT("div.rn.f64 %0, %1, " K ";", "d"(a))
    PUT("div.rn.f64 %0, " K ", %1;", "d"(a))
    PUT("{.reg .f64 t; neg.f64 t, %2; add.rn.f64 %0, %1, t;}", "d"(a), "d"(b))
    PUT("{.reg .f64 t; neg.f64 t, %1; mul.rn.f64 %0, t, %2;}", "d"(a), "d"(b))
    PUT("{.reg .f64 t; abs.f64 t, %1; add.rn.f64 %0, t, %2;}", "d"(a), "d"(b))
    PUT("{.reg .f64 t; mul.f64 t, %1, %2; add.f64 %0, t, %3;}", "d"(a), "d"(b), "d"(c))
    PUT("{.reg .f64 t; mul.f64 t, %1, %2; sub.f64 %0, %3, t;}", "d"(a), "d"(b), "d"(c))
}

#define PUT32(TEXT, ...)                                      \
    asm volatile(TEXT : "=r"(w) : __VA_ARGS__);               \
    out[n++ * 64 + i] = w;

/* Subnormal and least normal numbers, packed halves and single. */
extern "C" __global__ void subnormal(uint32_t *out, uint32_t *memory)
{
    const uint32_t words[8] = {0x00000001, 0x807fffff, 0x00800000, 0x80800001,
                               0x03ff0400, 0x84018001, 0x00010080, 0x007f8081};
    uint32_t i = threadIdx.x, n = 0, w, a = words[i & 7], b = words[i >> 3];
    __shared__ uint32_t shared[64];

    shared[i] = b;
    memory[i] = b;
    __syncthreads();
    PUT32("fma.rn.f16x2 %0, %1, %2, %1;", "r"(a), "r"(b))
    PUT32("fma.rn.ftz.f16x2 %0, %1, %2, %1;", "r"(a), "r"(b))
    PUT32("add.rn.f16x2 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("add.rn.ftz.f16x2 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("mul.rn.ftz.f16x2 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("fma.rn.bf16x2 %0, %1, %2, %1;", "r"(a), "r"(b))
    PUT32("add.rn.bf16x2 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("mul.rn.bf16x2 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("min.ftz.f16x2 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("max.bf16x2 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("add.rn.ftz.f32 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("fma.rn.ftz.f32 %0, %1, %2, %1;", "r"(a), "r"(b))
    PUT32("sub.rz.ftz.f32 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("div.rn.ftz.f32 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("atom.shared.add.f32 %0, [%1], %2;", "r"((uint32_t)__cvta_generic_to_shared(&shared[i])), "r"(a))
    PUT32("ld.shared.u32 %0, [%1];", "r"((uint32_t)__cvta_generic_to_shared(&shared[i])))
    PUT32("atom.global.add.f32 %0, [%1], %2;", "l"(memory + i), "r"(a))
    PUT32("ld.global.u32 %0, [%1];", "l"(memory + i))
    shared[i] = b;
    memory[i] = b;
    PUT32("atom.shared.add.noftz.f16x2 %0, [%1], %2;", "r"((uint32_t)__cvta_generic_to_shared(&shared[i])), "r"(a))
    PUT32("ld.shared.u32 %0, [%1];", "r"((uint32_t)__cvta_generic_to_shared(&shared[i])))
    PUT32("atom.global.add.noftz.bf16x2 %0, [%1], %2;", "l"(memory + i), "r"(a))
    PUT32("ld.global.u32 %0, [%1];", "l"(memory + i))
    PUT32("atom.add.f32 %0, [%1], %2;", "l"((void *)&shared[i]), "r"(a))
    PUT32("ld.shared.u32 %0, [%1];", "r"((uint32_t)__cvta_generic_to_shared(&shared[i])))
    PUT32("set.lt.f32.f32 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("set.lt.ftz.f32.f32 %0, %1, %2;", "r"(a), "r"(b))
    PUT32("cvt.rni.ftz.f32.f32 %0, %1;", "r"(a))
    PUT32("cvt.sat.ftz.f32.f32 %0, %1;", "r"(a))
    PUT32("{.reg .b16 l, h; mov.b32 {l, h}, %1; cvt.ftz.f32.f16 %0, l;}", "r"(a))
    PUT32("{.reg .b16 h; cvt.rn.ftz.f16.f32 h, %1; mov.b32 %0, {h, h};}", "r"(a))
    PUT32("neg.ftz.f32 %0, %1;", "r"(a))
    PUT32("abs.ftz.f32 %0, %1;", "r"(a))
    PUT32("neg.ftz.f16x2 %0, %1;", "r"(a))
    PUT32("abs.ftz.f16x2 %0, %1;", "r"(a))
    PUT32("sqrt.rn.ftz.f32 %0, %1;", "r"(a))
    PUT32("copysign.f32 %0, %1, %2;", "r"(a), "r"(b))
}
