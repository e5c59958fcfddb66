/* SPDX-License-Identifier: Apache-2.0
 *
 * emulate.h - one recorded job, run again on the emulator or a GPU. */
#ifndef SIMTLAB_CONFORMANCE_EMULATE_H
#define SIMTLAB_CONFORMANCE_EMULATE_H

#include <stdbool.h>

#include "api/writer.h"
#include "base/text.h"
#include "conformance/case.h"

struct emulation {
    struct arena arena;
    sl_context *context;
    sl_report *report;         /* NULL: it could not run, error says why */
    struct text printed;       /* by the kernel */
    bool on_gpu;
    struct text error;
    const unsigned char **bytes; /* of each recorded output; NULL for printf */
    uint64_t *sizes;
    uint64_t *addresses;
};

struct emulate_options {
    uint64_t seed, max_steps;
    uint64_t timeout;          /* seconds of a case on a GPU; 0: 20 in conform, else no limit */
    const char *executor;      /* NULL: the emulator */
    struct observer *observer; /* or NULL; sees nothing on a GPU */
};
/* "emulator", or the executor's name. */
const char *executor_words(const struct emulate_options *options);

/* Runs the case in a context of its own, on the emulator for the chip of the recording. False,
 * with words in error, when it could not run. emulation_free in any case. */
bool emulate(const struct conform_case *c, const struct emulate_options *options,
             struct emulation *out);
void emulation_free(struct emulation *emulation);

#endif
