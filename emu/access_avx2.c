/* SPDX-License-Identifier: Apache-2.0
 *
 * access_avx2.c - the access loops compiled for x86-64 with AVX2. */
#define ACCESS_TABLE access_table_avx2
#include "emu/access_loops.h"
