/* SPDX-License-Identifier: Apache-2.0
 *
 * init.h - inside the init checker: what it knows about every bit.
 *
 * A set bit in a mask means that nobody has defined that bit of the value. Each
 * undefined value remembers an origin: which memory it first came from and the
 * instruction that loaded it, or the shuffle that took it from a lane that was
 * not there. Everything is kept beside the engine's state, by its addresses,
 * and made when it is first needed. */
#ifndef SIMTLAB_CHECK_INIT_H
#define SIMTLAB_CHECK_INIT_H

#include "emu/access.h"

/* --- origins ------------------------------------------------------------------------- */

enum origin_kind {
    ORIGIN_GLOBAL, ORIGIN_SHARED, ORIGIN_LOCAL,
    ORIGIN_REGISTER, /* never written */
    ORIGIN_LANE,     /* a shuffle from a lane that was not there */
    ORIGIN_ACCUMULATOR, /* a wgmma that has not been waited for */
};

struct origin {
    enum origin_kind kind;
    const void *what;           /* tells origins at one instruction apart */
    const struct code *code;    /* the first load; NULL: none */
    const char *phrase;         /* "shared variable 'tile'", in the launch's arena */
    struct finding_place place; /* of the first load */
};

/* Names an origin: its index plus one, and in the lowest bit whether the bits
 * have only been copied since they were loaded from global memory, or since a wgmma
 * made them. 0: none. */
typedef uint32_t origin_id;
enum { ORIGIN_PLAIN = 1 };

/* --- shadows --------------------------------------------------------------------------- */

/* One register of one frame. 128-bit registers: one bit for each byte. */
struct shadow_register {
    uint64_t bits[LANES];
    origin_id origin[LANES];
};

/* The registers of a frame. An operand at byte offset o has entry o / 8. */
struct shadow_frame {
    const struct program *program;
    uint32_t entries;
    struct frame *frame;               /* the one that it is of now */
    bool any;                          /* something in it may be undefined */
    uint32_t *lanes;                   /* by entry: lanes with undefined bits */
    struct shadow_register **registers; /* by entry; NULL until needed */
};

/* Bytes of memory: a mask for each, and where undefined bits came from. */
struct shadow_bytes {
    unsigned char *bits; /* NULL: all defined, or not yet looked at */
    origin_id *origin;   /* NULL: nothing undefined was stored */
    uint64_t size;
    uint64_t left;       /* shared memory: bytes that have undefined bits */
};

/* From the address of something of the engine's to something of ours. Never
 * walked for output. */
struct pointer_map {
    const void **keys;
    void **values;
    uint32_t count, capacity;
};
void **pointer_map_at(struct pointer_map *map, const void *key); /* made if need be */
void *pointer_map_get(const struct pointer_map *map, const void *key);
void pointer_map_free(struct pointer_map *map, void (*free_value)(void *value));

/* An asynchronous copy of undefined bytes that has not happened yet. */
struct pending_copy {
    const struct warp *warp;
    uint32_t lane, size;
    uint64_t target;
    unsigned char bits[16];
    origin_id origin;
};

/* A wgmma that has not been waited for. */
struct pending_product {
    const struct warp *warp;
    uint64_t number;         /* of its copy event */
    const struct code *code;
};

struct init {
    struct observer observer; /* first: it is what the engine sees */
    bool report_init, report_sync;
    struct launch_state *state;
    struct arena arena;
    struct pointer_map frames;       /* by registers: struct shadow_frame */
    struct pointer_map locals;       /* by warp: struct shadow_bytes, lane after lane */
    struct pointer_map shareds;      /* by block: struct shadow_bytes */
    struct pointer_map globals;      /* by allocation: struct shadow_bytes */
    const unsigned char *last_registers; /* the frame asked for last */
    struct shadow_frame *last_frame;
    const struct block *last_block;  /* the block asked for last */
    struct shadow_bytes *last_shared;
    unsigned char *base[2];          /* of the instruction under way */
    struct { struct origin *items; uint32_t count, capacity; } origins;
    struct { struct pending_copy *items; uint32_t count, capacity; } pending;
    struct { struct pending_product *items; uint32_t count, capacity; } products;
};

/* --- registers (check/init_registers.c) ------------------------------------------------- */

struct shadow_frame *shadow_frame_of(struct init *init, const unsigned char *registers);
/* Lanes of the mask in which the operand has undefined bits. */
static inline uint32_t undefined_lanes(const struct shadow_frame *frame, uint32_t operand,
                                       uint32_t mask)
{
    return operand & OPERAND_CONSTANT || operand == OPERAND_ABSENT
               ? 0 : frame->lanes[operand / 8] & mask;
}
/* Undefined bits of an operand in a lane, and where they came from. */
uint64_t undefined_bits(const struct shadow_frame *frame, uint32_t operand, unsigned lane);
origin_id undefined_origin(const struct shadow_frame *frame, uint32_t operand, unsigned lane);
void undefined_set(struct shadow_frame *frame, uint32_t operand, unsigned lane, uint64_t bits,
                   origin_id origin);
static inline void undefined_clear(struct shadow_frame *frame, uint32_t operand, uint32_t mask)
{
    if (!(operand & OPERAND_CONSTANT) && operand != OPERAND_ABSENT)
        frame->lanes[operand / 8] &= ~mask;
}
void shadow_frame_free(void *value);

/* --- rules (check/init_rules.c) ------------------------------------------------------------ */

/* The undefined bits of a per-lane op's result, given its sources' values and
 * undefined bits. */
uint64_t undefined_result(const struct code *code, enum ir_row row,
                          const uint64_t value[IR_ROW_SOURCES],
                          const uint64_t undefined[IR_ROW_SOURCES], unsigned mode);
/* Does the op only move bits from its sources to its result? */
bool op_moves_bits(const struct code *code, enum ir_row row);
/* A shift that is not by whole bytes: code that doubles or halves, no copy of data. */
bool op_cuts_bytes(unsigned op, const uint64_t value[IR_ROW_SOURCES]);

/* --- memory (check/init_memory.c) ------------------------------------------------------------ */

void init_access(struct observer *observer, const struct access_event *event);
bool init_row(struct observer *observer, const struct access_row *row);
void init_local_copy(struct observer *observer, struct warp *warp, uint32_t mask, uint64_t to,
                     uint64_t from, uint64_t size);
/* Nothing is there yet in this range of a thread's local memory; or it is. */
void local_mark(struct init *init, struct warp *warp, uint32_t mask, uint64_t from, uint64_t to,
                bool undefined);
void shared_begin(struct init *init, const struct block *block);
void shadow_bytes_free(void *value);

/* --- warp operations (check/init_warp.c) ------------------------------------------------------- */

void init_warp_sync(struct observer *observer, struct warp *warp, const struct code *code,
                    uint32_t mask);

/* The same for mma, ldmatrix, stmatrix, movmatrix (check/init_matrix.c). */
void init_matrix_sync(struct init *init, struct warp *warp, const struct code *code,
                      uint32_t mask);

/* wgmma (check/init_wgmma.c): a fragment issues one; copies begin and end. */
void init_wgmma_issue(struct init *init, struct warp *warp, const struct fragment *fragment,
                      const struct code *code);
void init_copy(struct observer *observer, const struct copy_event *event);

/* --- reports (check/init_report.c) --------------------------------------------------------------- */

origin_id origin_of(struct init *init, const struct warp *warp, const struct code *code,
                    const struct ir_function *function, unsigned lane, enum origin_kind kind,
                    const void *what, const char *phrase);
static inline struct origin *origin_at(const struct init *init, origin_id id)
{
    return &init->origins.items[id / 2 - 1];
}
/* Stored to global memory, bits of this origin are no use yet. */
static inline bool only_copied(const struct init *init, origin_id id)
{
    return id & ORIGIN_PLAIN &&
           (id < 2 || origin_at(init, id)->kind != ORIGIN_ACCUMULATOR);
}
/* Something depends on undefined bits. kind: "uninitialised-...", use: what it
 * decides ("a branch"). */
void report_use(struct init *init, const struct warp *warp, const struct shadow_frame *frame,
                const struct code *code, unsigned lane, const char *kind, const char *use,
                origin_id id, enum finding_access access);

#endif
