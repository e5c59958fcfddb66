/* SPDX-License-Identifier: Apache-2.0
 *
 * context.c - contexts, their options and chip profiles. */
#include "config.h"

#include "api/objects.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/checkers.h"
#include "api/stream.h"

const char *sl_version(void)
{
    return PACKAGE_VERSION;
}

/* --- chip profiles ------------------------------------------------------------- */

size_t sl_device_count(void)
{
    return profile_count;
}

const char *sl_device_name(size_t device)
{
    return device < profile_count ? profiles[device].name : NULL;
}

const char *sl_device_product(size_t device)
{
    return device < profile_count ? profiles[device].product : NULL;
}

uint64_t sl_device_attribute(size_t device, sl_attribute attribute)
{
    if (device >= profile_count)
        return 0;
    const struct profile *profile = &profiles[device];
    switch (attribute) {
    case SL_ATTRIBUTE_NUMBER:
        return profile->number;
    case SL_ATTRIBUTE_WARP_SIZE:
        return profile->warp_size;
    case SL_ATTRIBUTE_MULTIPROCESSORS:
        return profile->multiprocessors;
    case SL_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR:
        return profile->threads_per_multiprocessor;
    case SL_ATTRIBUTE_BLOCKS_PER_MULTIPROCESSOR:
        return profile->blocks_per_multiprocessor;
    case SL_ATTRIBUTE_THREADS_PER_BLOCK:
        return profile->threads_per_block;
    case SL_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR:
        return profile->shared_per_multiprocessor;
    case SL_ATTRIBUTE_SHARED_PER_BLOCK:
        return profile->shared_per_block;
    case SL_ATTRIBUTE_MAX_CLUSTER:
        return profile->max_cluster;
    case SL_ATTRIBUTE_GLOBAL_MEMORY:
        return profile->global_bytes;
    case SL_ATTRIBUTE_REGISTERS_PER_MULTIPROCESSOR:
        return profile->registers_per_multiprocessor;
    case SL_ATTRIBUTE_SHARED_RESERVED:
        return profile->shared_reserved;
    case SL_ATTRIBUTE_CLOCK:
        return profile->clock_khz;
    case SL_ATTRIBUTE_L2_CACHE:
        return profile->l2_bytes;
    }
    return 0;
}

const char *sl_device_attribute_source(size_t device, sl_attribute attribute)
{
    if (device >= profile_count || (unsigned)attribute > SL_ATTRIBUTE_L2_CACHE)
        return NULL;
    enum profile_kind kind = attribute == SL_ATTRIBUTE_MAX_CLUSTER ||
                                     attribute == SL_ATTRIBUTE_GLOBAL_MEMORY
                                 ? PROFILE_MANUAL
                                                                   : PROFILE_FIGURE;
    return profile_source_name(profile_source(&profiles[device], kind));
}

bool device_describe(struct text *out, const char *name)
{
    const struct profile *profile = profile_find(name);

    if (profile)
        profile_describe(out, profile);
    return profile != NULL;
}

/* --- contexts -------------------------------------------------------------------- */

sl_status context_fail(struct sl_context *context, sl_status status, const char *format, ...)
{
    char buffer[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    text_free(&context->error);
    text_printf(&context->error, "%s\n", buffer);
    return status;
}

struct memory *context_memory(struct sl_context *context, unsigned address_bits)
{
    if (context->memory && context->address_bits == address_bits)
        return context->memory;
    if (context->memory) {
        context_fail(context, SL_UNSUPPORTED,
                     "a %u-bit module cannot share the memory of a %u-bit one",
                     address_bits, context->address_bits);
        return NULL;
    }
    context->memory = memory_new(address_bits);
    context->address_bits = address_bits;
    if (!context->memory)
        context_fail(context, SL_OUT_OF_MEMORY, "no memory for the emulated device");
    return context->memory;
}

static sl_status context_new(const struct profile *profile, struct cuda *cuda,
                             const char *executor, sl_context **out)
{
    struct sl_context *context = calloc(1, sizeof *context);

    if (!context)
        return SL_OUT_OF_MEMORY;
    context->profile = profile;
    context->cuda = cuda;
    context->executor = arena_strdup(&context->arena, executor);
    context->option[SL_OPTION_CHECKS] = SL_CHECK_MEMORY;
    *out = context;
    return SL_OK;
}

sl_status sl_context_create(const char *target, sl_context **out)
{
    const struct profile *profile = target ? profile_find(target) : profile_default();

    *out = NULL;
    return profile ? context_new(profile, NULL, "emu", out) : SL_NOT_FOUND;
}

static sl_status open_emulator(const char *target, sl_context **out, struct text *why)
{
    sl_status status = sl_context_create(target, out);

    if (status != SL_NOT_FOUND)
        return status;
    text_printf(why, "there is no chip profile '%.80s'; there are", target);
    for (size_t i = 0; i < sl_device_count(); i++)
        text_printf(why, " %s", sl_device_name(i));
    text_putc(why, '\n');
    return status;
}

static sl_status open_cuda(const char *executor, const char *target, sl_context **out,
                           struct text *why)
{
    if (target) {
        text_printf(why, "%.80s is what it is: a chip profile such as %.40s is for emu\n",
                    executor, target);
        return SL_INVALID;
    }
    struct cuda *cuda = cuda_open(executor, why);
    if (!cuda)
        return SL_NOT_FOUND;
    /* Without the library that may stand behind it. */
    char name[16];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(executor, "@"), executor);
    sl_status status = context_new(cuda_profile(cuda), cuda, name, out);
    if (status != SL_OK)
        cuda_close(cuda);
    return status;
}

sl_status sl_context_open(const char *executor, const char *target, sl_context **out,
                          char *error, size_t error_size)
{
    struct text why = {0};
    sl_status status;

    *out = NULL;
    if (!executor || !strcmp(executor, "emu")) {
        status = open_emulator(target, out, &why);
    } else if (cuda_is_name(executor)) {
        status = open_cuda(executor, target, out, &why);
    } else {
        text_printf(&why, "there is no executor '%.80s'; there are emu, and cuda:0, cuda:1, ... "
                          "for the GPUs of this machine\n", executor);
        status = SL_NOT_FOUND;
    }
    text_copy_out(&why, error, error_size);
    text_free(&why);
    return status;
}

const char *sl_context_executor(const sl_context *context)
{
    return context->executor;
}

void sl_context_destroy(sl_context *context)
{
    if (!context)
        return;
    streams_destroy(context);
    while (context->modules)
        sl_module_destroy(context->modules);
    while (context->buffers)
        sl_buffer_destroy(context->buffers);
    memory_free(context->memory);
    cuda_close(context->cuda);
    text_free(&context->error);
    arena_free(&context->arena);
    free(context);
}

const char *sl_context_error(const sl_context *context)
{
    return text_string(&context->error);
}

sl_status sl_context_set(sl_context *context, sl_option option, uint64_t value)
{
    if ((unsigned)option >= OPTION_COUNT)
        return context_fail(context, SL_INVALID, "there is no option %u", (unsigned)option);
    switch (option) {
    case SL_OPTION_SEED:
    case SL_OPTION_SEED_CHOICES:
    case SL_OPTION_MAX_STEPS:
        if (value && context->cuda)
            return context_fail(context, SL_UNSUPPORTED,
                                "%s takes no %s: a GPU runs as it runs", context->executor,
                                option == SL_OPTION_MAX_STEPS ? "step limit" : "seed");
        break;
    case SL_OPTION_STACK_SIZE:
        if (value > context->profile->local_limit)
            return context_fail(context, SL_INVALID,
                                "a thread has at most %u bytes of local memory on %s",
                                context->profile->local_limit, context->profile->name);
        break;
    case SL_OPTION_THREADS:
        if (value == 0)
            return context_fail(context, SL_INVALID, "at least one host thread is needed");
        break;
    case SL_OPTION_WEAK:
        if (value > 1)
            return context_fail(context, SL_INVALID, "memory is weak (1) or not (0)");
        if (value && context->cuda)
            return context_fail(context, SL_UNSUPPORTED,
                                "how weak the memory of a GPU is cannot be chosen");
        break;
    case SL_OPTION_TIMEOUT:
        if (value && !context->cuda)
            return context_fail(context, SL_UNSUPPORTED,
                                "the emulator counts steps, not seconds (SL_OPTION_MAX_STEPS)");
        break;
    case SL_OPTION_CHECKS:
        if (context->cuda && value & ~(uint64_t)SL_CHECK_MEMORY)
            return context_fail(context, SL_UNSUPPORTED,
                                "the checkers look on in the emulator; %s has none",
                                context->executor);
        if (value & ~(uint64_t)sl_available_checks())
            return context_fail(context, SL_UNSUPPORTED,
                                "a check was asked for that this build does not have");
        break;
    default:
        break;
    }
    context->option[option] = value;
    return SL_OK;
}

void sl_context_set_print(sl_context *context, sl_print_function *print, void *self)
{
    context->print = print;
    context->print_self = self;
}
