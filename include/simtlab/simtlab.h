/* SPDX-License-Identifier: Apache-2.0
 *
 * simtlab.h - run GPU kernels on the CPU, the same way every time.
 *
 * A context stands for one emulated GPU: a chip profile and its memory. It owns
 * its modules and buffers; a module owns its kernels. Destroying an owner
 * destroys what it owns. A report stands alone. create, load and launch give
 * ownership; find and the plain accessors lend, for as long as the owner lives.
 *
 * A context belongs to one thread at a time; different contexts are independent.
 * Functions that can fail return a status, leave *out NULL, and put one or more
 * lines of explanation into sl_context_error. Every destroy accepts NULL; other
 * calls need their handle and a place for what they give, and say SL_INVALID for
 * data that is NULL where there must be some. Without host memory for its own
 * bookkeeping the library says so on standard error and ends the program with
 * status 2. All
 * sizes are bytes, all strings zero-terminated UTF-8, all numbers of threads
 * and blocks x, y, z.
 *
 * A first program, in the order of this header: sl_context_create,
 * sl_module_load, sl_module_find, sl_buffer_create, sl_launch, sl_report_text,
 * sl_buffer_read. Or everything in one call: sl_run_ptx, at the end. */
#ifndef SIMTLAB_SIMTLAB_H
#define SIMTLAB_SIMTLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_context sl_context;
typedef struct sl_module sl_module;
typedef struct sl_kernel sl_kernel;
typedef struct sl_buffer sl_buffer;
typedef struct sl_texture sl_texture;
typedef struct sl_report sl_report;

typedef enum sl_status {
    SL_OK = 0,
    SL_INVALID,       /* an argument of the call makes no sense */
    SL_NOT_FOUND,     /* no kernel, profile, library or function of that name */
    SL_MALFORMED,     /* the kernel text has errors; sl_context_error places them */
    SL_UNSUPPORTED,   /* understood, but not something this version can run */
    SL_OUT_OF_MEMORY  /* device memory of that size cannot be had */
} sl_status;

/* "0.1.0" */
const char *sl_version(void);

/* --- chip profiles ------------------------------------------------------------- */

typedef enum sl_attribute {
    SL_ATTRIBUTE_NUMBER,          /* 90 for sm_90 */
    SL_ATTRIBUTE_WARP_SIZE,
    SL_ATTRIBUTE_MULTIPROCESSORS,
    SL_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR,
    SL_ATTRIBUTE_BLOCKS_PER_MULTIPROCESSOR,
    SL_ATTRIBUTE_THREADS_PER_BLOCK,
    SL_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR,
    SL_ATTRIBUTE_SHARED_PER_BLOCK, /* static and dynamic together */
    SL_ATTRIBUTE_MAX_CLUSTER,      /* blocks; 0: no clusters */
    SL_ATTRIBUTE_GLOBAL_MEMORY,
    SL_ATTRIBUTE_REGISTERS_PER_MULTIPROCESSOR,
    SL_ATTRIBUTE_SHARED_RESERVED,  /* of each block, by the system */
    SL_ATTRIBUTE_CLOCK,            /* kHz */
    SL_ATTRIBUTE_L2_CACHE
} sl_attribute;

size_t sl_device_count(void);
/* "sm_90", and the product it was taken from, "H200"; NULL past the end. */
const char *sl_device_name(size_t device);
const char *sl_device_product(size_t device);
/* 0 past the end or for an attribute that does not exist. */
uint64_t sl_device_attribute(size_t device, sl_attribute attribute);
/* How the figure is known: "measured" (on a chip of that kind), "documented" (by the
 * vendor) or "extrapolated"; NULL as above. */
const char *sl_device_attribute_source(size_t device, sl_attribute attribute);

/* --- context -------------------------------------------------------------------- */

/* target: "sm_90", or NULL for the default, which is that. SL_NOT_FOUND when no
 * such profile exists. */
sl_status sl_context_create(const char *target, sl_context **out);
/* An executor by name: "emu" (or NULL) is the emulator with the profile of target;
 * "cuda:N" is GPU number N of this machine through the CUDA driver, which is looked
 * for only now, and takes no target. The same calls then work on either. On a GPU
 * there are no checkers, seeds, step limits or host functions, a fault is a finding
 * without a place and ends the use of the context, and what kernels print goes to
 * standard output. The CUDA context is the one that is current on this thread, if it is of
 * that GPU (it must then live as long), else the GPU's primary one; no call changes what
 * is current. On failure error, if not NULL, receives the explanation, cut to
 * error_size bytes with the closing zero; SL_NOT_FOUND when there is no such executor,
 * no driver or no such GPU. */
sl_status sl_context_open(const char *executor, const char *target, sl_context **out,
                          char *error, size_t error_size);
/* With all that it owns. A kernel that has not ended keeps the memory of its GPU. */
void sl_context_destroy(sl_context *context);
/* "emu" or "cuda:N"; lent. */
const char *sl_context_executor(const sl_context *context);

/* What the last failing call on the context or something it owns had to say:
 * lines ending in newlines; "" when nothing failed yet. Lent until the next
 * failure. */
const char *sl_context_error(const sl_context *context);

typedef enum sl_option {
    SL_OPTION_SEED,        /* 0: blocks and warps in order; else another legal order */
    SL_OPTION_MAX_STEPS,   /* warp instructions of a launch before it counts as endless */
    SL_OPTION_STACK_SIZE,  /* local stack of a thread; 0: 1024 */
    SL_OPTION_HEAP_SIZE,   /* memory for malloc in kernels; 0: 8 MiB */
    SL_OPTION_THREADS,     /* host threads; results never depend on it */
    SL_OPTION_MAX_FINDINGS,/* distinct findings that a report keeps; 0: 1000 */
    SL_OPTION_CHECKS,      /* sl_check bits; SL_UNSUPPORTED for one not built in */
    SL_OPTION_WEAK,        /* 1: loads may return older values, as far as the memory
                              model allows; the seed chooses */
    SL_OPTION_SEED_CHOICES,/* a seed decides so often, then the order is that of seed 0;
                              0: always */
    SL_OPTION_TIMEOUT      /* seconds of a launch on a GPU, then it is a finding and the
                              context of no more use; 0: as long as it takes */
} sl_option;

/* Memory faults, traps, deadlocks and endless loops are always found. */
typedef enum sl_check {
    SL_CHECK_MEMORY = 1,
    SL_CHECK_INIT = 2,
    SL_CHECK_RACE = 4,
    SL_CHECK_SYNC = 8
} sl_check;

/* Holds for the launches that follow. */
sl_status sl_context_set(sl_context *context, sl_option option, uint64_t value);
/* The checks that this build has. */
unsigned sl_available_checks(void);

/* Where text that kernels print goes. Without it, it is dropped. */
typedef void sl_print_function(void *self, const char *data, size_t size);
void sl_context_set_print(sl_context *context, sl_print_function *print, void *self);

/* --- memory in use ------------------------------------------------------------------ */

/* Of the buffers and textures of a context, and on a GPU of the pool that they come from:
 * it asks the driver for segments and cuts them. */
typedef enum sl_memory {
    SL_MEMORY_ALLOCATIONS,  /* ever made */
    SL_MEMORY_FREES,
    SL_MEMORY_LIVE,         /* allocations now */
    SL_MEMORY_PEAK_LIVE,    /* and at most */
    SL_MEMORY_IN_USE,       /* bytes as asked for, now */
    SL_MEMORY_PEAK_IN_USE,
    SL_MEMORY_RESERVED,     /* bytes held of the device; on the emulator those in use */
    SL_MEMORY_PEAK_RESERVED,
    SL_MEMORY_FREE,         /* bytes reserved and not in use */
    SL_MEMORY_LARGEST_FREE, /* in one piece */
    SL_MEMORY_FRAGMENTATION /* thousandths of the free bytes outside the largest piece */
} sl_memory;

/* 0 for a figure that does not exist. */
uint64_t sl_context_memory(const sl_context *context, sl_memory figure);
/* Destroys the context, and says what had not been destroyed before: returns the number of
 * buffers and textures; leaks, if not NULL, receives a line for each in the order in which
 * they were made, cut to size bytes with the closing zero. */
size_t sl_context_close(sl_context *context, char *leaks, size_t size);

/* --- modules and kernels ---------------------------------------------------------- */

typedef enum sl_format {
    SL_FORMAT_PTX,
    SL_FORMAT_KIR /* the text form of the kernel IR */
} sl_format;

/* Reads, verifies and loads kernel text into the context's memory. The text is
 * copied and need not end in a zero. name appears in messages, usually the
 * file's. On SL_MALFORMED sl_context_error holds every error as
 * file:line:column, the line and a caret. */
sl_status sl_module_load(sl_context *context, sl_format format, const char *name,
                         const char *text, size_t size, sl_module **out);
void sl_module_destroy(sl_module *module);
/* Warnings met while reading, in the form of errors; "" when there are none. */
const char *sl_module_warnings(const sl_module *module);

size_t sl_module_kernel_count(const sl_module *module);
/* In order of the text; NULL past the end. */
sl_kernel *sl_module_kernel(const sl_module *module, size_t index);
/* By mangled name, demangled name, or base name if only one kernel has it.
 * name NULL finds the only kernel. SL_NOT_FOUND lists the kernels there are. */
sl_status sl_module_find(sl_module *module, const char *name, sl_kernel **out);

/* A variable in global or constant memory (__device__, __constant__), as a buffer to
 * read and write; by its name in the text, or its C++ name. It goes with the module. */
sl_status sl_module_variable(sl_module *module, const char *name, sl_buffer **out);

const char *sl_kernel_name(const sl_kernel *kernel);
/* "saxpy(float*, float const*, float, int)"; the plain name when it is not
 * mangled or mangled in a way that is not understood. */
const char *sl_kernel_demangled(const sl_kernel *kernel);
size_t sl_kernel_parameter_count(const sl_kernel *kernel);
/* As declared; a by-value struct is "b8" with its size. NULL or 0 past the end. */
const char *sl_kernel_parameter_name(const sl_kernel *kernel, size_t index);
const char *sl_kernel_parameter_type(const sl_kernel *kernel, size_t index);
size_t sl_kernel_parameter_size(const sl_kernel *kernel, size_t index);
/* Bytes of shared variables, without the dynamic part. */
uint64_t sl_kernel_static_shared(const sl_kernel *kernel);

/* --- host functions ----------------------------------------------------------------- */

/* Stands in for the body of an .extern .func of the module, once for each active
 * lane. Arguments and results are raw bytes, each at its own alignment, in
 * order. SL_NOT_FOUND when the module declares no such function. */
typedef void sl_host_function(void *self, const unsigned char *arguments,
                              unsigned char *results);
sl_status sl_bind_function(sl_module *module, const char *name,
                           sl_host_function *function, void *self);
/* Binds every .extern .func that a shared library defines, by C calling
 * convention; see docs/running.md for how types are told. *bound, if not NULL,
 * is their number. SL_UNSUPPORTED when built without libffi. */
sl_status sl_bind_library(sl_module *module, const char *path, size_t *bound);

/* --- buffers ------------------------------------------------------------------------- */

/* size bytes of device memory; bytes NULL leaves them uninitialised (they read
 * as zero, and the init check knows). Address and contents depend only on the
 * order of calls. */
sl_status sl_buffer_create(sl_context *context, uint64_t size, const void *bytes,
                           sl_buffer **out);
/* The address range is never used again: a kernel that still uses it is found. */
void sl_buffer_destroy(sl_buffer *buffer);
/* What a kernel takes for a pointer parameter, 8 bytes. */
uint64_t sl_buffer_address(const sl_buffer *buffer);
uint64_t sl_buffer_size(const sl_buffer *buffer);
/* SL_INVALID when the range does not lie inside. */
sl_status sl_buffer_read(const sl_buffer *buffer, uint64_t offset, void *bytes, uint64_t size);
sl_status sl_buffer_write(sl_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size);
/* How reports call it: "argument 0 (y)". Copied. */
void sl_buffer_set_name(sl_buffer *buffer, const char *name);

/* --- textures and surfaces -------------------------------------------------------------- */

/* description says shape, type, size and sampling, and perhaps contents, as on the
 * command line: "tex2d:f32[64x32],linear,clamp,normalized", "surf1d:u32[256]=0" (see
 * docs/running.md). contents: all texels, channel by channel, then along x, y and z;
 * NULL takes those of the description, or leaves them uninitialised. */
sl_status sl_texture_create(sl_context *context, const char *description,
                            const void *contents, sl_texture **out);
void sl_texture_destroy(sl_texture *texture);
/* What a kernel takes for a texture or surface object, 8 bytes. */
uint64_t sl_texture_handle(const sl_texture *texture);
/* Its texels, to read and write; belongs to the texture. */
sl_buffer *sl_texture_buffer(const sl_texture *texture);
/* Binds it to the module's .texref or .surfref of that name, for the launches that
 * follow. SL_NOT_FOUND when there is none. */
sl_status sl_texture_bind(sl_module *module, const char *name, const sl_texture *texture);

/* --- launching ------------------------------------------------------------------------ */

/* Runs the kernel to its end. arguments[i] points at the value of parameter i,
 * sl_kernel_parameter_size bytes of it. shared_bytes is dynamic shared memory.
 * A kernel that does something wrong still returns SL_OK: look into the report.
 * SL_INVALID when the launch cannot start as asked, SL_UNSUPPORTED when the
 * kernel needs something this version cannot run. */
sl_status sl_launch(sl_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t shared_bytes, const void *const *arguments,
                    size_t argument_count, sl_report **report);

/* Everything that a launch can ask for. */
typedef struct sl_shape {
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* blocks; all 0: none but what the kernel itself requires */
    uint32_t shared_bytes; /* dynamic shared memory */
    int cooperative;       /* all blocks at once, with what grid-wide barriers need */
} sl_shape;

/* As sl_launch. */
sl_status sl_launch_shape(sl_kernel *kernel, const sl_shape *shape,
                          const void *const *arguments, size_t argument_count,
                          sl_report **report);

/* --- streams: work that is queued --------------------------------------------------------- */

/* A stream's work is done in order, beside that of other streams. On a GPU these calls only
 * queue it; the emulator does it at once, in the order of the calls. All that is done without
 * a stream (reading a buffer, destroying one, sl_launch) waits for all streams first, so that
 * what waits for nothing is never wrong, only slower. A stream belongs to its context. */
typedef struct sl_stream sl_stream;
typedef struct sl_event sl_event;

sl_status sl_stream_create(sl_context *context, sl_stream **out);
/* Waits first. */
void sl_stream_destroy(sl_stream *stream);
/* As sl_launch_shape. The values of arguments are taken before it returns. */
sl_status sl_launch_on(sl_stream *stream, sl_kernel *kernel, const sl_shape *shape,
                       const void *const *arguments, size_t argument_count);
/* bytes must stay as they are until the stream was waited for. Texels are read and written at
 * once, as without a stream. */
sl_status sl_buffer_read_on(sl_stream *stream, const sl_buffer *buffer, uint64_t offset,
                            void *bytes, uint64_t size);
sl_status sl_buffer_write_on(sl_stream *stream, sl_buffer *buffer, uint64_t offset,
                             const void *bytes, uint64_t size);
/* Waits for what is queued, for SL_OPTION_TIMEOUT seconds if that is set. *report, unless
 * report is NULL: of all launches on the stream since it was last waited for, as one; NULL
 * when there were none. SL_INVALID when the context is of no more use: a fault is a finding
 * of the report, of which launch a GPU does not tell. */
sl_status sl_stream_wait(sl_stream *stream, sl_report **report);
/* *done: nothing is under way any more. Does not wait. */
sl_status sl_stream_done(sl_stream *stream, int *done);

/* A point in a stream's work. */
sl_status sl_event_create(sl_context *context, sl_event **out);
void sl_event_destroy(sl_event *event);
/* It has come when all that the stream was given before is done. */
sl_status sl_event_record(sl_event *event, sl_stream *stream);
/* What the stream is given from now on begins when the event has come. An event that was
 * never recorded holds nothing up. */
sl_status sl_stream_after(sl_stream *stream, sl_event *event);
/* Waits until it has come; one that was never recorded is not waited for. */
sl_status sl_event_wait(sl_event *event);
/* Between two that have come. SL_UNSUPPORTED on the emulator, which has no times. */
sl_status sl_event_elapsed(sl_event *start, sl_event *end, double *milliseconds);

/* --- reports --------------------------------------------------------------------------- */

void sl_report_destroy(sl_report *report);
/* For people, and as JSON (docs/running.md). Lent for the report's life. */
const char *sl_report_text(sl_report *report);
const char *sl_report_json(sl_report *report);
/* Findings of severity warning or error, folded ones once. 0 is a clean run. */
size_t sl_report_problems(const sl_report *report);
/* With strict, findings of severity warning are errors, and those of severity info count
 * as problems too. */
void sl_report_set_strict(sl_report *report, int strict);
/* Nonzero when every thread came to its end. */
int sl_report_completed(const sl_report *report);
uint64_t sl_report_warp_instructions(const sl_report *report);
uint64_t sl_report_thread_instructions(const sl_report *report);

typedef enum sl_finding_text {
    SL_FINDING_CATEGORY,   /* "memory", "init", "race", "sync", "timeout", "trap", "assert" */
    SL_FINDING_KIND,       /* "out-of-bounds", "write-write", ... */
    SL_FINDING_SEVERITY,   /* "error", "warning", "info" */
    SL_FINDING_MESSAGE,    /* one sentence */
    SL_FINDING_SPACE,      /* "global", "shared", ...; "" without an address */
    SL_FINDING_ALLOCATION  /* the nearest allocation, a phrase; "" when not known */
} sl_finding_text;
typedef enum sl_finding_number {
    SL_FINDING_COUNT,       /* how often, the folded ones included */
    SL_FINDING_HAS_ADDRESS, /* 0 or 1; without, the next two are 0 */
    SL_FINDING_ADDRESS,
    SL_FINDING_SIZE,
    SL_FINDING_PLACES       /* how many parties it names */
} sl_finding_number;
typedef enum sl_place_text {
    SL_PLACE_FILE,        /* source file; "" when not known */
    SL_PLACE_ACCESS,      /* "read", "write", "atomic" or "" */
    SL_PLACE_INSTRUCTION  /* as written in the kernel text */
} sl_place_text;
typedef enum sl_place_number {
    SL_PLACE_LINE,     /* in the source file; 0 not known */
    SL_PLACE_PTX_LINE, /* in the kernel text; 0 not known */
    SL_PLACE_BLOCK_X, SL_PLACE_BLOCK_Y, SL_PLACE_BLOCK_Z,
    SL_PLACE_THREAD_X, SL_PLACE_THREAD_Y, SL_PLACE_THREAD_Z
} sl_place_number;

size_t sl_report_finding_count(const sl_report *report);
/* "" or 0 for an index past the end. */
const char *sl_report_finding_text(const sl_report *report, size_t finding,
                                   sl_finding_text what);
uint64_t sl_report_finding_number(const sl_report *report, size_t finding,
                                  sl_finding_number what);
const char *sl_report_place_text(const sl_report *report, size_t finding, size_t place,
                                 sl_place_text what);
uint64_t sl_report_place_number(const sl_report *report, size_t finding, size_t place,
                                sl_place_number what);

/* --- one call ---------------------------------------------------------------------------- */

typedef enum sl_direction {
    SL_VALUE, /* data: the bytes of a scalar or by-value struct parameter */
    SL_IN,    /* data: host bytes that the kernel reads through a pointer */
    SL_OUT,   /* data: where the buffer goes afterwards; it starts uninitialised */
    SL_INOUT  /* both */
} sl_direction;

typedef struct sl_argument {
    void *data;   /* never written unless SL_OUT or SL_INOUT; NULL and size 0: null pointer */
    size_t size;
    sl_direction direction;
} sl_argument;

/* Runs one kernel of a PTX text on the default profile: makes a buffer for each
 * argument that is not SL_VALUE, runs, and copies results back. kernel NULL: the
 * only one. *report may be NULL when the call fails; error, if not NULL, then
 * receives the explanation, cut to error_size bytes with the closing zero.
 * Results are copied back also when the report has findings. */
sl_status sl_run_ptx(const char *ptx, size_t size, const char *kernel,
                     const uint32_t grid[3], const uint32_t block[3],
                     uint32_t shared_bytes, const sl_argument *arguments,
                     size_t argument_count, sl_report **report, char *error,
                     size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
