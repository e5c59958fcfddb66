/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_stream.c - streams and events of a GPU. */
#include "api/cuda_parts.h"
#include "api/stream.h"

sl_status cuda_stream_make(struct sl_context *context, driver_stream *handle)
{
    ON_GPU(context, gpu_stream_open(gpu_of(context), handle, &why));
}

void cuda_stream_release(struct sl_context *context, driver_stream handle)
{
    struct gpu_error ignored;
    driver_context previous;

    if (cuda_enter_anyhow(context, &previous)) {
        gpu_stream_close(gpu_of(context), handle, &ignored);
        cuda_leave(context, previous);
    }
}

sl_status cuda_stream_launch(struct sl_stream *stream, struct sl_kernel *kernel,
                             const struct launch *launch, const void *const *arguments,
                             size_t count)
{
    stream->busy = true;
    ON_GPU(stream->context, cuda_queue(kernel, launch, arguments, count, stream->handle, &why));
}

sl_status cuda_stream_read(struct sl_stream *stream, uint64_t address, void *bytes, uint64_t size)
{
    stream->busy = true;
    ON_GPU(stream->context, gpu_copy_out(gpu_of(stream->context), bytes, address, (size_t)size,
                                         stream->handle, &why));
}

sl_status cuda_stream_write(struct sl_stream *stream, uint64_t address, const void *bytes,
                            uint64_t size)
{
    stream->busy = true;
    ON_GPU(stream->context, gpu_copy_in(gpu_of(stream->context), address, bytes, (size_t)size,
                                        stream->handle, &why));
}

void cuda_stream_wait(struct sl_stream *stream)
{
    struct sl_context *context = stream->context;
    struct cuda *cuda = context->cuda;
    struct gpu_error why = {0};
    driver_context previous;
    struct capture capture;
    bool was_busy = stream->busy;

    stream->busy = false;
    if (was_busy && cuda_enter(context, &previous) == SL_OK) {
        bool captured = cuda_capture(context, &capture);
        if (!cuda_wait(context, stream->handle, &why) && !cuda->hung)
            cuda_failed(context, &why);
        cuda_capture_end(context, captured, &capture);
        cuda_leave(context, previous);
    }
    /* Which launch it was nobody can say: it stands in each stream's report that has some. */
    if (was_busy && stream->report && (cuda->lost || cuda->hung)) {
        struct arena arena = {0};
        struct findings findings = {.arena = &arena, .limit = 1};
        cuda_add_end(context, &findings);
        report_add(stream->report, &findings);
        arena_free(&arena);
    }
}

sl_status cuda_stream_done(struct sl_stream *stream, bool *done)
{
    ON_GPU(stream->context, gpu_stream_done(gpu_of(stream->context), stream->handle, done, &why));
}

sl_status cuda_event_make(struct sl_context *context, driver_event *handle)
{
    ON_GPU(context, gpu_event_open(gpu_of(context), handle, &why));
}

void cuda_event_release(struct sl_context *context, driver_event handle)
{
    struct gpu_error ignored;
    driver_context previous;

    if (cuda_enter_anyhow(context, &previous)) {
        gpu_event_close(gpu_of(context), handle, &ignored);
        cuda_leave(context, previous);
    }
}

sl_status cuda_event_record(struct sl_event *event, struct sl_stream *stream)
{
    stream->busy = true;
    ON_GPU(event->context, gpu_event_record(gpu_of(event->context), event->handle,
                                            stream->handle, &why));
}

sl_status cuda_event_wait(struct sl_event *event)
{
    ON_GPU(event->context, gpu_event_wait(gpu_of(event->context), event->handle, &why));
}

sl_status cuda_stream_after(struct sl_stream *stream, struct sl_event *event)
{
    stream->busy = true;
    ON_GPU(stream->context, gpu_stream_after(gpu_of(stream->context), stream->handle,
                                             event->handle, &why));
}

sl_status cuda_event_elapsed(struct sl_event *start, struct sl_event *end, double *milliseconds)
{
    ON_GPU(start->context, gpu_event_elapsed(gpu_of(start->context), start->handle, end->handle,
                                             milliseconds, &why));
}
