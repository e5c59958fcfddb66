/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_constants.h - registers that hold one value in the whole launch. */
#ifndef SIMTLAB_EMU_LAUNCH_CONSTANTS_H
#define SIMTLAB_EMU_LAUNCH_CONSTANTS_H

#include "emu/state.h"
#include "ir/liveness.h"

struct launch_constant {
    bool known;
    uint64_t value; /* as wide as the register; predicates: 0 or 1 */
};

/* By register, in the scratch arena. executable->launch is set. */
struct launch_constant *launch_constants(struct arena *scratch,
                                         const struct executable *executable,
                                         const struct ir_function *function,
                                         const struct ir_liveness *live);

#endif
