/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.c - picks the lane loops that suit this host. */
#include "config.h"

#include "emu/lane.h"

extern lane_function *const lane_table_generic[IR_ROW_COUNT];
#ifdef HAVE_X86_VECTORS
extern lane_function *const lane_table_avx2[IR_ROW_COUNT];
extern lane_function *const lane_table_avx512[IR_ROW_COUNT];
#endif

lane_function *const *lane_functions(void)
{
#ifdef HAVE_X86_VECTORS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return lane_table_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return lane_table_avx2;
#endif
    return lane_table_generic;
}
