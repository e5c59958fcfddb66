/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_parts.h - what the files behind cuda.h share. */
#ifndef SIMTLAB_API_CUDA_PARTS_H
#define SIMTLAB_API_CUDA_PARTS_H

#include "api/capture.h"
#include "api/cuda.h"
#include "gpu/device.h"

struct cuda {
    struct driver *driver;
    struct gpu_context gpu;
    char target[16]; /* "sm_90" */
    bool lost;       /* a kernel faulted */
    struct gpu_error fault; /* how */
    bool hung;       /* a kernel did not end: nothing that waits for it is called again */
};

struct cuda_module {
    struct gpu_module gpu;
};

static inline struct gpu_context *gpu_of(struct sl_context *context)
{
    return &context->cuda->gpu;
}

/* What a launch asks for, on a stream; NULL: the default one. */
bool cuda_queue(struct sl_kernel *kernel, const struct launch *launch,
                const void *const *arguments, size_t count, driver_stream stream,
                struct gpu_error *why);
/* Until the stream's work is done, or SL_OPTION_TIMEOUT: then it hangs, and false. */
bool cuda_wait(struct sl_context *context, driver_stream stream, struct gpu_error *why);
/* What kernels print from here to the end goes to the context's function, if it may. */
bool cuda_capture(struct sl_context *context, struct capture *capture);
void cuda_capture_end(struct sl_context *context, bool captured, struct capture *capture);
/* The finding that ended the use of the context: a fault, or a kernel that does not end. */
void cuda_add_end(const struct sl_context *context, struct findings *findings);
/* The driver's words go into the context; a fault makes it lost. */
sl_status cuda_failed(struct sl_context *context, const struct gpu_error *why);
/* From here to leave the GPU's context is this thread's current one: an sl_context may
 * be used by one thread after another, and beside what the program itself does there. */
sl_status cuda_enter(struct sl_context *context, driver_context *previous);
void cuda_leave(struct sl_context *context, driver_context previous);
/* The rest of a function that makes one call in the GPU's context: the call is false with
 * words in why, and the function returns its status. */
#define ON_GPU(context, call)                                                          \
    driver_context previous;                                                           \
    struct gpu_error why = {0};                                                        \
    sl_status status = cuda_enter((context), &previous);                               \
    if (status != SL_OK)                                                               \
        return status;                                                                 \
    if (!(call))                                                                       \
        status = cuda_failed((context), &why);                                         \
    cuda_leave((context), previous);                                                   \
    return status
/* To give something back, which goes on after a fault, too. */
bool cuda_enter_anyhow(struct sl_context *context, driver_context *previous);

#endif
