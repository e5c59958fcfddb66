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

/* --- the window to try ------------------------------------------------------------ */

/* The last allocation, when this access to it is certainly in order. */
static inline bool recent_window(const struct step *step, enum finding_access kind,
                          struct window *window)
{
    const struct code *code = step->code;
    struct allocation *recent = *code->recent;

    if (!recent || !recent->host || code->space > IR_SPACE_GLOBAL ||
        (kind != FINDING_READ && recent->kind == ALLOCATION_CONST))
        return false;
    *window = (struct window){.base = recent->address, .size = recent->size,
                              .host = recent->host, .space = IR_SPACE_GLOBAL,
                              .start = recent->address, .allocation = recent};
    return true;
}

/* The address when there is no address register. */
static inline uint64_t fixed_address(const struct step *step)
{
    uint64_t address = (uint64_t)step->code->offset;

    return step->code->address_kind == ADDRESS_FRAME
               ? address + step->fragment->frame->local_base
               : address;
}

/* The address of the first lane. */
static inline uint64_t first_address(const struct step *step)
{
    const struct code *code = step->code;
    unsigned lane = lane_first(step->mask);

    if (code->address_kind != ADDRESS_REGISTER)
        return fixed_address(step);
    uint64_t address =
        lane_read(step, code->o.a, code->address_bytes, lane) + (uint64_t)code->offset;
    return code->address_bytes == 8 ? address : (uint32_t)address;
}

/* --- whole words -------------------------------------------------------------------- */

/* An access with code->words, unobserved: the own shared memory, or the allocation
 * that the instruction hit last, which it may use. False when nothing was done. */
static inline bool words_execute(struct launch_state *state, struct block *block,
                                 struct fragment *fragment, const struct code *code,
                                 unsigned char *const base[2], uint32_t mask)
{
    uint64_t start, size;
    unsigned char *host;

    if (code->space == IR_SPACE_SHARED) {
        start = state->executable->shared_base;
        size = block->shared_bytes;
        host = block->shared;
    } else {
        const struct allocation *recent = *code->recent;
        if (!recent || !recent->host)
            return false;
        start = recent->address;
        size = recent->size;
        host = recent->host;
    }
    enum words_done done = code->words(code, start, size, host, base, mask);
    if (done == WORDS_CHANGED) {
        state->changes++;
        fragment->polls = 0;
    }
    return done != WORDS_DECLINED;
}

/* The same, observed (emu/rows.c). */
bool words_observed(struct warp *warp, struct fragment *fragment, const struct code *code,
                    unsigned char *const base[2], uint32_t mask);
/* A store to offsets in a window, however it has to be done (emu/load_store.c). Has memory
 * changed that others see? */
bool store_offsets(const struct code *code, const struct window *window,
                   unsigned char *const base[2], uint32_t mask, const uint64_t offset[LANES]);

/* The window that all lanes are in, for size bytes each, and where in it: offset[lane]
 * from its host. LIE_NOWHERE when there is none, or something is wrong with an access. */
static inline enum access_lie place_lanes(const struct step *step, enum finding_access kind,
                                          uint32_t size, struct window *window,
                                          uint64_t offset[LANES])
{
    const struct access_table *loops = step->warp->block->state->access_loops;
    const struct code *code = step->code;
    uint64_t fixed = fixed_address(step);
    enum access_lie lie = LIE_NOWHERE;

    if (recent_window(step, kind, window))
        lie = loops->place(code, window, fixed, size, step->base, step->mask, offset);
    if (!lie && access_window(step->warp, step->fragment, code, code->space, kind,
                              first_address(step), window))
        lie = loops->place(code, window, fixed, size, step->base, step->mask, offset);
    return lie;
}

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

void texture_execute(const struct step *step); /* tex, txq, suq: emu/texture_ops.c */
void surface_execute(const struct step *step); /* suld, sust, sured: emu/surface_ops.c */

/* The object that a lane's first source names, or NULL after a report. */
struct texture_object;
const struct texture_object *texture_of_lane(const struct step *step, unsigned lane,
                                             bool surface, bool any_shape);

void async_execute(const struct step *step);  /* cp_async...: emu/async.c */
void bulk_execute(const struct step *step);   /* bulk...: emu/bulk.c */
void tensor_execute(const struct step *step); /* tensor: emu/tensor.c */
void tensor_map_execute(const struct step *step); /* tensormap...: emu/tensor_map_ops.c */
void store_async_execute(const struct step *step); /* st_async, red_async: emu/store_async.c */
/* Combines one element in memory as the code's type and sub say; true when it changed. */
bool atomic_element(const struct code *code, enum ir_space space, unsigned char *host,
                    const unsigned char *operand);
/* As mbarrier.complete_tx on the barrier at an address of the cluster's shared memory,
 * or, in GENERIC space, at a generic one. */
void mbarrier_complete_bytes(const struct step *step, unsigned lane, enum ir_space space,
                             uint64_t address, uint32_t bytes);
/* The number of a copy that nothing but an mbarrier ends. */
uint64_t async_next(struct warp *warp);
/* Bulk groups: as below, for each lane; reads: the part of a copy that reads. */
uint64_t async_bulk_issue(struct warp *warp, unsigned lane, bool reads);
void async_bulk_commit(struct warp *warp, uint32_t lanes);
bool async_bulk_done(struct warp *warp, unsigned lane, uint32_t pending, bool reads_only,
                     uint64_t *number);
/* wgmma, as observers see it: a copy by the warp. issue: its number; commit: those issued
 * since the last commit form a group; done: takes away one of a group that is not among the
 * `pending` newest, false when there is none. */
uint64_t async_group_issue(struct warp *warp);
void async_group_commit(struct warp *warp);
uint32_t async_groups(struct warp *warp); /* committed so far */
bool async_group_done(struct warp *warp, uint32_t pending, uint64_t *number);
void mbarrier_execute(const struct step *step); /* mbarrier...: emu/mbarrier.c */
/* cp.async.mbarrier.arrive, once the copies of the lanes are done. */
void mbarrier_arrive_for_copies(const struct step *step, bool no_increment);

#endif
