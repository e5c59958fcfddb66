/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_cuda.h - a CUDA driver library made of host memory, for tests.
 *
 * Device memory is malloc memory; PTX is searched for `.entry` names and never
 * compiled; a few kernel names do something when launched:
 *
 *     store_index(p, n)   p[i] = 3 * i for i < n, 32-bit
 *     add_one(p, q, n)    q[i] = p[i] + 1
 *     fault_address       CUDA_ERROR_ILLEGAL_ADDRESS at the next wait, for ever
 *     fault_assert        CUDA_ERROR_ASSERT likewise
 *     say_hello           prints "hello from the device\n"
 *     litmus_final        of memmodel/many.h: all instances ended with zeros
 *     kill_process        the process dies
 *     never_end           runs on: a wait without end would be, and ends the process instead
 *     add_texels(t, n)    adds 1 to each of n bytes of a texture or surface object
 *     copy_map(p, map)    the 128 bytes of a parameter
 *     copy_picture(p, n)  n bytes of what `picture` is bound to
 *
 * PTX with the words SYNTAX ERROR is refused with an error log. */
#ifndef SIMTLAB_TESTS_FAKE_CUDA_H
#define SIMTLAB_TESTS_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

struct fake_cuda {
    /* What to do. */
    int init_result;        /* of cuInit */
    int device_count;       /* 2 */
    int cuda_version;       /* 13000 */
    size_t memory_left;     /* what cuMemAlloc still has */
    int static_shared;      /* of every kernel */
    int fail_next_copy;     /* result code of the next copy; 0: works */
    void *current_context;  /* 0: none; contexts are small integers, device + 1 */
    /* What was done. */
    unsigned retained, released, allocations, frees, launches, waits;
    unsigned streams_open, events_open, modules_open;
    int last_opt_in;        /* largest dynamic shared size set on a function */
    int non_portable;       /* set on a function */
    unsigned grid[3], block[3], cluster[3], dynamic_shared;
    int cooperative;
    void *stream;
    size_t stack_limit, heap_limit, printf_limit;
    unsigned arrays_open, objects_open;
    int endless;            /* a kernel runs on */
    char jit_options[64];   /* "0=32 7=0 ..." numbers and values but the logs' */
};

/* Exported by the library; every field as after loading it. */
typedef struct fake_cuda *fake_cuda_reset_function(void);

#endif
