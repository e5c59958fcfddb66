/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.cuh - the arguments that the library's functions are tried with, and
 * what is kept of the results.
 *
 * Argument k of index i comes from integer operations on i and k alone: the first
 * few are listed below, the others in turn any bits, numbers of moderate size, small
 * numbers with a short fraction, and the neighbours of multiples of a half (or of
 * pi/4, where arguments are reduced). Of every result its hash is added to the
 * sum of its group of 2048 indices; the first ones are kept whole. */
#include <stdint.h>

#define GROUP 2048

__device__ static inline uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

__device__ static inline uint32_t index_here(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static inline void keep(uint64_t *sums, uint64_t *values, uint32_t count,
                                   uint32_t i, uint64_t word)
{
    atomicAdd((unsigned long long *)&sums[i / GROUP], mix(word + i * 0xd1342543de82ef95ull));
    if (i < count)
        values[i] = word;
}

__constant__ static const uint32_t nasty32[32] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff,
    0xff7fffff, 0x3f000000, 0xbf000000, 0x40000000, 0xc0000000, 0x3f7fffff, 0x3f800001, 0x40490fdb,
    0xc0490fdb, 0x3fc90fdb, 0x42b17218, 0xc2aeac50, 0x4b000000, 0xcb000001, 0x3eaaaaab, 0x47c35000};

__constant__ static const uint64_t nasty64[32] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000012345678,
    0x7ff0000000000001, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
    0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x3fe0000000000000, 0xbfe0000000000000, 0x4000000000000000,
    0xc000000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x400921fb54442d18,
    0xc00921fb54442d18, 0x3ff921fb54442d18, 0x40862e42fefa39ef, 0xc0874910d52d3052,
    0x4330000000000000, 0xc330000000000001, 0x3fd5555555555555, 0x40f86a0000000000};

__device__ static inline float argument32(uint32_t i, unsigned k)
{
    uint64_t r = mix(i * 4ull + k);
    uint32_t low = (uint32_t)r, high = (uint32_t)(r >> 32);

    if (i < 1024)
        return __uint_as_float(nasty32[k == 0 ? i & 31 : k == 1 ? i >> 5 : i >> 2 & 31]);
    switch (i & 3) {
    case 0:
        return __uint_as_float(low);
    case 1: /* exponents of 2^-20 to 2^11 */
        return __uint_as_float((low & 0x807fffff) | (107 + (high & 31)) << 23);
    case 2: /* within 16 of zero, 20 bits of fraction */
        return __fmul_rn((float)((int32_t)low >> 7), 0x1p-20f);
    default: /* beside a multiple of a half or of pi / 4 */
        return __uint_as_float(
            __float_as_uint(__fmul_rn((float)((int32_t)low >> 22), i & 4 ? 0.5f : 0.785398163f)) +
            (high & 7) - 3);
    }
}

__device__ static inline double argument64(uint32_t i, unsigned k)
{
    uint64_t r = mix(i * 4ull + k), s = mix(r);

    if (i < 1024)
        return __longlong_as_double(nasty64[k == 0 ? i & 31 : k == 1 ? i >> 5 : i >> 2 & 31]);
    switch (i & 3) {
    case 0:
        return __longlong_as_double(r);
    case 1:
        return __longlong_as_double((r & 0x800fffffffffffffull) | (1003 + (s & 31)) << 52);
    case 2:
        return __dmul_rn((double)((int64_t)r >> 15), 0x1p-44);
    default:
        return __longlong_as_double(
            __double_as_longlong(__dmul_rn((double)((int32_t)r >> 22),
                                           i & 4 ? 0.5 : 0.78539816339744831)) + (s & 7) - 3);
    }
}

/* An integer for functions that take one, mostly small. */
__device__ static inline int argument_int(uint32_t i)
{
    uint64_t r = mix(i * 4ull + 3);

    return (int32_t)(uint32_t)r >> (r >> 32 & 31);
}

#define KERNEL(NAME, WORD)                                                            \
    extern "C" __global__ void NAME(uint64_t *sums, uint64_t *values, uint32_t count) \
    {                                                                                 \
        uint32_t i = index_here();                                                    \
        keep(sums, values, count, i, WORD);                                           \
    }
