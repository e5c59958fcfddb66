// SPDX-License-Identifier: Apache-2.0
//
// bulk_sums.cu - bulk reductions of floating-point numbers among which many are denormal,
// or become so: sums of f32, f64, f16 and bf16, the least and greatest of the last two.
typedef unsigned uint;

static __device__ uint at(const void *p) { return (uint)__cvta_generic_to_shared(p); }

// One block: to[i] (op)= x[i] & mask, where to[i] was y[i] & mask; 1024 bytes.
#define REDUCTION(NAME, WHAT, MASK)                                                              \
    extern "C" __global__ void NAME(uint *to, const uint *x, const uint *y)                      \
    {                                                                                            \
        __shared__ alignas(128) uint s[256];                                                     \
        uint t = threadIdx.x;                                                                    \
                                                                                                 \
        s[t] = x[t] & (MASK);                                                                    \
        to[t] = y[t] & (MASK);                                                                   \
        asm volatile("fence.proxy.async;" ::: "memory");                                         \
        __syncthreads();                                                                         \
        if (t == 0)                                                                              \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." WHAT              \
                         " [%0], [%1], 1024;\n"                                                  \
                         "cp.async.bulk.commit_group;\n"                                         \
                         "cp.async.bulk.wait_group 0;" ::"l"(to), "r"(at(s)) : "memory");        \
    }

// Masks leave exponents of 0 and 1, or all of them.
REDUCTION(sum_f32, "add.f32", 0x80ffffff)
REDUCTION(sum_f32_any, "add.f32", 0xffffffff)
REDUCTION(sum_f64, "add.f64", t & 1 ? 0x801fffff : 0xffffffff)
REDUCTION(sum_f64_any, "add.f64", 0xffffffff)
REDUCTION(sum_f16, "add.noftz.f16", 0x87ff87ff)
REDUCTION(sum_f16_any, "add.noftz.f16", 0xffffffff)
REDUCTION(sum_bf16, "add.noftz.bf16", 0x80ff80ff)
REDUCTION(sum_bf16_any, "add.noftz.bf16", 0xffffffff)
REDUCTION(least_f16, "min.f16", 0xffffffff)
REDUCTION(greatest_f16, "max.f16", 0x87ff87ff)
REDUCTION(least_bf16, "min.bf16", 0x80ff80ff)
REDUCTION(greatest_bf16, "max.bf16", 0xffffffff)
