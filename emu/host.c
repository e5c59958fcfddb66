/* SPDX-License-Identifier: Apache-2.0
 *
 * host.c - the vector instruction sets of this host. */
#include "config.h"

#include "emu/host.h"

enum host_vectors host_vectors(void)
{
#ifdef HAVE_X86_VECTORS
    __builtin_cpu_init();
    if (HOST_VECTORS_MOST >= HOST_AVX512 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return HOST_AVX512;
    if (HOST_VECTORS_MOST >= HOST_AVX2 && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma"))
        return HOST_AVX2;
#endif
    return HOST_GENERIC;
}
