/* SPDX-License-Identifier: Apache-2.0
 *
 * host_functions.c - a library for --bind. */
#include <stdint.h>

double host_mix(int32_t a, float b, double c, uint64_t d);
const char host_mix_signature[] = "difdm";

double host_mix(int32_t a, float b, double c, uint64_t d)
{
    return a + 10.0 * (double)b + 100.0 * c + 1000.0 * (double)d;
}

/* Mangled: the parameter types are in the name, the result is an integer. */
uint32_t _Z9host_castfj(float a, uint32_t b);

uint32_t _Z9host_castfj(float a, uint32_t b)
{
    return (uint32_t)(a * 2.0f) + b;
}
