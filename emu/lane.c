/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.c - picks the lane loops that suit this host. */
#include "config.h"

#include "emu/host.h"
#include "emu/lane.h"

extern lane_function *const lane_table_generic[IR_ROW_COUNT];
#ifdef HAVE_X86_VECTORS
extern lane_function *const lane_table_avx2[IR_ROW_COUNT];
extern lane_function *const lane_table_avx512[IR_ROW_COUNT];
#endif

lane_function *const *lane_functions(void)
{
    switch (host_vectors()) {
#ifdef HAVE_X86_VECTORS
    case HOST_AVX512:
        return lane_table_avx512;
    case HOST_AVX2:
        return lane_table_avx2;
#endif
    default:
        return lane_table_generic;
    }
}
