/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_memory.c - wide values of numbers in memory. */
#include <stdlib.h>
#include <string.h>

#include "check/precision_state.h"
#include "base/arena.h"
#include "emu/access.h"

/* --- the table: open addressing, never walked for output ---------------------------- */

static uint64_t hash(uint64_t owner, uint64_t address)
{
    uint64_t z = (address ^ owner << 17 ^ owner >> 47) * UINT64_C(0x9e3779b97f4a7c15);

    return z ^ z >> 29;
}

static struct shade_cell *slot(const struct precision *p, uint64_t owner, uint64_t address)
{
    uint64_t i = hash(owner, address) & (p->cell_capacity - 1);

    while (p->cells[i].used && (p->cells[i].owner != owner || p->cells[i].address != address))
        i = (i + 1) & (p->cell_capacity - 1);
    return &p->cells[i];
}

const struct shade_cell *precision_cell(const struct precision *p, uint64_t owner,
                                        uint64_t address)
{
    const struct shade_cell *cell = p->cell_capacity ? slot(p, owner, address) : NULL;

    return cell && cell->used && cell->format ? cell : NULL;
}

static void grow(struct precision *p)
{
    struct precision bigger = {.cell_capacity = p->cell_capacity ? 2 * p->cell_capacity : 1024};

    bigger.cells = calloc(bigger.cell_capacity, sizeof *bigger.cells);
    if (!bigger.cells)
        out_of_memory(0);
    for (uint64_t i = 0; i < p->cell_capacity; i++)
        if (p->cells[i].used)
            *slot(&bigger, p->cells[i].owner, p->cells[i].address) = p->cells[i];
    free(p->cells);
    p->cells = bigger.cells;
    p->cell_capacity = bigger.cell_capacity;
}

static struct shade_cell *cell_at(struct precision *p, uint64_t owner, uint64_t address)
{
    if (p->cell_count * 2 >= p->cell_capacity)
        grow(p);
    struct shade_cell *cell = slot(p, owner, address);
    if (!cell->used) {
        *cell = (struct shade_cell){.owner = owner, .address = address, .used = 1};
        p->cell_count++;
    }
    return cell;
}

static void erase(struct precision *p, uint64_t owner, uint64_t address, uint64_t size)
{
    for (uint64_t at = address; p->cell_count && at < address + size; at += 2) {
        struct shade_cell *cell = slot(p, owner, at);
        if (cell->used)
            cell->format = SHADE_NONE;
    }
}

/* --- whose memory ---------------------------------------------------------------------- */

static uint64_t thread_owner(const struct warp *warp, unsigned lane)
{
    return UINT64_C(1) << 63 | warp->block->linear << 10 | warp->index << 5 | lane;
}

static uint64_t owner_of(const struct access_event *event, unsigned lane)
{
    switch (event->space) {
    case IR_SPACE_SHARED:
        return 1 + access_block(event, lane)->linear;
    case IR_SPACE_LOCAL:
        return thread_owner(event->warp, lane);
    default:
        return 0;
    }
}

/* --- one number --------------------------------------------------------------------------- */

/* The wide value of the number at an address whose bytes are given; false: exact. */
static bool read_number(const struct precision *p, uint64_t owner, uint64_t address,
                        enum shade_format format, const unsigned char *bytes, double *value)
{
    const struct shade_cell *cell = precision_cell(p, owner, address);
    uint64_t bits = 0;

    memcpy(&bits, bytes, shade_bytes(format));
    if (cell && cell->format == format && (cell->unchecked || cell->bits == bits)) {
        *value = cell->value;
        return true;
    }
    *value = shade_value(format, bits);
    return false;
}

static void write_number(struct precision *p, uint64_t owner, uint64_t address,
                         enum shade_format format, uint64_t bits, double value,
                         bool unchecked)
{
    struct shade_cell *cell = cell_at(p, owner, address);

    cell->format = (uint8_t)format;
    cell->bits = bits;
    cell->value = value;
    cell->unchecked = unchecked;
}

/* --- loads and stores -------------------------------------------------------------------------- */

/* What lies at the address, as a register of `size` bytes would hold it. */
static bool load_shade(const struct precision *p, uint64_t owner, uint64_t address,
                       unsigned size, const unsigned char *bytes, struct shade *shade)
{
    const struct shade_cell *low = precision_cell(p, owner, address);
    const struct shade_cell *high = size == 4 ? precision_cell(p, owner, address + 2) : NULL;
    enum shade_format format = low ? low->format : high ? high->format : SHADE_NONE;
    unsigned bytes_each = format ? shade_bytes(format) : 0;

    if (!format || (bytes_each != size && !(bytes_each == 2 && size == 4)))
        return false;
    *shade = (struct shade){.format = format, .pair = bytes_each == 2 && size == 4};
    memcpy(&shade->bits, bytes, size);
    bool known = read_number(p, owner, address, format, bytes, &shade->value[0]);
    if (shade->pair)
        known |= read_number(p, owner, address + 2, format, bytes + 2, &shade->value[1]);
    return known;
}

static void load(struct precision *p, const struct access_event *event)
{
    const struct code *code = event->code;
    struct shade_frame *frame =
        event->frame ? precision_frame(p, event->frame->registers) : NULL;
    unsigned size = event->size / event->elements;

    if (size != 2 && size != 4 && size != 8)
        return;
    if (!frame || code->value_bytes != size)
        return;
    FOR_LANES (lane, event->mask)
        for (uint32_t e = 0; e < event->elements; e++) {
            struct shade shade;
            if (load_shade(p, owner_of(event, lane), event->address[lane] + e * size, size,
                           access_host(event, lane) + e * size, &shade))
                precision_set(frame, code->operands[e], lane, &shade);
        }
}

static void store(struct precision *p, const struct access_event *event)
{
    const struct code *code = event->code;
    unsigned size = event->size / event->elements;
    struct shade_frame *frame =
        event->base ? precision_frame(p, event->base[0]) : NULL;

    FOR_LANES (lane, event->mask) {
        uint64_t owner = owner_of(event, lane), address = event->address[lane];
        erase(p, owner, address & ~UINT64_C(1), event->size + (address & 1));
        for (uint32_t e = 0; frame && code->op == IR_OP_st && e < event->elements; e++) {
            struct shade shade;
            uint64_t at = address + e * size;
            if (!precision_get(p, frame, event->base, code->operands[2 + e], code->value_bytes,
                               lane, &shade) ||
                code->value_bytes != size)
                continue;
            if (shade.pair) {
                write_number(p, owner, at, shade.format, shade.bits & 0xffff, shade.value[0],
                             false);
                write_number(p, owner, at + 2, shade.format, shade.bits >> 16 & 0xffff,
                             shade.value[1], false);
            } else if (shade_bytes(shade.format) == size) {
                write_number(p, owner, at, shade.format, shade.bits, shade.value[0], false);
            }
        }
    }
}

/* Additions, one lane after the other as the engine does them. */
static void atomic(struct precision *p, const struct access_event *event)
{
    const struct code *code = event->code;
    bool pair;
    enum shade_format format = shade_format_of(code->type, &pair);
    struct shade_frame *frame =
        event->frame ? precision_frame(p, event->frame->registers) : NULL;

    if (!format || code->sub != IR_OP_add || event->elements != 1 || !frame) {
        FOR_LANES (lane, event->mask)
            erase(p, owner_of(event, lane), event->address[lane] & ~UINT64_C(1), event->size);
        return;
    }
    unsigned char *const base[2] = {event->frame->registers,
                                    event->warp->block->state->executable->constants};
    FOR_LANES (lane, event->mask) {
        uint64_t owner = owner_of(event, lane);
        uint32_t operand = code->operands[code->destinations + 2u];
        unsigned step = shade_bytes(format);
        struct shade shade;
        if (!precision_get(p, frame, base, operand, code->value_bytes, lane, &shade)) {
            uint64_t word = precision_word(base, operand, code->value_bytes, lane);
            shade.value[0] = shade_value(format, pair ? word & 0xffff : word);
            shade.value[1] = pair ? shade_value(format, word >> 16) : 0;
        }
        for (unsigned k = 0; k < (pair ? 2u : 1u); k++) {
            uint64_t at = event->address[lane] + k * step;
            double old;
            read_number(p, owner, at, format, access_host(event, lane) + k * step, &old);
            double sum = shade_compute(IR_OP_add, (double[3]){old, shade.value[k], 0}, 0,
                                       p->options.f64 || format == SHADE_F64);
            write_number(p, owner, at, format, 0, sum, true);
        }
    }
}

void precision_access(struct observer *observer, const struct access_event *event)
{
    struct precision *p = (struct precision *)observer;

    if (event->code->op == IR_OP_ld)
        load(p, event);
    else if (event->code->op == IR_OP_atom && event->kind == ACCESS_ATOMIC)
        atomic(p, event);
    else if (event->kind == ACCESS_WRITE || event->kind == ACCESS_ATOMIC)
        store(p, event);
}

void precision_local_copy(struct observer *observer, struct warp *warp, uint32_t mask,
                          uint64_t to, uint64_t from, uint64_t size)
{
    struct precision *p = (struct precision *)observer;

    FOR_LANES (lane, mask) {
        uint64_t owner = thread_owner(warp, lane);
        erase(p, owner, to, size);
        for (uint64_t at = 0; at < size; at += 2) {
            const struct shade_cell *cell = precision_cell(p, owner, from + at);
            if (!cell)
                continue;
            struct shade_cell copy = *cell; /* the table may move */
            write_number(p, owner, to + at, copy.format, copy.bits, copy.value, copy.unchecked);
        }
    }
}
