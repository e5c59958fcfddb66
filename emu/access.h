/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h - from the addresses of a memory instruction to host bytes.
 *
 * Two ways. A window is a stretch of memory that all lanes of a warp are tried
 * against at once: the fast way, for loads and stores that nobody observes.
 * access_resolve looks at each lane by itself, reports what is wrong, and
 * yields all that an event needs. Both accept exactly the same accesses. */
#ifndef SIMTLAB_EMU_ACCESS_H
#define SIMTLAB_EMU_ACCESS_H

#include "emu/observe.h"
#include "emu/state.h"

/* --- windows --------------------------------------------------------------------- */

/* size bytes of a space from address base on; lane l sees host + stride * l. */
struct window {
    uint64_t base, size;
    unsigned char *host;
    uint64_t stride;
    enum ir_space space; /* GLOBAL, SHARED, LOCAL, PARAM */
    uint64_t start;      /* address of its first byte in that space */
    struct allocation *allocation; /* GLOBAL */
    uint32_t owner;      /* SHARED: rank in the cluster of the block that owns it */
};


/* The loops over lanes, compiled for each host instruction set. They do all
 * lanes of the mask, or return false and do nothing. fixed: the address when
 * the instruction has no address register. */
struct access_table {
    bool (*load)(const struct code *code, const struct window *window, uint64_t fixed,
                 unsigned char *const base[2], uint32_t mask);
    bool (*store)(const struct code *code, const struct window *window, uint64_t fixed,
                  unsigned char *const base[2], uint32_t mask, bool *changed);
    /* Only finds the places: offset[lane] from window->host, for size bytes. */
    enum access_lie (*place)(const struct code *code, const struct window *window,
                             uint64_t fixed, uint32_t size, unsigned char *const base[2],
                             uint32_t mask, uint64_t offset[LANES]);
    /* Are size bytes at each address inside of the window and aligned? Then
     * offset[lane] is where, from window->host. */
    bool (*inside)(const uint64_t address[LANES], const struct window *window,
                   uint32_t size, uint32_t align, uint32_t mask, uint64_t offset[LANES]);
    /* Do the address registers hold origin + place[lane] in all lanes of the mask? */
    bool (*alike_4)(const uint32_t *address, uint32_t origin, const uint32_t place[LANES],
                    uint32_t mask);
    bool (*alike_8)(const uint64_t *address, uint64_t origin, const uint32_t place[LANES],
                    uint32_t mask);
    /* By element (4, 8 bytes), address register (4, 8 bytes) and elements of one
     * access (1, 2, 4); NULL: none. */
    words_function *load_words[2][2][3], *store_words[2][2][3];
};
const struct access_table *access_loops(void);

/* The function for a load or store whose elements are as wide as their registers;
 * NULL when it must go another way. Address and operands are decoded. */
words_function *access_words(const struct code *code);

/* The window that a lane's address in a space falls into. False when the address
 * or this kind of access must be looked at lane by lane. */
bool access_window(struct warp *warp, const struct fragment *fragment,
                   const struct code *code, enum ir_space space,
                   enum finding_access access, uint64_t address, struct window *window);

/* The block whose shared memory an address in the cluster's window names; NULL
 * when there is none of that rank. */
struct block *access_shared_owner(const struct warp *warp, uint64_t address);

/* --- lane by lane ------------------------------------------------------------------ */

struct access {
    enum finding_access kind;
    uint32_t size;           /* bytes of one lane's access */
    uint32_t align;          /* required; 0: as size */
    uint32_t mask;           /* lanes that hit memory */
    uint32_t in[IR_SPACE_COUNT]; /* the same by space: GLOBAL, SHARED, LOCAL, PARAM */
    uint64_t address[LANES]; /* in that space */
    unsigned char *host[LANES];
    struct allocation *allocation[LANES]; /* GLOBAL */
    uint32_t owner[LANES];   /* SHARED: rank in the cluster of the block that owns it */
    unsigned char *const *base; /* st: the registers, for the event */
    const unsigned char *const *stored; /* by lane, for the event: see emu/observe.h */
    const struct weak_choice *older; /* ld: for the event */
    const struct frame *frame;  /* for the event */
};

/* Fills access->address from the code's address operand for the lanes of mask:
 * raw addresses, as the instruction forms them. */
void access_addresses(const struct warp *warp, const struct fragment *fragment,
                      const struct code *code, unsigned char *const base[2],
                      uint32_t mask, uint64_t address[LANES]);
/* Resolves the raw addresses in access->address, which lie in `space`, for the
 * lanes of mask; kind and size are set. Lanes that fault are reported and left
 * out of access->mask. */
void access_resolve(struct access *access, struct warp *warp, struct fragment *fragment,
                    const struct code *code, enum ir_space space, uint32_t mask);
/* Tells the observers, once for each space. Nothing when there are none. */
void access_report(const struct access *access, struct warp *warp,
                   const struct code *code, enum finding_access_kind kind,
                   uint32_t mask);

/* The same for lanes that are all in one window, at these offsets from its host. */
void access_report_window(const struct window *window, enum access_lie lie,
                          const uint64_t offset[LANES], struct warp *warp,
                          const struct frame *frame, const struct code *code,
                          enum finding_access_kind kind, uint32_t size, uint32_t mask,
                          unsigned char *const *base);

/* What an event says of one of its lanes. */
static inline struct allocation *access_allocation(const struct access_event *event,
                                                   unsigned lane)
{
    return event->window ? event->window->allocation : event->allocation[lane];
}
static inline const unsigned char *access_host(const struct access_event *event, unsigned lane)
{
    const struct window *window = event->window;

    return window ? window->host + (event->address[lane] - window->start) +
                        window->stride * lane
                  : event->host[lane];
}
/* SHARED: the block that owns the memory. */
static inline const struct block *access_block(const struct access_event *event, unsigned lane)
{
    const struct block *own = event->warp->block;
    uint32_t rank = event->window  ? event->window->owner
                    : event->owner ? event->owner[lane]
                                   : own->cluster_rank;

    return rank == own->cluster_rank ? own : own->cluster->blocks[rank];
}

/* --- who wins ------------------------------------------------------------------------- */

/* Lanes of one store that meet at one address. Measured on H200: the lowest active
 * lane wins; but 8-byte stores to shared memory are done in two passes of 16 lanes,
 * the lower half first, and the lowest lane of the last pass wins. 16 bytes are
 * taken to go in passes of 8, as their bandwidth says. */
static inline unsigned store_pass(enum ir_space space, uint32_t bytes)
{
    return space != IR_SPACE_SHARED || bytes <= 4 ? LANES : bytes == 8 ? 16 : 8;
}
static inline unsigned store_winner(uint32_t mask, unsigned pass)
{
    unsigned highest = 31 - (unsigned)__builtin_clz(mask);

    return lane_first(mask & UINT32_MAX << (highest & ~(pass - 1)));
}
/* The order in which the last one to write wins: passes ascending, lanes of a pass
 * descending. */
#define FOR_STORE_LANES(lane, mask, pass)                                    \
    for (uint32_t turn_ = 0, lane; turn_ < LANES; turn_++)                   \
        if ((lane = turn_ ^ ((pass) - 1), (mask) >> lane & 1))

/* --- generic addresses --------------------------------------------------------------- */

/* Where a window of the generic space begins. Modules with 32-bit addresses
 * have theirs at the top of the 32-bit space. 0 for spaces without a window. */
static inline uint64_t generic_window(unsigned address_bits, enum ir_space space)
{
    switch (space) {
    case IR_SPACE_SHARED:
    case IR_SPACE_CLUSTER:
        return address_bits == 32 ? UINT64_C(0xf1000000) : GENERIC_SHARED_WINDOW;
    case IR_SPACE_LOCAL:
    case IR_SPACE_ARGUMENT:
        return address_bits == 32 ? UINT64_C(0xf2000000) : GENERIC_LOCAL_WINDOW;
    case IR_SPACE_PARAM:
        return address_bits == 32 ? UINT64_C(0xf3000000) : GENERIC_PARAM_WINDOW;
    default:
        return 0;
    }
}
static inline uint64_t generic_window_size(unsigned address_bits)
{
    return address_bits == 32 ? UINT64_C(0x01000000) : GENERIC_WINDOW_SIZE;
}
/* SHARED, LOCAL or PARAM when the generic address lies in that window, with
 * *address turned into one of that space; else GLOBAL. */
static inline enum ir_space generic_space(unsigned address_bits, uint64_t *address)
{
    static const enum ir_space spaces[] = {IR_SPACE_SHARED, IR_SPACE_LOCAL, IR_SPACE_PARAM};

    for (unsigned i = 0; i < 3; i++) {
        uint64_t offset = *address - generic_window(address_bits, spaces[i]);
        if (offset < generic_window_size(address_bits)) {
            *address = offset;
            return spaces[i];
        }
    }
    return IR_SPACE_GLOBAL;
}

static inline unsigned warp_address_bits(const struct warp *warp)
{
    return warp->block->state->launch->image->module->address_bits;
}

#endif
