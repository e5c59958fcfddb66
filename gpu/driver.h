/* SPDX-License-Identifier: Apache-2.0
 *
 * driver.h - the CUDA Driver API, loaded at run time.
 *
 * Nothing here needs CUDA's headers or libraries to build. A machine without
 * the driver, with too old a driver, or without a device gets a struct
 * gpu_error that says so; nothing crashes.
 *
 * Functions return true, or false with *error filled. The error parameter may
 * not be NULL; on success it is left alone. */
#ifndef SIMTLAB_GPU_DRIVER_H
#define SIMTLAB_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum gpu_failure {
    GPU_NO_DRIVER, /* no usable driver library on this machine */
    GPU_NO_DEVICE, /* a driver, but no such device */
    GPU_REFUSED,   /* the request cannot be carried out; the driver was not asked */
    GPU_CALL       /* the driver answered with an error: code, call and name say which */
};

/* Complete in itself: nothing in it is lent. */
struct gpu_error {
    enum gpu_failure failure;
    int code;      /* GPU_CALL: the driver's result code */
    char call[48]; /* GPU_CALL: the entry point */
    char name[64]; /* GPU_CALL: CUDA_ERROR_... */
    char text[512]; /* one sentence for the user, with all of the above */
};

/* --- the library's own types and numbers, as far as they are used ---------- */
typedef struct driver_context_handle *driver_context;
typedef struct driver_module_handle *driver_module;
typedef struct driver_function_handle *driver_function;
typedef struct driver_stream_handle *driver_stream;
typedef struct driver_event_handle *driver_event;
typedef struct driver_array_handle *driver_array;
typedef struct driver_mipmap_handle *driver_mipmap;
typedef struct driver_reference_handle *driver_reference; /* of a texture or surface */

enum driver_result {
    DRIVER_SUCCESS = 0,
    DRIVER_INVALID_VALUE = 1,
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_NO_DEVICE = 100,
    DRIVER_INVALID_DEVICE = 101,
    DRIVER_INVALID_PTX = 218,
    DRIVER_NOT_FOUND = 500,
    DRIVER_NOT_READY = 600,
    DRIVER_ILLEGAL_ADDRESS = 700,
    DRIVER_LAUNCH_TIMEOUT = 702,
    DRIVER_ASSERT = 710,
    DRIVER_HARDWARE_STACK_ERROR = 714,
    DRIVER_ILLEGAL_INSTRUCTION = 715,
    DRIVER_MISALIGNED_ADDRESS = 716,
    DRIVER_INVALID_ADDRESS_SPACE = 717,
    DRIVER_INVALID_PC = 718,
    DRIVER_LAUNCH_FAILED = 719
};

enum driver_launch_attribute_id {
    DRIVER_LAUNCH_COOPERATIVE = 2,
    DRIVER_LAUNCH_CLUSTER = 4
};

struct driver_launch_attribute {
    uint32_t id;
    uint32_t padding;
    union {
        uint32_t cluster[3];
        int32_t cooperative;
        uint64_t room[8]; /* the driver's union is 64 bytes */
    } value;
};

struct driver_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    driver_stream stream;
    const struct driver_launch_attribute *attributes;
    uint32_t attribute_count;
};

struct driver_array_description {
    size_t width, height, depth; /* elements; 0 where the array has no such direction */
    int format;
    unsigned channels, flags;
};

/* CUDA_ARRAY_DESCRIPTOR, of linear memory with rows. */
struct driver_flat_description {
    size_t width, height;
    int format;
    unsigned channels;
};

struct driver_copy {
    size_t from_x, from_y, from_z, from_level;
    int from_memory;
    const void *from_host;
    uint64_t from_device;
    driver_array from_array;
    void *from_reserved;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_level;
    int to_memory;
    void *to_host;
    uint64_t to_device;
    driver_array to_array;
    void *to_reserved;
    size_t to_pitch, to_height;
    size_t bytes, height, depth;
};

struct driver_resource {
    int type;
    union {
        driver_array array;
        driver_mipmap mipmap;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t size;
        } linear;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int room[32];
    } u;
    unsigned flags;
};

struct driver_texture {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    float border[4];
    int reserved[12];
};

/* --- the loaded library ---------------------------------------------------- */
struct driver {
    void *library;
    int cuda_version;       /* 13000 for CUDA 13.0 */
    char version[32];       /* of the driver package, "580.159.04"; "unknown" if
                               the library's file name does not tell */
    char path[256];         /* file it was loaded from */
#define ENTRY(need, name, symbol, since, arguments) int (*name) arguments;
#include "gpu/driver.def"
};

/* Loads the library and initialises it. path NULL means the system's
 * libcuda.so.1. *driver is NULL on failure; driver_close(NULL) is fine. */
bool driver_open(const char *path, struct driver **driver, struct gpu_error *error);
void driver_close(struct driver *driver);

/* True when code is success; else fills error from the driver's own name and
 * text. context, if not NULL, adds what was being done: "loading k.ptx". */
bool driver_check(const struct driver *driver, int code, const char *call,
                  const char *doing, struct gpu_error *error);
/* DRIVER_CALL(driver, error, doing, cuMemFree, (address)) */
#define DRIVER_CALL(driver, error, doing, name, arguments) \
    driver_check((driver), (driver)->name arguments, #name, (doing), (error))

/* Fills an error of our own; always false, to be returned at once. */
bool gpu_fail(struct gpu_error *error, enum gpu_failure failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- devices --------------------------------------------------------------- */
struct gpu_device_info {
    int ordinal, device;
    char name[96];
    char uuid[48];   /* "GPU-xxxxxxxx-...", "" if the driver does not tell */
    char pci_bus[32]; /* "0000:3b:00.0", "" likewise */
    uint64_t memory; /* bytes */
#define ATTRIBUTE(number, name, text) int name;
#include "gpu/attributes.def"
};

/* The number of devices; a driver that reports none is not an error. */
bool gpu_device_count(const struct driver *driver, int *count, struct gpu_error *error);
bool gpu_device_describe(const struct driver *driver, int ordinal,
                         struct gpu_device_info *info, struct gpu_error *error);
/* One line for each device, and with all its attributes when asked. */
bool gpu_devices_print(struct text *out, const struct driver *driver, bool attributes,
                       struct gpu_error *error);

#endif
