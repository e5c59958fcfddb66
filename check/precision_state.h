/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_state.h - what check/precision.c and precision_memory.c share. */
#ifndef SIMTLAB_CHECK_PRECISION_STATE_H
#define SIMTLAB_CHECK_PRECISION_STATE_H

#include "check/init.h" /* struct pointer_map */
#include "check/precision.h"
#include "check/precision_value.h"

/* The wide value, or the two, of a register's word in one lane; good as long as the
 * word is still these bits. */
struct shade {
    enum shade_format format;
    bool pair;
    uint64_t bits;
    double value[2];
};

/* One register in all lanes. */
struct shade_register {
    uint32_t lanes;
    struct shade shade[LANES];
};

struct shade_frame {
    struct shade_register **registers; /* by operand / 8 */
    uint32_t entries;
};

/* The wide value of one number in memory. */
struct shade_cell {
    uint64_t owner, address; /* owner: 0 global, else a block or a thread */
    uint64_t bits;
    double value;
    uint8_t format;    /* SHADE_NONE: the cell is empty */
    uint8_t used;
    uint8_t unchecked; /* written by an atomic: its bits are not known */
};

struct precision {
    struct observer observer; /* first: it is what the engine sees */
    struct precision_options options;
    struct launch_state *state;
    struct pointer_map frames;
    struct shade_cell *cells;
    uint64_t cell_count, cell_capacity;
    struct precision_first first;
    struct precision_counts counts;
};

struct shade_frame *precision_frame(struct precision *precision,
                                    const unsigned char *registers);
/* True when the register word of `bytes` has a wide value in the lane. */
bool precision_get(const struct precision *precision, const struct shade_frame *frame,
                   unsigned char *const base[2], uint32_t operand, unsigned bytes,
                   unsigned lane, struct shade *shade);
void precision_set(struct shade_frame *frame, uint32_t operand, unsigned lane,
                   const struct shade *shade);
void precision_clear(struct shade_frame *frame, uint32_t operand, uint32_t lanes);
uint64_t precision_word(unsigned char *const base[2], uint32_t operand, unsigned bytes,
                        unsigned lane);

/* check/precision_memory.c */
void precision_access(struct observer *observer, const struct access_event *event);
void precision_local_copy(struct observer *observer, struct warp *warp, uint32_t mask,
                          uint64_t to, uint64_t from, uint64_t size);
const struct shade_cell *precision_cell(const struct precision *precision, uint64_t owner,
                                        uint64_t address);

#endif
