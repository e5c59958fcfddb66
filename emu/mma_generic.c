/* SPDX-License-Identifier: Apache-2.0
 *
 * mma_generic.c - products of matrices compiled for any host. */
#define TENSOR_LOOPS tensor_loops_generic
#include "numeric/tensor_loops.h"
