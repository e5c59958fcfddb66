/* SPDX-License-Identifier: Apache-2.0
 *
 * race_access.h - what the files that take an access apart share. */
#ifndef SIMTLAB_CHECK_RACE_ACCESS_H
#define SIMTLAB_CHECK_RACE_ACCESS_H

#include "check/race.h"

/* --- race_site.c ------------------------------------------------------------------------- */

static inline uint32_t *race_site_hash(struct race_checker *checker, const struct code *code)
{
    return &checker->site_hash[((uintptr_t)code >> 4) % SITE_HASH];
}
/* Its index, when it has none yet; and in any case. */
uint32_t race_site_new(struct race_checker *checker, const struct code *code,
                       enum finding_access_kind kind, uint32_t size);
static inline uint32_t race_site_of(struct race_checker *checker, const struct code *code,
                                    enum finding_access_kind kind, uint32_t size)
{
    bool writes = kind == ACCESS_WRITE || kind == ACCESS_ATOMIC;

    for (uint32_t i = *race_site_hash(checker, code); i; i = checker->sites.items[i].next) {
        const struct site *site = &checker->sites.items[i];
        if (site->code == code && site->writes == writes && site->size == size)
            return i;
    }
    return race_site_new(checker, code, kind, size);
}

/* --- race_access.c ----------------------------------------------------------------------- */

struct shadow *race_shadow_new(struct race_checker *checker,
                               const struct allocation *allocation);
static inline struct shadow *allocation_shadow(struct race_checker *checker,
                                               const struct allocation *allocation)
{
    struct shadow *shadow = allocation->number < checker->allocation_count
                                ? checker->allocations[allocation->number] : NULL;

    return shadow ? shadow : race_shadow_new(checker, allocation);
}

/* A few lanes' read in global memory that had better be kept thinly, as its neighbours are or
 * will be. */
static inline bool out_of_step(const struct site *site, const struct shadow *shadow,
                               uint64_t offset, uint32_t mask)
{
    if (many_lanes(mask) || site->writes || site->size != CELL_BYTES)
        return false;
    const union page *page = shadow->pages[offset / PAGE_BYTES];
    return page ? page->rows[offset / ROW_BYTES % PAGE_ROWS].first.form >= ROW_THIN
                : site->made > site->met;
}

/* --- race_element.c ---------------------------------------------------------------------- */

/* Strong accesses take and give messages; weak writes put an end to them. */
void race_touch_element(struct touch *touch, struct shadow *shadow, uint64_t offset);

/* A whole cell, or one byte of a split one. */
static inline void touch_cell(const struct touch *touch, struct cell *cell, unsigned back)
{
    if (touch->site->writes)
        race_write_cell(touch, cell, back);
    else
        race_read_cell(touch, cell, back);
}

/* --- race_lanes.c ------------------------------------------------------------------------ */

/* The lanes of a read that go together, each set of them at its first lane: those with one
 * address. */
void race_gather(const struct access_event *event, uint32_t mask, uint32_t with[LANES]);
/* Lane by lane, and cell by cell. grouped: rows without cells are done already. */
void race_touch_lanes(struct touch *touch, bool grouped);

/* --- race_rowwise.c ---------------------------------------------------------------------- */

/* What rows cannot do is done cell by cell: asking twice does no harm. */
void race_touch_rows(struct touch *touch, struct shadow *shadow, uint64_t first,
                     struct shape *shape);

/* --- plain words ------------------------------------------------------------------------- */

/* Have all lanes of the touch seen it? */
static inline bool is_known(const struct touch *touch, struct stamp stamp)
{
    return stamp.epoch <= race_seen(touch->checker, touch->warp, stamp.warp)->base;
}

/* Is an access by some lanes before that by the lanes of the touch, because all have seen
 * it, or each comes after what it did itself? */
static inline bool comes_before(const struct touch *touch, struct stamp stamp, uint32_t lanes)
{
    uint32_t own = touch->lanes & (touch->lanes - 1) ? 0 : touch->lanes;

    return (stamp.warp == touch->number && !(lanes & ~own)) || is_known(touch, stamp);
}

/* race_read_cell and race_write_cell for weak accesses of words of which no more is
 * remembered than the cell holds, nor needs to be. False: ask them. */
static inline bool read_quickly(const struct touch *touch, struct cell *cell, unsigned back)
{
    struct stamp now = {touch->number, touch->epoch, stamp_what(touch->site_index, back, 0)};
    uint32_t lanes = cell->lanes;

    if (cell->write.what) {
        if (!comes_before(touch, cell->write, UINT32_C(1) << stamp_lane(cell->write)))
            return false;
        now.what |= STAMP_KNOWS;
    }
    if (lanes) {
        if (cell->read.warp == now.warp && cell->read.epoch == now.epoch &&
            cell->read.what == now.what) {
            cell->lanes |= touch->lanes;
            return true;
        }
        if (cell->read.warp == now.warp)
            lanes &= ~touch->lanes;
        if (lanes && !is_known(touch, cell->read))
            return false;
    }
    cell->read = now;
    cell->lanes = touch->lanes;
    return true;
}

static inline bool write_quickly(const struct touch *touch, struct cell *cell, unsigned back)
{
    if (cell->write.what &&
        !comes_before(touch, cell->write, UINT32_C(1) << stamp_lane(cell->write)))
        return false;
    if (cell->lanes && !comes_before(touch, cell->read, cell->lanes))
        return false;
    cell->lanes = 0;
    cell->write = (struct stamp){touch->number, touch->epoch,
                                 stamp_what(touch->site_index, back, lane_first(touch->lanes))};
    return true;
}

#endif
