/* SPDX-License-Identifier: Apache-2.0
 *
 * driver.c - finding, loading and checking the CUDA driver library.
 *
 * Entry points are looked up by the exported symbol that has exactly the
 * signature in driver.def. A library that does not export it is asked through
 * cuGetProcAddress, by the plain name and the version of the signature. */
/* dladdr: where the library came from. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_CUDA = 11000 }; /* cuDevicePrimaryCtxRelease_v2 and module JIT logs */

bool gpu_fail(struct gpu_error *error, enum gpu_failure failure, const char *format, ...)
{
    va_list list;

    *error = (struct gpu_error){.failure = failure};
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return false;
}

bool driver_check(const struct driver *driver, int code, const char *call,
                  const char *doing, struct gpu_error *error)
{
    const char *name = NULL, *text = NULL;

    if (code == DRIVER_SUCCESS)
        return true;
    if (driver->cuGetErrorName)
        driver->cuGetErrorName(code, &name);
    if (driver->cuGetErrorString)
        driver->cuGetErrorString(code, &text);
    *error = (struct gpu_error){.failure = GPU_CALL, .code = code};
    snprintf(error->call, sizeof error->call, "%s", call);
    snprintf(error->name, sizeof error->name, "%s", name ? name : "CUDA_ERROR_UNNAMED");
    snprintf(error->text, sizeof error->text, "%s%s%s: %s (%d), %s", doing ? doing : "",
             doing ? ": " : "", call, error->name, code,
             text ? text : "the driver has no text for it");
    return false;
}

typedef int get_address(const char *name, void **address, int version, uint64_t flags,
                        int *status);

/* POSIX gives functions as object pointers; this is its way to turn them. */
static void set_pointer(void *member, void *address)
{
    memcpy(member, &address, sizeof address);
}

static void *find_entry(void *library, const char *name, const char *symbol, int since)
{
    void *address = dlsym(library, symbol);
    get_address *ask;
    int status = 0;

    if (address)
        return address;
    set_pointer(&ask, dlsym(library, "cuGetProcAddress_v2"));
    if (!ask || ask(name, &address, since, 0, &status) != DRIVER_SUCCESS)
        return NULL;
    return address;
}

enum need { REQUIRED, OPTIONAL };

static bool find_entries(struct driver *driver, const char *path, struct gpu_error *error)
{
#define ENTRY(need, name, symbol, since, arguments)                              \
    set_pointer(&driver->name, find_entry(driver->library, #name, #symbol, since)); \
    if (need == REQUIRED && !driver->name)                                       \
        return gpu_fail(error, GPU_NO_DRIVER,                                    \
                        "%s is no CUDA driver that can be used: it has no %s",   \
                        path, #symbol);
#include "gpu/driver.def"
    return true;
}

/* The package's version is in the name of the file that the links lead to:
 * libcuda.so.580.159.04. */
static void find_version(struct driver *driver)
{
    static const char MARK[] = "libcuda.so.";
    Dl_info info;
    void *address;
    char *file = NULL;

    snprintf(driver->version, sizeof driver->version, "unknown");
    memcpy(&address, &driver->cuInit, sizeof address);
    if (dladdr(address, &info) && info.dli_fname)
        file = realpath(info.dli_fname, NULL);
    if (!file)
        return;
    snprintf(driver->path, sizeof driver->path, "%s", file);
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    if (!strncmp(base, MARK, sizeof MARK - 1) && strchr(base + sizeof MARK - 1, '.'))
        snprintf(driver->version, sizeof driver->version, "%.31s", base + sizeof MARK - 1);
    free(file);
}

bool driver_open(const char *path, struct driver **out, struct gpu_error *error)
{
    const char *asked = path ? path : "libcuda.so.1";
    struct driver *driver;

    *out = NULL;
    dlerror();
    void *library = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        return gpu_fail(error, GPU_NO_DRIVER,
                        "no CUDA driver on this machine: %s (a GPU is only needed for "
                        "the cuda executors)",
                        why ? why : asked);
    }
    driver = calloc(1, sizeof *driver);
    if (!driver) {
        dlclose(library);
        return gpu_fail(error, GPU_REFUSED, "out of host memory");
    }
    driver->library = library;
    snprintf(driver->path, sizeof driver->path, "%s", asked);
    if (!find_entries(driver, asked, error))
        goto failed;
    find_version(driver);
    int code = driver->cuInit(0);
    if (code == DRIVER_NO_DEVICE) {
        driver_check(driver, code, "cuInit", "the CUDA driver finds no device", error);
        error->failure = GPU_NO_DEVICE;
        goto failed;
    }
    if (!driver_check(driver, code, "cuInit", "starting the CUDA driver", error) ||
        !DRIVER_CALL(driver, error, NULL, cuDriverGetVersion, (&driver->cuda_version)))
        goto failed;
    if (driver->cuda_version < OLDEST_CUDA) {
        gpu_fail(error, GPU_NO_DRIVER, "the CUDA driver is too old: it offers CUDA %d.%d, "
                 "needed is %d.%d", driver->cuda_version / 1000,
                 driver->cuda_version % 1000 / 10, OLDEST_CUDA / 1000,
                 OLDEST_CUDA % 1000 / 10);
        goto failed;
    }
    *out = driver;
    return true;
failed:
    driver_close(driver);
    return false;
}

void driver_close(struct driver *driver)
{
    if (!driver)
        return;
    /* The genuine library starts threads; unloading it under them is unsafe,
     * so a library that was initialised stays until the process ends. */
    if (!driver->cuda_version)
        dlclose(driver->library);
    free(driver);
}
