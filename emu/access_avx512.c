/* SPDX-License-Identifier: Apache-2.0
 *
 * access_avx512.c - the access loops compiled for x86-64 with AVX-512. */
#define ACCESS_TABLE access_table_avx512
#include "emu/access_loops.h"
