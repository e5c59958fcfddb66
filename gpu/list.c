/* SPDX-License-Identifier: Apache-2.0
 *
 * list.c - what devices there are, and what they are like. */
#include <stdio.h>
#include <string.h>

#include "gpu/driver.h"

bool gpu_device_count(const struct driver *driver, int *count, struct gpu_error *error)
{
    int code = driver->cuDeviceGetCount(count);

    if (code == DRIVER_NO_DEVICE) {
        *count = 0;
        return true;
    }
    return driver_check(driver, code, "cuDeviceGetCount", NULL, error);
}

static void format_uuid(char *out, size_t size, const unsigned char *u)
{
    snprintf(out, size,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
             u[12], u[13], u[14], u[15]);
}

bool gpu_device_describe(const struct driver *driver, int ordinal,
                         struct gpu_device_info *info, struct gpu_error *error)
{
    unsigned char uuid[16];
    size_t memory = 0;
    int count, code;

    *info = (struct gpu_device_info){.ordinal = ordinal};
    if (!gpu_device_count(driver, &count, error))
        return false;
    if (ordinal < 0 || ordinal >= count)
        return gpu_fail(error, GPU_NO_DEVICE, "there is no device cuda:%d; %s", ordinal,
                        count == 0   ? "the driver reports none"
                        : count == 1 ? "the only one is cuda:0"
                                     : "`simtlab devices` lists them");
    if (!DRIVER_CALL(driver, error, NULL, cuDeviceGet, (&info->device, ordinal)) ||
        !DRIVER_CALL(driver, error, NULL, cuDeviceGetName,
                     (info->name, (int)sizeof info->name, info->device)) ||
        !DRIVER_CALL(driver, error, NULL, cuDeviceTotalMem, (&memory, info->device)))
        return false;
    info->name[sizeof info->name - 1] = 0;
    info->memory = memory;
    if (driver->cuDeviceGetUuid &&
        driver->cuDeviceGetUuid(uuid, info->device) == DRIVER_SUCCESS)
        format_uuid(info->uuid, sizeof info->uuid, uuid);
    if (!driver->cuDeviceGetPCIBusId ||
        driver->cuDeviceGetPCIBusId(info->pci_bus, (int)sizeof info->pci_bus,
                                    info->device) != DRIVER_SUCCESS)
        info->pci_bus[0] = 0;
#define ATTRIBUTE(number, name, text)                                             \
    code = driver->cuDeviceGetAttribute(&info->name, number, info->device);       \
    if (code == DRIVER_INVALID_VALUE)                                             \
        info->name = -1;                                                          \
    else if (!driver_check(driver, code, "cuDeviceGetAttribute", text, error))    \
        return false;
#include "gpu/attributes.def"
    return true;
}

static void print_device(struct text *out, const struct driver *driver,
                         const struct gpu_device_info *info, bool attributes)
{
    text_printf(out, "cuda:%d  %s  sm_%d%d  %llu MiB  %s  pci %s  driver %s (CUDA %d.%d)\n",
                info->ordinal, info->name, info->major, info->minor,
                (unsigned long long)(info->memory >> 20),
                info->uuid[0] ? info->uuid : "no-uuid",
                info->pci_bus[0] ? info->pci_bus : "unknown", driver->version,
                driver->cuda_version / 1000, driver->cuda_version % 1000 / 10);
    if (!attributes)
        return;
#define ATTRIBUTE(number, name, text)                         \
    if (info->name >= 0)                                      \
        text_printf(out, "    %-52s %d\n", text, info->name); \
    else                                                      \
        text_printf(out, "    %-52s not known to this driver\n", text);
#include "gpu/attributes.def"
}

bool gpu_devices_print(struct text *out, const struct driver *driver, bool attributes,
                       struct gpu_error *error)
{
    struct gpu_device_info info;
    int count;

    if (!gpu_device_count(driver, &count, error))
        return false;
    for (int i = 0; i < count; i++) {
        if (!gpu_device_describe(driver, i, &info, error))
            return false;
        print_device(out, driver, &info, attributes);
    }
    if (count == 0)
        text_puts(out, "the CUDA driver reports no device\n");
    return true;
}
