/* SPDX-License-Identifier: Apache-2.0
 *
 * f64.cuh - a kernel for a function of double precision in one line. */
#include "arguments.cuh"

#define A argument64(i, 0)
#define B argument64(i, 1)
#define C argument64(i, 2)
#define N argument_int(i)
#define F(NAME, VALUE) KERNEL(NAME, (uint64_t)__double_as_longlong(VALUE))
