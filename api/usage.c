/* SPDX-License-Identifier: Apache-2.0
 *
 * usage.c - device memory that a context has in use, and what is left at its end. */
#include "api/cuda.h"

static uint64_t emulated(const struct usage *usage, sl_memory figure)
{
    switch (figure) {
    case SL_MEMORY_ALLOCATIONS:
        return usage->allocations;
    case SL_MEMORY_FREES:
        return usage->frees;
    case SL_MEMORY_LIVE:
        return usage->live;
    case SL_MEMORY_PEAK_LIVE:
        return usage->most_live;
    case SL_MEMORY_IN_USE:
    case SL_MEMORY_RESERVED:
        return usage->bytes;
    case SL_MEMORY_PEAK_IN_USE:
    case SL_MEMORY_PEAK_RESERVED:
        return usage->most_bytes;
    default:
        return 0; /* an address is never used again: nothing is free inside */
    }
}

uint64_t sl_context_memory(const sl_context *context, sl_memory figure)
{
    return context->cuda ? cuda_memory(context, figure) : emulated(&context->usage, figure);
}

size_t sl_context_close(sl_context *context, char *leaks, size_t size)
{
    struct text lines = {0};
    size_t count = 0;

    if (!context)
        return 0;
    struct sl_buffer *buffer = context->buffers;
    while (buffer && buffer->next) /* the oldest is the last */
        buffer = buffer->next;
    for (; buffer; buffer = buffer->previous) {
        if (buffer->variable_of) /* goes with its module */
            continue;
        count++;
        text_printf(&lines, "%llu bytes at 0x%llx%s%s\n", (unsigned long long)buffer->size,
                    (unsigned long long)buffer->address, buffer->name ? ": " : "",
                    buffer->name ? buffer->name : "");
    }
    text_copy_out(&lines, leaks, size);
    text_free(&lines);
    sl_context_destroy(context);
    return count;
}
