/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch.cuh - a kernel for a texture instruction in one line. */
#include "coordinates.cuh"

#define FETCH(NAME, TEXT, ...)                                                            \
    extern "C" __global__ void NAME(uint64_t texture, uint32_t *out, PLACE)             \
    {                                                                                     \
        TAKE_PLACE \
        uint32_t i = index_here(), a, b, c, d;                                            \
        asm volatile(TEXT : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(texture), __VA_ARGS__); \
        keep4(out, p, i, a, b, c, d);                                                     \
    }
#define D "{%0,%1,%2,%3}, [%4, "
#define TYPES(NAME, GEOMETRY, COORDINATES, ...)                                           \
    FETCH(NAME##_f32, GEOMETRY ".v4.f32.f32 " D COORDINATES "];", __VA_ARGS__)            \
    FETCH(NAME##_u32, GEOMETRY ".v4.u32.f32 " D COORDINATES "];", __VA_ARGS__)            \
    FETCH(NAME##_s32, GEOMETRY ".v4.s32.f32 " D COORDINATES "];", __VA_ARGS__)
