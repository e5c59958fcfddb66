/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus_emu.h - running litmus tests on the emulator. */
#ifndef SIMTLAB_CLI_LITMUS_EMU_H
#define SIMTLAB_CLI_LITMUS_EMU_H

#include "memmodel/many_run.h"
#include "memmodel/memmodel.h"

struct litmus_emulator {
    bool races; /* the race checker is to look on */
    bool weak;  /* loads may return older values */
};

/* As litmus_executor.run: one run on a fresh emulated GPU, with the number of
 * the run as its seed. self points at a struct litmus_emulator. */
void litmus_run_emulated(void *self, const struct litmus_launch *launch, uint64_t run,
                         struct litmus_run *ran, struct text *err);
/* An emulated GPU that runs many instances at once, as a real one does, for trying
 * such programs. Lives in the arena. */
const struct many_device *litmus_emulated_device(struct arena *arena);

#endif
