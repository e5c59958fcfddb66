/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_map.c - see tensor_map.h. What the bytes mean is between the driver and its
 * device: base/tensor_map.h knows those of sm_90 only. */
#include "gpu/tensor_map.h"

#include <string.h>

bool gpu_tensor_map(struct gpu_context *context, const struct tensor_map *map,
                    unsigned char bytes[TENSOR_MAP_BYTES], struct gpu_error *error)
{
    const struct driver *driver = context->driver;
    _Alignas(64) unsigned char made[TENSOR_MAP_BYTES]; /* which the driver insists on */
    bool done;

    if (!driver->cuTensorMapEncodeTiled || !driver->cuTensorMapEncodeIm2col)
        return gpu_fail(error, GPU_REFUSED, "this driver has no tensor maps");
    memset(made, 0, sizeof made);
    if (map->im2col)
        done = DRIVER_CALL(driver, error, "a tensor map", cuTensorMapEncodeIm2col,
                           (made, (int)map->type, map->rank, map->address, map->size,
                            map->stride, map->lower, map->upper, map->channels, map->pixels,
                            map->step, (int)map->interleave, (int)map->swizzle,
                            (int)map->promotion, map->nan_fill));
    else
        done = DRIVER_CALL(driver, error, "a tensor map", cuTensorMapEncodeTiled,
                           (made, (int)map->type, map->rank, map->address, map->size,
                            map->stride, map->box, map->step, (int)map->interleave,
                            (int)map->swizzle, (int)map->promotion, map->nan_fill));
    memcpy(bytes, made, sizeof made);
    return done;
}
