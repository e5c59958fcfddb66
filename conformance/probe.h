/* SPDX-License-Identifier: Apache-2.0
 *
 * probe.h - kernels that write down what each of their instructions gives, for
 * executors that cannot be watched. */
#ifndef SIMTLAB_CONFORMANCE_PROBE_H
#define SIMTLAB_CONFORMANCE_PROBE_H

#include "conformance/compare.h"

/* A kernel with probes takes two parameters more, the last: a buffer of 64-bit words, and how
 * many of its probes each thread may write down.
 * Word number slot * threads + thread is a hash of all that this thread's instruction
 * number slot gave. Behind the last slot each thread counts the probes that it met. */
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

/* Puts probes into the kernel of the job's last launch and what it may call. 64-bit integers are left out: most
 * are addresses, and those are each machine's own. NULL, or why it cannot be done. */
const char *probes_make(struct arena *arena, const struct conform_case *c, struct probes *out);
/* The job with that text and two arguments more; limit: probes of a thread that count. */
enum { PROBES_ALL = INT32_MAX };
struct conform_case probes_case(struct arena *arena, const struct conform_case *c,
                                const struct probes *probes, uint64_t limit);

/* That case as a job for the recorder, with this name for the PTX file. */
void probes_job(struct text *out, const struct conform_case *probed, const char *ptx);

/* Runs both sides again and again with probes, and writes where the first instruction
 * differs: the fewest probes of its thread behind; or why that cannot be told. True when that
 * instruction is another one in each text. */
bool probes_find(struct arena *arena, const struct side *left, const struct side *right,
                 struct text *out);

#endif
