/* SPDX-License-Identifier: Apache-2.0
 *
 * race_cell.c - one access of one cell against what the cell remembers.
 *
 * An earlier access of the same bytes does no harm when it comes before this one,
 * when the two are morally strong, or when neither writes. Besides what the
 * reader's view holds, a strong write also comes before whoever follows a strong
 * read that took its value, be it through atomics that went on from it (PTX ISA,
 * "Causality Order": observation): the first such read of each lane is an entry that
 * bears the number of the write. */
#include "check/race.h"

#include <string.h>

static const struct site *site_at(const struct touch *touch, struct stamp stamp)
{
    return &touch->checker->sites.items[stamp_site(stamp)];
}

static uint32_t lane_of(struct stamp stamp)
{
    return UINT32_C(1) << stamp_lane(stamp);
}

/* The lanes of a read that one lane's access may race with: one of them. */
static unsigned unordered_lane(const struct touch *touch, unsigned lane, struct stamp stamp,
                               uint32_t lanes)
{
    FOR_LANES (each, lanes)
        if (!race_ordered(touch, lane, stamp, UINT32_C(1) << each))
            return each;
    return lane_first(lanes);
}

/* --- values ------------------------------------------------------------------------------- */

static const unsigned char *stored_value(const struct touch *touch, unsigned lane)
{
    const struct access_event *event = touch->event;
    const struct code *code = event->code;

    if (event->stored)
        return event->stored[lane] + (size_t)touch->element * touch->site->size;
    if (!event->base || code->op != IR_OP_st)
        return NULL;
    return (const unsigned char *)operand_at(event->base, code->operands[2 + touch->element]) +
           (size_t)lane * code->value_bytes;
}

/* Does a plain store leave what the plain write before it wrote? */
static bool same_value(const struct touch *touch, unsigned lane, struct stamp earlier,
                       unsigned back)
{
    const struct access_event *event = touch->event;
    const struct site *site = touch->site, *other = site_at(touch, earlier);
    const unsigned char *value = stored_value(touch, lane);
    unsigned before = stamp_lane(earlier);

    if (!value || site->access != FINDING_WRITE || other->access != FINDING_WRITE ||
        site->strong || other->strong)
        return false;
    /* A lane of the same instruction: memory does not hold its value yet. */
    if (earlier.warp == touch->number && other == site && before < lane &&
        event->mask >> before & 1 && event->address[before] == event->address[lane])
        return !memcmp(value, stored_value(touch, before), site->size);
    const unsigned char *host = access_host(event, lane) + touch->element * site->size;
    unsigned cell = CELL_BYTES < site->size - back ? CELL_BYTES : site->size - back;
    return !memcmp(value + back, host + back, cell);
}

/* --- one cell ----------------------------------------------------------------------------- */

/* Is one of the lanes of a read before this one? */
static bool any_before(const struct touch *touch, unsigned lane, struct stamp stamp,
                       uint32_t lanes)
{
    FOR_LANES (each, lanes)
        if (race_ordered(touch, lane, stamp, UINT32_C(1) << each))
            return true;
    return false;
}

/* Does somebody who knows a write come before the lane? */
static bool is_known(const struct touch *touch, unsigned lane, const struct extra *extra,
                     uint8_t number)
{
    for (uint32_t i = 0; i < extra->count; i++) {
        const struct entry *entry = &extra->entries[i];
        if (!entry->write && entry->number == number &&
            any_before(touch, lane, entry->stamp, entry->lanes))
            return true;
    }
    return false;
}

/* The last write. */
static bool observed(const struct touch *touch, unsigned lane, const struct cell *cell)
{
    const struct extra *extra = extra_of(&touch->checker->pool, cell);

    return extra && (extra->lost_observer || is_known(touch, lane, extra, PRESENT_WRITE));
}

/* The last write of a cell, which is not before the lane: does it do no harm? */
static bool harmless_write(const struct touch *touch, unsigned lane, const struct cell *cell,
                           unsigned back)
{
    return race_morally_strong(touch, cell->write, back) ||
           (site_at(touch, cell->write)->strong && observed(touch, lane, cell));
}

/* Is an older write before the lane, or does it do no harm? */
static bool harmless_entry(const struct touch *touch, unsigned lane, const struct cell *cell,
                           const struct extra *extra, const struct entry *write, unsigned back)
{
    if (write->maybe_known || race_morally_strong(touch, write->stamp, back) ||
        race_ordered(touch, lane, write->stamp, write->lanes))
        return true;
    return is_known(touch, lane, extra, write->number) ||
           (write->chained && observed(touch, lane, cell));
}

/* Older writes that strong ones went past. */
static void check_entries(const struct touch *touch, unsigned lane, const struct cell *cell,
                          const struct extra *extra, unsigned back)
{
    for (uint32_t i = 0; i < extra->count; i++) {
        const struct entry *entry = &extra->entries[i];
        if (entry->write && !harmless_entry(touch, lane, cell, extra, entry, back))
            race_report(touch, lane, entry->stamp, stamp_lane(entry->stamp), back, false);
    }
}

/* The lanes of an access know a write from now on. */
static void add_knower(const struct touch *touch, struct extra *extra, uint8_t number,
                       struct stamp stamp, uint32_t lanes)
{
    struct entry *write = NULL;

    if (number == PRESENT_WRITE && extra->lost_observer)
        return;
    for (uint32_t i = 0; i < extra->count; i++) {
        struct entry *entry = &extra->entries[i];
        if (entry->number != number)
            continue;
        if (entry->write)
            write = entry;
        else if (entry->stamp.warp == stamp.warp && entry->stamp.epoch <= stamp.epoch &&
                 !(lanes & ~entry->lanes))
            return; /* an earlier one says as much */
    }
    if (extra->count < SHARED_ENTRIES)
        *entry_add(&touch->checker->pool, extra) =
            (struct entry){.stamp = stamp, .lanes = lanes, .number = number};
    else if (write)
        write->maybe_known = true;
    else
        extra->lost_observer = true;
}

/* A strong read took the value of the last write, and of older ones that it was made from
 * (PTX ISA, "Observation order"). */
static void observe(const struct touch *touch, struct cell *cell, unsigned back,
                    struct stamp now)
{
    struct extra *extra = extra_of(&touch->checker->pool, cell);
    uint32_t lanes = 0, count;

    FOR_LANES (lane, touch->lanes)
        if (!race_ordered(touch, lane, cell->write, lane_of(cell->write)))
            lanes |= UINT32_C(1) << lane;
    if (lanes) {
        extra = cell_extra(&touch->checker->pool, cell);
        add_knower(touch, extra, PRESENT_WRITE, now, lanes);
    }
    count = extra && extra->older_writes ? extra->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct entry entry = extra->entries[i];
        lanes = 0;
        FOR_LANES (lane, entry.write && entry.chained ? touch->lanes : 0)
            if (!race_ordered(touch, lane, entry.stamp, entry.lanes))
                lanes |= UINT32_C(1) << lane;
        if (lanes)
            add_knower(touch, extra, entry.number, now, lanes);
    }
}

/* A read that says all that an older one did: whatever is not ordered after the
 * older one is not ordered after it, and conflicts with it just as well. */
static bool stands_for(const struct touch *touch, struct stamp older, unsigned back)
{
    const struct site *site = touch->site, *other = site_at(touch, older);

    return !site->strong || (other->strong && other->scope == site->scope &&
                             other->size == site->size && stamp_back(older) == back);
}

/* Takes what this read stands for out of an older read. */
static uint32_t still_needed(const struct touch *touch, struct stamp stamp, uint32_t lanes,
                             unsigned back)
{
    if (!stands_for(touch, stamp, back))
        return lanes;
    if (stamp.warp == touch->number)
        lanes &= ~touch->lanes;
    return lanes && !race_ordered_all(touch, stamp, lanes) ? lanes : 0;
}

static void forget_reads(const struct touch *touch, struct extra *extra, unsigned back)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < extra->count; i++) {
        struct entry *entry = &extra->entries[i];
        if (entry_is_read(entry))
            entry->lanes = still_needed(touch, entry->stamp, entry->lanes, back);
        if (entry->lanes)
            extra->entries[kept++] = *entry;
    }
    extra->count = kept;
}

static void keep_read(const struct touch *touch, struct cell *cell, unsigned back)
{
    struct shadow_pool *pool = &touch->checker->pool;
    struct extra *extra = cell_extra(pool, cell);
    uint32_t limit = entry_limit(touch);
    struct entry *entry;

    if (extra->count >= limit && extra->crowded) {
        extra->crowded--;
    } else if (extra->count >= limit) {
        forget_reads(touch, extra, back);
        extra->crowded = CROWDED;
    }
    if (extra->count < limit) {
        entry = entry_add(pool, extra);
    } else {
        /* Any of them still finds a writer that waits for nobody. */
        entry = &extra->entries[extra->count - 1];
        while (!entry_is_read(entry) && entry > extra->entries)
            entry--;
        if (!entry_is_read(entry))
            return;
    }
    *entry = (struct entry){.stamp = cell->read, .lanes = cell->lanes};
}

void race_read_cell(const struct touch *touch, struct cell *cell, unsigned back)
{
    struct extra *extra = extra_of(&touch->checker->pool, cell);
    struct stamp now = {touch->number, touch->epoch, stamp_what(touch->site_index, back, 0)};

    /* Nothing new since these lanes, or others of the warp, read it here before. */
    if (cell->read.warp == now.warp && cell->read.epoch == now.epoch &&
        (cell->read.what & ~STAMP_KNOWS) == now.what && cell->lanes &&
        (!cell->write.what ||
         (cell->read.what & STAMP_KNOWS && !(touch->lanes & ~cell->lanes)))) {
        cell->lanes |= touch->lanes;
        return;
    }
    if (cell->write.what) {
        if (race_ordered_all(touch, cell->write, lane_of(cell->write))) {
            now.what |= STAMP_KNOWS;
        } else {
            bool knows = true;
            FOR_LANES (each, touch->lanes)
                if (!race_ordered(touch, each, cell->write, lane_of(cell->write)) &&
                    !harmless_write(touch, each, cell, back)) {
                    race_report(touch, each, cell->write, stamp_lane(cell->write), back,
                                false);
                    knows = false;
                }
            now.what |= knows && !touch->moment ? STAMP_KNOWS : 0;
        }
    }
    if (extra && extra->older_writes)
        FOR_LANES (each, touch->lanes)
            check_entries(touch, each, cell, extra, back);
    if (touch->site->strong && cell->write.what && !touch->moment &&
        race_morally_strong(touch, cell->write, back)) {
        observe(touch, cell, back, (struct stamp){now.warp, now.epoch, now.what & ~STAMP_KNOWS});
        extra = extra_of(&touch->checker->pool, cell);
    }
    if (cell->lanes && cell->read.warp == now.warp && cell->read.epoch == now.epoch &&
        cell->read.what == now.what) {
        cell->lanes |= touch->lanes;
        return;
    }
    if (cell->lanes)
        cell->lanes = still_needed(touch, cell->read, cell->lanes, back);
    if (cell->lanes) {
        /* The same read may be among the others already: then they change places. */
        struct entry *same = NULL;
        for (uint32_t i = 0; extra && i < extra->count && !same; i++) {
            struct entry *entry = &extra->entries[i];
            if (entry_is_read(entry) && entry->stamp.warp == now.warp &&
                entry->stamp.epoch == now.epoch && entry->stamp.what == now.what)
                same = entry;
        }
        if (same) {
            uint32_t lanes = same->lanes;
            *same = (struct entry){.stamp = cell->read, .lanes = cell->lanes};
            cell->read = now;
            cell->lanes = lanes | touch->lanes;
            return;
        }
        keep_read(touch, cell, back);
    }
    cell->read = now;
    cell->lanes = touch->lanes;
}

/* A strong write after a weaker access hides it from nobody: other strong writes race
 * with the one and not with the other. Weaker is also what has a narrower scope or
 * another size. */
static bool outlives(const struct touch *touch, struct stamp older)
{
    const struct site *site = touch->site, *other = site_at(touch, older);

    return site->strong &&
           (!other->strong || other->scope < site->scope || other->size != site->size);
}

/* An access before this write: false when it need not be remembered any longer. */
static bool check_older(const struct touch *touch, unsigned lane, struct stamp stamp,
                       uint32_t lanes, unsigned back)
{
    if (race_ordered(touch, lane, stamp, lanes))
        return outlives(touch, stamp);
    if (race_morally_strong(touch, stamp, back))
        return true;
    race_report(touch, lane, stamp, unordered_lane(touch, lane, stamp, lanes), back, false);
    return false;
}

/* Does it take the value of an earlier write, of just these bytes, and go on from it? */
static bool goes_on(const struct touch *touch, unsigned lane, struct stamp write, unsigned back)
{
    return touch->site->reads &&
           (race_morally_strong(touch, write, back) ||
            (write.warp == touch->number && stamp_lane(write) == lane &&
             stamp_back(write) == back && site_at(touch, write)->size == touch->site->size));
}

/* The last write stays, as an older one, with those who know it. */
static void keep_write(const struct touch *touch, struct cell *cell, bool chained)
{
    struct extra *extra = cell_extra(&touch->checker->pool, cell);
    const uint32_t count = extra->count;
    uint8_t number = 1;

    for (uint32_t i = 0; i < count; i++)
        if (extra->entries[i].number >= number && extra->entries[i].number != PRESENT_WRITE)
            number = (uint8_t)(extra->entries[i].number + 1);
    if (count >= SHARED_ENTRIES || number == PRESENT_WRITE)
        return;
    extra->older_writes++;
    *entry_add(&touch->checker->pool, extra) =
        (struct entry){.stamp = cell->write, .lanes = lane_of(cell->write), .write = true,
                       .maybe_known = extra->lost_observer, .chained = chained,
                       .number = number};
    for (uint32_t i = 0; i < count; i++)
        if (extra->entries[i].number == PRESENT_WRITE)
            extra->entries[i].number = number;
}

void race_forget_knowers(struct extra *extra)
{
    bool known[PRESENT_WRITE + 1] = {[0] = true, [PRESENT_WRITE] = true};
    uint32_t kept = 0;

    for (uint32_t i = 0; i < extra->count; i++)
        if (extra->entries[i].write)
            known[extra->entries[i].number] = true;
    for (uint32_t i = 0; i < extra->count; i++)
        if (known[extra->entries[i].number])
            extra->entries[kept++] = extra->entries[i];
    extra->count = kept;
}

/* This write against older ones: false when one need not be remembered any longer. */
static bool check_older_write(const struct touch *touch, unsigned lane, const struct cell *cell,
                              struct extra *extra, struct entry *write, unsigned back, bool on)
{
    if (!harmless_entry(touch, lane, cell, extra, write, back)) {
        race_report(touch, lane, write->stamp, stamp_lane(write->stamp), back, false);
        return false;
    }
    bool ordered = race_ordered(touch, lane, write->stamp, write->lanes);
    write->chained = write->chained && on;
    return ordered || write->chained ? outlives(touch, write->stamp)
                                     : race_morally_strong(touch, write->stamp, back);
}

/* The first entries of a cell against a write; on: it goes on with the last one's value. */
static void write_entries(const struct touch *touch, unsigned lane, const struct cell *cell,
                          struct extra *extra, uint32_t first, unsigned back, bool on)
{
    const struct stamp now = {touch->number, touch->epoch, stamp_what(touch->site_index, back, 0)};
    uint32_t kept = 0;
    bool dropped = false;

    for (uint32_t i = 0; i < first; i++) {
        struct entry *entry = &extra->entries[i];
        bool keep = true;
        if (entry->write)
            keep = check_older_write(touch, lane, cell, extra, entry, back, on);
        else if (entry_is_read(entry))
            keep = check_older(touch, lane, entry->stamp, entry->lanes, back);
        else
            keep = entry->number != PRESENT_WRITE;
        if (!keep)
            entry->lanes = 0;
        dropped |= entry->write && !keep;
    }
    for (uint32_t i = 0; i < extra->count; i++)
        if (extra->entries[i].lanes) {
            extra->entries[kept] = extra->entries[i];
            extra->entries[kept++].stamp.what &= ~STAMP_KNOWS;
        }
    extra->count = kept;
    if (dropped)
        race_forget_knowers(extra);
    if (!extra->older_writes)
        return;
    extra->older_writes = 0;
    for (uint32_t i = 0, last = extra->count; i < last; i++) {
        const struct entry entry = extra->entries[i];
        extra->older_writes += entry.write;
        if (entry.write && entry.chained &&
            !race_ordered(touch, lane, entry.stamp, entry.lanes))
            add_knower(touch, extra, entry.number, now, touch->lanes);
    }
}

void race_write_cell(const struct touch *touch, struct cell *cell, unsigned back)
{
    struct shadow_pool *pool = &touch->checker->pool;
    struct extra *extra = extra_of(pool, cell);
    unsigned lane = lane_first(touch->lanes);
    bool demoted = false, on = false;

    if (cell->write.what) {
        on = goes_on(touch, lane, cell->write, back);
        if (race_ordered(touch, lane, cell->write, lane_of(cell->write)))
            demoted = outlives(touch, cell->write);
        else if (race_morally_strong(touch, cell->write, back))
            /* An atomic observes what it replaces; a store leaves it unordered. */
            demoted = !on || outlives(touch, cell->write);
        else if (!harmless_write(touch, lane, cell, back))
            race_report(touch, lane, cell->write, stamp_lane(cell->write), back,
                        same_value(touch, lane, cell->write, back));
        else
            demoted = outlives(touch, cell->write);
    }
    const bool gone = cell->lanes && !check_older(touch, lane, cell->read, cell->lanes, back);
    const uint32_t count = extra ? extra->count : 0;
    if (demoted)
        keep_write(touch, cell, on);
    extra = extra_of(pool, cell);
    if (extra && extra->count)
        write_entries(touch, lane, cell, extra, count, back, on);
    if (extra) {
        extra->lost_observer = false;
        extra->crowded = 0;
    }
    cell->lanes = gone ? 0 : cell->lanes;
    cell->read.what &= ~STAMP_KNOWS;
    cell->write = (struct stamp){touch->number, touch->epoch,
                                 stamp_what(touch->site_index, back, lane)};
}
