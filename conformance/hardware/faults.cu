// SPDX-License-Identifier: Apache-2.0
// One wrong deed for each launch: which code does the driver report?
#include <cassert>

typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 some_global[16];
__constant__ u32 some_constant[16];

// kind 0: load, 1: store, 2: atomic, of 4 bytes at the generic address; 3: a load
// of 8, 4: of 16 bytes; 5: an atomic of 8.
__device__ void touch(u32 *out, u64 address, int kind)
{
    u32 r = 0;
    u64 wide = 0, more = 0;

    switch (kind) {
    case 0: asm volatile("ld.u32 %0, [%1];" : "=r"(r) : "l"(address) : "memory"); break;
    case 1: asm volatile("st.u32 [%0], 7;" ::"l"(address) : "memory"); break;
    case 2: asm volatile("atom.add.u32 %0, [%1], 1;" : "=r"(r) : "l"(address) : "memory"); break;
    case 3: asm volatile("ld.u64 %0, [%1];" : "=l"(wide) : "l"(address) : "memory"); break;
    case 4: asm volatile("ld.v2.u64 {%0, %1}, [%2];" : "=l"(wide), "=l"(more) : "l"(address) : "memory"); break;
    case 5: asm volatile("atom.add.u64 %0, [%1], 1;" : "=l"(wide) : "l"(address) : "memory"); break;
    }
    // All bits are used: ptxas makes a load as narrow as what is used of it.
    out[0] = r + (u32)wide + (u32)(wide >> 32) + (u32)more + (u32)(more >> 32) + 1;
}

extern "C" __global__ void at_address(u32 *out, u64 address, int kind) { touch(out, address, kind); }

extern "C" __global__ void beside_buffer(u32 *out, u64 buffer, long long offset, int kind)
{
    touch(out, buffer + offset, kind);
}

extern "C" __global__ void global_space(u32 *out, u64 buffer, long long offset, int kind)
{
    u32 r = 0;

    if (kind == 0)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(r) : "l"(buffer + offset) : "memory");
    else
        asm volatile("st.global.u32 [%0], 7;" ::"l"(buffer + offset) : "memory");
    out[0] = r + 1;
}

// space 0: static shared, 1: local, 2: constant, 3: module variable; generic.
extern "C" __global__ void beside_variable(u32 *out, int space, long long offset, int kind)
{
    __shared__ u32 shared[16];
    u32 local[16];

    for (int i = 0; i < 16; i++)
        shared[i] = local[(i + offset) & 15] = i;
    u64 base = space == 0   ? (u64)shared
               : space == 1 ? (u64)local
               : space == 2 ? (u64)some_constant
                            : (u64)some_global;
    touch(out, base + offset, kind);
    out[1] = local[kind] + shared[kind];
}

// By the instruction of the space itself; offset into the window.
extern "C" __global__ void in_space(u32 *out, int space, u32 offset, int kind)
{
    __shared__ u32 shared[16];
    u32 r = 0;

    shared[threadIdx.x & 15] = kind;
    if (space == 0 && kind == 0)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(offset) : "memory");
    if (space == 0 && kind == 1)
        asm volatile("st.shared.u32 [%0], 7;" ::"r"(offset) : "memory");
    if (space == 0 && kind == 2)
        asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(r) : "r"(offset) : "memory");
    if (space == 1 && kind == 0)
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(r) : "r"(offset) : "memory");
    if (space == 1 && kind == 1)
        asm volatile("st.local.u32 [%0], 7;" ::"r"(offset) : "memory");
    if (space == 2 && kind == 0)
        asm volatile("ld.const.u32 %0, [%1];" : "=r"(r) : "r"(offset) : "memory");
    out[0] = r + 1;
    out[1] = shared[0];
}

__device__ __noinline__ int deep(int n, volatile int *keep)
{
    volatile int room[32];

    room[n & 31] = n;
    if (n == 0)
        return *keep;
    int r = deep(n - 1, room) + 1;
    return r + room[n & 31] - n;
}

extern "C" __global__ void recursion_to(u32 *out, int n)
{
    int zero = 0;

    out[0] = deep(n, &zero);
}

extern "C" __global__ void trap(u32 *out)
{
    out[0] = 1;
    asm volatile("trap;");
}

extern "C" __global__ void brkpt(u32 *out)
{
    out[0] = 1;
    asm volatile("brkpt;");
}

extern "C" __global__ void assertion(u32 *out)
{
    out[0] = 1;
    assert(threadIdx.x % 16 != 3 && "the message");
}

extern "C" __global__ void unreachable(u32 *out, int n)
{
    if (n)
        out[0] = 1;
    else
        __builtin_unreachable();
}

extern "C" __global__ void call_address(u32 *out, u64 address)
{
    void (*f)(void) = (void (*)(void))address;

    f();
    out[0] = 1;
}

extern "C" __global__ void divide_by_zero(u32 *out, int zero)
{
    out[0] = 7 / zero;
    out[1] = 7 % zero;
}

extern "C" __global__ void free_wrong(u32 *out, u64 address)
{
    free((void *)address);
    out[0] = 1;
}

extern "C" __global__ void free_twice(u32 *out)
{
    void *p = malloc(64);

    free(p);
    free(p);
    out[0] = 1;
}

extern "C" __global__ void endless(volatile u32 *out)
{
    while (out[0] == 0)
        ;
}

// A bad mbarrier: never initialised, then used.
extern "C" __global__ void bad_mbarrier(u32 *out)
{
    __shared__ u64 bar;
    u64 state;

    bar = 0x123456789abcdefull;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state) : "r"((u32)__cvta_generic_to_shared(&bar)) : "memory");
    out[0] = 1;
    out[1] = (u32)state;
}

// Shuffle and vote with a member mask that leaves the caller out.
extern "C" __global__ void not_in_mask(u32 *out)
{
    out[threadIdx.x] = __shfl_sync(0xfffe, threadIdx.x + 1, 1);
}
