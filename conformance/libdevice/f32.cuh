/* SPDX-License-Identifier: Apache-2.0
 *
 * f32.cuh - a kernel for a function of single precision in one line. */
#include "arguments.cuh"

#define A argument32(i, 0)
#define B argument32(i, 1)
#define C argument32(i, 2)
#define N argument_int(i)
#define F(NAME, VALUE) KERNEL(NAME, __float_as_uint(VALUE))
#define PAIR(LOW, HIGH) ((uint64_t)(uint32_t)(HIGH) << 32 | (uint32_t)(LOW))
