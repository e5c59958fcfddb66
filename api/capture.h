/* SPDX-License-Identifier: Apache-2.0
 *
 * capture.h - what arrives on standard output while something else runs. The CUDA driver
 * prints there what kernels print. For programs whose standard output is their own. */
#ifndef SIMTLAB_API_CAPTURE_H
#define SIMTLAB_API_CAPTURE_H

#include <stdbool.h>
#include <stdio.h>

#include <simtlab/simtlab.h>

struct capture {
    FILE *file;
    int standard_output; /* as it was */
};

/* False: not captured, and nothing to end. */
bool capture_begin(struct capture *capture);
/* Restores standard output and hands over what came. */
void capture_end(struct capture *capture, sl_print_function *print, void *self);

#endif
