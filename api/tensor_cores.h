/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_cores.h - what the tensor cores of each profile do, for people. */
#ifndef SIMTLAB_API_TENSOR_CORES_H
#define SIMTLAB_API_TENSOR_CORES_H

#include "base/text.h"

/* A line for each profile, with a heading. */
void tensor_cores_describe(struct text *out);

#endif
