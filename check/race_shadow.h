/* SPDX-License-Identifier: Apache-2.0
 *
 * race_shadow.h - what the race checker remembers of each place in memory.
 *
 * A cell stands for 4 bytes; once different bytes of them are accessed apart it
 * is split into four cells of one byte. It holds the last write and the reads
 * since that are not ordered before another one that says as much.
 *
 * Warps mostly access neighbouring words, so that many cells say the same but for
 * the lane. A row of 32 words is kept as groups of words with one state, see
 * check/race_row.c, until something happens that only cells can tell. Pages of rows
 * come into being at the first access. */
#ifndef SIMTLAB_CHECK_RACE_SHADOW_H
#define SIMTLAB_CHECK_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "check/view.h"

enum {
    CELL_BYTES = 4,
    ROW_WORDS = 32,
    ROW_BYTES = CELL_BYTES * ROW_WORDS,
    PAGE_ROWS = 32,
    PAGE_BYTES = ROW_BYTES * PAGE_ROWS,
};

/* Who accessed: a warp of the launch, its epoch, and packed in `what`: lane (5
 * bits), bytes from the start of the element accessed to the cell (5 bits), the
 * site (21 bits). what 0: nobody. */
struct stamp {
    uint32_t warp, epoch, what;
};
enum { SITE_LIMIT = 1 << 21 };
/* In the stamp of a read: it is causally after the cell's last write. */
#define STAMP_KNOWS (UINT32_C(1) << 31)

static inline uint32_t stamp_what(uint32_t site, unsigned back, unsigned lane)
{
    return site << 10 | back << 5 | lane;
}
static inline unsigned stamp_lane(struct stamp stamp)
{
    return stamp.what & 31;
}
static inline unsigned stamp_back(struct stamp stamp)
{
    return stamp.what >> 5 & 31;
}
static inline bool same_stamp(struct stamp a, struct stamp b)
{
    return a.warp == b.warp && a.epoch == b.epoch && a.what == b.what;
}

static inline uint32_t stamp_site(struct stamp stamp)
{
    return (stamp.what & ~STAMP_KNOWS) >> 10;
}

struct cell {
    struct stamp write;
    struct stamp read; /* its lane field is 0 */
    uint32_t lanes;    /* of the read */
    uint32_t extra;    /* index of a struct extra; 0: none */
};

/* Another access that counts: a read, or a write that a later strong write does not stand
 * for. Such a write has a number in its cell. Who knows it, because a strong read took its
 * value, is an entry, too. At most SHARED_ENTRIES of all these are kept for a cell. */
struct entry {
    struct stamp stamp;
    uint32_t lanes;
    bool write;
    bool maybe_known; /* write: somebody observed it, nobody remembers who */
    bool chained;     /* write: atomics have made the present value from its own */
    uint8_t number;   /* write: its own; of those who know one: that one's; read: 0 */
};
enum { PRESENT_WRITE = UINT8_MAX }; /* its number, for those who know it */
static inline bool entry_is_read(const struct entry *entry)
{
    return !entry->number;
}

/* The release heads of a value: views for those who may acquire them. */
struct message {
    struct view *wide;   /* heads of gpu and sys scope, for acquires of those */
    struct message_group {
        bool cluster;    /* else a block */
        uint32_t id;
        struct view *view; /* heads from within, whose scope reaches it */
    } *groups;
    uint32_t group_count, group_capacity;
    bool collapsed;      /* wide heads that no group holds: take wide instead */
    bool any;
    struct view *told;   /* an mbarrier: what arrivals of any scope had done, their warpgroups
                            with them; of use for reads alone, see race_order.c */
};

struct split {
    struct cell bytes[CELL_BYTES];
    struct split *next_free;
};

struct extra {
    uint32_t index;
    struct split *split;    /* the cells of the single bytes, which count alone */
    struct entry *entries;
    uint32_t count, capacity;
    uint32_t older_writes;  /* entries that are writes */
    uint8_t crowded;        /* reads to come before the entries are looked through */
    bool lost_observer;     /* somebody who knows the write is not among the entries */
    struct message message; /* of the value that was written last */
    bool released;          /* there was a release write here */
    struct message *sc_readers; /* see check/race_fence.c */
    /* An mbarrier: what the arrivals of this and of the last phase bring. */
    struct message *arrived, *passed;
    struct history *history; /* with a weak memory: check/race_history.h */
    struct extra *next_free;
};

/* A read of a group, and which lanes read which word: index of a struct pattern. */
struct past {
    struct stamp stamp; /* lane and bytes from the element's start are 0 */
    uint32_t pattern;
};

/* Older reads of a group that count. */
struct past_list {
    uint32_t count, capacity;
    uint8_t crowded;    /* as in struct extra */
    struct past items[];
};

/* Words of a row whose cells are alike but for the lanes. */
struct group {
    struct group *next;
    struct past_list *older;   /* NULL: none */
    uint32_t words;            /* bit i: word i of the row is one of them */
    /* Of a row's first one: see struct shadow, and how the row is kept. */
    uint32_t age : 30, form : 2;
    struct past write, read;   /* pattern 0: nobody */
};

/* Reads of a word that nobody has written, as a cell keeps them: the last one, and others
 * that it does not stand for. See check/race_thin.c. */
enum { THIN_ENTRIES = 12 };
struct thin_reads {
    uint32_t read, older[THIN_ENTRIES];
    uint8_t count, crowded;    /* as in struct extra */
    uint8_t unused[10];        /* a line of the host's cache for each word */
};

enum row_form {
    ROW_GROUPS_ONLY,
    ROW_CELLS,
    ROW_THIN, /* words that were only read, each by one lane at a time, and out of step */
    ROW_MANY, /* the same, each by several */
};

/* 128 bytes. Words that are in no group have not been accessed yet. */
struct row {
    union {
        struct cell *cells;      /* of all the words */
        uint32_t *thin;          /* a read of each, or 0 */
        struct thin_reads *many; /* of each */
    } as;
    struct group first;        /* no words: of no account */
};

static inline struct cell *row_cells(const struct row *row)
{
    return row->first.form == ROW_CELLS ? row->as.cells : NULL;
}

union page {
    struct row rows[PAGE_ROWS];
    union page *next_free;
};

/* For each word of a row the lanes that access it. */
struct pattern {
    uint32_t lanes[ROW_WORDS];
    uint32_t words;            /* that some lane accesses */
    uint32_t next;             /* with the same hash */
    bool single;               /* no word has two lanes */
};

enum { THIN_LIMIT = 1 << 21, SET_LIMIT = 1 << 22 }; /* stamps and sets of thin rows */

/* A read by several lanes. */
struct thin_set {
    uint32_t stamp;            /* its index; free: the next free one */
    uint32_t lanes;
};

enum { LIST_SIZES = 3, PATTERN_HASH = 1024, PATTERN_LIMIT = 1 << 14 };

/* Reads of a page of which nothing else is known yet, by warps that have seen nothing of
 * what others did to it: see check/race_log.c. */
enum { LOG_ITEMS = 62, LOG_PARTS = 256 };
struct read_log {
    struct read_log *older;
    uint32_t count;            /* of items */
    uint16_t parts;            /* of the log, up to this one */
    bool sets;                 /* some item is a read by several lanes */
    struct logged { uint32_t what, read; } items[LOG_ITEMS];
};

/* The bytes of an allocation, or of the shared memory of a block. */
struct shadow {
    union page **pages;        /* NULL: nothing is known of it but its log */
    struct read_log **logs;    /* by page; NULL: none has any */
    union page **aged;         /* pages of earlier ages, to be used again; NULL: none */
    uint32_t count;
    uint32_t age;              /* rows of another age are as if nobody had touched them */
    uint32_t told, dropped;    /* logs that were of no use, and of some */
    bool shared;               /* the shared memory of a block */
};

struct race_checker;
struct shadow_pool {
    struct arena *arena;
    struct race_checker *checker;  /* whose it is */
    union page *free_pages;
    /* Of cells, thin words and thin reads, ROW_WORDS each; linked through their starts. */
    void *free_cells, *free_thin, *free_many;
    struct stamp *thin_stamps;     /* by index; [0] is of no account */
    uint32_t thin_count, thin_capacity;
    struct { struct thin_set *items; uint32_t count, capacity; } sets; /* [0]: the free ones */
    struct read_log *free_logs;
    unsigned char *slab;           /* for what begins at lines of the host's cache */
    size_t slab_left;
    uint32_t small_slabs;
    struct { void **items; uint32_t count, capacity; } slabs; /* large ones */
    struct group *free_groups;
    struct past_list *free_lists[LIST_SIZES];
    struct entry *free_entries[LIST_SIZES];
    struct split *free_splits;
    struct extra *free_extras;
    struct extra **extras; /* by index; [0] is NULL */
    uint32_t extra_count, extra_capacity;
    struct pattern *patterns;      /* by index; [0] is of no account */
    uint32_t pattern_count, pattern_capacity;
    uint32_t pattern_hash[PATTERN_HASH];
};

void shadow_pool_start(struct shadow_pool *pool, struct arena *arena);
/* Frees what is not in the arena. */
void shadow_pool_end(struct shadow_pool *pool);
/* Zeroed memory at the begin of a line of the host's cache, of whole lines. */
void *lines_new(struct shadow_pool *pool, size_t size);
void shadow_start(struct shadow_pool *pool, struct shadow *shadow, uint64_t size);
union page *shadow_page_new(struct shadow_pool *pool, struct shadow *shadow, uint32_t n);
/* The reads in the log of a page are noted in its rows (check/race_log.c). */
void race_log_replay(struct shadow_pool *pool, struct shadow *shadow, uint32_t n);
/* What the log holds is of no account. */
void race_log_drop(struct shadow_pool *pool, struct shadow *shadow, uint32_t n);
/* The same for all that is known. */
void shadow_renew(struct shadow_pool *pool, struct shadow *shadow);
/* A row of another age becomes a blank one. */
void shadow_row_renew(struct shadow_pool *pool, const struct shadow *shadow, struct row *row);
/* Gives everything back for others. */
void shadow_end(struct shadow_pool *pool, struct shadow *shadow);

static inline struct row *shadow_row(struct shadow_pool *pool, struct shadow *shadow,
                                     uint64_t number)
{
    uint32_t n = (uint32_t)(number / PAGE_ROWS);
    union page *page = shadow->pages[n];

    if (__builtin_expect(!page, 0)) {
        page = shadow_page_new(pool, shadow, n);
        if (shadow->logs && shadow->logs[n])
            race_log_replay(pool, shadow, n);
    }
    struct row *row = &page->rows[number % PAGE_ROWS];
    if (__builtin_expect(row->first.age != shadow->age, 0))
        shadow_row_renew(pool, shadow, row);
    return row;
}

/* Asks for it ahead. */
static inline void shadow_row_prefetch(const struct shadow *shadow, uint64_t number)
{
    const union page *page = shadow->pages[number / PAGE_ROWS];

    __builtin_prefetch(page ? &page->rows[number % PAGE_ROWS] : NULL, 1);
}

/* Cells for a row, all blank; and back. */
struct cell *cells_new(struct shadow_pool *pool);
void cells_free(struct shadow_pool *pool, struct cell *cells);
/* The words of a thin row, the same. */
uint32_t *thin_new(struct shadow_pool *pool);
void thin_free(struct shadow_pool *pool, uint32_t *thin);
struct thin_reads *many_new(struct shadow_pool *pool);
void many_free(struct shadow_pool *pool, struct thin_reads *many);
/* A stamp for thin rows; 0 when there are too many. */
uint32_t thin_stamp_new(struct shadow_pool *pool, struct stamp stamp);
/* Gives back what the cells of a row remember beside themselves. */
void extra_free(struct shadow_pool *pool, struct cell *cell);

/* Groups. A copy has lists of its own. */
struct group *group_new(struct shadow_pool *pool);
void group_free(struct shadow_pool *pool, struct group *group);
void past_list_free(struct shadow_pool *pool, struct past_list *list);
/* A list with the same items and room for one more, or an empty one for NULL. */
struct past_list *past_list_copy(struct shadow_pool *pool, const struct past_list *list);

/* The index of the pattern; 0 when there are too many. */
uint32_t pattern_of(struct shadow_pool *pool, const uint32_t lanes[ROW_WORDS]);

/* The extra record of a cell, made if there is none. */
struct extra *cell_extra(struct shadow_pool *pool, struct cell *cell);
static inline struct extra *extra_of(const struct shadow_pool *pool, const struct cell *cell)
{
    return pool->extras[cell->extra];
}
static inline bool cell_is_split(const struct shadow_pool *pool, const struct cell *cell)
{
    return cell->extra && pool->extras[cell->extra]->split;
}
void cell_split(struct shadow_pool *pool, struct cell *cell);
struct entry *entry_grow(struct shadow_pool *pool, struct extra *extra);
static inline struct entry *entry_add(struct shadow_pool *pool, struct extra *extra)
{
    return extra->count < extra->capacity ? &extra->entries[extra->count++]
                                          : entry_grow(pool, extra);
}

void message_mark(const struct message *message, const struct views *views);
void message_clear(struct message *message);
/* The group, made if there is none. */
struct message_group *message_group(struct shadow_pool *pool, struct message *message,
                                    bool cluster, uint32_t id);
void shadow_mark(const struct shadow_pool *pool, const struct views *views);

#endif
