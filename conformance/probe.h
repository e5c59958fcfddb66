/* SPDX-License-Identifier: Apache-2.0
 *
 * probe.h - kernels that write down what each of their instructions gives, for
 * executors that cannot be watched. */
#ifndef SIMTLAB_CONFORMANCE_PROBE_H
#define SIMTLAB_CONFORMANCE_PROBE_H

#include "conformance/compare.h"

/* A kernel with probes takes one parameter more, the last: a buffer of 64-bit words.
 * Word number slot * threads + thread is a hash of all that this thread's instruction
 * number slot gave. */
struct probes {
    const char *ptx;
    size_t size;
    uint64_t threads;    /* of the whole grid */
    uint32_t slots;
    struct probe_slot {
        uint32_t text_line, line; /* of the instruction; line 0: not known */
        const char *file, *statement;
    } *slot;
};

/* Puts probes into the kernel of the job's last launch. 64-bit integers are left out: most
 * are addresses, and those are each machine's own. NULL, or why it cannot be done. */
const char *probes_make(struct arena *arena, const struct conform_case *c, struct probes *out);
/* The job with that text and one argument more. */
struct conform_case probes_case(struct arena *arena, const struct conform_case *c,
                                const struct probes *probes);

/* That case as a job for the recorder, with this name for the PTX file. */
void probes_job(struct text *out, const struct conform_case *probed, const char *ptx);

/* Runs both sides again with probes, and writes where the first instruction, in the order
 * of the text, differs; or why that cannot be told. */
void probes_find(struct arena *arena, const struct side *left, const struct side *right,
                 struct text *out);

#endif
