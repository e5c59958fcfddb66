/* SPDX-License-Identifier: Apache-2.0
 *
 * observe.h - events of a run, for checkers, profiles and traces.
 *
 * The engine knows no checker. It reports events to observers; a launch without
 * observers pays one test for each memory access. All members may be NULL.
 * Events of one launch come from one thread, in execution order.
 *
 * `at` names the instruction; lanes are bits of a mask. Addresses are those of
 * the state space named (for generic accesses: the space that the address fell
 * into). An access that faulted is reported as a finding and not as an event. */
#ifndef SIMTLAB_EMU_OBSERVE_H
#define SIMTLAB_EMU_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"

struct warp;
struct block;
struct launch_state;
struct allocation;
struct cluster;
struct code;
struct frame;
struct weak_choice;
struct window;

/* One memory instruction of a warp. Arrays are indexed by lane. What differs only
 * between windows is in `window` when all lanes are in one: access_allocation() and
 * the like of emu/access.h know both forms. */
struct access_event {
    struct warp *warp;
    const struct code *code;
    uint32_t mask;
    enum ir_space space;       /* GLOBAL (constants too), SHARED, LOCAL, PARAM */
    enum finding_access_kind {
        ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC,
        ACCESS_FAILED_CAS,     /* an atomic that only read */
    } kind;
    const uint64_t *address;
    const struct frame *frame; /* whose registers take part; NULL: none */
    enum access_lie {
        LIE_NOWHERE,           /* (an answer of access_table.place) */
        LIE_SAME,              /* all lanes at one address */
        LIE_NEXT,              /* each one access further than the lane before */
        LIE_APART,             /* or not known */
    } lie;
    uint32_t size;             /* bytes of one lane's access, all elements */
    uint32_t elements;         /* vector elements */
    const struct window *window; /* all lanes are in it; NULL: see the next three */
    struct allocation *const *allocation; /* by lane; GLOBAL only, else NULL */
    const uint32_t *owner;     /* by lane: rank in the cluster of the block whose
                                  shared memory it is; NULL: the own block */
    const unsigned char *const *host;     /* by lane: the bytes, before a write */
    unsigned char *const *base; /* st: the registers that hold what is stored, as in
                                   emu/lane.h; NULL for all others */
    const unsigned char *const *stored; /* by lane: the size bytes that are stored; NULL: not
                                   known, or in base */
    const struct weak_choice *older; /* ld: of which moments it is, see emu/weak.h;
                                   NULL: all of the present */
};

static inline bool is_wgmma(enum ir_op op)
{
    return op == IR_OP_wgmma || op == IR_OP_wgmma_sp;
}

/* How the lanes of an access lie to each other. A launch keeps them: its accesses mostly
 * lie as some did before. */
struct access_shape {
    struct access_shape *next; /* with the same hash */
    uint32_t number;           /* in the launch, from 0 */
    uint32_t mask;             /* lanes that it is known for */
    uint32_t size;             /* bytes of one lane's access */
    uint32_t span;             /* from the first byte to the last one, and one more */
    enum access_lie lie;
    bool apart;                /* no byte belongs to two lanes */
    uint32_t place[32];        /* by lane: bytes from the first one, multiples of size */
};

/* A weak load or a store of whole words by lanes that lie in a known way, all in one
 * allocation or in the block's own shared memory. */
struct access_row {
    struct warp *warp;
    const struct code *code;
    const struct frame *frame;
    const struct access_shape *shape;
    uint32_t mask;             /* some of the shape's lanes; all unless it is `apart` */
    enum ir_space space;       /* GLOBAL, SHARED */
    bool writes;
    uint64_t start;            /* address of the allocation, or of shared memory */
    uint64_t offset;           /* from there to place 0 */
    const struct allocation *allocation; /* GLOBAL */
};

/* What runs beside its thread until that waits for it. */
static inline bool happens_beside(enum ir_op op)
{
    return op == IR_OP_cp_async || is_wgmma(op) || op == IR_OP_bulk || op == IR_OP_bulk_reduce ||
           op == IR_OP_st_async || op == IR_OP_red_async || op == IR_OP_tensor;
}

/* Of these, what goes through the async proxy. PTX ISA, "Async Proxy". */
static inline bool is_async_proxy(enum ir_op op)
{
    return is_wgmma(op) || op == IR_OP_bulk || op == IR_OP_bulk_reduce || op == IR_OP_tensor;
}

/* A copy by cp.async is a thread of its own: the source is read at its issue, the
 * target written when it is done. wgmma reads shared memory like one. An issue event comes before the access event of
 * the read, a done event before that of the write. */
struct copy_event {
    struct warp *warp;
    const struct code *code;
    uint32_t mask;
    uint64_t number;        /* counts the warp's copy instructions from 0 */
    bool done;
};

/* What one lane did to an mbarrier, after the access event. */
struct mbarrier_event {
    struct warp *warp;
    const struct code *code;
    unsigned lane;
    uint32_t owner;         /* rank in the cluster of the block that holds it */
    uint64_t address;       /* in shared memory */
    enum mbarrier_act {
        MBARRIER_INIT,      /* init and inval: nobody has arrived */
        MBARRIER_ARRIVE,    /* and the other changes of what is pending */
        MBARRIER_PASS,      /* a test that found the last phase complete */
    } act;
    bool completed;         /* ARRIVE: the phase is over now */
};

struct observer {
    /* It follows no values of registers: what a launch knows beforehand (see
     * emu/launch_constants.h) may be put in their place, without events. */
    bool knows_constants;
    void (*launch_begin)(struct observer *self, struct launch_state *state);
    void (*launch_end)(struct observer *self, struct launch_state *state);
    void (*block_begin)(struct observer *self, struct block *block);
    void (*block_end)(struct observer *self, struct block *block);
    /* Lanes enter a function, or the kernel: its registers and its part of local
     * memory hold nothing yet. Before block_begin for a kernel. An observer may set
     * frame->followed, then or later. */
    void (*frame_enter)(struct observer *self, struct warp *warp,
                        struct frame *frame, uint32_t mask);
    /* The guard of an instruction decides in the lanes of mask; `instruction`
     * follows for those in which it holds, if there are any. Only in frames that are
     * followed. */
    void (*guard)(struct observer *self, struct warp *warp, const struct code *code,
                  unsigned char *const base[2], uint32_t mask);
    /* Before the instruction takes effect, in the lanes of mask. Operations of single
     * lanes, br, bra, and loads and stores of plain words only in frames that are
     * followed. */
    void (*instruction)(struct observer *self, struct warp *warp,
                        const struct code *code, unsigned char *const base[2],
                        uint32_t mask);
    /* Before a write, after a read. */
    void (*access)(struct observer *self, const struct access_event *event);
    /* The same in short. False when the observer has to know more: `access` follows. */
    bool (*row)(struct observer *self, const struct access_row *row);
    /* Arguments or results of a call go from one place of local memory to another. */
    void (*local_copy)(struct observer *self, struct warp *warp, uint32_t mask,
                       uint64_t to, uint64_t from, uint64_t size);
    void (*fence)(struct observer *self, struct warp *warp, const struct code *code,
                  uint32_t mask);
    /* Lanes of mask met in a .sync operation or bar.warp.sync. */
    void (*warp_sync)(struct observer *self, struct warp *warp,
                      const struct code *code, uint32_t mask);
    /* A warp's live lanes arrived at a block barrier (waits: false for arrive),
     * and a barrier completed its phase. */
    void (*barrier_arrive)(struct observer *self, struct warp *warp,
                           const struct code *code, uint32_t id, uint32_t mask,
                           bool waits);
    void (*barrier_complete)(struct observer *self, struct block *block, uint32_t id);
    /* barrier.cluster: lanes arrive; the phase ends; lanes get through a wait. */
    void (*cluster_arrive)(struct observer *self, struct warp *warp,
                           const struct code *code, uint32_t mask);
    void (*cluster_complete)(struct observer *self, struct cluster *cluster);
    void (*cluster_pass)(struct observer *self, struct warp *warp,
                         const struct code *code, uint32_t mask);
    void (*mbarrier)(struct observer *self, const struct mbarrier_event *event);
    void (*copy)(struct observer *self, const struct copy_event *event);
    /* The lanes have waited for those of their copies that are done. */
    void (*copies_waited)(struct observer *self, struct warp *warp, uint32_t mask);
    void (*lanes_exit)(struct observer *self, struct warp *warp, uint32_t mask);
};

#endif
