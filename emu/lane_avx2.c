/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_avx2.c - the lane loops compiled for x86-64 with AVX2; see lane_loops.h. */
#define LANE_TABLE lane_table_avx2
#include "emu/lane_loops.h"
