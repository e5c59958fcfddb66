// SPDX-License-Identifier: Apache-2.0
// Atomics on edge values. Memory starts as a, the operand is b (and c): thread t
// works on cell t. Old values go to `old`, memory afterwards is recorded too.

#define ATOMIC(name, instruction, type, letter) \
    extern "C" __global__ void name##_global(type *memory, const type *b, type *old) \
    { \
        unsigned t = blockIdx.x * blockDim.x + threadIdx.x; \
        type r; \
        asm volatile("atom.global." instruction " %0, [%1], %2;" \
                     : "=" letter(r) : "l"(memory + t), letter(b[t]) : "memory"); \
        old[t] = r; \
    } \
    extern "C" __global__ void name##_shared(type *memory, const type *b, type *old) \
    { \
        __shared__ type cell[256]; \
        unsigned t = threadIdx.x; \
        type r; \
        cell[t] = memory[t]; \
        asm volatile("atom.shared." instruction " %0, [%1], %2;" \
                     : "=" letter(r) \
                     : "r"((unsigned)__cvta_generic_to_shared(cell + t)), letter(b[t]) \
                     : "memory"); \
        old[t] = r; \
        memory[t] = cell[t]; \
    }

#define REDUCTION(name, instruction, type, letter) \
    extern "C" __global__ void name##_red(type *memory, const type *b) \
    { \
        unsigned t = blockIdx.x * blockDim.x + threadIdx.x; \
        asm volatile("red.global." instruction " [%0], %1;" \
                     ::"l"(memory + t), letter(b[t]) : "memory"); \
    }

typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned short u16;

ATOMIC(inc_u32, "inc.u32", u32, "r")
ATOMIC(dec_u32, "dec.u32", u32, "r")
ATOMIC(min_s32, "min.s32", u32, "r")
ATOMIC(max_s32, "max.s32", u32, "r")
ATOMIC(min_u64, "min.u64", u64, "l")
ATOMIC(max_s64, "max.s64", u64, "l")
ATOMIC(add_f32, "add.f32", float, "f")
ATOMIC(add_f64, "add.f64", double, "d")
ATOMIC(add_f16x2, "add.noftz.f16x2", u32, "r")
ATOMIC(add_bf16x2, "add.noftz.bf16x2", u32, "r")
ATOMIC(add_f16, "add.noftz.f16", u16, "h")
ATOMIC(add_bf16, "add.noftz.bf16", u16, "h")
REDUCTION(add_f32, "add.f32", float, "f")
REDUCTION(add_f64, "add.f64", double, "d")
REDUCTION(add_f16x2, "add.noftz.f16x2", u32, "r")
REDUCTION(add_bf16x2, "add.noftz.bf16x2", u32, "r")

#define VECTOR(name, instruction) \
    extern "C" __global__ void name(u32 *memory, const u32 *b, u32 *old) \
    { \
        u32 t = 4 * threadIdx.x, x, y, z, w; \
        asm volatile("atom.global." instruction " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" \
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w) \
                     : "l"(memory + t), "r"(b[t]), "r"(b[t + 1]), "r"(b[t + 2]), "r"(b[t + 3]) \
                     : "memory"); \
        old[t] = x, old[t + 1] = y, old[t + 2] = z, old[t + 3] = w; \
    }

VECTOR(vector_add_f16x2, "v4.f16x2.add.noftz")
VECTOR(vector_min_f16x2, "v4.f16x2.min.noftz")
VECTOR(vector_max_f16x2, "v4.f16x2.max.noftz")
VECTOR(vector_min_bf16x2, "v4.bf16x2.min.noftz")
VECTOR(vector_max_bf16x2, "v4.bf16x2.max.noftz")

extern "C" __global__ void vector_add_f32(float *memory, const float *b, float *old)
{
    u32 t = 4 * threadIdx.x;
    float x, y, z, w;

    asm volatile("atom.global.v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "l"(memory + t), "f"(b[t]), "f"(b[t + 1]), "f"(b[t + 2]), "f"(b[t + 3])
                 : "memory");
    old[t] = x, old[t + 1] = y, old[t + 2] = z, old[t + 3] = w;
}

// Compare and swap, 16 to 128 bits: cell t holds t; half of the lanes guess right.
extern "C" __global__ void compare_swap(u16 *m16, u32 *m32, u64 *m64, u64 *old)
{
    u32 t = threadIdx.x, guess = t & 1 ? t : t + 1;

    old[4 * t] = atomicCAS(m16 + t, (u16)guess, (u16)(100 + t));
    old[4 * t + 1] = atomicCAS(m32 + t, guess, 100 + t);
    u64 low, high;
    asm volatile("{ .reg .b128 d, b, c;\n mov.b128 b, {%3, %4}; mov.b128 c, {%5, %6};\n"
                 " atom.global.cas.b128 d, [%2], b, c;\n mov.b128 {%0, %1}, d; }"
                 : "=l"(low), "=l"(high)
                 : "l"(m64 + 2 * t), "l"((u64)(2 * guess)), "l"((u64)(2 * guess + 1)),
                   "l"((u64)(1000 + t)), "l"((u64)(2000 + t))
                 : "memory");
    old[4 * t + 2] = low;
    old[4 * t + 3] = high;
}
