/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_generic.c - the lane loops for any host; see lane_loops.h. */
#define LANE_TABLE lane_table_generic
#include "emu/lane_loops.h"
