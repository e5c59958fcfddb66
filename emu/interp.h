/* SPDX-License-Identifier: Apache-2.0
 *
 * interp.h - the interpreter: runs one fragment of a warp. */
#ifndef SIMTLAB_EMU_INTERP_H
#define SIMTLAB_EMU_INTERP_H

#include "emu/state.h"

enum run_stop {
    RUN_BUDGET,  /* the steps are used up */
    RUN_YIELD,   /* it polls memory, or sleeps: let others run */
    RUN_BEHIND,  /* lanes that will come to the same place should catch up first */
    RUN_PARTED,  /* its lanes took both sides of a branch, and a seed chooses */
    RUN_STOPPED, /* it waits, parked, ended, or became part of another fragment */
};

/* Executes the READY fragment for at most budget instructions. */
enum run_stop interp_run(struct warp *warp, struct fragment *fragment, uint64_t budget);

/* The value of a special register in every lane, cut to 32 bits, as the
 * interpreter and other executors give it. steps: the warp's clock. */
void sreg_read32(const struct warp *warp, enum ir_sreg sreg, uint64_t steps,
                 uint32_t value[LANES]);
/* Registers wider than 32 bits, and predicates: the same in all lanes. */
/* %envreg by number. */
void sreg_read_environment(const struct warp *warp, uint32_t number, uint32_t value[LANES]);
uint64_t sreg_read64(const struct warp *warp, enum ir_sreg sreg, uint64_t steps);

#endif
