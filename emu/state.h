/* SPDX-License-Identifier: Apache-2.0
 *
 * state.h - everything a running launch is made of.
 *
 * Nothing of it hides in C locals between two warp instructions: an engine can
 * stop before any instruction, be inspected, and go on; another engine can take
 * over. Ownership: the launch state owns its blocks, a block its warps, a warp
 * its fragments, joins and frames. */
#ifndef SIMTLAB_EMU_STATE_H
#define SIMTLAB_EMU_STATE_H

#include "emu/engine.h"
#include "emu/lane.h"

/* --- decoded code ------------------------------------------------------------ */

enum { PC_EXIT = -1 }; /* reconvergence at the function's return */

/* How the address of a memory instruction is formed. */
enum address_kind {
    ADDRESS_REGISTER,  /* operand + offset */
    ADDRESS_FIXED,     /* offset alone: symbol or constant base, already added */
    ADDRESS_FRAME,     /* LOCAL or ARGUMENT variable: frame's local base + offset */
};

/* How the interpreter's inner loop treats an instruction. */
enum code_pace {
    PACE_CAREFUL, /* not of these kinds */
    PACE_LANE,    /* a per-lane op */
    PACE_WORDS,   /* a weak load or a store with code->words */
    PACE_GUARDED, /* one of these two with a guard */
    PACE_BRANCH,  /* br */
    PACE_JUMP,    /* bra */
    PACE_SPECIAL, /* sreg */
    PACE_NOTHING, /* it sets a launch constant: readers have that already */
};

struct code;

/* How accesses of an instruction lay last, for observed launches (emu/rows.c). */
enum { SHAPES_KEPT = 4 };
struct shape_cache {
    struct access_shape *shape[SHAPES_KEPT]; /* the last one met is the first */
    uint32_t made, met;
    bool irregular;             /* hardly any lies as one before */
};
enum { SHAPE_HASH = 256, SHAPE_LIMIT = 4096 };

/* Loads and stores of whole words (emu/word_loops.h). The stretch is `size` bytes
 * from address `start` on. Declined: nothing was done. */
enum words_done { WORDS_DECLINED, WORDS_SAME, WORDS_CHANGED };
typedef enum words_done words_function(const struct code *code, uint64_t start,
                                       uint64_t size, unsigned char *host,
                                       unsigned char *const base[2], uint32_t mask);

/* One instruction, ready to run. Operands as in lane.h. */
struct code {
    lane_function *lane;        /* per-lane ops; NULL for the rest */
    struct lane_operands o;     /* per-lane: all operands; others: d, a, b, c, e
                                   are the first destination and sources */
    uint32_t guard;             /* predicate operand, or OPERAND_ABSENT */
    uint32_t inst;              /* index in function->insts */
    uint16_t op, sub;           /* enum ir_op */
    uint8_t type, type2;
    uint8_t space, order, scope;
    uint8_t guard_not;
    uint8_t vector;             /* elements; at least 1 */
    uint8_t address_kind, address_bytes; /* width of the address register: 4 or 8 */
    uint8_t value_bytes;        /* lane size of the value registers of ld, st, atom */
    uint8_t pace;               /* enum code_pace */
    uint16_t idle;              /* PACE_NOTHING: so many in a row, this one included */
    uint8_t joins;              /* a block begins here at which lanes may meet: a
                                   post-dominator, or reached from several blocks */
    uint8_t address2_bytes;     /* cp_async: width of the source address register */
    int64_t offset;             /* memory: constant part of the address */
    int32_t target[2];          /* br, bra: pc if true, pc if false */
    int32_t join;               /* br, brx, calls: pc of reconvergence, PC_EXIT */
    uint32_t extra;             /* sreg: enum ir_sreg; others: as in the IR */
    uint16_t destinations, sources;
    words_function *words;      /* ld, st: the fast way; NULL when there is none */
    struct allocation **recent; /* MEMORY group: what it hit last, a guess; may be NULL */
    struct shape_cache *shapes; /* with words: for observed launches */
    const uint32_t *operands;   /* all: destinations, then sources */
    const struct ir_inst *ir;
};

/* A function decoded for one executable. */
struct program {
    const struct ir_function *function;
    uint32_t function_index;
    struct code *code;
    uint32_t count;
    uint32_t register_bytes;      /* of one frame */
    /* Registers read before written: zeroed when a frame starts. */
    const uint32_t *zero_offset, *zero_bytes;
    uint32_t zero_count;
    uint32_t local_bytes;         /* of one activation, per thread */
};

/* A kernel with everything it can call, decoded on first use. */
struct executable {
    struct arena arena;
    const struct launch *launch;
    struct image *image;
    struct program **programs;    /* by function index; NULL until used */
    uint32_t program_count;
    /* Constant rows (LANES words each), shared by all programs. */
    unsigned char *constants;
    uint32_t constant_bytes, constant_capacity;
    struct constant_row *rows;    /* what the rows hold, to share equal ones */
    uint32_t row_count, row_capacity;
    uint32_t *row_hash;           /* open addressing: index in rows + 1 */
    uint32_t row_hash_size;
    uint64_t *shared_offset;      /* by symbol: address in shared space, or ~0 */
    uint32_t shared_base;         /* first address that belongs to the kernel */
    uint32_t shared_system;       /* bytes from there that are the system's: 0, unless
                                     the kernel asks for them */
    uint32_t shared_static;       /* bytes of static shared memory */
    uint64_t stack_need;          /* of the deepest call chain without recursion */
    const char *error;            /* what could not be decoded, with its place */
};

/* --- threads ------------------------------------------------------------------- */

struct frame {
    struct program *program;
    struct frame *caller;       /* NULL: the kernel itself */
    const struct code *call;    /* the call instruction in the caller */
    int32_t return_pc;
    uint32_t live;              /* lanes that are in it or deeper */
    uint64_t local_base;        /* offset of its variables in local memory */
    uint64_t local_top;         /* first free byte above (alloca moves it) */
    uint64_t stack_charge;      /* bytes counted against the stack limit, in all */
    uint32_t depth;
    bool followed;              /* some observer looks at every instruction */
    struct frame *next_free;
    unsigned char *registers;
};

/* Lanes that parted at a branch and wait for each other at pc. */
struct join {
    struct join *parent;
    struct frame *frame;
    int32_t pc;
    uint32_t expected;          /* lanes that will come, those parked included */
    struct fragment *parked;    /* the lanes that came; NULL when none */
    struct join *next_free;
};

enum fragment_state {
    FRAGMENT_READY,
    FRAGMENT_PARKED,   /* at its join */
    FRAGMENT_SYNC,     /* in a .sync operation, for lanes of its member mask */
    FRAGMENT_BARRIER,  /* in a block barrier */
    FRAGMENT_CLUSTER,  /* in barrier.cluster.wait */
};

/* Lanes of a warp that execute together. */
struct fragment {
    uint32_t mask;
    int32_t pc;
    struct frame *frame;
    struct join *join;
    enum fragment_state state;
    uint32_t member_mask;      /* SYNC: waited for */
    uint32_t barrier;          /* BARRIER: id */
    uint32_t barrier_count;    /* BARRIER: threads, 0: whole block */
    uint32_t polls;            /* reads of others' memory since it last changed some */
    uint64_t order;            /* when it last ran: oldest first when taking turns */
};

/* Frames and joins that nobody uses; one pool for each worker. */
struct pool {
    struct join *joins;
    struct frame *frames;
};

/* Tells a loop that never ends from a long one: see goes_in_circles in block.c. */
struct circle_watch {
    uint32_t mask;     /* of the fragment that is watched */
    int32_t pc;
    uint64_t changes;  /* launch_state.changes when the watch began */
    uint64_t seen;     /* hash of the thread state at some earlier point */
    uint64_t count, next; /* quanta since the watch began; when to take a new hash */
};

struct async_state; /* copies in flight, emu/async.h */

struct warp {
    /* The same in every block. */
    struct block *block;
    struct pool *pool;
    uint32_t index;            /* in the block */
    uint32_t first_thread;     /* linear id of lane 0 */
    uint32_t exists;           /* lanes that have a thread */
    uint32_t tid[3][LANES];
    /* Local memory: local_capacity bytes for each lane, lane after lane. Zero when
     * a block starts. */
    unsigned char *local;
    uint64_t local_capacity;
    /* Zero when a block starts, from here to the fragments. */
    uint32_t live;             /* lanes that have not exited */
    uint32_t used;             /* bit i: fragments[i] holds lanes */
    struct async_state *async; /* NULL until the first asynchronous copy */
    struct circle_watch watch;
    uint32_t enough;            /* lanes that had their share of this turn */
    uint64_t turns;             /* counts fragments' turns */
    uint64_t steps;             /* instructions executed: the warp's clock */
    uint32_t barrier_lanes[16]; /* lanes that executed barrier.arrive, by id */
    uint32_t cluster_arrived;   /* lanes that arrived at the cluster barrier and have
                                   not yet been let through */
    uint32_t cluster_owes_wait; /* lanes that arrived there and have not waited since */
    void *shadow;              /* an observer's */
    struct fragment fragments[LANES]; /* last: a new warp need not clear them */
};

struct barrier {
    uint32_t expected;         /* warps, when a thread count was given; 0: all live */
    uint64_t warps;            /* bit w: warp w has arrived in this phase */
    uint64_t waiting;          /* those of them that wait (not barrier.arrive) */
    uint64_t phase;
    uint32_t any, none;        /* reduction: some lane said true, some said false */
    uint32_t count;            /* lanes that said true */
};

enum { BLOCK_BARRIERS = 16 };

/* Blocks that run together and see each other's shared memory. */
struct cluster {
    struct block **blocks;     /* by rank */
    uint32_t count;
    uint32_t index[3];
    uint64_t phase;            /* of its barrier */
};

struct block {
    struct launch_state *state;
    uint64_t linear;           /* in the grid */
    uint32_t index[3];
    struct warp *warps;
    uint32_t warp_count;
    uint64_t live_warps;       /* bit w: warp w has lanes that have not exited */
    unsigned char *shared;     /* shared_bytes; address shared_base is byte 0 */
    uint32_t shared_bytes;
    struct barrier barriers[BLOCK_BARRIERS];
    uint32_t barriers_used;    /* bit i: some thread has come to barrier i */
    struct cluster *cluster;   /* NULL without clusters */
    uint32_t cluster_rank;
    struct cluster alone;      /* without clusters, of the block itself: count is 0 until
                                  it comes to a cluster barrier */
    struct block *itself;      /* alone.blocks */
    bool started, finished;
    void *shadow;              /* an observer's */
};

struct launch_state {
    const struct launch *launch;
    struct executable *executable;
    struct memory *memory;
    struct findings *findings;
    struct launch_result *result;
    struct program *kernel;
    uint32_t block_threads;
    uint64_t block_count;
    uint32_t shared_total;     /* system's part (if in use), static and dynamic */
    uint32_t cluster_size;     /* blocks; 1 without clusters */
    uint64_t workspace;        /* address of a cooperative grid's; or 0 */
    uint64_t steps;            /* warp instructions so far */
    uint64_t max_steps;
    uint64_t changes;          /* counts what others could wait for: changed memory,
                                  exits, completed barriers */
    uint32_t stack_limit;
    uint64_t heap_used;
    struct pool pool;
    struct unit *free_units;   /* ended ones, for reuse */
    uint64_t random;           /* state of the schedule's generator */
    uint64_t choices;          /* that it has made */
    const struct access_table *access_loops; /* for this host: emu/access.h */
    const struct tensor_loops *tensor_loops; /* numeric/tensor_block.h */
    bool stop;                 /* step limit or deadlock: nothing more runs */
    bool observed;             /* there are observers */
    struct { struct access_shape *hash[SHAPE_HASH]; uint32_t count; } shapes; /* observed */
};

/* --- decoding (emu/decode.c, executable.c) ------------------------------------- */

/* A kernel made ready to run; NULL with *error set in the arena when it needs
 * something that this build cannot execute. Freed with executable_free. */
struct executable *executable_new(const struct launch *launch, uint32_t shared_base,
                                  struct arena *errors, const char **error);
void executable_free(struct executable *executable);
/* The program of a function; decoded now if it was not yet. NULL and
 * executable->error set when that cannot be done. */
struct program *executable_program(struct executable *executable, uint32_t function);
/* Operand of a constant row: value in every lane, bytes 2, 4, 8 or 16 wide, or
 * 0 for a predicate. */
uint32_t executable_constant(struct executable *executable, uint64_t value,
                             unsigned bytes);
/* Address or value, of so many bytes, of an operand that is the same in every frame
 * (emu/decode.c). */
bool executable_fixed_value(const struct executable *executable,
                            const struct ir_function *function, ir_operand operand,
                            unsigned bytes, uint64_t *value);
/* Decodes one function (emu/decode.c). */
struct program *decode_function(struct executable *executable, uint32_t function);
/* Bytes a call of the function counts against the stack limit: its .local
 * variables and at least a return address and a saved register pair. */
uint64_t stack_charge(const struct ir_function *function);

/* --- services for executors (interp.c, a JIT) --------------------------------- */

/* That few lanes lie as some did before says nothing of how others lie. */
static inline bool many_lanes(uint32_t mask)
{
    return mask >> 16 && mask & 0xffff;
}
static inline unsigned lane_first(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}
#define FOR_LANES(lane, mask)                                                \
    for (uint32_t lanes_left_ = (mask), lane;                                \
         lanes_left_ && ((lane = lane_first(lanes_left_)), 1);               \
         lanes_left_ &= lanes_left_ - 1)

/* Tells the observers that listen to an event of emu/observe.h. */
#define OBSERVE(state, event, ...)                                           \
    do {                                                                     \
        for (uint32_t o_ = 0;                                                \
             (state)->observed && o_ < (state)->launch->observer_count; o_++) { \
            struct observer *observer_ = (state)->launch->observers[o_];     \
            if (observer_->event)                                            \
                observer_->event(observer_, __VA_ARGS__);                    \
        }                                                                    \
    } while (0)

/* Walks the fragments of a warp that hold lanes, by index. */
#define FOR_FRAGMENTS(i, warp) FOR_LANES(i, (warp)->used)

/* Reports a finding at an instruction, for one lane of a warp. `finding` gives
 * category, kind, severity and address; the place is filled in here. */
void report_at(struct warp *warp, const struct code *code, struct fragment *fragment,
               unsigned lane, struct finding finding, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Counts the finding once more when it was reported before, which needs no
 * message; false when it is new. */
bool report_again(struct warp *warp, const struct code *code, struct fragment *fragment,
                  unsigned lane, struct finding finding);

/* --- memory instructions (emu/memory_ops.c, atomics.c, async.c) ----------------- */

/* Executes a MEMORY-group instruction for the lanes of mask. base: as in lane.h,
 * for the fragment's frame. */
void memory_execute(struct warp *warp, struct fragment *fragment,
                    const struct code *code, unsigned char *const base[2],
                    uint32_t mask);

/* The block has ended, or will not go on: copies in flight are done, and what
 * its warps and the block keep for asynchronous operations is freed
 * (emu/async.c). Called once for each block that was started. */
void async_block_end(struct block *block);

/* Is there a meaning for this atom? Decoding must refuse it when not. */
bool atomic_known(const struct ir_inst *inst);

/* --- calls to functions the host provides (emu/host_call.c) --------------------- */

/* Runs a call to an extern function (vprintf, malloc, free, __assertfail, bound
 * ones) for the lanes of mask: arguments and results are ARGUMENT variables of
 * the caller's frame. Returns the lanes that must end (failed assertions). */
uint32_t host_call(struct warp *warp, struct fragment *fragment,
                   const struct code *code, const struct ir_function *callee,
                   uint32_t callee_index, uint32_t mask);
/* Is the extern function one that host_call can run? */
bool host_call_known(const struct image *image, uint32_t function);

/* Bytes of a thread's local memory at an offset, growing it when needed; NULL
 * when offset + size is beyond the chip's limit. */
unsigned char *local_bytes(struct warp *warp, unsigned lane, uint64_t offset,
                           uint64_t size);

#endif
