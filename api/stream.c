/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c - queued work. The emulator does what is queued at once, in the order of the
 * calls, which is one that streams and events allow. */
#include "api/stream.h"

#include <stdlib.h>
#include <string.h>

/* --- streams ------------------------------------------------------------------------------ */

sl_status sl_stream_create(sl_context *context, sl_stream **out)
{
    struct sl_stream *stream = calloc(1, sizeof *stream);

    *out = NULL;
    if (!stream)
        return context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a stream");
    stream->context = context;
    sl_status status = context->cuda ? cuda_stream_make(context, &stream->handle) : SL_OK;
    if (status != SL_OK) {
        free(stream);
        return status;
    }
    LIST_ADD(context->streams, stream);
    *out = stream;
    return SL_OK;
}

void sl_stream_destroy(sl_stream *stream)
{
    if (!stream)
        return;
    if (stream->context->cuda) {
        cuda_stream_wait(stream);
        cuda_stream_release(stream->context, stream->handle);
    }
    LIST_REMOVE(stream->context->streams, stream);
    sl_report_destroy(stream->report);
    free(stream);
}

void streams_settle(struct sl_context *context)
{
    for (struct sl_stream *stream = context->streams; stream; stream = stream->next)
        if (stream->busy)
            cuda_stream_wait(stream);
}

void streams_destroy(struct sl_context *context)
{
    while (context->streams)
        sl_stream_destroy(context->streams);
    while (context->events)
        sl_event_destroy(context->events);
}

static sl_status same_context(const struct sl_stream *stream, const struct sl_context *other)
{
    if (stream->context == other)
        return SL_OK;
    return context_fail(stream->context, SL_INVALID, "this belongs to another context than the "
                                                     "stream does");
}

/* Later launches stand behind the first one. */
static void keep_report(struct sl_stream *stream, struct sl_report *report)
{
    if (stream->report)
        report_append(stream->report, report);
    else
        stream->report = report;
}

sl_status sl_launch_on(sl_stream *stream, sl_kernel *kernel, const sl_shape *shape,
                       const void *const *arguments, size_t argument_count)
{
    struct launch_extras extras = {.cooperative = shape->cooperative != 0, .stream = stream};
    struct sl_report *report;
    sl_status status = same_context(stream, kernel->module->context);

    if (status != SL_OK)
        return status;
    memcpy(extras.cluster, shape->cluster, sizeof extras.cluster);
    status = launch_with(kernel, shape->grid, shape->block, shape->shared_bytes, arguments,
                         argument_count, &extras, &report);
    if (status == SL_OK)
        keep_report(stream, report);
    return status;
}

/* May a copy of the buffer be asked for on the stream, and can it be queued? What cannot is
 * done at once, and checked there: all copies of the emulator, and textures, whose memory is
 * an array of the driver's. */
static sl_status copy_on(const struct sl_stream *stream, const struct sl_buffer *buffer,
                         uint64_t offset, uint64_t size, bool *queued)
{
    sl_status status = same_context(stream, buffer->context);

    *queued = stream->context->cuda && !buffer->texture;
    return status == SL_OK && *queued ? buffer_range(buffer, offset, size) : status;
}

sl_status sl_buffer_read_on(sl_stream *stream, const sl_buffer *buffer, uint64_t offset,
                            void *bytes, uint64_t size)
{
    bool queued;
    sl_status status = copy_on(stream, buffer, offset, size, &queued);

    if (status != SL_OK)
        return status;
    if (!queued)
        return sl_buffer_read(buffer, offset, bytes, size);
    return size ? cuda_stream_read(stream, buffer->address + offset, bytes, size) : SL_OK;
}

sl_status sl_buffer_write_on(sl_stream *stream, sl_buffer *buffer, uint64_t offset,
                             const void *bytes, uint64_t size)
{
    bool queued;
    sl_status status = copy_on(stream, buffer, offset, size, &queued);

    if (status != SL_OK)
        return status;
    if (!queued)
        return sl_buffer_write(buffer, offset, bytes, size);
    return size ? cuda_stream_write(stream, buffer->address + offset, bytes, size) : SL_OK;
}

sl_status sl_stream_wait(sl_stream *stream, sl_report **report)
{
    if (stream->context->cuda)
        cuda_stream_wait(stream);
    if (report)
        *report = stream->report;
    else
        sl_report_destroy(stream->report);
    stream->report = NULL;
    return context_usable(stream->context);
}

sl_status sl_stream_done(sl_stream *stream, int *done)
{
    bool is_done = true;
    sl_status status = stream->context->cuda && stream->busy ? cuda_stream_done(stream, &is_done)
                                                             : SL_OK;

    *done = is_done;
    return status;
}

/* --- events ------------------------------------------------------------------------------- */

sl_status sl_event_create(sl_context *context, sl_event **out)
{
    struct sl_event *event = calloc(1, sizeof *event);

    *out = NULL;
    if (!event)
        return context_fail(context, SL_OUT_OF_MEMORY, "no host memory for an event");
    event->context = context;
    sl_status status = context->cuda ? cuda_event_make(context, &event->handle) : SL_OK;
    if (status != SL_OK) {
        free(event);
        return status;
    }
    LIST_ADD(context->events, event);
    *out = event;
    return SL_OK;
}

void sl_event_destroy(sl_event *event)
{
    if (!event)
        return;
    if (event->context->cuda)
        cuda_event_release(event->context, event->handle);
    LIST_REMOVE(event->context->events, event);
    free(event);
}

sl_status sl_event_record(sl_event *event, sl_stream *stream)
{
    sl_status status = same_context(stream, event->context);

    if (status == SL_OK && stream->context->cuda)
        status = cuda_event_record(event, stream);
    event->recorded |= status == SL_OK;
    return status;
}

sl_status sl_stream_after(sl_stream *stream, sl_event *event)
{
    sl_status status = same_context(stream, event->context);

    return status == SL_OK && event->recorded && stream->context->cuda
               ? cuda_stream_after(stream, event) : status;
}

sl_status sl_event_wait(sl_event *event)
{
    return event->recorded && event->context->cuda ? cuda_event_wait(event) : SL_OK;
}

sl_status sl_event_elapsed(sl_event *start, sl_event *end, double *milliseconds)
{
    *milliseconds = 0;
    if (!start->recorded || !end->recorded || start->context != end->context)
        return context_fail(start->context, SL_INVALID,
                            "both events must have been recorded, in one context");
    if (!start->context->cuda)
        return context_fail(start->context, SL_UNSUPPORTED, "the emulator knows no times");
    return cuda_event_elapsed(start, end, milliseconds);
}
