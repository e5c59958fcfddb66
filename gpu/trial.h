/* SPDX-License-Identifier: Apache-2.0
 *
 * trial.h - does the runtime work on this machine's device? */
#ifndef SIMTLAB_GPU_TRIAL_H
#define SIMTLAB_GPU_TRIAL_H

#include "gpu/driver.h"

/* Uses the device in every way that device.h offers and writes a line for each,
 * "ok" or what went wrong. The last steps end in a fault, so the process should
 * use no device afterwards. False, with *error filled, when the device cannot be
 * opened; *failures counts steps that did not do what they should. */
bool trial_run(const char *library, int device, struct text *out, unsigned *failures,
               struct gpu_error *error);

#endif
