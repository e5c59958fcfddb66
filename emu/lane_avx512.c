/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_avx512.c - the lane loops compiled for x86-64 with AVX512; see lane_loops.h. */
#define LANE_TABLE lane_table_avx512
#include "emu/lane_loops.h"
