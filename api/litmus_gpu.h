/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus_gpu.h - running litmus tests on a real GPU. */
#ifndef SIMTLAB_API_LITMUS_GPU_H
#define SIMTLAB_API_LITMUS_GPU_H

#include <stdbool.h>

#include "memmodel/many_run.h"

struct litmus_gpu;

/* NULL, with the reason in err. Then, until it is closed: */
struct litmus_gpu *litmus_gpu_open(int ordinal, struct text *err);
void litmus_gpu_close(struct litmus_gpu *gpu);
/* "NVIDIA H200", and the version of its driver. */
const char *litmus_gpu_chip(const struct litmus_gpu *gpu);
const char *litmus_gpu_driver(const struct litmus_gpu *gpu);
/* Lent. */
const struct many_device *litmus_gpu_device(struct litmus_gpu *gpu);

#endif
