/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_map.h - tensor maps as the driver writes them for its devices. */
#ifndef SIMTLAB_GPU_TENSOR_MAP_H
#define SIMTLAB_GPU_TENSOR_MAP_H

#include "base/tensor_map.h"
#include "gpu/device.h"

/* The bytes of a map of device memory at map->address. */
bool gpu_tensor_map(struct gpu_context *context, const struct tensor_map *map,
                    unsigned char bytes[TENSOR_MAP_BYTES], struct gpu_error *error);

#endif
