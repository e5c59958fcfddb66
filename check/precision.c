/* SPDX-License-Identifier: Apache-2.0
 *
 * precision.c - wide values of registers, and what instructions do with them. */
#include "check/precision.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/place.h"
#include "check/precision_state.h"
#include "emu/warp.h"

/* --- registers ------------------------------------------------------------------------ */

struct shade_frame *precision_frame(struct precision *p, const unsigned char *registers)
{
    return pointer_map_get(&p->frames, registers);
}

uint64_t precision_word(unsigned char *const base[2], uint32_t operand, unsigned bytes,
                        unsigned lane)
{
    uint64_t word = 0;

    if (operand != OPERAND_ABSENT)
        memcpy(&word, (unsigned char *)operand_at(base, operand) + lane * bytes,
               bytes < 8 ? bytes : 8);
    return word;
}

bool precision_get(const struct precision *p, const struct shade_frame *frame,
                   unsigned char *const base[2], uint32_t operand, unsigned bytes,
                   unsigned lane, struct shade *shade)
{
    if (!frame || operand & OPERAND_CONSTANT || operand == OPERAND_ABSENT)
        return false;
    const struct shade_register *reg = frame->registers[operand / 8];
    if (!reg || !(reg->lanes >> lane & 1) ||
        reg->shade[lane].bits != precision_word(base, operand, bytes, lane))
        return false;
    *shade = reg->shade[lane];
    return true;
}

void precision_set(struct shade_frame *frame, uint32_t operand, unsigned lane,
                   const struct shade *shade)
{
    if (!frame || operand & OPERAND_CONSTANT || operand == OPERAND_ABSENT)
        return;
    struct shade_register **reg = &frame->registers[operand / 8];
    if (!*reg && !(*reg = calloc(1, sizeof **reg)))
        out_of_memory(0);
    (*reg)->lanes |= UINT32_C(1) << lane;
    (*reg)->shade[lane] = *shade;
}

void precision_clear(struct shade_frame *frame, uint32_t operand, uint32_t lanes)
{
    if (frame && !(operand & OPERAND_CONSTANT) && operand != OPERAND_ABSENT &&
        frame->registers[operand / 8])
        frame->registers[operand / 8]->lanes &= ~lanes;
}

static void free_frame(void *value)
{
    struct shade_frame *frame = value;

    for (uint32_t i = 0; i < frame->entries; i++)
        free(frame->registers[i]);
    free(frame->registers);
    free(frame);
}

static void frame_enter(struct observer *observer, struct warp *warp, struct frame *frame,
                        uint32_t mask)
{
    struct precision *p = (struct precision *)observer;
    uint32_t entries = frame->program->register_bytes / 8 + 1;
    void **value = pointer_map_at(&p->frames, frame->registers);
    struct shade_frame *shades = *value;

    frame->followed = true; /* every operation counts */
    if (!shades || shades->entries < entries) {
        if (shades)
            free_frame(shades);
        shades = calloc(1, sizeof *shades);
        if (!shades || !(shades->registers = calloc(entries, sizeof *shades->registers)))
            out_of_memory(0);
        shades->entries = entries;
        *value = shades;
        return;
    }
    for (uint32_t i = 0; i < shades->entries; i++)
        if (shades->registers[i])
            shades->registers[i]->lanes &= ~mask;
}

/* --- one lane of a per-lane operation ------------------------------------------------------ */

/* An operation under way. */
struct operation {
    struct precision *p;
    struct warp *warp;
    const struct code *code;
    unsigned char *const *base;
    struct shade_frame *frame;
    const struct ir_row_info *row;
    uint32_t operand[IR_ROW_SOURCES];
};

static uint64_t source_word(const struct operation *o, unsigned k, unsigned lane)
{
    if (o->row->source[k] == IR_pred)
        return *(const uint64_t *)operand_at(o->base, o->operand[k]) >> lane & 1;
    return precision_word(o->base, o->operand[k], ir_types[o->row->source[k]].lane, lane);
}

static bool source_shade(const struct operation *o, unsigned k, unsigned lane,
                         struct shade *shade)
{
    return precision_get(o->p, o->frame, o->base, o->operand[k],
                         ir_types[o->row->source[k]].lane, lane, shade);
}

/* The wide value of source k, exact when nothing else is known. */
static void source_values(const struct operation *o, unsigned k, unsigned lane,
                          double value[2])
{
    bool pair;
    enum shade_format format = shade_format_of(o->row->source[k], &pair);
    struct shade shade;
    uint64_t word = source_word(o, k, lane);

    if (source_shade(o, k, lane, &shade) && shade.format == format && shade.pair == pair) {
        memcpy(value, shade.value, sizeof shade.value);
        return;
    }
    value[0] = shade_value(format, pair ? word & 0xffff : word);
    value[1] = pair ? shade_value(format, word >> 16) : 0;
}

static uint64_t true_result(const struct operation *o, unsigned lane)
{
    uint64_t words[IR_ROW_SOURCES] = {0};

    for (unsigned k = 0; k < o->row->sources; k++)
        words[k] = source_word(o, k, lane);
    return ir_row_eval(ir_row_find(o->code->op, o->code->type, o->code->type2), words,
                       o->code->o.mode);
}

static void compare_result(const struct operation *o, unsigned lane, const struct shade *shade)
{
    struct precision *p = o->p;
    struct precision_first *first = &p->first;

    for (unsigned k = 0; k < (shade->pair ? 2u : 1u); k++) {
        uint64_t bits = shade->pair ? shade->bits >> (16 * k) & 0xffff : shade->bits;
        double value = shade_value(shade->format, bits);
        double error = shade_error(shade->format, value, shade->value[k]);
        p->counts.operations++;
        if (first->found || error <= p->options.threshold)
            continue;
        const struct fragment *fragment = fragment_at(o->warp, o->base[0], o->code);
        *first = (struct precision_first){
            .found = true, .value = value, .wide = shade->value[k], .error = error};
        if (fragment)
            first->place = place_of(o->warp, fragment->frame->program->function, o->code, lane);
    }
}

static void computed(const struct operation *o, unsigned lane)
{
    bool pair, wide;
    enum shade_format format = shade_format_of(o->code->type, &pair);
    double value[3][2] = {{0}};
    struct shade shade = {.format = format, .pair = pair, .bits = true_result(o, lane)};

    wide = o->p->options.f64 || format == SHADE_F64;
    for (unsigned k = 0; k < o->row->sources && k < 3; k++)
        source_values(o, k, lane, value[k]);
    for (unsigned k = 0; k < (pair ? 2u : 1u); k++)
        shade.value[k] = shade_compute(o->code->op,
                                       (double[3]){value[0][k], value[1][k], value[2][k]},
                                       o->code->o.mode, wide);
    precision_set(o->frame, o->code->o.d, lane, &shade);
    compare_result(o, lane, &shade);
}

/* Float or integer to float. */
static void converted(const struct operation *o, unsigned lane)
{
    bool pair, from_pair;
    enum shade_format format = shade_format_of(o->code->type, &pair);
    enum shade_format from = shade_format_of(o->code->type2, &from_pair);
    struct shade shade = {.format = format, .bits = true_result(o, lane)};
    double value[2] = {0};

    if (from && !from_pair) {
        source_values(o, 0, lane, value);
    } else { /* exact in f64, or rounded once */
        uint64_t words[IR_ROW_SOURCES] = {source_word(o, 0, lane)};
        enum ir_row row = ir_row_find(IR_OP_cvt, IR_f64, o->code->type2);
        if (row == IR_ROW_COUNT)
            return;
        value[0] = shade_value(SHADE_F64, ir_row_eval(row, words, 0));
    }
    shade.value[0] = shade_clamp(value[0], o->code->o.mode);
    if (!o->p->options.f64 && format != SHADE_F64)
        shade.value[0] = (double)(float)shade.value[0];
    precision_set(o->frame, o->code->o.d, lane, &shade);
    compare_result(o, lane, &shade);
}

/* Two numbers into a pair, the first one high. */
static void converted_pair(const struct operation *o, unsigned lane)
{
    bool pair;
    enum shade_format format = shade_format_of(o->code->type, &pair);
    struct shade shade = {.format = format, .pair = true, .bits = true_result(o, lane)};
    double value[2];

    for (unsigned k = 0; k < 2; k++) {
        source_values(o, k, lane, value);
        shade.value[!k] = shade_clamp(value[0], o->code->o.mode);
    }
    precision_set(o->frame, o->code->o.d, lane, &shade);
    compare_result(o, lane, &shade);
}

/* --- moves ------------------------------------------------------------------------------------ */

static bool moved(const struct operation *o, unsigned lane, struct shade *out)
{
    struct shade low, high;
    bool has_low, has_high;

    switch (o->code->op) {
    case IR_OP_mov:
        return source_shade(o, 0, lane, out);
    case IR_OP_selp:
        return source_shade(o, source_word(o, 2, lane) ? 0 : 1, lane, out);
    case IR_OP_low:
    case IR_OP_high:
        if (!source_shade(o, 0, lane, &low) || !low.pair)
            return false;
        *out = (struct shade){.format = low.format,
                              .bits = o->code->op == IR_OP_low ? low.bits & 0xffff
                                                               : low.bits >> 16,
                              .value = {low.value[o->code->op == IR_OP_high]}};
        return true;
    case IR_OP_pack:
        has_low = source_shade(o, 0, lane, &low);
        has_high = source_shade(o, 1, lane, &high);
        if (o->code->type != IR_b32 || (!has_low && !has_high) ||
            (has_low && has_high && low.format != high.format))
            return false;
        out->format = has_low ? low.format : high.format;
        out->pair = true;
        out->bits = source_word(o, 0, lane) | source_word(o, 1, lane) << 16;
        out->value[0] = has_low ? low.value[0] : shade_value(out->format, source_word(o, 0, lane));
        out->value[1] =
            has_high ? high.value[0] : shade_value(out->format, source_word(o, 1, lane));
        return true;
    default:
        return false;
    }
}

/* A comparison: would the wide values have decided otherwise? */
static void decided(const struct operation *o, unsigned lane)
{
    enum ir_row row = ir_row_find(o->code->op, IR_pred, IR_f64);
    uint64_t words[IR_ROW_SOURCES] = {0};
    double value[2];

    if (row == IR_ROW_COUNT)
        return;
    for (unsigned k = 0; k < 2; k++) {
        source_values(o, k, lane, value);
        memcpy(&words[k], &value[0], sizeof words[k]);
    }
    if ((ir_row_eval(row, words, 0) & 1) != (true_result(o, lane) & 1))
        o->p->counts.decisions++;
}

static void lane_operation(struct precision *p, struct warp *warp, const struct code *code,
                           unsigned char *const base[2], uint32_t mask)
{
    enum ir_row row = ir_row_find(code->op, code->type, code->type2);
    struct operation o = {.p = p, .warp = warp, .code = code, .base = base,
                          .frame = precision_frame(p, base[0]),
                          .operand = {code->o.a, code->o.b, code->o.c, code->o.e}};
    bool pair, from_pair;
    enum shade_format format = shade_format_of(code->type, &pair);
    enum shade_format from = shade_format_of(code->type2, &from_pair);

    if (row == IR_ROW_COUNT || !o.frame)
        return;
    o.row = &ir_rows[row];
    if (code->type == IR_pred) {
        if (from && !from_pair && o.row->sources == 2)
            FOR_LANES (lane, mask)
                decided(&o, lane);
        return;
    }
    bool computes = format && from == format && shade_computes(code->op);
    bool converts = code->op == IR_OP_cvt && format && !pair && !from_pair;
    bool joins = code->op == IR_OP_cvt_pair && pair && from && !from_pair;
    struct shade shade[LANES];
    uint32_t lanes = 0;
    FOR_LANES (lane, mask) {
        if (computes)
            computed(&o, lane);
        else if (converts)
            converted(&o, lane);
        else if (joins)
            converted_pair(&o, lane);
        else if (memset(&shade[lane], 0, sizeof *shade), moved(&o, lane, &shade[lane]))
            lanes |= UINT32_C(1) << lane;
    }
    if (computes || converts || joins)
        return;
    precision_clear(o.frame, code->o.d, mask);
    FOR_LANES (lane, lanes)
        precision_set(o.frame, code->o.d, lane, &shade[lane]);
}

static void instruction(struct observer *observer, struct warp *warp, const struct code *code,
                        unsigned char *const base[2], uint32_t mask)
{
    struct precision *p = (struct precision *)observer;
    struct shade_frame *frame;

    if (code->lane) {
        lane_operation(p, warp, code, base, mask);
        return;
    }
    if (ir_ops[code->op].group == IR_GROUP_WARP && code->sources)
        return; /* when the lanes meet */
    frame = precision_frame(p, base[0]);
    for (unsigned d = 0; code->operands && d < code->destinations; d++)
        precision_clear(frame, code->operands[d], mask);
}

/* --- lanes that meet --------------------------------------------------------------------------- */

static void warp_sync(struct observer *observer, struct warp *warp, const struct code *code,
                      uint32_t mask)
{
    struct precision *p = (struct precision *)observer;
    unsigned char *constants = warp->block->state->executable->constants;
    bool shuffles = code->op >= IR_OP_shfl_up && code->op <= IR_OP_shfl_idx;
    struct shade shade[LANES];
    uint32_t known = 0;

    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *f = &warp->fragments[i];
        if (f->state != FRAGMENT_SYNC || !(f->mask & mask))
            continue;
        const struct code *own = &f->frame->program->code[f->pc];
        unsigned char *const base[2] = {f->frame->registers, constants};
        FOR_LANES (lane, shuffles ? f->mask : 0)
            if (precision_get(p, precision_frame(p, base[0]), base, own->o.a, 4, lane,
                              &shade[lane]))
                known |= UINT32_C(1) << lane;
    }
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *f = &warp->fragments[i];
        if (f->state != FRAGMENT_SYNC || !(f->mask & mask))
            continue;
        const struct code *own = &f->frame->program->code[f->pc];
        unsigned char *const base[2] = {f->frame->registers, constants};
        struct shade_frame *frame = precision_frame(p, base[0]);
        for (unsigned d = 0; d < own->destinations; d++)
            precision_clear(frame, own->operands[d], f->mask);
        FOR_LANES (lane, shuffles ? f->mask : 0) {
            bool in_range;
            unsigned from = shuffle_source(code->op, lane,
                                           (uint32_t)precision_word(base, own->o.b, 4, lane),
                                           (uint32_t)precision_word(base, own->o.c, 4, lane),
                                           &in_range);
            if (known >> from & 1)
                precision_set(frame, own->operands[0], lane, &shade[from]);
        }
    }
}

/* --- making and asking ---------------------------------------------------------------------------- */

static void launch_begin(struct observer *observer, struct launch_state *state)
{
    ((struct precision *)observer)->state = state;
}

struct observer *precision_new(const struct precision_options *options)
{
    struct precision *p = calloc(1, sizeof *p);

    if (!p)
        out_of_memory(0);
    p->options = *options;
    p->observer = (struct observer){.launch_begin = launch_begin,
                                    .frame_enter = frame_enter,
                                    .instruction = instruction,
                                    .access = precision_access,
                                    .local_copy = precision_local_copy,
                                    .warp_sync = warp_sync};
    return &p->observer;
}

void precision_free(struct observer *observer)
{
    struct precision *p = (struct precision *)observer;

    if (!p)
        return;
    pointer_map_free(&p->frames, free_frame);
    free(p->cells);
    free(p);
}

const struct precision_first *precision_first(const struct observer *observer)
{
    return &((const struct precision *)observer)->first;
}

struct precision_counts precision_counts(const struct observer *observer)
{
    return ((const struct precision *)observer)->counts;
}

struct precision_error precision_measure(const struct observer *observer, uint64_t address,
                                         const unsigned char *bytes, uint64_t count,
                                         enum element element)
{
    const struct precision *p = (const struct precision *)observer;
    static const enum shade_format formats[ELEMENT_COUNT] = {
        [ELEMENT_F16] = SHADE_F16, [ELEMENT_BF16] = SHADE_BF16, [ELEMENT_F32] = SHADE_F32,
        [ELEMENT_F64] = SHADE_F64};
    enum shade_format format = formats[element];
    struct precision_error error = {0};
    double sum = 0;

    for (uint64_t i = 0; format && i < count; i++) {
        uint64_t bits = element_load(element, bytes + i * element_size(element));
        const struct shade_cell *cell =
            precision_cell(p, 0, address + i * element_size(element));
        if (!cell || cell->format != format || (!cell->unchecked && cell->bits != bits))
            continue;
        double value = shade_value(format, bits), off = value - cell->value;
        double relative = shade_error(format, value, cell->value);
        off = value == cell->value || (value != value && cell->value != cell->value) ? 0
              : off < 0 ? -off : off;
        if (!error.known++ || off > error.largest || off != off) {
            error.largest = off;
            error.at = i;
            error.value = value;
            error.wide = cell->value;
        }
        if (relative > error.relative)
            error.relative = relative;
        sum += off;
    }
    error.mean = error.known ? sum / (double)error.known : 0;
    return error;
}
