/* SPDX-License-Identifier: Apache-2.0
 *
 * objects.h - what is behind the opaque types of simtlab.h.
 *
 * Ownership follows the public header: a context owns its modules, buffers, streams
 * and events in doubly linked lists, a module its image and kernels. A report copies
 * everything it says into its own arena and outlives them all. */
#ifndef SIMTLAB_API_OBJECTS_H
#define SIMTLAB_API_OBJECTS_H

#include <simtlab/simtlab.h>

#include "base/arena.h"
#include "base/text.h"
#include "emu/engine.h"

/* Such a list: its items have the members next and previous, the newest stands first. */
#define LIST_ADD(list, item)              \
    do {                                  \
        (item)->next = (list);            \
        if (list)                         \
            (list)->previous = (item);    \
        (list) = (item);                  \
    } while (0)
#define LIST_REMOVE(list, item)                             \
    do {                                                    \
        if ((item)->next)                                   \
            (item)->next->previous = (item)->previous;      \
        if ((item)->previous)                               \
            (item)->previous->next = (item)->next;          \
        else                                                \
            (list) = (item)->next;                          \
    } while (0)

enum { OPTION_COUNT = SL_OPTION_TIMEOUT + 1 };

struct sl_context {
    const struct profile *profile;
    struct memory *memory; /* made with the first module or buffer */
    unsigned address_bits; /* of memory */
    uint64_t option[OPTION_COUNT];
    bool any_target; /* load what the profile cannot run, to look at it */
    sl_print_function *print;
    void *print_self;
    struct arena arena; /* names of buffers */
    struct text error;
    struct sl_module *modules;
    struct sl_buffer *buffers;
    struct sl_stream *streams; /* api/stream.h */
    struct sl_event *events;
    struct usage {
        uint64_t allocations, frees, live, most_live, bytes, most_bytes;
    } usage; /* of buffers on the emulator */
    const char *executor; /* "emu" or "cuda:N" */
    struct cuda *cuda;    /* api/cuda.h; NULL: the emulator */
    bool owns_output;     /* standard output may be led elsewhere for a launch */
};

struct sl_kernel {
    struct sl_module *module;
    uint32_t function; /* in module->ir */
    const char *name, *demangled;
};

struct sl_module {
    struct sl_context *context;
    struct sl_module *next, *previous;
    struct arena arena; /* text, IR, kernels, bindings */
    sl_format format;
    struct ir_module *ir;
    struct image *image;      /* NULL on a GPU */
    struct cuda_module *cuda; /* NULL on the emulator */
    const char *warnings;
    struct sl_kernel *kernels;
    size_t kernel_count;
    struct library *libraries; /* api/bind.c */
};

struct sl_buffer {
    struct sl_context *context;
    struct sl_buffer *next, *previous;
    uint64_t address, size;
    const char *name; /* in the context's arena; or NULL */
    struct cuda_texture *texture; /* on a GPU: it holds one's texels; or NULL */
    struct sl_module *variable_of; /* whose variable it is: its memory is not the buffer's; or
                                     NULL */
};

struct sl_texture {
    struct sl_buffer *buffer; /* its texels */
    uint64_t handle;
};

/* A buffer of the context for an allocation of its memory, or for a variable of a module;
 * NULL: no host memory. */
struct sl_buffer *buffer_new(struct sl_context *context, uint64_t address, uint64_t size,
                             struct sl_module *variable_of);
/* SL_INVALID, with words, when the range does not lie inside. */
sl_status buffer_range(const struct sl_buffer *buffer, uint64_t offset, uint64_t size);
/* The contents that the text of an argument gives. */
struct argument;
sl_status buffer_fill(struct sl_buffer *buffer, const struct argument *argument);
/* As sl_texture_create, from what base/texture.h reads; nothing is in it yet. */
struct texture;
sl_status texture_make(struct sl_context *context, const struct texture *what,
                       struct sl_texture **out);

/* All figures of a chip profile and how each is known; false: no such profile. */
bool device_describe(struct text *out, const char *name);

/* Puts the explanation into the context (a newline is added) and returns the
 * status. */
sl_status context_fail(struct sl_context *context, sl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* SL_INVALID, with words, when a kernel faulted or hangs on its GPU. */
sl_status context_usable(struct sl_context *context);
/* The memory, made if need be. NULL with the error set. */
struct memory *context_memory(struct sl_context *context, unsigned address_bits);

static inline const struct ir_function *kernel_function(const struct sl_kernel *kernel)
{
    return &kernel->module->ir->functions[kernel->function];
}

/* What sl_launch cannot say. */
struct launch_extras {
    uint32_t cluster[3];       /* 0: what the kernel itself requires */
    bool cooperative;
    struct observer *observer; /* looks on beside the checkers; or NULL */
    struct sl_stream *stream;  /* on a GPU: it is only queued there; or NULL */
};
sl_status launch_with(struct sl_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                      uint32_t shared_bytes, const void *const *arguments,
                      size_t argument_count, const struct launch_extras *extras,
                      struct sl_report **report);
/* api/variable.c. Address and size of a variable in global or constant memory; false when
 * the module has none of that name. */
bool module_variable(const struct sl_module *module, const char *name, uint64_t *address,
                     uint64_t *size);

/* The type of its elements, as declared. */
enum ir_type module_variable_type(const struct sl_module *module, const char *name);

/* The buffers that stand for variables of the module. */
void module_forget_variables(struct sl_module *module);

/* size bytes from the address of such a variable. False with the error set. */
bool variable_read(const struct sl_module *module, uint64_t address, void *bytes, uint64_t size);

/* api/bind.c: closes what sl_bind_library opened. */
void module_close_libraries(struct sl_module *module);

#endif
