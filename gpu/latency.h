/* SPDX-License-Identifier: Apache-2.0
 *
 * latency.h - how long a device takes to start and to launch. */
#ifndef SIMTLAB_GPU_LATENCY_H
#define SIMTLAB_GPU_LATENCY_H

#include "gpu/device.h"

/* Opens everything anew in this process, so the first figures are those of a
 * cold start only when nothing used the driver before. repeats is the number
 * of launches behind each later figure. */
bool latency_measure(const char *library, int device, unsigned repeats, struct text *out,
                     struct gpu_error *error);

#endif
