/* SPDX-License-Identifier: Apache-2.0
 *
 * many_run.c - driving a program of many instances over a device. */
#include "memmodel/many_run.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 128, SCRATCH_WORDS = 1 << 20, WORK = 200, MAX_PASSES = 1 << 20 };

struct run {
    const struct many_device *device;
    const struct many_program *program;
    struct text *err;
    uint32_t groups, traffic; /* groups at work at once; blocks that make traffic */
    struct many_parameters p;
};

static bool launch(struct run *r, const char *entry, uint32_t blocks, uint32_t threads)
{
    struct many_parameters *p = &r->p;
    void *parameters[MANY_PARAMETERS] = {
        &p->memory, &p->results, &p->meet, &p->table, &p->scratch, &p->location_stride,
        &p->instance_stride, &p->count, &p->first, &p->groups, &p->seed, &p->flags, &p->delay,
        &p->scratch_words, &p->work};

    return r->device->launch(r->device->self, entry, blocks, threads, parameters, r->err);
}

static uint32_t round_up(uint32_t value, uint32_t to)
{
    return (value + to - 1) / to * to;
}

static uint32_t packed_stride(const struct many_program *program)
{
    return round_up((program->locations ? program->locations : 1) * program->location_bytes,
                    LINE);
}

static bool set_up(struct run *r)
{
    const struct many_device *d = r->device;
    const struct many_program *m = r->program;
    uint32_t resident, locations = m->locations ? m->locations : 1;
    uint64_t count = d->instances, line = (uint64_t)round_up(m->location_bytes, LINE);
    uint64_t spread = locations * line, packed = packed_stride(m);
    uint64_t table = MANY_TABLE_HEAD + MANY_SLOTS * (uint64_t)(MANY_SLOT_HEAD + m->result_words);

    if (!d->load(d->self, m->ptx.data, m->ptx.size, r->err) ||
        !d->resident(d->self, "litmus", m->threads, &resident, r->err))
        return false;
    r->groups = resident * 3 / 4 / m->blocks;
    r->groups = r->groups ? r->groups : 1;
    uint32_t needed = (uint32_t)((count + m->instances - 1) / m->instances);
    r->groups = r->groups > needed ? needed : r->groups;
    r->traffic = resident / 4 / m->blocks * m->blocks;
    r->p = (struct many_parameters){.count = d->instances, .groups = r->groups,
                                    .scratch_words = SCRATCH_WORDS};
    return d->allocate(d->self, count * (spread > packed ? spread : packed), &r->p.memory,
                       r->err) &&
           d->allocate(d->self, count * m->result_words * 8, &r->p.results, r->err) &&
           d->allocate(d->self, count * 8, &r->p.meet, r->err) &&
           d->allocate(d->self, table * 8, &r->p.table, r->err) &&
           d->allocate(d->self, SCRATCH_WORDS * 4, &r->p.scratch, r->err);
}

/* What is different about each pass. The numbers were chosen for variety; none
 * of them can make a difference to what is allowed. */
static void choose_pass(struct run *r, uint32_t pass)
{
    static const uint32_t delays[] = {0, 63, 255, 1023};
    const struct many_program *m = r->program;
    uint32_t mixed = (pass + 1) * 0x9e3779b1u;
    uint32_t layout = (mixed >> 20) % 3, line = round_up(m->location_bytes, LINE);

    r->p.seed = pass;
    r->p.flags = (mixed >> 31 && m->can_be_far ? MANY_FAR : 0) |
                 (mixed >> 30 & 1 ? MANY_MEET : 0) | (mixed >> 29 & 1 ? MANY_LONELY : 0);
    r->p.work = mixed >> 28 & 1 ? WORK : 0;
    r->p.delay = delays[mixed >> 26 & 3];
    if (layout == 2) { /* all variables of an instance in one line, or few */
        r->p.location_stride = m->location_bytes;
        r->p.instance_stride = packed_stride(m);
    } else { /* each variable far from the others; instances side by side or apart */
        r->p.instance_stride = layout ? m->location_bytes : line;
        r->p.location_stride = (uint64_t)r->p.count * r->p.instance_stride;
    }
}

static bool run_pass(struct run *r, uint32_t pass)
{
    const struct many_program *m = r->program;
    uint32_t each = (r->p.count + MANY_THREADS - 1) / MANY_THREADS;

    choose_pass(r, pass);
    r->p.first = 0;
    if (!launch(r, "litmus_start", each, MANY_THREADS))
        return false;
    for (; r->p.first < r->p.count; r->p.first += r->groups * m->instances)
        if (!launch(r, "litmus", r->groups * m->blocks + (r->p.work ? r->traffic : 0),
                    m->threads))
            return false;
    return launch(r, "litmus_final", each, MANY_THREADS);
}

static int by_values(const void *a, const void *b)
{
    const struct histogram_item *x = a, *y = b;

    for (uint32_t i = 0; i < MAX_VARIABLES; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

static bool read_table(struct run *r, struct arena *arena, const struct analysis *a,
                       struct histogram *h)
{
    const struct many_program *m = r->program;
    size_t slot = MANY_SLOT_HEAD + m->result_words;
    size_t size = (MANY_TABLE_HEAD + MANY_SLOTS * slot) * sizeof(uint64_t);
    uint64_t *table = arena_alloc(arena, size);

    if (!r->device->read(r->device->self, r->p.table, table, size, r->err))
        return false;
    h->unfinished = table[0];
    if (table[1]) {
        text_printf(r->err, "more than %d different final states\n", MANY_SLOTS);
        return false;
    }
    for (uint32_t i = 0; i < MANY_SLOTS; i++) {
        const uint64_t *s = table + MANY_TABLE_HEAD + i * slot;
        if (!s[0])
            continue;
        struct histogram_item *item = ARENA_PUSH(arena, h);
        memset(item, 0, sizeof *item);
        item->count = s[1];
        for (uint32_t v = 0; v < a->variable_count; v++)
            item->values[v] = sign_extend((int64_t)s[MANY_SLOT_HEAD + v],
                                          a->variables[v].bits);
    }
    uint64_t total = h->unfinished;
    for (uint32_t i = 0; i < h->count; i++)
        total += h->items[i].count;
    if (total != h->instances) {
        text_printf(r->err, "%llu of %llu instances were counted\n", (unsigned long long)total,
                    (unsigned long long)h->instances);
        return false;
    }
    if (h->count)
        qsort(h->items, h->count, sizeof *h->items, by_values);
    return true;
}

bool many_run(const struct many_device *device, struct arena *arena, const struct analysis *a,
              const struct many_program *program, uint64_t instances,
              struct histogram *histogram, struct text *err)
{
    struct run r = {.device = device, .program = program, .err = err};
    bool good = set_up(&r);

    memset(histogram, 0, sizeof *histogram);
    for (uint32_t pass = 0; good && histogram->instances < instances && pass < MAX_PASSES;
         pass++) {
        good = run_pass(&r, pass);
        histogram->instances += r.p.count;
    }
    good = good && read_table(&r, arena, a, histogram);
    device->unload(device->self);
    return good;
}
