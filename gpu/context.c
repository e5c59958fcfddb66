/* SPDX-License-Identifier: Apache-2.0
 *
 * context.c - a device in use: its context, limits, memory, streams, events. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* clock_gettime */
#endif
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gpu/device.h"

enum { STREAM_NON_BLOCKING = 1 };

/* --- the pool's backing: the driver's own allocator -------------------------- */

static bool backing_obtain(void *self, uint64_t size, uint64_t *address)
{
    struct gpu_context *context = self;

    return context->driver->cuMemAlloc(address, (size_t)size) == DRIVER_SUCCESS;
}

/* After a fault the driver refuses; the memory goes with the context then. */
static void backing_give_back(void *self, uint64_t address)
{
    struct gpu_context *context = self;

    context->driver->cuMemFree(address);
}

/* --- contexts ---------------------------------------------------------------- */

/* True when the thread's current context is on the wanted device; *ordinal is
 * resolved in any case. */
static bool adopt_current(const struct driver *driver, int *ordinal, driver_context *current)
{
    int device, wanted;

    *current = NULL;
    if (driver->cuCtxGetCurrent(current) != DRIVER_SUCCESS || !*current ||
        driver->cuCtxGetDevice(&device) != DRIVER_SUCCESS) {
        *ordinal = *ordinal < 0 ? 0 : *ordinal;
        return false;
    }
    if (*ordinal >= 0)
        return driver->cuDeviceGet(&wanted, *ordinal) == DRIVER_SUCCESS && wanted == device;
    /* Find the ordinal of the current device. */
    for (int i = 0; driver->cuDeviceGet(&wanted, i) == DRIVER_SUCCESS; i++) {
        if (wanted == device) {
            *ordinal = i;
            return true;
        }
    }
    *ordinal = 0;
    return false;
}

/* The primary context is there and is this one: then held, so that it does not go
 * when whoever made it lets it go. */
static bool hold_primary(const struct driver *driver, int device, driver_context current)
{
    driver_context primary = NULL;
    unsigned flags;
    int active = 0;

    if (!driver->cuDevicePrimaryCtxGetState ||
        driver->cuDevicePrimaryCtxGetState(device, &flags, &active) != DRIVER_SUCCESS ||
        !active || driver->cuDevicePrimaryCtxRetain(&primary, device) != DRIVER_SUCCESS)
        return false;
    if (primary == current)
        return true;
    driver->cuDevicePrimaryCtxRelease(device);
    return false;
}

/* Measured on an H200: the primary context stays as a fault left it, though all who held
 * it have let it go, and after a reset, too. */
static bool faulted_before(struct gpu_error *error)
{
    size_t used = strlen(error->text);

    if (gpu_error_is_fault(error))
        snprintf(error->text + used, sizeof error->text - used,
                 "; a kernel of this process faulted before: only a new process can use the GPU");
    return false;
}

bool gpu_context_open(const struct driver *driver, int ordinal, struct gpu_context *context,
                      struct gpu_error *error)
{
    driver_context current, primary;

    *context = (struct gpu_context){.driver = driver};
    bool adopted = adopt_current(driver, &ordinal, &current);
    if (!gpu_device_describe(driver, ordinal, &context->info, error))
        return false;
    context->previous = current;
    if (adopted) {
        context->handle = current;
        context->retained = hold_primary(driver, context->info.device, current);
    } else {
        if (!DRIVER_CALL(driver, error, "opening the device", cuDevicePrimaryCtxRetain,
                         (&primary, context->info.device)))
            return faulted_before(error);
        if (!DRIVER_CALL(driver, error, "opening the device", cuCtxSetCurrent, (primary))) {
            driver->cuDevicePrimaryCtxRelease(context->info.device);
            return false;
        }
        context->handle = primary;
        context->retained = true;
    }
    context->pool = pool_open((struct pool_backing){context, backing_obtain, backing_give_back},
                              (struct pool_options){0});
    return true;
}

size_t gpu_context_close(struct gpu_context *context, struct text *leaks)
{
    const struct driver *driver = context->driver;

    if (!context->handle)
        return 0;
    driver->cuCtxSynchronize(); /* a fault was reported where it was waited for */
    size_t leaked = pool_close(context->pool, leaks);
    if (context->previous != context->handle)
        driver->cuCtxSetCurrent(context->previous);
    if (context->retained)
        driver->cuDevicePrimaryCtxRelease(context->info.device);
    *context = (struct gpu_context){.driver = driver};
    return leaked;
}

bool gpu_context_enter(const struct gpu_context *context, driver_context *previous,
                       struct gpu_error *error)
{
    const struct driver *driver = context->driver;

    *previous = NULL;
    return DRIVER_CALL(driver, error, "entering the device", cuCtxGetCurrent, (previous)) &&
           (*previous == context->handle ||
            DRIVER_CALL(driver, error, "entering the device", cuCtxSetCurrent,
                        (context->handle)));
}

void gpu_context_leave(const struct gpu_context *context, driver_context previous)
{
    if (previous != context->handle)
        context->driver->cuCtxSetCurrent(previous);
}

bool gpu_context_wait(struct gpu_context *context, struct gpu_error *error)
{
    if (!DRIVER_CALL(context->driver, error, NULL, cuCtxSynchronize, ()))
        return false;
    pool_settle(context->pool, NULL, true);
    return true;
}

bool gpu_limit_set(struct gpu_context *context, enum gpu_limit limit, size_t bytes,
                   struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error,
                       limit == GPU_LIMIT_STACK    ? "setting the stack limit"
                       : limit == GPU_LIMIT_PRINTF ? "setting the printf buffer's size"
                                                   : "setting the heap's size",
                       cuCtxSetLimit, ((int)limit, bytes));
}

bool gpu_limit_get(struct gpu_context *context, enum gpu_limit limit, size_t *bytes,
                   struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, NULL, cuCtxGetLimit, (bytes, (int)limit));
}

/* Those after which the manual calls the context unusable. */
bool gpu_error_is_fault(const struct gpu_error *error)
{
    if (error->failure != GPU_CALL)
        return false;
    switch (error->code) {
    case DRIVER_ILLEGAL_ADDRESS:
    case DRIVER_LAUNCH_TIMEOUT:
    case DRIVER_ASSERT:
    case DRIVER_HARDWARE_STACK_ERROR:
    case DRIVER_ILLEGAL_INSTRUCTION:
    case DRIVER_MISALIGNED_ADDRESS:
    case DRIVER_INVALID_ADDRESS_SPACE:
    case DRIVER_INVALID_PC:
    case DRIVER_LAUNCH_FAILED:
        return true;
    default:
        return false;
    }
}

/* --- memory ------------------------------------------------------------------- */

bool gpu_alloc(struct gpu_context *context, uint64_t size, driver_stream stream,
               const char *label, uint64_t *address, struct gpu_error *error)
{
    size_t available = 0, total = 0;

    switch (pool_alloc(context->pool, size, stream, label, address)) {
    case POOL_OK:
        return true;
    case POOL_TOO_LARGE:
        return gpu_fail(error, GPU_REFUSED, "%llu bytes of device memory cannot be asked for",
                        (unsigned long long)size);
    default:
        context->driver->cuMemGetInfo(&available, &total);
        driver_check(context->driver, DRIVER_OUT_OF_MEMORY, "cuMemAlloc",
                     label ? label : "allocating device memory", error);
        size_t used = strlen(error->text);
        snprintf(error->text + used, sizeof error->text - used,
                 "; %llu bytes were asked for, %llu of %llu are free",
                 (unsigned long long)size, (unsigned long long)available,
                 (unsigned long long)total);
        return false;
    }
}

bool gpu_free(struct gpu_context *context, uint64_t address, driver_stream stream,
              struct gpu_error *error)
{
    switch (pool_free(context->pool, address, stream)) {
    case POOL_OK:
        return true;
    case POOL_ALREADY_FREE:
        return gpu_fail(error, GPU_REFUSED, "device memory at 0x%llx was freed before",
                        (unsigned long long)address);
    default:
        return gpu_fail(error, GPU_REFUSED, "no allocation starts at 0x%llx",
                        (unsigned long long)address);
    }
}

bool gpu_copy_in(struct gpu_context *context, uint64_t to, const void *from, size_t size,
                 driver_stream stream, struct gpu_error *error)
{
    return size == 0 || DRIVER_CALL(context->driver, error, "copying to the device",
                                    cuMemcpyHtoDAsync, (to, from, size, stream));
}

bool gpu_copy_out(struct gpu_context *context, void *to, uint64_t from, size_t size,
                  driver_stream stream, struct gpu_error *error)
{
    return size == 0 || DRIVER_CALL(context->driver, error, "copying from the device",
                                    cuMemcpyDtoHAsync, (to, from, size, stream));
}

bool gpu_copy(struct gpu_context *context, uint64_t to, uint64_t from, size_t size,
              driver_stream stream, struct gpu_error *error)
{
    return size == 0 || DRIVER_CALL(context->driver, error, "copying on the device",
                                    cuMemcpyDtoDAsync, (to, from, size, stream));
}

bool gpu_fill(struct gpu_context *context, uint64_t to, unsigned char value, size_t size,
              driver_stream stream, struct gpu_error *error)
{
    return size == 0 || DRIVER_CALL(context->driver, error, "filling device memory",
                                    cuMemsetD8Async, (to, value, size, stream));
}

/* --- streams and events --------------------------------------------------------- */

bool gpu_stream_open(struct gpu_context *context, driver_stream *stream, struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, NULL, cuStreamCreate,
                       (stream, STREAM_NON_BLOCKING));
}

/* Waits first: the stream's handle marks freed memory, and may be used again. */
bool gpu_stream_close(struct gpu_context *context, driver_stream stream, struct gpu_error *error)
{
    struct gpu_error ignored;
    bool waited = gpu_stream_wait(context, stream, error);

    return DRIVER_CALL(context->driver, waited ? error : &ignored, NULL, cuStreamDestroy,
                       (stream)) && waited;
}

bool gpu_stream_wait(struct gpu_context *context, driver_stream stream, struct gpu_error *error)
{
    if (!DRIVER_CALL(context->driver, error, NULL, cuStreamSynchronize, (stream)))
        return false;
    pool_settle(context->pool, stream, false);
    return true;
}

bool gpu_stream_done(struct gpu_context *context, driver_stream stream, bool *done,
                     struct gpu_error *error)
{
    int code = context->driver->cuStreamQuery(stream);

    *done = code == DRIVER_SUCCESS;
    return code == DRIVER_NOT_READY ||
           driver_check(context->driver, code, "cuStreamQuery", NULL, error);
}

bool gpu_stream_wait_for(struct gpu_context *context, driver_stream stream, uint64_t seconds,
                         bool *done, struct gpu_error *error)
{
    struct timespec pause = {.tv_nsec = 10000}, start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        if (!gpu_stream_done(context, stream, done, error))
            return false;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (*done)
            return gpu_stream_wait(context, stream, error);
        uint64_t whole = (uint64_t)(now.tv_sec - start.tv_sec) - (now.tv_nsec < start.tv_nsec);
        if (whole >= seconds)
            return true;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 1000000)
            pause.tv_nsec *= 2;
    }
}

bool gpu_event_open(struct gpu_context *context, driver_event *event, struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, NULL, cuEventCreate, (event, 0));
}

bool gpu_event_close(struct gpu_context *context, driver_event event, struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, NULL, cuEventDestroy, (event));
}

bool gpu_event_record(struct gpu_context *context, driver_event event, driver_stream stream,
                      struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, NULL, cuEventRecord, (event, stream));
}

bool gpu_event_wait(struct gpu_context *context, driver_event event, struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, NULL, cuEventSynchronize, (event));
}

bool gpu_stream_after(struct gpu_context *context, driver_stream stream, driver_event event,
                      struct gpu_error *error)
{
    return DRIVER_CALL(context->driver, error, NULL, cuStreamWaitEvent, (stream, event, 0));
}

bool gpu_event_elapsed(struct gpu_context *context, driver_event start, driver_event end,
                       double *milliseconds, struct gpu_error *error)
{
    float value = 0;

    if (!DRIVER_CALL(context->driver, error, NULL, cuEventElapsedTime, (&value, start, end)))
        return false;
    *milliseconds = (double)value;
    return true;
}
