/* SPDX-License-Identifier: Apache-2.0
 *
 * mma_avx512.c - products of matrices compiled for x86-64 with AVX-512. */
#define TENSOR_LOOPS tensor_loops_avx512
#include "numeric/tensor_loops.h"
