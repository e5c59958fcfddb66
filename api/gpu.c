/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu.c - asking the CUDA driver, if there is one, for its devices. */
#include "api/gpu.h"

#include "gpu/driver.h"

void gpus_describe(struct text *out, bool attributes)
{
    struct driver *driver;
    struct gpu_error error = {0};

    if (!driver_open(NULL, &driver, &error) ||
        !gpu_devices_print(out, driver, attributes, &error))
        text_printf(out, "none: %s\n", error.text);
    driver_close(driver);
}
