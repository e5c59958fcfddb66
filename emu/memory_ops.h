/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_ops.h - what the files of memory instructions share. */
#ifndef SIMTLAB_EMU_MEMORY_OPS_H
#define SIMTLAB_EMU_MEMORY_OPS_H

#include <string.h>

#include "emu/access.h"

/* A memory instruction under way. */
struct step {
    struct warp *warp;
    struct fragment *fragment;
    const struct code *code;
    unsigned char *const *base;
    uint32_t mask;
};

/* --- register words of one lane ---------------------------------------------------- */

/* bytes: 2, 4, 8; or 16, of which the low word counts. */
static inline uint64_t lane_read(const struct step *step, uint32_t operand, unsigned bytes,
                                 unsigned lane)
{
    uint64_t value = 0;

    memcpy(&value, (unsigned char *)operand_at(step->base, operand) + (size_t)lane * bytes,
           bytes < 8 ? bytes : 8);
    return value;
}

static inline void lane_write(const struct step *step, uint32_t operand, unsigned bytes,
                              unsigned lane, uint64_t value)
{
    if (operand != OPERAND_ABSENT)
        memcpy((unsigned char *)operand_at(step->base, operand) + (size_t)lane * bytes,
               &value, bytes);
}

static inline void predicate_write(const struct step *step, uint32_t operand,
                                   uint32_t lanes)
{
    uint64_t *to = operand == OPERAND_ABSENT ? NULL : operand_at(step->base, operand);

    if (to)
        *to = (*to & ~(uint64_t)step->mask) | (lanes & step->mask);
}

/* Source number i, after the destinations. */
static inline uint32_t source_operand(const struct code *code, unsigned i)
{
    return code->operands[code->destinations + i];
}

/* --- the window to try (emu/load_store.c) --------------------------------------------- */

/* The last allocation, when this access to it is certainly in order. */
bool recent_window(const struct step *step, enum finding_access kind,
                   struct window *window);
/* The address when there is no address register. */
uint64_t fixed_address(const struct step *step);
/* The address of the first lane. */
uint64_t first_address(const struct step *step);

/* --- what the scheduler wants to know ------------------------------------------------ */

/* Memory that others can see has changed. */
static inline void step_changed(const struct step *step)
{
    step->warp->block->state->changes++;
    step->fragment->polls = 0;
}

/* --- the parts ----------------------------------------------------------------------- */

void load_execute(const struct step *step);   /* ld: emu/load_store.c */
void store_execute(const struct step *step);  /* st */
void atomic_execute(const struct step *step); /* atom: emu/atomics.c */

void async_execute(const struct step *step);  /* cp_async...: emu/async.c */
void mbarrier_execute(const struct step *step); /* mbarrier...: emu/mbarrier.c */
/* cp.async.mbarrier.arrive, once the copies of the lanes are done. */
void mbarrier_arrive_for_copies(const struct step *step, bool no_increment);

#endif
