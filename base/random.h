/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h - the one definition of `=rand:SEED` buffer contents.
 *
 * Element i of a buffer with seed s is made from the i-th output of
 * splitmix64 (Steele, Lea, Flood 2014) started at s. Its state is only a
 * counter, so element i needs no earlier element, and every executor -
 * emulator, real GPU, recording - fills the same bytes.
 *
 *     integers of w bits   the top w bits of the output: the full range
 *     f64                  k / 2^52, k the top 53 bits as a signed number
 *     f32                  k / 2^23, k the top 24 bits
 *     f16                  k / 2^10, k the top 11 bits
 *     bf16                 k / 2^7,  k the top  8 bits
 *
 * where "as a signed number" means two's complement. All floating-point
 * values are exact, lie in [-1, 1), and are spread evenly; zero is +0. */
#ifndef SIMTLAB_BASE_RANDOM_H
#define SIMTLAB_BASE_RANDOM_H

#include <stdint.h>

/* The index-th output (0-based) of splitmix64 with this seed. */
static inline uint64_t random_at(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
