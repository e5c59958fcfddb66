/* SPDX-License-Identifier: Apache-2.0
 *
 * surface.cu - surface loads, stores and reductions. Coordinates are whole numbers; x
 * counts bytes but for the formatted forms (sust.p, sured.p). Stores write index,
 * its complement and so on, each thread at a place of its own or beyond the edge. */
#include "coordinates.cuh"

#define IX WHOLE(X)
#define IY WHOLE(Y)
#define IZ WHOLE(Z)

#define LOAD1(NAME, TEXT, T, L, ...)                                                    \
    extern "C" __global__ void NAME(uint64_t surface, uint32_t *out, PLACE)           \
    {                                                                                   \
        TAKE_PLACE \
        uint32_t i = index_here();                                                      \
        T a;                                                                            \
        asm volatile(TEXT : "=" L(a) : "l"(surface), __VA_ARGS__);                      \
        keep4(out, p, i, (uint32_t)a, (uint32_t)((uint64_t)a >> 32), 0, 0);             \
    }
#define LOAD4(NAME, TEXT, T, L, ...)                                                    \
    extern "C" __global__ void NAME(uint64_t surface, uint32_t *out, PLACE)           \
    {                                                                                   \
        TAKE_PLACE \
        uint32_t i = index_here();                                                      \
        T a, b, c, d;                                                                   \
        asm volatile(TEXT : "=" L(a), "=" L(b), "=" L(c), "=" L(d) : "l"(surface), __VA_ARGS__); \
        keep4(out, p, i, a, b, c, d);                                                   \
    }
#define LOAD2(NAME, TEXT, T, L, ...)                                                    \
    extern "C" __global__ void NAME(uint64_t surface, uint32_t *out, PLACE)           \
    {                                                                                   \
        TAKE_PLACE \
        uint32_t i = index_here();                                                      \
        T a, b;                                                                         \
        asm volatile(TEXT : "=" L(a), "=" L(b) : "l"(surface), __VA_ARGS__);            \
        keep4(out, p, i, (uint32_t)a, (uint32_t)((uint64_t)a >> 32), (uint32_t)b,       \
              (uint32_t)((uint64_t)b >> 32));                                           \
    }
#define STORE(NAME, TEXT, ...)                                                          \
    extern "C" __global__ void NAME(uint64_t surface, uint32_t *out, PLACE)           \
    {                                                                                   \
        TAKE_PLACE \
        uint32_t i = index_here(), n = ~i, q = i * 0x10001;                             \
        uint64_t w = (uint64_t)n << 32 | i;                                             \
        float f = __fmul_rn((float)(int32_t)(mix(i) >> 40), 0x1p-20f);                  \
        float g = __uint_as_float((uint32_t)mix(i));                                    \
        (void)n; (void)q; (void)w; (void)f; (void)g;                                    \
        asm volatile(TEXT ::"l"(surface), __VA_ARGS__);                                 \
        out[i] = i;                                                                     \
    }

LOAD1(suld_1d_b8, "suld.b.1d.b8.clamp %0, [%1, {%2}];", uint16_t, "h", "r"(IX))
LOAD1(suld_1d_b16_clamp, "suld.b.1d.b16.clamp %0, [%1, {%2}];", uint16_t, "h", "r"(IX))
LOAD1(suld_1d_b32_clamp, "suld.b.1d.b32.clamp %0, [%1, {%2}];", uint32_t, "r", "r"(IX))
LOAD1(suld_1d_b32_zero, "suld.b.1d.b32.zero %0, [%1, {%2}];", uint32_t, "r", "r"(IX))
LOAD1(suld_1d_b32_trap, "suld.b.1d.b32.trap %0, [%1, {%2}];", uint32_t, "r", "r"(IX))
LOAD1(suld_1d_b64_clamp, "suld.b.1d.b64.clamp %0, [%1, {%2}];", uint64_t, "l", "r"(IX))
LOAD2(suld_1d_v2_b64_clamp, "suld.b.1d.v2.b64.clamp {%0,%1}, [%2, {%3}];", uint64_t, "l", "r"(IX))
LOAD2(suld_1d_v2_b32_zero, "suld.b.1d.v2.b32.zero {%0,%1}, [%2, {%3}];", uint32_t, "r", "r"(IX))
LOAD4(suld_1d_v4_b32_clamp, "suld.b.1d.v4.b32.clamp {%0,%1,%2,%3}, [%4, {%5}];", uint32_t, "r", "r"(IX))
LOAD4(suld_2d_v4_b8_clamp, "suld.b.2d.v4.b8.clamp {%0,%1,%2,%3}, [%4, {%5,%6}];", uint16_t, "h", "r"(IX), "r"(IY))
LOAD4(suld_2d_v4_b8_zero, "suld.b.2d.v4.b8.zero {%0,%1,%2,%3}, [%4, {%5,%6}];", uint16_t, "h", "r"(IX), "r"(IY))
LOAD1(suld_2d_b32_clamp, "suld.b.2d.b32.clamp %0, [%1, {%2,%3}];", uint32_t, "r", "r"(IX), "r"(IY))
LOAD1(suld_2d_b32_zero, "suld.b.2d.b32.zero %0, [%1, {%2,%3}];", uint32_t, "r", "r"(IX), "r"(IY))
LOAD1(suld_3d_b32_clamp, "suld.b.3d.b32.clamp %0, [%1, {%2,%3,%4,%4}];", uint32_t, "r", "r"(IX), "r"(IY), "r"(IZ))
LOAD1(suld_3d_b32_zero, "suld.b.3d.b32.zero %0, [%1, {%2,%3,%4,%4}];", uint32_t, "r", "r"(IX), "r"(IY), "r"(IZ))
LOAD1(suld_a1d_b32_clamp, "suld.b.a1d.b32.clamp %0, [%1, {%3,%2}];", uint32_t, "r", "r"(IX), "r"(LAYER))
LOAD1(suld_a1d_b32_zero, "suld.b.a1d.b32.zero %0, [%1, {%3,%2}];", uint32_t, "r", "r"(IX), "r"(LAYER))
LOAD1(suld_a2d_b32_clamp, "suld.b.a2d.b32.clamp %0, [%1, {%4,%2,%3,%3}];", uint32_t, "r", "r"(IX), "r"(IY), "r"(LAYER))
LOAD1(suld_a2d_b32_zero, "suld.b.a2d.b32.zero %0, [%1, {%4,%2,%3,%3}];", uint32_t, "r", "r"(IX), "r"(IY), "r"(LAYER))

STORE(sust_1d_b8, "sust.b.1d.b8.clamp [%0, {%1}], %2;", "r"(IX), "h"((uint16_t)i))
STORE(sust_1d_b16_zero, "sust.b.1d.b16.zero [%0, {%1}], %2;", "r"(IX), "h"((uint16_t)i))
STORE(sust_1d_b32_clamp, "sust.b.1d.b32.clamp [%0, {%1}], %2;", "r"(IX), "r"(i))
STORE(sust_1d_b32_zero, "sust.b.1d.b32.zero [%0, {%1}], %2;", "r"(IX), "r"(i))
STORE(sust_1d_b32_trap, "sust.b.1d.b32.trap [%0, {%1}], %2;", "r"(IX), "r"(i))
STORE(sust_1d_b64_zero, "sust.b.1d.b64.zero [%0, {%1}], %2;", "r"(IX), "l"(w))
STORE(sust_1d_v2_b64_zero, "sust.b.1d.v2.b64.zero [%0, {%1}], {%2,%2};", "r"(IX), "l"(w))
STORE(sust_1d_v4_b32_zero, "sust.b.1d.v4.b32.zero [%0, {%1}], {%2,%3,%2,%3};", "r"(IX), "r"(i), "r"(n))
STORE(sust_2d_v4_b8_zero, "sust.b.2d.v4.b8.zero [%0, {%1,%2}], {%3,%4,%3,%4};", "r"(IX), "r"(IY), "h"((uint16_t)i), "h"((uint16_t)n))
STORE(sust_2d_b32_clamp, "sust.b.2d.b32.clamp [%0, {%1,%2}], %3;", "r"(IX), "r"(IY), "r"(i))
STORE(sust_2d_b32_zero, "sust.b.2d.b32.zero [%0, {%1,%2}], %3;", "r"(IX), "r"(IY), "r"(i))
STORE(sust_3d_b32_zero, "sust.b.3d.b32.zero [%0, {%1,%2,%3,%3}], %4;", "r"(IX), "r"(IY), "r"(IZ), "r"(i))
STORE(sust_a1d_b32_zero, "sust.b.a1d.b32.zero [%0, {%2,%1}], %3;", "r"(IX), "r"(LAYER), "r"(i))
STORE(sust_a2d_b32_zero, "sust.b.a2d.b32.zero [%0, {%3,%1,%2,%2}], %4;", "r"(IX), "r"(IY), "r"(LAYER), "r"(i))

STORE(sust_p_1d_f32, "sust.p.1d.v4.b32.zero [%0, {%1}], {%2,%3,%2,%3};", "r"(IX), "f"(f), "f"(g))
STORE(sust_p_1d_b32, "sust.p.1d.v4.b32.zero [%0, {%1}], {%2,%3,%4,%4};", "r"(IX), "r"(i), "r"(n), "r"(q))
STORE(sust_p_1d_1, "sust.p.1d.b32.zero [%0, {%1}], %2;", "r"(IX), "f"(f))
STORE(sust_p_2d_b32_clamp, "sust.p.2d.v4.b32.clamp [%0, {%1,%2}], {%3,%4,%3,%4};", "r"(IX), "r"(IY), "r"(i), "r"(n))

STORE(sured_1d_add, "sured.b.add.1d.u32.clamp [%0, {%1}], %2;", "r"(IX), "r"(i))
STORE(sured_1d_add_zero, "sured.b.add.1d.u32.zero [%0, {%1}], %2;", "r"(IX), "r"(i))
STORE(sured_1d_add_u64, "sured.b.add.1d.u64.zero [%0, {%1}], %2;", "r"(IX), "l"(w))
STORE(sured_2d_min, "sured.b.min.2d.s32.zero [%0, {%1,%2}], %3;", "r"(IX), "r"(IY), "r"(n))
STORE(sured_2d_max, "sured.b.max.2d.u32.zero [%0, {%1,%2}], %3;", "r"(IX), "r"(IY), "r"(n))
STORE(sured_2d_and, "sured.b.and.2d.b32.zero [%0, {%1,%2}], %3;", "r"(IX), "r"(IY), "r"(q))
STORE(sured_2d_or, "sured.b.or.2d.b32.zero [%0, {%1,%2}], %3;", "r"(IX), "r"(IY), "r"(q))
STORE(sured_p_1d_add, "sured.p.add.1d.b32.zero [%0, {%1}], %2;", "r"(IX), "r"(i))
