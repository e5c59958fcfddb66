/* SPDX-License-Identifier: Apache-2.0
 *
 * race.h - the race checker's state, shared by its files.
 *
 * A race is a pair of overlapping accesses of different threads, at least one a
 * write, that are not morally strong and that causality orders in neither
 * direction (PTX ISA, "Memory Consistency Model": Data races). Every lane is a
 * thread. The checker keeps for each a view of what is before it, and moves views
 * along the synchronisation that really happened: the engine executes one access
 * at a time, so each read takes its value from the write before it.
 *
 * Not an order: that lanes ran together, that a block ran before another, which
 * of two fence.sc came first (another run may turn it round, but for what race_fence.c
 * knows), shuffles and votes.
 *
 *     race.c         the events, blocks and warps
 *     race_site.c    what an instruction that accesses memory is
 *     race_access.c  which memory an access touches, and who takes it apart:
 *     race_rowwise.c   row by row
 *     race_lanes.c     lane by lane
 *     race_element.c   one element, cell by cell
 *     race_counter.c   atomics without order
 *     race_shape.c   accesses that lie alike
 *     race_thin.c    reads of words that nobody has written
 *     race_log.c     reads that are only written down, as long as that will do
 *     race_row.c     an access against a row of words in which nothing is wrong
 *     race_order.c   which accesses are before others, or morally strong with them
 *     race_cell.c    an access against what a cell remembers
 *     race_sync.c    fences, messages, barriers
 *     race_fence.c   the order of SC fences, as far as values force it
 *     race_proxy.c   what the async proxy and tensor maps see
 *     race_pattern.c release and acquire patterns that begin with an earlier access
 *     race_exchange.c  races that only shuffles, votes and matches order
 *     race_report.c  what to say
 *     race_weak.c    which older values loads may return; it keeps a checker of its
 *                    own, which says nothing */
#ifndef SIMTLAB_CHECK_RACE_H
#define SIMTLAB_CHECK_RACE_H

#include "check/checker.h"
#include "check/race_history.h"
#include "check/race_shadow.h"
#include "check/view.h"
#include "emu/access.h"

/* An instruction that accesses memory, as one kind of access. */
struct site {
    const struct code *code;
    const struct ir_function *function;
    enum finding_access access;
    uint8_t size;       /* bytes of an element */
    uint8_t scope;      /* strong: enum ir_scope */
    bool strong;
    bool reads, writes;
    bool acquires, releases;
    bool mute;          /* red: what it reads makes no acquire pattern */
    bool copy;          /* beside its thread: by cp.async and the like */
    bool async;         /* through the async proxy: bulk copies, wgmma */
    bool map;           /* the read of a tensor map by a copy */
    bool foreign;       /* ld.global.nc: not through the generic proxy */
    bool barrier;       /* an mbarrier operation */
    bool irregular;     /* hardly any of its accesses lies as one before */
    uint32_t made, met; /* shapes; accesses of a known shape */
    struct shape *shapes;
    uint32_t thin, thin_warp, thin_epoch; /* the last stamp for thin rows, and its own */
    uint32_t next;      /* with the same hash */
};

/* The same for a shape of the engine, by where in a row it begins; NULL: not known yet. */
struct row_shapes {
    struct shape *at[ROW_WORDS];
};

/* How the lanes of an access lie: which words of which rows. */
struct shape {
    struct shape *next;        /* of the site; the last one met is the first */
    uint32_t mask;             /* lanes that it is known for */
    enum access_lie lie;
    bool writable;             /* no word belongs to two lanes */
    uint32_t count;
    uint64_t place[LANES];     /* of a lane, in bytes from the start of row 0 */
    struct row_touch {
        int32_t row;
        uint32_t words, pattern;
        struct {
            uint32_t mask, words, pattern; /* pattern 0: not asked for yet */
        } some;                /* the same for the last mask of fewer lanes */
    } rows[];
};

/* How far a message reaches its reader, by the scope of the acquire. */
enum reach { REACH_BLOCK, REACH_CLUSTER, REACH_ALL, REACHES };

/* The last value that a lane took from another thread by a strong read: what it
 * did not do with it explains a race. */
struct hint {
    struct stamp write;
    uint32_t read_site;
    bool strong;        /* read and write are morally strong */
    bool released;      /* the value carried release heads */
};

/* What a lane released or read at a place, by the reach of it: a pattern on the place may
 * begin there. */
struct lane_place {
    struct lane_place *next;
    const struct shadow *shadow;
    uint64_t address;
    uint32_t size;
    struct view *views[REACHES];
};

/* What lanes with strong accesses or fences need besides their view. */
struct lane_sync {
    /* View and epoch at the last release fence of each scope; epoch 0: none. */
    struct view *fenced[IR_SCOPE_COUNT][LANES];
    uint32_t fenced_at[IR_SCOPE_COUNT][LANES];
    bool any_fence;
    /* Heads of observed messages, until a fence acquires them. */
    struct view *pending[REACHES][LANES];
    /* The same by place: an acquire read there acquires them, too. */
    struct lane_place *waiting[LANES];
    /* The views at release writes, by place: later strong writes there carry them. */
    struct lane_place *released[LANES];
    struct hint hint[LANES];
    /* In a second run: the view at the last fence.sc by its reach, and what comes before
     * the next one, see race_fence.c. */
    struct view *sc_fenced[REACHES][LANES], *sc_before[REACHES][LANES];
    bool any_sc;
};

/* An asynchronous copy under way: its threads began with these views. */
struct copy_record {
    struct copy_record *next;
    uint64_t number;
    uint32_t mask;
    uint32_t epoch;            /* of the issuing lanes */
    struct view *view[LANES];
    struct view *told[LANES];  /* as of the warp */
};

/* What all lanes of a warp that share a view have seen of a warp. */
struct seen {
    const struct view *view;
    uint64_t sweep;            /* of the views, when it was written */
    uint32_t warp;
    uint32_t base, top;        /* epochs up to which all lanes are seen, or some lane */
};
enum { SEEN = 16 };

/* The last exchanges of a warp, for a checker that takes them for an order. */
enum { EXCHANGES = 16 };
struct exchange_log {
    uint32_t count;            /* so far; the last EXCHANGES of them are kept */
    struct exchange {
        const struct code *code;
        uint32_t mask, epoch;  /* its lanes, and the epoch that it ended */
        struct view *view;     /* of its lanes after it */
        struct view *before[LANES];
    } items[EXCHANGES];
};

/* The last proxy fences of each lane of a warp: what was before them. */
enum { PROXY_FENCES = 4 };
struct proxy_log {
    uint32_t count[LANES];     /* so far; the last PROXY_FENCES of them are kept */
    uint32_t gone[LANES];      /* epoch of the last one that is not */
    struct proxy_fence {
        struct view *view;
        uint32_t epoch, waited;
        enum ir_proxy proxy;
    } items[LANES][PROXY_FENCES];
};

struct warp_shadow {
    struct block_shadow *block;
    uint32_t slot;
    uint32_t number;           /* in the launch: block * slots + slot */
    uint32_t clock;            /* the present epoch of all its lanes; from 1 */
    uint32_t exists;
    uint32_t settled;          /* up to this epoch it comes before all that the block does:
                                  a barrier of all lies between */
    bool uniform;              /* view[0] is every lane's */
    struct view *view[LANES];
    struct lane_sync *sync;    /* NULL until needed */
    struct exchange_log *exchanges; /* the same */
    struct seen seen[SEEN];    /* by the low bits of the warp's number */
    struct copy_record *copies;
    struct copy_record *copy;  /* the one whose access event comes next */
    /* By lane: the epochs of its last copy that is done, and that it waited for. */
    uint32_t copied[LANES], waited[LANES];
    bool has_waited;
    struct view *told[LANES];  /* by mbarriers, of what was done: struct message */
    uint32_t proxy_fenced;     /* lanes that executed some proxy fence */
    struct proxy_log *proxy_log; /* NULL until needed */
};

struct block_barrier {
    struct view *arrived;      /* from those that do not wait */
};

struct block_shadow {
    const struct block *block;
    uint32_t number;           /* in the grid */
    uint32_t cluster;          /* number; without clusters the block's own */
    struct warp_shadow *warps;
    uint32_t warp_count;
    struct block_barrier barriers[BLOCK_BARRIERS];
    struct shadow shared;
    struct view *renewed;      /* of all its warps, when shared memory started anew */
    struct block_shadow *next; /* with the same hash, or free */
};

struct cluster_shadow {
    uint32_t number;
    struct view *arrived, *passed;
    struct cluster_shadow *next; /* or free */
};

enum { BLOCK_HASH = 256, SITE_HASH = 1024 };

struct race_pair {
    uint32_t first, second, what, finding; /* finding: index, ~0 when dropped */
    uint8_t distance;          /* of the threads that are told, see race_report.c */
    bool leans;                /* so far, on what chips do beyond the rules */
};

/* A race of the present access. */
struct raced {
    uint64_t address;
    uint32_t back, lane, earlier_lane;
    struct stamp earlier;
};

struct race_checker {
    struct observer observer;
    struct findings *findings;

    /* While a launch runs; all of it in the arena. */
    struct arena arena;
    const struct launch_state *state;
    bool off;                  /* too large to be told apart */
    struct views views;
    uint32_t slots;            /* of a block: its warps, then their copies' threads */
    uint32_t warps;            /* of a block */
    bool clusters;
    struct shadow_pool pool;
    struct shadow **allocations; /* by number */
    uint32_t allocation_count, allocation_capacity;
    struct { struct site *items; uint32_t count, capacity; } sites;
    uint32_t site_hash[SITE_HASH];
    bool proxies;              /* some site is foreign */
    bool ages;                 /* shared memory starts anew with a barrier of the block */
    struct { struct row_shapes **items; uint32_t count, capacity; } row_shapes;
    struct block_shadow *blocks[BLOCK_HASH];
    struct block_shadow *last_block, *free_blocks;
    struct cluster_shadow *cluster_list, *free_clusters;
    struct copy_record *free_copies;
    struct lane_place *free_places;
    struct { struct race_pair *items; uint32_t count, capacity; } pairs;

    /* With a weak memory. */
    bool remembers;            /* writes leave a history */
    bool orders_values;        /* it is there for values: nothing is reported, and the
                                  order of fence.sc counts */
    uint64_t moment;           /* write events so far */
    struct sc_fences *sc_fences;
    struct view *sc_wide;      /* what SC fences of scope gpu and sys come after */

    /* In a second run, see race_exchange.c. */
    bool second;               /* this is one */
    bool forces_fences;        /* what values force upon SC fences is an order */
    bool any_sc_reader;
    bool exchanges_order;      /* for this one; it says nothing, and notes what raced */
    struct race_checker *asks; /* the one for which they do, of all that is reported */
    struct { struct raced *items; uint32_t count, capacity; } raced;
};

/* What comes before later SC fences of a block, or of a cluster. */
struct sc_fences {
    bool cluster;              /* else a block */
    uint32_t id;
    struct view *view;
    struct sc_fences *next;
};

/* One access under check: an element of one lane, or of several lanes that read
 * the same one. */
struct touch {
    struct race_checker *checker;
    struct warp_shadow *warp;
    const struct access_event *event;
    const struct site *site;
    uint32_t site_index;
    uint32_t number;           /* of the warp, or of its copies' threads */
    uint32_t epoch;
    uint32_t lanes;
    bool advance;              /* something was published */
    bool shared;               /* shared memory, else global */
    const struct copy_record *copy; /* NULL: the lanes themselves */
    uint64_t address;          /* of the element */
    const struct shadow *shadow;
    uint32_t element;
    uint64_t moment;           /* 1 + that of the value read; 0: now */
};

/* --- race.c ---------------------------------------------------------------------- */

struct block_shadow *race_block(struct race_checker *checker, const struct block *block);
static inline struct warp_shadow *race_warp(struct race_checker *checker,
                                            const struct warp *warp)
{
    struct block_shadow *block = checker->last_block;

    if (!block || block->block != warp->block)
        block = race_block(checker, warp->block);
    return &block->warps[warp->index];
}
/* Lanes that a mask of a warp stands for: those that never were do no harm. */
static inline uint32_t race_lanes(const struct warp_shadow *warp, uint32_t mask)
{
    return mask | ~warp->exists;
}
static inline struct view *lane_view(const struct warp_shadow *warp, unsigned lane)
{
    return warp->view[warp->uniform ? 0 : lane];
}
void race_set_view(struct warp_shadow *warp, uint32_t lanes, struct view *view);
/* Lanes that have come to the same view share it again. */
void race_settle_views(struct warp_shadow *warp);
/* What comes after is a new epoch. Stops at the last one: later actions then
 * seem ordered, and none is reported that is no race. */
static inline void race_advance(struct warp_shadow *warp)
{
    if (warp->clock < UINT32_MAX)
        warp->clock++;
}
/* What the lanes themselves add to a view: their own actions up to the epoch, and
 * the copies that they have waited for. At most 1 + LANES rises; their number. */
uint32_t race_rises(const struct race_checker *checker, const struct warp_shadow *warp,
                    uint32_t lanes, uint32_t epoch, struct view_rise *rises);
/* The lane's view with its own actions so far. */
struct view *race_published(struct race_checker *checker, const struct warp_shadow *warp,
                            unsigned lane);
uint32_t race_cluster_of(const struct race_checker *checker, uint32_t block);

/* --- race_site.c ------------------------------------------------------------------- */

/* Whose instruction it is. */
const struct ir_function *race_function_of(const struct ir_module *module,
                                           const struct ir_inst *inst);

/* --- race_access.c ----------------------------------------------------------------- */

void race_access(struct observer *self, const struct access_event *event);
/* All of a touch but lanes, address and element. */
void race_touch_start(struct touch *touch, struct race_checker *checker,
                      const struct access_event *event);
/* What a lane accesses, and the address that its offsets count from; NULL: memory that
 * cannot be raced for. */
struct shadow *race_place(const struct touch *touch, unsigned lane, uint64_t *start);

/* --- race_rowwise.c ---------------------------------------------------------------- */

bool race_row(struct observer *self, const struct access_row *access);

/* --- race_element.c ---------------------------------------------------------------- */

/* The cell of the first byte of an address. */
struct cell *race_cell(struct race_checker *checker, struct shadow *shadow, uint64_t offset);

/* --- race_shape.c ----------------------------------------------------------------------- */

/* A shape of which the access has all lanes, or when the shape is writable some; NULL when
 * that is not worth while. start: the address that rows are counted from; *row: which of
 * them is the shape's row 0. */
struct shape *race_shape(const struct touch *touch, struct site *site, uint64_t start,
                         uint64_t *row);

/* The same for a shape of the engine that begins in row 0, so many bytes in; its count is 0
 * when that is not worth while. */
struct shape *race_shape_of_row(struct race_checker *checker, struct site *site,
                                const struct access_shape *shape, uint32_t begin);

/* --- race_thin.c ------------------------------------------------------------------------ */

/* Stands for a warp's present reads by an instruction; 0 when there are too many. */
uint32_t race_new_stamp(struct race_checker *checker, const struct warp_shadow *warp,
                        uint32_t site_index);
static inline uint32_t race_thin_stamp(struct race_checker *checker,
                                       const struct warp_shadow *warp, uint32_t site_index)
{
    const struct site *site = &checker->sites.items[site_index];

    return site->thin && site->thin_warp == warp->number && site->thin_epoch == warp->clock
               ? site->thin : race_new_stamp(checker, warp, site_index);
}
/* Asks for the stamp of the last read ahead. */
static inline void race_thin_prefetch(const struct shadow_pool *pool,
                                      const struct thin_reads *reads)
{
    /* Of no account for a set, which is rare. */
    __builtin_prefetch(&pool->thin_stamps[reads->read >> 5]);
}
/* A weak read of a word in a row of form THIN or MANY. False: cells are needed. */
bool race_read_thinly(const struct touch *touch, struct row *row, unsigned word,
                      uint32_t stamp);
/* A row that nobody has accessed yet becomes one. */
static inline void race_row_thin(struct shadow_pool *pool, struct row *row)
{
    if (row->first.form == ROW_GROUPS_ONLY && !row->first.words) {
        row->as.thin = thin_new(pool);
        row->first.form = ROW_THIN;
    }
}
/* Fills the cells of such a row. */
void race_thin_expand(struct race_checker *checker, const struct row *row,
                      struct cell cells[ROW_WORDS]);

/* --- race_log.c ------------------------------------------------------------------------- */

/* In shared memory, how many more logs may be of no use than of some. */
enum { PATIENCE = 4 };

/* Have the warp's lanes seen nothing of what is known of the memory? In the block's own
 * that is what was done since the last barrier of all. */
static inline bool race_is_blind(const struct race_checker *checker,
                                 const struct warp_shadow *warp, bool shared)
{
    return warp->uniform &&
           (shared ? checker->ages && warp->view[0] == warp->block->renewed &&
                         warp->clock == warp->settled + 1
                   : !warp->view[0]);
}
/* Can a weak read be written down? */
static inline bool race_may_log(const struct touch *touch, const struct shadow *shadow)
{
    const struct site *site = touch->site;

    return !site->writes && !site->strong && !touch->copy &&
           race_is_blind(touch->checker, touch->warp, touch->shared) &&
           (!touch->shared || shadow->told <= shadow->dropped + PATIENCE);
}
/* The event's words; with: see gather(). The lanes for which that could not be done. */
uint32_t race_log_words(struct race_checker *checker, const struct access_event *event,
                        const uint32_t with[LANES], uint32_t stamp, struct shadow *shadow,
                        uint64_t start);
/* A row: all of the words, or those of the last mask. */
bool race_log_row(const struct touch *touch, struct shadow *shadow, uint64_t row,
                  struct row_touch *part, bool all);

/* --- race_row.c ------------------------------------------------------------------------- */

/* A weak access of some words of a row that has no cells. False when there may be
 * something to report, or the groups cannot tell: then the cells are to be asked for
 * all of these words. */
bool race_row_touch(const struct touch *touch, struct row *row, uint32_t words,
                    uint32_t pattern);
/* From groups to cells. */
void race_row_expand(struct race_checker *checker, struct row *row);
/* Back, after a weak write of the whole row, if nothing but it is remembered. */
void race_row_collapse(const struct touch *touch, struct row *row, uint32_t pattern);

/* The cell of a word, by its offset. */
static inline struct cell *race_word(struct race_checker *checker, struct shadow *shadow,
                                     uint64_t offset)
{
    struct row *row = shadow_row(&checker->pool, shadow, offset / ROW_BYTES);

    if (!row_cells(row))
        race_row_expand(checker, row);
    return &row->as.cells[offset / CELL_BYTES % ROW_WORDS];
}

/* --- race_order.c ---------------------------------------------------------------------- */

/* Does a scope, taken by a thread of one block, hold the threads of another? */
bool race_scope_holds(const struct race_checker *checker, enum ir_scope scope,
                      uint32_t from, uint32_t to);
/* Is an access by lanes of a warp before this one by `lane`? */
bool race_ordered(const struct touch *touch, unsigned lane, struct stamp stamp,
                  uint32_t lanes);
/* The same if all proxies but the asynchronous one were one. */
bool race_ordered_but_for_proxy(const struct touch *touch, unsigned lane, struct stamp stamp,
                                uint32_t lanes);
/* Before every lane of the touch? */
bool race_ordered_all(const struct touch *touch, struct stamp stamp, uint32_t lanes);
/* Are this access and the earlier one morally strong? */
bool race_morally_strong(const struct touch *touch, struct stamp earlier, unsigned back);
/* What all lanes of the warp, which share a view, have seen of another. */
void race_see(const struct race_checker *checker, struct warp_shadow *warp,
              struct seen *seen, uint32_t other);
static inline const struct seen *race_seen(const struct race_checker *checker,
                                           struct warp_shadow *warp, uint32_t other)
{
    struct seen *seen = &warp->seen[other % SEEN];

    if (__builtin_expect(seen->view != warp->view[0] || seen->warp != other ||
                         seen->sweep != checker->views.sweeps, 0))
        race_see(checker, warp, seen, other);
    return seen;
}

/* --- race_cell.c ----------------------------------------------------------------------- */

/* Reads kept for a cell or a group beyond the last one: in shared memory of all warps
 * that there can be. */
enum { SHARED_ENTRIES = 40, GLOBAL_ENTRIES = 12 };
/* After how many more reads it is worth while to look for some to forget. */
enum { CROWDED = 32 };
static inline uint32_t entry_limit(const struct touch *touch)
{
    return touch->shared ? SHARED_ENTRIES : GLOBAL_ENTRIES;
}
/* Checks the access of the lanes, `back` bytes into their element, and remembers
 * it. A write is that of one lane. */
void race_read_cell(const struct touch *touch, struct cell *cell, unsigned back);
void race_write_cell(const struct touch *touch, struct cell *cell, unsigned back);
/* After writes were taken out of the entries: those who know them, too. */
void race_forget_knowers(struct extra *extra);

/* --- race_sync.c --------------------------------------------------------------------- */

enum reach race_reach(enum ir_scope scope);
/* The narrowest scope that reaches so far. */
enum ir_scope race_scope_of(enum reach reach);
/* A release head of a message, and those that acquires of a reach by threads of a block take. */
void race_add_head(struct race_checker *checker, struct message *message,
                   const struct block_shadow *block, enum ir_scope scope, struct view *view);
struct view *race_heads_for(struct race_checker *checker, const struct message *message,
                            const struct block_shadow *block, enum reach reach);
/* The lane has seen more. */
void race_see_more(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                   struct view *more);

struct lane_sync *race_lane_sync(struct race_checker *checker, struct warp_shadow *warp);
/* A lane's strong read of a value, by whom it was written and what it carries (NULL:
 * nothing). */
void race_observe(const struct touch *touch, unsigned lane, struct stamp write,
                  const struct message *message, bool strong);
/* A lane's acquire read of a location: it ends acquire patterns that earlier strong
 * reads of the location began. */
void race_acquire(const struct touch *touch, unsigned lane);
/* A lane's strong write; inherits: an atomic that goes on with the old value's heads. */
void race_publish(const struct touch *touch, unsigned lane, struct cell *cell, bool inherits);
void race_fence(struct observer *self, struct warp *warp, const struct code *code,
                uint32_t mask);
void race_warp_sync(struct observer *self, struct warp *warp, const struct code *code,
                    uint32_t mask);
void race_barrier_arrive(struct observer *self, struct warp *warp, const struct code *code,
                         uint32_t id, uint32_t mask, bool waits);
void race_barrier_complete(struct observer *self, struct block *block, uint32_t id);
void race_cluster_arrive(struct observer *self, struct warp *warp, const struct code *code,
                         uint32_t mask);
void race_cluster_complete(struct observer *self, struct cluster *cluster);
void race_cluster_pass(struct observer *self, struct warp *warp, const struct code *code,
                       uint32_t mask);
void race_mbarrier(struct observer *self, const struct mbarrier_event *event);
void race_copy(struct observer *self, const struct copy_event *event);
void race_copies_waited(struct observer *self, struct warp *warp, uint32_t mask);

/* --- race_proxy.c ----------------------------------------------------------------------- */

void race_note_proxy_fence(struct race_checker *checker, struct warp_shadow *warp,
                           enum ir_proxy proxy, uint32_t mask);
/* Is an earlier access seen by a copy of the lane through another proxy, if it is before it? */
bool race_proxy_fenced(const struct touch *touch, unsigned lane, struct stamp stamp,
                       uint32_t lanes);

/* --- race_fence.c ----------------------------------------------------------------------- */

void race_follow_fences(struct race_checker *checker, const struct access_event *event);
void race_force_fence(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                      enum ir_scope scope);
/* What a lane has after a SC fence. */
void race_forced_fence(struct race_checker *checker, struct warp_shadow *warp, unsigned lane,
                       enum ir_scope scope);

/* --- race_pattern.c --------------------------------------------------------------------- */

/* The touch's place in a list; NULL: not there. */
struct lane_place *race_place_find(struct lane_place **list, const struct touch *touch);
/* The same, added if it is not there. */
struct lane_place *race_place_make(struct lane_place **list, const struct touch *touch);
/* Empties a list. */
void race_places_free(struct race_checker *checker, struct lane_place **list);
void race_places_mark(const struct views *views, const struct lane_place *list);

/* --- race_exchange.c ------------------------------------------------------------------- */

void race_note_exchange(struct race_checker *checker, struct warp_shadow *warp,
                        const struct code *code, uint32_t mask, struct view *view);
void race_note_raced(const struct touch *touch, unsigned lane, struct stamp earlier,
                     unsigned earlier_lane, unsigned back);
/* Is a race of the touch none if exchanges order? *code: one that does; may be NULL. */
bool race_exchanged(const struct touch *touch, unsigned lane, struct stamp earlier,
                    unsigned earlier_lane, unsigned back, const struct code **code);

/* --- race_weak.c ----------------------------------------------------------------------- */

/* A write of a whole cell, before it is noted there. */
void race_remember(const struct touch *touch, struct cell *cell, unsigned back);
/* A morally strong read took the value of a write. */
void race_note_observer(const struct touch *touch, unsigned lane, struct history *history,
                        struct stamp write);
/* What a SC fence comes after; and that others come after it. */
struct view *race_sc_before(struct race_checker *checker, const struct warp_shadow *warp,
                            enum ir_scope scope);
void race_sc_after(struct race_checker *checker, const struct warp_shadow *warp,
                   unsigned lane, enum ir_scope scope);
void race_mark_fences(const struct race_checker *checker, const struct views *views);

/* --- race_report.c ------------------------------------------------------------------- */

/* The lane of the touch races with one earlier access. */
void race_report(const struct touch *touch, unsigned lane, struct stamp earlier,
                 unsigned earlier_lane, unsigned back, bool same_value);

#endif
