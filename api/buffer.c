/* SPDX-License-Identifier: Apache-2.0
 *
 * buffer.c - device memory seen from the host. */
#include "api/stream.h"
#include "base/argument.h"

#include <stdlib.h>
#include <string.h>

static struct allocation *allocation_of(const struct sl_buffer *buffer)
{
    return memory_find(buffer->context->memory, buffer->address);
}

static void count_allocation(struct usage *usage, uint64_t size)
{
    usage->allocations++;
    usage->live++;
    usage->bytes += size;
    if (usage->live > usage->most_live)
        usage->most_live = usage->live;
    if (usage->bytes > usage->most_bytes)
        usage->most_bytes = usage->bytes;
}

/* A variable may lie in an allocation with others. */
static unsigned char *host_of(const struct sl_buffer *buffer)
{
    const struct allocation *allocation = allocation_of(buffer);

    return allocation->host + (buffer->address - allocation->address);
}

struct sl_buffer *buffer_new(struct sl_context *context, uint64_t address, uint64_t size,
                             struct sl_module *variable_of)
{
    struct sl_buffer *buffer = calloc(1, sizeof *buffer);

    if (!buffer)
        return NULL;
    buffer->context = context;
    buffer->address = address;
    buffer->size = size;
    buffer->variable_of = variable_of;
    LIST_ADD(context->buffers, buffer);
    if (!variable_of)
        count_allocation(&context->usage, size);
    return buffer;
}

static sl_status create_on_gpu(struct sl_context *context, uint64_t size, const void *bytes,
                               sl_buffer **out)
{
    uint64_t address;
    sl_status status = cuda_allocate(context, size, bytes, &address);

    if (status != SL_OK)
        return status;
    *out = buffer_new(context, address, size, NULL);
    if (*out)
        return SL_OK;
    cuda_release(context, address);
    return context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a buffer");
}

sl_status sl_buffer_create(sl_context *context, uint64_t size, const void *bytes,
                           sl_buffer **out)
{
    *out = NULL;
    if (size == 0)
        return context_fail(context, SL_INVALID, "a buffer has at least one byte");
    if (context->cuda) /* whose driver knows how much there is */
        return create_on_gpu(context, size, bytes, out);
    if (size > context->profile->global_bytes)
        return context_fail(context, SL_OUT_OF_MEMORY, "%s has %llu bytes of memory, not %llu",
                            context->profile->name,
                            (unsigned long long)context->profile->global_bytes,
                            (unsigned long long)size);
    unsigned bits = context->memory ? context->address_bits : 64;
    struct memory *memory = context_memory(context, bits);
    if (!memory)
        return SL_OUT_OF_MEMORY;
    struct allocation *allocation =
        memory_allocate(memory, size, 256, ALLOCATION_BUFFER, NULL);
    if (!allocation)
        return context_fail(context, SL_OUT_OF_MEMORY,
                            "%llu bytes of device memory cannot be had",
                            (unsigned long long)size);
    allocation->undefined = !bytes;
    if (bytes)
        memcpy(allocation->host, bytes, (size_t)size);
    *out = buffer_new(context, allocation->address, size, NULL);
    if (*out)
        return SL_OK;
    memory_release(memory, allocation->address);
    return context_fail(context, SL_OUT_OF_MEMORY, "no host memory for a buffer");
}

static void count_release(struct usage *usage, uint64_t size)
{
    usage->frees++;
    usage->live--;
    usage->bytes -= size;
}

void sl_buffer_destroy(sl_buffer *buffer)
{
    if (!buffer)
        return;
    streams_settle(buffer->context); /* where it may still be in use */
    if (!buffer->variable_of)
        count_release(&buffer->context->usage, buffer->size);
    if (buffer->texture)
        cuda_texture_release(buffer->context, buffer->texture);
    else if (buffer->variable_of)
        ; /* its memory is the module's */
    else if (buffer->context->cuda)
        cuda_release(buffer->context, buffer->address);
    else
        memory_release(buffer->context->memory, buffer->address);
    LIST_REMOVE(buffer->context->buffers, buffer);
    free(buffer);
}

uint64_t sl_buffer_address(const sl_buffer *buffer)
{
    return buffer->address;
}

uint64_t sl_buffer_size(const sl_buffer *buffer)
{
    return buffer->size;
}

sl_status buffer_range(const struct sl_buffer *buffer, uint64_t offset, uint64_t size)
{
    if (offset <= buffer->size && size <= buffer->size - offset)
        return SL_OK;
    return context_fail(buffer->context, SL_INVALID,
                        "bytes %llu to %llu do not lie in a buffer of %llu bytes",
                        (unsigned long long)offset, (unsigned long long)(offset + size),
                        (unsigned long long)buffer->size);
}

sl_status sl_buffer_read(const sl_buffer *buffer, uint64_t offset, void *bytes, uint64_t size)
{
    sl_status status = buffer_range(buffer, offset, size);

    if (status == SL_OK && size && !bytes)
        status = context_fail(buffer->context, SL_INVALID, "host bytes are needed, not NULL");

    streams_settle(buffer->context);
    if (status == SL_OK && size && buffer->texture)
        return cuda_texture_read(buffer->context, buffer->texture, offset, bytes, size);
    if (status == SL_OK && size && buffer->context->cuda)
        return cuda_read(buffer->context, buffer->address + offset, bytes, size);
    if (status == SL_OK && size)
        memcpy(bytes, host_of(buffer) + offset, (size_t)size);
    return status;
}

sl_status sl_buffer_write(sl_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size)
{
    sl_status status = buffer_range(buffer, offset, size);

    if (status == SL_OK && size && !bytes)
        status = context_fail(buffer->context, SL_INVALID, "host bytes are needed, not NULL");

    streams_settle(buffer->context);
    if (status == SL_OK && size && buffer->texture)
        return cuda_texture_write(buffer->context, buffer->texture, offset, bytes, size);
    if (status == SL_OK && size && buffer->context->cuda)
        return cuda_write(buffer->context, buffer->address + offset, bytes, size);
    if (status == SL_OK && size) {
        memcpy(host_of(buffer) + offset, bytes, (size_t)size);
        allocation_defined(allocation_of(buffer));
    }
    return status;
}

sl_status buffer_fill(sl_buffer *buffer, const struct argument *argument)
{
    if (!buffer->context->cuda) { /* where it lies */
        argument_fill(argument, host_of(buffer));
        allocation_defined(allocation_of(buffer));
        return SL_OK;
    }
    void *bytes = malloc((size_t)buffer->size);
    if (!bytes)
        return context_fail(buffer->context, SL_OUT_OF_MEMORY, "no host memory for contents");
    argument_fill(argument, bytes);
    sl_status status = sl_buffer_write(buffer, 0, bytes, buffer->size);
    free(bytes);
    return status;
}

void sl_buffer_set_name(sl_buffer *buffer, const char *name)
{
    buffer->name = arena_strdup(&buffer->context->arena, name);
    if (!buffer->context->cuda)
        allocation_of(buffer)->name = buffer->name;
}
