/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.h - queued work: what is behind sl_stream and sl_event. */
#ifndef SIMTLAB_API_STREAM_H
#define SIMTLAB_API_STREAM_H

#include "api/cuda.h"
#include "api/report.h"

struct driver_stream_handle; /* gpu/driver.h */
struct driver_event_handle;

struct sl_stream {
    struct sl_context *context;
    struct sl_stream *next, *previous;
    struct driver_stream_handle *handle; /* NULL on the emulator */
    bool busy;                /* on a GPU: something was queued that nobody waited for */
    struct sl_report *report; /* of all launches since the last sl_stream_wait; or NULL */
};

struct sl_event {
    struct sl_context *context;
    struct sl_event *next, *previous;
    struct driver_event_handle *handle; /* likewise */
    bool recorded;
};

/* Waits for all that is queued on a GPU: what uses its memory without a stream comes after.
 * What went wrong stays with the stream, and with the context. */
void streams_settle(struct sl_context *context);
/* Of a context that ends. */
void streams_destroy(struct sl_context *context);

/* api/cuda_stream.c. All put the explanation into the context. */
sl_status cuda_stream_make(struct sl_context *context, struct driver_stream_handle **handle);
void cuda_stream_release(struct sl_context *context, struct driver_stream_handle *handle);
/* Queues it; the launch has been checked. */
struct launch;
sl_status cuda_stream_launch(struct sl_stream *stream, struct sl_kernel *kernel,
                             const struct launch *launch, const void *const *arguments,
                             size_t count);
sl_status cuda_stream_read(struct sl_stream *stream, uint64_t address, void *bytes, uint64_t size);
sl_status cuda_stream_write(struct sl_stream *stream, uint64_t address, const void *bytes,
                            uint64_t size);
/* A fault, or no end in time, is a finding of the stream's report. */
void cuda_stream_wait(struct sl_stream *stream);
sl_status cuda_stream_done(struct sl_stream *stream, bool *done);
sl_status cuda_event_make(struct sl_context *context, struct driver_event_handle **handle);
void cuda_event_release(struct sl_context *context, struct driver_event_handle *handle);
sl_status cuda_event_record(struct sl_event *event, struct sl_stream *stream);
sl_status cuda_event_wait(struct sl_event *event);
sl_status cuda_stream_after(struct sl_stream *stream, struct sl_event *event);
sl_status cuda_event_elapsed(struct sl_event *start, struct sl_event *end, double *milliseconds);

#endif
