/* SPDX-License-Identifier: Apache-2.0
 *
 * device.h - running PTX on a real GPU.
 *
 * A gpu_context is one device as seen by one host thread at a time; modules,
 * streams, events and memory belong to it and must be gone before it closes
 * (memory that is not is reported). It has to be current on the thread that
 * calls: it is on the one that opened it, others gpu_context_enter. Copies, fills and launches only queue work
 * on a stream: NULL is the default stream; results and faults show at
 * gpu_stream_wait. A fault (gpu_error_is_fault) makes the whole context
 * useless: every later call fails with the same code, as the driver has it.
 *
 * All functions return false with *error filled, as gpu/driver.h says. */
#ifndef SIMTLAB_GPU_DEVICE_H
#define SIMTLAB_GPU_DEVICE_H

#include "gpu/driver.h"
#include "gpu/pool.h"

/* --- contexts --------------------------------------------------------------- */

/* Stays where gpu_context_open filled it: the pool points to it. */
struct gpu_context {
    const struct driver *driver; /* lent */
    struct gpu_device_info info;
    driver_context handle;
    driver_context previous; /* current before; restored at close */
    bool retained;           /* the primary context, to be released */
    struct pool *pool;
};

/* Uses the context that is current on this thread when it belongs to the
 * device (adopting what the program around us has set up), else the device's
 * primary context. ordinal -1: the current context's device, else device 0.
 * The primary context is held until this closes; another one that is adopted
 * must live as long. */
bool gpu_context_open(const struct driver *driver, int ordinal, struct gpu_context *context,
                      struct gpu_error *error);
/* Waits for the device, reports memory that was not freed into leaks (may be
 * NULL) and returns the number of such allocations. */
size_t gpu_context_close(struct gpu_context *context, struct text *leaks);
/* Makes it current on this thread; *previous was, to be restored by leave. */
bool gpu_context_enter(const struct gpu_context *context, driver_context *previous,
                       struct gpu_error *error);
void gpu_context_leave(const struct gpu_context *context, driver_context previous);
/* Waits for all work and makes all freed memory available again. */
bool gpu_context_wait(struct gpu_context *context, struct gpu_error *error);

enum gpu_limit { GPU_LIMIT_STACK = 0, GPU_LIMIT_PRINTF = 1, GPU_LIMIT_HEAP = 2 };
/* Bytes: of one thread's stack, the printf buffer, the device's malloc heap.
 * The heap and the printf buffer are fixed once a module that uses them ran. */
bool gpu_limit_set(struct gpu_context *context, enum gpu_limit limit, size_t bytes,
                   struct gpu_error *error);
bool gpu_limit_get(struct gpu_context *context, enum gpu_limit limit, size_t *bytes,
                   struct gpu_error *error);

/* A kernel did this, not the call that reported it. */
bool gpu_error_is_fault(const struct gpu_error *error);

/* --- memory ------------------------------------------------------------------ */

/* From the context's pool; see gpu/pool.h for stream and label. */
bool gpu_alloc(struct gpu_context *context, uint64_t size, driver_stream stream,
               const char *label, uint64_t *address, struct gpu_error *error);
bool gpu_free(struct gpu_context *context, uint64_t address, driver_stream stream,
              struct gpu_error *error);
/* Host memory of copies must stay until the stream was waited for. */
bool gpu_copy_in(struct gpu_context *context, uint64_t to, const void *from, size_t size,
                 driver_stream stream, struct gpu_error *error);
bool gpu_copy_out(struct gpu_context *context, void *to, uint64_t from, size_t size,
                  driver_stream stream, struct gpu_error *error);
bool gpu_copy(struct gpu_context *context, uint64_t to, uint64_t from, size_t size,
              driver_stream stream, struct gpu_error *error);
bool gpu_fill(struct gpu_context *context, uint64_t to, unsigned char value, size_t size,
              driver_stream stream, struct gpu_error *error);

/* --- streams and events -------------------------------------------------------- */

/* Independent of the default stream. */
bool gpu_stream_open(struct gpu_context *context, driver_stream *stream, struct gpu_error *error);
bool gpu_stream_close(struct gpu_context *context, driver_stream stream, struct gpu_error *error);
/* Waits; the place where a kernel's fault comes out. */
bool gpu_stream_wait(struct gpu_context *context, driver_stream stream, struct gpu_error *error);
/* The same for some time: *done tells whether that was enough. */
bool gpu_stream_wait_for(struct gpu_context *context, driver_stream stream, uint64_t seconds,
                         bool *done, struct gpu_error *error);
/* *done without waiting. */
bool gpu_stream_done(struct gpu_context *context, driver_stream stream, bool *done,
                     struct gpu_error *error);

bool gpu_event_open(struct gpu_context *context, driver_event *event, struct gpu_error *error);
bool gpu_event_close(struct gpu_context *context, driver_event event, struct gpu_error *error);
bool gpu_event_record(struct gpu_context *context, driver_event event, driver_stream stream,
                      struct gpu_error *error);
bool gpu_event_wait(struct gpu_context *context, driver_event event, struct gpu_error *error);
/* Work queued on the stream from now on starts after the event. */
bool gpu_stream_after(struct gpu_context *context, driver_stream stream, driver_event event,
                      struct gpu_error *error);
/* Both events recorded and waited for. */
bool gpu_event_elapsed(struct gpu_context *context, driver_event start, driver_event end,
                       double *milliseconds, struct gpu_error *error);

/* --- modules and kernels ------------------------------------------------------- */

struct gpu_module {
    driver_module handle;
};

struct gpu_jit {
    int max_registers;  /* 0: the compiler's choice */
    int optimisation;   /* 0..4; -1: the default, 4 */
    bool line_info;
    bool verbose;       /* registers and spills of each kernel in the log */
    const char *assembler; /* NULL, or a program in place of the driver's compiler, called as
                            * gpu/assemble.h says; it hears of none of the above */
};

/* Compiles PTX text for the device. log, if not NULL, gets the compiler's
 * messages, on success and on failure. name is what the error calls it. */
bool gpu_module_load(struct gpu_context *context, const char *name, const char *ptx,
                     size_t size, const struct gpu_jit *jit, struct text *log,
                     struct gpu_module *module, struct gpu_error *error);
bool gpu_module_unload(struct gpu_context *context, struct gpu_module *module,
                       struct gpu_error *error);
/* Where a .global or .const variable lies. */
bool gpu_module_global(struct gpu_context *context, const struct gpu_module *module,
                       const char *name, uint64_t *address, size_t *size,
                       struct gpu_error *error);

struct gpu_kernel {
    driver_function handle;
    const char *name; /* lent by the caller of gpu_kernel_find */
    int registers, static_shared, constant, local; /* of a thread, or bytes */
    int max_threads;  /* of a block, as compiled */
    int ptx_version, binary_version; /* 80 for 8.0 */
};

bool gpu_kernel_find(struct gpu_context *context, const struct gpu_module *module,
                     const char *name, struct gpu_kernel *kernel, struct gpu_error *error);

struct gpu_launch {
    uint32_t grid[3], block[3];
    uint32_t cluster[3];     /* all zero: none asked for */
    uint32_t dynamic_shared; /* bytes; above 48 KiB is opted in as needed */
    bool cooperative;        /* all blocks resident at once, grid barriers work */
};

/* Queues the launch. parameters has a pointer to the value of each kernel
 * parameter, in order; the values are copied before the call returns. */
bool gpu_launch(struct gpu_context *context, const struct gpu_kernel *kernel,
                const struct gpu_launch *launch, void **parameters, driver_stream stream,
                struct gpu_error *error);

#endif
