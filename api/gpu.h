/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu.h - the real GPUs of this machine. */
#ifndef SIMTLAB_API_GPU_H
#define SIMTLAB_API_GPU_H

#include <stdbool.h>

#include "base/text.h"

/* A line for each, with all its attributes when asked; or one that says why
 * there is none. */
void gpus_describe(struct text *out, bool attributes);

#endif
