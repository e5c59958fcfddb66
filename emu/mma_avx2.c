/* SPDX-License-Identifier: Apache-2.0
 *
 * mma_avx2.c - products of matrices compiled for x86-64 with AVX2. */
#define TENSOR_LOOPS tensor_loops_avx2
#include "numeric/tensor_loops.h"
